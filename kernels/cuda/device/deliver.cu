/* deliver.cu - see deliver.h.
 *
 * Method. Pageable memory goes through a ring of pinned chunks. The GPU fills chunks in order while threads of the
 * host copy pieces of earlier ones, all in one parallel region. The thread that takes the first piece of a chunk
 * waits for the GPU's copy. The thread that finishes the last piece starts the GPU's copy of the chunk that has the
 * same slot next. To a GPU, the host fills and the GPU empties.
 * Races. None: a slot is the GPU's from start_copy to open_chunk, and otherwise the host's, whose pieces are disjoint.
 * Progress. Pieces are taken in ascending order, and wait only for lower ones: one thread is enough.
 * Limit. The bus, if eight threads copy; their stores pass the caches. */
#include "kernels/cuda/device/deliver.h"

#include <cstring>
#include <thread>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* 400 MB on an H100 beside 16 threads, 7.3 ms of bus: as below 7.7 to 8.2 ms; by 16 threads 9.2; with a ring of 8 or
 * 16 MiB 15 to 18; by memcpy 14.7, or 8.0 by 16 threads. */
enum {
    CHUNK_BYTES = PINNED_BYTES / RING_SLOTS, /* at most */
    PIECE_BYTES = 64 << 10,                  /* that a thread takes at a time */
    ROUND_BYTES = RING_SLOTS * PIECE_BYTES,
    COPY_THREADS = 8,
    SPINS = 1 << 10, /* of a thread that waits, before it leaves the processor to others */
};
static_assert(CHUNK_BYTES % PIECE_BYTES == 0, "a piece belongs to one chunk");

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

void *mapped_memory(gpu_call &call, const void *memory)
{
    const cudaPointerAttributes attributes = look_at(call, memory);
    return attributes.type == cudaMemoryTypeHost ? attributes.devicePointer : nullptr;
}

/* Copies without reading the whole lines that it writes, where the processor can. */
static void copy_past_caches(char *to, const char *from, size_t bytes)
{
    size_t at = 0;
#if defined(__SSE2__)
    enum { LINE = 64, STORE = sizeof(__m128i) };
    at = mcd_size_min(-(uintptr_t)to % LINE, bytes);
    memcpy(to, from, at);
    for (; at + LINE <= bytes; at += LINE)
        for (size_t i = at; i < at + LINE; i += STORE)
            _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    _mm_sfence(); /* before another thread starts the GPU's copy */
#endif
    memcpy(to + at, from + at, bytes - at);
}

/* A chunk's place in pinned memory. Chunks are counted from 1 here; 0: none yet. */
struct ring_slot {
    std::atomic<size_t> started{0}; /* the last one whose copy by the GPU is enqueued */
    std::atomic<size_t> open{0};    /* the one that the host may copy */
    std::atomic<size_t> left{0};    /* its pieces that the host has not copied */
};

/* Moves rows through the ring. Bytes count as the GPU stores them, with the gaps between its rows. */
struct ring {
    gpu_call &call;
    const row_copy &rows;
    const bool delivers;
    char *const pinned = (char *)call.pinned(0);
    const cudaEvent_t *const event = call.ring_events();
    const size_t bytes = rows.gpu_pitch * rows.row_count;
    const size_t chunk_bytes = mcd_size_min(blocks_of<size_t>(bytes, ROUND_BYTES) * PIECE_BYTES, CHUNK_BYTES);
    const size_t chunk_count = blocks_of(bytes, chunk_bytes);
    const size_t lead = delivers ? RING_SLOTS : 0; /* how many chunks the GPU's copies are ahead */
    std::atomic<size_t> next_piece{0};
    std::atomic<cudaError_t> failed{cudaSuccess}; /* the first failure, which ends all threads' work */
    ring_slot slot[RING_SLOTS] = {};

    void check(cudaError_t status)
    {
        cudaError_t none = cudaSuccess;
        if (status != cudaSuccess) failed.compare_exchange_strong(none, status);
    }

    /* Returns false if the ring has failed. */
    bool await(const std::atomic<size_t> &value, size_t wanted) const
    {
        for (int spins = 0; value != wanted && failed == cudaSuccess; ++spins)
            if (spins >= SPINS) std::this_thread::yield();
        return failed == cudaSuccess;
    }

    char *pinned_at(size_t byte) const
    {
        return pinned + byte / chunk_bytes % RING_SLOTS * CHUNK_BYTES + byte % chunk_bytes;
    }

    void start_copy(size_t chunk)
    {
        const size_t first = chunk * chunk_bytes, i = chunk % RING_SLOTS;
        char *const there = pinned_at(first), *const on_gpu =
                                                  (char *)(delivers ? rows.from : rows.to) + first;
        check(cudaMemcpyAsync(delivers ? there : on_gpu, delivers ? on_gpu : there,
                              mcd_size_min(chunk_bytes, bytes - first),
                              delivers ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, call.copies));
        check(cudaEventRecord(event[i], call.copies));
        slot[i].started = chunk + 1;
    }

    /* Waits for the GPU's last copy of the chunk's slot, and opens the chunk for the host. */
    void open_chunk(size_t chunk)
    {
        const size_t i = chunk % RING_SLOTS, before = chunk + lead;
        if (before >= RING_SLOTS) {
            if (!await(slot[i].started, before - RING_SLOTS + 1)) return;
            check(cudaEventSynchronize(event[i]));
        }
        slot[i].left = blocks_of<size_t>(mcd_size_min(chunk_bytes, bytes - chunk * chunk_bytes), PIECE_BYTES);
        slot[i].open = chunk + 1;
    }

    void copy_piece(size_t first) const
    {
        const size_t end = mcd_size_min(first + PIECE_BYTES, bytes), pitch = rows.gpu_pitch;
        char *const host_rows = (char *)(delivers ? rows.to : rows.from), *const there = pinned_at(first);
        for (size_t at = first, part; at < end; at += part) {
            const size_t within = at % pitch;
            char *const host = host_rows + at / pitch * rows.pitch + within;
            part = mcd_size_min(end - at, pitch - within);
            if (within >= rows.row_bytes) continue;
            const size_t count = mcd_size_min(part, rows.row_bytes - within);
            char *const in_ring = there + at - first;
            copy_past_caches(delivers ? host : in_ring, delivers ? in_ring : host, count);
        }
    }

    /* A thread's work: takes pieces until none is left. */
    void take_pieces()
    {
        check(cudaSetDevice(call.gpu->ordinal));
        for (size_t first; (first = next_piece++ * PIECE_BYTES) < bytes;) {
            const size_t chunk = first / chunk_bytes;
            ring_slot &own = slot[chunk % RING_SLOTS];
            if (first % chunk_bytes == 0) open_chunk(chunk);
            if (!await(own.open, chunk + 1)) return;
            copy_piece(first);
            if (--own.left == 0 && chunk + lead < chunk_count) start_copy(chunk + lead);
        }
    }
};

static void take_pieces(void *argument, size_t, unsigned)
{
    ((ring *)argument)->take_pieces();
}

static void copy_through_ring(gpu_call &call, const row_copy &rows, bool delivers, const char *what,
                              const mcd_parallel *parallel)
{
    ring all = {call, rows, delivers};
    for (size_t chunk = 0; chunk < mcd_size_min(all.lead, all.chunk_count); ++chunk) all.start_copy(chunk);
    mcd_parallel_for(parallel, mcd_size_min(COPY_THREADS, blocks_of<size_t>(all.bytes, PIECE_BYTES)),
                     take_pieces, &all);
    call.check(all.failed, what);
    if (!delivers) call.check(cudaStreamSynchronize(call.copies), what);
}

/* Rows without gaps are copied as one. */
static void copy_rows(gpu_call &call, row_copy rows, bool delivers, const char *what,
                      const mcd_parallel *parallel)
{
    if (rows.row_bytes == 0 || rows.row_count == 0) return;
    if (rows.gpu_pitch == 0) rows.gpu_pitch = rows.row_bytes;
    if (rows.pitch == rows.row_bytes && rows.gpu_pitch == rows.row_bytes)
        rows.pitch = rows.gpu_pitch = rows.row_bytes *= rows.row_count, rows.row_count = 1;
    /* Other copies reach the memory without a detour by the driver. Memory of unknown kind counts as such: the host
     * must not touch a GPU's memory. */
    if (look_at(call, delivers ? rows.to : rows.from).type == cudaMemoryTypeUnregistered)
        return copy_through_ring(call, rows, delivers, what, parallel);
    const size_t to_pitch = delivers ? rows.pitch : rows.gpu_pitch,
                 from_pitch = delivers ? rows.gpu_pitch : rows.pitch;
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
