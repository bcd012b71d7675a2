/* floyd_warshall.h - all pairs over a dense matrix. */
#ifndef MCD_KERNELS_CPU_DENSE_FLOYD_WARSHALL_H
#define MCD_KERNELS_CPU_DENSE_FLOYD_WARSHALL_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* With lanes of 16 bits: narrow jobs. */
macadam_status MCD_KERNEL(floyd_warshall)(const mcd_dense_job *job, macadam_error *error);

#endif
