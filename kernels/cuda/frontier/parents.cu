/* parents.cu - see parents.h.
 *
 * A node's parent is the smallest nearer one with a tight arc to it. Nodes that only tight arcs of weight 0
 * lead to get their ranks, and parents, in rounds: from the nodes that have the rank of the round before. CPU
 * twin: kernels/cpu/frontier/parents.c.
 * Grid    one thread per node; the warp reads arcs beyond the first few.
 * Races   none: costs are final, and a node's thread writes its parent.
 * Limit   random accesses to the costs of neighbours, which lie close together where ids follow locality. */
#include "kernels/cuda/frontier/parents.h"

#include "kernels/cuda/frontier/tails.h"

enum { PARENTS_BLOCK = 256, PARENTS_EACH = 8 };

static __global__ void find_hop_parents(side_view in, node_range nodes, const uint32_t *__restrict__ hops,
                                        mcd_node *parent)
{
    const mcd_node node = nodes.first + blockIdx.x * PARENTS_BLOCK + threadIdx.x;
    const uint32_t own = node < nodes.end ? hops[node] : MCD_COST_UNREACHED;
    const bool asks = own != MCD_COST_UNREACHED && own > 0 && parent[node] == MCD_NODE_NONE;
    const uint32_t first = asks ? in.first[node] : 0, end = asks ? in.first[node + 1] : 0;
    const mcd_node warp_first = node - threadIdx.x % WARP;
    const mcd_node tail = find_tail(in, first, end, [&](int lane, uint32_t, mcd_node from) {
        return hops[from] + 1 == hops[warp_first + (unsigned)lane];
    });
    if (asks) parent[node] = tail;
}

void enqueue_hop_parents(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction, node_range nodes,
                         const uint32_t *hops, mcd_node *parent)
{
    call.run("finding parents", {blocks_of<uint64_t>(nodes.end - nodes.first, PARENTS_BLOCK), PARENTS_BLOCK},
             find_hop_parents, arcs.view(!direction), nodes, hops, parent);
}

/* One warp. */
static __global__ void walk_back(side_view in, node_range own, slots_view<hop_slot> slots,
                                 const uint32_t *__restrict__ hops, mcd_node node, uint32_t at,
                                 mcd_node *path, mcd_node *end)
{
    const unsigned lane = threadIdx.x, inside = 1u << slots.shift;
    for (; at > 0 && node >= own.first && node < own.end; --at) {
        if (lane == 0) path[at] = node;
        mcd_node tail =
            slots.slot && lane < inside ? slots.slot[((size_t)node << slots.shift) + lane].head : SLOT_EMPTY;
        unsigned hits = __ballot_sync(WARP_ALL, tail < SLOT_MORE && hops[tail] == at - 1);
        if (hits == 0) /* not found among the slots */
            for (uint32_t base = in.first[node] + inside - 1; hits == 0; base += WARP) { /* one exists */
                tail = in.head[min(base + lane, in.first[node + 1] - 1)];
                hits = __ballot_sync(WARP_ALL, hops[tail] == at - 1);
            }
        node = __shfl_sync(WARP_ALL, tail, __ffs((int)hits) - 1);
    }
    if (lane > 0) return;
    if (at == 0) path[0] = node;
    if (end) end[0] = node, end[1] = at;
}

void enqueue_path(gpu_call &call, const gpu_arcs &arcs, const slots_view<hop_slot> &slots,
                  const uint32_t *hops, mcd_node node, uint32_t at, mcd_node *path, mcd_node *end)
{
    call.run("walking a path", {1, WARP}, walk_back, arcs.view(MCD_BACKWARD), arcs.own, slots, hops, node, at,
             path, end);
}

/* ---- of costs ---- */

static constexpr uint32_t UNRANKED = UINT32_MAX;

template <class Cost> struct parents_search {
    side_view in;
    mcd_lane lane;
    mcd_weight limit;
    const Cost *dist;
    mcd_node *parent;
    uint32_t *rank;
    rounds_state *state;
    bool has_zero;
    mcd_node first;             /* the nodes from here to the end of `in` */
    uint32_t round, last_round; /* the first one, and one after which no other follows */
};

template <class Cost> static __device__ bool has_parent(const parents_search<Cost> &search, mcd_node node)
{
    const Cost cost = search.dist[node];
    if (cost_objective(cost) > search.limit || cost_companion(cost) >= MCD_UNREACHED) return false;
    for (uint32_t s = 0; s < MCD_SEEDS_MAX && search.lane.seed[s].node != MCD_NODE_NONE; ++s) {
        const mcd_seed &seed = search.lane.seed[s];
        if (seed.node == node && cost_of<Cost>(seed.objective, seed.companion) == cost) return false;
    }
    return true;
}

/* Finds parents of a warp's nodes: nearer ones in the first pass, then, from rank `round` - 1 on, the
 * others. Returns whether the lane's node still needs a parent. */
template <class Cost>
static __device__ bool place(const parents_search<Cost> &search, mcd_node node, uint32_t round, bool *found)
{
    const mcd_node warp_first = node - threadIdx.x % WARP;
    const bool asks = node < search.in.node_count &&
                      (round == 0 ? has_parent(search, node) : search.rank[node] == UNRANKED);
    const uint32_t first = asks ? search.in.first[node] : 0, end = asks ? search.in.first[node + 1] : 0;
    const mcd_node tail = find_tail(search.in, first, end, [&](int lane, uint32_t arc, mcd_node from) {
        const Cost at = search.dist[from], own = search.dist[warp_first + (unsigned)lane];
        const Cost weight = search.in.template weight<Cost>(arc);
        if (round > 0) return at == own && weight == 0 && search.rank[from] == round - 1;
        return at < own && cost_add(at, weight) == own;
    });
    *found = tail != MCD_NODE_NONE;
    if (node < search.in.node_count && (round == 0 || *found)) search.parent[node] = tail;
    return asks && !*found;
}

/* Grid    all blocks that can run concurrently. */
template <class Cost>
static __global__ void __launch_bounds__(PARENTS_BLOCK) find_parents(parents_search<Cost> search)
{
    grid_rounds rounds(search.state);
    for (uint32_t round = search.round;; ++round) {
        bool changed = false;
        rounds.begin(round);
        for (mcd_node base = search.first + blockIdx.x * PARENTS_BLOCK; base < search.in.node_count;
             base += gridDim.x * PARENTS_BLOCK) {
            const mcd_node node = base + threadIdx.x;
            bool found;
            const bool wants = place(search, node, round, &found);
            if (!search.has_zero || node >= search.in.node_count) continue;
            if (round == 0)
                search.rank[node] = wants ? UNRANKED : 0;
            else if (found)
                search.rank[node] = round;
            changed |= round == 0 ? wants : found;
        }
        if (!search.has_zero) return;
        if (!rounds.end(round, changed, round != search.last_round)) return;
    }
}

template <class Cost>
void enqueue_parents(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &lane,
                     const Cost *dist, uint32_t round, uint32_t last_round, const parents_arrays &arrays,
                     mcd_node *parent)
{
    parents_search<Cost> search = {arcs.view(!job.direction),
                                   lane,
                                   job.limit,
                                   dist,
                                   parent,
                                   arrays.rank,
                                   arrays.state,
                                   arcs.has_zero,
                                   arcs.own.first,
                                   round,
                                   last_round};
    search.in.node_count = arcs.own.end;
    call.fill(arrays.state, 0, 1, "clearing ranks");
    call.run_grid("finding parents",
                  {blocks_of<uint64_t>(arcs.own.end - arcs.own.first, PARENTS_BLOCK), PARENTS_BLOCK},
                  PARENTS_EACH, find_parents<Cost>, search);
}

template decltype(enqueue_parents<uint32_t>) enqueue_parents<uint32_t>;
template decltype(enqueue_parents<uint64_t>) enqueue_parents<uint64_t>;
