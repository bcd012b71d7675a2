/* test_call.c - macadam_call answers as the typed calls do, in one reply and in parts. Matrices: metamorphic. */
#include "engine/include/macadam.h"
#include "tests/support/call_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(call, .init = call_fixture_open, .fini = call_fixture_close);

#define QUANTITIES 2
static char *quantity[] = {"distance", "duration"};
static const char *const *const quantity_names = (const char *const *)quantity;

static void ask_both_quantities(Macadam__V1__Query *query)
{
    *query = (Macadam__V1__Query)MACADAM__V1__QUERY__INIT;
    query->n_quantity = QUANTITIES;
    query->quantity = quantity;
}

static macadam_query typed_query(void)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.quantity = quantity_names;
    query.quantity_count = QUANTITIES;
    return query;
}

static void expect_columns(size_t n, Macadam__V1__Column *const *column, uint32_t *const *expected,
                           size_t count)
{
    cr_assert_eq(n, QUANTITIES);
    for (size_t q = 0; q < QUANTITIES; ++q) {
        cr_assert_eq(column[q]->n_value, count);
        cr_assert_arr_eq(column[q]->value, expected[q], count * sizeof(uint32_t));
    }
}

/* ---- matrices: four sources, one of them unknown, to three targets ---- */

static int64_t rows[] = {10, 99, 30, 50}, columns[] = {30, 50, 10};
static const macadam_place row_place[] = {{.id = 10}, {.id = 99}, {.id = 30}, {.id = 50}};
static const macadam_place column_place[] = {{.id = 30}, {.id = 50}, {.id = 10}};
enum { ROWS = 4, COLUMNS = 3 };

typedef struct matrix_request {
    Macadam__V1__Places source, target;
    Macadam__V1__Query query;
    Macadam__V1__MatrixRequest matrix;
    Macadam__V1__Request request;
} matrix_request;

static void make_matrix_request(matrix_request *out)
{
    out->source = call_nodes(rows, ROWS);
    out->target = call_nodes(columns, COLUMNS);
    ask_both_quantities(&out->query);
    out->matrix = (Macadam__V1__MatrixRequest)MACADAM__V1__MATRIX_REQUEST__INIT;
    out->matrix.source = &out->source;
    out->matrix.target = &out->target;
    out->request = (Macadam__V1__Request)MACADAM__V1__REQUEST__INIT;
    out->request.query = &out->query;
    out->request.ask_case = MACADAM__V1__REQUEST__ASK_MATRIX;
    out->request.matrix = &out->matrix;
}

static void find_matrix(uint32_t *const *value, macadam_place_status *status)
{
    const macadam_query query = typed_query();
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = row_place;
    request.source_count = ROWS;
    request.target = column_place;
    request.target_count = COLUMNS;
    macadam_error error;
    cr_assert_eq(macadam_matrix_into(call_engine, &query, &request, value, status, &error), MACADAM_OK, "%s",
                 error.message);
}

typedef struct matrix_parts {
    uint32_t value[QUANTITIES][ROWS * COLUMNS];
    unsigned seen[ROWS * COLUMNS];
} matrix_parts;

static bool take_matrix_part(void *context, const uint8_t *data, size_t size)
{
    matrix_parts *parts = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    cr_assert(reply && reply->status == MACADAM__V1__STATUS__STATUS_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_MATRIX);
    const Macadam__V1__MatrixTile *tile = reply->matrix;
    cr_assert_eq(tile->n_source_status, tile->column == 0 ? tile->rows : 0);
    cr_assert_eq(tile->n_target_status, tile->row == 0 ? tile->columns : 0);
    for (size_t r = 0; r < tile->rows; ++r)
        for (size_t c = 0; c < tile->columns; ++c) {
            const size_t cell = (tile->row + r) * COLUMNS + tile->column + c;
            ++parts->seen[cell];
            for (size_t q = 0; q < QUANTITIES; ++q)
                parts->value[q][cell] = tile->value[q]->value[r * tile->columns + c];
        }
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call, matrix_in_parts_covers_every_cell_once)
{
    uint32_t first[ROWS * COLUMNS], second[ROWS * COLUMNS], *expected[] = {first, second};
    macadam_place_status status[ROWS + COLUMNS];
    find_matrix(expected, status);

    matrix_request request;
    make_matrix_request(&request);
    matrix_parts parts = {0};
    Macadam__V1__Reply *end = call_expect(&request.request, take_matrix_part, &parts, MACADAM_OK);
    cr_assert_eq(end->answer_case, MACADAM__V1__REPLY__ANSWER__NOT_SET);
    macadam__v1__reply__free_unpacked(end, NULL);
    for (size_t cell = 0; cell < ROWS * COLUMNS; ++cell) cr_assert_eq(parts.seen[cell], 1);
    for (size_t q = 0; q < QUANTITIES; ++q) cr_assert_arr_eq(parts.value[q], expected[q], sizeof first);
}

Test(call, callback_that_says_no_cancels)
{
    matrix_request request;
    make_matrix_request(&request);
    Macadam__V1__Reply *reply = call_expect(&request.request, call_refuse_part, NULL, MACADAM_E_CANCELLED);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, answer_beyond_one_reply_fails_before_any_work_and_names_the_callback)
{
    enum { SIDE = 30000 }; /* 7.2 GB of costs */
    int64_t *node = call_repeat(10, SIDE);
    matrix_request request;
    make_matrix_request(&request);
    request.source = request.target = call_nodes(node, SIDE);
    Macadam__V1__Reply *reply = call_expect(&request.request, NULL, NULL, MACADAM_E_LIMIT);
    cr_assert(strstr(reply->message, "7200000000") && strstr(reply->message, "callback"), "%s",
              reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    free(node);
}

/* ---- trees ---- */

typedef struct tree_request {
    Macadam__V1__Places source;
    Macadam__V1__Query query;
    Macadam__V1__TreeRequest tree;
    Macadam__V1__Request request;
} tree_request;

static void make_tree_request(tree_request *out, Macadam__V1__Order order, bool reverse, uint32_t limit)
{
    out->source = call_nodes(rows, ROWS);
    ask_both_quantities(&out->query);
    out->tree = (Macadam__V1__TreeRequest)MACADAM__V1__TREE_REQUEST__INIT;
    out->tree.source = &out->source;
    out->tree.order = order;
    out->tree.reverse = reverse;
    out->tree.limit = limit;
    out->request = (Macadam__V1__Request)MACADAM__V1__REQUEST__INIT;
    out->request.query = &out->query;
    out->request.ask_case = MACADAM__V1__REQUEST__ASK_TREE;
    out->request.tree = &out->tree;
}

enum { NODES = CALL_FIXTURE_NODES };

static void find_tree(macadam_order order, bool reverse, uint32_t limit, uint32_t *const *value,
                      macadam_place_status *status)
{
    const macadam_query query = typed_query();
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = row_place;
    request.source_count = ROWS;
    request.order = order;
    request.reverse = reverse;
    request.limit = limit;
    macadam_error error;
    cr_assert_eq(macadam_tree(call_engine, &query, &request, value, status, &error), MACADAM_OK, "%s",
                 error.message);
}

typedef struct tree_parts {
    uint32_t value[QUANTITIES][ROWS * NODES];
    Macadam__V1__PlaceStatus status[ROWS];
    size_t rows;
} tree_parts;

static bool take_tree_part(void *context, const uint8_t *data, size_t size)
{
    tree_parts *parts = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    cr_assert(reply && reply->answer_case == MACADAM__V1__REPLY__ANSWER_TREE);
    const Macadam__V1__TreeTile *tile = reply->tree;
    cr_assert(tile->row == parts->rows && tile->row + tile->rows <= ROWS && tile->columns == NODES);
    cr_assert_eq(tile->n_source_status, tile->rows);
    memcpy(parts->status + tile->row, tile->source_status, tile->rows * sizeof *tile->source_status);
    for (size_t q = 0; q < QUANTITIES; ++q) {
        cr_assert_eq(tile->value[q]->n_value, tile->rows * NODES);
        memcpy(parts->value[q] + tile->row * NODES, tile->value[q]->value,
               tile->rows * NODES * sizeof(uint32_t));
    }
    parts->rows += tile->rows;
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

static void expect_tree(Macadam__V1__Order order, macadam_order typed, bool reverse, uint32_t limit)
{
    uint32_t first[ROWS * NODES], second[ROWS * NODES], *expected[] = {first, second};
    macadam_place_status status[ROWS];
    find_tree(typed, reverse, limit, expected, status);
    tree_request request;
    make_tree_request(&request, order, reverse, limit);

    Macadam__V1__Reply *reply = call_expect(&request.request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_TREE);
    const Macadam__V1__TreeTile *tile = reply->tree;
    cr_assert(tile->row == 0 && tile->rows == ROWS && tile->columns == NODES);
    expect_columns(tile->n_value, tile->value, expected, ROWS * NODES);
    cr_assert_eq(tile->n_source_status, ROWS);
    cr_assert_arr_eq(tile->source_status, status, sizeof status);
    macadam__v1__reply__free_unpacked(reply, NULL);

    tree_parts parts = {0};
    Macadam__V1__Reply *end = call_expect(&request.request, take_tree_part, &parts, MACADAM_OK);
    cr_assert_eq(end->answer_case, MACADAM__V1__REPLY__ANSWER__NOT_SET);
    macadam__v1__reply__free_unpacked(end, NULL);
    cr_assert_eq(parts.rows, ROWS);
    cr_assert_arr_eq(parts.status, status, sizeof status);
    for (size_t q = 0; q < QUANTITIES; ++q) cr_assert_arr_eq(parts.value[q], expected[q], sizeof first);
}

Test(call, trees_equal_the_typed_call_in_one_reply_and_in_parts)
{
    expect_tree(MACADAM__V1__ORDER__ORDER_IDS, MACADAM_ORDER_IDS, false, 0);
    expect_tree(MACADAM__V1__ORDER__ORDER_NODES, MACADAM_ORDER_NODES, false, 0);
    expect_tree(MACADAM__V1__ORDER__ORDER_IDS, MACADAM_ORDER_IDS, true, 7);
}

Test(call, tree_that_no_batch_of_one_source_fits_says_so)
{
    tree_request request;
    make_tree_request(&request, MACADAM__V1__ORDER__ORDER_IDS, false, 0);
    request.query.memory_limit = 2 * NODES * QUANTITIES * sizeof(uint32_t) - 1;
    Macadam__V1__Reply *reply = call_expect(&request.request, take_tree_part, NULL, MACADAM_E_LIMIT);
    cr_assert(strstr(reply->message, "79 bytes") && strstr(reply->message, "80"), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

typedef struct many_rows {
    uint64_t rows;
    size_t parts;
    uint32_t last; /* of the latest row */
} many_rows;

static bool take_many_rows(void *context, const uint8_t *data, size_t size)
{
    many_rows *many = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    cr_assert(reply && reply->tree->row == many->rows);
    many->rows += reply->tree->rows;
    many->last = reply->tree->value[0]->value[(reply->tree->rows - 1) * NODES + 1];
    ++many->parts;
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call, tree_of_more_sources_than_the_memory_limit_holds_comes_in_batches)
{
    enum { SOURCES = 200001 };
    int64_t *node = call_repeat(10, SOURCES);
    node[SOURCES - 1] = 30;
    tree_request request;
    make_tree_request(&request, MACADAM__V1__ORDER__ORDER_IDS, false, 0);
    request.source = call_nodes(node, SOURCES);
    request.query.memory_limit = 8 << 20; /* half of it holds 104,857 rows */
    many_rows many = {0};
    macadam__v1__reply__free_unpacked(call_expect(&request.request, take_many_rows, &many, MACADAM_OK), NULL);
    cr_assert(many.rows == SOURCES && many.parts == 2);
    cr_assert_eq(many.last, 10); /* distance from 30 to 20: 30 -> 10 -> 20 */
    free(node);
}

/* ---- reach ---- */

static void find_reach(macadam_reach *answer, const uint32_t *limit, const uint32_t *value,
                       macadam_place_status *status)
{
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = row_place;
    request.source_count = ROWS;
    request.limit = limit;
    request.limit_count = 2;
    request.value = value;
    request.target = column_place;
    request.target_count = COLUMNS;
    request.nearest_count = 2;
    macadam_error error;
    cr_assert_eq(macadam_reach_find(call_engine, NULL, &request, answer, status, &error), MACADAM_OK, "%s",
                 error.message);
}

static void expect_nearest(const Macadam__V1__ReachReply *told, const macadam_reach *expected)
{
    size_t next = 0;
    cr_assert_eq(told->n_nearest_found, ROWS);
    for (size_t s = 0; s < ROWS; ++s) {
        cr_assert_eq(told->nearest_found[s], expected->nearest_found[s]);
        for (size_t rank = 0; rank < told->nearest_found[s]; ++rank, ++next) {
            cr_assert_eq(told->nearest_position[next], expected->nearest_position[s * 2 + rank]);
            cr_assert_eq(told->nearest_cost[next], expected->nearest_cost[s * 2 + rank]);
        }
    }
    cr_assert(told->n_nearest_position == next && told->n_nearest_cost == next);
}

Test(call, reach_equals_the_typed_call)
{
    uint32_t limit[] = {5, 2}, value[] = {1, UINT32_MAX, 100, 1000, UINT32_MAX};
    uint64_t count[2 * ROWS], sum[2 * ROWS], reached[ROWS], cost_sum[ROWS];
    uint32_t eccentricity[ROWS], found[ROWS], position[2 * ROWS], cost[2 * ROWS];
    macadam_reach expected = MACADAM_REACH_INIT;
    macadam_place_status status[ROWS + COLUMNS];
    expected.node_count = count, expected.value_sum = sum, expected.reached = reached;
    expected.eccentricity = eccentricity, expected.nearest_found = found;
    expected.cost_sum = cost_sum;
    expected.nearest_position = position, expected.nearest_cost = cost;
    find_reach(&expected, limit, value, status);
    cr_assert(count[0] == 4 && sum[0] == UINT64_C(1101) + UINT32_MAX); /* from 10: 20 and 30 at 5, 40 at 2 */

    matrix_request places;
    make_matrix_request(&places);
    Macadam__V1__Column values = MACADAM__V1__COLUMN__INIT;
    values.n_value = NODES;
    values.value = value;
    Macadam__V1__ReachRequest ask = MACADAM__V1__REACH_REQUEST__INIT;
    ask.source = &places.source;
    ask.target = &places.target;
    ask.n_limit = 2;
    ask.limit = limit;
    ask.value = &values;
    ask.nearest = 2;
    places.request.query = NULL;
    places.request.ask_case = MACADAM__V1__REQUEST__ASK_REACH;
    places.request.reach = &ask;
    Macadam__V1__Reply *reply = call_expect(&places.request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_REACH);
    const Macadam__V1__ReachReply *told = reply->reach;
    cr_assert(told->n_node_count == 2 * ROWS && told->n_value_sum == 2 * ROWS);
    cr_assert_arr_eq(told->node_count, count, sizeof count);
    cr_assert_arr_eq(told->value_sum, sum, sizeof sum);
    cr_assert(told->n_reached == ROWS && told->n_eccentricity == ROWS);
    cr_assert_arr_eq(told->reached, reached, sizeof reached);
    cr_assert_arr_eq(told->eccentricity, eccentricity, sizeof eccentricity);
    cr_assert_eq(told->n_cost_sum, ROWS);
    cr_assert_arr_eq(told->cost_sum, cost_sum, sizeof cost_sum);
    expect_nearest(told, &expected);
    cr_assert(told->n_source_status == ROWS && told->n_target_status == COLUMNS);
    cr_assert_arr_eq(told->source_status, status, ROWS * sizeof *status);
    cr_assert_arr_eq(told->target_status, status + ROWS, COLUMNS * sizeof *status);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, reach_without_limits_or_targets_tells_the_rest)
{
    matrix_request places;
    make_matrix_request(&places);
    Macadam__V1__ReachRequest ask = MACADAM__V1__REACH_REQUEST__INIT;
    ask.source = &places.source;
    ask.reverse = true;
    places.request.query = NULL;
    places.request.ask_case = MACADAM__V1__REQUEST__ASK_REACH;
    places.request.reach = &ask;
    Macadam__V1__Reply *reply = call_expect(&places.request, NULL, NULL, MACADAM_OK);
    const Macadam__V1__ReachReply *told = reply->reach;
    cr_assert(told->n_node_count == 0 && told->n_value_sum == 0 && told->n_nearest_found == 0);
    cr_assert(told->n_reached == ROWS && told->reached[0] == 4 && told->reached[1] == 0);
    cr_assert(told->eccentricity[0] == 10 && told->eccentricity[1] == MACADAM_UNREACHED); /* 40, 30, 10 */
    macadam__v1__reply__free_unpacked(reply, NULL);
}

/* ---- routes ---- */

static Macadam__V1__Reply *ask_route(int64_t *node, size_t count, macadam_status expected)
{
    Macadam__V1__Places waypoint = call_nodes(node, count);
    Macadam__V1__Query query;
    ask_both_quantities(&query);
    Macadam__V1__RouteRequest route = MACADAM__V1__ROUTE_REQUEST__INIT;
    route.waypoint = &waypoint;
    route.totals = true;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.query = &query;
    request.ask_case = MACADAM__V1__REQUEST__ASK_ROUTE;
    request.route = &route;
    return call_expect(&request, NULL, NULL, expected);
}

static void expect_legs(const Macadam__V1__Legs *leg, const macadam_route *expected)
{
    cr_assert(leg->n_first_arc == expected->leg_count && leg->n_last_arc == expected->leg_count);
    for (size_t i = 0; i < expected->leg_count; ++i) {
        cr_assert_eq(leg->first_arc[i], expected->leg[i].first_arc);
        cr_assert_eq(leg->last_arc[i], expected->leg[i].last_arc);
    }
}

static void expect_arcs(const Macadam__V1__RouteArcs *arc, const macadam_route *expected)
{
    cr_assert(arc->n_number == expected->arc_count && arc->n_name == expected->arc_count);
    for (size_t i = 0; i < expected->arc_count; ++i) {
        const macadam_route_arc *e = &expected->arc[i];
        cr_assert(arc->tail[i] == e->tail && arc->head[i] == e->head && arc->number[i] == e->arc);
        cr_assert(arc->way[i] == e->way && arc->first_shape[i] == e->first_shape);
        cr_assert_eq(arc->last_shape[i], e->last_shape);
        cr_assert_str_eq(arc->names[arc->name[i]], e->name);
        for (size_t q = 0; q < QUANTITIES; ++q) {
            cr_assert_eq(arc->value[q]->value[i], e->value[q]);
            cr_assert_eq(arc->price[i * QUANTITIES + q], e->price[q]);
        }
    }
}

Test(call, route_equals_the_typed_call)
{
    const macadam_place waypoint[] = {{.id = 10}, {.id = 30}, {.id = 20}};
    const macadam_query query = typed_query();
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 3;
    request.totals = true;
    macadam_route *expected;
    cr_assert_eq(macadam_route_find(call_engine, &query, &request, &expected, NULL), MACADAM_OK);
    cr_assert(expected->found && expected->leg_count == 2 && expected->arc_count == 4);

    Macadam__V1__Reply *reply = ask_route((int64_t[]){10, 30, 20}, 3, MACADAM_OK);
    cr_assert(reply->route->n_total == QUANTITIES && expected->total_count == QUANTITIES);
    const Macadam__V1__RouteReply *route = reply->route;
    cr_assert(route->found && route->n_value == QUANTITIES);
    cr_assert_arr_eq(route->value, expected->value, QUANTITIES * sizeof(uint32_t));
    cr_assert(route->waypoint->n_id == 3 && route->waypoint->id[2] == 20);
    expect_legs(route->leg, expected);
    expect_arcs(route->arc, expected);
    cr_assert(route->n_lon_e7 == expected->shape_count && route->n_lat_e7 == expected->shape_count);
    for (size_t i = 0; i < expected->shape_count; ++i)
        cr_assert(route->lon_e7[i] / 1e7 == expected->lon[i] && route->lat_e7[i] / 1e7 == expected->lat[i]);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_route_free(expected);
}

Test(call, route_that_does_not_exist_is_no_failure)
{
    Macadam__V1__Reply *reply = ask_route((int64_t[]){10, 50}, 2, MACADAM_OK);
    cr_assert(!reply->route->found && reply->route->arc->n_number == 0);
    cr_assert(reply->route->value[0] == MACADAM_UNREACHED && reply->route->value[1] == MACADAM_UNREACHED);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, route_of_one_waypoint_is_invalid)
{
    macadam__v1__reply__free_unpacked(ask_route((int64_t[]){10}, 1, MACADAM_E_INVALID), NULL);
}

typedef struct expected_paths {
    size_t length[COLUMNS], arc_count;
    uint64_t arc[16];
} expected_paths;

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    expected_paths *paths = context;
    paths->length[pair] = arc_count;
    for (size_t i = 0; i < arc_count; ++i) paths->arc[paths->arc_count++] = arc[i];
    return true;
}

static void expect_routes(bool paths)
{
    const macadam_query query = typed_query();
    macadam_routes_request typed = MACADAM_ROUTES_REQUEST_INIT;
    typed.source = row_place; /* 10 to 30, 99 to 50, 30 to 10 */
    typed.target = column_place;
    typed.pair_count = COLUMNS;
    uint32_t first[COLUMNS], second[COLUMNS], *expected[] = {first, second};
    macadam_place_status status[2 * COLUMNS];
    expected_paths path = {0};
    cr_assert_eq(macadam_routes_paths(call_engine, &query, &typed, expected, status, take_path, &path, NULL),
                 MACADAM_OK);

    matrix_request ends;
    make_matrix_request(&ends);
    ends.source.n_node = COLUMNS;
    Macadam__V1__RoutesRequest ask = MACADAM__V1__ROUTES_REQUEST__INIT;
    ask.source = &ends.source;
    ask.target = &ends.target;
    ask.paths = paths;
    ends.request.ask_case = MACADAM__V1__REQUEST__ASK_ROUTES;
    ends.request.routes = &ask;
    Macadam__V1__Reply *reply = call_expect(&ends.request, NULL, NULL, MACADAM_OK);
    const Macadam__V1__RoutesReply *routes = reply->routes;
    expect_columns(routes->n_value, routes->value, expected, COLUMNS);
    cr_assert(routes->n_source_status == COLUMNS && routes->n_target_status == COLUMNS);
    cr_assert_arr_eq(routes->source_status, status, COLUMNS * sizeof *status);
    cr_assert_arr_eq(routes->target_status, status + COLUMNS, COLUMNS * sizeof *status);
    cr_assert_eq(routes->n_path_arcs, paths ? COLUMNS : 0);
    cr_assert_eq(routes->n_arc, paths ? path.arc_count : 0);
    for (size_t i = 0; i < routes->n_path_arcs; ++i) cr_assert_eq(routes->path_arcs[i], path.length[i]);
    for (size_t i = 0; i < routes->n_arc; ++i) cr_assert_eq(routes->arc[i], path.arc[i]);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, routes_equal_the_typed_call_with_paths_and_without)
{
    expect_routes(false);
    expect_routes(true);
}

/* ---- the engine and its map ---- */

/* A request to snap a point, the node 30 and a point on no globe; not to be moved. */
typedef struct snap_question {
    Macadam__V1__Places__Kind kind[3];
    int64_t node;
    double lon[2], lat[2];
    Macadam__V1__Places place;
    Macadam__V1__SnapRequest snap;
    Macadam__V1__Request request;
} snap_question;

static void ask_snap(snap_question *out, double lon, double lat)
{
    *out =
        (snap_question){.kind = {MACADAM__V1__PLACES__KIND__KIND_POINT, MACADAM__V1__PLACES__KIND__KIND_NODE,
                                 MACADAM__V1__PLACES__KIND__KIND_POINT},
                        .node = 30,
                        .lon = {lon, 400},
                        .lat = {lat, 0},
                        .snap = MACADAM__V1__SNAP_REQUEST__INIT,
                        .request = MACADAM__V1__REQUEST__INIT};
    out->place = call_nodes(&out->node, 1);
    out->place.n_kind = 3, out->place.kind = out->kind;
    out->place.n_lon = out->place.n_lat = 2;
    out->place.lon = out->lon, out->place.lat = out->lat;
    out->snap.place = &out->place;
    out->request.ask_case = MACADAM__V1__REQUEST__ASK_SNAP, out->request.snap = &out->snap;
}

Test(call, snap_keeps_the_order_of_nodes_and_points)
{
    snap_question ask;
    ask_snap(&ask, 7.001, 43);
    Macadam__V1__Reply *reply = call_expect(&ask.request, NULL, NULL, MACADAM_OK);
    cr_assert(reply->snap->n_status == 3 && reply->snap->n_distance_m == 3);
    cr_assert_eq(reply->snap->id[0], 20); /* the node at 7.001, 43 */
    cr_assert_eq(reply->snap->id[1], 30);
    cr_assert_eq(reply->snap->status[2], MACADAM__V1__PLACE_STATUS__PLACE_INVALID);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

/* A point between roads, an id, and a point on no globe. */
Test(call, candidates_of_each_place_equal_the_typed_call)
{
    enum { PLACES = 3, CANDIDATES = 4 };
    snap_question ask;
    ask_snap(&ask, 7.0012, 43.0001);
    ask.snap.candidates = CANDIDATES;
    const macadam_place typed[PLACES] = {{.kind = MACADAM_PLACE_POINT, .lon = ask.lon[0], .lat = ask.lat[0]},
                                         {.kind = MACADAM_PLACE_NODE, .id = ask.node},
                                         {.kind = MACADAM_PLACE_POINT, .lon = ask.lon[1], .lat = ask.lat[1]}};
    Macadam__V1__Reply *reply = call_expect(&ask.request, NULL, NULL, MACADAM_OK);
    size_t at = 0;
    cr_assert_eq(reply->snap->n_candidates, PLACES);
    cr_assert_gt(reply->snap->candidates[0], 1);
    for (size_t p = 0; p < PLACES; ++p) {
        macadam_snap snap[CANDIDATES];
        size_t count;
        cr_assert_eq(macadam_snap_candidates(call_engine, NULL, &typed[p], CANDIDATES, snap, &count, NULL),
                     MACADAM_OK);
        cr_assert_eq(reply->snap->candidates[p], count > 0 ? count : 1);
        for (size_t i = 0; i < reply->snap->candidates[p]; ++i, ++at) {
            cr_assert_eq((int)reply->snap->status[at], (int)snap[i].status);
            if (snap[i].status) continue;
            cr_assert(reply->snap->id[at] == snap[i].id && reply->snap->arc[at] == snap[i].arc);
        }
    }
    cr_assert_eq(reply->snap->n_status, at);
    macadam__v1__reply__free_unpacked(reply, NULL);
    ask.snap.candidates = MACADAM_SNAP_CANDIDATES_MAX + 1;
    macadam__v1__reply__free_unpacked(call_expect(&ask.request, NULL, NULL, MACADAM_E_INVALID), NULL);
}

Test(call, info_tells_what_the_typed_call_tells)
{
    macadam_info info = MACADAM_INFO_INIT;
    cr_assert_eq(macadam_engine_info(call_engine, &info, NULL), MACADAM_OK);
    Macadam__V1__InfoRequest ask = MACADAM__V1__INFO_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_INFO;
    request.info = &ask;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    const Macadam__V1__InfoReply *told = reply->info;
    cr_assert_str_eq(told->version, macadam_version());
    cr_assert_str_eq(told->device, info.device);
    cr_assert(told->id_count == NODES && told->node_count == info.node_count &&
              told->arc_count == info.arc_count);
    cr_assert(told->has_coordinates && told->west == info.west && told->north == info.north);
    cr_assert(told->n_quantity == 2 && told->n_metric == info.metric_count);
    cr_assert_str_eq(told->quantity[0]->name, "duration");
    cr_assert_str_eq(told->quantity[1]->unit, info.unit[1]);
    cr_assert_str_eq(told->metric[0]->companion, "distance");
    macadam__v1__reply__free_unpacked(reply, NULL);
}

static void expect_ids(Macadam__V1__Order order, const int64_t *expected)
{
    Macadam__V1__IdsRequest ids = MACADAM__V1__IDS_REQUEST__INIT;
    ids.order = order;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_IDS;
    request.ids = &ids;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->ids->n_id, NODES);
    cr_assert_arr_eq(reply->ids->id, expected, NODES * sizeof *expected);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, ids_name_the_columns_of_both_orders)
{
    expect_ids(MACADAM__V1__ORDER__ORDER_IDS, (int64_t[]){10, 20, 30, 40, 50});
    expect_ids(MACADAM__V1__ORDER__ORDER_NODES, macadam_engine_node_ids(call_engine, NULL));
}

Test(call, verify_answers_for_a_good_file)
{
    Macadam__V1__VerifyRequest verify = MACADAM__V1__VERIFY_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_VERIFY;
    request.verify = &verify;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_VERIFY);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call, update_by_ends_changes_the_next_answer)
{
    int64_t tail = 40, head = 30;
    uint32_t closed = MACADAM_WEIGHT_CLOSED;
    char *duration = "duration";
    Macadam__V1__Column weight = MACADAM__V1__COLUMN__INIT, *weights = &weight;
    weight.n_value = 1;
    weight.value = &closed;
    Macadam__V1__UpdateRequest update = MACADAM__V1__UPDATE_REQUEST__INIT;
    update.n_tail = update.n_head = update.n_quantity = update.n_value = 1;
    update.tail = &tail;
    update.head = &head;
    update.quantity = &duration;
    update.value = &weights;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_UPDATE;
    request.update = &update;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_UPDATE);
    macadam__v1__reply__free_unpacked(reply, NULL);

    uint32_t first[ROWS * COLUMNS], second[ROWS * COLUMNS], *value[] = {first, second};
    find_matrix(value, NULL);
    cr_assert(first[0] == 20 && second[0] == 6); /* 10 to 30 through 20 */
}

/* Junctions of this map are not split: no turn can have a price. */
Test(call, update_of_turns_reports_what_the_library_does)
{
    uint64_t from = 1, to = 2;
    int64_t via = 20;
    uint32_t price = 5;
    char *duration = "duration";
    Macadam__V1__Column column = MACADAM__V1__COLUMN__INIT, *prices = &column;
    column.n_value = 1;
    column.value = &price;
    Macadam__V1__UpdateRequest update = MACADAM__V1__UPDATE_REQUEST__INIT;
    update.n_turn_from = update.n_turn_to = update.n_quantity = update.n_turn_price = 1;
    update.turn_from = &from, update.turn_to = &to;
    update.quantity = &duration;
    update.turn_price = &prices;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_UPDATE;
    request.update = &update;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_E_UNSUPPORTED);
    cr_assert_not_null(strstr(reply->message, "from arc 1 into arc 2"), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    update.n_turn_via = 1, update.turn_via = &via;
    reply = call_expect(&request, NULL, NULL, MACADAM_E_INVALID);
    cr_assert_not_null(strstr(reply->message, "1 turn_via"), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}
