/* allocations.cpp - see allocations.h. */
#include "tests/support/cuda_emulator/allocations.h"

#include "tests/support/cuda_emulator/devices.h"
#include "tests/support/cuda_emulator/grid.h"
#include "tests/support/cuda_emulator/streams.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

struct CUmemPoolHandle_st {
    int device;
    size_t max_bytes; /* 0: the device's memory */
    uint64_t used, used_high, release_threshold;
    uint64_t reserved; /* used, or kept in reserve if there is a threshold */
    int reuse[4];      /* by cudaMemPoolAttr */
};

namespace cuda_emulator
{

enum { ALIGNMENT = 256 };

/* Of a large chunk only the beginning is filled: small maps use no more of it, and its other pages cost nothing. */
constexpr size_t PATTERN_BYTES_MAX = 1 << 20;

typedef std::map<const char *, allocation> allocation_map;

static allocation_map &allocations() /* never destroyed, as the pools */
{
    static allocation_map *all = new allocation_map();
    return *all;
}

static std::set<cudaMemPool_t> &pools()
{
    static std::set<cudaMemPool_t> *all = new std::set<cudaMemPool_t>();
    return *all;
}

size_t allocation_count()
{
    return allocations().size();
}

size_t pool_count()
{
    return pools().size();
}

const allocation *find_allocation(const void *pointer, const char **begin)
{
    auto found = allocations().upper_bound(static_cast<const char *>(pointer));
    if (found == allocations().begin()) return nullptr;
    --found;
    if (static_cast<const char *>(pointer) >= found->first + found->second.bytes) return nullptr;
    *begin = found->first;
    return &found->second;
}

/* Whether the next allocation is the one that is to fail. */
static bool is_to_fail()
{
    runtime &state = the_runtime();
    if (state.allocations_until_failure == 0 || --state.allocations_until_failure > 0) return false;
    state.has_failed = true;
    return true;
}

size_t kept_bytes(int number)
{
    size_t bytes = 0;
    for (const cudaMemPool_t pool : pools())
        if (pool->device == number) bytes += pool->reserved - pool->used;
    return bytes;
}

void release_reserves()
{
    for (const cudaMemPool_t pool : pools()) pool->reserved = pool->used;
}

static bool has_room(const allocation &wanted)
{
    const runtime &state = the_runtime();
    if (wanted.type != cudaMemoryTypeDevice) return true;
    const cudaMemPool_t pool = wanted.pool;
    const size_t own = pool ? pool->reserved - pool->used : 0; /* what the pool keeps serves it first */
    const size_t used = state.devices[wanted.device].used_bytes + kept_bytes(wanted.device) - own;
    if (used > state.memory_bytes || wanted.bytes > state.memory_bytes - used) return false;
    return !pool || pool->max_bytes == 0 || wanted.bytes <= pool->max_bytes - pool->used;
}

static void count_bytes(const allocation &counted, bool added)
{
    if (counted.type != cudaMemoryTypeDevice) return;
    size_t &used = the_runtime().devices[counted.device].used_bytes;
    used = added ? used + counted.bytes : used - counted.bytes;
    if (!counted.pool) return;
    CUmemPoolHandle_st &pool = *counted.pool;
    pool.used = added ? pool.used + counted.bytes : pool.used - counted.bytes;
    pool.used_high = max(pool.used_high, pool.used);
    pool.reserved = pool.release_threshold ? max(pool.reserved, pool.used) : pool.used;
}

static cudaError_t allocate(void **memory, const allocation &wanted)
{
    *memory = nullptr;
    if (wanted.bytes == 0) return cudaSuccess;
    if (is_to_fail() || !has_room(wanted)) return cudaErrorMemoryAllocation;
    if (posix_memalign(memory, ALIGNMENT, wanted.bytes) != 0) {
        *memory = nullptr;
        return cudaErrorMemoryAllocation;
    }
    memset(*memory, PATTERN, std::min(wanted.bytes, PATTERN_BYTES_MAX));
    allocations().emplace(static_cast<const char *>(*memory), wanted);
    count_bytes(wanted, true);
    return cudaSuccess;
}

static void release(allocation_map::iterator freed)
{
    count_bytes(freed->second, false);
    if (!freed->second.registered) free(const_cast<char *>(freed->first));
    allocations().erase(freed);
}

/* Frees memory of this type; NULL: nothing. */
static cudaError_t release(const void *memory, cudaMemoryType type, bool registered)
{
    if (!memory) return registered ? cudaErrorInvalidValue : cudaSuccess;
    const auto found = allocations().find(static_cast<const char *>(memory));
    const bool is = found != allocations().end() && found->second.type == type;
    if (!is || found->second.registered != registered)
        return registered ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
    release(found);
    return cudaSuccess;
}

void free_device_memory(int number)
{
    for (auto each = allocations().begin(); each != allocations().end();) {
        const auto next = std::next(each);
        if (each->second.type == cudaMemoryTypeDevice && each->second.device == number) release(each);
        each = next;
    }
}

static cudaError_t register_memory(void *memory, size_t bytes)
{
    if (!memory || bytes == 0) return cudaErrorInvalidValue;
    const char *first = static_cast<const char *>(memory), *begin;
    const auto next = allocations().lower_bound(first);
    if (find_allocation(first, &begin) || (next != allocations().end() && next->first < first + bytes))
        return cudaErrorHostMemoryAlreadyRegistered;
    if (is_to_fail()) return cudaErrorMemoryAllocation;
    allocations().emplace(first, allocation{bytes, cudaMemoryTypeHost, current_device, true, nullptr});
    return cudaSuccess;
}

static cudaMemPool_t default_pool(int number)
{
    cudaMemPool_t &pool = the_runtime().devices[number].default_pool;
    if (!pool) pool = new CUmemPoolHandle_st{number, 0, 0, 0, 0, 0, {}};
    return pool;
}

static bool is_pool(cudaMemPool_t pool)
{
    if (!pool) return false;
    for (const device &each : the_runtime().devices)
        if (pool == each.default_pool) return true;
    return pools().count(pool) > 0;
}

static cudaError_t allocate_from(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (!is_stream(stream) || !is_pool(pool)) return cudaErrorInvalidResourceHandle;
    return allocate(memory, {bytes, cudaMemoryTypeDevice, pool->device, false, pool});
}

/* The bytes of an attribute that has them; NULL: it is another one. */
static uint64_t *pool_bytes(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
        return &pool->reserved;
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    default:
        return nullptr;
    }
}

static cudaError_t set_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void *value)
{
    if (!is_pool(pool)) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReservedMemCurrent || attribute == cudaMemPoolAttrUsedMemCurrent)
        return cudaErrorInvalidValue;
    uint64_t *bytes = pool_bytes(pool, attribute);
    if (!bytes) {
        memcpy(&pool->reuse[attribute], value, sizeof(int));
        return cudaSuccess;
    }
    uint64_t wanted;
    memcpy(&wanted, value, sizeof wanted);
    if (attribute != cudaMemPoolAttrReleaseThreshold && wanted != 0) return cudaErrorInvalidValue;
    *bytes =
        attribute == cudaMemPoolAttrReleaseThreshold ? wanted : pool->used; /* a high mark starts again */
    return cudaSuccess;
}

static cudaError_t destroy_pool(cudaMemPool_t pool)
{
    if (pools().erase(pool) == 0) return cudaErrorInvalidValue;
    for (auto &each : allocations()) /* what is allocated stays until it is freed */
        if (each.second.pool == pool) each.second.pool = nullptr;
    delete pool;
    return cudaSuccess;
}

} // namespace cuda_emulator

using namespace cuda_emulator;

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return runtime_call(USES_DEVICE, [=] {
        return allocate(memory, {bytes, cudaMemoryTypeDevice, current_device, false, nullptr});
    });
}

cudaError_t cudaFree(void *memory)
{
    return runtime_call(RELEASES, [=] { return release(memory, cudaMemoryTypeDevice, false); });
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    return runtime_call(USES_DEVICE, [=] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        return allocate_from(memory, bytes, default_pool(stream_device(stream)), stream);
    });
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return runtime_call(USES_DEVICE, [=] { return allocate_from(memory, bytes, pool, stream); });
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    return runtime_call(RELEASES, [=] {
        const cudaError_t status = release(memory, cudaMemoryTypeDevice, false);
        return is_stream(stream) ? status : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    return runtime_call(USES_DEVICE, [=] {
        return allocate(memory, {bytes, cudaMemoryTypeHost, current_device, false, nullptr});
    });
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *memory)
{
    return runtime_call(RELEASES, [=] { return release(memory, cudaMemoryTypeHost, false); });
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    return runtime_call(USES_DEVICE, [=] { return register_memory(memory, bytes); });
}

cudaError_t cudaHostUnregister(void *memory)
{
    return runtime_call(RELEASES, [=] { return release(memory, cudaMemoryTypeHost, true); });
}

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *memory, unsigned)
{
    return runtime_call(USES_DEVICE, [=] {
        const char *begin;
        const allocation *found = find_allocation(memory, &begin);
        if (!found || found->type != cudaMemoryTypeHost) return cudaErrorInvalidValue;
        *device_pointer = memory;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    return runtime_call(USES_DEVICE, [=] {
        const char *begin;
        const allocation *found = find_allocation(pointer, &begin);
        void *address = const_cast<void *>(pointer);
        if (!found)
            *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
        else
            *attributes = {found->type, found->device, address,
                           found->type == cudaMemoryTypeHost ? address : nullptr};
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties)
{
    return runtime_call(USES_DEVICE, [=] {
        const cudaMemLocation &location = properties->location;
        if (properties->allocType != cudaMemAllocationTypePinned ||
            location.type != cudaMemLocationTypeDevice)
            return cudaErrorInvalidValue;
        if (!is_device(location.id)) return cudaErrorInvalidDevice;
        *pool = new CUmemPoolHandle_st{location.id, properties->maxSize, 0, 0, 0, 0, {}};
        pools().insert(*pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return runtime_call(RELEASES, [=] { return destroy_pool(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    return runtime_call(USES_DEVICE, [=] { return set_attribute(pool, attribute, value); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    return runtime_call(USES_DEVICE, [=] {
        if (!is_pool(pool)) return cudaErrorInvalidValue;
        const uint64_t *bytes = pool_bytes(pool, attribute);
        if (bytes)
            memcpy(value, bytes, sizeof *bytes);
        else
            memcpy(value, &pool->reuse[attribute], sizeof(int));
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count)
{
    return runtime_call(USES_DEVICE, [=] {
        if (!is_pool(pool)) return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i)
            if (access[i].location.type != cudaMemLocationTypeDevice || !is_device(access[i].location.id))
                return cudaErrorInvalidDevice;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    return runtime_call(USES_DEVICE, [=] {
        if (!is_pool(pool)) return cudaErrorInvalidValue;
        pool->reserved = max(pool->used, std::min<uint64_t>(pool->reserved, keep));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int number)
{
    return runtime_call(USES_DEVICE, [=] {
        if (!is_device(number)) return cudaErrorInvalidDevice;
        *pool = default_pool(number);
        return cudaSuccess;
    });
}
