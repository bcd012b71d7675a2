/* updates.c - the times of weight updates: of the call, and until a question after it is answered.
 *
 *   updates FILE.mcd WEIGHTS COMPANION_WEIGHTS [RUNS]
 *
 * FILE.mcd was imported from both (.gr or .gr.gz), as its first and second quantity. An update gives random
 * arcs, everywhere or within one place, half to twice their first weights, in both quantities. One thread.
 * Times are medians, with the least and the most: of the call, the processor's; until an answer, those that the caller
 * waits, because kept arcs may be made beside. A first update is that of an engine that has just been opened, or has answered
 * a matrix; FILE.mcd may be a compact file or a ready one. At the end, routes are compared with those of an engine that got the
 * same weights by a single update. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/dimacs_file.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 25, PAIRS = 2000, SIDE = 100, FEW = 10, LIMIT = 6000 };

typedef struct bench_run {
    const char *path;
    macadam_engine *engine;
    test_graph graph; /* the first weights */
    uint32_t *present[2];
    const char *quantity[2];
    uint64_t *arc;
    uint32_t *value[2];
    uint32_t *answer[2]; /* of any question */
    test_rng rng;
} bench_run;

typedef void (*bench_question)(bench_run *bench, macadam_engine *engine);

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static macadam_engine *open_file(bench_run *bench)
{
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    macadam_engine *engine;
    macadam_info info = MACADAM_INFO_INIT;
    BENCH_CALL(macadam_engine_open, &engine, bench->path, &options);
    BENCH_CALL(macadam_engine_info, &info, engine);
    for (size_t q = 0; q < 2; ++q) bench->quantity[q] = info.quantity[q];
    return engine;
}

static void send_update(bench_run *bench, macadam_engine *engine, size_t count)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = bench->arc;
    request.count = count;
    request.quantity = bench->quantity;
    request.quantity_count = 2;
    request.value = (const uint32_t *const *)bench->value;
    BENCH_CALL(macadam_update, engine, &request);
}

static void choose(bench_run *bench, size_t count, bool nearby)
{
    const size_t arc_count = bench->graph.arc_count;
    const size_t first = rng_below(&bench->rng, (uint32_t)arc_count);
    for (size_t i = 0; i < count; ++i) {
        const size_t arc = count == arc_count ? i
                           : nearby           ? (first + i) % arc_count
                                              : rng_below(&bench->rng, (uint32_t)arc_count);
        const uint32_t factor = 500 + rng_below(&bench->rng, 1500);
        bench->arc[i] = arc + 1;
        for (size_t q = 0; q < 2; ++q) {
            bench->value[q][i] = (uint32_t)((uint64_t)bench->graph.weight[q][arc] * factor / 1000);
            bench->present[q][arc] = bench->value[q][i];
        }
    }
}

static void find_routes(bench_run *bench, macadam_engine *engine, size_t count, uint32_t *const value[2])
{
    test_rng rng = {5};
    FREED macadam_place *const place = checked_zeroed(2 * count, sizeof *place);
    for (size_t i = 0; i < 2 * count; ++i)
        place[i].id = 1 + (int64_t)rng_below(&rng, (uint32_t)bench->graph.node_count);
    const macadam_query query = {.size = sizeof query, .quantity = bench->quantity, .quantity_count = 2};
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + count, .pair_count = count};
    BENCH_CALL(macadam_routes_find, value, NULL, engine, &query, &request);
}

/* Sorts the times. */
static void print_times(const char *name, double *seconds, size_t runs)
{
    bench_sort(seconds, runs);
    printf("%-44s %9.3f ms  (%.3f - %.3f)\n", name, 1e3 * seconds[runs / 2], 1e3 * seconds[0],
           1e3 * seconds[runs - 1]);
    fflush(stdout);
}

static void measure(bench_run *bench, const char *name, size_t count, size_t runs, bool nearby)
{
    FREED double *const seconds = checked_allocate(runs, sizeof *seconds);
    for (size_t i = 0; i < runs + 2; ++i) {
        choose(bench, count, nearby);
        const double begin = processor_seconds();
        send_update(bench, bench->engine, count);
        if (i >= 2) seconds[i - 2] = processor_seconds() - begin;
    }
    print_times(name, seconds, runs);
}

/* ---- until an answer ---- */

/* Prints the times of a question, and keeps the longer ones. */
static void print_until(const char *name, const char *question, double *seconds, double *longest, size_t runs)
{
    char line[64];
    snprintf(line, sizeof line, "%s, until %s", name, question);
    print_times(line, seconds, runs);
    for (size_t i = 0; i < runs; ++i)
        if (seconds[i] > longest[i]) longest[i] = seconds[i];
}

static void find_route(bench_run *bench, macadam_engine *engine)
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_place waypoint[2] = {{.id = 0}};
    for (size_t i = 0; i < 2; ++i)
        waypoint[i].id = 1 + (int64_t)rng_below(&bench->rng, (uint32_t)bench->graph.node_count);
    request.waypoint = waypoint, request.waypoint_count = 2;
    macadam_route *route;
    BENCH_CALL(macadam_route_find, &route, engine, NULL, &request);
    macadam_route_free(route);
}

static void find_few(bench_run *bench, macadam_engine *engine)
{
    find_routes(bench, engine, FEW, bench->answer);
}

/* Draws places; the caller frees them. */
static macadam_place *draw_places(bench_run *bench, size_t count)
{
    macadam_place *const place = checked_zeroed(count, sizeof *place);
    for (size_t i = 0; i < count; ++i)
        place[i].id = 1 + (int64_t)rng_below(&bench->rng, (uint32_t)bench->graph.node_count);
    return place;
}

static void find_matrix(bench_run *bench, macadam_engine *engine)
{
    FREED macadam_place *const place = draw_places(bench, 2 * (size_t)SIDE);
    const macadam_query query = {.size = sizeof query, .quantity = bench->quantity, .quantity_count = 2};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place, request.target = place + SIDE;
    request.source_count = request.target_count = SIDE;
    BENCH_CALL(macadam_matrix_find_into, bench->answer, NULL, engine, &query, &request);
}

static void find_tree(bench_run *bench, macadam_engine *engine)
{
    FREED macadam_place *const place = draw_places(bench, 1);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = place, request.source_count = 1;
    BENCH_CALL(macadam_tree_find, bench->answer, NULL, engine, NULL, &request);
}

static void find_isochrone(bench_run *bench, macadam_engine *engine)
{
    FREED macadam_place *const place = draw_places(bench, 1);
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *isochrone;
    request.source = *place, request.limit = LIMIT;
    BENCH_CALL(macadam_isochrone_find, &isochrone, engine, NULL, &request);
    macadam_isochrone_free(isochrone);
}

static const struct {
    const char *name;
    bench_question ask;
} questions[] = {{"a route", find_route},
                 {"10 routes", find_few},
                 {"a matrix, 100 x 100", find_matrix},
                 {"a tree", find_tree},
                 {"an isochrone", find_isochrone}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static void measure_until(bench_run *bench, const char *name, size_t count, size_t runs)
{
    FREED double *const seconds = checked_allocate(runs, sizeof *seconds);
    FREED double *const longest = checked_zeroed(runs, sizeof *longest);
    for (size_t q = 0; q < QUESTIONS; ++q) {
        for (size_t i = 0; i < runs + 3; ++i) {
            choose(bench, count, false);
            const double begin = seconds_now();
            send_update(bench, bench->engine, count);
            questions[q].ask(bench, bench->engine);
            if (i >= 3) seconds[i - 3] = seconds_now() - begin;
        }
        print_until(name, questions[q].name, seconds, longest, runs);
    }
    print_until(name, "any answer", longest, longest, runs);
}

/* The first update of an engine, of 1 arc, just opened or after a matrix, and each question after it. */
static void measure_first(bench_run *bench, size_t runs, bool is_asked)
{
    const char *const name = is_asked ? "the first update after a matrix" : "the first update";
    FREED double *const seconds = checked_allocate(runs, sizeof *seconds);
    FREED double *const longest = checked_zeroed(runs, sizeof *longest);
    for (size_t q = 0; q <= QUESTIONS; ++q) {
        for (size_t i = 0; i < runs; ++i) {
            macadam_engine *const engine = open_file(bench);
            if (is_asked) find_matrix(bench, engine);
            choose(bench, 1, false);
            const double begin = seconds_now();
            send_update(bench, engine, 1);
            if (q < QUESTIONS) questions[q].ask(bench, engine);
            seconds[i] = seconds_now() - begin;
            macadam_engine_close(engine);
        }
        if (q < QUESTIONS)
            print_until(name, questions[q].name, seconds, longest, runs);
        else
            print_times(name, seconds, runs);
    }
    print_until(name, "any answer", longest, longest, runs);
}

/* Returns whether an engine that gets all weights in one update answers the same. */
static bool is_same(bench_run *bench)
{
    uint32_t *value[4];
    for (size_t i = 0; i < 4; ++i) value[i] = checked_zeroed(PAIRS, sizeof *value[i]);
    macadam_engine *const fresh = open_file(bench);
    for (size_t i = 0; i < bench->graph.arc_count; ++i) {
        bench->arc[i] = i + 1;
        for (size_t q = 0; q < 2; ++q) bench->value[q][i] = bench->present[q][i];
    }
    find_routes(bench, bench->engine, PAIRS, value);
    send_update(bench, fresh, bench->graph.arc_count);
    find_routes(bench, fresh, PAIRS, value + 2);
    macadam_engine_close(fresh);
    const bool same = memcmp(value[0], value[2], PAIRS * sizeof **value) == 0 &&
                      memcmp(value[1], value[3], PAIRS * sizeof **value) == 0;
    for (size_t i = 0; i < 4; ++i) free(value[i]);
    return same;
}

int main(int argc, char **argv)
{
    bench_run bench = {.path = argv[1], .rng = {1}};
    if (argc < 4 || !dimacs_read_graph(&bench.graph, argv[2], argv[3])) {
        fprintf(stderr, "usage: updates FILE.mcd WEIGHTS COMPANION_WEIGHTS [RUNS]\n");
        return 1;
    }
    const size_t arc_count = bench.graph.arc_count, runs = argc > 4 ? strtoul(argv[4], NULL, 10) : RUNS;
    const size_t answers = bench.graph.node_count + (size_t)SIDE * SIDE + PAIRS;
    bench.arc = checked_allocate(arc_count, sizeof *bench.arc);
    for (size_t q = 0; q < 2; ++q) {
        bench.value[q] = checked_allocate(arc_count, sizeof *bench.value[q]);
        bench.present[q] = checked_allocate(arc_count, sizeof *bench.present[q]);
        memcpy(bench.present[q], bench.graph.weight[q], arc_count * sizeof *bench.present[q]);
    }
    for (size_t q = 0; q < 2; ++q) bench.answer[q] = checked_allocate(answers, sizeof *bench.answer[q]);
    bench.engine = open_file(&bench);
    find_matrix(&bench, bench.engine); /* else updates have no weights to start from */
    measure(&bench, "all arcs", arc_count, runs / 5 + 1, false);
    measure(&bench, "1 arc", 1, runs, false);
    measure(&bench, "70 arcs", 70, runs, false);
    measure(&bench, "70 arcs of one place", 70, runs, true);
    measure(&bench, "1 % of the arcs", arc_count / 100, runs / 5 + 1, false);
    measure(&bench, "1 % of the arcs, one place", arc_count / 100, runs / 5 + 1, true);
    measure_until(&bench, "1 arc", 1, runs);
    measure_until(&bench, "70 arcs", 70, runs);
    measure_until(&bench, "1 % of the arcs", arc_count / 100, runs / 5 + 1);
    measure_until(&bench, "all arcs", arc_count, runs / 5 + 1);
    const bool same = is_same(&bench);
    puts(same ? "routes are those after one update" : "ROUTES DIFFER from those after one update");
    /* which do not send their updates to that engine */
    for (int is_asked = 0; is_asked < 2; ++is_asked) measure_first(&bench, runs / 5 + 1, is_asked);
    macadam_engine_close(bench.engine);
    for (size_t q = 0; q < 2; ++q) free(bench.value[q]), free(bench.present[q]), free(bench.answer[q]);
    free(bench.arc);
    test_graph_free(&bench.graph);
    return same ? 0 : 1;
}
