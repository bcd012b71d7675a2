/* gpu.h - one GPU: its memory, its streams, calls on it, and arrays there. */
#ifndef MCD_KERNELS_CUDA_DEVICE_GPU_H
#define MCD_KERNELS_CUDA_DEVICE_GPU_H

#include "kernels/cuda/device/cuda.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

enum {
    GPUS_MAX = MCD_PARTS_MAX,
    LINES_MAX = 1024,        /* simultaneous calls */
    PINNED_MAX = 64,         /* chunks kept */
    PINNED_BYTES = 32 << 20, /* bytes of each of a call's two chunks on the way to the host */
};

/* A line of a GPU: a stream for work, a stream for copies that overlap with it, and the events that order
 * them. A line exists until the GPU is closed: arrays that outlive their call are freed in the order of
 * its line. */
struct gpu_line {
    gpu_line *next = nullptr;
    cudaStream_t stream = nullptr, copies = nullptr;
    cudaEvent_t event = nullptr, done = nullptr; /* `done`: for threads that wait */
};

/* The memory that calls may take, in bytes. Memory is also allocated and freed under its lock, so that the
 * driver's free memory and these counts change together. */
struct gpu_budget {
    std::mutex lock;
    std::condition_variable given_back;
    uint64_t limit = UINT64_MAX; /* most scratch that may be taken */
    uint64_t scratch = 0;        /* scratch taken */
    uint64_t room = 0;           /* taken for arrays that stay, while they are made */
    uint64_t allocated = 0;      /* allocated of the scratch taken */
};

/* One GPU, opened once and used by calls from any number of threads. */
struct mcd_gpu {
    int ordinal = 0;
    char name[96] = ""; /* "cuda:0: NVIDIA H200" */
    /* All memory on the GPU. It keeps freed memory, so that warm calls get it immediately, until a caller
     * needs it. */
    cudaMemPool_t pool = nullptr;
    gpu_budget budget;
    int processor_count = 0;
    size_t shared_bytes = 0;     /* that a block may have */
    bool launches_early = false; /* launch_shape.early */
    std::atomic<bool> lost{false};
    std::mutex lock; /* guards the members below */
    gpu_line line[LINES_MAX];
    gpu_line *idle = nullptr;      /* the first line that no call uses */
    void *pinned[PINNED_MAX] = {}; /* idle chunks of PINNED_BYTES */
    size_t line_count = 0, pinned_count = 0;
};

/* scratch_limit: bytes that calls may take together; 0 means no limit. */
macadam_status gpu_open(mcd_gpu *gpu, int ordinal, uint64_t scratch_limit, macadam_error *error);
void gpu_close(mcd_gpu *gpu);

/* MACADAM_E_DEVICE "cuda:0: WHAT: out of memory". A sticky failure loses the GPU. */
macadam_status gpu_fail(mcd_gpu *gpu, cudaError_t status, const char *what, macadam_error *error);

/* Returns the pool's unused memory to the driver. False: there is none. */
bool gpu_trim(mcd_gpu *gpu);
/* Adds what the GPU holds. */
void gpu_add_held(mcd_gpu *gpu, mcd_device_memory *held);
/* Returns unused memory to the driver, except `keep` bytes of the GPU's and of the host's. */
void gpu_trim_to(mcd_gpu *gpu, uint64_t keep);

/* One call's use of a GPU: its own stream, from begin to end, in one thread. */
class gpu_call
{
  public:
    gpu_call(mcd_gpu *the_gpu, macadam_error *the_error) : gpu(the_gpu), error(the_error)
    {
    }
    gpu_call(const gpu_call &) = delete;
    /* Waits for all enqueued work, even if the call failed. */
    ~gpu_call();
    /* Makes the GPU the thread's current one. Must come first. */
    macadam_status begin();
    /* Makes the GPU current again after another one was. */
    macadam_status enter();
    /* Waits for both streams. */
    macadam_status synchronize();
    /* Waits for `stream`, and leaves the processor to other threads. */
    macadam_status wait();
    /* Copies enqueued from now on wait for the work enqueued until now. */
    macadam_status order_copies();
    /* Work enqueued from now on waits for the copies enqueued until now. */
    macadam_status order_work();
    macadam_status check(cudaError_t status, const char *what)
    {
        return status == cudaSuccess ? MACADAM_OK : gpu_fail(gpu, status, what, error);
    }
    /* Enqueues a kernel, on the call's stream unless the shape has another one: launch(). */
    template <class... Parameters, class... Arguments>
    macadam_status run(const char *what, launch_shape shape, void (*kernel)(Parameters...),
                       Arguments &&...arguments)
    {
        if (!shape.stream) shape.stream = stream;
        return check(launch(shape, kernel, std::forward<Arguments>(arguments)...), what);
    }
    /* Enqueues a cooperative kernel, of at most `each` blocks per multiprocessor: launch_grid(). */
    template <class... Parameters, class... Arguments>
    macadam_status run_grid(const char *what, launch_shape shape, int each, void (*kernel)(Parameters...),
                            Arguments &&...arguments)
    {
        if (!shape.stream) shape.stream = stream;
        return check(
            launch_grid(shape, gpu->processor_count, each, kernel, std::forward<Arguments>(arguments)...),
            what);
    }
    /* Enqueues a copy between any two memories. */
    template <class T> macadam_status copy(T *to, const T *from, size_t count, const char *what)
    {
        return check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream), what);
    }
    /* Enqueues the setting of all bytes of an array on the GPU. */
    template <class T> macadam_status fill(T *array, int byte, size_t count, const char *what)
    {
        return check(cudaMemsetAsync(array, byte, count * sizeof(T), stream), what);
    }
    /* One of the call's two pinned chunks of PINNED_BYTES. */
    macadam_status pinned(int index, void **out);

    mcd_gpu *const gpu;
    macadam_error *const error;
    cudaStream_t stream = nullptr, copies = nullptr;
    /* From now on allocations count against the scratch of a gpu_share, taken by this call or by a call
     * around it. */
    bool is_scratch = false;

  private:
    gpu_line *line_ = nullptr;
    void *chunk_[2] = {nullptr, nullptr};
};

/* One thread for each of `count`. A thread must check that thread_index() is below it. */
inline launch_shape one_thread_each(uint64_t count)
{
    enum { BLOCK = 256 };
    return {blocks_of<uint64_t>(count, BLOCK), BLOCK};
}

/* A share of a GPU's budget, given back when its holder is destroyed. Declare it before the call that uses
 * it, and before the call's arrays. */
class gpu_share
{
  public:
    gpu_share() = default;
    gpu_share(const gpu_share &) = delete;
    ~gpu_share();
    /* Takes `least` to `wanted` bytes of scratch, all that a job needs on the GPU. Waits until others have
     * given back enough, unless the call already holds scratch: so no circle of calls can wait. Returns
     * MACADAM_E_DEVICE if there is too little. The call's later allocations count against the share. */
    macadam_status take(gpu_call &call, uint64_t least, uint64_t wanted, const char *what);
    /* Waits in the same way for room for `bytes` of arrays that stay. They are not limited by
     * scratch_limit. */
    macadam_status make_room(gpu_call &call, uint64_t bytes, const char *what);
    uint64_t bytes() const
    {
        return scratch_;
    }

  private:
    mcd_gpu *gpu_ = nullptr;
    uint64_t scratch_ = 0, room_ = 0;
};

/* The scratch that a share could take now, for plans; 0 if the GPU fails. */
uint64_t gpu_scratch_free(mcd_gpu *gpu);

/* The memory that arrays which stay could take once calls have given back their scratch, at most
 * scratch_limit; 0 if the GPU fails. */
uint64_t gpu_stay_room(mcd_gpu *gpu);

/* CUDA_TRY(call, cudaMemcpyAsync(...), "copying labels"): returns the status of a failure. */
#define CUDA_TRY(call, expression, what) MCD_TRY((call).check((expression), (what)))

/* Memory of a GPU's pool. */
struct gpu_block {
    mcd_gpu *gpu;
    void *data;
    cudaStream_t stream; /* it is freed in this stream's order; NULL: in no order */
    size_t scratch;      /* bytes counted against a share */
};

/* Not cleared; ready for work enqueued on the call's stream. */
macadam_status gpu_allocate(gpu_block *out, gpu_call &call, size_t bytes, const char *what);
void gpu_free(const gpu_block &block);

/* An array on a GPU, freed with its holder. A copy is a view of the same array and must not outlive it. */
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

    /* Not cleared; ready for work enqueued on the call's stream. */
    macadam_status allocate(gpu_call &call, size_t count, const char *what)
    {
        release();
        MCD_TRY(gpu_allocate(&block_, call, mcd_size_max(count, 1) * sizeof(T), what));
        count_ = count;
        return MACADAM_OK;
    }
    /* Copies the host's array; `from` may change once the call has been synchronized. */
    macadam_status copy(gpu_call &call, const T *from, size_t count, const char *what)
    {
        MCD_TRY(allocate(call, count, what));
        return call.check(
            cudaMemcpyAsync(get(), from, count * sizeof(T), cudaMemcpyHostToDevice, call.stream), what);
    }
    macadam_status fill(gpu_call &call, int byte, const char *what)
    {
        return call.fill(get(), byte, count_, what);
    }
    /* Detaches the array from its stream after the call's end: freeing it then waits for no other call. */
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

/* Allocates arrays of counts: gpu_allocate_all(call, what, array, count, array, count, ...). */
inline macadam_status gpu_allocate_all(gpu_call &, const char *)
{
    return MACADAM_OK;
}

template <class T, class... More>
macadam_status gpu_allocate_all(gpu_call &call, const char *what, gpu_array<T> &array, size_t count,
                                More &&...more)
{
    MCD_TRY(array.allocate(call, count, what));
    return gpu_allocate_all(call, what, std::forward<More>(more)...);
}

template <class... Arrays> void gpu_keep_all(Arrays &...array)
{
    (array.keep(), ...);
}

template <class... Arrays>
macadam_status gpu_fill_all(gpu_call &call, int byte, const char *what, Arrays &...array)
{
    macadam_status status = MACADAM_OK;
    (void)(((status = array.fill(call, byte, what)) == MACADAM_OK) && ...);
    return status;
}

#endif
