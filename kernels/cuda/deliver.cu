/* deliver.cu - see deliver.h. */
#include "kernels/cuda/deliver.h"

#include <cstring>

enum {
    CHUNK_BYTES = 8 << 20,  /* of a pinned chunk that are used: the first and the last overlap with nothing */
    COPY_BYTES = 256 << 10, /* of a host thread's task */
};
static_assert((int)CHUNK_BYTES <= (int)PINNED_BYTES, "it is a part of a pinned chunk");

static macadam_status look_at(gpu_call &call, const void *memory, cudaPointerAttributes *out)
{
    return call.check(cudaPointerGetAttributes(out, memory), "looking at memory");
}

macadam_status owner_of_memory(gpu_call &call, const void *memory, int *owner)
{
    cudaPointerAttributes attributes;
    *owner = -1;
    MCD_TRY(look_at(call, memory, &attributes));
    if (attributes.type == cudaMemoryTypeDevice) *owner = attributes.device;
    return MACADAM_OK;
}

/* Memory that copies reach without the driver's own detour. What cannot be looked at is left alone: the host
 * must not touch a GPU's. */
static macadam_status is_direct(gpu_call &call, const void *memory, bool *direct)
{
    cudaPointerAttributes attributes;
    MCD_TRY(look_at(call, memory, &attributes));
    *direct = attributes.type != cudaMemoryTypeUnregistered;
    return MACADAM_OK;
}

/* A chunk of rows' bytes, counted without what lies between them. */
struct host_copy {
    const delivery *rows;
    size_t first, bytes;
    const char *from;
};

static void copy_part(void *argument, size_t index, unsigned)
{
    const host_copy *copy = (const host_copy *)argument;
    const delivery *rows = copy->rows;
    const size_t end = mcd_size_min((index + 1) * COPY_BYTES, copy->bytes);
    for (size_t at = index * COPY_BYTES, part; at < end; at += part) {
        const size_t row = (copy->first + at) / rows->row_bytes,
                     within = (copy->first + at) % rows->row_bytes;
        part = mcd_size_min(end - at, rows->row_bytes - within);
        memcpy((char *)rows->to + row * rows->pitch + within, copy->from + at, part);
    }
}

/* One chunk is filled by the GPU while the other is emptied. */
static macadam_status deliver_chunks(gpu_call &call, const delivery *rows, const mcd_parallel *parallel)
{
    const size_t bytes = rows->row_bytes * rows->row_count;
    void *chunk[2];
    host_copy waiting = {rows, 0, 0, nullptr};
    MCD_TRY(call.pinned(0, &chunk[0]));
    MCD_TRY(call.pinned(1, &chunk[1]));
    for (size_t first = 0, turn = 0; first < bytes || waiting.bytes > 0; first += CHUNK_BYTES, turn ^= 1) {
        const size_t part = first < bytes ? mcd_size_min(CHUNK_BYTES, bytes - first) : 0;
        if (part > 0)
            CUDA_TRY(call,
                     cudaMemcpyAsync(chunk[turn], (const char *)rows->from + first, part,
                                     cudaMemcpyDeviceToHost, call.copies),
                     "copying answers");
        mcd_parallel_for(parallel, blocks_of<size_t>(waiting.bytes, COPY_BYTES), copy_part, &waiting);
        CUDA_TRY(call, cudaStreamSynchronize(call.copies), "copying answers");
        waiting = {rows, first, part, (const char *)chunk[turn]};
    }
    return MACADAM_OK;
}

static macadam_status deliver_directly(gpu_call &call, const delivery *rows)
{
    const bool one_by_one = rows->row_count == 1 || rows->pitch > INT32_MAX; /* the driver's limit */
    if (!one_by_one)
        CUDA_TRY(call,
                 cudaMemcpy2DAsync(rows->to, rows->pitch, rows->from, rows->row_bytes, rows->row_bytes,
                                   rows->row_count, cudaMemcpyDefault, call.copies),
                 "copying answers");
    for (size_t row = 0; one_by_one && row < rows->row_count; ++row)
        CUDA_TRY(call,
                 cudaMemcpyAsync((char *)rows->to + row * rows->pitch,
                                 (const char *)rows->from + row * rows->row_bytes, rows->row_bytes,
                                 cudaMemcpyDefault, call.copies),
                 "copying answers");
    return MACADAM_OK;
}

macadam_status deliver_rows(gpu_call &call, delivery rows, const mcd_parallel *parallel)
{
    if (rows.row_bytes == 0 || rows.row_count == 0) return MACADAM_OK;
    if (rows.pitch == rows.row_bytes)
        rows.row_bytes *= rows.row_count, rows.pitch = rows.row_bytes, rows.row_count = 1;
    bool direct;
    MCD_TRY(is_direct(call, rows.to, &direct));
    return direct ? deliver_directly(call, &rows) : deliver_chunks(call, &rows, parallel);
}

macadam_status deliver(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    MCD_TRY(call.order_copies());
    MCD_TRY(deliver_rows(call, {to, bytes, from, bytes, 1}, parallel));
    return call.check(cudaStreamSynchronize(call.copies), "copying answers");
}

macadam_status supply(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    bool direct = bytes <= COPY_BYTES;
    if (!direct) MCD_TRY(is_direct(call, from, &direct));
    for (size_t first = 0; first < bytes && !direct; first += PINNED_BYTES) {
        void *chunk;
        const size_t part = mcd_size_min(PINNED_BYTES, bytes - first);
        MCD_TRY(call.pinned(0, &chunk));
        MCD_TRY(call.synchronize()); /* whatever used the chunk before */
        const delivery rows = {chunk, part, nullptr, part, 1};
        host_copy copy = {&rows, 0, part, (const char *)from + first};
        mcd_parallel_for(parallel, blocks_of<size_t>(part, COPY_BYTES), copy_part, &copy);
        CUDA_TRY(call, cudaMemcpyAsync((char *)to + first, chunk, part, cudaMemcpyHostToDevice, call.stream),
                 "copying questions");
    }
    if (direct)
        CUDA_TRY(call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, call.stream), "copying questions");
    return MACADAM_OK;
}
