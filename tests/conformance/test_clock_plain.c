/* test_clock_plain.c - a clock changes nothing on a map without times, and is refused where there is no answer by it. */
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <math.h>

static macadam_error error;

static void expect_same(const uint32_t *const a[2], const uint32_t *const b[2], size_t count,
                        const char *what)
{
    for (size_t q = 0; q < 2; ++q)
        for (size_t i = 0; i < count; ++i)
            cr_assert_eq(a[q][i], b[q][i], "%s %zu: %u by the clock, %u without", what, i, a[q][i], b[q][i]);
}

static void compare_trees(macadam_query query, const macadam_clock *clock, bool reverse)
{
    enum { CELLS = TOWN_PLACES * TOWN_NODES };
    static uint32_t with[3][CELLS], without[3][CELLS];
    macadam_place node[TOWN_PLACES];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = node, request.source_count = TOWN_PLACES, request.reverse = reverse;
    for (size_t i = 0; i < TOWN_PLACES; ++i) node[i] = (macadam_place){.id = (int64_t)i * 3 + 1};
    query.clock = clock;
    const macadam_status status = macadam_tree_find_parents((uint32_t *const[]){with[0], with[1]}, with[2],
                                                            NULL, town.engine, &query, &request, &error);
    query.clock = NULL;
    const macadam_status plain = macadam_tree_find_parents(
        (uint32_t *const[]){without[0], without[1]}, without[2], NULL, town.engine, &query, &request, &error);
    cr_assert(!status && !plain, "%s", error.message);
    expect_same((const uint32_t *const[]){with[0], with[1]},
                (const uint32_t *const[]){without[0], without[1]}, CELLS, "tree");
    for (size_t i = 0; i < CELLS; ++i) cr_assert_eq(with[2][i], without[2][i], "parent %zu", i);
}

/* All that is reached from (reverse: to) the first place, as numbers: counts, arcs, areas and a trip. */
static void describe_reached(macadam_query query, bool reverse, double sum[8])
{
    const uint32_t limit = 300 * 1000;
    uint64_t nodes[1], costs[1];
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    SCOPED(macadam_trip_free_at) macadam_trip *trip = NULL;
    const macadam_isochrone_request one = {
        .size = sizeof one, .source = town.place[1], .reverse = reverse, .limit = limit};
    const macadam_rings_request areas = {.size = sizeof areas,
                                         .source = town.place + 1,
                                         .source_count = 1,
                                         .reverse = reverse,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_trip_request stops = {.size = sizeof stops, .stop = town.place, .stop_count = 6};
    const macadam_reach_request reach = {.size = sizeof reach,
                                         .source = town.place + 1,
                                         .source_count = 1,
                                         .reverse = reverse,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_reach sums = {.size = sizeof sums, .node_count = nodes, .cost_sum = costs};
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, town.engine, &query, &reach);
    FIXTURE_CALL(macadam_isochrone_find, &found, town.engine, &query, &one);
    FIXTURE_CALL(macadam_rings_find, &rings, town.engine, &query, &areas);
    FIXTURE_CALL(macadam_trip_find, &trip, town.engine, &query, &stops);
    sum[0] = (double)nodes[0], sum[1] = (double)costs[0], sum[2] = (double)found->arc_count;
    for (size_t i = 0; i < found->arc_count; ++i) {
        sum[3] += found->arc[i].cost + (double)found->arc[i].weight * (double)(i + 1);
        sum[4] += found->to[i] + found->arc[i].from;
    }
    sum[5] = rings->area_m2[0], sum[6] = (double)rings->point_count, sum[7] = (double)trip->cost;
}

/* A clock changes nothing there; a limit of a few minutes cuts some arcs. */
static void compare_reached(macadam_query query, const macadam_clock *clock, bool reverse)
{
    double with[8] = {0}, without[8] = {0};
    query.quantity_count = 1;
    query.clock = clock;
    describe_reached(query, reverse, with);
    query.clock = NULL;
    describe_reached(query, reverse, without);
    for (size_t i = 0; i < 8; ++i)
        cr_assert_float_eq(with[i], without[i], 0, "sum %zu: %.17g by the clock, %.17g without", i, with[i],
                           without[i]);
    cr_assert(with[4] != floor(with[4]));
}

Test(clock_plain, without_patterns_and_tags_it_changes_nothing)
{
    town_open(7, false, 0);
    test_rng rng = {7};
    town_draw_places(&rng);
    for (int backward = 0; backward < 2; ++backward) {
        uint32_t with[2][TOWN_PLACES * TOWN_PLACES], without[2][TOWN_PLACES * TOWN_PLACES];
        const macadam_clock clock = town_clock(backward, 0, 1);
        macadam_query query = town_query(&clock);
        macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
        query.snap_any_component = false;
        request.source = request.target = town.place,
        request.source_count = request.target_count = TOWN_PLACES;
        FIXTURE_CALL(macadam_matrix_find_into, (uint32_t *const[]){with[0], with[1]}, NULL, town.engine,
                     &query, &request);
        query.clock = NULL;
        FIXTURE_CALL(macadam_matrix_find_into, (uint32_t *const[]){without[0], without[1]}, NULL, town.engine,
                     &query, &request);
        expect_same((const uint32_t *const[]){with[0], with[1]},
                    (const uint32_t *const[]){without[0], without[1]}, TOWN_PLACES * TOWN_PLACES, "cell");
        compare_trees(query, &clock, backward);
        compare_reached(query, &clock, backward);
    }
    town_close();
}

static macadam_status ask_pair(const macadam_query *query)
{
    uint32_t cost[2][4];
    const macadam_routes_request request = {
        .size = sizeof request, .source = town.place, .target = town.place + 1, .pair_count = 1};
    return macadam_routes_find((uint32_t *const[]){cost[0], cost[1]}, NULL, town.engine, query, &request,
                               &error);
}

/* The query fails, and says why. */
static void expect_refusal(macadam_query query, const macadam_clock *clock, macadam_status status,
                           const char *message)
{
    query.clock = clock;
    cr_assert_eq(ask_pair(&query), status);
    cr_assert_str_eq(error.message, message);
}

Test(clock_plain, what_it_cannot_have_is_refused)
{
    static const uint32_t times[] = {1, 2 * MACADAM_WEEK_MS, 2, MACADAM_HOLIDAY_MS};
    town_open(8, true, 0);
    test_rng rng = {8};
    town_draw_places(&rng);
    const macadam_clock good = town_clock(false, 0, 1),
                        late = {.size = sizeof late, .depart = times, .depart_count = 2},
                        mixed = {.size = sizeof mixed, .depart = times + 2, .depart_count = 2},
                        both = {.size = sizeof both,
                                .depart = times,
                                .depart_count = 1,
                                .arrive_by = times,
                                .arrive_count = 1},
                        none = MACADAM_CLOCK_INIT, missing = {.size = sizeof missing, .depart_count = 1},
                        each = {
                            .size = sizeof each, .arrive_by = town.instant, .arrive_count = 3, .each = true};
    macadam_query query = town_query(&good);
    cr_assert_eq(ask_pair(&query), MACADAM_OK);
    expect_refusal(query, &late, MACADAM_E_INVALID, "departure 1 is 1209600000 ms; a week has 604800000");
    expect_refusal(query, &mixed, MACADAM_E_UNSUPPORTED,
                   "departure 0 and departure 1: holidays (PH) and ordinary days do not mix");
    expect_refusal(query, &both, MACADAM_E_INVALID, "a clock with 1 departures and 1 arrivals");
    expect_refusal(query, &none, MACADAM_E_INVALID, "a clock without a departure or an arrival");
    expect_refusal(query, &missing, MACADAM_E_INVALID, "1 departures, but no array of them");
    expect_refusal(query, &each, MACADAM_E_INVALID, "3 arrivals for 1 targets: each must have one");
    uint64_t order[2];
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = matrix.target = town.place, matrix.source_count = matrix.target_count = 1;
    matrix.order = order;
    uint32_t cell[2];
    uint32_t *const cells[] = {cell, cell + 1};
    cr_assert_eq(macadam_matrix_find_into(cells, NULL, town.engine, &query, &matrix, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "the engine's order, and a clock");
    query.metric = "distance";
    expect_refusal(query, &good, MACADAM_E_UNSUPPORTED,
                   "a clock, but the least distance: only durations depend on it");
    uint32_t hops[TOWN_NODES];
    const macadam_hops_request request = {.size = sizeof request, .source = town.place, .source_count = 1};
    query = town_query(&good);
    cr_assert_eq(macadam_hops_find(hops, NULL, NULL, town.engine, &query, &request, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "a hops request takes no clock: hops take no time");
    uint64_t nodes[4];
    const macadam_reach sums = {.size = sizeof sums, .reached = nodes};
    macadam_reach_request reach = {
        .size = sizeof reach, .source = town.place, .source_count = 2, .reverse = true};
    query.quantity_count = 1;
    cr_assert_eq(macadam_reach_find(&sums, NULL, town.engine, &query, &reach, &error), MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "reach to its source, with departures: it has arrivals");
    const macadam_clock two = town_clock(false, 0, 3);
    query.clock = &two, reach.reverse = false;
    cr_assert_eq(macadam_reach_find(&sums, NULL, town.engine, &query, &reach, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "3 instants of a clock; reach has one, or one for each place (each)");
    macadam_trip *trip;
    const macadam_trip_request stops = {.size = sizeof stops, .stop = town.place, .stop_count = 3};
    cr_assert_eq(macadam_trip_find(&trip, town.engine, &query, &stops, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "3 instants of a clock; a trip has one");
    macadam_connection *connection;
    const macadam_connection_request ends = {
        .size = sizeof ends, .source = town.place[0], .target = town.place[1]};
    cr_assert_eq(macadam_connection_find(&connection, town.engine, &query, &ends, &error),
                 MACADAM_E_UNSUPPORTED);
    town_close();
}

Test(clock_plain, places_are_where_routes_by_the_clock_have_them)
{
    town_open(4, true, MCD_WEEK_SLOTS);
    test_rng rng = {4};
    for (size_t round = 0; round < 8; ++round) {
        macadam_snap snap[TOWN_PLACES];
        town_draw_places(&rng);
        const macadam_clock clock = town_clock(false, 0, 1);
        macadam_query query = town_query(&clock);
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        const macadam_route_request request = {.size = sizeof request,
                                               .waypoint = town.place,
                                               .waypoint_count = TOWN_PLACES,
                                               .via_turn = MACADAM_VIA_ANY};
        FIXTURE_CALL(macadam_route_find, &route, town.engine, &query, &request);
        FIXTURE_CALL(macadam_snap_find, snap, town.engine, &query, town.place, TOWN_PLACES);
        for (size_t i = 0; i < TOWN_PLACES; ++i) {
            cr_assert_eq(snap[i].arc, route->waypoint[i].arc, "place %zu", i);
            cr_assert_eq(snap[i].lon, route->waypoint[i].lon, "place %zu", i);
        }
    }
    town_close();
}
