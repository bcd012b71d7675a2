/* high_map.h - maps with heights that are drawn at random, and the energy of a vehicle on them. */
#ifndef MCD_TESTS_SUPPORT_HIGH_MAP_H
#define MCD_TESTS_SUPPORT_HIGH_MAP_H

#include "engine/map/map.h"
#include "importers/osm/rules/vehicle.h"
#include "tests/support/files.h"

enum { HIGH_MAP_ENERGY = 4 }; /* the number of the quantity */

typedef struct high_map {
    char folder[FILES_PATH_BYTES];
    mcd_map map;
    mcd_vehicle vehicle;
    macadam_engine *engine;
    int64_t *cost; /* [arc_count] signed */
} high_map;

/* Opens a grid of 9 by 9 streets, 220 m apart, on foot, where no turn takes time. */
void high_map_open_town(high_map *out);
/* Opens Milan, by car; skips the test if there is no MACADAM_DATA. */
void high_map_open_milan(high_map *out);
/* Removes the folder too. */
void high_map_close(high_map *drawn);

#endif
