/* route_scene.c - see route_scene.h. */
#include "tests/support/route_scene.h"

#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <string.h>

#define NUMBER_OF_ARC UINT64_C(0x100000003) /* numbers need more than 32 bits */

enum { PAIRS = 150, PAIRS_OF_LARGE = 40, LARGE = 1000, TALL = 5000 };

void route_scene_set_pairs(route_scene *s, size_t count)
{
    test_rng rng = {count + s->map.graph->node_count};
    free(s->source);
    free(s->target);
    s->count = count;
    s->source = checked_allocate(count, sizeof *s->source);
    s->target = checked_allocate(count, sizeof *s->target);
    for (size_t i = 0; i < count; ++i) {
        s->source[i] = kernel_map_lane(&s->map, &rng, i);
        s->target[i] = kernel_map_lane(&s->map, &rng, i / 3 + 1);
        if (i % 10 == 0) s->target[i] = s->source[i];
    }
}

void route_scene_make_plain(route_scene *s)
{
    for (size_t i = 0; i < s->count; ++i) {
        s->source[i] = mcd_lane_of(s->source[i].seed[0].node);
        s->target[i] = mcd_lane_of(s->target[i].seed[0].node);
    }
}

void route_scene_number(route_scene *s)
{
    s->number = checked_allocate(s->map.graph->arc_count, sizeof *s->number);
    for (size_t arc = 0; arc < s->map.graph->arc_count; ++arc) s->number[arc] = (arc + 1) * NUMBER_OF_ARC;
}

static void scene_begin(route_scene *s, int mode, const char *device)
{
    cuda_metric_make(&s->metric, &s->map, device, mode != 0);
    s->joint = mode == ROUTE_MODE_COMPANION;
    s->source = s->target = NULL;
    s->number = NULL;
    route_scene_set_pairs(s, s->map.graph->node_count > LARGE ? PAIRS_OF_LARGE : PAIRS);
}

void route_scene_make(route_scene *s, size_t map, int mode, const char *device)
{
    kernel_maps_make(&s->map, map);
    scene_begin(s, mode, device);
}

/* Its kept arcs are the input's. A seventh of those one way, never two in a row, are free. */
void route_scene_make_tall(route_scene *s, int mode)
{
    test_graph graph = {.name = "tall", .node_count = TALL};
    for (uint32_t node = 0; node + 1 < TALL; ++node) {
        test_graph_add(&graph, node, node + 1, node % 7, node % 5);
        test_graph_add(&graph, node + 1, node, node % 11 + 1, node % 3);
    }
    kernel_map_make(&s->map, &graph, 0);
    test_graph_free(&graph);
    scene_begin(s, mode, "cuda");
}

void route_scene_free(route_scene *s)
{
    free(s->source);
    free(s->target);
    free(s->number);
    cuda_metric_free(&s->metric);
    kernel_map_free(&s->map);
}

/* ---- answers ---- */

static macadam_status take_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                 macadam_error *error)
{
    route_answers *a = context;
    cr_assert_eq(first, a->taken, "paths come in order");
    cr_assert(count > 0 && first + count <= a->count);
    if (first + count > a->refused_at) return mcd_fail(error, MACADAM_E_CANCELLED, "refused");
    for (size_t i = 0; i < count; ++i) {
        mcd_path *copy = &a->path[first + i];
        copy->count = path[i].count;
        copy->arc = checked_allocate(copy->count, sizeof *copy->arc);
        if (copy->count) memcpy(copy->arc, path[i].arc, copy->count * sizeof *copy->arc);
    }
    a->taken += count;
    return MACADAM_OK;
}

/* Keeps the arcs, and writes where it may. */
static macadam_status take_numbers(void *context, const mcd_numbered_path *path, size_t first, size_t count,
                                   macadam_error *error)
{
    route_answers *a = context;
    a->numbered += count;
    for (size_t i = 0; i < count; ++i) {
        uint64_t *const number = path[i].number, *const end = number + path[i].count;
        mcd_path own = {checked_allocate(path[i].count, sizeof *own.arc), path[i].count, 0};
        for (size_t k = 0; k < own.count; ++k) {
            cr_assert_eq(number[k] % NUMBER_OF_ARC, 0, "number %zu of path %zu", k, first + i);
            own.arc[k] = (uint32_t)(number[k] / NUMBER_OF_ARC - 1);
        }
        cr_assert_eq(number[-1], own.count > 0 ? own.arc[0] : MCD_ARC_NONE, "path %zu", first + i);
        cr_assert_eq(*end, own.count > 0 ? own.arc[own.count - 1] : MCD_ARC_NONE, "path %zu", first + i);
        number[-1] = *end = 0;
        const macadam_status status = take_paths(context, &own, first + i, 1, error);
        free(own.arc);
        MCD_TRY(status);
    }
    return MACADAM_OK;
}

route_answers route_answers_make(const route_scene *s, bool paths)
{
    const size_t bytes = s->count * sizeof(uint32_t);
    route_answers out = {.count = s->count, .refused_at = SIZE_MAX};
    out.objective = memset(checked_allocate(s->count, sizeof *out.objective), 0xab, bytes);
    out.companion = memset(checked_allocate(s->count, sizeof *out.companion), 0xab, bytes);
    if (paths) {
        out.path = checked_allocate(s->count, sizeof *out.path);
        memset(out.path, 0, s->count * sizeof *out.path);
    }
    return out;
}

void route_answers_free(route_answers *a)
{
    for (size_t i = 0; a->path && i < a->count; ++i) free(a->path[i].arc);
    free(a->path);
    free(a->objective);
    free(a->companion);
}

macadam_status route_answers_ask(route_answers *a, const route_scene *s, const mcd_backend *with,
                                 macadam_error *error)
{
    const mcd_route_job job = {.weights = &s->metric.metric.weights,
                               .source = s->source,
                               .target = s->target,
                               .count = s->count,
                               .objective = a->objective,
                               .companion = s->joint ? a->companion : NULL,
                               .take = a->path ? take_paths : NULL,
                               .take_context = a,
                               .parallel = {2, NULL},
                               .arc_number = s->number,
                               .take_numbers = take_numbers};
    return with->route(&job, error);
}

static route_answers ask(const route_scene *s, const mcd_backend *with, bool paths)
{
    macadam_error error;
    route_answers out = route_answers_make(s, paths);
    cr_assert_eq(route_answers_ask(&out, s, with, &error), MACADAM_OK, "%s: %s", s->map.name, error.message);
    return out;
}

route_answers route_answers_of_host(const route_scene *s, bool paths)
{
    return ask(s, mcd_cpu_backend(), paths);
}

void route_scene_expect_equal(const route_scene *s, const route_answers *cuda, const route_answers *host)
{
    cr_assert_eq(cuda->taken, host->taken);
    cr_assert_eq(cuda->numbered, s->number && !s->metric.metric.weights.has_zero ? cuda->taken : 0);
    for (size_t i = 0; i < s->count; ++i) {
        cr_assert_eq(cuda->objective[i], host->objective[i],
                     "%s, pair %d: the objective of %zu is %u, not %u", s->map.name, s->joint, i,
                     cuda->objective[i], host->objective[i]);
        cr_assert_eq(cuda->companion[i], host->companion[i], "%s: the companion of %zu is %u, not %u",
                     s->map.name, i, cuda->companion[i], host->companion[i]);
        if (!host->path) continue;
        const mcd_path *x = &cuda->path[i], *y = &host->path[i];
        cr_assert_eq(x->count, y->count, "%s, pair %d: path %zu has %zu arcs, not %zu", s->map.name, s->joint,
                     i, x->count, y->count);
        cr_assert(x->count == 0 || memcmp(x->arc, y->arc, x->count * sizeof *x->arc) == 0, "%s: path %zu",
                  s->map.name, i);
    }
}

void route_scene_expect(const route_scene *s, bool paths)
{
    route_answers host = route_answers_of_host(s, paths), cuda = ask(s, s->metric.cuda, paths);
    route_scene_expect_equal(s, &cuda, &host);
    route_answers_free(&host);
    route_answers_free(&cuda);
}
