/* adjacency.h - the input arcs in the order in which a search in either direction reads them. */
#ifndef MCD_KERNELS_CPU_FRONTIER_ADJACENCY_H
#define MCD_KERNELS_CPU_FRONTIER_ADJACENCY_H

#include "kernels/views.h"

/* neighbour[xy] for first[x] <= xy < first[x + 1], ascending. */
typedef struct adjacency {
    const mcd_arc *first;
    const mcd_node *neighbour;
} adjacency;

/* The arcs by which a search leaves a node. The weights of arc xy are the direction's in mcd_arcs. A
 * search enters a node by the arcs by which the other direction leaves it. */
static inline adjacency adjacency_of(const mcd_graph *graph, mcd_direction direction)
{
    return direction == MCD_FORWARD ? (adjacency){graph->first_out, graph->head}
                                    : (adjacency){graph->first_in, graph->tail};
}

static inline mcd_direction direction_against(mcd_direction direction)
{
    return direction == MCD_FORWARD ? MCD_BACKWARD : MCD_FORWARD;
}

#endif
