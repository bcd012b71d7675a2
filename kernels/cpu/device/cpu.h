/* cpu.h - the CPU backends of this build. */
#ifndef MCD_KERNELS_CPU_DEVICE_CPU_H
#define MCD_KERNELS_CPU_DEVICE_CPU_H

#include "kernels/backend.h"

/* Lists every instruction set that this build has and this processor runs, best first; static. Returns how
 * many there are; writes at most `capacity`. The first is the one that mcd_cpu_backend returns. */
size_t mcd_cpu_backends(const mcd_backend **out, size_t capacity);

/* mcd_backend.methods of all of them. */
extern const mcd_method mcd_cpu_methods[];

/* Phases that are the same for all of them. */
#define MCD_CPU_PHASES(DO) DO(hops) DO(hops_scratch) DO(connect) DO(connect_scratch) DO(spans_new) DO(sign)

/* Declares a function of the type of this member of mcd_backend. */
#define MCD_CPU_PHASE(name) __typeof__(*((const mcd_backend *)NULL)->name) mcd_cpu_##name;
MCD_CPU_PHASES(MCD_CPU_PHASE)

#endif
