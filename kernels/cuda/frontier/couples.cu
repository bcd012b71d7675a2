/* couples.cu - see couples.h.
 *
 * A couple's place in its segment is its place in its run plus the number of couples of each other run that
 * come before it, by one binary search each.
 * Grid    one thread per couple, or per run.
 * Races   none: places are distinct if every run is sorted, which is checked first. */
#include "kernels/cuda/frontier/couples.h"

enum {
    COUPLES_BLOCK = 256,
    RUN_NODES = 4096, /* MCD_COUPLE_SEGMENT (engine/map/graph.h) */
    RUNS = SEGMENT_NODES / RUN_NODES,
};

struct couple_lists {
    size_t count;
    mcd_node node_count;
    const mcd_node *high, *low;
};

static __device__ bool goes_before(const couple_lists &lists, size_t a, size_t b)
{
    const mcd_node a_run = lists.high[a] / RUN_NODES, b_run = lists.high[b] / RUN_NODES;
    return a_run != b_run ? a_run < b_run : lists.low[a] <= lists.low[b];
}

/* Sets *wrong to 1 unless the runs are sorted and their nodes exist. */
static __global__ void look_at_couples(couple_lists lists, uint32_t *wrong)
{
    const size_t i = (size_t)blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (i >= lists.count) return;
    if (lists.high[i] >= lists.node_count || lists.low[i] >= lists.high[i] ||
        (i > 0 && !goes_before(lists, i - 1, i)))
        *wrong = 1;
}

/* first[r]: the first couple of run r or a later one. */
static __global__ void find_runs(couple_lists lists, uint32_t run_count, mcd_arc *first)
{
    const uint32_t run = blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (run > run_count) return;
    size_t begin = 0, end = lists.count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (lists.high[middle] / RUN_NODES < run)
            begin = middle + 1;
        else
            end = middle;
    }
    first[run] = begin;
}

/* How many of the couples begin <= i < end have a low node below `bound`. */
static __device__ mcd_arc count_below(const mcd_node *low, mcd_arc begin, mcd_arc end, uint64_t bound)
{
    return lower_bound(low, begin, end, bound) - begin;
}

static __global__ void place_couples(couple_lists lists, const mcd_arc *__restrict__ run_first,
                                     uint32_t run_count, mcd_arc *place)
{
    const size_t i = (size_t)blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (i >= lists.count) return;
    const uint32_t own = lists.high[i] / RUN_NODES, first = own / RUNS * RUNS;
    mcd_arc at = run_first[first] + (i - run_first[own]);
    for (uint32_t run = first; run < min(first + RUNS, run_count); ++run)
        if (run != own)
            at += count_below(lists.low, run_first[run], run_first[run + 1],
                              (uint64_t)lists.low[i] + (run < own)); /* of equals the earlier run first */
    place[i] = at;
}

static __global__ void find_segments(const mcd_arc *__restrict__ run_first, uint32_t run_count,
                                     uint32_t segment_count, mcd_arc *segment_first)
{
    const uint32_t segment = blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (segment <= segment_count) segment_first[segment] = run_first[min(segment * RUNS, run_count)];
}

/* Narrows to uint16_t: the place within the segment. */
template <class To>
static __global__ void scatter(const uint32_t *__restrict__ from, const mcd_arc *__restrict__ place,
                               size_t count, To *to)
{
    const size_t i = (size_t)blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (i < count) to[place[i]] = (To)(sizeof(To) == sizeof(uint16_t) ? from[i] % SEGMENT_NODES : from[i]);
}

static uint64_t blocks_for(size_t count)
{
    return blocks_of<uint64_t>(count, COUPLES_BLOCK);
}

static macadam_status expect_order(gpu_call &call, const couple_lists &lists)
{
    gpu_array<uint32_t> flag;
    uint32_t wrong = 0;
    MCD_TRY(flag.allocate(call, 1, "copying couples"));
    MCD_TRY(flag.fill(call, 0, "copying couples"));
    CUDA_TRY(
        call,
        launch({blocks_for(lists.count), COUPLES_BLOCK, 0, call.stream}, look_at_couples, lists, flag.get()),
        "copying couples");
    CUDA_TRY(call, cudaMemcpyAsync(&wrong, flag.get(), sizeof wrong, cudaMemcpyDeviceToHost, call.stream),
             "copying couples");
    MCD_TRY(call.synchronize());
    return wrong ? mcd_fail(call.error, MACADAM_E_INVALID, "the couples of neighbours are not in order")
                 : MACADAM_OK;
}

static macadam_status find_places(gpu_arc_couples *out, gpu_call &call, const couple_lists &lists,
                                  gpu_array<mcd_arc> *place)
{
    const uint32_t run_count = (lists.node_count + RUN_NODES - 1) / RUN_NODES;
    gpu_array<mcd_arc> run_first;
    MCD_TRY(run_first.allocate(call, (size_t)run_count + 1, "copying couples"));
    MCD_TRY(out->segment_first.allocate(call, (size_t)out->segment_count + 1, "copying couples"));
    MCD_TRY(place->allocate(call, lists.count, "copying couples"));
    CUDA_TRY(call,
             launch({blocks_for((size_t)run_count + 1), COUPLES_BLOCK, 0, call.stream}, find_runs, lists,
                    run_count, run_first.get()),
             "copying couples");
    CUDA_TRY(call,
             launch({blocks_for((size_t)out->segment_count + 1), COUPLES_BLOCK, 0, call.stream},
                    find_segments, run_first.get(), run_count, out->segment_count, out->segment_first.get()),
             "copying couples");
    CUDA_TRY(call,
             launch({blocks_for(lists.count), COUPLES_BLOCK, 0, call.stream}, place_couples, lists,
                    run_first.get(), run_count, place->get()),
             "copying couples");
    return MACADAM_OK;
}

template <class To>
static macadam_status move(gpu_call &call, gpu_array<To> *out, const uint32_t *from,
                           const gpu_array<mcd_arc> &place)
{
    MCD_TRY(out->allocate(call, place.count(), "copying couples"));
    CUDA_TRY(call,
             launch({blocks_for(place.count()), COUPLES_BLOCK, 0, call.stream}, scatter<To>, from,
                    place.get(), place.count(), out->get()),
             "copying couples");
    return MACADAM_OK;
}

template <class To>
static macadam_status settle_nodes(gpu_call &call, arc_room *room, arc_array<To> *out,
                                   gpu_array<mcd_node> *from, const gpu_array<mcd_arc> &place)
{
    gpu_array<To> moved;
    MCD_TRY(move(call, &moved, from->get(), place));
    MCD_TRY(call.synchronize());
    from->release();
    return out->settle(call, room, &moved, "copying couples");
}

static macadam_status move_weight(gpu_call &call, gpu_array<mcd_weight> *out, const mcd_weight *host,
                                  const gpu_array<mcd_arc> &place)
{
    gpu_array<mcd_weight> copy;
    if (!host) return MACADAM_OK;
    MCD_TRY(copy.copy(call, host, place.count(), "copying couples"));
    MCD_TRY(move(call, out, copy.get(), place));
    return call.synchronize(); /* finishes one copy before the next */
}

static macadam_status settle_companion(gpu_call &call, arc_room *room, arc_array<mcd_weight> *out,
                                       const mcd_weight *host, const gpu_array<mcd_arc> &place)
{
    gpu_array<mcd_weight> moved;
    if (!host) return MACADAM_OK;
    MCD_TRY(move_weight(call, &moved, host, place));
    return out->settle(call, room, &moved, "copying couples");
}

/* Sets *large to 1 if an open arc's objective is too large. */
static __global__ void look_at_weights(const mcd_weight *__restrict__ weight, size_t count, uint32_t *large)
{
    const size_t i = (size_t)blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (i < count && weight[i] >= SHORT_NONE && weight[i] < MCD_UNREACHED) *large = 1;
}

static __global__ void shorten(const mcd_weight *__restrict__ weight, size_t count, uint16_t *out)
{
    const size_t i = (size_t)blockIdx.x * COUPLES_BLOCK + threadIdx.x;
    if (i < count) out[i] = (uint16_t)min(weight[i], (mcd_weight)SHORT_NONE);
}

static macadam_status are_short(gpu_call &call, const gpu_array<mcd_weight> weight[2], bool *are)
{
    gpu_array<uint32_t> flag;
    uint32_t large = 0;
    MCD_TRY(flag.allocate(call, 1, "copying couples"));
    MCD_TRY(flag.fill(call, 0, "copying couples"));
    for (int i = 0; i < 2; ++i)
        CUDA_TRY(call,
                 launch({blocks_for(weight[i].count()), COUPLES_BLOCK, 0, call.stream}, look_at_weights,
                        weight[i].get(), weight[i].count(), flag.get()),
                 "copying couples");
    CUDA_TRY(call, cudaMemcpyAsync(&large, flag.get(), sizeof large, cudaMemcpyDeviceToHost, call.stream),
             "copying couples");
    MCD_TRY(call.synchronize());
    *are = !large;
    return MACADAM_OK;
}

static macadam_status settle_short(gpu_call &call, arc_room *room, arc_array<uint16_t> *out,
                                   const gpu_array<mcd_weight> &weight)
{
    gpu_array<uint16_t> made;
    MCD_TRY(made.allocate(call, weight.count(), "copying couples"));
    CUDA_TRY(call,
             launch({blocks_for(weight.count()), COUPLES_BLOCK, 0, call.stream}, shorten, weight.get(),
                    weight.count(), made.get()),
             "copying couples");
    return out->settle(call, room, &made, "copying couples");
}

/* Stores short objectives, which halve the bytes read, if all fit. The long ones are then only for joint
 * weights. */
static macadam_status settle_objectives(gpu_arc_couples *out, gpu_call &call, arc_room *room,
                                        const mcd_arcs *host, const gpu_array<mcd_arc> &place)
{
    const mcd_weight *const from[] = {host->couple_up, host->couple_down};
    arc_array<mcd_weight> *const to[] = {&out->up, &out->down};
    arc_array<uint16_t> *const to_short[] = {&out->short_up, &out->short_down};
    gpu_array<mcd_weight> weight[2];
    bool are = false;
    if (!host->couple_up) return MACADAM_OK;
    for (int i = 0; i < 2; ++i) MCD_TRY(move_weight(call, &weight[i], from[i], place));
    MCD_TRY(are_short(call, weight, &are));
    for (int i = 0; i < 2; ++i) {
        if (are) MCD_TRY(settle_short(call, room, to_short[i], weight[i]));
        if (!are || host->couple_up_companion)
            MCD_TRY(to[i]->settle(call, room, &weight[i], "copying couples"));
    }
    return MACADAM_OK;
}

macadam_status couples_copy(gpu_arc_couples *out, gpu_call &call, arc_room *room, const mcd_arcs *host)
{
    gpu_array<mcd_node> high, low;
    gpu_array<mcd_arc> place;
    if (!host->couple_high || host->couple_count == 0) return MACADAM_OK;
    out->count = host->couple_count;
    out->segment_count = (host->graph->node_count + SEGMENT_NODES - 1) / SEGMENT_NODES;
    MCD_TRY(high.copy(call, host->couple_high, out->count, "copying couples"));
    MCD_TRY(low.copy(call, host->couple_low, out->count, "copying couples"));
    const couple_lists lists = {out->count, host->graph->node_count, high.get(), low.get()};
    MCD_TRY(expect_order(call, lists));
    MCD_TRY(find_places(out, call, lists, &place));
    MCD_TRY(settle_nodes(call, room, &out->high, &high, place));
    MCD_TRY(settle_nodes(call, room, &out->low, &low, place));
    MCD_TRY(settle_objectives(out, call, room, host, place));
    MCD_TRY(settle_companion(call, room, &out->up_companion, host->couple_up_companion, place));
    return settle_companion(call, room, &out->down_companion, host->couple_down_companion, place);
}
