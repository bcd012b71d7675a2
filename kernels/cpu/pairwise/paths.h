/* paths.h - costs and paths of many pairs. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_PATHS_H
#define MCD_KERNELS_CPU_PAIRWISE_PATHS_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* Answers a route job with job->take. Only 32-bit lanes, whether companions are requested or not. */
macadam_status MCD_KERNEL(paths)(const mcd_route_job *job, macadam_error *error);

#endif
