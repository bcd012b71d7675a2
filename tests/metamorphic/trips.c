/* trips.c - a route over stops is the sum of its cells, a trip has the order whose cells cost least, and the engine's own
 * route is matched to itself. */
#include "tests/metamorphic/metamorphic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STOPS = 7, POINTS_MOST = 3000 };

/* The cells between all stops, which are the case's sources. */
typedef struct stops {
    size_t count, quantity_count;
    int64_t cost[2][STOPS * STOPS];
    uint32_t found; /* by bits */
} stops;

static bool cells_of_stops(stops *out, const meta_case *c, const macadam_query *query, char why[META_WHY])
{
    meta_table table;
    const size_t n = c->source_count;
    if (!meta_matrix(&table, c->engine, query, c->source, n, c->source, n, why)) return false;
    *out = (stops){.count = n, .quantity_count = table.quantity_count};
    for (size_t i = 0; i < n; ++i) out->found |= (uint32_t)macadam_place_is_found(table.status[i]) << i;
    for (size_t q = 0; q < table.quantity_count; ++q)
        for (size_t i = 0; i < n * n; ++i) out->cost[q][i] = meta_number(c, query, q, table.value[q][i]);
    return true;
}

/* Costs outside of these bounds count as unreached. */
static int64_t bounded(int64_t cost)
{
    return cost > MACADAM_WEIGHT_MAX || cost < -(int64_t)MACADAM_WEIGHT_MAX ? MACADAM_COST_NONE : cost;
}

/* ---- routes over stops ---- */

static int64_t sum_of_cells(const stops *s, size_t q)
{
    int64_t sum = 0;
    for (size_t i = 0; i + 1 < s->count; ++i) {
        const int64_t cost = s->cost[q][i * s->count + i + 1];
        if (cost == MACADAM_COST_NONE) return MACADAM_COST_NONE;
        sum += cost;
    }
    return bounded(sum);
}

static meta_verdict stops_cost_their_cells(const meta_case *c, char why[META_WHY])
{
    if (c->source_count < 2) return META_SKIPPED;
    const macadam_query query = meta_query(c);
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    stops cells;
    macadam_error error;
    if (!cells_of_stops(&cells, c, &query, why)) return META_FAILS;
    request.waypoint = c->source, request.waypoint_count = c->source_count;
    request.costs_only = c->salt % 2;
    for (int turn = MACADAM_VIA_PROFILE; turn <= MACADAM_VIA_ANY; ++turn) {
        macadam_route *route;
        int64_t cost[2];
        request.via_turn = (macadam_via_turn)turn;
        const macadam_status status = macadam_route_find(&route, c->engine, &query, &request, &error);
        if (!meta_ok(status, &error, "route", why)) return META_FAILS;
        for (size_t q = 0; q < cells.quantity_count; ++q)
            cost[q] = meta_number(c, &query, q, route->value[q]);
        macadam_route_free(route);
        for (size_t q = 0; q < cells.quantity_count && turn == MACADAM_VIA_ANY; ++q)
            META_REQUIRE(cost[q] == sum_of_cells(&cells, q),
                         "quantity %zu of the route is %lld, of its cells %lld", q, (long long)cost[q],
                         (long long)sum_of_cells(&cells, q));
        if (c->quantity_count && strcmp(c->quantity[0], c->map->info.metric[c->metric]) != 0) continue;
        META_REQUIRE(cost[0] >= sum_of_cells(&cells, 0),
                     "the route costs %lld by via turn %d, its cells %lld", (long long)cost[0], turn,
                     (long long)sum_of_cells(&cells, 0));
    }
    return META_HOLDS;
}

/* ---- trips ---- */

/* The least cost of a trip that began at `first`, is at `last` and has been at the stops of the mask, by trying all. */
static int64_t best_trip(const stops *s, const macadam_trip_request *t, uint32_t been, size_t first,
                         size_t last)
{
    const size_t n = s->count;
    const int64_t *const cost = s->cost[0];
    if (been == (1u << n) - 1) {
        if (t->to_last && last != n - 1) return MACADAM_COST_NONE;
        return t->open ? 0 : cost[last * n + first];
    }
    int64_t best = MACADAM_COST_NONE;
    for (size_t stop = 0; stop < n; ++stop) {
        if ((been >> stop & 1) || cost[last * n + stop] == MACADAM_COST_NONE) continue;
        const int64_t rest = best_trip(s, t, been | 1u << stop, first, stop);
        if (rest != MACADAM_COST_NONE && cost[last * n + stop] + rest < best)
            best = cost[last * n + stop] + rest;
    }
    return best;
}

/* The same of any trip over the stops of a set. */
static int64_t best_of(const stops *s, const macadam_trip_request *t, uint32_t set)
{
    const uint32_t others = ((1u << s->count) - 1) & ~set;
    const bool is_trip = others == 0 || (set & (set - 1));
    int64_t best = MACADAM_COST_NONE;
    if (t->to_last && !(set >> (s->count - 1) & 1)) return best;
    for (size_t first = 0; is_trip && first < (t->from_first ? 1 : s->count); ++first) {
        if (!(set >> first & 1)) continue;
        const int64_t cost = best_trip(s, t, others | 1u << first, first, first);
        if (cost < best) best = cost;
    }
    return best;
}

/* The largest set of the stops that were found in which each leads to each other, by trying all; of equally large ones that
 * with the earliest stop. */
static uint32_t largest_set(const stops *s)
{
    const size_t n = s->count;
    bool leads[STOPS][STOPS];
    uint32_t best = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            leads[i][j] = (s->found >> i & s->found >> j & 1) && s->cost[0][i * n + j] != MACADAM_COST_NONE;
    for (size_t over = 0; over < n; ++over)
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) leads[i][j] |= leads[i][over] && leads[over][j];
    for (uint32_t set = 1; set < 1u << n; ++set) {
        bool all = true;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) all &= i == j || !(set >> i & set >> j & 1) || leads[i][j];
        const int more = __builtin_popcount(set & s->found) - __builtin_popcount(best);
        if (all && (set & ~s->found) == 0 &&
            (more > 0 || (more == 0 && __builtin_ctz(set) < __builtin_ctz(best))))
            best = set;
    }
    return best;
}

/* The stops that the best trip visits. */
static uint32_t visited_by_best(const stops *s, const macadam_trip_request *t)
{
    return best_of(s, t, s->found) != MACADAM_COST_NONE ? s->found : largest_set(s);
}

static meta_verdict check_trip(const meta_case *c, const macadam_query *query, const macadam_trip *trip,
                               const stops *s, const macadam_trip_request *t, char why[META_WHY])
{
    const size_t n = s->count;
    const uint32_t set = visited_by_best(s, t);
    const int64_t best = bounded(best_of(s, t, set)), cost = (int64_t)trip->cost;
    META_REQUIRE(trip->found == (best != MACADAM_COST_NONE), "the trip is %s, the best order costs %lld",
                 trip->found ? "found" : "not found", (long long)best);
    if (!trip->found) return META_HOLDS;
    const size_t count = trip->order_count;
    uint32_t visited = 0;
    int64_t sum = 0;
    for (size_t i = 0; i + 1 < count + !t->open; ++i)
        sum += s->cost[0][trip->order[i] * n + trip->order[(i + 1) % count]];
    for (size_t i = 0; i < count; ++i) visited |= 1u << trip->order[i];
    META_REQUIRE(visited == set && count == (size_t)__builtin_popcount(set), "the trip visits %x, not %x",
                 visited, set);
    for (size_t i = 0; i < n; ++i)
        META_REQUIRE(
            (set >> i & 1) || (trip->stop[i].status == MACADAM_PLACE_UNREACHED) == (s->found >> i & 1),
            "stop %zu is left out, its status is %s", i, macadam_place_status_name(trip->stop[i].status));
    META_REQUIRE(cost == sum, "the trip costs %lld, its cells %lld", (long long)cost, (long long)sum);
    META_REQUIRE(cost == best, "the trip costs %lld, the best order %lld", (long long)cost, (long long)best);
    META_REQUIRE(!trip->route || meta_number(c, query, 0, trip->route->value[0]) == cost,
                 "the trip costs %lld, its route %u", (long long)cost, trip->route->value[0]);
    return META_HOLDS;
}

static meta_verdict trip_is_best(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_objective_query(c);
    stops cells;
    macadam_trip *trip;
    macadam_error error;
    if (!cells_of_stops(&cells, c, &query, why)) return META_FAILS;
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    request.stop = c->source, request.stop_count = c->source_count;
    request.open = rng_below(&rng, 2), request.from_first = rng_below(&rng, 2),
    request.to_last = rng_below(&rng, 2), request.costs_only = rng_below(&rng, 2);
    if (c->source_count == 1 && request.open && request.from_first && request.to_last) return META_SKIPPED;
    if (!meta_ok(macadam_trip_find(&trip, c->engine, &query, &request, &error), &error, "trip", why))
        return META_FAILS;
    const meta_verdict verdict = check_trip(c, &query, trip, &cells, &request, why);
    macadam_trip_free(trip);
    return verdict;
}

/* ---- matching ---- */

/* Points along the route's line, at most `step` metres apart. */
static size_t sample(const macadam_route *route, double step, macadam_trace_point *point)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < route->shape_count; ++i) {
        const double dx =
            (route->lon[i + 1] - route->lon[i]) * 111320 * cos(route->lat[i] * 3.14159265358979 / 180);
        const double dy = (route->lat[i + 1] - route->lat[i]) * 111320;
        const size_t parts = 1 + (size_t)(hypot(dx, dy) / step);
        for (size_t p = 0; p < parts && count < POINTS_MOST; ++p) {
            const double share = (double)p / (double)parts;
            point[count++] =
                (macadam_trace_point){.lon = route->lon[i] + share * (route->lon[i + 1] - route->lon[i]),
                                      .lat = route->lat[i] + share * (route->lat[i + 1] - route->lat[i]),
                                      .time_s = NAN};
        }
    }
    if (route->shape_count && count < POINTS_MOST)
        point[count++] = (macadam_trace_point){.lon = route->lon[route->shape_count - 1],
                                               .lat = route->lat[route->shape_count - 1],
                                               .time_s = NAN};
    return count;
}

/* Whether the matching went along the route's arcs; near its ends it may lack one. */
static bool same_arcs(const macadam_route *route, const macadam_matches *matches)
{
    if (matches->matching_count != 1 || matches->arc_count != route->arc_count) return false;
    for (size_t i = 0; i < route->arc_count; ++i)
        if (route->arc[i].arc != matches->arc[i]) return false;
    return true;
}

/* Whether the matching's arcs are its route's. A leg that begins on the arc on which the one before it ends goes on
 * along this arc, which the matching counts once. */
static bool has_arcs_of(const macadam_matching *matching, const uint64_t *arc, const macadam_route *route)
{
    size_t at = matching->first_arc;
    for (size_t l = 0; l < route->leg_count; ++l)
        for (size_t i = route->leg[l].first_arc; i < route->leg[l].end_arc; ++i) {
            const bool goes_on = i == route->leg[l].first_arc && at > matching->first_arc;
            if (goes_on && arc[at - 1] == route->arc[i].arc) continue;
            if (at == matching->end_arc || arc[at++] != route->arc[i].arc) return false;
        }
    return at == matching->end_arc;
}

static meta_verdict check_own_route(const macadam_matches *matches, size_t m, size_t distance,
                                    char why[META_WHY])
{
    const macadam_matching *const matching = &matches->matching[m];
    const macadam_route *const own = matching->route;
    META_REQUIRE(own->found, "matching %zu has no route", m);
    META_REQUIRE(llround(matching->distance_m * 100) == own->value[distance],
                 "matching %zu is %.2f m, its route %u cm", m, matching->distance_m, own->value[distance]);
    META_REQUIRE(isnan(matching->duration_s) || llround(matching->duration_s * 1000) == own->value[0],
                 "matching %zu takes %.3f s, its route %u ms", m, matching->duration_s, own->value[0]);
    META_REQUIRE(has_arcs_of(matching, matches->arc, own), "matching %zu and its route have different arcs",
                 m);
    return META_HOLDS;
}

static meta_verdict check_matches(const macadam_route *route, const macadam_matches *matches, size_t distance,
                                  char why[META_WHY])
{
    for (size_t m = 0; m < matches->matching_count; ++m)
        if (check_own_route(matches, m, distance, why) == META_FAILS) return META_FAILS;
    if (!same_arcs(route, matches)) return META_SKIPPED;
    const double metres = matches->matching[0].distance_m;
    META_REQUIRE(fabs(metres * 100 - route->value[distance]) <= 250, "the route is %u cm, matched %.2f m",
                 route->value[distance], metres);
    return META_HOLDS;
}

/* Routes of which only costs are requested have those of the others. */
static meta_verdict check_costs_only(const macadam_matches *whole, const macadam_matches *costs,
                                     char why[META_WHY])
{
    META_REQUIRE(costs->matching_count == whole->matching_count, "%zu matchings, with costs only %zu",
                 whole->matching_count, costs->matching_count);
    for (size_t m = 0; m < whole->matching_count; ++m) {
        const macadam_route *const route = whole->matching[m].route, *const bare = costs->matching[m].route;
        META_REQUIRE(bare->arc_count == 0 && bare->leg_count == route->leg_count &&
                         memcmp(bare->value, route->value, 2 * sizeof *route->value) == 0,
                     "matching %zu costs %u, with costs only %u", m, route->value[0], bare->value[0]);
        for (size_t l = 0; l < route->leg_count; ++l)
            META_REQUIRE(memcmp(bare->leg[l].value, route->leg[l].value, 2 * sizeof *route->value) == 0,
                         "leg %zu of matching %zu costs %u, with costs only %u", l, m, route->leg[l].value[0],
                         bare->leg[l].value[0]);
    }
    return META_HOLDS;
}

static meta_verdict route_matches_itself(const meta_case *c, char why[META_WHY])
{
    const macadam_info *const info = &c->map->info;
    if (!info->companion[c->metric] || c->conditions || c->map->is_extreme) return META_SKIPPED;
    const char *const both[] = {info->metric[c->metric], info->companion[c->metric]};
    const size_t distance = strcmp(both[1], "distance") == 0;
    if (strcmp(both[distance], "distance") != 0) return META_SKIPPED;
    macadam_query query = meta_objective_query(c);
    query.quantity = both, query.quantity_count = 2;
    const macadam_place end[] = {c->source[0], c->target[0]};
    const macadam_route_request request = {.size = sizeof request, .waypoint = end, .waypoint_count = 2};
    macadam_route *route;
    macadam_error error;
    if (!meta_ok(macadam_route_find(&route, c->engine, &query, &request, &error), &error, "route", why))
        return META_FAILS;
    macadam_trace_point *const point = meta_memory(POINTS_MOST, sizeof *point);
    macadam_match_request match = MACADAM_MATCH_REQUEST_INIT;
    match.point = point, match.point_count = route->found ? sample(route, 8, point) : 0;
    match.arcs = match.routes = true;
    macadam_matches *matches = NULL, *costs = NULL;
    meta_verdict verdict = META_SKIPPED;
    if (match.point_count > 2 && match.point_count < POINTS_MOST) {
        verdict =
            meta_ok(macadam_match_find(&matches, c->engine, &query, &match, &error), &error, "match", why)
                ? check_matches(route, matches, distance, why)
                : META_FAILS;
        match.arcs = false, match.costs_only = true;
        if (verdict != META_FAILS &&
            (!meta_ok(macadam_match_find(&costs, c->engine, &query, &match, &error), &error, "match", why) ||
             check_costs_only(matches, costs, why) == META_FAILS))
            verdict = META_FAILS;
    }
    macadam_matches_free(costs);
    macadam_matches_free(matches);
    macadam_route_free(route);
    return verdict;
}

static bool has_distances(const macadam_info *info, size_t metric)
{
    return strcmp(info->metric[metric], "distance") == 0 ||
           (info->companion[metric] && strcmp(info->companion[metric], "distance") == 0);
}

static meta_verdict check_same_ways(const meta_case *c, const macadam_query *query,
                                    const macadam_matches *usual, const macadam_matches *other,
                                    char why[META_WHY])
{
    META_REQUIRE(usual->matching_count == other->matching_count && usual->arc_count == other->arc_count &&
                     memcmp(usual->arc, other->arc, usual->arc_count * sizeof *usual->arc) == 0,
                 "by %s, other roads are matched", query->metric);
    for (size_t m = 0; m < usual->matching_count; ++m) {
        const macadam_route *const route = other->matching[m].route;
        int64_t sum = 0;
        META_REQUIRE(other->matching[m].distance_m == usual->matching[m].distance_m &&
                         has_arcs_of(&other->matching[m], other->arc, route),
                     "by %s, matching %zu differs", query->metric, m);
        for (size_t a = 0; a < route->arc_count; ++a) sum += meta_number(c, query, 0, route->arc[a].value[0]);
        META_REQUIRE(sum == meta_number(c, query, 0, route->value[0]), "the arcs cost %lld, the route %u",
                     (long long)sum, route->value[0]);
    }
    return META_HOLDS;
}

/* By a metric without distances, roads are matched by the first one that has them; routes have its costs. */
static meta_verdict match_is_by_distances(const meta_case *c, char why[META_WHY])
{
    const macadam_info *const info = &c->map->info;
    size_t metric = info->metric_count;
    while (metric-- > 0 && has_distances(info, metric))
        ;
    if (metric >= info->metric_count || !has_distances(info, 0) || c->map->is_extreme) return META_SKIPPED;
    macadam_trace_point *const point = meta_memory(POINTS_MOST, sizeof *point);
    macadam_matches *usual = NULL, *other = NULL;
    macadam_query query = meta_objective_query(c);
    macadam_error error;
    const macadam_match_request match = {
        .size = sizeof match, .point = point, .point_count = 2 + c->salt % 4, .arcs = true, .routes = true};
    for (size_t i = 0; i < match.point_count; ++i) {
        const macadam_place *const place = &c->source[i % c->source_count];
        point[i] = (macadam_trace_point){.lon = place->lon, .lat = place->lat, .time_s = 60.0 * (double)i};
    }
    query.metric = info->metric[0];
    bool ok = meta_ok(macadam_match_find(&usual, c->engine, &query, &match, &error), &error, "match", why);
    query.metric = info->metric[metric];
    ok = ok && meta_ok(macadam_match_find(&other, c->engine, &query, &match, &error), &error, "match", why);
    const meta_verdict verdict = ok ? check_same_ways(c, &query, usual, other, why) : META_FAILS;
    macadam_matches_free(other);
    macadam_matches_free(usual);
    return verdict;
}

const meta_relation meta_trips[] = {
    {"stops_cost_their_cells", stops_cost_their_cells, 40, 40, STOPS, 1},
    {"trip_is_best", trip_is_best, 30, 30, STOPS, 1},
    {"route_matches_itself", route_matches_itself, 10, 5, 1, 1},
    {"match_is_by_distances", match_is_by_distances, 10, 0, 5, 1},
    {0},
};
