/* top_labels.h - makes the labels of the top nodes on a GPU. CPU twin: kernels/cpu/sweep/top_labels.h. */
#ifndef MCD_KERNELS_CUDA_SWEEP_TOP_LABELS_H
#define MCD_KERNELS_CUDA_SWEEP_TOP_LABELS_H

#include "kernels/cuda/sweep/top_view.h"

/* The weights' top labels: of both quantities if `joint`. They are made at first use, if `make`. NULL if there are
 * none, or no room for them. hierarchy: in host memory. Ready on return. */
const top_labels *top_labels_of(gpu_call &call, gpu_weights &weights, const mcd_hierarchy &hierarchy,
                                bool joint, bool make);

/* Counts a call's searches for the labels of `lanes` lanes. Makes the top labels once they would have saved what they
 * take. The caller holds no scratch. */
void count_labels(gpu_weights &weights, const mcd_hierarchy &hierarchy, bool joint, size_t lanes);

#endif
