/* top_labels.h - the labels of the top nodes on a GPU. CPU twin: kernels/cpu/sweep/top_labels.h. */
#ifndef MCD_KERNELS_CUDA_SWEEP_TOP_LABELS_H
#define MCD_KERNELS_CUDA_SWEEP_TOP_LABELS_H

#include "kernels/cuda/device/image.h"

/* The top nodes are those whose subtrees are largest, so their ancestors are top nodes too. Each has a row. */
struct top_view {
    const uint32_t *row; /* [node]; MCD_LINE_NONE: not a top node */
    const uint32_t
        *above;           /* [row * stride + depth]: the row of the ancestor there, down to the node itself */
    const void *label[2]; /* by mcd_direction: Cost [row * stride + depth], the costs over upward arcs to the
                              ancestor there (backward: from it); unreached below the node */
    size_t stride;
};

struct top_labels {
    size_t count = 0, stride = 0;
    gpu_array<uint32_t> row, above;
    gpu_array<unsigned char> label[2];
    top_view view() const
    {
        return {row.get(), above.get(), {label[0].get(), label[1].get()}, stride};
    }
};

/* The weights' top labels: of both quantities if `joint`. They are made at first use, if `make`. NULL if there are
 * none, or no room for them. hierarchy: in host memory. Ready on return. */
const top_labels *top_labels_of(gpu_call &call, gpu_weights &weights, const mcd_hierarchy &hierarchy,
                                bool joint, bool make);

#endif
