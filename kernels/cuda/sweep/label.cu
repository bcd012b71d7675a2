/* label.cu - labels by upward searches, one warp a lane. CPU twin: kernels/cpu/sweep/label.c.
 *
 * Layout. A warp keeps its label by depth, in shared memory where it fits, otherwise in place.
 * Races. None: a node's arcs lead to distinct depths, one per thread, and one warp takes all nodes in turn.
 * Limit. A root path is a chain of dependent loads. They are prefetched: a node's arcs one node before its
 * turn, its range of arcs two nodes before, its parent three. So a node costs one trip to memory. */
#include "kernels/cuda/sweep/label.h"

enum {
    LABEL_ARCS = 4,          /* of a thread, prefetched: 128 of a warp are more than most nodes have */
    LABEL_WARPS = 4,         /* per block */
    LABEL_SHARED = 40 << 10, /* bytes of labels a block may hold in shared memory */
};

/* A prefetched node: its range of arcs, and each thread's first arcs. */
template <class Cost> struct label_step {
    mcd_node node;
    mcd_arc first, end;
    uint32_t depth[LABEL_ARCS]; /* of the thread's arcs, as many as it has */
    Cost weight[LABEL_ARCS];
};

template <class Cost> static __device__ void load_range(label_step<Cost> &step, const mcd_search &search)
{
    if (step.node == MCD_NODE_NONE) return;
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

template <class Cost>
static __device__ void search_up(const mcd_hierarchy &hierarchy, const mcd_search &search, mcd_node source,
                                 uint32_t depth, Cost *row, mcd_node *path, unsigned thread)
{
    label_step<Cost> now = {source, 0, 0, {}, {}}, next = {load_parent(hierarchy, source), 0, 0, {}, {}};
    load_range(now, search);
    load_range(next, search);
    load_arcs(now, search, thread);
    mcd_node after = load_parent(hierarchy, next.node);
    for (; now.node != MCD_NODE_NONE; --depth) {
        label_step<Cost> then = {after, 0, 0, {}, {}};
        load_arcs(next, search, thread);
        load_range(then, search);
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
}

template <class Cost, bool Shared>
static __global__ void label_lanes(mcd_hierarchy hierarchy, mcd_search search,
                                   const mcd_lane *__restrict__ lane, size_t lane_count, Cost *label,
                                   mcd_node *path, size_t stride)
{
    const unsigned thread = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t i = (size_t)blockIdx.x * LABEL_WARPS + warp;
    let_next_launch_begin(); /* a sweep's, which fetches its pieces */
    if (i >= lane_count) return;
    MCD_SHARED(Cost, shared);
    Cost *const row = Shared ? shared + (size_t)warp * hierarchy.height : label + i * stride;
    const mcd_lane &from = lane[i];
    for (uint32_t d = thread; d < hierarchy.height; d += WARP) {
        row[d] = cost_unreached<Cost>();
        if (path) path[i * stride + d] = MCD_NODE_NONE;
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
        search_up(hierarchy, search, from.seed[0].node, hierarchy.depth[from.seed[0].node], row,
                  path ? path + i * stride : nullptr, thread);
    }
    for (uint32_t d = thread; Shared && d < hierarchy.height; d += WARP) label[i * stride + d] = row[d];
}

template <class Cost>
void enqueue_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction, const mcd_lane *lane,
                    size_t lane_count, Cost *label, mcd_node *path, size_t stride)
{
    const mcd_hierarchy &hierarchy = weights.map->hierarchy;
    const size_t shared = LABEL_WARPS * (size_t)hierarchy.height * sizeof(Cost);
    const bool fits = shared <= LABEL_SHARED;
    call.run("labels", {blocks_of<uint64_t>(lane_count, LABEL_WARPS), LABEL_WARPS * WARP, fits ? shared : 0},
             fits ? label_lanes<Cost, true> : label_lanes<Cost, false>, hierarchy,
             weights.search[direction].view(), lane, lane_count, label, path, stride);
}

template decltype(enqueue_labels<uint32_t>) enqueue_labels<uint32_t>;
template decltype(enqueue_labels<uint64_t>) enqueue_labels<uint64_t>;
