/* test_located.c - to which roads points are taken, over macadam.h. That every question follows the rule of pairs is for
 * tests/metamorphic, whose towns have estates that are cut off.
 *
 *     A town of 5 x 8 junctions, and north of it a site that no road leads to. (latitude up, 0.001 degrees a step)
 *
 *         S---T---U             S, T, U = 100, 101, 102, 400 m above the town's northern edge
 *
 *         32--33- ... -39       the town: streets both ways
 *         ...
 *         0---1-- ... --7
 */
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"
#include "tests/support/call_text.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include "engine/include/macadam.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 8, ROWS = 5, TOWN = COLUMNS * ROWS, SITE = 3, NODES = TOWN + SITE, ARCS_MAX = 4 * NODES };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_engine *engine;

static size_t arc_count;
static uint32_t tail[ARCS_MAX], head[ARCS_MAX], weight[ARCS_MAX];

static void add_road(uint32_t a, uint32_t b)
{
    tail[arc_count] = a, head[arc_count] = b, weight[arc_count++] = 1024;
    tail[arc_count] = b, head[arc_count] = a, weight[arc_count++] = 1024;
}

static void draw_town(int32_t *lon_e7, int32_t *lat_e7, int64_t *id)
{
    for (uint32_t i = 0; i < TOWN; ++i) {
        lon_e7[i] = (int32_t)(i % COLUMNS) * 10000, lat_e7[i] = (int32_t)(i / COLUMNS) * 10000, id[i] = i;
        if (i % COLUMNS + 1 < COLUMNS) add_road(i, i + 1);
        if (i + COLUMNS < TOWN) add_road(i, i + COLUMNS);
    }
    for (uint32_t i = 0; i < SITE; ++i) {
        lon_e7[TOWN + i] = (int32_t)i * 10000, lat_e7[TOWN + i] = 76000, id[TOWN + i] = 100 + i;
        if (i > 0) add_road(TOWN + i - 1, TOWN + i);
    }
}

/* Energy is half of the duration, and the rise of this. */
static int32_t potential_at(double lon, double lat)
{
    return (int32_t)lround(2e7 * lon + 3e7 * lat);
}

/* way_out: a long road leads from U to 0, one way. */
static void import_town(bool way_out)
{
    static const char *const quantity[] = {"duration", "energy"};
    uint32_t energy[ARCS_MAX];
    const uint32_t *const weights[] = {weight, energy};
    int32_t lon_e7[NODES], lat_e7[NODES], potential[NODES];
    const int32_t *const potentials[] = {NULL, potential};
    int64_t id[NODES];
    arc_count = 0;
    draw_town(lon_e7, lat_e7, id);
    if (way_out) tail[arc_count] = TOWN + 2, head[arc_count] = 0, weight[arc_count++] = 1024000;
    for (size_t i = 0; i < NODES; ++i) potential[i] = potential_at(lon_e7[i] / 1e7, lat_e7[i] / 1e7);
    for (size_t a = 0; a < arc_count; ++a)
        energy[a] = weight[a] / 2 + (uint32_t)(potential[head[a]] - potential[tail[a]]);
    files_new_path(folder, path, "town.mcd");
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = arc_count, input.id = id;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7, input.tail = tail, input.head = head;
    input.quantity = quantity, input.weight = weights, input.quantity_count = 2;
    input.potential = potentials;
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    FIXTURE_CALL(macadam_engine_open, &engine, path, NULL);
}

static void set_up(void)
{
    import_town(false);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(located, .init = set_up, .fini = tear_down);

static macadam_place point(double lon, double lat)
{
    return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
}

static const macadam_place town = {.kind = MACADAM_PLACE_POINT, .lon = 0.00325, .lat = 0.0001};
static const macadam_place at_s = {.kind = MACADAM_PLACE_POINT, .lon = 0.0000625, .lat = 0.0075};
static const macadam_place at_u = {.kind = MACADAM_PLACE_POINT, .lon = 0.00175, .lat = 0.0075};
static const macadam_place node_t = {.kind = MACADAM_PLACE_NODE, .id = 101};

static macadam_snap snapped(macadam_place place, const macadam_query *query)
{
    macadam_snap snap;
    FIXTURE_CALL(macadam_snap_find, &snap, engine, query, &place, 1);
    return snap;
}

static bool is_in_site(const macadam_snap *snap)
{
    return snap->lat > 0.007;
}

Test(located, a_point_goes_to_a_road_that_is_not_cut_off)
{
    macadam_snap snap = snapped(at_s, NULL);
    cr_assert_eq(snap.status, MACADAM_PLACE_MOVED);
    cr_assert(!is_in_site(&snap));
    cr_assert_float_eq(snap.nearest_m, 11.12, 0.01);
    cr_assert_float_eq(snap.distance_m, 389.2, 0.1);
    cr_assert(macadam_place_is_found(snap.status));
    cr_assert_str_eq(macadam_place_status_name(snap.status), "moved");
    const macadam_query query = {.size = sizeof query, .snap_any_component = true};
    snap = snapped(at_s, &query);
    cr_assert(snap.status == MACADAM_PLACE_OK && is_in_site(&snap) && isnan(snap.nearest_m));
}

Test(located, candidates_say_that_a_nearer_road_is_cut_off)
{
    macadam_snap moved[4], any[4], town_only[4];
    size_t count;
    macadam_query query = {.size = sizeof query, .snap_radius_m = 600};
    FIXTURE_CALL(macadam_snap_find_candidates, moved, &count, engine, &query, &at_s, 4);
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; ++i)
        cr_assert(moved[i].status == MACADAM_PLACE_MOVED && !is_in_site(&moved[i]) &&
                  fabs(moved[i].nearest_m - 11.12) < 0.01);
    query.snap_any_component = true;
    FIXTURE_CALL(macadam_snap_find_candidates, any, &count, engine, &query, &at_s, 4);
    cr_assert(count == 4 && is_in_site(&any[0]));
    for (size_t i = 0; i < count; ++i)
        cr_assert(any[i].status == MACADAM_PLACE_OK && isnan(any[i].nearest_m));
    const macadam_place north = point(0.0002, 0.0056); /* nearer to the town, the site's roads come second */
    query.snap_any_component = false;
    FIXTURE_CALL(macadam_snap_find_candidates, town_only, &count, engine, &query, &north, 4);
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; ++i)
        cr_assert(town_only[i].status == MACADAM_PLACE_OK && !is_in_site(&town_only[i]));
}

Test(located, with_a_radius_that_allows_no_other_the_status_says_so)
{
    const macadam_query query = {.size = sizeof query, .snap_radius_m = 100};
    const macadam_snap snap = snapped(at_s, &query);
    cr_assert(snap.status == MACADAM_PLACE_CUT_OFF && is_in_site(&snap));
    cr_assert(macadam_place_is_found(snap.status));
    cr_assert_str_eq(macadam_place_status_name(snap.status), "cut_off");
    macadam_snap candidate[4];
    size_t count;
    FIXTURE_CALL(macadam_snap_find_candidates, candidate, &count, engine, &query, &at_s, 4);
    cr_assert(count == 1 && candidate[0].status == MACADAM_PLACE_CUT_OFF);
}

static macadam_query by = MACADAM_QUERY_INIT; /* of the questions from here on */

static int64_t number_of(uint32_t cost)
{
    return macadam_cost(cost, by.metric && strcmp(by.metric, "energy") == 0);
}

static int64_t cost_of(macadam_place source, macadam_place target, macadam_place_status status[2])
{
    uint32_t cost, *const value[] = {&cost};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = &source, request.target = &target, request.pair_count = 1;
    FIXTURE_CALL(macadam_routes_find, value, status, engine, &by, &request);
    return number_of(cost);
}

Test(located, places_of_one_site_are_connected_within_it)
{
    macadam_place_status status[2];
    cr_assert_leq(cost_of(at_s, at_u, status), 2000);
    cr_assert(status[0] == MACADAM_PLACE_OK && status[1] == MACADAM_PLACE_OK);
    cr_assert_leq(cost_of(at_s, node_t, status), 1000);
    cr_assert_neq(cost_of(at_s, town, status), MACADAM_COST_NONE, "both in the town");
    cr_assert_eq(cost_of(node_t, town, status), MACADAM_COST_NONE);
    const macadam_place waypoint[] = {at_s, at_u, town};
    for (size_t count = 2; count <= 3; ++count) {
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        int64_t sum = 0;
        request.waypoint = waypoint, request.waypoint_count = count;
        request.via_turn = MACADAM_VIA_ANY;
        FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
        cr_assert(route->found);
        for (size_t i = 0; i < count; ++i)
            cr_assert_eq(is_in_site(&route->waypoint[i]), i < 4 - count, "%zu of %zu", i, count);
        for (size_t i = 0; i + 1 < count; ++i) sum += cost_of(waypoint[i], waypoint[i + 1], status);
        cr_assert_eq(route->value[0], sum, "the sum of %zu legs", count - 1);
    }
}

/* ---- every question follows the rule of pairs ---- */

static const macadam_place town_node = {.kind = MACADAM_PLACE_NODE, .id = 0};

static void expect_more_roads(void)
{
    const macadam_place all[] = {at_s, at_u, node_t, town, town_node};
    macadam_query query = by;
    query.snap_any_component = true;
    for (size_t i = 0; i < 25; ++i) {
        uint32_t cost, cell, *const value[] = {&cost}, *const cells[] = {&cell};
        macadam_place_status status[2];
        macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
        macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
        routes.source = matrix.source = &all[i / 5], routes.target = matrix.target = &all[i % 5];
        routes.pair_count = matrix.source_count = matrix.target_count = 1;
        FIXTURE_CALL(macadam_routes_find, value, NULL, engine, &query, &routes);
        FIXTURE_CALL(macadam_matrix_find_into, cells, NULL, engine, &query, &matrix);
        if (cost_of(all[i / 5], all[i % 5], status) != MACADAM_COST_NONE)
            cr_assert_neq(number_of(cost), MACADAM_COST_NONE, "%zu", i);
        cr_assert_eq(cell, cost, "%zu", i);
    }
}

Test(located, any_component_admits_more_roads)
{
    expect_more_roads();
}

/* ---- every question says which places were moved ---- */

enum { OK = MACADAM_PLACE_OK, MOVED = MACADAM_PLACE_MOVED };

static bool are(const macadam_place_status *status, const int *expected, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if ((int)status[i] != expected[i]) return false;
    return true;
}

/* The statuses of the places of each question about many pairs. */
static void expect_of_many(const int expected[4])
{
    const macadam_place all[] = {at_s, at_u, node_t, town};
    enum { COUNT = 4 };
    macadam_place_status status[2 * COUNT];
    macadam_snap snap[2 * COUNT];
    uint32_t cell[COUNT * NODES], nearest[COUNT], *const value[] = {cell};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = matrix.target = all, matrix.source_count = matrix.target_count = COUNT;
    for (int with = 0; with < 2; ++with) {
        matrix.snap = with ? snap : NULL;
        FIXTURE_CALL(macadam_matrix_find_into, value, status, engine, &by, &matrix);
        cr_assert(are(status, expected, COUNT) && are(status + COUNT, expected, COUNT));
    }
    for (size_t i = 0; i < 2 * COUNT; ++i)
        cr_assert(snap[i].status == status[i] &&
                  isnan(snap[i].nearest_m) == (status[i] != MACADAM_PLACE_MOVED));
    matrix.source = matrix.target = NULL;
    const macadam_tree_request tree = {.size = sizeof tree, .source = all, .source_count = COUNT};
    FIXTURE_CALL(macadam_tree_find, value, status, engine, &by, &tree);
    cr_assert(are(status, expected, COUNT));
    const macadam_hops_request hops = {.size = sizeof hops, .source = all, .source_count = COUNT};
    FIXTURE_CALL(macadam_hops_find, cell, NULL, status, engine, &by, &hops);
    cr_assert(are(status, expected, COUNT));
    macadam_reach_request reach = {.size = sizeof reach, .source = all, .source_count = COUNT};
    macadam_reach answer = MACADAM_REACH_INIT;
    reach.target = all, reach.target_count = COUNT, reach.nearest_count = 1;
    answer.nearest_cost = nearest;
    FIXTURE_CALL(macadam_reach_find, &answer, status, engine, &by, &reach);
    cr_assert(are(status, expected, COUNT) && are(status + COUNT, expected, COUNT));
    const macadam_nearest_request prepare = {
        .size = sizeof prepare, .target = all, .target_count = COUNT, .nearest_count = 1};
    macadam_nearest *prepared;
    FIXTURE_CALL(macadam_nearest_new, &prepared, status, engine, &by, &prepare);
    cr_assert(are(status, expected, COUNT));
    FIXTURE_CALL(macadam_nearest_find, &answer, status, prepared, all, COUNT);
    cr_assert(are(status, expected, COUNT));
    macadam_nearest_free(prepared);
    for (size_t i = 0; i < COUNT; ++i) {
        const macadam_isochrone_request around = {.size = sizeof around, .source = all[i], .limit = 5000};
        const uint32_t limit = 5000;
        const macadam_rings_request area = {
            .size = sizeof area, .source = &all[i], .source_count = 1, .limit = &limit, .limit_count = 1};
        macadam_isochrone *isochrone;
        macadam_rings *rings;
        FIXTURE_CALL(macadam_isochrone_find, &isochrone, engine, &by, &around);
        FIXTURE_CALL(macadam_rings_find, &rings, engine, &by, &area);
        cr_assert(are(&isochrone->source.status, &expected[i], 1) &&
                  are(&rings->source->status, &expected[i], 1));
        macadam_isochrone_free(isochrone);
        macadam_rings_free(rings);
    }
}

Test(located, of_many_places_those_with_a_road_that_is_cut_off_were_moved)
{
    expect_of_many((const int[]){MOVED, MOVED, OK, OK});
    by.snap_any_component = true;
    expect_of_many((const int[]){OK, OK, OK, OK});
}

/* The statuses of a pair in each question about one. */
static void expect_of_pair(macadam_place source, macadam_place target, int from, int to)
{
    const int expected[] = {from, to};
    const macadam_place both[] = {source, target};
    macadam_place_status status[2];
    cost_of(source, target, status);
    cr_assert(are(status, expected, 2), "routes: %d %d", (int)status[0], (int)status[1]);
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    request.waypoint = both, request.waypoint_count = 2;
    FIXTURE_CALL(macadam_route_find, &route, engine, &by, &request);
    macadam_connection_request ends = MACADAM_CONNECTION_REQUEST_INIT;
    macadam_connection *connection;
    ends.source = source, ends.target = target;
    FIXTURE_CALL(macadam_connection_find, &connection, engine, &by, &ends);
    const macadam_snap *const snap[] = {&route->waypoint[0], &route->waypoint[1], &connection->source,
                                        &connection->target};
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_eq((int)snap[i]->status, expected[i % 2], "%zu", i);
        cr_assert_eq(isnan(snap[i]->nearest_m), expected[i % 2] == OK);
        if (expected[i % 2] == MOVED) cr_assert(!is_in_site(snap[i]) && snap[i]->nearest_m < 12);
    }
    macadam_connection_free(connection);
}

Test(located, of_a_pair_those_whose_other_road_is_used_were_moved)
{
    for (int any = 0; any < 2; ++any) {
        by.snap_any_component = any;
        expect_of_pair(at_s, at_u, OK, OK);
        expect_of_pair(at_s, node_t, OK, OK);
        expect_of_pair(node_t, at_u, OK, OK);
        expect_of_pair(town, town_node, OK, OK);
        expect_of_pair(at_s, town, MOVED, OK);
        expect_of_pair(town, at_u, OK, MOVED);
        expect_of_pair(at_s, town_node, MOVED, OK);
        expect_of_pair(town_node, at_u, OK, MOVED);
    }
    tear_down();
    import_town(true);
    expect_of_pair(at_s, town, OK, OK); /* any road: by the way out of the site */
    expect_of_pair(town, at_s, OK, MOVED);
    by.snap_any_component = false;
    expect_of_pair(at_s, town, MOVED, OK);
}

Test(located, a_stop_that_one_leg_takes_from_the_other_road_was_moved)
{
    static const struct {
        const macadam_place *stop[4];
        size_t count;
        int status[4], in_site[4];
    } routes[] = {
        {{&at_s, &at_u, &town}, 3, {OK, MOVED, OK}, {1, 0, 0}},
        {{&town, &at_u, &at_s}, 3, {OK, MOVED, OK}, {0, 0, 1}},
        {{&at_s, &town, &at_u}, 3, {MOVED, OK, MOVED}, {0, 0, 0}},
        {{&at_s, &at_u, &at_s}, 3, {OK, OK, OK}, {1, 1, 1}},
        {{&town, &at_s, &town_node}, 3, {OK, MOVED, OK}, {0, 0, 0}},
        {{&town, &at_s, &at_u, &town}, 4, {OK, MOVED, MOVED, OK}, {0, 0, 0, 0}},
        {{&at_s, &node_t, &at_u}, 3, {OK, OK, OK}, {1, 1, 1}},
    };
    for (size_t r = 0; r < sizeof routes / sizeof *routes; ++r) {
        macadam_place stop[4];
        for (size_t i = 0; i < routes[r].count; ++i) stop[i] = *routes[r].stop[i];
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        macadam_trip_request order = MACADAM_TRIP_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        macadam_trip *trip;
        request.waypoint = stop, request.waypoint_count = routes[r].count, request.via_turn = MACADAM_VIA_ANY;
        FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
        order.stop = stop, order.stop_count = routes[r].count;
        order.open = order.from_first = order.to_last = true;
        FIXTURE_CALL(macadam_trip_find, &trip, engine, NULL, &order);
        const bool same = trip->found && trip->order[1] == 1;
        for (size_t i = 0; i < routes[r].count; ++i) {
            cr_assert_eq((int)route->waypoint[i].status, routes[r].status[i], "route %zu, stop %zu", r, i);
            cr_assert_eq(is_in_site(&route->waypoint[i]), routes[r].in_site[i], "route %zu, stop %zu", r, i);
            if (same)
                cr_assert_eq((int)trip->stop[i].status, routes[r].status[i], "trip %zu, stop %zu", r, i);
        }
        macadam_trip_free(trip);
    }
}

Test(located, a_trip_back_to_its_first_stop_may_move_it)
{
    static const struct {
        size_t count;
        int status[3];
    } trips[] = {{2, {OK, OK}}, {3, {MOVED, MOVED, OK}}};
    const macadam_place stop[] = {at_s, at_u, town};
    for (size_t t = 0; t < 2; ++t) {
        macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
        macadam_trip *trip;
        request.stop = stop, request.stop_count = trips[t].count;
        FIXTURE_CALL(macadam_trip_find, &trip, engine, NULL, &request);
        cr_assert(trip->found);
        for (size_t i = 0; i < trips[t].count; ++i)
            cr_assert_eq((int)trip->stop[i].status, trips[t].status[i], "trip of %zu, stop %zu",
                         trips[t].count, i);
        macadam_trip_free(trip);
    }
}

Test(located, a_message_says_which_places_were_moved)
{
    call_engine = engine;
    call_text_expect(
        "snap { place { lon: [0.0000625, 0.00325] lat: [0.0075, 0] } }",
        "snap { status: [PLACE_MOVED, PLACE_OK] id: [32, 3] lon: [6.25e-05, 0.00325] lat: [0.004, 0] "
        "distance_m: [389.183, 0] arc: [121, 13] way: [0, 0] name: [, ] nearest_m: [11.1195, nan] }");
    call_text_expect("matrix { source { lon: 0.0000625 lat: 0.0075 } target { node: 100 } }",
                     "matrix { rows: 1 columns: 1 value { value: [64] } source_status: [PLACE_MOVED] "
                     "target_status: [PLACE_OK] }");
}

/* ---- by costs that may be negative ---- */

/* A route by energy, or of its energy, between the places that the route by duration takes. */
static void expect_energy(const macadam_place both[2], bool any, bool by_energy)
{
    static const char *const quantity[] = {"duration", "energy"};
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    uint32_t duration, energy, *const value[] = {&duration, &energy};
    query.metric = quantity[by_energy], query.snap_any_component = any;
    query.quantity = quantity, query.quantity_count = 2;
    request.waypoint = both, request.waypoint_count = 2;
    matrix.source = both, matrix.target = both + 1, matrix.source_count = matrix.target_count = 1;
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, &query, &matrix);
    const macadam_snap *const from = &route->waypoint[0], *const to = &route->waypoint[1];
    const int64_t rise = potential_at(to->lon, to->lat) - potential_at(from->lon, from->lat);
    if (route->found) cr_assert_eq(macadam_cost(route->value[1], true), route->value[0] / 2 + rise);
    cr_assert_eq(duration, route->value[0]);
    cr_assert_eq(energy, route->value[1]);
    query.metric = quantity[!by_energy];
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, &query, &matrix);
    cr_assert_eq(duration, route->value[0], "the shortest ways are the same by both metrics");
}

Test(located, a_signed_cost_follows_the_rule_of_pairs)
{
    const macadam_place all[] = {at_s, at_u, node_t, town, town_node};
    for (size_t i = 0; i < 25; ++i)
        for (int kind = 0; kind < 4; ++kind)
            expect_energy((macadam_place[]){all[i / 5], all[i % 5]}, kind & 1, kind & 2);
    macadam_place_status status[2];
    by.metric = "energy";
    cr_assert_eq(cost_of(at_s, at_u, status), 1728 / 2 + potential_at(at_u.lon - at_s.lon, 0),
                 "within the site");
}

/* A node that is reached beyond the limit from the nearest road is not reached from another one within it. */
Test(located, a_limit_does_not_decide_between_positions)
{
    static const char *const metric[] = {"duration", "energy"};
    static const uint32_t limit[] = {12000, 200000};
    uint32_t cost[NODES], near[NODES], *const value[] = {cost}, *const values[] = {near};
    tear_down();
    import_town(true);
    by.snap_any_component = true;
    macadam_tree_request request = {.size = sizeof request, .source = &at_s, .source_count = 1};
    for (int m = 0; m < 2; ++m) {
        by.metric = metric[m], request.limit = 0;
        FIXTURE_CALL(macadam_tree_find, value, NULL, engine, &by, &request);
        request.limit = limit[m];
        FIXTURE_CALL(macadam_tree_find, values, NULL, engine, &by, &request);
        cr_assert_gt(number_of(cost[0]), limit[m]);
        cr_assert_eq(number_of(near[0]), MACADAM_COST_NONE, "%s", metric[m]);
    }
}

/* Per id the least cost, rounded, at which an arc of an isochrone ends there (reverse: begins). */
static void expect_isochrone(macadam_place place, bool reverse)
{
    int64_t end[NODES];
    macadam_place_status status[2];
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *found;
    request.source = place, request.reverse = reverse, request.limit = MACADAM_WEIGHT_MAX;
    FIXTURE_CALL(macadam_isochrone_find, &found, engine, &by, &request);
    for (size_t i = 0; i < NODES; ++i) end[i] = MACADAM_COST_NONE;
    for (size_t a = 0; a < found->arc_count; ++a) {
        const macadam_reached_arc *const arc = &found->arc[a];
        const int64_t id = reverse ? arc->road.tail : arc->road.head;
        const int64_t cost = number_of(arc->cost) + llround((1 - arc->from) * (double)number_of(arc->weight));
        int64_t *const least = &end[id < TOWN ? id : id - 100 + TOWN];
        if (cost < *least) *least = cost;
    }
    macadam_isochrone_free(found);
    for (int64_t i = 0; i < NODES; ++i) {
        const macadam_place node = {.id = i < TOWN ? i : i - TOWN + 100};
        const int64_t cost = reverse ? cost_of(node, place, status) : cost_of(place, node, status);
        if (cost == 0) continue; /* no arc need end where the place is */
        cr_assert(cost == MACADAM_COST_NONE ? end[i] == cost : llabs(end[i] - cost) <= 1,
                  "id %lld costs %lld, an arc of the isochrone ends there at %lld, reverse %d",
                  (long long)node.id, (long long)cost, (long long)end[i], reverse);
    }
}

/* A place on the way out of the site is cut off, but the id from which that road comes is not of the road's site. */
Test(located, arcs_of_an_isochrone_end_where_the_cells_say)
{
    static const char *const metric[] = {"duration", "energy"};
    macadam_place place[] = {
        at_s, at_u, town, point(0.0015, 0.0057), point(0.002, 0.0076), point(0.0001, 0.0003)};
    for (size_t i = 3; i < 6; ++i)
        place[i].heading = 195, place[i].heading_tolerance = 20; /* not for T - U */
    tear_down();
    import_town(true);
    for (size_t i = 0; i < 6 * 2 * 2 * 2; ++i) {
        by.metric = metric[i % 2], by.snap_any_component = i / 2 % 2;
        expect_isochrone(place[i / 8], i / 4 % 2);
    }
}

/* Closes the road from 0 to 1, one way or both. */
static void close_road(size_t ways)
{
    static const int64_t from[] = {0, 1}, to[] = {1, 0};
    static const char *const quantity[] = {"duration"};
    static const uint32_t closed[] = {MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_CLOSED};
    static const uint32_t *const value[] = {closed};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.tail = from, request.head = to, request.count = ways;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

Test(located, closed_by_an_update_counts_as_closed)
{
    const macadam_place place = point(0.0004, -0.0001);
    cr_assert_float_eq(snapped(place, NULL).lat, 0, 1e-9);
    close_road(1);
    cr_assert_float_eq(snapped(place, NULL).lat, 0, 1e-9, "the way back is open");
    close_road(2);
    const macadam_snap snap = snapped(place, NULL);
    cr_assert(snap.status == MACADAM_PLACE_OK && fabs(snap.lon) < 1e-9 && fabs(snap.lat) < 1e-9,
              "the junction, by its other road");
    macadam_place_status status[2];
    cr_assert_neq(cost_of(place, town, status), MACADAM_COST_NONE);
}

Test(located, a_point_needs_nothing_that_is_made_of_all_arcs)
{
    snapped(point(0.0004, -0.0001), NULL);
    const mcd_version *const version = engine->version[0];
    cr_assert_not_null(version->weights.objective);
    cr_assert_null(version->arcs.arcs.graph);
    cr_assert_null(version->basic);
}

Test(located, places_of_which_one_is_cut_off_need_no_components)
{
    macadam_place_status status[2];
    cr_assert_neq(cost_of(at_s, town, status), MACADAM_COST_NONE);
    cr_assert(status[0] == MACADAM_PLACE_MOVED && !engine->is_loaded[MCD_LOAD_COMPONENTS]);
    cost_of(at_s, node_t, status);
    cr_assert(status[0] == MACADAM_PLACE_OK && engine->is_loaded[MCD_LOAD_COMPONENTS]);
}

static macadam_route_reason reason_of(macadam_place source, macadam_place target, size_t *waypoint)
{
    const macadam_place both[] = {source, target};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    const macadam_route_request request = {.size = sizeof request, .waypoint = both, .waypoint_count = 2};
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    const macadam_route_reason reason = route->reason;
    *waypoint = route->reason_waypoint;
    return reason;
}

Test(located, a_route_says_why_there_is_none)
{
    static const int64_t from[] = {0, 0}, to[] = {1, COLUMNS};
    static const char *const quantity[] = {"duration"};
    static const uint32_t closed[] = {MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_CLOSED};
    static const uint32_t *const value[] = {closed};
    const macadam_place corner = {.kind = MACADAM_PLACE_NODE, .id = 0}, far = point(9, 9);
    size_t waypoint;
    cr_assert_eq(reason_of(corner, town, &waypoint), MACADAM_ROUTE_FOUND);
    cr_assert(reason_of(corner, far, &waypoint) == MACADAM_ROUTE_PLACE_FAILED && waypoint == 1);
    cr_assert(reason_of(node_t, town, &waypoint) == MACADAM_ROUTE_NOT_CONNECTED && waypoint == 0);
    for (int reverse = 0; reverse < 2; ++reverse) {
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.tail = reverse ? to : from, request.head = reverse ? from : to, request.count = 2;
        request.quantity = quantity, request.quantity_count = 1, request.value = value;
        FIXTURE_CALL(macadam_update, engine, &request);
        const macadam_route_reason reason =
            reverse ? reason_of(town, corner, &waypoint) : reason_of(corner, town, &waypoint);
        cr_assert_eq(reason, reverse ? MACADAM_ROUTE_END_BLOCKED : MACADAM_ROUTE_START_BLOCKED);
        cr_assert_eq(waypoint, (size_t)reverse);
        cr_assert_str_eq(macadam_route_reason_name(reason), reverse ? "end_blocked" : "start_blocked");
    }
}

/* ---- junctions that turn restrictions split ---- */

/* A cross of streets, and a street apart; no left turn from the south. */
static const char cross[] =
    "<osm version='0.6'>"
    "<node id='1' lon='0' lat='0'/><node id='2' lon='-0.001' lat='0'/><node id='3' lon='0.001' lat='0'/>"
    "<node id='4' lon='0' lat='-0.001'/><node id='5' lon='0' lat='0.001'/>"
    "<node id='6' lon='0.005' lat='0'/><node id='7' lon='0.006' lat='0'/>"
    "<way id='1'><nd ref='2'/><nd ref='1'/><tag k='highway' v='residential'/></way>"
    "<way id='2'><nd ref='1'/><nd ref='3'/><tag k='highway' v='residential'/></way>"
    "<way id='3'><nd ref='4'/><nd ref='1'/><tag k='highway' v='residential'/></way>"
    "<way id='4'><nd ref='1'/><nd ref='5'/><tag k='highway' v='residential'/></way>"
    "<way id='5'><nd ref='6'/><nd ref='7'/><tag k='highway' v='residential'/></way>"
    "<relation id='1'><member type='way' ref='3' role='from'/><member type='node' ref='1' role='via'/>"
    "<member type='way' ref='1' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation></osm>";

static void import_cross(void)
{
    char input[FILES_PATH_BYTES + 16];
    tear_down();
    files_new_path(folder, input, "cross.osm");
    snprintf(path, sizeof path, "%s/cross.mcd", folder);
    files_write(input, cross, strlen(cross));
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, input, "car", &options);
    FIXTURE_CALL(macadam_engine_open, &engine, path, NULL);
}

Test(located, roads_of_split_junctions_come_once)
{
    const macadam_box all = {-1, -1, 1, 1};
    SCOPED(macadam_roads_free_at) macadam_roads *roads = NULL;
    import_cross();
    FIXTURE_CALL(macadam_roads_find, &roads, engine, &all);
    cr_assert_eq(roads->road_count, 5);
    for (size_t i = 0; i < roads->road_count; ++i)
        for (size_t j = 0; j < i; ++j) cr_assert_neq(roads->road[i].way, roads->road[j].way);
}

Test(located, components_are_of_junctions)
{
    macadam_info info = MACADAM_INFO_INIT;
    import_cross();
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert_gt(info.node_count, info.id_count, "the junction is split");
    cr_assert_eq(info.component_count, 2);
    FIXTURE_CALL(macadam_engine_verify, engine);
}
