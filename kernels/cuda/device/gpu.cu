/* gpu.cu - see gpu.h. */
#include "kernels/cuda/device/gpu.h"

#include <cstdio>

/* With less memory free, a GPU counts as full: the driver takes as much for its own work. */
enum { FREE_BYTES_MIN = 16 << 20 };

/* Whether the GPU has a sticky failure, which every later call returns. */
static bool stays(const mcd_gpu *gpu)
{
    size_t free_bytes, all_bytes;
    const bool fails =
        cudaSetDevice(gpu->ordinal) != cudaSuccess || cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess;
    (void)cudaGetLastError();
    return fails;
}

macadam_status gpu_fail(mcd_gpu *gpu, cudaError_t status, const char *what, macadam_error *error)
{
    (void)cudaGetLastError(); /* this call reports it */
    if (status != cudaErrorMemoryAllocation && stays(gpu)) gpu->lost = true;
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

/* A GPU that failed earlier in this process still has its name and properties: only its memory shows the
 * failure. */
static macadam_status check_memory(const mcd_gpu *gpu, macadam_error *error)
{
    size_t free_bytes = 0, all_bytes = 0;
    cudaError_t status = cudaSetDevice(gpu->ordinal);
    if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &all_bytes);
    (void)cudaGetLastError(); /* this call reports it */
    if (status == cudaErrorMemoryAllocation)
        return mcd_fail(error, MACADAM_E_LIMIT, "cuda:%d is full: it has no memory for another process",
                        gpu->ordinal);
    if (status != cudaSuccess)
        return mcd_fail(error, MACADAM_E_DEVICE, "cuda:%d cannot be used by this process: %s", gpu->ordinal,
                        cudaGetErrorString(status));
    if (free_bytes >= FREE_BYTES_MIN) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_LIMIT, "cuda:%d is full: %zu of its %zu bytes are free", gpu->ordinal,
                    free_bytes, all_bytes);
}

macadam_status gpu_open(mcd_gpu *gpu, int ordinal, uint64_t scratch_limit, macadam_error *error)
{
    cudaDeviceProp properties;
    gpu->ordinal = ordinal;
    MCD_TRY(check_memory(gpu, error));
    const cudaError_t status = cudaGetDeviceProperties(&properties, ordinal);
    if (status != cudaSuccess) return gpu_fail(gpu, status, "opening the device", error);
    snprintf(gpu->name, sizeof gpu->name, "cuda:%d: %.64s", ordinal, properties.name);
    gpu->processor_count = properties.multiProcessorCount;
    gpu->shared_bytes = properties.sharedMemPerBlockOptin;
    gpu->launches_early = properties.major >= 9;
    if (scratch_limit) gpu->budget.limit = scratch_limit;
    return make_pool(gpu, error);
}

static void close_line(gpu_line *line)
{
    if (line->stream) (void)cudaStreamDestroy(line->stream);
    if (line->copies) (void)cudaStreamDestroy(line->copies);
    if (line->event) (void)cudaEventDestroy(line->event);
    if (line->done) (void)cudaEventDestroy(line->done);
}

void gpu_close(mcd_gpu *gpu)
{
    (void)cudaSetDevice(gpu->ordinal);
    while (gpu->line_count > 0) close_line(&gpu->line[--gpu->line_count]);
    while (gpu->pinned_count > 0) (void)cudaFreeHost(gpu->pinned[--gpu->pinned_count]);
    if (gpu->pool) (void)cudaMemPoolDestroy(gpu->pool);
    gpu->pool = nullptr;
}

/* ---- memory ---- */

static cudaError_t find_kept(const mcd_gpu *gpu, uint64_t *used, uint64_t *kept)
{
    uint64_t held = 0;
    *used = 0;
    cudaError_t status = cudaMemPoolGetAttribute(gpu->pool, cudaMemPoolAttrUsedMemCurrent, used);
    if (status == cudaSuccess)
        status = cudaMemPoolGetAttribute(gpu->pool, cudaMemPoolAttrReservedMemCurrent, &held);
    *kept = held > *used ? held - *used : 0;
    return status;
}

bool gpu_trim(mcd_gpu *gpu)
{
    uint64_t used = 0, kept = 0;
    if (cudaSetDevice(gpu->ordinal) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
        find_kept(gpu, &used, &kept) != cudaSuccess || kept == 0)
        return false;
    return cudaMemPoolTrimTo(gpu->pool, 0) == cudaSuccess;
}

void gpu_add_held(mcd_gpu *gpu, mcd_device_memory *held)
{
    uint64_t used = 0, kept = 0;
    if (gpu->lost || find_kept(gpu, &used, &kept) != cudaSuccess) return;
    const std::lock_guard<std::mutex> guard(gpu->lock);
    held->in_use += used;
    held->idle += kept;
    held->pinned += gpu->pinned_count * (uint64_t)PINNED_BYTES;
}

void gpu_trim_to(mcd_gpu *gpu, uint64_t keep)
{
    uint64_t used = 0, kept = 0;
    if (gpu->lost || cudaSetDevice(gpu->ordinal) != cudaSuccess) return;
    {
        const std::lock_guard<std::mutex> guard(gpu->lock);
        while (gpu->pinned_count * (uint64_t)PINNED_BYTES > keep)
            (void)cudaFreeHost(gpu->pinned[--gpu->pinned_count]);
    }
    /* Under the lock, so that no call takes memory between the question and the answer. */
    const std::lock_guard<std::mutex> guard(gpu->budget.lock);
    if (find_kept(gpu, &used, &kept) == cudaSuccess && kept > keep)
        (void)cudaMemPoolTrimTo(gpu->pool, used + keep);
}

/* Called with the budget's lock: the bytes that are neither in use nor taken. */
static macadam_status find_room(gpu_call &call, uint64_t *out)
{
    const gpu_budget &budget = call.gpu->budget;
    size_t free_bytes = 0, all_bytes = 0;
    uint64_t used = 0, kept = 0;
    CUDA_TRY(call, cudaMemGetInfo(&free_bytes, &all_bytes), "looking at memory");
    CUDA_TRY(call, find_kept(call.gpu, &used, &kept), "looking at memory");
    const uint64_t available = free_bytes / 16 * 15 + kept; /* the driver needs the rest */
    const uint64_t taken = budget.scratch - mcd_size_min(budget.allocated, budget.scratch) + budget.room;
    *out = available > taken ? available - taken : 0;
    return MACADAM_OK;
}

/* Called with the lock, and releases it while it waits: until there is room for `least` bytes (for
 * scratch, within the limit), if others may give back so much. *room: the room there is. */
static macadam_status wait_for_room(gpu_call &call, std::unique_lock<std::mutex> &guard, uint64_t least,
                                    bool is_scratch, const char *what, uint64_t *room)
{
    gpu_budget &budget = call.gpu->budget;
    for (;;) {
        MCD_TRY(find_room(call, room));
        if (is_scratch) *room = mcd_size_min(*room, budget.limit - budget.scratch);
        if (*room >= least) return MACADAM_OK;
        if (call.is_scratch || *room + budget.scratch + budget.room < least) break;
        budget.given_back.wait(guard);
    }
    return mcd_fail(call.error, MACADAM_E_DEVICE,
                    "cuda:%d: %s: out of memory: %llu bytes are needed, %llu can be had", call.gpu->ordinal,
                    what, (unsigned long long)least, (unsigned long long)*room);
}

macadam_status gpu_share::take(gpu_call &call, uint64_t least, uint64_t wanted, const char *what)
{
    uint64_t room;
    std::unique_lock<std::mutex> guard(call.gpu->budget.lock);
    MCD_TRY(wait_for_room(call, guard, least, true, what, &room));
    gpu_ = call.gpu;
    scratch_ = mcd_size_min(wanted, mcd_size_max(least, room / 4 * 3)); /* leaves a quarter to others */
    gpu_->budget.scratch += scratch_;
    call.is_scratch = true;
    return MACADAM_OK;
}

macadam_status gpu_share::make_room(gpu_call &call, uint64_t bytes, const char *what)
{
    uint64_t room;
    std::unique_lock<std::mutex> guard(call.gpu->budget.lock);
    MCD_TRY(wait_for_room(call, guard, bytes, false, what, &room));
    gpu_ = call.gpu;
    gpu_->budget.room += room_ = bytes;
    return MACADAM_OK;
}

gpu_share::~gpu_share()
{
    if (!gpu_) return;
    const std::lock_guard<std::mutex> guard(gpu_->budget.lock);
    gpu_->budget.scratch -= scratch_;
    gpu_->budget.room -= room_;
    gpu_->budget.given_back.notify_all();
}

macadam_status gpu_allocate(gpu_block *out, gpu_call &call, size_t bytes, const char *what)
{
    gpu_block block = {call.gpu, nullptr, call.stream, call.is_scratch ? bytes : 0};
    const std::lock_guard<std::mutex> guard(call.gpu->budget.lock);
    CUDA_TRY(call, cudaMallocFromPoolAsync(&block.data, bytes, call.gpu->pool, call.stream), what);
    call.gpu->budget.allocated += block.scratch;
    *out = block;
    return MACADAM_OK;
}

void gpu_free(const gpu_block &block)
{
    int current = 0;
    const std::lock_guard<std::mutex> guard(block.gpu->budget.lock);
    cudaGetDevice(&current);
    if (current != block.gpu->ordinal) cudaSetDevice(block.gpu->ordinal);
    cudaFreeAsync(block.data, block.stream);
    if (current != block.gpu->ordinal) cudaSetDevice(current);
    block.gpu->budget.allocated -= block.scratch;
}

/* The room now, or with `given_back` once calls have given back their scratch. */
static uint64_t room_of(mcd_gpu *gpu, bool given_back)
{
    gpu_call call(gpu, nullptr);
    uint64_t room = 0;
    if (call.begin()) return 0;
    const std::lock_guard<std::mutex> guard(gpu->budget.lock);
    const gpu_budget &budget = gpu->budget;
    if (find_room(call, &room)) return 0;
    return given_back ? mcd_size_min(room + budget.scratch, budget.limit)
                      : mcd_size_min(room, budget.limit - budget.scratch);
}

uint64_t gpu_scratch_free(mcd_gpu *gpu)
{
    return room_of(gpu, false);
}

uint64_t gpu_stay_room(mcd_gpu *gpu)
{
    return room_of(gpu, true);
}

/* ---- calls ---- */

/* An idle line, or the next unused one; NULL if there is none. */
static gpu_line *take_line(mcd_gpu *gpu)
{
    const std::lock_guard<std::mutex> guard(gpu->lock);
    gpu_line *const line = gpu->idle;
    if (line) gpu->idle = line->next;
    if (line || gpu->line_count == LINES_MAX) return line;
    return &gpu->line[gpu->line_count++];
}

macadam_status gpu_call::enter()
{
    return check(cudaSetDevice(gpu->ordinal), "choosing the device");
}

macadam_status gpu_call::begin()
{
    MCD_TRY(enter());
    line_ = take_line(gpu);
    if (!line_)
        return mcd_fail(error, MACADAM_E_DEVICE, "%s: more than %d concurrent calls", gpu->name,
                        (int)LINES_MAX);
    cudaError_t status = cudaSuccess;
    if (!line_->stream) status = cudaStreamCreateWithFlags(&line_->stream, cudaStreamNonBlocking);
    if (!line_->copies && status == cudaSuccess)
        status = cudaStreamCreateWithFlags(&line_->copies, cudaStreamNonBlocking);
    if (!line_->event && status == cudaSuccess)
        status = cudaEventCreateWithFlags(&line_->event, cudaEventDisableTiming);
    if (!line_->done && status == cudaSuccess)
        status = cudaEventCreateWithFlags(&line_->done, cudaEventDisableTiming | cudaEventBlockingSync);
    stream = line_->stream, copies = line_->copies;
    return check(status, "making a stream");
}

macadam_status gpu_call::wait()
{
    MCD_TRY(check(cudaEventRecord(line_->done, stream), "recording an event"));
    return check(cudaEventSynchronize(line_->done), "computing");
}

macadam_status gpu_call::synchronize()
{
    MCD_TRY(check(cudaStreamSynchronize(stream), "computing"));
    return check(cudaStreamSynchronize(copies), "copying");
}

macadam_status gpu_call::order_copies()
{
    MCD_TRY(check(cudaEventRecord(line_->event, stream), "recording an event"));
    return check(cudaStreamWaitEvent(copies, line_->event, 0), "waiting for an event");
}

macadam_status gpu_call::order_work()
{
    MCD_TRY(check(cudaEventRecord(line_->event, copies), "recording an event"));
    return check(cudaStreamWaitEvent(stream, line_->event, 0), "waiting for an event");
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
    if (stream) (void)cudaStreamSynchronize(stream);
    if (copies) (void)cudaStreamSynchronize(copies);
    const std::lock_guard<std::mutex> guard(gpu->lock);
    if (line_) line_->next = gpu->idle, gpu->idle = line_;
    for (void *chunk : chunk_) {
        if (!chunk) continue;
        if (gpu->pinned_count < PINNED_MAX)
            gpu->pinned[gpu->pinned_count++] = chunk;
        else
            (void)cudaFreeHost(chunk);
    }
}
