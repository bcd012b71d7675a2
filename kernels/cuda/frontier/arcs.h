/* arcs.h - a graph and weights on a GPU for methods without a hierarchy (mcd_arcs), and the slots that
 * searches with narrow frontiers read.
 *
 * Slots. A node's first arcs lie beside each other, filled up to the same number for every node, so that one
 * load from a known address leads from a node to its neighbours. If the frontier is narrow, only the number
 * of dependent loads counts. If a node has more arcs, its last slot says so, and the rest are in the CSR. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_ARCS_H
#define MCD_KERNELS_CUDA_FRONTIER_ARCS_H

#include "kernels/cuda/device/image.h"
#include "kernels/cuda/frontier/couples.h"

#include <tuple>

/* The slots of a node: 1 << shift. */
enum {
    SLOT_SHIFT_NARROW = 2, /* maps of roads: 2 to 3 arcs on average */
    SLOT_SHIFT_WIDE = 3,
    NARROW_DEGREE = 4, /* with more arcs a node on average, slots are wide */
};

/* Instead of a slot's head: there is no arc; or the arcs from the last slot's on are in the CSR. */
static constexpr mcd_node SLOT_EMPTY = MCD_NODE_NONE, SLOT_MORE = MCD_NODE_NONE - 1;

/* The arcs by which a search in one direction leaves the nodes, as kernels see them. */
struct side_view {
    mcd_node node_count;
    uint32_t arc_count;
    const uint32_t *first;                   /* [node_count + 1] */
    const mcd_node *head;                    /* ascending for each node; the tails in a backward search */
    const mcd_weight *objective, *companion; /* NULL: not requested */
    __device__ uint32_t degree(mcd_node node) const
    {
        return first[node + 1] - first[node];
    }
    template <class Cost> __device__ Cost weight(size_t arc) const
    {
        return cost_of<Cost>(objective[arc], sizeof(Cost) == sizeof(uint64_t) ? companion[arc] : 0);
    }
};

struct hop_slot {
    typedef uint32_t cost;
    mcd_node head;
    __device__ static hop_slot at(const side_view &side, size_t arc)
    {
        return {side.head[arc]};
    }
    __device__ uint32_t weight() const
    {
        return 1;
    }
};

template <class Cost> struct alignas(2 * sizeof(Cost)) weight_slot {
    typedef Cost cost;
    mcd_node head;
    mcd_weight part[sizeof(Cost) / sizeof(mcd_weight)]; /* the objective; the companion of joint weights */
    __device__ static weight_slot at(const side_view &side, size_t arc)
    {
        weight_slot out = {side.head[arc], {side.objective[arc]}};
        if constexpr (sizeof(Cost) == sizeof(uint64_t)) out.part[1] = side.companion[arc];
        return out;
    }
    __device__ Cost weight() const
    {
        return cost_of<Cost>(part[0], part[sizeof(Cost) / sizeof(mcd_weight) - 1]);
    }
};

/* The nodes first <= node < end. */
struct node_range {
    mcd_node first, end;
};

/* WARP nodes, of which some are halo nodes: others' nodes that own arcs lead to, ascending. */
struct halo_word {
    uint32_t bits, before; /* before: halo nodes of smaller words */
};

struct gpu_side {
    gpu_array<uint32_t> first;
    arc_array<mcd_node> head;
    arc_array<mcd_weight> objective, companion;
    /* Made at first use. */
    std::tuple<gpu_array<hop_slot>, gpu_array<weight_slot<uint32_t>>, gpu_array<weight_slot<uint64_t>>> slots;
    /* As entering.h has them, for a search against this direction. */
    std::tuple<gpu_array<weight_slot<uint32_t>>, gpu_array<weight_slot<uint64_t>>> entering;
    gpu_array<halo_word> halo;         /* only if the arcs are partitioned; made at first use, too */
    mcd_node halo_first[GPUS_MAX + 1]; /* by GPU: the halo nodes before its own nodes; then the count */
};

struct gpu_arcs {
    mcd_gpu *gpu = nullptr;
    mcd_node node_count = 0;
    uint32_t arc_count = 0;
    node_range own = {0, 0}; /* the nodes whose arcs the GPU has: all, unless the arcs are partitioned */
    bool has_zero = false;
    mcd_weight objective_mean = 1;
    gpu_side side[2]; /* by mcd_direction: of the own nodes */
    gpu_arc_couples couples;
    std::mutex lock; /* guards what is made at first use */
    bool is_narrow() const
    {
        return arc_count <= (uint64_t)NARROW_DEGREE * node_count;
    }
    /* Only own nodes may be looked up in the view. */
    side_view view(int direction) const
    {
        const gpu_side &of = side[direction];
        return {node_count,    arc_count,          of.first.get() - own.first,
                of.head.get(), of.objective.get(), of.companion.get()};
    }
};

/* Returns an array that stays. If it has not been made yet, make(array) allocates and fills it, or leaves it
 * empty. */
template <class T, class Make>
const T *make_once(gpu_call &call, gpu_arcs &arcs, gpu_array<T> *kept, const Make &make)
{
    const std::lock_guard<std::mutex> guard(arcs.lock);
    if (!kept->get()) {
        gpu_array<T> made;
        make(made);
        if (made.get()) call.synchronize();
        made.keep();
        *kept = std::move(made);
    }
    return kept->get();
}

/* The nodes of the g-th GPU's share: half by the nodes and half by the arcs. The first is a multiple of WARP. */
node_range own_nodes(const mcd_graph *graph, size_t g, size_t gpu_count);

/* The arcs on every GPU of a device: all of them on each; or, if there are several GPUs and one has no
 * room for all, partitioned: the nodes of a range with the arcs that leave and enter them, and no slots,
 * entering arcs or couples (partition.h). */
struct mcd_device_arcs {
    mcd_device *device = nullptr;
    bool is_partitioned = false;
    gpu_arcs *on[GPUS_MAX] = {};
};

mcd_device_arcs *mcd_cuda_arcs_new(mcd_device *device, const mcd_arcs *arcs);
void mcd_cuda_arcs_free(mcd_device_arcs *arcs);

/* The slots of one direction: a node has slot[node << shift] and the next ones, 1 << shift in all. */
template <class Slot> struct slots_view {
    const Slot *slot;
    unsigned shift;
};

/* Ready on return. */
template <class Slot> slots_view<Slot> slots_of(gpu_call &call, gpu_arcs &arcs, mcd_direction direction);

#endif
