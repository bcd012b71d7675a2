/* route.cu - searches between pairs, one warp a pair: half of it climbs the source's root path, half the
 * target's. CPU twin: kernels/cpu/pairwise/route.c.
 *
 * Method. The deeper half climbs, and both climb if they are equally deep, until they meet in the lowest
 * common ancestor. From there on both climb together, and the up-down path may turn at any depth. A label
 * that is not better than the best meeting so far needs no relaxing. (Buchhold, Sanders, Wagner 2019)
 * Top nodes. If the weights have their labels (top_labels.h), both ends climb only to top nodes. A thread then takes
 * depths, and goes through the top nodes that its end has reached: those on the root path whose label is not unreached.
 * The ends share the depths at which the root paths of their top nodes agree. A pair that meets below is searched as
 * before, and so are paths.
 * Joined lanes. The seeds of a place are on several root paths, which soon join: with turns, those of Milan's after 2.6 nodes, of
 * 150. So an end first relaxes the other paths as far as they are apart.
 * Paths. Each depth keeps the arc that gave its label: the first arc to give the least, which has the deepest lower
 * end because root paths are climbed; none if a seed gives the label. The meeting is the first one of the
 * least cost, which is the deepest. Costs are joint if the weights have a companion. So the arcs back from
 * the meeting are those that its twin chooses.
 * Layout. A warp's labels and arcs by depth, in shared memory if enough warps fit, otherwise in scratch.
 * Order. Pairs are ordered by source, so that the warps of a block climb nearly the same path and share a
 * cache.
 * Races. None: a node's arcs lead to distinct depths, one per thread, and one warp takes all nodes in turn.
 * Limit. Instructions: per depth some 40, and 500 bytes of cached loads; with top nodes 6,200 a pair on NE. Nodes are
 * prefetched as in label.cu. */
#include "kernels/cuda/pairwise/route.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/pairwise/paths.h"
#include "kernels/cuda/pairwise/trips.h"
#include "kernels/cuda/device/scan.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/sweep/top_labels.h"

enum {
    ROUTE_WARPS = 8,          /* per block, at most */
    ROUTE_BLOCKS = 4,         /* per multiprocessor, at least: otherwise blocks get fewer warps */
    ROUTE_HALF = WARP / 2,    /* threads per end */
    ROUTE_SHARED_PART = 6,    /* warps that must fit into shared memory for it to be used */
    ROUTE_SCRATCH_WARPS = 16, /* per multiprocessor, if labels are in scratch */
    ROUTE_CHUNK = 1 << 20,    /* pairs at a time */
    ORDER_BUCKETS = 1 << 18,  /* at most */
    ORDER_LEAST = 1 << 12,    /* with fewer pairs, ordering does not pay */
    TOP_CHUNKS = 8,           /* of ROUTE_HALF depths that a thread finds the labels of together */
    TOP_NODES = 32,           /* a pair for each 32 nodes of the map: then the labels of top nodes pay */
};

static constexpr uint64_t FROM_SEED = UINT64_MAX; /* otherwise the depth of the lower end, and the arc */

/* The data of a launch. */
struct route_work {
    mcd_hierarchy hierarchy;
    mcd_search search[2];
    const mcd_lane *source, *target;
    const uint32_t *order; /* NULL: the pairs' own order */
    size_t count;
    uint32_t *objective, *companion; /* companion may be NULL */
    bool raw;
    top_view top;                              /* without rows unless Top */
    uint32_t *chain, *chain_begin, *chain_end; /* of gpu_chains */
    mcd_node *chain_node;
    unsigned char *scratch;
};

/* One end's search, in the registers of its threads. */
template <class Cost> struct route_end {
    mcd_search search;
    Cost *label;
    uint64_t *from;
    unsigned thread;
    const uint32_t *top_row; /* as in top_view; NULL: the search does not end at top nodes */
};

/* A prefetched node. */
template <class Cost> struct route_step {
    mcd_node node;
    uint32_t first, end; /* its arcs: there are fewer than MCD_CHILD_NONE */
    bool is_top;
    bool loaded; /* whether the data of the thread's first arc, below, are loaded */
    uint32_t depth;
    Cost weight;
};

template <class Cost> static __device__ Cost weight_of(const mcd_search &search, uint32_t arc)
{
    return cost_of<Cost>(__ldg(&search.objective[arc]),
                         sizeof(Cost) == 8 ? __ldg(&search.companion[arc]) : 0);
}

template <class Cost> static __device__ route_step<Cost> load_step(const route_end<Cost> &end, mcd_node node)
{
    route_step<Cost> step = {node, 0, 0, false, false, 0, 0};
    if (node == MCD_NODE_NONE) return step;
    if (end.top_row) step.is_top = end.top_row[node] != MCD_LINE_NONE;
    step.first = (uint32_t)end.search.first[node];
    step.end = (uint32_t)end.search.first[node + 1];
    return step;
}

template <class Cost> static __device__ void load_arc(const route_end<Cost> &end, route_step<Cost> &step)
{
    step.loaded = true;
    if (step.first + end.thread >= step.end) return;
    step.depth = end.search.depth[step.first + end.thread];
    step.weight = weight_of<Cost>(end.search, step.first + end.thread);
}

static __device__ mcd_node parent_of(const mcd_hierarchy &hierarchy, mcd_node node)
{
    return node == MCD_NODE_NONE ? MCD_NODE_NONE : hierarchy.parent[node];
}

template <class Cost, bool Chains>
static __device__ void relax_arc(const route_end<Cost> &end, Cost label, uint32_t depth, uint32_t arc,
                                 uint32_t above, Cost weight)
{
    const Cost sum = cost_add(label, weight);
    if (sum >= end.label[above]) return;
    end.label[above] = sum;
    if (Chains) end.from[above] = (uint64_t)depth << 32 | arc;
}

/* Relaxes the thread's arcs of a node at `depth`. After the first, two are loaded at a time; an odd one is
 * relaxed twice, which changes nothing. */
template <class Cost, bool Chains>
static __device__ void relax_node(const route_end<Cost> &end, route_step<Cost> &step, uint32_t depth,
                                  Cost label)
{
    if (!step.loaded) load_arc(end, step);
    uint32_t arc = step.first + end.thread;
    if (arc < step.end) relax_arc<Cost, Chains>(end, label, depth, arc, step.depth, step.weight);
    for (arc += ROUTE_HALF; arc < step.end; arc += 2 * ROUTE_HALF) {
        const uint32_t second = arc + ROUTE_HALF < step.end ? arc + ROUTE_HALF : arc;
        const uint32_t above = __ldg(&end.search.depth[arc]), second_above = __ldg(&end.search.depth[second]);
        const Cost weight = weight_of<Cost>(end.search, arc),
                   second_weight = weight_of<Cost>(end.search, second);
        relax_arc<Cost, Chains>(end, label, depth, arc, above, weight);
        relax_arc<Cost, Chains>(end, label, depth, second, second_above, second_weight);
    }
}

/* Sets an end's labels from depth `from` on before the search from some seeds, which are on one root path, the deepest first. The
 * labels above are kept. An end that does not take part has no seeds: first = last. */
template <class Cost, bool Chains>
static __device__ void begin_end(const route_end<Cost> &end, const mcd_hierarchy &hierarchy,
                                 const mcd_lane &lane, uint32_t first, uint32_t last, uint32_t from)
{
    const uint32_t count = first < last ? hierarchy.depth[lane.seed[first].node] + 1 : 0;
    for (uint32_t d = from + end.thread; d < count; d += ROUTE_HALF) end.label[d] = cost_unreached<Cost>();
    __syncwarp();
    for (uint32_t s = first; end.thread == 0 && s < last && lane.seed[s].node != MCD_NODE_NONE; ++s) {
        const mcd_seed seed = lane.seed[s];
        const uint32_t at = hierarchy.depth[seed.node];
        end.label[at] = min(end.label[at], cost_of<Cost>(seed.objective, seed.companion));
        if (Chains) end.from[at] = FROM_SEED;
    }
    __syncwarp();
}

/* Climbs an end's root path. A node's arcs are prefetched one node ahead, its range of arcs two, its
 * parent three. */
template <class Cost> struct route_climb {
    route_step<Cost> now, next;
    mcd_node after;
    uint32_t depth; /* of `now` */

    __device__ void begin(const mcd_hierarchy &hierarchy, const route_end<Cost> &end, mcd_node node)
    {
        now = load_step(end, node);
        next = load_step(end, parent_of(hierarchy, node));
        load_arc(end, now);
        after = parent_of(hierarchy, next.node);
        depth = hierarchy.depth[node];
    }

    /* Takes the turn of `now`: relaxes it, or skips it. */
    template <bool Chains>
    __device__ void step(const mcd_hierarchy &hierarchy, const route_end<Cost> &end, bool relax, Cost label)
    {
        const route_step<Cost> then = load_step(end, after);
        after = parent_of(hierarchy, after);
        if (relax) { /* then the parent probably will be too: labels vary little from one to the next */
            load_arc(end, next);
            relax_node<Cost, Chains>(end, now, depth, label);
        }
        now = next;
        next = then;
        --depth;
    }
};

/* Lowers label[k], for each k below TOP_CHUNKS, to the cost at depth `base` + k * ROUTE_HALF + thread over the top
 * nodes that the end has reached: those on the root path of row `top`, whose last node is at `depth`. */
template <class Cost>
static __device__ void lower_by_top(const route_end<Cost> &end, const top_view &view, const Cost *top_label,
                                    size_t top, uint32_t depth, uint32_t base, uint32_t common,
                                    Cost (&label)[TOP_CHUNKS])
{
    const unsigned first = threadIdx.x % WARP - end.thread; /* of the end's threads */
    const uint32_t lowest = max(depth, __shfl_xor_sync(WARP_ALL, depth, ROUTE_HALF));
    for (uint32_t low = base; low <= lowest; low += ROUTE_HALF) {
        const uint32_t at = low + end.thread;
        const Cost own = at <= depth ? end.label[at] : cost_unreached<Cost>();
        const uint32_t row = at <= depth ? view.above[top * view.stride + at] : 0;
        uint32_t left = __ballot_sync(WARP_ALL, cost_objective(own) < MCD_UNREACHED) >> first & 0xffff;
        while (__any_sync(WARP_ALL, left > 0)) { /* an end without more top nodes adds nothing */
            const int next = (int)first + (left > 0 ? __ffs((int)left) - 1 : 0);
            const Cost there = __shfl_sync(WARP_ALL, own, next),
                       to = left > 0 ? there : cost_unreached<Cost>();
            const Cost *const from =
                top_label + __shfl_sync(WARP_ALL, row, next) * view.stride + base + end.thread;
            left &= left - 1;
#pragma unroll
            for (uint32_t k = 0; k < TOP_CHUNKS; ++k)
                if (base + k * ROUTE_HALF < common)
                    label[k] = cost_relax(label[k], to, __ldg(from + k * ROUTE_HALF));
        }
    }
}

/* The number of depths that two root paths of top nodes share. */
static __device__ uint32_t common_depths(const top_view &view, size_t top, uint32_t depth, unsigned thread)
{
    for (uint32_t base = 0;; base += ROUTE_HALF) {
        const uint32_t row =
            base + thread <= depth ? view.above[top * view.stride + base + thread] : MCD_LINE_NONE;
        const uint32_t other = __shfl_xor_sync(WARP_ALL, row, ROUTE_HALF);
        const bool same = row == other && row != MCD_LINE_NONE;
        const uint32_t shared = (uint32_t)__popc(__ballot_sync(WARP_ALL, same) & 0xffff);
        if (shared < ROUTE_HALF) return base + shared;
    }
}

/* Finds the least cost of a search whose ends are both at top nodes. */
template <class Cost>
static __device__ Cost search_top(const route_end<Cost> &end, const top_view &view, const Cost *top_label,
                                  mcd_node node, uint32_t depth)
{
    const size_t top = view.row[node];
    const uint32_t common = common_depths(view, top, depth, end.thread);
    Cost best = cost_unreached<Cost>();
    for (uint32_t base = 0; base < common; base += TOP_CHUNKS * ROUTE_HALF) {
        Cost label[TOP_CHUNKS];
#pragma unroll
        for (uint32_t k = 0; k < TOP_CHUNKS; ++k) label[k] = cost_unreached<Cost>();
        lower_by_top(end, view, top_label, top, depth, base, common, label);
#pragma unroll
        for (uint32_t k = 0; k < TOP_CHUNKS; ++k) {
            const Cost other = __shfl_xor_sync(WARP_ALL, label[k], ROUTE_HALF);
            if (base + k * ROUTE_HALF + end.thread < common) best = cost_relax(best, label[k], other);
        }
    }
    for (int step = ROUTE_HALF / 2; step > 0; step /= 2)
        best = min(best, __shfl_xor_sync(WARP_ALL, best, step));
    return best;
}

/* Finds the least cost; *meeting: the depth where its path turns. */
template <class Cost, bool Chains>
static __device__ Cost search_pair(const mcd_hierarchy &hierarchy, const route_end<Cost> &end,
                                   const Cost *other_label, const top_view &view, const Cost *top_label,
                                   mcd_node node, uint32_t *meeting)
{
    Cost best = cost_unreached<Cost>();
    route_climb<Cost> climb;
    climb.begin(hierarchy, end, node);
    for (;;) {
        const mcd_node other = __shfl_xor_sync(WARP_ALL, climb.now.node, ROUTE_HALF);
        const uint32_t other_depth = __shfl_xor_sync(WARP_ALL, climb.depth, ROUTE_HALF);
        const bool is_top = climb.now.is_top, other_top = __shfl_xor_sync(WARP_ALL, is_top, ROUTE_HALF);
        if (is_top && other_top) return search_top(end, view, top_label, climb.now.node, climb.depth);
        if (climb.now.node == other) break;
        if (climb.depth == 0 && other_depth == 0) return best; /* two trees */
        if (__any_sync(WARP_ALL, climb.depth == 0 && other_top))
            return best; /* likewise: one has no top nodes */
        if (!is_top && (climb.depth >= other_depth || other_top))
            climb.template step<Chains>(hierarchy, end, true, end.label[climb.depth]);
        __syncwarp();
    }
    while (climb.now.node != MCD_NODE_NONE) {
        const Cost label = end.label[climb.depth], sum = cost_add(label, other_label[climb.depth]);
        if (sum < best) best = sum, *meeting = climb.depth;
        climb.template step<Chains>(hierarchy, end, label < best, label);
        __syncwarp();
    }
    return best;
}

/* ---- joined lanes ---- */

/* The seeds of a joined lane. */
struct joined_seeds {
    uint32_t last;  /* the end of those on the path that the search climbs */
    uint32_t first; /* bit s: seed s is the first of another path */

    __device__ joined_seeds(const mcd_hierarchy &hierarchy, const mcd_lane &lane, unsigned thread)
    {
        const unsigned shift = threadIdx.x % WARP - thread;
        const mcd_node own = thread < MCD_SEEDS_MAX ? lane.seed[thread].node : MCD_NODE_NONE;
        const unsigned none = __ballot_sync(WARP_ALL, own == MCD_NODE_NONE) >> shift;
        const mcd_node before = __shfl_up_sync(WARP_ALL, own, 1);
        const bool follows = thread > 0 && thread + 1 < (unsigned)__ffs((int)none),
                   ascends = follows && own > before;
        first = 0, last = (uint32_t)__ffs((int)none) - 1;
        if (!__any_sync(WARP_ALL, ascends)) return;
        const bool leaves = ascends || (follows && before >= hierarchy.subtree_end[own]);
        first = __ballot_sync(WARP_ALL, leaves) >> shift & 0xffff;
        if (first) last = (uint32_t)__ffs((int)first) - 1;
    }
};

/* Relaxes the root paths of an end but the one that the search climbs, each up to the next one's. Returns the depth from which on the
 * search's path has no labels yet. Of these few nodes nothing is prefetched. */
template <class Cost>
static __device__ uint32_t climb_others(const mcd_hierarchy &hierarchy, const route_end<Cost> &end,
                                        const mcd_lane &lane, unsigned left)
{
    uint32_t from = 0;
    for (; __any_sync(WARP_ALL, left != 0); left &= left - 1) {
        const unsigned later = left & (left - 1);
        const uint32_t first = left ? (uint32_t)__ffs((int)left) - 1 : 0,
                       last = !left   ? 0
                              : later ? (uint32_t)__ffs((int)later) - 1
                                      : (uint32_t)MCD_SEEDS_MAX;
        const mcd_node next = lane.seed[later ? last : 0].node;
        mcd_node node = left ? lane.seed[first].node : next;
        begin_end<Cost, false>(end, hierarchy, lane, first, last, from);
        for (;;) {
            const bool climbs = node != MCD_NODE_NONE && (next < node || next >= hierarchy.subtree_end[node]);
            if (!__any_sync(WARP_ALL, climbs)) break;
            if (climbs) {
                route_step<Cost> step = load_step(end, node);
                const uint32_t depth = hierarchy.depth[node];
                relax_node<Cost, false>(end, step, depth, end.label[depth]);
                node = hierarchy.parent[node];
            }
            __syncwarp();
        }
        if (left) from = node == MCD_NODE_NONE ? 0 : hierarchy.depth[node] + 1;
    }
    return from;
}

/* Writes the arcs from the meeting down to each end, from the middle of the chain outwards, and the end's node. */
template <class Cost>
static __device__ void write_chain(const route_work &work, const route_end<Cost> &end, const mcd_lane &lane,
                                   size_t pair, bool backward, bool reached, uint32_t meeting)
{
    const uint32_t height = work.hierarchy.height;
    uint32_t *const chain = work.chain + pair * 2 * height;
    uint32_t at = height, depth = meeting;
    if (end.thread != 0) return;
    while (reached && end.from[depth] != FROM_SEED) {
        const uint64_t from = end.from[depth];
        chain[backward ? at++ : --at] = (uint32_t)from;
        depth = (uint32_t)(from >> 32);
    }
    for (uint32_t s = 0; reached && s < MCD_SEEDS_MAX && lane.seed[s].node != MCD_NODE_NONE; ++s)
        if (work.hierarchy.depth[lane.seed[s].node] == depth)
            work.chain_node[2 * pair + backward] = lane.seed[s].node;
    (backward ? work.chain_end : work.chain_begin)[pair] = at;
}

/* Bytes of a warp's labels and arcs. */
template <class Cost, bool Chains> static __host__ __device__ size_t warp_bytes(uint32_t height)
{
    return 2 * (size_t)height * (sizeof(Cost) + (Chains ? sizeof(uint64_t) : 0));
}

template <class Cost, bool Chains, bool Top, bool Joined>
static __device__ void route_pair(const route_work &work, size_t pair, unsigned char *memory)
{
    const uint32_t height = work.hierarchy.height;
    const bool backward = threadIdx.x % WARP >= ROUTE_HALF;
    const mcd_lane &lane = backward ? work.target[pair] : work.source[pair];
    Cost *const label = (Cost *)memory;
    uint64_t *const from = (uint64_t *)(label + 2 * (size_t)height);
    const route_end<Cost> end = {backward ? work.search[MCD_BACKWARD] : work.search[MCD_FORWARD],
                                 label + (backward ? height : 0), from + (backward ? height : 0),
                                 threadIdx.x % ROUTE_HALF, Top ? work.top.row : nullptr};
    Cost best = cost_unreached<Cost>();
    uint32_t meeting = 0;
    if (__all_sync(WARP_ALL, lane.seed[0].node != MCD_NODE_NONE)) {
        uint32_t last = MCD_SEEDS_MAX, first_depth = 0;
        if (Joined) {
            const joined_seeds seeds(work.hierarchy, lane, end.thread);
            first_depth = climb_others(work.hierarchy, end, lane, seeds.first);
            last = seeds.last;
        }
        begin_end<Cost, Chains>(end, work.hierarchy, lane, 0, last, first_depth);
        best = search_pair<Cost, Chains>(work.hierarchy, end, label + (backward ? 0 : height), work.top,
                                         (const Cost *)work.top.label[backward], lane.seed[0].node, &meeting);
    }
    uint32_t objective, companion;
    answer_cost(best, MCD_WEIGHT_MAX, work.raw, &objective, work.companion ? &companion : nullptr);
    if (Chains) write_chain(work, end, lane, pair, backward, objective != MCD_COST_UNREACHED, meeting);
    if (threadIdx.x % WARP != 0) return;
    work.objective[pair] = objective;
    if (work.companion) work.companion[pair] = companion;
}

/* Grid: one warp per pair. With labels in scratch: one warp per part of the scratch, and pairs take turns. */
template <class Cost, bool Chains, bool Top, bool Joined, bool Shared>
static __global__ void __launch_bounds__(ROUTE_WARPS *WARP) route_pairs(route_work work)
{
    const size_t warps = (size_t)gridDim.x * (blockDim.x / WARP);
    const size_t warp = thread_index() / WARP;
    const size_t bytes = warp_bytes<Cost, Chains>(work.hierarchy.height);
    MCD_SHARED(unsigned char, shared);
    unsigned char *const memory = Shared ? shared + threadIdx.x / WARP * bytes : work.scratch + warp * bytes;
    for (size_t turn = warp; turn < work.count; turn += warps) {
        route_pair<Cost, Chains, Top, Joined>(work, work.order ? work.order[turn] : turn, memory);
        __syncwarp();
    }
}

/* ---- order ---- */

static __device__ size_t bucket_of(const mcd_lane *source, size_t pair, unsigned shift, size_t buckets)
{
    const mcd_node node = source[pair].seed[0].node;
    return node == MCD_NODE_NONE ? buckets - 1 : node >> shift;
}

static __global__ void count_sources(const mcd_lane *__restrict__ source, size_t count, unsigned shift,
                                     size_t buckets, uint32_t *bucket_count)
{
    const size_t pair = thread_index();
    if (pair < count) atomicAdd(&bucket_count[bucket_of(source, pair, shift, buckets)], 1u);
}

/* The order of pairs within a bucket varies, and nothing depends on it. */
static __global__ void order_pairs(const mcd_lane *__restrict__ source, size_t count, unsigned shift,
                                   size_t buckets, mcd_arc *next, uint32_t *order)
{
    const size_t pair = thread_index();
    if (pair >= count) return;
    const size_t bucket = bucket_of(source, pair, shift, buckets);
    order[atomicAdd((unsigned long long *)&next[bucket], 1ull)] = (uint32_t)pair;
}

/* Orders pairs by buckets of their sources. `memory` has the order. */
static void enqueue_order(gpu_call &call, const gpu_pairs &pairs, mcd_node node_count,
                          gpu_array<unsigned char> &memory, gpu_array<uint32_t> &order)
{
    unsigned shift = 0;
    while (node_count >> shift >= ORDER_BUCKETS) ++shift;
    const size_t buckets = (node_count >> shift) + (size_t)1;
    const launch_shape shape = one_thread_each(pairs.count);
    gpu_array<uint32_t> count;
    gpu_array<mcd_arc> next;
    gpu_allocate_together(call, "allocating an order", memory, order, pairs.count, count, buckets, next,
                          buckets + 1);
    count.fill(call, 0, "ordering pairs");
    call.run("ordering pairs", shape, count_sources, pairs.source.get(), pairs.count, shift, buckets,
             count.get());
    enqueue_scan(call, count.get(), buckets, next.get());
    call.run("ordering pairs", shape, order_pairs, pairs.source.get(), pairs.count, shift, buckets,
             next.get(), order.get());
}

/* ---- launches ---- */

template <class Cost, bool Chains, bool Top, bool Joined>
static void launch_search(gpu_call &call, route_work &work, uint64_t label_bytes)
{
    const size_t bytes = warp_bytes<Cost, Chains>(work.hierarchy.height);
    if (bytes * ROUTE_SHARED_PART <= call.gpu->shared_bytes) {
        unsigned block_warps = ROUTE_WARPS;
        while (block_warps > 1 && ROUTE_BLOCKS * block_warps * bytes > call.gpu->shared_bytes)
            block_warps /= 2;
        return call.run(
            "routes", {blocks_of<uint64_t>(work.count, block_warps), block_warps * WARP, bytes * block_warps},
            route_pairs<Cost, Chains, Top, Joined, true>, work);
    }
    const uint64_t blocks = mcd_size_min(work.count, label_bytes / bytes); /* of a warp */
    gpu_array<unsigned char> scratch(call, blocks * bytes, "allocating labels");
    work.scratch = scratch.get();
    call.run("routes", {blocks, WARP}, route_pairs<Cost, Chains, Top, Joined, false>, work);
}

template <bool Joined>
static void launch_costs(gpu_call &call, route_work &work, uint64_t label_bytes, bool top, bool companion)
{
    const auto launch = top         ? companion ? launch_search<uint64_t, false, true, Joined>
                                                : launch_search<uint32_t, false, true, Joined>
                                : companion ? launch_search<uint64_t, false, false, Joined>
                                    : launch_search<uint32_t, false, false, Joined>;
    launch(call, work, label_bytes);
}

/* ---- memory ---- */

static size_t search_bytes(uint32_t height, bool joint, bool chains)
{
    if (chains) return joint ? warp_bytes<uint64_t, true>(height) : warp_bytes<uint32_t, true>(height);
    return joint ? warp_bytes<uint64_t, false>(height) : warp_bytes<uint32_t, false>(height);
}

pair_room pairs_wanted(const gpu_call &call, const gpu_weights &weights, const mcd_route_job &job,
                       size_t count, bool chains)
{
    const bool joint = chains ? weights.joint : job.companion != nullptr;
    const size_t bytes = search_bytes(weights.map->hierarchy.height, joint, chains);
    const size_t warps = (size_t)call.gpu->processor_count * ROUTE_SCRATCH_WARPS;
    /* Trips have choices besides, of which there are more. */
    const size_t plain =
        job.source_road ? (ORDER_LEAST - 1 - TRIP_CHOICES) / TRIP_CHOICES_ROOM : ORDER_LEAST - 1;
    pair_room room = {0, 0, 0, plain, 0, mcd_size_max(count, 1)};
    if (bytes * ROUTE_SHARED_PART > call.gpu->shared_bytes)
        room.label_least = bytes, room.label_most = bytes * mcd_size_min(warps, room.count);
    if (count > plain) room.order_bytes = ORDER_BUCKETS * 2 * sizeof(mcd_arc);
    return room;
}

void pairs_fit(pair_room *room, uint64_t bytes, uint64_t pair_bytes)
{
    room->label_bytes = mcd_size_max(room->label_least, mcd_size_min(room->label_most, bytes / 2));
    bytes -= mcd_size_min(bytes, room->label_bytes);
    const size_t plain = mcd_size_min(bytes / pair_bytes, room->plain_most);
    const size_t ordered = bytes > room->order_bytes ? (bytes - room->order_bytes) / pair_bytes : 0;
    room->count = mcd_size_min(room->count, mcd_size_max(mcd_size_max(plain, ordered), 1));
}

void pairs_allocate(gpu_pairs &pairs, gpu_call &call, const mcd_route_job &job, size_t count)
{
    const size_t nodes = (job.source_node ? count : 0) + (job.target_node ? count : 0);
    gpu_allocate_together(call, "allocating pairs", pairs.memory, pairs.source, count, pairs.target, count,
                          pairs.objective, count, pairs.companion, job.companion ? count : 0, pairs.node,
                          nodes);
    if (!job.companion) pairs.companion.release();
}

void chains_allocate(gpu_chains &chains, gpu_call &call, const gpu_weights &weights, size_t count)
{
    const size_t arcs = count * 2 * weights.map->hierarchy.height;
    gpu_allocate_together(call, "allocating paths", chains.memory, chains.arc, arcs, chains.begin, count,
                          chains.end, count, chains.node, 2 * count, chains.arc_end, arcs, chains.length,
                          count, chains.room, count, chains.first, count + 1, chains.before, count,
                          chains.behind, count);
}

/* ---- sending lanes to the GPU ---- */

/* One thread per lane. */
static __global__ void make_lanes(const mcd_node *__restrict__ node, size_t count, mcd_lane *lane)
{
    const size_t i = thread_index();
    if (i >= count) return;
    lane[i].seed[0] = {node[i], 0, 0};
    lane[i].seed[1].node = MCD_NODE_NONE;
}

/* Enqueues the copies of one end's lanes, or of their nodes to `node`: a part of the bytes. */
static void supply_end(gpu_call &call, mcd_lane *to, const mcd_lane *lane, const mcd_node *from_node,
                       mcd_node *node, size_t count, const mcd_parallel *parallel)
{
    if (!from_node) return supply(call, to, lane, count * sizeof(mcd_lane), parallel);
    supply(call, node, from_node, count * sizeof(mcd_node), parallel);
    call.run("making lanes", one_thread_each(count), make_lanes, node, count, to);
}

void enqueue_search(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, size_t first,
                    size_t count, uint64_t label_bytes, const top_labels *top, gpu_pairs &pairs,
                    gpu_chains *chains)
{
    mcd_route_job part = job;
    mcd_route_skip(&part, first);
    pairs.first = first, pairs.count = count;
    mcd_node *const node = pairs.node.get(), *const target_node = part.source_node ? node + count : node;
    supply_end(call, pairs.source.get(), part.source, part.source_node, node, count, &job.parallel);
    supply_end(call, pairs.target.get(), part.target, part.target_node, target_node, count, &job.parallel);
    enqueue_pairs(call, weights, job, label_bytes, top, pairs, chains);
}

void enqueue_pairs(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, uint64_t label_bytes,
                   const top_labels *top, gpu_pairs &pairs, gpu_chains *chains)
{
    const size_t count = pairs.count;
    gpu_array<unsigned char> memory;
    gpu_array<uint32_t> order;
    if (count >= ORDER_LEAST) enqueue_order(call, pairs, weights.map->hierarchy.node_count, memory, order);
    route_work work = {weights.map->hierarchy,
                       {weights.search[0].view(), weights.search[1].view()},
                       pairs.source.get(),
                       pairs.target.get(),
                       order.get(),
                       count,
                       pairs.objective.get(),
                       pairs.companion.get(),
                       job.raw,
                       top ? top->view() : top_view{},
                       chains ? chains->arc.get() : nullptr,
                       chains ? chains->begin.get() : nullptr,
                       chains ? chains->end.get() : nullptr,
                       chains ? chains->node.get() : nullptr,
                       nullptr};
    const auto of_costs = pairs.joined ? launch_costs<true> : launch_costs<false>;
    if (!chains) return of_costs(call, work, label_bytes, top, job.companion);
    weights.joint ? launch_search<uint64_t, true, false, false>(call, work, label_bytes)
                  : launch_search<uint32_t, true, false, false>(call, work, label_bytes);
}

void deliver_costs(gpu_call &call, const gpu_pairs &pairs, const mcd_route_job &job)
{
    const size_t bytes = pairs.count * sizeof(uint32_t);
    deliver(call, job.objective + pairs.first, pairs.objective.get(), bytes, &job.parallel);
    if (job.companion)
        deliver(call, job.companion + pairs.first, pairs.companion.get(), bytes, &job.parallel);
}

/* ---- costs ---- */

const top_labels *top_of_pairs(gpu_call &call, gpu_weights &weights, const mcd_route_job &job, size_t count)
{
    return top_labels_of(call, weights, *job.weights->hierarchy, job.companion != nullptr,
                         count >= weights.map->hierarchy.node_count / TOP_NODES);
}

/* Pairs first <= i < end of the job. */
static void costs_on(gpu_weights &weights, const mcd_route_job &job, size_t first, size_t end,
                     gpu_progress &progress)
{
    progress.step(0);
    gpu_share share;
    gpu_call call(weights.map->gpu);
    gpu_pairs pairs;
    const top_labels *const top = top_of_pairs(call, weights, job, end - first);
    pair_room room = pairs_wanted(call, weights, job, mcd_size_min(ROUTE_CHUNK, end - first), false);
    share.take(call, room.label_least + PAIR_BYTES,
               room.label_most + room.order_bytes + room.count * PAIR_BYTES, "routes");
    pairs_fit(&room, share.bytes(), PAIR_BYTES);
    pairs_allocate(pairs, call, job, room.count);
    for (; first < end; first += room.count) {
        const size_t count = mcd_size_min(room.count, end - first);
        enqueue_search(call, weights, job, first, count, room.label_bytes, top, pairs, nullptr);
        deliver_costs(call, pairs, job);
        progress.step(count);
    }
}

void mcd_cuda_route(const mcd_route_job *job)
{
    mcd_device_weights *const weights = job->weights->device;
    const size_t gpus = weights->map->device->gpu_count;
    if (job->source_road) trips_check(*weights->on[0], *job);
    if (job->take) return paths_on_all(*weights, *job);
    if (job->source_road) return trip_costs(*weights->on[0], *job);
    gpu_progress progress(job->progress, "routes", job->count);
    on_each_gpu(gpus, progress, [&](size_t g) {
        mcd_route_job own = *job;
        own.parallel = parallel_of_gpu(job->parallel, g, gpus);
        return costs_on(weights_on(*weights, g), own, mcd_part_first(job->count, g, gpus),
                        mcd_part_first(job->count, g + 1, gpus), progress);
    });
}
