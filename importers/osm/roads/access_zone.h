/* access_zone.h - roads that serve only to begin or to end a route: private ones, and those for residents. */
#ifndef MCD_IMPORTERS_OSM_ROADS_ACCESS_ZONE_H
#define MCD_IMPORTERS_OSM_ROADS_ACCESS_ZONE_H

#include "importers/osm/roads/map_copy.h"

/* For whom an arc is. Pockets are public roads beyond destination-only ones: no public road leads out of
 * them, or into them, or neither. */
typedef enum mcd_road_use {
    MCD_ROAD_PUBLIC = 0,
    MCD_ROAD_NO_EXIT = 1,          /* destination-only arcs may follow it at the start of a route */
    MCD_ROAD_NO_ENTRY = 2,         /* it may follow destination-only arcs at the end of a route */
    MCD_ROAD_GATED_AREA = 3,       /* both */
    MCD_ROAD_DESTINATION_ONLY = 4, /* only to begin or to end a route */
} mcd_road_use;

/* Splits nodes so that a path has destination-only arcs only before all its public arcs or after all of them,
 * or has no public ones; arcs of gated areas may stand as mcd_road_use says. Every such path stays. use[number -
 * 1] is the mcd_road_use of a number's arcs. Ids depart as before. Call it before mcd_copier_arrivals; nodes
 * may be split already. Returns E_MEMORY, E_INVALID (too many nodes); the map is then only good for
 * mcd_map_free. */
macadam_status mcd_access_zones_apply(mcd_copier *copier, const uint8_t *use, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error);

#endif
