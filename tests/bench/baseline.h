/* baseline.h - what the baselines on a GPU share: arrays there, and giving up. */
#ifndef MCD_TESTS_BENCH_BASELINE_H
#define MCD_TESTS_BENCH_BASELINE_H

#include "kernels/cuda/device/cuda.h"

#include <cstdio>
#include <cstdlib>

extern "C" {
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
}

/* Aborts with a message unless it is a success. */
static inline void expect(cudaError_t status)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "baseline: %s\n", cudaGetErrorString(status));
    abort();
}

/* An array on the GPU, from the host's unless that is NULL; cudaFree. */
template <class T> static T *copy(const T *from, size_t count)
{
    T *out;
    expect(cudaMalloc(&out, (count > 0 ? count : 1) * sizeof(T)));
    if (from) expect(cudaMemcpy(out, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return out;
}

#endif
