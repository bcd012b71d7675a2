/* deliver.h - answers on their way from a GPU to wherever the caller wants them, and questions on theirs to a
 * GPU. */
#ifndef MCD_KERNELS_CUDA_DEVICE_DELIVER_H
#define MCD_KERNELS_CUDA_DEVICE_DELIVER_H

#include "kernels/cuda/device/gpu.h"

/* *owner: the ordinal of the GPU whose own memory this is, which its kernels write at full speed; -1: the
 * host can read it. */
macadam_status owner_of_memory(gpu_call &call, const void *memory, int *owner);

/* Copies `bytes` from the GPU to `to` (of a GPU, pinned, or any of the host's) after all work enqueued on the
 * call's stream, and returns when they are there. Pageable memory is filled through pinned chunks by the
 * threads of `parallel`. */
macadam_status deliver(gpu_call &call, void *to, const void *from, size_t bytes,
                       const mcd_parallel *parallel);

/* Copies rows that lie densely on the GPU to `to`, each row_bytes long and `pitch` bytes after the one
 * before, likewise; but after the work that gpu_call::order_copies named, so that what is enqueued later may
 * overlap, and it may return before they are there: the call's next synchronize() waits for them. */
struct delivery {
    void *to;
    size_t pitch;
    const void *from;
    size_t row_bytes, row_count;
};
macadam_status deliver_rows(gpu_call &call, delivery rows, const mcd_parallel *parallel);

/* Enqueues a copy of the host's memory to the GPU for what is enqueued later on the call's stream. `from`
 * stays as it is until the call has been synchronized. Pageable memory takes pinned chunks, as above. */
macadam_status supply(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel);

/* Copies rows of the host's, each row_bytes long and `pitch` bytes after the one before, densely to the GPU;
 * on the call's copies, as deliver_rows. Pageable memory has been read when it returns, other memory stays as
 * it is until the call has been synchronized. */
struct supplies {
    void *to;
    const void *from;
    size_t pitch, row_bytes, row_count;
};
macadam_status supply_rows(gpu_call &call, supplies rows, const mcd_parallel *parallel);

#endif
