/* barrier.h - nodes that a barrier blocks: one may drive up to them from any side, but not through. One that
 * is for ends lets those through who come from or go to a road that is only for ends. */
#ifndef MCD_IMPORTERS_OSM_BARRIER_H
#define MCD_IMPORTERS_OSM_BARRIER_H

#include "importers/osm/point.h"
#include "importers/osm/segment.h"
#include "importers/osm/turn.h"

/* Forbids at each blocked node of `map`, which is not split yet, every turn but the one back. */
macadam_status mcd_barriers_forbid(const mcd_points *points, const mcd_map *map, const mcd_segments *segments,
                                   mcd_turns *turns, macadam_error *error);

#endif
