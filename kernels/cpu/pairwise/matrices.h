/* matrices.h - many small matrices in one job: the costs between the lanes of neighbours. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_MATRICES_H
#define MCD_KERNELS_CPU_PAIRWISE_MATRICES_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(matrices)(const mcd_matrices_job *job, macadam_error *error);

#endif
