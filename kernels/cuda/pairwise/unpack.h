/* unpack.h - from kept arcs to input arcs on a GPU. CPU twin: kernels/host/unpack.h. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H
#define MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H

#include "kernels/cuda/pairwise/route.h"

/* Bytes on the GPU of a chain. */
static inline uint64_t chain_bytes(uint64_t height)
{
    return 2 * height * 2 * sizeof(uint32_t) + 4 * sizeof(uint32_t) + sizeof(mcd_arc);
}

/* Makes weights.length if it is not there yet. Ready on return. MACADAM_E_FILE if the children belong to
 * no path. */
void unpack_prepare(gpu_call &call, gpu_weights &weights);

/* Enqueues the lengths and places of `count` chains. */
void enqueue_lengths(gpu_call &call, const gpu_weights &weights, gpu_chains &chains, size_t count);

/* Enqueues arc[i - begin] for begin <= i < end: the i-th input arc of all chains, one after the other. */
void enqueue_unpack(gpu_call &call, const gpu_weights &weights, const gpu_chains &chains, mcd_arc begin,
                    mcd_arc end, uint32_t *arc);

#endif
