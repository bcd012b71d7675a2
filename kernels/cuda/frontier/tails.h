/* tails.h - looking for the tail of a node's arc: what parents and bottom-up levels share. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_TAILS_H
#define MCD_KERNELS_CUDA_FRONTIER_TAILS_H

#include "kernels/cuda/frontier/arcs.h"

enum { TAILS_SERIAL = 16 }; /* arcs that the node's thread reads; its warp reads more */

/* Calls accepts(arc, tail) for the arcs first <= i < end of each lane's node until it returns true;
 * returns that tail, the smallest, or MCD_NODE_NONE. Called by all lanes of a warp. If a node has many
 * arcs, all lanes look together, and accepts() takes the node's own state from `lane`. */
template <class Accepts>
__device__ mcd_node find_tail(const side_view &side, uint32_t first, uint32_t end, const Accepts &accepts)
{
    const unsigned lane = threadIdx.x % WARP;
    const uint32_t serial = min(end, first + TAILS_SERIAL);
    mcd_node found = MCD_NODE_NONE;
    for (uint32_t arc = first; arc < serial && found == MCD_NODE_NONE; ++arc) {
        const mcd_node tail = side.head[arc];
        if (accepts((int)lane, arc, tail)) found = tail;
    }
    unsigned rest = __ballot_sync(WARP_ALL, found == MCD_NODE_NONE && serial < end);
    for (; rest; rest &= rest - 1) {
        const int of = __ffs((int)rest) - 1;
        const uint32_t last = __shfl_sync(WARP_ALL, end, of);
        mcd_node by = MCD_NODE_NONE;
        for (uint32_t base = __shfl_sync(WARP_ALL, serial, of); base < last && by == MCD_NODE_NONE;
             base += WARP) {
            const uint32_t arc = min(base + lane, last - 1);
            const mcd_node tail = side.head[arc];
            const unsigned hits = __ballot_sync(WARP_ALL, accepts(of, arc, tail));
            if (hits) by = __shfl_sync(WARP_ALL, tail, __ffs((int)hits) - 1);
        }
        if ((int)lane == of) found = by;
    }
    return found;
}

#endif
