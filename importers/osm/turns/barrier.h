/* barrier.h - nodes that a barrier blocks: they can be reached from any side, but not passed. A
 * destination-only barrier lets those through who come from a destination-only road or go to one. */
#ifndef MCD_IMPORTERS_OSM_TURNS_BARRIER_H
#define MCD_IMPORTERS_OSM_TURNS_BARRIER_H

#include "importers/osm/roads/segment.h"
#include "importers/osm/turns/turn.h"

/* Forbids at each blocked node of `map`, which is not split yet, every turn but the one back. */
macadam_status mcd_barriers_forbid(const mcd_points *points, mcd_map *map, const mcd_segments *segments,
                                   mcd_turns *turns, mcd_watch *watch, macadam_error *error);

#endif
