/* unpack.h - from kept arcs to input arcs. */
#ifndef MCD_UNPACK_H
#define MCD_UNPACK_H

#include "kernels/backend.h"

/* A kept arc from `tail` to `head`, one of them an ancestor of the other. */
typedef struct kept_arc {
    mcd_node tail, head;
} kept_arc;

/* Appends the input arcs of a kept arc to `path`. `stack` has room for height + 1 kept arcs. */
macadam_status mcd_unpack_arc(mcd_path *path, const mcd_weights *weights, bool pair, kept_arc arc,
                              kept_arc *stack, macadam_error *error);

/* Cuts out the cycles of a path whose arcs of weight 0 made it come back to a node: what remains has the same
 * cost and no node twice. */
macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, macadam_error *error);

#endif
