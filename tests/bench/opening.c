/* opening.c - from the file to the first answers: opening FILE.mcd [RUNS]
 *
 * Each run opens the file again, on one thread, and asks one kind of question between random points in the middle of the
 * map: a route; 20 routes one by one, with arcs and line; matrices of 10 x 10 and 100 x 100; a tree. Processor time in ms,
 * system included, least and median of RUNS (7); of the 20 routes also that of the calling thread for each: the first
 * includes opening. "Until any answer" is the slowest kind, but for the 20 routes. Answers must be the same in all
 * runs. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUTES = 20, PLACES = 200, RUNS_MAX = 100, KINDS = 5 };

static double ms_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static uint64_t add(uint64_t sum, uint64_t value)
{
    return sum * 31 + value;
}

/* Each returns a sum of the answer. */
static uint64_t ask_route(macadam_engine *engine, const macadam_place *place)
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    uint64_t sum = 0;
    request.waypoint = place, request.waypoint_count = 2;
    BENCH_CALL(macadam_route_find, &route, engine, NULL, &request);
    for (size_t i = 0; i < route->arc_count; ++i) sum = add(sum, (uint64_t)route->arc[i].arc);
    return add(sum, route->value[0]);
}

static uint64_t ask_matrix(macadam_engine *engine, const macadam_place *place, size_t size)
{
    FREED uint32_t *cost = checked_zeroed(size * size, sizeof *cost);
    uint32_t *const value[] = {cost};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    uint64_t sum = 0;
    request.source = place, request.source_count = size;
    request.target = place + PLACES / 2, request.target_count = size;
    BENCH_CALL(macadam_matrix_find_into, value, NULL, engine, NULL, &request);
    for (size_t i = 0; i < size * size; ++i) sum = add(sum, cost[i]);
    return sum;
}

static uint64_t ask_tree(macadam_engine *engine, const macadam_place *place)
{
    macadam_info info = MACADAM_INFO_INIT;
    BENCH_CALL(macadam_engine_info, &info, engine);
    FREED uint32_t *cost = checked_zeroed(info.id_count, sizeof *cost);
    uint32_t *const value[] = {cost};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    uint64_t sum = 0;
    request.source = place, request.source_count = 1;
    BENCH_CALL(macadam_tree_find, value, NULL, engine, NULL, &request);
    for (size_t i = 0; i < info.id_count; ++i) sum = add(sum, cost[i]);
    return sum;
}

typedef struct times {
    double total[KINDS][RUNS_MAX], route[ROUTES][RUNS_MAX];
    uint64_t sum[KINDS];
} times;

/* Opens the file and asks one kind of question. */
static uint64_t ask(times *out, const char *file, const macadam_place *place, int kind, size_t run)
{
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    uint64_t sum = 0;
    double begin = ms_of(CLOCK_THREAD_CPUTIME_ID);
    const double process = ms_of(CLOCK_PROCESS_CPUTIME_ID);
    BENCH_CALL(macadam_engine_open, &engine, file, &options);
    if (kind == 0) sum = ask_route(engine, place);
    if (kind == 2) sum = ask_matrix(engine, place, 10);
    if (kind == 3) sum = ask_matrix(engine, place, 100);
    if (kind == 4) sum = ask_tree(engine, place);
    for (size_t i = 0; kind == 1 && i < ROUTES; ++i) {
        sum = add(sum, ask_route(engine, place + 2 * i));
        const double end = ms_of(CLOCK_THREAD_CPUTIME_ID);
        out->route[i][run] = end - begin;
        begin = end;
    }
    out->total[kind][run] = ms_of(CLOCK_PROCESS_CPUTIME_ID) - process;
    return sum;
}

static double draw(test_rng *rng, double from, double to)
{
    return from + (to - from) * (0.2 + 0.6e-6 * rng_below(rng, 1000000));
}

static void draw_places(macadam_place *place, const char *file)
{
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_info info = MACADAM_INFO_INIT;
    test_rng rng = {2026};
    BENCH_CALL(macadam_engine_open, &engine, file, NULL);
    BENCH_CALL(macadam_engine_info, &info, engine);
    for (size_t i = 0; i < PLACES; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = draw(&rng, info.west, info.east),
                                   .lat = draw(&rng, info.south, info.north)};
}

static void print(const char *name, double *ms, size_t runs)
{
    bench_sort(ms, runs);
    printf("%-18s %8.2f %8.2f\n", name, ms[0], ms[runs / 2]);
}

int main(int argc, char **argv)
{
    static const char *const name[KINDS] = {"open + route", "open + 20 routes", "open + 10 x 10",
                                            "open + 100 x 100", "open + tree"};
    static times found;
    static macadam_place place[PLACES];
    if (argc < 2) return fprintf(stderr, "usage: opening FILE.mcd [RUNS]\n"), 2;
    const size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 7;
    if (runs < 1 || runs > RUNS_MAX) return fprintf(stderr, "runs: 1 to %d\n", RUNS_MAX), 2;
    draw_places(place, argv[1]);
    for (size_t run = 0; run < runs; ++run)
        for (int kind = 0; kind < KINDS; ++kind) {
            const uint64_t sum = ask(&found, argv[1], place, kind, run);
            if (run > 0 && sum != found.sum[kind])
                return fprintf(stderr, "%s: other answers\n", name[kind]), 1;
            found.sum[kind] = sum;
        }
    double slowest[RUNS_MAX] = {0};
    for (int kind = 0; kind < KINDS; ++kind) {
        print(name[kind], found.total[kind], runs);
        for (size_t run = 0; kind != 1 && run < runs; ++run) /* in the order of times */
            if (found.total[kind][run] > slowest[run]) slowest[run] = found.total[kind][run];
    }
    print("until any answer", slowest, runs);
    for (size_t i = 0; i < ROUTES; ++i) {
        char route[32];
        snprintf(route, sizeof route, "route %zu", i + 1);
        print(route, found.route[i], runs);
    }
    return 0;
}
