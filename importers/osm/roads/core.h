/* core.h - the core of each connected part of a map: its strongly connected component with the longest roads.
 */
#ifndef MCD_IMPORTERS_OSM_ROADS_CORE_H
#define MCD_IMPORTERS_OSM_ROADS_CORE_H

#include "engine/map/map.h"
#include "importers/base/incidence.h"

/* The parts that an arc plays for the cores. */
enum {
    MCD_CORE_JOINS = 1,  /* its ends belong to one connected part */
    MCD_CORE_LEADS = 2,  /* from its tail one gets to its head: it makes strongly connected components */
    MCD_CORE_COUNTS = 4, /* the core is the component out of whose nodes the longest such arcs lead, in all */
};

/* is_core[node]: the node belongs to the core of its part. Of several components of equal length, the core
 * is the one with the smallest node. A part without arcs that count has no core. `out` holds the arcs by
 * tail, use[arc] is MCD_CORE_..., length[arc] is at least 1. Scratch comes from the arena. Returns
 * E_MEMORY. Time: linear. (Tarjan 1972) */
macadam_status mcd_cores_find(bool *is_core, const mcd_map *map, const mcd_incidence *out, const uint8_t *use,
                              const mcd_weight *length, mcd_arena *arena, mcd_watch *watch,
                              macadam_error *error);

#endif
