/* height.h - the heights of ways' points: those of the terrain, but for bridges, tunnels and ferries, which rise
 * evenly between their ends. */
#ifndef MCD_IMPORTERS_OSM_ROADS_HEIGHT_H
#define MCD_IMPORTERS_OSM_ROADS_HEIGHT_H

#include "importers/heights/terrain.h"
#include "importers/osm/roads/point.h"
#include "importers/osm/roads/way.h"

/* Makes points->height_dm from the tiles in `folder`; the points of ways are known (ways->point). A point
 * that only bridges, tunnels and ferries have, or whose tile is missing, lies between the two points with
 * heights that are nearest along such roads, in proportion to its distances from both; if only one of the
 * two can be reached, at its height; if none, a bridge's is that of the terrain, and other points are at sea level. Returns what
 * mcd_terrain_sample returns. */
macadam_status mcd_heights_new(mcd_report *report, mcd_points *points, const mcd_ways *ways,
                               const char *folder, const mcd_parallel *parallel, mcd_watch *watch,
                               macadam_error *error);

#endif
