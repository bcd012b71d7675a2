/* falling.h - costs in memory that many threads lower at the same time. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_FALLING_H
#define MCD_KERNELS_CUDA_FRONTIER_FALLING_H

#include "kernels/cuda/device/cuda.h"

/* Past the multiprocessor's own cache, which may hold an older cost. */
__device__ inline uint32_t load_cost(const uint32_t *cost)
{
    return __ldcg(cost);
}

__device__ inline uint64_t load_cost(const uint64_t *cost)
{
    return __ldcg((const unsigned long long *)cost);
}

/* Returns the cost before. */
__device__ inline uint32_t lower_cost(uint32_t *cost, uint32_t to)
{
    return atomicMin(cost, to);
}

__device__ inline uint64_t lower_cost(uint64_t *cost, uint64_t to)
{
    return atomicMin((unsigned long long *)cost, (unsigned long long)to);
}

#endif
