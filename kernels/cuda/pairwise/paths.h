/* paths.h - paths of many pairs on a GPU. CPU twin: kernels/cpu/pairwise/route.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_PATHS_H
#define MCD_KERNELS_CUDA_PAIRWISE_PATHS_H

#include "kernels/cuda/device/image.h"

/* A route job with job.take; `weights` have children. */
void paths_on(gpu_weights &weights, const mcd_route_job &job);

#endif
