/* test_patterns.c - updates give arcs patterns of speed. Arc i of the triangle has the number i + 1. */
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include "engine/runtime/load.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCS = 6, SLOTS = MCD_PATTERN_SLOTS, FINE = MCD_PATTERN_FINE_SLOTS };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_engine *engine;
static uint8_t speed[2 * FINE];

/* The triangle 0 - 1 - 2; its arcs have the patterns 1, 2, 0, 0, 2, 1 unless they have none. */
static void import_triangle(bool has_patterns)
{
    static const uint32_t tail[] = {0, 1, 1, 2, 2, 0}, head[] = {1, 0, 2, 1, 0, 2},
                          weight[] = {10, 20, 30, 40, 50, 60};
    static const uint16_t arc_pattern[] = {1, 2, 0, 0, 2, 1};
    static const char *const quantity[] = {"duration"};
    const uint32_t *const weights[] = {weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    input.node_count = 3, input.arc_count = ARCS, input.tail = tail, input.head = head;
    input.quantity = quantity, input.weight = weights, input.quantity_count = 1;
    memset(speed, 0, sizeof speed);
    speed[5] = speed[SLOTS + 6] = MCD_PATTERN_FASTEST;
    if (has_patterns) input.arc_pattern = arc_pattern, input.pattern_speed = speed;
    if (has_patterns) input.pattern_count = 2, input.slot_count = SLOTS;
    options.output = path, options.threads = 1;
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    engine = fixture_open_file(path, 1);
    FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
}

static void set_up(void)
{
    files_new_path(folder, path, "map.mcd");
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(patterns, .init = set_up, .fini = tear_down);

static macadam_update_request request_of(const uint64_t *arc, const uint16_t *pattern, size_t count)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count, request.pattern = pattern;
    request.pattern_speed = speed, request.slot_count = SLOTS;
    return request;
}

/* The slot in which the arc of a number is fastest, in slots of `of`; -1: it has no pattern. */
static int fastest_of(const macadam_engine *of, uint64_t number)
{
    const mcd_arc_facts *const facts = &of->facts;
    for (uint32_t arc = 0; arc < ARCS; ++arc) {
        if (mcd_arc_number(facts, arc) != number) continue;
        const unsigned pattern = facts->arc_pattern ? facts->arc_pattern[arc] : 0;
        if (pattern == 0) return -1;
        const uint8_t *const week = facts->pattern + (pattern - 1) * facts->pattern_slots;
        return (int)((const uint8_t *)memchr(week, MCD_PATTERN_FASTEST, facts->pattern_slots) - week);
    }
    return -2;
}

static void expect_fastest(const macadam_engine *of, const int *slot)
{
    for (uint64_t i = 0; i < ARCS; ++i)
        cr_expect_eq(fastest_of(of, i + 1), slot[i], "arc %zu: %d", (size_t)i + 1, fastest_of(of, i + 1));
}

/* Saves the map, opens the file, and verifies it. */
static void expect_saved(const int *slot, size_t patterns, size_t slots)
{
    for (int ready = 0; ready < 2; ++ready) {
        FIXTURE_CALL((ready ? macadam_engine_save_ready : macadam_engine_save), engine, path);
        SCOPED(macadam_engine_close_at) macadam_engine *const saved = fixture_open_file(path, 1);
        FIXTURE_CALL(macadam_engine_verify, saved);
        FIXTURE_CALL(mcd_engine_load, saved, MCD_LOAD_FACTS);
        expect_fastest(saved, slot);
        cr_expect_eq(saved->facts.pattern_count, patterns);
        cr_expect_eq(saved->facts.pattern_slots, slots);
    }
}

Test(patterns, arcs_that_an_update_does_not_name_keep_theirs)
{
    import_triangle(true);
    memset(speed, 0, SLOTS);
    speed[9] = MCD_PATTERN_FASTEST;
    macadam_update_request request =
        request_of((const uint64_t[]){1, 4, 5, 4}, (const uint16_t[]){1, 0, 0, 1}, 4);
    request.pattern_count = 1;
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int slot[] = {9, 6, -1, 9, -1, 5};
    expect_fastest(engine, slot);
    cr_expect_eq(engine->facts.pattern_count, 3);
    expect_saved(slot, 3, SLOTS);
}

Test(patterns, patterns_that_no_arc_has_go)
{
    import_triangle(true);
    macadam_update_request request = request_of((const uint64_t[]){1, 6}, (const uint16_t[]){2, 2}, 2);
    request.pattern_count = 2; /* equal to those in use */
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int slot[] = {6, 6, -1, -1, 6, 6}, none[] = {-1, -1, -1, -1, -1, -1};
    expect_fastest(engine, slot);
    cr_expect_eq(engine->facts.pattern_count, 1);
    request = request_of((const uint64_t[]){1, 2, 5, 6}, (const uint16_t[]){0, 0, 0, 0}, 4);
    FIXTURE_CALL(macadam_update, engine, &request);
    cr_expect_null(engine->facts.arc_pattern);
    expect_saved(none, 0, 0);
}

Test(patterns, a_map_without_patterns_gets_some)
{
    import_triangle(false);
    macadam_update_request request = request_of((const uint64_t[]){3}, (const uint16_t[]){2}, 1);
    request.pattern_count = 2;
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int slot[] = {-1, -1, 6, -1, -1, -1};
    expect_fastest(engine, slot);
    expect_saved(slot, 1, SLOTS);
}

Test(patterns, fine_slots_make_all_slots_fine)
{
    import_triangle(true);
    memset(speed, 0, sizeof speed);
    speed[1000] = MCD_PATTERN_FASTEST;
    macadam_update_request request = request_of((const uint64_t[]){3}, (const uint16_t[]){1}, 1);
    request.pattern_count = 1, request.slot_count = FINE;
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int fine[] = {15, 18, 1000, -1, 18, 15};
    expect_fastest(engine, fine);
    memset(speed, 0, sizeof speed);
    speed[100] = MCD_PATTERN_FASTEST;
    request.slot_count = SLOTS;
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int coarse[] = {15, 18, 300, -1, 18, 15};
    expect_fastest(engine, coarse);
    expect_saved(coarse, 3, FINE);
}

Test(patterns, weights_may_change_in_the_same_update)
{
    static const char *const quantity[] = {"duration"};
    static const uint32_t weight[] = {7}, *const value[] = {weight};
    import_triangle(true);
    macadam_update_request request = request_of((const uint64_t[]){1}, (const uint16_t[]){0}, 1);
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
    mcd_array *in_use;
    FIXTURE_CALL(mcd_engine_load_quantity, engine, 0, &in_use);
    size_t sevens = 0;
    for (size_t arc = 0; arc < ARCS; ++arc) sevens += in_use->weight[arc] == 7;
    cr_expect_eq(sevens, 1);
    cr_expect_eq(fastest_of(engine, 1), -1);
    cr_expect_eq(fastest_of(engine, 6), 5);
}

/* The time from node 0 to node 1 if one leaves at an instant. */
static uint32_t time_from(uint32_t instant)
{
    const uint32_t depart[] = {instant};
    static const macadam_place waypoint[] = {{.id = 0}, {.id = 1}};
    macadam_clock clock = MACADAM_CLOCK_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    clock.depart = depart, clock.depart_count = 1;
    query.clock = &clock;
    request.waypoint = waypoint, request.waypoint_count = 2;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    return route->value[0];
}

static uint32_t time_by_clock(void)
{
    return time_from(0);
}

/* The same in a slot of the week. */
static uint32_t time_in(const char *slot)
{
    static const macadam_place source = {.id = 0}, target = {.id = 1};
    macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    uint32_t cost;
    conditions.slot = slot, query.conditions = &conditions;
    request.source = &source, request.target = &target, request.pair_count = 1;
    FIXTURE_CALL(macadam_routes_find, (uint32_t *const[]){&cost}, NULL, engine, &query, &request);
    return cost;
}

/* Arcs 1 and 6, the ways from node 0 to node 1, get a second week, the others keep their speeds on holidays. */
Test(patterns, holidays_have_a_week_of_their_own)
{
    import_triangle(true);
    memset(speed, 51, 2 * SLOTS);
    speed[SLOTS + 1] = MCD_PATTERN_FASTEST; /* only then: the ordinary week is nowhere as fast */
    speed[SLOTS] = 0;
    macadam_update_request request = request_of((const uint64_t[]){1}, (const uint16_t[]){1}, 1);
    request.pattern_count = 1, request.slot_count = 2 * SLOTS;
    FIXTURE_CALL(macadam_update, engine, &request);
    static const int slot[] = {SLOTS + 1, 6, -1, -1, 6, 5};
    expect_fastest(engine, slot);
    expect_saved(slot, 3, 2 * SLOTS);
    cr_expect_eq(time_from(0), 50);
    cr_expect_eq(time_from(MACADAM_HOLIDAY_MS), 15 * 60 * 1000 + 10);
    cr_expect_eq(time_from(MACADAM_HOLIDAY_MS + 15 * 60 * 1000), 10);
    cr_expect_eq(time_from(MACADAM_WEEK_MS - 1), 50);
    cr_expect_eq(time_in("Mo00:15"), 50);
    cr_expect_eq(time_in("PHMo00:15"), 10);
    cr_expect_eq(time_in("PH00:15"), 50);
    memset(speed, MCD_PATTERN_FASTEST, sizeof speed);
    request.slot_count = FINE;
    FIXTURE_CALL(macadam_update, engine, &request);
    cr_expect_eq(engine->facts.pattern_slots, 2 * FINE);
    cr_expect_eq(time_from(MACADAM_HOLIDAY_MS), 10);
    static const int fine[] = {0, 18, -1, -1, 18, 15};
    expect_fastest(engine, fine);
    expect_saved(fine, 3, 2 * FINE);
}

/* Arc 1 stands still until 01:15, and so does arc 6, which leads around it. */
Test(patterns, queries_by_a_clock_follow_updates)
{
    import_triangle(true);
    cr_expect_eq(time_by_clock(), 75 * 60 * 1000 + 10);
    memset(speed, 0, SLOTS);
    speed[1] = MCD_PATTERN_FASTEST;
    macadam_update_request request = request_of((const uint64_t[]){1}, (const uint16_t[]){1}, 1);
    request.pattern_count = 1;
    FIXTURE_CALL(macadam_update, engine, &request);
    cr_expect_eq(time_by_clock(), 15 * 60 * 1000 + 10);
    request.pattern = (const uint16_t[]){0};
    FIXTURE_CALL(macadam_update, engine, &request);
    cr_expect_eq(time_by_clock(), 10);
}

static void expect_bad(const macadam_update_request *request, macadam_status status, const char *message)
{
    macadam_error error = {""};
    cr_expect_eq(macadam_update(engine, request, &error), status);
    cr_expect_not_null(strstr(error.message, message), "%s", error.message);
    static const int slot[] = {5, 6, -1, -1, 6, 5};
    expect_fastest(engine, slot);
}

/* Every arc gets the pattern `speed`, and weighs 30. */
static void change_all(void)
{
    static const char *const quantity[] = {"duration"};
    static const uint64_t arc[ARCS] = {1, 2, 3, 4, 5, 6};
    static const uint16_t pattern[ARCS] = {1, 1, 1, 1, 1, 1};
    static const uint32_t weight[ARCS] = {30, 30, 30, 30, 30, 30}, *const value[] = {weight};
    macadam_update_request request = request_of(arc, pattern, ARCS);
    request.pattern_count = 1;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

/* Called while a query waits for the update. */
static bool update_all(void *context, const char *phase, uint64_t done, uint64_t total)
{
    bool *const is_updated = context;
    (void)phase, (void)done, (void)total;
    if (*is_updated) return true;
    *is_updated = true;
    pthread_mutex_unlock(&engine->update_lock);
    change_all();
    return true;
}

/* From 1 to 0 on Monday at 1:30. */
static uint32_t cost_in_slot(bool *is_updated)
{
    const macadam_place waypoint[] = {{.id = 1}, {.id = 0}};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    const macadam_conditions conditions = {.size = sizeof conditions, .slot = "Mo01:30"};
    macadam_query query = {.size = sizeof query, .conditions = &conditions};
    if (is_updated) query.progress = update_all, query.progress_context = is_updated;
    macadam_route *route;
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    const uint32_t cost = route->value[0];
    macadam_route_free(route);
    return cost;
}

Test(patterns, a_query_in_a_slot_that_waits_for_an_update_has_the_new_ones)
{
    bool is_updated = false;
    import_triangle(true);
    cr_expect_eq(cost_in_slot(NULL), 20);
    FIXTURE_CALL(macadam_engine_trim, engine);
    memset(speed, MCD_PATTERN_FASTEST, sizeof speed);
    speed[6] = MCD_PATTERN_FASTEST / 5;
    pthread_mutex_lock(&engine->update_lock);
    cr_expect_eq(cost_in_slot(&is_updated), 150);
    cr_expect(is_updated);
}

static size_t allocations_left; /* until one at which weights and patterns change; 0: none */

static bool is_free(pthread_mutex_t *lock)
{
    return pthread_mutex_trylock(lock) == 0 && pthread_mutex_unlock(lock) == 0;
}

/* Updates if no lock is held that an update needs. */
static void *allocate_and_update(void *context, size_t bytes)
{
    if (allocations_left > 0 && --allocations_left == 0 && is_free(&engine->update_lock) &&
        is_free(&engine->lock))
        change_all();
    (void)context;
    return malloc(bytes);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

Test(patterns, a_query_in_a_slot_has_weights_and_patterns_of_one_moment)
{
    static const macadam_allocator hook = {allocate_and_update, release, NULL};
    size_t nth = 0, old_count = 0, new_count = 0;
    memset(speed, MCD_PATTERN_FASTEST, sizeof speed);
    macadam_allocator_set(&hook);
    do {
        import_triangle(false);
        memset(speed, MCD_PATTERN_FASTEST, sizeof speed);
        speed[6] = MCD_PATTERN_FASTEST / 5;
        cr_assert_eq(cost_in_slot(NULL), 20);
        allocations_left = ++nth;
        const uint32_t cost = cost_in_slot(NULL);
        cr_assert(cost == 20 || cost == 150, "allocation %zu: %u", nth, cost);
        ++*(cost == 20 ? &old_count : &new_count);
        macadam_engine_close(engine);
        engine = NULL;
    } while (allocations_left == 0);
    allocations_left = 0;
    cr_expect(old_count && new_count);
}

Test(patterns, bad_patterns_change_nothing)
{
    import_triangle(true);
    macadam_update_request request = request_of((const uint64_t[]){1}, (const uint16_t[]){3}, 1);
    request.pattern_count = 2;
    expect_bad(&request, MACADAM_E_INVALID, "entry 0 has the pattern 3 of 2");
    request.slot_count = 96;
    expect_bad(&request, MACADAM_E_INVALID,
               "2 patterns of 96 slots: the limit is 65535, and a week has 672 slots or 2016");
    request.slot_count = SLOTS, request.pattern_speed = NULL;
    expect_bad(&request, MACADAM_E_INVALID, "2 patterns of 672 slots");
    request.pattern_speed = speed, speed[5] = 254;
    expect_bad(&request, MACADAM_E_INVALID, "pattern 0 never has the fastest speed, 255");
    speed[5] = 255;
    request = request_of((const uint64_t[]){9}, (const uint16_t[]){1}, 1);
    request.pattern_count = 2;
    expect_bad(&request, MACADAM_E_NOT_FOUND, "no arc has the number 9");
}
