/* osm_map.h - an OpenStreetMap file as the importer's map. */
#ifndef MCD_TESTS_SUPPORT_OSM_MAP_H
#define MCD_TESTS_SUPPORT_OSM_MAP_H

#include "engine/map/map.h"

/* Aborts with the message of what fails. mcd_map_free. */
void osm_map_read(mcd_map *out, const char *path, const char *profile_name);

#endif
