/* closure_scene.c - see closure_scene.h. */
#include "tests/support/closure_scene.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PADDING_WORDS = 3, FILLER = 0xa5 };

/* Levels of equal size; every component above the lowest level has an arc to the level below and more at
 * random. */
static const struct closure_kind {
    const char *name;
    uint32_t level_count, level_size, arcs; /* arcs: of each component, more or less */
    size_t column_count;
} kinds[] = {
    {"nothing", 0, 0, 0, 0},
    {"one component, one column", 1, 1, 0, 1},
    {"one component of many columns", 1, 1, 0, 1300},
    {"components without arcs", 1, 70, 0, 64},
    {"components without columns", 3, 5, 2, 0},
    {"a path", 400, 1, 1, 401},
    {"two levels, complete between", 2, 90, 90, 2100},
    {"thin", 12, 40, 2, 480},
    {"thick", 30, 20, 50, 5000},
};

size_t closure_kinds_count(void)
{
    return sizeof kinds / sizeof *kinds;
}

/* Arcs of a component to lower levels, ascending, each once: by chance among all below, one level down for
 * certain. */
static void draw_heads(closure_scene *scene, const struct closure_kind *kind, uint32_t component,
                       test_rng *rng)
{
    const uint32_t below = component / kind->level_size * kind->level_size;
    const uint32_t sure = below ? below - 1 - rng_below(rng, kind->level_size) : MCD_NODE_NONE;
    mcd_arc count = scene->first_out[component];
    for (uint32_t head = 0; head < below; ++head)
        if (head == sure || rng_below(rng, below) < kind->arcs) scene->head[count++] = head;
    scene->first_out[component + 1] = count;
}

/* By search from each component. */
static void search(closure_scene *scene)
{
    const uint32_t n = scene->component_count;
    FREED uint32_t *const open = checked_allocate(n, sizeof *open);
    for (uint32_t start = 0; start < n; ++start) {
        uint8_t *const reached = scene->reached + (size_t)start * n;
        uint32_t count = 0;
        open[count++] = start, reached[start] = 1;
        while (count > 0) {
            const uint32_t x = open[--count];
            for (mcd_arc xy = scene->first_out[x]; xy < scene->first_out[x + 1]; ++xy) {
                if (reached[scene->head[xy]]) continue;
                reached[scene->head[xy]] = 1;
                open[count++] = scene->head[xy];
            }
        }
    }
}

void closure_scene_make(closure_scene *out, size_t kind_index)
{
    const struct closure_kind *kind = &kinds[kind_index];
    test_rng rng = {kind_index};
    const uint32_t n = kind->level_count * kind->level_size;
    *out = (closure_scene){.name = kind->name,
                           .component_count = n,
                           .level_count = kind->level_count,
                           .column_count = kind->column_count,
                           .stride = (kind->column_count + 63) / 64 + PADDING_WORDS};
    out->level_first = checked_allocate(kind->level_count + 1, sizeof *out->level_first);
    for (uint32_t l = 0; l <= kind->level_count; ++l) out->level_first[l] = l * kind->level_size;
    out->first_out = checked_zeroed((size_t)n + 1, sizeof *out->first_out);
    out->head = checked_allocate((size_t)n * n, sizeof *out->head);
    for (uint32_t c = 0; c < n; ++c) draw_heads(out, kind, c, &rng);
    out->column = checked_allocate(kind->column_count, sizeof *out->column);
    for (size_t i = 0; i < kind->column_count; ++i) out->column[i] = rng_below(&rng, n);
    out->reached = checked_zeroed((size_t)n * n, 1);
    search(out);
}

void closure_scene_free(closure_scene *scene)
{
    free(scene->level_first);
    free(scene->first_out);
    free(scene->head);
    free(scene->column);
    free(scene->reached);
}

mcd_closure_job closure_job_new(const closure_scene *scene)
{
    const size_t count = scene->component_count * scene->stride;
    mcd_closure_job job = {.component_count = scene->component_count,
                           .level_count = scene->level_count,
                           .level_first = scene->level_first,
                           .first_out = scene->first_out,
                           .head = scene->head,
                           .column = scene->column,
                           .column_count = scene->column_count,
                           .stride = scene->stride,
                           .parallel = {1, NULL}};
    job.bits = checked_allocate(count, sizeof *job.bits);
    memset(job.bits, FILLER, count * sizeof *job.bits);
    return job;
}

void closure_job_free(mcd_closure_job *job)
{
    free(job->bits);
}

void closure_expect(const closure_scene *scene, const mcd_closure_job *job, const char *what)
{
    for (uint32_t c = 0; c < scene->component_count; ++c) {
        const uint8_t *const row = (const uint8_t *)(job->bits + c * job->stride);
        const uint8_t *const reached = scene->reached + (size_t)c * scene->component_count;
        const size_t bit_count = (scene->column_count + 63) / 64 * 64;
        for (size_t i = 0; i < bit_count; ++i) {
            const int right = i < scene->column_count && reached[scene->column[i]];
            cr_assert_eq(row[i / 8] >> (7 - i % 8) & 1, right, "%s, %s: component %u, column %zu",
                         scene->name, what, c, i);
        }
        for (size_t b = bit_count / 8; b < job->stride * 8; ++b)
            cr_assert_eq(row[b], FILLER, "%s, %s: written behind row %u", scene->name, what, c);
    }
}
