/* test_energy_device.c - costs that may be negative in memory that is divided among devices. That one device answers as
 * the processor does, into its own memory too, is for tests/metamorphic. */
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static macadam_error error;

enum { GRAPHS = 8, SOURCES = 64 };

/* Reads the answers of all sources, which two devices have divided. */
static void read_divided(uint32_t *out, macadam_engine *devices, const void *memory, size_t columns)
{
    for (size_t index = 0; index < 2; ++index) {
        macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
        FIXTURE_CALL(macadam_memory_part_at, &part, devices, memory, index);
        FIXTURE_CALL(macadam_memory_read, out + part.first_source * columns, devices, part.memory,
                     part.source_count * columns * sizeof *out);
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
    SCOPED(macadam_engine_close_at) macadam_engine *const devices = emulated_module_open(path, "cuda:all", 1);
    for (size_t i = 0; i < SOURCES; ++i) place[i] = signed_graph_place(graph, i % nodes);
    for (size_t i = 0; i < nodes; ++i) target[i] = signed_graph_place(graph, i);
    request.source = place, request.source_count = SOURCES, request.limit = 3;
    FIXTURE_CALL(macadam_memory_new_divided, &memory, devices, SOURCES, nodes * sizeof(uint32_t));
    cr_assert_eq(macadam_tree_find(&(uint32_t *){memory}, NULL, devices, NULL, &request, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert(strstr(error.message, "divided memory of costs that may be negative"), "%s", error.message);
    request.limit = 0;
    FIXTURE_CALL(macadam_tree_find, &(uint32_t *){right}, NULL, host, NULL, &request);
    FIXTURE_CALL(macadam_tree_find, &(uint32_t *){memory}, NULL, devices, NULL, &request);
    read_divided(value, devices, memory, nodes);
    cr_assert_arr_eq(value, right, bytes);
    matrix.source = place, matrix.source_count = SOURCES, matrix.target = target, matrix.target_count = nodes;
    FIXTURE_CALL(macadam_matrix_find_into, &(uint32_t *){right}, NULL, host, NULL, &matrix);
    FIXTURE_CALL(macadam_matrix_find_into, &(uint32_t *){memory}, NULL, devices, NULL, &matrix);
    read_divided(value, devices, memory, nodes);
    cr_assert_arr_eq(value, right, bytes);
    macadam_memory_free(devices, memory);
}

Test(energy_device, signed_costs_in_divided_memory_are_those_of_the_processor)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    FREED signed_graph *const graph = checked_allocate(1, sizeof *graph);
    test_rng rng = {15};
    emulated_module_install();
    files_new_path(folder, path, "graph.mcd");
    for (int i = 0; i < GRAPHS; ++i) {
        signed_graph_draw(graph, &rng);
        fixture_expect_ok(signed_graph_import(graph, path, true, &error), &error, path);
        SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 1);
        check_divided(host, graph, path);
    }
    emulated_module_expect_nothing_left();
    files_remove_folder(folder);
}
