/* gated_area.h - roads without a tag of their own that can be entered or left only over destination-only roads or
 * through their gates: a driveway off a private road, the streets of a gated estate. */
#ifndef MCD_IMPORTERS_OSM_ROADS_GATED_AREA_H
#define MCD_IMPORTERS_OSM_ROADS_GATED_AREA_H

#include "importers/osm/roads/segment.h"

/* Marks the public arcs of gated areas in segments->use, as MCD_ROAD_NO_EXIT, MCD_ROAD_NO_ENTRY, both, or, at a
 * gate, as MCD_ROAD_DESTINATION_ONLY, and counts them. `map` is not split yet; turn restrictions are not
 * looked at. Returns E_MEMORY. Time: linear. */
macadam_status mcd_gated_areas_mark(const mcd_points *points, const mcd_map *map, mcd_segments *segments,
                                    mcd_watch *watch, macadam_error *error);

#endif
