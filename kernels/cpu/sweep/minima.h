/* minima.h - the nearest targets of many sources, without their trees. Only 32-bit lanes. */
#ifndef MCD_KERNELS_CPU_SWEEP_MINIMA_H
#define MCD_KERNELS_CPU_SWEEP_MINIMA_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* Whether only the nearest are requested, and so few targets that this is faster than the sweeps of reach.h. */
bool MCD_KERNEL(minima_suit)(const mcd_reach_job *job);
/* Does not use the job's scratch. */
macadam_status MCD_KERNEL(minima)(const mcd_reach_job *job, macadam_error *error);

#endif
