/* sweep_upper.h - a single lane's costs at the upper top nodes, from the labels of top nodes (top_view.h) in the place of a
 * chain of layers.
 *
 * Method. The cost from the source to a node is the least sum, over their common ancestors, of the source's label and of the
 * node's label in the other direction. A block takes a piece, and threads take depths. The piece's nodes share the
 * ancestors of its root, so a warp looks at these once for UPPER_NODES of them.
 * Races   none: a node's cost is written by one thread.
 * Limit   latency: five loads that depend on each other, and some nodes in turn. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_UPPER_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_UPPER_H

#include "kernels/cuda/sweep/sweep_lane.h"
#include "kernels/cuda/sweep/top_view.h"

enum {
    UPPER_NODES = 8, /* of a warp */
    UPPER_WARPS = TOP_NODES / UPPER_NODES,
};

/* Whether the source is at or below the ancestor of a top node, given by its row, at a depth. */
template <class Cost>
static __device__ bool is_below(const sweep_view<Cost> &view, const top_view &top, mcd_node source,
                                uint32_t row, uint32_t depth)
{
    const mcd_node ancestor = top.node[top.above[row * top.stride + depth]];
    return ancestor <= source && source < view.subtree_end[ancestor];
}

/* Grid  one block per piece, one warp per UPPER_NODES of its nodes. */
template <class Cost, class Sink>
static __global__ void __launch_bounds__(UPPER_WARPS *WARP)
    sweep_upper_kernel(sweep_view<Cost> view, top_view top, const Cost *__restrict__ top_label, Sink sink)
{
    const unsigned thread = threadIdx.x % WARP;
    const uint32_t first = view.pieces.first_walk[blockIdx.x] + threadIdx.x / WARP * UPPER_NODES,
                   end = view.pieces.first_walk[blockIdx.x + 1];
    const mcd_node root = view.pieces.root[blockIdx.x], root_end = view.subtree_end[root];
    const uint32_t root_depth = view.depth[root];
    uint32_t row[UPPER_NODES];
    Cost best[UPPER_NODES];
    let_next_launch_begin();
#pragma unroll
    for (uint32_t j = 0; j < UPPER_NODES; ++j) {
        row[j] = first + j < end ? top.row[view.pieces.top[first + j].node] : 0;
        best[j] = cost_unreached<Cost>();
    }
    typename Sink::template piece<1> answers{sink, 0};
    await_launch_before();
    if (first >= end) return;
    const mcd_node source = view.source[0];
    for (uint32_t depth = thread; depth <= root_depth; depth += WARP) {
        const bool is_common = is_below(view, top, source, row[0], depth);
        const Cost label = is_common ? view.label[depth] : cost_unreached<Cost>();
#pragma unroll
        for (uint32_t j = 0; j < UPPER_NODES; ++j)
            best[j] = cost_relax(best[j], label, top_label[row[j] * top.stride + depth]);
    }
    const bool is_in_piece = root <= source && source < root_end;
#pragma unroll
    for (uint32_t j = 0; j < UPPER_NODES; ++j) {
        if (first + j >= end) continue;
        const top_node node = view.pieces.top[first + j];
        for (uint32_t depth = root_depth + 1 + thread; is_in_piece && depth <= node.depth; depth += WARP)
            if (is_below(view, top, source, row[j], depth))
                best[j] = cost_relax(best[j], view.label[depth], top_label[row[j] * top.stride + depth]);
        const lanes<Cost, 1> cost = {{least_of_warp(best[j])}};
        answers.expect(node.node);
        if (thread != 0) continue;
        view.top[first + j] = cost.lane[0];
        answers.write(node.node, cost);
    }
    answers.flush_warp();
}

/* Enqueues the upper layers of a single lane's sweep, if there are the labels for it. Returns how many layers these are. */
template <class Cost, class Sink>
size_t enqueue_upper(gpu_call &call, const gpu_weights &weights, mcd_direction direction,
                     const sweep_view<Cost> &view, const Sink &sink)
{
    const top_labels *const made = weights.top[sizeof(Cost) == 8];
    if (view.stride > 1 || !made || made->upper_layers == 0) return 0;
    const top_view top = made->view();
    const sweep_layer &last = weights.map->layers->layer[made->upper_layers - 1];
    launch_shape shape = {last.first_piece + last.piece_count, UPPER_WARPS * WARP};
    shape.early = call.gpu->launches_early;
    call.run("sweeping", shape, sweep_upper_kernel<Cost, Sink>, view, top,
             (const Cost *)top.label[!direction], sink);
    return made->upper_layers;
}

#endif
