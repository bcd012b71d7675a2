/* route.h - costs and paths of many pairs. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_ROUTE_H
#define MCD_KERNELS_CPU_PAIRWISE_ROUTE_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* Only 32-bit lanes, whether companions are requested or not. */
macadam_status MCD_KERNEL(route)(const mcd_route_job *job, macadam_error *error);

#endif
