/* test_energy_reach.c - limits, the farthest and the nearest by costs that may be negative: reach, trees, isochrones and
 * prepared targets, against Bellman-Ford on the signed arcs. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/high_map.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 16, GRAPHS = 400, LIMITS = 5, NEAREST = 6, TARGETS = 12, LANES = 16 };

static char folder[FILES_PATH_BYTES], path[ROOM];
static macadam_error error;

static void set_up(void)
{
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(energy_reach, .init = set_up, .fini = tear_down);

/* ---- what each node of a place's tree costs, signed ---- */

typedef struct right_costs {
    size_t count;
    const int64_t *cost; /* [count], in the order of ids; SIGNED_NO_WAY: unreached */
} right_costs;

/* Limits between the costs, and on one of them. */
static void draw_limits(uint32_t limit[LIMITS], const right_costs *right, test_rng *rng)
{
    limit[0] = 0;
    limit[1] = MACADAM_WEIGHT_MAX;
    for (size_t l = 2; l < LIMITS; ++l) {
        const int64_t cost = right->cost[rng_below(rng, (uint32_t)right->count)];
        limit[l] = cost == SIGNED_NO_WAY ? 5 + (uint32_t)l : (uint32_t)(cost < 0 ? -cost : cost) + (l == 4);
        if (limit[l] > MACADAM_WEIGHT_MAX) limit[l] = MACADAM_WEIGHT_MAX;
    }
}

/* What one source reaches. */
static void check_sums(macadam_engine *engine, const macadam_query *query, macadam_place source, bool reverse,
                       const right_costs *right, test_rng *rng)
{
    uint32_t limit[LIMITS], *const value = checked_allocate(right->count, sizeof *value);
    uint64_t node_count[LIMITS], value_sum[LIMITS], reached, sum, count = 0;
    uint32_t farthest;
    int64_t right_farthest = SIGNED_NO_WAY, right_sum = 0;
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    draw_limits(limit, right, rng);
    for (size_t i = 0; i < right->count; ++i) value[i] = rng_below(rng, 1000);
    request.source = &source, request.source_count = 1, request.reverse = reverse;
    request.limit = limit, request.limit_count = LIMITS, request.value = value;
    answer.node_count = node_count, answer.value_sum = value_sum, answer.reached = &reached;
    answer.eccentricity = &farthest, answer.cost_sum = &sum;
    fixture_expect_ok(macadam_reach_find(engine, query, &request, &answer, NULL, &error), &error, "reach");
    for (size_t i = 0; i < right->count; ++i) {
        if (right->cost[i] == SIGNED_NO_WAY) continue;
        if (count++ == 0 || right->cost[i] > right_farthest) right_farthest = right->cost[i];
        right_sum += right->cost[i];
    }
    cr_assert_eq(reached, count);
    cr_assert_eq(macadam_cost(farthest, true), right_farthest);
    cr_assert_eq((int64_t)sum, right_sum);
    for (size_t l = 0; l < LIMITS; ++l) {
        uint64_t nodes = 0, values = 0;
        for (size_t i = 0; i < right->count; ++i) {
            if (right->cost[i] > limit[l]) continue;
            ++nodes;
            values += value[i];
        }
        cr_assert_eq(node_count[l], nodes, "%llu nodes within %u, not %llu",
                     (unsigned long long)node_count[l], limit[l], (unsigned long long)nodes);
        cr_assert_eq(value_sum[l], values);
    }
    free(value);
}

/* ---- random graphs ---- */

typedef struct ranked_target {
    int64_t cost;
    uint32_t position;
} ranked_target;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_target *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* The nearest targets are those of the least signed costs, prepared or not. */
static void check_nearest(const signed_graph *graph, macadam_engine *engine, size_t source, bool reverse,
                          const int64_t *right, test_rng *rng)
{
    const macadam_place place = signed_graph_place(graph, source);
    macadam_place target[TARGETS];
    uint32_t node[TARGETS], found, position[NEAREST], cost[NEAREST];
    ranked_target ranked[TARGETS];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_nearest_request prepare = MACADAM_NEAREST_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    macadam_nearest *prepared;
    uint32_t count = 0;
    for (uint32_t i = 0; i < TARGETS; ++i) {
        node[i] = rng_below(rng, (uint32_t)graph->node_count);
        target[i] = signed_graph_place(graph, node[i]);
        if (i == 3) target[i].id = 5; /* there is no such node */
        if (i != 3 && right[node[i]] != SIGNED_NO_WAY) ranked[count++] = (ranked_target){right[node[i]], i};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    request.source = &place, request.source_count = 1, request.reverse = reverse;
    request.target = prepare.target = target, request.target_count = prepare.target_count = TARGETS;
    request.nearest_count = prepare.nearest_count = NEAREST, prepare.reverse = reverse;
    answer.nearest_found = &found, answer.nearest_position = position, answer.nearest_cost = cost;
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == 0) {
            fixture_expect_ok(macadam_reach_find(engine, NULL, &request, &answer, NULL, &error), &error,
                              "reach");
        } else {
            fixture_expect_ok(macadam_nearest_new(&prepared, engine, NULL, &prepare, NULL, &error), &error,
                              "nearest");
            fixture_expect_ok(macadam_nearest_find(prepared, &place, 1, &answer, NULL, &error), &error,
                              "nearest");
            macadam_nearest_free(prepared);
        }
        cr_assert_eq(found, count < NEAREST ? count : NEAREST);
        for (uint32_t i = 0; i < NEAREST; ++i) {
            cr_assert_eq(position[i], i < found ? ranked[i].position : MACADAM_UNREACHED);
            cr_assert_eq(macadam_cost(cost[i], true), i < found ? ranked[i].cost : MACADAM_COST_NONE);
        }
    }
}

/* The reached arcs are those along which some cost is within the limit. */
static void check_arcs(const signed_graph *graph, macadam_engine *engine, size_t source, bool reverse,
                       const int64_t *right, uint32_t limit)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *found;
    size_t next = 0;
    request.source = signed_graph_place(graph, source), request.reverse = reverse, request.limit = limit;
    fixture_expect_ok(macadam_isochrone_find(engine, NULL, &request, &found, &error), &error, "isochrone");
    for (size_t a = 0; a < graph->arc_count; ++a) {
        const uint32_t entry = reverse ? graph->head[a] : graph->tail[a];
        const int64_t cost = right[entry], least = cost + (graph->cost[a] < 0 ? graph->cost[a] : 0);
        if (cost == SIGNED_NO_WAY || least > limit) continue;
        cr_assert_lt(next, found->arc_count, "arc %zu is missing", a);
        const macadam_reached_arc *const arc = &found->arc[next++];
        cr_assert_eq(arc->road.arc, a + 1);
        cr_assert_eq(macadam_cost(arc->cost, true), cost);
        cr_assert_eq(macadam_cost(arc->weight, true), graph->cost[a]);
    }
    cr_assert_eq(next, found->arc_count, "an arc too many");
    macadam_isochrone_free(found);
}

/* ---- trees ---- */

static const char *const both[] = {"energy", "duration"};

static macadam_query query_of(const char *const *quantity, size_t count)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = "energy";
    query.quantity = quantity;
    query.quantity_count = count;
    return query;
}

static void expect_tree(const signed_graph *graph, macadam_engine *engine,
                        const macadam_tree_request *request, const int64_t *right)
{
    enum { CELLS = LANES * SIGNED_NODES_MAX };
    static _Alignas(64) uint32_t whole[2][CELLS], found[2 * CELLS + 1];
    uint32_t *const value[] = {found, found + CELLS + 1}; /* the second one is not aligned */
    uint32_t *const wholes[] = {whole[0], whole[1]}, *const second[] = {value[1]};
    const macadam_query all = query_of(both, 2), one = query_of(both + 1, 1);
    const bool by_lane = request->order == MACADAM_ORDER_LANES;
    macadam_tree_request unlimited = *request;
    unlimited.limit = 0;
    fixture_expect_ok(macadam_tree(engine, &all, &unlimited, wholes, NULL, &error), &error, "tree");
    for (int turn = 0; turn < 2; ++turn) {
        memset(found, 0x5a, sizeof found);
        fixture_expect_ok(turn ? macadam_tree(engine, &one, request, second, NULL, &error)
                               : macadam_tree(engine, &all, request, value, NULL, &error),
                          &error, "tree");
        for (size_t lane = 0; lane < request->source_count; ++lane)
            for (size_t i = 0; i < graph->node_count; ++i) {
                const size_t column = signed_graph_position(graph, i),
                             at = by_lane ? i * request->source_count + lane
                                          : lane * graph->node_count + column;
                const bool within = right[i] != SIGNED_NO_WAY && right[i] <= request->limit;
                if (by_lane) continue; /* compared with the other orders below */
                if (turn == 0)
                    cr_assert_eq(macadam_cost(value[0][at], true), within ? right[i] : SIGNED_NO_WAY);
                cr_assert_eq(value[1][at], within ? whole[1][at] : MACADAM_UNREACHED);
            }
    }
    if (!by_lane) return;
    const int64_t *const node_id = macadam_engine_node_ids(engine, &error), *const id = macadam_engine_ids(
                                                                                engine, &error);
    fixture_expect_ok(macadam_tree(engine, &all, request, value, NULL, &error), &error, "tree");
    for (size_t node = 0; node < graph->node_count; ++node)
        for (size_t lane = 0; lane < request->source_count; ++lane) {
            size_t column = 0;
            while (id[column] != node_id[node]) ++column;
            const int64_t cost = right[graph->node_count - 1 - column];
            const bool within = cost != SIGNED_NO_WAY && cost <= request->limit;
            const size_t at = node * request->source_count + lane;
            cr_assert_eq(macadam_cost(value[0][at], true), within ? cost : SIGNED_NO_WAY);
            cr_assert_eq(value[1][at], within ? whole[1][at] : MACADAM_UNREACHED);
        }
}

/* Trees of all methods and orders end at the limit. */
static void check_limits(const signed_graph *graph, macadam_engine *engine, size_t source, bool reverse,
                         const int64_t *right, bool hierarchy, test_rng *rng)
{
    macadam_place place[LANES];
    uint32_t limit[LIMITS];
    const right_costs costs = {graph->node_count, right};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    draw_limits(limit, &costs, rng);
    for (size_t i = 0; i < LANES; ++i) place[i] = signed_graph_place(graph, source);
    request.source = place, request.reverse = reverse;
    for (size_t l = 1; l < LIMITS; ++l) {
        request.limit = limit[l] ? limit[l] : 1;
        request.order = l == 2 && hierarchy ? MACADAM_ORDER_LANES : MACADAM_ORDER_IDS;
        request.source_count = request.order == MACADAM_ORDER_LANES ? LANES : l;
        request.method = request.order == MACADAM_ORDER_LANES ? MACADAM_TREE_SWEEP
                         : l == 1                             ? MACADAM_TREE_AUTO
                                                              : (macadam_tree_method)(MACADAM_TREE_AUTO + l);
        expect_tree(graph, engine, &request, right);
    }
}

/* A node has its parent if it is within the limit, and none otherwise. */
static void check_parents(const signed_graph *graph, macadam_engine *engine, size_t source,
                          const int64_t *right)
{
    uint32_t value[SIGNED_NODES_MAX], parent[SIGNED_NODES_MAX],
        whole[SIGNED_NODES_MAX], *const values[] = {value};
    const macadam_place place = signed_graph_place(graph, source);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = &place, request.source_count = 1;
    fixture_expect_ok(macadam_tree_parents(engine, NULL, &request, values, whole, NULL, &error), &error,
                      "tree");
    request.limit = 2;
    fixture_expect_ok(macadam_tree_parents(engine, NULL, &request, values, parent, NULL, &error), &error,
                      "tree");
    for (size_t i = 0; i < graph->node_count; ++i) {
        const size_t at = signed_graph_position(graph, i);
        cr_assert_eq(macadam_cost(value[at], true), right[i] <= 2 ? right[i] : SIGNED_NO_WAY);
        cr_assert_eq(parent[at], right[i] <= 2 ? whole[at] : MACADAM_UNREACHED);
    }
}

static void check_graph(const signed_graph *graph, bool hierarchy, test_rng *rng)
{
    int64_t right[SIGNED_NODES_MAX], by_id[SIGNED_NODES_MAX];
    fixture_expect_ok(signed_graph_import(graph, path, hierarchy, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(path, 1);
    for (size_t i = 0; i < 6; ++i) {
        const size_t source = rng_below(rng, (uint32_t)graph->node_count);
        const bool reverse = i % 2;
        signed_bellman_ford(&graph->arcs, (uint32_t)source, reverse, right);
        for (size_t k = 0; k < graph->node_count; ++k) by_id[signed_graph_position(graph, k)] = right[k];
        check_limits(graph, engine, source, reverse, right, hierarchy, rng);
        if (!reverse) check_parents(graph, engine, source, right);
        if (!hierarchy) continue;
        check_sums(engine, NULL, signed_graph_place(graph, source), reverse,
                   &(right_costs){graph->node_count, by_id}, rng);
        check_nearest(graph, engine, source, reverse, right, rng);
        uint32_t limit[LIMITS];
        draw_limits(limit, &(right_costs){graph->node_count, right}, rng);
        for (size_t l = 0; l < LIMITS; ++l) check_arcs(graph, engine, source, reverse, right, limit[l]);
    }
    macadam_engine_close(engine);
}

Test(energy_reach, random_graphs_answer_as_bellman_ford)
{
    signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {12};
    for (int i = 0; i < GRAPHS; ++i) {
        signed_graph_draw(graph, &rng);
        check_graph(graph, i % 5 != 0, &rng);
    }
    free(graph);
}

/* ---- maps with heights: places within roads ---- */

static macadam_place draw_point(const mcd_map *map, test_rng *rng)
{
    const size_t arc = rng_below(rng, (uint32_t)map->arc_count);
    const mcd_node a = map->tail[arc], b = map->head[arc];
    return (macadam_place){.kind = MACADAM_PLACE_POINT,
                           .lon = (map->lon_e7[a] + 2.0 * map->lon_e7[b]) / 3e7,
                           .lat = (map->lat_e7[a] + 2.0 * map->lat_e7[b]) / 3e7};
}

/* The signed costs of a tree from anywhere; test_energy.c compares such trees with Bellman-Ford. */
static void find_tree(const high_map *drawn, macadam_place source, bool reverse, uint32_t limit,
                      int64_t *cost)
{
    const size_t count = drawn->map.id_count;
    uint32_t *const value = checked_allocate(count, sizeof *value), *const values[] = {value};
    const macadam_query query = query_of(both, 1);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = &source, request.source_count = 1, request.reverse = reverse, request.limit = limit;
    fixture_expect_ok(macadam_tree(drawn->engine, &query, &request, values, NULL, &error), &error, "tree");
    for (size_t i = 0; i < count; ++i) cost[i] = macadam_cost(value[i], true);
    free(value);
}

static void check_place(const high_map *drawn, macadam_place source, bool reverse, test_rng *rng)
{
    const size_t count = drawn->map.id_count;
    int64_t *const cost = checked_allocate(count, sizeof *cost), *const near =
                                                                     checked_allocate(count, sizeof *near);
    const macadam_query query = query_of(both, 1);
    uint32_t limit[LIMITS];
    find_tree(drawn, source, reverse, 0, cost);
    check_sums(drawn->engine, &query, source, reverse, &(right_costs){count, cost}, rng);
    draw_limits(limit, &(right_costs){count, cost}, rng);
    find_tree(drawn, source, reverse, limit[4], near);
    for (size_t i = 0; i < count; ++i) cr_assert_eq(near[i], cost[i] <= limit[4] ? cost[i] : SIGNED_NO_WAY);
    free(cost);
    free(near);
}

/* Of each arc, the least cost where it is entered, among the copies of a split junction. */
static void check_map_arcs(const high_map *drawn, size_t source, bool reverse, uint32_t limit)
{
    const mcd_map *const map = &drawn->map;
    const signed_arcs arcs = {map->node_count, map->arc_count, map->tail, map->head, drawn->cost};
    int64_t *const right = checked_allocate(map->node_count, sizeof *right);
    uint64_t last = 0;
    for (size_t a = 0; a < map->arc_count; ++a)
        if (map->arc_number[a] != MCD_ARC_NONE && map->arc_number[a] > last) last = map->arc_number[a];
    int64_t *const entry = checked_allocate(last + 1, sizeof *entry), *const weight = checked_allocate(
                                                                          last + 1, sizeof *weight);
    for (size_t i = 0; i <= last; ++i) entry[i] = SIGNED_NO_WAY, weight[i] = 0;
    signed_bellman_ford(&arcs, reverse ? map->arrive[source] : map->depart[source], reverse, right);
    for (size_t a = 0; a < map->arc_count; ++a) {
        const uint64_t number = map->arc_number[a];
        if (number == MCD_ARC_NONE || drawn->cost[a] == SIGNED_NO_WAY) continue;
        const int64_t cost = right[reverse ? map->head[a] : map->tail[a]];
        if (cost < entry[number]) entry[number] = cost;
        weight[number] = drawn->cost[a];
    }
    const macadam_query query = query_of(both, 1);
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *found;
    request.source = (macadam_place){.id = map->id[source]}, request.reverse = reverse, request.limit = limit;
    fixture_expect_ok(macadam_isochrone_find(drawn->engine, &query, &request, &found, &error), &error,
                      "isochrone");
    size_t next = 0;
    for (uint64_t number = 0; number <= last; ++number) {
        if (entry[number] == SIGNED_NO_WAY ||
            entry[number] + (weight[number] < 0 ? weight[number] : 0) > limit)
            continue;
        cr_assert_lt(next, found->arc_count);
        const macadam_reached_arc *const arc = &found->arc[next++];
        cr_assert_eq(arc->road.arc, number);
        cr_assert_eq(macadam_cost(arc->cost, true), entry[number]);
        cr_assert_eq(macadam_cost(arc->weight, true), weight[number]);
    }
    cr_assert_eq(next, found->arc_count);
    macadam_isochrone_free(found);
    free(right);
    free(entry);
    free(weight);
}

/* Of a place within a road, its own arcs come besides: they cost nothing where they are entered. A place that is cut off
 * has two positions, with two arcs each. Returns how many. */
static size_t check_own_arcs(const high_map *drawn, macadam_place source, bool reverse)
{
    const macadam_query query = query_of(both, 1);
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *found;
    size_t own = 0;
    request.source = source, request.reverse = reverse, request.limit = 5000;
    fixture_expect_ok(macadam_isochrone_find(drawn->engine, &query, &request, &found, &error), &error,
                      "isochrone");
    for (size_t i = 0; i < found->arc_count; ++i) {
        const macadam_reached_arc *const arc = &found->arc[i];
        if (arc->from > 0) {
            cr_assert_eq(arc->cost, 0);
            ++own;
        }
        const int64_t cost = macadam_cost(arc->cost, true), weight = macadam_cost(arc->weight, true);
        cr_assert(cost <= 5000 || cost + weight <= 5000);
    }
    cr_assert_leq(own, 4);
    macadam_isochrone_free(found);
    return own;
}

static void check_high(const high_map *drawn, size_t places)
{
    test_rng rng = {places};
    size_t own = 0;
    for (size_t i = 0; i < places; ++i) {
        const bool reverse = i % 2;
        const size_t source = rng_below(&rng, (uint32_t)drawn->map.id_count);
        const macadam_place point = draw_point(&drawn->map, &rng);
        check_place(drawn, (macadam_place){.id = drawn->map.id[source]}, reverse, &rng);
        check_place(drawn, point, reverse, &rng);
        check_map_arcs(drawn, source, reverse, rng_below(&rng, 200000));
        own += check_own_arcs(drawn, point, reverse);
    }
    cr_assert_gt(own, 0);
}

Test(energy_reach, a_town_is_reached_within_signed_limits)
{
    high_map drawn;
    high_map_open_town(&drawn);
    check_high(&drawn, 30);
    high_map_close(&drawn);
}

Test(energy_reach, milan_is_reached_within_signed_limits)
{
    high_map drawn;
    high_map_open_milan(&drawn);
    check_high(&drawn, 6);
    high_map_close(&drawn);
}
