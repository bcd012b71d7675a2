/* sssp.h - trees without a hierarchy: one lane's search, and the methods that can do it. */
#ifndef MCD_KERNELS_CPU_FRONTIER_SSSP_H
#define MCD_KERNELS_CPU_FRONTIER_SSSP_H

#include "kernels/cpu/device/phases.h"
#include "kernels/cpu/frontier/adjacency.h"
#include "engine/base/watch.h"

/* One lane's search. */
typedef struct sssp_search {
    const mcd_sssp_job *job;
    const mcd_lane *lane;
    adjacency leave;
    const mcd_weight *objective, *companion; /* of the arcs of `leave`; companion: only for joint costs */
    cost bound;                              /* the least cost beyond the limit, which is unreached */
    mcd_parallel parallel;                   /* threads that this search may use */
    const mcd_watch *watch;                  /* once it says no, the costs do not matter any more */
    cost *dist; /* [node_count]: `bound` before the search, the costs after it; no other cost is above it */
} sssp_search;

/* Lowers the costs of the lane's seeds; calls `lowered` for each. */
static inline void sssp_seed(const sssp_search *search, void (*lowered)(void *context, mcd_node node),
                             void *context)
{
    for (uint32_t i = 0; i < mcd_lane_seed_count(search->lane); ++i) {
        const mcd_seed *seed = &search->lane->seed[i];
        const cost value = seed_cost(seed->objective, seed->companion);
        if (value >= search->dist[seed->node]) continue;
        search->dist[seed->node] = value;
        lowered(context, seed->node);
    }
}

/* Each method finds the costs, in `memory` of that many bytes, aligned to 64. */
void MCD_KERNEL(near_far)(const sssp_search *search, uintptr_t memory);
size_t MCD_KERNEL(near_far_scratch)(const mcd_arcs *arcs, unsigned threads);
void MCD_KERNEL(bellman_ford)(const sssp_search *search);
void MCD_KERNEL(dijkstra)(const sssp_search *search, uintptr_t memory);
size_t MCD_KERNEL(dijkstra_scratch)(const mcd_arcs *arcs);

/* Writes the costs of the lane's columns as the job wants them. */
void MCD_KERNEL(deliver)(const sssp_search *search, size_t lane);

/* Finds the [node_count] parents of final costs, as mcd_sssp_job says. `rank` (of nodes that only arcs of
 * weight 0 lead to) and `queue` are [node_count]. */
void MCD_KERNEL(parents)(const sssp_search *search, mcd_node *parent, uint32_t *rank, mcd_node *queue);

#endif
