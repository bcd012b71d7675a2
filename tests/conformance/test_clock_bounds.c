/* test_clock_bounds.c - routes by the clock while bounds of windows are made by several threads together and make room for
 * others: costs and arcs stay those of searches to all nodes. */
#include "engine/query/places/query.h"
#include "engine/runtime/clock.h"
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

enum { PAIRS = 12, HOUR = 3600000, DEPARTURES = 7 * 24, CLIENTS = 4 };

typedef struct paths {
    uint32_t cost[2][DEPARTURES][PAIRS], distance[2][DEPARTURES][PAIRS]; /* by departure, by arrival */
    uint64_t hash[2][DEPARTURES][PAIRS];
} paths;

typedef struct client {
    pthread_t thread;
    size_t first; /* the departure with which it begins */
    paths found;
    bool failed;
} client;

static paths right;

static bool keep_hash(void *context, size_t pair, const uint64_t *number, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) hash = rng_mix(hash ^ number[i]);
    ((uint64_t *)context)[pair] = hash;
    return true;
}

static macadam_status find_paths(paths *out, size_t departure, bool backward)
{
    const uint32_t instant = (uint32_t)departure * HOUR + HOUR * 3 / 4;
    macadam_clock clock = MACADAM_CLOCK_INIT;
    macadam_query query = town_query(&clock);
    const macadam_routes_request request = {.size = sizeof request,
                                            .source = town.place,
                                            .target = town.place + TOWN_PLACES - PAIRS,
                                            .pair_count = PAIRS};
    *(backward ? &clock.arrive_by : &clock.depart) = &instant;
    *(backward ? &clock.arrive_count : &clock.depart_count) = 1;
    return macadam_routes_find_paths(
        (uint32_t *const[]){out->cost[backward][departure], out->distance[backward][departure]}, NULL,
        town.engine, &query, &request, keep_hash, out->hash[backward][departure], NULL);
}

static void *run_client(void *argument)
{
    client *const own = argument;
    for (size_t i = 0; i < 2 * DEPARTURES; ++i)
        own->failed |= find_paths(&own->found, (own->first + i / 2) % DEPARTURES, i % 2) != MACADAM_OK;
    return NULL;
}

/* Finds what is right, and checks that trips leave every window and the week. */
static void find_right(void)
{
    size_t beyond = 0, wraps = 0;
    town.engine->profile[0]->has_hierarchy = false;
    for (size_t i = 0; i < 2 * DEPARTURES; ++i) cr_assert_eq(find_paths(&right, i / 2, i % 2), MACADAM_OK);
    town.engine->profile[0]->has_hierarchy = true;
    for (size_t i = 0; i < DEPARTURES; ++i)
        for (size_t pair = 0; pair < PAIRS; ++pair) {
            const uint32_t cost = right.cost[0][i][pair];
            if (cost == MACADAM_UNREACHED) continue;
            beyond += cost > HOUR;
            wraps += cost + i * HOUR + HOUR * 3 / 4 > MACADAM_WEEK_MS;
        }
    cr_assert(beyond > 0 && wraps > 0, "%zu trips of more than an hour, %zu over the end of the week", beyond,
              wraps);
}

static void run_clients(void)
{
    static client all[CLIENTS];
    for (size_t c = 0; c < CLIENTS; ++c) {
        all[c] = (client){.first = c % 2 * (DEPARTURES / 2)}; /* two of them make the same bounds */
        cr_assert_eq(pthread_create(&all[c].thread, NULL, run_client, &all[c]), 0);
    }
    for (size_t c = 0; c < CLIENTS; ++c) {
        pthread_join(all[c].thread, NULL);
        cr_assert_not(all[c].failed);
        cr_assert_eq(memcmp(&all[c].found, &right, sizeof right), 0, "client %zu has other answers", c);
    }
}

Test(clock_bounds, routes_are_right_while_bounds_make_room)
{
    mcd_query own = {0};
    const uint32_t instant = 0;
    const macadam_clock clock = {.size = sizeof clock, .depart = &instant, .depart_count = 1};
    const macadam_query query = town_query(&clock);
    test_rng rng = {5};
    town_open(3, true, MCD_WEEK_SLOTS);
    town_draw_places(&rng);
    find_right();
    FIXTURE_CALL(mcd_query_begin_clock, &own, town.engine, town.engine->host, &query, NULL);
    mcd_clock_bounds *const bounds = &own.version->clock->bounds;
    cr_assert_eq(bounds->count, 0);
    run_clients();
    const size_t most = bounds->count;
    cr_assert_eq(most, sizeof bounds->bound / sizeof *bounds->bound, "%zu bounds: not more than fit", most);
    const uint64_t limit = town.engine->scratch.limit;
    town.engine->scratch.limit = 8 * mcd_clock_bounds_bytes(bounds) / most * 3; /* about 3 of them */
    run_clients();
    cr_assert(bounds->count > 0 && bounds->count < most, "%zu bounds", bounds->count);
    cr_assert_leq(mcd_clock_bounds_bytes(bounds), town.engine->scratch.limit / 8);
    town.engine->scratch.limit = limit;
    mcd_query_end(&own);
    town_close();
}
