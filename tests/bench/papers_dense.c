/* papers_dense.c - Katz and Kider 2008, then and now: all pairs and closures of the sizes that they measured,
 * by the plain loops and by this library.
 *
 *   papers_dense [--full] [--threads N] [--device NAME]
 *
 * Up to 2,048 nodes, with --full up to their 11,264. Graphs are random, of a mean degree of 16, and one in
 * which few nodes have most arcs, as between the networks of the Internet. The plain loops run on one thread,
 * up to 4,096 nodes; the library on all, in its host's memory; with --device also there. Answers are compared
 * with the plain loops', or with the host's, before a time is printed; each time is the least of three runs.
 * */
#include "tests/bench/bench.h"
#include "engine/condensation.h"
#include "engine/device.h"
#include "engine/graph.h"
#include "engine/memory.h"
#include "tests/support/checked.h"
#include "tests/support/generate.h"

#include <stdio.h>
#include <string.h>

enum { DEGREE = 16, RUNS = 3, PLAIN_MAX = 4096, SMALL_MAX = 2048, SKEWED = 2048 };
static const uint32_t sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 10240, 11264};

typedef struct papers_bench {
    macadam_engine engine; /* its backend, device and threads alone */
    const mcd_backend *host;
    generate_graph how;
    uint32_t *tail, *head, *weight;
    uint32_t *arc, *right, *found; /* [node_count * node_count] */
} papers_bench;

/* One way to an answer; the answer is in `found`. */
typedef double (*way)(papers_bench *bench, const mcd_backend *backend);

static size_t cell_count(const papers_bench *bench)
{
    return (size_t)bench->how.node_count * bench->how.node_count;
}

/* ---- graphs ---- */

static void make_graph(papers_bench *bench, generate_graph how)
{
    const size_t n = how.node_count;
    bench->how = how;
    bench->tail = checked_allocate(how.arc_count, sizeof *bench->tail);
    bench->head = checked_allocate(how.arc_count, sizeof *bench->head);
    bench->weight = checked_allocate(how.arc_count, sizeof *bench->weight);
    generate_arcs(&how, bench->tail, bench->head, bench->weight, 1);
    bench->arc = checked_allocate(n * n, sizeof *bench->arc);
    bench->right = checked_allocate(n * n, sizeof *bench->right);
    bench->found = checked_allocate(n * n, sizeof *bench->found);
    for (size_t i = 0; i < n * n; ++i) bench->arc[i] = i % (n + 1) ? MCD_UNREACHED : 0;
    for (uint64_t a = 0; a < how.arc_count; ++a) {
        uint32_t *const cell = &bench->arc[bench->tail[a] * n + bench->head[a]];
        if (bench->weight[a] < *cell) *cell = bench->weight[a];
    }
}

static void free_graph(papers_bench *bench)
{
    free(bench->tail), free(bench->head), free(bench->weight);
    free(bench->arc), free(bench->right), free(bench->found);
}

/* ---- all pairs ---- */

static double run_plain(papers_bench *bench, const mcd_backend *backend)
{
    const size_t n = bench->how.node_count;
    uint32_t *const cost = bench->found;
    (void)backend;
    memcpy(cost, bench->arc, n * n * sizeof *cost);
    const double begin = bench_seconds_now();
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x)
            for (size_t y = 0; y < n; ++y)
                if (cost[x * n + k] + cost[k * n + y] < cost[x * n + y])
                    cost[x * n + y] = cost[x * n + k] + cost[k * n + y];
    const double seconds = bench_seconds_now() - begin;
    for (size_t i = 0; i < n * n; ++i)
        if (cost[i] == MCD_UNREACHED) cost[i] = MCD_COST_UNREACHED;
    return seconds;
}

static double run_blocked(papers_bench *bench, const mcd_backend *backend)
{
    const size_t n = bench->how.node_count;
    macadam_error error;
    memcpy(bench->found, bench->arc, n * n * sizeof *bench->arc);
    const mcd_dense_job job = {.device = backend->device ? bench->engine.device : NULL,
                               .cost = bench->found,
                               .node_count = n,
                               .stride = n,
                               .parallel = bench->engine.parallel};
    const double begin = bench_seconds_now();
    bench_expect_ok(backend->floyd_warshall(&job, &error), &error);
    return bench_seconds_now() - begin;
}

/* ---- closures: a 1 for each pair ---- */

static double close_plain(papers_bench *bench, const mcd_backend *backend)
{
    const size_t n = bench->how.node_count;
    uint32_t *const reached = bench->found;
    (void)backend;
    for (size_t i = 0; i < n * n; ++i) reached[i] = bench->arc[i] != MCD_UNREACHED;
    const double begin = bench_seconds_now();
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x)
            for (size_t y = 0; y < n; ++y) reached[x * n + y] |= reached[x * n + k] & reached[k * n + y];
    return bench_seconds_now() - begin;
}

static void spread_bits(papers_bench *bench, const mcd_closure_job *job, const uint32_t *component)
{
    const size_t n = bench->how.node_count;
    for (size_t x = 0; x < n; ++x)
        for (size_t y = 0; y < n; ++y)
            bench->found[x * n + y] =
                job->bits[component[x] * job->stride + y / 64] >> MCD_CLOSURE_BIT(y) & 1;
}

/* With the finding of the components. */
static double close_bits(papers_bench *bench, const mcd_backend *backend)
{
    const size_t n = bench->how.node_count;
    macadam_error error;
    mcd_graph *graph;
    uint32_t *map_arc, *number = checked_allocate(n, sizeof *number);
    for (uint32_t x = 0; x < n; ++x) number[x] = x;
    bench_expect_ok(mcd_graph_new(&graph, &map_arc, (mcd_node)n, bench->tail, bench->head,
                                  bench->how.arc_count, number, &error),
                    &error);
    mcd_condensation found;
    const double begin = bench_seconds_now();
    bench_expect_ok(mcd_condensation_new(&found, graph, &error), &error);
    mcd_closure_job job = {.device = backend->device ? bench->engine.device : NULL,
                           .component_count = found.component_count,
                           .level_count = found.level_count,
                           .level_first = found.level_first,
                           .first_out = found.first_out,
                           .head = found.head,
                           .column = found.component,
                           .column_count = n,
                           .stride = (n + 63) / 64,
                           .parallel = bench->engine.parallel};
    job.bits = checked_allocate(found.component_count * job.stride, sizeof *job.bits);
    bench_expect_ok(backend->closure(&job, &error), &error);
    const double seconds = bench_seconds_now() - begin;
    spread_bits(bench, &job, found.component);
    free(job.bits), free(number);
    mcd_condensation_free(&found);
    mcd_graph_free(graph);
    mcd_free(map_arc);
    return seconds;
}

/* ---- the table ---- */

/* Prints the least time; the first way to an answer decides what is right. */
static void print_time(papers_bench *bench, way find, const mcd_backend *backend, bool is_first)
{
    double best = find(bench, backend);
    const size_t bytes = cell_count(bench) * sizeof *bench->found;
    for (int run = 1; run < RUNS && best < 1; ++run) {
        const double seconds = find(bench, backend);
        if (seconds < best) best = seconds;
    }
    if (is_first) memcpy(bench->right, bench->found, bytes);
    if (memcmp(bench->right, bench->found, bytes) != 0) {
        fprintf(stderr, "papers_dense: %u nodes: answers differ\n", bench->how.node_count);
        exit(1);
    }
    printf("  %12.6f", best);
    fflush(stdout);
}

static void print_row(papers_bench *bench, const char *what, way plain, way blocked)
{
    const bool has_plain = bench->how.node_count <= PLAIN_MAX;
    const mcd_backend *device = bench->engine.device ? bench->engine.backend : NULL;
    printf("%-24s %6u", what, bench->how.node_count);
    if (has_plain)
        print_time(bench, plain, NULL, true);
    else
        printf("  %12s", "-");
    print_time(bench, blocked, bench->host, !has_plain);
    if (device && device->floyd_warshall && device->closure) print_time(bench, blocked, device, false);
    printf("\n");
}

static void print_rows(papers_bench *bench, const char *kind, generate_graph how)
{
    char what[40];
    make_graph(bench, how);
    snprintf(what, sizeof what, "all pairs, %s", kind);
    print_row(bench, what, run_plain, run_blocked);
    snprintf(what, sizeof what, "closure, %s", kind);
    print_row(bench, what, close_plain, close_bits);
    free_graph(bench);
}

int main(int argc, char **argument)
{
    papers_bench bench = {.host = mcd_cpu_backend()};
    macadam_error error;
    const char *device = "cpu";
    unsigned threads = 0;
    bool full = false;
    for (int i = 1; i < argc; ++i)
        if (strcmp(argument[i], "--full") == 0)
            full = true;
        else if (strcmp(argument[i], "--threads") == 0 && i + 1 < argc)
            threads = (unsigned)atoi(argument[++i]);
        else if (strcmp(argument[i], "--device") == 0 && i + 1 < argc)
            device = argument[++i];
    bench.engine.parallel = mcd_parallel_of(threads, NULL);
    bench_expect_ok(mcd_engine_choose_device(&bench.engine, device, 0, &error), &error);
    printf("%s, %u threads; seconds\n", bench.host->name, bench.engine.parallel.thread_count);
    printf("%-24s %6s  %12s  %12s  %s\n", "", "nodes", "plain", "blocked",
           bench.engine.device ? mcd_engine_device_name(&bench.engine) : "");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (full || sizes[i] <= SMALL_MAX)
            print_rows(&bench, "random", generate_uniform(sizes[i], DEGREE, 1));
    print_rows(&bench, "few hubs", generate_scale_free(SKEWED, DEGREE / 4, 1));
    mcd_engine_close_device(&bench.engine);
    return 0;
}
