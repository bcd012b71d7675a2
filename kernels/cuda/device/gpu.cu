/* gpu.cu - see gpu.h. */
#include "kernels/cuda/device/gpu.h"

#include <cstdio>

/* With less memory free, a GPU counts as full: the driver takes as much for its own work. */
enum { FREE_BYTES_MIN = 16 << 20 };

/* How long the room is known, and how many parts of it make a small one. */
static const std::chrono::milliseconds KNOWN_TIME(100);
enum { KNOWN_PARTS = 64 };

/* Whether the GPU has a sticky failure, which every later call returns. */
static bool stays(const mcd_gpu *gpu)
{
    size_t free_bytes, all_bytes;
    const bool fails =
        cudaSetDevice(gpu->ordinal) != cudaSuccess || cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess;
    (void)cudaGetLastError();
    return fails;
}

void gpu_check(mcd_gpu *gpu, cudaError_t status, const char *what, size_t bytes)
{
    if (status == cudaSuccess) return;
    (void)cudaGetLastError(); /* this call reports it */
    if (status == cudaErrorMemoryAllocation && bytes > 0)
        fail(MACADAM_E_DEVICE, "cuda:%d: %s: out of memory: %zu bytes are needed", gpu->ordinal, what, bytes);
    if (status != cudaErrorMemoryAllocation && stays(gpu)) gpu->lost = true;
    fail(MACADAM_E_DEVICE, "cuda:%d: %s: %s", gpu->ordinal, what, cudaGetErrorString(status));
}

static void make_pool(mcd_gpu *gpu)
{
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = gpu->ordinal;
    uint64_t keep_all = UINT64_MAX;
    gpu_check(gpu, cudaMemPoolCreate(&gpu->pool, &properties), "making a memory pool");
    gpu_check(gpu, cudaMemPoolSetAttribute(gpu->pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
              "making a memory pool");
}

/* A GPU that failed earlier in this process still has its name and properties: only its memory shows the
 * failure. */
static void check_memory(const mcd_gpu *gpu)
{
    size_t free_bytes = 0, all_bytes = 0;
    cudaError_t status = cudaSetDevice(gpu->ordinal);
    if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &all_bytes);
    (void)cudaGetLastError(); /* this call reports it */
    if (status == cudaErrorMemoryAllocation)
        fail(MACADAM_E_LIMIT, "cuda:%d is full: it has no memory for another process", gpu->ordinal);
    if (status != cudaSuccess)
        fail(MACADAM_E_DEVICE, "cuda:%d cannot be used by this process: %s", gpu->ordinal,
             cudaGetErrorString(status));
    if (free_bytes < FREE_BYTES_MIN)
        fail(MACADAM_E_LIMIT, "cuda:%d is full: %zu of its %zu bytes are free", gpu->ordinal, free_bytes,
             all_bytes);
}

void gpu_open(mcd_gpu *gpu, int ordinal, uint64_t scratch_limit)
{
    cudaDeviceProp properties;
    gpu->ordinal = ordinal;
    check_memory(gpu);
    gpu_check(gpu, cudaGetDeviceProperties(&properties, ordinal), "opening the device");
    snprintf(gpu->name, sizeof gpu->name, "cuda:%d: %.64s", ordinal, properties.name);
    gpu->processor_count = properties.multiProcessorCount;
    gpu->shared_bytes = properties.sharedMemPerBlockOptin;
    gpu->launches_early = properties.major >= 9;
    if (scratch_limit) gpu->budget.limit = scratch_limit;
    make_pool(gpu);
}

static void close_line(gpu_line *line)
{
    if (line->stream) (void)cudaStreamDestroy(line->stream);
    if (line->copies) (void)cudaStreamDestroy(line->copies);
    if (line->event) (void)cudaEventDestroy(line->event);
    if (line->done) (void)cudaEventDestroy(line->done);
    for (cudaEvent_t event : line->ring)
        if (event) (void)cudaEventDestroy(event);
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

/* Called with the budget's lock: the bytes that are neither in use nor taken. The driver takes as long to report them as
 * small matrices take. */
static uint64_t find_room(gpu_call &call)
{
    gpu_budget &budget = call.gpu->budget;
    size_t free_bytes = 0, all_bytes = 0;
    uint64_t used = 0, kept = 0;
    call.check(cudaMemGetInfo(&free_bytes, &all_bytes), "looking at memory");
    call.check(find_kept(call.gpu, &used, &kept), "looking at memory");
    const uint64_t available = free_bytes / 16 * 15 + kept; /* the driver needs the rest */
    const uint64_t taken = budget.scratch - mcd_size_min(budget.allocated, budget.scratch) + budget.room;
    budget.known_room = available > taken ? available - taken : 0;
    budget.known_until = std::chrono::steady_clock::now() + KNOWN_TIME;
    return budget.known_room;
}

/* Called with the budget's lock: whether scratch is so small a part of the room known from a moment ago that it is there, as
 * well as what other calls took since. */
static bool is_small(const gpu_budget &budget, uint64_t wanted)
{
    return wanted <= budget.known_room / KNOWN_PARTS && wanted <= (budget.limit - budget.scratch) / 4 * 3 &&
           budget.scratch <= budget.known_room / 4 && std::chrono::steady_clock::now() < budget.known_until;
}

/* Called with the lock, and releases it while it waits: until there is room for `least` bytes (for
 * scratch, within the limit), if others may give back so much. Returns the room there is. */
static uint64_t wait_for_room(gpu_call &call, std::unique_lock<std::mutex> &guard, uint64_t least,
                              bool is_scratch, const char *what)
{
    gpu_budget &budget = call.gpu->budget;
    for (;;) {
        uint64_t room = find_room(call);
        if (is_scratch) room = mcd_size_min(room, budget.limit - budget.scratch);
        if (room >= least) return room;
        if (call.is_scratch || room + budget.scratch + budget.room < least)
            fail(MACADAM_E_DEVICE, "cuda:%d: %s: out of memory: %llu bytes are needed, %llu can be had",
                 call.gpu->ordinal, what, (unsigned long long)least, (unsigned long long)room);
        budget.given_back.wait(guard);
    }
}

void gpu_share::take(gpu_call &call, uint64_t least, uint64_t wanted, const char *what)
{
    std::unique_lock<std::mutex> guard(call.gpu->budget.lock);
    uint64_t most = wanted;
    if (call.is_scratch || !is_small(call.gpu->budget, wanted))
        most = wait_for_room(call, guard, least, true, what) / 4 * 3; /* leaves a quarter to others */
    gpu_ = call.gpu;
    scratch_ = mcd_size_min(wanted, mcd_size_max(least, most));
    gpu_->budget.scratch += scratch_;
    call.is_scratch = true;
}

void gpu_share::make_room(gpu_call &call, uint64_t bytes, const char *what)
{
    std::unique_lock<std::mutex> guard(call.gpu->budget.lock);
    wait_for_room(call, guard, bytes, false, what);
    gpu_ = call.gpu;
    gpu_->budget.room += room_ = bytes;
}

gpu_share::~gpu_share()
{
    if (!gpu_) return;
    const std::lock_guard<std::mutex> guard(gpu_->budget.lock);
    gpu_->budget.scratch -= scratch_;
    gpu_->budget.room -= room_;
    gpu_->budget.given_back.notify_all();
}

gpu_block gpu_allocate(gpu_call &call, size_t bytes, const char *what)
{
    gpu_block block = {call.gpu, nullptr, call.stream, call.is_scratch ? bytes : 0};
    const std::lock_guard<std::mutex> guard(call.gpu->budget.lock);
    gpu_check(call.gpu, cudaMallocFromPoolAsync(&block.data, bytes, call.gpu->pool, call.stream), what,
              bytes);
    call.gpu->budget.allocated += block.scratch;
    return block;
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
try {
    gpu_call call(gpu);
    const std::lock_guard<std::mutex> guard(gpu->budget.lock);
    const gpu_budget &budget = gpu->budget;
    const uint64_t room = find_room(call);
    return given_back ? mcd_size_min(room + budget.scratch, budget.limit)
                      : mcd_size_min(room, budget.limit - budget.scratch);
} catch (const failure &) {
    return 0;
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

/* An idle line, or the next unused one. */
static gpu_line *take_line(mcd_gpu *gpu)
{
    const std::lock_guard<std::mutex> guard(gpu->lock);
    gpu_line *const line = gpu->idle;
    if (line) gpu->idle = line->next;
    if (line) return line;
    if (gpu->line_count == LINES_MAX)
        fail(MACADAM_E_DEVICE, "%s: more than %d concurrent calls", gpu->name, (int)LINES_MAX);
    return &gpu->line[gpu->line_count++];
}

void gpu_call::enter()
{
    check(cudaSetDevice(gpu->ordinal), "choosing the device");
}

/* The destructor runs even if what follows the line fails. */
gpu_call::gpu_call(mcd_gpu *the_gpu) : gpu_call(the_gpu, take_line(the_gpu))
{
    enter();
    cudaError_t status = cudaSuccess;
    if (!line_->stream) status = cudaStreamCreateWithFlags(&line_->stream, cudaStreamNonBlocking);
    if (!line_->copies && status == cudaSuccess)
        status = cudaStreamCreateWithFlags(&line_->copies, cudaStreamNonBlocking);
    if (!line_->event && status == cudaSuccess)
        status = cudaEventCreateWithFlags(&line_->event, cudaEventDisableTiming);
    if (!line_->done && status == cudaSuccess)
        status = cudaEventCreateWithFlags(&line_->done, cudaEventDisableTiming | cudaEventBlockingSync);
    stream = line_->stream, copies = line_->copies;
    check(status, "making a stream");
}

void gpu_call::wait()
{
    check(cudaEventRecord(line_->done, stream), "recording an event");
    check(cudaEventSynchronize(line_->done), "computing");
}

void gpu_call::synchronize()
{
    check(cudaStreamSynchronize(stream), "computing");
    check(cudaStreamSynchronize(copies), "copying");
}

void gpu_call::order_copies()
{
    check(cudaEventRecord(line_->event, stream), "recording an event");
    check(cudaStreamWaitEvent(copies, line_->event, 0), "waiting for an event");
}

void gpu_call::order_work()
{
    check(cudaEventRecord(line_->event, copies), "recording an event");
    check(cudaStreamWaitEvent(stream, line_->event, 0), "waiting for an event");
}

void gpu_call::follow(const gpu_call &other)
{
    cudaEvent_t const event = other.line_->event; /* of its GPU, which may be another one */
    check(cudaEventRecord(event, other.stream), "recording an event");
    check(cudaStreamWaitEvent(stream, event, 0), "waiting for an event");
}

void *gpu_call::pinned(int index)
{
    if (!chunk_[index]) {
        const std::lock_guard<std::mutex> guard(gpu->lock);
        if (gpu->pinned_count > 0) chunk_[index] = gpu->pinned[--gpu->pinned_count];
    }
    if (!chunk_[index])
        gpu_check(gpu, cudaMallocHost(&chunk_[index], PINNED_BYTES), "allocating pinned memory",
                  PINNED_BYTES);
    return chunk_[index];
}

const cudaEvent_t *gpu_call::ring_events()
{
    for (cudaEvent_t &event : line_->ring)
        if (!event) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    return line_->ring;
}

gpu_call::~gpu_call()
{
    settle();
    const std::lock_guard<std::mutex> guard(gpu->lock);
    line_->next = gpu->idle, gpu->idle = line_;
    for (void *chunk : chunk_) {
        if (!chunk) continue;
        if (gpu->pinned_count < PINNED_MAX)
            gpu->pinned[gpu->pinned_count++] = chunk;
        else
            (void)cudaFreeHost(chunk);
    }
}
