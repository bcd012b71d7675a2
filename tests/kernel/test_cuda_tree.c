/* test_cuda_tree.c - trees of the CUDA backend have the bits of the CPU's. */
#include "tests/support/cuda_metric.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LANES_MAX = 129, LARGE = 300, LANES_OF_LARGE = 33, MODES = 3 };

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

/* The cell of a place: the best one of its lanes, by the CPU's raw rows. */
static uint64_t best_of(const mcd_tree_job *job, const answers *lanes, size_t place, size_t column)
{
    uint64_t best = UINT64_MAX;
    for (size_t l = job->first[place]; l < job->first[place + 1]; ++l) {
        const size_t at = l * job->column_count + column;
        const uint64_t cost =
            (uint64_t)lanes->value[0][at] << 32 | (lanes->value[1] ? lanes->value[1][at] : 0);
        best = cost < best ? cost : best;
    }
    const bool is_saturated = lanes->value[1] && !job->raw && (uint32_t)best == MCD_COST_UNREACHED;
    return is_saturated ? UINT64_MAX : best;
}

/* The CPU's answers; of places of several lanes, the best ones of these. */
static answers expected(const scene *s, const mcd_tree_job *job, size_t cells)
{
    const mcd_backend *const cpu = mcd_cpu_backend();
    mcd_tree_job by_lane = *job;
    if (!job->first) return answer(s, cpu, *job, cells);
    by_lane.first = NULL, by_lane.as_lanes = false, by_lane.raw = true;
    by_lane.lane_count = job->first[job->lane_count];
    answers lanes = answer(s, cpu, by_lane, by_lane.lane_count * job->column_count),
            out = {{mcd_allocate(cells, 4), s->joint ? mcd_allocate(cells, 4) : NULL}, cells * 4};
    for (size_t i = 0; i < cells; ++i) {
        const size_t width = job->as_lanes ? job->lane_count : job->column_count;
        const uint64_t best = job->as_lanes ? best_of(job, &lanes, i % width, i / width)
                                            : best_of(job, &lanes, i / width, i % width);
        out.value[0][i] = (uint32_t)(best >> 32);
        if (s->joint) out.value[1][i] = (uint32_t)best;
    }
    for (int q = 0; q < 2; ++q) mcd_free(lanes.value[q]);
    return out;
}

static void expect_equal(const scene *s, const mcd_tree_job *job, size_t cells)
{
    answers host = expected(s, job, cells), cuda = answer(s, s->metric.cuda, *job, cells);
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

static void several_lanes(const scene *s)
{
    static const size_t counts[] = {1, 33, LANES_MAX / 3};
    const size_t nodes = s->map.graph->node_count;
    size_t first[LANES_MAX / 3 + 1] = {0};
    for (size_t i = 0; i < LANES_MAX / 3; ++i) first[i + 1] = first[i] + 1 + i % 3;
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; ++c) {
        mcd_tree_job job = {.weights = &s->metric.metric.weights,
                            .direction = (mcd_direction)(c % 2),
                            .lane = s->lane,
                            .lane_count = counts[c / 2],
                            .first = first,
                            .limit = c % 3 ? MCD_WEIGHT_MAX : 2000,
                            .column_count = nodes,
                            .raw = c % 2,
                            .parallel = {2, NULL}};
        if (first[job.lane_count] > s->lane_max) continue;
        expect_equal(s, &job, nodes * job.lane_count);
        job.as_lanes = true, job.lane_count = job.lane_count / 16 * 16;
        if (job.lane_count > 0) expect_equal(s, &job, nodes * job.lane_count);
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

Test(cuda_tree, of_places_of_several_lanes_have_their_best)
{
    for_all("cuda", 2, several_lanes);
    for_all("cuda:all", 7, several_lanes);
}

Test(cuda_tree, of_all_devices_are_those_of_one)
{
    for_all("cuda:all", 5, rows_and_lanes);
}

static uint64_t held_by(const scene *s)
{
    return s->metric.cuda->device->held(s->metric.device).in_use;
}

/* The labels of top nodes take memory, once there have been enough searches. */
Test(cuda_tree, searches_end_at_top_nodes_after_many_trees)
{
    enum { LARGEST = 1, CALLS = 40 };
    for (int mode = 0; mode < MODES; ++mode) {
        scene s;
        scene_make(&s, graphs_count() + LARGEST, mode, "cuda");
        const size_t nodes = s.map.graph->node_count;
        mcd_tree_job job = {.weights = &s.metric.metric.weights,
                            .direction = MCD_FORWARD,
                            .lane_count = 1,
                            .limit = MCD_WEIGHT_MAX,
                            .column_count = nodes,
                            .parallel = {1, NULL}};
        uint64_t before = 0;
        for (size_t i = 0; i < CALLS; ++i) {
            job.lane = &s.lane[i % s.lane_max];
            expect_equal(&s, &job, nodes);
            if (i == 0) before = held_by(&s);
        }
        cr_assert_gt(held_by(&s), before, "no labels of top nodes");
        job.direction = MCD_BACKWARD, job.lane = s.lane, job.lane_count = s.lane_max;
        expect_equal(&s, &job, nodes * s.lane_max);
        scene_free(&s);
    }
}
