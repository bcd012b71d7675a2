/* layer.h - roads that serve only to begin or to end a route: private ones, and those for residents. */
#ifndef MCD_IMPORTERS_OSM_LAYER_H
#define MCD_IMPORTERS_OSM_LAYER_H

#include "importers/osm/copy.h"

/* Splits nodes so that a path has destination-only arcs only before all its other arcs or after all of them,
 * or has no others. Every such path stays. destination_only[number - 1] tells whether the arcs of a number
 * are destination-only. Ids depart as before. Call it before mcd_copier_arrivals; nodes may be split already.
 * Returns E_MEMORY, E_INVALID (too many nodes); the map is then only good for mcd_map_free. */
macadam_status mcd_layers_apply(mcd_copier *copier, const bool *destination_only, macadam_error *error);

#endif
