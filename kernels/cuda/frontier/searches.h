/* searches.h - many trees without a hierarchy: each block makes one search by near-far. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_SEARCHES_H
#define MCD_KERNELS_CUDA_FRONTIER_SEARCHES_H

#include "kernels/cuda/frontier/arcs.h"

/* How blocks divide a GPU among them. */
struct searches_plan {
    bool holds_costs; /* a block's shared memory holds the costs too, beside its bits */
    unsigned threads;
    size_t shared;      /* bytes per block */
    size_t block_count; /* concurrent blocks */
    size_t cost_bytes;  /* per block, in the GPU's memory */
};

/* Returns false if a block cannot hold the nodes' bits, or if there are too few lanes for one search per
 * block. */
bool plan_searches(searches_plan *out, const gpu_call &call, const gpu_arcs &arcs, size_t lane_count,
                   bool joint);

/* Enqueues the answers to a job whose arrays are on the GPU. cost: the plan's cost_bytes for each of its
 * blocks, or for each lane if there are fewer lanes. */
void enqueue_searches(gpu_call &call, gpu_arcs &arcs, const searches_plan &plan, const mcd_sssp_job &job,
                      void *cost);

#endif
