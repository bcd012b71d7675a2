/* levels.h - breadth-first search level by level, for graphs whose frontiers become wide. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_LEVELS_H
#define MCD_KERNELS_CUDA_FRONTIER_LEVELS_H

#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/frontier/arcs.h"

/* The state of a search, on the GPU. */
struct levels_state {
    unsigned arrived; /* grid_barrier */
    unsigned ended;   /* blocks that have reached the end of a step */
    unsigned long long
        found[3]; /* by level % 3: the nodes found there (high half) and the arcs that leave them */
    unsigned long long queued; /* by level % 3: the same for a queue made from bits */
    unsigned listed[3];        /* by level % 3: listed heads */
};

/* The arrays of one search at a time. */
struct levels_arrays {
    mcd_node *queue[2];   /* by level % 2: its nodes, if it was found top-down */
    uint32_t *before[2];  /* the arcs that leave the nodes before them */
    uint32_t *visited[2]; /* bitmaps, by bottom-up level % 2 */
    mcd_node *heads[2];   /* lists of heads, only for strategies that use them */
    levels_state *state;
    void lay_out(gpu_carver &carver, const gpu_arcs &arcs, mcd_hops_strategy strategy);
};

/* Whether a level goes bottom-up: if its arcs are more than a part of those not yet followed, and more than a
 * part of the nodes; the next one too (`up`) if its nodes are more than a part of all. left: the arcs of the
 * nodes not yet found. (tests/bench/papers.c, RMAT and uniform) */
__host__ __device__ inline bool level_goes_up(bool up, uint64_t found_nodes, uint64_t found_arcs,
                                              uint64_t left, mcd_node node_count)
{
    enum { ARCS_PART = 30, LEAST_PART = 16, NODES_PART = 64 };
    if (up) return found_nodes > node_count / NODES_PART;
    return found_arcs > left / ARCS_PART && found_arcs > node_count / LEAST_PART;
}

/* Whether a search by that strategy gives the parents of all nodes, not only of those found bottom-up. */
bool levels_name_parents(mcd_hops_strategy strategy);

/* Enqueues: hops[node] of each node within the job's limit, otherwise all ones. parent (may be NULL): of the nodes
 * that levels_name_parents() says, otherwise MCD_NODE_NONE. gate (may be NULL), on the GPU: if it holds 0
 * when the search begins, nothing happens. */
void enqueue_levels(gpu_call &call, const gpu_arcs &arcs, const mcd_hops_job &job, mcd_node source,
                    const unsigned *gate, const levels_arrays &arrays, uint32_t *hops, mcd_node *parent);

struct levels_peer {
    node_range own;       /* another GPU's nodes */
    const uint32_t *sent; /* their words from its last step, in memory that this GPU can read */
};

/* How far a step has come. */
struct levels_reached {
    unsigned level;           /* level of the nodes found last */
    bool is_end;              /* no step is left */
    unsigned arrived;         /* levels_state.arrived */
    uint64_t left;            /* arcs of the nodes found in that level and later */
    unsigned long long found; /* as levels_state.found, of that level: out, by this GPU; in, by all */
};

/* One step of a search that several GPUs make together, each with its own scratch and answers. A step is
 * the levels before the next bottom-up one, the same on each GPU, and then that level, in which a GPU
 * finds only its own nodes. It begins by taking over the nodes that the others have found. */
struct levels_step {
    node_range own; /* the GPU's nodes; multiples of WARP, except for the last end */
    unsigned number;
    levels_reached before; /* after the first step: the result of the step before */
    size_t peer_count;
    levels_peer peer[GPUS_MAX];
    uint32_t *sent;          /* out: the own words, not in the memory of the step before: others read that */
    levels_reached *reached; /* out: in pinned memory */
};

/* Enqueues a step of the direction-optimizing strategy. The last step leaves the answers of
 * enqueue_levels, but only the own nodes have parents. */
void enqueue_levels_step(gpu_call &call, const gpu_arcs &arcs, const mcd_hops_job &job, mcd_node source,
                         const levels_step &step, const levels_arrays &arrays, uint32_t *hops,
                         mcd_node *parent);

#endif
