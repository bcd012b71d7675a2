/* dense_device.cu - see dense_device.h. */
#include "tests/bench/dense_device.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { BLOCK = 256, UNREACHED = 0x7fffffff, TILE = 32 };

static void expect(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    if (status == cudaSuccess) return;
    fprintf(stderr, "dense: %s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

static __global__ void clear_matrix(uint32_t *cost, size_t node_count)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < node_count * node_count;
         i += (size_t)gridDim.x * BLOCK)
        cost[i] = i % (node_count + 1) == 0 ? 0 : UNREACHED;
}

static __global__ void set_arcs(uint32_t *cost, size_t node_count, size_t arc_count, const uint32_t *tail,
                                const uint32_t *head, const uint32_t *weight)
{
    const size_t arc = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (arc < arc_count) cost[tail[arc] * node_count + head[arc]] = weight[arc];
}

void dense_device_fill(uint32_t *cost, size_t node_count, size_t arc_count, const uint32_t *tail,
                       const uint32_t *head, const uint32_t *weight)
{
    const uint32_t *const from[3] = {tail, head, weight};
    uint32_t *array[3];
    for (int i = 0; i < 3; ++i) {
        expect(cudaMalloc(&array[i], arc_count * sizeof(uint32_t) + 1), "allocating arcs");
        expect(cudaMemcpy(array[i], from[i], arc_count * sizeof(uint32_t), cudaMemcpyHostToDevice),
               "copying arcs");
    }
    clear_matrix<<<4096, BLOCK>>>(cost, node_count);
    set_arcs<<<(unsigned)(arc_count / BLOCK + 1), BLOCK>>>(cost, node_count, arc_count, array[0], array[1],
                                                           array[2]);
    expect(cudaSuccess, "filling a matrix");
    for (uint32_t *one : array) (void)cudaFree(one);
}

template <bool NARROW> static __device__ uint32_t lower(uint32_t best, uint32_t a, uint32_t b)
{
    return NARROW ? __viaddmin_u16x2(a, b, best) : __viaddmin_u32(a, b, best);
}

/* Each value is lowered by its neighbour: nothing can be left out. */
template <bool NARROW> static __global__ void lower_registers(uint32_t *value, uint32_t rounds)
{
    enum { VALUES = 32, UNROLLED = 8 };
    uint32_t best[VALUES], other = value[0];
    for (int i = 0; i < VALUES; ++i) best[i] = value[i] + threadIdx.x;
    for (uint32_t round = 0; round < rounds; round += UNROLLED) {
#pragma unroll
        for (int u = 0; u < UNROLLED; ++u)
#pragma unroll
            for (int i = 0; i < VALUES; ++i) best[i] = lower<NARROW>(best[i], best[(i + 1) % VALUES], other);
        other += threadIdx.x;
    }
    uint32_t all = 0;
    for (const uint32_t one : best) all ^= one;
    value[threadIdx.x % VALUES] = all;
}

double dense_device_limit(bool narrow)
{
    enum { THREADS = 512, BLOCKS_EACH = 4, VALUES = 32, ROUNDS = 160000, RUNS = 3 };
    cudaDeviceProp properties;
    cudaEvent_t begin, end;
    uint32_t *value;
    float least = 1e9f;
    expect(cudaGetDeviceProperties(&properties, 0), "looking at the device");
    const unsigned blocks = properties.multiProcessorCount * BLOCKS_EACH;
    expect(cudaMalloc(&value, VALUES * sizeof *value), "allocating values");
    expect(cudaMemset(value, 1, VALUES * sizeof *value), "setting values");
    (void)cudaEventCreate(&begin), (void)cudaEventCreate(&end);
    for (int run = 0; run < RUNS; ++run) {
        float milliseconds;
        (void)cudaEventRecord(begin);
        if (narrow)
            lower_registers<true><<<blocks, THREADS>>>(value, ROUNDS);
        else
            lower_registers<false><<<blocks, THREADS>>>(value, ROUNDS);
        (void)cudaEventRecord(end);
        expect(cudaSuccess, "the rate of an instruction");
        expect(cudaEventElapsedTime(&milliseconds, begin, end), "timing");
        least = milliseconds < least ? milliseconds : least;
    }
    (void)cudaFree(value);
    return (narrow ? 2.0 : 1.0) * blocks * THREADS * VALUES * ROUNDS / (1e-3 * least);
}

static __global__ void lower_pairs(uint32_t *cost, size_t node_count, size_t pivot)
{
    const size_t x = blockIdx.y, y = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (y >= node_count) return;
    const uint32_t sum = cost[x * node_count + pivot] + cost[pivot * node_count + y];
    if (sum < cost[x * node_count + y]) cost[x * node_count + y] = sum;
}

void dense_device_per_pair(uint32_t *cost, size_t node_count)
{
    const dim3 blocks((unsigned)(node_count + BLOCK - 1) / BLOCK, (unsigned)node_count);
    for (size_t pivot = 0; pivot < node_count; ++pivot)
        lower_pairs<<<blocks, BLOCK>>>(cost, node_count, pivot);
    expect(cudaSuccess, "one thread a pair");
}

static __global__ void lower_rows(uint32_t *cost, size_t node_count, size_t pivot)
{
    const size_t x = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (x >= node_count) return;
    const uint32_t to_pivot = cost[x * node_count + pivot];
    for (size_t y = 0; y < node_count; ++y) {
        const uint32_t sum = to_pivot + cost[pivot * node_count + y];
        if (sum < cost[x * node_count + y]) cost[x * node_count + y] = sum;
    }
}

void dense_device_per_node(uint32_t *cost, size_t node_count)
{
    for (size_t pivot = 0; pivot < node_count; ++pivot)
        lower_rows<<<(unsigned)(node_count + BLOCK - 1) / BLOCK, BLOCK>>>(cost, node_count, pivot);
    expect(cudaSuccess, "one thread a node");
}

/* ---- closure ---- */

static __global__ void close_pairs(uint32_t *reached, size_t node_count, size_t pivot)
{
    const size_t x = blockIdx.y, y = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (y < node_count)
        reached[x * node_count + y] |= reached[x * node_count + pivot] & reached[pivot * node_count + y];
}

void dense_device_close_per_pair(uint32_t *reached, size_t node_count)
{
    const dim3 blocks((unsigned)(node_count + BLOCK - 1) / BLOCK, (unsigned)node_count);
    for (size_t pivot = 0; pivot < node_count; ++pivot)
        close_pairs<<<blocks, BLOCK>>>(reached, node_count, pivot);
    expect(cudaSuccess, "closing with one thread a pair");
}

/* One thread per cell: tile (row, column) by the pivots of tile `pivot`. If one of the three is another, its
 * cells change while they are read, so each pivot ends with a barrier. */
static __device__ void close_tile(uint32_t *reached, size_t node_count, size_t row, size_t column,
                                  size_t pivot)
{
    __shared__ uint32_t tile[3][TILE][TILE];
    const size_t at[3][2] = {{row, column}, {row, pivot}, {pivot, column}};
    const bool changes = row == pivot || column == pivot;
    const unsigned x = threadIdx.y, y = threadIdx.x;
    uint32_t(*const own)[TILE] = tile[0];
    uint32_t(*const left)[TILE] = column == pivot ? own : tile[1];
    uint32_t(*const right)[TILE] = row == pivot ? own : tile[2];
    for (int t = 0; t < 3; ++t) {
        const size_t of_x = at[t][0] * TILE + x, of_y = at[t][1] * TILE + y;
        tile[t][x][y] = of_x < node_count && of_y < node_count ? reached[of_x * node_count + of_y] : 0;
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        own[x][y] |= left[x][k] & right[k][y];
        if (changes) __syncthreads();
    }
    if (row * TILE + x < node_count && column * TILE + y < node_count)
        reached[(row * TILE + x) * node_count + column * TILE + y] = own[x][y];
}

static __global__ void close_pivots(uint32_t *reached, size_t node_count, size_t pivot)
{
    close_tile(reached, node_count, pivot, pivot, pivot);
}

static __global__ void close_cross(uint32_t *reached, size_t node_count, size_t pivot)
{
    if (blockIdx.x == pivot) return;
    close_tile(reached, node_count, blockIdx.y ? blockIdx.x : pivot, blockIdx.y ? pivot : blockIdx.x, pivot);
}

static __global__ void close_others(uint32_t *reached, size_t node_count, size_t pivot)
{
    if (blockIdx.x == pivot || blockIdx.y == pivot) return;
    close_tile(reached, node_count, blockIdx.y, blockIdx.x, pivot);
}

void dense_device_close_tiled(uint32_t *reached, size_t node_count)
{
    const unsigned tiles = (unsigned)((node_count + TILE - 1) / TILE);
    const dim3 threads(TILE, TILE);
    for (size_t pivot = 0; pivot < tiles; ++pivot) {
        close_pivots<<<1, threads>>>(reached, node_count, pivot);
        close_cross<<<dim3(tiles, 2), threads>>>(reached, node_count, pivot);
        close_others<<<dim3(tiles, tiles), threads>>>(reached, node_count, pivot);
    }
    expect(cudaSuccess, "closing by tiles");
}
