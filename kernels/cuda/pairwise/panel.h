/* panel.h - the places of one side of a matrix in panels of 128, sorted by node: labels and root paths by
 * depth. CPU twin: the panels of kernels/cpu/pairwise/product.h. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_PANEL_H
#define MCD_KERNELS_CUDA_PAIRWISE_PANEL_H

#include "kernels/cuda/pairwise/road_lanes.h"

enum {
    PANEL = 128,      /* places */
    PANEL_DEPTHS = 8, /* a panel's number of depths is a multiple of it */
};

/* The nodes of a panel. Places without a node come last; first = last = MCD_NODE_NONE if no place has one. */
struct panel_span {
    mcd_node first, last; /* nodes */
    uint32_t last_member;
    uint32_t depth_count; /* depths of the deepest node's root path */
};

/* Panels on a GPU, as kernels read them. */
template <class Cost> struct panel_view {
    uint32_t depth_count; /* of each panel */
    const Cost *label;    /* [(panel * depth_count + depth) * PANEL + member]; unreached below its node */
    const mcd_node *path; /* likewise: the ancestor of that depth; MCD_NODE_NONE below */
    const uint32_t *with_first, *with_last; /* [panel * PANEL + member]: the depths that a member shares with
                                               the first and with the last place of its panel */
    const panel_span *span;                 /* [panel] */
};

/* The host's places: lanes, or nodes, or roads. */
struct panel_places {
    const mcd_lane *lane;
    const mcd_node *node; /* NULL: lanes */
    mcd_seed_parts parts = {};
    const mcd_weights *weights = nullptr; /* of parts and roads */
    road_places roads = {};               /* instead of lanes */

    mcd_node at(size_t i) const
    {
        return node ? node[i] : lane[i].seed[0].node;
    }
    panel_places from(size_t first) const
    {
        return {lane ? lane + first : nullptr, node ? node + first : nullptr, parts, weights, roads};
    }
};

/* The order of the host's places in their panels: every `run` of them (a multiple of PANEL, or all) sorted by itself. */
struct panel_order {
    host_array<uint64_t>
        key; /* [count]: in order, a node, and below it the number of its place; empty: the GPU sorts lanes of roads */
    bool are_nodes = false; /* each lane is one node at no cost: then its key is all of it */

    void make(const mcd_parallel &parallel, mcd_node node_count, const panel_places &places, size_t count,
              size_t run);
};

/* Returns whether the nodes of the host's places ascend, as panels have them. */
bool places_ascend(const panel_places &places, size_t count);

template <class Cost> struct panels {
    uint32_t depth_count = 0;
    size_t panel_count = 0;
    gpu_array<unsigned char> memory; /* of all the arrays */
    gpu_array<Cost> label;
    gpu_array<mcd_node> path;
    gpu_array<uint32_t> with_first, with_last;
    gpu_array<panel_span> span;
    gpu_array<uint32_t> slot;  /* [place]: its position in its run */
    gpu_array<uint32_t> order; /* [run's first place + position]: the place */

    /* Enqueues. count: of lanes. Every `run` of the host's lanes fills its own panels, in its order. The panels, the places and the order
     * must outlive the call or its synchronization. Of several parts, the panels of one are made; fetch() copies the
     * others from the GPUs that make them. */
    void make(gpu_call &call, gpu_weights &weights, mcd_direction direction, const panel_places &places,
              size_t count, size_t run, const panel_order &by, size_t part = 0, size_t part_count = 1);
    /* Enqueues the copies of a part from `gpu`, which this one reaches, and whose work the call follows. */
    void fetch(gpu_call &call, const panels &other, int gpu, size_t part, size_t part_count);
    /* The bytes on a GPU that a place needs while its panel is made. */
    static uint64_t place_bytes(const gpu_weights &weights);

    /* The view from panel `first` on. */
    panel_view<Cost> view(size_t first) const
    {
        const size_t cells = first * depth_count * PANEL;
        return {depth_count,
                label.get() + cells,
                path.get() + cells,
                with_first.get() + first * PANEL,
                with_last.get() + first * PANEL,
                span.get() + first};
    }
    void keep()
    {
        memory.keep();
    }
};

#endif
