/* streams.h - a search's arcs in the order of the sweep, so that a warp reads them one after the other.
 *
 * An entry is two arcs of one node: the rows of their upper ends, the row of the node, how many more
 * entries the node has, and the weights. A node with an odd number of arcs, or with none, is filled up
 * with unreached arcs of row 0. Rows: first the piece's boundary, then its nodes: at the top one by one, below
 * it by their depth below the root's.
 *
 * A single lane has a stream of its own, in which nodes of bottom pieces have a row each, and come level by level: nodes of
 * one depth are independent. */
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
    /* Of a single lane, whose top_first has all nodes: */
    gpu_array<uint16_t> place; /* below the top, by id within its piece: a node's place in its piece */
    /* [bottom piece * PIECE_LEVELS + depth below the root's]: the place of the first node there; below the last level the
     * number of nodes */
    gpu_array<uint16_t> level;
};

enum { PIECE_LEVELS = 64 };
static_assert((int)BOTTOM_ROWS < (int)PIECE_LEVELS, "the last entry is the number of nodes");

/* The streams of a sweep over `search`, made at first use. Weights with a companion have joint costs,
 * unless only the objective is requested. of_one: for a single lane. Ready on return. */
const sweep_streams &sweep_streams_of(gpu_call &call, gpu_weights &weights, int search, bool joint,
                                      bool of_one);
/* Those that are there, or NULL. */
const sweep_streams *find_streams(gpu_weights &weights, int search, bool joint, bool of_one);

#endif
