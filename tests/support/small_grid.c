/* small_grid.c - see small_grid.h. One block of memory: if there is none, the import fails as if it had none. */
#include "tests/support/small_grid.h"

#include <stdio.h>
#include <stdlib.h>

static void fill_arcs(uint32_t side, uint32_t *tail, uint32_t *head)
{
    for (uint32_t node = 0; node < side * side; ++node)
        for (uint32_t way = 0; way < 2; ++way) {
            const uint32_t other = way ? node + side : node + 1;
            if (way ? other >= side * side : other % side == 0) continue;
            *tail++ = node, *head++ = other;
            *tail++ = other, *head++ = node;
        }
}

macadam_status small_grid_import(uint32_t side, uint32_t least, const uint32_t *const weight[2],
                                 const macadam_import_options *options, macadam_error *error)
{
    static const char *const quantity[] = {"duration", "distance"};
    const uint32_t nodes = side * side, arcs = SMALL_GRID_ARCS(side);
    int32_t *const lon_e7 = malloc((2 * nodes + 4 * arcs) * sizeof *lon_e7);
    if (!lon_e7) {
        snprintf(error->message, sizeof error->message, "no memory for a grid");
        return MACADAM_E_MEMORY;
    }
    int32_t *const lat_e7 = lon_e7 + nodes;
    uint32_t *const tail = (uint32_t *)(lat_e7 + nodes), *const head = tail + arcs;
    uint32_t *const own[] = {head + arcs, head + 2 * arcs};
    fill_arcs(side, tail, head);
    for (uint32_t node = 0; node < nodes; ++node)
        lon_e7[node] = (int32_t)(node % side) * 10000, lat_e7[node] = (int32_t)(node / side) * 10000;
    for (uint32_t arc = 0; arc < arcs; ++arc) own[0][arc] = least + arc * 7 % 11, own[1][arc] = arc * 5 % 13;
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = nodes, input.arc_count = arcs;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.quantity_count = 2;
    input.weight = weight ? weight : (const uint32_t *const *)own;
    const macadam_status status = macadam_import_arrays(&input, options, error);
    free(lon_e7);
    return status;
}
