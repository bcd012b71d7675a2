/* test_energy.c - quantities that may be negative: trees, parents, cells and routes against Bellman-Ford on the signed
 * arcs. Random graphs with negative arcs and no negative circle; a town and Milan with heights drawn at random. The
 * other questions follow from these: tests/metamorphic draws maps with heights, too. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/high_map.h"
#include "tests/support/methods.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 16, GRAPHS = 1000 };

/* ---- random graphs ---- */

static void check_signs(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert(info.is_signed[0] && !info.is_signed[1]);
}

static void check_tree(const signed_graph *graph, macadam_engine *engine, size_t source, bool reverse,
                       const int64_t *right)
{
    uint32_t value[SIGNED_NODES_MAX], *const values[] = {value};
    const macadam_place place = signed_graph_place(graph, source);
    const macadam_tree_request request = {
        .size = sizeof request, .source = &place, .source_count = 1, .reverse = reverse};
    FIXTURE_CALL(macadam_tree_find, values, NULL, engine, NULL, &request);
    for (size_t i = 0; i < graph->node_count; ++i) {
        cr_assert_eq(macadam_cost(value[signed_graph_position(graph, i)], true), right[i]);
    }
}

/* A node has its parent if it is within the limit, and none otherwise. */
static void check_parents(const signed_graph *graph, macadam_engine *engine, size_t source,
                          const int64_t *right)
{
    uint32_t value[SIGNED_NODES_MAX], parent[SIGNED_NODES_MAX],
        whole[SIGNED_NODES_MAX], *const values[] = {value};
    const macadam_place place = signed_graph_place(graph, source);
    macadam_tree_request request = {.size = sizeof request, .source = &place, .source_count = 1};
    FIXTURE_CALL(macadam_tree_find_parents, values, whole, NULL, engine, NULL, &request);
    request.limit = 2;
    FIXTURE_CALL(macadam_tree_find_parents, values, parent, NULL, engine, NULL, &request);
    for (size_t i = 0; i < graph->node_count; ++i) {
        const size_t at = signed_graph_position(graph, i);
        cr_assert_eq(macadam_cost(value[at], true), right[i] <= 2 ? right[i] : SIGNED_NO_WAY);
        cr_assert_eq(parent[at], right[i] <= 2 ? whole[at] : MACADAM_UNREACHED);
    }
}

/* The route's arcs are those of the graph and add up. */
static void check_route(const signed_graph *graph, macadam_engine *engine, size_t source, size_t target,
                        int64_t right, const char *metric)
{
    const char *const name[] = {"duration", "energy"};
    const macadam_place place[] = {signed_graph_place(graph, source), signed_graph_place(graph, target)};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    int64_t sum = 0;
    const macadam_query query = {
        .size = sizeof query, .metric = metric, .quantity = name, .quantity_count = 2};
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = place, .waypoint_count = 2, .totals = true};
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    cr_assert_eq(route->found, right != SIGNED_NO_WAY);
    cr_assert_eq(route->total_count, route->found ? 2 : 0);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const int64_t cost = macadam_cost(route->arc[i].value[1], true);
        cr_assert_eq(cost, graph->cost[route->arc[i].arc - 1]);
        sum += cost;
    }
    if (route->found) {
        const int64_t whole = macadam_cost(route->value[1], true);
        cr_assert_eq(whole, sum);
        cr_assert_eq(route->leg[0].value[1], route->value[1]);
        if (strcmp(metric, "energy") == 0) cr_assert_eq(whole, right);
    }
}

/* One row of a matrix, and the same pairs as routes. */
static void check_cells(const signed_graph *graph, macadam_engine *engine, size_t source,
                        const int64_t *right)
{
    macadam_place from[SIGNED_NODES_MAX], to[SIGNED_NODES_MAX];
    uint32_t cell[SIGNED_NODES_MAX], cost[SIGNED_NODES_MAX], *const cells[] = {cell}, *const costs[] = {cost};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
    for (size_t i = 0; i < graph->node_count; ++i)
        from[i] = signed_graph_place(graph, source), to[i] = signed_graph_place(graph, i);
    matrix.source = routes.source = from;
    matrix.target = routes.target = to;
    matrix.source_count = 1;
    matrix.target_count = routes.pair_count = graph->node_count;
    FIXTURE_CALL(macadam_matrix_find_into, cells, NULL, engine, NULL, &matrix);
    FIXTURE_CALL(macadam_routes_find, costs, NULL, engine, NULL, &routes);
    for (size_t i = 0; i < graph->node_count; ++i) {
        cr_assert_eq(macadam_cost(cell[i], true), right[i]);
        cr_assert_eq(cell[i], cost[i]);
    }
}

static void check_graph(const signed_graph *graph, const char *path, bool hierarchy)
{
    int64_t right[SIGNED_NODES_MAX];
    macadam_error error;
    fixture_expect_ok(signed_graph_import(graph, path, hierarchy, &error), &error, path);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(macadam_engine_verify(engine, &error), &error, path);
    check_signs(engine);
    for (size_t source = 0; source < graph->node_count; source += 1 + graph->node_count / 5) {
        signed_bellman_ford(&graph->arcs, (uint32_t)source, true, right);
        check_tree(graph, engine, source, true, right);
        signed_bellman_ford(&graph->arcs, (uint32_t)source, false, right);
        check_tree(graph, engine, source, false, right);
        check_parents(graph, engine, source, right);
        if (!hierarchy) continue;
        check_cells(graph, engine, source, right);
        for (size_t target = 0; target < graph->node_count; target += 4) {
            check_route(graph, engine, source, target, right[target], "energy");
            check_route(graph, engine, source, target, right[target], "duration");
        }
    }
}

Test(energy, a_thousand_random_graphs_answer_as_bellman_ford)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    FREED signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {11};
    files_new_path(folder, path, "graph.mcd");
    for (int i = 0; i < GRAPHS; ++i) {
        signed_graph_draw(graph, &rng);
        check_graph(graph, path, i % 5 != 0);
    }
    files_remove_folder(folder);
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
    files_new_path(folder, path, "graph.mcd");
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

/* A share of a cost that may be negative does not measure anything. */
Test(energy, alternatives_are_refused_only_by_a_signed_objective)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    macadam_error error;
    files_new_path(folder, path, "graph.mcd");
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    const macadam_place place[] = {signed_graph_place(&pair, 0), signed_graph_place(&pair, 1)};
    SCOPED(macadam_route_free_at) macadam_route *found = NULL;
    const macadam_route_request route = {
        .size = sizeof route, .waypoint = place, .waypoint_count = 2, .alternative_count = 1};
    const char *const name[] = {"duration", "energy"};
    macadam_query query = MACADAM_QUERY_INIT; /* the objective counts, requested or not */
    query.quantity = name, query.quantity_count = 1;
    cr_expect_eq(macadam_route_find(&found, engine, &query, &route, &error), MACADAM_E_UNSUPPORTED);
    cr_expect_str_eq(error.message,
                     "alternatives by energy, which may be negative: a share of it is not a measure");
    query.metric = "duration", query.quantity_count = 2;
    FIXTURE_CALL(macadam_route_find, &found, engine, &query, &route);
    cr_expect_eq(macadam_cost(found->value[1], true), 7);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- updates ---- */

enum { WEIGHTS_MAX = SIGNED_ARCS_MAX };

typedef struct weights {
    uint64_t arc[WEIGHTS_MAX];
    uint32_t energy[WEIGHTS_MAX];
    size_t count;
} weights;

static bool take_weight(void *context, const macadam_arc *arc)
{
    weights *const all = context;
    all->arc[all->count] = arc->arc;
    all->energy[all->count++] = arc->value[0];
    return true;
}

static macadam_status write_weights(macadam_engine *engine, const weights *all, macadam_error *error)
{
    const char *const name = "energy";
    const uint32_t *const value[] = {all->energy};
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.arc = all->arc;
    update.count = all->count;
    update.quantity = &name;
    update.quantity_count = 1;
    update.value = value;
    return macadam_update(engine, &update, error);
}

/* Arcs return the signed weights that updates take: those of the graph, written back; then half of them cheaper or
 * closed; then as imported. */
static void check_update(signed_graph *graph, const char *path, const char *saved)
{
    int64_t right[SIGNED_NODES_MAX];
    weights all = {.count = 0};
    macadam_error error;
    fixture_expect_ok(signed_graph_import(graph, path, true, &error), &error, path);
    macadam_engine *engine = fixture_open_file(path, 1);
    FIXTURE_CALL(macadam_arcs_list, engine, take_weight, &all);
    cr_assert_eq(all.count, graph->arc_count);
    for (size_t i = 0; i < all.count; ++i)
        cr_assert_eq(macadam_cost(all.energy[i], true), graph->cost[all.arc[i] - 1]);
    if (all.count) FIXTURE_CALL(write_weights, engine, &all);
    signed_bellman_ford(&graph->arcs, 0, false, right);
    check_tree(graph, engine, 0, false, right);
    for (size_t i = 0; i < all.count; i += 2) {
        const size_t a = all.arc[i] - 1;
        graph->cost[a] =
            i % 4 ? SIGNED_NO_WAY : graph->potential[graph->head[a]] - graph->potential[graph->tail[a]];
        all.energy[i] = i % 4 ? (uint32_t)MACADAM_SIGNED_UNREACHED : (uint32_t)graph->cost[a];
    }
    if (all.count) FIXTURE_CALL(write_weights, engine, &all);
    fixture_expect_ok(macadam_engine_save(engine, saved, &error), &error, saved);
    signed_bellman_ford(&graph->arcs, 0, false, right);
    check_tree(graph, engine, 0, false, right);
    macadam_engine_close(engine);
    engine = fixture_open_file(saved, 1);
    check_signs(engine);
    check_tree(graph, engine, 0, false, right);
    for (size_t i = 0; i < all.count; ++i) all.energy[i] = (uint32_t)MACADAM_SIGNED_IMPORTED;
    for (size_t a = 0; a < graph->arc_count; ++a) graph->cost[a] = graph->energy[a];
    if (all.count) FIXTURE_CALL(write_weights, engine, &all);
    signed_bellman_ford(&graph->arcs, 0, false, right);
    check_tree(graph, engine, 0, false, right);
    macadam_engine_close(engine);
}

Test(energy, updates_take_the_signed_weights_that_arcs_return)
{
    char folder[FILES_PATH_BYTES], path[ROOM], saved[ROOM];
    FREED signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {22};
    files_new_path(folder, path, "graph.mcd");
    snprintf(saved, sizeof saved, "%s/saved.mcd", folder);
    for (int i = 0; i < 100; ++i) {
        signed_graph_draw(graph, &rng);
        check_update(graph, path, saved);
    }
    files_remove_folder(folder);
}

Test(energy, an_update_that_could_make_a_negative_circle_is_refused)
{
    char folder[FILES_PATH_BYTES], path[ROOM];
    macadam_error error;
    weights all = {.arc = {1, 2}, .energy = {7, (uint32_t)-6}, .count = 2};
    files_new_path(folder, path, "graph.mcd");
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    cr_expect_eq(write_weights(engine, &all, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "energy of entry 1 is -6; the least weight of arc 2 is -5");
    all.energy[1] = INT32_MAX - 1;
    cr_expect_eq(write_weights(engine, &all, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message,
                     "energy of entry 1 is 2147483646; the largest weight of arc 2 is 2147483641");
    check_tree(&pair, engine, 1, false, (const int64_t[]){-4, 0});
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- traces ---- */

/* A street of 100 m between nodes, on which the energy of 30 m up is taken, and given back on the way down. */
static void import_street(const char *path)
{
    enum { NODES = 6, ARCS = 2 * (NODES - 1) };
    static const char *const name[] = {"energy", "distance"}, *const unit[] = {"mWh", "cm"};
    static int32_t lon_e7[NODES], lat_e7[NODES], potential[NODES], energy[ARCS];
    static uint32_t tail[ARCS], head[ARCS], distance[ARCS];
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    macadam_error error;
    for (uint32_t i = 0; i < NODES; ++i) lon_e7[i] = (int32_t)i * 8993, potential[i] = (int32_t)i * -30000;
    for (uint32_t a = 0; a < ARCS; ++a) {
        tail[a] = a % 2 ? a / 2 + 1 : a / 2, head[a] = a % 2 ? a / 2 : a / 2 + 1;
        distance[a] = 10000;
        energy[a] = 7000 + potential[head[a]] - potential[tail[a]];
    }
    input.node_count = NODES, input.arc_count = ARCS;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = name, input.unit = unit, input.quantity_count = 2;
    input.weight = (const uint32_t *const[]){(const uint32_t *)energy, distance};
    input.potential = (const int32_t *const[]){potential, NULL};
    options.output = path;
    fixture_expect_ok(macadam_import_arrays(&input, &options, &error), &error, path);
}

Test(energy, traces_are_matched_and_their_routes_are_signed)
{
    enum { POINTS = 4 };
    char folder[FILES_PATH_BYTES], path[ROOM];
    macadam_trace_point point[POINTS] = {{0}};
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    SCOPED(macadam_matches_free_at) macadam_matches *found = NULL;
    files_new_path(folder, path, "street.mcd");
    import_street(path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    for (int i = 0; i < POINTS; ++i) /* from the middle of an arc to that of the third one after it */
        point[i] = (macadam_trace_point){.lon = (i + 1.5) * 8993e-7, .lat = 1e-6, .time_s = 10 * i};
    request.point = point, request.point_count = POINTS;
    request.routes = true;
    FIXTURE_CALL(macadam_match_find, &found, engine, NULL, &request);
    cr_assert_eq(found->matching_count, 1);
    const macadam_route *const route = found->matching[0].route;
    cr_expect(fabs(found->matching[0].distance_m - 300) < 1);
    cr_expect(labs((int32_t)route->value[0] - 3 * (7000 - 30000)) < 100, "%d", (int32_t)route->value[0]);
    int64_t sum = 0;
    for (size_t i = 0; i < route->arc_count; ++i) sum += macadam_cost(route->arc[i].value[0], true);
    cr_expect_eq(sum, (int32_t)route->value[0]);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- files of all pairs ---- */

Test(energy, all_pairs_are_saved_with_signs)
{
    char folder[FILES_PATH_BYTES], path[ROOM], saved[ROOM];
    char header[128];
    int32_t cell[4];
    macadam_error error;
    files_new_path(folder, path, "graph.mcd");
    snprintf(saved, sizeof saved, "%s/pairs.npy", folder);
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    for (size_t method = 0; method < 6; ++method) {
        macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
        request.method = method_at(engine, MACADAM_QUESTION_ALL_PAIRS, method);
        fixture_expect_ok(macadam_all_pairs_save(engine, NULL, &request, saved, &error), &error, saved);
        FILE *const file = fopen(saved, "rb");
        cr_assert_eq(fread(header, 1, sizeof header, file), sizeof header);
        cr_assert_eq(fread(cell, sizeof *cell, 4, file), 4);
        fclose(file);
        cr_expect(strstr(header + 10, "'<i4'"));
        cr_expect(cell[0] == 0 && cell[1] == -4 && cell[2] == 7 && cell[3] == 0, "%d %d", cell[1], cell[2]);
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- maps with heights ---- */

static const char *const both[] = {"energy", "duration"};

static macadam_query energy_query(void)
{
    const macadam_query query = {
        .size = sizeof query, .metric = both[0], .quantity = both, .quantity_count = 2};
    return query;
}

static void check_high_trees(const high_map *drawn, size_t sources)
{
    const mcd_map *const map = &drawn->map;
    const macadam_query query = energy_query();
    const signed_arcs arcs = {map->node_count, map->arc_count, map->tail, map->head, drawn->cost};
    FREED int64_t *const right = checked_allocate(map->node_count, sizeof *right);
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(map->id_count, sizeof *value[q]);
    test_rng rng = {sources};
    size_t below = 0;
    for (size_t i = 0; i < sources; ++i) {
        const size_t source = rng_below(&rng, (uint32_t)map->id_count);
        const macadam_place place = {.id = map->id[source]};
        const macadam_tree_request request = {.size = sizeof request, .source = &place, .source_count = 1};
        FIXTURE_CALL(macadam_tree_find, value, NULL, drawn->engine, &query, &request);
        signed_bellman_ford(&arcs, map->depart[source], false, right);
        for (size_t k = 0; k < map->id_count; ++k) {
            const int64_t cost = macadam_cost(value[0][k], true);
            cr_assert_eq(cost, right[map->arrive[k]], "from %lld to %lld it takes %lld mWh, not %lld",
                         (long long)map->id[source], (long long)map->id[k], (long long)cost,
                         (long long)right[map->arrive[k]]);
            below += cost < 0;
        }
    }
    cr_assert_gt(below, 0);
    for (size_t q = 0; q < 2; ++q) free(value[q]);
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
    SCOPED(high_map_close) high_map drawn;
    high_map_open_town(&drawn);
    check_high_arcs(&drawn);
    check_high_trees(&drawn, 10);
}

Test(energy, milan_answers_as_bellman_ford)
{
    SCOPED(high_map_close) high_map drawn;
    high_map_open_milan(&drawn);
    check_high_trees(&drawn, 5);
}
