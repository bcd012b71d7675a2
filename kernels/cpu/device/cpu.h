/* cpu.h - the CPU backends of this build. */
#ifndef MCD_KERNELS_CPU_DEVICE_CPU_H
#define MCD_KERNELS_CPU_DEVICE_CPU_H

#include "kernels/backend.h"

/* Lists every instruction set that this build has and this processor runs, best first; static. Returns how
 * many there are; writes at most `capacity`. The first is the one that mcd_cpu_backend returns. */
size_t mcd_cpu_backends(const mcd_backend **out, size_t capacity);

/* mcd_backend.methods of all of them. */
extern const mcd_method mcd_cpu_methods[];

/* Phases that are the same for all of them; spans.c and sign.c. */
macadam_status mcd_cpu_spans_new(mcd_spans **out, const mcd_weights *weights, const mcd_parallel *parallel,
                                 macadam_error *error);
macadam_status mcd_cpu_sign(const mcd_sign_job *job, macadam_error *error);

#endif
