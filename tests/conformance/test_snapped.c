/* test_snapped.c - trees, matrices, isochrones and hops of places within roads equal those of a graph that has the
 * places as nodes (tests/support/snapped_map.h). Other answers follow from these: tests/metamorphic. */
#include "tests/support/checked.h"
#include "tests/support/methods.h"
#include "tests/support/snapped_map.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PLACES = SNAPPED_PLACES, QUANTITIES = SNAPPED_QUANTITIES, SOURCES = 16, HOPS_LIMIT = 4 };

static macadam_error error;

static snapped_costs ask_place(const snapped_map *s, size_t metric, bool reverse, bool joint, size_t source)
{
    return snapped_ask_oracle(&s->graph, metric, reverse, joint,
                              reverse ? snapped_arrival(s, source) : snapped_departure(s, source));
}

/* ---- questions ---- */

static void expect_matrix(const snapped_map *s, const fixture_asked *asked,
                          uint32_t *const expected[QUANTITIES])
{
    const char *names[QUANTITIES];
    const macadam_query query = snapped_query(asked, names);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = s->place;
    request.source_count = request.target_count = PLACES;
    uint32_t cells[QUANTITIES][PLACES * PLACES], *const value[QUANTITIES] = {cells[0], cells[1]};
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, s->engine, &query, &request);
    for (size_t c = 0; c < fixture_column_count(asked); ++c) {
        const size_t q = asked->quantity_count && asked->quantity[c] != asked->metric;
        for (size_t i = 0; i < PLACES * PLACES; ++i)
            cr_assert_eq(cells[c][i], expected[q][i], "%s: metric %zu, quantity %zu, %zu > %zu: %u, not %u",
                         s->name, asked->metric, q, i / PLACES, i % PLACES, cells[c][i], expected[q][i]);
    }
}

static void expect_row(const snapped_map *s, const uint32_t *cost, const uint32_t *expected, size_t source,
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

static void expect_tree(const snapped_map *s, const fixture_asked *asked, bool reverse, macadam_order order,
                        const char *method)
{
    const char *names[QUANTITIES];
    macadam_query query = snapped_query(asked, names);
    const size_t columns =
        order == MACADAM_ORDER_IDS ? s->engine->places.id_count : s->engine->places.node_count;
    uint32_t *cost[QUANTITIES];
    for (size_t q = 0; q < QUANTITIES; ++q) cost[q] = checked_allocate(SOURCES * columns, sizeof **cost);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = s->place, request.source_count = SOURCES, request.reverse = reverse,
    request.order = order, request.method = method;
    macadam_status status = MACADAM_E_LIMIT; /* sweeps: as few lanes at a time as can be */
    for (query.memory_limit = method_is(method, "auto") ? 4096 : 0; status == MACADAM_E_LIMIT;
         query.memory_limit += query.memory_limit / 2)
        status = macadam_tree_find(cost, NULL, s->engine, &query, &request, &error);
    cr_assert_eq(status, MACADAM_OK, "%s", error.message);
    const size_t step = asked->quantity_count == 1 && fixture_asks_companion(asked) ? 1 : 5;
    for (size_t source = 0; source < SOURCES; source += step) {
        SCOPED(snapped_costs_free)
        snapped_costs answer = ask_place(s, asked->metric, reverse, fixture_asks_companion(asked), source);
        for (size_t c = 0; c < fixture_column_count(asked); ++c)
            expect_row(s, cost[c], answer.cost[asked->quantity_count && asked->quantity[c] != asked->metric],
                       source, reverse, order);
    }
    for (size_t q = 0; q < QUANTITIES; ++q) free(cost[q]);
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

/* Forward, a traveller pays for the turn or the boarding before the arc is entered: what a copy weighs more than the
 * lightest one. own[number]: what that one weighs. Returns how many roads are entered at an end within the limit; the
 * first entry of each comes first in `entries`. */
static size_t enter_all(const snapped_map *s, size_t metric, bool reverse, const uint32_t *cost,
                        uint32_t limit, entry *entries, const uint32_t *own)
{
    size_t count = 0, distinct = 0;
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        const uint32_t at = cost[reverse ? s->head[arc] : s->tail[arc]];
        if (s->number[arc] == MCD_ARC_NONE || at > limit) continue;
        const uint32_t paid = reverse ? 0 : s->weight[metric][arc] - own[s->number[arc]];
        if (at + paid <= limit) entries[count++] = (entry){s->number[arc], at + paid, arc};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || entries[i].number != entries[i - 1].number) entries[distinct++] = entries[i];
    return distinct;
}

/* The least weight of the copies of each arc, by number. */
static uint32_t *weigh_own(const snapped_map *s, size_t metric)
{
    uint64_t most = 0;
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        if (s->number[arc] != MCD_ARC_NONE && s->number[arc] > most) most = s->number[arc];
    uint32_t *const own = checked_allocate(most + 1, sizeof *own);
    memset(own, 0xff, (most + 1) * sizeof *own);
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        if (s->number[arc] != MCD_ARC_NONE && s->weight[metric][arc] < own[s->number[arc]])
            own[s->number[arc]] = s->weight[metric][arc];
    return own;
}

/* Whether an arc that is reached from within is one of the source's, from there on. */
static bool is_of_source(const snapped_map *s, size_t source, const macadam_reached_arc *arc, bool reverse)
{
    for (int i = 0; i < 2; ++i) {
        const double before = (double)s->position[source].before[i] / MCD_ROAD_WHOLE;
        if (arc->road.arc == s->arc_number[source][i])
            return arc->cost == 0 && arc->from == (reverse ? 1 - before : before);
    }
    return false;
}

static void expect_isochrone(const snapped_map *s, size_t metric, size_t source, bool reverse)
{
    const char *names[QUANTITIES];
    const macadam_query query = snapped_query(&(fixture_asked){metric, 1, {metric}}, names);
    SCOPED(snapped_costs_free) snapped_costs answer = ask_place(s, metric, reverse, false, source);
    const uint32_t somewhere = answer.cost[0][(reverse ? s->head : s->tail)[s->arc_count / 2]];
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = s->place[source], request.reverse = reverse;
    request.limit = somewhere <= MACADAM_WEIGHT_MAX ? somewhere : 1000;
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    FIXTURE_CALL(macadam_isochrone_find, &found, s->engine, &query, &request);
    FREED entry *const entries = checked_allocate(s->arc_count, sizeof *entries);
    FREED uint32_t *const weight = weigh_own(s, metric);
    const size_t expected = enter_all(s, metric, reverse, answer.cost[0], request.limit, entries, weight);
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
        cr_assert_eq(arc->weight, weight[arc->road.arc], "%s: arc %zu", s->name, i);
    }
    cr_assert_eq(within, own, "%s: %zu arcs from within place %zu", s->name, within, source);
    cr_assert_eq(at_end, expected, "%s: place %zu", s->name, source);
}

static void expect_isochrones(const snapped_map *s, size_t metric)
{
    for (size_t source = 0; source < SOURCES; ++source) expect_isochrone(s, metric, source, source % 3 == 0);
}

/* ---- hops ---- */

/* A parent is nearer. Only where a search begins there is none. */
static void expect_parents(const snapped_map *s, const uint32_t *hops, const uint32_t *parent, size_t source)
{
    for (size_t i = 0; i < s->engine->places.id_count; ++i) {
        const bool begins = hops[i] == (snapped_within(s, source) ? 1 : 0);
        cr_assert_eq(parent[i] == MACADAM_UNREACHED, hops[i] == MACADAM_UNREACHED || begins);
        if (parent[i] != MACADAM_UNREACHED) cr_assert_lt(hops[parent[i]], hops[i]);
    }
}

static void expect_hops(const snapped_map *s, bool reverse, uint32_t limit)
{
    const size_t ids = s->engine->places.id_count, step = s->node_count > 2000 ? 7 : 1;
    const mcd_node *const node = reverse ? s->depart : s->arrive;
    uint32_t *const hops = checked_allocate(2 * SOURCES * ids, sizeof *hops), *const parent =
                                                                                  hops + SOURCES * ids;
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = s->place, request.source_count = SOURCES;
    request.reverse = reverse, request.limit = limit;
    FIXTURE_CALL(macadam_hops_find, hops, parent, NULL, s->engine, NULL, &request);
    for (size_t source = 0; source < SOURCES; source += step) {
        SCOPED(snapped_costs_free)
        snapped_costs right = snapped_ask_oracle(
            &s->hops, 0, reverse, false, reverse ? snapped_arrival(s, source) : snapped_departure(s, source));
        const uint32_t *const found = hops + source * ids;
        for (size_t i = 0; i < ids; ++i) {
            const uint32_t expected = right.cost[0][node[i]];
            cr_assert_eq(found[i], limit && expected > limit ? MACADAM_UNREACHED : expected,
                         "%s: hops %d within %u of place %zu at %zu: %u, not %u", s->name, reverse, limit,
                         source, i, found[i], expected);
        }
        expect_parents(s, found, parent + source * ids, source);
    }
    free(hops);
}

/* From the first place to each of the others, which may be on the same road. */
static void expect_connections(const snapped_map *s)
{
    SCOPED(snapped_costs_free)
    snapped_costs right = snapped_ask_oracle(&s->hops, 0, false, false, snapped_departure(s, 0));
    for (size_t target = 0; target < PLACES; ++target) {
        const uint32_t expected = right.cost[0][snapped_arrival(s, target)];
        macadam_connection_request request = MACADAM_CONNECTION_REQUEST_INIT;
        SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
        request.source = s->place[0], request.target = s->place[target];
        FIXTURE_CALL(macadam_connection_find, &found, s->engine, NULL, &request);
        cr_assert_eq(found->hops, expected, "%s: to %zu: %u, not %u", s->name, target, found->hops, expected);
    }
}

static void expect_equal(snapped_map *s)
{
    uint32_t *expected[2][QUANTITIES]; /* [0]: the objective only, [1]: with its companion */
    for (size_t i = 0; i < 2 * QUANTITIES; ++i)
        expected[i / 2][i % 2] = checked_allocate(PLACES * PLACES, sizeof ***expected);
    for (size_t metric = 0; metric < QUANTITIES; ++metric) {
        for (size_t i = 0; i < 2 * PLACES; ++i) {
            const size_t pair = i % 2, source = i / 2;
            SCOPED(snapped_costs_free) snapped_costs answer = ask_place(s, metric, false, pair, source);
            for (size_t t = 0; t < PLACES * (pair + 1); ++t)
                expected[pair][t / PLACES][source * PLACES + t % PLACES] =
                    answer.cost[t / PLACES][snapped_arrival(s, t % PLACES)];
        }
        for (size_t a = 0; a < FIXTURE_ASKED; ++a) {
            const fixture_asked *asked = &fixture_asked_all[a];
            if (asked->metric != metric) continue;
            expect_matrix(s, asked, expected[fixture_asks_companion(asked)]);
            expect_tree(s, asked, a % 2, MACADAM_ORDER_IDS, "auto");
            expect_tree(s, asked, a % 2 == 0, MACADAM_ORDER_IDS, "near-far");
        }
        const fixture_asked both = {metric, 2, {0, 1}};
        expect_tree(s, &both, false, MACADAM_ORDER_NODES, "auto");
        expect_tree(s, &both, true, MACADAM_ORDER_LANES, "auto");
        expect_tree(s, &both, true, MACADAM_ORDER_LANES, "dijkstra");
        expect_isochrones(s, metric);
    }
    for (size_t i = 0; i < 2 * QUANTITIES; ++i) free(expected[i / 2][i % 2]);
    for (uint32_t way = 0; way < 4; ++way) expect_hops(s, way % 2, way / 2 * HOPS_LIMIT);
    expect_connections(s);
}

Test(snapped, roads_of_grids_and_towns)
{
    snapped_of_graph("grid", expect_equal);
    snapped_of_graph("grid of ties", expect_equal);
    snapped_of_graph("town", expect_equal);
}

Test(snapped, roads_that_are_one_way_or_lead_nowhere)
{
    snapped_of_graph("path one way", expect_equal);
    snapped_of_graph("path both ways", expect_equal);
    snapped_of_graph("cycle one way", expect_equal);
    snapped_of_graph("islands", expect_equal);
    snapped_of_graph("star", expect_equal);
}

Test(snapped, roads_that_are_parallel_or_loops)
{
    snapped_of_graph("one node with loops", expect_equal);
    snapped_of_graph("parallel arcs and loops", expect_equal);
    snapped_of_graph("random dense", expect_equal);
}

Test(snapped, roads_of_weight_zero)
{
    snapped_of_graph("zero weights", expect_equal);
    snapped_of_graph("zero-weight cycles", expect_equal);
}

Test(snapped, roads_near_the_limit)
{
    snapped_of_graph("sums at the limit", expect_equal);
    snapped_of_graph("companion overflow", expect_equal);
    snapped_of_graph("weights near the limit", expect_equal);
}

Test(snapped, roads_of_monaco)
{
    snapped_of_file("osm/monaco.osm.gz", "car", expect_equal);
}

Test(snapped, roads_of_towns_with_turn_restrictions)
{
    snapped_of_file("osm/cathedral-no-left.osm.pbf", "truck", expect_equal);
    snapped_of_file("osm/reisterstown-via-restriction.osm.pbf", "car", expect_equal);
    snapped_of_file("osm/heidelberg.test.osm.pbf", "bike", expect_equal);
}

/* The price of a turn is paid where it leads into the road of a place, too. */
Test(snapped, roads_into_which_turns_cost)
{
    static const char *const name[] = {"osm/cathedral-no-left.osm.pbf", "osm/monaco.osm.gz"};
    snapped_of_drays(name, 2, expect_equal);
}

/* A ferry is boarded before its first arc, or the traveller stays aboard. */
Test(snapped, roads_with_ferries)
{
    snapped_of_ferries(expect_equal);
}

/* A companion beyond the limit changes neither the cost nor the path, unless it is requested: then there is none. */
Test(snapped, roads_of_extreme_weights)
{
    snapped_of_extremes(NULL, expect_equal);
}

Test(snapped, roads_of_monaco_with_extreme_weights)
{
    snapped_of_extremes("osm/monaco.osm.gz", expect_equal);
}
