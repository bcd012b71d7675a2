/* minimum_degree.h - a better order of the nodes at the bottom of an elimination tree. */
#ifndef MCD_MINIMUM_DEGREE_H
#define MCD_MINIMUM_DEGREE_H

#include "engine/parallel.h"
#include "importers/neighbours.h"

/* Reorders order[rank] = node, first eliminated first, within small subtrees of its elimination tree. The
 * same graph and order give the same result on any number of threads. Memory: 24 bytes a node. */
macadam_status mcd_minimum_degree(mcd_node *order, const mcd_neighbours *graph, const mcd_parallel *parallel,
                                  macadam_error *error);

#endif
