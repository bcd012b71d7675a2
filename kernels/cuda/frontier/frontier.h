/* frontier.h - least costs from seeds by frontiers, without a hierarchy: breadth-first search and
 * near-far. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_FRONTIER_H
#define MCD_KERNELS_CUDA_FRONTIER_FRONTIER_H

#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/frontier/arcs.h"

typedef unsigned long long frontier_entry; /* the objective in the high half, the node in the low one */

/* The state of a search, on the GPU. */
struct frontier_state {
    unsigned arrived;           /* grid_barrier */
    unsigned count[3];          /* entries of a step's list, by step % 3; above the capacity: some are lost */
    unsigned low[3];            /* their least objective */
    unsigned long long near[3]; /* by step % 3: the near nodes of a wide step (high half), and their arcs */
    unsigned is_wide;           /* frontier_search.hands_over: the search has stopped */
    unsigned ahead;             /* it is not read */
};

/* The arrays of one search at a time. */
struct frontier_arrays {
    frontier_entry *even, *odd; /* lists, by step */
    mcd_node *near_node;        /* the near nodes of a wide step, and ... */
    uint32_t *near_before;      /* ... the number of arcs of those before each */
    uint32_t *taken;            /* by node, for joint costs: 1 + the last wide step in which it was near */
    frontier_state *state;
    unsigned capacity; /* of each list: at least the number of nodes */
    void lay_out(gpu_carver &carver, mcd_node node_count, bool joint)
    {
        capacity = (unsigned)mcd_size_max(node_count, MCD_SEEDS_MAX);
        carver.take(&state, 1, &even, capacity, &odd, capacity, &near_node, capacity, &near_before, capacity,
                    &taken, joint ? node_count : 0);
    }
};

/* The step's width of near-far: `wanted`, or if that is 0, one chosen for the graph; at least 1. */
mcd_weight frontier_delta(const gpu_arcs &arcs, mcd_weight wanted);

/* Enqueues: dist[node] becomes the least cost of each node within the job's limit from (or to) the lane's
 * seeds, or all ones if there is none (weights with companions: the least joint cost). Slot: hop_slot (limit
 * and seeds in hops; the search stops when the frontier becomes wide), or weight_slot of the costs. groups:
 * searches that share the GPU; each takes one of this many parts. */
template <class Slot>
void enqueue_frontier(gpu_call &call, gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &from,
                      unsigned groups, const frontier_arrays &arrays, typename Slot::cost *dist);

/* Enqueues only the preparation for the search's kernel. */
template <class Slot> struct frontier_search;
template <class Slot>
frontier_search<Slot> begin_frontier(gpu_call &call, gpu_arcs &arcs, const mcd_sssp_job &job,
                                     const mcd_lane &from, bool hands_over, const frontier_arrays &arrays,
                                     typename Slot::cost *dist);

#endif
