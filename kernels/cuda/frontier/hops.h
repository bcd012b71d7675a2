/* hops.h - breadth-first search: functions that searches on one GPU and on several share. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_HOPS_H
#define MCD_KERNELS_CUDA_FRONTIER_HOPS_H

#include "kernels/cuda/frontier/arcs.h"

/* A GPU's part of the answer: the columns first <= i < end of a job, and its own nodes' parents. */
struct hops_columns {
    node_range own = {0, 0};
    size_t first = 0, end = 0;
    gpu_array<mcd_node> node; /* only for a job with columns: their nodes */
    gpu_array<uint32_t> hops;
    /* Of the g-th of `gpus` shares of a job's columns; a job without columns has those of own nodes. */
    macadam_status allocate(gpu_call &call, const mcd_hops_job *job, node_range own, size_t g, size_t gpus);
    /* Enqueues; *out: where the columns' hops will be. */
    macadam_status enqueue(gpu_call &call, const uint32_t *by_node, const uint32_t **out) const;
    /* Enqueues the answers to source i, which are there once the call has been synchronized; both arrays by
     * node. stay: the hops are there. */
    macadam_status deliver(gpu_call &call, const mcd_hops_job *job, size_t i, const uint32_t *by_node,
                           const mcd_node *parent, bool stay) const;
};

/* Whether one source's answer lies on the GPU, all nodes in their order: no copy is needed. */
macadam_status hops_stay(gpu_call &call, const mcd_hops_job *job, bool *stay);

/* Enqueues the answer for a source without a node. parent may be NULL. */
macadam_status enqueue_no_hops(gpu_call &call, const gpu_arcs &arcs, uint32_t *hops, mcd_node *parent);

/* Searches from the job's sources one after the other. All GPUs work on each: the nodes are divided among
 * them. */
macadam_status hops_divided(const mcd_hops_job *job, macadam_error *error);

#endif
