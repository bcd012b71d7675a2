/* unpack.h - from kept arcs to input arcs on a GPU. CPU twin: kernels/host/unpack.h. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H
#define MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H

#include "kernels/cuda/pairwise/route.h"

/* The places of chains' input arcs. */
struct gpu_unpacked {
    size_t count = 0;           /* number of chains */
    gpu_array<uint32_t> end;    /* as gpu_chains.arc: input arcs of the chain up to and with this one */
    gpu_array<uint32_t> length; /* [count]; if more than there are nodes, the host finds the path otherwise */
    gpu_array<uint32_t> room;   /* [count]: the length, 0 if it is more than there are nodes */
    gpu_array<mcd_arc> first;   /* [count + 1]: the sum of the rooms before */
};

/* Bytes on the GPU of a chain and of its unpacked arrays. */
static inline uint64_t chain_bytes(uint64_t height)
{
    return 2 * height * 2 * sizeof(uint32_t) + 4 * sizeof(uint32_t) + sizeof(mcd_arc);
}

/* Makes weights.length if it is not there yet. Ready on return. MACADAM_E_FILE if the children belong to
 * no path. */
macadam_status unpack_prepare(gpu_call &call, gpu_weights &weights);

macadam_status unpacked_allocate(gpu_unpacked &unpacked, gpu_call &call, const gpu_weights &weights,
                                 size_t count);

/* Enqueues the lengths and places of `count` chains into `unpacked`. */
macadam_status enqueue_lengths(gpu_call &call, const gpu_weights &weights, const gpu_chains &chains,
                               size_t count, gpu_unpacked &unpacked);

/* Enqueues arc[i - begin] for begin <= i < end: the i-th input arc of all chains, one after the other. */
macadam_status enqueue_unpack(gpu_call &call, const gpu_weights &weights, const gpu_chains &chains,
                              const gpu_unpacked &unpacked, mcd_arc begin, mcd_arc end, uint32_t *arc);

#endif
