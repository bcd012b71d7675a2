/* sweep_lane.h - the sweep of a single lane: the threads of a warp divide a node's arcs, not lanes.
 *
 * Layout. As sweep.h, with one cost per row. At the top, a thread has up to LANE_ENTRIES entries of its warp's node.
 * Below it, a warp takes the nodes of a piece level by level, up to 32 together. With fewer, several threads divide a
 * node's entries. All nodes of the piece have rows, from which the answers are written at the end, by ascending ids.
 * Races. None: a row is written by one thread, between barriers.
 * Limit. At the top a chain of rounds. Below it a chain of levels. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_LANE_H

#include "kernels/cuda/sweep/sweep_view.h"

enum {
    LANE_WARPS = 4,   /* per block */
    LANE_ENTRIES = 3, /* of a node, prefetched by a thread */
    LANE_ROWS = BOTTOM_ROWS + PIECE_NODES_MAX,
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

template <class Cost>
static __device__ void load_entries(const sweep_view<Cost> &view, mcd_arc first, mcd_arc end, unsigned step,
                                    stream_entry<Cost> (&out)[LANE_ENTRIES])
{
#pragma unroll
    for (unsigned i = 0; i < LANE_ENTRIES; ++i) out[i] = load_entry(view, first + i * step, end);
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
    load_entries(view, now.first + thread, now.end, WARP, coming);
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
            load_entries(view, next.first + thread, next.end, WARP, coming);
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

/* Up to WARP nodes of one level of a bottom piece. */
struct level_step {
    uint32_t level, begin, end; /* places: of the first node, and of the level's end */
    uint32_t threads;           /* for each node: a power of two */
    uint32_t place;             /* of the thread's node; there is none if it is not below the end */
    mcd_arc first, stop;        /* the thread's entries: every threads-th */
};

static constexpr level_step BEFORE_LEVELS = {UINT32_MAX, 0, 0, 1, 0, 0, 0};

/* The step after another one; without nodes if there are none left. */
template <class Cost>
static __device__ level_step load_level(const sweep_view<Cost> &view, uint32_t piece, level_step step,
                                        unsigned thread)
{
    const uint16_t *const level = view.level + (piece - view.top_pieces) * PIECE_LEVELS;
    const uint32_t count = view.pieces.first_walk[piece + 1] - view.pieces.first_walk[piece];
    step.begin = min(step.begin + WARP, step.end);
    if (step.begin == step.end && step.begin < count) step.end = level[++step.level + 1];
    const uint32_t width = min(step.end - step.begin, (uint32_t)WARP);
    step.first = step.stop = 0;
    if (width == 0) return step;
    step.threads = WARP >> (width > 1 ? WARP - __clz((int)(width - 1)) : 0);
    step.place = step.begin + thread / step.threads;
    if (step.place >= step.begin + width) return step;
    const mcd_arc *const first = view.top_first + view.pieces.first_walk[piece] + step.place;
    step.first = first[0] + thread % step.threads, step.stop = first[1];
    return step;
}

/* Writes the labels of a piece's nodes to their rows. */
template <class Cost>
static __device__ void load_lane_labels(const sweep_view<Cost> &view, mcd_node root, uint32_t count,
                                        const uint16_t *place, Cost *row, unsigned thread)
{
    const mcd_node source = view.source[0];
    for (uint32_t i = thread; i < count; i += WARP) {
        const mcd_node node = root + i;
        const bool is_above = node <= source && source < view.subtree_end[node];
        row[place[i]] = is_above ? view.label[view.depth[node]] : cost_unreached<Cost>();
    }
}

/* Grid  one warp per bottom piece, level by level: a node's threads divide its entries. */
template <class Cost, class Sink>
static __global__ void __launch_bounds__(LANE_WARPS *WARP)
    sweep_levels_kernel(sweep_view<Cost> view, uint32_t first_piece, uint32_t piece_count, Sink sink)
{
    const unsigned thread = threadIdx.x % WARP;
    const uint32_t task = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, piece = first_piece + task;
    if (task >= piece_count) return;
    MCD_SHARED(Cost, rows);
    Cost *const row = rows + threadIdx.x / WARP * LANE_ROWS;
    const uint32_t walk = view.pieces.first_walk[piece], count = view.pieces.first_walk[piece + 1] - walk;
    Cost *const own = row + (view.pieces.first_boundary[piece + 1] - view.pieces.first_boundary[piece]);
    const mcd_node root = view.pieces.root[piece];
    const uint16_t *const place = view.place + (walk - view.top_count);
    level_step now = load_level(view, piece, BEFORE_LEVELS, thread),
               next = load_level(view, piece, now, thread);
    stream_entry<Cost> coming[LANE_ENTRIES];
    load_entries(view, now.first, now.stop, now.threads, coming);
    typename Sink::template piece<1> answers{sink, 0};
    await_launch_before();
    const bool has_source = root <= view.source[0] && view.source[0] < view.subtree_end[root];
    load_lane_boundary(view, piece, row, thread, WARP);
    if (has_source) load_lane_labels(view, root, count, place, own, thread);
    __syncwarp();
    while (now.begin < now.end) {
        const level_step then = load_level(view, piece, next, thread);
        const bool is_first = now.place < now.end && thread % now.threads == 0;
        Cost best = has_source && is_first ? own[now.place] : cost_unreached<Cost>();
#pragma unroll
        for (unsigned i = 0; i < LANE_ENTRIES; ++i) best = relax_lane(best, coming[i], row);
        for (mcd_arc at = now.first + LANE_ENTRIES * now.threads; at < now.stop; at += now.threads)
            best = relax_lane(best, view.entry[at], row);
        load_entries(view, next.first, next.stop, next.threads, coming);
        for (unsigned step = now.threads / 2; step > 0; step /= 2)
            best = min(best, __shfl_xor_sync(WARP_ALL, best, (int)step));
        __syncwarp(); /* threads without an entry have read the first row: a root's own if there is no boundary */
        if (is_first) own[now.place] = best;
        __syncwarp();
        now = next, next = then;
    }
    answers.expect(root + min(thread, count - 1));
    for (uint32_t i = thread; i < count; i += WARP) {
        answers.write(root + i, lanes<Cost, 1>{{own[place[i]]}});
        if (i + WARP < count) answers.expect(root + i + WARP);
    }
    answers.flush_warp();
}

template <class Cost, class Sink>
void enqueue_lane_layer(gpu_call &call, const sweep_view<Cost> &view, const sweep_layer &layer,
                        const Sink &sink)
{
    const size_t top_rows = layer.row_max + TOP_WARPS * TOP_WARPS + TOP_WARPS;
    launch_shape shape = {layer.piece_count, TOP_WARPS * WARP, top_rows * sizeof(Cost)};
    if (!layer.is_top)
        shape = {blocks_of<uint64_t>(layer.piece_count, LANE_WARPS), LANE_WARPS * WARP,
                 LANE_WARPS * LANE_ROWS * sizeof(Cost)};
    shape.early = call.gpu->launches_early;
    if (layer.is_top)
        call.run("sweeping", shape, sweep_top_lane_kernel<Cost, Sink>, view, layer.first_piece, sink);
    else
        call.run("sweeping", shape, sweep_levels_kernel<Cost, Sink>, view, layer.first_piece,
                 layer.piece_count, sink);
}

#endif
