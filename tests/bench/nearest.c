/* nearest.c - what prepared targets cost, and reach: nearest FILE.mcd [TARGETS [COUNT [RUNS]]]
 *
 * The nearest COUNT (10) of TARGETS (1,000) random nodes for every node of the file, on one thread: the times of preparing
 * and, per source, of finding; and the same of 1 to 1,000 sources by macadam_reach_find, per source; medians (least - most) of RUNS (5). Some are compared with a matrix. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MAX = 100, CHECKED = 200 };

static macadam_error error;

static void expect_ok(macadam_status status)
{
    bench_expect_ok(status, &error);
}

static void print(const char *what, double *seconds, size_t count)
{
    bench_sort(seconds, count);
    printf("%s: %.2f us (%.2f - %.2f)\n", what, 1e6 * seconds[count / 2], 1e6 * seconds[0],
           1e6 * seconds[count - 1]);
}

static int compare_costs(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The costs to the nearest targets are the least of a matrix. */
static void check(macadam_engine *engine, const macadam_place *source, size_t source_count,
                  const macadam_nearest_request *request, const uint32_t *cost)
{
    const size_t targets = request->target_count, step = source_count / CHECKED + 1,
                 wanted = request->nearest_count;
    uint32_t *const row = checked_zeroed(targets, sizeof *row), *const value[] = {row};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source_count = 1, matrix.target = request->target, matrix.target_count = targets;
    for (size_t s = 0; s < source_count; s += step) {
        matrix.source = &source[s];
        expect_ok(macadam_matrix_find_into(value, NULL, engine, NULL, &matrix, &error));
        qsort(row, targets, sizeof *row, compare_costs);
        for (size_t i = 0; i < wanted && i < targets; ++i)
            if (cost[s * wanted + i] != row[i]) {
                fprintf(stderr, "source %zu: %u, not %u\n", s, cost[s * wanted + i], row[i]);
                exit(1);
            }
    }
    free(row);
}

/* The nearest targets of the first sources, without preparation. */
static void reach(macadam_engine *engine, const macadam_place *source, size_t source_count,
                  const macadam_nearest_request *nearest, const macadam_reach *answer, size_t runs)
{
    double seconds[RUNS_MAX];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = source;
    request.target = nearest->target, request.target_count = nearest->target_count;
    request.nearest_count = nearest->nearest_count;
    for (size_t count = 1; count <= 1000 && count <= source_count; count *= 10) {
        request.source_count = count;
        for (size_t run = 0; run < runs; ++run) {
            const double begin = bench_seconds_now();
            expect_ok(macadam_reach_find(answer, NULL, engine, NULL, &request, &error));
            seconds[run] = (bench_seconds_now() - begin) / (double)count;
        }
        check(engine, source, count, nearest, answer->nearest_cost);
        printf("reach of %zu, ", count);
        print("a source", seconds, runs);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: nearest FILE.mcd [TARGETS [COUNT [RUNS]]]\n"), 2;
    const size_t targets = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const size_t runs = argc > 4 ? strtoul(argv[4], NULL, 10) : 5;
    if (runs < 1 || runs > RUNS_MAX) return fprintf(stderr, "runs: 1 to %d\n", RUNS_MAX), 2;
    const double opening = bench_seconds_now();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    expect_ok(macadam_engine_open(&engine, argv[1], &options, &error));
    macadam_info info = MACADAM_INFO_INIT;
    expect_ok(macadam_engine_info(&info, engine, &error));
    const int64_t *const id = macadam_engine_ids(engine, &error);
    const size_t sources = info.id_count;
    macadam_place *const source = checked_zeroed(sources, sizeof *source), *const target = checked_zeroed(
                                                                               targets, sizeof *target);
    test_rng rng = {2026};
    for (size_t i = 0; i < sources; ++i) source[i].id = id[i];
    for (size_t i = 0; i < targets; ++i) target[i].id = id[rng_below(&rng, (uint32_t)sources)];
    macadam_nearest_request request = MACADAM_NEAREST_REQUEST_INIT;
    request.target = target, request.target_count = targets;
    request.nearest_count = argc > 3 ? strtoul(argv[3], NULL, 10) : 10;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.nearest_cost = checked_zeroed(sources * request.nearest_count, sizeof *answer.nearest_cost);
    answer.nearest_position =
        checked_zeroed(sources * request.nearest_count, sizeof *answer.nearest_position);
    double prepare_s[RUNS_MAX], find_s[RUNS_MAX];
    for (size_t run = 0; run <= runs; ++run) { /* run 0 loads the map */
        SCOPED(macadam_nearest_free_at) macadam_nearest *nearest = NULL;
        const double begin = bench_seconds_now();
        expect_ok(macadam_nearest_new(&nearest, NULL, engine, NULL, &request, &error));
        const double prepared = bench_seconds_now();
        expect_ok(macadam_nearest_find(&answer, NULL, nearest, source, sources, &error));
        if (run == 0) bench_print_first(opening);
        if (run > 0) {
            prepare_s[run - 1] = prepared - begin;
            find_s[run - 1] = (bench_seconds_now() - prepared) / (double)sources;
        }
    }
    check(engine, source, sources, &request, answer.nearest_cost);
    print("prepare", prepare_s, runs);
    print("find, a source", find_s, runs);
    reach(engine, source, sources, &request, &answer, runs);
    return 0;
}
