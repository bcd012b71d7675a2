/* sweep_view.h - the data that the kernels of a sweep read, and the sinks that take their answers. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_VIEW_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_VIEW_H

#include "kernels/cuda/sweep/sources.h"
#include "kernels/cuda/sweep/streams.h"

/* Adjacent lanes of one thread. */
template <class T, int COUNT> struct alignas(sizeof(T) * COUNT) lanes {
    T lane[COUNT];
};

/* The data that all layers of a sweep share. */
template <class Cost> struct sweep_view {
    sweep_pieces pieces;
    const mcd_arc *first, *top_first; /* of the streams: first entries, and the entries */
    const stream_entry<Cost> *entry;
    const uint32_t *depth; /* of nodes */
    const mcd_node *subtree_end;
    const mcd_node *source; /* where the root path of each lane begins; MCD_NODE_NONE if nowhere */
    const column_lanes
        *of_column;    /* [stride] of places of several lanes; NULL: each of `stride` lanes is a place */
    const Cost *label; /* [lane * label_stride + depth] */
    size_t label_stride;
    Cost *
        top; /* [place in the walk * stride + lane]: here, and everywhere below, columns of places are lanes */
    size_t stride; /* lanes, rounded up to whole warps */
    /* As in sweep_streams, of a single lane. */
    const uint16_t *place, *level;
    uint32_t top_pieces, top_count;
};

/* One layer's launch. */
struct sweep_launch {
    uint32_t first_piece;
    uint32_t width;  /* lanes per warp: 32 * LANES, or fewer than 32 with LANES = 1 */
    uint32_t groups; /* of `width` lanes */
    bool waits;      /* for the launch before; otherwise that one sweeps other bottom pieces */
};

/* ---- top pieces ----
 *
 * A block sweeps a top piece in rounds of TOP_WARPS consecutive nodes, one per warp. A round's nodes first take all
 * arcs to earlier rows. Then each warp completes its own node by the arcs among the round's nodes. */

enum { TOP_WARPS = 8 };

/* A node of a top piece before its turn; without arcs if there is no such node. */
struct top_step {
    top_node node;
    mcd_arc first, end; /* entries */
};

template <class Cost>
static __device__ top_step load_step(const sweep_view<Cost> &view, uint32_t place, uint32_t end)
{
    if (place >= end) return {{}, 0, 0};
    return {view.pieces.top[place], view.top_first[place], view.top_first[place + 1]};
}

/* An entry before `end`, or one of unreached arcs. */
template <class Cost>
static __device__ stream_entry<Cost> load_entry(const sweep_view<Cost> &view, mcd_arc at, mcd_arc end)
{
    if (at < end) return view.entry[at];
    return {0, 0, {cost_unreached<Cost>(), cost_unreached<Cost>()}};
}

/* Moves an entry's arcs to rows from first_row on, which are the round's, to among[row - first_row]. */
template <class Cost>
static __device__ void set_apart(stream_entry<Cost> *entry, uint32_t first_row, Cost *among)
{
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t row = entry->above >> 16 * i & 0xffff;
        if (row < first_row || entry->weight[i] == cost_unreached<Cost>()) continue;
        among[row - first_row] = entry->weight[i];
        entry->above &= i ? 0xffffu : 0xffff0000u;
        entry->weight[i] = cost_unreached<Cost>();
    }
}

/* The cost of the round's node `index`. load(k): the k-th node's cost without arcs among them;
 * among[k * TOP_WARPS + i]: the arc from the k-th to the i-th. */
template <int LANES, class Cost, class Load>
static __device__ lanes<Cost, LANES> complete_node(unsigned index, const Cost *among, const Load &load)
{
    lanes<Cost, LANES> at[TOP_WARPS], last;
#pragma unroll
    for (unsigned k = 0; k < TOP_WARPS; ++k) {
        if (k > index) continue;
        at[k] = load(k);
#pragma unroll
        for (unsigned i = 0; i < k; ++i)
            for (int l = 0; l < LANES; ++l)
                at[k].lane[l] = cost_relax(at[k].lane[l], at[i].lane[l], among[k * TOP_WARPS + i]);
        last = at[k];
    }
    return last;
}

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
 * lanes of a thread. PLACE_LANES_MAX, place_piece: those of a sweep of places of several lanes. */

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
    static constexpr uint32_t LANES_MAX = JOINT ? 2 : 4, PLACE_LANES_MAX = LANES_MAX;
    template <int LANES> using piece = stateless_piece<tree_sink, LANES>;
    template <int LANES> using place_piece = piece<LANES>;

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
