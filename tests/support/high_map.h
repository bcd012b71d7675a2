/* high_map.h - maps with heights that are drawn at random, and the energy of a vehicle on them. */
#ifndef MCD_TESTS_SUPPORT_HIGH_MAP_H
#define MCD_TESTS_SUPPORT_HIGH_MAP_H

#include "engine/map/map.h"
#include "importers/osm/vehicle.h"
#include "tests/support/files.h"

enum { HIGH_MAP_ENERGY = 4 }; /* the number of the quantity */

typedef struct high_map {
    char folder[FILES_PATH_BYTES];
    mcd_map map;
    mcd_vehicle vehicle;
    macadam_engine *engine;
    int64_t *cost; /* [arc_count] signed */
} high_map;

/* Imports `osm` with heights in the tiles, whose names end with a NULL. out->folder is one of the caller's. */
void high_map_open(high_map *out, const char *osm, const char *profile_name, const char *const tile[],
                   uint64_t seed);
/* Removes the folder too. */
void high_map_close(high_map *drawn);

/* Writes a grid of 9 by 9 streets, 220 m apart, in the tile N00E000. On foot, no turn takes time. */
void high_map_write_town(const char *path);

#endif
