/* paths.cu - paths of many pairs, in chunks: searched together, then unpacked in windows of their input arcs.
 * CPU twin: kernels/cpu/pairwise/route.c.
 *
 * Method. route.cu finds each pair's kept arcs; unpack.cu counts and then lists their input arcs. A window
 * holds whole paths, one after the other, in pinned memory. While the caller takes one window's paths in
 * place, the GPU fills the other window. A path longer than a window is gathered in its own memory.
 * Cycles of weight 0. As on the CPU, the host cuts cycles out of paths (mcd_path_simplify), and searches in a
 * tree (mcd_tight_path) for paths that unpack into more arcs than there are nodes.
 * Limit. The copy to the host: 4 bytes per input arc. So one GPU is enough. */
#include "kernels/cuda/pairwise/paths.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/unpack.h"

extern "C" {
#include "kernels/host/tight_path.h"
#include "kernels/host/unpack.h"
}

enum {
    PATHS_CHUNK = 1 << 16, /* pairs searched together */
    PATHS_PER_TASK = 16,   /* that a host thread simplifies at a time */
    WINDOW_ARCS = PINNED_BYTES / sizeof(uint32_t),
};

/* Pairs first <= i < first + count of a chunk; their arcs begin at place `begin` of the chunk's. */
struct path_window {
    size_t first, count;
    mcd_arc begin, end;
};

/* A chunk of pairs, and its data on the host. */
struct path_chunk {
    gpu_pairs pairs;
    gpu_chains chains;
    gpu_unpacked unpacked;
    gpu_array<uint32_t> window[2];
    pair_room room = {};
    size_t window_max = 0, window_arcs = 0; /* most arcs of a window, and arcs of this chunk's windows */
    void *pinned[2] = {nullptr, nullptr};
    uint32_t *length = nullptr; /* as in gpu_unpacked */
    mcd_arc *first = nullptr;
    mcd_path *path = nullptr; /* those with a capacity own their memory */

    path_chunk() = default;
    path_chunk(const path_chunk &) = delete;
    ~path_chunk()
    {
        mcd_free(length);
        mcd_free(first);
        mcd_free(path);
    }
};

struct path_run {
    gpu_call &call;
    gpu_weights &weights;
    const mcd_route_job &job;
    path_chunk &chunk;
};

/* Allocates for chunks of up to `count` pairs. */
static macadam_status allocate(path_run &run, size_t count)
{
    path_chunk &chunk = run.chunk;
    MCD_TRY(pairs_allocate(chunk.pairs, run.call, run.job, count));
    MCD_TRY(chains_allocate(chunk.chains, run.call, run.weights, count));
    MCD_TRY(unpacked_allocate(chunk.unpacked, run.call, run.weights, count));
    for (int i = 0; i < 2; ++i) MCD_TRY(run.call.pinned(i, &chunk.pinned[i]));
    MCD_TRY(host_new(&chunk.length, count, "paths", run.call.error));
    MCD_TRY(host_new(&chunk.first, count + 1, "paths", run.call.error));
    return host_new(&chunk.path, count, "paths", run.call.error);
}

/* Delivers costs to the caller, lengths and places to the host. */
static macadam_status search_chunk(path_run &run, size_t first, size_t count)
{
    path_chunk &chunk = run.chunk;
    const mcd_parallel *const parallel = &run.job.parallel;
    MCD_TRY(enqueue_search(run.call, run.weights, run.job, first, count, chunk.room.label_bytes, chunk.pairs,
                           &chunk.chains));
    MCD_TRY(enqueue_lengths(run.call, run.weights, chunk.chains, count, chunk.unpacked));
    MCD_TRY(deliver_costs(run.call, chunk.pairs, run.job));
    MCD_TRY(
        deliver(run.call, chunk.length, chunk.unpacked.length.get(), count * sizeof *chunk.length, parallel));
    return deliver(run.call, chunk.first, chunk.unpacked.first.get(), (count + 1) * sizeof *chunk.first,
                   parallel);
}

/* ---- paths for the caller ---- */

struct simplify_work {
    const path_run *run;
    size_t first, count;
    std::atomic<int> status; /* MACADAM_E_MEMORY is the only failure */
};

static void simplify_task(void *argument, size_t index, unsigned)
{
    simplify_work *const work = (simplify_work *)argument;
    const path_run &run = *work->run;
    const size_t first = index * PATHS_PER_TASK, end = mcd_size_min(first + PATHS_PER_TASK, work->count);
    for (size_t i = work->first + first; i < work->first + end; ++i) {
        const mcd_lane *const source = &run.job.source[run.chunk.pairs.first + i];
        if (run.chunk.path[i].count == 0) continue;
        const macadam_status status = mcd_path_simplify(&run.chunk.path[i], run.job.weights, source, nullptr);
        if (status) work->status = status;
    }
}

static macadam_status simplify(const path_run &run, size_t first, size_t count)
{
    simplify_work work = {&run, first, count, {MACADAM_OK}};
    if (!run.job.weights->has_zero) return MACADAM_OK;
    mcd_parallel_for(&run.job.parallel, blocks_of<size_t>(count, PATHS_PER_TASK), simplify_task, &work);
    if (!work.status) return MACADAM_OK;
    return mcd_fail(run.call.error, (macadam_status)work.status.load(), "no memory to simplify paths");
}

/* Finds the paths that were not unpacked. */
static macadam_status find_others(const path_run &run, size_t first, size_t count)
{
    const mcd_route_job &job = run.job;
    for (size_t i = first; i < first + count; ++i) {
        if (run.chunk.length[i] <= run.weights.map->hierarchy.node_count) continue;
        const size_t pair = run.chunk.pairs.first + i;
        MCD_TRY(mcd_tight_path(&run.chunk.path[i], job.weights, job.companion != nullptr, &job.source[pair],
                               &job.target[pair], tree_within, run.call.error));
    }
    return MACADAM_OK;
}

/* Hands over the paths of a window; their arcs are `arc`. */
static macadam_status take_window(const path_run &run, const path_window &window, uint32_t *arc)
{
    const path_chunk &chunk = run.chunk;
    mcd_path *const path = chunk.path + window.first;
    for (size_t i = 0; i < window.count; ++i) {
        const mcd_arc *const first = chunk.first + window.first + i;
        path[i] = {arc + (first[0] - window.begin), (size_t)(first[1] - first[0]), 0};
    }
    macadam_status status = simplify(run, window.first, window.count);
    if (!status) status = find_others(run, window.first, window.count);
    if (!status)
        status = run.job.take(run.job.take_context, path, chunk.pairs.first + window.first, window.count,
                              run.call.error);
    for (size_t i = 0; i < window.count; ++i)
        if (path[i].capacity > 0) mcd_free(path[i].arc);
    return status;
}

/* ---- windows ---- */

/* As many pairs from `first` on as a window can hold; none if the next path is too long. */
static path_window choose_window(const path_chunk &chunk, size_t first)
{
    path_window window = {first, 0, chunk.first[first], chunk.first[first]};
    for (size_t next = first + 1;
         next <= chunk.pairs.count && chunk.first[next] - window.begin <= chunk.window_arcs; ++next) {
        window.end = chunk.first[next];
        ++window.count;
    }
    return window;
}

/* Enqueues the unpacking of places begin <= i < end and their copy. */
static macadam_status enqueue_window(path_run &run, mcd_arc begin, mcd_arc end, int turn)
{
    path_chunk &chunk = run.chunk;
    uint32_t *const arc = chunk.window[turn].get();
    if (begin == end) return MACADAM_OK;
    MCD_TRY(enqueue_unpack(run.call, run.weights, chunk.chains, chunk.unpacked, begin, end, arc));
    MCD_TRY(run.call.order_copies());
    CUDA_TRY(run.call,
             cudaMemcpyAsync(chunk.pinned[turn], arc, (end - begin) * sizeof *arc, cudaMemcpyDeviceToHost,
                             run.call.copies),
             "copying paths");
    return MACADAM_OK;
}

/* Hands over one path longer than a window. */
static macadam_status take_long(path_run &run, size_t pair)
{
    const mcd_arc begin = run.chunk.first[pair], end = run.chunk.first[pair + 1];
    const size_t piece = run.chunk.window_arcs;
    uint32_t *arc;
    MCD_TRY(host_new(&arc, end - begin, "a path", run.call.error));
    macadam_status status = MACADAM_OK;
    for (mcd_arc at = begin; at < end && !status; at += piece) {
        const size_t count = mcd_size_min(piece, end - at);
        status = enqueue_window(run, at, at + count, 0);
        if (!status) status = run.call.synchronize();
        if (!status) memcpy(arc + (at - begin), run.chunk.pinned[0], count * sizeof *arc);
    }
    if (!status) status = take_window(run, {pair, 1, begin, end}, arc);
    mcd_free(arc);
    return status;
}

/* Allocates windows as large as all the chunk's paths, if that is allowed. */
static macadam_status allocate_windows(path_run &run)
{
    path_chunk &chunk = run.chunk;
    const size_t arcs = mcd_size_min(chunk.window_max, mcd_size_max(chunk.first[chunk.pairs.count], 1));
    if (arcs <= chunk.window_arcs) return MACADAM_OK;
    for (gpu_array<uint32_t> &window : chunk.window)
        MCD_TRY(window.allocate(run.call, arcs, "allocating paths"));
    chunk.window_arcs = arcs;
    return MACADAM_OK;
}

/* The next window is filled while the caller takes one. */
static macadam_status take_chunk(path_run &run)
{
    const size_t count = run.chunk.pairs.count;
    MCD_TRY(allocate_windows(run));
    path_window waiting = {0, 0, 0, 0};
    int turn = 0;
    for (size_t at = 0; at < count || waiting.count > 0; turn ^= 1) {
        const path_window next = choose_window(run.chunk, at);
        MCD_TRY(enqueue_window(run, next.begin, next.end, turn));
        if (waiting.count > 0) MCD_TRY(take_window(run, waiting, (uint32_t *)run.chunk.pinned[turn ^ 1]));
        if (next.count == 0 && at < count) MCD_TRY(take_long(run, at++));
        MCD_TRY(run.call.synchronize());
        waiting = next;
        at += next.count;
    }
    return MACADAM_OK;
}

/* Chooses chunks, windows and labels that fit the scratch. */
static macadam_status take_scratch(path_run &run, gpu_share *share)
{
    enum { ARC_BYTES = 2 * sizeof(uint32_t), WINDOW_PART = 8 /* of all */ };
    path_chunk &chunk = run.chunk;
    const uint64_t pair_bytes = PAIR_BYTES + chain_bytes(run.weights.map->hierarchy.height);
    pair_room *const room = &chunk.room;
    *room = pairs_wanted(run.call, run.weights, run.job, mcd_size_min(PATHS_CHUNK, run.job.count), true);
    MCD_TRY(share->take(run.call, room->label_least + pair_bytes + ARC_BYTES,
                        room->label_most + room->order_bytes + room->count * pair_bytes +
                            (uint64_t)WINDOW_ARCS * ARC_BYTES,
                        "paths"));
    const uint64_t bytes = share->bytes();
    chunk.window_max = mcd_size_min(WINDOW_ARCS, mcd_size_max(bytes / WINDOW_PART / ARC_BYTES, 1));
    pairs_fit(room, bytes - chunk.window_max * ARC_BYTES, pair_bytes);
    return MACADAM_OK;
}

static macadam_status run_chunks(path_run &run)
{
    const mcd_route_job &job = run.job;
    const size_t chunk = run.chunk.room.count;
    MCD_TRY(allocate(run, chunk));
    for (size_t first = 0; first < job.count; first += chunk) {
        MCD_TRY(mcd_progress_step(&job.progress, "paths", first, job.count, run.call.error));
        MCD_TRY(search_chunk(run, first, mcd_size_min(chunk, job.count - first)));
        MCD_TRY(take_chunk(run));
    }
    return MACADAM_OK;
}

macadam_status paths_on(gpu_weights &weights, const mcd_route_job &job, macadam_error *error)
{
    gpu_share share;
    gpu_call call(weights.map->gpu, error);
    MCD_TRY(call.begin());
    MCD_TRY(unpack_prepare(call, weights));
    path_chunk chunk;
    path_run run = {call, weights, job, chunk};
    macadam_status status = take_scratch(run, &share);
    if (!status) status = run_chunks(run);
    if (status) (void)cudaStreamSynchronize(call.copies); /* they may still read memory that is freed now */
    return status;
}
