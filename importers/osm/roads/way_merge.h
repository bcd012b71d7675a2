/* way_merge.h - the ways of several files in the order in which one file would have them. */
#ifndef MCD_IMPORTERS_OSM_ROADS_WAY_MERGE_H
#define MCD_IMPORTERS_OSM_ROADS_WAY_MERGE_H

#include "importers/osm/roads/way.h"

/* As mcd_ways_join, but ways come by ascending ids; from part `outline_part` on, parts have ways that come after
 * all others. Names and kinds have the numbers that they would have if one file had all ways in this order. */
macadam_status mcd_ways_merge(mcd_ways *out, mcd_ways *part, size_t outline_part, size_t part_count,
                              mcd_watch *watch, macadam_error *error);

#endif
