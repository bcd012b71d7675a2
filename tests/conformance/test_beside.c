/* test_beside.c - questions and updates do not wait for each other while the hierarchy's weights are made: an update goes on, and
 * gets the weights afterwards; a long search on the arcs ends when they are there. */
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"
#include "tests/support/expected.h"
#include "tests/support/small_grid.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { ROOM = FILES_PATH_BYTES + 32, SIDE = 160, NODES = SIDE * SIDE, PATIENCE_MS = 20000 };

static char folder[FILES_PATH_BYTES], path[ROOM];
static atomic_uint_least64_t clock_ns;

/* Each look is 100 ms later: callbacks are called at every step. */
static uint64_t run_clock(void)
{
    return atomic_fetch_add(&clock_ns, 100000000);
}

static void set_up(void)
{
    files_new_path(folder, path, "grid.mcd");
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1;
    FIXTURE_CALL(small_grid_import, SIDE, 1, NULL, &options);
}

static void tear_down(void)
{
    mcd_watch_set_clock(NULL);
    files_remove_folder(folder);
}

TestSuite(beside, .init = set_up, .fini = tear_down);

typedef struct scene {
    macadam_engine *engine;
    const char *phase; /* in which a question waits, ... */
    uint64_t begin;    /* ... once it has done so much */
    bool (*is_over)(struct scene *scene);
    pthread_t thread;
    atomic_bool has_thread, is_updated, is_pruned;
    bool came; /* what the question waited for */
} scene;

static macadam_engine *open_with(scene *s, macadam_progress progress)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = "cpu", options.threads = 2;
    options.progress = progress, options.progress_context = s;
    FIXTURE_CALL(macadam_engine_open, &s->engine, path, &options);
    s->engine->dispatch.rates = (mcd_rates){0};
    return s->engine;
}

/* Changes arcs near a corner. */
static void change(macadam_engine *engine, uint32_t duration)
{
    enum { ARCS = 4 };
    static const char *const quantity[] = {"duration"};
    const uint64_t number[ARCS] = {1, 2, 3, 4};
    const uint32_t durations[ARCS] = {duration, duration, duration, duration};
    const uint32_t *const value[] = {durations};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = number, request.count = ARCS;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

static void find_tree(macadam_engine *engine, uint32_t cost[NODES])
{
    const macadam_place source = {.id = 0};
    uint32_t *const value[] = {cost};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = &source, request.source_count = 1;
    FIXTURE_CALL(macadam_tree_find, value, NULL, engine, NULL, &request);
}

static void *update(void *context)
{
    scene *const s = context;
    change(s->engine, 0);
    s->is_updated = true;
    return NULL;
}

static bool is_updated(scene *s)
{
    if (!atomic_exchange(&s->has_thread, true)) pthread_create(&s->thread, NULL, update, s);
    return s->is_updated;
}

static bool has_basic(scene *s)
{
    return atomic_load(&s->engine->version[0]->basic) != NULL;
}

/* The question waits in its phase until something has happened elsewhere. */
static bool wait_in_phase(void *context, const char *phase, uint64_t done, uint64_t total)
{
    scene *const s = context;
    (void)total;
    if (strcmp(phase, "pruning") == 0) s->is_pruned = true;
    if (strcmp(phase, s->phase) != 0 || done < s->begin) return true;
    for (int ms = 0; ms < PATIENCE_MS && !s->came; ++ms) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        s->came = s->is_over(s);
    }
    return true;
}

/* The weights that a question has made are changed for the version that the update has put in use. */
Test(beside, an_update_does_not_wait_for_a_customization)
{
    static uint32_t before[NODES], now[2][NODES];
    scene s = {.phase = "customization", .is_over = is_updated}, other = {.phase = ""};
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_with(&s, wait_in_phase);
    find_tree(engine, before);
    pthread_join(s.thread, NULL);
    cr_expect(s.came);
    cr_expect(has_basic(&s));
    cr_expect(!s.is_pruned); /* the question keeps the weights that it has made */
    find_tree(engine, now[0]);
    SCOPED(macadam_engine_close_at) macadam_engine *const fresh = open_with(&other, NULL);
    find_tree(fresh, now[1]);
    cr_expect_eq(memcmp(before, now[1], sizeof before), 0);
    change(fresh, 0);
    find_tree(fresh, now[1]);
    cr_expect_eq(memcmp(now[0], now[1], sizeof before), 0);
    cr_expect_neq(memcmp(before, now[1], sizeof before), 0);
}

static uint32_t find_route(macadam_engine *engine)
{
    const macadam_place waypoint[] = {{.id = 0}, {.id = NODES - 1}};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 2;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    return route->value[0];
}

Test(beside, a_long_search_ends_when_there_are_weights)
{
    static uint32_t cost[NODES];
    scene s = {.phase = "paths", .begin = 1, .is_over = has_basic}, other = {.phase = ""};
    mcd_watch_set_clock(run_clock);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_with(&s, wait_in_phase);
    const uint32_t found = find_route(engine);
    cr_expect(s.came);
    const uint64_t settled = engine->version[0]->settled_count;
    cr_expect_lt(settled, NODES / 2);
    SCOPED(macadam_engine_close_at) macadam_engine *const fresh = open_with(&other, NULL);
    find_tree(fresh, cost);
    cr_expect_eq(found, find_route(fresh));
}
