/* cuda.h - the base of every CUDA source: the runtime, launches, costs, and how failures travel.
 *
 * Sources keep to a subset that a CPU can emulate (tests/support/cuda_emulator): no <<<>>>, no inline PTX,
 * no other CUDA header; dynamic shared memory by MCD_SHARED; no static shared memory in cooperative
 * kernels. */
#ifndef MCD_KERNELS_CUDA_DEVICE_CUDA_H
#define MCD_KERNELS_CUDA_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <type_traits>
#include <utility>

extern "C" {
#include "engine/base/memory.h"
#include "engine/base/status.h"
#include "kernels/backend.h"
}

/* Makes `name` point to the block's dynamic shared memory, aligned to 16 bytes. */
#if defined(MCD_CUDA_EMULATED)
#define MCD_SHARED(type, name) type *const name = static_cast<type *>(mcd_emulated_shared())
#else
#define MCD_SHARED(type, name)                                                                               \
    extern __shared__ __align__(16) unsigned char mcd_shared_bytes[];                                        \
    type *const name = reinterpret_cast<type *>(mcd_shared_bytes)
#endif

/* Failures travel as exceptions inside the module. The table's functions (module.cu), the threads of several GPUs
 * (gpus.h) and what the host's code calls back (paths.cu) turn them into statuses. */
struct failure {
    macadam_status status;
    macadam_error message;
};

/* Throws a failure with that message (printf format). */
[[noreturn, gnu::format(printf, 2, 3)]] inline void fail(macadam_status status, const char *format, ...)
{
    failure failed;
    char text[sizeof failed.message.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    failed.status = mcd_fail(&failed.message, status, "%s", text);
    throw failed;
}

/* Calls a C function, whose last argument is the error, and throws its failure. */
template <class... Parameters, class... Arguments>
void must(macadam_status (*function)(Parameters...), Arguments... arguments)
{
    failure failed;
    failed.message.message[0] = '\0';
    failed.status = function(arguments..., &failed.message);
    if (failed.status) throw failed;
}

[[noreturn]] inline void fail_memory(size_t bytes, const char *what)
{
    fail(MACADAM_E_MEMORY, "cannot allocate %zu bytes for %s", bytes, what);
}

/* Allocates `count` elements on the host, not cleared; freed with mcd_free. The C++ twin of MCD_NEW. */
template <class T> T *host_new(size_t count, const char *what)
{
    void *const out = mcd_allocate(count, sizeof(T));
    if (!out) fail_memory(count * sizeof(T), what);
    return static_cast<T *>(out);
}

/* An array on the host, freed with its holder. */
template <class T> class host_array
{
  public:
    host_array() = default;
    host_array(size_t count, const char *what)
    {
        allocate(count, what);
    }
    host_array(const host_array &) = delete;
    ~host_array()
    {
        mcd_free(data_);
    }
    /* Not cleared. */
    void allocate(size_t count, const char *what)
    {
        mcd_free(data_);
        data_ = nullptr;
        data_ = host_new<T>(count, what);
        capacity_ = count;
    }
    /* Makes room for one more than `count`, which it keeps. */
    void reserve(size_t count, const char *what)
    {
        if (count < capacity_) return;
        const size_t wanted = 2 * capacity_ + 64;
        T *const moved = static_cast<T *>(mcd_reallocate(data_, count, wanted, sizeof(T)));
        if (!moved) fail_memory(wanted * sizeof(T), what);
        data_ = moved, capacity_ = wanted;
    }
    T *get() const
    {
        return data_;
    }
    T &operator[](size_t i) const
    {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    size_t capacity_ = 0;
};

enum { WARP = 32 };
static constexpr unsigned WARP_ALL = 0xffffffffu;

/* ---- costs: uint32_t for an objective, uint64_t for joint costs (engine/base/types.h) ---- */

template <class Cost> __host__ __device__ constexpr Cost cost_unreached()
{
    return std::is_same<Cost, uint32_t>::value ? (Cost)MCD_UNREACHED : (Cost)MCD_JOINT_UNREACHED;
}

template <class Cost> __host__ __device__ inline Cost cost_of(mcd_weight objective, mcd_weight companion)
{
    if constexpr (std::is_same<Cost, uint32_t>::value)
        return objective;
    else
        return (uint64_t)objective << 32 | companion;
}

template <class Cost> __host__ __device__ inline mcd_weight cost_objective(Cost cost)
{
    return (mcd_weight)(sizeof(Cost) == 8 ? (uint64_t)cost >> 32 : cost);
}

template <class Cost> __host__ __device__ inline mcd_weight cost_companion(Cost cost)
{
    return sizeof(Cost) == 8 ? (mcd_weight)cost : 0;
}

/* Does not wrap. A sum of single costs may exceed MCD_UNREACHED until a minimum brings it back. */
__device__ inline uint32_t cost_add(uint32_t a, uint32_t b)
{
    return a + b;
}

/* Objective and companion saturate at MCD_UNREACHED. */
__device__ inline uint64_t cost_add(uint64_t a, uint64_t b)
{
    const uint32_t high = min((uint32_t)(a >> 32) + (uint32_t)(b >> 32), MCD_UNREACHED);
    const uint32_t low = min((uint32_t)a + (uint32_t)b, MCD_UNREACHED);
    return (uint64_t)high << 32 | low;
}

/* min(best, a + weight); `best` is a cost. */
__device__ inline uint32_t cost_relax(uint32_t best, uint32_t a, uint32_t weight)
{
    return __viaddmin_u32(a, weight, best);
}

__device__ inline uint64_t cost_relax(uint64_t best, uint64_t a, uint64_t weight)
{
    const uint64_t sum = cost_add(a, weight);
    return sum < best ? sum : best;
}

/* NULL if the values are not requested. */
__host__ __device__ inline uint32_t *value_at(uint32_t *value, size_t offset)
{
    return value ? value + offset : nullptr;
}

/* Splits a cost for the caller (as kernels/cpu/device/answer.h): unreached if above `limit`, or if a companion is
 * requested and has saturated; if it is `raw`, then only the companion. Either answer may be NULL. */
template <class Cost>
__device__ inline void answer_cost(Cost value, mcd_weight limit, bool raw, uint32_t *objective,
                                   uint32_t *companion)
{
    const bool within = cost_objective(value) <= limit,
               whole = within && (!companion || cost_companion(value) < MCD_UNREACHED);
    if (objective) *objective = whole || (within && raw) ? cost_objective(value) : MCD_COST_UNREACHED;
    if (companion) *companion = whole ? cost_companion(value) : MCD_COST_UNREACHED;
}

/* ---- launches ---- */

struct launch_shape {
    uint64_t blocks;
    unsigned threads;              /* per block */
    size_t shared = 0;             /* bytes of dynamic shared memory per block */
    cudaStream_t stream = nullptr; /* NULL: that of the call, see gpu_call::run */
    /* The launch begins when all blocks of the launch before have called let_next_launch_begin or have
     * ended. Its kernel calls await_launch_before before it reads or writes memory that others write; or at
     * its end, if the launch before let it begin only after all those writes. Needs mcd_gpu.launches_early. */
    bool early = false;
    bool cooperative = false; /* launch_grid sets it, after it allows the shared memory; not with `early` */
};

/* Allows the kernel so much dynamic shared memory. If that is more than every kernel may have, it allows
 * all that there is: other threads launch the kernel too. */
template <class... Parameters> inline cudaError_t allow_shared(size_t bytes, void (*kernel)(Parameters...))
{
    enum { SHARED_DEFAULT = 48 << 10 };
    int device = 0, most = 0;
    cudaFuncAttributes attributes;
    if (bytes <= SHARED_DEFAULT) return cudaSuccess;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, kernel);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      most - (int)attributes.sharedSizeBytes);
    return status;
}

/* Enqueues; does nothing if there are no blocks. Does not synchronize. */
template <class... Parameters, class... Arguments>
inline cudaError_t launch(const launch_shape &shape, void (*kernel)(Parameters...), Arguments &&...arguments)
{
    if (shape.blocks == 0) return cudaSuccess;
    if (shape.blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    const cudaError_t status = shape.cooperative ? cudaSuccess : allow_shared(shape.shared, kernel);
    if (status != cudaSuccess) return status;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = dim3((unsigned)shape.blocks);
    config.blockDim = dim3(shape.threads);
    config.dynamicSmemBytes = shape.shared;
    config.stream = shape.stream;
    if (shape.cooperative) {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    } else if (shape.early) {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    config.attrs = &attribute;
    config.numAttrs = shape.cooperative || shape.early;
    return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

/* Enqueues a cooperative launch of all blocks that can run concurrently: at most shape.blocks, and at most
 * `each` per multiprocessor. The GPU has `processors` of them. */
template <class... Parameters, class... Arguments>
inline cudaError_t launch_grid(launch_shape shape, int processors, int each, void (*kernel)(Parameters...),
                               Arguments &&...arguments)
{
    int resident = 0;
    cudaError_t status = allow_shared(shape.shared, kernel);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, (int)shape.threads,
                                                               shape.shared);
    if (status != cudaSuccess) return status;
    const uint64_t most = (uint64_t)processors * (unsigned)(resident < each ? resident : each);
    shape.blocks = shape.blocks < most ? shape.blocks : most;
    shape.cooperative = true;
    return most > 0 ? launch(shape, kernel, std::forward<Arguments>(arguments)...)
                    : cudaErrorCooperativeLaunchTooLarge;
}

template <class Integer> __host__ __device__ constexpr Integer blocks_of(Integer count, Integer size)
{
    return (count + size - 1) / size;
}

/* ---- in kernels ---- */

/* The thread's number in its whole launch. */
__device__ inline uint64_t thread_index()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Code for older devices has no such instructions; on them no launch is early. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define MCD_EARLY(instruction) instruction
#else
#define MCD_EARLY(instruction)
#endif

__device__ inline void let_next_launch_begin()
{
    MCD_EARLY(cudaTriggerProgrammaticLaunchCompletion());
}

/* Returns when all earlier launches have ended and their writes can be read. */
__device__ inline void await_launch_before()
{
    MCD_EARLY(cudaGridDependencySynchronize());
}

__device__ inline void lower_to(uint32_t *cost, uint32_t value)
{
    atomicMin(cost, value);
}

__device__ inline void lower_to(uint64_t *cost, uint64_t value)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the type that atomics take");
    atomicMin(reinterpret_cast<unsigned long long *>(cost), (unsigned long long)value);
}

/* The sum of `value` over the warp's lanes up to this one, and with it. Called by all lanes. */
template <class Count> __device__ inline Count warp_scan(Count value)
{
    for (unsigned step = 1; step < WARP; step *= 2) {
        const Count before = __shfl_up_sync(WARP_ALL, value, step);
        if (threadIdx.x % WARP >= step) value += before;
    }
    return value;
}

/* A kept arc's weight. */
template <class Cost> __device__ inline Cost arc_weight(const mcd_search &search, mcd_arc arc)
{
    return cost_of<Cost>(search.objective[arc], sizeof(Cost) == 8 ? search.companion[arc] : 0);
}

/* The first place in ascending[low .. high) whose value is not below `value`; `high` if there is none. */
template <class Index, class Element, class Value>
__device__ inline Index lower_bound(const Element *ascending, Index low, Index high, Value value)
{
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (ascending[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
