/* steps.c - what a route between two points costs: steps FILE.mcd [RUNS]
 *
 * 400 routes between random points in the middle of the map, on one thread: only their cost, with arcs and line, and with
 * steps. Processor time a route; medians (least - most) of RUNS (15). */
#include "tests/bench/bench.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUTES = 400, RUNS_MAX = 100, KINDS = 3 };

static double processor_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double draw(test_rng *rng, double from, double to)
{
    return from + (to - from) * (0.2 + 0.6e-6 * rng_below(rng, 1000000));
}

/* Returns the seconds of a route, and adds up arcs and steps. */
static double ask(macadam_engine *engine, const macadam_place *place, size_t routes, int kind, size_t *arcs,
                  size_t *steps)
{
    const double begin = processor_s();
    *arcs = *steps = 0;
    for (size_t i = 0; i < routes; ++i) {
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        request.waypoint = place + 2 * i, request.waypoint_count = 2;
        request.costs_only = kind == 0, request.steps = kind == 2;
        BENCH_CALL(macadam_route_find, &route, engine, NULL, &request);
        *arcs += route->arc_count, *steps += route->step_count;
    }
    return (processor_s() - begin) / (double)routes;
}

int main(int argc, char **argv)
{
    static const char *const name[KINDS] = {"cost", "arcs and line", "with steps"};
    static macadam_place place[2 * ROUTES];
    if (argc < 2) return fprintf(stderr, "usage: steps FILE.mcd [RUNS]\n"), 2;
    const size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 15;
    if (runs < 1 || runs > RUNS_MAX) return fprintf(stderr, "runs: 1 to %d\n", RUNS_MAX), 2;
    const double opening = bench_seconds_now();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_info info = MACADAM_INFO_INIT;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    BENCH_CALL(macadam_engine_open, &engine, argv[1], &options);
    BENCH_CALL(macadam_engine_info, &info, engine);
    test_rng rng = {2026};
    for (size_t i = 0; i < 2 * ROUTES; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = draw(&rng, info.west, info.east),
                                   .lat = draw(&rng, info.south, info.north)};
    for (int kind = 0; kind < KINDS; ++kind) {
        double seconds[RUNS_MAX];
        size_t arcs, steps;
        ask(engine, place, 1, kind, &arcs, &steps);
        if (kind == 0) bench_print_first(opening);
        ask(engine, place, ROUTES, kind, &arcs, &steps);
        for (size_t run = 0; run < runs; ++run)
            seconds[run] = ask(engine, place, ROUTES, kind, &arcs, &steps);
        bench_sort(seconds, runs);
        printf("%-14s %.1f us (%.1f - %.1f), %.1f arcs and %.1f steps a route\n", name[kind],
               1e6 * seconds[runs / 2], 1e6 * seconds[0], 1e6 * seconds[runs - 1], (double)arcs / ROUTES,
               (double)steps / ROUTES);
    }
    return 0;
}
