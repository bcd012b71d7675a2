/* minimum_degree.h - a better order of the nodes at the bottom of an elimination tree. */
#ifndef MCD_IMPORTERS_ORDER_MINIMUM_DEGREE_H
#define MCD_IMPORTERS_ORDER_MINIMUM_DEGREE_H

#include "engine/base/arena.h"
#include "importers/order/neighbours.h"

/* A block is a range of ranks, order[first .. block_end[first]). Outside the block, its nodes are joined only
 * to nodes of higher ranks that are in no block. block_end[rank] <= rank where no block begins. */

/* Reorders order[rank] = node, first eliminated first, within its blocks; large blocks keep their order. The
 * same graph and order give the same result on any number of threads. Returns E_MEMORY, E_CANCELLED. Memory:
 * 4 bytes per node. */
macadam_status mcd_minimum_degree(mcd_node *order, const uint32_t *block_end, const mcd_neighbours *graph,
                                  const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error);

/* Takes small subtrees of an order's elimination tree as blocks, and makes each a range of the order.
 * block_end: [node_count]. Memory: 12 bytes per node, from the arena. */
macadam_status mcd_find_blocks(mcd_node *order, uint32_t *block_end, const mcd_neighbours *graph,
                               mcd_arena *arena, mcd_watch *watch, macadam_error *error);

#endif
