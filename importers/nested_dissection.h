/* nested_dissection.h - a fill-reducing order of a road graph's nodes. */
#ifndef MCD_NESTED_DISSECTION_H
#define MCD_NESTED_DISSECTION_H

#include "engine/parallel.h"
#include "engine/progress.h"
#include "engine/types.h"

/* (*order_out)[rank] = node, first eliminated first, freed with mcd_free. The graph is that of the
 * `arc_count` arcs without their directions; loops, parallel arcs, isolated nodes and empty graphs are legal.
 * The same graph gives the same order on any number of
 * threads. Returns E_MEMORY, E_CANCELLED (METIS itself cannot be interrupted), or
 * E_INVALID for a graph that is too large for METIS's 32-bit indices. Memory: 8 bytes per arc and 24 per
 * node, and what METIS takes for the core. */
macadam_status mcd_nested_dissection(mcd_node **order_out, size_t node_count, const mcd_node *tail,
                                     const mcd_node *head, size_t arc_count, const mcd_parallel *parallel,
                                     const mcd_progress *progress, macadam_error *error);

#endif
