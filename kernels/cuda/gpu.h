/* gpu.h - one GPU: its memory, its streams, calls on it, and arrays there. */
#ifndef MCD_CUDA_GPU_H
#define MCD_CUDA_GPU_H

#include "kernels/cuda/cuda.h"

#include <atomic>
#include <mutex>

enum {
    GPUS_MAX = MCD_PARTS_MAX,
    LINES_MAX =
        1024,       /* kept for later calls: arrays that outlive a call are freed in the order of its line */
    PINNED_MAX = 8, /* chunks kept */
    PINNED_BYTES = 32 << 20, /* of one of a call's two chunks on the way to the host */
};

/* What a call enqueues on: work, copies that overlap with it, and what tells them of each other. */
struct gpu_line {
    cudaStream_t stream = nullptr, copies = nullptr;
    cudaEvent_t event = nullptr;
};

/* Opened once, used by calls of any number of threads. */
struct mcd_gpu {
    int ordinal = 0;
    char name[96] = ""; /* "cuda:0: NVIDIA H200" */
    cudaMemPool_t pool =
        nullptr; /* everything on the GPU; keeps what is freed, so warm calls get it at once */
    uint64_t memory_limit = 0;
    int processor_count = 0;
    size_t shared_bytes = 0;     /* a block may have */
    bool launches_early = false; /* launch_shape.early */
    std::atomic<bool> lost{false};
    std::mutex lock;
    gpu_line line[LINES_MAX];      /* idle ones */
    void *pinned[PINNED_MAX] = {}; /* idle chunks of PINNED_BYTES */
    size_t line_count = 0, pinned_count = 0;
};

macadam_status gpu_open(mcd_gpu *gpu, int ordinal, uint64_t memory_limit, macadam_error *error);
void gpu_close(mcd_gpu *gpu);

/* E_DEVICE "cuda:0: WHAT: out of memory"; all but a lack of memory lose the GPU. */
macadam_status gpu_fail(mcd_gpu *gpu, cudaError_t status, const char *what, macadam_error *error);

/* Free for scratch now: what the limit leaves and the driver has. Makes the GPU the thread's current one. */
uint64_t gpu_memory_free(mcd_gpu *gpu);

/* One call's use of a GPU: a stream of its own, from begin to end, in one thread. */
class gpu_call
{
  public:
    gpu_call(mcd_gpu *the_gpu, macadam_error *the_error) : gpu(the_gpu), error(the_error)
    {
    }
    gpu_call(const gpu_call &) = delete;
    /* Waits for what is enqueued, whatever became of the call. */
    ~gpu_call();
    /* Makes the GPU the thread's current one. First of all. */
    macadam_status begin();
    /* Waits for both streams. */
    macadam_status synchronize();
    /* Copies enqueued from now on wait for the work enqueued until now. */
    macadam_status order_copies();
    /* Work enqueued from now on waits for the copies enqueued until now. */
    macadam_status order_work();
    macadam_status check(cudaError_t status, const char *what)
    {
        return status == cudaSuccess ? MACADAM_OK : gpu_fail(gpu, status, what, error);
    }
    /* One of the call's two pinned chunks of PINNED_BYTES. */
    macadam_status pinned(int index, void **out);

    mcd_gpu *const gpu;
    macadam_error *const error;
    cudaStream_t stream = nullptr, copies = nullptr;

  private:
    cudaEvent_t event_ = nullptr;
    void *chunk_[2] = {nullptr, nullptr};
};

/* One thread for each of `count`: thread_index() is below it, or there is nothing to do. */
inline launch_shape one_thread_each(const gpu_call &call, uint64_t count)
{
    enum { BLOCK = 256 };
    return {blocks_of<uint64_t>(count, BLOCK), BLOCK, 0, call.stream};
}

/* CUDA_TRY(call, cudaMemcpyAsync(...), "copying labels"): returns the status of a failure. */
#define CUDA_TRY(call, expression, what) MCD_TRY((call).check((expression), (what)))

/* An array on a GPU, freed with its holder. Copies are the same array's view and never outlive it. */
template <class T> class gpu_array
{
  public:
    gpu_array() = default;
    gpu_array(const gpu_array &) = delete;
    gpu_array &operator=(const gpu_array &) = delete;
    gpu_array(gpu_array &&from) noexcept
    {
        *this = std::move(from);
    }
    gpu_array &operator=(gpu_array &&from) noexcept
    {
        std::swap(gpu_, from.gpu_), std::swap(data_, from.data_), std::swap(count_, from.count_);
        std::swap(stream_, from.stream_);
        return *this;
    }
    ~gpu_array()
    {
        release();
    }

    /* Not cleared; ready for what is enqueued on the call's stream. */
    macadam_status allocate(gpu_call &call, size_t count, const char *what)
    {
        release();
        CUDA_TRY(call,
                 cudaMallocFromPoolAsync((void **)&data_, mcd_size_max(count, 1) * sizeof(T), call.gpu->pool,
                                         call.stream),
                 what);
        gpu_ = call.gpu, stream_ = call.stream, count_ = count;
        return MACADAM_OK;
    }
    /* A copy of the host's; `from` may change once the call has been synchronized. */
    macadam_status copy(gpu_call &call, const T *from, size_t count, const char *what)
    {
        MCD_TRY(allocate(call, count, what));
        CUDA_TRY(call, cudaMemcpyAsync(data_, from, count * sizeof(T), cudaMemcpyHostToDevice, call.stream),
                 what);
        return MACADAM_OK;
    }
    macadam_status fill(gpu_call &call, int byte, const char *what)
    {
        CUDA_TRY(call, cudaMemsetAsync(data_, byte, count_ * sizeof(T), call.stream), what);
        return MACADAM_OK;
    }
    /* After the call's end the array belongs to no stream: for those that live longer than a call. */
    void keep()
    {
        stream_ = nullptr;
    }
    T *get() const
    {
        return data_;
    }
    size_t count() const
    {
        return count_;
    }
    void release()
    {
        if (data_) {
            int current = 0;
            cudaGetDevice(&current);
            if (current != gpu_->ordinal) cudaSetDevice(gpu_->ordinal);
            cudaFreeAsync(data_, stream_);
            if (current != gpu_->ordinal) cudaSetDevice(current);
        }
        data_ = nullptr, count_ = 0;
    }

  private:
    mcd_gpu *gpu_ = nullptr;
    T *data_ = nullptr;
    size_t count_ = 0;
    cudaStream_t stream_ = nullptr;
};

#endif
