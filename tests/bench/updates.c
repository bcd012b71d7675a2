/* updates.c - the processor time of weight updates, until the next route can be requested.
 *
 *   updates FILE.mcd WEIGHTS COMPANION_WEIGHTS [RUNS]
 *
 * FILE.mcd was imported from both (.gr or .gr.gz), as its first and second quantity. An update gives random
 * arcs, everywhere or within one place, half to twice their first weights, in both quantities. One thread.
 * Times are medians, with the least and the most. At the end, routes are compared with those of an engine that
 * got the same weights by a single update. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/dimacs_file.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 25, PAIRS = 2000 };

typedef struct bench_run {
    const char *path;
    macadam_engine *engine;
    test_graph graph; /* the first weights */
    uint32_t *present[2];
    const char *quantity[2];
    uint64_t *arc;
    uint32_t *value[2];
    test_rng rng;
} bench_run;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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

static void measure(bench_run *bench, const char *name, size_t count, size_t runs, bool nearby)
{
    FREED double *const seconds = checked_allocate(runs, sizeof *seconds);
    for (size_t i = 0; i < runs + 2; ++i) {
        choose(bench, count, nearby);
        const double begin = processor_seconds();
        send_update(bench, bench->engine, count);
        if (i >= 2) seconds[i - 2] = processor_seconds() - begin;
    }
    bench_sort(seconds, runs);
    printf("%-32s %9.3f ms  (%.3f - %.3f)\n", name, 1e3 * seconds[runs / 2], 1e3 * seconds[0],
           1e3 * seconds[runs - 1]);
    fflush(stdout);
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
    bench.arc = checked_allocate(arc_count, sizeof *bench.arc);
    for (size_t q = 0; q < 2; ++q) {
        bench.value[q] = checked_allocate(arc_count, sizeof *bench.value[q]);
        bench.present[q] = checked_allocate(arc_count, sizeof *bench.present[q]);
        memcpy(bench.present[q], bench.graph.weight[q], arc_count * sizeof *bench.present[q]);
    }
    bench.engine = open_file(&bench);
    measure(&bench, "all arcs", arc_count, runs / 5 + 1, false);
    measure(&bench, "1 arc", 1, runs, false);
    measure(&bench, "70 arcs", 70, runs, false);
    measure(&bench, "70 arcs of one place", 70, runs, true);
    measure(&bench, "1 % of the arcs", arc_count / 100, runs / 5 + 1, false);
    measure(&bench, "1 % of the arcs, one place", arc_count / 100, runs / 5 + 1, true);
    const bool same = is_same(&bench);
    puts(same ? "routes are those after one update" : "ROUTES DIFFER from those after one update");
    macadam_engine_close(bench.engine);
    for (size_t q = 0; q < 2; ++q) free(bench.value[q]), free(bench.present[q]);
    free(bench.arc);
    test_graph_free(&bench.graph);
    return same ? 0 : 1;
}
