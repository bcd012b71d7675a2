/* sweep_view.h - the data that the kernels of a sweep read, and the sinks that take their answers. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_VIEW_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_VIEW_H

#include "kernels/cuda/sweep/streams.h"

/* Adjacent lanes of one thread. */
template <class T, int COUNT> struct alignas(sizeof(T) * COUNT) lanes {
    T lane[COUNT];
};

/* The data that all layers of a sweep share. */
template <class Cost> struct sweep_view {
    sweep_pieces pieces;
    const mcd_arc *first; /* of the streams: first entries, and the entries */
    const stream_entry<Cost> *entry;
    const uint32_t *depth; /* of nodes */
    const mcd_node *subtree_end;
    const mcd_node *source; /* [stride]: where each lane's root path begins; MCD_NODE_NONE if nowhere */
    const Cost *label;      /* [lane * label_stride + depth] */
    size_t label_stride;
    Cost *top;     /* [place * stride + lane] */
    size_t stride; /* lanes, rounded up to whole warps */
};

/* One layer's launch. */
struct sweep_launch {
    uint32_t first_piece, piece_count;
    size_t warp_bytes; /* of shared memory */
    uint32_t width;    /* lanes per warp: 32 * LANES, or fewer than 32 with LANES = 1 */
    uint32_t groups;   /* of `width` lanes */
};

/* Stores past the caches where possible: the answers are not read soon. */
static __device__ inline void store_lanes(uint32_t *to, const lanes<uint32_t, 1> &value)
{
    __stcs(to, value.lane[0]);
}

static __device__ inline void store_lanes(uint32_t *to, const lanes<uint32_t, 2> &value)
{
    __stcs(reinterpret_cast<uint2 *>(to), make_uint2(value.lane[0], value.lane[1]));
}

static __device__ inline void store_lanes(uint32_t *to, const lanes<uint32_t, 4> &value)
{
    __stcs(reinterpret_cast<uint4 *>(to),
           make_uint4(value.lane[0], value.lane[1], value.lane[2], value.lane[3]));
}

/* ---- sinks ----
 *
 * A sweep's answers leave through a sink, which kernels take by value. Its piece<LANES> is a thread's
 * state while its warp sweeps a piece. expect(node) is called some time before a node's turn (and at the
 * end for the id after the piece's last), write(node, cost) once for each node, and flush() at the end; or
 * flush_warp() by all threads of a warp, if they take a single lane's nodes in turns. LANES_MAX: the most
 * lanes of a thread. */

/* The piece of a sink without state. */
template <class Sink, int LANES> struct stateless_piece {
    const Sink &sink;
    uint32_t lane; /* the thread's first lane */

    __device__ void expect(mcd_node)
    {
    }
    template <class Cost> __device__ void write(mcd_node node, const lanes<Cost, LANES> &cost)
    {
        sink.write(node, lane, cost);
    }
    __device__ void flush()
    {
    }
    __device__ void flush_warp()
    {
    }
};

/* The answers of a tree: value[node * stride + lane]. Only joint costs have a companion; then the objective may be
 * NULL. */
template <class Cost> struct tree_sink {
    static constexpr bool JOINT = sizeof(Cost) == 8;
    static constexpr uint32_t LANES_MAX = JOINT ? 2 : 4;
    template <int LANES> using piece = stateless_piece<tree_sink, LANES>;

    uint32_t *objective, *companion;
    size_t stride;
    uint32_t lane_count; /* lanes at or above it are padding */
    mcd_weight limit;
    bool raw;

    template <int LANES>
    __device__ void write(mcd_node node, uint32_t lane, const lanes<Cost, LANES> &cost) const
    {
        lanes<uint32_t, LANES> high, low;
        for (int i = 0; i < LANES; ++i)
            answer_cost(cost.lane[i], limit, raw, &high.lane[i], JOINT ? &low.lane[i] : nullptr);
        if (lane >= lane_count) return;
        if (!JOINT || objective) store_lanes(objective + node * stride + lane, high);
        if (JOINT) store_lanes(companion + node * stride + lane, low);
    }
};

#endif
