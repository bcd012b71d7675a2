/* device_callers.c - several threads that ask one engine for matrices, beside the same on the CPU's engine.
 *
 * Each caller has its own places, and repeats its matrix for a second. The answers of both engines are compared. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "tests/support/checked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLERS_MAX = 16 };
static const double seconds = 1;

typedef struct bench_caller {
    macadam_engine *engine;
    macadam_matrix_request request;
    uint32_t *value;
    size_t calls;
    double worst;
    const atomic_bool *starts;
} bench_caller;

static double ask(const bench_caller *caller)
{
    const double begin = bench_seconds_now();
    BENCH_CALL(macadam_matrix_find_into, &caller->value, NULL, caller->engine, NULL, &caller->request);
    return bench_seconds_now() - begin;
}

static void *call(void *argument)
{
    bench_caller *const caller = argument;
    ask(caller);
    while (!atomic_load(caller->starts)) continue;
    for (const double end = bench_seconds_now() + seconds; bench_seconds_now() < end; ++caller->calls) {
        const double time = ask(caller);
        if (time > caller->worst) caller->worst = time;
    }
    return NULL;
}

/* Prints calls a second and the longest call. */
static void run_callers(macadam_engine *engine, bench_caller *caller, size_t count)
{
    pthread_t thread[CALLERS_MAX];
    atomic_bool starts = false;
    size_t calls = 0;
    double worst = 0;
    for (size_t i = 0; i < count; ++i) {
        caller[i].engine = engine, caller[i].calls = 0, caller[i].worst = 0, caller[i].starts = &starts;
        expect(pthread_create(&thread[i], NULL, call, &caller[i]) == 0, "threads");
    }
    atomic_store(&starts, true);
    for (size_t i = 0; i < count; ++i) {
        pthread_join(thread[i], NULL);
        calls += caller[i].calls;
        if (caller[i].worst > worst) worst = caller[i].worst;
    }
    printf("  %9.0f/s, worst %8.2f ms", (double)calls / seconds, 1e3 * worst);
    fflush(stdout);
}

static void measure_side(const device_bench *bench, macadam_engine *host, size_t count, size_t side)
{
    bench_caller caller[CALLERS_MAX] = {{0}};
    const size_t cells = side * side;
    char name[96];
    snprintf(name, sizeof name, "%zu callers, %zu x %zu matrices", count, side, side);
    if (!is_asked(bench, name)) return;
    FREED uint32_t *const value = checked_allocate(2 * count * cells, sizeof *value);
    for (size_t i = 0; i < count; ++i) {
        caller[i].request = (macadam_matrix_request)MACADAM_MATRIX_REQUEST_INIT;
        caller[i].request.source = bench->place + 2 * i * side;
        caller[i].request.target = bench->place + (2 * i + 1) * side;
        caller[i].request.source_count = caller[i].request.target_count = side;
        caller[i].value = value + i * cells;
    }
    printf("%-40s", name);
    run_callers(bench->engine, caller, count);
    for (size_t i = 0; i < count; ++i) caller[i].value += count * cells;
    printf("   CPU");
    run_callers(host, caller, count);
    printf("\n");
    expect(memcmp(value, value + count * cells, count * cells * sizeof *value) == 0,
           "matrices of several callers");
}

void measure_callers(const device_bench *bench, const char *path)
{
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .trust_file = true};
    macadam_engine *host;
    if (bench->only && !strstr(bench->only, "callers")) return;
    BENCH_CALL(macadam_engine_open, &host, path, &options);
    for (size_t count = 1; count <= CALLERS_MAX; count *= CALLERS_MAX)
        for (size_t side = 10; side <= 1000; side *= 10) measure_side(bench, host, count, side);
    macadam_engine_close(host);
}
