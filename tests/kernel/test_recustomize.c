/* test_recustomize.c - partial customization gives the costs of full customization to the bit, after each of
 * many updates drawn at random, and names exactly the upward arcs whose costs changed.
 *
 * MACADAM_UPDATES=N: N updates of each map. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"

#include "engine/base/memory.h"
#include "kernels/basic.h"

#include <criterion/criterion.h>
#include <string.h>

enum { UPDATES = 12, LARGE = 10000, ARCS_MAX = 64 };

TestSuite(recustomize, .init = backends_set_up, .fini = leak_expect_none);

/* A map whose weights change. */
typedef struct scene {
    kernel_map map;
    mcd_schedule *schedule;
    mcd_weight *old[2]; /* the weights before the last update */
    size_t up_count, cost_bytes;
    bool pair;
} scene;

static void scene_make(scene *s, size_t map, bool pair)
{
    macadam_error error;
    memset(s, 0, sizeof *s);
    kernel_maps_make(&s->map, map);
    s->pair = pair;
    cr_assert_eq(backend[0]->schedule_new(&s->schedule, s->map.hierarchy, s->map.graph,
                                          &(mcd_parallel){2, NULL}, &error),
                 MACADAM_OK);
    s->up_count = s->map.hierarchy->first_up[s->map.graph->node_count];
    s->cost_bytes = 2 * s->up_count * (pair ? sizeof(mcd_joint) : sizeof(mcd_weight));
    for (int q = 0; q < 2; ++q) s->old[q] = checked_allocate(s->map.graph->arc_count + (size_t)1, 4);
}

static void scene_free(scene *s)
{
    free(s->old[0]);
    free(s->old[1]);
    backend[0]->schedule_free(s->schedule);
    kernel_map_free(&s->map);
}

static mcd_customize_job job_of(const scene *s)
{
    return (mcd_customize_job){.schedule = s->schedule,
                               .hierarchy = s->map.hierarchy,
                               .graph = s->map.graph,
                               .objective = s->map.weight[0],
                               .companion = s->pair ? s->map.weight[1] : NULL,
                               .parallel = {1, NULL}};
}

static mcd_custom customize(const scene *s)
{
    mcd_custom custom;
    macadam_error error;
    const mcd_customize_job job = job_of(s);
    cr_assert_eq(backend[0]->customize(&custom, &job, &error), MACADAM_OK);
    return custom;
}

/* Closed, free, a little or much dearer or cheaper, or too dear for sums. */
static mcd_weight draw(test_rng *rng, mcd_weight old)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return MCD_UNREACHED;
    case 1:
        return 0;
    case 2:
        return MCD_WEIGHT_MAX - rng_below(rng, 2);
    case 3:
        return old < MCD_WEIGHT_MAX / 2 ? 2 * old : old;
    case 4:
        return old < MCD_WEIGHT_MAX ? old + 1 : old;
    case 5:
        return old && old < MCD_UNREACHED ? old - 1 : old;
    default:
        return rng_below(rng, 1000);
    }
}

static size_t change(scene *s, test_rng *rng, uint32_t *changed)
{
    static const size_t counts[] = {1, 1, 3, ARCS_MAX};
    const size_t count = counts[rng_below(rng, 4)];
    for (int q = 0; q < 2; ++q)
        memcpy(s->old[q], s->map.weight[q], s->map.graph->arc_count * sizeof *s->old[q]);
    for (size_t i = 0; i < count; ++i) {
        changed[i] = rng_below(rng, s->map.graph->arc_count);
        for (int q = 0; q < 2; ++q)
            if (q == 0 || rng_below(rng, 2))
                s->map.weight[q][changed[i]] = draw(rng, s->map.weight[q][changed[i]]);
    }
    return count;
}

/* The old costs as a repair reads them. */
typedef struct base_arrays {
    mcd_weight *arrays;
    mcd_weights weights;
} base_arrays;

static void base_free(base_arrays *base)
{
    free(base->arrays);
}

static base_arrays base_of(const scene *s, const mcd_custom *custom)
{
    base_arrays base = {
        .weights = {.hierarchy = s->map.hierarchy, .companion = s->pair ? s->map.weight[1] : NULL}};
    base.arrays = checked_allocate(s->cost_bytes + 1, 1);
    mcd_basic_spread(base.arrays, &base.weights, custom->cost, NULL, 0, &(mcd_parallel){1, NULL});
    mcd_basic_search(&base.weights, base.arrays);
    return base;
}

static mcd_recustomize_job recustomize_job(const scene *s, const base_arrays *base, const uint32_t *changed,
                                           size_t count, uint64_t work_max)
{
    return (mcd_recustomize_job){.customize = job_of(s),
                                 .old_objective = s->old[0],
                                 .old_companion = s->pair ? s->old[1] : NULL,
                                 .base = base->weights.search,
                                 .changed = changed,
                                 .changed_count = count,
                                 .work_max = work_max};
}

static size_t arc_bytes(const scene *s)
{
    return 2 * (s->pair ? sizeof(mcd_joint) : sizeof(mcd_weight));
}

static void put_found(char *cost, const scene *s, const mcd_recustomized *found)
{
    const size_t bytes = arc_bytes(s);
    for (size_t i = 0; i < found->count; ++i)
        memcpy(cost + found->up[i] * bytes, (const char *)found->cost + i * bytes, bytes);
}

static void expect_named(const scene *s, const char *before, const char *after, const mcd_recustomized *found)
{
    const size_t bytes = arc_bytes(s);
    size_t differ = 0;
    for (size_t up = 0; up < s->up_count; ++up)
        differ += memcmp(before + up * bytes, after + up * bytes, bytes) != 0;
    cr_assert_eq(found->count, differ, "%s", s->map.name);
    for (size_t i = 0; i < found->count; ++i) {
        cr_assert(i == 0 || found->up[i] != found->up[i - 1]);
        cr_assert_neq(memcmp(before + found->up[i] * bytes, after + found->up[i] * bytes, bytes), 0);
    }
}

static void update_many(scene *s, const mcd_backend *with, size_t update_count, uint64_t seed)
{
    uint32_t changed[ARCS_MAX];
    test_rng rng = {seed};
    mcd_custom before = customize(s);
    FREED char *const cost = checked_allocate(s->cost_bytes + 1, 1);
    for (size_t u = 0; u < update_count; ++u) {
        mcd_recustomized found;
        macadam_error error;
        const size_t count = change(s, &rng, changed);
        mcd_custom after = customize(s);
        memcpy(cost, before.cost, s->cost_bytes);
        SCOPED(base_free) base_arrays base = base_of(s, &before);
        mcd_recustomize_job job = recustomize_job(s, &base, changed, count, UINT64_MAX);
        job.customize.schedule = NULL;
        cr_assert_eq(with->recustomize(&found, &job, &error), MACADAM_OK);
        cr_assert(found.is_complete);
        put_found(cost, s, &found);
        cr_assert_eq(memcmp(cost, after.cost, s->cost_bytes), 0, "%s, %s: costs differ after update %zu",
                     with->name, s->map.name, u);
        expect_named(s, before.cost, after.cost, &found);
        mcd_recustomized_free(&found);
        mcd_custom_free(&before);
        before = after;
    }
    mcd_custom_free(&before);
}

Test(recustomize, gives_the_costs_of_full_customization)
{
    const char *const wanted = getenv("MACADAM_UPDATES");
    for (size_t m = 0; m < kernel_maps_count(); ++m)
        for (int pair = 0; pair < 2; ++pair) {
            SCOPED(scene_free) scene s;
            scene_make(&s, m, pair);
            const bool large = s.map.graph->node_count > LARGE;
            for (size_t b = 0; b < backend_count && s.map.graph->arc_count; ++b)
                update_many(&s, backend[b], wanted ? strtoul(wanted, NULL, 10) : large ? 2 : UPDATES, m + b);
        }
}

Test(recustomize, gives_up_where_the_work_is_too_much)
{
    for (size_t m = 0; m < kernel_maps_count(); ++m) {
        SCOPED(scene_free) scene s;
        scene_make(&s, m, true);
        if (s.map.graph->arc_count) {
            mcd_recustomized found;
            macadam_error error;
            test_rng rng = {m};
            uint32_t changed[ARCS_MAX];
            mcd_custom before = customize(&s);
            const size_t count = change(&s, &rng, changed);
            SCOPED(base_free) base_arrays base = base_of(&s, &before);
            const mcd_recustomize_job job = recustomize_job(&s, &base, changed, count, 0);
            cr_assert_eq(backend[0]->recustomize(&found, &job, &error), MACADAM_OK);
            cr_assert_not(found.is_complete, "%s", s.map.name);
            mcd_recustomized_free(&found);
            mcd_custom_free(&before);
        }
    }
}
