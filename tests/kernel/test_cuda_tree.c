/* test_cuda_tree.c - trees of the CUDA backend have the bits of the CPU's. */
#include "tests/support/cuda_metric.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LANES_MAX = 130, LARGE = 300, LANES_OF_LARGE = 33, MODES = 3 };

/* One map and one mode: weights of only the objective, or pairs; the companion is requested or not. */
typedef struct scene {
    kernel_map map;
    cuda_metric metric;
    bool joint;
    size_t lane_max;
    mcd_lane lane[LANES_MAX];
} scene;

static void scene_make(scene *s, size_t map, int mode, const char *device)
{
    test_rng rng = {map + 7};
    kernel_maps_make(&s->map, map);
    cuda_metric_make(&s->metric, &s->map, device, mode != 0);
    s->joint = mode == 2;
    s->lane_max = s->map.graph->node_count > LARGE ? LANES_OF_LARGE : LANES_MAX;
    for (size_t l = 0; l < s->lane_max; ++l) s->lane[l] = kernel_map_lane(&s->map, &rng, l);
}

static void scene_free(scene *s)
{
    cuda_metric_free(&s->metric);
    kernel_map_free(&s->map);
}

typedef struct answers {
    uint32_t *value[2];
    size_t bytes;
} answers;

static answers answer(const scene *s, const mcd_backend *with, mcd_tree_job job, size_t cells)
{
    macadam_error error;
    answers out = {{NULL, NULL}, cells * sizeof(uint32_t)};
    for (int q = 0; q < (s->joint ? 2 : 1); ++q) {
        out.value[q] = mcd_allocate(cells, sizeof(uint32_t));
        memset(out.value[q], 0xab, out.bytes);
    }
    job.objective = out.value[0], job.companion = out.value[1];
    job.scratch = mcd_allocate(with->tree_scratch(&job), 1);
    cr_assert_eq(with->tree(&job, &error), MACADAM_OK, "%s", error.message);
    mcd_free(job.scratch);
    return out;
}

static void expect_equal(const scene *s, const mcd_tree_job *job, size_t cells)
{
    answers host = answer(s, mcd_cpu_backend(), *job, cells), cuda = answer(s, s->metric.cuda, *job, cells);
    for (int q = 0; q < (s->joint ? 2 : 1); ++q) {
        for (size_t i = 0; i < cells; ++i)
            cr_assert_eq(
                cuda.value[q][i], host.value[q][i],
                "%s, pair %d, direction %d, %zu lanes, as lanes %d: quantity %d cell %zu is %u, not %u",
                s->map.name, s->joint, (int)job->direction, job->lane_count, job->as_lanes, q, i,
                cuda.value[q][i], host.value[q][i]);
        mcd_free(host.value[q]);
        mcd_free(cuda.value[q]);
    }
}

static void rows_and_lanes(const scene *s)
{
    static const size_t counts[] = {1, 33, 64, LANES_MAX};
    const size_t nodes = s->map.graph->node_count;
    for (int direction = 0; direction < 2; ++direction)
        for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] <= s->lane_max; ++c) {
            mcd_tree_job job = {.weights = &s->metric.metric.weights,
                                .direction = (mcd_direction)direction,
                                .lane = s->lane,
                                .lane_count = counts[c],
                                .limit = c % 2 ? MCD_WEIGHT_MAX : 2000,
                                .column_count = nodes,
                                .parallel = {2, NULL}};
            expect_equal(s, &job, nodes * counts[c]);
            job.as_lanes = true;
            job.lane_count = (counts[c] + 15) / 16 * 16;
            if (job.lane_count <= s->lane_max) expect_equal(s, &job, nodes * job.lane_count);
        }
}

static void for_all(const char *device, size_t step, void (*claim)(const scene *s))
{
    for (size_t map = 0; map < kernel_maps_count(); map += step)
        for (int mode = 0; mode < MODES; ++mode) {
            SCOPED(scene_free) scene s;
            scene_make(&s, map, mode, device);
            claim(&s);
        }
}

Test(cuda_tree, rows_and_lanes_are_the_processors)
{
    for_all("cuda", 1, rows_and_lanes);
}

Test(cuda_tree, of_all_devices_are_those_of_one)
{
    for_all("cuda:all", 5, rows_and_lanes);
}
