/* test_clock_calls.c - calls with a clock without memory, and beside updates of the speeds. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"
#include "tests/support/uses.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { TRIES_MAX = 20000, WAY_FIRST = 1000, WAYS = 2 * TOWN_SIDE * (TOWN_SIDE - 1), HOUR_MS = 3600 * 1000 };

static const uint32_t monday_at_7 = 7 * HOUR_MS;
static const macadam_clock morning = {.size = sizeof morning, .depart = &monday_at_7, .depart_count = 1};
static char folder[FILES_PATH_BYTES], csv[2][FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];

/* All streets have other speeds at 7 and 8 o'clock. */
static void write_speeds(const char *name, uint64_t seed)
{
    test_rng rng = {seed};
    FILE *const file = fopen(name, "w");
    cr_assert(file);
    for (int way = WAY_FIRST; way < WAY_FIRST + WAYS; ++way)
        for (int hour = 7; hour < 9; ++hour)
            fprintf(file, "%d,0,Mo %02d:00,%02d:00,%u\n", way, hour, hour + 1, 3 + rng_below(&rng, 50));
    fclose(file);
}

static macadam_status update(int which, macadam_error *error)
{
    const char *const file = csv[which];
    const macadam_speeds_request request = {.size = sizeof request, .speeds = &file, .speeds_count = 1};
    return macadam_update_speeds(town.engine, &request, error);
}

static void set_up(void)
{
    macadam_error error;
    allocator_install();
    files_new_path(folder, path, "speeds.mcd");
    for (int which = 0; which < 2; ++which) {
        snprintf(csv[which], sizeof csv[which], "%s/%d.csv", folder, which);
        write_speeds(csv[which], (uint64_t)which + 1);
    }
    town_open(3, true, 0);
    cr_assert_eq(update(0, &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    town_close();
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(clock_calls, .init = set_up, .fini = tear_down);

/* ---- without memory ---- */

/* The legs of a trace have the durations of its times. */
static macadam_status match(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                            macadam_error *error)
{
    macadam_trace_point point[8] = {{0}};
    SCOPED(macadam_matches_free_at) macadam_matches *found = NULL;
    const macadam_match_request request = {
        .size = sizeof request, .point = point, .point_count = 8, .routes = true};
    for (size_t i = 0; i < 8; ++i)
        point[i] =
            (macadam_trace_point){.lon = 0.0012 * (double)i, .accuracy_m = 30, .time_s = (double)i * 100};
    const macadam_status status = macadam_match_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->matching_count;
    return status;
}

static macadam_status trip(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                           macadam_error *error)
{
    macadam_place stop[6];
    SCOPED(macadam_trip_free_at) macadam_trip *found = NULL;
    const macadam_trip_request request = {
        .size = sizeof request, .stop = stop, .stop_count = 6, .steps = true};
    for (size_t i = 0; i < 6; ++i) stop[i] = (macadam_place){.id = 1 + (int64_t)i * 7};
    const macadam_status status = macadam_trip_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->cost;
    return status;
}

/* On an engine that was just opened; after a failure, the same call works. Returns whether an allocation failed. */
static bool call_without(size_t nth, const use_case *use, uint64_t right)
{
    macadam_error error = {""};
    uint64_t answer = 0;
    const size_t live = allocator_live_count();
    macadam_engine *const engine = fixture_open_file(path, 1);
    macadam_query query = MACADAM_QUERY_INIT;
    query.clock = &morning;
    allocator_fail(nth);
    const macadam_status status = use->run(engine, &query, &answer, &error);
    const bool has_failed = allocator_has_failed();
    allocator_fail(0);
    cr_assert(status == MACADAM_OK || (status == MACADAM_E_MEMORY && has_failed && *error.message),
              "%s, allocation %zu: %s: %s", use->name, nth, macadam_status_name(status), error.message);
    if (status) cr_assert_eq(use->run(engine, &query, &answer, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(answer, right, "%s after allocation %zu", use->name, nth);
    macadam_engine_close(engine);
    cr_assert_eq(allocator_live_count(), live, "%s, allocation %zu: blocks are left", use->name, nth);
    return has_failed;
}

Test(clock_calls, every_use_without_memory)
{
    static const use_case own[] = {{"match", match, USE_QUERY}, {"trip", trip, USE_QUERY}};
    static const char takes_clock[] = "tree, route, trees, parents, reach, matrix, routes, isochrone, rings";
    macadam_error error;
    size_t uses = 0;
    cr_assert_eq(macadam_engine_save(town.engine, path, &error), MACADAM_OK, "%s", error.message);
    for (size_t i = 0; i < USES + 2; ++i) {
        const use_case *const use = i < USES ? &use_all[i] : &own[i - USES];
        macadam_query query = MACADAM_QUERY_INIT;
        uint64_t right;
        size_t nth = 1;
        query.clock = &morning;
        if (i < USES && !strstr(takes_clock, use->name)) continue;
        cr_assert_eq(use->run(town.engine, &query, &right, &error), MACADAM_OK, "%s", error.message);
        while (nth < TRIES_MAX && call_without(nth, use, right)) ++nth;
        cr_assert(nth > 1 && nth < TRIES_MAX, "%s: %zu allocations", use->name, nth);
        ++uses;
    }
    cr_assert_eq(uses, 11);
}

/* ---- beside updates of speeds ---- */

static macadam_status ask(size_t kind, uint64_t *answer, macadam_error *error)
{
    static const char *const names[] = {"matrix", "routes", "reach", "trees"};
    macadam_query query = MACADAM_QUERY_INIT;
    query.clock = &morning;
    for (size_t i = 0; i < USES; ++i)
        if (strcmp(use_all[i].name, names[kind]) == 0)
            return use_all[i].run(town.engine, &query, answer, error);
    return MACADAM_E_NOT_FOUND;
}

enum { KINDS = 4 };

typedef struct asking {
    size_t kind;
    uint64_t right[2]; /* by the first and by the second speeds */
    const atomic_bool *stop;
    atomic_size_t seen[2], wrong;
} asking;

static void *ask_until_stopped(void *argument)
{
    asking *const of = argument;
    while (!*of->stop) {
        macadam_error error;
        uint64_t answer = 0;
        const bool is_answered = ask(of->kind, &answer, &error) == MACADAM_OK;
        if (is_answered && answer == of->right[0])
            ++of->seen[0];
        else if (is_answered && answer == of->right[1])
            ++of->seen[1];
        else
            ++of->wrong;
    }
    return NULL;
}

static bool have_seen_both(const asking *of)
{
    bool both = true;
    for (size_t kind = 0; kind < KINDS; ++kind) both = both && of[kind].seen[0] > 1 && of[kind].seen[1] > 1;
    return both;
}

Test(clock_calls, answers_are_of_one_version_each_beside_updates_of_speeds)
{
    macadam_error error;
    atomic_bool stop = false;
    asking of[KINDS];
    pthread_t thread[KINDS];
    for (size_t kind = 0; kind < KINDS; ++kind) of[kind] = (asking){.kind = kind, .stop = &stop};
    for (int which = 0; which < 2; ++which) {
        cr_assert_eq(update(which, &error), MACADAM_OK, "%s", error.message);
        for (size_t kind = 0; kind < KINDS; ++kind)
            cr_assert_eq(ask(kind, &of[kind].right[which], &error), MACADAM_OK, "%s", error.message);
    }
    for (size_t kind = 0; kind < KINDS; ++kind) {
        cr_assert_neq(of[kind].right[0], of[kind].right[1]);
        cr_assert_eq(pthread_create(&thread[kind], NULL, ask_until_stopped, &of[kind]), 0);
    }
    for (int round = 0; round < 40 || (round < 5000 && !have_seen_both(of)); ++round)
        cr_assert_eq(update(round % 2, &error), MACADAM_OK, "%s", error.message);
    stop = true;
    for (size_t kind = 0; kind < KINDS; ++kind) {
        pthread_join(thread[kind], NULL);
        cr_assert_eq(of[kind].wrong, 0, "kind %zu: %zu answers are of no version", kind,
                     (size_t)of[kind].wrong);
    }
    cr_assert(have_seen_both(of));
}
