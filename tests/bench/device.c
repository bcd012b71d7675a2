/* device.c - what a device does with a map, beside what physics allows.
 *
 *   device FILE.mcd [DEVICE [ONLY]]
 *
 * DEVICE: "cuda" unless given. ONLY: the figures with one of these in their names, "ONE|ANOTHER". Answers are compared
 * with the processor's before a time is printed. Times are medians, with the least and the most; "of floor": how many
 * times the time that the bytes of the answers alone need, in the device's memory or over its bus. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "engine/base/memory.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 15, LANES_CHECKED = 3, NODES_CHECKED = 4096 };
static const double warm_seconds = 0.05; /* enough short questions for labels of top nodes */

void expect(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "device: %s differ from the processor's\n", what);
    exit(1);
}

bool is_asked(const device_bench *bench, const char *name)
{
    if (!bench->only) return true;
    FREED char *const all = checked_allocate(strlen(bench->only) + 1, 1);
    char *rest = strcpy(all, bench->only);
    for (const char *one; (one = strsep(&rest, "|"));)
        if (strstr(name, one)) return true;
    return false;
}

void measure(const device_bench *bench, const char *name, size_t count, double floor,
             void (*work)(const device_bench *bench))
{
    double run[RUNS_MAX], spent = 0;
    size_t runs = 0;
    const double start = bench_seconds_now();
    do {
        mcd_known_roads_trim(&bench->engine->known_roads);
        work(bench);
    } while (bench_seconds_now() - start < warm_seconds);
    work(bench);
    while (runs < 3 || (runs < RUNS_MAX && spent < 2)) {
        mcd_known_roads_trim(&bench->engine->known_roads);
        const double begin = bench_seconds_now();
        work(bench);
        run[runs] = bench_seconds_now() - begin;
        spent += run[runs++];
    }
    bench_sort(run, runs);
    const double median = run[runs / 2], unit = 1e6 / (double)count;
    printf("%-52s %11.3f us  (%.3f - %.3f)", name, median * unit, run[0] * unit, run[runs - 1] * unit);
    if (floor > 0) printf("  %.1f of floor %.3f us", median / floor, floor * unit);
    printf("\n");
    fflush(stdout);
}

/* ---- trees ---- */

static mcd_tree_job tree_job(const device_bench *bench, size_t count)
{
    return (mcd_tree_job){
        .weights = &bench->version->weights,
        .direction = MCD_FORWARD,
        .lane = bench->lane,
        .lane_count = count,
        .limit = MCD_WEIGHT_MAX,
        .as_lanes = true,
        .column_count = bench->node_count,
        .objective = bench->value[0],
        .companion = bench->joint ? bench->value[1] : NULL,
        .parallel = bench->engine->parallel,
    };
}

static void trees(const device_bench *bench)
{
    const mcd_tree_job job = tree_job(bench, bench->count);
    macadam_error error;
    bench_expect_ok(bench->engine->backend->tree(&job, &error), &error);
}

static void *device_memory(const device_bench *bench, macadam_memory_kind kind, size_t bytes)
{
    void *memory;
    macadam_error error;
    const macadam_status status = macadam_memory_new(&memory, bench->engine, kind, bytes, &error);
    if (!status) return memory;
    printf("  (%s)\n", error.message);
    return NULL;
}

/* Some lanes at some nodes against trees of the processor. */
static void check_trees(const device_bench *bench)
{
    const mcd_backend *host = mcd_cpu_backend();
    test_rng rng = {5};
    uint32_t *const expected[2] = {checked_allocate(bench->node_count, 4),
                                   checked_allocate(bench->node_count, 4)};
    for (size_t l = 0; l < LANES_CHECKED; ++l) {
        macadam_error error;
        const size_t lane = rng_below(&rng, (uint32_t)bench->count);
        mcd_tree_job job = tree_job(bench, 1);
        job.lane = bench->lane + lane;
        job.as_lanes = false;
        job.objective = expected[0], job.companion = bench->joint ? expected[1] : NULL;
        job.scratch = checked_allocate(host->tree_scratch(&job) + 64, 1);
        FREED void *const scratch = job.scratch;
        job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
        bench_expect_ok(host->tree(&job, &error), &error);
        for (size_t n = 0; n < NODES_CHECKED; ++n) {
            const size_t node = rng_below(&rng, (uint32_t)bench->node_count);
            for (int q = 0; q < (bench->joint ? 2 : 1); ++q) {
                uint32_t found;
                BENCH_CALL(macadam_memory_read, &found, bench->engine,
                           bench->value[q] + node * bench->count + lane, 4);
                expect(found == expected[q][node], "trees");
            }
        }
    }
    free(expected[0]);
    free(expected[1]);
}

static void measure_trees(device_bench *bench, size_t count, bool joint)
{
    char name[96];
    snprintf(name, sizeof name, "one of %zu trees, lanes left there%s", count, joint ? ", pairs" : "");
    if (!is_asked(bench, name)) return;
    const size_t bytes = bench->node_count * count * sizeof(uint32_t);
    bench->count = count, bench->joint = joint;
    bench->value[0] = device_memory(bench, MACADAM_MEMORY_DEVICE, bytes);
    bench->value[1] = joint ? device_memory(bench, MACADAM_MEMORY_DEVICE, bytes) : NULL;
    if (bench->value[0] && (!joint || bench->value[1])) {
        trees(bench);
        check_trees(bench);
        measure(bench, name, count, (double)bytes * (joint ? 2 : 1) / memory_rate, trees);
    }
    for (int q = 0; q < 2; ++q) macadam_memory_free(bench->engine, bench->value[q]);
    bench->value[0] = bench->value[1] = NULL;
}

static void one_tree(const device_bench *bench)
{
    mcd_tree_job job = tree_job(bench, 1);
    macadam_error error;
    job.as_lanes = false;
    bench_expect_ok(bench->engine->backend->tree(&job, &error), &error);
}

static void rows_by_id(const device_bench *bench)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    uint32_t *const value[] = {bench->value[0]};
    request.source = bench->place;
    request.source_count = bench->count;
    request.method = bench->method;
    BENCH_CALL(macadam_tree_find, value, NULL, bench->engine, NULL, &request);
}

static void measure_rows(device_bench *bench)
{
    const double row = (double)bench->node_count * sizeof(uint32_t);
    if (is_asked(bench, "one tree alone, left there")) {
        bench->count = 1, bench->joint = false;
        bench->value[0] = device_memory(bench, MACADAM_MEMORY_DEVICE, (size_t)row);
        one_tree(bench);
        check_trees(bench);
        measure(bench, "one tree alone, left there", 1, row / memory_rate, one_tree);
        macadam_memory_free(bench->engine, bench->value[0]);
    }
    if (is_asked(bench, "one of 64 trees, rows by id in pinned memory")) {
        bench->count = 64;
        bench->value[0] = device_memory(bench, MACADAM_MEMORY_PINNED, 64 * (size_t)row);
        if (bench->value[0])
            measure(bench, "one of 64 trees, rows by id in pinned memory", 64, 64 * row / bus_rate,
                    rows_by_id);
        macadam_memory_free(bench->engine, bench->value[0]);
    }
    if (is_asked(bench, "one of 64 trees, rows by id in any memory")) {
        bench->count = 64;
        bench->value[0] = checked_allocate(64 * bench->node_count, sizeof(uint32_t));
        measure(bench, "one of 64 trees, rows by id in any memory", 64, 64 * row / bus_rate, rows_by_id);
        free(bench->value[0]);
    }
    if (is_asked(bench, "one of 256 trees, lanes in any memory")) { /* two batches, of half the lanes each */
        const double bytes = 256.0 * (double)bench->node_count * sizeof(uint32_t);
        bench->count = 256;
        bench->value[0] = checked_allocate(256 * bench->node_count, sizeof(uint32_t));
        trees(bench);
        check_trees(bench);
        measure(bench, "one of 256 trees, lanes in any memory", 256, bytes / bus_rate, trees);
        free(bench->value[0]);
    }
    bench->value[0] = NULL;
}

/* Trees without the hierarchy; with it, they are the same. */
static void measure_searches(device_bench *bench)
{
    enum { SEARCHES = 256 };
    const char *const name = "one of 256 trees by near-far, rows in pinned memory";
    const size_t bytes = SEARCHES * bench->id_count * sizeof(uint32_t);
    if (!is_asked(bench, name) || bench->id_count > 4000000) return;
    bench->count = SEARCHES;
    bench->value[0] = device_memory(bench, MACADAM_MEMORY_PINNED, bytes);
    FREED uint32_t *const right = checked_allocate(bytes, 1);
    rows_by_id(bench);
    memcpy(right, bench->value[0], bytes);
    memset(bench->value[0], 0, bytes);
    bench->method = "near-far";
    rows_by_id(bench);
    expect(memcmp(right, bench->value[0], bytes) == 0, "trees by near-far");
    measure(bench, name, SEARCHES, (double)bytes / bus_rate, rows_by_id);
    bench->method = "auto";
    macadam_memory_free(bench->engine, bench->value[0]);
    bench->value[0] = NULL;
}

/* ---- matrices ---- */

static macadam_query query_of(const device_bench *bench, const char *const quantity[2])
{
    const macadam_query query = {
        .size = sizeof query, .quantity = quantity, .quantity_count = bench->joint ? 2 : 1};
    return query;
}

static void name_quantities(const device_bench *bench, const char *quantity[2])
{
    quantity[0] = bench->engine->metric_name[0];
    quantity[1] = bench->engine->metric_companion[0];
}

static macadam_matrix_request matrix_request(const device_bench *bench)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = bench->place;
    request.target = bench->place + PLACES / 2;
    request.source_count = request.target_count = bench->count;
    return request;
}

void matrix_of_rows(const device_bench *bench, size_t rows)
{
    const char *quantity[2];
    name_quantities(bench, quantity);
    const macadam_query query = query_of(bench, quantity);
    macadam_matrix_request request = matrix_request(bench);
    request.source_count = rows;
    BENCH_CALL(macadam_matrix_find_into, bench->value, NULL, bench->engine, &query, &request);
}

static void matrix(const device_bench *bench)
{
    matrix_of_rows(bench, bench->count);
}

/* Some cells against the processor's. */
static void check_matrix(const device_bench *bench, macadam_engine *host)
{
    (void)host;
    enum { ROWS = 16 };
    test_rng rng = {9};
    BENCH_CALL(mcd_version_prepare, bench->version, bench->engine, bench->engine->host, MCD_NEED_ROUTES);
    for (int i = 0; i < 1000; ++i) {
        const size_t s = rng_below(&rng, (uint32_t)bench->count), t = rng_below(&rng, (uint32_t)bench->count);
        uint32_t cost[2];
        const mcd_route_job job = {.weights = &bench->version->weights,
                                   .source = bench->lane + s,
                                   .target = bench->lane + PLACES / 2 + t,
                                   .count = 1,
                                   .objective = &cost[0],
                                   .companion = bench->joint ? &cost[1] : NULL,
                                   .parallel = {1, NULL}};
        BENCH_CALL(mcd_cpu_backend()->route, &job);
        for (int q = 0; q < (bench->joint ? 2 : 1); ++q)
            expect(bench->value[q][s * bench->count + t] == cost[q], "matrices");
    }
}

void measure_matrix(device_bench *bench, size_t side, bool joint, bool pinned, macadam_engine *host,
                    void (*check)(const device_bench *bench, macadam_engine *host))
{
    char name[96];
    snprintf(name, sizeof name, "%zu x %zu matrix%s in %s memory%s", side, side, host ? " of points" : "",
             pinned ? "pinned" : "any", joint ? ", pairs" : "");
    if (!is_asked(bench, name)) return;
    const size_t bytes = side * side * sizeof(uint32_t);
    bench->count = side, bench->joint = joint;
    for (int q = 0; q < (joint ? 2 : 1); ++q)
        bench->value[q] =
            pinned ? device_memory(bench, MACADAM_MEMORY_PINNED, bytes) : checked_allocate(bytes, 1);
    matrix(bench);
    check(bench, host);
    measure(bench, name, 1, (double)bytes * (joint ? 2 : 1) / bus_rate, matrix);
    for (int q = 0; q < 2; ++q) {
        if (pinned)
            macadam_memory_free(bench->engine, bench->value[q]);
        else
            free(bench->value[q]);
        bench->value[q] = NULL;
    }
}

static bool count_tile(void *context, const macadam_tile *tile)
{
    *(size_t *)context += tile->rows * tile->columns;
    return true;
}

static void streamed(const device_bench *bench)
{
    size_t cells = 0;
    const macadam_matrix_request request = matrix_request(bench);
    BENCH_CALL(macadam_matrix_find, NULL, bench->engine, NULL, &request, count_tile, &cells);
    expect(cells == bench->count * bench->count, "cells");
}

/* ---- routes ---- */

static macadam_routes_request routes_request(const device_bench *bench)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = bench->place;
    request.target = bench->place + PLACES / 2;
    request.pair_count = bench->count;
    return request;
}

static void routes(const device_bench *bench)
{
    const macadam_routes_request request = routes_request(bench);
    BENCH_CALL(macadam_routes_find, bench->value, NULL, bench->engine, NULL, &request);
}

static bool count_arcs(void *context, size_t index, const uint64_t *arc, size_t count)
{
    (void)index;
    (void)arc;
    *(size_t *)context += count;
    return true;
}

static size_t path_arcs;

static void paths(const device_bench *bench)
{
    path_arcs = 0;
    const macadam_routes_request request = routes_request(bench);
    BENCH_CALL(macadam_routes_find_paths, bench->value, NULL, bench->engine, NULL, &request, count_arcs,
               &path_arcs);
}

static void check_routes(const device_bench *bench)
{
    enum { CHECKED = 2000 };
    uint32_t cost[CHECKED];
    BENCH_CALL(mcd_version_prepare, bench->version, bench->engine, bench->engine->host, MCD_NEED_ROUTES);
    const mcd_route_job job = {.weights = &bench->version->weights,
                               .source = bench->lane,
                               .target = bench->lane + PLACES / 2,
                               .count = mcd_size_min(CHECKED, bench->count),
                               .objective = cost,
                               .parallel = {1, NULL}};
    BENCH_CALL(mcd_cpu_backend()->route, &job);
    expect(memcmp(cost, bench->value[0], job.count * sizeof *cost) == 0, "routes");
}

static void measure_routes(device_bench *bench, size_t count)
{
    char name[96];
    bench->count = count, bench->joint = false;
    bench->value[0] = checked_allocate(count, sizeof(uint32_t));
    snprintf(name, sizeof name, "%zu routes, costs", count);
    if (is_asked(bench, name)) {
        routes(bench);
        check_routes(bench);
        measure(bench, name, 1, 0, routes);
    }
    snprintf(name, sizeof name, "%zu routes, paths", count);
    if (is_asked(bench, name)) {
        measure(bench, name, 1, 0, paths);
        printf("  (%.0f arcs a path)\n", (double)path_arcs / (double)count);
        check_routes(bench);
    }
    free(bench->value[0]);
    bench->value[0] = NULL;
}

/* ---- customization ---- */

static void renew(const device_bench *bench)
{
    mcd_device_weights *weights;
    macadam_error error;
    bench_expect_ok(bench->table->weights_renew(&weights, bench->engine->device_map, &bench->renew, &error),
                    &error);
    bench->table->weights_free(weights);
}

static void fetch_renewed(const device_bench *bench, const mcd_renew_job *job, mcd_kept *out)
{
    mcd_device_weights *weights;
    macadam_error error;
    bench_expect_ok(bench->table->weights_renew(&weights, bench->engine->device_map, job, &error), &error);
    bench_expect_ok(bench->table->weights_fetch(out, weights, &error), &error);
    bench->table->weights_free(weights);
}

static void expect_searches(const device_bench *bench, const mcd_kept *kept, const mcd_search *expected)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *found = &kept->search[direction], *right = &expected[direction];
        const size_t count = right->first[bench->node_count];
        expect(kept->count[direction] == count, "counts of kept arcs");
        expect(memcmp(found->head, right->head, count * 4) == 0, "kept arcs");
        expect(memcmp(found->objective, right->objective, count * 4) == 0, "kept weights");
        expect(!right->companion || memcmp(found->companion, right->companion, count * 4) == 0,
               "kept companions");
        expect(!right->children || memcmp(found->children, right->children, count * 8) == 0, "halves");
    }
}

static void check_renewed(const device_bench *bench)
{
    SCOPED(mcd_kept_free) mcd_kept kept;
    fetch_renewed(bench, &bench->renew, &kept);
    expect_searches(bench, &kept, bench->version->weights.search);
}

/* The new weights of some arcs against sending all weights again. */
static void check_changed(const device_bench *bench)
{
    mcd_renew_job all = bench->renew;
    mcd_kept kept, expected;
    all.base = NULL;
    fetch_renewed(bench, &bench->renew, &kept);
    fetch_renewed(bench, &all, &expected);
    expect_searches(bench, &kept, expected.search);
    mcd_kept_free(&kept);
    mcd_kept_free(&expected);
}

/* Arcs at random, with up to twice the weights that they had. */
static void measure_changes(device_bench *bench, const char *name, mcd_renew_job job)
{
    const size_t arcs = bench->engine->graph.arc_count, changed = arcs / 100;
    FREED uint32_t *const arc = checked_allocate(changed, sizeof *arc);
    FREED mcd_weight *const weight = checked_allocate(arcs, sizeof *weight);
    mcd_device_weights *base;
    macadam_error error;
    test_rng rng = {7};
    bench_expect_ok(bench->table->weights_renew(&base, bench->engine->device_map, &job, &error), &error);
    memcpy(weight, job.customize.objective, arcs * sizeof *weight);
    for (size_t i = 0; i < changed; ++i) {
        arc[i] = rng_below(&rng, (uint32_t)arcs);
        weight[arc[i]] = 1 + rng_below(&rng, 2 * job.customize.objective[arc[i]] + 1);
    }
    bench->renew = job;
    bench->renew.customize.objective = weight;
    bench->renew.base = base, bench->renew.changed = arc, bench->renew.changed_count = changed;
    check_changed(bench);
    measure(bench, name, 1, 0, renew);
    bench->table->weights_free(base);
}

static void measure_renew(device_bench *bench)
{
    const mcd_weights *weights = &bench->version->weights;
    const mcd_customize_job basic = {.hierarchy = &bench->engine->hierarchy,
                                     .graph = &bench->engine->graph,
                                     .objective = weights->objective,
                                     .parallel = bench->engine->parallel};
    if (is_asked(bench, "customization, joint, pruned")) {
        bench->renew = (mcd_renew_job){.customize = basic};
        bench->renew.customize.companion = weights->companion;
        check_renewed(bench);
        measure(bench, "customization, joint, pruned", 1, 0, renew);
    }
    if (is_asked(bench, "customization, objective, basic")) {
        bench->renew = (mcd_renew_job){.customize = basic, .basic = true};
        measure(bench, "customization, objective, basic", 1, 0, renew);
    }
    for (int joint = 0; joint < 2; ++joint) {
        const char *const name = joint ? "new weights on 1 % of the arcs, joint, pruned"
                                       : "new weights on 1 % of the arcs, objective, basic";
        mcd_renew_job job = {.customize = basic, .basic = !joint};
        if (joint) job.customize.companion = weights->companion;
        if (is_asked(bench, name)) measure_changes(bench, name, job);
    }
}

/* ---- all ---- */

static void choose_places(device_bench *bench)
{
    test_rng rng = {1};
    macadam_error error;
    const int64_t *id = macadam_engine_ids(bench->engine, &error);
    bench->place = checked_allocate(PLACES, sizeof *bench->place);
    bench->lane = checked_allocate(PLACES, sizeof *bench->lane);
    for (size_t i = 0; i < PLACES; ++i) {
        const uint32_t at = rng_below(&rng, (uint32_t)bench->id_count);
        bench->place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id[at]};
        const mcd_place_index *const places = &bench->engine->places;
        bench->lane[i] = mcd_lane_of((i < PLACES / 2 ? places->depart : places->arrive)[at]);
    }
}

static void open_bench(device_bench *bench, const char *path, const char *device)
{
    const macadam_engine_options options = {.size = sizeof options, .device = device, .trust_file = true};
    double begin = bench_seconds_now();
    BENCH_CALL(macadam_engine_open, &bench->engine, path, &options);
    bench->table = bench->engine->backend->device;
    if (!bench->table) {
        fprintf(stderr, "device: %s is not a GPU; `macadam bench` measures the CPU\n", device);
        exit(2);
    }
    printf("opening: %.1f ms\n", 1e3 * (bench_seconds_now() - begin));
    /* The processor's weights come first: the device's answers and its weights are compared with them. */
    BENCH_CALL(mcd_engine_use_version, &bench->version, bench->engine, 0, NULL, MCD_USE_PATHS);
    BENCH_CALL(mcd_version_prepare, bench->version, bench->engine, bench->engine->host, MCD_NEED_PATHS);
    begin = bench_seconds_now();
    BENCH_CALL(mcd_version_prepare, bench->version, bench->engine, bench->engine->backend, MCD_NEED_PATHS);
    printf("placing map and metric: %.1f ms\n", 1e3 * (bench_seconds_now() - begin));
    macadam_info info = MACADAM_INFO_INIT;
    BENCH_CALL(macadam_engine_info, &info, bench->engine);
    bench->node_count = info.node_count;
    bench->id_count = info.id_count;
    printf("%s: %zu nodes, %s, %u threads\n", path, bench->node_count, info.device,
           bench->engine->parallel.thread_count);
    choose_places(bench);
}

int main(int argc, char **argument)
{
    if (argc < 2) {
        fprintf(stderr, "usage: device FILE.mcd [DEVICE [ONLY]]\n");
        return 2;
    }
    device_bench bench = {.only = argc > 3 ? argument[3] : NULL};
    open_bench(&bench, argument[1], argc > 2 ? argument[2] : "cuda");
    const bool has_companion = bench.engine->metric_companion[0] != NULL;
    for (size_t count = 128; count <= 2048; count *= 2)
        if (bench.node_count * count * 4 < (size_t)110e9) measure_trees(&bench, count, false);
    if (has_companion) measure_trees(&bench, bench.node_count > (size_t)4e6 ? 256 : 1024, true);
    measure_rows(&bench);
    measure_searches(&bench);
    measure_divided(&bench);
    measure_reaches(&bench);
    measure_callers(&bench, argument[1]);
    measure_matrix(&bench, 1000, false, true, NULL, check_matrix);
    measure_matrix(&bench, 1000, false, false, NULL, check_matrix);
    measure_matrix(&bench, 10000, false, true, NULL, check_matrix);
    measure_matrix(&bench, 10000, false, false, NULL, check_matrix);
    if (has_companion) measure_matrix(&bench, 10000, true, true, NULL, check_matrix);
    measure_points(&bench, argument[1]);
    if (is_asked(&bench, "50000 x 50000 matrix to a callback")) {
        bench.count = 50000, bench.joint = false;
        measure(&bench, "50000 x 50000 matrix to a callback", 1, 1e10 / bus_rate, streamed);
    }
    measure_routes(&bench, PLACES / 2);
    measure_renew(&bench);
    measure_updates(&bench, argument[1], argc > 2 ? argument[2] : "cuda");
    mcd_version_leave(bench.version);
    macadam_engine_close(bench.engine);
    free(bench.place);
    free(bench.lane);
    return 0;
}
