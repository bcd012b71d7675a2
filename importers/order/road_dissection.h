/* road_dissection.h - a fill-reducing order of a map whose junctions are split. */
#ifndef MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H
#define MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H

#include "engine/base/parallel.h"
#include "engine/base/watch.h"
#include "importers/order/neighbours.h"
#include "importers/order/road_graph.h"

/* The roads between the junctions of a split map, without blind alleys and chains. */
typedef struct mcd_dissection mcd_dissection;

/* The map must not change until the dissection is freed. Memory: 16 bytes per arc, 17 per node, 45 per
 * junction and 24 per road and direction; after contraction, 191 per junction and 12 per road and direction.
 * Returns E_MEMORY. */
macadam_status mcd_dissection_new(mcd_dissection **out, const mcd_road_graph *roads, macadam_error *error);
void mcd_dissection_free(mcd_dissection *dissection);

/* Call it once. Sets order[rank] = node, first eliminated first. The parts that are not divided further
 * become its blocks (minimum_degree.h; block_end: [node_count]); the order within these is not good yet.
 * `graph`: the neighbours of each of the map's nodes. The same map gives the same order on any number of
 * threads. */
macadam_status mcd_dissection_run(mcd_dissection *dissection, const mcd_neighbours *graph, mcd_node *order,
                                  uint32_t *block_end, const mcd_parallel *parallel,
                                  const mcd_progress *progress, macadam_error *error);

#endif
