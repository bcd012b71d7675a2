/* devices.cpp - see devices.h: devices, their properties, errors, and what tests set (cuda_emulator.h). */
#include "tests/support/cuda_emulator/devices.h"

#include "tests/support/cuda_emulator/allocations.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/cuda_emulator/streams.h"

#include <malloc.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace cuda_emulator
{

enum { DEVICES_DEFAULT = 2, COMPUTE_MAJOR = 9, COMPUTE_MINOR = 0, L2_BYTES = 32 << 20 };
static const size_t MEMORY_DEFAULT = size_t{1} << 30;

thread_local int current_device;
thread_local bool in_host_function;
static thread_local cudaError_t last_error;

static int devices_of_environment()
{
    const char *text = getenv("MCD_EMULATED_DEVICES");
    const int count = text ? atoi(text) : DEVICES_DEFAULT;
    return max(0, min(count, int{DEVICE_MAX}));
}

static size_t memory_of_environment()
{
    const char *text = getenv("MCD_EMULATED_MEMORY");
    return text ? (size_t)strtoull(text, nullptr, 10) : MEMORY_DEFAULT;
}

runtime &the_runtime()
{
    static runtime *state = [] { /* never destroyed: calls may come from destructors */
                                 runtime *made = new runtime();
                                 made->device_count = devices_of_environment();
                                 made->memory_bytes = memory_of_environment();
                                 /* Tests allocate the same blocks again and again: keep their pages. */
                                 mallopt(M_MMAP_THRESHOLD, 32 << 20);
                                 mallopt(M_TRIM_THRESHOLD, 256 << 20);
                                 return made;
    }();
    return *state;
}

bool is_device(int number)
{
    return number >= 0 && number < the_runtime().device_count;
}

cudaError_t begin_call(call_kind kind)
{
    runtime &state = the_runtime();
    ++state.call_count;
    if (in_host_function) return cudaErrorNotPermitted;
    if (!is_device(current_device)) return kind == ASKS ? cudaSuccess : cudaErrorNoDevice;
    device &own = state.devices[current_device];
    if (state.calls_until_loss > 0 && --state.calls_until_loss == 0) {
        state.has_failed = true;
        if (state.loss != cudaErrorInvalidConfiguration) own.lost = state.loss;
        return state.loss;
    }
    return kind == ASKS ? cudaSuccess : own.lost;
}

cudaError_t end_call(cudaError_t status)
{
    if (status != cudaSuccess) last_error = status;
    return status;
}

static cudaError_t properties_of(cudaDeviceProp *properties, int number)
{
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "Emulated CUDA device %d", number);
    properties->totalGlobalMem = the_runtime().memory_bytes;
    properties->sharedMemPerBlock = SHARED_PER_BLOCK;
    properties->sharedMemPerBlockOptin = SHARED_PER_BLOCK_OPT_IN;
    properties->sharedMemPerMultiprocessor = SHARED_PER_MULTIPROCESSOR;
    properties->reservedSharedMemPerBlock = SHARED_RESERVED;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = warpSize;
    properties->maxThreadsPerBlock = THREADS_PER_BLOCK;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = THREADS_PER_BLOCK;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->major = COMPUTE_MAJOR;
    properties->minor = COMPUTE_MINOR;
    properties->multiProcessorCount = MULTIPROCESSORS;
    properties->maxThreadsPerMultiProcessor = THREADS_PER_MULTIPROCESSOR;
    properties->maxBlocksPerMultiProcessor = BLOCKS_PER_MULTIPROCESSOR;
    properties->l2CacheSize = L2_BYTES;
    properties->pciBusID = number + 1;
    properties->asyncEngineCount = 2;
    properties->memoryBusWidth = 4096;
    properties->canMapHostMemory = properties->concurrentKernels = properties->unifiedAddressing = 1;
    properties->cooperativeLaunch = properties->hostRegisterSupported = properties->memoryPoolsSupported = 1;
    return cudaSuccess;
}

/* The attribute's value; -1: unknown here. */
static int attribute_of(const cudaDeviceProp &properties, cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return properties.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
        return properties.maxThreadsDim[0];
    case cudaDevAttrMaxGridDimX:
        return properties.maxGridSize[0];
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return SHARED_PER_BLOCK;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return SHARED_PER_BLOCK_OPT_IN;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return SHARED_PER_MULTIPROCESSOR;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return SHARED_RESERVED;
    case cudaDevAttrWarpSize:
        return properties.warpSize;
    case cudaDevAttrMultiProcessorCount:
        return properties.multiProcessorCount;
    case cudaDevAttrL2CacheSize:
        return properties.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return properties.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return properties.maxBlocksPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
        return properties.asyncEngineCount;
    case cudaDevAttrComputeCapabilityMajor:
        return properties.major;
    case cudaDevAttrComputeCapabilityMinor:
        return properties.minor;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
        return 1;
    case cudaDevAttrIntegrated:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrPageableMemoryAccess:
        return 0;
    }
    return -1;
}

static cudaError_t set_peer(int peer, unsigned flags, bool enabled)
{
    if (!is_device(peer) || peer == current_device) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    bool &access = the_runtime().devices[current_device].peer[peer];
    if (access == enabled) return enabled ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    access = enabled;
    return cudaSuccess;
}

} // namespace cuda_emulator

using namespace cuda_emulator;

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define ERROR_NAME(name, value, text)                                                                        \
    case name:                                                                                               \
        return #name;
        MCD_EMULATED_ERRORS(ERROR_NAME)
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define ERROR_TEXT(name, value, text)                                                                        \
    case name:                                                                                               \
        return text;
        MCD_EMULATED_ERRORS(ERROR_TEXT)
    }
    return "unrecognized error code";
}

/* The error of a lost device stays. */
cudaError_t cudaGetLastError()
{
    runtime &state = the_runtime();
    const std::lock_guard<std::mutex> guard(state.lock);
    const cudaError_t error = last_error;
    last_error = is_device(current_device) ? state.devices[current_device].lost : cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return last_error;
}

/* The environment's MCD_EMULATED_DRIVER: the version of CUDA that the driver knows; 0: there is none. */
static int driver_version()
{
    const char *text = getenv("MCD_EMULATED_DRIVER");
    return text ? atoi(text) : CUDART_VERSION;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return runtime_call(ASKS, [=] {
        *version = driver_version();
        return cudaSuccess;
    });
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return runtime_call(ASKS, [=] {
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    return runtime_call(ASKS, [=] {
        if (driver_version() < CUDART_VERSION) return cudaErrorInsufficientDriver;
        *count = the_runtime().device_count;
        return *count ? cudaSuccess : cudaErrorNoDevice;
    });
}

cudaError_t cudaGetDevice(int *number)
{
    return runtime_call(ASKS, [=] {
        *number = current_device;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int number)
{
    return runtime_call(ASKS, [=] {
        if (!is_device(number)) return cudaErrorInvalidDevice;
        current_device = number;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int number)
{
    return runtime_call(
        ASKS, [=] { return is_device(number) ? properties_of(properties, number) : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int number)
{
    return runtime_call(ASKS, [=] {
        cudaDeviceProp properties;
        if (!is_device(number)) return cudaErrorInvalidDevice;
        properties_of(&properties, number);
        const int found = attribute_of(properties, attribute);
        if (found < 0) return cudaErrorInvalidValue;
        *value = found;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer)
{
    return runtime_call(ASKS, [=] {
        if (!is_device(number) || !is_device(peer)) return cudaErrorInvalidDevice;
        const char *text = getenv("MCD_EMULATED_PEERS");
        *can = number != peer && !(text && atoi(text) == 0);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return runtime_call(USES_DEVICE, [=] { return set_peer(peer, flags, true); });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return runtime_call(USES_DEVICE, [=] { return set_peer(peer, 0, false); });
}

cudaError_t cudaDeviceSynchronize()
{
    return runtime_call(USES_DEVICE, [] { return cudaSuccess; });
}

cudaError_t cudaDeviceReset()
{
    return runtime_call(ASKS, [] {
        if (!is_device(current_device)) return cudaErrorNoDevice;
        free_device_memory(current_device);
        device &own = the_runtime().devices[current_device];
        own.lost = cudaSuccess;
        for (bool &access : own.peer) access = false;
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    const cudaError_t status = runtime_call(USES_DEVICE, [=] {
        const runtime &state = the_runtime();
        const size_t used = state.devices[current_device].used_bytes + kept_bytes(current_device);
        *total_bytes = state.memory_bytes;
        *free_bytes = used < state.memory_bytes ? state.memory_bytes - used : 0;
        return cudaSuccess;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(50)); /* others go on: the answer grows old */
    return status;
}

void cuda_emulator_fail_allocation(size_t nth)
{
    runtime &state = the_runtime();
    const std::lock_guard<std::mutex> guard(state.lock);
    state.allocations_until_failure = nth;
    state.has_failed = false;
}

void cuda_emulator_lose_device(size_t nth, cuda_emulator_loss loss)
{
    runtime &state = the_runtime();
    const std::lock_guard<std::mutex> guard(state.lock);
    state.calls_until_loss = nth;
    state.loss = loss == CUDA_EMULATOR_FAULT     ? cudaErrorLaunchFailure
                 : loss == CUDA_EMULATOR_REFUSAL ? cudaErrorInvalidConfiguration
                                                 : cudaErrorDevicesUnavailable;
    state.has_failed = false;
}

int cuda_emulator_has_failed(void)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    return the_runtime().has_failed;
}

void cuda_emulator_set_memory(size_t bytes)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    the_runtime().memory_bytes = bytes;
    release_reserves(); /* they may not fit any more */
}

void cuda_emulator_set_reversed(int reversed)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    the_runtime().reversed = reversed;
}

int cuda_emulator_device(void)
{
    return current_device;
}

void cuda_emulator_set_device(int number)
{
    current_device = number;
}

size_t cuda_emulator_call_count(void)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    return the_runtime().call_count;
}

size_t cuda_emulator_live_allocations(void)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    return allocation_count();
}

size_t cuda_emulator_live_handles(void)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    return stream_and_event_count() + pool_count();
}

void cuda_emulator_reset(void)
{
    runtime &state = the_runtime();
    const std::lock_guard<std::mutex> guard(state.lock);
    for (device &each : state.devices) each.lost = cudaSuccess;
    state.device_count = devices_of_environment();
    state.memory_bytes = MEMORY_DEFAULT;
    state.call_count = state.calls_until_loss = state.allocations_until_failure = 0;
    state.has_failed = state.reversed = false;
    last_error = cudaSuccess;
}
