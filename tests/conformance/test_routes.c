/* test_routes.c - routes over macadam.h: costs against the oracle, paths against the arcs. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/rng.h"
#include "tests/support/route_check.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SOURCES = 12, TARGETS = 25 };

static macadam_route *find(const fixture_engine *fixture, const fixture_asked *asked, const uint32_t *node,
                           size_t count)
{
    macadam_place place[8];
    for (size_t i = 0; i < count; ++i) place[i] = fixture_place(node[i]);
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = place, .waypoint_count = count};
    macadam_route *route;
    macadam_error error;
    fixture_expect_ok(macadam_route_find(&route, fixture->engine, &query, &request, &error), &error,
                      fixture->graph->name);
    return route;
}

static size_t quantity_of(const fixture_asked *asked, size_t column)
{
    return asked->quantity_count > 0 ? asked->quantity[column] : asked->metric;
}

/* The ends and values of each arc are those of the graph's arc of that number. */
static void check_arcs(const fixture_engine *fixture, const fixture_asked *asked, const macadam_route *route)
{
    const test_graph *graph = fixture->graph;
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *arc = &route->arc[i];
        cr_assert(arc->arc >= 1 && arc->arc <= graph->arc_count, "%s: arc number %llu", graph->name,
                  (unsigned long long)arc->arc);
        cr_assert_eq(arc->tail, fixture_id(graph->tail[arc->arc - 1]));
        cr_assert_eq(arc->head, fixture_id(graph->head[arc->arc - 1]));
        cr_assert_str_empty(arc->name);
        cr_assert_eq(arc->way, 0);
        cr_assert_eq(arc->first_shape, arc->end_shape);
        for (size_t column = 0; column < fixture_column_count(asked); ++column)
            cr_assert_eq(arc->value[column], graph->weight[quantity_of(asked, column)][arc->arc - 1]);
    }
}

/* A leg is a path between its waypoints whose weights add up to its values. */
static void check_leg(const fixture_engine *fixture, const fixture_asked *asked, const macadam_route *route,
                      size_t leg_index, uint32_t source, uint32_t target)
{
    const macadam_leg *leg = &route->leg[leg_index];
    const size_t arc_count = leg->end_arc - leg->first_arc;
    cr_assert(leg->first_arc <= leg->end_arc && leg->end_arc <= route->arc_count);
    uint64_t *number = checked_allocate(arc_count, sizeof *number), sum[2];
    for (size_t i = 0; i < arc_count; ++i) number[i] = route->arc[leg->first_arc + i].arc;
    const char *fault = route_check_path(fixture->graph, source, target, number, arc_count, sum);
    free(number);
    cr_assert_null(fault, "%s: from %u to %u: %s", fixture->graph->name, source, target, fault);
    for (size_t column = 0; column < fixture_column_count(asked); ++column)
        cr_assert_eq(leg->value[column], sum[quantity_of(asked, column)], "%s: from %u to %u",
                     fixture->graph->name, source, target);
}

static void check_route(const fixture_engine *fixture, const fixture_asked *asked,
                        const expected_trees *expected, size_t source, uint32_t target)
{
    const size_t cell = source * fixture->graph->node_count + target;
    const uint32_t ends[] = {expected->source[source], target};
    SCOPED(macadam_route_free_at) macadam_route *route = find(fixture, asked, ends, 2);
    for (size_t column = 0; column < fixture_column_count(asked); ++column)
        cr_assert_eq(route->value[column], expected_column(expected, asked, column)[cell],
                     "%s: metric %zu, column %zu, from %u to %u: %u instead of %u", fixture->graph->name,
                     asked->metric, column, ends[0], target, route->value[column],
                     expected_column(expected, asked, column)[cell]);
    cr_assert_eq(route->found, route->value[0] != MACADAM_UNREACHED);
    cr_assert_eq(route->waypoint_count, 2);
    for (size_t i = 0; i < 2; ++i) {
        cr_assert_eq(route->waypoint[i].status, MACADAM_PLACE_OK);
        cr_assert_eq(route->waypoint[i].id, fixture_id(ends[i]));
    }
    cr_assert_eq(route->leg_count, 1);
    cr_assert_eq(route->shape_count, 0);
    if (route->found) {
        check_arcs(fixture, asked, route);
        check_leg(fixture, asked, route, 0, ends[0], target);
        cr_assert_eq(route->leg[0].end_arc, route->arc_count);
    } else {
        cr_assert_eq(route->arc_count, 0);
    }
}

Test(routes, cost_what_the_oracle_says_along_arcs_that_connect_and_add_up)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 1);
        for (size_t a = 0; a < FIXTURE_ASKED && graph.node_count > 0; ++a) {
            const size_t sources = graph.node_count > 5000 ? 2 : SOURCES;
            SCOPED(expected_free)
            expected_trees expected = expected_new(&graph, &fixture_asked_all[a], false, 0, sources, 7 * a);
            test_rng rng = {a};
            for (size_t source = 0; source < sources; ++source)
                for (size_t target = 0; target < TARGETS; ++target)
                    check_route(&fixture, &fixture_asked_all[a], &expected, source,
                                rng_below(&rng, (uint32_t)graph.node_count));
            check_route(&fixture, &fixture_asked_all[a], &expected, 0, expected.source[0]);
        }
    }
}

static void expect_cost(const fixture_engine *fixture, uint32_t source, uint32_t target, uint64_t sum[2])
{
    const fixture_asked both = {0, 2, {0, 1}};
    SCOPED(macadam_route_free_at)
    macadam_route *route = find(fixture, &both, (uint32_t[]){source, target}, 2);
    cr_assert(route->found);
    for (size_t q = 0; q < 2; ++q) sum[q] += route->value[q];
}

Test(routes, legs_between_vias_are_routes_of_their_own)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked both = {0, 2, {0, 1}};
    const uint32_t way[] = {3, 200, 200, 3, 419}; /* a via twice in a row, and back to the source */
    uint64_t sum[2] = {0, 0};
    SCOPED(macadam_route_free_at) macadam_route *route = find(&fixture, &both, way, 5);
    cr_assert(route->found);
    cr_assert_eq(route->leg_count, 4);
    cr_assert_eq(route->leg[0].first_arc, 0);
    cr_assert_eq(route->leg[3].end_arc, route->arc_count);
    check_arcs(&fixture, &both, route);
    for (size_t leg = 0; leg < 4; ++leg) {
        check_leg(&fixture, &both, route, leg, way[leg], way[leg + 1]);
        expect_cost(&fixture, way[leg], way[leg + 1], sum);
        if (leg > 0) cr_assert_eq(route->leg[leg].first_arc, route->leg[leg - 1].end_arc);
    }
    for (size_t q = 0; q < 2; ++q) cr_assert_eq(route->value[q], sum[q]);
}

Test(routes, leg_without_path_unfinds_the_whole)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("path one way");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked objective = {0, 0, {0}};
    SCOPED(macadam_route_free_at)
    macadam_route *route = find(&fixture, &objective, (uint32_t[]){0, 50, 40, 80}, 4);
    cr_assert_not(route->found);
    cr_assert_eq(route->value[0], MACADAM_UNREACHED);
    cr_assert_eq(route->arc_count, 0);
    cr_assert_eq(route->waypoint_count, 4);
}

Test(routes, legs_that_sum_beyond_the_largest_cost_find_nothing)
{
    SCOPED(test_graph_free) test_graph graph = {.name = "two dear arcs", .node_count = 3};
    test_graph_add(&graph, 0, 1, 0x7ffffffe, 1);
    test_graph_add(&graph, 1, 2, 1, 0x7ffffffe);
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked objective = {0, 0, {0}}, of_distance = {1, 0, {0}};
    macadam_route *route = find(&fixture, &objective, (uint32_t[]){0, 1, 2}, 3);
    cr_assert_not(route->found);
    cr_assert_eq(route->value[0], MACADAM_UNREACHED);
    macadam_route_free(route);
    route = find(&fixture, &of_distance, (uint32_t[]){0, 1, 1}, 3);
    cr_assert(route->found);
    cr_assert_eq(route->value[0], 1);
    macadam_route_free(route);
}

Test(routes, unknown_waypoint_is_not_an_error)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const macadam_place place[] = {fixture_place(0), {.id = INT64_MIN}, fixture_place(1)};
    const macadam_route_request request = {.size = sizeof request, .waypoint = place, .waypoint_count = 3};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, fixture.engine, NULL, &request);
    cr_assert_not(route->found);
    cr_assert_eq(route->value[0], MACADAM_UNREACHED);
    cr_assert_eq(route->waypoint[1].status, MACADAM_PLACE_UNKNOWN_ID);
    cr_assert_eq(route->waypoint[2].status, MACADAM_PLACE_OK);
}

/* ---- many routes ---- */

typedef struct many_routes {
    const fixture_engine *fixture;
    size_t pair_count, seen_count;
    uint32_t *source, *target, *value[2];
    const fixture_asked *asked;
    size_t stop_at; /* the callback cancels after this many */
} many_routes;

static bool check_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    many_routes *many = context;
    cr_assert_eq(pair, many->seen_count++, "pairs come in order");
    if (many->seen_count == many->stop_at) return false;
    if (many->value[0][pair] == MACADAM_UNREACHED) {
        cr_assert_eq(arc_count, 0);
        return true;
    }
    uint64_t sum[2];
    const char *fault =
        route_check_path(many->fixture->graph, many->source[pair], many->target[pair], arc, arc_count, sum);
    cr_assert_null(fault, "%s: from %u to %u: %s", many->fixture->graph->name, many->source[pair],
                   many->target[pair], fault);
    for (size_t column = 0; column < fixture_column_count(many->asked); ++column)
        cr_assert_eq(many->value[column][pair], sum[quantity_of(many->asked, column)]);
    return true;
}

/* Asks for pairs source by source, twice: only costs, then with paths; `stop_at` cancels. */
static macadam_status ask_many(many_routes *many, macadam_error *error)
{
    const size_t count = many->pair_count;
    FREED macadam_place *place = checked_allocate(2 * count, sizeof *place);
    for (size_t i = 0; i < count; ++i) {
        place[i] = fixture_place(many->source[i]);
        place[count + i] = fixture_place(many->target[i]);
    }
    const char *names[2];
    const macadam_query query = fixture_query(many->asked, names);
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + count, .pair_count = count};
    FREED macadam_place_status *status = checked_allocate(2 * count, sizeof *status);
    uint32_t *alone[2];
    for (size_t q = 0; q < 2; ++q) {
        many->value[q] = checked_zeroed(count, sizeof *many->value[q]);
        alone[q] = checked_zeroed(count, sizeof *alone[q]);
    }
    fixture_expect_ok(macadam_routes_find(alone, status, many->fixture->engine, &query, &request, error),
                      error, "routes");
    for (size_t i = 0; i < 2 * count; ++i) cr_assert_eq(status[i], MACADAM_PLACE_OK);
    const macadam_status result = macadam_routes_find_paths(many->value, status, many->fixture->engine,
                                                            &query, &request, check_path, many, error);
    if (result == MACADAM_OK)
        for (size_t column = 0; column < fixture_column_count(many->asked); ++column)
            cr_assert_arr_eq(many->value[column], alone[column], count * sizeof *alone[column]);
    free(alone[0]);
    free(alone[1]);
    return result;
}

static many_routes new_many(const fixture_engine *fixture, const fixture_asked *asked,
                            const expected_trees *expected, size_t pair_count)
{
    many_routes many = {.fixture = fixture, .asked = asked, .pair_count = pair_count};
    test_rng rng = {3};
    many.source = checked_allocate(pair_count, sizeof *many.source);
    many.target = checked_allocate(pair_count, sizeof *many.target);
    for (size_t i = 0; i < pair_count; ++i) {
        many.source[i] = expected->source[i % expected->source_count];
        many.target[i] = rng_below(&rng, (uint32_t)fixture->graph->node_count);
    }
    return many;
}

static void free_many(many_routes *many)
{
    free(many->source);
    free(many->target);
    free(many->value[0]);
    free(many->value[1]);
}

Test(routes, many_together_equal_the_oracle_with_their_paths)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 2);
        for (size_t a = 0; a < FIXTURE_ASKED && graph.node_count > 0; ++a) {
            const fixture_asked *asked = &fixture_asked_all[a];
            const size_t pair_count = graph.node_count > 5000 ? 20 : 200;
            SCOPED(expected_free) expected_trees expected = expected_new(&graph, asked, false, 0, 3, a);
            many_routes many = new_many(&fixture, asked, &expected, pair_count);
            macadam_error error;
            fixture_expect_ok(ask_many(&many, &error), &error, graph.name);
            cr_assert_eq(many.seen_count, pair_count);
            for (size_t i = 0; i < pair_count; ++i)
                for (size_t column = 0; column < fixture_column_count(asked); ++column)
                    cr_assert_eq(
                        many.value[column][i],
                        expected_column(&expected, asked, column)[i % 3 * graph.node_count + many.target[i]],
                        "%s: metric %zu, column %zu, from %u to %u", graph.name, asked->metric, column,
                        many.source[i], many.target[i]);
            free_many(&many);
        }
    }
}

Test(routes, callback_that_says_no_cancels)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    const fixture_asked both = {0, 2, {0, 1}};
    SCOPED(expected_free) expected_trees expected = expected_new(&graph, &both, false, 0, 2, 1);
    many_routes many = new_many(&fixture, &both, &expected, 50);
    many.stop_at = 7;
    macadam_error error;
    cr_assert_eq(ask_many(&many, &error), MACADAM_E_CANCELLED);
    cr_assert_eq(many.seen_count, 7);
    cr_assert_str_not_empty(error.message);
    free_many(&many);
}

Test(routes, unknown_ends_fail_alone)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const macadam_place source[] = {fixture_place(0), {.id = 1}, fixture_place(5)};
    const macadam_place target[] = {fixture_place(9), fixture_place(8), {.id = 2}};
    const macadam_routes_request request = {
        .size = sizeof request, .source = source, .target = target, .pair_count = 3};
    uint32_t value[3];
    macadam_place_status status[6];
    FIXTURE_CALL(macadam_routes_find, (uint32_t *[]){value}, status, fixture.engine, NULL, &request);
    const macadam_place_status right[] = {MACADAM_PLACE_OK, MACADAM_PLACE_UNKNOWN_ID,
                                          MACADAM_PLACE_OK, MACADAM_PLACE_OK,
                                          MACADAM_PLACE_OK, MACADAM_PLACE_UNKNOWN_ID};
    cr_assert_arr_eq(status, right, sizeof right);
    cr_assert_neq(value[0], MACADAM_UNREACHED);
    cr_assert_eq(value[1], MACADAM_UNREACHED);
    cr_assert_eq(value[2], MACADAM_UNREACHED);
}
