/* gpu.cu - see gpu.h. */
#include "kernels/cuda/gpu.h"

#include <cstdio>

macadam_status gpu_fail(mcd_gpu *gpu, cudaError_t status, const char *what, macadam_error *error)
{
    (void)cudaGetLastError(); /* is reported here */
    if (status != cudaErrorMemoryAllocation) gpu->lost = true;
    return mcd_fail(error, MACADAM_E_DEVICE, "cuda:%d: %s: %s", gpu->ordinal, what,
                    cudaGetErrorString(status));
}

static macadam_status make_pool(mcd_gpu *gpu, macadam_error *error)
{
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = gpu->ordinal;
    cudaError_t status = cudaMemPoolCreate(&gpu->pool, &properties);
    uint64_t keep_all = UINT64_MAX;
    if (status == cudaSuccess)
        status = cudaMemPoolSetAttribute(gpu->pool, cudaMemPoolAttrReleaseThreshold, &keep_all);
    return status == cudaSuccess ? MACADAM_OK : gpu_fail(gpu, status, "making a memory pool", error);
}

macadam_status gpu_open(mcd_gpu *gpu, int ordinal, uint64_t memory_limit, macadam_error *error)
{
    cudaDeviceProp properties;
    size_t free_bytes = 0, all_bytes = 0;
    gpu->ordinal = ordinal;
    cudaError_t status = cudaSetDevice(ordinal);
    if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, ordinal);
    if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &all_bytes);
    if (status != cudaSuccess) return gpu_fail(gpu, status, "opening the device", error);
    snprintf(gpu->name, sizeof gpu->name, "cuda:%d: %.64s", ordinal, properties.name);
    gpu->processor_count = properties.multiProcessorCount;
    gpu->shared_bytes = properties.sharedMemPerBlockOptin;
    gpu->launches_early = properties.major >= 9;
    gpu->memory_limit = free_bytes / 16 * 15; /* the rest is the driver's, for kernels and contexts */
    if (memory_limit && memory_limit < gpu->memory_limit) gpu->memory_limit = memory_limit;
    return make_pool(gpu, error);
}

static void close_line(gpu_line *line)
{
    if (line->stream) (void)cudaStreamDestroy(line->stream);
    if (line->copies) (void)cudaStreamDestroy(line->copies);
    if (line->event) (void)cudaEventDestroy(line->event);
}

void gpu_close(mcd_gpu *gpu)
{
    (void)cudaSetDevice(gpu->ordinal);
    while (gpu->line_count > 0) close_line(&gpu->line[--gpu->line_count]);
    while (gpu->pinned_count > 0) (void)cudaFreeHost(gpu->pinned[--gpu->pinned_count]);
    if (gpu->pool) (void)cudaMemPoolDestroy(gpu->pool);
    gpu->pool = nullptr;
}

uint64_t gpu_memory_free(mcd_gpu *gpu)
{
    size_t free_bytes = 0, all_bytes = 0;
    uint64_t reserved = 0, used = 0;
    if (cudaSetDevice(gpu->ordinal) != cudaSuccess ||
        cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess ||
        cudaMemPoolGetAttribute(gpu->pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess ||
        cudaMemPoolGetAttribute(gpu->pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess)
        return 0;
    const uint64_t within_limit = used < gpu->memory_limit ? gpu->memory_limit - used : 0;
    const uint64_t available = free_bytes / 16 * 15 + (reserved > used ? reserved - used : 0);
    return within_limit < available ? within_limit : available;
}

macadam_status gpu_call::begin()
{
    gpu_line line;
    MCD_TRY(check(cudaSetDevice(gpu->ordinal), "choosing the device"));
    {
        const std::lock_guard<std::mutex> guard(gpu->lock);
        if (gpu->line_count > 0) line = gpu->line[--gpu->line_count];
    }
    cudaError_t status = cudaSuccess;
    if (!line.stream) status = cudaStreamCreateWithFlags(&line.stream, cudaStreamNonBlocking);
    if (!line.copies && status == cudaSuccess)
        status = cudaStreamCreateWithFlags(&line.copies, cudaStreamNonBlocking);
    if (!line.event && status == cudaSuccess)
        status = cudaEventCreateWithFlags(&line.event, cudaEventDisableTiming);
    stream = line.stream, copies = line.copies, event_ = line.event;
    return check(status, "making a stream");
}

macadam_status gpu_call::synchronize()
{
    MCD_TRY(check(cudaStreamSynchronize(stream), "computing"));
    return check(cudaStreamSynchronize(copies), "copying");
}

macadam_status gpu_call::order_copies()
{
    MCD_TRY(check(cudaEventRecord(event_, stream), "recording an event"));
    return check(cudaStreamWaitEvent(copies, event_, 0), "waiting for an event");
}

macadam_status gpu_call::order_work()
{
    MCD_TRY(check(cudaEventRecord(event_, copies), "recording an event"));
    return check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
}

macadam_status gpu_call::pinned(int index, void **out)
{
    if (!chunk_[index]) {
        const std::lock_guard<std::mutex> guard(gpu->lock);
        if (gpu->pinned_count > 0) chunk_[index] = gpu->pinned[--gpu->pinned_count];
    }
    if (!chunk_[index])
        MCD_TRY(check(cudaMallocHost(&chunk_[index], PINNED_BYTES), "allocating pinned memory"));
    *out = chunk_[index];
    return MACADAM_OK;
}

gpu_call::~gpu_call()
{
    gpu_line line;
    line.stream = stream, line.copies = copies, line.event = event_;
    if (stream) (void)cudaStreamSynchronize(stream);
    if (copies) (void)cudaStreamSynchronize(copies);
    const std::lock_guard<std::mutex> guard(gpu->lock);
    if (stream && copies && event_ && gpu->line_count < LINES_MAX)
        gpu->line[gpu->line_count++] = line;
    else
        close_line(&line);
    for (void *chunk : chunk_) {
        if (!chunk) continue;
        if (gpu->pinned_count < PINNED_MAX)
            gpu->pinned[gpu->pinned_count++] = chunk;
        else
            (void)cudaFreeHost(chunk);
    }
}
