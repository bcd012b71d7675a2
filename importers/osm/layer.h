/* layer.h - roads that serve only to begin or to end a route: private ones, and those for residents. */
#ifndef MCD_IMPORTERS_OSM_LAYER_H
#define MCD_IMPORTERS_OSM_LAYER_H

#include "importers/osm/copy.h"

/* For whom an arc is. */
typedef enum mcd_road_use {
    MCD_ROAD_PUBLIC,
    MCD_ROAD_POCKET,           /* public, but beyond destination-only roads: part of any stretch of a route */
    MCD_ROAD_DESTINATION_ONLY, /* only to begin or to end a route */
} mcd_road_use;

/* Splits nodes so that a path has destination-only arcs only before all its public arcs or after all of them,
 * or has no public ones. Every such path stays. use[number - 1] is the mcd_road_use of a number's arcs. Ids
 * depart as before. Call it before mcd_copier_arrivals; nodes may be split already. Returns E_MEMORY, E_INVALID
 * (too many nodes); the map is then only good for mcd_map_free. */
macadam_status mcd_layers_apply(mcd_copier *copier, const uint8_t *use, macadam_error *error);

#endif
