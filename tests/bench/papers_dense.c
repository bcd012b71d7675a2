/* papers_dense.c - all pairs of two papers, then and now: what Katz and Kider (2008) and Harish and Narayanan
 * (2007) measured, by the plain loops, by the methods of 2007 on a device of today, and by this library.
 *
 *   papers_dense [--full] [--threads N] [--device NAME] [--only TEXT]
 *
 * Matrices of up to 2,048 nodes, with --full up to the papers' 11,264; trees of 30,000 nodes, with --full of
 * 100,000. Graphs are random, of a mean degree of 16 (trees: of 6), one in which few nodes have most arcs, as
 * between the networks of the Internet, and, for closures, acyclic ones. The plain loops run on one thread, up
 * to 2,048 nodes, the library on all, or on the device, with answers in the host's memory. The methods of then
 * leave theirs on the device: a thread a pair, or a thread a node up to 1,024 nodes; closures by a thread a
 * pair, or by tiles. Several GPUs: of --device, beside its first one. Answers are compared with the plain
 * loops' (trees: Dijkstra's) before a time is printed, the least of three runs; "~": a few trees, times as
 * many as there are. A line for each figure that was published for the row follows it:
 * how many times as fast the library is on one GPU today. */
#include "tests/bench/bench.h"
#include "engine/map/condensation.h"
#include "engine/runtime/device.h"
#include "engine/map/graph.h"
#include "engine/base/memory.h"
#include "tests/bench/dijkstra.h"
#include "tests/bench/large_graph.h"
#include "tests/bench/papers_published.h"
#include "tests/support/checked.h"

#include <stdio.h>
#include <string.h>

#ifdef BENCH_CUDA
#include "tests/bench/dense_device.h"
#endif

enum {
    DEGREE = 16,
    RUNS = 3,
    PLAIN_MAX = 2048,
    PER_NODE_MAX = 1024,
    SMALL_MAX = 2048,
    SKEWED = 2048,
    SKEWED_PAPER = 1000, /* as many networks as Katz and Kider have */
    TREE_DEGREE = 6,
    TREES_BAND = 1024, /* rows on their way to the host */
    TREES_HOST = 128,  /* that the processor grows */
    TREES_CHECKED = 8,
};
static const uint32_t sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 9216, 10240, 11264};
static const uint32_t tree_sizes[] = {30000, 100000};
static const char trees_name[] = "trees, random, degree 6";

/* Who computes. */
typedef enum machine { HOST, ONE_GPU, ALL_GPUS, MACHINE_COUNT } machine;

typedef struct papers_bench {
    macadam_engine
        engine[MACHINE_COUNT]; /* backend, device and threads alone; without a device: there is none */
    const char *only;
    machine on;
    generate_graph how;
    uint32_t *tail, *head, *weight;
    uint32_t *arc, *right, *found; /* [node_count * node_count] */
} papers_bench;

/* One way to an answer, which is in `found` then. Returns seconds. */
typedef double (*way)(papers_bench *bench);

static const macadam_engine *engine_of(const papers_bench *bench)
{
    return &bench->engine[bench->on];
}

static const mcd_backend *backend_of(const papers_bench *bench)
{
    return bench->on == HOST ? mcd_cpu_backend() : engine_of(bench)->backend;
}

static bool has(const papers_bench *bench, machine on)
{
    return on == HOST || bench->engine[on].device;
}

static bool is_asked(const papers_bench *bench, const char *name)
{
    return !bench->only || strstr(name, bench->only);
}

static size_t cell_count(const papers_bench *bench)
{
    return (size_t)bench->how.node_count * bench->how.node_count;
}

/* ---- graphs ---- */

static void orient(papers_bench *bench)
{
    uint64_t kept = 0;
    for (uint64_t a = 0; a < bench->how.arc_count; ++a) {
        const uint32_t tail = bench->tail[a], head = bench->head[a];
        if (tail == head) continue;
        bench->tail[kept] = tail < head ? tail : head;
        bench->head[kept++] = tail < head ? head : tail;
    }
    bench->how.arc_count = kept;
}

/* is_acyclic: each arc leads to the higher node, and loops are left out. */
static void make_graph(papers_bench *bench, generate_graph how, bool is_acyclic)
{
    const size_t n = how.node_count;
    bench->how = how;
    bench->tail = checked_allocate(how.arc_count, sizeof *bench->tail);
    bench->head = checked_allocate(how.arc_count, sizeof *bench->head);
    bench->weight = checked_allocate(how.arc_count, sizeof *bench->weight);
    generate_arcs(&how, bench->tail, bench->head, bench->weight, 1);
    if (is_acyclic) orient(bench);
    bench->arc = checked_allocate(n * n, sizeof *bench->arc);
    bench->right = checked_allocate(n * n, sizeof *bench->right);
    bench->found = checked_allocate(n * n, sizeof *bench->found);
    for (size_t i = 0; i < n * n; ++i) bench->arc[i] = i % (n + 1) ? MCD_UNREACHED : 0;
    for (uint64_t a = 0; a < bench->how.arc_count; ++a) {
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

/* As the interface says it. */
static void mark_unreached(papers_bench *bench)
{
    for (size_t i = 0; i < cell_count(bench); ++i)
        if (bench->found[i] == MCD_UNREACHED) bench->found[i] = MCD_COST_UNREACHED;
}

static double run_plain(papers_bench *bench)
{
    const size_t n = bench->how.node_count;
    uint32_t *const cost = bench->found;
    memcpy(cost, bench->arc, n * n * sizeof *cost);
    const double begin = bench_seconds_now();
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x)
            for (size_t y = 0; y < n; ++y)
                if (cost[x * n + k] + cost[k * n + y] < cost[x * n + y])
                    cost[x * n + y] = cost[x * n + k] + cost[k * n + y];
    const double seconds = bench_seconds_now() - begin;
    mark_unreached(bench);
    return seconds;
}

static double run_blocked(papers_bench *bench)
{
    const size_t n = bench->how.node_count;
    memcpy(bench->found, bench->arc, n * n * sizeof *bench->arc);
    const mcd_dense_job job = {.device = engine_of(bench)->device,
                               .cost = bench->found,
                               .node_count = n,
                               .stride = n,
                               .parallel = engine_of(bench)->parallel};
    const double begin = bench_seconds_now();
    BENCH_CALL(backend_of(bench)->floyd_warshall, &job);
    return bench_seconds_now() - begin;
}

#ifdef BENCH_CUDA
/* By a method of then, in the device's memory. */
static double run_simple(papers_bench *bench, const uint32_t *from,
                         void (*close)(uint32_t *cost, size_t node_count))
{
    const macadam_engine *engine = engine_of(bench);
    const mcd_device_table *table = engine->backend->device;
    const uint64_t bytes = cell_count(bench) * sizeof *bench->arc;
    void *cost;
    macadam_error error;
    bench_expect_ok(table->memory_new(&cost, engine->device, 0, MCD_MEMORY_DEVICE, bytes, &error), &error);
    bench_expect_ok(table->memory_write(engine->device, cost, from, bytes, &error), &error);
    const double begin = bench_seconds_now();
    close(cost, bench->how.node_count);
    const double seconds = bench_seconds_now() - begin;
    bench_expect_ok(table->memory_read(engine->device, bench->found, cost, bytes, &engine->parallel, &error),
                    &error);
    table->memory_free(engine->device, 0, MCD_MEMORY_DEVICE, cost);
    mark_unreached(bench);
    return seconds;
}

static double run_per_pair(papers_bench *bench)
{
    return run_simple(bench, bench->arc, dense_device_per_pair);
}

static double run_per_node(papers_bench *bench)
{
    return run_simple(bench, bench->arc, dense_device_per_node);
}
#endif

/* ---- closures: a 1 for each pair ---- */

static void mark_arcs(papers_bench *bench)
{
    for (size_t i = 0; i < cell_count(bench); ++i) bench->found[i] = bench->arc[i] != MCD_UNREACHED;
}

static double close_plain(papers_bench *bench)
{
    const size_t n = bench->how.node_count;
    uint32_t *const reached = bench->found;
    mark_arcs(bench);
    const double begin = bench_seconds_now();
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x)
            for (size_t y = 0; y < n; ++y) reached[x * n + y] |= reached[x * n + k] & reached[k * n + y];
    return bench_seconds_now() - begin;
}

#ifdef BENCH_CUDA
static double close_per_pair(papers_bench *bench)
{
    mark_arcs(bench);
    return run_simple(bench, bench->found, dense_device_close_per_pair);
}

static double close_tiled(papers_bench *bench)
{
    mark_arcs(bench);
    return run_simple(bench, bench->found, dense_device_close_tiled);
}
#endif

static void spread_bits(papers_bench *bench, const mcd_closure_job *job, const uint32_t *component)
{
    const size_t n = bench->how.node_count;
    for (size_t x = 0; x < n; ++x)
        for (size_t y = 0; y < n; ++y)
            bench->found[x * n + y] =
                job->bits[component[x] * job->stride + y / 64] >> MCD_CLOSURE_BIT(y) & 1;
}

/* With the finding of the components. */
static double close_bits(papers_bench *bench)
{
    const size_t n = bench->how.node_count;
    mcd_graph *graph;
    uint32_t *map_arc, *number = checked_allocate(n, sizeof *number);
    for (uint32_t x = 0; x < n; ++x) number[x] = x;
    BENCH_CALL(mcd_graph_new, &graph, &map_arc, (mcd_node)n, bench->tail, bench->head, bench->how.arc_count,
               number, NULL, NULL);
    mcd_condensation found;
    const double begin = bench_seconds_now();
    BENCH_CALL(mcd_condensation_new, &found, graph);
    mcd_closure_job job = {.device = engine_of(bench)->device,
                           .component_count = found.component_count,
                           .level_count = found.level_count,
                           .level_first = found.level_first,
                           .first_out = found.first_out,
                           .head = found.head,
                           .column = found.component,
                           .column_count = n,
                           .stride = (n + 63) / 64,
                           .parallel = engine_of(bench)->parallel};
    job.bits = checked_allocate(found.component_count * job.stride, sizeof *job.bits);
    BENCH_CALL(backend_of(bench)->closure, &job);
    const double seconds = bench_seconds_now() - begin;
    spread_bits(bench, &job, found.component);
    free(job.bits), free(number);
    mcd_condensation_free(&found);
    mcd_graph_free(graph);
    mcd_free(map_arc);
    return seconds;
}

/* ---- then ---- */

/* Under a row. `now`: seconds on one GPU; 0: there is none. */
static void print_published(const char *what, uint32_t node_count, double now)
{
    const published_figure *then;
    for (size_t i = 0; (then = published_find(what, node_count, "", i)) != NULL; ++i) {
        printf("    published:");
        published_print(then);
        if (now > 0) {
            printf("; times as fast:");
            published_print_ratio(then, now, 0);
        }
        printf("\n");
    }
}

/* ---- trees ---- */

/* A graph, and where rows go. */
typedef struct trees_bench {
    papers_bench *bench;
    large_graph graph;
    mcd_lane *lane; /* [node_count] */
    uint32_t *row;  /* [TREES_BAND * node_count] */
} trees_bench;

/* The first `count` trees, band by band. */
static double grow_trees(trees_bench *trees, size_t count)
{
    const macadam_engine *engine = engine_of(trees->bench);
    const mcd_backend *backend = backend_of(trees->bench);
    const size_t nodes = trees->graph.graph.node_count;
    macadam_error error;
    mcd_sssp_job job = {.arcs = &trees->graph.arcs,
                        .method = MCD_TREE_NEAR_FAR,
                        .lane_count = mcd_size_min(count, TREES_BAND),
                        .limit = MCD_WEIGHT_MAX,
                        .column_count = nodes,
                        .lane_stride = nodes,
                        .column_stride = 1,
                        .objective = trees->row,
                        .parallel = engine->parallel};
    FREED void *const scratch = checked_allocate(backend->sssp_scratch(&job) + 64, 1);
    job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
    const double begin = bench_seconds_now();
    for (size_t first = 0; first < count; first += TREES_BAND) {
        job.lane = trees->lane + first;
        job.lane_count = mcd_size_min(TREES_BAND, count - first);
        bench_expect_ok(backend->sssp(&job, &error), &error);
    }
    const double seconds = bench_seconds_now() - begin;
    return seconds;
}

static void check_trees(const trees_bench *trees, bench_dijkstra *dijkstra)
{
    const size_t nodes = trees->graph.graph.node_count;
    for (uint32_t source = 0; source < TREES_CHECKED; ++source) {
        const uint32_t *right = dijkstra_tree(dijkstra, source), *found = trees->row + source * nodes;
        for (size_t node = 0; node < nodes; ++node)
            if (found[node] != right[node] && (found[node] & right[node]) < MCD_UNREACHED) {
                fprintf(stderr, "papers_dense: %zu nodes: a tree is not Dijkstra's\n", nodes);
                exit(1);
            }
    }
}

/* Gives the machine the arrays that it needs to grow trees. */
static void begin_trees(trees_bench *trees)
{
    const uint64_t bytes = (uint64_t)TREES_BAND * trees->graph.graph.node_count * sizeof *trees->row;
    mcd_device *const device = engine_of(trees->bench)->device;
    const mcd_device_table *table = backend_of(trees->bench)->device;
    macadam_error error;
    if (!device) {
        trees->row = checked_allocate(bytes, 1);
        return;
    }
    bench_expect_ok(table->arcs_new(&trees->graph.arcs.device, device, &trees->graph.arcs, &error), &error);
    bench_expect_ok(table->memory_new((void **)&trees->row, device, 0, MCD_MEMORY_PINNED, bytes, &error),
                    &error);
}

static void end_trees(trees_bench *trees)
{
    mcd_device *const device = engine_of(trees->bench)->device;
    const mcd_device_table *table = backend_of(trees->bench)->device;
    if (!device) {
        free(trees->row);
        return;
    }
    table->arcs_free(trees->graph.arcs.device);
    table->memory_free(device, 0, MCD_MEMORY_PINNED, trees->row);
    trees->graph.arcs.device = NULL;
}

static double print_trees(trees_bench *trees, machine on, bench_dijkstra *dijkstra)
{
    const size_t nodes = trees->graph.graph.node_count, count = on == HOST ? TREES_HOST : nodes;
    trees->bench->on = on;
    begin_trees(trees);
    (void)grow_trees(trees, TREES_CHECKED);
    check_trees(trees, dijkstra);
    const double seconds = grow_trees(trees, count) * (double)nodes / (double)count;
    printf(" %s%*.4f", count < nodes ? "~" : "", count < nodes ? 10 : 11, seconds);
    fflush(stdout);
    end_trees(trees);
    return seconds;
}

static double time_dijkstra(bench_dijkstra *dijkstra, size_t nodes)
{
    const double begin = bench_seconds_now();
    for (uint32_t source = 0; source < TREES_CHECKED; ++source) (void)dijkstra_tree(dijkstra, source);
    return (bench_seconds_now() - begin) * (double)nodes / TREES_CHECKED;
}

/* All pairs by repeated searches. */
static void measure_trees(papers_bench *bench, uint32_t node_count)
{
    const generate_graph how = generate_uniform(node_count, TREE_DEGREE, 1);
    trees_bench trees = {.bench = bench, .lane = checked_allocate(node_count, sizeof *trees.lane)};
    const oracle_arcs arcs = {node_count,
                              how.arc_count,
                              checked_allocate(how.arc_count, sizeof(uint32_t)),
                              checked_allocate(how.arc_count, sizeof(uint32_t)),
                              checked_allocate(how.arc_count, sizeof(uint32_t)),
                              NULL};
    generate_arcs(&how, (uint32_t *)arcs.tail, (uint32_t *)arcs.head, (uint32_t *)arcs.objective, 1);
    bench_dijkstra *const dijkstra = dijkstra_new(&arcs);
    large_graph_generate(&trees.graph, &how, false, &bench->engine[HOST].parallel);
    for (uint32_t node = 0; node < node_count; ++node) trees.lane[node] = mcd_lane_of(node);
    printf("%-32s %6u ~%10.4f", trees_name, node_count, time_dijkstra(dijkstra, node_count));
    print_trees(&trees, HOST, dijkstra);
    printf(" %11s %11s", "", "");
    double now[MACHINE_COUNT] = {0};
    for (machine on = ONE_GPU; on < MACHINE_COUNT; ++on)
        if (has(bench, on)) now[on] = print_trees(&trees, on, dijkstra);
    printf("\n");
    print_published(trees_name, node_count, now[ONE_GPU]);
    dijkstra_free(dijkstra);
    large_graph_free(&trees.graph);
    free((void *)arcs.tail), free((void *)arcs.head), free((void *)arcs.objective);
    free(trees.lane);
}

/* ---- the table ---- */

/* Prints the least time and returns it; the first way to an answer decides what is right. */
static double print_time(papers_bench *bench, way find, machine on, bool is_first)
{
    bench->on = on;
    double best = find(bench);
    const size_t bytes = cell_count(bench) * sizeof *bench->found;
    for (int run = 1; run < RUNS && best < 1; ++run) {
        const double seconds = find(bench);
        if (seconds < best) best = seconds;
    }
    if (is_first) memcpy(bench->right, bench->found, bytes);
    if (memcmp(bench->right, bench->found, bytes) != 0) {
        fprintf(stderr, "papers_dense: %u nodes: answers differ\n", bench->how.node_count);
        exit(1);
    }
    printf(" %11.6f", best);
    fflush(stdout);
    return best;
}

/* 0: it was not measured. */
static double print_if(papers_bench *bench, bool is_asked, way find, machine on, bool is_first)
{
    if (is_asked && find && has(bench, on)) return print_time(bench, find, on, is_first);
    printf(" %11s", "");
    return 0;
}

/* ways: the plain loops, the library, a thread a pair, a thread a node (closures: tiles). */
static void print_row(papers_bench *bench, const char *what, const way *ways, bool is_closure)
{
    const uint32_t n = bench->how.node_count;
    printf("%-32s %6u", what, n);
    print_if(bench, n <= PLAIN_MAX, ways[0], HOST, true);
    print_if(bench, true, ways[1], HOST, n > PLAIN_MAX);
    print_if(bench, true, ways[2], ONE_GPU, false);
    print_if(bench, is_closure || n <= PER_NODE_MAX, ways[3], ONE_GPU, false);
    const double now = print_if(bench, true, ways[1], ONE_GPU, false);
    print_if(bench, true, ways[1], ALL_GPUS, false);
    printf("\n");
    print_published(what, n, now);
}

/* Of an acyclic graph only the closure. */
static void print_rows(papers_bench *bench, const char *kind, generate_graph how, bool is_acyclic)
{
#ifdef BENCH_CUDA
    static const way pairs[] = {run_plain, run_blocked, run_per_pair, run_per_node};
    static const way closure[] = {close_plain, close_bits, close_per_pair, close_tiled};
#else
    static const way pairs[] = {run_plain, run_blocked, NULL, NULL};
    static const way closure[] = {close_plain, close_bits, NULL, NULL};
#endif
    char what[2][40];
    snprintf(what[0], sizeof what[0], "all pairs, %s", kind);
    snprintf(what[1], sizeof what[1], "closure, %s", kind);
    if (!is_asked(bench, what[0]) && !is_asked(bench, what[1])) return;
    make_graph(bench, how, is_acyclic);
    for (int i = is_acyclic; i < 2; ++i)
        if (is_asked(bench, what[i])) print_row(bench, what[i], i == 0 ? pairs : closure, i == 1);
    free_graph(bench);
}

static void print_table(papers_bench *bench, bool full)
{
    printf("%-32s %6s %11s %11s %11s %11s %11s %11s\n", "seconds", "nodes", "plain loops", "library",
           "GPU: a pair", "GPU: a node", "GPU: ours", "all GPUs");
    printf("%-32s %6s %11s %11s %11s %11s\n", "", "", "", "", "a thread", "or tiles");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (full || sizes[i] <= SMALL_MAX) {
            print_rows(bench, "random", generate_uniform(sizes[i], DEGREE, 1), false);
            print_rows(bench, "acyclic", generate_uniform(sizes[i], DEGREE, 1), true);
        }
    print_rows(bench, "few hubs", generate_scale_free(SKEWED_PAPER, DEGREE / 4, 1), false);
    print_rows(bench, "few hubs", generate_scale_free(SKEWED, DEGREE / 4, 1), false);
    for (size_t i = 0; i < (full ? 2 : 1); ++i)
        if (is_asked(bench, trees_name)) measure_trees(bench, tree_sizes[i]);
}

/* The device that was named, and if it has several GPUs its first one beside it. */
static void open_devices(papers_bench *bench, const char *device)
{
    macadam_engine *const one = &bench->engine[ONE_GPU], *const all = &bench->engine[ALL_GPUS];
    BENCH_CALL(mcd_engine_choose_device, one, device);
    if (!one->device || one->backend->device->gpus(one->device, NULL, 0) == 1) return;
    all->backend = one->backend, all->device = one->device;
    BENCH_CALL(mcd_engine_choose_device, one, "cuda");
}

int main(int argc, char **argument)
{
    papers_bench bench = {0};
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
        else if (strcmp(argument[i], "--only") == 0 && i + 1 < argc)
            bench.only = argument[++i];
    for (machine on = HOST; on < MACHINE_COUNT; ++on)
        bench.engine[on].parallel = mcd_parallel_of(threads, NULL);
    open_devices(&bench, device);
    printf("%s, %u threads", mcd_cpu_backend()->name, bench.engine[HOST].parallel.thread_count);
    for (machine on = ONE_GPU; on < MACHINE_COUNT; ++on)
        if (has(&bench, on)) printf("; %s", mcd_engine_device_name(&bench.engine[on]));
    printf("\n");
    print_table(&bench, full);
    for (machine on = ONE_GPU; on < MACHINE_COUNT; ++on) mcd_engine_close_device(&bench.engine[on]);
    return 0;
}
