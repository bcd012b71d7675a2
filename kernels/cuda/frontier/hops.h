/* hops.h - breadth-first search: functions that searches on one GPU and on several share. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_HOPS_H
#define MCD_KERNELS_CUDA_FRONTIER_HOPS_H

#include "kernels/cuda/frontier/arcs.h"

/* The columns first <= i < end of a job, from hops by node. */
struct hops_columns {
    size_t first = 0, end = 0;
    gpu_array<mcd_node> node; /* only for a job with columns: their nodes */
    gpu_array<uint32_t> hops;
    macadam_status allocate(gpu_call &call, const mcd_hops_job *job, size_t first, size_t end);
    /* Enqueues; *out: where the columns' hops will be. */
    macadam_status enqueue(gpu_call &call, const uint32_t *by_node, const uint32_t **out) const;
};

/* Whether one source's answer lies on the GPU, all nodes in their order: no copy is needed. */
macadam_status hops_stay(gpu_call &call, const mcd_hops_job *job, bool *stay);

/* Enqueues the answer for a source without a node. parent may be NULL. */
macadam_status enqueue_no_hops(gpu_call &call, const gpu_arcs &arcs, uint32_t *hops, mcd_node *parent);

/* Searches from the job's sources one after the other. All GPUs work on each: the nodes are divided among
 * them. */
macadam_status hops_divided(const mcd_hops_job *job, macadam_error *error);

#endif
