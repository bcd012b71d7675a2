/* launches.cpp - launches of kernels, and the limits that a device sets them. */
#include "tests/support/cuda_emulator/devices.h"
#include "tests/support/cuda_emulator/grid.h"
#include "tests/support/cuda_emulator/streams.h"

#include <map>

using namespace cuda_emulator;

/* The dynamic shared memory that a function may use. Under the runtime's lock. */
static std::map<const void *, int> &shared_limits()
{
    static std::map<const void *, int> *limits = new std::map<const void *, int>();
    return *limits;
}

static size_t shared_limit(const void *function)
{
    const auto found = shared_limits().find(function);
    return static_cast<size_t>(found == shared_limits().end() ? int{SHARED_PER_BLOCK} : found->second);
}

static int blocks_per_multiprocessor(size_t threads, size_t shared_bytes)
{
    const size_t rounded = (threads + WARP - 1) / WARP * WARP;
    const size_t by_threads = THREADS_PER_MULTIPROCESSOR / rounded;
    const size_t by_shared = SHARED_PER_MULTIPROCESSOR / (shared_bytes + SHARED_RESERVED);
    return static_cast<int>(min(min(by_threads, by_shared), size_t{BLOCKS_PER_MULTIPROCESSOR}));
}

static bool is_cooperative(const cudaLaunchConfig_t &config)
{
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == cudaLaunchAttributeCooperative && config.attrs[i].val.cooperative)
            return true;
    return false;
}

static cudaError_t check_launch(const cudaLaunchConfig_t &config, const void *function, bool cooperative)
{
    const dim3 &blocks = config.gridDim, &threads = config.blockDim;
    const size_t block_count = size_t{blocks.x} * blocks.y * blocks.z;
    const size_t thread_count = size_t{threads.x} * threads.y * threads.z;
    if (block_count == 0 || thread_count == 0 || blocks.x > 0x7fffffff || blocks.y > 65535 ||
        blocks.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (thread_count > THREADS_PER_BLOCK || threads.z > 64) return cudaErrorInvalidConfiguration;
    if (config.dynamicSmemBytes > shared_limit(function)) return cudaErrorInvalidValue;
    if (!is_stream(config.stream) || stream_device(config.stream) != current_device)
        return cudaErrorInvalidResourceHandle;
    const int resident = MULTIPROCESSORS * blocks_per_multiprocessor(thread_count, config.dynamicSmemBytes);
    if (cooperative && block_count > static_cast<size_t>(resident)) return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

cudaError_t mcd_emulated_launch(const cudaLaunchConfig_t *config, const mcd_emulated_kernel *kernel)
{
    static std::mutex running;
    const bool cooperative = is_cooperative(*config);
    bool reversed = false;
    const cudaError_t status = runtime_call(USES_DEVICE, [&] {
        reversed = the_runtime().reversed;
        return check_launch(*config, kernel->function, cooperative);
    });
    if (status != cudaSuccess) return status;
    const std::lock_guard<std::mutex> guard(running);
    running_grid.run(*config, *kernel, cooperative, reversed);
    return cudaSuccess;
}

cudaError_t mcd_emulated_set_function_attribute(const void *function, cudaFuncAttribute attribute, int value)
{
    return runtime_call(USES_DEVICE, [=] {
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorInvalidValue;
        if (value < 0 || value > SHARED_PER_BLOCK_OPT_IN) return cudaErrorInvalidValue;
        shared_limits()[function] = value;
        return cudaSuccess;
    });
}

cudaError_t mcd_emulated_function_attributes(cudaFuncAttributes *attributes, const void *function)
{
    return runtime_call(USES_DEVICE, [=] {
        *attributes = {};
        attributes->maxThreadsPerBlock = THREADS_PER_BLOCK;
        attributes->numRegs = 32;
        attributes->ptxVersion = attributes->binaryVersion = 90;
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(shared_limit(function));
        return cudaSuccess;
    });
}

cudaError_t mcd_emulated_occupancy(int *block_count, const void *function, int block_size,
                                   size_t shared_bytes)
{
    return runtime_call(USES_DEVICE, [=] {
        if (block_size <= 0) return cudaErrorInvalidValue;
        const bool fits = block_size <= THREADS_PER_BLOCK && shared_bytes <= shared_limit(function);
        *block_count = fits ? blocks_per_multiprocessor(static_cast<size_t>(block_size), shared_bytes) : 0;
        return cudaSuccess;
    });
}
