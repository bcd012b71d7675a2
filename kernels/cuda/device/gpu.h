/* gpu.h - one GPU: its memory, its streams, calls on it, and arrays there. */
#ifndef MCD_KERNELS_CUDA_DEVICE_GPU_H
#define MCD_KERNELS_CUDA_DEVICE_GPU_H

#include "kernels/cuda/device/cuda.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

enum {
    GPUS_MAX = MCD_PARTS_MAX,
    LINES_MAX = 1024,        /* simultaneous calls */
    PINNED_MAX = 64,         /* chunks kept */
    PINNED_BYTES = 32 << 20, /* bytes of each of a call's chunks on the way to the host */
    PINNED_CHUNKS = 4,       /* of a call, at most */
    RING_SLOTS = 16,         /* parts of such a chunk that deliver.h fills in turn */
};

/* A line of a GPU: a stream for work, a stream for copies that overlap with it, and the events that order
 * them. A line exists until the GPU is closed: arrays that outlive their call are freed in the order of
 * its line. */
struct gpu_line {
    gpu_line *next = nullptr;
    cudaStream_t stream = nullptr, copies = nullptr;
    cudaEvent_t event = nullptr, done = nullptr; /* `done`: for threads that wait */
    cudaEvent_t ring[RING_SLOTS] = {};           /* made at first use */
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
    /* The room when the driver last told it, and when that is too old for a call that takes a small part of it. */
    uint64_t known_room = 0;
    std::chrono::steady_clock::time_point known_until = {};
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
void gpu_open(mcd_gpu *gpu, int ordinal, uint64_t scratch_limit);
void gpu_close(mcd_gpu *gpu);

/* Does nothing for a success. Otherwise fails with MACADAM_E_DEVICE, "cuda:0: WHAT: unspecified launch failure"; a sticky
 * failure loses the GPU. `bytes`: that were to be allocated; the message for a lack of memory names them. */
void gpu_check(mcd_gpu *gpu, cudaError_t status, const char *what, size_t bytes = 0);

/* Returns the pool's unused memory to the driver. False: there is none. */
bool gpu_trim(mcd_gpu *gpu);
/* Adds what the GPU holds. */
void gpu_add_held(mcd_gpu *gpu, mcd_device_memory *held);
/* Returns unused memory to the driver, except `keep` bytes of the GPU's and of the host's. */
void gpu_trim_to(mcd_gpu *gpu, uint64_t keep);

/* One call's use of a GPU, in one thread: its own stream. The GPU becomes the thread's current one. */
class gpu_call
{
  public:
    explicit gpu_call(mcd_gpu *the_gpu);
    gpu_call(const gpu_call &) = delete;
    /* Waits for all enqueued work, even if the call failed. */
    ~gpu_call();
    /* Makes the GPU current again after another one was. */
    void enter();
    /* Waits for all enqueued work, even if it failed; the first failure has been reported. */
    void settle()
    {
        if (stream) (void)cudaStreamSynchronize(stream);
        if (copies) (void)cudaStreamSynchronize(copies);
    }
    /* Waits for both streams. */
    void synchronize();
    /* Waits for `stream`, and leaves the processor to other threads. */
    void wait();
    /* Copies enqueued from now on wait for the work enqueued until now. */
    void order_copies();
    /* Work enqueued from now on waits for the copies enqueued until now. */
    void order_work();
    /* Work enqueued from now on waits for the other call's work enqueued until now. */
    void follow(const gpu_call &other);
    void check(cudaError_t status, const char *what)
    {
        gpu_check(gpu, status, what);
    }
    /* Enqueues a kernel, on the call's stream unless the shape has another one: launch(). */
    template <class... Parameters, class... Arguments>
    void run(const char *what, launch_shape shape, void (*kernel)(Parameters...), Arguments &&...arguments)
    {
        if (!shape.stream) shape.stream = stream;
        check(launch(shape, kernel, std::forward<Arguments>(arguments)...), what);
    }
    /* Enqueues a cooperative kernel, of at most `each` blocks per multiprocessor: launch_grid(). */
    template <class... Parameters, class... Arguments>
    void run_grid(const char *what, launch_shape shape, int each, void (*kernel)(Parameters...),
                  Arguments &&...arguments)
    {
        if (!shape.stream) shape.stream = stream;
        check(launch_grid(shape, gpu->processor_count, each, kernel, std::forward<Arguments>(arguments)...),
              what);
    }
    /* Enqueues a copy between any two memories. */
    template <class T> void copy(T *to, const T *from, size_t count, const char *what)
    {
        check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream), what);
    }
    /* Waits for both streams and returns the GPU's *from. */
    template <class T> T fetch(const T *from, const char *what)
    {
        T to;
        copy(&to, from, 1, what);
        synchronize();
        return to;
    }
    /* Enqueues the setting of all bytes of an array on the GPU. */
    template <class T> void fill(T *array, int byte, size_t count, const char *what)
    {
        check(cudaMemsetAsync(array, byte, count * sizeof(T), stream), what);
    }
    /* One of the call's pinned chunks of PINNED_BYTES, index < PINNED_CHUNKS. */
    void *pinned(int index);
    /* The events of a ring's slots, for copies. */
    const cudaEvent_t *ring_events();

    mcd_gpu *const gpu;
    cudaStream_t stream = nullptr, copies = nullptr;
    /* From now on allocations count against the scratch of a gpu_share, taken by this call or by a call
     * around it. */
    bool is_scratch = false;

  private:
    gpu_call(mcd_gpu *the_gpu, gpu_line *line) : gpu(the_gpu), line_(line)
    {
    }
    gpu_line *const line_;
    void *chunk_[PINNED_CHUNKS] = {};
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
     * given back enough, unless the call already holds scratch: so no circle of calls can wait. Fails with
     * MACADAM_E_DEVICE if there is too little. The call's later allocations count against the share. */
    void take(gpu_call &call, uint64_t least, uint64_t wanted, const char *what);
    /* Waits in the same way for room for `bytes` of arrays that stay. They are not limited by
     * scratch_limit. */
    void make_room(gpu_call &call, uint64_t bytes, const char *what);
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

/* Memory of a GPU's pool. */
struct gpu_block {
    mcd_gpu *gpu;
    void *data;
    cudaStream_t stream; /* it is freed in this stream's order; NULL: in no order */
    size_t scratch;      /* bytes counted against a share */
};

/* Not cleared; ready for work enqueued on the call's stream. */
gpu_block gpu_allocate(gpu_call &call, size_t bytes, const char *what);
void gpu_free(const gpu_block &block);

/* An array on a GPU, freed with its holder. A copy is a view of the same array and must not outlive it. */
template <class T> class gpu_array
{
  public:
    gpu_array() = default;
    gpu_array(gpu_call &call, size_t count, const char *what)
    {
        allocate(call, count, what);
    }
    gpu_array(const gpu_array &) = delete;
    gpu_array &operator=(const gpu_array &) = delete;
    gpu_array(gpu_call &call, const T *from, size_t count, const char *what) : gpu_array()
    { /* the destructor runs if the copy fails */
        copy(call, from, count, what);
    }
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
    void allocate(gpu_call &call, size_t count, const char *what)
    {
        release();
        block_ = gpu_allocate(call, mcd_size_max(count, 1) * sizeof(T), what);
        count_ = count;
    }
    /* Copies the host's array; `from` may change once the call has been synchronized. */
    void copy(gpu_call &call, const T *from, size_t count, const char *what)
    {
        allocate(call, count, what);
        call.check(cudaMemcpyAsync(get(), from, count * sizeof(T), cudaMemcpyHostToDevice, call.stream),
                   what);
    }
    void fill(gpu_call &call, int byte, const char *what)
    {
        call.fill(get(), byte, count_, what);
    }
    /* Makes the array a view of `count` elements of another array's memory, which must outlive it. */
    void view(void *data, size_t count)
    {
        release();
        block_.data = data, count_ = count;
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
        if (block_.gpu) gpu_free(block_);
        block_ = {}, count_ = 0;
    }

  private:
    gpu_block block_ = {};
    size_t count_ = 0;
};

/* Allocates arrays of counts: gpu_allocate_all(call, what, array, count, array, count, ...). */
inline void gpu_allocate_all(gpu_call &, const char *)
{
}

template <class T, class... More>
void gpu_allocate_all(gpu_call &call, const char *what, gpu_array<T> &array, size_t count, More &&...more)
{
    array.allocate(call, count, what);
    gpu_allocate_all(call, what, std::forward<More>(more)...);
}

/* Their bytes in one piece of memory, each at a multiple of 256; without `memory` only counts them. */
inline size_t gpu_place_all(unsigned char *, size_t at)
{
    return at;
}

template <class T, class... More>
size_t gpu_place_all(unsigned char *memory, size_t at, gpu_array<T> &array, size_t count, More &&...more)
{
    enum { ALIGNED = 256 };
    if (memory) array.view(memory + at, count);
    return gpu_place_all(memory, at + blocks_of<size_t>(count * sizeof(T), ALIGNED) * ALIGNED,
                         std::forward<More>(more)...);
}

/* Does the same as gpu_allocate_all by one allocation, `memory`, which must outlive the arrays. An allocation takes
 * longer than a small kernel, and holds up other threads'. */
template <class... Arrays>
void gpu_allocate_together(gpu_call &call, const char *what, gpu_array<unsigned char> &memory,
                           Arrays &&...arrays)
{
    memory.allocate(call, gpu_place_all(nullptr, 0, arrays...), what);
    gpu_place_all(memory.get(), 0, arrays...);
}

template <class... Arrays> void gpu_keep_all(Arrays &...array)
{
    (array.keep(), ...);
}

/* Empty arrays stay as they are. */
template <class... Arrays> void gpu_fill_all(gpu_call &call, int byte, const char *what, Arrays &...array)
{
    ((array.get() ? array.fill(call, byte, what) : void()), ...);
}

#endif
