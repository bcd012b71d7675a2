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
static macadam_status fail_without_device(const char *name, macadam_error *error)
{
    int driver = 0;
    if (count_status == cudaSuccess || count_status == cudaErrorNoDevice)
        return mcd_fail(error, MACADAM_E_DEVICE, "no device \"%s\": the driver finds no GPU", name);
    if (count_status != cudaErrorInsufficientDriver)
        return mcd_fail(error, MACADAM_E_DEVICE, "no device \"%s\": the driver fails: %s", name,
                        cudaGetErrorString(count_status));
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return mcd_fail(error, MACADAM_E_DEVICE, "no device \"%s\": no NVIDIA driver is installed", name);
    return mcd_fail(error, MACADAM_E_DEVICE,
                    "no device \"%s\": the driver knows CUDA %d.%d, the module needs %d.%d", name,
                    driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

/* "cuda": the first GPU; "cuda:N"; "cuda:all". */
static macadam_status choose(const char *name, size_t count, size_t *first, size_t *chosen,
                             macadam_error *error)
{
    *first = 0;
    *chosen = 1;
    if (strcmp(name, "cuda:all") == 0) *chosen = count;
    if (strncmp(name, "cuda:", 5) == 0 && strcmp(name, "cuda:all") != 0) {
        char *end;
        *first = strtoul(name + 5, &end, 10);
        if (name[5] < '0' || name[5] > '9' || *end) *first = SIZE_MAX;
    }
    if (count == 0) return fail_without_device(name, error);
    if (*first < count) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_DEVICE, "no device \"%s\"; there are cuda:0 to cuda:%zu, and cuda:all",
                    name, count - 1);
}

macadam_status mcd_cuda_open(mcd_device **out, const char *name, uint64_t scratch_limit, macadam_error *error)
{
    *out = nullptr;
    size_t first, count;
    mcd_device *device;
    MCD_TRY(choose(name, mcd_cuda_list(nullptr, 0), &first, &count, error));
    MCD_TRY(object_new(&device, "a device", error));
    macadam_status status = MACADAM_OK;
    for (; device->gpu_count < count && !status; ++device->gpu_count)
        status =
            gpu_open(&device->gpu[device->gpu_count], (int)(first + device->gpu_count), scratch_limit, error);
    if (status) {
        mcd_cuda_close(device);
        return status;
    }
    if (count == 1)
        snprintf(device->name, sizeof device->name, "%s", device->gpu[0].name);
    else
        snprintf(device->name, sizeof device->name, "%s and %zu more", device->gpu[0].name, count - 1);
    *out = device;
    return MACADAM_OK;
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

static macadam_status reach_peer(gpu_call &call, const mcd_gpu &peer, bool *reaches)
{
    int can = 0;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = call.gpu->ordinal;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CUDA_TRY(call, cudaDeviceCanAccessPeer(&can, call.gpu->ordinal, peer.ordinal),
             "looking at another device");
    *reaches = can;
    if (!can) return MACADAM_OK;
    CUDA_TRY(call, cudaMemPoolSetAccess(peer.pool, &access, 1), "sharing memory of a device");
    const cudaError_t status = cudaDeviceEnablePeerAccess(peer.ordinal, 0);
    if (status != cudaErrorPeerAccessAlreadyEnabled) return call.check(status, "reaching memory of a device");
    (void)cudaGetLastError(); /* another device of this process has enabled it */
    return MACADAM_OK;
}

macadam_status peers_meet(mcd_device *device, macadam_error *error)
{
    const std::lock_guard<std::mutex> guard(device->lock);
    for (size_t g = 0; g < device->gpu_count && !device->have_met; ++g) {
        gpu_call call(&device->gpu[g], error);
        MCD_TRY(call.begin());
        for (size_t peer = 0; peer < device->gpu_count; ++peer)
            if (peer != g) MCD_TRY(reach_peer(call, device->gpu[peer], &device->reaches[g][peer]));
    }
    device->have_met = true;
    return MACADAM_OK;
}

static cudaError_t allocate(void **out, const mcd_gpu &gpu, mcd_memory_kind kind, size_t bytes)
{
    const cudaError_t status = cudaSetDevice(gpu.ordinal);
    if (status != cudaSuccess) return status;
    return kind == MCD_MEMORY_PINNED ? cudaHostAlloc(out, bytes, cudaHostAllocPortable)
                                     : cudaMalloc(out, bytes);
}

macadam_status mcd_cuda_memory_new(void **out, mcd_device *device, size_t index, mcd_memory_kind kind,
                                   uint64_t bytes, macadam_error *error)
{
    *out = nullptr;
    mcd_gpu *const gpu = &device->gpu[index];
    const size_t size = mcd_size_max(bytes, 1);
    cudaError_t status = allocate(out, *gpu, kind, size);
    if (status == cudaErrorMemoryAllocation && kind == MCD_MEMORY_DEVICE && gpu_trim(gpu))
        status = allocate(out, *gpu, kind, size);
    return status == cudaSuccess ? MACADAM_OK
                                 : gpu_fail(gpu, status, "allocating memory for a caller", error);
}

static macadam_status find_owner(mcd_device *device, const void *memory, int *owner, macadam_error *error)
{
    gpu_call call(&device->gpu[0], error);
    MCD_TRY(call.begin());
    return owner_of_memory(call, memory, owner);
}

/* The index of the owner, or of any GPU that can reach the owner's memory. */
static size_t gpu_of_owner(const mcd_device *device, int owner)
{
    size_t index = device->gpu_count - 1;
    while (index > 0 && device->gpu[index].ordinal != owner) --index;
    return index;
}

macadam_status gpu_of_memory(mcd_device *device, const void *memory, mcd_gpu **out, macadam_error *error)
{
    int owner;
    MCD_TRY(find_owner(device, memory, &owner, error));
    *out = &device->gpu[gpu_of_owner(device, owner)];
    return MACADAM_OK;
}

/* Runs move(call) on the GPU that has the memory; if the host has it, copies the bytes. */
template <class Move>
static macadam_status move_bytes(mcd_device *device, const void *memory, void *to, const void *from,
                                 uint64_t bytes, macadam_error *error, const Move &move)
{
    int owner;
    MCD_TRY(find_owner(device, memory, &owner, error));
    if (owner < 0) {
        memcpy(to, from, bytes);
        return MACADAM_OK;
    }
    gpu_call call(&device->gpu[gpu_of_owner(device, owner)], error);
    MCD_TRY(call.begin());
    return move(call);
}

macadam_status mcd_cuda_memory_read(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                    const mcd_parallel *parallel, macadam_error *error)
{
    return move_bytes(device, from, to, from, bytes, error,
                      [&](gpu_call &call) { return deliver(call, to, from, bytes, parallel); });
}

macadam_status mcd_cuda_memory_write(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                     macadam_error *error)
{
    return move_bytes(device, to, to, from, bytes, error, [&](gpu_call &call) {
        MCD_TRY(call.copy((char *)to, (const char *)from, bytes, "copying answers"));
        return call.synchronize();
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
