/* test_energy.c - quantities that may be negative: answers, made signed by potentials, against Bellman-Ford on the
 * signed arcs. Random graphs with negative arcs and no negative circle; a town and Milan with heights drawn at random. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/high_map.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 16, GRAPHS = 1000 };

/* ---- random graphs ---- */

static void check_potentials(const signed_graph *graph, macadam_engine *engine)
{
    const int32_t *potential, *none;
    macadam_error error;
    macadam_info info = MACADAM_INFO_INIT;
    fixture_expect_ok(macadam_engine_info(engine, &info, &error), &error, "info");
    cr_assert(info.has_potential[0] && !info.has_potential[1]);
    fixture_expect_ok(macadam_engine_potentials(engine, "energy", &potential, &error), &error, "potentials");
    fixture_expect_ok(macadam_engine_potentials(engine, "duration", &none, &error), &error, "potentials");
    cr_assert_null(none);
    for (size_t i = 0; i < graph->node_count; ++i)
        cr_assert_eq(potential[signed_graph_position(graph, i)], graph->potential[i]);
}

static void check_tree(const signed_graph *graph, macadam_engine *engine, size_t source, bool reverse,
                       const int64_t *right)
{
    uint32_t value[SIGNED_NODES_MAX], *const values[] = {value};
    const macadam_place place = signed_graph_place(graph, source);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    macadam_error error;
    request.source = &place;
    request.source_count = 1;
    request.reverse = reverse;
    fixture_expect_ok(macadam_tree(engine, NULL, &request, values, NULL, &error), &error, "tree");
    for (size_t i = 0; i < graph->node_count; ++i) {
        const size_t from = reverse ? i : source, to = reverse ? source : i;
        cr_assert_eq(macadam_signed_cost(value[signed_graph_position(graph, i)], graph->potential[from],
                                         graph->potential[to]),
                     right[i]);
    }
}

/* The same route where only its metric is requested: the other quantity is a sum of the weights in use. */
static void check_total(macadam_engine *engine, const macadam_route_request *request, const char *metric,
                        const macadam_route *right, int64_t energy)
{
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_route *route;
    macadam_error error;
    query.metric = metric;
    fixture_expect_ok(macadam_route_find(engine, &query, request, &route, &error), &error, "route");
    bool equal = right->arc_count == route->arc_count;
    for (size_t i = 0; equal && i < route->arc_count; ++i) equal = right->arc[i].arc == route->arc[i].arc;
    cr_assert_eq(route->total_count, right->total_count);
    for (size_t q = 0; equal && q < route->total_count; ++q) cr_assert_eq(route->total[q], right->total[q]);
    cr_assert_eq(right->total[0], energy); /* the file's first quantity */
    cr_assert_eq(right->total[1], right->value[0]);
    macadam_route_free(route);
}

/* The route's arcs, made signed by the route's potentials, are those of the graph and add up. */
static void check_route(const signed_graph *graph, macadam_engine *engine, size_t source, size_t target,
                        int64_t right, const char *metric)
{
    const char *const name[] = {"duration", "energy"};
    const macadam_place place[] = {signed_graph_place(graph, source), signed_graph_place(graph, target)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_route *route;
    macadam_error error;
    int64_t sum = 0;
    query.metric = metric;
    query.quantity = name;
    query.quantity_count = 2;
    request.waypoint = place;
    request.waypoint_count = 2;
    request.totals = true;
    fixture_expect_ok(macadam_route_find(engine, &query, &request, &route, &error), &error, "route");
    cr_assert_eq(route->found, right != SIGNED_NO_WAY);
    cr_assert_eq(route->total_count, route->found ? 2 : 0);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const int32_t *const ends = route->potential + 4 * i + 1;
        const int64_t cost = macadam_signed_cost(route->arc[i].value[1], ends[0], ends[2]);
        cr_assert_eq(cost, graph->cost[route->arc[i].arc - 1]);
        sum += cost;
    }
    if (route->found) {
        const int64_t whole = macadam_signed_cost(route->value[1], route->waypoint[0].potential[1],
                                                  route->waypoint[1].potential[1]);
        cr_assert_eq(whole, sum);
        check_total(engine, &request, metric, route, whole);
        if (strcmp(metric, "energy") == 0) cr_assert_eq(whole, right);
    }
    macadam_route_free(route);
}

/* One row of a matrix, and the same pairs as routes. */
static void check_cells(const signed_graph *graph, macadam_engine *engine, size_t source,
                        const int64_t *right)
{
    macadam_place from[SIGNED_NODES_MAX], to[SIGNED_NODES_MAX];
    macadam_snap snap[1 + SIGNED_NODES_MAX];
    uint32_t cell[SIGNED_NODES_MAX], cost[SIGNED_NODES_MAX], *const cells[] = {cell}, *const costs[] = {cost};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
    macadam_error error;
    for (size_t i = 0; i < graph->node_count; ++i)
        from[i] = signed_graph_place(graph, source), to[i] = signed_graph_place(graph, i);
    matrix.source = routes.source = from;
    matrix.target = routes.target = to;
    matrix.source_count = 1;
    matrix.target_count = routes.pair_count = graph->node_count;
    matrix.snap = snap;
    fixture_expect_ok(macadam_matrix_into(engine, NULL, &matrix, cells, NULL, &error), &error, "matrix");
    fixture_expect_ok(macadam_routes(engine, NULL, &routes, costs, NULL, &error), &error, "routes");
    for (size_t i = 0; i < graph->node_count; ++i) {
        cr_assert_eq(macadam_signed_cost(cell[i], snap[0].potential[0], snap[1 + i].potential[0]), right[i]);
        cr_assert_eq(cell[i], cost[i]);
    }
}

static void check_graph(const signed_graph *graph, const char *path, bool hierarchy)
{
    int64_t right[SIGNED_NODES_MAX];
    macadam_error error;
    fixture_expect_ok(signed_graph_import(graph, path, hierarchy, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(macadam_engine_verify(engine, &error), &error, path);
    check_potentials(graph, engine);
    for (size_t source = 0; source < graph->node_count; source += 1 + graph->node_count / 5) {
        signed_bellman_ford(&graph->arcs, (uint32_t)source, true, right);
        check_tree(graph, engine, source, true, right);
        signed_bellman_ford(&graph->arcs, (uint32_t)source, false, right);
        check_tree(graph, engine, source, false, right);
        if (!hierarchy) continue;
        check_cells(graph, engine, source, right);
        for (size_t target = 0; target < graph->node_count; target += 4) {
            check_route(graph, engine, source, target, right[target], "energy");
            check_route(graph, engine, source, target, right[target], "duration");
        }
    }
    macadam_engine_close(engine);
}

Test(energy, a_thousand_random_graphs_answer_as_bellman_ford)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {11};
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    for (int i = 0; i < GRAPHS; ++i) {
        signed_graph_draw(graph, &rng);
        check_graph(graph, path, i % 5 != 0);
    }
    files_remove_folder(folder);
    free(graph);
}

/* ---- what is refused ---- */

/* One arc 0 -> 1, 5 up; and back. */
static const signed_graph pair = {.node_count = 2,
                                  .arc_count = 2,
                                  .id = {1000, 997},
                                  .tail = {0, 1},
                                  .head = {1, 0},
                                  .duration = {1, 1},
                                  .energy = {7, -4},
                                  .potential = {0, 5}};

Test(energy, arrays_with_a_weight_below_its_rise_are_refused)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    signed_graph bad = pair;
    macadam_error error;
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    bad.energy[1] = -6;
    cr_expect_eq(signed_graph_import(&bad, path, true, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "the energy -6 of arc 1 is less than the rise of its potential, -5");
    bad = pair;
    bad.potential[1] = -MACADAM_POTENTIAL_MAX - 1;
    bad.energy[1] = INT32_MAX;
    cr_expect_eq(signed_graph_import(&bad, path, true, &error), MACADAM_E_INVALID);
    cr_expect(strstr(error.message, "potential"), "%s", error.message);
    files_remove_folder(folder);
}

static void expect_refused(macadam_status status, const macadam_error *error)
{
    cr_expect_eq(status, MACADAM_E_UNSUPPORTED, "%s", error->message);
}

/* Requests whose answers would need signed costs within. */
Test(energy, what_needs_signed_costs_within_is_refused)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    macadam_error error;
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    const macadam_place place[] = {signed_graph_place(&pair, 0), signed_graph_place(&pair, 1)};
    macadam_route_request route = MACADAM_ROUTE_REQUEST_INIT;
    macadam_route *found;
    route.waypoint = place;
    route.waypoint_count = 2;
    route.alternative_count = 1;
    expect_refused(macadam_route_find(engine, NULL, &route, &found, &error), &error);
    const char *const duration = "duration";
    macadam_query query = MACADAM_QUERY_INIT; /* the objective counts, requested or not */
    query.quantity = &duration, query.quantity_count = 1;
    expect_refused(macadam_route_find(engine, &query, &route, &found, &error), &error);
    macadam_trip_request trip = MACADAM_TRIP_REQUEST_INIT;
    macadam_trip *tour;
    trip.stop = place;
    trip.stop_count = 2;
    trip.open = true;
    expect_refused(macadam_trip_find(engine, NULL, &trip, &tour, &error), &error);
    trip.open = false;
    fixture_expect_ok(macadam_trip_find(engine, NULL, &trip, &tour, &error), &error, "trip");
    cr_expect_eq(tour->route->value[0], 3);
    macadam_trip_free(tour);
    cr_expect_eq(macadam_engine_potentials(engine, "height", &(const int32_t *){NULL}, &error),
                 MACADAM_E_NOT_FOUND);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* New weights leave the potentials in place, in the saved file too. */
Test(energy, potentials_outlive_updates)
{
    char folder[FILES_PATH_BYTES], path[ROOM], saved[ROOM];
    const char *const name = "energy";
    const uint64_t arc = 2;
    const uint32_t weight = 4, *const value[] = {&weight}; /* 4 - 5 = -1 */
    macadam_error error;
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    snprintf(saved, sizeof saved, "%s/saved.mcd", folder);
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    macadam_engine *engine = fixture_open_file(path, 1);
    update.arc = &arc;
    update.count = 1;
    update.quantity = &name;
    update.quantity_count = 1;
    update.value = value;
    fixture_expect_ok(macadam_update(engine, &update, &error), &error, "update");
    fixture_expect_ok(macadam_engine_save(engine, saved, &error), &error, saved);
    macadam_engine_close(engine);
    engine = fixture_open_file(saved, 1);
    const int64_t right[] = {-1, 0};
    check_potentials(&pair, engine);
    check_tree(&pair, engine, 1, false, right);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- maps with heights ---- */

static const char *const both[] = {"energy", "duration"};

static macadam_query energy_query(void)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = both[0];
    query.quantity = both;
    query.quantity_count = 2;
    return query;
}

static void check_high_trees(const high_map *drawn, size_t sources)
{
    const mcd_map *const map = &drawn->map;
    const macadam_query query = energy_query();
    const signed_arcs arcs = {map->node_count, map->arc_count, map->tail, map->head, drawn->cost};
    int64_t *const right = checked_allocate(map->node_count, sizeof *right);
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(map->id_count, sizeof *value[q]);
    const int32_t *potential;
    macadam_error error;
    test_rng rng = {sources};
    size_t below = 0;
    fixture_expect_ok(macadam_engine_potentials(drawn->engine, "energy", &potential, &error), &error,
                      "potentials");
    for (size_t i = 0; i < sources; ++i) {
        const size_t source = rng_below(&rng, (uint32_t)map->id_count);
        const macadam_place place = {.id = map->id[source]};
        macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
        request.source = &place;
        request.source_count = 1;
        fixture_expect_ok(macadam_tree(drawn->engine, &query, &request, value, NULL, &error), &error, "tree");
        signed_bellman_ford(&arcs, map->depart[source], false, right);
        for (size_t k = 0; k < map->id_count; ++k) {
            const int64_t cost = macadam_signed_cost(value[0][k], potential[source], potential[k]);
            cr_assert_eq(cost, right[map->arrive[k]], "from %lld to %lld it takes %lld mWh, not %lld",
                         (long long)map->id[source], (long long)map->id[k], (long long)cost,
                         (long long)right[map->arrive[k]]);
            below += cost < 0;
        }
    }
    cr_assert_gt(below, 0);
    for (size_t q = 0; q < 2; ++q) free(value[q]);
    free(right);
}

/* Routes between points: their arcs add up to them, a part of an arc takes its share, and matrices agree. */
static void check_high_points(const high_map *drawn, size_t pairs)
{
    const mcd_map *const map = &drawn->map;
    const macadam_query query = energy_query();
    test_rng rng = {7};
    for (size_t i = 0; i < pairs; ++i) {
        macadam_place place[2];
        for (size_t k = 0; k < 2; ++k) {
            const size_t arc = rng_below(&rng, (uint32_t)map->arc_count);
            const mcd_node a = map->tail[arc], b = map->head[arc];
            place[k] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                       .lon = (map->lon_e7[a] + 2.0 * map->lon_e7[b]) / 3e7,
                                       .lat = (map->lat_e7[a] + 2.0 * map->lat_e7[b]) / 3e7};
        }
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
        macadam_snap snap[2];
        uint32_t cell[2], *const cells[] = {&cell[0], &cell[1]};
        macadam_route *route;
        macadam_error error;
        request.waypoint = place;
        request.waypoint_count = 2;
        matrix.source = place;
        matrix.target = place + 1;
        matrix.source_count = matrix.target_count = 1;
        matrix.snap = snap;
        fixture_expect_ok(macadam_route_find(drawn->engine, &query, &request, &route, &error), &error,
                          "route");
        fixture_expect_ok(macadam_matrix_into(drawn->engine, &query, &matrix, cells, NULL, &error), &error,
                          "matrix");
        cr_assert_eq(cell[0], route->value[0]);
        int64_t sum = 0;
        for (size_t a = 0; a < route->arc_count; ++a) {
            const macadam_route_arc *const arc = &route->arc[a];
            const int32_t *const ends = route->potential + 4 * a;
            const int64_t cost = macadam_signed_cost(arc->value[0], ends[0], ends[2]);
            sum += cost;
            size_t k = 0;
            while (k < map->arc_count && map->arc_number[k] != arc->arc) ++k;
            cr_assert_lt(k, map->arc_count);
            cr_assert(fabs((double)cost - (arc->to - arc->from) * (double)drawn->cost[k]) < 3,
                      "a part of an arc");
        }
        for (size_t k = 0; k < 2; ++k) cr_assert_eq(snap[k].potential[0], route->waypoint[k].potential[0]);
        if (route->found)
            cr_assert_eq(macadam_signed_cost(route->value[0], snap[0].potential[0], snap[1].potential[0]),
                         sum);
        macadam_route_free(route);
    }
}

/* Arcs without shape points take what their length, duration and heights make. */
static void check_high_arcs(const high_map *drawn)
{
    const mcd_map *const map = &drawn->map;
    const mcd_vehicle *const v = &drawn->vehicle;
    size_t seen = 0;
    for (size_t a = 0; a < map->arc_count; ++a) {
        const uint64_t number = map->arc_number[a];
        if (number == MCD_ARC_NONE || map->first_shape[number] > map->first_shape[number - 1]) continue;
        if (map->ferry && map->ferry[number - 1]) continue;
        const double metres = map->weight[1][a] / 100.0, seconds = map->weight[0][a] / 1000.0;
        const double rise_m =
            (map->height_dm[map->index[map->head[a]]] - map->height_dm[map->index[map->tail[a]]]) / 10.0;
        const double speed = seconds > 0 ? metres / seconds : 0;
        const double wheels = v->mass_kg * 9.81 * (v->rolling * metres + rise_m) +
                              1.2 / 2 * v->drag_m2 * speed * speed * metres;
        const double mwh =
            ((wheels > 0 ? wheels / v->efficiency : wheels * v->recuperation) + v->auxiliary_w * seconds) /
            3.6;
        cr_assert(fabs((double)drawn->cost[a] - mwh) < 5 + fabs(mwh) * 1e-3, "arc %zu takes %lld mWh, not %g",
                  a, (long long)drawn->cost[a], mwh);
        ++seen;
    }
    cr_assert_gt(seen, 10);
}

Test(energy, a_town_takes_what_physics_say)
{
    high_map drawn;
    high_map_open_town(&drawn);
    check_high_arcs(&drawn);
    check_high_trees(&drawn, 10);
    check_high_points(&drawn, 100);
    high_map_close(&drawn);
}

Test(energy, milan_answers_as_bellman_ford)
{
    high_map drawn;
    high_map_open_milan(&drawn);
    check_high_trees(&drawn, 5);
    check_high_points(&drawn, 50);
    high_map_close(&drawn);
}
