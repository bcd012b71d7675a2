/* unpack.h - from kept arcs to input arcs. */
#ifndef MCD_KERNELS_HOST_UNPACK_H
#define MCD_KERNELS_HOST_UNPACK_H

#include "kernels/backend.h"

/* A kept arc, packed: its index and direction. */
static inline uint64_t mcd_kept_arc(uint32_t index, mcd_direction direction)
{
    return (uint64_t)index << 1 | (uint64_t)direction;
}

enum { MCD_UNPACK_STREAMS = 12 }; /* paths unpacked in turn: 8 to 16 make no difference on New York and NE */

/* Unpacks `count` paths: *path[i] becomes the input arcs of the kept arcs chain[first[i] .. first[i + 1]).
 * `spans` may be NULL. `stack` has room for MCD_UNPACK_STREAMS * (height + 1) arcs. A path is abandoned
 * once it is longer than the number of nodes. Returns MACADAM_E_MEMORY, or MACADAM_E_FILE if the children
 * of the file belong to no path. */
macadam_status mcd_unpack(mcd_path *const *path, const uint64_t *chain, const size_t *first, size_t count,
                          const mcd_weights *weights, const mcd_spans *spans, uint64_t *stack,
                          macadam_error *error);

/* Cuts the cycles out of a path from a node of `source` that arcs of weight 0 brought back to a node. The
 * result has the same cost and no node twice. */
macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, const mcd_lane *source,
                                 macadam_error *error);

void mcd_path_free(mcd_path *path);

#endif
