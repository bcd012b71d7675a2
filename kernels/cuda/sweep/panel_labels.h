/* panel_labels.h - labels of few places, straight into the panels of a matrix: one launch in the place of a copy and three. */
#ifndef MCD_KERNELS_CUDA_SWEEP_PANEL_LABELS_H
#define MCD_KERNELS_CUDA_SWEEP_PANEL_LABELS_H

#include "kernels/cuda/device/image.h"

enum { FEW_PLACES = 2048 };

/* The arrays of panels (pairwise/panel.h) of `width` places and depth_count depths. */
template <class Cost> struct panel_arrays {
    uint32_t width, depth_count;
    Cost *label;
    mcd_node *path;
    mcd_lane *lane; /* in their order */
    uint32_t *order, *slot;
};

/* The keys of places in order: a node, and below it the number of its place. In the host's memory or, if `there` is not NULL, there on the
 * GPU. */
struct place_keys {
    const uint64_t *here, *there;
};

/* Enqueues the labels of count <= FEW_PLACES places, and fills the last panel. key: [count]; lane: of each place, on the GPU; NULL: nodes. Returns false if the hierarchy is too high; then nothing is
 * enqueued. */
template <class Cost>
bool enqueue_panel_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction,
                          const place_keys &key, const mcd_lane *lane, size_t count,
                          const panel_arrays<Cost> &of);

#endif
