/* scan.h - prefix sums on a GPU. */
#ifndef MCD_KERNELS_CUDA_DEVICE_SCAN_H
#define MCD_KERNELS_CUDA_DEVICE_SCAN_H

#include "kernels/cuda/device/gpu.h"

/* Enqueues out[i] = count[0] + ... + count[i - 1] for 0 <= i <= size; all arrays on the GPU. */
void enqueue_scan(gpu_call &call, const uint32_t *count, size_t size, mcd_arc *out);

#endif
