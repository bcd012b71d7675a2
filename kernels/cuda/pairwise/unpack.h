/* unpack.h - from kept arcs to input arcs on a GPU. CPU twin: kernels/host/unpack.h. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H
#define MCD_KERNELS_CUDA_PAIRWISE_UNPACK_H

#include "kernels/cuda/pairwise/route.h"

enum { SPARE = 2 }; /* free places of a path of numbers: one before it, one after it */

/* Bytes on the GPU of a chain. */
static inline uint64_t chain_bytes(uint64_t height)
{
    return 2 * height * 2 * sizeof(uint32_t) + 6 * sizeof(uint32_t) + sizeof(mcd_arc) + 2 * sizeof(uint64_t);
}

/* Makes weights.length if it is not there yet. Ready on return. MACADAM_E_FILE if the children belong to
 * no path. */
void unpack_prepare(gpu_call &call, gpu_weights &weights);

/* Returns the numbers of the map's arcs, which are copied to the GPU once: MCD_ARC_NONE of arcs without an original. original:
 * mcd_route_job::arc_original. */
const uint64_t *unpack_numbers(gpu_call &call, gpu_map &map, const uint64_t *arc_number,
                               const uint32_t *original);

/* Returns whether some arc with a number has the objective 0, so that paths may run through cycles. objective: per arc. */
bool unpack_has_zero(gpu_call &call, gpu_weights &weights, const mcd_weight *objective,
                     const uint64_t *number);

/* Enqueues the lengths and places of `count` chains. With numbers, paths lose their last arc if that has none, and each chain has
 * SPARE more places, for the path's first and last arc: chains.before, chains.behind, MCD_ARC_NONE if it has none. */
void enqueue_lengths(gpu_call &call, const gpu_weights &weights, gpu_chains &chains, size_t count,
                     const uint64_t *number);

/* Enqueues places begin <= i < end of all chains, one after the other, to `to`: uint32_t input arcs. With numbers:
 * uint64_t numbers of arcs, between chains.before and chains.behind. */
void enqueue_unpack(gpu_call &call, const gpu_weights &weights, const gpu_chains &chains, mcd_arc begin,
                    mcd_arc end, const uint64_t *number, void *to);

#endif
