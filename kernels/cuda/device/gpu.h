/* gpu.h - one GPU: its memory, its streams, calls on it, and arrays there. */
#ifndef MCD_KERNELS_CUDA_DEVICE_GPU_H
#define MCD_KERNELS_CUDA_DEVICE_GPU_H

#include "kernels/cuda/device/cuda.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

enum {
    GPUS_MAX = MCD_PARTS_MAX,
    LINES_MAX = 1024,        /* calls at once */
    PINNED_MAX = 8,          /* chunks kept */
    PINNED_BYTES = 32 << 20, /* of one of a call's two chunks on the way to the host */
};

/* What a call enqueues on: work, copies that overlap with it, and what tells them of each other. Once made it
 * is there until the GPU is closed: arrays that outlive their call are freed in the order of its line. */
struct gpu_line {
    gpu_line *next = nullptr;
    cudaStream_t stream = nullptr, copies = nullptr;
    cudaEvent_t event = nullptr;
};

/* The memory that calls may take, in bytes. Under its lock memory is also allocated and freed: what the
 * driver has free and what is counted here change together. */
struct gpu_budget {
    std::mutex lock;
    std::condition_variable given_back;
    uint64_t limit = UINT64_MAX; /* of scratch */
    uint64_t scratch = 0;        /* taken of it */
    uint64_t room = 0;           /* taken for what stays, while it is made */
    uint64_t allocated = 0;      /* of what is taken as scratch */
};

/* Opened once, used by calls of any number of threads. */
struct mcd_gpu {
    int ordinal = 0;
    char name[96] = ""; /* "cuda:0: NVIDIA H200" */
    /* Everything on the GPU; keeps what is freed, so that warm calls get it at once, until a caller needs
     * it. */
    cudaMemPool_t pool = nullptr;
    gpu_budget budget;
    int processor_count = 0;
    size_t shared_bytes = 0;     /* a block may have */
    bool launches_early = false; /* launch_shape.early */
    std::atomic<bool> lost{false};
    std::mutex lock; /* of what follows */
    gpu_line line[LINES_MAX];
    gpu_line *idle = nullptr;      /* the first of the lines that no call has */
    void *pinned[PINNED_MAX] = {}; /* idle chunks of PINNED_BYTES */
    size_t line_count = 0, pinned_count = 0;
};

/* scratch_limit: bytes that calls may take together; 0: all there are. */
macadam_status gpu_open(mcd_gpu *gpu, int ordinal, uint64_t scratch_limit, macadam_error *error);
void gpu_close(mcd_gpu *gpu);

/* E_DEVICE "cuda:0: WHAT: out of memory"; the GPU is lost by a failure that stays. */
macadam_status gpu_fail(mcd_gpu *gpu, cudaError_t status, const char *what, macadam_error *error);

/* Gives what the pool keeps for later calls back to the driver; false if it keeps nothing. */
bool gpu_trim(mcd_gpu *gpu);

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
    /* Makes it that again, where others have been since. */
    macadam_status enter();
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
    /* What is allocated from now on is of what a gpu_share has taken, for this call or for one that it is
     * within. */
    bool is_scratch = false;

  private:
    gpu_line *line_ = nullptr;
    void *chunk_[2] = {nullptr, nullptr};
};

/* One thread for each of `count`: thread_index() is below it, or there is nothing to do. */
inline launch_shape one_thread_each(const gpu_call &call, uint64_t count)
{
    enum { BLOCK = 256 };
    return {blocks_of<uint64_t>(count, BLOCK), BLOCK, 0, call.stream};
}

/* A share of a GPU's budget, given back with its holder: declared before the call that uses it, and its
 * arrays. */
class gpu_share
{
  public:
    gpu_share() = default;
    gpu_share(const gpu_share &) = delete;
    ~gpu_share();
    /* Takes scratch of `least` to `wanted` bytes, all that a job needs on the GPU. Waits until others have
     * given back enough, unless the call holds scratch already: so nobody waits in a circle. E_DEVICE if
     * there is too little. What the call allocates from now on is of the share. */
    macadam_status take(gpu_call &call, uint64_t least, uint64_t wanted, const char *what);
    /* Likewise waits for room for `bytes` that will stay, which no limit holds for. */
    macadam_status make_room(gpu_call &call, uint64_t bytes, const char *what);
    uint64_t bytes() const
    {
        return scratch_;
    }

  private:
    mcd_gpu *gpu_ = nullptr;
    uint64_t scratch_ = 0, room_ = 0;
};

/* Scratch that a share could be of now, for plans; 0 if the GPU fails. */
uint64_t gpu_scratch_free(mcd_gpu *gpu);

/* CUDA_TRY(call, cudaMemcpyAsync(...), "copying labels"): returns the status of a failure. */
#define CUDA_TRY(call, expression, what) MCD_TRY((call).check((expression), (what)))

/* Memory of a GPU's pool. */
struct gpu_block {
    mcd_gpu *gpu;
    void *data;
    cudaStream_t stream; /* in whose order it is freed; NULL: in none */
    size_t scratch;      /* bytes of a share */
};

/* Not cleared; ready for what is enqueued on the call's stream. */
macadam_status gpu_allocate(gpu_block *out, gpu_call &call, size_t bytes, const char *what);
void gpu_free(const gpu_block &block);

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
        std::swap(block_, from.block_), std::swap(count_, from.count_);
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
        MCD_TRY(gpu_allocate(&block_, call, mcd_size_max(count, 1) * sizeof(T), what));
        count_ = count;
        return MACADAM_OK;
    }
    /* A copy of the host's; `from` may change once the call has been synchronized. */
    macadam_status copy(gpu_call &call, const T *from, size_t count, const char *what)
    {
        MCD_TRY(allocate(call, count, what));
        CUDA_TRY(call, cudaMemcpyAsync(get(), from, count * sizeof(T), cudaMemcpyHostToDevice, call.stream),
                 what);
        return MACADAM_OK;
    }
    macadam_status fill(gpu_call &call, int byte, const char *what)
    {
        CUDA_TRY(call, cudaMemsetAsync(get(), byte, count_ * sizeof(T), call.stream), what);
        return MACADAM_OK;
    }
    /* After the call's end the array belongs to no stream: whoever frees it waits for no other call. */
    void keep()
    {
        block_.stream = nullptr;
    }
    T *get() const
    {
        return (T *)block_.data;
    }
    size_t count() const
    {
        return count_;
    }
    void release()
    {
        if (block_.data) gpu_free(block_);
        block_ = {}, count_ = 0;
    }

  private:
    gpu_block block_ = {};
    size_t count_ = 0;
};

#endif
