/* device_updates.c - single routes of a device's engine while weights change once a second, beside the same on the CPU's
 * engine.
 *
 * A thread gives ten arcs other weights; another requests one route after another. Prints the median and the longest of
 * all routes, and of the first two after each update. Both engines answer the last routes with the same weights, which are
 * compared. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "tests/support/checked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UPDATES = 6, ARCS = 10, FIRST_ROUTES = 2, COMPARED = 100, ROUTES_MAX = 1 << 20 };

typedef struct updates_run {
    macadam_engine *engine;
    const device_bench *bench;
    const char *quantity;
    uint64_t arc[ARCS];
    atomic_size_t done; /* updates */
    double *all, first[UPDATES * FIRST_ROUTES];
    size_t all_count, first_count;
} updates_run;

static void update(updates_run *run, size_t number)
{
    uint32_t value[ARCS];
    const uint32_t *const values = value;
    for (size_t i = 0; i < ARCS; ++i) value[i] = (uint32_t)(1000 + 100 * number + i);
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = run->arc,
                                            .count = ARCS,
                                            .quantity = &run->quantity,
                                            .quantity_count = 1,
                                            .value = &values};
    BENCH_CALL(macadam_update, run->engine, &request);
}

static void *update_each_second(void *argument)
{
    updates_run *const run = argument;
    for (size_t i = 0; i < UPDATES; ++i) {
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        update(run, i);
        atomic_fetch_add(&run->done, 1);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    atomic_fetch_add(&run->done, 1);
    return NULL;
}

/* Returns the seconds of a route, and its cost in *cost. */
static double find_route(const updates_run *run, size_t number, uint32_t *cost)
{
    const macadam_place *const place = run->bench->place + 2 * number;
    const macadam_route_request request = {.size = sizeof request, .waypoint = place, .waypoint_count = 2};
    macadam_route *route;
    const double begin = bench_seconds_now();
    BENCH_CALL(macadam_route_find, &route, run->engine, NULL, &request);
    const double took = bench_seconds_now() - begin;
    if (cost) *cost = route->value[0];
    macadam_route_free(route);
    return took;
}

/* Those of a route, which has as many. */
static void choose_arcs(updates_run *run)
{
    macadam_route *route = NULL;
    size_t pair = 0;
    do {
        const macadam_route_request request = {
            .size = sizeof request, .waypoint = run->bench->place + 2 * pair++, .waypoint_count = 2};
        macadam_route_free(route);
        BENCH_CALL(macadam_route_find, &route, run->engine, NULL, &request);
    } while (route->arc_count < 2 * ARCS);
    for (size_t i = 0; i < ARCS; ++i) run->arc[i] = route->arc[(i + 1) * route->arc_count / (ARCS + 1)].arc;
    macadam_route_free(route);
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void report(double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, compare);
    if (count) printf("  %7.3f, longest %8.3f ms", 1e3 * seconds[count / 2], 1e3 * seconds[count - 1]);
}

static void run_engine(updates_run *run, uint32_t cost[COMPARED])
{
    pthread_t thread;
    size_t seen = 0, since = FIRST_ROUTES;
    choose_arcs(run);
    for (size_t i = 0; i < COMPARED; ++i) find_route(run, i, NULL);
    expect(pthread_create(&thread, NULL, update_each_second, run) == 0, "threads");
    while (run->all_count < ROUTES_MAX && run->done <= UPDATES) {
        if (seen < run->done) seen = run->done, since = 0;
        const double took = find_route(run, run->all_count % (PLACES / 2), NULL);
        run->all[run->all_count++] = took;
        if (since++ < FIRST_ROUTES && run->first_count < UPDATES * FIRST_ROUTES)
            run->first[run->first_count++] = took;
    }
    pthread_join(thread, NULL);
    for (size_t i = 0; i < COMPARED; ++i) find_route(run, i, &cost[i]);
    report(run->all, run->all_count);
    printf("; after updates");
    report(run->first, run->first_count);
}

void measure_updates(const device_bench *bench, const char *path, const char *device)
{
    const char *const devices[] = {device, "cpu"};
    uint32_t cost[2][COMPARED];
    if (!is_asked(bench, "routes beside updates")) return;
    FREED double *const all = checked_allocate(ROUTES_MAX, sizeof *all);
    printf("%-40s", "routes beside updates each second");
    for (size_t d = 0; d < 2; ++d) {
        const macadam_engine_options options = {
            .size = sizeof options, .device = devices[d], .trust_file = true};
        updates_run run = {.bench = bench, .all = all, .quantity = bench->engine->quantity_name[0]};
        BENCH_CALL(macadam_engine_open, &run.engine, path, &options);
        if (d > 0) printf("   CPU");
        run_engine(&run, cost[d]);
        macadam_engine_close(run.engine);
    }
    printf("\n");
    expect(memcmp(cost[0], cost[1], sizeof cost[0]) == 0, "routes after updates");
}
