/* connect.cu - whether a path leads from one node to another, on a GPU: breadth-first searches from both
 * ends. CPU twin: kernels/cpu/frontier/connect.c.
 *
 * Method. The search with the shorter list makes the next step (frontier_block.h), which has several levels
 * where frontiers are narrow. A node that both have reached gives a path, as long as the sum of its hops. A
 * search that has finished level a has the hops of all nodes up to a, so no path is shorter than the levels
 * of both together. A path that is no longer than that ends the searches, as does an empty list.
 * The path. The search from the source then goes on, but only between the ends: through nodes whose hops to
 * the target can be on a shortest path. Afterwards all nodes of shortest paths have their hops from the
 * source, and no other node near the path has such hops. The path is walked back over the smallest of them.
 * Races   those of frontier_block.h; a search reads the other one's hops only in steps in which they do
 *         not change. */
#include "kernels/cuda/frontier/frontier_block.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"
#include "kernels/cuda/device/table.h"

/* The state of a search, on the GPU. */
struct connect_state {
    unsigned arrived;     /* grid_barrier */
    unsigned shortest[3]; /* by step % 3: the shortest path seen in the steps before */
    uint32_t hops;
};

struct connect_search {
    frontier_search<hop_slot> side[2]; /* by mcd_direction */
    connect_state *state;
    bool path; /* whether the path is requested */
};

struct connect_arrays {
    frontier_arrays frontier[2];
    uint32_t *hops[2];
    connect_state *state;
    void lay_out(gpu_carver &carver, mcd_node node_count)
    {
        for (int s = 0; s < 2; ++s) {
            frontier[s].lay_out(carver, node_count, false);
            carver.take(&hops[s], node_count);
        }
        carver.take(&state, 1);
    }
};

/* How far a side has come. */
struct connect_side {
    unsigned steps, size, low;
};

static __device__ void look_at(const frontier_search<hop_slot> &search, connect_side *side)
{
    side->size = __ldcg(&search.state->count[side->steps % 3]);
    side->low = __ldcg(&search.state->low[side->steps % 3]);
}

/* Finds the hops between the ends; `side`: how far both have come. The result is the same in all blocks. */
static __device__ uint32_t meet(const connect_search &search, frontier_block<hop_slot, true> *block,
                                connect_side *side)
{
    connect_state *const state = search.state;
    uint32_t shortest = UINT32_MAX;
    for (unsigned step = 0;; ++step) {
        shortest = min(shortest, __ldcg(&state->shortest[step % 3]));
        for (int s = 0; s < 2; ++s) look_at(search.side[s], &side[s]);
        if (shortest <= (uint64_t)side[0].low + side[1].low || side[0].size == 0 || side[1].size == 0)
            return shortest;
        const int turn = side[1].size < side[0].size;
        if (blockIdx.x == 0 && threadIdx.x == 0) state->shortest[(step + 2) % 3] = UINT32_MAX;
        block->use(&search.side[turn], side[turn].steps++);
        block->shortest = &state->shortest[(step + 1) % 3];
        block->advance();
    }
}

/* Grid    all blocks that can run concurrently. */
static __global__ void __launch_bounds__(FRONTIER_BLOCK, 1)
    connect_ends(__grid_constant__ const connect_search search)
{
    MCD_SHARED(frontier_shared, shared);
    grid_barrier barrier(&search.state->arrived);
    frontier_block<hop_slot, true> block(shared, &barrier);
    connect_side side[2] = {};
    const uint32_t hops = meet(search, &block, side);
    if (blockIdx.x == 0 && threadIdx.x == 0) search.state->hops = hops;
    if (hops == UINT32_MAX || !search.path) return;
    block.use(&search.side[0], side[0].steps);
    block.between = hops;
    while (block.advance())
        ;
}

static void search_ends(gpu_call &call, gpu_arcs &arcs, const mcd_connect_job *job,
                        gpu_scratch<connect_arrays> *scratch, connect_search *search)
{
    const mcd_node end[] = {job->source, job->target};
    connect_state begin = {0, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, 0};
    mcd_sssp_job hops = {};
    hops.limit = UINT32_MAX;
    scratch->allocate(call, "allocating a search", arcs.node_count);
    call.copy(scratch->state, &begin, 1, "beginning a search");
    search->state = scratch->state;
    search->path = job->path != nullptr;
    for (int s = 0; s < 2; ++s) {
        hops.direction = (mcd_direction)s;
        search->side[s] = begin_frontier<hop_slot>(call, arcs, hops, mcd_lane_of(end[s]), false,
                                                   scratch->frontier[s], scratch->hops[s]);
    }
    for (int s = 0; s < 2; ++s) search->side[s].other = scratch->hops[!s];
    call.run_grid(
        "searching from both ends",
        {frontier_blocks(search->side[0]), frontier_threads(search->side[0]), sizeof(frontier_shared)}, 1,
        connect_ends, *search);
    call.copy(job->hops, &scratch->state->hops, 1, "copying hops");
    call.synchronize();
}

void mcd_cuda_connect(const mcd_connect_job *job)
{
    gpu_arcs *const arcs = job->arcs->device->on[0];
    if (job->source == job->target) {
        *job->hops = 0;
        if (job->path && job->path_capacity > 0) job->path[0] = job->source;
        return;
    }
    if (job->arcs->device->is_partitioned) return partition_connect(job);
    must(mcd_progress_step, &job->progress, "connect", 0, 1);
    gpu_call call(arcs->gpu);
    gpu_scratch<connect_arrays> scratch;
    connect_search search = {};
    search_ends(call, *arcs, job, &scratch, &search);
    if (!job->path || *job->hops == MCD_COST_UNREACHED) return;
    const size_t count = (size_t)*job->hops + 1;
    gpu_array<mcd_node> path(call, count, "allocating a path");
    enqueue_path(call, *arcs, search.side[1].slots, search.side[0].dist, job->target, *job->hops, path.get(),
                 nullptr);
    call.copy(job->path, path.get(), mcd_size_min(count, job->path_capacity), "copying a path");
    call.synchronize();
}
