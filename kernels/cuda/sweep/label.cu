/* label.cu - labels by upward searches, one warp a lane. CPU twin: kernels/cpu/sweep/label.c.
 *
 * Top nodes. If the weights have their labels (top_view.h), a search ends at the first top node of its root path. Then
 * each depth takes the least over the top nodes that the search has reached. These are independent loads, in the place of a
 * chain. Of few lanes, a block has one, and all of its warps take depths.
 * Layout. A warp keeps its label by depth, in shared memory where it fits, otherwise in place. The list of reached top nodes
 * takes the place of their labels.
 * Races. None: a node's arcs lead to distinct depths, one per thread, and one warp takes all nodes in turn, and makes the list.
 * After a barrier, each depth is written by one thread.
 * Limit. A root path is a chain of dependent loads. They are prefetched: a node's arcs one node before its
 * turn, its range of arcs two nodes before, its parent three. So a node costs one trip to memory. */
#include "kernels/cuda/sweep/label.h"
#include "kernels/cuda/sweep/panel_labels.h"

#include "kernels/cuda/sweep/top_view.h"

#include <algorithm>

enum {
    LABEL_ARCS = 4,          /* of a thread, prefetched: 128 of a warp are more than most nodes have */
    LABEL_WARPS = 4,         /* per block */
    LABEL_SHARED = 40 << 10, /* bytes of labels a block may hold in shared memory */
    TOP_TOGETHER = 8,        /* top nodes whose labels are loaded together */
    TEAM_LANES = 16,         /* per multiprocessor: of so few lanes, each has all warps of a block */
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

/* Moves the costs of the top nodes that the search has reached to the front of row[], and their rows to line[], from the root
 * down. before[i]: how many are above depth i * WARP; the last one: all. */
template <class Cost>
static __device__ void list_reached(const top_view &top, const label_end &end, Cost *row, uint32_t *line,
                                    uint32_t *before, unsigned thread)
{
    const uint32_t *const above = top.above + end.top_row * top.stride;
    uint32_t count = 0, next = above[min(thread, end.depth)];
    for (uint32_t low = 0; low <= end.depth; low += WARP) {
        const uint32_t own_line = next;
        const Cost own = low + thread <= end.depth ? row[low + thread] : cost_unreached<Cost>();
        next = above[min(low + WARP + thread, end.depth)];
        const bool is_reached = cost_objective(own) < MCD_UNREACHED;
        const uint32_t mask = __ballot_sync(WARP_ALL, is_reached),
                       at = count + (uint32_t)__popc(mask & ((1u << thread) - 1)); /* <= low + thread */
        if (thread == 0) before[low / WARP] = count;
        __syncwarp(); /* all have read */
        if (is_reached) row[at] = own, line[at] = own_line;
        __syncwarp();
        count += (uint32_t)__popc(mask);
    }
    if (thread == 0) before[end.depth / WARP + 1] = count;
}

/* The cost at a depth by way of the listed top nodes from `first` on; the node there is one of them if it is reached. */
template <class Cost>
static __device__ Cost least_by_top(const Cost *top_label, size_t stride, const Cost *row,
                                    const uint32_t *line, uint32_t first, uint32_t count, uint32_t depth)
{
    Cost best = cost_unreached<Cost>();
    for (uint32_t k = first; k < count; k += TOP_TOGETHER) {
        Cost above[TOP_TOGETHER];
#pragma unroll
        for (uint32_t i = 0; i < TOP_TOGETHER; ++i)
            above[i] = __ldg(top_label + line[min(k + i, count - 1)] * stride + depth);
#pragma unroll
        for (uint32_t i = 0; i < TOP_TOGETHER; ++i)
            best = cost_relax(best, row[min(k + i, count - 1)], above[i]);
    }
    return best;
}

/* Searches from a lane's seeds. row: unreached. */
template <class Cost>
static __device__ label_end search_lane(const mcd_hierarchy &hierarchy, const mcd_search &search,
                                        const uint32_t *top_row, const mcd_lane &from, Cost *row,
                                        mcd_node *path, unsigned thread)
{
    if (from.seed[0].node == MCD_NODE_NONE) return {MCD_LINE_NONE, 0};
    if (thread == 0)
        for (uint32_t s = 0; s < MCD_SEEDS_MAX && from.seed[s].node != MCD_NODE_NONE; ++s) {
            const mcd_seed seed = from.seed[s];
            Cost *const at = &row[hierarchy.depth[seed.node]];
            *at = min(*at, cost_of<Cost>(seed.objective, seed.companion));
        }
    __syncwarp();
    return search_up(hierarchy, search, top_row, from.seed[0].node, row, path, thread);
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

/* Bytes of shared memory of a lane: row[height], where its search has ended, line[height], before[]. */
template <class Cost> static __host__ __device__ size_t label_bytes(uint32_t height)
{
    const uint32_t chunks = blocks_of<uint32_t>(height, WARP);
    const size_t bytes =
        height * (sizeof(Cost) + sizeof(uint32_t)) + sizeof(label_end) + (chunks + 1) * sizeof(uint32_t);
    return blocks_of<size_t>(bytes, sizeof(Cost)) * sizeof(Cost);
}

/* A lane's label by TEAM warps, of which this one is `member`. row: its memory as above, or the label itself; then searches
 * do not end at top nodes. path: NULL, or the root path, which gets all but the top. store(depth, cost, is_top, row of top). */
template <class Cost, bool Shared, unsigned TEAM, class Store>
static __device__ void label_lane(const mcd_hierarchy &hierarchy, const mcd_search &search,
                                  const top_view &top, const Cost *top_label, const mcd_lane &from, Cost *row,
                                  mcd_node *path, unsigned member, const Store &store)
{
    const uint32_t height = hierarchy.height;
    const unsigned thread = threadIdx.x % WARP;
    label_end *const ended = reinterpret_cast<label_end *>(row + height);
    uint32_t *const line = reinterpret_cast<uint32_t *>(ended + 1), *const before = line + height;
    const auto meet = [] { TEAM > 1 ? __syncthreads() : __syncwarp(); };
    for (uint32_t d = member * WARP + thread; d < height; d += TEAM * WARP) {
        row[d] = cost_unreached<Cost>();
        if (path) path[d] = MCD_NODE_NONE;
    }
    meet();
    if (member == 0) {
        const label_end end = search_lane(hierarchy, search, top.row, from, row, path, thread);
        if (end.top_row != MCD_LINE_NONE) list_reached(top, end, row, line, before, thread);
        if (Shared && thread == 0) *ended = end;
    }
    if (!Shared) return;
    meet();
    const label_end end = *ended;
    for (uint32_t low = member * WARP; low < height; low += TEAM * WARP) {
        const uint32_t depth = min(low + thread, height - 1);
        const bool has_top = end.top_row != MCD_LINE_NONE && low <= end.depth,
                   is_top = has_top && depth <= end.depth;
        const uint32_t top_row = path && is_top ? top.above[end.top_row * top.stride + depth] : 0;
        Cost cost = row[depth];
        if (has_top) {
            const Cost least = least_by_top(top_label, top.stride, row, line, before[low / WARP],
                                            before[end.depth / WARP + 1], depth);
            if (is_top) cost = least;
        }
        if (low + thread < height) store(depth, cost, is_top, top_row);
    }
}

/* Lanes among the arguments of a launch: a copy takes longer than the launch. */
struct few_lanes {
    mcd_lane at[FEW_LANES];
};

/* Grid  TEAM warps per lane. few: the lanes, if of.lane is NULL. */
template <class Cost, bool Shared, unsigned TEAM>
static __global__ void __launch_bounds__(LABEL_WARPS *WARP)
    label_lanes(mcd_hierarchy hierarchy, mcd_search search, top_view top, const Cost *__restrict__ top_label,
                label_arrays<Cost> of, const __grid_constant__ few_lanes few)
{
    const mcd_lane *const lane = of.lane ? of.lane : few.at;
    const uint32_t height = hierarchy.height;
    const unsigned thread = threadIdx.x % WARP, warp = threadIdx.x / WARP, member = warp % TEAM;
    const size_t i = (size_t)blockIdx.x * (LABEL_WARPS / TEAM) + warp / TEAM;
    let_next_launch_begin(); /* a sweep's, which fetches its pieces */
    if (i < of.source_count && thread == 0 && member == 0)
        of.source[i] = i < of.lane_count ? lane[i].seed[0].node : MCD_NODE_NONE;
    if (i >= of.lane_count) return; /* a whole team */
    MCD_SHARED(unsigned char, shared);
    Cost *const row = Shared ? reinterpret_cast<Cost *>(shared + warp / TEAM * label_bytes<Cost>(height))
                             : of.label + i * of.stride;
    mcd_node *const path = of.path ? of.path + i * of.stride : nullptr;
    label_lane<Cost, Shared, TEAM>(hierarchy, search, top, top_label, lane[i], row, path, member,
                                   [&](uint32_t depth, Cost cost, bool is_top, uint32_t top_row) {
                                       of.label[i * of.stride + depth] = cost;
                                       if (path && is_top) path[depth] = top.node[top_row];
                                   });
}

/* Keys of the host likewise. */
struct few_keys {
    uint64_t at[FEW_PLACES];
};

/* Grid  one block per place of whole panels. Shared memory: a lane's, and its root path.
 * Races none: a block writes its own place. */
template <class Cost>
static __global__ void __launch_bounds__(LABEL_WARPS *WARP)
    label_panels(const __grid_constant__ few_keys few, const uint64_t *__restrict__ there,
                 const mcd_lane *__restrict__ lane, size_t count, mcd_hierarchy hierarchy, mcd_search search,
                 top_view top, const Cost *__restrict__ top_label, panel_arrays<Cost> of)
{
    const uint64_t *const key = there ? there : few.at;
    const uint32_t i = blockIdx.x, place = i < count ? (uint32_t)key[i] : 0;
    const mcd_node node = i < count ? (mcd_node)(key[i] >> 32) : MCD_NODE_NONE;
    const mcd_lane of_node = {{{node, 0, 0}, {MCD_NODE_NONE, 0, 0}}},
                   from = lane && i < count ? lane[place] : of_node;
    const size_t first = (size_t)(i / of.width) * of.depth_count * of.width + i % of.width;
    MCD_SHARED(unsigned char, shared);
    mcd_node *const path = reinterpret_cast<mcd_node *>(shared + label_bytes<Cost>(hierarchy.height));
    if (i < count && threadIdx.x == 0) of.lane[i] = from, of.order[i] = place, of.slot[place] = i;
    label_lane<Cost, true, LABEL_WARPS>(hierarchy, search, top, top_label, from,
                                        reinterpret_cast<Cost *>(shared), path, threadIdx.x / WARP,
                                        [&](uint32_t depth, Cost cost, bool is_top, uint32_t top_row) {
                                            const size_t at = first + (size_t)depth * of.width;
                                            of.label[at] = cost;
                                            of.path[at] = is_top ? top.node[top_row] : path[depth];
                                        });
    for (uint32_t depth = hierarchy.height + threadIdx.x; depth < of.depth_count;
         depth += LABEL_WARPS * WARP) {
        of.label[first + (size_t)depth * of.width] = cost_unreached<Cost>();
        of.path[first + (size_t)depth * of.width] = MCD_NODE_NONE;
    }
}

/* The top nodes at which searches end; none if the weights have no labels of them. */
template <class Cost> static top_view top_of(const gpu_weights &weights)
{
    const top_labels *const made = weights.top[sizeof(Cost) == 8];
    return made && made->count > 0 ? made->view() : top_view{};
}

template <class Cost>
bool enqueue_panel_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction,
                          const place_keys &key, const mcd_lane *lane, size_t count,
                          const panel_arrays<Cost> &of)
{
    const mcd_hierarchy &hierarchy = weights.map->hierarchy;
    const size_t bytes = label_bytes<Cost>(hierarchy.height) + hierarchy.height * sizeof(mcd_node);
    const top_view top = top_of<Cost>(weights);
    few_keys keys;
    if (bytes > LABEL_SHARED) return false;
    if (!key.there) std::copy_n(key.here, count, keys.at);
    call.run("labels", {blocks_of<uint64_t>(count, of.width) * of.width, LABEL_WARPS * WARP, bytes},
             label_panels<Cost>, keys, key.there, lane, count, hierarchy, weights.search[direction].view(),
             top, (const Cost *)top.label[direction], of);
    return true;
}

template <class Cost>
void enqueue_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction, const mcd_lane *lane,
                    size_t lane_count, Cost *label, mcd_node *path, size_t stride, mcd_node *source,
                    size_t source_count, bool on_host)
{
    few_lanes few;
    if (on_host) std::copy_n(lane, lane_count, few.at), lane = nullptr;
    const mcd_hierarchy &hierarchy = weights.map->hierarchy;
    const size_t bytes = label_bytes<Cost>(hierarchy.height);
    const bool fits = bytes <= LABEL_SHARED,
               is_few = lane_count <= (size_t)TEAM_LANES * call.gpu->processor_count ||
                        LABEL_WARPS * bytes > LABEL_SHARED;
    const top_view top = fits ? top_of<Cost>(weights) : top_view{};
    const unsigned lanes = fits && is_few ? 1 : LABEL_WARPS; /* of a block */
    const uint64_t blocks = blocks_of<uint64_t>(mcd_size_max(lane_count, source_count), lanes);
    call.run("labels", {blocks, LABEL_WARPS * WARP, fits ? lanes * bytes : 0},
             !fits    ? label_lanes<Cost, false, 1>
             : is_few ? label_lanes<Cost, true, LABEL_WARPS>
                      : label_lanes<Cost, true, 1>,
             hierarchy, weights.search[direction].view(), top, (const Cost *)top.label[direction],
             label_arrays<Cost>{lane, lane_count, label, path, stride, source, source_count}, few);
}

template decltype(enqueue_labels<uint32_t>) enqueue_labels<uint32_t>;
template decltype(enqueue_labels<uint64_t>) enqueue_labels<uint64_t>;
template decltype(enqueue_panel_labels<uint32_t>) enqueue_panel_labels<uint32_t>;
template decltype(enqueue_panel_labels<uint64_t>) enqueue_panel_labels<uint64_t>;
