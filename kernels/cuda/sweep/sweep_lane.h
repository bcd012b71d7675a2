/* sweep_lane.h - the sweep of a single lane: the threads of a warp divide a node's arcs, not lanes.
 *
 * Layout. As sweep.h, with one cost per row. At the top, a thread has up to LANE_ENTRIES entries of its warp's node.
 * Below it, a warp holds 32 entries of the stream, one per thread, and finds the nodes' ends among them. The facts
 * and answers of nodes go through registers 32 nodes at a time.
 * Races. None: a row is written by one thread, between barriers.
 * Limit. At the top a chain of rounds. Below it the instructions: some 70 of a warp for each node. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H

#include "kernels/cuda/sweep/sweep_view.h"

enum {
    LANE_WARPS = 4,   /* per block */
    LANE_ENTRIES = 3, /* of a top node, prefetched by a thread */
};

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

template <class Cost>
static __device__ lane_nodes<Cost> load_nodes(const sweep_view<Cost> &view, uint32_t piece, uint32_t index,
                                              bool is_there)
{
    lane_nodes<Cost> out = {{}, cost_unreached<Cost>(), 0};
    if (!is_there) return out;
    const mcd_node source = view.source[0], root = view.pieces.root[piece];
    if (source < root || source >= view.subtree_end[root])
        out.node.node = root + index; /* without labels */
    else
        out.node = {root + index, view.subtree_end[root + index], view.depth[root + index]};
    if (out.node.node <= source && source < out.node.subtree_end) out.label = view.label[out.node.depth];
    return out;
}

template <class Cost>
static __device__ void load_entries(const sweep_view<Cost> &view, const top_step &step, unsigned thread,
                                    stream_entry<Cost> (&out)[LANE_ENTRIES])
{
#pragma unroll
    for (unsigned i = 0; i < LANE_ENTRIES; ++i)
        out[i] = load_entry(view, step.first + i * WARP + thread, step.end);
}

/* By `count` threads, of which this is the thread-th. */
template <class Cost>
static __device__ void load_lane_boundary(const sweep_view<Cost> &view, uint32_t piece, Cost *row,
                                          unsigned thread, unsigned count)
{
    const uint32_t first = view.pieces.first_boundary[piece], end = view.pieces.first_boundary[piece + 1];
    if (first == end && thread == 0) row[0] = cost_unreached<Cost>(); /* a root without arcs reads this */
    for (uint32_t b = first + thread; b < end; b += count) row[b - first] = view.top[view.pieces.boundary[b]];
}

template <class Cost>
static __device__ Cost relax_lane(Cost best, const stream_entry<Cost> &entry, const Cost *row)
{
    return cost_relax(cost_relax(best, row[entry.above & 0xffff], entry.weight[0]), row[entry.above >> 16],
                      entry.weight[1]);
}

/* Grid  one block per top piece. */
template <class Cost, class Sink>
static __global__ void __launch_bounds__(TOP_WARPS *WARP)
    sweep_top_lane_kernel(sweep_view<Cost> view, uint32_t first_piece, Sink sink)
{
    MCD_SHARED(Cost, among); /* [TOP_WARPS][TOP_WARPS] */
    Cost *const begun = among + TOP_WARPS * TOP_WARPS, *const row = begun + TOP_WARPS;
    const unsigned thread = threadIdx.x % WARP, index = threadIdx.x / WARP;
    const uint32_t piece = first_piece + blockIdx.x;
    const uint32_t first = view.pieces.first_walk[piece], end = view.pieces.first_walk[piece + 1];
    const uint32_t boundary = view.pieces.first_boundary[piece + 1] - view.pieces.first_boundary[piece];
    let_next_launch_begin();
    top_step now = load_step(view, first + index, end),
             next = load_step(view, first + TOP_WARPS + index, end);
    stream_entry<Cost> coming[LANE_ENTRIES];
    load_entries(view, now, thread, coming);
    typename Sink::template piece<1> answers{sink, 0};
    await_launch_before();
    const mcd_node source = view.source[0];
    load_lane_boundary(view, piece, row, threadIdx.x, TOP_WARPS * WARP);
    answers.expect(now.node.node);
    __syncthreads();
    for (uint32_t base = 0; first + base < end; base += TOP_WARPS) {
        const bool is_there = first + base + index < end;
        const top_step then = load_step(view, first + base + 2 * TOP_WARPS + index, end);
        Cost *const own = among + index * TOP_WARPS;
        if (is_there) {
            Cost least = cost_unreached<Cost>(), label = least;
            if (now.node.node <= source && source < now.node.subtree_end) label = view.label[now.node.depth];
            if (thread < TOP_WARPS) own[thread] = cost_unreached<Cost>();
            __syncwarp();
#pragma unroll
            for (unsigned i = 0; i < LANE_ENTRIES; ++i) {
                set_apart(&coming[i], boundary + base, own);
                least = relax_lane(least, coming[i], row);
            }
            for (mcd_arc at = now.first + LANE_ENTRIES * WARP + thread; at < now.end; at += WARP) {
                stream_entry<Cost> entry = view.entry[at];
                set_apart(&entry, boundary + base, own);
                least = relax_lane(least, entry, row);
            }
            load_entries(view, next, thread, coming);
            least = least_of_warp(min(least, label));
            if (thread == 0) begun[index] = least;
        }
        __syncthreads();
        if (is_there) {
            const lanes<Cost, 1> best =
                complete_node<1>(index, among, [&](unsigned k) { return lanes<Cost, 1>{{begun[k]}}; });
            if (thread == 0) {
                row[boundary + base + index] = best.lane[0];
                view.top[first + base + index] = best.lane[0];
                answers.write(now.node.node, best);
            }
            answers.expect(next.node.node);
        }
        now = next, next = then;
        __syncthreads();
    }
    answers.flush_warp();
}

/* Grid  one warp per bottom piece. */
template <class Cost, class Sink>
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
    await_launch_before();
    lane_nodes<Cost> nodes = load_nodes(view, piece, thread, thread < node_count);
    answers.expect(nodes.node.node);
    load_lane_boundary(view, piece, row, thread, WARP);
    __syncwarp();
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
            if (begin <= thread && thread < stop) least = relax_lane(least, entry, row);
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
            if (block + thread < index) answers.write(nodes.node.node, lanes<Cost, 1>{{nodes.cost}});
            nodes = load_nodes(view, piece, index + thread, index + thread < node_count);
            answers.expect(nodes.node.node);
        }
    }
    answers.flush_warp();
}

template <class Cost, class Sink>
void enqueue_lane_layer(gpu_call &call, const sweep_view<Cost> &view, const sweep_layer &layer,
                        const Sink &sink)
{
    const size_t rows = layer.row_max + (layer.is_top ? TOP_WARPS * TOP_WARPS + TOP_WARPS : 0);
    const size_t bytes = rows * sizeof(Cost);
    const unsigned warps = LANE_WARPS * bytes <= call.gpu->shared_bytes ? LANE_WARPS : 1;
    launch_shape shape = {layer.piece_count, TOP_WARPS * WARP, bytes};
    if (!layer.is_top) shape = {blocks_of<uint64_t>(layer.piece_count, warps), warps * WARP, warps * bytes};
    shape.early = call.gpu->launches_early;
    if (layer.is_top)
        call.run("sweeping", shape, sweep_top_lane_kernel<Cost, Sink>, view, layer.first_piece, sink);
    else
        call.run("sweeping", shape, sweep_lane_kernel<Cost, Sink>, view, layer.first_piece, layer.piece_count,
                 layer.row_max, sink);
}

#endif
