/* mosaic_tile.h - one copy of a mosaic: a graph with coordinates, how it joins its neighbours, where it is
 * cut and how it is ordered. A mosaic is rows x columns equal tiles side by side by the tile's bounding
 * box.
 *
 * Joins   Each border is cut into BORDER_BINS bins; the node nearest to the border in each bin is joined
 *         to the neighbour's node of the same bin, where both have one.
 * Cuts    `side[COLUMN]` separates a tile's west part from its east part by the fewest nodes that separate all
 *         western from all eastern joined nodes, also around through the joins north and south. So the
 *         cuts of one column of tiles make a line that separates the mosaic, of far fewer nodes than the
 *         joins. `side[ROW]` likewise.
 * Cells   Lines through every row and column of tiles leave cells: the east part of one tile, the west
 *         part of the next, and so on: as large as a tile and all alike, so that one `order` serves them
 *         all. */
#ifndef MCD_TESTS_BENCH_MOSAIC_TILE_H
#define MCD_TESTS_BENCH_MOSAIC_TILE_H

#include "tests/bench/vertex_cut.h"
#include "tests/support/graphs.h"

enum { BORDER_BINS = 60, COLUMN = 0, ROW = 1 };

/* An arc pair between a node of a tile and a node of the next tile to the east (COLUMN) or to the north
 * (ROW). */
typedef struct mosaic_join {
    uint32_t node, next_node;
    uint32_t weight[2]; /* per quantity, before the mosaic makes directions differ */
} mosaic_join;

typedef struct mosaic_tile {
    test_graph graph;
    size_t quantity_count;
    int32_t *lon_e6, *lat_e6, origin_e6[2], extent_e6[2]; /* [COLUMN] is longitude */
    mosaic_join join[2][BORDER_BINS];
    size_t join_count[2];
    uint8_t *side[2];
    size_t cut_count[2];
    uint32_t *order; /* the nodes in no cut, first eliminated first */
    size_t order_count;
} mosaic_tile;

/* Takes over `graph` and the coordinates. A mosaic of one column has no joins along COLUMN, of one row none
 * along ROW. Returns false if there is no memory for an order. */
bool mosaic_tile_new(mosaic_tile *out, test_graph graph, size_t quantity_count, int32_t *lon_e6,
                     int32_t *lat_e6, const size_t tile_count[2]);
void mosaic_tile_free(mosaic_tile *tile);

#endif
