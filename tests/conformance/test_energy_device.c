/* test_energy_device.c - a device answers reach, trees with limits and isochrones by costs that may be negative as the
 * processor does, into its own memory too. */
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 8, LIMITS = 3, NEAREST = 4, LANES = 16, CELLS = LANES * SIGNED_NODES_MAX };

static macadam_error error;

typedef struct reach_answer {
    uint64_t node_count[SIGNED_NODES_MAX * LIMITS], reached[SIGNED_NODES_MAX];
    uint64_t sum[SIGNED_NODES_MAX];
    uint32_t farthest[SIGNED_NODES_MAX];
    uint32_t found[SIGNED_NODES_MAX], position[SIGNED_NODES_MAX * NEAREST], cost[SIGNED_NODES_MAX * NEAREST];
} reach_answer;

static void find_reach(reach_answer *out, macadam_engine *engine, const signed_graph *graph, bool reverse)
{
    static const uint32_t limit[LIMITS] = {0, 3, 100000000};
    macadam_place place[SIGNED_NODES_MAX];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < graph->node_count; ++i) place[i] = signed_graph_place(graph, i);
    request.source = request.target = place, request.source_count = request.target_count = graph->node_count;
    request.reverse = reverse, request.limit = limit, request.limit_count = LIMITS;
    request.nearest_count = NEAREST;
    answer.node_count = out->node_count, answer.reached = out->reached;
    answer.eccentricity = out->farthest, answer.cost_sum = out->sum;
    answer.nearest_found = out->found, answer.nearest_position = out->position,
    answer.nearest_cost = out->cost;
    fixture_expect_ok(macadam_reach_find(engine, NULL, &request, &answer, NULL, &error), &error, "reach");
}

static void check_reach(macadam_engine *host, macadam_engine *device, const signed_graph *graph)
{
    reach_answer *const a = checked_allocate(2, sizeof *a);
    for (int reverse = 0; reverse < 2; ++reverse) {
        find_reach(&a[0], host, graph, reverse);
        find_reach(&a[1], device, graph, reverse);
        cr_assert_arr_eq(&a[0], &a[1], sizeof a[0]);
    }
    free(a);
}

/* In host memory, and in the device's. */
static void check_tree(macadam_engine *host, macadam_engine *device, const signed_graph *graph,
                       macadam_order order, macadam_tree_method method, uint32_t limit)
{
    static uint32_t right[CELLS], value[CELLS];
    macadam_place place[LANES];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    const size_t bytes = LANES * graph->node_count * sizeof *value;
    void *memory;
    for (size_t i = 0; i < LANES; ++i) place[i] = signed_graph_place(graph, i % graph->node_count);
    request.source = place, request.source_count = LANES, request.limit = limit, request.order = order;
    request.method = method;
    fixture_expect_ok(macadam_tree(host, NULL, &request, &(uint32_t *){right}, NULL, &error), &error, "tree");
    fixture_expect_ok(macadam_tree(device, NULL, &request, &(uint32_t *){value}, NULL, &error), &error,
                      "tree");
    cr_assert_arr_eq(value, right, bytes);
    fixture_expect_ok(macadam_memory_new(&memory, device, MACADAM_MEMORY_DEVICE, bytes, &error), &error,
                      "memory");
    fixture_expect_ok(macadam_tree(device, NULL, &request, &(uint32_t *){memory}, NULL, &error), &error,
                      "tree");
    memset(value, 0, bytes);
    fixture_expect_ok(macadam_memory_read(device, value, memory, bytes, &error), &error, "read");
    cr_assert_arr_eq(value, right, bytes);
    macadam_memory_free(device, memory);
}

/* Matrices and pairs, in host memory, and in the device's. */
static void check_cells(macadam_engine *host, macadam_engine *device, const signed_graph *graph)
{
    static uint32_t right[CELLS], value[CELLS];
    macadam_place source[CELLS], target[CELLS];
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
    const size_t nodes = graph->node_count, cells = LANES * nodes, bytes = cells * sizeof *value;
    void *memory;
    for (size_t i = 0; i < LANES; ++i) source[i] = signed_graph_place(graph, i % nodes);
    for (size_t i = 0; i < nodes; ++i) target[i] = signed_graph_place(graph, i);
    matrix.source = source, matrix.source_count = LANES, matrix.target = target, matrix.target_count = nodes;
    fixture_expect_ok(macadam_matrix_into(host, NULL, &matrix, &(uint32_t *){right}, NULL, &error), &error,
                      "matrix");
    fixture_expect_ok(macadam_matrix_into(device, NULL, &matrix, &(uint32_t *){value}, NULL, &error), &error,
                      "matrix");
    cr_assert_arr_eq(value, right, bytes);
    fixture_expect_ok(macadam_memory_new(&memory, device, MACADAM_MEMORY_DEVICE, bytes, &error), &error,
                      "memory");
    fixture_expect_ok(macadam_matrix_into(device, NULL, &matrix, &(uint32_t *){memory}, NULL, &error), &error,
                      "matrix");
    fixture_expect_ok(macadam_memory_read(device, value, memory, bytes, &error), &error, "read");
    cr_assert_arr_eq(value, right, bytes);
    for (size_t i = cells; i-- > 0;) source[i] = source[i / nodes], target[i] = target[i % nodes];
    routes.source = source, routes.target = target, routes.pair_count = cells;
    fixture_expect_ok(macadam_routes(device, NULL, &routes, &(uint32_t *){memory}, NULL, &error), &error,
                      "routes");
    memset(value, 0, bytes);
    fixture_expect_ok(macadam_memory_read(device, value, memory, bytes, &error), &error, "read");
    cr_assert_arr_eq(value, right, bytes);
    macadam_memory_free(device, memory);
}

enum { SOURCES = 64 };

/* Reads the answers of all sources, which two devices have divided. */
static void read_divided(uint32_t *out, macadam_engine *devices, const void *memory, size_t columns)
{
    for (size_t index = 0; index < 2; ++index) {
        macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
        fixture_expect_ok(macadam_memory_part_at(devices, memory, index, &part, &error), &error, "part");
        fixture_expect_ok(macadam_memory_read(devices, out + part.first_source * columns, part.memory,
                                              part.source_count * columns * sizeof *out, &error),
                          &error, "read");
    }
}

/* In memory that is divided among two devices, costs are signed; but only the processor compares them with a limit. */
static void check_divided(macadam_engine *host, const signed_graph *graph, const char *path)
{
    static uint32_t right[SOURCES * SIGNED_NODES_MAX], value[SOURCES * SIGNED_NODES_MAX];
    const size_t nodes = graph->node_count, bytes = SOURCES * nodes * sizeof *right;
    macadam_place place[SOURCES], target[SIGNED_NODES_MAX];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    void *memory;
    macadam_engine *const devices = emulated_module_open(path, "cuda:all", 1);
    for (size_t i = 0; i < SOURCES; ++i) place[i] = signed_graph_place(graph, i % nodes);
    for (size_t i = 0; i < nodes; ++i) target[i] = signed_graph_place(graph, i);
    request.source = place, request.source_count = SOURCES, request.limit = 3;
    fixture_expect_ok(macadam_memory_new_divided(&memory, devices, SOURCES, nodes * sizeof(uint32_t), &error),
                      &error, "memory");
    cr_assert_eq(macadam_tree(devices, NULL, &request, &(uint32_t *){memory}, NULL, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert(strstr(error.message, "divided memory of costs that may be negative"), "%s", error.message);
    request.limit = 0;
    fixture_expect_ok(macadam_tree(host, NULL, &request, &(uint32_t *){right}, NULL, &error), &error, "tree");
    fixture_expect_ok(macadam_tree(devices, NULL, &request, &(uint32_t *){memory}, NULL, &error), &error,
                      "tree");
    read_divided(value, devices, memory, nodes);
    cr_assert_arr_eq(value, right, bytes);
    matrix.source = place, matrix.source_count = SOURCES, matrix.target = target, matrix.target_count = nodes;
    fixture_expect_ok(macadam_matrix_into(host, NULL, &matrix, &(uint32_t *){right}, NULL, &error), &error,
                      "matrix");
    fixture_expect_ok(macadam_matrix_into(devices, NULL, &matrix, &(uint32_t *){memory}, NULL, &error),
                      &error, "matrix");
    read_divided(value, devices, memory, nodes);
    cr_assert_arr_eq(value, right, bytes);
    macadam_memory_free(devices, memory);
    macadam_engine_close(devices);
}

static void check_isochrones(macadam_engine *host, macadam_engine *device, const signed_graph *graph)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    macadam_isochrone *right, *found;
    request.source = signed_graph_place(graph, 0), request.limit = 3;
    fixture_expect_ok(macadam_isochrone_find(host, NULL, &request, &right, &error), &error, "isochrone");
    fixture_expect_ok(macadam_isochrone_find(device, NULL, &request, &found, &error), &error, "isochrone");
    cr_assert_eq(found->arc_count, right->arc_count);
    for (size_t i = 0; i < found->arc_count; ++i)
        cr_assert(found->arc[i].road.arc == right->arc[i].road.arc &&
                  found->arc[i].cost == right->arc[i].cost && found->arc[i].weight == right->arc[i].weight);
    macadam_isochrone_free(right);
    macadam_isochrone_free(found);
}

Test(energy_device, answers_by_signed_costs_are_those_of_the_processor)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {15};
    emulated_module_install();
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    for (int i = 0; i < GRAPHS; ++i) {
        signed_graph_draw(graph, &rng);
        fixture_expect_ok(signed_graph_import(graph, path, true, &error), &error, path);
        macadam_engine *const host = fixture_open_file(path, 1), *const device =
                                                                     emulated_module_open(path, "cuda", 1);
        check_reach(host, device, graph);
        for (uint32_t limit = 0; limit < 4; limit += 3) {
            check_tree(host, device, graph, MACADAM_ORDER_IDS, MACADAM_TREE_SWEEP, limit);
            check_tree(host, device, graph, MACADAM_ORDER_NODES, MACADAM_TREE_NEAR_FAR, limit);
            check_tree(host, device, graph, MACADAM_ORDER_LANES, MACADAM_TREE_SWEEP, limit);
        }
        check_cells(host, device, graph);
        check_divided(host, graph, path);
        check_isochrones(host, device, graph);
        macadam_engine_close(device);
        macadam_engine_close(host);
    }
    emulated_module_expect_nothing_left();
    files_remove_folder(folder);
    free(graph);
}
