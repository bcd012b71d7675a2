/* dense.c - what a backend does with dense matrices, beside what the chip allows.
 *
 *   dense [DEVICE [ONLY [NODES...]]]
 *
 * DEVICE: "cuda" unless given; "cpu", "cuda:N", "cuda:all". ONLY: the figures with this in their names.
 * NODES: sizes, instead of those below; without closures. Graphs are random, of a mean degree of 16: for
 * all pairs with a circle through all nodes, for closures without cycles. Updates are node_count^3. Before
 * a time is printed rows are compared with Dijkstra's, and some paths are followed. Times are medians,
 * with the least and the most. */
#include "tests/bench/bench.h"
#include "engine/runtime/device.h"
#include "tests/bench/dijkstra.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <string.h>

#ifdef BENCH_CUDA
#include "tests/bench/dense_device.h"
#endif

enum {
    RUNS = 3, /* fewer if they take long */
    SECONDS_MAX = 8,
    DEGREE = 16,
    WEIGHT_MAX = 1000,
    ROWS_CHECKED = 3,
    PATHS_CHECKED = 200,
};
static const size_t device_sizes[] = {1024, 4096, 16384, 32768}, host_sizes[] = {1000, 2000, 4000};
static const size_t closure_nodes = 65536;
static const uint64_t passing_limit = (uint64_t)4 << 30;

/* A random graph; of no two arcs the ends are the same. */
typedef struct dense_graph {
    size_t node_count, arc_count;
    uint32_t *tail, *head, *weight;
} dense_graph;

typedef struct dense_bench {
    macadam_engine engine; /* its backend, device and threads alone */
    const char *only;
    double limit[2]; /* updates a second; 0: unknown */
    dense_graph graph;
} dense_bench;

/* One figure. */
typedef struct dense_figure {
    const char *name;
    bool via, narrow, on_device;
    uint64_t memory_limit;
} dense_figure;

static void expect(bool condition, const char *name, const char *what)
{
    if (condition) return;
    fprintf(stderr, "dense: %s: %s\n", name, what);
    exit(1);
}

static bool is_asked(const dense_bench *bench, const char *name)
{
    return !bench->only || strstr(name, bench->only);
}

static void print_times(const char *name, size_t node_count, double *run, size_t runs)
{
    bench_sort(run, runs);
    printf("%-44s n %6zu  %9.4f s  (%.4f - %.4f)", name, node_count, run[runs / 2], run[0], run[runs - 1]);
}

static void print_rate(const dense_bench *bench, size_t node_count, double seconds, bool narrow)
{
    const double n = (double)node_count, rate = n * n * n / seconds, limit = bench->limit[narrow];
    printf("  %7.3f T/s", rate * 1e-12);
    if (limit > 0) printf("  %4.1f %% of the instruction's %.1f", 100 * rate / limit, limit * 1e-12);
    printf("\n");
    fflush(stdout);
}

/* ---- graphs ---- */

static void draw_graph(dense_graph *out, size_t node_count)
{
    test_rng rng = {node_count};
    *out = (dense_graph){.node_count = node_count};
    out->tail = checked_allocate(node_count * DEGREE, sizeof *out->tail);
    out->head = checked_allocate(node_count * DEGREE, sizeof *out->head);
    out->weight = checked_allocate(node_count * DEGREE, sizeof *out->weight);
    for (size_t x = 0; x < node_count; ++x) {
        const size_t first = out->arc_count;
        for (size_t i = 0; i < DEGREE; ++i) {
            const uint32_t y =
                i == 0 ? (uint32_t)((x + 1) % node_count) : rng_below(&rng, (uint32_t)node_count);
            bool is_new = y != x;
            for (size_t arc = first; arc < out->arc_count; ++arc) is_new &= out->head[arc] != y;
            if (!is_new) continue;
            out->tail[out->arc_count] = (uint32_t)x, out->head[out->arc_count] = y;
            out->weight[out->arc_count++] = 1 + rng_below(&rng, WEIGHT_MAX);
        }
    }
}

static void free_graph(dense_graph *graph)
{
    free(graph->tail), free(graph->head), free(graph->weight);
}

/* ---- matrices ---- */

static void *memory_new(const dense_bench *bench, uint64_t bytes, bool on_device)
{
    void *memory;
    macadam_error error;
    if (!bench->engine.device) return checked_allocate(bytes, 1);
    bench_expect_ok(bench->engine.backend->device->memory_new(
                        &memory, bench->engine.device, 0, on_device ? MCD_MEMORY_DEVICE : MCD_MEMORY_PINNED,
                        bytes, &error),
                    &error);
    return memory;
}

static void memory_free(const dense_bench *bench, void *memory, bool on_device)
{
    if (!bench->engine.device)
        free(memory);
    else if (memory)
        bench->engine.backend->device->memory_free(bench->engine.device, 0,
                                                   on_device ? MCD_MEMORY_DEVICE : MCD_MEMORY_PINNED, memory);
}

static void matrix_fill(const dense_bench *bench, uint32_t *cost)
{
    const dense_graph *graph = &bench->graph;
    const size_t n = graph->node_count;
#ifdef BENCH_CUDA
    if (bench->engine.device) {
        dense_device_fill(cost, n, graph->arc_count, graph->tail, graph->head, graph->weight);
        return;
    }
#endif
    for (size_t i = 0; i < n * n; ++i) cost[i] = i % (n + 1) == 0 ? 0 : MCD_UNREACHED;
    for (size_t arc = 0; arc < graph->arc_count; ++arc)
        cost[graph->tail[arc] * n + graph->head[arc]] = graph->weight[arc];
}

static void matrix_read(const dense_bench *bench, uint32_t *to, const uint32_t *from, size_t count)
{
    macadam_error error;
    if (!bench->engine.device)
        memcpy(to, from, count * sizeof *to);
    else
        bench_expect_ok(bench->engine.backend->device->memory_read(bench->engine.device, to, from,
                                                                   count * sizeof *to,
                                                                   &bench->engine.parallel, &error),
                        &error);
}

/* ---- answers ---- */

static void check_rows(const dense_bench *bench, const mcd_dense_job *job, const char *name)
{
    const dense_graph *graph = &bench->graph;
    const size_t n = graph->node_count;
    test_rng rng = {7};
    FREED uint32_t *const row = checked_allocate(n, sizeof *row);
    bench_dijkstra *dijkstra =
        dijkstra_new(&(oracle_arcs){n, graph->arc_count, graph->tail, graph->head, graph->weight, NULL});
    for (size_t i = 0; i < ROWS_CHECKED; ++i) {
        const uint32_t x = rng_below(&rng, (uint32_t)n);
        const uint32_t *right = dijkstra_tree(dijkstra, x);
        matrix_read(bench, row, job->cost + x * job->stride, n);
        for (size_t y = 0; y < n; ++y) expect(row[y] == right[y], name, "a row is not Dijkstra's");
    }
    dijkstra_free(dijkstra);
}

/* The sum of the arcs of the path from x to y. */
static uint64_t follow_path(const dense_bench *bench, const mcd_dense_job *job, uint32_t x, uint32_t y)
{
    const dense_graph *graph = &bench->graph;
    mcd_node via;
    matrix_read(bench, &via, job->via + x * job->stride + y, 1);
    if (via != MCD_NODE_NONE) return follow_path(bench, job, x, via) + follow_path(bench, job, via, y);
    for (size_t arc = 0; arc < graph->arc_count && x != y; ++arc)
        if (graph->tail[arc] == x && graph->head[arc] == y) return graph->weight[arc];
    return x == y ? 0 : UINT64_MAX / 4;
}

static void check_paths(const dense_bench *bench, const mcd_dense_job *job, const char *name)
{
    test_rng rng = {8};
    for (size_t i = 0; i < PATHS_CHECKED; ++i) {
        const uint32_t x = rng_below(&rng, (uint32_t)job->node_count),
                       y = rng_below(&rng, (uint32_t)job->node_count);
        uint32_t cost;
        matrix_read(bench, &cost, job->cost + x * job->stride + y, 1);
        expect(follow_path(bench, job, x, y) == cost, name, "a path does not add up");
    }
}

/* ---- figures ---- */

static void measure(const dense_bench *bench, const dense_figure *figure)
{
    const size_t n = bench->graph.node_count, bytes = n * n * sizeof(uint32_t);
    double run[RUNS];
    if (!is_asked(bench, figure->name)) return;
    mcd_dense_job job = {.device = bench->engine.device,
                         .cost = memory_new(bench, bytes, figure->on_device),
                         .via = figure->via ? memory_new(bench, bytes, figure->on_device) : NULL,
                         .node_count = n,
                         .stride = n,
                         .narrow = figure->narrow,
                         .memory_limit = figure->memory_limit,
                         .parallel = bench->engine.parallel};
    size_t runs = 0;
    for (double spent = 0; runs < RUNS && spent < SECONDS_MAX; spent += run[runs++]) {
        macadam_error error;
        matrix_fill(bench, job.cost);
        const double begin = bench_seconds_now();
        bench_expect_ok(bench->engine.backend->floyd_warshall(&job, &error), &error);
        run[runs] = bench_seconds_now() - begin;
        if (runs > 0) continue;
        check_rows(bench, &job, figure->name);
        if (figure->via) check_paths(bench, &job, figure->name);
    }
    print_times(figure->name, n, run, runs);
    print_rate(bench, n, run[runs / 2], figure->narrow);
    memory_free(bench, job.cost, figure->on_device);
    memory_free(bench, job.via, figure->on_device);
}

#ifdef BENCH_CUDA
static void measure_per_pair(const dense_bench *bench)
{
    const size_t n = bench->graph.node_count;
    const char *const name = "one thread a pair (Harish and Narayanan)";
    mcd_dense_job job = {.node_count = n, .stride = n};
    double run[1];
    if (!bench->engine.device || !is_asked(bench, name) || n > 16384) return;
    job.cost = memory_new(bench, n * n * sizeof *job.cost, true);
    matrix_fill(bench, job.cost);
    const double begin = bench_seconds_now();
    dense_device_per_pair(job.cost, n);
    run[0] = bench_seconds_now() - begin;
    check_rows(bench, &job, name);
    print_times(name, n, run, 1);
    print_rate(bench, n, run[0], false);
    memory_free(bench, job.cost, true);
}
#endif

static void measure_size(dense_bench *bench, size_t node_count)
{
    static const dense_figure device_figure[] = {
        {"all pairs, left on the device", false, false, true, 0},
        {"all pairs, 16 bits, left on the device", false, true, true, 0},
        {"all pairs with paths, left on the device", true, false, true, 0},
        {"all pairs, pinned memory", false, false, false, 0},
        {"all pairs, pinned memory, 4 GiB of a device", false, false, false, passing_limit},
    };
    static const dense_figure host_figure[] = {
        {"all pairs", false, false, false, 0},
        {"all pairs, 16 bits", false, true, false, 0},
        {"all pairs with paths", true, false, false, 0},
    };
    draw_graph(&bench->graph, node_count);
    if (bench->engine.device)
        for (size_t i = 0; i < sizeof device_figure / sizeof *device_figure; ++i)
            measure(bench, &device_figure[i]);
    else
        for (size_t i = 0; i < sizeof host_figure / sizeof *host_figure; ++i) measure(bench, &host_figure[i]);
#ifdef BENCH_CUDA
    measure_per_pair(bench);
#endif
    free_graph(&bench->graph);
}

/* ---- closure ---- */

/* A random graph without cycles, by level, and its job. */
typedef struct closure_graph {
    size_t node_count, arc_count;
    uint32_t level_count;
    uint32_t *level_first, *head, *column;
    mcd_arc *first_out;
} closure_graph;

/* Nodes in an order against which arcs lead. Of node x: as many as make DEGREE on the average. */
static size_t draw_degree(size_t x, size_t node_count)
{
    return x * DEGREE * 2 / node_count;
}

/* head[DEGREE * 2 * x + i]; returns the number of arcs. */
static size_t draw_heads(size_t node_count, uint32_t *head)
{
    test_rng rng = {node_count};
    size_t arc_count = 0;
    for (size_t x = 0; x < node_count; ++x)
        for (size_t i = 0; i < draw_degree(x, node_count); ++i, ++arc_count)
            head[DEGREE * 2 * x + i] = rng_below(&rng, (uint32_t)x);
    return arc_count;
}

/* node[x] is x's number by level. */
static void number_by_level(closure_graph *graph, const uint32_t *head, uint32_t *node)
{
    const size_t n = graph->node_count;
    uint32_t *const level = checked_zeroed(n, sizeof *level);
    for (size_t x = 0; x < n; ++x) {
        for (size_t i = 0; i < draw_degree(x, n); ++i)
            if (level[x] <= level[head[DEGREE * 2 * x + i]]) level[x] = level[head[DEGREE * 2 * x + i]] + 1;
        if (graph->level_count <= level[x]) graph->level_count = level[x] + 1;
        ++graph->level_first[level[x] + 1];
    }
    for (uint32_t l = 0; l < graph->level_count; ++l) graph->level_first[l + 1] += graph->level_first[l];
    uint32_t *const next = checked_allocate(graph->level_count, sizeof *next);
    memcpy(next, graph->level_first, graph->level_count * sizeof *next);
    for (size_t x = 0; x < n; ++x) node[x] = next[level[x]]++;
    free(level), free(next);
}

static void closure_graph_make(closure_graph *out, size_t n)
{
    uint32_t *const head = checked_allocate(n * DEGREE * 2, sizeof *head),
                    *const node = checked_allocate(n, sizeof *node),
                    *const drawn = checked_allocate(n, sizeof *drawn);
    *out = (closure_graph){.node_count = n, .arc_count = draw_heads(n, head)};
    out->level_first = checked_zeroed(n + 1, sizeof *out->level_first);
    out->head = checked_allocate(out->arc_count, sizeof *out->head);
    out->column = checked_allocate(n, sizeof *out->column);
    out->first_out = checked_zeroed(n + 1, sizeof *out->first_out);
    number_by_level(out, head, node);
    for (size_t x = 0; x < n; ++x) drawn[node[x]] = (uint32_t)x, out->column[x] = (uint32_t)x;
    for (size_t x = 0; x < n; ++x) {
        mcd_arc arc = out->first_out[x];
        for (size_t i = 0; i < draw_degree(drawn[x], n); ++i)
            out->head[arc++] = node[head[DEGREE * 2 * drawn[x] + i]];
        out->first_out[x + 1] = arc;
    }
    free(head), free(node), free(drawn);
}

static void closure_graph_free(closure_graph *graph)
{
    free(graph->level_first), free(graph->head), free(graph->column), free(graph->first_out);
}

/* Every row is that of its node and the rows of its heads. */
static void check_closure(const mcd_closure_job *job, const char *name)
{
    for (uint32_t x = 0; x < job->component_count; ++x)
        for (size_t word = 0; word < job->stride; ++word) {
            uint64_t right = word == x / 64 ? UINT64_C(1) << MCD_CLOSURE_BIT(x) : 0;
            for (mcd_arc arc = job->first_out[x]; arc < job->first_out[x + 1]; ++arc)
                right |= job->bits[job->head[arc] * job->stride + word];
            expect(job->bits[x * job->stride + word] == right, name, "a row is not that of its arcs");
        }
}

static void measure_closure(const dense_bench *bench, size_t node_count)
{
    const char *const name = "closure, no cycles, pinned memory";
    closure_graph graph;
    double run[RUNS];
    if (!is_asked(bench, name)) return;
    closure_graph_make(&graph, node_count);
    const size_t stride = (node_count + 63) / 64;
    mcd_closure_job job = {.device = bench->engine.device,
                           .component_count = (uint32_t)node_count,
                           .level_count = graph.level_count,
                           .level_first = graph.level_first,
                           .first_out = graph.first_out,
                           .head = graph.head,
                           .column = graph.column,
                           .column_count = node_count,
                           .bits = memory_new(bench, node_count * stride * sizeof *job.bits, false),
                           .stride = stride,
                           .parallel = bench->engine.parallel};
    for (size_t i = 0; i < RUNS; ++i) {
        macadam_error error;
        const double begin = bench_seconds_now();
        bench_expect_ok(bench->engine.backend->closure(&job, &error), &error);
        run[i] = bench_seconds_now() - begin;
        if (i == 0) check_closure(&job, name);
    }
    print_times(name, node_count, run, RUNS);
    printf("  %zu arcs, %u levels\n", graph.arc_count, graph.level_count);
    memory_free(bench, job.bits, false);
    closure_graph_free(&graph);
}

int main(int argc, char **argument)
{
    dense_bench bench = {.only = argc > 2 ? argument[2] : NULL};
    bench.engine.parallel = mcd_parallel_of(0, NULL);
    BENCH_CALL(mcd_engine_choose_device, &bench.engine, argc > 1 ? argument[1] : "cuda");
#ifdef BENCH_CUDA
    if (bench.engine.device)
        bench.limit[0] = dense_device_limit(false), bench.limit[1] = dense_device_limit(true);
#endif
    printf("%s, %u threads\n", mcd_engine_device_name(&bench.engine), bench.engine.parallel.thread_count);
    const size_t *size = bench.engine.device ? device_sizes : host_sizes;
    const size_t size_count =
        bench.engine.device ? sizeof device_sizes / sizeof *size : sizeof host_sizes / sizeof *size;
    for (size_t i = 0; argc <= 3 && i < size_count; ++i) measure_size(&bench, size[i]);
    for (int i = 3; i < argc; ++i) measure_size(&bench, strtoull(argument[i], NULL, 10));
    if (argc <= 3) measure_closure(&bench, closure_nodes);
    mcd_engine_close_device(&bench.engine);
    return 0;
}
