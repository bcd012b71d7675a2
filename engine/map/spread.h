/* spread.h - all nodes to which arcs lead from some nodes. */
#ifndef MCD_ENGINE_MAP_SPREAD_H
#define MCD_ENGINE_MAP_SPREAD_H

#include "engine/map/graph.h"

/* Marks in reached[node_count] the nodes to which arcs lead from those that are marked; if `backward`, those from which arcs lead
 * to them. Returns MACADAM_OK, E_MEMORY or E_CANCELLED. Time: linear, on all threads. */
macadam_status mcd_spread(bool *reached, const mcd_graph *graph, bool backward, const mcd_parallel *parallel,
                          mcd_watch *watch, macadam_error *error);

#endif
