/* test_progress.c - imports and calls could ask their progress callback at least every 30 ms (which is less often than
 * every 50 ms, as they ask every 20 ms), in each phase, also while they wait for others. A call that is cancelled,
 * whenever it asks, leaves the engine as it was.
 *
 * A gap is the processor time of the calling thread between two calls, where each place that could ask asks. All runs on
 * one thread, so that this thread does all the work. Its unit is what a fixed piece of work takes meanwhile, about a
 * millisecond on a machine of 2024. A virtual machine counts time that its host took from it, so a gap must be there each
 * time. */
#include "engine/base/watch.h"
#include "engine/runtime/engine.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"
#include "tests/support/test_clock.h"
#include "tests/support/uses.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { SIDE = 200, SMALL_SIDE = 16, NODES = SIDE * SIDE, ARCS = 4 * SIDE * (SIDE - 1), MAP_PATHS = 3 };

#ifdef __SANITIZE_ADDRESS__
enum { GAP_UNITS = 300 }; /* each access to memory takes several times as long */
#else
enum { GAP_UNITS = 30 };
#endif
enum { TRIES = 4, UNIT_STEPS = 800000 };

typedef struct gaps {
    double last_ms, longest_ms;
    char before[64], from[64], to[64]; /* the phase of the last call; where the longest gap begins and ends */
} gaps;

static char folder[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* The time of a fixed piece of work, now. */
static double unit_ms(void)
{
    test_rng rng = {1};
    volatile uint64_t sum = 0;
    const double begin = processor_ms();
    for (int i = 0; i < UNIT_STEPS; ++i) sum += rng_next(&rng);
    return processor_ms() - begin;
}

static bool note(void *context, const char *phase, uint64_t done, uint64_t total)
{
    gaps *const seen = context;
    const double now = processor_ms();
    (void)done, (void)total;
    if (now - seen->last_ms > seen->longest_ms) {
        seen->longest_ms = now - seen->last_ms;
        memcpy(seen->from, seen->before, sizeof seen->from);
        snprintf(seen->to, sizeof seen->to, "%s", phase);
    }
    snprintf(seen->before, sizeof seen->before, "%s", phase);
    seen->last_ms = now;
    return true;
}

/* Of an import on one thread, which `seen` watches; NULL: it is not watched. */
static macadam_import_options import_options(gaps *seen)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = output;
    options.threads = 1;
    options.progress = seen ? note : NULL;
    options.context = seen;
    return options;
}

/* A call that is measured. It notes its own end. */
typedef macadam_status (*measured)(const void *what, gaps *seen, macadam_error *error);

static void expect_no_gap(measured run, const void *what, const char *name)
{
    gaps seen = {.longest_ms = 0};
    double units = GAP_UNITS;
    mcd_watch_set_clock(test_clock_always_due);
    for (int i = 0; i < TRIES && units >= GAP_UNITS; ++i) {
        macadam_error error = {""};
        const double unit = unit_ms();
        seen = (gaps){.last_ms = processor_ms(), .before = "the beginning"};
        fixture_expect_ok(run(what, &seen, &error), &error, name);
        units = seen.longest_ms / ((unit + unit_ms()) / 2);
    }
    mcd_watch_set_clock(NULL);
    cr_expect_lt(units, GAP_UNITS, "%s: %.0f units, %.0f ms, without a call from %s to %s", name, units,
                 seen.longest_ms, seen.from, seen.to);
    if (getenv("MACADAM_PROGRESS_GAPS")) printf("%s: %.1f units, %.1f ms\n", name, units, seen.longest_ms);
}

static void make_folder(void)
{
    files_new_path(folder, output, "new.mcd");
}

static void remove_folder(void)
{
    files_remove_folder(folder);
}

TestSuite(progress, .init = make_folder, .fini = remove_folder);

/* ---- a grid of streets ---- */

/* Its ids do not ascend. */
typedef struct grid {
    int64_t id[NODES];
    int32_t lon_e7[NODES], lat_e7[NODES];
    uint32_t tail[ARCS], head[ARCS], weight[ARCS];
    size_t node_count, arc_count;
} grid;

static void add_street(grid *map, test_rng *rng, uint32_t a, uint32_t b)
{
    for (int direction = 0; direction < 2; ++direction) {
        map->tail[map->arc_count] = direction ? b : a;
        map->head[map->arc_count] = direction ? a : b;
        map->weight[map->arc_count++] = (uint32_t)(rng_next(rng) % 1000);
    }
}

static grid *make_grid(uint32_t side)
{
    grid *const map = checked_zeroed(1, sizeof *map);
    test_rng rng = {1};
    map->node_count = (size_t)side * side;
    for (uint32_t node = 0; node < side * side; ++node) {
        const uint32_t x = node % side, y = node / side;
        map->id[node] = (int64_t)node * 7919 % 1000003;
        map->lon_e7[node] = (int32_t)x * 10000;
        map->lat_e7[node] = (int32_t)y * 10000;
        if (x + 1 < side) add_street(map, &rng, node, node + 1);
        if (y + 1 < side) add_street(map, &rng, node, node + side);
    }
    return map;
}

static macadam_status import_grid(const grid *map, const macadam_import_options *options,
                                  macadam_error *error)
{
    static const char *const quantity[] = {"duration", "distance"}, *const unit[] = {"ms", "cm"};
    const uint32_t *const weight[] = {map->weight, map->weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = map->node_count, input.arc_count = map->arc_count, input.quantity_count = 2;
    input.id = map->id, input.lon_e7 = map->lon_e7, input.lat_e7 = map->lat_e7;
    input.tail = map->tail, input.head = map->head;
    input.quantity = quantity, input.unit = unit, input.weight = weight;
    return macadam_import_arrays(&input, options, error);
}

/* An import of a grid. */
typedef struct grid_import {
    const grid *map;
    bool ready, no_hierarchy;
} grid_import;

static macadam_status run_grid_import(const void *what, gaps *seen, macadam_error *error)
{
    const grid_import *const import = what;
    macadam_import_options options = import_options(seen);
    options.ready = import->ready;
    options.no_hierarchy = import->no_hierarchy;
    const macadam_status status = import_grid(import->map, &options, error);
    note(seen, "the end", 0, 0);
    return status;
}

Test(progress, imports_of_arrays_ask)
{
    static const char *const way[] = {"hierarchy", "ready", "no hierarchy"};
    FREED grid *const map = make_grid(SIDE);
    for (int i = 0; i < MAP_PATHS; ++i)
        expect_no_gap(run_grid_import, &(grid_import){map, i == 1, i == 2}, way[i]);
}

/* ---- calls ---- */

/* A use of a map. */
typedef struct map_use {
    const char *path;
    const use_case *use;
} map_use;

static macadam_status run_use(const void *what, gaps *seen, macadam_error *error)
{
    const map_use *const on = what;
    macadam_query query;
    uint64_t answer;
    macadam_engine *engine;
    MCD_TRY(use_open(&engine, on->path, on->use, note, seen, &query, error));
    const macadam_status status = on->use->run(engine, &query, &answer, error);
    note(seen, "the end", 0, 0);
    macadam_engine_close(engine);
    return status == MACADAM_E_UNSUPPORTED ? MACADAM_OK : status; /* the map has no coordinates */
}

static void expect_no_gap_in(const char *path, const use_case *use)
{
    if (!(use->kind & USE_SMALL)) expect_no_gap(run_use, &(map_use){path, use}, use->name);
}

Test(progress, calls_ask)
{
    FREED grid *const map = make_grid(SIDE);
    for (int ready = 0; ready < 2; ++ready) {
        macadam_import_options options = import_options(NULL);
        options.ready = ready;
        FIXTURE_CALL(import_grid, map, &options);
        for (int i = 0; i < (ready ? FIRST_USES : USES); ++i) expect_no_gap_in(output, &use_all[i]);
    }
}

/* Refuses to go on when it is called for the `left`-th time. */
static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    size_t *const left = context;
    (void)phase, (void)done, (void)total;
    return *left == 0 || --*left > 0;
}

/* Stops the first use at its `nth` call of the callback, and then uses the engine as if nothing had been.
 * Returns whether it called that often. */
static bool expect_stopped(const char *path, const use_case *use, size_t nth, uint64_t expected)
{
    size_t left = nth;
    uint64_t answer;
    macadam_query query;
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_status status = use_open(&engine, path, use, refuse, &left, &query, &error);
    if (!status) status = use->run(engine, &query, &answer, &error);
    cr_expect_eq(status, left ? MACADAM_OK : MACADAM_E_CANCELLED, "%s, stopped at question %zu: %d: %s",
                 use->name, nth, status, error.message);
    const bool asked = left == 0;
    left = 0;
    if (engine) {
        fixture_expect_ok(use->run(engine, &query, &answer, &error), &error, use->name);
        cr_expect_eq(answer, expected, "%s, stopped at question %zu", use->name, nth);
    }
    return asked;
}

static uint64_t answer_of(const char *path, const use_case *use)
{
    uint64_t answer;
    macadam_query query;
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_error error;
    fixture_expect_ok(use_open(&engine, path, use, NULL, NULL, &query, &error), &error, use->name);
    fixture_expect_ok(use->run(engine, &query, &answer, &error), &error, use->name);
    return answer;
}

Test(progress, stopped_calls_leave_the_engine_as_it_was)
{
    enum { EACH = 16, LEAST = 10 };
    FREED grid *const map = make_grid(SMALL_SIDE);
    mcd_watch_set_clock(test_clock_always_due); /* every place that could ask asks */
    for (int ready = 0; ready < 2; ++ready) {
        macadam_import_options options = import_options(NULL);
        options.ready = ready;
        FIXTURE_CALL(import_grid, map, &options);
        for (const use_case *use = use_all; use < use_all + USES; ++use) {
            const uint64_t expected = answer_of(output, use);
            size_t nth = 1;
            while (expect_stopped(output, use, nth, expected)) nth += nth < EACH ? 1 : nth / 2;
            cr_expect_gt(nth, LEAST, "%s asks %zu times", use->name, nth);
        }
    }
    mcd_watch_set_clock(NULL);
}

/* ---- bands ---- */

typedef struct phases {
    char last[64];
    size_t begun, times_back; /* phases that began; how often one began that was over */
    uint64_t done;
} phases;

static bool note_phase(void *context, const char *phase, uint64_t done, uint64_t total)
{
    phases *const seen = context;
    (void)total;
    seen->begun += strcmp(seen->last, phase) != 0;
    seen->times_back += done < seen->done && strcmp(seen->last, phase) == 0;
    snprintf(seen->last, sizeof seen->last, "%s", phase);
    seen->done = done;
    return true;
}

/* Many sources are answered band by band: the caller sees one phase, which only grows. */
Test(progress, bands_are_one_phase)
{
    enum { SOURCES = 300, IDS = SMALL_SIDE * SMALL_SIDE };
    FREED grid *const map = make_grid(SMALL_SIDE);
    macadam_import_options options = import_options(NULL);
    FIXTURE_CALL(import_grid, map, &options);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(output, 1);
    macadam_place source[SOURCES];
    FREED uint32_t *const row = checked_allocate((size_t)SOURCES * IDS, sizeof *row);
    for (size_t i = 0; i < SOURCES; ++i)
        source[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                    .lon = 1e-7 * map->lon_e7[i % IDS] + 1e-5,
                                    .lat = 1e-7 * map->lat_e7[i % IDS]};
    mcd_watch_set_clock(test_clock_always_due);
    for (int hops = 0; hops < 2; ++hops)
        for (int time = 0; time < 2; ++time) { /* the first time, what is needed is loaded */
            phases seen = {.last = ""};
            macadam_query query = MACADAM_QUERY_INIT;
            query.progress = note_phase, query.progress_context = &seen;
            macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
            tree.source = source, tree.source_count = SOURCES;
            macadam_hops_request counted = MACADAM_HOPS_REQUEST_INIT;
            counted.source = source, counted.source_count = SOURCES;
            if (hops)
                FIXTURE_CALL(macadam_hops_find, row, NULL, NULL, engine, &query, &counted);
            else
                FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){row}, NULL, engine, &query, &tree);
            if (time == 0) continue;
            cr_expect_leq(seen.begun, 2, "%s: %zu phases", hops ? "hops" : "trees", seen.begun);
            cr_expect_eq(seen.times_back, 0, "%s: %zu times back", hops ? "hops" : "trees", seen.times_back);
        }
    mcd_watch_set_clock(NULL);
}

/* ---- waiting ---- */

typedef struct waiting_call {
    macadam_engine *engine;
    const macadam_query *query;
    const use_case *use;
    macadam_status status;
    atomic_bool is_over;
} waiting_call;

static void *run_waiting(void *argument)
{
    waiting_call *const call = argument;
    macadam_error error = {""};
    uint64_t answer;
    call->status = call->use->run(call->engine, call->query, &answer, &error);
    atomic_store(&call->is_over, true);
    return NULL;
}

/* Runs the use on another thread while the lock is held, and expects it to stop when it is cancelled, or not to
 * need the lock. */
static void expect_no_wait(waiting_call call, pthread_mutex_t *lock, const char *name)
{
    pthread_t thread;
    const struct timespec pause = {.tv_nsec = 1000000};
    pthread_mutex_lock(lock);
    cr_assert_eq(pthread_create(&thread, NULL, run_waiting, &call), 0);
    while (!atomic_load(&call.is_over)) nanosleep(&pause, NULL); /* for ever if it does not ask */
    pthread_mutex_unlock(lock);
    pthread_join(thread, NULL);
    cr_expect(call.status == MACADAM_OK || call.status == MACADAM_E_CANCELLED, "%s, %s held: %d",
              call.use->name, name, call.status);
}

/* All that the use needs is loaded: what it still waits for is short, unless another call loads meanwhile. */
Test(progress, calls_that_wait_for_others_ask)
{
    macadam_error error;
    FREED grid *const map = make_grid(SMALL_SIDE);
    macadam_import_options options = import_options(NULL);
    FIXTURE_CALL(import_grid, map, &options);
    for (const use_case *use = use_all; use < use_all + USES; ++use) {
        size_t left = 0;
        uint64_t answer;
        macadam_query query;
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        FIXTURE_CALL(use_open, &engine, output, use, refuse, &left, &query);
        for (int warm = 0; warm < 2; ++warm) {
            left = 1;
            expect_no_wait((waiting_call){engine, &query, use, 0, false}, &engine->lock, "the lock");
            left = 1;
            expect_no_wait((waiting_call){engine, &query, use, 0, false}, &engine->update_lock,
                           "the lock of updates");
            left = 0;
            fixture_expect_ok(use->run(engine, &query, &answer, &error), &error, use->name);
        }
    }
}

Test(progress, calls_on_a_given_map_ask)
{
    const char *const path = getenv("MACADAM_PROGRESS_MAP");
    for (int i = 0; i < USES && path; ++i) expect_no_gap_in(path, &use_all[i]);
}

static macadam_status run_dimacs_import(const void *what, gaps *seen, macadam_error *error)
{
    const macadam_import_options options = import_options(seen);
    const macadam_status status = macadam_import_dimacs(what, &options, error);
    note(seen, "the end", 0, 0);
    return status;
}

Test(progress, imports_of_new_york_ask)
{
    static const char *const quantity[] = {"duration", "distance"};
    char path[3][FILES_PATH_BYTES];
    if (!files_find_data(path[0], "dimacs/USA-road-t.NY.gr.gz") ||
        !files_find_data(path[1], "dimacs/USA-road-d.NY.gr.gz") ||
        !files_find_data(path[2], "dimacs/USA-road-d.NY.co.gz"))
        return;
    const char *const weight[] = {path[0], path[1]};
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    input.quantity = quantity, input.weight = weight, input.quantity_count = 2;
    input.coordinates = path[2];
    expect_no_gap(run_dimacs_import, &input, "New York");
    for (int i = 0; i < USES; ++i) expect_no_gap_in(output, &use_all[i]);
}

static macadam_status run_osm_import(const void *path, gaps *seen, macadam_error *error)
{
    const macadam_import_options options = import_options(seen);
    const macadam_status status = macadam_import_osm(path, "car", &options, error);
    note(seen, "the end", 0, 0);
    return status;
}

Test(progress, imports_of_milan_ask)
{
    char path[FILES_PATH_BYTES];
    if (files_find_data(path, "osm/milan_italy_small.osm.pbf")) expect_no_gap(run_osm_import, path, "Milan");
}
