/* duplicate_road.h - segments that no question can prefer to each other: one of each set is kept. */
#ifndef MCD_IMPORTERS_OSM_ROADS_DUPLICATE_ROAD_H
#define MCD_IMPORTERS_OSM_ROADS_DUPLICATE_ROAD_H

#include "importers/osm/roads/segment.h"

/* Merges segments that join the same two nodes by the same shape, at the same costs and with the same rights, under all
 * conditions of a query: the first of the file stays. A way drawn to and fro, or drawn a thousand times, would
 * otherwise become as many copies of its junctions. Ways whose ids are among named[count] (the members of
 * restrictions, in any order), and ferries, are only merged with themselves. Arcs keep their order and get new
 * numbers. `map` is not split yet. Returns E_MEMORY; map and segments then stay as they were. Time: n log n of the
 * segments that have a parallel one. */
macadam_status mcd_duplicate_roads_merge(mcd_segments *segments, mcd_map *map, const int64_t *named,
                                         size_t count, mcd_watch *watch, macadam_error *error);

#endif
