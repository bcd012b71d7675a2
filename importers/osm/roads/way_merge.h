/* way_merge.h - the ways of all parts of the files, in the order in which one file would have them. */
#ifndef MCD_IMPORTERS_OSM_ROADS_WAY_MERGE_H
#define MCD_IMPORTERS_OSM_ROADS_WAY_MERGE_H

#include "importers/osm/roads/way.h"

/* All ways of the parts, in the order of the parts or, if `by_id`, of their ids: then those of the parts
 * from outline_part on, outlines of areas, come last. Names and kinds are numbered as if there were no
 * parts. Lanes of buses are closed on the outer side, as one `drives_left`. The parts are freed, whatever is
 * returned. `out` begins zeroed. Returns E_MEMORY, E_CANCELLED. */
macadam_status mcd_ways_merge(mcd_ways *out, mcd_ways *part, size_t part_count, size_t outline_part,
                              bool by_id, bool drives_left, mcd_watch *watch, macadam_error *error);

#endif
