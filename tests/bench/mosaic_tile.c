/* mosaic_tile.c - see mosaic_tile.h. */
#include "tests/bench/mosaic_tile.h"

#include "engine/base/memory.h"
#include "importers/order/nested_dissection.h"
#include "tests/support/checked.h"

#include <math.h>
#include <string.h>

/* Of latitude, on a sphere of the earth's mean radius. */
static const double METRES_PER_E6 = 40030173.6 / 360e6;

static void find_box(mosaic_tile *tile)
{
    for (size_t along = 0; along < 2; ++along) {
        const int32_t *coordinate = along == COLUMN ? tile->lon_e6 : tile->lat_e6;
        int32_t least = coordinate[0], most = coordinate[0];
        for (size_t x = 1; x < tile->graph.node_count; ++x) {
            least = coordinate[x] < least ? coordinate[x] : least;
            most = coordinate[x] > most ? coordinate[x] : most;
        }
        tile->origin_e6[along] = least;
        tile->extent_e6[along] = most - least;
    }
}

/* In metres from a node to another, `shift_e6` of longitude and latitude added to the latter. */
static double distance_of(const mosaic_tile *tile, uint32_t x, uint32_t y, const int32_t shift_e6[2])
{
    const double middle = (tile->origin_e6[ROW] + tile->extent_e6[ROW] / 2) * M_PI / 180e6;
    const double east = (double)tile->lon_e6[y] + shift_e6[COLUMN] - tile->lon_e6[x];
    const double north = (double)tile->lat_e6[y] + shift_e6[ROW] - tile->lat_e6[x];
    return METRES_PER_E6 * hypot(east * cos(middle), north);
}

/* The average cost of a metre of straight line over all arcs. */
static double cost_per_metre(const mosaic_tile *tile, size_t quantity)
{
    double cost = 0, metres = 0;
    for (size_t i = 0; i < tile->graph.arc_count; ++i) {
        metres += distance_of(tile, tile->graph.tail[i], tile->graph.head[i], (int32_t[2]){0, 0});
        cost += tile->graph.weight[quantity][i];
    }
    return metres > 0 ? cost / metres : 1;
}

/* Per bin of the border on the low or high end along a direction, the node nearest to it; UINT32_MAX: none.
 */
static void find_border(const mosaic_tile *tile, size_t along, bool high, uint32_t border[BORDER_BINS])
{
    const int32_t *coordinate = along == COLUMN ? tile->lon_e6 : tile->lat_e6;
    const int32_t *across = along == COLUMN ? tile->lat_e6 : tile->lon_e6;
    const int64_t origin = tile->origin_e6[1 - along], extent = (int64_t)tile->extent_e6[1 - along] + 1;
    memset(border, 0xff, BORDER_BINS * sizeof *border);
    for (uint32_t x = 0; x < tile->graph.node_count; ++x) {
        uint32_t *nearest = &border[(across[x] - origin) * BORDER_BINS / extent];
        if (*nearest == UINT32_MAX ||
            (high ? coordinate[x] > coordinate[*nearest] : coordinate[x] < coordinate[*nearest]))
            *nearest = x;
    }
}

static void find_joins(mosaic_tile *tile, size_t along)
{
    uint32_t border[2][BORDER_BINS];
    double per_metre[2];
    int32_t shift_e6[2] = {0, 0};
    shift_e6[along] = tile->extent_e6[along];
    find_border(tile, along, true, border[0]);
    find_border(tile, along, false, border[1]);
    for (size_t q = 0; q < tile->quantity_count; ++q) per_metre[q] = cost_per_metre(tile, q);
    for (size_t bin = 0; bin < BORDER_BINS; ++bin) {
        if (border[0][bin] == UINT32_MAX || border[1][bin] == UINT32_MAX) continue;
        mosaic_join *join = &tile->join[along][tile->join_count[along]++];
        *join = (mosaic_join){.node = border[0][bin], .next_node = border[1][bin]};
        const double metres = distance_of(tile, join->node, join->next_node, shift_e6);
        for (size_t q = 0; q < tile->quantity_count; ++q)
            join->weight[q] = (uint32_t)fmin(fmax(1, metres * per_metre[q]), 1e9);
    }
}

/* The undirected edges of a tile whose borders along the given directions are joined to its own opposite
 * borders. */
static size_t collect_edges(const mosaic_tile *tile, bool close_columns, bool close_rows, uint32_t *edge[2])
{
    const size_t arc_count = tile->graph.arc_count;
    size_t edge_count = arc_count;
    for (size_t way = 0; way < 2; ++way)
        edge[way] = checked_allocate(arc_count + 2 * BORDER_BINS, sizeof *edge[way]);
    memcpy(edge[0], tile->graph.tail, arc_count * sizeof *edge[0]);
    memcpy(edge[1], tile->graph.head, arc_count * sizeof *edge[1]);
    for (size_t along = 0; along < 2; ++along)
        for (size_t i = 0; i < tile->join_count[along] && (along == COLUMN ? close_columns : close_rows);
             ++i) {
            edge[0][edge_count] = tile->join[along][i].node;
            edge[1][edge_count++] = tile->join[along][i].next_node;
        }
    return edge_count;
}

static void find_cut(mosaic_tile *tile, size_t along)
{
    uint32_t *edge[2], low[BORDER_BINS], high[BORDER_BINS];
    const size_t edge_count = collect_edges(tile, along != COLUMN, along != ROW, edge);
    const size_t join_count = tile->join_count[along];
    for (size_t i = 0; i < join_count; ++i) {
        low[i] = tile->join[along][i].next_node;
        high[i] = tile->join[along][i].node;
    }
    tile->side[along] = checked_allocate(tile->graph.node_count, 1);
    tile->cut_count[along] = vertex_cut(tile->graph.node_count, edge_count, (const uint32_t *const *)edge,
                                        join_count, low, join_count, high, tile->side[along]);
    free(edge[0]);
    free(edge[1]);
}

/* Keeps the edges of which both ends have a number in `compact` (else UINT32_MAX), by these numbers. */
static size_t keep_edges(uint32_t *const edge[2], size_t edge_count, const uint32_t *compact)
{
    size_t kept = 0;
    for (size_t i = 0; i < edge_count; ++i) {
        const uint32_t x = compact[edge[0][i]], y = compact[edge[1][i]];
        if (x == UINT32_MAX || y == UINT32_MAX) continue;
        edge[0][kept] = x;
        edge[1][kept++] = y;
    }
    return kept;
}

/* Orders the nodes in no cut, as the cell that they make. */
static bool find_order(mosaic_tile *tile)
{
    const size_t node_count = tile->graph.node_count;
    const mcd_parallel parallel = mcd_parallel_of(0, NULL);
    uint32_t *edge[2], *compact = checked_allocate(node_count, sizeof *compact);
    FREED uint32_t *node = checked_allocate(node_count, sizeof *node);
    for (uint32_t x = 0; x < node_count; ++x) {
        const bool is_cut = tile->side[COLUMN][x] == SIDE_CUT || tile->side[ROW][x] == SIDE_CUT;
        compact[x] = is_cut ? UINT32_MAX : (uint32_t)tile->order_count;
        if (!is_cut) node[tile->order_count++] = x;
    }
    const size_t all_count = collect_edges(tile, true, true, edge);
    const size_t edge_count = keep_edges(edge, all_count, compact);
    mcd_road_graph roads = {
        .node_count = tile->order_count, .arc_count = edge_count, .tail = edge[0], .head = edge[1]};
    mcd_node *order;
    const bool done = mcd_nested_dissection(&order, &roads, &parallel, NULL, NULL) == MACADAM_OK;
    tile->order = checked_allocate(tile->order_count, sizeof *tile->order);
    for (size_t i = 0; done && i < tile->order_count; ++i) tile->order[i] = node[order[i]];
    mcd_free(order);
    free(edge[0]);
    free(edge[1]);
    free(compact);
    return done;
}

bool mosaic_tile_new(mosaic_tile *out, test_graph graph, size_t quantity_count, int32_t *lon_e6,
                     int32_t *lat_e6, const size_t tile_count[2])
{
    *out =
        (mosaic_tile){.graph = graph, .quantity_count = quantity_count, .lon_e6 = lon_e6, .lat_e6 = lat_e6};
    find_box(out);
    for (size_t along = 0; along < 2; ++along)
        if (tile_count[along] > 1) find_joins(out, along);
    for (size_t along = 0; along < 2; ++along) find_cut(out, along);
    return find_order(out);
}

void mosaic_tile_free(mosaic_tile *tile)
{
    test_graph_free(&tile->graph);
    free(tile->lon_e6);
    free(tile->lat_e6);
    free(tile->side[COLUMN]);
    free(tile->side[ROW]);
    free(tile->order);
}
