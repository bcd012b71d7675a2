/* reach.h - reductions over one-to-all costs. */
#ifndef MCD_KERNELS_CPU_SWEEP_REACH_H
#define MCD_KERNELS_CPU_SWEEP_REACH_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(reach)(const mcd_reach_job *job, macadam_error *error);
size_t MCD_KERNEL(reach_scratch)(const mcd_reach_job *job);

#endif
