/* searches.h - many trees without a hierarchy: each block makes one search by near-far. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_SEARCHES_H
#define MCD_KERNELS_CUDA_FRONTIER_SEARCHES_H

#include "kernels/cuda/frontier/arcs.h"

/* The requested trees; arrays are on the GPU. */
struct searches {
    const mcd_lane *lane; /* [lane_count] */
    size_t lane_count;
    mcd_direction direction;
    mcd_weight limit, delta; /* as in mcd_sssp_job */
    bool raw;
    const mcd_node *column; /* [column_count]; NULL: node i */
    size_t column_count;
    /* value[lane * lane_stride + i * column_stride]; either may be NULL. Without a companion, costs are
     * the least objectives. */
    size_t lane_stride, column_stride;
    uint32_t *objective, *companion;
};

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

/* Enqueues the answers. cost: the plan's cost_bytes for each of its blocks, or for each lane if there are
 * fewer lanes. */
macadam_status enqueue_searches(gpu_call &call, gpu_arcs &arcs, const searches_plan &plan,
                                const searches &asked, void *cost);

#endif
