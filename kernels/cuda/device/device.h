/* device.h - the GPUs that an engine opens together (mcd_device_table describes the calls). */
#ifndef MCD_KERNELS_CUDA_DEVICE_DEVICE_H
#define MCD_KERNELS_CUDA_DEVICE_DEVICE_H

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/image.h"

size_t mcd_cuda_list(const char **name, size_t capacity);
mcd_device *mcd_cuda_open(const char *name, uint64_t scratch_limit);
void mcd_cuda_close(mcd_device *device);
/* Lets the GPUs reach each other's memory where they can (mcd_device.reaches), both pools and callers'
 * memory; otherwise the driver copies by way of the host. Done once. */
void peers_meet(mcd_device *device);
const char *mcd_cuda_name(const mcd_device *device);
bool mcd_cuda_lost(const mcd_device *device);
size_t mcd_cuda_gpus(const mcd_device *device, int *number, size_t capacity);
/* Returns the GPU whose memory it is, or one that can reach it. */
mcd_gpu *gpu_of_memory(mcd_device *device, const void *memory);
void *mcd_cuda_memory_new(mcd_device *device, size_t index, mcd_memory_kind kind, uint64_t bytes);
void mcd_cuda_memory_read(mcd_device *device, void *to, const void *from, uint64_t bytes,
                          const mcd_parallel *parallel);
void mcd_cuda_memory_write(mcd_device *device, void *to, const void *from, uint64_t bytes);
void mcd_cuda_memory_free(mcd_device *device, size_t index, mcd_memory_kind kind, void *memory);
mcd_device_memory mcd_cuda_held(mcd_device *device);
void mcd_cuda_trim(mcd_device *device, uint64_t keep);

#endif
