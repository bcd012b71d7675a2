/* levels.h - breadth-first search level by level, for graphs whose frontiers become wide. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_LEVELS_H
#define MCD_KERNELS_CUDA_FRONTIER_LEVELS_H

#include "kernels/cuda/frontier/arcs.h"

/* On the GPU. */
struct levels_state {
    unsigned arrived; /* grid_barrier */
    unsigned ended;   /* blocks that have come to the end of a step */
    unsigned long long
        found[3]; /* by level % 3: the nodes found there (high half) and the arcs that leave them */
    unsigned long long queued; /* likewise: of a queue made of bits */
    unsigned listed[3];        /* by level % 3: heads */
};

/* One search at a time. */
struct levels_scratch {
    mcd_node *queue[2];           /* by level % 2: its nodes, if it was found top-down */
    uint32_t *before[2];          /* the arcs that leave the nodes before them */
    uint32_t *visited[2];         /* bitmaps, by bottom-up levels % 2 */
    gpu_array<mcd_node> heads[2]; /* lists of arcs' heads, of strategies that have them */
    gpu_array<levels_state> state;
    macadam_status allocate(gpu_call &call, const gpu_arcs &arcs, mcd_hops_strategy strategy);

  private:
    gpu_array<uint32_t> memory_; /* one allocation: a search takes little longer than some of them */
};

/* Whether a search by that strategy names the parents of all nodes, not only of those found bottom-up. */
bool levels_name_parents(mcd_hops_strategy strategy);

/* Enqueues: hops[node] of each node within `limit`, else all ones. parent (may be NULL): of the nodes that
 * levels_name_parents() says, else MCD_NODE_NONE. gate (may be NULL), on the GPU: if it holds 0 by then, nothing
 * happens. */
macadam_status enqueue_levels(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction, mcd_node source,
                              uint32_t limit, mcd_hops_strategy strategy, const unsigned *gate,
                              levels_scratch *scratch, uint32_t *hops, mcd_node *parent);

struct levels_peer {
    mcd_node first, end;  /* another GPU's own nodes */
    const uint32_t *sent; /* their words as its last step has left them, where this GPU can read them */
};

/* How far a step has come. */
struct levels_reached {
    unsigned level;           /* of the nodes found last */
    bool is_end;              /* no step is left to make */
    unsigned arrived;         /* levels_state.arrived */
    uint64_t left;            /* arcs that leave the nodes found then and later */
    unsigned long long found; /* as levels_state.found, of that level: out, by this GPU; in, by all */
};

/* One of the steps of a search that several GPUs make together, each with a scratch and answers of its own.
 * A step is what levels come before the next bottom-up one, the same on each GPU, and that level, in which a
 * GPU finds nodes of its own alone. It begins with taking over what the others have found. */
struct levels_step {
    mcd_node first, end; /* the GPU's own nodes; multiples of WARP, but for the last end */
    unsigned number;
    levels_reached before; /* after the first: what the step before has reached */
    size_t peer_count;
    levels_peer peer[GPUS_MAX];
    uint32_t *sent; /* out: the words of the own nodes. Not those of the step before, which others read */
    levels_reached *reached; /* out: in pinned memory */
};

/* Enqueues a step, of the direction-optimizing strategy. As enqueue_levels in the end, but that parents are
 * those of the own nodes alone. */
macadam_status enqueue_levels_step(gpu_call &call, const gpu_arcs &arcs, mcd_direction direction,
                                   mcd_node source, uint32_t limit, const levels_step &step,
                                   levels_scratch *scratch, uint32_t *hops, mcd_node *parent);

#endif
