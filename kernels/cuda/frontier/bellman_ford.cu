/* bellman_ford.cu - see bellman_ford.h. CPU twin: kernels/cpu/frontier/bellman_ford.c.
 *
 * Method. One cooperative launch. In each round every couple of neighbours is read once and relaxed both
 * ways; a round that changes nothing is the last. (Kolganov 2014) The couples are divided evenly among the
 * blocks. A block has the costs of its couples' higher nodes, segment by segment, in shared memory, where it
 * sees its own changes immediately. At the segment's end, lowered costs are written back. Lower nodes ascend
 * within a segment, so a warp reads few lines of them.
 * Grid    one thread per couple, in strides. Races
 * costs are lowered only by atomicMin. A change seen late is seen in the next round, which takes
 *         place because of the change.
 * Limit   14 bytes a couple and round from memory. */
#include "kernels/cuda/frontier/bellman_ford.h"

#include "kernels/cuda/frontier/falling.h"

enum {
    ROUNDS_BLOCK = 1024,
    COUPLES_AT_ONCE = 4, /* per thread */
};

/* Weight: as in couples_view; joint costs have long weights. */
template <class Cost, class Weight> struct rounds_search {
    couples_view<Weight> couples;
    mcd_node node_count;
    Cost *dist;
    mcd_weight limit;
    rounds_state *state;
};

/* The i-th weight as a cost. */
static __device__ uint32_t couple_weight(uint32_t, const mcd_weight *objective, const mcd_weight *, size_t i)
{
    return objective[i];
}

static __device__ uint32_t couple_weight(uint32_t, const uint16_t *objective, const mcd_weight *, size_t i)
{
    const uint16_t weight = objective[i];
    return weight == SHORT_NONE ? MCD_UNREACHED : weight;
}

static __device__ uint64_t couple_weight(uint64_t, const mcd_weight *objective, const mcd_weight *companion,
                                         size_t i)
{
    return cost_of<uint64_t>(objective[i], companion[i]);
}

/* Lowers *head, which was `at`; returns whether it has fallen. */
template <class Cost>
static __device__ bool relax(mcd_weight limit, Cost from, Cost weight, Cost *head, Cost at)
{
    if (cost_objective(from) > limit) return false; /* unreached: a sum would wrap */
    const Cost sum = cost_add(from, weight);
    if (sum >= at || cost_objective(sum) > limit) return false;
    lower_cost(head, sum);
    return true;
}

/* Relaxes the couples begin <= i < end, of one segment whose costs are near[]. */
template <class Cost, class Weight>
static __device__ bool relax_couples(const rounds_search<Cost, Weight> &search, size_t begin, size_t end,
                                     Cost *near)
{
    const couples_view<Weight> &couples = search.couples;
    bool changed = false;
    for (size_t base = begin + threadIdx.x; base < end; base += COUPLES_AT_ONCE * blockDim.x) {
        mcd_node low[COUPLES_AT_ONCE];
        Cost at_low[COUPLES_AT_ONCE], up[COUPLES_AT_ONCE], down[COUPLES_AT_ONCE];
        uint32_t high[COUPLES_AT_ONCE];
#pragma unroll
        for (int k = 0; k < COUPLES_AT_ONCE; ++k) {
            const size_t i = min(base + k * blockDim.x, end - 1); /* relaxes the last again: harmless */
            low[k] = couples.low[i], high[k] = couples.high[i];
            up[k] = couple_weight(Cost(), couples.up, couples.up_companion, i);
            down[k] = couple_weight(Cost(), couples.down, couples.down_companion, i);
        }
#pragma unroll
        for (int k = 0; k < COUPLES_AT_ONCE; ++k) at_low[k] = load_cost(search.dist + low[k]);
#pragma unroll
        for (int k = 0; k < COUPLES_AT_ONCE; ++k) {
            const Cost at_high = near[high[k]];
            changed |= relax(search.limit, at_high, up[k], search.dist + low[k], at_low[k]);
            changed |= relax(search.limit, at_low[k], down[k], near + high[k], at_high);
        }
    }
    return changed;
}

/* Relaxes the block's part of the couples, segment by segment. */
template <class Cost, class Weight>
static __device__ bool relax_part(const rounds_search<Cost, Weight> &search, Cost *near)
{
    const couples_view<Weight> &couples = search.couples;
    const size_t part = (couples.count + gridDim.x - 1) / gridDim.x;
    const size_t first = part * blockIdx.x, end = min(first + part, couples.count);
    bool changed = false;
    uint32_t segment = 0;
    for (size_t at = first; at < end; ++segment) {
        const size_t segment_end = min((size_t)couples.segment_first[segment + 1], end);
        if (segment_end <= at) continue;
        const mcd_node base = segment * SEGMENT_NODES;
        const mcd_node nodes = min((mcd_node)SEGMENT_NODES, search.node_count - base);
        for (mcd_node i = threadIdx.x; i < nodes; i += blockDim.x)
            near[i] = load_cost(search.dist + base + i);
        __syncthreads();
        changed |= relax_couples(search, at, segment_end, near);
        __syncthreads();
        for (mcd_node i = threadIdx.x; i < nodes; i += blockDim.x)
            if (near[i] < load_cost(search.dist + base + i)) lower_cost(search.dist + base + i, near[i]);
        __syncthreads();
        at = segment_end;
    }
    return changed;
}

template <class Cost, class Weight>
static __global__ void __launch_bounds__(ROUNDS_BLOCK, sizeof(Cost) == 4 ? 2 : 1)
    relax_in_rounds(rounds_search<Cost, Weight> search)
{
    MCD_SHARED(Cost, near); /* [SEGMENT_NODES] */
    grid_rounds rounds(search.state);
    bool changed = true;
    for (unsigned round = 0; changed; ++round) {
        rounds.begin(round);
        changed = rounds.end(round, relax_part(search, near));
    }
}

template <class Weight, class Cost>
static void enqueue_rounds(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, rounds_state *state,
                           Cost *dist)
{
    const rounds_search<Cost, Weight> search = {arcs.couples.view<Weight>(job.direction), arcs.node_count,
                                                dist, job.limit, state};
    const unsigned threads = block_threads(search.couples.count, ROUNDS_BLOCK);
    call.run_grid(
        "relaxing couples",
        {blocks_of<uint64_t>(search.couples.count + 1, threads), threads, SEGMENT_NODES * sizeof(Cost)}, 2,
        relax_in_rounds<Cost, Weight>, search);
}

/* One thread. */
template <class Cost>
static __global__ void seed_costs(mcd_lane lane, mcd_weight limit, Cost *dist, rounds_state *state)
{
    *state = {};
    lower_seeds(lane, limit, dist, [](const mcd_seed &) {});
}

template <class Cost>
void enqueue_bellman_ford(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &from,
                          rounds_state *state, Cost *dist)
{
    call.fill(dist, 0xff, arcs.node_count, "clearing costs");
    call.run("seeding costs", {1, 1}, seed_costs<Cost>, from, job.limit, dist, state);
    if (sizeof(Cost) == sizeof(uint32_t) && arcs.couples.are_short)
        return enqueue_rounds<uint16_t>(call, arcs, job, state, (uint32_t *)dist);
    enqueue_rounds<mcd_weight>(call, arcs, job, state, dist);
}

template decltype(enqueue_bellman_ford<uint32_t>) enqueue_bellman_ford<uint32_t>;
template decltype(enqueue_bellman_ford<uint64_t>) enqueue_bellman_ford<uint64_t>;
