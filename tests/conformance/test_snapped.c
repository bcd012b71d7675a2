/* test_snapped.c - routes, trees and matrices between places within roads equal those of a graph that has the
 * places as nodes.
 *
 * The oracle's graph. Each place is two nodes: at one it is arrived at, from the other it is left. On every
 * arc that a place lies on, that is
 *
 *     tail ---- before ----> arrival                     departure ---- rest ----> head
 *
 * and between two places on one arc, from the departure of the one that comes first to the arrival of the
 * other, what lies between. Nothing passes through a place, so no turn is forgotten there. On arcs whose
 * copies leave a split node, every copy leads to the arrival, at what it costs more; a departure leads to the
 * head of the original alone. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/osm_map.h"
#include "tests/support/rng.h"

#include "engine/runtime/engine.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PLACES = 60, QUANTITIES = 2, SOURCES = 16 };

static macadam_error error;

/* A map as arcs, and places on it. */
typedef struct snapped_case {
    const char *name;
    size_t node_count, arc_count;
    const uint32_t *tail, *head, *weight[QUANTITIES];
    const uint64_t *number;
    const mcd_node *depart, *arrive; /* by the position of an id */
    macadam_engine *engine;
    macadam_place place[PLACES];
    mcd_position position[PLACES];
    uint64_t arc_number[PLACES][2]; /* of the positions' arcs; 0: none */
    test_graph graph;               /* with the places */
} snapped_case;

static uint32_t arrival(const snapped_case *s, size_t place)
{
    return (uint32_t)(s->node_count + 2 * place);
}

static uint32_t departure(const snapped_case *s, size_t place)
{
    return arrival(s, place) + 1;
}

static uint32_t share(uint32_t weight, uint64_t before)
{
    return (uint32_t)((uint64_t)weight * before >> 32);
}

/* The arc of this number that leaves where ids depart. */
static size_t original(const snapped_case *s, uint64_t number)
{
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        if (s->number[arc] != number) continue;
        for (size_t i = 0; i < s->engine->places.id_count; ++i)
            if (s->depart[i] == s->tail[arc]) return arc;
    }
    cr_assert(false, "%s: no arc %llu departs", s->name, (unsigned long long)number);
    return 0;
}

/* Roads that are cut off count as others do: where places go depends on nothing but themselves. */
static macadam_query any_road(const fixture_asked *asked, const char *names[2])
{
    macadam_query query = fixture_query(asked, names);
    query.snap_any_component = true;
    return query;
}

static void locate(snapped_case *s)
{
    macadam_snap snap[PLACES];
    macadam_query query = MACADAM_QUERY_INIT;
    query.snap_any_component = true;
    cr_assert_eq(macadam_snap_places(s->engine, &query, s->place, PLACES, snap, &error), MACADAM_OK, "%s",
                 error.message);
    const mcd_locator locator = {.places = &s->engine->places,
                                 .roads = &s->engine->roads,
                                 .snap = &s->engine->snap,
                                 .any_component = true};
    mcd_locate(&locator, &s->engine->parallel, s->place, PLACES, s->position, (mcd_outcome){0});
    for (size_t p = 0; p < PLACES; ++p)
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = s->position[p].arc[i];
            s->arc_number[p][i] = arc == MCD_ROAD_NONE ? 0 : s->engine->facts.arc_number[arc];
        }
}

static void add_ends(snapped_case *s, size_t p, int i)
{
    const size_t from = original(s, s->arc_number[p][i]);
    const uint64_t before = s->position[p].before[i];
    uint32_t rest[QUANTITIES];
    for (size_t q = 0; q < QUANTITIES; ++q) rest[q] = s->weight[q][from] - share(s->weight[q][from], before);
    test_graph_add(&s->graph, departure(s, p), s->head[from], rest[0], rest[1]);
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        if (s->number[arc] != s->arc_number[p][i]) continue;
        uint32_t part[QUANTITIES];
        for (size_t q = 0; q < QUANTITIES; ++q)
            part[q] = share(s->weight[q][from], before) + (s->weight[q][arc] - s->weight[q][from]);
        test_graph_add(&s->graph, s->tail[arc], arrival(s, p), part[0], part[1]);
    }
}

static void add_between(snapped_case *s, size_t p, size_t t, int i)
{
    if (!s->arc_number[p][i] || s->arc_number[p][i] != s->arc_number[t][i]) return;
    const uint64_t from = s->position[p].before[i], to = s->position[t].before[i];
    if (from > to) return;
    const size_t arc = original(s, s->arc_number[p][i]);
    test_graph_add(&s->graph, departure(s, p), arrival(s, t),
                   share(s->weight[0][arc], to) - share(s->weight[0][arc], from),
                   share(s->weight[1][arc], to) - share(s->weight[1][arc], from));
}

static void insert_places(snapped_case *s)
{
    s->graph = (test_graph){.name = s->name};
    s->graph.node_count = s->node_count + 2 * PLACES;
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        test_graph_add(&s->graph, s->tail[arc], s->head[arc], s->weight[0][arc], s->weight[1][arc]);
    for (size_t p = 0; p < PLACES; ++p) {
        const mcd_position *position = &s->position[p];
        if (position->id != MCD_PLACE_NONE) {
            test_graph_add(&s->graph, departure(s, p), s->depart[position->id], 0, 0);
            test_graph_add(&s->graph, s->arrive[position->id], arrival(s, p), 0, 0);
        }
        for (int i = 0; i < 2; ++i) {
            if (s->arc_number[p][i]) add_ends(s, p, i);
            for (size_t t = 0; t < PLACES; ++t) add_between(s, p, t, i);
        }
    }
}

/* What a tree costs by the oracle; pair: as one does that asks for the companion. */
typedef struct oracle_answer {
    uint32_t *cost[QUANTITIES];
} oracle_answer;

static oracle_answer ask_oracle(const snapped_case *s, size_t metric, bool reverse, bool joint, size_t source)
{
    const oracle_arcs arcs = test_graph_arcs(&s->graph, metric);
    test_oracle *oracle = oracle_new(&arcs, reverse);
    oracle_answer answer = {{NULL}};
    for (size_t q = 0; q < (joint ? 2 : 1); ++q)
        answer.cost[q] = checked_allocate(s->graph.node_count, sizeof **answer.cost);
    oracle_tree(oracle, reverse ? arrival(s, source) : departure(s, source), 0, answer.cost[0],
                answer.cost[1]);
    oracle_free(oracle);
    return answer;
}

static void free_answer(oracle_answer *answer)
{
    for (size_t q = 0; q < QUANTITIES; ++q) free(answer->cost[q]);
}

/* ---- what is asked ---- */

static void expect_matrix(const snapped_case *s, const fixture_asked *asked,
                          uint32_t *const expected[QUANTITIES])
{
    const char *names[QUANTITIES];
    const macadam_query query = any_road(asked, names);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = s->place;
    request.source_count = request.target_count = PLACES;
    uint32_t cells[QUANTITIES][PLACES * PLACES], *const value[QUANTITIES] = {cells[0], cells[1]};
    cr_assert_eq(macadam_matrix_into(s->engine, &query, &request, value, NULL, &error), MACADAM_OK, "%s",
                 error.message);
    for (size_t c = 0; c < fixture_column_count(asked); ++c) {
        const size_t q = asked->quantity_count && asked->quantity[c] != asked->metric;
        for (size_t i = 0; i < PLACES * PLACES; ++i)
            cr_assert_eq(cells[c][i], expected[q][i], "%s: metric %zu, quantity %zu, %zu > %zu: %u, not %u",
                         s->name, asked->metric, q, i / PLACES, i % PLACES, cells[c][i], expected[q][i]);
    }
}

typedef struct path_check {
    const snapped_case *s;
    size_t metric;
    const uint32_t *cost; /* [pair] */
} path_check;

/* Whole arcs but for the first and the last, where the places are: no more than their sum, and the right
 * ends. */
static bool check_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    const path_check *check = context;
    const snapped_case *s = check->s;
    const size_t from = pair / PLACES, to = pair % PLACES;
    if (check->cost[pair] == MACADAM_UNREACHED) {
        cr_assert_eq(arc_count, 0);
        return true;
    }
    const bool from_road = s->position[from].id == MCD_PLACE_NONE,
               to_road = s->position[to].id == MCD_PLACE_NONE;
    if (from_road)
        cr_assert(arc_count && (arc[0] == s->arc_number[from][0] || arc[0] == s->arc_number[from][1]));
    if (to_road)
        cr_assert(arc_count &&
                  (arc[arc_count - 1] == s->arc_number[to][0] || arc[arc_count - 1] == s->arc_number[to][1]));
    return true;
}

static void expect_routes(const snapped_case *s, const fixture_asked *asked,
                          uint32_t *const expected[QUANTITIES])
{
    const char *names[QUANTITIES];
    const macadam_query query = any_road(asked, names);
    static macadam_place source[PLACES * PLACES], target[PLACES * PLACES];
    static uint32_t cost[QUANTITIES][PLACES * PLACES];
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = source, request.target = target, request.pair_count = PLACES * PLACES;
    for (size_t i = 0; i < PLACES * PLACES; ++i)
        source[i] = s->place[i / PLACES], target[i] = s->place[i % PLACES];
    for (int paths = 0; paths < 2; ++paths) {
        path_check check = {s, asked->metric, cost[0]};
        memset(cost, 0x55, sizeof cost);
        const macadam_status status =
            paths ? macadam_routes_paths(s->engine, &query, &request, (uint32_t *const[]){cost[0], cost[1]},
                                         NULL, check_path, &check, &error)
                  : macadam_routes(s->engine, &query, &request, (uint32_t *const[]){cost[0], cost[1]}, NULL,
                                   &error);
        cr_assert_eq(status, MACADAM_OK, "%s", error.message);
        for (size_t c = 0; c < fixture_column_count(asked); ++c) {
            const size_t q = asked->quantity_count && asked->quantity[c] != asked->metric;
            for (size_t i = 0; i < PLACES * PLACES; ++i)
                cr_assert_eq(cost[c][i], expected[q][i],
                             "%s: %s of metric %zu, quantity %zu, %zu > %zu: %u, not %u", s->name,
                             paths ? "paths" : "routes", asked->metric, q, i / PLACES, i % PLACES, cost[c][i],
                             expected[q][i]);
        }
    }
}

static void expect_row(const snapped_case *s, const uint32_t *cost, const uint32_t *expected, size_t source,
                       bool reverse, macadam_order order)
{
    const size_t ids = s->engine->places.id_count, nodes = s->engine->places.node_count;
    for (size_t i = 0; i < ids && order == MACADAM_ORDER_IDS; ++i)
        cr_assert_eq(cost[source * ids + i], expected[reverse ? s->depart[i] : s->arrive[i]],
                     "%s: tree %d of place %zu at id %zu", s->name, reverse, source, i);
    uint64_t sum = 0, expected_sum = 0; /* the file's nodes are in another order than the oracle's */
    for (size_t i = 0; i < nodes && order != MACADAM_ORDER_IDS; ++i) {
        sum += cost[order == MACADAM_ORDER_LANES ? i * SOURCES + source : source * nodes + i];
        expected_sum += expected[i];
    }
    cr_assert_eq(sum, expected_sum, "%s: tree %d of place %zu at nodes", s->name, reverse, source);
}

static void expect_tree(const snapped_case *s, const fixture_asked *asked, bool reverse, macadam_order order,
                        macadam_tree_method method)
{
    const char *names[QUANTITIES];
    macadam_query query = any_road(asked, names);
    const size_t columns =
        order == MACADAM_ORDER_IDS ? s->engine->places.id_count : s->engine->places.node_count;
    uint32_t *cost[QUANTITIES];
    for (size_t q = 0; q < QUANTITIES; ++q) cost[q] = checked_allocate(SOURCES * columns, sizeof **cost);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = s->place, request.source_count = SOURCES, request.reverse = reverse,
    request.order = order, request.method = method;
    macadam_status status = MACADAM_E_LIMIT; /* sweeps: as few lanes at a time as can be */
    for (query.memory_limit = method == MACADAM_TREE_AUTO ? 4096 : 0; status == MACADAM_E_LIMIT;
         query.memory_limit += query.memory_limit / 2)
        status = macadam_tree(s->engine, &query, &request, cost, NULL, &error);
    cr_assert_eq(status, MACADAM_OK, "%s", error.message);
    const size_t step = asked->quantity_count == 1 && fixture_asks_companion(asked) ? 1 : 5;
    for (size_t source = 0; source < SOURCES; source += step) {
        oracle_answer answer = ask_oracle(s, asked->metric, reverse, fixture_asks_companion(asked), source);
        for (size_t c = 0; c < fixture_column_count(asked); ++c)
            expect_row(s, cost[c], answer.cost[asked->quantity_count && asked->quantity[c] != asked->metric],
                       source, reverse, order);
        free_answer(&answer);
    }
    for (size_t q = 0; q < QUANTITIES; ++q) free(cost[q]);
}

/* The sum of its arcs is the route's cost; its points begin and end where the places are. */
static void expect_route(const snapped_case *s, size_t metric, size_t from, size_t to,
                         uint32_t *const expected[QUANTITIES])
{
    const fixture_asked both = {metric, 2, {0, 1}};
    const char *names[QUANTITIES];
    const macadam_query query = any_road(&both, names);
    const macadam_place ends[] = {s->place[from], s->place[to]};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = ends, request.waypoint_count = 2;
    macadam_route *route;
    cr_assert_eq(macadam_route_find(s->engine, &query, &request, &route, &error), MACADAM_OK, "%s",
                 error.message);
    uint64_t sum[QUANTITIES] = {0};
    cr_assert_eq(route->found, expected[0][from * PLACES + to] != MACADAM_UNREACHED);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *arc = &route->arc[i];
        for (size_t q = 0; q < QUANTITIES; ++q) sum[q] += arc->value[q];
        cr_assert(arc->from >= 0 && arc->from <= arc->to && arc->to <= 1);
        if (i == 0) continue;
        const size_t last = route->arc[i - 1].last_shape - 1, first = arc->first_shape;
        cr_assert_float_eq(route->lon[last], route->lon[first], 1e-7);
        cr_assert_float_eq(route->lat[last], route->lat[first], 1e-7);
    }
    for (size_t q = 0; q < QUANTITIES && route->found; ++q)
        cr_assert_eq(sum[q], expected[q == metric ? 0 : 1][from * PLACES + to], "%s: the arcs of %zu > %zu",
                     s->name, from, to);
    if (route->arc_count > 0) {
        const size_t last = route->shape_count - 1;
        cr_assert_float_eq(route->lon[0], route->waypoint[0].lon, 1e-7);
        cr_assert_float_eq(route->lat[0], route->waypoint[0].lat, 1e-7);
        cr_assert_float_eq(route->lon[last], route->waypoint[1].lon, 1e-7);
        cr_assert_float_eq(route->lat[last], route->waypoint[1].lat, 1e-7);
    }
    macadam_route_free(route);
}

/* ---- isochrones ---- */

/* An arc of the graph, and what it costs by the oracle to be where a traveller enters the road that it is. */
typedef struct entry {
    uint64_t number;
    uint32_t cost;
    size_t arc;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost)
                              : (x->arc > y->arc) - (x->arc < y->arc);
}

/* Forward, a traveller pays for the turn before the arc is entered: what a copy weighs more than the arc that departs.
 * Returns how many roads are entered at an end within the limit; the first entry of each comes first in `entries`. */
static size_t enter_all(const snapped_case *s, size_t metric, bool reverse, const uint32_t *cost,
                        uint32_t limit, entry *entries)
{
    const uint32_t *const weight = s->weight[metric];
    uint64_t most = 0;
    size_t count = 0, distinct = 0;
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        if (s->number[arc] != MCD_ARC_NONE && s->number[arc] > most) most = s->number[arc];
    uint32_t *const own = checked_zeroed(most + 1, sizeof *own);
    bool *const departs = checked_zeroed(s->node_count, sizeof *departs);
    for (size_t i = 0; i < s->engine->places.id_count; ++i) departs[s->depart[i]] = true;
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        if (s->number[arc] != MCD_ARC_NONE && departs[s->tail[arc]]) own[s->number[arc]] = weight[arc];
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        const uint32_t at = cost[reverse ? s->head[arc] : s->tail[arc]];
        if (s->number[arc] == MCD_ARC_NONE || at > limit) continue;
        const uint32_t turn = reverse ? 0 : weight[arc] - own[s->number[arc]];
        if (at + turn <= limit) entries[count++] = (entry){s->number[arc], at + turn, arc};
    }
    free(own);
    free(departs);
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || entries[i].number != entries[i - 1].number) entries[distinct++] = entries[i];
    return distinct;
}

/* Whether an arc that is reached from within is one of the source's, from there on. */
static bool is_of_source(const snapped_case *s, size_t source, const macadam_reached_arc *arc, bool reverse)
{
    for (int i = 0; i < 2; ++i) {
        const double before = (double)s->position[source].before[i] / MCD_ROAD_WHOLE;
        if (arc->road.arc == s->arc_number[source][i])
            return arc->cost == 0 && arc->from == (reverse ? 1 - before : before);
    }
    return false;
}

static void expect_isochrone(const snapped_case *s, size_t metric, size_t source, bool reverse)
{
    const char *names[QUANTITIES];
    const macadam_query query = any_road(&(fixture_asked){metric, 1, {metric}}, names);
    oracle_answer answer = ask_oracle(s, metric, reverse, false, source);
    const uint32_t somewhere = answer.cost[0][(reverse ? s->head : s->tail)[s->arc_count / 2]];
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = s->place[source], request.reverse = reverse;
    request.limit = somewhere <= MACADAM_WEIGHT_MAX ? somewhere : 1000;
    macadam_isochrone *found;
    cr_assert_eq(macadam_isochrone_find(s->engine, &query, &request, &found, &error), MACADAM_OK, "%s",
                 error.message);
    entry *const entries = checked_allocate(s->arc_count, sizeof *entries);
    const size_t expected = enter_all(s, metric, reverse, answer.cost[0], request.limit, entries);
    size_t at_end = 0, within = 0, own = 0;
    for (int i = 0; i < 2; ++i) own += s->position[source].id == MCD_PLACE_NONE && s->arc_number[source][i];
    for (size_t i = 0; i < found->arc_count; ++i) {
        const macadam_reached_arc *arc = &found->arc[i];
        if (arc->from > 0 && is_of_source(s, source, arc, reverse)) {
            ++within;
            continue;
        }
        cr_assert_eq(arc->from, 0, "%s: arc %zu", s->name, i);
        cr_assert_lt(at_end, expected, "%s: place %zu", s->name, source);
        cr_assert_eq(arc->road.arc, entries[at_end].number, "%s: arc %zu", s->name, i);
        cr_assert_eq(arc->cost, entries[at_end++].cost, "%s: arc %zu", s->name, i);
    }
    cr_assert_eq(within, own, "%s: %zu arcs from within place %zu", s->name, within, source);
    cr_assert_eq(at_end, expected, "%s: place %zu", s->name, source);
    free(entries);
    macadam_isochrone_free(found);
    free_answer(&answer);
}

static void expect_isochrones(const snapped_case *s, size_t metric)
{
    for (size_t source = 0; source < SOURCES; ++source) expect_isochrone(s, metric, source, source % 3 == 0);
}

static void expect_equal(snapped_case *s)
{
    locate(s);
    insert_places(s);
    uint32_t *expected[2][QUANTITIES]; /* by whether the companion is asked */
    for (size_t i = 0; i < 2 * QUANTITIES; ++i)
        expected[i / 2][i % 2] = checked_allocate(PLACES * PLACES, sizeof ***expected);
    for (size_t metric = 0; metric < QUANTITIES; ++metric) {
        for (size_t i = 0; i < 2 * PLACES; ++i) {
            const size_t pair = i % 2, source = i / 2;
            oracle_answer answer = ask_oracle(s, metric, false, pair, source);
            for (size_t t = 0; t < PLACES * (pair + 1); ++t)
                expected[pair][t / PLACES][source * PLACES + t % PLACES] =
                    answer.cost[t / PLACES][arrival(s, t % PLACES)];
            free_answer(&answer);
        }
        for (size_t a = 0; a < FIXTURE_ASKED; ++a) {
            const fixture_asked *asked = &fixture_asked_all[a];
            if (asked->metric != metric) continue;
            expect_matrix(s, asked, expected[fixture_asks_companion(asked)]);
            expect_routes(s, asked, expected[fixture_asks_companion(asked)]);
            expect_tree(s, asked, a % 2, MACADAM_ORDER_IDS, MACADAM_TREE_AUTO);
            expect_tree(s, asked, a % 2 == 0, MACADAM_ORDER_IDS, MACADAM_TREE_NEAR_FAR);
        }
        const fixture_asked both = {metric, 2, {0, 1}};
        expect_tree(s, &both, false, MACADAM_ORDER_NODES, MACADAM_TREE_AUTO);
        expect_tree(s, &both, true, MACADAM_ORDER_LANES, MACADAM_TREE_AUTO);
        expect_tree(s, &both, true, MACADAM_ORDER_LANES, MACADAM_TREE_DIJKSTRA);
        expect_isochrones(s, metric);
        for (size_t from = 0; from < PLACES; ++from)
            for (size_t to = from % 7; to < PLACES; to += 7) expect_route(s, metric, from, to, expected[1]);
    }
    for (size_t i = 0; i < 2 * QUANTITIES; ++i) free(expected[i / 2][i % 2]);
    test_graph_free(&s->graph);
}

/* ---- maps of straight roads ---- */

/* Places: many on few roads, some at junctions, ids among them. */
static void draw_places(snapped_case *s, test_rng *rng, const int32_t *lon_e7, const int32_t *lat_e7)
{
    for (size_t p = 0; p < PLACES; ++p) {
        const size_t arc = rng_below(rng, (uint32_t)(p % 3 ? s->arc_count : mcd_size_min(s->arc_count, 7)));
        const uint32_t a = s->tail[arc], b = s->head[arc], along = p % 10 == 9 ? 0 : rng_below(rng, 1000);
        const double lon_there = lon_e7[a] + (lon_e7[b] - lon_e7[a]) * (along / 1000.0),
                     lat_there = lat_e7[a] + (lat_e7[b] - lat_e7[a]) * (along / 1000.0);
        s->place[p] =
            (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon_there * 1e-7, .lat = lat_there * 1e-7};
        if (p % 10 == 8) s->place[p] = fixture_place(a);
    }
}

static void expect_graph(const test_graph *graph)
{
    test_rng rng = {graph->node_count};
    int32_t *lon_e7 = checked_allocate(graph->node_count, sizeof *lon_e7),
            *lat_e7 = checked_allocate(graph->node_count, sizeof *lat_e7);
    for (uint32_t node = 0; node < graph->node_count; ++node) {
        lon_e7[node] = 85000000 + (int32_t)(node % 20 * 1300 + rng_below(&rng, 600));
        lat_e7[node] = 471000000 + (int32_t)(node / 20 * 900 + rng_below(&rng, 400));
    }
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    fixture_expect_ok(fixture_import(graph, lon_e7, lat_e7, path, 1, &error), &error, "import");
    snapped_case s = {.name = graph->name,
                      .node_count = graph->node_count,
                      .arc_count = graph->arc_count,
                      .tail = graph->tail,
                      .head = graph->head,
                      .weight = {graph->weight[0], graph->weight[1]},
                      .engine = fixture_open_file(path, 2)};
    uint64_t *number = checked_allocate(graph->arc_count, sizeof *number);
    for (size_t arc = 0; arc < graph->arc_count; ++arc) number[arc] = fixture_arc_number(arc);
    cr_assert_not_null(macadam_engine_ids(s.engine, &error));
    mcd_node *node_of =
        checked_allocate(graph->node_count, sizeof *node_of); /* the graph's, of an id's position */
    for (uint32_t node = 0; node < graph->node_count; ++node)
        node_of[mcd_place_find_id(&s.engine->places, fixture_id(node))] = node;
    s.number = number;
    s.depart = s.arrive = node_of;
    draw_places(&s, &rng, lon_e7, lat_e7);
    expect_equal(&s);
    macadam_engine_close(s.engine);
    files_remove_folder(folder);
    free(number);
    free(node_of);
    free(lon_e7);
    free(lat_e7);
}

static void expect_named(const char *name)
{
    test_graph graph = graphs_make_named(name);
    expect_graph(&graph);
    test_graph_free(&graph);
}

Test(snapped, roads_of_grids_and_towns)
{
    expect_named("grid");
    expect_named("grid of ties");
    expect_named("town");
}

Test(snapped, roads_that_are_one_way_or_lead_nowhere)
{
    expect_named("path one way");
    expect_named("path both ways");
    expect_named("cycle one way");
    expect_named("islands");
    expect_named("star");
}

Test(snapped, roads_that_are_parallel_or_loops)
{
    expect_named("one node with loops");
    expect_named("parallel arcs and loops");
    expect_named("random dense");
}

Test(snapped, roads_of_weight_zero)
{
    expect_named("zero weights");
    expect_named("zero-weight cycles");
}

Test(snapped, roads_near_the_limit)
{
    expect_named("sums at the limit");
    expect_named("companion overflow");
    expect_named("weights near the limit");
}

/* ---- real maps: junctions are split, private roads are layers ---- */

static void draw_points(snapped_case *s, test_rng *rng, const mcd_map *map)
{
    for (size_t p = 0; p < PLACES; ++p) {
        const size_t arc = rng_below(rng, (uint32_t)map->arc_count);
        const size_t near = p % 4 == 3 ? p - 1 : p; /* some on the same road */
        const mcd_node a = map->tail[arc], b = map->head[arc];
        s->place[p] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                      .lon = (map->lon_e7[a] + (int64_t)map->lon_e7[b]) / 2e7,
                                      .lat = (map->lat_e7[a] + (int64_t)map->lat_e7[b]) / 2e7};
        if (near != p) s->place[p] = s->place[near], s->place[p].lon += 1e-5;
        if (p % 10 == 9) s->place[p] = (macadam_place){.id = map->node_id[a]};
    }
}

static void expect_file(const char *name, const char *profile_name)
{
    char input[FILES_PATH_BYTES], folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    if (!files_find_data(input, name)) cr_skip_test("MACADAM_DATA is not set");
    mcd_map map;
    osm_map_read(&map, input, profile_name);
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/osm.mcd", folder);
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    fixture_expect_ok(macadam_import_osm(input, profile_name, &options, &error), &error, name);
    snapped_case s = {.name = name,
                      .node_count = map.node_count,
                      .arc_count = map.arc_count,
                      .tail = map.tail,
                      .head = map.head,
                      .weight = {map.weight[0], map.weight[1]},
                      .number = map.arc_number,
                      .depart = map.depart,
                      .arrive = map.arrive,
                      .engine = fixture_open_file(path, 2)};
    test_rng rng = {map.arc_count};
    draw_points(&s, &rng, &map);
    expect_equal(&s);
    macadam_engine_close(s.engine);
    files_remove_folder(folder);
    mcd_map_free(&map);
}

Test(snapped, roads_of_monaco)
{
    expect_file("osm/monaco.osm.gz", "car");
}

Test(snapped, roads_of_towns_with_turn_restrictions)
{
    expect_file("osm/cathedral-no-left.osm.pbf", "truck");
    expect_file("osm/reisterstown-via-restriction.osm.pbf", "car");
    expect_file("osm/heidelberg.test.osm.pbf", "bike");
}

/* The price of a turn is paid where it leads into the road of a place, too. */
Test(snapped, roads_into_which_turns_cost)
{
    static const char text[] = "name drays\n"
                               "modes motor_vehicle vehicle access\n"
                               "speed_max 60\n"
                               "u_turns dead_ends\n"
                               "turn 40 0 1\n"
                               "turn 180 4 9\n"
                               "[way highway]\n"
                               "primary 50\nsecondary 50\ntertiary 40\n"
                               "unclassified 40\nresidential 30\nservice 15\n"
                               "[access]\n"
                               "yes open\nprivate destination\ndestination destination\nno closed\n";
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/drays.profile", folder);
    FILE *const file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    expect_file("osm/cathedral-no-left.osm.pbf", path);
    expect_file("osm/monaco.osm.gz", path);
    files_remove_folder(folder);
}
