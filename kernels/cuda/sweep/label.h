/* label.h - labels on a GPU: the costs from (or to) places over upward arcs only, by depth. CPU twin:
 * kernels/cpu/sweep/label.h. */
#ifndef MCD_KERNELS_CUDA_SWEEP_LABEL_H
#define MCD_KERNELS_CUDA_SWEEP_LABEL_H

#include "kernels/cuda/device/image.h"

enum { FEW_LANES = 128 };

/* Enqueues: label[i * stride + depth] for each lane i and each depth below the hierarchy's `height`
 * becomes the cost at the node of that depth on the root path of lane i's first seed. It is unreached at
 * depths below its node, and at all depths if the lane has no seed. path (may be NULL): path[i * stride +
 * depth] becomes that node, or MCD_NODE_NONE. source[source_count] (may be NULL) receives the nodes of the lanes' first
 * seeds, and MCD_NODE_NONE from lane_count on. Arrays are on the GPU; but with `on_host`, `lane` is read within this call, and
 * lane_count <= FEW_LANES. Cost: uint32_t, or uint64_t for weights with a companion. stride >= height. */
template <class Cost>
void enqueue_labels(gpu_call &call, const gpu_weights &weights, mcd_direction direction, const mcd_lane *lane,
                    size_t lane_count, Cost *label, mcd_node *path, size_t stride, mcd_node *source = nullptr,
                    size_t source_count = 0, bool on_host = false);

#endif
