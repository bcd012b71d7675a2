/* road_graph.h - a road map in the form from which orders are computed. */
#ifndef MCD_IMPORTERS_ORDER_ROAD_GRAPH_H
#define MCD_IMPORTERS_ORDER_ROAD_GRAPH_H

#include "engine/base/types.h"

/* Loops, parallel arcs, isolated nodes and empty maps are legal. */
typedef struct mcd_road_graph {
    size_t node_count, arc_count;
    const mcd_node *tail, *head; /* [arc_count] */
    const uint32_t *junction;    /* [node_count] the junction of which a node is a copy; NULL: no junction is
                                  * split */
    size_t junction_count;
} mcd_road_graph;

#endif
