/* label.cu - labels by upward searches, one warp a lane. CPU twin: kernels/cpu/sweep/label.c.
 *
 * Top nodes. If the weights have their labels (top_view.h), a search ends at the first top node of its root path. Then
 * each top node that it has reached lowers the label by its own one. These are independent loads, in the place of a chain.
 * Layout. A warp keeps its label by depth, in shared memory where it fits, otherwise in place.
 * Races. None: a node's arcs lead to distinct depths, one per thread, and one warp takes all nodes in turn. Top nodes
 * lower each depth by one thread.
 * Limit. A root path is a chain of dependent loads. They are prefetched: a node's arcs one node before its
 * turn, its range of arcs two nodes before, its parent three. So a node costs one trip to memory. */
#include "kernels/cuda/sweep/label.h"

#include "kernels/cuda/sweep/top_view.h"

enum {
    LABEL_ARCS = 4,          /* of a thread, prefetched: 128 of a warp are more than most nodes have */
    LABEL_WARPS = 4,         /* per block */
    LABEL_SHARED = 40 << 10, /* bytes of labels a block may hold in shared memory */
    TOP_TOGETHER = 8,        /* top nodes whose labels are loaded together */
};

/* A prefetched node: its range of arcs, and each thread's first arcs. */
template <class Cost> struct label_step {
    mcd_node node;
    uint32_t top_row; /* as in top_view */
    mcd_arc first, end;
    uint32_t depth[LABEL_ARCS]; /* of the thread's arcs, as many as it has */
    Cost weight[LABEL_ARCS];
};

/* top_row: of top_view; NULL: searches do not end at top nodes. */
template <class Cost>
static __device__ void load_range(label_step<Cost> &step, const mcd_search &search, const uint32_t *top_row)
{
    if (step.node == MCD_NODE_NONE) return;
    if (top_row) step.top_row = top_row[step.node];
    step.first = search.first[step.node];
    step.end = search.first[step.node + 1];
}

template <class Cost>
static __device__ void load_arcs(label_step<Cost> &step, const mcd_search &search, unsigned thread)
{
#pragma unroll
    for (unsigned i = 0; i < LABEL_ARCS; ++i) {
        const mcd_arc arc = step.first + i * WARP + thread;
        if (arc >= step.end) continue;
        step.depth[i] = search.depth[arc];
        step.weight[i] = arc_weight<Cost>(search, arc);
    }
}

static __device__ mcd_node load_parent(const mcd_hierarchy &hierarchy, mcd_node node)
{
    return node == MCD_NODE_NONE ? MCD_NODE_NONE : hierarchy.parent[node];
}

template <class Cost> static __device__ label_step<Cost> step_of(mcd_node node)
{
    return {node, MCD_LINE_NONE, 0, 0, {}, {}};
}

/* Where a search has ended. */
struct label_end {
    uint32_t top_row, depth; /* MCD_LINE_NONE: above a root */
};

template <class Cost>
static __device__ label_end search_up(const mcd_hierarchy &hierarchy, const mcd_search &search,
                                      const uint32_t *top_row, mcd_node source, Cost *row, mcd_node *path,
                                      unsigned thread)
{
    label_step<Cost> now = step_of<Cost>(source), next = step_of<Cost>(load_parent(hierarchy, source));
    uint32_t depth = hierarchy.depth[source];
    load_range(now, search, top_row);
    load_range(next, search, top_row);
    load_arcs(now, search, thread);
    mcd_node after = load_parent(hierarchy, next.node);
    for (; now.node != MCD_NODE_NONE && now.top_row == MCD_LINE_NONE; --depth) {
        label_step<Cost> then = step_of<Cost>(after);
        load_arcs(next, search, thread);
        load_range(then, search, top_row);
        after = load_parent(hierarchy, after);
        const Cost label = row[depth];
        if (path && thread == 0) path[depth] = now.node;
#pragma unroll
        for (unsigned i = 0; i < LABEL_ARCS; ++i)
            if (now.first + i * WARP + thread < now.end)
                row[now.depth[i]] = cost_relax(row[now.depth[i]], label, now.weight[i]);
        for (mcd_arc arc = now.first + LABEL_ARCS * WARP + thread; arc < now.end; arc += WARP) {
            const uint32_t above = search.depth[arc];
            row[above] = cost_relax(row[above], label, arc_weight<Cost>(search, arc));
        }
        __syncwarp();
        now = next;
        next = then;
    }
    return {now.top_row, depth};
}

/* Lowers a label by those of the top nodes that the search has reached, TOP_TOGETHER of them together. They come from the
 * root down, so that none has been lowered by another when its turn comes. A thread takes every WARP-th depth. */
template <class Cost>
static __device__ void lower_by_top(const top_view &top, const Cost *top_label, const label_end &end,
                                    Cost *row, mcd_node *path, unsigned thread)
{
    for (uint32_t low = 0; low <= end.depth; low += WARP) {
        const bool is_above = low + thread <= end.depth;
        const Cost own = is_above ? row[low + thread] : cost_unreached<Cost>();
        const uint32_t line = is_above ? top.above[end.top_row * top.stride + low + thread] : 0;
        if (path && is_above) path[low + thread] = top.node[line];
        uint32_t left = __ballot_sync(WARP_ALL, cost_objective(own) < MCD_UNREACHED);
        while (left) {
            Cost cost[TOP_TOGETHER];
            const Cost *from[TOP_TOGETHER];
            int last = 0;
#pragma unroll
            for (unsigned i = 0; i < TOP_TOGETHER; ++i) {
                if (left) last = __ffs((int)left) - 1;
                left &= left - 1;
                cost[i] = __shfl_sync(WARP_ALL, own, last);
                from[i] = top_label + __shfl_sync(WARP_ALL, line, last) * top.stride;
            }
#pragma unroll 2
            for (uint32_t depth = thread; depth < low + last; depth += WARP) {
                Cost above[TOP_TOGETHER], best = row[depth];
#pragma unroll
                for (unsigned i = 0; i < TOP_TOGETHER; ++i) above[i] = __ldg(from[i] + depth);
#pragma unroll
                for (unsigned i = 0; i < TOP_TOGETHER; ++i) best = cost_relax(best, cost[i], above[i]);
                row[depth] = best;
            }
        }
    }
}

/* The arrays of a launch. */
template <class Cost> struct label_arrays {
    const mcd_lane *lane;
    size_t lane_count;
    Cost *label;
    mcd_node *path;
    size_t stride;
    mcd_node *source;
    size_t source_count;
};

template <class Cost, bool Shared, bool Top>
static __global__ void label_lanes(mcd_hierarchy hierarchy, mcd_search search, top_view top,
                                   const Cost *__restrict__ top_label, label_arrays<Cost> of)
{
    const unsigned thread = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t i = (size_t)blockIdx.x * LABEL_WARPS + warp;
    let_next_launch_begin(); /* a sweep's, which fetches its pieces */
    if (i < of.source_count && thread == 0)
        of.source[i] = i < of.lane_count ? of.lane[i].seed[0].node : MCD_NODE_NONE;
    if (i >= of.lane_count) return;
    MCD_SHARED(Cost, shared);
    Cost *const row = Shared ? shared + (size_t)warp * hierarchy.height : of.label + i * of.stride;
    mcd_node *const path = of.path ? of.path + i * of.stride : nullptr;
    const mcd_lane &from = of.lane[i];
    for (uint32_t d = thread; d < hierarchy.height; d += WARP) {
        row[d] = cost_unreached<Cost>();
        if (path) path[d] = MCD_NODE_NONE;
    }
    __syncwarp();
    if (from.seed[0].node != MCD_NODE_NONE) {
        if (thread == 0)
            for (uint32_t s = 0; s < MCD_SEEDS_MAX && from.seed[s].node != MCD_NODE_NONE; ++s) {
                const mcd_seed seed = from.seed[s];
                Cost *const at = &row[hierarchy.depth[seed.node]];
                *at = min(*at, cost_of<Cost>(seed.objective, seed.companion));
            }
        __syncwarp();
        const label_end end =
            search_up(hierarchy, search, Top ? top.row : nullptr, from.seed[0].node, row, path, thread);
        if (Top && end.top_row != MCD_LINE_NONE) lower_by_top(top, top_label, end, row, path, thread);
    }
    for (uint32_t d = thread; Shared && d < hierarchy.height; d += WARP) of.label[i * of.stride + d] = row[d];
}

template <class Cost>
void enqueue_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction, const mcd_lane *lane,
                    size_t lane_count, Cost *label, mcd_node *path, size_t stride, mcd_node *source,
                    size_t source_count)
{
    const mcd_hierarchy &hierarchy = weights.map->hierarchy;
    const size_t shared = LABEL_WARPS * (size_t)hierarchy.height * sizeof(Cost);
    const bool fits = shared <= LABEL_SHARED;
    const top_labels *const made = weights.top[sizeof(Cost) == 8];
    const bool ends_at_top = fits && made && made->count > 0;
    const top_view top = ends_at_top ? made->view() : top_view{};
    const uint64_t blocks = blocks_of<uint64_t>(mcd_size_max(lane_count, source_count), LABEL_WARPS);
    call.run("labels", {blocks, LABEL_WARPS * WARP, fits ? shared : 0},
             ends_at_top ? label_lanes<Cost, true, true>
             : fits      ? label_lanes<Cost, true, false>
                         : label_lanes<Cost, false, false>,
             hierarchy, weights.search[direction].view(), top, (const Cost *)top.label[direction],
             label_arrays<Cost>{lane, lane_count, label, path, stride, source, source_count});
}

template decltype(enqueue_labels<uint32_t>) enqueue_labels<uint32_t>;
template decltype(enqueue_labels<uint64_t>) enqueue_labels<uint64_t>;
