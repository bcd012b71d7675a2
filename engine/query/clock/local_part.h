/* local_part.h - a part of the map for searches with a clock: the nodes near the places, and the border around them. */
#ifndef MCD_ENGINE_QUERY_CLOCK_LOCAL_PART_H
#define MCD_ENGINE_QUERY_CLOCK_LOCAL_PART_H

#include "engine/base/status.h"
#include "kernels/views.h"

/* The part's own numbers of nodes ascend as the map's do, first of those inside, then of those on the border. Arcs lead
 * from nodes inside to nodes of both kinds. Zeroed = empty; mcd_local_part_free. */
typedef struct mcd_local_part {
    mcd_node inside_count, node_count;
    mcd_node *node;   /* [node_count] of the map */
    mcd_node *number; /* [nodes of the map] in the part, or MCD_NODE_NONE */
    mcd_arc *first;
    mcd_node *end;
    mcd_clock_arc *arc;
    mcd_weight *companion; /* NULL: none */
} mcd_local_part;

/* Adds to detour[node] what a way over the bounds takes from (MCD_BACKWARD: to) the nearest of some nodes, at most
 * MCD_UNREACHED. dist: scratch of one value a node. Time: a look at every kept arc. */
macadam_status mcd_local_part_add(mcd_weight *detour, const mcd_weights *bound, mcd_direction direction,
                                  const mcd_node *near, size_t count, mcd_weight *dist, macadam_error *error);

/* Makes the part of all nodes with detours up to `margin`, for searches in a direction. Free *out, on failure too. */
macadam_status mcd_local_part_new(mcd_local_part *out, const mcd_clock_arcs *arcs, mcd_direction direction,
                                  const mcd_weight *detour, mcd_weight margin, macadam_error *error);
/* Writes the part as the arcs of a job; both are valid as long as the part and the map's arcs are. */
void mcd_local_part_arcs(const mcd_local_part *part, const mcd_clock_arcs *map, mcd_direction direction,
                         mcd_graph *graph, mcd_clock_arcs *out);
void mcd_local_part_free(mcd_local_part *part);

#endif
