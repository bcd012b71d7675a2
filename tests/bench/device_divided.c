/* device_divided.c - trees and matrices that stay on all devices of an engine. Scaling is the ratio of these
 * figures between a run with one device and a run with several. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { TREES_CHECKED = 4, CELLS_CHECKED = 1000, NODES_CHECKED = 4096 };
enum { ONE_HOLDS = 16384, TREES_EACH = 8192 }; /* trees: that one device holds; at most on each of several */
static const double bytes_most = 110e9;        /* of answers on a device */

static size_t device_count(const device_bench *bench)
{
    return bench->table->gpus(bench->engine->device, NULL, 0);
}

/* Memory for bench->count sources; false: there is too little. */
static bool take_memory(device_bench *bench, size_t columns)
{
    void *memory;
    macadam_error error;
    const macadam_status status =
        macadam_memory_new_divided(&memory, bench->engine, bench->count, columns * sizeof(uint32_t), &error);
    bench->value[0] = memory;
    if (status) printf("  (%s)\n", error.message);
    return !status;
}

static void free_memory(device_bench *bench)
{
    macadam_memory_free(bench->engine, bench->value[0]);
    bench->value[0] = NULL;
}

/* The part that has a source's answers. */
static macadam_memory_part part_of(const device_bench *bench, size_t source)
{
    macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
    size_t index = 0;
    do BENCH_CALL(macadam_memory_part_at, &part, bench->engine, bench->value[0], index++);
    while (source - part.first_source >= part.source_count);
    return part;
}

static uint32_t read_cell(const device_bench *bench, const macadam_memory_part *part, size_t cell)
{
    uint32_t found;
    BENCH_CALL(macadam_memory_read, &found, bench->engine, (const uint32_t *)part->memory + cell,
               sizeof found);
    return found;
}

/* ---- trees ---- */

static void divided_trees(const device_bench *bench)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = bench->place;
    request.source_count = bench->count;
    request.order = MACADAM_ORDER_LANES;
    BENCH_CALL(macadam_tree_find, bench->value, NULL, bench->engine, NULL, &request);
}

/* A lane's tree by the processor. */
static void find_tree(const device_bench *bench, const mcd_lane *lane, uint32_t *value)
{
    enum { ALIGNMENT = 64 };
    mcd_tree_job job = {.weights = &bench->version->weights,
                        .lane = lane,
                        .lane_count = 1,
                        .limit = MCD_WEIGHT_MAX,
                        .column_count = bench->node_count,
                        .objective = value,
                        .parallel = bench->engine->parallel};
    FREED char *const scratch = checked_allocate(mcd_cpu_backend()->tree_scratch(&job) + ALIGNMENT, 1);
    job.scratch = scratch + (ALIGNMENT - (uintptr_t)scratch % ALIGNMENT);
    BENCH_CALL(mcd_cpu_backend()->tree, &job);
}

static void check_divided_trees(const device_bench *bench)
{
    FREED uint32_t *const right = checked_allocate(bench->node_count, sizeof *right);
    test_rng rng = {bench->count};
    for (size_t t = 0; t < TREES_CHECKED; ++t) {
        const size_t source = bench->count / TREES_CHECKED * t + rng_below(&rng, 32);
        const macadam_memory_part part = part_of(bench, source);
        find_tree(bench, bench->lane + source, right);
        for (size_t n = 0; n < NODES_CHECKED; ++n) {
            const size_t node = rng_below(&rng, (uint32_t)bench->node_count);
            const size_t cell = node * part.source_count + (source - part.first_source);
            expect(read_cell(bench, &part, cell) == right[node], "divided trees");
        }
    }
}

static void measure_divided_trees(device_bench *bench, size_t count)
{
    char name[96];
    const double bytes = (double)bench->node_count * (double)count * sizeof(uint32_t);
    snprintf(name, sizeof name, "one of %zu trees, divided, lanes left there", count);
    if (!is_asked(bench, name) || bytes / (double)device_count(bench) > bytes_most) return;
    bench->count = count;
    if (!take_memory(bench, bench->node_count)) return;
    divided_trees(bench);
    check_divided_trees(bench);
    measure(bench, name, count, bytes / memory_rate / (double)device_count(bench), divided_trees);
    free_memory(bench);
}

/* ---- matrices ---- */

static macadam_matrix_request matrix_request(const device_bench *bench)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = bench->place;
    request.target = bench->place + PLACES / 2;
    request.source_count = request.target_count = bench->count;
    request.order = bench->order;
    return request;
}

static void divided_matrix(const device_bench *bench)
{
    const macadam_matrix_request request = matrix_request(bench);
    BENCH_CALL(macadam_matrix_find_into, bench->value, NULL, bench->engine, NULL, &request);
}

static void check_divided_matrix(const device_bench *bench)
{
    test_rng rng = {bench->count};
    BENCH_CALL(mcd_version_prepare, bench->version, bench->engine, bench->engine->host, MCD_NEED_ROUTES);
    for (size_t i = 0; i < CELLS_CHECKED; ++i) {
        const size_t row = rng_below(&rng, (uint32_t)bench->count),
                     column = rng_below(&rng, (uint32_t)bench->count),
                     source = bench->order ? bench->order[row] : row,
                     target = bench->order ? bench->order[bench->count + column] : column;
        const macadam_memory_part part = part_of(bench, row);
        uint32_t right;
        const mcd_route_job job = {.weights = &bench->version->weights,
                                   .source = bench->lane + source,
                                   .target = bench->lane + PLACES / 2 + target,
                                   .count = 1,
                                   .objective = &right,
                                   .parallel = {1, NULL}};
        BENCH_CALL(mcd_cpu_backend()->route, &job);
        const size_t cell = (row - part.first_source) * bench->count + column;
        expect(read_cell(bench, &part, cell) == right, "divided matrices");
    }
}

static void measure_divided_matrix(device_bench *bench, size_t side, bool in_engine_order)
{
    char name[96];
    const double bytes = (double)side * (double)side * sizeof(uint32_t);
    snprintf(name, sizeof name, "%zu x %zu matrix, divided, left there%s", side, side,
             in_engine_order ? ", the engine's order" : "");
    if (!is_asked(bench, name) || bytes / (double)device_count(bench) > bytes_most) return;
    bench->count = side;
    if (!take_memory(bench, side)) return;
    bench->order = in_engine_order ? checked_allocate(2 * side, sizeof *bench->order) : NULL;
    divided_matrix(bench);
    check_divided_matrix(bench);
    measure(bench, name, 1, bytes / memory_rate / (double)device_count(bench), divided_matrix);
    free_memory(bench);
    free(bench->order);
    bench->order = NULL;
}

/* ---- all ---- */

void measure_divided(device_bench *bench)
{
    const size_t most = mcd_size_max(ONE_HOLDS, device_count(bench) * TREES_EACH);
    for (size_t count = 1024; count <= most; count *= 2) measure_divided_trees(bench, count);
    for (int in_engine_order = 0; in_engine_order < 2; ++in_engine_order) {
        measure_divided_matrix(bench, 50000, in_engine_order);
        measure_divided_matrix(bench, 100000, in_engine_order);
        measure_divided_matrix(bench, 160000, in_engine_order);
    }
}
