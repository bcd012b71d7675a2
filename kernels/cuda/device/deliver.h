/* deliver.h - copies answers from a GPU to the caller's memory, and questions to a GPU. */
#ifndef MCD_KERNELS_CUDA_DEVICE_DELIVER_H
#define MCD_KERNELS_CUDA_DEVICE_DELIVER_H

#include "kernels/cuda/device/gpu.h"

enum { DIRECT_BYTES = 256 << 10 }; /* deliver and supply copy at most this many bytes without a ring */

/* The ordinal of the GPU that has this memory as its own, so that its kernels write it at full speed; -1 if the
 * host can read it. */
int owner_of_memory(gpu_call &call, const void *memory);

/* The ordinal of the GPU that has both answers as its own; -1 if none has. An answer that is NULL is not requested;
 * if both are NULL: the call's GPU. */
int owner_of_answers(gpu_call &call, const uint32_t *objective, const uint32_t *companion);

/* The address by which the GPU's kernels write pinned memory; NULL: it is not pinned, or they cannot. */
void *mapped_memory(gpu_call &call, const void *memory);

/* Copies `bytes` from the GPU to `to` (memory of a GPU, pinned or pageable) after all work enqueued on the
 * call's stream. Returns when they are there. The threads of `parallel` fill pageable memory from
 * a ring of pinned chunks. */
void deliver(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel);

/* Rows that lie gpu_pitch bytes apart on the GPU (0: densely), where copies may also read and write the gaps, and `pitch`
 * bytes apart in the other memory. */
struct row_copy {
    void *to;
    size_t pitch;
    const void *from;
    size_t row_bytes, row_count, gpu_pitch = 0;
};

/* Copies rows from the GPU. The copy waits only for the work that gpu_call::order_copies named, so work enqueued
 * later may overlap with it. It may return before the rows are there: the call's next synchronize() waits for
 * them. */
void deliver_rows(gpu_call &call, const row_copy &rows, const mcd_parallel *parallel);

/* Enqueues a copy of the host's memory to the GPU, before the work enqueued later on the call's stream.
 * `from` must stay unchanged until the call is synchronized. Pageable memory takes the ring, as
 * above. */
void supply(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel);

/* Copies the host's rows to the GPU, on the call's stream of copies, as deliver_rows does. Pageable memory has
 * been read on return; other memory must stay unchanged until the call is synchronized. */
void supply_rows(gpu_call &call, const row_copy &rows, const mcd_parallel *parallel);

#endif
