/* road_dissection.h - a fill-reducing order of a map whose junctions are split. */
#ifndef MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H
#define MCD_IMPORTERS_ORDER_ROAD_DISSECTION_H

#include "engine/base/parallel.h"
#include "engine/base/watch.h"
#include "importers/order/neighbours.h"
#include "importers/order/road_graph.h"

/* The roads between the junctions of a split map, without blind alleys and chains. */
typedef struct mcd_dissection mcd_dissection;

/* The map stays as it is until the dissection is freed. Memory: 16 bytes an arc, 17 a node, 45 a junction and
 * 24 a road and direction; and 191 a junction and 12 a road and direction that are left. Returns E_MEMORY. */
macadam_status mcd_dissection_new(mcd_dissection **out, const mcd_road_graph *roads, macadam_error *error);
void mcd_dissection_free(mcd_dissection *dissection);

/* Once: order[rank] = node, first eliminated first. What is not divided further are its blocks
 * (minimum_degree.h; block_end: [node_count]), which are in no good order yet. `graph`: what is next to each
 * of the map's nodes. The same map gives the same order on any number of threads. */
macadam_status mcd_dissection_run(mcd_dissection *dissection, const mcd_neighbours *graph, mcd_node *order,
                                  uint32_t *block_end, const mcd_parallel *parallel,
                                  const mcd_progress *progress, macadam_error *error);

#endif
