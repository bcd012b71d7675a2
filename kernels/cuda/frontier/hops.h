/* hops.h - breadth-first search from one source on one GPU, or on several that share it. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_HOPS_H
#define MCD_KERNELS_CUDA_FRONTIER_HOPS_H

#include "kernels/cuda/frontier/answers.h"
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/levels.h"

/* The scratch of one search at a time. */
struct hops_scratch {
    bool by_levels = false; /* from the beginning */
    gpu_scratch<frontier_arrays> frontier;
    gpu_scratch<levels_arrays> levels;
    void allocate(gpu_call &call, const gpu_arcs &arcs, mcd_hops_strategy strategy);
};

/* Enqueues a search: hops[node], and parent[node] unless `parent` is NULL. */
void enqueue_hops(gpu_call &call, gpu_arcs &arcs, const lanes_job &job, const mcd_lane &from,
                  hops_scratch *scratch, uint32_t *hops, mcd_node *parent);

/* Enqueues the answer for a source without a node. parent may be NULL. */
void enqueue_no_hops(gpu_call &call, const gpu_arcs &arcs, uint32_t *hops, mcd_node *parent);

/* Searches from the job's sources one after the other. All GPUs work on each: the nodes are divided among
 * them. hops_are_divided: whether the job wants it, or it pays. */
bool hops_are_divided(const mcd_hops_job &job);
void hops_divided(const lanes_job &job);

#endif
