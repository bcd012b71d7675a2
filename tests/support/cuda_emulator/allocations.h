/* allocations.h - live allocations of all devices, pinned memory and memory pools. All under the runtime's
 * lock. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_ALLOCATIONS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_ALLOCATIONS_H

#include "cuda_runtime.h"

namespace cuda_emulator
{

struct allocation {
    size_t bytes;
    cudaMemoryType type;
    int device;
    bool registered;    /* the caller's own memory */
    cudaMemPool_t pool; /* NULL: of none */
};

/* The allocation that holds the byte at `pointer`, and where it begins; NULL: none. */
const allocation *find_allocation(const void *pointer, const char **begin);

void free_device_memory(int device);

/* Bytes of a device that pools keep unused. */
size_t kept_bytes(int device);

/* Pools give back what they keep. */
void release_reserves();

size_t allocation_count();
/* Default pools do not count. */
size_t pool_count();

} // namespace cuda_emulator

#endif
