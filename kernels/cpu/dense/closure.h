/* closure.h - transitive closure on bits. */
#ifndef MCD_KERNELS_CPU_DENSE_CLOSURE_H
#define MCD_KERNELS_CPU_DENSE_CLOSURE_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(closure)(const mcd_closure_job *job, macadam_error *error);

#endif
