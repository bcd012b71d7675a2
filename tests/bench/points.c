/* points.c - what a matrix between points costs: points FILE.mcd [SIDE [RUNS]]
 *
 * SIDE (1,000) sources and as many targets, random points in the middle of the map, on one thread. Processor time; median
 * (least - most) of RUNS (15): of places that come for the first time, and of those whose roads are kept. Some cells are
 * compared with routes. */
#include "engine/runtime/engine.h"
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS_MAX = 100, CHECKED = 200 };

static double processor_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double draw(test_rng *rng, double from, double to)
{
    return from + (to - from) * (0.2 + 0.6e-6 * rng_below(rng, 1000000));
}

static void check(macadam_engine *engine, const macadam_place *place, size_t side, const uint32_t *cell,
                  test_rng *rng)
{
    for (size_t i = 0; i < CHECKED; ++i) {
        const size_t row = rng_below(rng, (uint32_t)side), column = rng_below(rng, (uint32_t)side);
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        const macadam_place way[] = {place[row], place[side + column]};
        request.waypoint = way, request.waypoint_count = 2, request.costs_only = true;
        BENCH_CALL(macadam_route_find, &route, engine, NULL, &request);
        if (route->value[0] == cell[row * side + column]) continue;
        fprintf(stderr, "row %zu, column %zu: %u, not %u\n", row, column, cell[row * side + column],
                route->value[0]);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: points FILE.mcd [SIDE [RUNS]]\n"), 2;
    const size_t side = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000,
                 runs = argc > 3 ? strtoul(argv[3], NULL, 10) : 15;
    if (runs < 1 || runs > RUNS_MAX || side < 1) return fprintf(stderr, "runs: 1 to %d\n", RUNS_MAX), 2;
    const double opening = bench_seconds_now();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_info info = MACADAM_INFO_INIT;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    BENCH_CALL(macadam_engine_open, &engine, argv[1], &options);
    BENCH_CALL(macadam_engine_info, &info, engine);
    FREED macadam_place *const place = checked_zeroed(2 * side, sizeof *place);
    FREED uint32_t *const cell = checked_zeroed(side * side, sizeof *cell);
    test_rng rng = {2026};
    for (size_t i = 0; i < 2 * side; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = draw(&rng, info.west, info.east),
                                   .lat = draw(&rng, info.south, info.north)};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place, request.source_count = side;
    request.target = place + side, request.target_count = side;
    enum { TIMES = 3 }; /* the roads are kept the second time */
    double seconds[TIMES][RUNS_MAX];
    for (size_t run = 0; run <= runs; ++run) { /* run 0 loads the map */
        mcd_known_roads_trim(&engine->known_roads);
        for (int time = 0; time < TIMES; ++time) {
            const double begin = processor_s();
            BENCH_CALL(macadam_matrix_find_into, (uint32_t *[]){cell}, NULL, engine, NULL, &request);
            if (run > 0)
                seconds[time][run - 1] = processor_s() - begin;
            else if (time == 0)
                bench_print_first(opening);
        }
    }
    check(engine, place, side, cell, &rng);
    for (int time = 0; time < TIMES; time += TIMES - 1) {
        double *const of = seconds[time];
        bench_sort(of, runs);
        printf("%zu x %zu points%s: %.2f ms (%.2f - %.2f)\n", side, side, time ? " again" : "",
               1e3 * of[runs / 2], 1e3 * of[0], 1e3 * of[runs - 1]);
    }
    return 0;
}
