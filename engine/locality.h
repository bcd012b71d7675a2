/* locality.h - a numbering of nodes for files without a hierarchy: neighbours near each other. */
#ifndef MCD_LOCALITY_H
#define MCD_LOCALITY_H

#include "engine/map.h"

/* id_of[node] along a Hilbert curve where there are coordinates, else in breadth-first order. The caller
 * frees it. */
macadam_status mcd_locality_order(mcd_node **id_of, const mcd_map *map, macadam_error *error);

#endif
