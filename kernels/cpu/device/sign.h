/* sign.h - makes costs signed on the processor (mcd_sign_job describes it). */
#ifndef MCD_KERNELS_CPU_DEVICE_SIGN_H
#define MCD_KERNELS_CPU_DEVICE_SIGN_H

#include "kernels/backend.h"

macadam_status mcd_cpu_sign(const mcd_sign_job *job, macadam_error *error);

#endif
