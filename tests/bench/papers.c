/* papers.c - the papers, then and now: what they measured, on the graphs that they measured where those
 * can be made, beside what this library takes and what the vertex-mask methods take in the same run.
 *
 *   papers [--max-nodes N] [--seconds S] [--runs N] [--threads N] [--device DEVICE] [--memory BYTES] [--delta COST]
 *          [--only TEXT] [GRAPH]... [-- [QUESTION]...]
 *
 * Graphs have the papers' sizes, but at most N nodes (a million). Each GRAPH (as large_graph_make names them) is
 * measured as roads are, or by the questions of these names (papers_list.c); after "--", the papers' graphs are left
 * out. DEVICE ("cuda") is used if there is such a GPU and the module macadam_cuda is found; answers stay in its memory.
 * BYTES: of each GPU, for arcs and scratch; arcs that do not fit are read from the host. COST: the step of near-far (0:
 * chosen). The host uses N threads (one). A figure is the median over N (20) random sources (connections: pairs), with
 * the least and the most, or over as many as are done in S seconds (1), at least one. A search by a
 * baseline, which are the vertex masks, a thread a pair of neighbours and the searches of Merrill et al., is
 * given up after S seconds, the last ones once a list holds twice all arcs. "follows": arcs followed over
 * those that leave reached nodes.
 * Graphs of more than 400 M arcs for each of those are not measured on the host. TE/s: arcs that leave
 * reached nodes over time, inspected or not. Answers to the first source are right, or the program ends.
 * The last column compares a published figure with this machine's: a GPU's with the GPU, a processor's with
 * the processor, on a graph of the paper's size only. */
#include "tests/bench/bench.h"
#include "tests/bench/large_graph.h"
#include "tests/bench/mask.h"
#include "tests/bench/papers_list.h"
#include "tests/bench/papers_published.h"
#include "tests/bench/search_check.h"
#include "tests/support/checked.h"

#include "engine/base/memory.h"
#include "engine/base/system/platform.h"
#include "kernels/cuda/device/module.h"

#include <stdio.h>
#include <string.h>

#ifdef BENCH_CUDA
#include "tests/bench/mask_device.h"
#include "tests/bench/rounds_device.h"
#endif

enum { SOURCES = 20, LANES_MAX = 64, HOST_ARCS_A_SECOND = 400000000 };

/* Where a question is answered. */
typedef enum column { ON_GPU, ON_HOST, MASKS_ON_GPU, MASKS_ON_HOST, COLUMN_COUNT } column;

typedef struct bench {
    const mcd_backend *host, *gpu; /* gpu: NULL if there is none */
    mcd_device *device;
    size_t gpu_count;
    mcd_weight delta;
    mcd_parallel parallel, searching; /* what graphs are made on; what searches run on */
    double seconds;
    size_t runs;
    char **question; /* names, then NULL; none: those of the experiment */
    large_graph graph;
    mcd_node source[SOURCES], target[SOURCES];
    uint64_t reached_arcs[SOURCES]; /* 0: not yet counted */
    uint32_t *answer;               /* [node_count], as what follows */
    mcd_node *parent;
    uint32_t *right_hops, *right_costs; /* of the first source */
    bool knows_hops, knows_costs;
    uint32_t *gpu_answer; /* in its memory; that of a question with several lanes has one row each */
    mcd_node *gpu_parent;
    bench_mask *mask;
#ifdef BENCH_CUDA
    mask_device *gpu_mask;
    rounds_device *gpu_rounds;
    culling_device *gpu_culling;
#endif
    uint64_t followed; /* arcs, by the last question that counts them */
    void *scratch;     /* kept from search to search, as an engine does */
    size_t scratch_bytes;
} bench;

/* ---- questions to a backend ---- */

static void *scratch_of(bench *b, size_t bytes)
{
    if (bytes > b->scratch_bytes) {
        mcd_free(b->scratch);
        b->scratch = checked_memory(mcd_allocate(bytes, 1), bytes, 1);
        b->scratch_bytes = bytes;
    }
    return b->scratch;
}

static void ask_hops(bench *b, const question *q, column where, size_t i)
{
    macadam_error error;
    const bool on_gpu = where == ON_GPU;
    mcd_hops_job job = {.arcs = &b->graph.arcs,
                        .source = &b->source[i],
                        .source_count = 1,
                        .limit = UINT32_MAX,
                        .strategy = q->strategy,
                        .column_count = b->graph.graph.node_count,
                        .hops = on_gpu ? b->gpu_answer : b->answer,
                        .parallel = b->searching};
    if (q->parents) job.parent = on_gpu ? b->gpu_parent : b->parent;
    if (!on_gpu) job.scratch = scratch_of(b, b->host->hops_scratch(&job));
    bench_expect_ok((on_gpu ? b->gpu : b->host)->hops(&job, &error), &error);
}

static void ask_connection(bench *b, const question *q, column where, size_t i)
{
    macadam_error error;
    const bool on_gpu = where == ON_GPU;
    mcd_connect_job job = {
        .arcs = &b->graph.arcs, .source = b->source[i], .target = b->target[i], .hops = b->answer};
    if (q->parents) job.path = b->parent, job.path_capacity = b->graph.graph.node_count;
    if (!on_gpu) job.scratch = scratch_of(b, b->host->connect_scratch(&job));
    bench_expect_ok((on_gpu ? b->gpu : b->host)->connect(&job, &error), &error);
}

static size_t lanes_of(const question *q)
{
    return q->lanes ? q->lanes : 1;
}

static void ask_costs(bench *b, const question *q, column where, size_t i)
{
    macadam_error error;
    const bool on_gpu = where == ON_GPU;
    mcd_lane lane[LANES_MAX];
    const size_t lanes = lanes_of(q);
    for (size_t l = 0; l < lanes; ++l) lane[l] = mcd_lane_of(b->source[(i + l) % SOURCES]);
    mcd_sssp_job job = {.arcs = q->unsorted ? &b->graph.unsorted : &b->graph.arcs,
                        .method = q->kind == ASK_ROUNDS ? MCD_TREE_BELLMAN_FORD : q->method,
                        .lane = lane,
                        .lane_count = lanes,
                        .limit = MCD_WEIGHT_MAX,
                        .delta = b->delta,
                        .column_count = b->graph.graph.node_count,
                        .lane_stride = b->graph.graph.node_count,
                        .column_stride = 1,
                        .objective = on_gpu ? b->gpu_answer : b->answer,
                        .parallel = b->searching};
    if (!on_gpu) job.scratch = scratch_of(b, b->host->sssp_scratch(&job));
    bench_expect_ok((on_gpu ? b->gpu : b->host)->sssp(&job, &error), &error);
}

/* ---- questions to baselines; false: it was given up ---- */

static bool ask_masks(bench *b, const question *q, size_t i, double end)
{
    switch (q->kind) {
    case ASK_HOPS:
        return mask_hops(b->mask, b->source[i], end, b->answer);
    case ASK_CONNECTION:
        return mask_connect(b->mask, b->source[i], b->target[i], end, b->answer);
    default:
        return mask_costs(b->mask, b->graph.arcs.objective[MCD_FORWARD], b->source[i], end, b->answer);
    }
}

#ifdef BENCH_CUDA
static bool ask_gpu_masks(bench *b, const question *q, size_t i, double end, uint32_t *out)
{
    switch (q->kind) {
    case ASK_HOPS:
        return mask_device_hops(b->gpu_mask, b->source[i], end, out);
    case ASK_CONNECTION:
        return mask_device_connect(b->gpu_mask, b->source[i], b->target[i], end, b->answer);
    default:
        return mask_device_sssp(b->gpu_mask, b->source[i], end, out);
    }
}
#endif

/* ---- asking ---- */

static void read_gpu(bench *b, void *to, const void *from)
{
    const size_t bytes = (size_t)b->graph.graph.node_count * sizeof(uint32_t);
    macadam_error error;
    bench_expect_ok(b->gpu->device->memory_read(b->device, to, from, bytes, &b->parallel, &error), &error);
}

static void ask_backend(bench *b, const question *q, column where, size_t i, bool fetch)
{
    if (q->kind == ASK_CONNECTION) {
        ask_connection(b, q, where, i);
        return;
    }
    if (q->kind == ASK_HOPS)
        ask_hops(b, q, where, i);
    else
        ask_costs(b, q, where, i);
    if (where == ON_GPU && fetch) {
        read_gpu(b, b->answer, b->gpu_answer);
        if (q->parents) read_gpu(b, b->parent, b->gpu_parent);
    }
}

/* The answer to the i-th source, which is in b->answer if it is fetched; false: it was given up. */
static bool ask(bench *b, const question *q, column where, size_t i, bool fetch)
{
    const double end = bench_seconds_now() + b->seconds;
    if (where == MASKS_ON_HOST) return ask_masks(b, q, i, end);
#ifdef BENCH_CUDA
    uint32_t *const out = fetch ? b->answer : NULL;
    if (where == MASKS_ON_GPU) return ask_gpu_masks(b, q, i, end, out);
    if (where == ON_GPU && q->kind == ASK_ROUNDS)
        return rounds_device_sssp(b->gpu_rounds, b->source[i], q->read_only, end, out);
    if (where == ON_GPU && q->kind == ASK_CULLING) {
        b->followed = culling_device_hops(b->gpu_culling, b->source[i], q->strategy, q->how, end, out);
        return b->followed > 0;
    }
#endif
    ask_backend(b, q, where, i, fetch);
    return true;
}

static bool can_ask(const bench *b, const question *q, column where)
{
#ifdef BENCH_CUDA
    const bool has_baselines = true;
#else
    const bool has_baselines = false;
#endif
    const bool host_ends = b->graph.graph.arc_count <= b->seconds * HOST_ARCS_A_SECOND;
    switch (where) {
    case ON_GPU:
        return b->gpu && q->by & BY_GPU && (q->strategy != MCD_HOPS_DIVIDED || b->gpu_count > 1) &&
               (has_baselines || (q->kind != ASK_ROUNDS && q->kind != ASK_CULLING));
    case ON_HOST:
        return q->by & BY_HOST && host_ends;
    case MASKS_ON_GPU:
        return q->by & BY_MASKS && b->gpu && has_baselines;
    default:
        return q->by & BY_MASKS && host_ends;
    }
}

/* ---- checking ---- */

static const uint32_t *right_hops(bench *b)
{
    if (!b->knows_hops) search_hops(&b->graph.graph, b->source[0], b->right_hops);
    b->knows_hops = true;
    return b->right_hops;
}

static bool costs_are_right(bench *b)
{
    const size_t bytes = (size_t)b->graph.graph.node_count * sizeof *b->answer;
    if (b->knows_costs) return memcmp(b->answer, b->right_costs, bytes) == 0;
    b->knows_costs = search_costs_are_right(&b->graph.arcs, b->source[0], b->answer);
    memcpy(b->right_costs, b->answer, bytes);
    return b->knows_costs;
}

/* The row of the last lane; that of the first is compared as other answers are. */
static bool last_lane_is_right(bench *b, const question *q)
{
    const size_t last = lanes_of(q) - 1;
    if (last == 0) return true;
    read_gpu(b, b->answer, b->gpu_answer + last * b->graph.graph.node_count);
    return search_costs_are_right(&b->graph.arcs, b->source[last % SOURCES], b->answer);
}

static bool is_right(bench *b, const question *q)
{
    const mcd_graph *graph = &b->graph.graph;
    if (q->kind == ASK_CONNECTION) return b->answer[0] == right_hops(b)[b->target[0]];
    if (q->kind != ASK_HOPS && q->kind != ASK_CULLING) return costs_are_right(b) && last_lane_is_right(b, q);
    if (memcmp(b->answer, right_hops(b), graph->node_count * sizeof *b->answer) != 0) return false;
    return !q->parents || search_parents_are_right(graph, b->right_hops, b->parent);
}

static void expect_right(bench *b, const question *q, column where)
{
    static const char *const asked[COLUMN_COUNT] = {"the GPU", "the host", "masks on the GPU",
                                                    "masks on the host"};
    if (is_right(b, q)) return;
    fprintf(stderr, "papers: %s: a wrong answer of %s\n", q->name, asked[where]);
    exit(1);
}

/* ---- measuring ---- */

typedef struct figure {
    bool given_up;
    size_t count;
    double seconds[SOURCES], rate[SOURCES]; /* [count], TE/s; ascending */
    double followed
        [SOURCES]; /* [count]: ASK_CULLING: arcs followed, over those that leave reached nodes; ascending */
} figure;

/* Arcs that leave what the i-th source reaches. */
static uint64_t reached_arcs(bench *b, size_t i)
{
    const mcd_graph *graph = &b->graph.graph;
    const question any = {.kind = ASK_HOPS};
    if (b->reached_arcs[i] > 0) return b->reached_arcs[i];
    ask_backend(b, &any, b->gpu ? ON_GPU : ON_HOST, i, true);
    for (mcd_node node = 0; node < graph->node_count; ++node)
        if (b->answer[node] != UINT32_MAX)
            b->reached_arcs[i] += graph->first_out[node + 1] - graph->first_out[node];
    return b->reached_arcs[i];
}

/* Asks for the i-th, and fetches it or not; false: it was given up. */
static bool time_run(bench *b, const question *q, column where, size_t i, bool fetch, figure *out)
{
    const double begin = bench_seconds_now();
    out->given_up = !ask(b, q, where, i, fetch);
    out->seconds[i] = bench_seconds_now() - begin;
    out->followed[i] = (double)b->followed;
    return !out->given_up;
}

/* The first answer is checked; to be timed it is computed again, unless once has taken all the time there
 * is. */
static figure measure(bench *b, const question *q, column where)
{
    figure out = {0};
    if (!time_run(b, q, where, 0, true, &out)) return out;
    expect_right(b, q, where);
    out.count = out.seconds[0] > b->seconds;
    double spent = out.count > 0 ? out.seconds[0] : 0;
    while (out.count < b->runs && (out.count == 0 || spent < b->seconds)) {
        if (!time_run(b, q, where, out.count, false, &out)) return out;
        spent += out.seconds[out.count++];
    }
    for (size_t i = 0; i < out.count; ++i) {
        out.rate[i] = (double)reached_arcs(b, i) / out.seconds[i];
        out.followed[i] /= (double)reached_arcs(b, i);
    }
    bench_sort(out.seconds, out.count);
    bench_sort(out.rate, out.count);
    bench_sort(out.followed, out.count);
    return out;
}

/* ---- the table ---- */

static void print_figure(const bench *b, const question *q, const figure *found)
{
    const double *seconds = found->seconds;
    if (found->given_up && q->kind == ASK_CULLING) {
        printf(" lists overflow |");
        return;
    }
    if (found->given_up) {
        printf(" > %g s |", b->seconds);
        return;
    }
    printf(" %.3g ms", 1e3 * seconds[found->count / 2]);
    if (found->count > 1) printf(" (%.3g - %.3g)", 1e3 * seconds[0], 1e3 * seconds[found->count - 1]);
    if (q->kind != ASK_CONNECTION && !q->lanes) /* a connection follows few of the arcs */
        printf(", %.3g GTE/s", 1e-9 * found->rate[found->count / 2]);
    if (q->kind == ASK_CULLING) printf(", follows %.3f", found->followed[found->count / 2]);
    printf(" |");
}

static void print_count(uint32_t count, const char *what)
{
    if (count < 1000000)
        printf(", %u %s", count, what);
    else
        printf(", %.3g M %s", 1e-6 * count, what);
}

/* Then: all figures that were published; and now: how many times as fast the same kind of machine is today. */
static void print_published(const bench *b, const experiment *e, const question *q, const figure *found)
{
    const published_figure *then;
    const uint32_t nodes = b->graph.graph.node_count;
    for (size_t i = 0; (then = published_find(e->graph, nodes, q->name, i)) != NULL; ++i) {
        if (i > 0) printf(";");
        if (!found)
            published_print(then);
        else if (found[then->on_host].count > 0)
            published_print_ratio(then, found[then->on_host].seconds[found[then->on_host].count / 2],
                                  found[then->on_host].rate[found[then->on_host].count / 2]);
        else
            printf(" -");
    }
    printf(" |");
}

static void print_row(bench *b, const experiment *e, const question *q)
{
    const mcd_graph *graph = &b->graph.graph;
    figure found[COLUMN_COUNT] = {0};
    static_assert(ON_GPU == 0 && ON_HOST == 1, "published_figure.on_host is an index");
    printf("| %s | %s", e->paper, e->graph);
    print_count(graph->node_count, "nodes");
    print_count(graph->arc_count, "arcs");
    printf(" | %s |", q->name);
    print_published(b, e, q, NULL);
    for (column where = 0; where < COLUMN_COUNT; ++where) {
        const bool can = can_ask(b, q, where);
        if (can) found[where] = measure(b, q, where);
        if (can)
            print_figure(b, q, &found[where]);
        else
            printf(" - |");
    }
    print_published(b, e, q, found);
    printf("\n");
    fflush(stdout);
}

static void *gpu_rows(const bench *b, size_t count)
{
    void *rows;
    macadam_error error;
    bench_expect_ok(b->gpu->device->memory_new(&rows, b->device, 0, MCD_MEMORY_DEVICE,
                                               count * b->graph.graph.node_count * sizeof(uint32_t), &error),
                    &error);
    return rows;
}

static void run_question(bench *b, const experiment *e, const question *q)
{
    if (!can_ask(b, q, ON_GPU) && !can_ask(b, q, ON_HOST)) return;
    if (b->gpu) b->gpu_answer = gpu_rows(b, lanes_of(q));
#ifdef BENCH_CUDA
    const bool rounds = q->kind == ASK_ROUNDS && b->gpu, culling = q->kind == ASK_CULLING && b->gpu;
    if (rounds) b->gpu_rounds = rounds_device_new(q->unsorted ? &b->graph.unsorted : &b->graph.arcs);
    if (culling) b->gpu_culling = culling_device_new(&b->graph.arcs);
#endif
    print_row(b, e, q);
#ifdef BENCH_CUDA
    if (rounds) rounds_device_free(b->gpu_rounds);
    if (culling) culling_device_free(b->gpu_culling);
#endif
    if (b->gpu) b->gpu->device->memory_free(b->device, 0, MCD_MEMORY_DEVICE, b->gpu_answer);
}

/* ---- one graph ---- */

/* Sources that at least an arc leaves. */
static void draw_places(bench *b)
{
    const mcd_graph *graph = &b->graph.graph;
    test_rng rng = {7};
    for (size_t i = 0; i < SOURCES; ++i) {
        do b->source[i] = rng_below(&rng, graph->node_count);
        while (graph->first_out[b->source[i]] == graph->first_out[b->source[i] + 1]);
        b->target[i] = rng_below(&rng, graph->node_count);
        b->reached_arcs[i] = 0;
    }
}

static bool has_question(const bench *b, const experiment *e, const question *q)
{
    for (char **name = b->question; *name; ++name)
        if (strcmp(*name, q->name) == 0) return true;
    return !*b->question && e->set & q->sets;
}

/* Pairs, if rounds are measured. */
static void make_pairs(bench *b, const experiment *e)
{
    bool sorted = false, unsorted = false;
    for (const question *q = paper_questions; q < paper_questions + paper_question_count; ++q) {
        if (!has_question(b, e, q)) continue;
        sorted |= q->kind == ASK_ROUNDS || q->method == MCD_TREE_BELLMAN_FORD;
        unsorted |= q->unsorted;
    }
    if (sorted) large_graph_pair(&b->graph, &b->parallel);
    if (unsorted) large_graph_shuffle(&b->graph, &b->parallel);
}

static void place_on_gpu(bench *b, const char *name)
{
    const mcd_device_table *table = b->gpu->device;
    const double begin = bench_seconds_now();
    macadam_error error;
    bench_expect_ok(table->arcs_new(&b->graph.arcs.device, b->device, &b->graph.arcs, &error), &error);
    fprintf(stderr, "%s: placed in %.2f s; %.0f MB on the GPU\n", name, bench_seconds_now() - begin,
            1e-6 * (double)table->held(b->device).in_use);
    b->gpu_parent = gpu_rows(b, 1);
#ifdef BENCH_CUDA
    b->gpu_mask = mask_device_new(&b->graph.arcs);
#endif
}

static void leave_gpu(bench *b)
{
    const mcd_device_table *table = b->gpu->device;
    table->memory_free(b->device, 0, MCD_MEMORY_DEVICE, b->gpu_parent);
    table->arcs_free(b->graph.arcs.device);
#ifdef BENCH_CUDA
    mask_device_free(b->gpu_mask);
#endif
}

/* Of b->graph, which it frees. */
static void run_experiment(bench *b, const experiment *e)
{
    const size_t node_count = b->graph.graph.node_count;
    uint32_t **const array[] = {&b->answer, &b->parent, &b->right_hops, &b->right_costs};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i)
        *array[i] = checked_allocate(node_count, sizeof **array[i]);
    make_pairs(b, e);
    draw_places(b);
    b->knows_hops = b->knows_costs = false;
    b->mask = mask_new(&b->graph.graph);
    if (b->gpu) place_on_gpu(b, e->graph);
    for (size_t i = 0; i < paper_question_count; ++i)
        if (has_question(b, e, &paper_questions[i])) run_question(b, e, &paper_questions[i]);
    if (b->gpu) leave_gpu(b);
    mask_free(b->mask);
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) free(*array[i]);
    large_graph_free(&b->graph);
}

/* ---- the command ---- */

typedef struct options {
    uint32_t nodes_max;
    const char *only, *device; /* only: NULL: all */
    uint64_t memory;
    char **graph, **end; /* of the graphs */
    bool papers;         /* theirs, too */
} options;

static options read_options(int argc, char **argv, bench *b)
{
    options out = {.nodes_max = 1000000, .device = "cuda", .papers = true};
    char **at = argv + 1, **const end = argv + argc;
    bool known = true;
    for (; known && at + 1 < end && strncmp(*at, "--", 2) == 0 && (*at)[2]; at += 2) {
        const char *const name = *at + 2, *const value = at[1];
        if (strcmp(name, "max-nodes") == 0)
            out.nodes_max = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "seconds") == 0)
            b->seconds = strtod(value, NULL);
        else if (strcmp(name, "runs") == 0)
            b->runs = strtoul(value, NULL, 10);
        else if (strcmp(name, "threads") == 0)
            b->searching = mcd_parallel_of((unsigned)strtoul(value, NULL, 10), NULL);
        else if (strcmp(name, "device") == 0)
            out.device = value;
        else if (strcmp(name, "memory") == 0)
            out.memory = strtoull(value, NULL, 10);
        else if (strcmp(name, "delta") == 0)
            b->delta = (mcd_weight)strtoul(value, NULL, 10);
        else if (strcmp(name, "only") == 0)
            out.only = value;
        else
            known = false;
    }
    for (out.graph = out.end = at; out.end < end && strncmp(*out.end, "--", 2) != 0;) ++out.end;
    out.papers = out.end == end;
    b->question = out.papers ? end : out.end + 1;
    if (known && out.nodes_max >= 2 && b->runs >= 1 && b->runs <= SOURCES &&
        (out.papers || strcmp(*out.end, "--") == 0))
        return out;
    fprintf(stderr, "usage: papers [--max-nodes N] [--seconds S] [--runs N] [--threads N] [--device DEVICE] "
                    "[--memory BYTES] [--delta COST] [--only TEXT] [GRAPH]... [-- [QUESTION]...]\n");
    exit(2);
}

static void expect_names(char **name)
{
    for (; *name; ++name) {
        size_t i = 0;
        while (i < paper_question_count && strcmp(*name, paper_questions[i].name) != 0) ++i;
        if (i < paper_question_count) continue;
        fprintf(stderr, "papers: there is no question \"%s\"\n", *name);
        exit(2);
    }
}

static bool is_asked(const options *asked, const experiment *e)
{
    return !asked->only || strstr(e->paper, asked->only) || strstr(e->graph, asked->only);
}

static void run_graphs(bench *b, const options *asked)
{
    for (char **name = asked->graph; name < asked->end; ++name) {
        experiment roads = paper_roads;
        roads.graph = *name;
        if (!is_asked(asked, &roads)) continue;
        large_graph_make(&b->graph, *name, &b->parallel);
        run_experiment(b, &roads);
    }
}

/* Those of a paper's sizes that come to the same are measured once. */
static void run_papers(bench *b, const options *asked)
{
    generate_graph before = {0};
    for (size_t i = 0; i < paper_experiment_count; ++i) {
        const experiment *e = &paper_experiments[i];
        const generate_graph graph = experiment_graph(e, asked->nodes_max);
        const bool again =
            graph.kind == before.kind && graph.bits == before.bits && graph.arc_count == before.arc_count;
        before = graph;
        if (again || !is_asked(asked, e)) continue;
        large_graph_generate(&b->graph, &graph, e->undirected, &b->parallel);
        run_experiment(b, e);
    }
}

/* None if the module or the GPU is not there. */
static void open_gpu(bench *b, const options *asked)
{
    mcd_module_function function;
    macadam_error error;
    void *const symbol =
        mcd_platform_module_symbol("macadam_cuda", "MACADAM_CUDA_MODULE", MCD_MODULE_SYMBOL, NULL);
    if (!symbol) return;
    memcpy(&function, &symbol, sizeof function); /* ISO C knows no other way from data to functions */
    b->gpu = function(MCD_MODULE_VERSION, NULL);
    if (b->gpu && b->gpu->device->open(&b->device, asked->device, asked->memory, &error) != MACADAM_OK)
        b->gpu = NULL;
    if (b->gpu) b->gpu_count = b->gpu->device->gpus(b->device, NULL, 0);
}

int main(int argc, char **argv)
{
    bench b = {.host = mcd_cpu_backend(),
               .parallel = mcd_parallel_of(0, NULL),
               .searching = mcd_parallel_of(1, NULL),
               .seconds = 1,
               .runs = SOURCES};
    const options asked = read_options(argc, argv, &b);
    expect_names(b.question);
    open_gpu(&b, &asked);
    printf("GPU: %s; CPU: %s, %u threads\n\n", b.gpu ? b.gpu->device->name(b.device) : "none", b.host->name,
           b.searching.thread_count);
    printf(
        "| paper | graph | question | published | GPU | CPU | masks, GPU | masks, CPU | times as fast |\n");
    printf("|---|---|---|---|---|---|---|---|---|\n");
    run_graphs(&b, &asked);
    if (asked.papers) run_papers(&b, &asked);
    mcd_free(b.scratch);
    if (b.gpu) b.gpu->device->close(b.device);
    return 0;
}
