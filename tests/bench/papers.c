/* papers.c - the papers, then and now: what they measured, on the graphs that they measured where those can
 * be made, beside what this library takes and what the vertex-mask method takes in the same run.
 *
 *   papers [--full] [--threads N] [--only TEXT] [FILE.mcd]...
 *
 * Graphs have the papers' sizes with --full, else a sixteenth of their nodes. Edge files are measured as road
 * networks. Medians over 20 random sources (connections: pairs), with the least and the most; the mask method
 * over 3, and not at all where its passes over all nodes would take minutes. TE/s: arcs that leave reached
 * nodes over time, inspected or not. Answers are compared with another method's before a time is printed. */
#include "tests/bench/bench.h"
#include "tests/bench/mask.h"
#include "tests/bench/papers_graph.h"
#include "tests/support/checked.h"

#include "engine/memory.h"

#include <stdio.h>
#include <string.h>

enum { SOURCES = 20, MASK_SOURCES = 3, SMALLER = 16 };
static const double mask_visits_max = 2e9; /* nodes that a search by mask passes over, at most */

/* ---- what the papers asked ---- */

typedef enum question {
    HOPS,
    HOPS_PARENTS,
    CONNECT,
    NEAR_FAR,
    BELLMAN_FORD,
    BELLMAN_FORD_UNSORTED,
    QUESTION_COUNT
} question;

static const char *const question_name[QUESTION_COUNT] = {
    [HOPS] = "BFS",
    [HOPS_PARENTS] = "BFS, parents",
    [CONNECT] = "st-connectivity",
    [NEAR_FAR] = "SSSP near-far",
    [BELLMAN_FORD] = "SSSP Bellman-Ford",
    [BELLMAN_FORD_UNSORTED] = "the same, pairs in no order",
};

enum { ASKED_MAX = 4 };

typedef struct experiment {
    const char *paper, *graph;
    generate_graph how; /* node_count 0: edge files */
    bool undirected;
    size_t asked_count;
    question asked[ASKED_MAX];
    const char *published[ASKED_MAX]; /* NULL: no figure for this graph and question is at hand */
} experiment;

#define HARISH   "Harish, Narayanan 2007 (8800 GTX)"
#define MERRILL  "Merrill, Garland, Grimshaw 2012 (C2050)"
#define KOLGANOV "Kolganov 2014 (GTX Titan)"

static uint32_t smaller(uint32_t count, bool full)
{
    return full ? count : count / SMALLER;
}

/* Along each axis of a grid of so many dimensions. */
static uint32_t shorter(uint32_t side, bool full, int dimensions)
{
    return full ? side : dimensions == 2 ? side / 4 : side * 2 / 5;
}

enum { EXPERIMENTS_MAX = 24 };

static size_t list_harish(experiment *out, bool full)
{
    static const uint32_t degree[] = {10, 50, 100};
    size_t count = 0;
    const uint32_t ten_million = smaller(10000000, full), hundred_thousand = 100000;
    out[count++] = (experiment){HARISH, "random, degree 6",        generate_uniform(ten_million, 6, 1), false,
                                3,      {HOPS, CONNECT, NEAR_FAR}, {NULL, NULL, "10 M nodes: 1.5 s"}};
    out[count++] = (experiment){
        HARISH, "scale-free", generate_scale_free(ten_million, 6, 1), false, 3, {HOPS, CONNECT, NEAR_FAR},
        {NULL}};
    for (size_t i = 0; i < sizeof degree / sizeof *degree; ++i)
        out[count++] = (experiment){HARISH,
                                    i == 0   ? "random, degree 10"
                                    : i == 1 ? "random, degree 50"
                                             : "random, degree 100",
                                    generate_uniform(hundred_thousand, degree[i], 1),
                                    false,
                                    2,
                                    {HOPS, NEAR_FAR},
                                    {NULL}};
    return count;
}

static size_t list_kolganov(experiment *out, bool full)
{
    static const char *const name[] = {"RMAT 2^14, degree 32", "RMAT 2^17, degree 32", "RMAT 2^20, degree 32",
                                       "RMAT 2^22, degree 32", "RMAT 2^24, degree 32"};
    static const unsigned bits[] = {14, 17, 20, 22, 24};
    size_t count = 0;
    for (size_t i = 0; i < (full ? 5 : 2); ++i)
        out[count++] = (experiment){KOLGANOV,
                                    name[i],
                                    generate_rmat(bits[i], 16, 0.45, 0.15, 0.15, 1),
                                    true,
                                    3,
                                    {BELLMAN_FORD, BELLMAN_FORD_UNSORTED, NEAR_FAR},
                                    {bits[i] == 20 ? "1.1 GTE/s" : NULL}};
    return count;
}

static size_t list_merrill(experiment *out, bool full)
{
    const uint32_t square = shorter(5000, full, 2), cube = shorter(300, full, 3);
    size_t count = 0;
    out[count++] = (experiment){MERRILL,
                                full ? "grid 5000 x 5000" : "grid 1250 x 1250",
                                generate_grid(square, square, 1, 1),
                                false,
                                2,
                                {HOPS, HOPS_PARENTS},
                                {NULL}};
    out[count++] = (experiment){MERRILL,
                                full ? "grid 300^3" : "grid 120^3",
                                generate_grid(cube, cube, cube, 1),
                                false,
                                2,
                                {HOPS, HOPS_PARENTS},
                                {NULL}};
    out[count++] = (experiment){MERRILL,
                                "random, degree 64",
                                generate_uniform(smaller(2000000, full), 64, 1),
                                false,
                                2,
                                {HOPS, HOPS_PARENTS},
                                {NULL}};
    out[count++] = (experiment){MERRILL,
                                full ? "RMAT 2^21, degree 64" : "RMAT 2^17, degree 64",
                                generate_rmat(full ? 21 : 17, 64, 0.45, 0.15, 0.15, 1),
                                false,
                                2,
                                {HOPS, HOPS_PARENTS},
                                {"fastest of all: 3.3 GTE/s"}};
    out[count++] = (experiment){"social networks, of today",
                                full ? "RMAT 2^20, degree 16" : "RMAT 2^17, degree 16",
                                generate_rmat(full ? 20 : 17, 16, 0.57, 0.19, 0.19, 1),
                                false,
                                3,
                                {HOPS, NEAR_FAR, BELLMAN_FORD},
                                {NULL}};
    return count;
}

/* ---- one graph under measurement ---- */

typedef struct bench {
    const mcd_backend *backend;
    mcd_parallel parallel;
    const papers_graph *graph;
    const mcd_arcs *arcs;
    bench_mask *mask;
    mcd_node source[SOURCES], target[SOURCES];
    uint32_t *answer, *right; /* [node_count] */
    mcd_node *parent;
    void *scratch; /* kept from search to search, as an engine does */
    size_t scratch_bytes;
} bench;

static void *scratch_of(bench *b, size_t bytes)
{
    if (bytes > b->scratch_bytes) {
        mcd_free(b->scratch);
        b->scratch = checked_memory(mcd_allocate(bytes, 1), bytes, 1);
        b->scratch_bytes = bytes;
    }
    return b->scratch;
}

static void run_hops(bench *b, size_t i, bool parents, mcd_hops_strategy strategy, uint32_t *hops)
{
    macadam_error error;
    mcd_hops_job job = {.arcs = b->arcs,
                        .source = &b->source[i],
                        .source_count = 1,
                        .limit = UINT32_MAX,
                        .strategy = strategy,
                        .column_count = b->arcs->graph->node_count,
                        .hops = hops,
                        .parent = parents ? b->parent : NULL,
                        .parallel = b->parallel};
    job.scratch = scratch_of(b, b->backend->hops_scratch(&job));
    bench_expect_ok(b->backend->hops(&job, &error), &error);
}

static void run_sssp(bench *b, size_t i, mcd_sssp_method method, bool unsorted, uint32_t *cost)
{
    macadam_error error;
    const mcd_lane lane = {{{b->source[i], 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    mcd_sssp_job job = {.arcs = unsorted ? &b->graph->unsorted->arcs : b->arcs,
                        .method = method,
                        .lane = &lane,
                        .lane_count = 1,
                        .limit = MCD_WEIGHT_MAX,
                        .column_count = b->arcs->graph->node_count,
                        .lane_stride = b->arcs->graph->node_count,
                        .column_stride = 1,
                        .objective = cost,
                        .parallel = b->parallel};
    job.scratch = scratch_of(b, b->backend->sssp_scratch(&job));
    bench_expect_ok(b->backend->sssp(&job, &error), &error);
}

static void run_connect(bench *b, size_t i, uint32_t *hops)
{
    macadam_error error;
    mcd_connect_job job = {
        .arcs = b->arcs, .source = b->source[i], .target = b->target[i], .hops = hops, .path = NULL};
    job.scratch = scratch_of(b, b->backend->connect_scratch(&job));
    bench_expect_ok(b->backend->connect(&job, &error), &error);
}

static void ask(bench *b, question what, size_t i)
{
    switch (what) {
    case HOPS:
    case HOPS_PARENTS:
        run_hops(b, i, what == HOPS_PARENTS, MCD_HOPS_AUTO, b->answer);
        break;
    case CONNECT:
        run_connect(b, i, b->answer);
        break;
    case NEAR_FAR:
        run_sssp(b, i, MCD_SSSP_NEAR_FAR, false, b->answer);
        break;
    default:
        run_sssp(b, i, MCD_SSSP_BELLMAN_FORD, what == BELLMAN_FORD_UNSORTED, b->answer);
    }
}

static void ask_mask(bench *b, question what, size_t i)
{
    if (what == HOPS || what == HOPS_PARENTS)
        mask_hops(b->mask, b->source[i], b->answer);
    else if (what == CONNECT)
        b->answer[0] = mask_connect(b->mask, b->source[i], b->target[i]);
    else
        mask_costs(b->mask, b->arcs->objective[MCD_FORWARD], b->source[i], b->answer);
}

/* ---- checking ---- */

/* Another method's answer to the i-th. */
static void ask_other(bench *b, question what, size_t i)
{
    if (what == NEAR_FAR || what == BELLMAN_FORD || what == BELLMAN_FORD_UNSORTED) {
        run_sssp(b, i, MCD_SSSP_DIJKSTRA, false, b->right);
        return;
    }
    run_hops(b, i, false, MCD_HOPS_EXPAND_CONTRACT, b->right);
    if (what == CONNECT) b->right[0] = b->right[b->target[i]];
}

static void check(bench *b, question what, void (*asked)(bench *b, question what, size_t i))
{
    const size_t count = what == CONNECT ? 1 : b->arcs->graph->node_count;
    asked(b, what, 0);
    ask_other(b, what, 0);
    if (memcmp(b->answer, b->right, count * sizeof *b->answer) == 0) return;
    fprintf(stderr, "papers: a wrong answer: %s\n", question_name[what]);
    exit(1);
}

/* Arcs that leave what the i-th source reaches, and the most hops to there. */
static double arcs_reached(bench *b, size_t i, uint32_t *most)
{
    const mcd_graph *graph = b->arcs->graph;
    double arcs = 0;
    run_hops(b, i, false, MCD_HOPS_AUTO, b->right);
    *most = 0;
    for (mcd_node v = 0; v < graph->node_count; ++v) {
        if (b->right[v] == MCD_COST_UNREACHED) continue;
        arcs += (double)(graph->first_out[v + 1] - graph->first_out[v]);
        if (b->right[v] > *most) *most = b->right[v];
    }
    return arcs;
}

/* ---- measuring ---- */

typedef struct spread {
    double least, median, most; /* seconds */
    double rate;                /* median TE/s */
} spread;

static spread measure(bench *b, question what, size_t count, const double *arcs,
                      void (*asked)(bench *b, question what, size_t i))
{
    double seconds[SOURCES], rate[SOURCES];
    for (size_t i = 0; i < count; ++i) {
        const double begin = bench_seconds_now();
        asked(b, what, i);
        seconds[i] = bench_seconds_now() - begin;
        rate[i] = arcs[i] / seconds[i];
    }
    bench_sort(seconds, count);
    bench_sort(rate, count);
    return (spread){seconds[0], seconds[count / 2], seconds[count - 1], rate[count / 2]};
}

static void print_rate(question what, const spread *found)
{
    printf(" %.3g ms (%.3g - %.3g)", 1e3 * found->median, 1e3 * found->least, 1e3 * found->most);
    if (what != CONNECT) printf(", %.3g GTE/s", 1e-9 * found->rate); /* a connection leaves most arcs alone */
    printf(" |");
}

static void run_question(bench *b, const experiment *e, size_t index, const double *arcs, uint32_t levels)
{
    const question what = e->asked[index];
    const mcd_graph *graph = b->arcs->graph;
    check(b, what, ask);
    const spread ours = measure(b, what, SOURCES, arcs, ask);
    printf("| %s | %s, %u nodes, %u arcs | %s | %s |", e->paper, e->graph, graph->node_count,
           graph->arc_count, question_name[what], e->published[index] ? e->published[index] : "");
    print_rate(what, &ours);
    if ((double)levels * graph->node_count <= mask_visits_max) {
        check(b, what, ask_mask);
        const spread mask = measure(b, what, MASK_SOURCES, arcs, ask_mask);
        print_rate(what, &mask);
        printf(" %.3g |\n", mask.median / ours.median);
    } else {
        printf(" | |\n");
    }
    fflush(stdout);
}

/* Sources that at least an arc leaves. */
static void draw_places(bench *b)
{
    const mcd_graph *graph = b->arcs->graph;
    test_rng rng = {7};
    for (size_t i = 0; i < SOURCES; ++i) {
        do b->source[i] = rng_below(&rng, graph->node_count);
        while (graph->first_out[b->source[i]] == graph->first_out[b->source[i] + 1]);
        b->target[i] = rng_below(&rng, graph->node_count);
    }
}

static void run_experiment(bench *b, const experiment *e, const papers_graph *graph)
{
    double arcs[SOURCES];
    uint32_t levels = 0;
    b->graph = graph;
    b->arcs = &graph->metric->arcs;
    const size_t node_count = b->arcs->graph->node_count;
    b->mask = mask_new(b->arcs->graph);
    b->answer = checked_allocate(node_count, sizeof *b->answer);
    b->right = checked_allocate(node_count, sizeof *b->right);
    b->parent = checked_allocate(node_count, sizeof *b->parent);
    draw_places(b);
    for (size_t i = 0; i < SOURCES; ++i) arcs[i] = arcs_reached(b, i, &levels);
    for (size_t i = 0; i < e->asked_count; ++i) run_question(b, e, i, arcs, levels);
    mask_free(b->mask);
    free(b->answer);
    free(b->right);
    free(b->parent);
}

/* ---- the command ---- */

typedef struct options {
    bool full;
    unsigned threads;
    const char *only; /* NULL: all */
    char **file;
    int file_count;
} options;

static options read_options(int argc, char **argv)
{
    options out = {.threads = 1};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; ++i) {
        if (strcmp(argv[i], "--full") == 0)
            out.full = true;
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            out.threads = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            out.only = argv[++i];
        else
            fprintf(stderr, "usage: papers [--full] [--threads N] [--only TEXT] [FILE.mcd]...\n"), exit(2);
    }
    out.file = argv + i;
    out.file_count = argc - i;
    return out;
}

static bool is_asked(const options *asked, const experiment *e)
{
    return !asked->only || strstr(e->paper, asked->only) || strstr(e->graph, asked->only);
}

static void run_files(bench *b, const options *asked)
{
    for (int i = 0; i < asked->file_count; ++i) {
        const experiment roads = {
            "roads", asked->file[i], {0}, false, 4, {HOPS, HOPS_PARENTS, CONNECT, NEAR_FAR}, {NULL}};
        papers_graph graph;
        if (!is_asked(asked, &roads)) continue;
        papers_graph_open(&graph, asked->file[i], &b->parallel);
        run_experiment(b, &roads, &graph);
        papers_graph_free(&graph);
    }
}

int main(int argc, char **argv)
{
    const options asked = read_options(argc, argv);
    bench b = {.backend = mcd_cpu_backend(), .parallel = {asked.threads, NULL}};
    experiment all[EXPERIMENTS_MAX];
    size_t count = list_harish(all, asked.full);
    count += list_kolganov(all + count, asked.full);
    count += list_merrill(all + count, asked.full);
    printf("%s, %u threads\n\n", b.backend->name, asked.threads);
    printf("| paper | graph | question | published | here | by vertex masks | of it |\n");
    printf("|---|---|---|---|---|---|---|\n");
    run_files(&b, &asked);
    for (size_t i = 0; i < count; ++i) {
        papers_graph graph;
        if (!is_asked(&asked, &all[i])) continue;
        papers_graph_generate(&graph, &all[i].how, all[i].undirected, &b.parallel);
        run_experiment(&b, &all[i], &graph);
        papers_graph_free(&graph);
    }
    mcd_free(b.scratch);
    return 0;
}
