/* frontier.c - what a device does without a hierarchy, beside the vertex-mask methods.
 *
 *   frontier [--memory BYTES] GRAPH... [-- METHOD...]
 *
 * BYTES: of each GPU, for arcs and scratch; arcs that do not fit are read from the host. GRAPH: as large_graph_make names them. METHOD: hops, parents, expand-contract, contract-expand, two-phase,
 * hybrid, direction, divided, connect, near-far, batch (64 trees in one call), steps (near-far by several
 * steps), bellman-ford, mask-hops, mask-connect, mask-sssp; all but steps unless given. From 20 random nodes
 * that arcs leave. Answers stay in the device's memory. Those of the first source are compared with a plain
 * search's before a time is printed. All GPUs that there are (CUDA_VISIBLE_DEVICES) take part in "divided",
 * and where it pays in "hops" and "parents"; otherwise one does. Times are medians, with the least and the
 * most; a rate is the arcs that leave the reached nodes over the time. */
#include "tests/bench/bench.h"
#include "tests/bench/gpu_backend.h"
#include "tests/bench/large_graph.h"
#include "tests/bench/mask_device.h"
#include "tests/bench/search_check.h"
#include "tests/support/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 20, BATCH = 64, BATCH_RUNS = 5 };
static const double mask_seconds_max = 5; /* a search by masks that takes longer is given up */

typedef struct frontier_bench {
    const char *name;
    const mcd_backend *backend;
    mcd_device *device;
    size_t gpu_count;
    mcd_parallel parallel;
    large_graph graph;
    mcd_node source[SOURCES];
    uint64_t reached_arcs[SOURCES];
    uint32_t *answer;  /* [node_count], in the device's memory */
    uint32_t *answers; /* [BATCH * node_count], there */
    uint32_t *copy;    /* in the host's */
    mcd_node *parent;
    mcd_hops_strategy strategy;
    mcd_weight delta;   /* of near-far; 0: chosen */
    uint32_t connected; /* hops of the last connection */
    mask_device *mask;
    bool over; /* a search by masks was given up */
    size_t runs;
} frontier_bench;

/* ---- methods ---- */

static void hops(frontier_bench *bench, size_t i)
{
    macadam_error error;
    const mcd_hops_job job = {.arcs = &bench->graph.arcs,
                              .source = &bench->source[i],
                              .source_count = 1,
                              .limit = UINT32_MAX,
                              .strategy = bench->strategy,
                              .column_count = bench->graph.graph.node_count,
                              .hops = bench->answer,
                              .parent = bench->parent,
                              .parallel = bench->parallel};
    bench_expect_ok(bench->backend->hops(&job, &error), &error);
}

static void sssp(frontier_bench *bench, size_t i, mcd_tree_method method, mcd_weight delta)
{
    macadam_error error;
    const mcd_lane lane = mcd_lane_of(bench->source[i]);
    const mcd_sssp_job job = {.arcs = &bench->graph.arcs,
                              .method = method,
                              .lane = &lane,
                              .lane_count = 1,
                              .limit = MCD_WEIGHT_MAX,
                              .delta = delta,
                              .column_count = bench->graph.graph.node_count,
                              .lane_stride = bench->graph.graph.node_count,
                              .column_stride = 1,
                              .objective = bench->answer,
                              .parallel = bench->parallel};
    bench_expect_ok(bench->backend->sssp(&job, &error), &error);
}

static void near_far(frontier_bench *bench, size_t i)
{
    sssp(bench, i, MCD_TREE_NEAR_FAR, bench->delta);
}

/* Trees from 64 nodes in one call; the answers stay, which of the first is the first. */
static void batch(frontier_bench *bench, size_t i)
{
    macadam_error error;
    mcd_lane lane[BATCH];
    const size_t nodes = bench->graph.graph.node_count;
    (void)i;
    for (size_t k = 0; k < BATCH; ++k) lane[k] = mcd_lane_of(bench->source[k % SOURCES]);
    const mcd_sssp_job job = {.arcs = &bench->graph.arcs,
                              .method = MCD_TREE_NEAR_FAR,
                              .lane = lane,
                              .lane_count = BATCH,
                              .limit = MCD_WEIGHT_MAX,
                              .column_count = nodes,
                              .lane_stride = nodes,
                              .column_stride = 1,
                              .objective = bench->answers,
                              .parallel = bench->parallel};
    bench_expect_ok(bench->backend->sssp(&job, &error), &error);
}

static void bellman_ford(frontier_bench *bench, size_t i)
{
    sssp(bench, i, MCD_TREE_BELLMAN_FORD, 0);
}

/* From the i-th source to the next one, with the path. */
static void connect(frontier_bench *bench, size_t i)
{
    uint32_t found;
    macadam_error error;
    const mcd_connect_job job = {.arcs = &bench->graph.arcs,
                                 .source = bench->source[i],
                                 .target = bench->source[(i + 1) % SOURCES],
                                 .hops = &found,
                                 .path = bench->copy,
                                 .path_capacity = bench->graph.graph.node_count};
    bench_expect_ok(bench->backend->connect(&job, &error), &error);
    bench->connected = found;
}

/* ---- methods with masks ---- */

static double mask_end(void)
{
    return bench_seconds_now() + mask_seconds_max;
}

static void masked_hops(frontier_bench *bench, size_t i)
{
    bench->over |= !mask_device_hops(bench->mask, bench->source[i], mask_end(), NULL);
}

static void masked_connect(frontier_bench *bench, size_t i)
{
    bench->over |= !mask_device_connect(bench->mask, bench->source[i], bench->source[(i + 1) % SOURCES],
                                        mask_end(), &bench->connected);
}

static void masked_sssp(frontier_bench *bench, size_t i)
{
    bench->over |= !mask_device_sssp(bench->mask, bench->source[i], mask_end(), NULL);
}

/* ---- measuring ---- */

static void expect(bool right, const frontier_bench *bench, const char *what)
{
    if (right) return;
    fprintf(stderr, "frontier: %s: %s are wrong\n", bench->name, what);
    exit(1);
}

static void fetch(frontier_bench *bench)
{
    macadam_error error;
    bench_expect_ok(bench->backend->device->memory_read(bench->device, bench->copy, bench->answer,
                                                        bench->graph.graph.node_count * sizeof *bench->copy,
                                                        &bench->parallel, &error),
                    &error);
}

static void print_over(const frontier_bench *bench, const char *name)
{
    printf("%-28s %-14s     > %.0f s\n", bench->name, name, mask_seconds_max);
    fflush(stdout);
}

static void measure(frontier_bench *bench, const char *name, void (*method)(frontier_bench *bench, size_t i))
{
    double run[SOURCES], rate[SOURCES];
    method(bench, 0);
    for (size_t i = 0; i < bench->runs && !bench->over; ++i) {
        const double begin = bench_seconds_now();
        method(bench, i);
        run[i] = bench_seconds_now() - begin;
        rate[i] = (double)bench->reached_arcs[i] / run[i];
    }
    if (bench->over) {
        bench->over = false;
        print_over(bench, name);
        return;
    }
    bench_sort(run, bench->runs);
    bench_sort(rate, bench->runs);
    printf("%-28s %-15s %10.3f ms  (%.3f - %.3f)  %8.2f GTE/s\n", bench->name, name,
           1e3 * run[bench->runs / 2], 1e3 * run[0], 1e3 * run[bench->runs - 1],
           1e-9 * rate[bench->runs / 2]);
    fflush(stdout);
}

/* ---- graphs ---- */

static void choose_sources(frontier_bench *bench)
{
    const mcd_graph *graph = &bench->graph.graph;
    test_rng rng = {1};
    for (size_t i = 0; i < SOURCES; ++i) do
            bench->source[i] = rng_below(&rng, graph->node_count);
        while (graph->first_out[bench->source[i]] == graph->first_out[bench->source[i] + 1]);
}

/* By the device's own answers, once the first is known to be right. */
static void count_arcs(frontier_bench *bench)
{
    const mcd_graph *graph = &bench->graph.graph;
    for (size_t i = 0; i < SOURCES; ++i) {
        hops(bench, i);
        fetch(bench);
        bench->reached_arcs[i] = 0;
        for (mcd_node node = 0; node < graph->node_count; ++node)
            if (bench->copy[node] != UINT32_MAX)
                bench->reached_arcs[i] += graph->first_out[node + 1] - graph->first_out[node];
    }
}

static bool is_asked(char **method, const char *name)
{
    if (!*method) return true;
    for (; *method; ++method)
        if (strcmp(*method, name) == 0) return true;
    return false;
}

/* ---- what is measured, each once it is known to be right ---- */

/* By the bench's strategy. The parents stay in the device's memory, as hops do. */
static void measure_parents(frontier_bench *bench, const char *name, const uint32_t *right)
{
    const mcd_graph *graph = &bench->graph.graph;
    const mcd_device_table *table = bench->backend->device;
    const size_t bytes = graph->node_count * sizeof *bench->parent;
    macadam_error error;
    bench_expect_ok(
        table->memory_new((void **)&bench->parent, bench->device, 0, MCD_MEMORY_DEVICE, bytes, &error),
        &error);
    hops(bench, 0);
    bench_expect_ok(
        table->memory_read(bench->device, bench->copy, bench->parent, bytes, &bench->parallel, &error),
        &error);
    expect(search_parents_are_right(graph, right, bench->copy), bench, name);
    measure(bench, name, hops);
    table->memory_free(bench->device, 0, MCD_MEMORY_DEVICE, bench->parent);
    bench->parent = NULL;
}

static void measure_hops(frontier_bench *bench, char **method, const uint32_t *right)
{
    const mcd_graph *graph = &bench->graph.graph;
    if (is_asked(method, "hops")) measure(bench, "hops", hops);
    if (is_asked(method, "parents")) measure_parents(bench, "parents", right);
    if (is_asked(method, "mask-hops")) {
        const bool ends = mask_device_hops(bench->mask, bench->source[0], mask_end(), bench->copy);
        expect(!ends || memcmp(right, bench->copy, graph->node_count * sizeof *right) == 0, bench,
               "mask-hops");
        measure(bench, "mask-hops", masked_hops);
    }
}

static void measure_strategy(frontier_bench *bench, mcd_hops_strategy strategy, const char *name,
                             const uint32_t *right)
{
    bench->strategy = strategy;
    hops(bench, 0);
    fetch(bench);
    expect(memcmp(right, bench->copy, bench->graph.graph.node_count * sizeof *right) == 0, bench, name);
    measure(bench, name, hops);
    bench->strategy = MCD_HOPS_AUTO;
}

static void measure_strategies(frontier_bench *bench, char **method, const uint32_t *right)
{
    static const char *const name[] = {NULL,        "expand-contract", "contract-expand",
                                       "two-phase", "hybrid",          "direction"};
    for (int strategy = MCD_HOPS_EXPAND_CONTRACT; strategy <= MCD_HOPS_BOTTOM_UP; ++strategy)
        if (is_asked(method, name[strategy]))
            measure_strategy(bench, (mcd_hops_strategy)strategy, name[strategy], right);
}

/* One GPU beside all, that have the nodes divided among them. */
static void measure_divided(frontier_bench *bench, char **method, const uint32_t *right)
{
    char name[2][32];
    if (bench->gpu_count == 1 || !is_asked(method, "divided")) return;
    snprintf(name[0], sizeof name[0], "%zu GPUs", bench->gpu_count);
    snprintf(name[1], sizeof name[1], "%zu GPUs, parents", bench->gpu_count);
    measure_strategy(bench, MCD_HOPS_BOTTOM_UP, "one GPU", right);
    measure_strategy(bench, MCD_HOPS_DIVIDED, name[0], right);
    bench->strategy = MCD_HOPS_BOTTOM_UP;
    measure_parents(bench, "one, parents", right);
    bench->strategy = MCD_HOPS_DIVIDED;
    measure_parents(bench, name[1], right);
    bench->strategy = MCD_HOPS_AUTO;
}

static void measure_connect(frontier_bench *bench, char **method, const uint32_t *right)
{
    static const struct {
        const char *name;
        void (*run)(frontier_bench *bench, size_t i);
    } way[] = {{"connect", connect}, {"mask-connect", masked_connect}};
    for (size_t i = 0; i < sizeof way / sizeof *way; ++i) {
        if (!is_asked(method, way[i].name)) continue;
        way[i].run(bench, 0);
        expect(bench->over || bench->connected == right[bench->source[1]], bench, way[i].name);
        bench->over = false;
        measure(bench, way[i].name, way[i].run);
    }
}

static void measure_batch(frontier_bench *bench)
{
    const uint64_t bytes = bench->graph.graph.node_count * sizeof *bench->answers;
    const mcd_device_table *table = bench->backend->device;
    uint32_t *const answer = bench->answer;
    macadam_error error;
    bench_expect_ok(table->memory_new((void **)&bench->answers, bench->device, 0, MCD_MEMORY_DEVICE,
                                      BATCH * bytes, &error),
                    &error);
    batch(bench, 0);
    for (size_t k = 0; k < BATCH; k += BATCH - 1) {
        bench->answer = bench->answers + k * bench->graph.graph.node_count;
        fetch(bench);
        expect(search_costs_are_right(&bench->graph.arcs, bench->source[k % SOURCES], bench->copy), bench,
               "batch");
    }
    bench->answer = answer;
    bench->runs = BATCH_RUNS;
    measure(bench, "64 near-far", batch);
    bench->runs = SOURCES;
    table->memory_free(bench->device, 0, MCD_MEMORY_DEVICE, bench->answers);
}

/* By steps of 1/4 to 256 mean weights over the mean degree. */
static void measure_steps(frontier_bench *bench)
{
    const mcd_graph *graph = &bench->graph.graph;
    for (uint64_t quarters = 1; quarters <= 1024; quarters *= 2) {
        char name[32];
        snprintf(name, sizeof name, "step %g", (double)quarters / 4);
        bench->delta = 1 + (mcd_weight)(bench->graph.arcs.objective_mean * quarters * graph->node_count / 4 /
                                        graph->arc_count);
        measure(bench, name, near_far);
    }
    bench->delta = 0;
}

static void measure_sssp(frontier_bench *bench, char **method)
{
    static const struct {
        const char *name;
        void (*run)(frontier_bench *bench, size_t i);
    } way[] = {{"near-far", near_far}, {"bellman-ford", bellman_ford}};
    for (size_t i = 0; i < sizeof way / sizeof *way; ++i) {
        if (!is_asked(method, way[i].name)) continue;
        way[i].run(bench, 0);
        fetch(bench);
        expect(search_costs_are_right(&bench->graph.arcs, bench->source[0], bench->copy), bench, way[i].name);
        measure(bench, way[i].name, way[i].run);
    }
    if (is_asked(method, "batch")) measure_batch(bench);
    if (*method && is_asked(method, "steps")) measure_steps(bench);
    if (!is_asked(method, "mask-sssp")) return;
    const bool ends = mask_device_sssp(bench->mask, bench->source[0], mask_end(), bench->copy);
    expect(!ends || search_costs_are_right(&bench->graph.arcs, bench->source[0], bench->copy), bench,
           "mask-sssp");
    measure(bench, "mask-sssp", masked_sssp);
}

static void measure_all(frontier_bench *bench, char **method)
{
    const mcd_graph *graph = &bench->graph.graph;
    uint32_t *const right = checked_allocate(graph->node_count, sizeof *right);
    search_hops(graph, bench->source[0], right);
    hops(bench, 0);
    fetch(bench);
    expect(memcmp(right, bench->copy, graph->node_count * sizeof *right) == 0, bench, "hops");
    count_arcs(bench);
    if (is_asked(method, "mask-hops") || is_asked(method, "mask-connect") || is_asked(method, "mask-sssp"))
        bench->mask = mask_device_new(&bench->graph.arcs);
    measure_hops(bench, method, right);
    measure_strategies(bench, method, right);
    measure_divided(bench, method, right);
    measure_connect(bench, method, right);
    measure_sssp(bench, method);
    if (bench->mask) mask_device_free(bench->mask);
    bench->mask = NULL;
    free(right);
}

static void bench_graph(frontier_bench *bench, const char *name, char **method)
{
    const mcd_device_table *table = bench->backend->device;
    macadam_error error;
    double begin = bench_seconds_now();
    bench->name = name;
    large_graph_make(&bench->graph, name, &bench->parallel);
    if (is_asked(method, "bellman-ford")) large_graph_pair(&bench->graph, &bench->parallel);
    const size_t bytes = (size_t)bench->graph.graph.node_count * sizeof(uint32_t);
    const double made = bench_seconds_now() - begin;
    begin = bench_seconds_now();
    bench_expect_ok(table->arcs_new(&bench->graph.arcs.device, bench->device, &bench->graph.arcs, &error),
                    &error);
    printf("%s: %u nodes, %u arcs; made in %.1f s, placed in %.2f s; %.0f MB on the GPU\n", name,
           bench->graph.graph.node_count, bench->graph.graph.arc_count, made, bench_seconds_now() - begin,
           1e-6 * (double)table->held(bench->device).in_use);
    fflush(stdout);
    bench_expect_ok(
        table->memory_new((void **)&bench->answer, bench->device, 0, MCD_MEMORY_DEVICE, bytes, &error),
        &error);
    bench->copy = checked_allocate(1, bytes);
    choose_sources(bench);
    measure_all(bench, method);
    free(bench->copy);
    table->memory_free(bench->device, 0, MCD_MEMORY_DEVICE, bench->answer);
    table->arcs_free(bench->graph.arcs.device);
    large_graph_free(&bench->graph);
}

int main(int argc, char **argument)
{
    frontier_bench bench = {.runs = SOURCES, .backend = gpu_backend(), .parallel = mcd_parallel_of(0, NULL)};
    macadam_error error;
    const bool limited = argc > 3 && strcmp(argument[1], "--memory") == 0;
    const int first = limited ? 3 : 1;
    if (argc < 2 || !bench.backend) {
        fprintf(stderr, "usage: frontier [--memory BYTES] GRAPH... [-- METHOD...], where the module "
                        "macadam_cuda is found\n");
        return 2;
    }
    bench_expect_ok(bench.backend->device->open(&bench.device, "cuda:all",
                                                limited ? strtoull(argument[2], NULL, 10) : 0, &error),
                    &error);
    bench.gpu_count = bench.backend->device->gpus(bench.device, NULL, 0);
    int graphs = first;
    while (graphs < argc && strcmp(argument[graphs], "--") != 0) ++graphs;
    for (int i = first; i < graphs; ++i)
        bench_graph(&bench, argument[i], argument + (graphs < argc ? graphs + 1 : argc));
    bench.backend->device->close(bench.device);
    return 0;
}
