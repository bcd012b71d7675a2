/* top_view.h - the labels of top nodes, as kernels read them. */
#ifndef MCD_KERNELS_CUDA_SWEEP_TOP_VIEW_H
#define MCD_KERNELS_CUDA_SWEEP_TOP_VIEW_H

#include "kernels/cuda/device/image.h"

/* The top nodes are those whose subtrees are largest, so their ancestors are top nodes too. Each has a row. */
struct top_view {
    const uint32_t *row;  /* [node]; MCD_LINE_NONE: not a top node */
    const mcd_node *node; /* [row] */
    const uint32_t
        *above;           /* [row * stride + depth]: the row of the ancestor there, down to the node itself */
    const void *label[2]; /* by mcd_direction: Cost [row * stride + depth], the costs over upward arcs to the
                              ancestor there (backward: from it); unreached below the node */
    size_t stride;
};

struct top_labels {
    size_t count = 0, stride = 0;
    size_t upper_layers = 0; /* of a sweep, from the roots on, whose nodes all are top nodes */
    gpu_array<uint32_t> row, above;
    gpu_array<mcd_node> node;
    gpu_array<unsigned char> label[2];
    top_view view() const
    {
        return {row.get(), node.get(), above.get(), {label[0].get(), label[1].get()}, stride};
    }
};

#endif
