/* adjacency.h - the input arcs as a search in either direction meets them. */
#ifndef MCD_KERNELS_CPU_FRONTIER_ADJACENCY_H
#define MCD_KERNELS_CPU_FRONTIER_ADJACENCY_H

#include "kernels/views.h"

/* neighbour[xy] for first[x] <= xy < first[x + 1], ascending. */
typedef struct adjacency {
    const mcd_arc *first;
    const mcd_node *neighbour;
} adjacency;

/* The arcs by which a search leaves a node: the weights of arc xy are the direction's in mcd_arcs. What it
 * enters one by is what the other direction leaves it by. */
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
