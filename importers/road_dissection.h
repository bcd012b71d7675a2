/* road_dissection.h - a fill-reducing order of a map whose junctions are split. */
#ifndef MCD_ROAD_DISSECTION_H
#define MCD_ROAD_DISSECTION_H

#include "engine/parallel.h"
#include "engine/progress.h"
#include "importers/neighbours.h"

/* The roads between the junctions of a map, of which its nodes are copies. */
typedef struct mcd_split_map {
    const mcd_neighbours *graph; /* of the nodes */
    const mcd_node *tail, *head; /* [arc_count] */
    size_t arc_count;
    const uint32_t *junction; /* [node_count] of each node */
    size_t junction_count;
} mcd_split_map;

/* order[rank] = node, first eliminated first. What is not divided further are its blocks
 * (minimum_degree.h; block_end: [node_count]), which are in no good order yet. The same map gives the same
 * order on any number of threads. Memory: 16 bytes an arc, 17 a node, 45 a junction and 24 a road and
 * direction; and 191 and 12 where blind alleys and chains are gone. */
macadam_status mcd_road_dissection(mcd_node *order, uint32_t *block_end, const mcd_split_map *map,
                                   const mcd_parallel *parallel, const mcd_progress *progress,
                                   macadam_error *error);

#endif
