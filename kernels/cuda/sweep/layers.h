/* layers.h - how a tree is swept on a GPU: the nodes are cut into pieces, each swept by one warp.
 *
 * A **piece** is a subtree of the elimination tree without the subtrees that are cut off below it. Its nodes'
 * arcs lead to nodes of the piece, or to upward neighbours of its root. (The graph is chordal: a node above
 * the root that is a neighbour of a node below the root is a neighbour of the root too.) So a warp that keeps
 * rows for these neighbours and for the piece's current root path has all the rows that it reads. Pieces of
 * one **layer** are independent; layer 0 holds the roots, the last layer the bottom subtrees, which have 95 %
 * of the nodes. Nodes above the last layer are the **top**.
 * The **walk** is the order of the sweep: layer by layer, piece by piece, ascending ids within a piece. A
 * top node's place in the walk is its row in the top's costs. */
#ifndef MCD_KERNELS_CUDA_SWEEP_LAYERS_H
#define MCD_KERNELS_CUDA_SWEEP_LAYERS_H

#include "kernels/cuda/device/image.h"

enum {
    PIECE_NODES_MAX = 320, /* of a bottom piece; others have fewer: */
    TOP_NODES = 64,
    BOTTOM_ROWS = 48, /* of a bottom piece: its boundary and its height */
};

/* Pieces of one layer that one launch sweeps. */
struct sweep_layer {
    uint32_t first_piece, piece_count;
    uint32_t row_max; /* the most rows that a piece needs: its boundary, and its nodes (top) or its height */
    bool is_top;
};

/* The facts of a top node that a sweep reads, in one load. */
struct alignas(16) top_node {
    mcd_node node, subtree_end;
    uint32_t depth;
};

/* Pieces as kernels read them. Boundary: the root's upward neighbours, as rows of the top, ascending. */
struct sweep_pieces {
    const mcd_node *root;       /* [pieces] */
    const uint32_t *first_walk; /* [pieces + 1] */
    const top_node *top;        /* [top]: by place in the walk; below the top: root + place - first_walk */
    const uint32_t *first_boundary; /* [pieces + 1] */
    const uint32_t *boundary;
};

struct sweep_layers {
    host_array<sweep_layer> layer; /* [layer_count] */
    size_t layer_count = 0;
    uint32_t piece_count = 0, top_count = 0;
    gpu_array<mcd_node> root;
    gpu_array<top_node> top;
    gpu_array<uint32_t> first_walk, first_boundary, boundary;
    uint32_t top_pieces() const /* which come first */
    {
        uint32_t count = 0;
        for (size_t l = 0; l < layer_count && layer[l].is_top; ++l) count += layer[l].piece_count;
        return count;
    }
    sweep_pieces view() const
    {
        return {root.get(), first_walk.get(), top.get(), first_boundary.get(), boundary.get()};
    }
};

/* Cuts `hierarchy`, whose arrays are in host memory. */
sweep_layers *sweep_layers_new(gpu_call &call, const mcd_hierarchy &hierarchy);

#endif
