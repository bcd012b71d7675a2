/* minima.h - the nearest of prepared targets, without trees. Only 32-bit lanes. */
#ifndef MCD_KERNELS_CPU_SWEEP_MINIMA_H
#define MCD_KERNELS_CPU_SWEEP_MINIMA_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(minima_new)(mcd_minima **out, const mcd_minima_job *job, macadam_error *error);
macadam_status MCD_KERNEL(minima_find)(const mcd_minima_find_job *job, macadam_error *error);
void MCD_KERNEL(minima_free)(mcd_minima *minima);

#endif
