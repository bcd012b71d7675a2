/* cpu.h - the CPU backends of this build. */
#ifndef MCD_KERNELS_CPU_DEVICE_CPU_H
#define MCD_KERNELS_CPU_DEVICE_CPU_H

#include "kernels/backend.h"

/* Every instruction set that this build has and this processor runs, best first; static. Returns how many;
 * writes at most `capacity`. The first is what mcd_cpu_backend returns. */
size_t mcd_cpu_backends(const mcd_backend **out, size_t capacity);

#endif
