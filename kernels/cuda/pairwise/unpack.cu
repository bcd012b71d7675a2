/* unpack.cu - from kept arcs to input arcs, one thread an input arc. CPU twin: kernels/host/unpack.c.
 *
 * Method. Every kept arc's length, the number of input arcs that it stands for, is counted once per weights,
 * in rounds: an arc's length is the sum of its children's as soon as both have been counted. This takes as
 * many rounds as children are nested. The place of every input arc among the answers is then known
 * beforehand. A thread finds its path and the kept arc whose length covers its place, and goes down from
 * child to child by their lengths to its input arc. Neighbouring threads go down together, so most of their
 * loads are the same.
 * Numbers. The same with a spare place at each end: the path's first and last arc, or what else belongs there.
 * Long paths. A path may run through cycles of weight 0 exponentially often. Lengths stop at one more than
 * there are nodes, which no path has: the host finds such paths otherwise. */
#include "kernels/cuda/pairwise/unpack.h"

#include "kernels/cuda/device/scan.h"

enum {
    UNPACK_BLOCK = 256,
    UNPACK_ROUNDS = 8, /* between checks of whether arcs are left */
};

/* Lengths of the kept arcs by direction, and their children. */
struct unpack_view {
    const uint64_t *children[2];
    uint32_t *length[2]; /* 0: not yet counted */
    mcd_arc count[2];
    uint32_t length_max; /* one more than there are nodes */
};

static unpack_view view_of(const gpu_weights &weights, const gpu_array<uint32_t> *length)
{
    return {{weights.search[0].children.get(), weights.search[1].children.get()},
            {length[0].get(), length[1].get()},
            {weights.count[0], weights.count[1]},
            weights.map->hierarchy.node_count + 1};
}

/* ---- lengths of kept arcs ---- */

struct count_state {
    uint32_t left, counted; /* whether a round left any arc, and counted any */
};

/* Grid: one thread per kept arc, forward ones first. Races: a child counted in the same round may be seen
 * or not; its length is the same either way. All threads write the same value to `state`. */
static __global__ void count_round(unpack_view view, count_state *state)
{
    const mcd_arc i = (mcd_arc)blockIdx.x * UNPACK_BLOCK + threadIdx.x;
    if (i >= view.count[0] + view.count[1]) return;
    const int direction = i < view.count[0] ? MCD_FORWARD : MCD_BACKWARD;
    const mcd_arc arc = direction == MCD_FORWARD ? i : i - view.count[0];
    uint32_t *const length = &view.length[direction][arc];
    if (*length > 0) return;
    const mcd_children children = mcd_children_of(view.children[direction][arc]);
    uint64_t sum = 1;
    if (children.first != MCD_CHILD_NONE) {
        const uint64_t first = view.length[MCD_BACKWARD][children.first],
                       second = view.length[MCD_FORWARD][children.second];
        sum = first > 0 && second > 0 ? first + second : 0;
    }
    if (sum > 0) {
        *length = sum < view.length_max ? (uint32_t)sum : view.length_max;
        state->counted = 1;
    } else
        state->left = 1;
}

static void count_lengths(gpu_call &call, const unpack_view &view)
{
    const uint64_t blocks = blocks_of<uint64_t>(view.count[0] + view.count[1], UNPACK_BLOCK);
    gpu_array<count_state> state(call, 1, "counting arcs");
    for (count_state seen = {1, 1}; seen.left;) {
        for (int round = 0; round < UNPACK_ROUNDS; ++round) {
            state.fill(call, 0, "counting arcs");
            call.run("counting arcs", {blocks, UNPACK_BLOCK}, count_round, view, state.get());
        }
        seen = call.fetch(state.get(), "counting arcs");
        if (seen.left && !seen.counted)
            fail(MACADAM_E_FILE, "the children of kept arcs are those of no path");
    }
}

static bool has_length(gpu_weights &weights)
{
    const std::lock_guard<std::mutex> guard(weights.lock);
    return weights.length[0].get() != nullptr;
}

void unpack_prepare(gpu_call &call, gpu_weights &weights)
{
    if (has_length(weights)) return;
    gpu_share room;
    room.make_room(call, (weights.count[0] + weights.count[1]) * sizeof(uint32_t), "lengths of arcs");
    const std::lock_guard<std::mutex> guard(weights.lock);
    gpu_array<uint32_t> length[2];
    if (weights.length[0].get()) return;
    for (int direction = 0; direction < 2; ++direction) {
        length[direction].allocate(call, weights.count[direction], "allocating lengths of arcs");
        length[direction].fill(call, 0, "counting arcs");
    }
    count_lengths(call, view_of(weights, length));
    for (int direction = 0; direction < 2; ++direction) {
        length[direction].keep();
        weights.length[direction] = std::move(length[direction]);
    }
}

/* Grid: one thread per arc. */
static __global__ void number_arcs(mcd_arc count, const uint32_t *__restrict__ original,
                                   const uint64_t *__restrict__ of_original, uint64_t *number)
{
    const mcd_arc arc = thread_index();
    if (arc >= count) return;
    const bool is_arrival = original[arc] == MCD_ROAD_NONE;
    number[arc] = is_arrival ? MCD_ARC_NONE : of_original[original[arc]];
}

/* Copies the numbers; by originals, with their number. */
static gpu_array<uint64_t> copy_numbers(gpu_call &call, const gpu_map &map, const uint64_t *arc_number,
                                        const uint32_t *original)
{
    static const char what[] = "copying numbers of arcs";
    const size_t count = map.graph.arc_count;
    uint32_t originals = 0;
    if (!original) return gpu_array<uint64_t>(call, arc_number, count, what);
    for (size_t arc = 0; arc < count; ++arc)
        if (original[arc] != MCD_ROAD_NONE && original[arc] >= originals) originals = original[arc] + 1;
    gpu_array<uint64_t> of_original(call, arc_number, originals, what), number(call, count, what);
    gpu_array<uint32_t> there(call, original, count, what);
    call.run(what, one_thread_each(count), number_arcs, (mcd_arc)count, there.get(), of_original.get(),
             number.get());
    return number;
}

const uint64_t *unpack_numbers(gpu_call &call, gpu_map &map, const uint64_t *arc_number,
                               const uint32_t *original)
{
    const size_t most = sizeof *arc_number + (original ? sizeof *arc_number + sizeof *original : 0);
    gpu_share room;
    std::unique_lock<std::mutex> guard(map.lock);
    if (map.number.get()) return map.number.get();
    guard.unlock(); /* while it waits for other calls' memory */
    room.make_room(call, map.graph.arc_count * most, "numbers of arcs");
    guard.lock();
    if (map.number.get()) return map.number.get();
    gpu_array<uint64_t> number = copy_numbers(call, map, arc_number, original);
    call.synchronize();
    number.keep();
    map.number = std::move(number);
    return map.number.get();
}

/* Grid: one thread per arc. Races: all write the same value. */
static __global__ void find_zero(mcd_arc count, const mcd_weight *__restrict__ objective,
                                 const uint64_t *__restrict__ number, uint32_t *found)
{
    const mcd_arc arc = thread_index();
    if (arc < count && objective[arc] == 0 && number[arc] != MCD_ARC_NONE) *found = 1;
}

bool unpack_has_zero(gpu_call &call, gpu_weights &weights, const mcd_weight *objective,
                     const uint64_t *number)
{
    static const char what[] = "looking for arcs of weight 0";
    const size_t count = weights.map->graph.arc_count;
    if (weights.has_zero >= 0) return weights.has_zero == 1;
    gpu_array<uint32_t> found(call, 1, what);
    found.fill(call, 0, what);
    call.run(what, one_thread_each(count), find_zero, (mcd_arc)count, objective, number, found.get());
    weights.has_zero = call.fetch(found.get(), what) != 0;
    return weights.has_zero == 1;
}

/* ---- lengths of chains ---- */

static __device__ uint32_t length_of(const unpack_view &view, uint32_t arc, bool backward)
{
    return backward ? view.length[MCD_BACKWARD][arc] : view.length[MCD_FORWARD][arc];
}

struct unpack_work {
    unpack_view view;
    uint32_t height, spare;
    size_t count;
    const uint32_t *arc, *begin, *end; /* these and the next are those of gpu_chains */
    uint32_t *arc_end, *length, *room;
    const mcd_arc *first;
};

/* Grid: one warp per chain. Races none: it writes its own chain. */
static __global__ void sum_chains(unpack_work work)
{
    const size_t chain = ((size_t)blockIdx.x * UNPACK_BLOCK + threadIdx.x) / WARP;
    const unsigned thread = threadIdx.x % WARP;
    if (chain >= work.count) return;
    const size_t base = chain * 2 * work.height;
    const uint64_t length_max = work.view.length_max;
    uint64_t before = 0;
    const uint32_t end = work.end[chain];
    for (uint32_t first = work.begin[chain]; first < end; first += WARP) {
        const uint32_t k = first + thread;
        uint64_t sum = k < end ? length_of(work.view, work.arc[base + k], k >= work.height) : 0;
        sum = min(before + warp_scan(sum), length_max);
        if (k < end) work.arc_end[base + k] = (uint32_t)sum;
        before = __shfl_sync(WARP_ALL, sum, WARP - 1);
    }
    if (thread != 0) return;
    work.length[chain] = (uint32_t)before;
    work.room[chain] = (before < length_max ? (uint32_t)before : 0) + work.spare;
}

/* ---- input arcs ---- */

/* The last chain that begins at place `i` or before; `i` must be within a chain. */
static __device__ size_t chain_at(const unpack_work &work, mcd_arc i)
{
    return lower_bound(work.first, (size_t)0, work.count, i + 1) - 1;
}

/* The i-th input arc of a kept arc. */
static __device__ uint32_t input_arc(const unpack_view &view, uint32_t arc, bool backward, uint32_t i)
{
    for (;;) {
        const uint64_t packed = (backward ? view.children[MCD_BACKWARD] : view.children[MCD_FORWARD])[arc];
        const auto [first, second] = mcd_children_of(packed);
        if (first == MCD_CHILD_NONE) return second;
        const uint32_t length = view.length[MCD_BACKWARD][first];
        backward = i < length;
        arc = backward ? first : second;
        if (!backward) i -= length;
    }
}

static __device__ uint32_t arc_of(const unpack_work &work, size_t chain, uint32_t place)
{
    const size_t base = chain * 2 * work.height;
    const uint32_t from = work.begin[chain];
    const uint32_t k = lower_bound(work.arc_end + base, from, work.end[chain], place + 1);
    if (k > from) place -= work.arc_end[base + k - 1];
    return input_arc(work.view, work.arc[base + k], k >= work.height, place);
}

/* Grid: one thread per input arc. Races none: it writes its own. Limit: two loads per child, each of 32
 * bytes from L2 or memory with few bytes used. An input arc takes about two children that it does not
 * share. */
static __global__ void unpack_arcs(unpack_work work, mcd_arc begin, mcd_arc end, uint32_t *arc)
{
    const mcd_arc i = begin + thread_index();
    if (i >= end) return;
    const size_t chain = chain_at(work, i);
    arc[i - begin] = arc_of(work, chain, (uint32_t)(i - work.first[chain]));
}

/* Grid: one thread per chain. Writes its path's ends, and leaves out an arc without a number: such arcs lead only to nodes that
 * none leaves. */
static __global__ void end_chains(unpack_work work, const uint64_t *__restrict__ number, uint64_t *before,
                                  uint64_t *behind)
{
    const size_t chain = thread_index();
    if (chain >= work.count) return;
    const uint32_t length = work.length[chain];
    const bool is_path = length > 0 && length < work.view.length_max;
    before[chain] = behind[chain] = MCD_ARC_NONE;
    if (!is_path) return;
    const uint32_t last = arc_of(work, chain, length - 1);
    before[chain] = arc_of(work, chain, 0), behind[chain] = last;
    if (number[last] == MCD_ARC_NONE) --work.length[chain], --work.room[chain];
}

/* Grid: one thread per place; otherwise as above. */
static __global__ void unpack_places(unpack_work work, mcd_arc begin, mcd_arc end,
                                     const uint64_t *__restrict__ number, const uint64_t *__restrict__ before,
                                     const uint64_t *__restrict__ behind, uint64_t *to)
{
    const mcd_arc i = begin + thread_index();
    if (i >= end) return;
    const size_t chain = chain_at(work, i);
    const uint32_t place = (uint32_t)(i - work.first[chain]);
    const bool is_path = place > 0 && work.first[chain + 1] - i > 1;
    to[i - begin] = is_path      ? number[arc_of(work, chain, place - 1)]
                    : place == 0 ? before[chain]
                                 : behind[chain];
}

/* ---- launches ---- */

static unpack_work work_of(const gpu_weights &weights, const gpu_chains &chains, uint32_t spare)
{
    return {view_of(weights, weights.length),
            weights.map->hierarchy.height,
            spare,
            chains.count,
            chains.arc.get(),
            chains.begin.get(),
            chains.end.get(),
            chains.arc_end.get(),
            chains.length.get(),
            chains.room.get(),
            chains.first.get()};
}

void enqueue_lengths(gpu_call &call, const gpu_weights &weights, gpu_chains &chains, size_t count,
                     const uint64_t *number)
{
    chains.count = count;
    const unpack_work work = work_of(weights, chains, number ? SPARE : 0);
    call.run("measuring paths", {blocks_of<uint64_t>(count, UNPACK_BLOCK / WARP), UNPACK_BLOCK}, sum_chains,
             work);
    if (number)
        call.run("measuring paths", one_thread_each(count), end_chains, work, number, chains.before.get(),
                 chains.behind.get());
    enqueue_scan(call, chains.room.get(), count, chains.first.get());
}

void enqueue_unpack(gpu_call &call, const gpu_weights &weights, const gpu_chains &chains, mcd_arc begin,
                    mcd_arc end, const uint64_t *number, void *to)
{
    const launch_shape shape = one_thread_each(end - begin);
    const unpack_work work = work_of(weights, chains, 0);
    if (number)
        call.run("unpacking paths", shape, unpack_places, work, begin, end, number, chains.before.get(),
                 chains.behind.get(), (uint64_t *)to);
    else
        call.run("unpacking paths", shape, unpack_arcs, work, begin, end, (uint32_t *)to);
}
