/* streams.h - a search's arcs in the order of the sweep, so that a warp reads them one after the other.
 *
 * An entry is two arcs of one node: the rows of their upper ends, the row of the node, how many more
 * entries the node has, and the weights. A node with an odd number of arcs, or with none, is filled up
 * with unreached arcs of row 0. Rows: first the piece's boundary, then its nodes: at the top one by one, below
 * it by their depth below the root's. */
#ifndef MCD_KERNELS_CUDA_SWEEP_STREAMS_H
#define MCD_KERNELS_CUDA_SWEEP_STREAMS_H

#include "kernels/cuda/sweep/layers.h"

static constexpr uint32_t ENTRY_ROWS_MAX = 1 << 16;

template <class Cost> struct alignas(16) stream_entry {
    uint32_t above; /* the rows of the upper ends, 16 bits each */
    uint32_t own;   /* the row of the node, and in the high half how many entries follow, at most 2^16 - 1 */
    Cost weight[2];
};

struct sweep_streams {
    gpu_array<mcd_arc> first;     /* [pieces + 1] */
    gpu_array<mcd_arc> top_first; /* [top + 1]: the first entries of the top's nodes, by place in the walk */
    gpu_array<unsigned char> entry; /* stream_entry<Cost> [entries] */
};

/* The streams of a sweep over `search`, made at first use. Weights with a companion have joint costs,
 * unless only the objective is requested. Ready on return. */
const sweep_streams &sweep_streams_of(gpu_call &call, gpu_weights &weights, int search, bool joint);

#endif
