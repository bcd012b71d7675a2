/* ask.c - every kind of question to an engine over a file that is not trusted. */
#include "tests/attack/attack.h"
#include "tests/support/methods.h"

#include <string.h>

enum { PLACES = 6, IDS_MAX = 400, DENSE_MAX = 60 };

/* The places and prepared targets that the questions to one engine use. */
typedef struct asking {
    macadam_engine *engine;
    test_rng *rng;
    bool agrees;
    macadam_error error;
    macadam_info info;
    const int64_t *id;
    macadam_query query;
    macadam_place place[PLACES];
} asking;

static void choose_places(asking *it)
{
    for (size_t i = 0; i < PLACES; ++i) {
        macadam_place *const place = &it->place[i];
        *place = (macadam_place){.id = it->id[rng_below(it->rng, (uint32_t)it->info.id_count)]};
        if (!it->info.has_coordinates || i % 3 != 2) continue;
        const double share = rng_below(it->rng, 1000) / 1000.0;
        place->kind = MACADAM_PLACE_POINT;
        place->lon = it->info.west + share * (it->info.east - it->info.west);
        place->lat = it->info.south + (1 - share) * (it->info.north - it->info.south);
    }
    it->place[PLACES - 1] = (macadam_place){.id = INT64_MIN}; /* no node has this id */
}

/* Returns false if the tree has no answer. */
static bool tree_of(asking *it, const char *method, bool reverse, uint32_t *cost)
{
    uint32_t *const value[] = {cost};
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = it->place;
    tree.source_count = PLACES;
    tree.reverse = reverse;
    tree.method = method;
    memset(cost, 0, PLACES * it->info.id_count * sizeof *cost);
    return attack_worked(macadam_tree_find(value, NULL, it->engine, &it->query, &tree, &it->error),
                         &it->error);
}

static void ask_trees(asking *it, uint32_t *cost)
{
    static uint32_t other[PLACES * IDS_MAX], parent[PLACES * IDS_MAX];
    static const char *const method[] = {"dijkstra", "near-far", "bellman-ford"};
    const size_t bytes = PLACES * it->info.id_count * sizeof *cost;
    for (int reverse = 1; reverse >= 0; --reverse) {
        const bool sweeps = tree_of(it, "sweep", reverse, cost);
        for (size_t m = 0; m < 3; ++m) {
            const bool searches = tree_of(it, method[m], reverse, other);
            if (it->agrees && sweeps && searches)
                attack_require(memcmp(cost, other, bytes) == 0, "a sweep and a search differ");
            if (!sweeps && m == 0) memcpy(cost, other, bytes);
        }
    }
    uint32_t *const value[] = {other};
    const macadam_tree_request tree = {.size = sizeof tree, .source = it->place, .source_count = PLACES};
    attack_worked(macadam_tree_find_parents(value, parent, NULL, it->engine, &it->query, &tree, &it->error),
                  &it->error);
}

/* The last place has no status that is found, so that its cells are unreached. */
static void ask_pairs(asking *it)
{
    uint32_t cell[PLACES * PLACES], cost[PLACES], *const cells[] = {cell}, *const costs[] = {cost};
    macadam_place target[PLACES];
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = matrix.target = it->place;
    matrix.source_count = matrix.target_count = PLACES;
    const bool has_matrix = attack_worked(
        macadam_matrix_find_into(cells, NULL, it->engine, &it->query, &matrix, &it->error), &it->error);
    for (size_t i = 0; i < PLACES; ++i) target[i] = it->place[(i + 1) % PLACES];
    macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
    routes.source = it->place, routes.target = target, routes.pair_count = PLACES;
    const bool has_routes = attack_worked(
        macadam_routes_find(costs, NULL, it->engine, &it->query, &routes, &it->error), &it->error);
    for (size_t i = 0; i < PLACES && it->agrees && has_matrix && has_routes; ++i)
        attack_require(cost[i] == cell[i * PLACES + (i + 1) % PLACES], "a route and a matrix differ");
}

static void ask_route(asking *it, const uint32_t *tree)
{
    const uint32_t column = rng_below(it->rng, (uint32_t)it->info.id_count);
    const macadam_place waypoint[] = {it->place[0], {.id = it->id[column]}, it->place[2]};
    macadam_route *route;
    macadam_route_request request = {
        .size = sizeof request, .waypoint = waypoint, .steps = true, .segments = true, .totals = true};
    for (request.waypoint_count = 2; request.waypoint_count <= 3; ++request.waypoint_count) {
        if (!attack_worked(macadam_route_find(&route, it->engine, &it->query, &request, &it->error),
                           &it->error))
            continue;
        uint32_t sum = 0;
        for (size_t a = 0; a < route->arc_count; ++a) sum += route->arc[a].value[0];
        if (it->agrees && route->found)
            attack_require(sum == route->value[0], "a route's arcs differ from it");
        if (it->agrees && request.waypoint_count == 2)
            attack_require((route->found ? route->value[0] : MACADAM_UNREACHED) == tree[column],
                           "a route and a tree differ");
        macadam_route_free(route);
    }
}

static void ask_hops(asking *it)
{
    static uint32_t hops[PLACES * IDS_MAX], other[PLACES * IDS_MAX], parent[PLACES * IDS_MAX];
    macadam_hops_request request = {.size = sizeof request, .source = it->place, .source_count = 1};
    bool worked = attack_worked(
        macadam_hops_find(hops, parent, NULL, it->engine, &it->query, &request, &it->error), &it->error);
    request.method = method_at(it->engine, MACADAM_QUESTION_HOPS, rng_below(it->rng, 16));
    worked &= attack_worked(
        macadam_hops_find(other, NULL, NULL, it->engine, &it->query, &request, &it->error), &it->error);
    if (it->agrees && worked)
        attack_require(memcmp(hops, other, it->info.id_count * sizeof *hops) == 0, "hops differ");
    macadam_connection_request connect = MACADAM_CONNECTION_REQUEST_INIT;
    macadam_connection *connection;
    const uint32_t column = rng_below(it->rng, (uint32_t)it->info.id_count);
    connect.source = it->place[0], connect.target.id = it->id[column];
    if (!attack_worked(macadam_connection_find(&connection, it->engine, &it->query, &connect, &it->error),
                       &it->error))
        return;
    if (it->agrees && worked)
        attack_require((connection->connected ? connection->hops : MACADAM_UNREACHED) == hops[column],
                       "hops and connect differ");
    macadam_connection_free(connection);
}

static void ask_areas(asking *it)
{
    static const uint32_t limit[] = {0, 10, 100000, MACADAM_WEIGHT_MAX};
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *isochrone;
    request.source = it->place[rng_below(it->rng, PLACES)];
    request.limit = limit[rng_below(it->rng, 4)];
    request.reverse = attack_chance(it->rng, 2);
    if (attack_worked(macadam_isochrone_find(&isochrone, it->engine, &it->query, &request, &it->error),
                      &it->error))
        macadam_isochrone_free(isochrone);
    const macadam_box box = {it->info.west, it->info.south, it->info.east, it->info.north};
    macadam_roads *roads;
    if (attack_worked(macadam_roads_find(&roads, it->engine, &box, &it->error), &it->error))
        macadam_roads_free(roads);
    macadam_snap snap[PLACES];
    size_t count;
    attack_worked(macadam_snap_find(snap, it->engine, &it->query, it->place, PLACES, &it->error), &it->error);
    attack_worked(
        macadam_snap_find_candidates(snap, &count, it->engine, &it->query, &it->place[2], PLACES, &it->error),
        &it->error);
}

static void ask_reach(asking *it)
{
    static const uint32_t limit[] = {10, 100000};
    uint64_t nodes[2 * PLACES], reached[PLACES], sum[PLACES];
    uint32_t farthest[PLACES], found[PLACES], position[2 * PLACES], cost[2 * PLACES];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    request.source = request.target = it->place;
    request.source_count = request.target_count = PLACES;
    request.limit = limit, request.limit_count = 2, request.nearest_count = 2;
    answer.node_count = nodes, answer.reached = reached, answer.cost_sum = sum,
    answer.eccentricity = farthest;
    answer.nearest_found = found, answer.nearest_position = position, answer.nearest_cost = cost;
    attack_worked(macadam_reach_find(&answer, NULL, it->engine, &it->query, &request, &it->error),
                  &it->error);
}

static void ask_rings(asking *it)
{
    static const uint32_t limit[] = {10, 100000};
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    macadam_rings *rings;
    request.source = it->place, request.source_count = PLACES;
    request.limit = limit, request.limit_count = 2;
    if (attack_worked(macadam_rings_find(&rings, it->engine, &it->query, &request, &it->error), &it->error))
        macadam_rings_free(rings);
}

static void ask_journeys(asking *it)
{
    macadam_trip_request trip = MACADAM_TRIP_REQUEST_INIT;
    macadam_trip *tour;
    trip.stop = it->place, trip.stop_count = 4, trip.steps = true;
    if (attack_worked(macadam_trip_find(&tour, it->engine, &it->query, &trip, &it->error), &it->error))
        macadam_trip_free(tour);
    macadam_trace_point point[PLACES];
    for (size_t i = 0; i < PLACES; ++i) {
        const double share = (double)i / PLACES;
        point[i] = (macadam_trace_point){.time_s = 10 * (double)i};
        point[i].lon = it->info.west + share * (it->info.east - it->info.west);
        point[i].lat = it->info.south + share * (it->info.north - it->info.south);
    }
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    macadam_matches *matches;
    request.point = point, request.point_count = PLACES;
    request.arcs = request.routes = request.steps = true;
    if (attack_worked(macadam_match_find(&matches, it->engine, &it->query, &request, &it->error), &it->error))
        macadam_matches_free(matches);
}

static void ask_dense(asking *it)
{
    static uint32_t cell[DENSE_MAX * DENSE_MAX], other[DENSE_MAX * DENSE_MAX];
    static uint8_t bits[DENSE_MAX * (DENSE_MAX + 7) / 8 + DENSE_MAX];
    if (it->info.id_count > DENSE_MAX) return;
    const size_t bytes = it->info.id_count * it->info.id_count * sizeof *cell;
    uint32_t *const value[] = {cell}, *const others[] = {other};
    macadam_all_pairs_request request = {.size = sizeof request, .method = "floyd-warshall"};
    bool worked = attack_worked(
        macadam_all_pairs_find_into(value, NULL, it->engine, &it->query, &request, &it->error), &it->error);
    request.method = "auto";
    worked &= attack_worked(
        macadam_all_pairs_find_into(others, NULL, it->engine, &it->query, &request, &it->error), &it->error);
    if (it->agrees && worked) attack_require(memcmp(cell, other, bytes) == 0, "all pairs differ");
    attack_worked(macadam_closure_find(bits, it->engine, NULL, &it->error), &it->error);
}

static void change_weights(asking *it)
{
    static const uint32_t choice[] = {
        0, 1, 1000, MACADAM_WEIGHT_MAX, MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_IMPORTED};
    const uint64_t arc[] = {1, 2 + rng_below(it->rng, 5)};
    const uint32_t weight[] = {choice[rng_below(it->rng, 6)], choice[rng_below(it->rng, 6)]};
    const uint32_t *const value[] = {weight};
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.arc = arc, update.count = 2;
    update.quantity = it->info.quantity, update.quantity_count = 1, update.value = value;
    attack_worked(macadam_update(it->engine, &update, &it->error), &it->error);
}

/* The first question loads what it needs, which later ones find: any kind may be the first, after an update too. */
static void ask_first(asking *it, uint32_t *cost)
{
    if (attack_chance(it->rng, 2)) change_weights(it);
    static void (*const ask[])(asking * it) = {ask_pairs, ask_hops,     ask_areas, ask_reach,
                                               ask_rings, ask_journeys, ask_dense};
    const uint32_t kind = rng_below(it->rng, 9); /* the last is trees */
    if (kind < 7) ask[kind](it);
    if (kind == 7) ask_route(it, cost);
}

void attack_ask(macadam_engine *engine, test_rng *rng, bool agrees)
{
    static uint32_t cost[PLACES * IDS_MAX];
    asking it = {.engine = engine,
                 .rng = rng,
                 .agrees = agrees,
                 .error = {""},
                 .info = MACADAM_INFO_INIT,
                 .query = MACADAM_QUERY_INIT};
    if (!attack_worked(macadam_engine_info(&it.info, engine, &it.error), &it.error)) return;
    it.id = macadam_engine_ids(engine, &it.error);
    if (!it.id || it.info.id_count == 0 || it.info.id_count > IDS_MAX) return;
    choose_places(&it);
    it.query.metric =
        it.info.metric_count ? it.info.metric[rng_below(rng, (uint32_t)it.info.metric_count)] : NULL;
    if (!agrees) ask_first(&it, cost);
    for (int round = 0; round < 2; ++round) {
        ask_trees(&it, cost);
        ask_pairs(&it);
        ask_route(&it, cost);
        ask_hops(&it);
        ask_areas(&it);
        ask_reach(&it);
        ask_rings(&it);
        ask_journeys(&it);
        ask_dense(&it);
        if (round == 0) change_weights(&it);
    }
}

bool attack_open(const char *path, const char *profile, test_rng *rng)
{
    macadam_error error = {""};
    macadam_engine *engine;
    const macadam_engine_options options = {
        .size = sizeof options, .device = "cpu", .threads = 1, .profile = profile};
    if (!attack_worked(macadam_engine_open(&engine, path, &options, &error), &error)) return false;
    const test_rng before = *rng;
    attack_ask(engine, rng, false);
    macadam_engine_close(engine);
    *rng = before;
    if (!attack_worked(macadam_engine_open(&engine, path, &options, &error), &error)) return false;
    const bool is_verified = attack_worked(macadam_engine_verify(engine, &error), &error);
    if (is_verified) attack_ask(engine, rng, true);
    macadam_engine_close(engine);
    return is_verified;
}
