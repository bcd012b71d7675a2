/* levels.h - breadth-first search level by level, for graphs whose frontiers become wide. */
#ifndef MCD_CUDA_LEVELS_H
#define MCD_CUDA_LEVELS_H

#include "kernels/cuda/arcs.h"

/* On the GPU. */
struct levels_state {
    unsigned arrived; /* grid_barrier */
    unsigned long long
        found[3]; /* by level % 3: the nodes found there (high half) and the arcs that leave them */
    unsigned long long queued; /* likewise: of a queue made of bits */
    unsigned listed[3];        /* by level % 3: heads */
};

/* One search at a time. */
struct levels_scratch {
    gpu_array<mcd_node> queue[2];  /* by level % 2: its nodes, if it was found top-down */
    gpu_array<uint32_t> before[2]; /* the arcs that leave the nodes before them */
    gpu_array<uint32_t> visited[2];
    gpu_array<mcd_node> heads[2]; /* lists of arcs' heads, of strategies that have them */
    gpu_array<levels_state> state;
    macadam_status allocate(gpu_call &call, const gpu_arcs &arcs, mcd_hops_strategy strategy);
};

/* Enqueues: hops[node] of each node within `limit`, else all ones. parent (may be NULL): of the nodes that
 * were found bottom-up, else MCD_NODE_NONE. gate (may be NULL), on the GPU: if it holds 0 by then, nothing
 * happens. */
macadam_status enqueue_levels(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction, mcd_node source,
                              uint32_t limit, mcd_hops_strategy strategy, const unsigned *gate,
                              levels_scratch *scratch, uint32_t *hops, mcd_node *parent);

#endif
