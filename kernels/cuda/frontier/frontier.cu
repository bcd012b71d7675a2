/* frontier.cu - see frontier.h and frontier_block.h. */
#include "kernels/cuda/frontier/frontier_block.h"

/* Grid    all blocks that can run concurrently; state, lists and dist as enqueue_frontier prepares them. */
template <class Slot>
static __global__ void __launch_bounds__(FRONTIER_BLOCK, 1)
    search_frontier(__grid_constant__ const frontier_search<Slot> search)
{
    MCD_SHARED(frontier_shared, shared);
    grid_barrier barrier(&search.state->arrived);
    frontier_block<Slot> block(shared, &barrier);
    block.use(&search, 0);
    while (block.advance())
        ;
}

/* One thread puts the seeds into the lists. */
template <class Cost>
static __global__ void seed_frontier(mcd_lane lane, mcd_weight limit, Cost *dist, frontier_entry *list,
                                     frontier_state *state)
{
    *state = {};
    for (uint32_t &low : state->low) low = UINT32_MAX;
    lower_seeds(lane, limit, dist, [&](const mcd_seed &seed) {
        list[state->count[0]++] = (frontier_entry)seed.objective << 32 | seed.node;
        state->low[0] = min(state->low[0], seed.objective);
    });
}

mcd_weight frontier_delta(const gpu_arcs &arcs, mcd_weight wanted)
{
    const uint64_t mean = arcs.objective_mean;
    if (wanted) return wanted;
    if (arcs.is_narrow()) return (mcd_weight)mcd_size_min(mean * DELTA_SPARSE, MCD_WEIGHT_MAX);
    const uint64_t times =
        mcd_size_max(DELTA_DENSE, mcd_size_min(DELTA_DENSE_MAX, DELTA_ARCS / arcs.arc_count));
    return (mcd_weight)mcd_size_min(mean * times / (arcs.arc_count / arcs.node_count) + 1, MCD_WEIGHT_MAX);
}

template <class Slot>
frontier_search<Slot> begin_frontier(gpu_call &call, gpu_arcs &arcs, const mcd_sssp_job &job,
                                     const mcd_lane &from, bool hands_over, const frontier_arrays &arrays,
                                     typename Slot::cost *dist)
{
    typedef typename Slot::cost cost;
    frontier_search<Slot> out = {};
    out.slots = slots_of<Slot>(call, arcs, job.direction);
    out.side = arcs.view(job.direction);
    out.dist = dist;
    static_cast<frontier_arrays &>(out) = arrays;
    out.limit = job.limit;
    out.delta = frontier_delta(arcs, job.delta);
    out.rounds = ROUNDS_MAX;
    if (std::is_same<Slot, hop_slot>::value) {
        out.delta = LEVELS;
        out.rounds = UINT32_MAX;
        out.single = SINGLE_MAX;
    }
    if (arcs.arc_count <= (uint64_t)DENSE_DEGREE * arcs.node_count)
        out.narrow = NARROW_MAX;
    else
        out.narrow = std::is_same<Slot, hop_slot>::value ? NARROW_DENSE : 0;
    if constexpr (!std::is_same<Slot, hop_slot>::value)
        if (out.narrow == 0) out.entering = entering_of<Slot>(call, arcs, job.direction);
    if (sizeof(cost) == 8) call.fill(arrays.taken, 0, arcs.node_count, "beginning a search");
    out.hands_over = hands_over;
    call.fill(dist, 0xff, arcs.node_count, "clearing costs");
    call.run("seeding a frontier", {1, 1}, seed_frontier<cost>, from, job.limit, dist, out.even, out.state);
    return out;
}

template <class Slot>
void enqueue_frontier(gpu_call &call, gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &from,
                      unsigned groups, const frontier_arrays &arrays, typename Slot::cost *dist)
{
    const uint64_t blocks_max = mcd_size_max(1, (size_t)call.gpu->processor_count / groups);
    const frontier_search<Slot> search =
        begin_frontier<Slot>(call, arcs, job, from, (bool)std::is_same<Slot, hop_slot>::value, arrays, dist);
    call.run_grid("searching by frontiers",
                  {mcd_size_min(frontier_blocks(search), blocks_max), frontier_threads(search),
                   sizeof(frontier_shared)},
                  1, search_frontier<Slot>, search);
}

template decltype(begin_frontier<hop_slot>) begin_frontier<hop_slot>;
template decltype(enqueue_frontier<hop_slot>) enqueue_frontier<hop_slot>;
template decltype(enqueue_frontier<weight_slot<uint32_t>>) enqueue_frontier<weight_slot<uint32_t>>;
template decltype(enqueue_frontier<weight_slot<uint64_t>>) enqueue_frontier<weight_slot<uint64_t>>;
