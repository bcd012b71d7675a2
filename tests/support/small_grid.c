/* small_grid.c - see small_grid.h. */
#include "tests/support/small_grid.h"

#include "tests/support/checked.h"
#include "tests/support/graphs.h"

static test_graph make_grid(uint32_t side, uint32_t least, const uint32_t *const weight[2])
{
    test_graph graph = {.node_count = (size_t)side * side};
    for (uint32_t node = 0; node < side * side; ++node)
        for (uint32_t way = 0; way < 2; ++way) {
            const uint32_t other = way ? node + side : node + 1;
            if (way ? other >= side * side : other % side == 0) continue;
            for (int back = 0; back < 2; ++back) {
                const uint32_t arc = (uint32_t)graph.arc_count;
                test_graph_add(&graph, back ? other : node, back ? node : other,
                               weight ? weight[0][arc] : least + arc * 7 % 11,
                               weight ? weight[1][arc] : arc * 5 % 13);
            }
        }
    return graph;
}

macadam_status small_grid_import(uint32_t side, uint32_t least, const uint32_t *const weight[2],
                                 const macadam_import_options *options, macadam_error *error)
{
    static const char *const quantity[] = {"duration", "distance"};
    test_graph graph = make_grid(side, least, weight);
    int32_t *const lon_e7 = checked_allocate(graph.node_count, sizeof *lon_e7), *const lat_e7 =
                                                                                    checked_allocate(
                                                                                        graph.node_count,
                                                                                        sizeof *lat_e7);
    for (uint32_t node = 0; node < side * side; ++node)
        lon_e7[node] = (int32_t)(node % side) * 10000, lat_e7[node] = (int32_t)(node / side) * 10000;
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = graph.node_count, input.arc_count = graph.arc_count;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = graph.tail, input.head = graph.head;
    input.quantity = quantity, input.quantity_count = 2;
    input.weight = (const uint32_t *const *)graph.weight;
    const macadam_status status = macadam_import_arrays(&input, options, error);
    test_graph_free(&graph);
    free(lon_e7);
    free(lat_e7);
    return status;
}
