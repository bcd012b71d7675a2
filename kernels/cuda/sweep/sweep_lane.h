/* sweep_lane.h - the sweep of a single lane: the threads of a warp divide a node's arcs, not lanes.
 *
 * Layout. As sweep.h, with one cost per row. A warp holds 32 entries of the stream, one per thread, and finds
 * the nodes' ends among them. The facts and answers of nodes go through registers 32 nodes at a time.
 * Races. None: a row is written by one thread, between barriers.
 * Limit. A chain: per node, a trip to shared memory and a minimum over the warp, some 150 cycles, along the
 * largest pieces of all layers. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H

#include "kernels/cuda/sweep/sweep_view.h"

enum { LANE_WARPS = 4 /* per block */ };

static __device__ inline uint32_t least_of_warp(uint32_t value)
{
    return __reduce_min_sync(WARP_ALL, value);
}

static __device__ inline uint64_t least_of_warp(uint64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        const uint64_t other = __shfl_xor_sync(WARP_ALL, value, step);
        value = other < value ? other : value;
    }
    return value;
}

/* 32 nodes of a piece: for the thread's own node its facts, its label, and its cost once it is known. */
template <class Cost> struct lane_nodes {
    top_node node;
    Cost label, cost;
};

template <class Cost, bool TOP>
static __device__ lane_nodes<Cost> load_nodes(const sweep_view<Cost> &view, uint32_t piece, uint32_t index,
                                              bool is_there)
{
    lane_nodes<Cost> out = {{}, cost_unreached<Cost>(), 0};
    if (!is_there) return out;
    const mcd_node source = view.source[0], root = view.pieces.root[piece];
    if (TOP)
        out.node = view.pieces.top[view.pieces.first_walk[piece] + index];
    else if (source < root || source >= view.subtree_end[root])
        out.node.node = root + index; /* without labels */
    else
        out.node = {root + index, view.subtree_end[root + index], view.depth[root + index]};
    if (out.node.node <= source && source < out.node.subtree_end) out.label = view.label[out.node.depth];
    return out;
}

template <class Cost, bool TOP, class Answers>
static __device__ void store_nodes(const sweep_view<Cost> &view, Answers &answers, uint32_t piece,
                                   uint32_t index, const lane_nodes<Cost> &from)
{
    if (TOP) view.top[view.pieces.first_walk[piece] + index] = from.cost;
    answers.write(from.node.node, lanes<Cost, 1>{{from.cost}});
}

template <class Cost>
static __device__ void load_lane_boundary(const sweep_view<Cost> &view, uint32_t piece, Cost *row,
                                          unsigned thread)
{
    const uint32_t first = view.pieces.first_boundary[piece], end = view.pieces.first_boundary[piece + 1];
    if (first == end && thread == 0) row[0] = cost_unreached<Cost>(); /* a root without arcs reads this */
    for (uint32_t b = first + thread; b < end; b += WARP) row[b - first] = view.top[view.pieces.boundary[b]];
    __syncwarp();
}

template <class Cost, bool TOP, class Sink>
static __global__ void __launch_bounds__(LANE_WARPS *WARP)
    sweep_lane_kernel(sweep_view<Cost> view, uint32_t first_piece, uint32_t piece_count, uint32_t row_max,
                      Sink sink)
{
    const unsigned thread = threadIdx.x % WARP;
    const uint32_t task = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, piece = first_piece + task;
    if (task >= piece_count) return;
    MCD_SHARED(Cost, rows);
    Cost *const row = rows + (size_t)(threadIdx.x / WARP) * row_max;
    const mcd_arc first = view.first[piece], end = view.first[piece + 1];
    const uint32_t node_count = view.pieces.first_walk[piece + 1] - view.pieces.first_walk[piece];
    stream_entry<Cost> coming = {};
    if (first + thread < end) coming = view.entry[first + thread];
    typename Sink::template piece<1> answers{sink, 0};
    lane_nodes<Cost> nodes = load_nodes<Cost, TOP>(view, piece, thread, thread < node_count);
    answers.expect(nodes.node.node);
    load_lane_boundary(view, piece, row, thread);
    uint32_t index = 0; /* of the node */
    Cost best = cost_unreached<Cost>();
    for (mcd_arc base = first; base < end; base += WARP) {
        const stream_entry<Cost> entry = coming;
        const uint32_t count = (uint32_t)min(end - base, (mcd_arc)WARP);
        if (base + WARP + thread < end) coming = view.entry[base + WARP + thread];
        const uint32_t lasts = __ballot_sync(WARP_ALL, thread < count && entry.own >> 16 == 0);
        for (uint32_t begin = 0; begin < count;) {
            const uint32_t later = lasts >> begin << begin;
            const uint32_t stop = later ? (uint32_t)__ffs(later) : count; /* end of the node's entries */
            Cost least = cost_unreached<Cost>();
            if (begin <= thread && thread < stop)
                least = cost_relax(cost_relax(least, row[entry.above & 0xffff], entry.weight[0]),
                                   row[entry.above >> 16], entry.weight[1]);
            best = min(best, least_of_warp(least));
            begin = stop;
            if (!later) continue; /* the node goes on in the next chunk */
            best = min(best, __shfl_sync(WARP_ALL, nodes.label, index % WARP));
            if (thread == stop - 1) row[entry.own & 0xffff] = best;
            if (thread == index % WARP) nodes.cost = best;
            __syncwarp();
            best = cost_unreached<Cost>();
            if (++index % WARP != 0 && index < node_count) continue;
            const uint32_t block = (index - 1) / WARP * WARP;
            if (block + thread < index) store_nodes<Cost, TOP>(view, answers, piece, block + thread, nodes);
            nodes = load_nodes<Cost, TOP>(view, piece, index + thread, index + thread < node_count);
            answers.expect(nodes.node.node);
        }
    }
    answers.flush_warp();
}

template <class Cost, class Sink>
void enqueue_lane_layer(gpu_call &call, const sweep_view<Cost> &view, const sweep_layer &layer,
                        const Sink &sink)
{
    const size_t warp_bytes = layer.row_max * sizeof(Cost);
    const unsigned warps = LANE_WARPS * warp_bytes <= call.gpu->shared_bytes ? LANE_WARPS : 1;
    call.run("sweeping", {blocks_of<uint64_t>(layer.piece_count, warps), warps * WARP, warps * warp_bytes},
             layer.is_top ? sweep_lane_kernel<Cost, true, Sink> : sweep_lane_kernel<Cost, false, Sink>, view,
             layer.first_piece, layer.piece_count, layer.row_max, sink);
}

#endif
