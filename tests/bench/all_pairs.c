/* all_pairs.c - all pairs by each method, and which one `auto` takes: what the rates of engine/query/tables/all_pairs.c
 * are measured with.
 *
 *   all_pairs [DEVICE [NODES...]]
 *
 * DEVICE: "cpu" unless given. Graphs: grids with a hierarchy, and without one random graphs of a mean degree
 * of 8 and of 64 ("dense"). Answers go to the host's memory and are compared with Dijkstra's before a time is
 * printed. Times are the least of several runs, in nanoseconds a row. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/generate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { DEGREE = 8, DEGREE_DENSE = 64, RUNS = 5, SECONDS_MAX = 1 };
static const uint32_t sizes[] = {64, 128, 256, 512, 1024, 2048, 4096};
static const char path[] = "all_pairs.mcd";

typedef struct pairs_bench {
    const char *device;
    macadam_engine *engine;
    size_t node_count;
    uint32_t *right, *found; /* [node_count * node_count] */
} pairs_bench;

/* ---- graphs ---- */

static void import_graph(const generate_graph *how, bool no_hierarchy)
{
    static const char *const quantity[] = {"duration"};
    uint32_t *const tail = checked_allocate(how->arc_count, sizeof *tail),
                    *const head = checked_allocate(how->arc_count, sizeof *head),
                    *const weight = checked_allocate(how->arc_count, sizeof *weight);
    const uint32_t *const weights[] = {weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    generate_arcs(how, tail, head, weight, 1);
    input.node_count = how->node_count, input.arc_count = how->arc_count;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.weight = weights, input.quantity_count = 1;
    options.output = path, options.no_hierarchy = no_hierarchy;
    BENCH_CALL(macadam_import_arrays, &input, &options);
    free(tail), free(head), free(weight);
}

static void open_graph(pairs_bench *bench, const generate_graph *how, bool no_hierarchy)
{
    const size_t cells = (size_t)how->node_count * how->node_count;
    import_graph(how, no_hierarchy);
    const macadam_engine_options options = {.size = sizeof options, .device = bench->device};
    BENCH_CALL(macadam_engine_open, &bench->engine, path, &options);
    bench->node_count = how->node_count;
    bench->right = checked_zeroed(cells, sizeof *bench->right);
    bench->found = checked_zeroed(cells, sizeof *bench->found);
}

static void close_graph(pairs_bench *bench)
{
    macadam_engine_close(bench->engine);
    unlink(path);
    free(bench->right), free(bench->found);
}

/* ---- times ---- */

/* Seconds; the method that was chosen, if `chosen` is not NULL. */
static double run(const pairs_bench *bench, const char *method, uint32_t *to, const char **chosen)
{
    uint32_t *const value[] = {to};
    const macadam_all_pairs_request request = {.size = sizeof request, .method = method, .chosen = chosen};
    const double begin = bench_seconds_now();
    BENCH_CALL(macadam_all_pairs_find_into, value, NULL, bench->engine, NULL, &request);
    return bench_seconds_now() - begin;
}

/* The least time, printed a row. */
static double measure(const pairs_bench *bench, const char *method)
{
    const size_t bytes = bench->node_count * bench->node_count * sizeof *bench->found;
    double least = INFINITY, spent = 0;
    memset(bench->found, 0, bytes);
    for (int i = 0; i < RUNS && (i < 2 || spent < SECONDS_MAX); ++i) {
        const double seconds = run(bench, method, bench->found, NULL);
        spent += seconds;
        if (seconds < least) least = seconds;
    }
    if (memcmp(bench->right, bench->found, bytes) != 0) {
        fprintf(stderr, "all_pairs: %zu nodes: method %s differs from Dijkstra's\n", bench->node_count,
                method);
        exit(1);
    }
    printf("  %12.1f", 1e9 * least / (double)bench->node_count);
    fflush(stdout);
    return least;
}

static void measure_graph(pairs_bench *bench, const char *kind, const generate_graph *how, bool no_hierarchy)
{
    const char *const tree = no_hierarchy ? "near-far" : "sweep";
    const char *const tree_name = no_hierarchy ? "near-far" : "sweep";
    const char *chosen;
    open_graph(bench, how, no_hierarchy);
    (void)run(bench, "dijkstra", bench->right, NULL);
    printf("%-8s %6zu", kind, bench->node_count);
    const double by_tree = measure(bench, tree);
    const double dense = measure(bench, "floyd-warshall");
    (void)run(bench, "auto", bench->found, &chosen);
    const bool is_dense = strcmp(chosen, "floyd-warshall") == 0;
    printf("  %-14s  %.2f\n", is_dense ? "floyd-warshall" : tree_name,
           (is_dense ? dense : by_tree) / fmin(dense, by_tree));
    fflush(stdout);
    close_graph(bench);
}

static void measure_size(pairs_bench *bench, uint32_t node_count)
{
    const uint32_t side = (uint32_t)lround(sqrt(node_count));
    const generate_graph grid = generate_grid(side, side, 1, 1);
    const generate_graph random = generate_uniform(node_count, DEGREE, 1),
                         dense = generate_uniform(node_count, DEGREE_DENSE, 1);
    measure_graph(bench, "grid", &grid, false);
    measure_graph(bench, "random", &random, true);
    measure_graph(bench, "dense", &dense, true);
}

int main(int argc, char **argument)
{
    pairs_bench bench = {.device = argc > 1 ? argument[1] : "cpu"};
    printf("%-8s %6s  %12s  %12s  %-14s  %s\n", "graph", "nodes", "trees", "matrix", "auto takes",
           "of the best");
    for (size_t i = 0; argc <= 2 && i < sizeof sizes / sizeof *sizes; ++i) measure_size(&bench, sizes[i]);
    for (int i = 2; i < argc; ++i) measure_size(&bench, (uint32_t)strtoul(argument[i], NULL, 10));
    return 0;
}
