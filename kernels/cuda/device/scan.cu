/* scan.cu - see scan.h.
 *
 * Method. Each block sums its part; one block scans the sums; each block scans its part from its sum on.
 * Races. None: a block writes only its own part.
 * Limit. Counts are read twice and offsets written once: 16 bytes an element. */
#include "kernels/cuda/device/scan.h"

#include "kernels/cuda/device/grid.h"

enum {
    SCAN_BLOCK = 256,
    SCAN_ITEMS = 8, /* consecutive elements per thread */
    SCAN_PART = SCAN_BLOCK * SCAN_ITEMS,
};

static __global__ void sum_parts(const uint32_t *__restrict__ count, size_t size, uint64_t *part_sum)
{
    const size_t first = (size_t)blockIdx.x * SCAN_PART;
    __shared__ uint64_t warp_sum[WARP];
    uint64_t sum = 0, total;
    for (size_t i = first + threadIdx.x; i < first + SCAN_PART && i < size; i += SCAN_BLOCK) sum += count[i];
    block_scan(sum, warp_sum, &total);
    if (threadIdx.x == 0) part_sum[blockIdx.x] = total;
}

/* One block: replaces the sums by the sums before them. */
static __global__ void scan_sums(uint64_t *part_sum, size_t parts)
{
    __shared__ uint64_t warp_sum[WARP];
    uint64_t before = 0;
    for (size_t first = 0; first < parts; first += SCAN_BLOCK) {
        const size_t i = first + threadIdx.x;
        uint64_t total;
        const uint64_t sum = block_scan(i < parts ? part_sum[i] : 0, warp_sum, &total);
        if (i < parts) part_sum[i] = before + sum;
        before += total;
        __syncthreads(); /* warp_sum is written again next */
    }
}

static __global__ void scan_parts(const uint32_t *__restrict__ count, size_t size,
                                  const uint64_t *__restrict__ part_sum, mcd_arc *out)
{
    const size_t first = (size_t)blockIdx.x * SCAN_PART + threadIdx.x * SCAN_ITEMS;
    __shared__ uint64_t warp_sum[WARP];
    uint64_t sum = 0, total;
    for (size_t i = first; i < first + SCAN_ITEMS && i < size; ++i) sum += count[i];
    uint64_t before = part_sum[blockIdx.x] + block_scan(sum, warp_sum, &total);
    for (size_t i = first; i < first + SCAN_ITEMS && i <= size; ++i) {
        out[i] = before;
        if (i < size) before += count[i];
    }
}

void enqueue_scan(gpu_call &call, const uint32_t *count, size_t size, mcd_arc *out)
{
    const size_t parts = size / SCAN_PART + 1; /* out has size + 1 elements */
    gpu_array<uint64_t> part_sum(call, parts, "allocating sums");
    call.run("prefix sums", {parts, SCAN_BLOCK}, sum_parts, count, size, part_sum.get());
    call.run("prefix sums", {1, SCAN_BLOCK}, scan_sums, part_sum.get(), parts);
    call.run("prefix sums", {parts, SCAN_BLOCK}, scan_parts, count, size, part_sum.get(), out);
}
