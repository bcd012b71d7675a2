/* paths.cu - paths of many pairs, in chunks: searched together, then unpacked in windows. CPU twin:
 * kernels/cpu/pairwise/route.c.
 *
 * Method. route.cu finds each pair's kept arcs; unpack.cu counts and then lists their input arcs. A window
 * holds whole paths, one after the other, in pinned memory. A GPU has two windows and two chunks: while one window
 * is copied, the other one is handed over and filled again, and while one chunk's windows are filled, the other chunk is
 * searched. GPUs take chunks in turn. One thread drives all, and hands over the windows in the order of the pairs.
 * Chunks of several GPUs become as large as two windows, of which each has four: those of one chunk are handed over
 * together, and meanwhile those of the other are copied. A path longer than a window is gathered in its own memory.
 * Numbers. If the job has the numbers of arcs, and no arc with a number has weight 0, the GPU lists numbers, with a free place
 * before and after each path: the host only hands them over.
 * Trips. Lanes of places on roads are made and searched for many chunks together, which is one wait for their number (trips.h), and
 * chosen chunk by chunk. The free places have the parts of roads at the path's ends. The first GPU, which has the roads, searches all.
 * Cycles of weight 0. As on the CPU, the host cuts cycles out of paths (mcd_path_simplify), and searches in a
 * tree (mcd_tight_path) for paths that unpack into more arcs than there are nodes. It needs arcs, not numbers.
 * Limit. The copy of 8 bytes an arc to the host; of 4 bytes and the caller's work on them without numbers. */
#include "kernels/cuda/pairwise/paths.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/parts.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/trips.h"
#include "kernels/cuda/pairwise/unpack.h"

extern "C" {
#include "kernels/host/tight_path.h"
#include "kernels/host/unpack.h"
}

#include <algorithm>
#include <cstring>

enum {
    PATHS_CHUNK = 1 << 13,    /* pairs searched together: about two windows, on large maps */
    PATHS_LEAST = 1 << 10,    /* pairs for which another GPU pays */
    PATHS_PER_TASK = 16,      /* that a host thread simplifies at a time */
    TRIPS_TOGETHER = 1 << 16, /* whose lanes are chosen together, if there is memory */
    TURNS = 2,                /* chunks of a GPU, and windows of one chunk, or of a single GPU */
    WINDOWS = 2 * TURNS,      /* of each of several GPUs */
    FACTS_BYTES = 256 << 10,  /* path_facts, at the end of a pinned chunk */
    WINDOW_BYTES = PINNED_BYTES - FACTS_BYTES,
    CHUNK_EVENT = WINDOWS, /* the first of the events of chunks; those of windows are before it */
    /* Pairs of lanes: they are supplied while the pinned chunks hold windows. */
    LANES_CHUNK = DIRECT_BYTES / sizeof(mcd_lane),
};

static_assert((PATHS_CHUNK + 1) * (sizeof(mcd_arc) + 4 * sizeof(uint32_t)) <= FACTS_BYTES, "the facts fit");

/* Results that the host needs of a chunk of pairs; in pinned memory. */
struct path_facts {
    mcd_arc *first;   /* [count + 1] as in gpu_chains */
    uint32_t *length; /* likewise, [count] */
    uint32_t *objective, *companion;
    uint32_t *parts; /* [count] of trips: HAS_BEFORE, HAS_BEHIND; NULL: the free places have none */
};

enum { HAS_BEFORE = 1, HAS_BEHIND = 2 };

/* A chunk of pairs. The facts are there once its event has happened. */
struct path_chunk {
    gpu_pairs pairs; /* none: no chunk */
    gpu_chains chains;
    path_facts facts;
};

/* Pairs pair <= i < pair + count of the job, whose paths are at places begin <= i < end of their chunk's. */
struct path_window {
    size_t pair, count;
    mcd_arc begin, end;
    gpu_array<unsigned char> memory;
    host_array<unsigned char> own; /* of a path longer than a window */
    /* By pair, one of these. The arcs are NULL if the path is to be found otherwise. */
    host_array<mcd_path> path;
    host_array<mcd_numbered_path> numbered;
};

struct path_part : gpu_part {
    using gpu_part::gpu_part;
    gpu_weights *weights = nullptr;
    const uint64_t *number = nullptr; /* by arc */
    pair_room room = {};
    uint64_t window_max = 0, window_bytes = 0; /* of a window: the most, and what chunks until now needed */
    path_chunk chunk[TURNS] = {};
    path_window window[WINDOWS] = {};
    gpu_trips trips = {};        /* of the chunk whose search was enqueued last */
    int filling = 0, taking = 0; /* the chunk whose windows are being filled; the next window to be taken */
    size_t at = 0;               /* the chunk's next pair */

    cudaEvent_t event(int i)
    {
        return call.ring_events()[i];
    }
};

struct path_run {
    const mcd_route_job &job;
    const bool is_numbered;
    const bool of_trips = job.source_road != nullptr;
    gpu_share share[GPUS_MAX] = {};
    gpu_parts<path_part> parts = {};
    size_t searched = 0; /* pairs whose search is enqueued */
    size_t chunk_most = 0;
    bool is_objective_there = false, is_companion_there = false; /* in memory of a GPU */

    int windows() const
    {
        return parts.count() > 1 ? WINDOWS : TURNS;
    }
    size_t place_bytes() const
    {
        return is_numbered ? sizeof(uint64_t) : sizeof(uint32_t);
    }
};

/* ---- chunks ---- */

/* Once for a chunk: few pairs need only one. */
static void allocate(const path_run &run, path_part &part, int turn)
{
    const size_t count = part.room.count;
    path_chunk &chunk = part.chunk[turn];
    if (chunk.pairs.memory.get()) return;
    pairs_allocate(chunk.pairs, part.call, run.job, count);
    chains_allocate(chunk.chains, part.call, *part.weights, count);
    mcd_arc *const first = (mcd_arc *)((char *)part.call.pinned(turn) + WINDOW_BYTES);
    uint32_t *const length = (uint32_t *)(first + count + 1);
    chunk.facts = {first, length, length + count, length + 2 * count,
                   run.of_trips ? length + 3 * count : nullptr};
}

/* Writes the facts; NULL: the caller's memory has the costs. Grid: one thread per pair. By a copy they
 * would wait for a window's copy, and the work after them, too. */
static __global__ void note_facts(size_t count, path_facts from, const uint64_t *__restrict__ before,
                                  const uint64_t *__restrict__ behind, path_facts to)
{
    const size_t i = thread_index();
    if (i >= count) return;
    to.first[i] = from.first[i];
    to.length[i] = from.length[i];
    if (i + 1 == count) to.first[count] = from.first[count];
    if (to.objective) to.objective[i] = from.objective[i];
    if (to.companion) to.companion[i] = from.companion[i];
    if (to.parts)
        to.parts[i] =
            (before[i] == MCD_ARC_NONE ? 0 : HAS_BEFORE) | (behind[i] == MCD_ARC_NONE ? 0 : HAS_BEHIND);
}

static void enqueue_facts(path_run &run, path_part &part, path_chunk &chunk)
{
    const mcd_route_job &job = run.job;
    const size_t first = chunk.pairs.first, count = chunk.pairs.count;
    const path_facts from = {chunk.chains.first.get(), chunk.chains.length.get(), chunk.pairs.objective.get(),
                             chunk.pairs.companion.get(), nullptr};
    path_facts to = chunk.facts;
    if (run.is_objective_there)
        part.call.copy(job.objective + first, from.objective, count, "copying costs"), to.objective = nullptr;
    if (run.is_companion_there) part.call.copy(job.companion + first, from.companion, count, "copying costs");
    if (run.is_companion_there || !job.companion) to.companion = nullptr;
    part.call.run("noting paths", one_thread_each(count), note_facts, count, from, chunk.chains.before.get(),
                  chunk.chains.behind.get(), to);
}

/* Enqueues the search of the next pairs, if there are any. */
static void enqueue_chunk(path_run &run, path_part &part, int turn)
{
    const mcd_route_job &job = run.job;
    const size_t first = run.searched,
                 count = mcd_size_min(mcd_size_min(part.room.count, run.chunk_most), job.count - first);
    path_chunk &chunk = part.chunk[turn];
    chunk.pairs.count = 0;
    if (count == 0) return;
    allocate(run, part, turn);
    must(mcd_progress_step, &job.progress, "paths", first, job.count);
    if (run.of_trips) {
        enqueue_lanes(part.call, *part.weights, job, part.trips, first, count, part.room.label_bytes,
                      chunk.facts.first, chunk.pairs);
        enqueue_pairs(part.call, *part.weights, job, part.room.label_bytes, nullptr, chunk.pairs,
                      &chunk.chains);
    } else
        enqueue_search(part.call, *part.weights, job, first, count, part.room.label_bytes, nullptr,
                       chunk.pairs, &chunk.chains);
    enqueue_lengths(part.call, *part.weights, chunk.chains, chunk.pairs.count, part.number);
    if (run.of_trips) enqueue_parts(part.call, part.trips, part.number, chunk.pairs, chunk.chains);
    enqueue_facts(run, part, chunk);
    part.call.check(cudaEventRecord(part.event(CHUNK_EVENT + turn), part.call.stream), "recording an event");
    run.searched += chunk.pairs.count;
}

/* Chunks of several GPUs should fill two windows: while a third one were filled, the others would have nothing to do. */
static void choose_chunk(path_run &run, const path_part &part, size_t pairs, uint64_t bytes)
{
    if (run.parts.count() > 1 && bytes > 0)
        run.chunk_most =
            mcd_size_max(mcd_size_min(PATHS_CHUNK, TURNS * part.window_max / 16 * 15 * pairs / bytes), 1);
}

/* Waits for a chunk's search. Delivers costs to the caller, and makes windows as large as all the chunk's paths, if
 * that is allowed. */
static void open_chunk(path_run &run, path_part &part)
{
    const path_chunk &chunk = part.chunk[part.filling];
    const path_facts &facts = chunk.facts;
    const size_t count = chunk.pairs.count, first = chunk.pairs.first;
    part.call.check(cudaEventSynchronize(part.event(CHUNK_EVENT + part.filling)), "searching paths");
    if (!run.is_objective_there)
        memcpy(run.job.objective + first, facts.objective, count * sizeof *facts.objective);
    if (run.job.companion && !run.is_companion_there)
        memcpy(run.job.companion + first, facts.companion, count * sizeof *facts.companion);
    const uint64_t bytes = facts.first[count] * run.place_bytes();
    part.window_bytes = mcd_size_max(part.window_bytes, mcd_size_min(part.window_max, bytes));
    choose_chunk(run, part, count, bytes);
}

/* ---- windows ---- */

/* Chooses as many pairs as the window can hold; one if its path is too long. */
static void choose_window(const path_run &run, const path_part &part, path_window &window)
{
    const path_chunk &chunk = part.chunk[part.filling];
    const mcd_arc *const first = chunk.facts.first, *const second = first + part.at + 1;
    const uint64_t places = part.window_bytes / run.place_bytes();
    window.pair = chunk.pairs.first + part.at;
    window.begin = first[part.at];
    const mcd_arc *const after =
                             std::upper_bound(second, first + chunk.pairs.count + 1, window.begin + places),
                         *const end = std::max(after - 1, second);
    window.count = (size_t)(end - first) - part.at;
    window.end = *end;
}

/* Enqueues the unpacking of places and their copy. The window's last copy has ended. */
static void enqueue_window(const path_run &run, path_part &part, int turn, mcd_arc begin, mcd_arc end)
{
    path_window &window = part.window[turn];
    gpu_call &call = part.call;
    const size_t bytes = (end - begin) * run.place_bytes();
    if (window.memory.count() < bytes) window.memory.allocate(call, part.window_bytes, "allocating paths");
    if (bytes > 0)
        enqueue_unpack(call, *part.weights, part.chunk[part.filling].chains, begin, end, part.number,
                       window.memory.get());
    call.order_copies();
    if (bytes > 0)
        call.check(cudaMemcpyAsync(call.pinned(turn), window.memory.get(), bytes, cudaMemcpyDeviceToHost,
                                   call.copies),
                   "copying paths");
    call.check(cudaEventRecord(part.event(turn), call.copies), "recording an event");
}

static void await_window(path_part &part, int turn)
{
    part.call.check(cudaEventSynchronize(part.event(turn)), "copying paths");
}

/* Gathers the window's only path, which is longer than it. */
static void gather(const path_run &run, path_part &part, int turn)
{
    path_window &window = part.window[turn];
    const size_t bytes = run.place_bytes(), places = part.window_bytes / bytes;
    window.own.allocate((window.end - window.begin) * bytes, "a path");
    for (mcd_arc begin = window.begin, end; begin < window.end; begin = end) {
        end = mcd_size_min(begin + places, window.end);
        enqueue_window(run, part, turn, begin, end);
        await_window(part, turn);
        memcpy(window.own.get() + (begin - window.begin) * bytes, part.call.pinned(turn),
               (end - begin) * bytes);
    }
}

/* Notes where the window's paths will be. */
static void place_paths(const path_run &run, path_part &part, path_window &window, void *memory)
{
    const path_facts &facts = part.chunk[part.filling].facts;
    const uint32_t length_max = part.weights->map->hierarchy.node_count;
    if (run.is_numbered && !window.numbered.get())
        window.numbered.allocate(part.room.count, "paths");
    else if (!run.is_numbered && !window.path.get())
        window.path.allocate(part.room.count, "paths");
    for (size_t i = 0; i < window.count; ++i) {
        const uint32_t length = facts.length[part.at + i];
        const size_t place = facts.first[part.at + i] - window.begin;
        const uint32_t parts = facts.parts ? facts.parts[part.at + i] : 0;
        const bool before = parts & HAS_BEFORE, behind = parts & HAS_BEHIND;
        if (run.is_numbered && length > length_max)
            fail(MACADAM_E_FILE, "the children of kept arcs are those of no path");
        if (run.is_numbered)
            window.numbered[i] = {(uint64_t *)memory + place + SPARE / 2 - before, length + before + behind};
        else if (length > length_max)
            window.path[i] = {nullptr, 0, 0};
        else
            window.path[i] = {(uint32_t *)memory + place, length, 0};
    }
}

/* Fills a window, if pairs are left. After a chunk's last one, enqueues the search of another chunk in its place. */
static void fill_window(path_run &run, path_part &part, int turn)
{
    const path_chunk &chunk = part.chunk[part.filling];
    path_window &window = part.window[turn];
    window.count = 0;
    if (chunk.pairs.count == 0) return;
    if (part.at == 0) open_chunk(run, part);
    choose_window(run, part, window);
    const bool is_long = (window.end - window.begin) * run.place_bytes() > part.window_bytes;
    is_long ? gather(run, part, turn) : enqueue_window(run, part, turn, window.begin, window.end);
    place_paths(run, part, window, is_long ? window.own.get() : part.call.pinned(turn));
    part.at += window.count;
    if (part.at < chunk.pairs.count) return;
    const int ended = part.filling;
    part.at = 0;
    part.filling = (part.filling + 1) % TURNS;
    enqueue_chunk(run, part, ended);
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
        mcd_path *const path = &window.path[i];
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
        if (window.path[i].arc) continue;
        const mcd_lane source = mcd_route_source(&job, window.pair + i),
                       target = mcd_route_target(&job, window.pair + i);
        must(mcd_tight_path, &window.path[i], job.weights, job.companion != nullptr, &source, &target,
             find_tree);
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

static void take_window(const path_run &run, const path_window &window)
{
    if (run.is_numbered)
        return must(run.job.take_numbers, run.job.take_context, window.numbered.get(), window.pair,
                    window.count);
    const path_memory memory = {window.path.get(), window.count};
    simplify(run, window);
    find_others(run, window);
    must(run.job.take, run.job.take_context, window.path.get(), window.pair, window.count);
}

/* ---- all GPUs ---- */

/* Chooses chunks, windows and labels that fit the scratch. */
static void take_scratch(path_run &run, path_part &part)
{
    enum { WINDOW_PART = 8 /* of all, if pairs and labels could use the rest */ };
    const size_t windows = (size_t)run.windows(), place = windows * run.place_bytes(),
                 gpus = run.parts.count();
    const uint64_t pair_bytes = TURNS * (PAIR_BYTES + chain_bytes(part.weights->map->hierarchy.height)) +
                                (run.of_trips ? trip_bytes : 0),
                   fixed = run.of_trips ? trips_bytes : 0;
    const size_t together = run.of_trips ? mcd_size_min(run.job.count, TRIPS_TOGETHER) : 0;
    gpu_share *const share = &run.share[part.index];
    pair_room *const room = &part.room;
    const bool has_lanes = !run.of_trips && !(run.job.source_node && run.job.target_node);
    const size_t most = has_lanes ? LANES_CHUNK : PATHS_CHUNK;
    *room = pairs_wanted(part.call, *part.weights, run.job,
                         mcd_size_min(most, blocks_of(run.job.count, gpus)), true);
    const uint64_t others = fixed + room->label_most + room->order_bytes + room->count * pair_bytes;
    share->take(part.call, fixed + room->label_least + pair_bytes + place,
                others + together * trip_bytes + windows * WINDOW_BYTES, "paths");
    const uint64_t bytes = share->bytes(), rest = bytes - mcd_size_min(bytes, others);
    const uint64_t places = mcd_size_max(mcd_size_max(rest, (bytes - fixed) / WINDOW_PART) / place, 1);
    part.window_max = mcd_size_min(WINDOW_BYTES, places * run.place_bytes());
    pairs_fit(room, bytes - fixed - windows * part.window_max, pair_bytes);
    if (!run.of_trips) return;
    const uint64_t used =
        fixed + windows * part.window_max + room->label_bytes + room->order_bytes + room->count * pair_bytes;
    const size_t more = (bytes - mcd_size_min(bytes, used)) / trip_bytes;
    trips_allocate(part.call, part.trips, mcd_size_min(together, room->count + more));
}

static void add_part(path_run &run, gpu_weights &weights)
{
    path_part &part = run.parts.add(weights.map->gpu);
    part.weights = &weights;
    unpack_prepare(part.call, weights);
    if (run.is_numbered)
        part.number = unpack_numbers(part.call, *weights.map, run.job.arc_number, run.job.arc_original);
    if (run.of_trips) trips_prepare(part.call, part.trips, weights, run.job);
}

/* Returns whether the GPU lists numbers. */
static bool lists_numbers(gpu_weights &weights, const mcd_route_job &job)
{
    if (!job.arc_number || !job.take_numbers) return false;
    if (!job.weights->has_zero || !job.arc_original) return !job.weights->has_zero;
    gpu_call call(weights.map->gpu);
    return !unpack_has_zero(call, weights, arc_weights(call, weights, false, job.weights->objective),
                            unpack_numbers(call, *weights.map, job.arc_number, job.arc_original));
}

/* Hands over the next window, and fills it again. */
static size_t take_next(path_run &run, size_t taken)
{
    size_t g = 0;
    while (run.parts[g].window[run.parts[g].taking].count == 0 ||
           run.parts[g].window[run.parts[g].taking].pair != taken)
        ++g;
    path_part &part = run.parts[g];
    const path_window &window = part.window[part.taking];
    const size_t count = window.count;
    await_window(part, part.taking);
    take_window(run, window);
    part.call.enter();
    fill_window(run, part, part.taking);
    part.taking = (part.taking + 1) % run.windows();
    return count;
}

void paths_on_all(mcd_device_weights &weights, const mcd_route_job &job)
{
    const size_t gpus =
        job.source_road ? 1 : mcd_size_min(weights.map->device->gpu_count, job.count / PATHS_LEAST);
    path_run run = {job, lists_numbers(*weights.on[0], job)};
    if (job.source_road && !run.is_numbered) fail(MACADAM_E_UNSUPPORTED, "paths may run through cycles");
    for (size_t g = 0; g < mcd_size_max(gpus, 1); ++g) add_part(run, weights_on(weights, g));
    run.chunk_most = PATHS_CHUNK;
    run.parts.each([&](path_part &part) { take_scratch(run, part); });
    run.is_objective_there = owner_of_memory(run.parts[0].call, job.objective) >= 0;
    run.is_companion_there = job.companion && owner_of_memory(run.parts[0].call, job.companion) >= 0;
    for (int turn = 0; turn < TURNS; ++turn)
        run.parts.each([&](path_part &part) { enqueue_chunk(run, part, turn); });
    for (int turn = 0; turn < run.windows(); ++turn)
        run.parts.each([&](path_part &part) { fill_window(run, part, turn); });
    for (size_t taken = 0; taken < job.count;) taken += take_next(run, taken);
}
