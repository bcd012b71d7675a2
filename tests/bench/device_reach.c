/* device_reach.c - reductions over one-to-all costs on a device. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "engine/base/memory.h"
#include "tests/support/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TARGETS = 10000,
    LANES_CHECKED = 3,
    CHECKED_EACH = 1000, /* of all nodes as sources, every 1000th is checked */
    ALL_MAX = 1000000,   /* nodes of a map whose pairs are all reduced */
};

static void reach(const device_bench *bench)
{
    macadam_error error;
    bench_expect_ok(bench->engine->backend->reach(&bench->reach, &error), &error);
}

/* Room for the answers of `lane_count` lanes. */
static macadam_reach new_answer(const mcd_reach_job *job, size_t lane_count, bool sums)
{
    const size_t cells = lane_count * job->limit_count, nearest = lane_count * job->nearest_count;
    return (macadam_reach){
        .node_count = checked_zeroed(cells, sizeof(uint64_t)),
        .value_sum = sums ? checked_zeroed(cells, sizeof(uint64_t)) : NULL,
        .reached = checked_zeroed(lane_count, sizeof(uint64_t)),
        .eccentricity = checked_zeroed(lane_count, sizeof(uint32_t)),
        .nearest_position = nearest ? checked_zeroed(nearest, sizeof(uint32_t)) : NULL,
        .nearest_cost = nearest ? checked_zeroed(nearest, sizeof(uint32_t)) : NULL,
    };
}

static void free_answer(macadam_reach *answer)
{
    free(answer->node_count);
    free(answer->value_sum);
    free(answer->reached);
    free(answer->eccentricity);
    free(answer->nearest_position);
    free(answer->nearest_cost);
    free(answer->cost_sum);
}

static bool same(const void *a, const void *b, size_t bytes)
{
    return !a || memcmp(a, b, bytes) == 0;
}

/* The first lanes against the processor's. */
static void check_reach(const device_bench *bench)
{
    const mcd_backend *host = mcd_cpu_backend();
    const macadam_reach *found = &bench->reach.answer;
    mcd_reach_job job = bench->reach;
    macadam_error error;
    job.lane_count = mcd_size_min(LANES_CHECKED, job.lane_count);
    macadam_reach right = job.answer = new_answer(&job, job.lane_count, found->value_sum);
    void *const scratch = checked_allocate(host->reach_scratch(&job) + 64, 1);
    job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
    bench_expect_ok(host->reach(&job, &error), &error);
    const size_t lanes = job.lane_count, cells = lanes * job.limit_count, nearest = lanes * job.nearest_count;
    expect(same(right.node_count, found->node_count, cells * sizeof(uint64_t)), "counts");
    expect(same(right.value_sum, found->value_sum, cells * sizeof(uint64_t)), "sums");
    expect(same(right.reached, found->reached, lanes * sizeof(uint64_t)), "reached nodes");
    expect(same(right.eccentricity, found->eccentricity, lanes * sizeof(uint32_t)), "eccentricities");
    expect(same(right.nearest_position, found->nearest_position, nearest * sizeof(uint32_t)), "the nearest");
    expect(same(right.nearest_cost, found->nearest_cost, nearest * sizeof(uint32_t)), "costs of the nearest");
    free(scratch);
    free_answer(&right);
}

/* Limits between nothing and the farthest node of the first lane. */
static void choose_limits(const device_bench *bench, mcd_weight *limit, size_t count)
{
    mcd_reach_job job = bench->reach;
    macadam_error error;
    uint32_t farthest;
    job.lane_count = 1, job.limit_count = job.nearest_count = 0;
    job.answer = (macadam_reach){.eccentricity = &farthest};
    bench_expect_ok(bench->engine->backend->reach(&job, &error), &error);
    for (size_t i = 0; i < count; ++i) limit[i] = (mcd_weight)((uint64_t)farthest * (i + 1) / (count + 1));
}

static void measure_reach(device_bench *bench, size_t count, size_t limits, bool sums, size_t nearest)
{
    mcd_weight limit[MACADAM_REACH_LIMITS_MAX];
    char name[96], near[48] = "";
    if (nearest > 0) snprintf(near, sizeof near, ", %zu nearest", nearest);
    snprintf(name, sizeof name, "one reach of %zu, %zu limits%s%s", count, limits, sums ? ", sums" : "",
             near);
    if (!is_asked(bench, name)) return;
    FREED uint32_t *const value = checked_allocate(bench->node_count, sizeof *value);
    for (size_t v = 0; v < bench->node_count; ++v) value[v] = (uint32_t)v * 2654435761u;
    bench->reach = (mcd_reach_job){.weights = &bench->version->weights,
                                   .lane = bench->lane,
                                   .lane_count = count,
                                   .limit = limit,
                                   .limit_count = limits,
                                   .value = sums ? value : NULL,
                                   .target = bench->lane + PLACES / 2,
                                   .target_count = nearest ? TARGETS : 0,
                                   .nearest_count = nearest,
                                   .parallel = bench->engine->parallel};
    choose_limits(bench, limit, limits);
    bench->reach.answer = new_answer(&bench->reach, count, sums);
    reach(bench);
    check_reach(bench);
    measure(bench, name, count, 0, reach);
    free_answer(&bench->reach.answer);
}

/* ---- all pairs, reduced ---- */

static void reach_all(const device_bench *bench)
{
    BENCH_CALL(macadam_reach_find, &bench->reach.answer, NULL, bench->engine, NULL, &bench->reach_request);
}

/* Some sources against the processor's. */
static void check_all(const device_bench *bench)
{
    const mcd_backend *host = mcd_cpu_backend();
    const macadam_reach *found = &bench->reach.answer;
    const mcd_place_index *places = &bench->engine->places;
    const size_t count = (bench->id_count + CHECKED_EACH - 1) / CHECKED_EACH;
    mcd_lane *const lane = checked_allocate(count, sizeof *lane);
    macadam_error error;
    for (size_t i = 0; i < count; ++i) lane[i] = mcd_lane_of(places->depart[i * CHECKED_EACH]);
    mcd_reach_job job = {.weights = &bench->version->weights,
                         .lane = lane,
                         .lane_count = count,
                         .answer = {.eccentricity = checked_zeroed(count, sizeof(uint32_t)),
                                    .cost_sum = checked_zeroed(count, sizeof(uint64_t))},
                         .parallel = bench->engine->parallel};
    void *const scratch = checked_allocate(host->reach_scratch(&job) + 64, 1);
    job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
    bench_expect_ok(host->reach(&job, &error), &error);
    for (size_t i = 0; i < count; ++i) {
        expect(job.answer.eccentricity[i] == found->eccentricity[i * CHECKED_EACH], "eccentricities");
        expect(job.answer.cost_sum[i] == found->cost_sum[i * CHECKED_EACH], "sums of costs");
    }
    free(scratch), free(lane);
    free_answer(&job.answer);
}

static void print_all(const device_bench *bench)
{
    const macadam_reach *found = &bench->reach.answer;
    uint64_t sum = 0;
    uint32_t farthest = 0;
    for (size_t i = 0; i < bench->id_count; ++i) {
        sum += found->cost_sum[i];
        if (found->eccentricity[i] != MACADAM_UNREACHED && farthest < found->eccentricity[i])
            farthest = found->eccentricity[i];
    }
    printf("  (sum %llu, largest %u)\n", (unsigned long long)sum, farthest);
}

/* Every node a source, each pair's cost part of a sum and of a largest. */
static void measure_all(device_bench *bench)
{
    const char *const name = "all pairs, reduced to sums and largest";
    const size_t count = bench->id_count;
    macadam_error error;
    if (!is_asked(bench, name) || count > ALL_MAX || count != bench->node_count) return;
    const int64_t *id = macadam_engine_ids(bench->engine, &error);
    FREED macadam_place *const place = checked_zeroed(count, sizeof *place);
    for (size_t i = 0; i < count; ++i) place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id[i]};
    bench->reach_request = (macadam_reach_request)MACADAM_REACH_REQUEST_INIT;
    bench->reach_request.source = place, bench->reach_request.source_count = count;
    bench->reach.answer = (macadam_reach)MACADAM_REACH_INIT;
    bench->reach.answer.eccentricity = checked_zeroed(count, sizeof(uint32_t));
    bench->reach.answer.cost_sum = checked_zeroed(count, sizeof(uint64_t));
    reach_all(bench);
    check_all(bench);
    measure(bench, name, 1, 0, reach_all);
    print_all(bench);
    free_answer(&bench->reach.answer);
}

void measure_reaches(device_bench *bench)
{
    measure_reach(bench, 1, 4, true, 0);
    measure_reach(bench, 1024, 4, false, 0);
    measure_reach(bench, 1024, 4, true, 0);
    measure_reach(bench, 1024, MACADAM_REACH_LIMITS_MAX, true, 0);
    measure_reach(bench, 1024, 4, true, 100);
    measure_all(bench);
}
