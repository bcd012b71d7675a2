/* searches.c - what the processor does without a hierarchy, by the number of threads.
 *
 *   searches GRAPH... [-- THREADS...]
 *
 * GRAPH: as large_graph_make names them. THREADS: 1 and 2 unless given. From 15 random nodes that arcs leave.
 * The first answer of each method is compared with a plain search's before a time is printed. Times are
 * medians, with the least and the most. */
#include "tests/bench/bench.h"
#include "tests/bench/large_graph.h"
#include "tests/bench/search_check.h"
#include "tests/support/checked.h"

#include "kernels/cpu/device/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 15 };

typedef struct searches_bench {
    const char *name;
    const mcd_backend *backend;
    mcd_parallel making, searching;
    large_graph graph;
    mcd_node source[SOURCES];
    uint32_t *answer, *right;
    mcd_node *parent; /* NULL: not requested */
    mcd_tree_method method;
    void *scratch; /* kept from search to search, as an engine does */
    size_t scratch_bytes;
} searches_bench;

static void *scratch_of(searches_bench *bench, size_t bytes)
{
    if (bytes > bench->scratch_bytes) {
        free(bench->scratch);
        bytes = (bytes + 63) / 64 * 64;
        bench->scratch = checked_memory(aligned_alloc(64, bytes), bytes, 1);
        bench->scratch_bytes = bytes;
    }
    return bench->scratch;
}

static void hops(searches_bench *bench, size_t i)
{
    macadam_error error;
    mcd_hops_job job = {.arcs = &bench->graph.arcs,
                        .source = &bench->source[i],
                        .source_count = 1,
                        .limit = UINT32_MAX,
                        .column_count = bench->graph.graph.node_count,
                        .hops = bench->answer,
                        .parent = bench->parent,
                        .parallel = bench->searching};
    job.scratch = scratch_of(bench, bench->backend->hops_scratch(&job));
    bench_expect_ok(bench->backend->hops(&job, &error), &error);
}

static void costs(searches_bench *bench, size_t i)
{
    macadam_error error;
    const mcd_lane lane = mcd_lane_of(bench->source[i]);
    mcd_sssp_job job = {.arcs = &bench->graph.arcs,
                        .method = bench->method,
                        .lane = &lane,
                        .lane_count = 1,
                        .limit = MCD_WEIGHT_MAX,
                        .column_count = bench->graph.graph.node_count,
                        .lane_stride = bench->graph.graph.node_count,
                        .column_stride = 1,
                        .objective = bench->answer,
                        .parallel = bench->searching};
    job.scratch = scratch_of(bench, bench->backend->sssp_scratch(&job));
    bench_expect_ok(bench->backend->sssp(&job, &error), &error);
}

static void measure(searches_bench *bench, const char *what, void (*search)(searches_bench *bench, size_t i))
{
    double seconds[SOURCES];
    for (size_t i = 0; i < SOURCES; ++i) {
        const double begin = bench_seconds_now();
        search(bench, i);
        seconds[i] = bench_seconds_now() - begin;
    }
    bench_sort(seconds, SOURCES);
    printf("%-20s %-14s %2u threads %9.3f ms  (%.3f - %.3f)\n", bench->name, what,
           bench->searching.thread_count, 1e3 * seconds[SOURCES / 2], 1e3 * seconds[0],
           1e3 * seconds[SOURCES - 1]);
    fflush(stdout);
}

static void expect(bool right, const searches_bench *bench, const char *what)
{
    if (right) return;
    fprintf(stderr, "searches: %s: %s is wrong\n", bench->name, what);
    exit(1);
}

static void measure_all(searches_bench *bench)
{
    static const struct {
        const char *name;
        mcd_tree_method method;
    } way[] = {{"near-far", MCD_TREE_NEAR_FAR}, {"Dijkstra", MCD_TREE_DIJKSTRA}};
    const mcd_graph *graph = &bench->graph.graph;
    hops(bench, 0);
    expect(memcmp(bench->answer, bench->right, graph->node_count * sizeof *bench->right) == 0, bench, "hops");
    measure(bench, "hops", hops);
    bench->parent = checked_allocate(graph->node_count, sizeof *bench->parent);
    hops(bench, 0);
    expect(search_parents_are_right(graph, bench->right, bench->parent), bench, "parents");
    measure(bench, "hops, parents", hops);
    free(bench->parent);
    bench->parent = NULL;
    for (size_t w = 0; w < sizeof way / sizeof *way; ++w) {
        if (way[w].method == MCD_TREE_DIJKSTRA && bench->searching.thread_count > 1) continue;
        bench->method = way[w].method;
        costs(bench, 0);
        expect(search_costs_are_right(&bench->graph.arcs, bench->source[0], bench->answer), bench,
               way[w].name);
        measure(bench, way[w].name, costs);
    }
}

static void choose_sources(searches_bench *bench)
{
    const mcd_graph *graph = &bench->graph.graph;
    test_rng rng = {1};
    for (size_t i = 0; i < SOURCES; ++i) do
            bench->source[i] = rng_below(&rng, graph->node_count);
        while (graph->first_out[bench->source[i]] == graph->first_out[bench->source[i] + 1]);
}

static void bench_graph(searches_bench *bench, const char *name, char **threads)
{
    static char *usual[] = {"1", "2", NULL};
    bench->name = name;
    large_graph_make(&bench->graph, name, &bench->making);
    choose_sources(bench);
    bench->answer = checked_allocate(bench->graph.graph.node_count, sizeof *bench->answer);
    bench->right = checked_allocate(bench->graph.graph.node_count, sizeof *bench->right);
    search_hops(&bench->graph.graph, bench->source[0], bench->right);
    for (char **count = *threads ? threads : usual; *count; ++count) {
        bench->searching = mcd_parallel_of((unsigned)strtoul(*count, NULL, 10), NULL);
        measure_all(bench);
    }
    free(bench->answer);
    free(bench->right);
    large_graph_free(&bench->graph);
}

int main(int argc, char **argument)
{
    searches_bench bench = {.backend = mcd_cpu_backend(), .making = mcd_parallel_of(0, NULL)};
    int graphs = 1;
    if (argc < 2) {
        fprintf(stderr, "usage: searches GRAPH... [-- THREADS...]\n");
        return 2;
    }
    while (graphs < argc && strcmp(argument[graphs], "--") != 0) ++graphs;
    for (int i = 1; i < graphs; ++i)
        bench_graph(&bench, argument[i], argument + (graphs < argc ? graphs + 1 : argc));
    free(bench.scratch);
    return 0;
}
