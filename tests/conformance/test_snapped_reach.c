/* test_snapped_reach.c - reach, hops and connections of places within roads equal those of a graph that has
 * the places as nodes (tests/support/snapped_map.h). */
#include "tests/support/checked.h"
#include "tests/support/reach_answer.h"
#include "tests/support/snapped_map.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PLACES = SNAPPED_PLACES, SOURCES = 20, LIMITS = 3, HOPS_LIMIT = 4 };

static macadam_error error;

/* Of a large map, only some places are compared. */
static size_t step_of(const snapped_map *s)
{
    return s->node_count > 2000 ? 7 : 1;
}

/* By the oracle, on one of the map's graphs. */
static snapped_costs ask_place(const snapped_map *s, const test_graph *graph, size_t metric, bool reverse,
                               size_t source)
{
    return snapped_ask_oracle(graph, metric, reverse, false,
                              reverse ? snapped_arrival(s, source) : snapped_departure(s, source));
}

/* Where the file's ids stand in the graph. */
static const mcd_node *nodes_of_ids(const snapped_map *s, bool reverse)
{
    return reverse ? s->depart : s->arrive;
}

/* ---- reach ---- */

/* If `prepared`, targets are prepared for the nearest of them. */
static void expect_reach(const snapped_map *s, macadam_reach_request *request, size_t metric, bool sums,
                         bool prepared)
{
    const size_t ids = s->engine->places.id_count;
    const mcd_node *const node = nodes_of_ids(s, request->reverse);
    const char *names[2];
    macadam_query query = snapped_query(&(fixture_asked){metric, 1, {metric}}, names);
    macadam_reach found = reach_answer_new(request, sums), right = reach_answer_new(request, sums);
    uint32_t *const row = checked_allocate(ids, sizeof *row), column[PLACES];
    macadam_status status = MACADAM_E_LIMIT; /* as few lanes at a time as can be */
    for (query.memory_limit = 4096; status == MACADAM_E_LIMIT; query.memory_limit += query.memory_limit / 2)
        status = macadam_reach_find(s->engine, &query, request, &found, NULL, &error);
    cr_assert_eq(status, MACADAM_OK, "%s", error.message);
    query.memory_limit = 0;
    if (prepared)
        cr_assert_eq(reach_answer_prepare(s->engine, &query, request, &found, NULL, &error), MACADAM_OK, "%s",
                     error.message);
    for (size_t t = 0; t < PLACES; ++t)
        column[t] = request->reverse ? snapped_departure(s, t) : snapped_arrival(s, t);
    for (size_t source = 0; source < SOURCES; ++source) {
        snapped_costs costs = ask_place(s, &s->graph, metric, request->reverse, source);
        for (size_t i = 0; i < ids; ++i) row[i] = costs.cost[0][node[i]];
        reach_answer_sum(&right, request, source, row, ids);
        if (request->nearest_count) reach_answer_list(&right, request, source, costs.cost[0], column);
        snapped_costs_free(&costs);
    }
    reach_answer_compare(&found, &right, request, s->name);
    reach_answer_free(&found);
    reach_answer_free(&right);
    free(row);
}

static void expect_reaches(snapped_map *s)
{
    const size_t ids = s->engine->places.id_count;
    uint32_t *const value = checked_allocate(ids, sizeof *value);
    for (size_t i = 0; i < ids; ++i) value[i] = (uint32_t)(i % 5 ? i * 977 : UINT32_MAX);
    for (size_t way = 0; way < 4; ++way) {
        const size_t metric = way / 2;
        macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
        snapped_costs costs = ask_place(s, &s->graph, metric, false, 0);
        const uint32_t somewhere = costs.cost[0][s->arrive[ids / 2]];
        const uint32_t limit[LIMITS] = {0, somewhere <= MACADAM_WEIGHT_MAX ? somewhere : 1000,
                                        MACADAM_WEIGHT_MAX};
        snapped_costs_free(&costs);
        request.source = request.target = s->place;
        request.source_count = SOURCES, request.target_count = PLACES;
        request.limit = limit, request.value = value;
        request.reverse = way % 2;
        request.limit_count = LIMITS;
        expect_reach(s, &request, metric, true, false);
        request.nearest_count = 7;
        expect_reach(s, &request, metric, true, false);
        request.limit_count = 0;
        expect_reach(s, &request, metric, false, false);
        expect_reach(s, &request, metric, false, true);
    }
    free(value);
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

static void expect_hops(snapped_map *s)
{
    const size_t ids = s->engine->places.id_count;
    uint32_t *const hops = checked_allocate(SOURCES * ids, sizeof *hops), *const parent = checked_allocate(
                                                                              SOURCES * ids, sizeof *parent);
    for (int way = 0; way < 8; ++way) {
        macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
        request.source = s->place, request.source_count = SOURCES;
        request.reverse = way % 2;
        request.limit = way / 2 % 2 ? HOPS_LIMIT : 0;
        const mcd_node *const node = nodes_of_ids(s, request.reverse);
        cr_assert_eq(macadam_hops(s->engine, NULL, &request, hops, way < 4 ? parent : NULL, NULL, &error),
                     MACADAM_OK, "%s", error.message);
        for (size_t source = 0; source < SOURCES; source += step_of(s)) {
            snapped_costs right = ask_place(s, &s->hops, 0, request.reverse, source);
            const uint32_t *const found = hops + source * ids;
            for (size_t i = 0; i < ids; ++i) {
                const uint32_t expected = right.cost[0][node[i]];
                cr_assert_eq(found[i],
                             request.limit && expected > request.limit ? MACADAM_UNREACHED : expected,
                             "%s: hops %d of place %zu at %zu: %u, not %u", s->name, way, source, i, found[i],
                             expected);
            }
            if (way < 4) expect_parents(s, found, parent + source * ids, source);
            snapped_costs_free(&right);
        }
    }
    free(hops);
    free(parent);
}

/* ---- connections ---- */

/* Returns whether an arc of the map leads from one id to the other. */
static bool has_arc(const snapped_map *s, int64_t from, int64_t to)
{
    const mcd_graph *const graph = &s->engine->graph;
    const mcd_place_index *const places = &s->engine->places;
    for (mcd_node tail = 0; tail < graph->node_count; ++tail) {
        if (mcd_place_id_of(places, tail) != from) continue;
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc)
            if (mcd_place_id_of(places, graph->head[arc]) == to) return true;
    }
    return false;
}

static void expect_connections(snapped_map *s)
{
    for (size_t source = 0; source < SOURCES; source += step_of(s)) {
        snapped_costs right = ask_place(s, &s->hops, 0, false, source);
        for (size_t target = 0; target < PLACES; target += step_of(s)) {
            const uint32_t expected = right.cost[0][snapped_arrival(s, target)];
            const size_t within = snapped_within(s, source) + snapped_within(s, target);
            macadam_connect_request request = MACADAM_CONNECT_REQUEST_INIT;
            macadam_connection *found;
            request.source = s->place[source], request.target = s->place[target];
            cr_assert_eq(macadam_connect(s->engine, NULL, &request, &found, &error), MACADAM_OK, "%s",
                         error.message);
            cr_assert_eq(found->hops, expected, "%s: %zu > %zu: %u, not %u", s->name, source, target,
                         found->hops, expected);
            cr_assert_eq(found->connected, expected != MACADAM_UNREACHED);
            cr_assert_eq(found->node_count, found->connected ? found->hops + 1 - within : 0);
            for (size_t i = 1; i < found->node_count; ++i)
                cr_assert(has_arc(s, found->id[i - 1], found->id[i]));
            macadam_connection_free(found);
        }
        snapped_costs_free(&right);
    }
}

static void expect_equal(snapped_map *s)
{
    expect_reaches(s);
    expect_hops(s);
    expect_connections(s);
}

Test(snapped_reach, roads_of_grids_and_towns)
{
    snapped_of_graph("grid of ties", expect_equal);
    snapped_of_graph("town", expect_equal);
}

Test(snapped_reach, roads_that_are_one_way_or_loops_or_lead_nowhere)
{
    snapped_of_graph("path one way", expect_equal);
    snapped_of_graph("islands", expect_equal);
    snapped_of_graph("parallel arcs and loops", expect_equal);
    snapped_of_graph("zero-weight cycles", expect_equal);
    snapped_of_graph("weights near the limit", expect_equal);
}

Test(snapped_reach, roads_between_split_junctions)
{
    static const char *const name[] = {"osm/cathedral-no-left.osm.pbf"};
    snapped_of_drays(name, 1, expect_equal);
}
