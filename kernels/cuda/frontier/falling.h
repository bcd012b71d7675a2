/* falling.h - costs in memory that many threads lower at the same time. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_FALLING_H
#define MCD_KERNELS_CUDA_FRONTIER_FALLING_H

#include "kernels/cuda/device/cuda.h"

/* Lowers the costs of the lane's seeds within the limit, by one thread, and calls lowered(seed) for each. */
template <class Cost, class Lowered>
__device__ inline void lower_seeds(const mcd_lane &lane, mcd_weight limit, Cost *dist, const Lowered &lowered)
{
    for (const mcd_seed &seed : lane.seed) {
        if (seed.node == MCD_NODE_NONE) break;
        if (seed.objective > limit) continue;
        const Cost cost = cost_of<Cost>(seed.objective, seed.companion);
        if (cost < dist[seed.node]) dist[seed.node] = cost;
        lowered(seed);
    }
}

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
