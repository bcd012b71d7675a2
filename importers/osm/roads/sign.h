/* sign.h - signs at points of ways: where one waits, and what they limit. */
#ifndef MCD_IMPORTERS_OSM_ROADS_SIGN_H
#define MCD_IMPORTERS_OSM_ROADS_SIGN_H

#include "engine/map/map.h"
#include "importers/osm/roads/stretch.h"

enum { MCD_SIGN_MINOR = 0x8000 }; /* only those wait who come by a lesser road than one that meets it */
static_assert(2 * MCD_PROFILE_WAIT_MAX < MCD_SIGN_MINOR, "a barrier's wait and a sign's fit below the flag");

/* Seconds at the point where a stretch ends, with MCD_SIGN_MINOR. */
uint16_t mcd_sign_wait_s(const mcd_stretches *stretches, const mcd_stretch *stretch, int direction);

/* Gives the map's arcs kinds of roads with the limits of the signs at their points, the points' flags, and the
 * exits' numbers. A sign is for the road from junction to junction: for the stretches that it lies on or between.
 * `ways` get the new kinds. Returns E_MEMORY, E_CANCELLED. */
macadam_status mcd_signs_limit(const mcd_stretches *stretches, mcd_ways *ways, mcd_map *map, mcd_watch *watch,
                               macadam_error *error);

#endif
