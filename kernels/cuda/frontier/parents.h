/* parents.h - the parents of nodes from final costs, as mcd_hops_job and mcd_sssp_job define them. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_PARENTS_H
#define MCD_KERNELS_CUDA_FRONTIER_PARENTS_H

#include "kernels/cuda/device/grid.h"
#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/frontier/arcs.h"

/* Enqueues: parent[node] of the `nodes` that have none yet (MCD_NODE_NONE); the first is a multiple of
 * WARP. direction: of the search. */
void enqueue_hop_parents(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction, node_range nodes,
                         const uint32_t *hops, mcd_node *parent);

/* Enqueues: path[i] becomes the node after i hops of the path to `node` that the parents of a forward search
 * give, from i = at (the hops of `node`) down to the first node that is not own, or to 0. end (NULL: all nodes
 * are own) gets that node and its hops. hops: by node. slots: of the backward search; slot NULL: there are none. */
void enqueue_path(gpu_call &call, const gpu_arcs &arcs, const slots_view<hop_slot> &slots,
                  const uint32_t *hops, mcd_node node, uint32_t at, mcd_node *path, mcd_node *end);

struct parents_arrays {
    uint32_t *rank; /* if some weight is 0 */
    rounds_state *state;
    void lay_out(gpu_carver &carver, const gpu_arcs &arcs)
    {
        carver.take(&state, 1, &rank, arcs.has_zero ? arcs.node_count : 0);
    }
};

/* Enqueues: parent[node] of the own nodes, from the least costs of all nodes within the job's limit from the lane.
 * All rounds are 0 to UINT32_MAX. If the arcs are partitioned, each GPU makes one round at a time, from 0 on, until
 * none has set arrays.state->changed[round % 3]. Before each but the first, all GPUs have the ranks of all
 * nodes. */
template <class Cost>
void enqueue_parents(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &lane,
                     const Cost *dist, uint32_t round, uint32_t last_round, const parents_arrays &arrays,
                     mcd_node *parent);

#endif
