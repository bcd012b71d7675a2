/* route.h - searches between pairs of lanes on a GPU: their costs, and the kept arcs of their paths. CPU
 * twin: kernels/cpu/pairwise/route.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_ROUTE_H
#define MCD_KERNELS_CUDA_PAIRWISE_ROUTE_H

#include "kernels/cuda/device/image.h"

/* Some pairs of a job on a GPU, and their costs. */
struct gpu_pairs {
    size_t count = 0, first = 0;     /* pair i here is the job's pair first + i */
    gpu_array<unsigned char> memory; /* of the arrays */
    gpu_array<mcd_lane> source, target;
    gpu_array<uint32_t> objective, companion; /* companion is empty unless requested */
    gpu_array<mcd_node> node;                 /* of the ends that a job has as nodes */
    /* The seeds of a lane may be on several root paths: first those of the last path, then the others, sorted; there are no chains. */
    bool joined = false;
};

/* The kept arcs of the path of pair i: arc[i * 2 * height + k] for begin[i] <= k < end[i]. Those of k <
 * height are forward ones, from the source up; the others are backward ones, down to the target. None:
 * unreached, or source and target are one. */
struct gpu_chains {
    gpu_array<unsigned char> memory; /* of the arrays */
    gpu_array<uint32_t> arc, begin, end;
    gpu_array<mcd_node>
        node; /* [2 * count] where the path of pair i begins, 2 * i, and where it ends; unless unreached */
    /* The places of the chains' input arcs: see unpack.h. */
    size_t count = 0;
    gpu_array<uint32_t> arc_end; /* as `arc`: input arcs of the chain up to and with this one */
    gpu_array<uint32_t> length; /* [count]; if more than there are nodes, the host finds the path otherwise */
    gpu_array<uint32_t>
        room; /* [count]: the length, 0 if it is more than there are nodes, and spare places */
    gpu_array<mcd_arc> first;           /* [count + 1]: the sum of the rooms before */
    gpu_array<uint64_t> before, behind; /* [count] for the spare places: enqueue_numbers */
};

/* Bytes on the GPU of a pair without its chain; companion, order and both nodes are included. */
enum { PAIR_BYTES = 2 * sizeof(mcd_lane) + 5 * sizeof(uint32_t) };

/* How scratch is divided between pairs that are searched together and the labels of the searches in
 * progress. */
struct pair_room {
    uint64_t label_least, label_most; /* bytes; 0: labels need no scratch */
    uint64_t order_bytes;             /* of more pairs than: */
    size_t plain_most;
    uint64_t label_bytes; /* the choice */
    size_t count;         /* the choice of pairs */
};
/* The room that `count` pairs of `pair_bytes` each need; `chains`: with their paths. */
pair_room pairs_wanted(const gpu_call &call, const gpu_weights &weights, const mcd_route_job &job,
                       size_t count, bool chains);
/* Divides `bytes`, which must hold at least label_least and one pair. */
void pairs_fit(pair_room *room, uint64_t bytes, uint64_t pair_bytes);

/* Allocates for at most `count` pairs. */
void pairs_allocate(gpu_pairs &pairs, gpu_call &call, const mcd_route_job &job, size_t count);
void chains_allocate(gpu_chains &chains, gpu_call &call, const gpu_weights &weights, size_t count);

/* Returns the labels that end the search of `count` pairs for costs; NULL: there are none. The caller holds no scratch. */
const top_labels *top_of_pairs(gpu_call &call, gpu_weights &weights, const mcd_route_job &job, size_t count);

/* Enqueues the search of pairs first <= i < first + count of the job, with label_bytes of scratch for labels;
 * `chains` may be NULL, otherwise `top` must be. */
void enqueue_search(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, size_t first,
                    size_t count, uint64_t label_bytes, const top_labels *top, gpu_pairs &pairs,
                    gpu_chains *chains);

/* Enqueues the search of all of `pairs`, whose lanes are there already. Of the job, only `companion`, whether it is NULL, and
 * `raw` count. */
void enqueue_pairs(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, uint64_t label_bytes,
                   const top_labels *top, gpu_pairs &pairs, gpu_chains *chains);

/* Copies the costs to where the job wants them. */
void deliver_costs(gpu_call &call, const gpu_pairs &pairs, const mcd_route_job &job);

#endif
