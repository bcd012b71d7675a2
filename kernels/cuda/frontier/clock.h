/* clock.h - a graph with speed patterns on GPUs, for searches whose clock moves along the way. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_CLOCK_H
#define MCD_KERNELS_CUDA_FRONTIER_CLOCK_H

#include "kernels/cuda/device/image.h"

/* The arcs on one GPU; all directions that the host's arcs have. */
struct gpu_clock {
    mcd_gpu *gpu = nullptr;
    mcd_node node_count = 0;
    mcd_weight own_mean = 1;
    mcd_patterns patterns = {}; /* a view of `rate` */
    gpu_array<uint8_t> rate;
    gpu_array<mcd_arc> first[2]; /* by mcd_direction */
    gpu_array<mcd_clock_arc> arc[2];
    gpu_array<mcd_weight> companion[2];
};

/* The arcs on every GPU of a device. */
struct mcd_device_clock {
    mcd_device *device = nullptr;
    gpu_clock *on[GPUS_MAX] = {};
};

mcd_device_clock *mcd_cuda_clock_new(mcd_device *device, const mcd_clock_arcs *arcs);
void mcd_cuda_clock_free(mcd_device_clock *clock);

#endif
