/* deliver.cu - see deliver.h. */
#include "kernels/cuda/device/deliver.h"

#include <cstring>

enum {
    CHUNK_BYTES = 8 << 20,  /* bytes used of a pinned chunk: the first and the last overlap with nothing */
    COPY_BYTES = 256 << 10, /* bytes of a host thread's task */
};
static_assert((int)CHUNK_BYTES <= (int)PINNED_BYTES, "it is a part of a pinned chunk");

static cudaPointerAttributes look_at(gpu_call &call, const void *memory)
{
    cudaPointerAttributes attributes;
    call.check(cudaPointerGetAttributes(&attributes, memory), "looking at memory");
    return attributes;
}

int owner_of_memory(gpu_call &call, const void *memory)
{
    const cudaPointerAttributes attributes = look_at(call, memory);
    return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

int owner_of_answers(gpu_call &call, const uint32_t *objective, const uint32_t *companion)
{
    const int first = objective ? owner_of_memory(call, objective) : call.gpu->ordinal;
    const int second = companion ? owner_of_memory(call, companion) : first;
    return !objective || first == second ? second : -1;
}

/* A part of the rows' bytes that passes a pinned chunk; the gaps between rows do not count. */
struct chunk_copy {
    const row_copy *rows;
    bool delivers;
    size_t first, bytes;
    char *chunk;
};

static void copy_part(void *argument, size_t index, unsigned)
{
    const chunk_copy *copy = (const chunk_copy *)argument;
    const row_copy *rows = copy->rows;
    char *const host_rows = (char *)(copy->delivers ? rows->to : rows->from);
    const size_t end = mcd_size_min((index + 1) * COPY_BYTES, copy->bytes);
    for (size_t at = index * COPY_BYTES, part; at < end; at += part) {
        const size_t row = (copy->first + at) / rows->row_bytes,
                     within = (copy->first + at) % rows->row_bytes;
        char *const host = host_rows + row * rows->pitch + within;
        part = mcd_size_min(end - at, rows->row_bytes - within);
        memcpy(copy->delivers ? host : copy->chunk + at, copy->delivers ? copy->chunk + at : host, part);
    }
}

static void copy_by_host(const mcd_parallel *parallel, chunk_copy copy)
{
    mcd_parallel_for(parallel, blocks_of<size_t>(copy.bytes, COPY_BYTES), copy_part, &copy);
}

/* The GPU fills or empties one chunk while the host does the opposite with the other. */
static void copy_chunks(gpu_call &call, const row_copy &rows, bool delivers, const char *what,
                        const mcd_parallel *parallel)
{
    const size_t bytes = rows.row_bytes * rows.row_count;
    void *const chunk[] = {call.pinned(0), call.pinned(1)};
    chunk_copy before = {&rows, delivers, 0, 0, nullptr};
    for (size_t first = 0, turn = 0; first < bytes; first += CHUNK_BYTES, turn ^= 1) {
        const chunk_copy now = {&rows, delivers, first, mcd_size_min(CHUNK_BYTES, bytes - first),
                                (char *)chunk[turn]};
        char *const on_gpu = (char *)(delivers ? rows.from : rows.to) + first;
        if (!delivers) {
            copy_by_host(parallel, now);
            call.check(cudaStreamSynchronize(call.copies), what);
        }
        call.check(cudaMemcpyAsync(delivers ? now.chunk : on_gpu, delivers ? on_gpu : now.chunk, now.bytes,
                                   delivers ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, call.copies),
                   what);
        if (delivers) {
            copy_by_host(parallel, before);
            call.check(cudaStreamSynchronize(call.copies), what);
        }
        before = now;
    }
    if (!delivers) return call.check(cudaStreamSynchronize(call.copies), what);
    copy_by_host(parallel, before);
}

/* Rows without gaps are copied as one. */
static void copy_rows(gpu_call &call, row_copy rows, bool delivers, const char *what,
                      const mcd_parallel *parallel)
{
    if (rows.row_bytes == 0 || rows.row_count == 0) return;
    /* Other copies reach the memory without a detour by the driver. Memory of unknown kind counts as such: the host
     * must not touch a GPU's memory. */
    if (look_at(call, delivers ? rows.to : rows.from).type == cudaMemoryTypeUnregistered)
        return copy_chunks(call, rows, delivers, what, parallel);
    if (rows.pitch == rows.row_bytes) rows.pitch = rows.row_bytes *= rows.row_count, rows.row_count = 1;
    const size_t to_pitch = delivers ? rows.pitch : rows.row_bytes,
                 from_pitch = delivers ? rows.row_bytes : rows.pitch;
    if (rows.row_count > 1 && rows.pitch <= INT32_MAX) /* the driver's limit */
        return call.check(cudaMemcpy2DAsync(rows.to, to_pitch, rows.from, from_pitch, rows.row_bytes,
                                            rows.row_count, cudaMemcpyDefault, call.copies),
                          what);
    for (size_t row = 0; row < rows.row_count; ++row)
        call.check(cudaMemcpyAsync((char *)rows.to + row * to_pitch,
                                   (const char *)rows.from + row * from_pitch, rows.row_bytes,
                                   cudaMemcpyDefault, call.copies),
                   what);
}

void deliver_rows(gpu_call &call, const row_copy &rows, const mcd_parallel *parallel)
{
    copy_rows(call, rows, true, "copying answers", parallel);
}

void supply_rows(gpu_call &call, const row_copy &rows, const mcd_parallel *parallel)
{
    copy_rows(call, rows, false, "copying questions", parallel);
}

void deliver(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    call.order_copies();
    if (bytes <= DIRECT_BYTES)
        call.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, call.copies), "copying answers");
    else
        deliver_rows(call, {to, bytes, from, bytes, 1}, parallel);
    call.check(cudaStreamSynchronize(call.copies), "copying answers");
}

void supply(gpu_call &call, void *to, const void *from, size_t bytes, const mcd_parallel *parallel)
{
    if (bytes <= DIRECT_BYTES) return call.copy((char *)to, (const char *)from, bytes, "copying questions");
    call.order_copies();
    supply_rows(call, {to, bytes, from, bytes, 1}, parallel);
    call.order_work();
}
