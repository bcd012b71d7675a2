/* test_isochrone.c - reached arcs over macadam.h against the oracle's trees, and the roads within a box. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { SOURCES = 12, SOURCES_OF_LARGE = 3, LARGE = 5000 };

static const fixture_asked objective_of[2] = {{0, 0, {0}}, {1, 1, {1}}};

/* The arcs whose tail (reverse: head) costs at most the limit, by number; closed ones are none. */
static void check_isochrone(const fixture_engine *fixture, const fixture_asked *asked, bool reverse,
                            uint32_t source, const uint32_t *cost, uint32_t limit)
{
    const test_graph *graph = fixture->graph;
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    const macadam_isochrone_request request = {
        .size = sizeof request, .source = fixture_place(source), .reverse = reverse, .limit = limit};
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    macadam_error error;
    fixture_expect_ok(macadam_isochrone_find(&found, fixture->engine, &query, &request, &error), &error,
                      graph->name);
    size_t next = 0;
    for (size_t arc = 0; arc < graph->arc_count; ++arc) {
        const uint32_t entered = cost[reverse ? graph->head[arc] : graph->tail[arc]];
        if (entered == MACADAM_UNREACHED || entered > limit) continue;
        cr_assert_lt(next, found->arc_count, "%s: arc %zu is missing", graph->name, arc);
        const macadam_reached_arc *reached = &found->arc[next++];
        cr_assert_eq(reached->road.arc, fixture_arc_number(arc), "%s: arc %zu is missing", graph->name, arc);
        cr_assert_eq(reached->road.tail, fixture_id(graph->tail[arc]));
        cr_assert_eq(reached->road.head, fixture_id(graph->head[arc]));
        cr_assert_eq(reached->cost, entered, "%s: arc %zu", graph->name, arc);
        cr_assert_eq(reached->weight, graph->weight[asked->metric][arc]);
        cr_assert_eq(reached->road.first_shape, reached->road.end_shape, "points without coordinates");
    }
    cr_assert_eq(next, found->arc_count, "%s: arc %zu too many", graph->name, next);
}

static void check_graph(const test_graph *graph, size_t metric, bool reverse)
{
    const fixture_asked *asked = &objective_of[metric];
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, graph, 2);
    SCOPED(expected_free)
    expected_trees trees =
        expected_new(graph, asked, reverse, 0, graph->node_count > LARGE ? SOURCES_OF_LARGE : SOURCES, 1);
    for (size_t i = 0; i < trees.source_count; ++i) {
        const uint32_t *cost = trees.value[metric] + i * graph->node_count;
        const uint32_t somewhere = cost[i * 7919 % graph->node_count];
        const uint32_t limits[] = {0, somewhere <= MACADAM_WEIGHT_MAX ? somewhere : 1000, MACADAM_WEIGHT_MAX};
        for (size_t l = 0; l < 3; ++l)
            check_isochrone(&fixture, asked, reverse, trees.source[i], cost, limits[l]);
    }
}

Test(isochrone, lists_the_arcs_that_the_oracle_enters_within_the_limit)
{
    for (size_t i = 0; i < graphs_count(); ++i) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(i);
        if (graph.node_count) check_graph(&graph, i % 2 && graph.weight[1], i % 3 == 0);
    }
}

Test(isochrone, refuses_what_it_cannot_answer)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    macadam_error error;
    macadam_isochrone *found;
    macadam_isochrone_request request = {
        .size = sizeof request, .source = fixture_place(3), .limit = MACADAM_WEIGHT_MAX + 1};
    cr_assert_eq(macadam_isochrone_find(&found, fixture.engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_null(found);
    cr_assert(strstr(error.message, "2147483647"), "%s", error.message);
    const char *names[2];
    const macadam_query both = fixture_query(&(fixture_asked){0, 2, {0, 1}}, names);
    request.limit = 5;
    cr_assert_eq(macadam_isochrone_find(&found, fixture.engine, &both, &request, &error), MACADAM_E_INVALID);
    cr_assert(strstr(error.message, fixture_quantity[1]), "%s", error.message);
    request.source.id = INT64_MAX;
    FIXTURE_CALL(macadam_isochrone_find, &found, fixture.engine, NULL, &request);
    cr_assert(found->source.status == MACADAM_PLACE_UNKNOWN_ID && found->arc_count == 0);
    macadam_isochrone_free(found);
    macadam_roads *roads;
    const macadam_box box = {1, 1, 2, 2}, empty = {2, 1, 1, 2};
    cr_assert_eq(macadam_roads_find(&roads, fixture.engine, &box, &error), MACADAM_E_UNSUPPORTED);
    cr_assert_eq(macadam_roads_find(&roads, fixture.engine, &empty, &error), MACADAM_E_INVALID);
}

/* Nodes on a line one degree apart, from 0 east; arcs both ways between neighbours, one way from 4 to 5:
 *   0 == 1 == 2 == 3 == 4 -> 5 */
static macadam_engine *open_line(char folder[FILES_PATH_BYTES], test_graph *graph)
{
    static const int32_t lon_e7[] = {0, 10000000, 20000000, 30000000, 40000000, 50000000}, lat_e7[6] = {0};
    char path[FILES_PATH_BYTES + 16];
    *graph = (test_graph){.name = "line", .node_count = 6};
    for (uint32_t i = 0; i < 5; ++i) {
        test_graph_add(graph, i, i + 1, 10, 10);
        if (i < 4) test_graph_add(graph, i + 1, i, 10, 10);
    }
    files_new_path(folder, path, "line.mcd");
    FIXTURE_CALL(fixture_import, graph, lon_e7, lat_e7, path, 1);
    return fixture_open_file(path, 1);
}

/* The number of ids in an isochrone from `source` within 9 of its first metric. */
static size_t count_reached(macadam_engine *engine, macadam_place source, bool reverse)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = source, request.reverse = reverse, request.limit = 9;
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    FIXTURE_CALL(macadam_isochrone_find, &found, engine, NULL, &request);
    const size_t count = found->arc_count;
    return count;
}

/* The last arc of the line, from its end and from within. */
Test(isochrone, arc_that_is_closed_for_the_companion_alone_is_closed)
{
    char folder[FILES_PATH_BYTES];
    SCOPED(test_graph_free) test_graph graph;
    macadam_engine *engine = open_line(folder, &graph);
    const macadam_place within = {.kind = MACADAM_PLACE_POINT, .lon = 4.5};
    cr_assert_eq(count_reached(engine, fixture_place(4), false), 2);
    cr_assert_eq(count_reached(engine, fixture_place(5), true), 1);
    cr_assert_eq(count_reached(engine, within, false), 1);
    cr_assert_eq(count_reached(engine, within, true), 2, "itself, and what leads to 4");
    const uint64_t arc = fixture_arc_number(graph.arc_count - 1);
    const uint32_t closed = MACADAM_WEIGHT_CLOSED, *const value = &closed;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &arc, request.count = 1, request.value = &value;
    request.quantity = &fixture_quantity[1], request.quantity_count = 1;
    FIXTURE_CALL(macadam_update, engine, &request);
    cr_assert_eq(count_reached(engine, fixture_place(4), false), 1);
    cr_assert_eq(count_reached(engine, fixture_place(5), true), 0);
    cr_assert_eq(count_reached(engine, within, false), 0);
    cr_assert_eq(count_reached(engine, within, true), 0);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

Test(roads, come_once_and_only_where_the_box_is)
{
    char folder[FILES_PATH_BYTES];
    SCOPED(test_graph_free) test_graph graph;
    macadam_engine *engine = open_line(folder, &graph);
    const struct {
        macadam_box box;
        size_t roads;
    } cases[] = {{{-1, -1, 9, 1}, 5}, {{0.5, -1, 1.5, 1}, 2}, {{1, 0, 1, 0}, 2},    {{4.5, -1, 9, 1}, 1},
                 {{6, -1, 9, 1}, 0},  {{0, 1, 5, 2}, 0},      {{2, 0, 2.01, 0}, 2}, {{2.99, 0, 3, 0}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        SCOPED(macadam_roads_free_at) macadam_roads *roads = NULL;
        FIXTURE_CALL(macadam_roads_find, &roads, engine, &cases[i].box);
        cr_assert_eq(roads->road_count, cases[i].roads, "box %zu: %zu roads", i, roads->road_count);
        for (size_t r = 0; r < roads->road_count; ++r) {
            const macadam_road *road = &roads->road[r];
            cr_assert_eq(road->end_shape - road->first_shape, 2);
            cr_assert_float_eq(fabs(roads->lon[road->first_shape] - roads->lon[road->first_shape + 1]), 1,
                               1e-9);
        }
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}
