/* test_steps_order.c - steps do not depend on the routes that were requested before, nor on other threads, nor on trims:
 * junctions are read when a route first comes there, and lines of roads when a search does. */
#include "engine/runtime/engine.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 12, ROUTES = 60, THREADS = 4, TEXT_BYTES = 1 << 17 };

/* A grid of streets, some of them one-way, whose pieces are short, so that directions are looked at beyond their ends. */
static void write_grid(const char *path)
{
    test_rng rng = {3};
    FREED char *const text = checked_allocate(TEXT_BYTES, 1);
    size_t at = (size_t)sprintf(text, "<osm version='0.6'>");
    for (int i = 0; i < SIDE * SIDE; ++i)
        at += (size_t)sprintf(text + at, "<node id='%d' lat='%.7f' lon='%.7f'/>", i + 1,
                              50 + i / SIDE * 1e-4 + rng_below(&rng, 900) * 1e-7,
                              10 + i % SIDE * 1e-4 + rng_below(&rng, 900) * 1e-7);
    for (int i = 0; i < 2 * SIDE * SIDE; ++i) {
        const int from = i / 2, to = from + (i % 2 ? SIDE : 1);
        if (to >= SIDE * SIDE || (i % 2 == 0 && to % SIDE == 0) || rng_below(&rng, 6) == 0) continue;
        at += (size_t)sprintf(text + at,
                              "<way id='%d'><nd ref='%d'/><nd ref='%d'/><tag k='highway' v='%s'/>"
                              "<tag k='name' v='%u'/><tag k='oneway' v='%s'/></way>",
                              i + 1, from + 1, to + 1, i % 5 ? "residential" : "primary", rng_below(&rng, 9),
                              i % 7 ? "no" : "yes");
    }
    at += (size_t)sprintf(text + at, "</osm>");
    files_write(path, text, at);
}

/* Returns a hash of the roads at all junctions of a route, and of its instructions. */
static uint64_t ask(macadam_engine *engine, int number)
{
    test_rng rng = {(uint64_t)number};
    const macadam_place_kind kind = number % 2 ? MACADAM_PLACE_POINT : MACADAM_PLACE_NODE;
    macadam_place waypoint[2];
    for (int i = 0; i < 2; ++i) {
        const int node = (int)rng_below(&rng, SIDE * SIDE);
        waypoint[i] = (macadam_place){
            .kind = kind, .id = 1 + node, .lon = 10 + node % SIDE * 1e-4, .lat = 50 + node / SIDE * 1e-4};
    }
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 2, request.steps = true;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    uint64_t hash = route->step_count;
    for (size_t i = 0; i < route->step_count; ++i)
        hash = rng_mix(hash + (uint64_t)route->step[i].type * 64 + (uint64_t)route->step[i].modifier);
    for (size_t i = 0; i < route->branch_count; ++i)
        hash = rng_mix(hash + (uint64_t)route->branch[i].bearing * 2 + route->branch[i].entry);
    return hash;
}

typedef struct asker {
    pthread_t thread;
    macadam_engine *engine;
    int first, step;
    uint64_t found[ROUTES];
} asker;

static void *ask_all(void *argument)
{
    asker *const it = argument;
    for (int i = 0, number = it->first; i < ROUTES; ++i, number = (number + it->step) % ROUTES) {
        it->found[number] = ask(it->engine, number);
        if (i % 4 == 0) FIXTURE_CALL(macadam_engine_trim, it->engine);
    }
    return NULL;
}

/* Returns how many leaves of the snap index have lines. */
static size_t leaves_with_lines(const macadam_engine *engine)
{
    size_t known = 0;
    for (size_t i = 0; i < engine->snap.piece_count / MCD_SNAP_FANOUT + 1; ++i)
        known += engine->snap.lines.of_leaf[i] != 0;
    return known;
}

static void expect_trim_frees_what_no_call_uses(macadam_engine *engine)
{
    const uint64_t right = ask(engine, 1);
    cr_expect_neq(leaves_with_lines(engine), 0);
    ++engine->user_count; /* a call is running */
    FIXTURE_CALL(macadam_engine_trim, engine);
    cr_expect_not_null(engine->junctions.of_arc);
    --engine->user_count;
    cr_expect_eq(engine->user_count, 0);
    FIXTURE_CALL(macadam_engine_trim, engine);
    cr_expect_null(engine->junctions.of_arc);
    cr_expect_eq(leaves_with_lines(engine), 0);
    cr_expect_eq(ask(engine, 1), right);
}

Test(steps_order, steps_depend_neither_on_earlier_routes_nor_on_other_threads)
{
    static const int step[THREADS] = {1, 7, 59, 31};
    char folder[FILES_PATH_BYTES], osm[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    macadam_error error;
    asker it[THREADS];
    files_new_path(folder, osm, "map.osm");
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    write_grid(osm);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    fixture_expect_ok(macadam_import_osm(osm, "car", &options, &error), &error, osm);
    macadam_engine *const shared = fixture_open_file(path, 1);
    for (int i = 0; i < THREADS; ++i) {
        it[i].engine = shared, it[i].first = 17 * i % ROUTES, it[i].step = step[i];
        cr_assert_eq(pthread_create(&it[i].thread, NULL, ask_all, &it[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(it[i].thread, NULL);
    for (int number = 0; number < ROUTES; ++number) {
        macadam_engine *const fresh = fixture_open_file(path, 1);
        const uint64_t right = ask(fresh, number);
        for (int i = 0; i < THREADS; ++i) cr_expect_eq(it[i].found[number], right, "route %d", number);
        macadam_engine_close(fresh);
    }
    expect_trim_frees_what_no_call_uses(shared);
    macadam_engine_close(shared);
    files_remove_folder(folder);
}
