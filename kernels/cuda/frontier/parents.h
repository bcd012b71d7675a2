/* parents.h - the parents of nodes from final costs, as mcd_hops_job and mcd_sssp_job define them. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_PARENTS_H
#define MCD_KERNELS_CUDA_FRONTIER_PARENTS_H

#include "kernels/cuda/frontier/arcs.h"

/* Enqueues: parent[node] of the `nodes` that have none yet (MCD_NODE_NONE); the first is a multiple of
 * WARP. direction: of the search. */
macadam_status enqueue_hop_parents(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction,
                                   node_range nodes, const uint32_t *hops, mcd_node *parent);

/* The state of the rounds, on the GPU. */
struct ranks_state {
    unsigned arrived;    /* grid_barrier */
    unsigned changed[3]; /* by round % 3 */
};

struct parents_scratch {
    gpu_array<uint32_t> rank;
    gpu_array<ranks_state> state;
    macadam_status allocate(gpu_call &call, const gpu_arcs &arcs);
};

/* Enqueues: parent[node] of the own nodes, from the least costs of all nodes within the job's limit from the lane.
 * All rounds are 0 to UINT32_MAX. If the arcs are partitioned, each GPU makes one round at a time, from 0 on, until
 * none has set scratch->state.changed[round % 3]. Before each but the first, all GPUs have the ranks of all
 * nodes. */
template <class Cost>
macadam_status enqueue_parents(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job,
                               const mcd_lane &lane, const Cost *dist, uint32_t round, uint32_t last_round,
                               parents_scratch *scratch, mcd_node *parent);

#endif
