/* shut.h - the arcs that are shut at times, as an edge file lists them. */
#ifndef MCD_ENGINE_PREPARE_SHUT_H
#define MCD_ENGINE_PREPARE_SHUT_H

#include "engine/map/map.h"

/* Makes map->shut_arc of map->arc_when, which it frees. Arcs that open only at times get no weights of their own: in the
 * map they become MCD_UNREACHED. The weights are in the file's order already; map_arc[arc]: the arc's place in arc_when.
 * Without such arcs it frees the weeks that nothing names. */
macadam_status mcd_shut_list(mcd_map *map, const uint32_t *map_arc, macadam_error *error);

#endif
