/* test_misuse.c - calls that no careful host makes: each gives a status and a message that names the
 * error. */
#include "tests/support/checked.h"
#include "tests/support/requests.h"

#include <criterion/criterion.h>
#include <string.h>

static test_graph graph;
static fixture_engine fixture;

static void set_up(void)
{
    graph = graphs_make_named("grid");
    fixture_open(&fixture, &graph, 1);
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
}

TestSuite(misuse, .init = set_up, .fini = tear_down);

/* `call` writes into `error`. It must fail with `status` and a one-line message that holds `named`. */
#define EXPECT(status, named, call)                                                                          \
    do {                                                                                                     \
        macadam_error error = {""};                                                                          \
        const macadam_status got = (call);                                                                   \
        cr_assert_eq(got, status, "%s: %s: %s", #call, macadam_status_name(got), error.message);             \
        cr_assert_not_null(strstr(error.message, named), "%s: \"%s\" does not name %s", #call,               \
                           error.message, named);                                                            \
        cr_assert_null(strchr(error.message, '\n'));                                                         \
        cr_assert_str_not_empty(error.message);                                                              \
    } while (0)

static uint32_t *tree_value[2];
static macadam_status ask_tree(const macadam_query *query, const macadam_tree_request *request,
                               macadam_error *error)
{
    for (size_t q = 0; q < 2; ++q)
        if (!tree_value[q]) tree_value[q] = checked_allocate(64 * graph.node_count, sizeof *tree_value[q]);
    return macadam_tree_find(tree_value, NULL, fixture.engine, query, request, error);
}

Test(misuse, well_formed_requests_of_this_file_succeed)
{
    const macadam_tree_request tree = tree_request();
    const macadam_route_request route = route_request();
    const macadam_routes_request routes = routes_request();
    const macadam_matrix_request matrix = matrix_request();
    const macadam_reach_request reach = reach_request();
    uint32_t cell[4], *const value[] = {cell};
    macadam_route *found;
    cr_assert_eq(ask_tree(NULL, &tree, NULL), MACADAM_OK);
    cr_assert_eq(ask_reach(fixture.engine, NULL, &reach, NULL), MACADAM_OK);
    cr_assert_eq(macadam_route_find(&found, fixture.engine, NULL, &route, NULL), MACADAM_OK);
    cr_assert(found->found);
    macadam_route_free(found);
    cr_assert_eq(macadam_routes_find(value, NULL, fixture.engine, NULL, &routes, NULL), MACADAM_OK);
    cr_assert_eq(macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &matrix, NULL), MACADAM_OK);
}

Test(misuse, freeing_nothing_is_fine)
{
    SCOPED(macadam_bytes_free) macadam_bytes bytes = {NULL, 0};
    macadam_engine_close(NULL);
    macadam_route_free(NULL);
    macadam_connection_free(NULL);
}

Test(misuse, missing_arguments_are_invalid)
{
    macadam_tree_request tree = tree_request();
    macadam_route_request route = route_request();
    macadam_routes_request routes = routes_request();
    macadam_matrix_request matrix = matrix_request();
    macadam_route *found = (macadam_route *)&graph;
    uint32_t cell[4], *const value[] = {cell};
    EXPECT(MACADAM_E_INVALID, "", ask_tree(NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_tree_find(NULL, NULL, fixture.engine, NULL, &tree, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_route_find(&found, fixture.engine, NULL, NULL, &error));
    cr_assert_null(found);
    EXPECT(MACADAM_E_INVALID, "", macadam_routes_find(value, NULL, fixture.engine, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_routes_find(NULL, NULL, fixture.engine, NULL, &routes, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_matrix_find_into(value, NULL, fixture.engine, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "",
           macadam_matrix_find_into(NULL, NULL, fixture.engine, NULL, &matrix, &error));
    EXPECT(MACADAM_E_INVALID, "",
           macadam_matrix_find(NULL, fixture.engine, NULL, &matrix, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_update(fixture.engine, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "no place for the route",
           macadam_route_find(NULL, fixture.engine, NULL, &route, &error));
    EXPECT(MACADAM_E_INVALID, "no place for the prepared targets",
           macadam_nearest_new(NULL, NULL, fixture.engine, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_engine_save(fixture.engine, NULL, &error));
    size_t count;
    EXPECT(MACADAM_E_INVALID, "methods",
           macadam_methods(NULL, NULL, 0, "cpu", MACADAM_QUESTION_TREES, &error));
    EXPECT(MACADAM_E_INVALID, "methods",
           macadam_methods(NULL, &count, 1, "cpu", MACADAM_QUESTION_TREES, &error));
    EXPECT(MACADAM_E_INVALID, "instant", macadam_instant_read(NULL, "Mo08:15", NULL, &error));
    cr_assert_geq(macadam_devices(NULL, 1), 1);
    tree.source = NULL;
    route.waypoint = NULL;
    routes.target = NULL;
    matrix.target = NULL;
    EXPECT(MACADAM_E_INVALID, "", ask_tree(NULL, &tree, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_route_find(&found, fixture.engine, NULL, &route, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_routes_find(value, NULL, fixture.engine, NULL, &routes, &error));
    EXPECT(MACADAM_E_INVALID, "",
           macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &matrix, &error));
}

Test(misuse, structures_without_their_size_are_invalid)
{
    macadam_tree_request tree = tree_request();
    macadam_route_request route = route_request();
    macadam_routes_request routes = routes_request();
    macadam_matrix_request matrix = matrix_request();
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    macadam_info info = MACADAM_INFO_INIT;
    macadam_route *found;
    macadam_engine *engine = fixture.engine;
    uint32_t cell[4], *const value[] = {cell};
    const macadam_query query = {.size = 0};
    EXPECT(MACADAM_E_INVALID, "size", ask_tree(&query, &tree, &error));
    tree.size = route.size = routes.size = matrix.size = update.size = options.size = info.size = 0;
    EXPECT(MACADAM_E_INVALID, "size", ask_tree(NULL, &tree, &error));
    EXPECT(MACADAM_E_INVALID, "size", macadam_route_find(&found, fixture.engine, NULL, &route, &error));
    EXPECT(MACADAM_E_INVALID, "size",
           macadam_routes_find(value, NULL, fixture.engine, NULL, &routes, &error));
    EXPECT(MACADAM_E_INVALID, "size",
           macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &matrix, &error));
    EXPECT(MACADAM_E_INVALID, "size", macadam_update(fixture.engine, &update, &error));
    EXPECT(MACADAM_E_INVALID, "size", macadam_engine_info(&info, fixture.engine, &error));
    EXPECT(MACADAM_E_INVALID, "size", macadam_engine_open(&engine, fixture.path, &options, &error));
    cr_assert_null(engine);
}

Test(misuse, empty_lists_are_invalid)
{
    macadam_tree_request tree = tree_request();
    macadam_route_request route = route_request();
    macadam_matrix_request matrix = matrix_request();
    macadam_route *found;
    uint32_t cell[4], *const value[] = {cell};
    tree.source_count = 0;
    route.waypoint_count = 1;
    matrix.target_count = 0;
    EXPECT(MACADAM_E_INVALID, "", ask_tree(NULL, &tree, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_route_find(&found, fixture.engine, NULL, &route, &error));
    EXPECT(MACADAM_E_INVALID, "",
           macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &matrix, &error));
    matrix = matrix_request();
    matrix.source_count = 0;
    EXPECT(MACADAM_E_INVALID, "",
           macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &matrix, &error));
}

Test(misuse, unknown_metrics_and_quantities_are_named)
{
    const macadam_tree_request tree = tree_request();
    macadam_query query = {.size = sizeof query, .metric = "colour"};
    EXPECT(MACADAM_E_NOT_FOUND, "colour", ask_tree(&query, &tree, &error));
    query.metric = "distance";
    query.quantity = (const char *const[]){"distance", "noise", "duration"};
    query.quantity_count = 2;
    EXPECT(MACADAM_E_NOT_FOUND, "noise", ask_tree(&query, &tree, &error));
    query.quantity_count = 3;
    EXPECT(MACADAM_E_INVALID, "", ask_tree(&query, &tree, &error));
    query.quantity = NULL;
    query.quantity_count = 1;
    EXPECT(MACADAM_E_INVALID, "", ask_tree(&query, &tree, &error));
}

Test(misuse, lanes_come_in_sixteens)
{
    macadam_tree_request tree = tree_request();
    tree.order = MACADAM_ORDER_LANES;
    EXPECT(MACADAM_E_INVALID, "16", ask_tree(NULL, &tree, &error));
    tree.order = (macadam_order)7;
    EXPECT(MACADAM_E_INVALID, "7", ask_tree(NULL, &tree, &error));
}

Test(misuse, methods_of_trees_and_what_they_answer_are_checked)
{
    macadam_tree_request tree = tree_request();
    uint32_t parent[128 * 128], *const value[] = {parent};
    tree.method = "quick";
    EXPECT(MACADAM_E_INVALID, "no method \"quick\" for trees on ", ask_tree(NULL, &tree, &error));
    tree.method = "auto";
    EXPECT(MACADAM_E_INVALID, "parents",
           macadam_tree_find_parents(value, NULL, NULL, fixture.engine, NULL, &tree, &error));
    EXPECT(MACADAM_E_INVALID, "engine",
           macadam_tree_find_parents(value, parent, NULL, NULL, NULL, &tree, &error));
    tree.method = "sweep";
    EXPECT(MACADAM_E_INVALID, "parents",
           macadam_tree_find_parents(value, parent, NULL, fixture.engine, NULL, &tree, &error));
    tree.method = "dijkstra";
    tree.order = MACADAM_ORDER_LANES;
    EXPECT(MACADAM_E_INVALID, "lanes",
           macadam_tree_find_parents(value, parent, NULL, fixture.engine, NULL, &tree, &error));
}

static bool take_no_tile(void *context, const macadam_tile *tile)
{
    (void)context, (void)tile;
    return false;
}

Test(misuse, hops_connections_and_all_pairs_name_what_is_missing)
{
    macadam_hops_request hops = MACADAM_HOPS_REQUEST_INIT;
    macadam_connection_request connect = MACADAM_CONNECTION_REQUEST_INIT;
    macadam_all_pairs_request all = MACADAM_ALL_PAIRS_REQUEST_INIT;
    macadam_connection *found = (macadam_connection *)&graph;
    uint32_t cell[1];
    EXPECT(MACADAM_E_INVALID, "source",
           macadam_hops_find(cell, NULL, NULL, fixture.engine, NULL, &hops, &error));
    hops.source = two_places();
    hops.source_count = 2;
    EXPECT(MACADAM_E_INVALID, "hops",
           macadam_hops_find(NULL, NULL, NULL, fixture.engine, NULL, &hops, &error));
    hops.method = "two-phase"; /* a GPU has it */
    EXPECT(MACADAM_E_INVALID, "; there are auto, top-down, bottom-up",
           macadam_hops_find(cell, NULL, NULL, fixture.engine, NULL, &hops, &error));
    hops.method = "auto";
    EXPECT(MACADAM_E_INVALID, "engine", macadam_hops_find(cell, NULL, NULL, NULL, NULL, &hops, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_hops_find(cell, NULL, NULL, fixture.engine, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "engine", macadam_connection_find(&found, NULL, NULL, &connect, &error));
    cr_assert_null(found);
    EXPECT(MACADAM_E_INVALID, "connection",
           macadam_connection_find(NULL, fixture.engine, NULL, &connect, &error));
    EXPECT(MACADAM_E_INVALID, "callback",
           macadam_all_pairs_find(fixture.engine, NULL, &all, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "engine", macadam_all_pairs_find(NULL, NULL, &all, take_no_tile, NULL, &error));
    EXPECT(MACADAM_E_CANCELLED, "callback",
           macadam_all_pairs_find(fixture.engine, NULL, &all, take_no_tile, NULL, &error));
    all.method = "";
    EXPECT(MACADAM_E_INVALID, "method \"\"",
           macadam_all_pairs_find(fixture.engine, NULL, &all, take_no_tile, NULL, &error));
    hops.size = connect.size = all.size = 0;
    EXPECT(MACADAM_E_INVALID, "size",
           macadam_hops_find(cell, NULL, NULL, fixture.engine, NULL, &hops, &error));
    EXPECT(MACADAM_E_INVALID, "size",
           macadam_connection_find(&found, fixture.engine, NULL, &connect, &error));
    EXPECT(MACADAM_E_INVALID, "size",
           macadam_all_pairs_find(fixture.engine, NULL, &all, take_no_tile, NULL, &error));
}

Test(misuse, places_that_fail_reach_nothing_and_connect_to_nothing)
{
    macadam_connection_request connect = MACADAM_CONNECTION_REQUEST_INIT;
    macadam_place source[2] = {fixture_place(0), fixture_place(1)};
    macadam_place_status status[2];
    SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
    FREED uint32_t *hop = checked_allocate(4 * graph.node_count, sizeof *hop);
    source[0].id = INT64_MAX;
    const macadam_hops_request hops = {.size = sizeof hops, .source = source, .source_count = 2};
    cr_assert_eq(
        macadam_hops_find(hop, hop + 2 * graph.node_count, status, fixture.engine, NULL, &hops, NULL),
        MACADAM_OK);
    cr_assert(status[0] == MACADAM_PLACE_UNKNOWN_ID && status[1] == MACADAM_PLACE_OK);
    for (size_t i = 0; i < graph.node_count; ++i) {
        cr_assert(hop[i] == MACADAM_UNREACHED && hop[2 * graph.node_count + i] == MACADAM_UNREACHED);
        cr_assert_neq(hop[graph.node_count + i], MACADAM_UNREACHED);
    }
    connect.source = source[0];
    connect.target = source[1];
    cr_assert_eq(macadam_connection_find(&found, fixture.engine, NULL, &connect, NULL), MACADAM_OK);
    cr_assert(!found->connected && found->hops == MACADAM_UNREACHED && found->node_count == 0);
    cr_assert_eq(found->source.status, MACADAM_PLACE_UNKNOWN_ID);
}

Test(misuse, reach_needs_places_and_limits)
{
    uint64_t cell[2];
    macadam_reach answer = MACADAM_REACH_INIT;
    macadam_reach_request reach = reach_request();
    macadam_engine *engine = fixture.engine;
    EXPECT(MACADAM_E_INVALID, "answer", macadam_reach_find(&answer, NULL, engine, NULL, &reach, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_reach_find(NULL, NULL, engine, NULL, &reach, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_reach_find(&answer, NULL, engine, NULL, NULL, &error));
    answer.value_sum = cell;
    EXPECT(MACADAM_E_INVALID, "values", macadam_reach_find(&answer, NULL, engine, NULL, &reach, &error));
    answer.size = 0;
    EXPECT(MACADAM_E_INVALID, "size", macadam_reach_find(&answer, NULL, engine, NULL, &reach, &error));
    reach.target_count = 0;
    EXPECT(MACADAM_E_INVALID, "nearest 1 of 0", ask_reach(fixture.engine, NULL, &reach, &error));
    reach = reach_request();
    reach.target = NULL;
    EXPECT(MACADAM_E_INVALID, "target", ask_reach(fixture.engine, NULL, &reach, &error));
    reach = reach_request();
    reach.nearest_count = 0;
    EXPECT(MACADAM_E_INVALID, "nearest 0", ask_reach(fixture.engine, NULL, &reach, &error));
    reach.nearest_count = MACADAM_REACH_NEAREST_MAX + 1;
    EXPECT(MACADAM_E_INVALID, "1025", ask_reach(fixture.engine, NULL, &reach, &error));
    reach = reach_request();
    reach.source_count = 0;
    EXPECT(MACADAM_E_INVALID, "source", ask_reach(fixture.engine, NULL, &reach, &error));
    reach = reach_request();
    reach.size = 0;
    EXPECT(MACADAM_E_INVALID, "size", ask_reach(fixture.engine, NULL, &reach, &error));
}

Test(misuse, reach_has_limits_of_its_own)
{
    const uint32_t high[] = {3, MACADAM_WEIGHT_MAX + 1};
    macadam_reach_request reach = reach_request();
    reach.limit = high;
    reach.limit_count = 2;
    EXPECT(MACADAM_E_INVALID, "2147483647", ask_reach(fixture.engine, NULL, &reach, &error));
    reach.limit_count = MACADAM_REACH_LIMITS_MAX + 1;
    EXPECT(MACADAM_E_INVALID, "17", ask_reach(fixture.engine, NULL, &reach, &error));
    reach.limit_count = 0;
    EXPECT(MACADAM_E_INVALID, "limit", ask_reach(fixture.engine, NULL, &reach, &error));
    reach.limit_count = 1;
    reach.limit = NULL;
    EXPECT(MACADAM_E_INVALID, "limit", ask_reach(fixture.engine, NULL, &reach, &error));
}

Test(misuse, reach_knows_the_objective_alone)
{
    const macadam_reach_request reach = reach_request();
    macadam_query query = {.size = sizeof query, .quantity = fixture_quantity, .quantity_count = 1};
    cr_assert_eq(ask_reach(fixture.engine, &query, &reach, NULL), MACADAM_OK);
    query.quantity_count = 2;
    EXPECT(MACADAM_E_INVALID, "distance", ask_reach(fixture.engine, &query, &reach, &error));
}

Test(misuse, limit_too_small_for_anything_says_how_much_is_needed)
{
    macadam_place source[16];
    for (uint32_t i = 0; i < 16; ++i) source[i] = fixture_place(i);
    macadam_tree_request tree = tree_request();
    tree.source = source;
    tree.source_count = 16;
    const macadam_query query = {.size = sizeof query, .memory_limit = 1};
    macadam_error error = {""};
    cr_assert_eq(ask_tree(&query, &tree, &error), MACADAM_E_LIMIT, "%s", error.message);
    const char *digit = strpbrk(error.message, "0123456789");
    cr_assert_not_null(digit, "\"%s\" says no number", error.message);
}

Test(misuse, files_that_are_none_are_refused_by_name)
{
    char path[FILES_PATH_BYTES + 16];
    macadam_engine *engine = fixture.engine;
    snprintf(path, sizeof path, "%s/none.mcd", fixture.folder);
    EXPECT(MACADAM_E_IO, "none.mcd", macadam_engine_open(&engine, path, NULL, &error));
    cr_assert_null(engine);
    EXPECT(MACADAM_E_INVALID, "", macadam_engine_open(&engine, NULL, NULL, &error));
    files_write(path, "", 0);
    EXPECT(MACADAM_E_FILE, "none.mcd", macadam_engine_open(&engine, path, NULL, &error));
    files_write(path, "p sp 1 1\na 1 1 1\n", 17);
    EXPECT(MACADAM_E_FILE, "none.mcd", macadam_engine_open(&engine, path, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "", macadam_engine_open_memory(&engine, NULL, 100, NULL, &error));
}

Test(misuse, unknown_and_absent_devices_are_named)
{
    macadam_engine *engine;
    macadam_engine_options options = {.size = sizeof options, .device = "abacus"};
    EXPECT(MACADAM_E_DEVICE, "abacus", macadam_engine_open(&engine, fixture.path, &options, &error));
    options.device = "cuda:99";
    EXPECT(MACADAM_E_DEVICE, "cuda:99", macadam_engine_open(&engine, fixture.path, &options, &error));
}

Test(misuse, imports_of_impossible_arrays_name_the_value)
{
    const uint32_t tail[] = {0, 1}, head[] = {1, 2}, good[] = {1, 2}, bad[] = {1, 0x7fffffff};
    const int64_t twice[] = {7, 7, 8};
    char path[FILES_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/arrays.mcd", fixture.folder);
    macadam_import_options options = {.size = sizeof options, .output = path};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = 2;
    input.arc_count = 2;
    input.tail = tail;
    input.head = head;
    input.quantity = fixture_quantity;
    input.quantity_count = 1;
    input.weight = (const uint32_t *const[]){good};
    EXPECT(MACADAM_E_INVALID, "2", macadam_import_arrays(&input, &options, &error)); /* head 2 of 2 nodes */
    input.node_count = 3;
    input.weight = (const uint32_t *const[]){bad};
    EXPECT(MACADAM_E_INVALID, "2147483647", macadam_import_arrays(&input, &options, &error));
    input.weight = (const uint32_t *const[]){good};
    input.id = twice;
    EXPECT(MACADAM_E_INVALID, "7", macadam_import_arrays(&input, &options, &error));
    input.id = NULL;
    input.quantity_count = 0;
    EXPECT(MACADAM_E_INVALID, "", macadam_import_arrays(&input, &options, &error));
    input.quantity_count = 2;
    input.quantity = (const char *const[]){"duration", "duration"};
    input.weight = (const uint32_t *const[]){good, good};
    EXPECT(MACADAM_E_INVALID, "duration", macadam_import_arrays(&input, &options, &error));
    options.output = NULL;
    EXPECT(MACADAM_E_INVALID, "output", macadam_import_arrays(&input, &options, &error));
    cr_assert_eq(files_count(fixture.folder), 1, "a refused import left a file");
}

Test(misuse, all_pairs_and_closures_say_what_they_lack)
{
    macadam_engine *const engine = fixture.engine;
    const char *const both[] = {"duration", "distance"};
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
    macadam_closure_request closure = MACADAM_CLOSURE_REQUEST_INIT;
    FREED uint32_t *cell = checked_allocate(graph.node_count * graph.node_count, sizeof *cell);
    uint32_t *const value[] = {cell, NULL};
    uint8_t bits;
    EXPECT(MACADAM_E_INVALID, "callback", macadam_all_pairs_find(engine, NULL, &request, NULL, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "engine",
           macadam_all_pairs_find(NULL, NULL, &request, take_no_tile, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "request",
           macadam_all_pairs_find(engine, NULL, NULL, take_no_tile, NULL, &error));
    EXPECT(MACADAM_E_INVALID, "memory",
           macadam_all_pairs_find_into(NULL, NULL, engine, NULL, &request, &error));
    EXPECT(MACADAM_E_INVALID, "path", macadam_all_pairs_save(engine, NULL, &request, NULL, &error));
    EXPECT(MACADAM_E_IO, "/no/", macadam_all_pairs_save(engine, NULL, &request, "/no/such.npy", &error));
    request.next = true;
    EXPECT(MACADAM_E_INVALID, "next hops",
           macadam_all_pairs_find_into(value, NULL, engine, NULL, &request, &error));
    request.method = "near-far";
    EXPECT(MACADAM_E_INVALID, "next hops",
           macadam_all_pairs_find_into(value, cell, engine, NULL, &request, &error));
    request.next = false;
    request.method = "top-down"; /* of hops */
    EXPECT(MACADAM_E_INVALID, "dijkstra, floyd-warshall",
           macadam_all_pairs_find(engine, NULL, &request, take_no_tile, NULL, &error));
    request.method = "floyd-warshall";
    query.quantity = both, query.quantity_count = 2;
    EXPECT(MACADAM_E_INVALID, "objective",
           macadam_all_pairs_find(engine, &query, &request, take_no_tile, NULL, &error));
    query.quantity_count = 0, query.memory_limit = 5000;
    EXPECT(MACADAM_E_LIMIT, "5000",
           macadam_all_pairs_find(engine, &query, &request, take_no_tile, NULL, &error));
    request.method = "auto", query.quantity_count = 2;
    EXPECT(MACADAM_E_INVALID, "1",
           macadam_all_pairs_find_into(value, NULL, engine, &query, &request, &error));
    EXPECT(MACADAM_E_INVALID, "memory", macadam_closure_find(NULL, engine, &closure, &error));
    EXPECT(MACADAM_E_INVALID, "path", macadam_closure_save(engine, &closure, NULL, &error));
    EXPECT(MACADAM_E_IO, "/no/", macadam_closure_save(engine, &closure, "/no/such.npy", &error));
    EXPECT(MACADAM_E_INVALID, "engine", macadam_closure_find(&bits, NULL, &closure, &error));
    closure.memory_limit = 10;
    EXPECT(MACADAM_E_LIMIT, "the limit is 10", macadam_closure_find(&bits, engine, &closure, &error));
    closure.size = 3;
    EXPECT(MACADAM_E_INVALID, "size", macadam_closure_find(&bits, engine, &closure, &error));
}

Test(misuse, engine_without_hierarchy_answers_right_or_says_what_it_lacks)
{
    const uint32_t tail[] = {0, 1}, head[] = {1, 2}, weight[] = {4, 5};
    char path[FILES_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/flat.mcd", fixture.folder);
    const macadam_import_options options = {.size = sizeof options, .output = path, .no_hierarchy = true};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = 3;
    input.arc_count = 2;
    input.tail = tail;
    input.head = head;
    input.quantity = fixture_quantity;
    input.quantity_count = 1;
    input.weight = (const uint32_t *const[]){weight};
    macadam_error error = {""};
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(path, 1);
    macadam_info info = MACADAM_INFO_INIT;
    cr_assert_eq(macadam_engine_info(&info, engine, NULL), MACADAM_OK);
    cr_assert_eq(info.up_arc_count, 0);
    cr_assert_eq(info.arc_count, 2);
    const macadam_place source = {.id = 0};
    macadam_tree_request request = {.size = sizeof request, .source = &source, .source_count = 1};
    uint32_t dist[3], *const value[] = {dist};
    FIXTURE_CALL(macadam_tree_find, value, NULL, engine, NULL, &request);
    cr_assert_arr_eq(dist, ((uint32_t[]){0, 4, 9}), sizeof dist);
    request.method = "sweep";
    cr_assert_eq(macadam_tree_find(value, NULL, engine, NULL, &request, &error), MACADAM_E_UNSUPPORTED);
    cr_assert_not_null(strstr(error.message, "hierarchy"), "%s", error.message);
}
