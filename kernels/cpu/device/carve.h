/* carve.h - takes the arrays of a job one after the other from its scratch. If it starts at 0, it sums
 * their sizes. */
#ifndef MCD_KERNELS_CPU_DEVICE_CARVE_H
#define MCD_KERNELS_CPU_DEVICE_CARVE_H

#include <stddef.h>
#include <stdint.h>

/* Takes the next `bytes`, aligned to 64. */
static inline void *carve(uintptr_t *memory, size_t bytes)
{
    const uintptr_t taken = *memory;
    *memory += (bytes + 63) / 64 * 64;
    return (void *)taken;
}

#endif
