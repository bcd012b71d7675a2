/* ratios.c - the speed figures of one map as ratios to one plain Dijkstra tree (D), all measured in this one
 * run.
 *
  *   ratios FILE.mcd WEIGHTS [COMPANION_WEIGHTS] [THREADS [ONLY...]]
 *
 * FILE.mcd was imported from WEIGHTS (.gr, .gr.gz, or a PACE topology .gr.xz, which gets synthetic weights),
 * its first quantity. ONLY: the figures with any of these in their names. Answers are compared with Dijkstra's before
 * a time is printed. Times are medians, with the least and the most. */
#include "tests/bench/bench.h"
#include "engine/runtime/version.h"
#include "engine/runtime/load.h"
#include "engine/base/memory.h"
#include "tests/bench/dijkstra.h"
#include "tests/support/checked.h"
#include "tests/support/dimacs_file.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 15, PAIRS = 10000, DIJKSTRAS = 9 };

typedef struct bench_run {
    macadam_engine *engine;
    bench_dijkstra *dijkstra;
    test_rng rng;
    size_t node_count, batch; /* sources of a batch of trees */
    double dijkstra_seconds;
    macadam_place *place; /* random, 2 * PAIRS */
    uint32_t *node;       /* their nodes in the input order */
    size_t side;          /* of the matrix being timed */
    uint32_t cost_max;    /* of the trees compared with Dijkstra's */
    uint32_t *value;      /* answers */
    mcd_customize_job job;
    char *const *only; /* up to NULL; NULL: all figures */
} bench_run;

/* Times `work` until two seconds or RUNS_MAX runs are spent, after one run to warm up; prints the time of one
 * of the `count` things that it does. */
static void measure(bench_run *bench, const char *name, size_t count, void (*work)(const bench_run *bench))
{
    char *const *only = bench->only;
    while (only && *only && !strstr(name, *only)) ++only;
    if (only && !*only) return;
    double run[RUNS_MAX], spent = 0;
    size_t runs = 0;
    work(bench);
    while (runs < 3 || (runs < RUNS_MAX && spent < 2)) {
        const double begin = bench_seconds_now();
        work(bench);
        run[runs] = (bench_seconds_now() - begin) / (double)count;
        spent += run[runs++] * (double)count;
    }
    bench_sort(run, runs);
    const double median = run[runs / 2];
    const double ratio = bench->dijkstra_seconds / median;
    printf("%-44s %11.3f us  (%.3f - %.3f)  ", name, 1e6 * median, 1e6 * run[0], 1e6 * run[runs - 1]);
    if (ratio >= 1)
        printf("D / %.1f\n", ratio);
    else
        printf("%.3f D\n", 1 / ratio);
    fflush(stdout);
}

/* ---- what is measured ---- */

static macadam_tree_request tree_request(const bench_run *bench, size_t count, macadam_order order)
{
    const macadam_tree_request request = {
        .size = sizeof request, .source = bench->place, .source_count = count, .order = order};
    return request;
}

static void run_tree(const bench_run *bench, size_t count, macadam_order order)
{
    const macadam_tree_request request = tree_request(bench, count, order);
    uint32_t *const value[] = {bench->value};
    BENCH_CALL(macadam_tree_find, value, NULL, bench->engine, NULL, &request);
}

static void tree_lanes(const bench_run *bench)
{
    run_tree(bench, bench->batch, MACADAM_ORDER_LANES);
}

static void tree_rows(const bench_run *bench)
{
    run_tree(bench, bench->batch, MACADAM_ORDER_IDS);
}

static void tree_alone(const bench_run *bench)
{
    run_tree(bench, 1, MACADAM_ORDER_IDS);
}

enum { LIMITS = 4 };

/* Limits spread over the costs that there are. */
static void run_reach(const bench_run *bench, size_t count, const uint32_t *value, uint64_t *node_count,
                      uint64_t *value_sum)
{
    uint32_t limit[LIMITS];
    for (size_t i = 0; i < LIMITS; ++i) limit[i] = bench->cost_max / (LIMITS + 1) * (uint32_t)(i + 1);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = bench->place;
    request.source_count = count;
    request.limit = limit;
    request.limit_count = LIMITS;
    request.value = value;
    const macadam_reach answer = {.size = sizeof answer, .node_count = node_count, .value_sum = value_sum};
    BENCH_CALL(macadam_reach_find, &answer, NULL, bench->engine, NULL, &request);
}

static void reach_counts(const bench_run *bench)
{
    run_reach(bench, bench->batch, NULL, (uint64_t *)bench->value, NULL);
}

/* The values are whatever answers there are. */
static void reach_values(const bench_run *bench)
{
    uint64_t *const room = (uint64_t *)bench->value;
    run_reach(bench, bench->batch, bench->value + 4 * LIMITS * bench->batch, room,
              room + LIMITS * bench->batch);
}

static void reach_alone(const bench_run *bench)
{
    uint64_t *const room = (uint64_t *)bench->value;
    run_reach(bench, 1, bench->value + 4 * LIMITS, room, room + LIMITS);
}

static void matrix(const bench_run *bench)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    uint32_t *const value[] = {bench->value};
    request.source = bench->place;
    request.target = bench->place + PAIRS;
    request.source_count = request.target_count = bench->side;
    BENCH_CALL(macadam_matrix_find_into, value, NULL, bench->engine, NULL, &request);
}

static macadam_routes_request pairs_request(const bench_run *bench)
{
    const macadam_routes_request request = {
        .size = sizeof request, .source = bench->place, .target = bench->place + PAIRS, .pair_count = PAIRS};
    return request;
}

static void route_costs(const bench_run *bench)
{
    const macadam_routes_request request = pairs_request(bench);
    uint32_t *const value[] = {bench->value};
    BENCH_CALL(macadam_routes_find, value, NULL, bench->engine, NULL, &request);
}

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)pair, (void)arc;
    *(uint64_t *)context += arc_count;
    return true;
}

static void route_paths(const bench_run *bench)
{
    const macadam_routes_request request = pairs_request(bench);
    uint32_t *const value[] = {bench->value};
    uint64_t arcs = 0;
    BENCH_CALL(macadam_routes_find_paths, value, NULL, bench->engine, NULL, &request, take_path, &arcs);
}

static void customize_basic(const bench_run *bench)
{
    mcd_customize_job job = bench->job;
    SCOPED(mcd_custom_free) mcd_custom custom;
    macadam_error error;
    job.companion = NULL;
    job.witnesses = false;
    bench_expect_ok(bench->engine->host->customize(&custom, &job, &error), &error);
}

static void customize_pruned(const bench_run *bench)
{
    mcd_custom custom;
    SCOPED(mcd_kept_free) mcd_kept kept;
    macadam_error error;
    bench_expect_ok(bench->engine->host->customize(&custom, &bench->job, &error), &error);
    bench_expect_ok(bench->engine->host->prune(&kept, &custom, &bench->job, &error), &error);
    bench_expect_ok(bench->engine->host->name_children(&kept, &custom, &bench->job, &error), &error);
    mcd_custom_free(&custom);
}

/* ---- the baseline, and checks ---- */

static void measure_dijkstra(bench_run *bench)
{
    double run[DIJKSTRAS];
    for (size_t i = 0; i < DIJKSTRAS; ++i) {
        const double begin = bench_seconds_now();
        dijkstra_tree(bench->dijkstra, bench->node[i]);
        run[i] = bench_seconds_now() - begin;
    }
    bench_sort(run, DIJKSTRAS);
    bench->dijkstra_seconds = run[DIJKSTRAS / 2];
    printf("%-44s %11.3f us  (%.3f - %.3f)\n", "D: one tree by plain Dijkstra", 1e6 * bench->dijkstra_seconds,
           1e6 * run[0], 1e6 * run[DIJKSTRAS - 1]);
}

enum { CHECKED = 3 }; /* sources */

/* Ids are 1, 2, ... in the input order. */
static void check_trees(bench_run *bench)
{
    tree_rows(bench);
    for (size_t i = 0; i < CHECKED; ++i) {
        const uint32_t *right = dijkstra_tree(bench->dijkstra, bench->node[i]);
        for (size_t x = 0; x < bench->node_count; ++x) {
            const uint32_t found = bench->value[i * bench->node_count + x];
            if (found == right[x] && found > bench->cost_max) bench->cost_max = found;
            if (found == right[x] || (found == MACADAM_UNREACHED && right[x] >= ORACLE_COST_END)) continue;
            fprintf(stderr, "ratios: from %u to %zu: %u instead of %u\n", bench->node[i], x, found, right[x]);
            exit(1);
        }
    }
}

/* The sums of the first source's costs as values of the nodes that each source reaches. */
static void check_reach(const bench_run *bench)
{
    const uint32_t *value = bench->value;
    uint64_t count[CHECKED * LIMITS], sum[CHECKED * LIMITS];
    tree_rows(bench);
    run_reach(bench, CHECKED, value, count, sum);
    for (size_t i = 0; i < CHECKED * LIMITS; ++i) {
        const uint32_t limit = bench->cost_max / (LIMITS + 1) * (uint32_t)(i % LIMITS + 1);
        for (size_t x = 0; x < bench->node_count; ++x)
            if (value[i / LIMITS * bench->node_count + x] <= limit) --count[i], sum[i] -= value[x];
        if (count[i] == 0 && sum[i] == 0) continue;
        fprintf(stderr, "ratios: reach from %u within %u differs from the tree\n", bench->node[i / LIMITS],
                limit);
        exit(1);
    }
}

static void choose_places(bench_run *bench)
{
    bench->place = checked_zeroed(2 * PAIRS, sizeof *bench->place);
    bench->node = checked_zeroed(2 * PAIRS, sizeof *bench->node);
    for (size_t i = 0; i < 2 * PAIRS; ++i) {
        bench->node[i] = (uint32_t)rng_below(&bench->rng, bench->node_count);
        bench->place[i].id = (int64_t)bench->node[i] + 1;
    }
}

static void prepare_customization(bench_run *bench)
{
    mcd_version *version;
    BENCH_CALL(mcd_version_find_loaded, &version, bench->engine, 0);
    BENCH_CALL(mcd_version_prepare, version, bench->engine, bench->engine->host, MCD_NEED_PATHS);
    BENCH_CALL(mcd_engine_load_schedule, bench->engine);
    bench->job = mcd_version_job(version, bench->engine);
}

static void measure_matrix(bench_run *bench, size_t side)
{
    char name[64];
    bench->side = side;
    snprintf(name, sizeof name, "%zu x %zu matrix, delivered", side, side);
    measure(bench, name, 1, matrix);
}

static void read_graph(test_graph *graph, const char *objective, const char *companion)
{
    const char *end = strrchr(objective, '.');
    const bool done = end && strcmp(end, ".xz") == 0 ? dimacs_read_topology(graph, objective)
                                                     : dimacs_read_graph(graph, objective, companion);
    if (done) return;
    fprintf(stderr, "ratios: cannot read %s\n", objective);
    exit(1);
}

int main(int count, char **argument)
{
    if (count < 3) {
        fprintf(stderr, "usage: ratios FILE.mcd WEIGHTS [COMPANION_WEIGHTS] [THREADS [ONLY...]]\n");
        return 2;
    }
    const bool has_companion = count > 3 && strchr(argument[3], '.');
    const char *threads = count > 3 + has_companion ? argument[3 + has_companion] : "1";
    bench_run bench = {.rng = {1}, .only = count > 4 + has_companion ? &argument[4 + has_companion] : NULL};
    test_graph graph;
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.threads = (unsigned)strtoul(threads, NULL, 10);
    read_graph(&graph, argument[2], has_companion ? argument[3] : NULL);
    const oracle_arcs arcs = test_graph_arcs(&graph, 0);
    bench.node_count = graph.node_count;
    bench.batch = graph.node_count < 4000000 ? 128 : 64;
    bench.dijkstra = dijkstra_new(&arcs);
    bench.value =
        checked_allocate(mcd_size_max(bench.batch * graph.node_count, 100000000) + 16, sizeof *bench.value);
    bench.value += (64 - (uintptr_t)bench.value % 64) / sizeof *bench.value;
    choose_places(&bench);

    const double opening = bench_seconds_now();
    BENCH_CALL(macadam_engine_open, &bench.engine, argument[1], &options);
    bench.side = 1;
    matrix(&bench);
    bench_print_first(opening);
    printf("%s, %zu nodes, %s, %s thread(s)\n", argument[1], bench.node_count, bench.engine->host->name,
           threads);
    check_trees(&bench);
    check_reach(&bench);
    prepare_customization(&bench);
    measure_dijkstra(&bench);
    measure(&bench, "one tree of a batch, as lanes", bench.batch, tree_lanes);
    measure(&bench, "one tree of a batch, as rows by id", bench.batch, tree_rows);
    measure(&bench, "one tree alone, by id", 1, tree_alone);
    measure(&bench, "reach of one of a batch, 4 limits", bench.batch, reach_counts);
    measure(&bench, "reach of one of a batch, 4 limits, values", bench.batch, reach_values);
    measure(&bench, "reach of one alone, 4 limits, values", 1, reach_alone);
    measure_matrix(&bench, 1000);
    measure_matrix(&bench, 4000);
    measure_matrix(&bench, 10000);
    measure(&bench, "one route, cost", PAIRS, route_costs);
    measure(&bench, "one route, with its arcs", PAIRS, route_paths);
    measure(&bench, "customization, objective, basic", 1, customize_basic);
    measure(&bench, "customization, all quantities, pruned", 1, customize_pruned);
    return 0;
}
