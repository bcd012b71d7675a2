/* tight_path.h - a path found arc by arc in a tree of costs: for maps with cycles of weight 0. */
#ifndef MCD_TIGHT_PATH_H
#define MCD_TIGHT_PATH_H

#include "kernels/backend.h"

/* Lanes of one seed. `pair`: of the least companion too. Replaces `path` by one of the fewest arcs among
 * those of least cost from source to target, which is reached.
 * Time: a tree and a breadth-first search. */
macadam_status mcd_tight_path(mcd_path *path, const mcd_weights *weights, bool pair, const mcd_lane *source,
                              mcd_node target, macadam_error *error);

#endif
