/* locality.c - see locality.h. */
#include "engine/map/locality.h"

#include "engine/base/sort.h"

enum { CURVE_BITS = 16 };

/* There are no branches, which no processor could predict. (Hilbert 1891; Hamilton 2006) */
uint32_t mcd_hilbert_index(uint32_t x, uint32_t y)
{
    uint32_t index = 0;
    for (uint32_t side = UINT32_C(1) << (CURVE_BITS - 1); side > 0; side /= 2) {
        const uint32_t right = (x & side) != 0, upper = (y & side) != 0;
        const uint32_t lower = upper - 1, mirrored = lower & -right; /* all bits or none */
        index += side * side * ((3 * right) ^ upper);
        x ^= mirrored, y ^= mirrored;
        const uint32_t swapped = (x ^ y) & lower;
        x ^= swapped, y ^= swapped;
    }
    return index;
}

/* Returns the cell of a coordinate in -max..max. */
static uint32_t cell_of(int32_t value_e7, int64_t max_e7)
{
    return (uint32_t)(((int64_t)value_e7 + max_e7) * ((1 << CURVE_BITS) - 1) / (2 * max_e7));
}

/* Equal places keep the order of their nodes. */
static macadam_status order_by_curve(mcd_node *id_of, const mcd_map *map, mcd_watch *watch,
                                     macadam_error *error)
{
    const size_t count = map->node_count;
    MCD_OWNED uint64_t *key = NULL;
    MCD_TRY(MCD_NEW(key, 2 * count, error));
    for (size_t v = 0; v < count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, count, error));
        key[v] = (uint64_t)mcd_hilbert_index(cell_of(map->lon_e7[v], 1800000000),
                                             cell_of(map->lat_e7[v], 900000000))
                     << 32 |
                 v;
    }
    MCD_TRY(mcd_sort_bits(key, key + count, count, 32, 64, watch, error));
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        id_of[(uint32_t)key[i]] = (mcd_node)i;
    }
    return MACADAM_OK;
}

/* Lists the neighbours in either direction as CSR: first[node + 1] ends the list of node. */
static macadam_status list_neighbours(const mcd_map *map, mcd_arc *first, mcd_node *neighbour,
                                      mcd_watch *watch, macadam_error *error)
{
    memset(first, 0, (map->node_count + 2) * sizeof *first);
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        ++first[map->tail[arc] + 2], ++first[map->head[arc] + 2];
    }
    for (size_t v = 0; v < map->node_count; ++v) first[v + 2] += first[v + 1];
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        neighbour[first[map->tail[arc] + 1]++] = map->head[arc];
        neighbour[first[map->head[arc] + 1]++] = map->tail[arc];
    }
    return MACADAM_OK;
}

static macadam_status order_by_breadth(mcd_node *id_of, const mcd_map *map, mcd_watch *watch,
                                       macadam_error *error)
{
    MCD_OWNED mcd_arc *first = NULL;
    MCD_OWNED mcd_node *neighbour = NULL, *queue = NULL;
    MCD_TRY(MCD_NEW(first, map->node_count + 2, error));
    MCD_TRY(MCD_NEW(neighbour, 2 * map->arc_count, error));
    MCD_TRY(MCD_NEW(queue, map->node_count, error));
    MCD_TRY(list_neighbours(map, first, neighbour, watch, error));
    for (size_t v = 0; v < map->node_count; ++v) id_of[v] = MCD_NODE_NONE;
    mcd_node reached = 0, done_count = 0;
    for (size_t start = 0; start < map->node_count; ++start) {
        if (id_of[start] != MCD_NODE_NONE) continue;
        queue[reached] = (mcd_node)start;
        id_of[start] = reached++;
        for (; done_count < reached; ++done_count) {
            MCD_TRY(mcd_watch_item(watch, done_count, map->node_count, error));
            for (mcd_arc i = first[queue[done_count]]; i < first[queue[done_count] + 1]; ++i) {
                if (id_of[neighbour[i]] != MCD_NODE_NONE) continue;
                queue[reached] = neighbour[i];
                id_of[neighbour[i]] = reached++;
            }
        }
    }
    return MACADAM_OK;
}

macadam_status mcd_locality_order(mcd_node **id_of, const mcd_map *map, mcd_watch *watch,
                                  macadam_error *error)
{
    MCD_OWNED mcd_node *id = NULL;
    *id_of = NULL;
    MCD_TRY(MCD_NEW(id, map->node_count, error));
    MCD_TRY(map->lon_e7 ? order_by_curve(id, map, watch, error) : order_by_breadth(id, map, watch, error));
    return MCD_MOVE(*id_of, id);
}
