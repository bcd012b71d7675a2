/* test_cuda_emulator.cpp - the emulated devices on which the kernels for CUDA are tested. */
#include "tests/support/cuda_emulator/cuda_emulator.h"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <criterion/criterion.h>
#include <csignal>
#include <thread>
#include <vector>

enum { BLOCK = 256 };
static const unsigned ALL = 0xffffffff;

#define SUCCEEDS(call)     cr_assert_eq((call), cudaSuccess, "%s", #call)
#define FAILS(error, call) cr_assert_eq((call), (error), "%s", #call)

static void tear_down()
{
    cr_assert_eq(cuda_emulator_live_allocations(), 0, "memory is leaked");
    cr_assert_eq(cuda_emulator_live_handles(), 0, "a stream, an event or a pool is leaked");
}

TestSuite(cuda_emulator, .fini = tear_down);

template <typename... Parameters, typename... Arguments>
static cudaError_t launch(unsigned blocks, unsigned threads, size_t shared_bytes,
                          void (*kernel)(Parameters...), Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <typename... Parameters, typename... Arguments>
static cudaError_t launch_cooperative(unsigned blocks, unsigned threads, void (*kernel)(Parameters...),
                                      Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Device memory of one test. */
template <typename T> struct device_array {
    T *at = nullptr;
    explicit device_array(size_t count) : m_count(count)
    {
        SUCCEEDS(cudaMalloc(&at, count * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &value) : device_array(value.size())
    {
        SUCCEEDS(cudaMemcpy(at, value.data(), value.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~device_array()
    {
        cudaFree(at);
    }
    std::vector<T> values() const
    {
        std::vector<T> value(m_count);
        SUCCEEDS(cudaMemcpy(value.data(), at, m_count * sizeof(T), cudaMemcpyDeviceToHost));
        return value;
    }

  private:
    size_t m_count;
};

static __global__ void __launch_bounds__(BLOCK) sum_blocks(const unsigned *__restrict__ value, unsigned *sum)
{
    unsigned *part = static_cast<unsigned *>(mcd_emulated_shared());
    unsigned own = value[blockIdx.x * BLOCK + threadIdx.x];
    for (int delta = warpSize / 2; delta > 0; delta /= 2) own += __shfl_down_sync(ALL, own, delta);
    if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = own;
    __syncthreads();
    if (threadIdx.x >= BLOCK / warpSize) return;
    const unsigned mask = (1u << BLOCK / warpSize) - 1;
    own = part[threadIdx.x];
    for (int bit = 1; bit < BLOCK / warpSize; bit *= 2) own += __shfl_xor_sync(mask, own, bit);
    if (threadIdx.x == 0) sum[blockIdx.x] = own;
}

Test(cuda_emulator, block_sums_by_shuffles_and_shared_memory)
{
    const unsigned blocks = 7;
    std::vector<unsigned> value(blocks * BLOCK);
    for (unsigned i = 0; i < value.size(); ++i) value[i] = i * i;
    const device_array<unsigned> device_value(value), sum(blocks);
    SUCCEEDS(launch(blocks, BLOCK, BLOCK / warpSize * sizeof(unsigned), sum_blocks, device_value.at, sum.at));
    const std::vector<unsigned> sums = sum.values();
    for (unsigned block = 0; block < blocks; ++block) {
        unsigned expected = 0;
        for (unsigned i = 0; i < BLOCK; ++i) expected += value[block * BLOCK + i];
        cr_assert_eq(sums[block], expected, "block %u", block);
    }
}

/* Rotates the block's values by one place, `rounds` times. */
static __global__ void rotate(unsigned rounds, unsigned *value)
{
    unsigned *shared = static_cast<unsigned *>(mcd_emulated_shared());
    shared[threadIdx.x] = value[threadIdx.x];
    for (unsigned round = 0; round < rounds; ++round) {
        __syncthreads();
        const unsigned next = shared[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
        shared[threadIdx.x] = next;
    }
    value[threadIdx.x] = shared[threadIdx.x];
}

Test(cuda_emulator, every_thread_passes_every_barrier)
{
    const unsigned threads = 100, rounds = 37; /* the last warp is a part of one */
    std::vector<unsigned> value(threads);
    for (unsigned i = 0; i < threads; ++i) value[i] = i;
    const device_array<unsigned> device_value(value);
    SUCCEEDS(launch(1, threads, threads * sizeof(unsigned), rotate, rounds, device_value.at));
    value = device_value.values();
    for (unsigned i = 0; i < threads; ++i) cr_assert_eq(value[i], (i + rounds) % threads);
}

static __global__ void vote(int *result)
{
    const int count = __syncthreads_count(threadIdx.x % 3 == 0), all = __syncthreads_and(threadIdx.x < 64);
    const int any = __syncthreads_or(threadIdx.x == 63), none = __syncthreads_or(threadIdx.x == 64);
    if (threadIdx.x == 5) *result = count * 1000 + all * 100 + any * 10 + none;
}

Test(cuda_emulator, barriers_count_predicates)
{
    const device_array<int> result(1);
    SUCCEEDS(launch(1, 64, 0, vote, result.at));
    cr_assert_eq(result.values()[0], 22110);
}

/* Each round every block adds to its right neighbour what that one had before the round. */
static __global__ void pass_round(unsigned rounds, unsigned *arrived, unsigned *value)
{
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned *from = value + round % 2 * gridDim.x;
        unsigned *to = value + (round + 1) % 2 * gridDim.x;
        if (threadIdx.x == 0) {
            to[blockIdx.x] = from[blockIdx.x] + from[(blockIdx.x + 1) % gridDim.x];
            __threadfence();
            atomicAdd(arrived, 1);
            while (*const_cast<volatile unsigned *>(arrived) < (round + 1) * gridDim.x) __nanosleep(20);
        }
        __syncthreads();
    }
}

Test(cuda_emulator, blocks_of_a_cooperative_launch_wait_for_each_other)
{
    const unsigned blocks = 16, rounds = 10;
    std::vector<unsigned> value(2 * blocks), next(blocks);
    for (unsigned i = 0; i < blocks; ++i) value[i] = i;
    const device_array<unsigned> device_value(value), arrived(std::vector<unsigned>{0});
    SUCCEEDS(launch_cooperative(blocks, 64, pass_round, rounds, arrived.at, device_value.at));
    value.resize(blocks);
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = 0; i < blocks; ++i) next[i] = value[i] + value[(i + 1) % blocks];
        value = next;
    }
    const std::vector<unsigned> found =
        device_value.values(); /* an even number of rounds: in the first half */
    for (unsigned i = 0; i < blocks; ++i) cr_assert_eq(found[i], value[i], "block %u", i);
}

Test(cuda_emulator, cooperative_launch_must_fit_the_device)
{
    int blocks = 0;
    SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pass_round, BLOCK, 0));
    const device_array<unsigned> value(1);
    FAILS(cudaErrorCooperativeLaunchTooLarge,
          launch_cooperative(4 * blocks + 1, BLOCK, pass_round, 0, value.at, value.at));
    SUCCEEDS(launch_cooperative(4 * blocks, BLOCK, pass_round, 0, value.at, value.at));
}

static __global__ void gather_64(unsigned long long *least, unsigned long long *sum, unsigned long long *last)
{
    const unsigned long long own = (blockIdx.x * blockDim.x + threadIdx.x + 1ull) << 32;
    atomicMin(least, own);
    atomicAdd(sum, own);
    unsigned long long old = *last, expected;
    do {
        expected = old;
        old = atomicCAS(last, expected, max(expected, own));
    } while (old != expected);
}

Test(cuda_emulator, atomics_have_64_bits)
{
    const device_array<unsigned long long> value(std::vector<unsigned long long>{~0ull, 0, 0});
    SUCCEEDS(launch(3, 100, 0, gather_64, value.at, value.at + 1, value.at + 2));
    const std::vector<unsigned long long> found = value.values();
    cr_assert_eq(found[0], 1ull << 32);
    cr_assert_eq(found[1], 300ull * 301 / 2 << 32);
    cr_assert_eq(found[2], 300ull << 32);
}

/* Each lane's results, one after the other. */
static __global__ void warp_functions(unsigned long long *result)
{
    enum { COUNT = 10 };
    const unsigned lane = threadIdx.x;
    unsigned long long *own = result + lane * COUNT;
    own[0] = __shfl_sync(ALL, lane * 10, 3, 8);
    own[1] = __shfl_up_sync(ALL, 1ull << 40 | lane, 2, 8);
    own[2] = __shfl_down_sync(ALL, lane, 5);
    own[3] = __shfl_xor_sync(ALL, static_cast<unsigned long long>(lane) << 50, 16);
    own[4] = __ballot_sync(ALL, lane % 5 == 0);
    own[5] = __match_any_sync(ALL, lane % 8);
    own[6] = __reduce_min_sync(ALL, 1000 - lane);
    own[7] = static_cast<unsigned long long>(__reduce_min_sync(ALL, 7 - static_cast<int>(lane)));
    own[8] = __reduce_add_sync(ALL, lane);
    own[9] = lane < 12 ? __reduce_or_sync(0xfff, 1u << lane) : __reduce_max_sync(0xfffff000, lane);
}

Test(cuda_emulator, warp_functions_give_what_a_warp_gives)
{
    const device_array<unsigned long long> result(320);
    SUCCEEDS(launch(1, 32, 0, warp_functions, result.at));
    const std::vector<unsigned long long> all = result.values();
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned long long *own = &all[lane * 10];
        cr_assert_eq(own[0], (lane / 8 * 8 + 3) * 10);
        cr_assert_eq(own[1], 1ull << 40 | (lane % 8 < 2 ? lane : lane - 2));
        cr_assert_eq(own[2], lane + 5 < 32 ? lane + 5 : lane);
        cr_assert_eq(own[3], static_cast<unsigned long long>(lane ^ 16) << 50);
        cr_assert_eq(own[4], 0x42108421);
        cr_assert_eq(own[5], 0x01010101u << lane % 8);
        cr_assert_eq(own[6], 969);
        cr_assert_eq(own[7], static_cast<unsigned long long>(-24));
        cr_assert_eq(own[8], 496);
        cr_assert_eq(own[9], lane < 12 ? 0xfff : 31);
    }
}

static __global__ void integer_functions(unsigned *result)
{
    result[0] = __viaddmin_u32(0xffffffff, 3, 7);
    result[1] = __viaddmin_u16x2(0xfffe0001, 0x00030002, 0x00070002);
    result[2] = __byte_perm(0x33221100, 0x77665544, 0x7520);
    result[3] = __byte_perm(0x00008000, 0, 0x9099);
    result[4] = static_cast<unsigned>(__clz(0) * 100 + __clzll(1));
    result[5] = static_cast<unsigned>(__ffs(0) * 100 + __ffs(8));
    result[6] = __brev(1);
    result[7] = __umulhi(0x80000000, 6);
    result[8] = min(-1, 5u); /* compared as unsigned */
    result[9] = __funnelshift_r(0x80000000, 1, 31);
}

Test(cuda_emulator, integer_functions_wrap_and_count)
{
    static const unsigned expected[] = {2, 0x00010002, 0x77552200, 0xff00ffff, 3263, 4, 0x80000000, 3, 5, 3};
    const device_array<unsigned> result(10);
    SUCCEEDS(launch(1, 1, 0, integer_functions, result.at));
    const std::vector<unsigned> found = result.values();
    for (size_t i = 0; i < found.size(); ++i) cr_assert_eq(found[i], expected[i], "%zu: 0x%x", i, found[i]);
}

static __global__ void stage(const unsigned *value, unsigned *early, unsigned *late)
{
    unsigned *shared = static_cast<unsigned *>(mcd_emulated_shared());
    __pipeline_memcpy_async(shared, value, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(shared + 4, value + 4, 16, 8);
    __pipeline_commit();
    *early = shared[0];
    __pipeline_wait_prior(1);
    late[0] = shared[3];
    late[1] = shared[4];
    __pipeline_wait_prior(0);
    late[2] = shared[5];
    late[3] = shared[6];
}

Test(cuda_emulator, asynchronous_copies_are_there_after_the_wait)
{
    const device_array<unsigned> value(std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7, 8}), result(5);
    SUCCEEDS(launch(1, 1, 32, stage, value.at, result.at, result.at + 1));
    const std::vector<unsigned> found = result.values();
    cr_assert_eq(found[0], 0xa5a5a5a5);
    cr_assert_eq(found[1], 4);
    cr_assert_eq(found[2], 0xa5a5a5a5);
    cr_assert_eq(found[3], 6);
    cr_assert_eq(found[4], 0);
}

static __global__ void copy_shared(unsigned *value)
{
    unsigned *shared = static_cast<unsigned *>(mcd_emulated_shared());
    value[blockIdx.x] = *shared;
    *shared = 1;
}

Test(cuda_emulator, memory_holds_a_pattern_until_it_is_written)
{
    const device_array<unsigned> value(3);
    cr_assert_eq(value.values()[1], 0xa5a5a5a5);
    SUCCEEDS(launch(3, 1, 4, copy_shared, value.at));
    cr_assert_eq(value.values()[2], 0xa5a5a5a5);
}

/* The last thread to run wins, once before and once after a barrier. */
static __global__ void race(unsigned *last)
{
    last[0] = blockIdx.x * blockDim.x + threadIdx.x;
    __syncwarp();
    if (threadIdx.x > 0) last[1] = threadIdx.x;
}

Test(cuda_emulator, order_of_threads_can_be_reversed)
{
    const device_array<unsigned> last(2);
    SUCCEEDS(launch(4, 4, 0, race, last.at));
    const std::vector<unsigned> ascending = last.values();
    cuda_emulator_set_reversed(1);
    SUCCEEDS(launch(4, 4, 0, race, last.at));
    const std::vector<unsigned> descending = last.values();
    cr_assert(ascending[0] == 15 && descending[0] == 0);
    cr_assert(ascending[1] == 2 && descending[1] == 1); /* who comes last to a barrier leaves first */
}

static __global__ void miss_barrier()
{
    if (threadIdx.x != 40) __syncthreads();
}

Test(cuda_emulator, barrier_that_a_thread_misses_stops_the_process, .signal = SIGABRT)
{
    launch(1, 64, 0, miss_barrier);
}

static __global__ void diverge()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

Test(cuda_emulator, barriers_at_two_places_stop_the_process, .signal = SIGABRT)
{
    launch(1, 64, 0, diverge);
}

static __global__ void shuffle_after_return(unsigned *value)
{
    if (threadIdx.x >= 20) return;
    *value = __shfl_sync(ALL, threadIdx.x, 0);
}

Test(cuda_emulator, warp_function_that_a_lane_misses_stops_the_process, .signal = SIGABRT)
{
    const device_array<unsigned> value(1);
    launch(1, 32, 0, shuffle_after_return, value.at);
}

static __global__ void wait_crosswise()
{
    if (threadIdx.x == 0)
        __syncwarp(3);
    else
        __syncthreads();
}

Test(cuda_emulator, threads_that_wait_for_each_other_stop_the_process, .signal = SIGABRT)
{
    launch(1, 2, 0, wait_crosswise);
}

static __global__ void wait_for_nobody(const volatile unsigned *flag)
{
    while (*flag != 0) __nanosleep(100);
}

Test(cuda_emulator, threads_that_sleep_for_ever_stop_the_process, .signal = SIGABRT)
{
    const device_array<unsigned> flag(1);
    launch(1, 2, 0, wait_for_nobody, flag.at);
}

Test(cuda_emulator, launch_checks_the_limits_of_the_device)
{
    const device_array<unsigned> value(1);
    const size_t most = 227 << 10;
    FAILS(cudaErrorInvalidConfiguration, launch(0, 1, 4, copy_shared, value.at));
    FAILS(cudaErrorInvalidConfiguration, launch(1, 1025, 4, copy_shared, value.at));
    FAILS(cudaErrorInvalidValue, launch(1, 1, most, copy_shared, value.at));
    SUCCEEDS(cudaFuncSetAttribute(copy_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(most)));
    SUCCEEDS(launch(1, 1, most, copy_shared, value.at));
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidValue);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
}

Test(cuda_emulator, stream_belongs_to_its_device)
{
    cudaStream_t stream;
    const device_array<unsigned> value(1);
    SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaLaunchConfig_t config = {};
    config.dynamicSmemBytes = 4;
    config.stream = stream;
    SUCCEEDS(cudaLaunchKernelEx(&config, copy_shared, value.at));
    SUCCEEDS(cudaSetDevice(1));
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernelEx(&config, copy_shared, value.at));
    SUCCEEDS(cudaStreamDestroy(stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
}

Test(cuda_emulator, nth_allocation_fails)
{
    void *first = nullptr, *second = nullptr, *third = nullptr;
    cuda_emulator_fail_allocation(2);
    SUCCEEDS(cudaMalloc(&first, 8));
    cr_assert_not(cuda_emulator_has_failed());
    FAILS(cudaErrorMemoryAllocation, cudaMallocHost(&second, 8));
    cr_assert(cuda_emulator_has_failed());
    cr_assert_null(second);
    SUCCEEDS(cudaMallocHost(&third, 8));
    cr_assert_eq(cuda_emulator_live_allocations(), 2);
    SUCCEEDS(cudaFree(first));
    SUCCEEDS(cudaFreeHost(third));
}

Test(cuda_emulator, lost_device_fails_every_call_but_frees)
{
    void *memory = nullptr, *other = nullptr;
    SUCCEEDS(cudaMalloc(&memory, 8));
    cuda_emulator_lose_device(2, CUDA_EMULATOR_FAULT);
    SUCCEEDS(cudaMemset(memory, 0, 8));
    FAILS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    FAILS(cudaErrorLaunchFailure, cudaMemset(memory, 0, 8));
    FAILS(cudaErrorLaunchFailure, launch(1, 1, 0, miss_barrier));
    FAILS(cudaErrorLaunchFailure, cudaFree(memory));
    cr_assert_eq(cuda_emulator_live_allocations(), 0);
    cr_assert_eq(cudaGetLastError(), cudaErrorLaunchFailure);
    cr_assert_eq(cudaGetLastError(), cudaErrorLaunchFailure);
    SUCCEEDS(cudaSetDevice(1)); /* the other one works */
    SUCCEEDS(cudaMalloc(&other, 8));
    SUCCEEDS(cudaFree(other));
    SUCCEEDS(cudaSetDevice(0));
    SUCCEEDS(cudaDeviceReset());
    SUCCEEDS(cudaDeviceSynchronize());
}

Test(cuda_emulator, calls_are_counted)
{
    cuda_emulator_reset();
    int count;
    SUCCEEDS(cudaGetDeviceCount(&count));
    SUCCEEDS(cudaDeviceSynchronize());
    cr_assert_eq(count, 2);
    cr_assert_eq(cuda_emulator_call_count(), 2);
}

Test(cuda_emulator, pointers_are_distinguished)
{
    std::vector<char> own(64);
    char *memory, *pinned;
    cudaPointerAttributes attributes;
    SUCCEEDS(cudaSetDevice(1));
    SUCCEEDS(cudaMalloc(&memory, 10));
    SUCCEEDS(cudaMallocHost(&pinned, 10));
    SUCCEEDS(cudaPointerGetAttributes(&attributes, memory + 9));
    cr_assert(attributes.type == cudaMemoryTypeDevice && attributes.device == 1);
    SUCCEEDS(cudaPointerGetAttributes(&attributes, pinned));
    cr_assert_eq(attributes.type, cudaMemoryTypeHost);
    SUCCEEDS(cudaPointerGetAttributes(&attributes, own.data()));
    cr_assert_eq(attributes.type, cudaMemoryTypeUnregistered);
    SUCCEEDS(cudaHostRegister(own.data(), own.size(), cudaHostRegisterDefault));
    SUCCEEDS(cudaPointerGetAttributes(&attributes, own.data() + 63));
    cr_assert_eq(attributes.type, cudaMemoryTypeHost);
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own.data() + 8, 8, cudaHostRegisterDefault));
    SUCCEEDS(cudaHostUnregister(own.data()));
    SUCCEEDS(cudaFree(memory));
    SUCCEEDS(cudaFreeHost(pinned));
    FAILS(cudaErrorInvalidValue, cudaFree(own.data()));
}

Test(cuda_emulator, copies_stay_inside_allocations)
{
    char host[16] = {};
    char *memory;
    SUCCEEDS(cudaMalloc(&memory, 16));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(memory + 1, host, 16, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(host, memory, 16, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(memory, 8, host, 4, 4, 3, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(memory, 8, host, 4, 5, 2, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMemset(memory, 1, 16));
    SUCCEEDS(cudaMemcpy2D(memory, 8, host, 4, 4, 2, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMemcpy(host, memory, 16, cudaMemcpyDefault));
    for (int i = 0; i < 16; ++i) cr_assert_eq(host[i], i % 8 >= 4);
    FAILS(cudaErrorInvalidValue, cudaMemcpyPeerAsync(memory, 1, memory, 0, 4));
    SUCCEEDS(cudaFree(memory));
}

Test(cuda_emulator, memory_of_a_pool_is_counted)
{
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    cudaStream_t stream;
    void *memory, *other;
    size_t free_bytes, total;
    uint64_t bytes = 1 << 20;
    SUCCEEDS(cudaMemPoolCreate(&pool, &properties));
    SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
    SUCCEEDS(cudaMallocFromPoolAsync(&memory, 1000, pool, stream));
    SUCCEEDS(cudaMallocAsync(&other, 24, stream));
    SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    cr_assert_eq(bytes, 1000);
    SUCCEEDS(cudaMemGetInfo(&free_bytes, &total));
    cr_assert_eq(total - free_bytes, 1024);
    cuda_emulator_set_memory(2000);
    FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&other, 1000, pool, stream));
    cr_assert_null(other);
    SUCCEEDS(cudaFreeAsync(memory, stream));
    SUCCEEDS(cudaMemPoolTrimTo(pool, 0));
    SUCCEEDS(cudaMemPoolDestroy(pool));
    SUCCEEDS(cudaDeviceReset()); /* takes what is left */
    SUCCEEDS(cudaStreamDestroy(stream));
}

Test(cuda_emulator, host_function_must_not_call_the_runtime)
{
    cudaError_t found = cudaSuccess;
    const auto function = [](void *status) { *static_cast<cudaError_t *>(status) = cudaDeviceSynchronize(); };
    SUCCEEDS(cudaLaunchHostFunc(nullptr, function, &found));
    cr_assert_eq(found, cudaErrorNotPermitted);
}

Test(cuda_emulator, events_measure_the_time_between_them)
{
    cudaEvent_t start, end, untimed;
    float milliseconds = -1;
    SUCCEEDS(cudaEventCreateWithFlags(&start, cudaEventDefault));
    SUCCEEDS(cudaEventCreateWithFlags(&end, cudaEventDefault));
    SUCCEEDS(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    for (const cudaEvent_t event : {start, untimed, end}) SUCCEEDS(cudaEventRecord(event));
    SUCCEEDS(cudaEventElapsedTime(&milliseconds, start, end));
    cr_assert(milliseconds >= 0);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    for (const cudaEvent_t event : {start, untimed, end}) SUCCEEDS(cudaEventDestroy(event));
}

static __global__ void count_up(unsigned *count)
{
    __syncthreads();
    atomicAdd(count, 1);
}

Test(cuda_emulator, any_thread_of_the_host_may_launch)
{
    const device_array<unsigned> count(std::vector<unsigned>{0});
    std::vector<std::thread> host;
    for (int i = 0; i < 4; ++i) {
        host.emplace_back([&] {
            for (int round = 0; round < 50; ++round) launch(2, 64, 0, count_up, count.at);
        });
    }
    for (std::thread &each : host) each.join();
    cr_assert_eq(count.values()[0], 4 * 50 * 2 * 64);
}
