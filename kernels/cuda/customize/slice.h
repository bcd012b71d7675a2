/* slice.h - one warp's view of a slice: its nodes' costs among each other as a matrix in shared memory, and
 * its columns' costs in registers; tiles of a slice's triangles; and how blocks share a level's. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_SLICE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_SLICE_H

#include "kernels/cuda/customize/triangles.h"

enum {
    SLICE_MATRIX = SLICE_WIDTH * SLICE_WIDTH,
    LEVEL_BLOCK = 64, /* threads of a block that takes a part of a level's lists */
    LEVEL_WARPS = LEVEL_BLOCK / WARP,
    SINGLES = 4, /* triangles of a thread that are loaded at the same time */
};

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

/* at[v]: one column's costs at the slice's v-th node; unreached if there is no such node or column. */
template <uint32_t WIDTH, class Cost>
__device__ inline void take_column(const slice_view &slice, uint32_t column, const both_costs<Cost> *cost,
                                   both_costs<Cost> (&at)[WIDTH])
{
#pragma unroll
    for (uint32_t v = 0; v < WIDTH; ++v) {
        at[v] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
        if (v < slice.width && column < slice.columns) at[v] = cost[slice.row(v) + column];
    }
}

/* ---- tiles ---- */

/* LANES threads of a warp have a tile, each one of its tops. They process WIDTH nodes of the slice; if it
 * has fewer, the costs of the missing ones are unreached. */
template <uint32_t THE_WIDTH, uint32_t THE_LANES> struct tile_shape {
    static constexpr uint32_t WIDTH = THE_WIDTH, LANES = THE_LANES;
    /* Of the costs among the nodes, a thread has those to node() from row(k). Some threads may have the
     * same ones. */
    static constexpr uint32_t GROUPS = LANES / WIDTH < WIDTH ? LANES / WIDTH : WIDTH, ROWS = WIDTH / GROUPS;
    /* Shared memory: among[lower * WIDTH + upper], arcs between the nodes; then mid[mid * STRIDE + node]. */
    static constexpr uint32_t STRIDE = WIDTH + 2; /* 2: banks of their own */
    static constexpr uint32_t COSTS = WIDTH * WIDTH + TILE_MIDS * STRIDE;
    static_assert(TILE_MIDS <= LANES, "a thread for each of the mids");

    static __device__ uint32_t lane()
    {
        return threadIdx.x % LANES;
    }
    static __device__ uint32_t node()
    {
        return threadIdx.x % WIDTH;
    }
    static __device__ uint32_t row(uint32_t k)
    {
        return k * GROUPS + lane() / WIDTH % GROUPS;
    }
    /* The cost from x to y, read from the thread that has it. All threads of the warp. */
    template <class Cost> static __device__ Cost share(const Cost (&from)[ROWS], uint32_t x, uint32_t y)
    {
        return __shfl_sync(WARP_ALL, from[x / GROUPS], (int)(x % GROUPS * WIDTH + y), LANES);
    }
    /* The k-th cost to y of the thread's group. All threads of the warp. */
    template <class Cost> static __device__ Cost share_row(const Cost (&from)[ROWS], uint32_t k, uint32_t y)
    {
        return __shfl_sync(WARP_ALL, from[k], (int)(lane() / WIDTH % GROUPS * WIDTH + y), LANES);
    }
};

using small_tile = tile_shape<SMALL_WIDTH, SMALL_COLUMNS>;
#define NO_WAY UINT32_MAX /* no upward arc has this index: there are fewer */

/* Fetches way[i]: the arc from the tile's i-th mid to `top`, or NO_WAY if the top does not come before the
 * mid. */
__device__ inline void fetch_ways(const slice_tile &tile, uint32_t top, const uint32_t *all_ways,
                                  uint32_t (&way)[TILE_MIDS])
{
#pragma unroll
    for (uint32_t i = 0; i < TILE_MIDS; ++i) {
        const uint32_t mid = tile.mid * TILE_MIDS + i;
        way[i] = NO_WAY;
        if (top < mid && mid < tile.slice.columns)
            way[i] = all_ways[tile.first_way + (uint64_t)mid * (mid - 1) / 2 + top];
    }
}

/* ---- levels ---- */

/* A level's part of the lists. Tiles get the first blocks, then small tiles, then single triangles. */
struct level_work {
    uint64_t tile, tile_count, small, small_count, single, single_count;
    uint64_t tile_blocks, small_blocks;
    uint64_t blocks() const
    {
        return tile_blocks + small_blocks + blocks_of<uint64_t>(single_count, LEVEL_BLOCK * SINGLES);
    }
};

inline level_work work_of(const schedule_level &begin, const schedule_level &end)
{
    level_work work = {begin.tile,   end.tile - begin.tile,     begin.small, end.small - begin.small,
                       begin.single, end.single - begin.single, 0,           0};
    work.tile_blocks = blocks_of<uint64_t>(work.tile_count, LEVEL_WARPS);
    work.small_blocks = blocks_of<uint64_t>(work.small_count, LEVEL_BLOCK / small_tile::LANES);
    return work;
}

#endif
