/* terrain.h - the heights of points, from a folder of tiles. */
#ifndef MCD_IMPORTERS_HEIGHTS_TERRAIN_H
#define MCD_IMPORTERS_HEIGHTS_TERRAIN_H

#include "importers/heights/tile.h"
#include "engine/base/watch.h"

typedef struct mcd_terrain_points {
    const int32_t *lon_e7, *lat_e7; /* [count] */
    const uint8_t *state;           /* [count] a point without any bit of `wanted` has no height */
    uint8_t wanted;
    size_t count;
} mcd_terrain_points;

/* Counts of the points and tiles that were found. */
typedef struct mcd_terrain {
    uint64_t tile_count;    /* of those that some point needs, how many there are */
    uint64_t missing_count; /* likewise, how many are missing, or have no height at all */
    char missing[8];        /* the first of these: "N45E009" */
    uint64_t void_count;    /* samples of the tiles that were filled */
} mcd_terrain;

/* Calls `visit` (may be NULL) for each file of the folder whose name may be a tile's. Returns E_IO if there is no such folder, E_MEMORY, or
 * its failure. */
typedef macadam_status (*mcd_terrain_visitor)(void *context, const char *path, macadam_error *error);
macadam_status mcd_terrain_visit(const char *folder, mcd_terrain_visitor visit, void *context,
                                 macadam_error *error);

/* Returns MACADAM_OK, E_IO if there is no such folder, E_INVALID if `output` (may be NULL) is one of its tiles, or
 * E_MEMORY. */
macadam_status mcd_terrain_check(const char *folder, const char *output, macadam_error *error);

/* Fills height_dm[count]: MCD_HEIGHT_NONE where there is no tile. A tile is FOLDER/N45E009 with .hgt, .hgt.gz,
 * .hgt.zip, .zip, .tif, or as NASA, Copernicus and ASTER name them (terrain.c): the first of these. One tile at a
 * time is in memory. Returns E_IO (no such folder), E_FILE (a bad tile, or no point has a tile), E_MEMORY or
 * E_CANCELLED. */
macadam_status mcd_terrain_sample(int32_t *height_dm, mcd_terrain *out, const char *folder,
                                  const mcd_terrain_points *points, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error);

#endif
