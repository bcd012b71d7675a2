/* device.cu - the GPUs that an engine opens together, and memory on them for its callers. */
#include "kernels/cuda/device/device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static cudaError_t count_status; /* of mcd_cuda_list, which asks once */

size_t mcd_cuda_list(const char **name, size_t capacity)
{
    static char known[GPUS_MAX][96];
    static std::once_flag once;
    static int count = 0;
    std::call_once(once, [] {
        count_status = cudaGetDeviceCount(&count);
        if (count_status != cudaSuccess) count = 0;
        (void)cudaGetLastError();
        if (count > GPUS_MAX) count = GPUS_MAX;
        for (int g = 0; g < count; ++g) {
            cudaDeviceProp properties;
            if (cudaGetDeviceProperties(&properties, g) != cudaSuccess) properties.name[0] = '\0';
            snprintf(known[g], sizeof known[g], "cuda:%d: %.64s", g, properties.name);
        }
    });
    for (size_t g = 0; g < (size_t)count && g < capacity; ++g) name[g] = known[g];
    return (size_t)count;
}

/* Says why there is no device. */
static void fail_without_device(const char *name)
{
    int driver = 0;
    if (count_status == cudaSuccess || count_status == cudaErrorNoDevice)
        fail(MACADAM_E_DEVICE, "no device \"%s\": the driver finds no GPU", name);
    if (count_status != cudaErrorInsufficientDriver)
        fail(MACADAM_E_DEVICE, "no device \"%s\": the driver fails: %s", name,
             cudaGetErrorString(count_status));
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        fail(MACADAM_E_DEVICE, "no device \"%s\": no NVIDIA driver is installed", name);
    fail(MACADAM_E_DEVICE, "no device \"%s\": the driver knows CUDA %d.%d, the module needs %d.%d", name,
         driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

/* "cuda": the first GPU; "cuda:N"; "cuda:all". */
static void choose(const char *name, size_t count, size_t *first, size_t *chosen)
{
    *first = 0;
    *chosen = 1;
    if (strcmp(name, "cuda:all") == 0) *chosen = count;
    if (strncmp(name, "cuda:", 5) == 0 && strcmp(name, "cuda:all") != 0) {
        char *end;
        *first = strtoul(name + 5, &end, 10);
        if (name[5] < '0' || name[5] > '9' || *end) *first = SIZE_MAX;
    }
    if (count == 0) fail_without_device(name);
    if (*first >= count)
        fail(MACADAM_E_DEVICE, "no device \"%s\"; there are cuda:0 to cuda:%zu, and cuda:all", name,
             count - 1);
}

mcd_device *mcd_cuda_open(const char *name, uint64_t scratch_limit)
{
    size_t first, count;
    choose(name, mcd_cuda_list(nullptr, 0), &first, &count);
    const auto open_all = [&](mcd_device *device) {
        while (device->gpu_count < count) {
            const size_t g = device->gpu_count++;
            gpu_open(&device->gpu[g], (int)(first + g), scratch_limit);
        }
    };
    mcd_device *const device = object_new<mcd_device>("a device", open_all, mcd_cuda_close);
    if (count == 1)
        snprintf(device->name, sizeof device->name, "%s", device->gpu[0].name);
    else
        snprintf(device->name, sizeof device->name, "%s and %zu more", device->gpu[0].name, count - 1);
    return device;
}

void mcd_cuda_close(mcd_device *device)
{
    if (!device) return;
    for (size_t g = 0; g < device->gpu_count; ++g) gpu_close(&device->gpu[g]);
    object_free(device);
}

const char *mcd_cuda_name(const mcd_device *device)
{
    return device->name;
}

bool mcd_cuda_lost(const mcd_device *device)
{
    for (size_t g = 0; g < device->gpu_count; ++g)
        if (device->gpu[g].lost) return true;
    return false;
}

size_t mcd_cuda_gpus(const mcd_device *device, int *number, size_t capacity)
{
    for (size_t g = 0; g < device->gpu_count && g < capacity; ++g) number[g] = device->gpu[g].ordinal;
    return device->gpu_count;
}

/* Returns whether the call's GPU reaches the peer's memory from now on. */
static bool reach_peer(gpu_call &call, const mcd_gpu &peer)
{
    int can = 0;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = call.gpu->ordinal;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    call.check(cudaDeviceCanAccessPeer(&can, call.gpu->ordinal, peer.ordinal), "looking at another device");
    if (!can) return false;
    call.check(cudaMemPoolSetAccess(peer.pool, &access, 1), "sharing memory of a device");
    const cudaError_t status = cudaDeviceEnablePeerAccess(peer.ordinal, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError(); /* another device of this process has enabled it */
    else
        call.check(status, "reaching memory of a device");
    return true;
}

void peers_meet(mcd_device *device)
{
    const std::lock_guard<std::mutex> guard(device->lock);
    for (size_t g = 0; g < device->gpu_count && !device->have_met; ++g) {
        gpu_call call(&device->gpu[g]);
        for (size_t peer = 0; peer < device->gpu_count; ++peer)
            if (peer != g) device->reaches[g][peer] = reach_peer(call, device->gpu[peer]);
    }
    device->have_met = true;
}

static cudaError_t allocate(void **out, const mcd_gpu &gpu, mcd_memory_kind kind, size_t bytes)
{
    const cudaError_t status = cudaSetDevice(gpu.ordinal);
    if (status != cudaSuccess) return status;
    return kind == MCD_MEMORY_PINNED ? cudaHostAlloc(out, bytes, cudaHostAllocPortable)
                                     : cudaMalloc(out, bytes);
}

void *mcd_cuda_memory_new(mcd_device *device, size_t index, mcd_memory_kind kind, uint64_t bytes)
{
    void *out = nullptr;
    mcd_gpu *const gpu = &device->gpu[index];
    const size_t size = mcd_size_max(bytes, 1);
    cudaError_t status = allocate(&out, *gpu, kind, size);
    if (status == cudaErrorMemoryAllocation && kind == MCD_MEMORY_DEVICE && gpu_trim(gpu))
        status = allocate(&out, *gpu, kind, size);
    gpu_check(gpu, status, "allocating memory for a caller", size);
    return out;
}

static int find_owner(mcd_device *device, const void *memory)
{
    gpu_call call(&device->gpu[0]);
    return owner_of_memory(call, memory);
}

/* The owner, or any GPU that can reach the owner's memory. */
static mcd_gpu *gpu_of_owner(mcd_device *device, int owner)
{
    size_t index = device->gpu_count - 1;
    while (index > 0 && device->gpu[index].ordinal != owner) --index;
    return &device->gpu[index];
}

mcd_gpu *gpu_of_memory(mcd_device *device, const void *memory)
{
    return gpu_of_owner(device, find_owner(device, memory));
}

/* Runs move(call) on the GPU that has the memory; if the host has it, copies the bytes. */
template <class Move>
static void move_bytes(mcd_device *device, const void *memory, void *to, const void *from, uint64_t bytes,
                       const Move &move)
{
    const int owner = find_owner(device, memory);
    if (owner < 0) {
        memcpy(to, from, bytes);
        return;
    }
    gpu_call call(gpu_of_owner(device, owner));
    move(call);
}

void mcd_cuda_memory_read(mcd_device *device, void *to, const void *from, uint64_t bytes,
                          const mcd_parallel *parallel)
{
    move_bytes(device, from, to, from, bytes,
               [&](gpu_call &call) { deliver(call, to, from, bytes, parallel); });
}

void mcd_cuda_memory_write(mcd_device *device, void *to, const void *from, uint64_t bytes)
{
    move_bytes(device, to, to, from, bytes, [&](gpu_call &call) {
        call.copy((char *)to, (const char *)from, bytes, "copying answers");
        call.synchronize();
    });
}

void mcd_cuda_memory_free(mcd_device *device, size_t index, mcd_memory_kind kind, void *memory)
{
    (void)cudaSetDevice(device->gpu[index].ordinal);
    (void)(kind == MCD_MEMORY_PINNED ? cudaFreeHost(memory) : cudaFree(memory));
    (void)cudaGetLastError(); /* the device may be lost */
}

mcd_device_memory mcd_cuda_held(mcd_device *device)
{
    mcd_device_memory held = {};
    for (size_t g = 0; g < device->gpu_count; ++g) gpu_add_held(&device->gpu[g], &held);
    return held;
}

void mcd_cuda_trim(mcd_device *device, uint64_t keep)
{
    for (size_t g = 0; g < device->gpu_count; ++g) gpu_trim_to(&device->gpu[g], keep);
    (void)cudaGetLastError(); /* a device that failed is found by the next call */
}
