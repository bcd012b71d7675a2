/* tight_path.h - a path found arc by arc in a tree of costs: for maps with cycles of weight 0. */
#ifndef MCD_KERNELS_HOST_TIGHT_PATH_H
#define MCD_KERNELS_HOST_TIGHT_PATH_H

#include "kernels/backend.h"

/* A backend's trees, without the scratch. */
typedef macadam_status (*mcd_find_tree)(const mcd_tree_job *job, macadam_error *error);

/* Finds a path of the fewest arcs among those of least cost from source to target, which is reached. With
 * `joint` its companion is the least too. *out holds input arcs in memory of their own. Time: a tree and a
 * breadth-first search. */
macadam_status mcd_tight_path(mcd_path *out, const mcd_weights *weights, bool joint, const mcd_lane *source,
                              const mcd_lane *target, mcd_find_tree find_tree, macadam_error *error);

#endif
