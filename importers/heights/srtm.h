/* srtm.h - a tile of heights: one degree by one, as the Shuttle Radar Topography Mission published them. */
#ifndef MCD_IMPORTERS_HEIGHTS_SRTM_H
#define MCD_IMPORTERS_HEIGHTS_SRTM_H

#include "engine/base/status.h"

#define MCD_HEIGHT_NONE INT32_MIN /* nobody knows the height; no place is so low */

typedef struct mcd_srtm {
    size_t side; /* samples of a row and of a column: 3601 (1 arc second) or 1201 (3) */
    /* [side * side] rows from north to south, each from west to east; the samples of an edge are those of the
     * next tile, too. NULL: no sample of the tile has a height. */
    int32_t *height_dm;
    uint64_t void_count; /* samples without a height, which were filled */
} mcd_srtm;

/* Reads a tile: plain (.hgt), .gz or .zip, whose first file that ends in .hgt is read. Samples that are no height of
 * any place are voids. These are filled from their edge: ring by ring, a sample becomes the mean of its
 * neighbours that are known. Then the noise is smoothed: each sample becomes the mean of itself and its
 * neighbours, by the weights 1 2 1 along the row and along the column, once for 3 arc seconds and four times
 * for 1. The samples of an edge are smoothed only along it and those of corners not at all, so that
 * neighbouring tiles agree. Returns E_NOT_FOUND (no such file), E_IO, E_FILE (no tile, cut off, a wrong size)
 * or E_MEMORY. Memory: 26 MB to read, 52 MB to keep for 1 arc second, a ninth for 3. */
macadam_status mcd_srtm_read(mcd_srtm *out, const char *path, macadam_error *error);

void mcd_srtm_free(mcd_srtm *tile);

/* Returns the height of a point, in decimetres: bilinear between four samples, rounded. `east_e7` and
 * `north_e7` are 1e-7 degrees from the tile's south-west corner, 0 to 1e7. The tile has heights. */
int32_t mcd_srtm_height(const mcd_srtm *tile, uint32_t east_e7, uint32_t north_e7);

#endif
