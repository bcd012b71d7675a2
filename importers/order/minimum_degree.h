/* minimum_degree.h - a better order of the nodes at the bottom of an elimination tree. */
#ifndef MCD_IMPORTERS_ORDER_MINIMUM_DEGREE_H
#define MCD_IMPORTERS_ORDER_MINIMUM_DEGREE_H

#include "engine/base/parallel.h"
#include "importers/order/neighbours.h"

/* A block is a range of ranks, order[first .. block_end[first]), whose nodes are joined, outside of it, to
 * only nodes of higher ranks that are in no block. block_end[rank] <= rank where none begins. */

/* Reorders order[rank] = node, first eliminated first, within its blocks; those that are large stay. The same
 * graph and order give the same result on any number of threads. Memory: 4 bytes a node. */
macadam_status mcd_minimum_degree(mcd_node *order, const uint32_t *block_end, const mcd_neighbours *graph,
                                  const mcd_parallel *parallel, macadam_error *error);

/* Takes small subtrees of an order's elimination tree for blocks, which become ranges of it. block_end:
 * [node_count]. Memory: 12 bytes a node. */
macadam_status mcd_find_blocks(mcd_node *order, uint32_t *block_end, const mcd_neighbours *graph,
                               macadam_error *error);

#endif
