/* node_order.h - sorts the places of a matrix by their nodes: the order in which backends compute its cells. */
#ifndef MCD_ENGINE_QUERY_PLACES_NODE_ORDER_H
#define MCD_ENGINE_QUERY_PLACES_NODE_ORDER_H

#include "engine/query/places/located.h"

/* Sorts the places of one side of a matrix by the node of their first lane. Places of the same
 * node keep their order, and those without a node come last. order[place_count] receives the position from which each place
 * came. `other`: the located places of the other side. */
macadam_status mcd_node_order_sort(uint64_t *order, mcd_located *located, mcd_lanes *lanes,
                                   const mcd_located *other, macadam_error *error);

#endif
