/* partition.h - searches of a graph whose nodes are partitioned among GPUs (mcd_device_arcs), because one GPU
 * has no room for it. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_PARTITION_H
#define MCD_KERNELS_CUDA_FRONTIER_PARTITION_H

#include "kernels/cuda/device/parts.h"
#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/frontier/answers.h"

/* How far a part has come in a round. */
struct partition_report {
    unsigned long long queued;     /* near nodes that have arcs (high half), and their arcs */
    unsigned long long fallen;     /* own nodes whose costs have fallen; only for hops */
    unsigned long long arcs;       /* that leave these */
    uint32_t low_inverted;         /* ~ the least objective of the other waiting nodes */
    unsigned sent_count[GPUS_MAX]; /* by part: nodes sent to it */
};

/* The arrays of a part. A node's place: own nodes come first, then the halo nodes. */
template <class Cost> struct partition_arrays {
    Cost *dist;             /* [places]; of halo nodes: what the GPU has last sent */
    uint32_t *waiting;      /* own nodes whose arcs must be followed, one bit each */
    uint32_t *listed;       /* [places], one bit each: sent in this round; not for hops */
    uint32_t *visited;      /* for hops, [all nodes], one bit each: reached before the last level upwards */
    mcd_node *queue;        /* [own nodes]: near nodes */
    uint32_t *before;       /* [own nodes]: the arcs that leave the nodes before them in the queue */
    mcd_node *sent_node[2]; /* by round % 2, [halo nodes]: a part's list begins where its nodes do */
    Cost *sent_cost[2];     /* likewise; not for hops */
    mcd_node *inbox_node;   /* [own nodes]: where a peer's memory cannot be reached */
    Cost *inbox_cost;       /* likewise; not for hops */
    partition_report *report;
    void lay_out(gpu_carver &carver, const gpu_arcs &arcs, size_t halo, bool is_hops, bool reaches_all);
};

/* A GPU's part of a search, as kernels see it. */
template <class Cost> struct partition_view : partition_arrays<Cost> {
    side_view out;
    node_range own;
    size_t part_count;
    mcd_node first[GPUS_MAX + 1];      /* by part: its first node; then the count */
    const halo_word *halo;             /* [all nodes / WARP] */
    mcd_node halo_first[GPUS_MAX + 1]; /* as in gpu_side */
    mcd_node *to_send;                 /* sent_node and sent_cost of this round */
    Cost *to_send_cost;
    mcd_weight limit;
    __device__ bool is_own(mcd_node node) const
    {
        return node >= own.first && node < own.end;
    }
    /* Of an own node or a halo node. */
    __device__ mcd_node place(mcd_node node) const
    {
        if (is_own(node)) return node - own.first;
        const halo_word word = halo[node / WARP];
        return own.end - own.first + word.before + __popc(word.bits & ((1u << node % WARP) - 1));
    }
};

/* One GPU's part of a search. */
template <class Cost> struct partition_part : gpu_part {
    using gpu_part::gpu_part;
    gpu_arcs *arcs = nullptr;
    node_range own = {0, 0};
    gpu_scratch<partition_arrays<Cost>> arrays;
    gpu_array<Cost> all;                  /* [all nodes], only once costs are shared */
    partition_report *reported = nullptr; /* pinned: of the round that runs */
    partition_report done = {};           /* of the round before */
    uint32_t *reached = nullptr;          /* pinned; for hops: the target's */

    /* The costs of own nodes, by node. */
    const Cost *own_dist() const
    {
        return arrays.dist - own.first;
    }

    size_t own_words() const
    {
        return blocks_of<size_t>(own.end - own.first, WARP);
    }
};

/* A search on all GPUs. Cost: uint32_t or uint64_t; hops count arcs. */
template <class Cost> struct partition_search {
    partition_search(const mcd_device_arcs *the_arcs, mcd_direction the_direction, bool the_hops)
        : arcs(the_arcs), direction(the_direction), is_hops(the_hops), part_count(the_arcs->device->gpu_count)
    {
    }
    /* Allocates what searches need. Must come first. */
    void begin();
    /* Begins a search: no node is reached, and none waits. */
    void clear();
    /* Enqueues: the node waits with that cost. */
    void seed(mcd_node node, Cost cost);
    /* The part as kernels of this round see it. */
    partition_view<Cost> view(size_t g) const;
    /* Enqueues the taking of the lists that the other parts sent to this one in the round before. */
    void receive(partition_part<Cost> &part);
    /* Enqueues a round on a GPU: it receives, then follows the arcs of waiting nodes whose objective is
     * below the bound. */
    void enqueue_round(partition_part<Cost> &part, uint64_t bound);
    /* Waits for the round: part[g].done. */
    void end_round();
    /* Each GPU has the values of its own nodes in array_of(part), by node. This gives it those of all
     * nodes. */
    template <class Array> void share(const Array &array_of);
    /* Gives each GPU the costs of all nodes: part[g].all. */
    void share_costs();

    const mcd_device_arcs *const arcs;
    const mcd_direction direction;
    const bool is_hops;
    const size_t part_count;
    gpu_parts<partition_part<Cost>> part;
    unsigned round = 0;                /* of this search */
    uint32_t level = 0;                /* hops: of the waiting nodes and of those in lists */
    mcd_weight limit = MCD_WEIGHT_MAX; /* no sum may exceed its objective */
};

template <class Cost> template <class Array> void partition_search<Cost>::share(const Array &array_of)
{
    part.synchronize();
    const auto take_values = [&](partition_part<Cost> &to) {
        for (size_t p = 0; p < part_count; ++p) {
            const node_range own = part[p].own;
            auto *const from = array_of(part[p]) + own.first;
            if (p == to.index || own.end == own.first) continue;
            to.call.check(cudaMemcpyPeerAsync(array_of(to) + own.first, to.call.gpu->ordinal, from,
                                              part[p].call.gpu->ordinal, (own.end - own.first) * sizeof *from,
                                              to.call.stream),
                          "copying values of nodes from another device");
        }
    };
    part.each(take_values);
    part.synchronize();
}

typedef partition_search<uint32_t> hops_search;

/* The part that has the node as its own; the count for MCD_NODE_NONE. */
size_t owner_of_node(const hops_search &search, mcd_node node);

/* Finds the hops of all nodes within the limit or, if there is a target, of all that are nearer than it,
 * and its own. Reports `phase` in each level. */
void find_hops(hops_search &search, mcd_node source, uint32_t limit, mcd_node target,
               const mcd_progress &progress, const char *phase, size_t done, size_t total);

/* The phases of mcd_backend, for partitioned arcs. Other strategies and methods give the same answers, so
 * there is one for each. */
void partition_lanes(const lanes_job &job);
void partition_connect(const mcd_connect_job *job);

#endif
