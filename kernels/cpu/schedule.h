/* schedule.h - the order in which a hierarchy's nodes are worked on in parallel: bottom subtrees, and levels
 * above. */
#ifndef MCD_SCHEDULE_H
#define MCD_SCHEDULE_H

#include "kernels/backend.h"

/* The nodes above the bottom subtrees by level: nodes of one level are no ancestors of each other. */
typedef struct mcd_levels {
    uint32_t count;
    mcd_node *first; /* [count + 1], into `node` */
    mcd_node *node;  /* ascending within a level */
} mcd_levels;

macadam_status mcd_levels_new(mcd_levels *out, const mcd_hierarchy *hierarchy, macadam_error *error);
void mcd_levels_free(mcd_levels *levels);

/* The transposed upward arcs: for each node, the nodes below that have an upward arc to it, ascending, and
 * where in their lists it stands; and the depth of each upward arc's head. */
typedef struct mcd_lower {
    mcd_arc *first; /* [node_count + 1] */
    mcd_node *node;
    uint32_t *slot;
    uint32_t *up_depth; /* [up arcs] */
} mcd_lower;

macadam_status mcd_lower_new(mcd_lower *out, const mcd_hierarchy *hierarchy, macadam_error *error);
void mcd_lower_free(mcd_lower *lower);

#endif
