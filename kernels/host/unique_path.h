/* unique_path.h - a route found on the input arcs, for weights that are not customized yet. */
#ifndef MCD_KERNELS_HOST_UNIQUE_PATH_H
#define MCD_KERNELS_HOST_UNIQUE_PATH_H

#include "kernels/backend.h"

/* Finds the shortest path over weights->graph if there is only one. It is then the path that every other method finds,
 * whatever its rule for ties. weights->hierarchy may be NULL. A place has one lane or several, whose seeds are distinct
 * nodes, any nodes. `progress` may be NULL. Returns MACADAM_OK, E_MEMORY or E_CANCELLED. Time: linear in the nodes
 * nearer than half the way, times the logarithm. */
macadam_status mcd_unique_path_find(mcd_unique_path *out, const mcd_weights *weights, const mcd_lane *from,
                                    size_t from_count, const mcd_lane *to, size_t to_count,
                                    const mcd_progress *progress, macadam_error *error);

#endif
