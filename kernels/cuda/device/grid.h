/* grid.h - operations of all threads of a block, and of all blocks of a cooperative launch. */
#ifndef MCD_KERNELS_CUDA_DEVICE_GRID_H
#define MCD_KERNELS_CUDA_DEVICE_GRID_H

#include "kernels/cuda/device/cuda.h"

/* The threads of a block for so much work: fewer for little work, because their barriers cost less. */
inline unsigned block_threads(uint64_t work, unsigned most)
{
    enum { LITTLE = 1 << 15, FEW = 128 };
    return work < LITTLE ? (unsigned)FEW : most;
}

/* A barrier of all blocks of a grid. */
struct grid_barrier {
    unsigned *arrived;   /* on the GPU, 0 at launch: counts the blocks that have arrived; may wrap */
    unsigned target = 0; /* the count that the block waits for; only thread 0's is used */

    __device__ explicit grid_barrier(unsigned *the_arrived) : arrived(the_arrived)
    {
    }

    /* Waits until all blocks have arrived; all see the writes of each. All threads of the block call it. */
    __device__ void wait()
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            target += gridDim.x;
            __threadfence();
            atomicAdd(arrived, 1u);
            while ((int)(*(volatile unsigned *)arrived - target) < 0) __nanosleep(0);
            __threadfence();
        }
        __syncthreads();
    }
};

/* The state of rounds on the GPU, 0 at launch. */
struct rounds_state {
    unsigned arrived;    /* grid_barrier */
    unsigned changed[3]; /* by round % 3 */
};

/* Rounds of a grid, until one changes nothing. All threads call both. */
struct grid_rounds {
    rounds_state *const state;
    grid_barrier barrier;

    __device__ explicit grid_rounds(rounds_state *the_state) : state(the_state), barrier(&the_state->arrived)
    {
    }
    __device__ void begin(unsigned round)
    {
        if (blockIdx.x == 0 && threadIdx.x == 0) state->changed[(round + 1) % 3] = 0;
    }
    /* changed: by this thread. Returns whether the round has changed something; unless `more` rounds follow,
     * it does not wait for other blocks, and the host reads it from the state. */
    __device__ bool end(unsigned round, bool changed, bool more = true)
    {
        if (__syncthreads_or(changed) && threadIdx.x == 0) state->changed[round % 3] = 1;
        if (!more) return false;
        barrier.wait();
        return __ldcg(&state->changed[round % 3]);
    }
};

/* The sum of `value` over the block's threads before this one; *total: over all. sum[WARP] is in shared
 * memory and may be written again after the next barrier. */
template <typename Count> __device__ Count block_scan(Count value, Count *sum, Count *total)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const Count inclusive = warp_scan(value);
    if (lane == WARP - 1) sum[warp] = inclusive;
    __syncthreads();
    Count before = 0, all = 0;
    for (unsigned w = 0; w < warps; ++w) {
        const Count of_warp = sum[w];
        if (w < warp) before += of_warp;
        all += of_warp;
    }
    *total = all;
    return before + inclusive - value;
}

#endif
