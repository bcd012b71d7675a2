/* test_counts.c - counts that no array can have are refused by every call that takes arrays, and no element
 * is read; arrays without elements may be NULL. */
#include "tests/support/requests.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stdio.h>

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

TestSuite(counts, .init = set_up, .fini = tear_down);

static bool take_no_tile(void *context, const macadam_tile *tile)
{
    (void)context, (void)tile;
    return false;
}

/* Each call requests one or two of everything, except for one count. */
static uint32_t answer_cell[4], *const answer_value[] = {answer_cell, answer_cell};

/* A call that takes a request with one of its counts changed. */
#define COUNT(name, kind, member, call)                                                                      \
    static macadam_status name(size_t count, macadam_error *error)                                           \
    {                                                                                                        \
        macadam_##kind##_request request = kind##_request();                                                 \
        request.member = count;                                                                              \
        return call;                                                                                         \
    }

static macadam_status count_snaps(size_t count, macadam_error *error)
{
    macadam_snap snap;
    return macadam_snap_find(&snap, fixture.engine, NULL, two_places(), count, error);
}

static macadam_status count_candidates(size_t count, macadam_error *error)
{
    macadam_snap snap;
    size_t found;
    return macadam_snap_find_candidates(&snap, &found, fixture.engine, NULL, two_places(), count, error);
}

COUNT(count_tree, tree, source_count,
      macadam_tree_find(answer_value, NULL, fixture.engine, NULL, &request, error))

static macadam_status count_parents(size_t count, macadam_error *error)
{
    macadam_tree_request request = tree_request();
    request.source_count = count;
    request.method = "dijkstra";
    return macadam_tree_find_parents(answer_value, answer_cell, NULL, fixture.engine, NULL, &request, error);
}

static macadam_status count_hops(size_t count, macadam_error *error)
{
    const macadam_hops_request request = {
        .size = sizeof request, .source = two_places(), .source_count = count};
    return macadam_hops_find(answer_cell, answer_cell, NULL, fixture.engine, NULL, &request, error);
}

COUNT(count_reach_sources, reach, source_count, ask_reach(fixture.engine, NULL, &request, error))
COUNT(count_reach_targets, reach, target_count, ask_reach(fixture.engine, NULL, &request, error))
COUNT(count_reach_limits, reach, limit_count, ask_reach(fixture.engine, NULL, &request, error))
COUNT(count_reach_nearest, reach, nearest_count, ask_reach(fixture.engine, NULL, &request, error))

static macadam_status count_waypoints(size_t count, macadam_error *error)
{
    macadam_route *found;
    macadam_route_request request = route_request();
    request.waypoint_count = count;
    return macadam_route_find(&found, fixture.engine, NULL, &request, error);
}

COUNT(count_pairs, routes, pair_count,
      macadam_routes_find(answer_value, NULL, fixture.engine, NULL, &request, error))

static bool take_no_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return false;
}

COUNT(count_paths, routes, pair_count,
      macadam_routes_find_paths(answer_value, NULL, fixture.engine, NULL, &request, take_no_path, NULL,
                                error))
COUNT(count_rows, matrix, source_count,
      macadam_matrix_find_into(answer_value, NULL, fixture.engine, NULL, &request, error))
COUNT(count_columns, matrix, target_count,
      macadam_matrix_find(NULL, fixture.engine, NULL, &request, take_no_tile, NULL, error))

static macadam_status count_quantities(size_t count, macadam_error *error)
{
    const macadam_tree_request request = tree_request();
    const macadam_query query = {.size = sizeof query, .quantity = fixture_quantity, .quantity_count = count};
    return macadam_tree_find(answer_value, NULL, fixture.engine, &query, &request, error);
}

/* Of one arc and one quantity, but for one count. */
static macadam_update_request update_request(void)
{
    static const uint64_t arc[] = {1};
    static const uint32_t weight[] = {1}, *const value[] = {weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc;
    request.value = value;
    request.count = request.quantity_count = 1;
    request.quantity = fixture_quantity;
    return request;
}

COUNT(count_updates, update, count, macadam_update(fixture.engine, &request, error))
COUNT(count_update_quantities, update, quantity_count, macadam_update(fixture.engine, &request, error))

static macadam_status count_divided(size_t count, macadam_error *error)
{
    void *memory;
    return macadam_memory_new_divided(&memory, fixture.engine, count, 8, error);
}

static macadam_status count_file_bytes(size_t count, macadam_error *error)
{
    static alignas(64) const char file[64];
    macadam_engine *engine;
    return macadam_engine_open_memory(&engine, file, count, NULL, error);
}

static macadam_status count_request_bytes(size_t count, macadam_error *error)
{
    static const uint8_t request[] = {0};
    SCOPED(macadam_bytes_free) macadam_bytes reply;
    const macadam_status status = macadam_call(&reply, fixture.engine, request, count, NULL, NULL, error);
    return status;
}

/* Of one node, a loop and a quantity, but for the counts of the caller. */
static macadam_status import_loop(size_t nodes, size_t arcs, size_t quantities, macadam_error *error)
{
    static const uint32_t zero[] = {0}, *const weight[] = {zero};
    char path[FILES_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/loop.mcd", fixture.folder);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    macadam_arrays_input input = {.size = sizeof input, .node_count = nodes, .arc_count = arcs};
    if (arcs) input.tail = input.head = zero;
    input.quantity = fixture_quantity;
    input.quantity_count = quantities;
    input.weight = arcs ? weight : (const uint32_t *const[]){NULL};
    return macadam_import_arrays(&input, &options, error);
}

static macadam_status count_nodes(size_t count, macadam_error *error)
{
    return import_loop(count, 1, 1, error);
}

static macadam_status count_arcs(size_t count, macadam_error *error)
{
    return import_loop(1, count, 1, error);
}

static macadam_status count_import_quantities(size_t count, macadam_error *error)
{
    return import_loop(1, 1, count, error);
}

static macadam_status count_dimacs(size_t count, macadam_error *error)
{
    const char *const weight[] = {"none.gr"};
    const macadam_import_options options = {.size = sizeof options, .output = "none.mcd"};
    const macadam_dimacs_input input = {
        .size = sizeof input, .quantity = fixture_quantity, .weight = weight, .quantity_count = count};
    return macadam_import_dimacs(&input, &options, error);
}

Test(counts, counts_that_no_array_can_have_are_invalid)
{
    static const struct {
        const char *name;
        macadam_status (*call)(size_t count, macadam_error *error);
    } with[] = {
        {"snaps", count_snaps},
        {"candidates", count_candidates},
        {"tree sources", count_tree},
        {"parents' sources", count_parents},
        {"hops' sources", count_hops},
        {"reach sources", count_reach_sources},
        {"reach targets", count_reach_targets},
        {"reach limits", count_reach_limits},
        {"reach nearest", count_reach_nearest},
        {"waypoints", count_waypoints},
        {"pairs", count_pairs},
        {"paths' pairs", count_paths},
        {"matrix rows", count_rows},
        {"matrix columns", count_columns},
        {"quantities", count_quantities},
        {"updates", count_updates},
        {"update quantities", count_update_quantities},
        {"divided memory", count_divided},
        {"bytes of a file", count_file_bytes},
        {"bytes of a request", count_request_bytes},
        {"nodes", count_nodes},
        {"arcs", count_arcs},
        {"import quantities", count_import_quantities},
        {"DIMACS quantities", count_dimacs},
    };
    static const size_t count[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; ++i)
        for (size_t c = 0; c < sizeof count / sizeof count[0]; ++c) {
            macadam_error error = {""};
            cr_expect_eq(with[i].call(count[c], &error), MACADAM_E_INVALID, "%zu %s: %s", count[c],
                         with[i].name, error.message);
            cr_expect_str_not_empty(error.message);
        }
}

/* SIZE_MAX / 2 elements of one byte are an array that C allows, of more bytes they are none. */
Test(counts, half_of_all_memory_is_not_an_array_of_words)
{
    macadam_error error = {""};
    cr_expect_eq(count_snaps(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "places: %s", error.message);
    cr_expect_eq(count_tree(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "sources: %s", error.message);
    cr_expect_eq(count_waypoints(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "waypoints: %s", error.message);
    cr_expect_eq(count_rows(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "sources: %s", error.message);
    cr_expect_eq(count_updates(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "entries: %s", error.message);
    cr_expect_eq(count_arcs(SIZE_MAX / 2, &error), MACADAM_E_INVALID, "arcs: %s", error.message);
}

Test(counts, arrays_without_elements_may_be_null)
{
    const char *name;
    macadam_reach_request reach = reach_request();
    uint64_t reached[2];
    reach.limit = NULL, reach.target = NULL;
    reach.limit_count = reach.target_count = reach.nearest_count = 0;
    const macadam_reach answer = {.size = sizeof answer, .reached = reached};
    cr_expect_geq(macadam_devices(NULL, 0), 1);
    cr_expect_geq(macadam_devices(&name, 1), 1);
    FIXTURE_CALL(macadam_snap_find, NULL, fixture.engine, NULL, NULL, 0);
    FIXTURE_CALL(macadam_reach_find, &answer, NULL, fixture.engine, NULL, &reach);
    FIXTURE_CALL(import_loop, 1, 0, 1);
}
