/* tile.h - the heights of one degree by one, as samples in rows and columns. */
#ifndef MCD_IMPORTERS_HEIGHTS_TILE_H
#define MCD_IMPORTERS_HEIGHTS_TILE_H

#include "engine/base/status.h"

#define MCD_HEIGHT_NONE INT32_MIN /* the height is unknown; no place is this low */

/* Where the samples of a row lie from west to east, or those of a column from north to south. */
typedef struct mcd_height_axis {
    uint32_t count;      /* at least 2 */
    uint32_t per_degree; /* 3600: one each arc second */
    int32_t first_half;  /* half samples from the tile's edge to the first one; it may lie before the edge */
} mcd_height_axis;

typedef struct mcd_height_tile {
    mcd_height_axis x, y;
    int32_t *height_dm;  /* [y.count * x.count] by rows; NULL: no sample has a height */
    uint64_t void_count; /* samples without a height, which were filled */
} mcd_height_tile;

/* Fails for the file of a tile that cannot be opened, by `errno`: E_NOT_FOUND, E_MEMORY or E_IO. */
macadam_status mcd_height_fail_open(const char *path, macadam_error *error);

/* Makes a tile of samples as they were read. Heights of no place are voids. These are filled from their edge: ring
 * by ring, a sample becomes the mean of its neighbours that are known. Then the noise is smoothed: each sample
 * becomes the mean of itself and its neighbours, by the weights 1 2 1 along the row and along the column, once, or
 * four times for 1 arc second. The samples of an edge are smoothed only along it and those of corners not at all,
 * so that tiles that share an edge agree. Returns E_MEMORY. */
macadam_status mcd_height_tile_finish(mcd_height_tile *tile, macadam_error *error);

void mcd_height_tile_free(mcd_height_tile *tile);

/* Returns the height of a point, in decimetres: bilinear between four samples, rounded; beyond the last sample its
 * own. `east_e7` and `north_e7` are 1e-7 degrees from the tile's south-west corner, 0 to 1e7. The tile has heights. */
int32_t mcd_height_tile_at(const mcd_height_tile *tile, uint32_t east_e7, uint32_t north_e7);

#endif
