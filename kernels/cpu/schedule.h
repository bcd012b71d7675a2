/* schedule.h - what customization needs of a hierarchy and its graph alone: the order in which nodes are
 * worked on in parallel, lower neighbours, and where input arcs belong. */
#ifndef MCD_SCHEDULE_H
#define MCD_SCHEDULE_H

#include "kernels/backend.h"

/* Of a lower neighbour's slot: it has the same neighbours above as the one before it. */
#define MCD_SAME_TOPS (UINT32_C(1) << 31)

struct mcd_schedule {
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;

    /* The nodes above the bottom subtrees by level: nodes of one level are no ancestors of each other. */
    uint32_t level_count;
    mcd_node *level_first; /* [level_count + 1], into level_node */
    mcd_node *level_node;  /* ascending within a level */

    /* For each node, the nodes below that have an upward arc to it and to nodes above it, ascending, and where
     * in their lists it stands: how many those above are. */
    mcd_arc *first_lower; /* [node_count + 1] */
    mcd_node *lower;
    uint32_t *lower_slot; /* with MCD_SAME_TOPS */

    uint32_t *up_depth;  /* [up arcs]: the depth of the head */
    uint32_t *up_of_arc; /* [input arcs]: the upward arc between its ends; UINT32_MAX: a loop */
};

/* Returns E_FILE if an input arc has no upward arc, or E_MEMORY. */
macadam_status mcd_schedule_new(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                macadam_error *error);
void mcd_schedule_free(mcd_schedule *schedule);

#endif
