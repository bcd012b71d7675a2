/* road_dissection.h - a fill-reducing order of a road map. */
#ifndef MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H
#define MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H

#include "importers/order/neighbours.h"
#include "importers/order/road_graph.h"

/* The graph that is dissected: the roads between the junctions of a split map, or the nodes of any graph. */
typedef struct mcd_dissection mcd_dissection;

/* Of a map whose junctions are split, through its roads (road_contraction.h). The map must not change
 * until the dissection is freed. Memory, besides the contraction's: 186 bytes for each junction that is
 * left after it, and 12 for each road and direction. If `roads` is NULL: of a graph as it is, through its
 * nodes, whose neighbours `nodes` are. Memory, besides the contraction's: 254 bytes per node and 4 per
 * pair of neighbours and direction. Returns E_MEMORY. On failure too, free *out. */
macadam_status mcd_dissection_new(mcd_dissection **out, const mcd_road_graph *roads,
                                  const mcd_neighbours *nodes, mcd_watch *watch, macadam_error *error);
void mcd_dissection_free(mcd_dissection *dissection);

/* Call it once. Sets order[rank] = node, first eliminated first. The parts that are not divided further
 * become its blocks (minimum_degree.h; block_end: [node_count]); the order within these is not good yet.
 * `graph`: the neighbours of each of the nodes. The same map gives the same order on any number of
 * threads. */
macadam_status mcd_dissection_run(mcd_dissection *dissection, const mcd_neighbours *graph, mcd_node *order,
                                  uint32_t *block_end, const mcd_parallel *parallel, mcd_watch *watch,
                                  macadam_error *error);

#endif
