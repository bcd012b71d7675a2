/* devices.h - the emulated devices, and what every call of the runtime goes through. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_DEVICES_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_DEVICES_H

#include "cuda_runtime.h"

#include <mutex>

namespace cuda_emulator
{

enum {
    DEVICE_MAX = 8,
    MULTIPROCESSORS = 4,
    THREADS_PER_BLOCK = 1024,
    THREADS_PER_MULTIPROCESSOR = 1024, /* fewer than a device's: each takes a stack in a cooperative launch */
    BLOCKS_PER_MULTIPROCESSOR = 16,
    SHARED_PER_BLOCK = 48 << 10, /* without opting in */
    SHARED_PER_BLOCK_OPT_IN = 227 << 10,
    SHARED_PER_MULTIPROCESSOR = 228 << 10,
    SHARED_RESERVED = 1 << 10 /* per block */
};

struct device {
    cudaError_t lost; /* cudaSuccess: it is not */
    size_t used_bytes;
    cudaMemPool_t default_pool; /* NULL: it was never requested */
    bool peer[DEVICE_MAX];      /* whose memory it may access */
};

/* The kinds of calls by what they do on a lost device. */
enum call_kind { USES_DEVICE, RELEASES, ASKS };

/* The state of the runtime; all of it under its lock. */
struct runtime {
    std::mutex lock;
    int device_count;
    device devices[DEVICE_MAX];
    size_t memory_bytes; /* of each device */
    size_t call_count;
    size_t calls_until_loss, allocations_until_failure; /* 0: never */
    cudaError_t loss;
    bool has_failed;
    bool reversed; /* the order of threads */
};

runtime &the_runtime();

/* The calling thread's. */
extern thread_local int current_device;

/* Under the lock: counts the call; whether it may be done. */
cudaError_t begin_call(call_kind kind);
/* Keeps the error for cudaGetLastError. */
cudaError_t end_call(cudaError_t status);

/* Does body(), which returns a status, as one call of the runtime. */
template <typename Body> cudaError_t runtime_call(call_kind kind, Body body)
{
    const std::lock_guard<std::mutex> guard(the_runtime().lock);
    cudaError_t status = begin_call(kind);
    if (status == cudaSuccess || kind == RELEASES) {
        const cudaError_t own = body();
        if (status == cudaSuccess) status = own;
    }
    return end_call(status);
}

/* Marks the calling thread as inside a host function, which may not call the runtime. */
extern thread_local bool in_host_function;

bool is_device(int number);

} // namespace cuda_emulator

#endif
