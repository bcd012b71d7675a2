/* paths.cu - paths of many pairs, in chunks: searched together, then unpacked in windows of their input arcs.
 * CPU twin: kernels/cpu/pairwise/route.c.
 *
 * Method. route.cu finds each pair's kept arcs; unpack.cu counts and then lists their input arcs. A window
 * holds whole paths, one after the other, in pinned memory. While the caller takes one window's paths in
 * place, the GPU fills the other window, and after a chunk's last window it searches the next chunk: the
 * caller's work hides both. A path longer than a window is gathered in its own memory.
 * Cycles of weight 0. As on the CPU, the host cuts cycles out of paths (mcd_path_simplify), and searches in a
 * tree (mcd_tight_path) for paths that unpack into more arcs than there are nodes.
 * Limit. The caller's work on the arcs, and their copy to the host: 4 bytes each. So one GPU is enough. */
#include "kernels/cuda/pairwise/paths.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/unpack.h"

extern "C" {
#include "kernels/host/tight_path.h"
#include "kernels/host/unpack.h"
}

enum {
    PATHS_CHUNK = 1 << 13, /* pairs searched together: about a window's, on large maps */
    PATHS_PER_TASK = 16,   /* that a host thread simplifies at a time */
    WINDOW_ARCS = PINNED_BYTES / sizeof(uint32_t),
    CHUNKS = 2, /* one is unpacked while the other is searched */
    /* Pairs of lanes: they are supplied while both pinned chunks hold windows. */
    LANES_CHUNK = DIRECT_BYTES / sizeof(mcd_lane),
};

/* A chunk of pairs, and its data on the host. */
struct path_chunk {
    gpu_pairs pairs;
    gpu_chains chains;
    host_array<uint32_t> length; /* as in gpu_chains */
    host_array<mcd_arc> first;
    host_array<mcd_path> path; /* those with a capacity own their memory */
};

/* Pairs first <= i < first + count of a chunk, `pair` ... of the job. Their arcs begin at place `begin` of the
 * chunk's. */
struct path_window {
    path_chunk *chunk;
    size_t pair, first, count;
    mcd_arc begin, end;
};

struct path_run {
    gpu_call &call;
    gpu_weights &weights;
    const mcd_route_job &job;
    path_chunk chunk[CHUNKS] = {};
    gpu_array<uint32_t> window[2] = {};
    pair_room room = {};
    size_t window_max = 0, window_arcs = 0; /* most arcs of a window; those of the present ones */
};

static_assert((PATHS_CHUNK + 1) * sizeof(mcd_arc) <= DIRECT_BYTES, "a chunk's data are delivered likewise");

/* Once for a chunk: few pairs need only one. */
static void allocate(path_run &run, path_chunk &chunk)
{
    const size_t count = run.room.count;
    if (chunk.path.get()) return;
    pairs_allocate(chunk.pairs, run.call, run.job, count);
    chains_allocate(chunk.chains, run.call, run.weights, count);
    chunk.length.allocate(count, "paths");
    chunk.first.allocate(count + 1, "paths");
    chunk.path.allocate(count, "paths");
}

/* Enqueues the search of the pairs from `first` on. The chunk's data on the host stay as they are. */
static void enqueue_chunk(path_run &run, path_chunk &chunk, size_t first)
{
    const size_t count = mcd_size_min(run.room.count, run.job.count - first);
    allocate(run, chunk);
    must(mcd_progress_step, &run.job.progress, "paths", first, run.job.count);
    enqueue_search(run.call, run.weights, run.job, first, count, run.room.label_bytes, nullptr, chunk.pairs,
                   &chunk.chains);
    enqueue_lengths(run.call, run.weights, chunk.chains, count);
}

/* Delivers lengths and places to the host, and then costs to the caller, for which it waits. */
static void deliver_chunk(path_run &run, path_chunk &chunk)
{
    const size_t count = chunk.pairs.count;
    run.call.copy(chunk.length.get(), chunk.chains.length.get(), count, "copying lengths of paths");
    run.call.copy(chunk.first.get(), chunk.chains.first.get(), count + 1, "copying lengths of paths");
    deliver_costs(run.call, chunk.pairs, run.job);
}

/* ---- paths for the caller ---- */

struct simplify_work {
    const mcd_route_job *job;
    const path_window *window;
    std::atomic<int> status; /* MACADAM_E_MEMORY is the only failure */
};

static void simplify_task(void *argument, size_t index, unsigned)
{
    simplify_work *const work = (simplify_work *)argument;
    const path_window &window = *work->window;
    const size_t first = index * PATHS_PER_TASK, end = mcd_size_min(first + PATHS_PER_TASK, window.count);
    for (size_t i = first; i < end; ++i) {
        mcd_path *const path = &window.chunk->path[window.first + i];
        const mcd_lane source = mcd_route_source(work->job, window.pair + i);
        if (path->count == 0) continue;
        const macadam_status status = mcd_path_simplify(path, work->job->weights, &source, nullptr);
        if (status) work->status = status;
    }
}

static void simplify(const path_run &run, const path_window &window)
{
    simplify_work work = {&run.job, &window, {MACADAM_OK}};
    if (!run.job.weights->has_zero) return;
    mcd_parallel_for(&run.job.parallel, blocks_of<size_t>(window.count, PATHS_PER_TASK), simplify_task,
                     &work);
    if (work.status) fail((macadam_status)work.status.load(), "no memory to simplify paths");
}

static macadam_status find_tree(const mcd_tree_job *job, macadam_error *error)
{
    return throw_nothing(error, [&] { tree_within(job); });
}

/* Finds the paths that were not unpacked. */
static void find_others(const path_run &run, const path_window &window)
{
    const mcd_route_job &job = run.job;
    for (size_t i = 0; i < window.count; ++i) {
        if (window.chunk->length[window.first + i] <= run.weights.map->hierarchy.node_count) continue;
        const mcd_lane source = mcd_route_source(&job, window.pair + i),
                       target = mcd_route_target(&job, window.pair + i);
        must(mcd_tight_path, &window.chunk->path[window.first + i], job.weights, job.companion != nullptr,
             &source, &target, find_tree);
    }
}

/* Frees the memory that paths have of their own. */
struct path_memory {
    mcd_path *const path;
    const size_t count;
    ~path_memory()
    {
        for (size_t i = 0; i < count; ++i)
            if (path[i].capacity > 0) mcd_free(path[i].arc);
    }
};

/* Hands over the paths of a window; their arcs are `arc`. */
static void take_window(const path_run &run, const path_window &window, uint32_t *arc)
{
    mcd_path *const path = window.chunk->path.get() + window.first;
    for (size_t i = 0; i < window.count; ++i) {
        const mcd_arc *const first = window.chunk->first.get() + window.first + i;
        path[i] = {arc + (first[0] - window.begin), (size_t)(first[1] - first[0]), 0};
    }
    const path_memory memory = {path, window.count};
    simplify(run, window);
    find_others(run, window);
    must(run.job.take, run.job.take_context, path, window.pair, window.count);
}

/* ---- windows ---- */

/* As many pairs from `first` on as a window can hold; none if the next path is too long. */
static path_window choose_window(path_chunk &chunk, size_t first, size_t window_arcs)
{
    path_window window = {&chunk, chunk.pairs.first + first, first,
                          0,      chunk.first[first],        chunk.first[first]};
    for (size_t next = first + 1;
         next <= chunk.pairs.count && chunk.first[next] - window.begin <= window_arcs; ++next) {
        window.end = chunk.first[next];
        ++window.count;
    }
    return window;
}

/* Enqueues the unpacking of a window's arcs and their copy. The copy of the window that had the same turn has ended. */
static void enqueue_window(path_run &run, const path_window &window, int turn)
{
    gpu_array<uint32_t> &arcs = run.window[turn];
    if (window.begin == window.end) return;
    if (arcs.count() < run.window_arcs) arcs.allocate(run.call, run.window_arcs, "allocating paths");
    uint32_t *const arc = arcs.get();
    enqueue_unpack(run.call, run.weights, window.chunk->chains, window.begin, window.end, arc);
    run.call.order_copies();
    run.call.check(cudaMemcpyAsync(run.call.pinned(turn), arc, (window.end - window.begin) * sizeof *arc,
                                   cudaMemcpyDeviceToHost, run.call.copies),
                   "copying paths");
}

/* Hands over one path longer than a window. */
static void take_long(path_run &run, path_chunk &chunk, size_t at)
{
    path_window whole = {&chunk, chunk.pairs.first + at, at, 1, chunk.first[at], chunk.first[at + 1]};
    host_array<uint32_t> arc;
    arc.allocate(whole.end - whole.begin, "a path");
    for (path_window part = whole; part.begin < whole.end; part.begin = part.end) {
        part.end = mcd_size_min(part.begin + run.window_arcs, whole.end);
        enqueue_window(run, part, 0);
        run.call.synchronize();
        memcpy(arc.get() + (part.begin - whole.begin), run.call.pinned(0),
               (part.end - part.begin) * sizeof(uint32_t));
    }
    take_window(run, whole, arc.get());
}

/* Makes windows as large as all the chunk's paths, if that is allowed. */
static void enlarge_windows(path_run &run, const path_chunk &chunk)
{
    run.window_arcs =
        mcd_size_max(run.window_arcs, mcd_size_min(run.window_max, chunk.first[chunk.pairs.count]));
}

/* Chooses chunks, windows and labels that fit the scratch. */
static void take_scratch(path_run &run, gpu_share *share)
{
    enum { ARC_BYTES = 2 * sizeof(uint32_t), WINDOW_PART = 8 /* of all */ };
    const uint64_t pair_bytes = CHUNKS * (PAIR_BYTES + chain_bytes(run.weights.map->hierarchy.height));
    pair_room *const room = &run.room;
    const size_t most = run.job.source_node && run.job.target_node ? PATHS_CHUNK : LANES_CHUNK;
    *room = pairs_wanted(run.call, run.weights, run.job, mcd_size_min(most, run.job.count), true);
    share->take(run.call, room->label_least + pair_bytes + ARC_BYTES,
                room->label_most + room->order_bytes + room->count * pair_bytes +
                    (uint64_t)WINDOW_ARCS * ARC_BYTES,
                "paths");
    const uint64_t bytes = share->bytes();
    run.window_max = mcd_size_min(WINDOW_ARCS, mcd_size_max(bytes / WINDOW_PART / ARC_BYTES, 1));
    pairs_fit(room, bytes - run.window_max * ARC_BYTES, pair_bytes);
}

/* Where a run is: the window that the caller has not taken yet, and the next pair to be unpacked. */
struct path_place {
    path_window waiting = {};
    path_chunk *chunk = nullptr; /* of the next pair */
    size_t at = 0;               /* the pair within its chunk */
    size_t searched = 0;         /* pairs of the job whose search is enqueued */
    int turn = 0;
};

/* Enqueues the next window and, after a chunk's last window, the search of the next chunk. Then the caller takes
 * the window that waits. */
static void take_turn(path_run &run, path_place &place)
{
    path_chunk &chunk = *place.chunk, &other = run.chunk[&chunk == &run.chunk[0]];
    path_window next = choose_window(chunk, place.at, run.window_arcs);
    const bool is_long = next.count == 0;
    if (!is_long) enqueue_window(run, next, place.turn);
    place.at += is_long ? 1 : next.count;
    const bool ends = place.at == chunk.pairs.count, goes_on = ends && place.searched < run.job.count;
    if (goes_on) enqueue_chunk(run, other, place.searched);
    if (place.waiting.count > 0) take_window(run, place.waiting, (uint32_t *)run.call.pinned(place.turn ^ 1));
    if (is_long) take_long(run, chunk, next.first);
    run.call.synchronize();
    place.waiting = next;
    place.turn ^= 1;
    if (!ends) return;
    place.chunk = goes_on ? &other : nullptr;
    place.at = 0;
    if (!goes_on) return;
    place.searched += other.pairs.count;
    deliver_chunk(run, other);
    enlarge_windows(run, other);
}

static void run_chunks(path_run &run)
{
    path_place place;
    place.chunk = &run.chunk[0];
    enqueue_chunk(run, *place.chunk, 0);
    deliver_chunk(run, *place.chunk);
    enlarge_windows(run, *place.chunk);
    place.searched = place.chunk->pairs.count;
    while (place.chunk) take_turn(run, place);
    if (place.waiting.count > 0) take_window(run, place.waiting, (uint32_t *)run.call.pinned(place.turn ^ 1));
}

void paths_on(gpu_weights &weights, const mcd_route_job &job)
{
    gpu_share share;
    gpu_call call(weights.map->gpu);
    unpack_prepare(call, weights);
    path_run run = {call, weights, job};
    take_scratch(run, &share);
    try {
        run_chunks(run);
    } catch (...) {
        call.settle(); /* copies may still read memory that is freed now */
        throw;
    }
}
