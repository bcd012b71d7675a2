/* test_clock_queries.c - queries whose clock moves along the way: trees, matrices, pairs, routes and trips are the oracle's. */
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Trees from (backward: to) all places at all instants. */
static void check_trees(macadam_query query, bool backward)
{
    const macadam_clock clock = town_clock(backward, 0, TOWN_INSTANTS);
    const size_t ids = town.engine->places.id_count, rows = TOWN_PLACES * TOWN_INSTANTS;
    uint32_t *const value[2] = {checked_allocate(rows * ids, sizeof(uint32_t)),
                                checked_allocate(rows * ids, sizeof(uint32_t))};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    query.clock = &clock;
    request.source = town.place, request.source_count = TOWN_PLACES, request.reverse = backward;
    FIXTURE_CALL(macadam_tree_find, value, NULL, town.engine, &query, &request);
    for (size_t r = 0; r < rows; ++r) {
        town_searches o =
            town_search(&town.position[r / TOWN_INSTANTS], town.instant[r % TOWN_INSTANTS], backward);
        const mcd_node *const node = backward ? town.engine->places.depart : town.engine->places.arrive;
        for (size_t i = 0; i < ids; ++i)
            town_expect(town_cost_at(&o, node[i]), (const uint32_t *const *)value, r * ids + i,
                        backward ? "tree by arrival" : "tree");
        town_search_free(&o);
    }
    free(value[0]);
    free(value[1]);
}

/* The matrix of all places at all instants, and what else is the same. */
static void check_matrix(macadam_query query, bool backward)
{
    const macadam_clock clock = town_clock(backward, 0, TOWN_INSTANTS);
    uint32_t objective[TOWN_PLACES * TOWN_PLACES * TOWN_INSTANTS],
        companion[TOWN_PLACES * TOWN_PLACES * TOWN_INSTANTS];
    uint32_t *const value[2] = {objective, companion};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    query.clock = &clock;
    request.source = request.target = town.place, request.source_count = request.target_count = TOWN_PLACES;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, town.engine, &query, &request);
    for (size_t p = 0; p < TOWN_PLACES; ++p)
        for (size_t t = 0; t < TOWN_INSTANTS; ++t) {
            town_searches o = town_search(&town.position[p], town.instant[t], backward);
            for (size_t other = 0; other < TOWN_PLACES; ++other)
                town_expect(town_cost_to(&o, &town.position[p], &town.position[other]),
                            (const uint32_t *const *)value,
                            backward ? other * TOWN_PLACES * TOWN_INSTANTS + p * TOWN_INSTANTS + t
                                     : (p * TOWN_INSTANTS + t) * TOWN_PLACES + other,
                            backward ? "cell by arrival" : "cell");
            town_search_free(&o);
        }
}

/* Each pair costs what the cell does, and so does its route, whose arcs add up. */
static void check_pairs(macadam_query query, bool backward)
{
    uint32_t instants[TOWN_PLACES], objective[TOWN_PLACES], companion[TOWN_PLACES];
    uint32_t *const value[2] = {objective, companion};
    macadam_place target[TOWN_PLACES];
    for (size_t i = 0; i < TOWN_PLACES; ++i)
        target[i] = town.place[(i * 5 + 3) % TOWN_PLACES], instants[i] = town.instant[i % TOWN_INSTANTS];
    macadam_clock clock = {
        .size = sizeof clock, .depart = instants, .depart_count = TOWN_PLACES, .each = true};
    if (backward)
        clock = (macadam_clock){
            .size = sizeof clock, .arrive_by = instants, .arrive_count = TOWN_PLACES, .each = true};
    macadam_routes_request request = {
        .size = sizeof request, .source = town.place, .target = target, .pair_count = TOWN_PLACES};
    query.clock = &clock;
    FIXTURE_CALL(macadam_routes_find, value, NULL, town.engine, &query, &request);
    for (size_t i = 0; i < TOWN_PLACES; ++i) {
        const size_t end = (i * 5 + 3) % TOWN_PLACES, begin = backward ? end : i, other = backward ? i : end;
        town_searches o = town_search(&town.position[begin], instants[i], backward);
        town_expect(town_cost_to(&o, &town.position[begin], &town.position[other]),
                    (const uint32_t *const *)value, i, "pair");
        town_search_free(&o);
        const macadam_clock one = town_clock(backward, i % TOWN_INSTANTS, 1);
        const macadam_place way[] = {town.place[i], target[i]};
        macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        query.clock = &one;
        ask.waypoint = way, ask.waypoint_count = 2, ask.steps = ask.segments = true;
        FIXTURE_CALL(macadam_route_find, &route, town.engine, &query, &ask);
        for (size_t q = 0; q < 2; ++q) {
            uint32_t sum = 0;
            cr_assert_eq(route->value[q], value[q][i], "route %zu: %u, pair %u", i, route->value[q],
                         value[q][i]);
            for (size_t a = 0; a < route->arc_count; ++a) sum += route->arc[a].value[q];
            cr_assert(!route->found || sum == route->value[q], "route %zu: arcs %u of %u", i, sum,
                      route->value[q]);
        }
    }
}

/* Via places: each leg departs when the one before arrives. */
static void check_vias(macadam_query query)
{
    macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
    ask.waypoint = town.place, ask.waypoint_count = 5, ask.via_turn = MACADAM_VIA_ANY;
    for (size_t t = 0; t < TOWN_INSTANTS; ++t)
        for (int backward = 0; backward < 2; ++backward) {
            const macadam_clock clock = town_clock(backward, t, 1);
            SCOPED(macadam_route_free_at) macadam_route *route = NULL;
            uint64_t now = town.instant[t];
            query.clock = &clock;
            FIXTURE_CALL(macadam_route_find, &route, town.engine, &query, &ask);
            for (size_t i = 0; i < 4 && route->found; ++i) {
                const size_t l = backward ? 3 - i : i, begin = backward ? l + 1 : l,
                             end = backward ? l : l + 1;
                town_searches o =
                    town_search(&town.position[begin], (uint32_t)(now % MACADAM_WEEK_MS), backward);
                const town_answer a = town_cost_to(&o, &town.position[begin], &town.position[end]);
                cr_assert_eq(route->leg[l].value[0], a.cost);
                now = backward ? now + town_epoch - a.cost : now + a.cost;
                town_search_free(&o);
            }
        }
}

static bool keep_hash(void *context, size_t pair, const uint64_t *number, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) hash = rng_mix(hash ^ number[i]);
    ((uint64_t *)context)[pair] = hash;
    return true;
}

/* Paths are those of searches to all nodes, which answer without a hierarchy: also of ways that cost the same. */
static void check_paths(macadam_query query, bool backward)
{
    enum { PAIRS = TOWN_PLACES * TOWN_PLACES };
    macadam_place source[PAIRS], target[PAIRS];
    const macadam_clock clock = town_clock(backward, 0, 2);
    const macadam_routes_request request = {
        .size = sizeof request, .source = source, .target = target, .pair_count = PAIRS};
    uint32_t objective[2][2 * PAIRS], companion[2][2 * PAIRS];
    uint64_t hash[2][2 * PAIRS];
    for (size_t i = 0; i < PAIRS; ++i)
        source[i] = town.place[i / TOWN_PLACES], target[i] = town.place[i % TOWN_PLACES];
    query.clock = &clock;
    for (int has_hierarchy = 0; has_hierarchy < 2; ++has_hierarchy) {
        town.engine->profile[0]->has_hierarchy = has_hierarchy;
        FIXTURE_CALL(macadam_routes_find_paths,
                     (uint32_t *const[]){objective[has_hierarchy], companion[has_hierarchy]}, NULL,
                     town.engine, &query, &request, keep_hash, hash[has_hierarchy]);
    }
    for (size_t i = 0; i < 2 * PAIRS; ++i) {
        cr_assert_eq(objective[0][i], objective[1][i]);
        cr_assert_eq(companion[0][i], companion[1][i]);
        cr_assert_eq(hash[0][i], hash[1][i], "pair %zu at instant %zu has other arcs", i / 2, i % 2);
    }
}

/* An answer by arrival, run again from its departure, is never late. */
static void check_reruns(macadam_query query)
{
    const macadam_clock by = town_clock(true, 0, 1);
    uint32_t cost[TOWN_PLACES], again[TOWN_PLACES];
    macadam_routes_request request = {.size = sizeof request,
                                      .source = town.place,
                                      .target = town.place + 1,
                                      .pair_count = TOWN_PLACES - 1};
    query.quantity_count = 1;
    query.clock = &by;
    FIXTURE_CALL(macadam_routes_find, (uint32_t *const[]){cost}, NULL, town.engine, &query, &request);
    uint32_t depart[TOWN_PLACES];
    for (size_t i = 0; i + 1 < TOWN_PLACES; ++i)
        depart[i] = (uint32_t)((town.instant[0] + town_epoch - (cost[i] == MACADAM_UNREACHED ? 0 : cost[i])) %
                               MACADAM_WEEK_MS) +
                    town.holiday;
    const macadam_clock from = {
        .size = sizeof from, .depart = depart, .depart_count = TOWN_PLACES - 1, .each = true};
    query.clock = &from;
    FIXTURE_CALL(macadam_routes_find, (uint32_t *const[]){again}, NULL, town.engine, &query, &request);
    for (size_t i = 0; i + 1 < TOWN_PLACES; ++i)
        cr_assert(cost[i] == MACADAM_UNREACHED || again[i] <= cost[i], "pair %zu: %u, then %u", i, cost[i],
                  again[i]);
}

/* ---- trips ---- */

enum { STOPS = 4 };

static uint64_t cost_of_order(const macadam_query *query, const macadam_place *stop)
{
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
    ask.waypoint = stop, ask.waypoint_count = STOPS, ask.via_turn = MACADAM_VIA_ANY, ask.costs_only = true;
    FIXTURE_CALL(macadam_route_find, &route, town.engine, query, &ask);
    return route->found ? route->value[0] : UINT64_MAX;
}

/* The costs of orders by the clock, and by the costs of the trip's instant: the least of all, and the most of those that are
 * best by the other. */
static void check_trip(macadam_query query, const macadam_clock *clock)
{
    const macadam_trip_request request = {
        .size = sizeof request, .stop = town.place, .stop_count = STOPS, .open = true};
    uint32_t cell[STOPS * STOPS];
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    uint64_t least = UINT64_MAX, frozen_least = UINT64_MAX, frozen = UINT64_MAX;
    SCOPED(macadam_trip_free_at) macadam_trip *trip = NULL;
    macadam_place stop[STOPS];
    query.clock = clock, query.quantity_count = 1;
    matrix.source = matrix.target = town.place, matrix.source_count = matrix.target_count = STOPS;
    FIXTURE_CALL(macadam_matrix_find_into, (uint32_t *const[]){cell}, NULL, town.engine, &query, &matrix);
    for (unsigned order = 0; order < STOPS * STOPS * STOPS * STOPS; ++order) {
        const unsigned at[] = {order % 4, order / 4 % 4, order / 16 % 4, order / 64};
        uint64_t sum = 0;
        bool is_order = (1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) == 15;
        for (size_t i = 0; i + 1 < STOPS && is_order; ++i) {
            is_order = cell[at[i] * STOPS + at[i + 1]] != MACADAM_UNREACHED;
            sum += cell[at[i] * STOPS + at[i + 1]];
        }
        if (!is_order) continue;
        for (size_t i = 0; i < STOPS; ++i) stop[i] = town.place[at[i]];
        const uint64_t cost = cost_of_order(&query, stop);
        least = cost < least ? cost : least;
        if (sum < frozen_least || (sum == frozen_least && cost > frozen)) frozen = cost;
        frozen_least = sum < frozen_least ? sum : frozen_least;
    }
    FIXTURE_CALL(macadam_trip_find, &trip, town.engine, &query, &request);
    cr_assert_eq(trip->found, frozen != UINT64_MAX);
    if (!trip->found) return;
    for (size_t i = 0; i < STOPS; ++i) stop[i] = town.place[trip->order[i]];
    cr_assert_eq(trip->cost, cost_of_order(&query, stop));
    cr_assert_eq(trip->cost, trip->route->value[0]);
    cr_assert(trip->cost >= least && trip->cost <= frozen, "%zu: not %zu to %zu", (size_t)trip->cost,
              (size_t)least, (size_t)frozen);
}

static void check(macadam_query query, bool backward)
{
    check_trees(query, backward);
    check_matrix(query, backward);
    check_pairs(query, backward);
    for (size_t t = 0; t < TOWN_INSTANTS; ++t) {
        const macadam_clock clock = town_clock(backward, t, 1);
        check_trip(query, &clock);
    }
    check_paths(query, backward);
    if (backward) return;
    check_vias(query);
    check_reruns(query);
}

Test(clock, answers_are_the_oracles)
{
    town_check_all(check);
}
