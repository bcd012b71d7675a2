/* questions.c - a cell of a matrix is the cost of the route, the sum of its legs, arcs, segments and steps, the cost of the
 * pair, and the row of the tree by every method; what is not requested does not matter. */
#include "tests/metamorphic/metamorphic.h"
#include "tests/support/fixture.h"
#include "tests/support/methods.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 4, IDS = 12 };

/* ---- routes ---- */

static macadam_route *find_way(const meta_case *c, const macadam_query *query, const macadam_place *waypoint,
                               size_t count, bool full, char why[META_WHY])
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_route *route;
    macadam_error error;
    request.waypoint = waypoint, request.waypoint_count = count;
    request.costs_only = !full;
    request.steps = request.segments = request.totals = full;
    const macadam_status status = macadam_route_find(&route, c->engine, query, &request, &error);
    return meta_ok(status, &error, "route", why) ? route : NULL;
}

static macadam_route *find_route(const meta_case *c, const macadam_query *query, const macadam_place end[2],
                                 bool full, char why[META_WHY])
{
    return find_way(c, query, end, 2, full, why);
}

/* Whether the parts of a route add up, in quantity q. */
static meta_verdict adds_up(const meta_case *c, const macadam_query *query, const macadam_route *r, size_t q,
                            char why[META_WHY])
{
    int64_t legs = 0;
    for (size_t l = 0; l < r->leg_count; ++l) {
        const macadam_leg *const leg = &r->leg[l];
        const int64_t cost = meta_number(c, query, q, leg->value[q]);
        int64_t arcs = 0, steps = 0;
        for (size_t a = leg->first_arc; a < leg->end_arc; ++a)
            arcs += meta_number(c, query, q, r->arc[a].value[q]);
        for (size_t s = leg->first_step; s < leg->end_step; ++s)
            steps += meta_number(c, query, q, r->step[s].value[q]);
        META_REQUIRE(arcs == cost, "the leg costs %u, its arcs %llu", leg->value[q], (long long)arcs);
        META_REQUIRE(leg->first_step == leg->end_step || steps == cost, "the leg costs %u, its steps %llu",
                     leg->value[q], (long long)steps);
        legs += cost;
    }
    META_REQUIRE(legs == meta_number(c, query, q, r->value[q]), "the route costs %u, its legs %llu",
                 r->value[q], (long long)legs);
    for (size_t s = 0, a = 0; s < r->segment_count; ++a) {
        int64_t segments = 0;
        for (; s < r->segment_count && r->segment[s].arc == a; ++s)
            segments += meta_number(c, query, q, r->segment[s].value[q]);
        META_REQUIRE(!r->arc || segments == meta_number(c, query, q, r->arc[a].value[q]),
                     "arc %zu costs %u, its segments %llu", a, r->arc[a].value[q], (long long)segments);
    }
    return META_HOLDS;
}

static bool is_near(double a, double b)
{
    return a - b < 1e-7 && b - a < 1e-7;
}

/* The line goes from one waypoint to the other without a gap. */
static meta_verdict has_no_gap(const macadam_route *r, char why[META_WHY])
{
    double lon = r->waypoint[0].lon, lat = r->waypoint[0].lat;
    for (size_t a = 0; a < r->arc_count; ++a) {
        const macadam_route_arc *const arc = &r->arc[a];
        META_REQUIRE(arc->from >= 0 && arc->from <= arc->to && arc->to <= 1, "arc %zu is from %g to %g", a,
                     arc->from, arc->to);
        META_REQUIRE(is_near(r->lon[arc->first_shape], lon) && is_near(r->lat[arc->first_shape], lat),
                     "arc %zu begins at %.7f,%.7f, what is before it ends at %.7f,%.7f", a,
                     r->lon[arc->first_shape], r->lat[arc->first_shape], lon, lat);
        lon = r->lon[arc->end_shape - 1], lat = r->lat[arc->end_shape - 1];
    }
    META_REQUIRE(r->arc_count == 0 || (is_near(r->waypoint[1].lon, lon) && is_near(r->waypoint[1].lat, lat)),
                 "the line ends at %.7f,%.7f, the route at %.7f,%.7f", lon, lat, r->waypoint[1].lon,
                 r->waypoint[1].lat);
    return META_HOLDS;
}

/* The costs of `r` are the totals of `of`. */
static meta_verdict totals_of(const meta_case *c, const macadam_route *of, const macadam_route *r,
                              const macadam_query *query, char why[META_WHY])
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        for (size_t t = 0; t < of->total_count; ++t)
            META_REQUIRE(strcmp(c->map->info.quantity[t], query->quantity[q]) != 0 ||
                             of->total[t] == meta_number(c, query, q, r->value[q]),
                         "%s is %u, its total %lld", query->quantity[q], r->value[q],
                         (long long)of->total[t]);
    return META_HOLDS;
}

static meta_verdict check_route(const meta_case *c, const macadam_query *query, const macadam_route *r,
                                bool full, const uint32_t cell[2], char why[META_WHY])
{
    for (size_t q = 0; q < meta_columns_of(query); ++q) {
        META_REQUIRE(r->value[q] == cell[q], "the cell is %u, the %s %u", cell[q],
                     full ? "route" : "route's cost", r->value[q]);
        META_REQUIRE(r->found == (meta_number(c, query, 0, cell[0]) != MACADAM_COST_NONE),
                     "the cell is %u, but a route is %s", cell[0], r->found ? "found" : "not found");
        if (full && r->found && adds_up(c, query, r, q, why) != META_HOLDS) return META_FAILS;
    }
    if (full && r->found && has_no_gap(r, why) != META_HOLDS) return META_FAILS;
    return full && r->found ? totals_of(c, r, r, query, why) : META_HOLDS;
}

static meta_verdict cell_is_route(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_query(c);
    meta_table table;
    if (!meta_matrix_of(&table, c, c->engine, why)) return META_FAILS;
    const size_t cells = table.rows * table.columns;
    for (size_t i = 0; i < 2 * PAIRS; ++i) {
        const size_t cell = cells <= PAIRS ? i / 2 % cells : rng_below(&rng, (uint32_t)cells);
        const macadam_place end[] = {c->source[cell / table.columns], c->target[cell % table.columns]};
        uint32_t cost[2];
        for (size_t q = 0; q < table.quantity_count; ++q) cost[q] = table.value[q][cell];
        macadam_route *const route = find_route(c, &query, end, i % 2, why);
        if (!route) return META_FAILS;
        const meta_verdict verdict = check_route(c, &query, route, i % 2, cost, why);
        macadam_route_free(route);
        if (verdict != META_HOLDS) return verdict;
    }
    return META_HOLDS;
}

/* No junction that a route passes is farther than the route until there. Of durations it may be: one waits at signals to
 * arrive there, and a route waits when it goes on. */
static meta_verdict way_is_reached(const meta_case *c, char why[META_WHY])
{
    macadam_query query = meta_objective_query(c);
    const macadam_place end[] = {c->source[0], c->target[0]};
    query.metric = "distance";
    if (meta_is_cut_off(c, &end[0]) || meta_is_cut_off(c, &end[1])) return META_SKIPPED;
    macadam_route *const route = find_route(c, &query, end, true, why);
    if (!route) return META_FAILS;
    const size_t count = route->arc_count < 2 ? 0 : route->arc_count - 1;
    macadam_place *const place = meta_memory(count, sizeof *place);
    uint64_t *const cost = meta_memory(count, sizeof *cost), sum = 0;
    for (size_t a = 0; a < count; ++a) {
        place[a].id = route->arc[a].head;
        cost[a] = sum += route->arc[a].value[0];
    }
    macadam_route_free(route);
    meta_table table;
    if (!count) return META_SKIPPED;
    if (!meta_matrix(&table, c->engine, &query, end, 1, place, count, why)) return META_FAILS;
    for (size_t a = 0; a < count; ++a)
        META_REQUIRE(table.value[0][a] <= cost[a], "the route passes id %lld at %llu, the cell is %u",
                     (long long)place[a].id, (long long)cost[a], table.value[0][a]);
    return META_HOLDS;
}

/* A route that a fresh engine finds before anything is customized has the same arcs. */
static meta_verdict first_route_is_later_route(const meta_case *c, char why[META_WHY])
{
    const macadam_query query = meta_query(c);
    const macadam_place end[] = {c->source[0], c->target[0]};
    const macadam_engine_options options = {.size = sizeof options, .profile = c->map->info.profile};
    meta_case fresh = *c;
    fresh.engine = meta_open(c->map, c->map->edge, &options);
    macadam_route *const first = find_route(&fresh, &query, end, true, why);
    macadam_route *const later = find_route(c, &query, end, true, why);
    meta_verdict verdict = first && later ? META_HOLDS : META_FAILS;
    if (verdict == META_HOLDS) verdict = check_route(c, &query, first, true, later->value, why);
    bool same = verdict != META_HOLDS || first->arc_count == later->arc_count;
    for (size_t a = 0; same && verdict == META_HOLDS && a < later->arc_count; ++a)
        same = first->arc[a].arc == later->arc[a].arc;
    macadam_route_free(first);
    macadam_route_free(later);
    macadam_engine_close(fresh.engine);
    META_REQUIRE(same, "the first route has other arcs than the same route later");
    return verdict;
}

/* ---- pairs ---- */

typedef struct paths {
    const meta_case *c;
    const macadam_query *query;
    const macadam_place *source, *target;
    char *why;
    bool differs;
} paths;

/* The route's arcs are those of the pair's path. */
static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    paths *const p = context;
    if (p->differs || pair % 8) return true;
    const macadam_place end[] = {p->source[pair], p->target[pair]};
    macadam_route *const route = find_route(p->c, p->query, end, true, p->why);
    if (!route) return p->differs = true;
    bool same = route->arc_count == arc_count;
    for (size_t a = 0; a < arc_count && same; ++a) same = route->arc[a].arc == arc[a];
    macadam_route_free(route);
    if (!same) meta_fail(p->why, "pair %zu has another path than its route", pair);
    p->differs = !same;
    return true;
}

static meta_verdict cell_is_pair(const meta_case *c, char why[META_WHY])
{
    const macadam_query query = meta_query(c);
    meta_table table;
    if (!meta_matrix_of(&table, c, c->engine, why)) return META_FAILS;
    const size_t cells = table.rows * table.columns;
    macadam_place *const end = meta_memory(2 * cells, sizeof *end);
    for (size_t i = 0; i < cells; ++i)
        end[i] = c->source[i / table.columns], end[cells + i] = c->target[i % table.columns];
    uint32_t *value[2] = {meta_memory(cells, sizeof **value), meta_memory(cells, sizeof **value)};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = end, request.target = end + cells, request.pair_count = cells;
    paths p = {c, &query, end, end + cells, why, false};
    macadam_error error;
    const macadam_status status =
        c->salt % 3
            ? macadam_routes_find(value, NULL, c->engine, &query, &request, &error)
            : macadam_routes_find_paths(value, NULL, c->engine, &query, &request, take_path, &p, &error);
    if (!meta_ok(status, &error, "routes", why) || p.differs) return META_FAILS;
    for (size_t q = 0; q < table.quantity_count; ++q)
        for (size_t i = 0; i < cells; ++i)
            META_REQUIRE(value[q][i] == table.value[q][i],
                         "cell (%zu, %zu) of quantity %zu is %u, its pair %u", i / table.columns,
                         i % table.columns, q, table.value[q][i], value[q][i]);
    return META_HOLDS;
}

/* ---- trees ---- */

typedef struct tree {
    macadam_tree_request request;
    size_t nodes; /* per source */
    uint32_t *value[2];
} tree;

static void draw_tree(tree *out, const meta_case *c, test_rng *rng, macadam_place *source)
{
    static const uint32_t limits[] = {0, 0, 0, 50000, 300000};
    const macadam_info *const info = &c->map->info;
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.order = (macadam_order)rng_below(rng, 3);
    request.method = method_at(c->engine, MACADAM_QUESTION_TREES, rng_below(rng, 5));
    if (c->map->is_real && method_is(request.method, "bellman-ford")) request.method = "sweep";
    request.reverse = rng_below(rng, 2);
    request.limit = limits[rng_below(rng, 5)];
    request.source = source;
    request.source_count = request.order == MACADAM_ORDER_LANES ? 16 : c->source_count;
    for (size_t i = 0; i < request.source_count; ++i) source[i] = c->source[i % c->source_count];
    out->nodes = request.order == MACADAM_ORDER_IDS ? info->id_count : info->node_count;
    for (size_t q = 0; q < 2; ++q)
        out->value[q] = meta_memory(out->nodes * request.source_count, sizeof **out->value);
    out->request = request;
}

/* The row of a source at an id, in quantity q; one of the id's nodes has the expected value, if any has. */
static uint32_t tree_at(const tree *t, const meta_case *c, const int64_t *node_id, size_t row, int64_t id,
                        size_t q, uint32_t expected)
{
    if (t->request.order == MACADAM_ORDER_IDS) return t->value[q][row * t->nodes + meta_position(c->map, id)];
    uint32_t got = 0;
    for (size_t node = 0; node < t->nodes; ++node) {
        if (node_id[node] != id) continue;
        const size_t at = t->request.order == MACADAM_ORDER_LANES ? node * t->request.source_count + row
                                                                  : row * t->nodes + node;
        got = t->value[q][at];
        if (got == expected) break;
    }
    return got;
}

static meta_verdict cell_is_in_tree(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_query(c);
    macadam_place source[META_PLACES], target[IDS];
    int64_t id[IDS];
    tree t;
    meta_table table;
    macadam_error error;
    meta_draw_ids(c->map, &rng, id, target, IDS);
    draw_tree(&t, c, &rng, source);
    const bool reverse = t.request.reverse;
    const int64_t *const node_id = macadam_engine_node_ids(c->engine, &error);
    if (!meta_ok(macadam_tree_find(t.value, NULL, c->engine, &query, &t.request, &error), &error, "tree",
                 why) ||
        !meta_matrix(&table, c->engine, &query, reverse ? target : c->source, reverse ? IDS : c->source_count,
                     reverse ? c->source : target, reverse ? c->source_count : IDS, why))
        return META_FAILS;
    const macadam_query objective = meta_objective_query(c);
    meta_table limiting;
    if (!meta_matrix(&limiting, c->engine, &objective, reverse ? target : c->source,
                     reverse ? IDS : c->source_count, reverse ? c->source : target,
                     reverse ? c->source_count : IDS, why))
        return META_FAILS;
    for (size_t q = 0; q < table.quantity_count; ++q)
        for (size_t i = 0; i < c->source_count * IDS; ++i) {
            const size_t row = i / IDS, column = i % IDS, cell = reverse ? column * c->source_count + row : i;
            const int64_t cost = meta_number(c, &objective, 0, limiting.value[0][cell]);
            const bool beyond = t.request.limit && cost > t.request.limit;
            const uint32_t expected = beyond ? meta_unreached(c, &query, q) : table.value[q][cell];
            const uint32_t got = tree_at(&t, c, node_id, row, id[column], q, expected);
            META_REQUIRE(got == expected,
                         "source %zu, id %lld, quantity %zu: the cell is %u, the tree %u (order %d, method "
                         "%s%s, limit %u)",
                         row, (long long)id[column], q, expected, got, (int)t.request.order, t.request.method,
                         reverse ? ", reverse" : "", t.request.limit);
        }
    return META_HOLDS;
}

/* ---- every metric ---- */

static bool is_same_place(const macadam_snap *a, const macadam_snap *b)
{
    return a->status == b->status && a->arc == b->arc && a->id == b->id;
}

/* Where a route begins and ends does not depend on the metric. Whether sums overflow does. */
static meta_verdict metrics_have_one_position(const meta_case *c, char why[META_WHY])
{
    const macadam_info *const info = &c->map->info;
    const macadam_place end[] = {c->source[0], c->target[0]};
    macadam_query query = meta_objective_query(c);
    macadam_snap usual[2];
    if (c->map->is_extreme) return META_SKIPPED;
    for (size_t m = 0; m < info->metric_count; ++m) {
        query.metric = info->metric[m];
        macadam_route *const route = find_route(c, &query, end, false, why);
        if (!route) return META_FAILS;
        for (size_t i = 0; i < 2 && m == 0; ++i) usual[i] = route->waypoint[i];
        const bool same =
            is_same_place(&usual[0], &route->waypoint[0]) && is_same_place(&usual[1], &route->waypoint[1]);
        macadam_route_free(route);
        META_REQUIRE(same, "a route by %s is between other roads than by %s", query.metric, info->metric[0]);
    }
    return META_HOLDS;
}

/* A route over stops by one metric, in the quantities of another: the same arcs, and costs as its totals say. Under
 * conditions, a total of the metric itself is of the weights in use unless it is requested. */
static meta_verdict route_costs_its_totals(const meta_case *c, char why[META_WHY])
{
    const macadam_info *const info = &c->map->info;
    const size_t other = c->salt % info->metric_count;
    const char *const quantity[] = {info->metric[other], info->companion[other]};
    const size_t count = c->source_count + 1;
    macadam_place *const waypoint = meta_memory(count, sizeof *waypoint);
    memcpy(waypoint, c->source, c->source_count * sizeof *waypoint);
    waypoint[c->source_count] = c->target[0];
    macadam_query query = meta_objective_query(c);
    SCOPED(macadam_route_free_at)
    macadam_route *const route = find_way(c, &query, waypoint, count, true, why);
    query.quantity = quantity, query.quantity_count = 1 + (quantity[1] && c->salt / 64 % 2);
    SCOPED(macadam_route_free_at) macadam_route *const told = find_way(c, &query, waypoint, count, true, why);
    meta_verdict verdict = route && told ? META_HOLDS : META_FAILS;
    if (route && told && c->map->is_extreme && !(route->found && told->found))
        return META_HOLDS; /* one overflows */
    bool same = verdict != META_HOLDS || (route->found == told->found && route->arc_count == told->arc_count);
    for (size_t a = 0; verdict == META_HOLDS && same && a < told->arc_count; ++a)
        same = told->arc[a].arc == route->arc[a].arc && told->arc[a].from == route->arc[a].from &&
               told->arc[a].to == route->arc[a].to;
    for (size_t t = 0; verdict == META_HOLDS && same && t < told->total_count; ++t)
        same = route->total[t] == told->total[t] ||
               (c->conditions && strcmp(info->quantity[t], query.metric) == 0);
    if (!same) verdict = meta_fail(why, "by %s, in %s: another route", query.metric, quantity[0]);
    for (size_t q = 0; verdict == META_HOLDS && told->found && q < query.quantity_count; ++q)
        verdict = adds_up(c, &query, told, q, why);
    if (verdict == META_HOLDS && told->found) verdict = totals_of(c, route, told, &query, why);
    return verdict;
}

/* ---- what is not requested ---- */

/* The quantities by themselves, and both in the other order. */
static meta_verdict other_quantities_do_not_matter(const meta_case *c, char why[META_WHY])
{
    const macadam_info *const info = &c->map->info;
    if (!info->companion[c->metric] || (c->map->is_extreme && c->any)) return META_SKIPPED;
    const char *const name[] = {info->metric[c->metric], info->companion[c->metric], info->metric[c->metric]};
    macadam_query query = meta_objective_query(c);
    meta_table both, other;
    query.quantity = name, query.quantity_count = 2;
    if (!meta_matrix(&both, c->engine, &query, c->source, c->source_count, c->target, c->target_count, why))
        return META_FAILS;
    const size_t first = c->salt % 3; /* of the names; 0: only the objective, 2: of both only the companion */
    query.quantity = name + first % 2, query.quantity_count = first == 1 ? 2 : 1;
    if (first == 2) query.quantity = name + 1;
    if (!meta_matrix(&other, c->engine, &query, c->source, c->source_count, c->target, c->target_count, why))
        return META_FAILS;
    for (size_t q = 0; q < other.quantity_count; ++q)
        for (size_t i = 0; i < other.rows * other.columns; ++i) {
            const uint32_t expected = both.value[first == 0 ? 0 : 1 - q][i];
            /* a companion that overflows hides its objective where it is requested */
            const bool hidden = c->map->is_extreme && first == 0 && expected == meta_unreached(c, &query, 0);
            META_REQUIRE(hidden || other.value[q][i] == expected,
                         "cell (%zu, %zu): %s is %u, in another order or by itself %u", i / other.columns,
                         i % other.columns, query.quantity[q], expected, other.value[q][i]);
        }
    return META_HOLDS;
}

static meta_verdict any_component_loses_no_path(const meta_case *c, char why[META_WHY])
{
    macadam_query query = meta_objective_query(c);
    meta_table usual, any;
    query.snap_any_component = false;
    if (!meta_matrix(&usual, c->engine, &query, c->source, c->source_count, c->target, c->target_count, why))
        return META_FAILS;
    query.snap_any_component = true;
    if (!meta_matrix(&any, c->engine, &query, c->source, c->source_count, c->target, c->target_count, why))
        return META_FAILS;
    for (size_t i = 0; i < any.rows * any.columns; ++i)
        META_REQUIRE(meta_number(c, &query, 0, usual.value[0][i]) == MACADAM_COST_NONE ||
                         meta_number(c, &query, 0, any.value[0][i]) != MACADAM_COST_NONE,
                     "cell (%zu, %zu) is %u, but unreached by any component", i / any.columns,
                     i % any.columns, usual.value[0][i]);
    return META_HOLDS;
}

/* ---- conditions that concern nothing ---- */

static bool take_flags(void *context, const macadam_arc *arc)
{
    if (arc->facts) *(uint32_t *)context |= arc->facts->flags;
    return true;
}

static meta_verdict void_conditions_change_nothing(const meta_case *c, char why[META_WHY])
{
    const double lon[] = {-60, -59, -59}, lat[] = {-60, -60, -59};
    const macadam_area sea = {.lon = lon, .lat = lat, .point_count = 3};
    const macadam_class_factor same = {"residential", 1};
    macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
    meta_table without, with;
    meta_case free_case = *c;
    free_case.conditions = NULL;
    uint32_t flags = 0;
    macadam_error error;
    if (!meta_ok(macadam_arcs_list(c->engine, take_flags, &flags, &error), &error, "arcs", why))
        return META_FAILS;
    switch (c->salt % 4) {
    case 0:
        conditions.avoid = (2 * MACADAM_ROAD_PUSHED - 1) & ~flags;
        break;
    case 1:
        conditions.area = &sea, conditions.area_count = 1;
        break;
    case 2:
        conditions.factor = &same, conditions.factor_count = 1;
        break;
    default:
        conditions.height_m = conditions.width_m = conditions.weight_t = 0.001;
    }
    if (!meta_matrix_of(&without, &free_case, c->engine, why)) return META_FAILS;
    free_case.conditions = &conditions;
    if (!meta_matrix_of(&with, &free_case, c->engine, why)) return META_FAILS;
    static const char *const what[] = {"avoiding what no road has", "an area at sea", "a factor of 1",
                                       "no size"};
    return meta_same(&without, &with, what[c->salt % 4], why);
}

const meta_relation meta_questions[] = {
    {"cell_is_route", cell_is_route, 60, 60, 6, 6},
    {"first_route_is_later_route", first_route_is_later_route, 20, 3, 1, 1},
    {"way_is_reached", way_is_reached, 20, 10, 1, 1},
    {"cell_is_pair", cell_is_pair, 40, 40, 16, 16},
    {"cell_is_in_tree", cell_is_in_tree, 60, 15, 5, 1},
    {"metrics_have_one_position", metrics_have_one_position, 15, 10, 1, 1},
    {"route_costs_its_totals", route_costs_its_totals, 20, 10, 4, 1},
    {"other_quantities_do_not_matter", other_quantities_do_not_matter, 20, 15, 20, 20},
    {"any_component_loses_no_path", any_component_loses_no_path, 15, 10, 20, 20},
    {"void_conditions_change_nothing", void_conditions_change_nothing, 8, 1, 20, 20},
    {0},
};
