/* paths.h - paths of many pairs on GPUs. CPU twin: kernels/cpu/pairwise/route.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_PATHS_H
#define MCD_KERNELS_CUDA_PAIRWISE_PATHS_H

#include "kernels/cuda/device/image.h"

/* A route job with job.take; `weights` have children. Many pairs are divided among all GPUs. */
void paths_on_all(mcd_device_weights &weights, const mcd_route_job &job);

#endif
