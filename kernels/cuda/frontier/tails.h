/* tails.h - looking for the tail of a node's arc: what parents and bottom-up levels share. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_TAILS_H
#define MCD_KERNELS_CUDA_FRONTIER_TAILS_H

#include "kernels/cuda/frontier/arcs.h"

/* Calls accepts(lane, arc, tail) for the arcs first <= arc < end of each lane's node until it returns true;
 * returns that tail, the smallest, or MCD_NODE_NONE. Called by all lanes of a warp. A node's thread reads
 * SERIAL arcs, AT_ONCE of them together. If there are more, all lanes look together, and accepts() takes the
 * node's own state from `lane`. */
template <unsigned SERIAL = 16, unsigned AT_ONCE = 1, class Accepts>
__device__ mcd_node find_tail(const side_view &side, uint32_t first, uint32_t end, const Accepts &accepts)
{
    const unsigned lane = threadIdx.x % WARP;
    const uint32_t serial = min(end, first + SERIAL);
    mcd_node found = MCD_NODE_NONE;
    for (uint32_t base = first; base < serial && found == MCD_NODE_NONE; base += AT_ONCE) {
        mcd_node tail[AT_ONCE];
        unsigned hits = 0;
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; ++i) tail[i] = side.head[min(base + i, serial - 1)];
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; ++i)
            hits |= (unsigned)accepts((int)lane, min(base + i, serial - 1), tail[i]) << i;
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; ++i)
            if (found == MCD_NODE_NONE && (hits >> i & 1)) found = tail[i];
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
