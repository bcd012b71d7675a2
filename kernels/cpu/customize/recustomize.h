/* recustomize.h - partial customization: basic costs after few input arcs changed. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_RECUSTOMIZE_H
#define MCD_KERNELS_CPU_CUSTOMIZE_RECUSTOMIZE_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(recustomize)(mcd_recustomized *out, const mcd_recustomize_job *job,
                                       macadam_error *error);

#endif
