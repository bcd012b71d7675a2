/* test_alternatives.c - other routes, and waypoints on the way: on a city grid whose arcs all differ, each alternative
 * keeps the rules that macadam.h states, and routes turn around at waypoints only where nothing else leads on. */
#include "tests/support/call_text.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/oracle.h"
#include "tests/support/rng.h"

#include "engine/include/macadam.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, NODES = SIDE * SIDE, ARCS = 4 * SIDE * (SIDE - 1), PAIRS = 150 };

static char folder[FILES_PATH_BYTES];
static macadam_engine *engine;
static macadam_error error;
static uint32_t tail[ARCS + 2], head[ARCS + 2], weight[ARCS + 2];
static size_t arc_count;

static void add_road(uint32_t a, uint32_t b, uint32_t cost)
{
    tail[arc_count] = head[arc_count + 1] = a;
    head[arc_count] = tail[arc_count + 1] = b;
    weight[arc_count] = weight[arc_count + 1] = cost;
    arc_count += 2;
}

/* A grid of two-way roads. From its last corner a road leads to a dead end. */
static void set_up(void)
{
    static int32_t lon_e7[NODES + 1], lat_e7[NODES + 1];
    static const char *const quantity[] = {"duration"};
    static const uint32_t *const weights[] = {weight};
    char path[FILES_PATH_BYTES + 16];
    test_rng rng = {7};
    arc_count = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        lon_e7[i] = (int32_t)(i % SIDE) * 10000;
        lat_e7[i] = (int32_t)(i / SIDE) * 10000;
        if (i % SIDE + 1 < SIDE) add_road(i, i + 1, 900 + rng_below(&rng, 300));
        if (i + SIDE < NODES) add_road(i, i + SIDE, 900 + rng_below(&rng, 300));
    }
    lon_e7[NODES] = SIDE * 10000, lat_e7[NODES] = (SIDE - 1) * 10000;
    add_road(NODES - 1, NODES, 1000);
    files_new_path(folder, path, "grid.mcd");
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES + 1, input.arc_count = arc_count, input.tail = tail, input.head = head;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.quantity = quantity, input.weight = weights, input.quantity_count = 1;
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    const macadam_engine_options engine_options = {.size = sizeof engine_options, .device = "cpu"};
    FIXTURE_CALL(macadam_engine_open, &engine, path, &engine_options);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(alternatives, .init = set_up, .fini = tear_down);

static macadam_place node(int64_t id)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id};
}

static macadam_place point(double lon, double lat)
{
    return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
}

static macadam_route *find(const macadam_route_request *request)
{
    macadam_route *route;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, request);
    return route;
}

/* ---- alternatives ---- */

static uint32_t distance(uint32_t from, uint32_t to)
{
    static uint32_t tree[NODES + 1];
    const oracle_arcs arcs = {NODES + 1, arc_count, tail, head, weight, NULL};
    SCOPED(oracle_free_at) test_oracle *const oracle = oracle_new(&arcs, false);
    oracle_tree(oracle, from, 0, tree, NULL);
    return tree[to];
}

/* Each part between two nodes that costs at most `length` is a shortest path. */
static void expect_optimal_parts(const macadam_route *route, double length)
{
    for (size_t first = 0; first < route->arc_count; ++first) {
        uint32_t sum = 0;
        size_t end = first;
        while (end < route->arc_count && sum + route->arc[end].value[0] <= length)
            sum += route->arc[end++].value[0];
        if (end == first) continue;
        cr_assert_eq(sum, distance((uint32_t)route->arc[first].tail, (uint32_t)route->arc[end - 1].head));
    }
}

static uint64_t shared(const macadam_route *route, const macadam_route *best, size_t before)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < route->arc_count; ++i) {
        bool used = false;
        for (size_t r = 0; r <= before; ++r) {
            const macadam_route *const other = r ? best->alternative[r - 1] : best;
            for (size_t j = 0; j < other->arc_count; ++j) used |= other->arc[j].arc == route->arc[i].arc;
        }
        if (used) sum += route->arc[i].value[0];
    }
    return sum;
}

static void expect_path(const macadam_route *route, int64_t from, int64_t to)
{
    uint64_t sum = 0;
    cr_assert(route->found && route->arc_count > 0 && route->leg_count == 1);
    cr_assert_eq(route->arc[0].tail, from);
    cr_assert_eq(route->arc[route->arc_count - 1].head, to);
    for (size_t i = 0; i < route->arc_count; ++i) {
        cr_assert(i == 0 || route->arc[i].tail == route->arc[i - 1].head);
        cr_assert_eq(route->arc[i].value[0], weight[route->arc[i].arc - 1]);
        sum += route->arc[i].value[0];
    }
    cr_assert_eq(route->value[0], sum);
    cr_assert_eq(route->leg[0].value[0], sum);
}

static size_t check_pair(uint32_t from, uint32_t to, double stretch, double sharing, double optimality)
{
    const macadam_place ends[] = {node(from), node(to)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = ends, request.waypoint_count = 2, request.alternative_count = 3;
    request.alternative_stretch = stretch, request.alternative_sharing = sharing;
    request.alternative_optimality = optimality;
    SCOPED(macadam_route_free_at) macadam_route *const best = find(&request);
    if (stretch == 0) stretch = 0.25;
    if (sharing == 0) sharing = 0.75;
    if (optimality == 0) optimality = 0.25;
    cr_assert_eq(best->value[0], distance(from, to));
    for (size_t i = 0; i < best->alternative_count; ++i) {
        const macadam_route *const other = best->alternative[i];
        expect_path(other, from, to);
        cr_assert_geq(other->value[0], (i ? best->alternative[i - 1] : best)->value[0]);
        cr_assert_leq(other->value[0], best->value[0] * (1 + stretch));
        cr_assert_leq((double)shared(other, best, i), sharing * best->value[0]);
        expect_optimal_parts(other, optimality * best->value[0]);
    }
    const size_t count = best->alternative_count;
    return count;
}

Test(alternatives, keep_their_rules)
{
    test_rng rng = {3};
    size_t found = 0, strict = 0;
    for (size_t i = 0; i < PAIRS; ++i) {
        const uint32_t from = rng_below(&rng, NODES), to = (from + 1 + rng_below(&rng, NODES - 1)) % NODES;
        found += check_pair(from, to, 0, 0, 0);
        strict += check_pair(from, to, 0.05, 0.3, 0.5);
    }
    cr_assert_gt(found, 2 * PAIRS / 3, "%zu", found);
    cr_assert(strict < found, "%zu of %zu", strict, found);
}

Test(alternatives, are_none_where_there_is_one_way)
{
    cr_assert_eq(check_pair(NODES - 1, NODES, 0, 0, 0), 0);
}

Test(alternatives, begin_and_end_within_roads)
{
    const macadam_place ends[] = {point(0.00031, 0.0049), point(0.0195, 0.0151)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = ends, request.waypoint_count = 2, request.alternative_count = 2;
    SCOPED(macadam_route_free_at) macadam_route *const best = find(&request);
    cr_assert_geq(best->alternative_count, 1);
    for (size_t i = 0; i < best->alternative_count; ++i) {
        const macadam_route *const other = best->alternative[i];
        uint64_t sum = 0;
        for (size_t j = 0; j < other->arc_count; ++j) sum += other->arc[j].value[0];
        cr_assert_eq(sum, other->value[0]);
        cr_assert(other->arc[0].from > 0 && other->arc[other->arc_count - 1].to < 1);
        cr_assert_eq(other->waypoint, best->waypoint);
    }
}

Test(alternatives, protobuf_says_the_same)
{
    const macadam_place ends[] = {node(30), node(500)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = ends, request.waypoint_count = 2, request.alternative_count = 3;
    request.alternative_stretch = 0.5, request.alternative_optimality = 0.1;
    SCOPED(macadam_route_free_at) macadam_route *const best = find(&request);
    Macadam__V1__Request *const message =
        call_text_read("route { waypoint { node: [30, 500] } alternatives: 3 "
                       "alternative_stretch: 0.5 alternative_optimality: 0.1 }");
    call_engine = engine;
    Macadam__V1__Reply *const answer = call_expect(message, NULL, NULL, MACADAM_OK);
    cr_assert_gt(best->alternative_count, 0);
    cr_assert_eq(answer->route->n_alternative, best->alternative_count);
    for (size_t i = 0; i < best->alternative_count; ++i) {
        const Macadam__V1__RouteReply *const other = answer->route->alternative[i];
        cr_assert_eq(other->value[0], best->alternative[i]->value[0]);
        cr_assert_eq(other->arc->n_number, best->alternative[i]->arc_count);
        cr_assert_eq(other->arc->number[1], best->alternative[i]->arc[1].arc);
    }
    macadam__v1__reply__free_unpacked(answer, NULL);
    macadam__v1__request__free_unpacked(message, NULL);
}

Test(alternatives, are_none_where_only_costs_are_requested)
{
    const macadam_place ends[] = {node(30), node(500)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = ends, request.waypoint_count = 2, request.alternative_count = 3;
    SCOPED(macadam_route_free_at) macadam_route *const whole = find(&request);
    request.costs_only = true;
    SCOPED(macadam_route_free_at) macadam_route *const costs = find(&request);
    cr_assert_gt(whole->alternative_count, 0);
    cr_assert_eq(costs->value[0], whole->value[0]);
    cr_assert_eq(costs->alternative_count, 0);
}

Test(alternatives, bad_rules_are_refused)
{
    const macadam_place ends[] = {node(0), node(5), node(9)};
    macadam_route *route;
    const macadam_route_request good = {.size = sizeof good, .waypoint = ends, .waypoint_count = 2};
    macadam_route_request bad[6] = {good, good, good, good, good, good};
    bad[0].alternative_count = MACADAM_ALTERNATIVES_MAX + 1;
    bad[1].alternative_stretch = -0.1;
    bad[2].alternative_sharing = 1.1;
    bad[3].alternative_optimality = 2;
    bad[4].via_turn = (macadam_via_turn)3;
    bad[5].alternative_count = 1, bad[5].waypoint_count = 3;
    for (size_t i = 0; i < 6; ++i)
        cr_expect_eq(macadam_route_find(&route, engine, NULL, &bad[i], &error), MACADAM_E_INVALID, "%zu", i);
}

/* ---- waypoints on the way ---- */

/* At how many waypoints the route goes back along the road by which it came. */
static size_t turn_count(const macadam_route *route)
{
    size_t count = 0;
    for (size_t l = 1; l < route->leg_count; ++l) {
        const size_t i = route->leg[l].first_arc;
        if (i == 0 || i == route->arc_count) continue;
        const macadam_route_arc *const a = &route->arc[i - 1], *const b = &route->arc[i];
        count += a->tail == b->head && a->head == b->tail;
    }
    return count;
}

static macadam_route *find_over(const macadam_place *waypoint, size_t count, macadam_via_turn turn)
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = count, request.via_turn = turn;
    macadam_route *const route = find(&request);
    cr_assert(route->found);
    for (size_t l = 0; l + 1 < route->leg_count; ++l)
        cr_assert_eq(route->leg[l].end_arc, route->leg[l + 1].first_arc);
    return route;
}

Test(alternatives, a_route_goes_straight_on_at_waypoints)
{
    test_rng rng = {5};
    size_t turns = 0;
    for (int i = 0; i < 100; ++i) {
        macadam_place way[5];
        for (size_t w = 0; w < 5; ++w) {
            const double lon = 0.0005 + rng_below(&rng, SIDE - 1) * 0.001,
                         lat = rng_below(&rng, SIDE) * 0.001;
            way[w] = i % 2 ? node(rng_below(&rng, NODES)) : point(lon, lat);
        }
        macadam_route *const any = find_over(way, 5, MACADAM_VIA_ANY), *const straight = find_over(
                                                                           way, 5, MACADAM_VIA_STRAIGHT);
        turns += turn_count(any);
        cr_assert_eq(turn_count(straight), 0);
        cr_assert_geq(straight->value[0], any->value[0]);
        if (turn_count(any) == 0) cr_assert_eq(straight->value[0], any->value[0]);
        macadam_route_free(any);
        macadam_route_free(straight);
    }
    cr_assert_gt(turns, 20);
}

Test(alternatives, a_route_turns_around_in_a_dead_end)
{
    const macadam_place at_end[] = {node(0), node(NODES), node(5)};
    macadam_route *route = find_over(at_end, 3, MACADAM_VIA_STRAIGHT);
    cr_assert_eq(turn_count(route), 1);
    macadam_route_free(route);
    const macadam_place within[] = {node(0), point((SIDE - 0.5) * 0.001, (SIDE - 1) * 0.001), node(5)};
    SCOPED(macadam_route_free_at) macadam_route *const any = find_over(within, 3, MACADAM_VIA_ANY);
    route = find_over(within, 3, MACADAM_VIA_STRAIGHT);
    cr_assert_eq(route->value[0], any->value[0] + 1000, "it goes on to the end of the road");
    macadam_route_free(route);
}
