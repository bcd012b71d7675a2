/* slice.h - one warp's view of a slice: its nodes' costs among each other as a matrix in shared memory, and
 * its columns' costs in registers. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_SLICE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_SLICE_H

#include "kernels/cuda/customize/triangles.h"

enum { SLICE_MATRIX = SLICE_WIDTH * SLICE_WIDTH };

__device__ inline slice_view slice_of(const schedule_view &schedule, uint32_t slice)
{
    const mcd_node first = schedule.slice_first[slice];
    const mcd_arc base = schedule.hierarchy.first_up[first];
    return {schedule.slice_first[slice + 1] - first,
            (uint32_t)(schedule.hierarchy.first_up[first + 1] - base), (uint32_t)base};
}

/* matrix[from * SLICE_WIDTH + to], 0 from a node to itself. All threads of a warp; ends with a barrier of
 * the warp. */
template <class Cost>
__device__ inline void load_matrix(const slice_view &slice, const both_costs<Cost> *cost, Cost *matrix)
{
    for (uint32_t i = threadIdx.x % WARP; i < SLICE_MATRIX; i += WARP) {
        const uint32_t x = i / SLICE_WIDTH, y = i % SLICE_WIDTH;
        if (x == y) matrix[i] = 0;
        if (y >= x || x >= slice.width) continue;
        const both_costs<Cost> x_y = cost[slice.row(x) + slice.columns + y];
        matrix[i] = x_y.forward;
        matrix[y * SLICE_WIDTH + x] = x_y.backward;
    }
    __syncwarp();
}

template <class Cost>
__device__ inline void store_matrix(const slice_view &slice, const Cost *matrix, both_costs<Cost> *cost)
{
    for (uint32_t i = threadIdx.x % WARP; i < SLICE_MATRIX; i += WARP) {
        const uint32_t x = i / SLICE_WIDTH, y = i % SLICE_WIDTH;
        if (y < x && x < slice.width)
            cost[slice.row(x) + slice.columns + y] = {matrix[i], matrix[y * SLICE_WIDTH + x]};
    }
}

/* at[i]: the i-th node's costs to and from one column; unreached if there is no such node or column. */
template <class Cost>
__device__ inline void load_column(const slice_view &slice, uint32_t column, const both_costs<Cost> *cost,
                                   both_costs<Cost> (&at)[SLICE_WIDTH])
{
#pragma unroll
    for (uint32_t i = 0; i < SLICE_WIDTH; ++i) {
        at[i] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
        if (i < slice.width && column < slice.columns) at[i] = cost[slice.row(i) + column];
    }
}

#endif
