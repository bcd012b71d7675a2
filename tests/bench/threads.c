/* threads.c - where a second thread pays: threads FILE.mcd [RUNS [THREADS [ONLY]]]
 *
 * Questions of several sizes by an engine of one thread and one of THREADS (2), in turns: the least times of RUNS (9), the
 * gain, and the processor time of several threads over that of one. Both engines' answers are compared. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLACES = 4096, CELLS = 1 << 20, LIMIT = 600000, NEAREST = 5, TARGETS = 1000, RUNS = 9 };
static const double RUN_S = 2e-5;

typedef struct threads_bench {
    macadam_engine *engine[2];
    size_t id_count;
    macadam_place place[PLACES], point[PLACES];
    uint32_t *answer[2]; /* [cells], of each engine */
    size_t cells;
} threads_bench;

/* Answers `count` of a question to out. */
typedef void (*threads_ask)(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out);

static void ask_trees(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out,
                      const char *method)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = b->place, request.source_count = count, request.method = method;
    BENCH_CALL(macadam_tree_find, (uint32_t *[]){out}, NULL, engine, NULL, &request);
}

static void ask_sweeps(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_trees(b, engine, count, out, NULL);
}

static void ask_near_far(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_trees(b, engine, count, out, "near-far");
}

static void ask_searches(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out,
                         uint32_t *parent)
{
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = b->place, request.source_count = count;
    BENCH_CALL(macadam_hops_find, out, parent, NULL, engine, NULL, &request);
}

static void ask_hops(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_searches(b, engine, count, out, NULL);
}

static void ask_parents(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_searches(b, engine, count, out, out + count * b->id_count);
}

static void ask_matrix(macadam_engine *engine, const macadam_place *place, size_t count, uint32_t *out)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place, request.target = place + PLACES / 2;
    request.source_count = request.target_count = count;
    BENCH_CALL(macadam_matrix_find_into, (uint32_t *[]){out}, NULL, engine, NULL, &request);
}

static void ask_ids(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_matrix(engine, b->place, count, out);
}

static void ask_points(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    ask_matrix(engine, b->point, count, out);
}

static void ask_pairs(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = b->place, request.target = b->place + PLACES / 2, request.pair_count = count;
    BENCH_CALL(macadam_routes_find, (uint32_t *[]){out}, NULL, engine, NULL, &request);
}

static void ask_reach(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    static uint64_t nodes[PLACES];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    request.source = b->place, request.source_count = count;
    request.limit = (uint32_t[]){LIMIT}, request.limit_count = 1;
    answer.node_count = nodes;
    BENCH_CALL(macadam_reach_find, &answer, NULL, engine, NULL, &request);
    for (size_t i = 0; i < count; ++i) out[i] = (uint32_t)nodes[i];
}

static void ask_nearest(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    request.source = b->place, request.source_count = count;
    request.target = b->place + PLACES / 2, request.target_count = TARGETS, request.nearest_count = NEAREST;
    answer.nearest_cost = out;
    BENCH_CALL(macadam_reach_find, &answer, NULL, engine, NULL, &request);
}

static void ask_snaps(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    static macadam_snap snap[PLACES];
    BENCH_CALL(macadam_snap_find, snap, engine, NULL, b->point, count);
    for (size_t i = 0; i < count; ++i) out[i] = (uint32_t)snap[i].arc;
}

static void ask_areas(threads_bench *b, macadam_engine *engine, size_t count, uint32_t *out)
{
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    request.source = b->place, request.source_count = count;
    request.limit = (uint32_t[]){LIMIT}, request.limit_count = 1;
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    BENCH_CALL(macadam_rings_find, &rings, engine, NULL, &request);
    out[0] = (uint32_t)rings->point_count;
}

typedef struct threads_question {
    const char *name;
    threads_ask ask;
    size_t count[5];
    bool needs_points;
} threads_question;

static const threads_question questions[] = {
    {"tree", ask_sweeps, {1, 2, 16, 64}, false},
    {"near-far", ask_near_far, {1, 2, 16}, false},
    {"hops", ask_hops, {1, 2, 16}, false},
    {"hops and parents", ask_parents, {1, 2}, false},
    {"matrix of ids, side", ask_ids, {2, 10, 30, 100, 1000}, false},
    {"pairs of ids", ask_pairs, {2, 10, 100, 1000}, false},
    {"reach", ask_reach, {1, 2, 16, 64}, false},
    {"nearest", ask_nearest, {1, 10, 100, 1000}, false},
    {"matrix of points, side", ask_points, {2, 10, 30, 100, 1000}, true},
    {"snapped points", ask_snaps, {2, 10, 100, 1000}, true},
    {"areas", ask_areas, {1, 2, 8}, true},
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Asks `repeat` times; lowers the least times of a question: of the clock, and of the processor. */
static void time_run(threads_bench *b, const threads_question *q, size_t count, unsigned e, size_t repeat,
                     double least[2])
{
    static const clockid_t clock[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
    double begin[2];
    for (int c = 0; c < 2; ++c) begin[c] = seconds_of(clock[c]);
    for (size_t i = 0; i < repeat; ++i) q->ask(b, b->engine[e], count, b->answer[e]);
    for (int c = 0; c < 2; ++c) {
        const double seconds = (seconds_of(clock[c]) - begin[c]) / (double)repeat;
        if (seconds < least[c]) least[c] = seconds;
    }
}

static void measure(threads_bench *b, const threads_question *q, size_t count, size_t runs)
{
    double least[2][2] = {{1e9, 1e9}, {1e9, 1e9}};
    for (size_t run = 0; run < runs + 2; ++run) { /* the first two warm up */
        const double first = least[0][0];
        const size_t repeat = run == 0 || first > RUN_S ? 1 : (size_t)(RUN_S / first) + 1;
        if (run == 2) least[0][0] = least[0][1] = least[1][0] = least[1][1] = 1e9;
        for (unsigned e = 0; e < 2; ++e) time_run(b, q, count, e, repeat, least[e]);
    }
    if (memcmp(b->answer[0], b->answer[1], b->cells * sizeof **b->answer) != 0)
        fprintf(stderr, "threads: %s: the answers differ\n", q->name), exit(1);
    printf("| %s, %zu | %.4g us | %.4g us | %.2f | %.2f |\n", q->name, count, 1e6 * least[0][0],
           1e6 * least[1][0], least[0][0] / least[1][0], least[1][1] / least[0][1]);
    fflush(stdout);
}

static double draw(test_rng *rng, double from, double to)
{
    return from + (to - from) * (0.2 + 0.6e-6 * rng_below(rng, 1000000));
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: threads FILE.mcd [RUNS [THREADS [ONLY]]]\n"), 2;
    static threads_bench b;
    const size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : RUNS;
    const unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 2;
    for (unsigned e = 0; e < 2; ++e) {
        const macadam_engine_options options = {
            .size = sizeof options, .device = "cpu", .threads = e ? threads : 1};
        BENCH_CALL(macadam_engine_open, &b.engine[e], argv[1], &options);
    }
    macadam_info info = MACADAM_INFO_INIT;
    macadam_error error;
    BENCH_CALL(macadam_engine_info, &info, b.engine[0]);
    const int64_t *const id = macadam_engine_ids(b.engine[0], &error);
    b.id_count = info.id_count;
    b.cells = 64 * b.id_count > CELLS ? 64 * b.id_count : CELLS;
    test_rng rng = {2026};
    for (size_t i = 0; i < PLACES; ++i) {
        b.place[i].id = id[rng_below(&rng, (uint32_t)b.id_count)];
        b.point[i] = macadam_point(draw(&rng, info.west, info.east), draw(&rng, info.south, info.north));
    }
    for (unsigned e = 0; e < 2; ++e) b.answer[e] = checked_zeroed(b.cells, sizeof *b.answer[e]);
    printf("| question | 1 thread | %u threads | times as fast | processor time |\n|---|---|---|---|---|\n",
           threads);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; ++i)
        for (size_t c = 0; c < 5 && questions[i].count[c] > 0; ++c)
            if (!(questions[i].needs_points && !info.has_geometry) &&
                (argc < 5 || strstr(questions[i].name, argv[4])))
                measure(&b, &questions[i], questions[i].count[c], runs);
    for (unsigned e = 0; e < 2; ++e) {
        free(b.answer[e]);
        macadam_engine_close(b.engine[e]);
    }
    return 0;
}
