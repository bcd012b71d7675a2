/* deliver.cu - see deliver.h. */
#include "kernels/cuda/device/deliver.h"

#include <cstring>

enum {
    CHUNK_BYTES = 8 << 20,  /* bytes used of a pinned chunk: the first and the last overlap with nothing */
    COPY_BYTES = 256 << 10, /* bytes of a host thread's task */
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

/* Whether copies reach the memory without a detour by the driver. Memory of unknown kind counts as direct:
 * the host must not touch a GPU's memory. */
static macadam_status is_direct(gpu_call &call, const void *memory, bool *direct)
{
    cudaPointerAttributes attributes;
    MCD_TRY(look_at(call, memory, &attributes));
    *direct = attributes.type != cudaMemoryTypeUnregistered;
    return MACADAM_OK;
}

/* Rows in the host's memory. */
struct host_rows {
    char *first;
    size_t pitch, row_bytes;
};

/* A chunk of the rows' bytes, counted without the gaps between rows. */
struct host_copy {
    const host_rows *rows;
    size_t first, bytes;
    char *chunk;
    bool to_chunk;
};

static void copy_part(void *argument, size_t index, unsigned)
{
    const host_copy *copy = (const host_copy *)argument;
    const host_rows *rows = copy->rows;
    const size_t end = mcd_size_min((index + 1) * COPY_BYTES, copy->bytes);
    for (size_t at = index * COPY_BYTES, part; at < end; at += part) {
        const size_t row = (copy->first + at) / rows->row_bytes,
                     within = (copy->first + at) % rows->row_bytes;
        char *const host = rows->first + row * rows->pitch + within;
        part = mcd_size_min(end - at, rows->row_bytes - within);
        memcpy(copy->to_chunk ? copy->chunk + at : host, copy->to_chunk ? host : copy->chunk + at, part);
    }
}

static void copy_chunk(const mcd_parallel *parallel, host_copy copy)
{
    mcd_parallel_for(parallel, blocks_of<size_t>(copy.bytes, COPY_BYTES), copy_part, &copy);
}

/* The GPU fills one chunk while the host empties the other. */
static macadam_status deliver_chunks(gpu_call &call, const delivery *rows, const mcd_parallel *parallel)
{
    const size_t bytes = rows->row_bytes * rows->row_count;
    const host_rows host = {(char *)rows->to, rows->pitch, rows->row_bytes};
    void *chunk[2];
    host_copy waiting = {&host, 0, 0, nullptr, false};
    MCD_TRY(call.pinned(0, &chunk[0]));
    MCD_TRY(call.pinned(1, &chunk[1]));
    for (size_t first = 0, turn = 0; first < bytes || waiting.bytes > 0; first += CHUNK_BYTES, turn ^= 1) {
        const size_t part = first < bytes ? mcd_size_min(CHUNK_BYTES, bytes - first) : 0;
        if (part > 0)
            CUDA_TRY(call,
                     cudaMemcpyAsync(chunk[turn], (const char *)rows->from + first, part,
                                     cudaMemcpyDeviceToHost, call.copies),
                     "copying answers");
        copy_chunk(parallel, waiting);
        CUDA_TRY(call, cudaStreamSynchronize(call.copies), "copying answers");
        waiting = {&host, first, part, (char *)chunk[turn], false};
    }
    return MACADAM_OK;
}

struct row_copy {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch, row_bytes, row_count;
};

/* Copies rows. Rows without gaps are copied as one. */
static macadam_status copy_rows(gpu_call &call, row_copy rows, const char *what)
{
    if (rows.to_pitch == rows.row_bytes && rows.from_pitch == rows.row_bytes)
        rows.row_bytes *= rows.row_count, rows.row_count = 1;
    const bool one_by_one = rows.row_count == 1 || rows.to_pitch > INT32_MAX ||
                            rows.from_pitch > INT32_MAX; /* the driver's limit */
    if (!one_by_one)
        return call.check(cudaMemcpy2DAsync(rows.to, rows.to_pitch, rows.from, rows.from_pitch,
                                            rows.row_bytes, rows.row_count, cudaMemcpyDefault, call.copies),
                          what);
    for (size_t row = 0; row < rows.row_count; ++row)
        CUDA_TRY(call,
                 cudaMemcpyAsync((char *)rows.to + row * rows.to_pitch,
                                 (const char *)rows.from + row * rows.from_pitch, rows.row_bytes,
                                 cudaMemcpyDefault, call.copies),
                 what);
    return MACADAM_OK;
}

macadam_status deliver_rows(gpu_call &call, delivery rows, const mcd_parallel *parallel)
{
    if (rows.row_bytes == 0 || rows.row_count == 0) return MACADAM_OK;
    bool direct;
    MCD_TRY(is_direct(call, rows.to, &direct));
    if (!direct) return deliver_chunks(call, &rows, parallel);
    return copy_rows(call, {rows.to, rows.pitch, rows.from, rows.row_bytes, rows.row_bytes, rows.row_count},
                     "copying answers");
}

macadam_status deliver(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    MCD_TRY(call.order_copies());
    if (bytes <= DIRECT_BYTES)
        MCD_TRY(
            call.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, call.copies), "copying answers"));
    else
        MCD_TRY(deliver_rows(call, {to, bytes, from, bytes, 1}, parallel));
    return call.check(cudaStreamSynchronize(call.copies), "copying answers");
}

macadam_status supply(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    bool direct = bytes <= DIRECT_BYTES;
    if (!direct) MCD_TRY(is_direct(call, from, &direct));
    for (size_t first = 0; first < bytes && !direct; first += PINNED_BYTES) {
        void *chunk;
        const size_t part = mcd_size_min(PINNED_BYTES, bytes - first);
        MCD_TRY(call.pinned(0, &chunk));
        MCD_TRY(call.synchronize()); /* waits for an earlier use of the chunk */
        const host_rows rows = {(char *)from + first, part, part};
        copy_chunk(parallel, {&rows, 0, part, (char *)chunk, true});
        CUDA_TRY(call, cudaMemcpyAsync((char *)to + first, chunk, part, cudaMemcpyHostToDevice, call.stream),
                 "copying questions");
    }
    if (direct)
        CUDA_TRY(call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, call.stream), "copying questions");
    return MACADAM_OK;
}

/* The host fills one chunk while the GPU empties the other. */
static macadam_status supply_chunks(gpu_call &call, const supplies *rows, const mcd_parallel *parallel)
{
    const size_t bytes = rows->row_bytes * rows->row_count;
    const host_rows host = {(char *)rows->from, rows->pitch, rows->row_bytes};
    void *chunk[2];
    MCD_TRY(call.pinned(0, &chunk[0]));
    MCD_TRY(call.pinned(1, &chunk[1]));
    for (size_t first = 0, turn = 0; first < bytes; first += CHUNK_BYTES, turn ^= 1) {
        const size_t part = mcd_size_min(CHUNK_BYTES, bytes - first);
        copy_chunk(parallel, {&host, first, part, (char *)chunk[turn], true});
        CUDA_TRY(call, cudaStreamSynchronize(call.copies), "copying questions");
        CUDA_TRY(
            call,
            cudaMemcpyAsync((char *)rows->to + first, chunk[turn], part, cudaMemcpyHostToDevice, call.copies),
            "copying questions");
    }
    return call.check(cudaStreamSynchronize(call.copies), "copying questions");
}

macadam_status supply_rows(gpu_call &call, supplies rows, const mcd_parallel *parallel)
{
    bool direct;
    if (rows.row_bytes == 0 || rows.row_count == 0) return MACADAM_OK;
    MCD_TRY(is_direct(call, rows.from, &direct));
    if (!direct) return supply_chunks(call, &rows, parallel);
    return copy_rows(call, {rows.to, rows.row_bytes, rows.from, rows.pitch, rows.row_bytes, rows.row_count},
                     "copying questions");
}
