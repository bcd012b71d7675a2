/* prune.cu - searches of the upward arcs that are kept. CPU twin: kernels/cpu/customize/prune.c.
 *
 * Method. Flags, prefix sums, fill. The children of kept arcs are found at the end, in one pass over all
 * input arcs and all lower triangles. Each input arc or triangle that has the cost of its kept arc offers
 * itself as the arc's children, and the least offer stays: an input arc before a triangle, and the first of
 * each, which is the first of parallel arcs and the least bottom. Then the triangles that stayed are turned
 * into children.
 * Layout. An input arc offers the children that it will be. A triangle offers its upward arc xy as the first
 * child and OFFER_NONE as the second, which is the high half.
 * Races. Only minima.
 * Limit. Memory traffic. */
#include "kernels/cuda/customize/customize.h"

#include "kernels/cuda/device/scan.h"

#define OFFER_NONE UINT32_MAX /* no input arc and no upward arc has this index: there are fewer */

/* One bit for each upward arc says whether it is kept; `before` is the number of kept arcs before each
 * word of bits: first all of MCD_FORWARD, then of MCD_BACKWARD. There is one bit more than arcs, which is
 * 0. */
struct kept_bits {
    size_t words; /* per direction */
    const uint32_t *word;
    const mcd_arc *before; /* [2 * words + 1] */
    __device__ bool is_kept(int direction, uint64_t up) const
    {
        return word[direction * words + up / WARP] >> up % WARP & 1;
    }
    /* A kept arc's place among those of its direction; another arc's is that of the next kept one. */
    __device__ mcd_arc place(int direction, uint64_t up) const
    {
        const size_t at = direction * words + up / WARP;
        const uint32_t lower = (1u << up % WARP) - 1;
        return before[at] - before[direction * words] + (unsigned)__popc(word[at] & lower);
    }
};

template <class Cost> static __device__ Cost cost_in(const both_costs<Cost> &cost, int direction)
{
    return direction == MCD_FORWARD ? cost.forward : cost.backward;
}

/* ---- which arcs are kept ---- */

template <class Cost> static __device__ bool is_least(Cost basic, Cost least)
{
    return cost_objective(basic) < MCD_UNREACHED && basic == least;
}

/* One thread per upward arc, whole warps. Out: words as kept_bits has them, and the number of bits in
 * each. */
template <class Cost>
static __global__ void flag_kept(uint64_t up_count, const both_costs<Cost> *basic,
                                 const both_costs<Cost> *least, size_t words, uint32_t *word, uint32_t *count)
{
    const uint64_t up = thread_index();
    both_costs<Cost> cost = {cost_unreached<Cost>(), cost_unreached<Cost>()}, bound = cost;
    if (up / WARP >= words) return;
    if (up < up_count) {
        cost = basic[up];
        bound = least ? least[up] : cost;
    }
#pragma unroll
    for (int direction = 0; direction < 2; ++direction) {
        const uint32_t bits =
            __ballot_sync(WARP_ALL, is_least(cost_in(cost, direction), cost_in(bound, direction)));
        if (up % WARP > 0) continue;
        word[direction * words + up / WARP] = bits;
        count[direction * words + up / WARP] = (unsigned)__popc(bits);
    }
}

/* The arrays that kept_bits points to. */
struct kept_arcs {
    size_t words = 0;
    gpu_array<uint32_t> word;
    gpu_array<mcd_arc> before;
    kept_bits bits() const
    {
        return {words, word.get(), before.get()};
    }
};

/* Synchronizes. count: kept arcs by direction. */
template <class Cost>
static void find_kept(gpu_call &call, uint64_t up_count, const both_costs<Cost> *basic,
                      const both_costs<Cost> *least, kept_arcs *out, mcd_arc *count)
{
    const size_t words = up_count / WARP + 1;
    gpu_array<uint32_t> word_count;
    mcd_arc before[2]; /* kept arcs up to the end of each direction */
    out->words = words;
    out->word.allocate(call, 2 * words, "allocating flags of kept arcs");
    gpu_allocate_all(call, "allocating counts of kept arcs", word_count, 2 * words, out->before,
                     2 * words + 1);
    call.run("flagging kept arcs", one_thread_each(words * WARP), flag_kept<Cost>, up_count, basic, least,
             words, out->word.get(), word_count.get());
    enqueue_scan(call, word_count.get(), 2 * words, out->before.get());
    call.check(cudaMemcpy2DAsync(before, sizeof *before, out->before.get() + words, words * sizeof *before,
                                 sizeof *before, 2, cudaMemcpyDeviceToHost, call.stream),
               "counting kept arcs");
    call.synchronize();
    count[MCD_FORWARD] = before[0];
    count[MCD_BACKWARD] = before[1] - before[0];
}

/* ---- the arrays of kept arcs ---- */

struct search_arrays {
    mcd_node *head;
    uint32_t *depth;
    mcd_weight *objective, *companion;
};

template <class Cost>
static __global__ void fill_kept(mcd_hierarchy hierarchy, uint64_t up_count, kept_bits kept,
                                 const both_costs<Cost> *basic, search_arrays forward, search_arrays backward)
{
    const uint64_t up = thread_index();
    if (up >= up_count) return;
    const mcd_node head = hierarchy.up_head[up];
    const uint32_t depth = hierarchy.depth[head];
    const both_costs<Cost> cost = basic[up];
#pragma unroll
    for (int direction = 0; direction < 2; ++direction) {
        if (!kept.is_kept(direction, up)) continue;
        const search_arrays &search = direction == MCD_FORWARD ? forward : backward;
        const mcd_arc at = kept.place(direction, up);
        const Cost value = cost_in(cost, direction);
        search.head[at] = head;
        search.depth[at] = depth;
        search.objective[at] = cost_objective(value);
        if (search.companion) search.companion[at] = cost_companion(value);
    }
}

static __global__ void fill_first(mcd_hierarchy hierarchy, kept_bits kept, mcd_arc *forward,
                                  mcd_arc *backward)
{
    const uint64_t x = thread_index();
    if (x > hierarchy.node_count) return;
    forward[x] = kept.place(MCD_FORWARD, hierarchy.first_up[x]);
    backward[x] = kept.place(MCD_BACKWARD, hierarchy.first_up[x]);
}

static void allocate_search(gpu_call &call, gpu_weights *out, int direction)
{
    out->each_array(direction, [&](auto &array, auto, size_t count) {
        return array.allocate(call, count, "allocating weights");
    });
    if (out->has_children) out->search[direction].children.fill(call, 0xff, "clearing weights");
}

static search_arrays arrays_of(const gpu_search &search)
{
    return {search.head.get(), search.depth.get(), search.objective.get(), search.companion.get()};
}

/* ---- children of kept arcs ---- */

struct kept_children {
    kept_bits bits;
    uint64_t *children[2];
    __device__ void offer(int direction, uint64_t up, uint64_t offer) const
    {
        if (bits.is_kept(direction, up)) lower_to(&children[direction][bits.place(direction, up)], offer);
    }
};

template <class Cost>
static __global__ void offer_inputs(mcd_hierarchy hierarchy, mcd_graph graph, const uint32_t *up_of_arc,
                                    input_weights weights, const both_costs<Cost> *basic, kept_children kept)
{
    const uint64_t arc = thread_index();
    if (arc >= graph.arc_count) return;
    const uint32_t up = up_of_arc[arc];
    if (up == UINT32_MAX || weights.is_closed(arc)) return;
    const int direction = input_direction(hierarchy, graph.head[arc], up);
    if (weights.cost<Cost>(arc) == cost_in(basic[up], direction))
        kept.offer(direction, up, mcd_children_pack(MCD_CHILD_NONE, (uint32_t)arc));
}

template <class Cost> struct offer_action {
    const both_costs<Cost> *basic;
    kept_children kept;
    __device__ both_costs<Cost> load(uint32_t xy, uint32_t xz) const
    {
        const both_costs<Cost> x_y = basic[xy], x_z = basic[xz];
        return {cost_add(x_y.backward, x_z.forward), cost_add(x_z.backward, x_y.forward)};
    }
    __device__ void relax(const both_costs<Cost> &way, uint32_t xy, uint32_t, uint32_t yz) const
    {
        const both_costs<Cost> y_z = basic[yz];
        if (way.forward == y_z.forward) kept.offer(MCD_FORWARD, yz, mcd_children_pack(xy, OFFER_NONE));
        if (way.backward == y_z.backward) kept.offer(MCD_BACKWARD, yz, mcd_children_pack(xy, OFFER_NONE));
    }
};

/* One warp for WARP upward arcs. The triangles of an arc yz have arcs xy that ascend with their bottoms. */
template <class Cost>
static __global__ void offer_triangles(schedule_view schedule, uint64_t up_count,
                                       const both_costs<Cost> *basic, kept_children kept)
{
    const uint64_t xy = thread_index();
    if (xy - threadIdx.x % WARP >= up_count) return;
    for_triangles(schedule.hierarchy.up_head, load_sides(schedule, (uint32_t)xy, xy < up_count), 0, WARP,
                  offer_action<Cost>{basic, kept});
}

/* The children of a triangle that stayed: the kept arcs tail -> x, backward, and x -> head, forward. */
static __device__ uint64_t children_of(const schedule_view &schedule, const kept_bits &kept, int direction,
                                       uint64_t yz, uint32_t xy)
{
    const mcd_node *const up_head = schedule.hierarchy.up_head;
    const uint32_t first = xy - schedule.slot[xy],
                   xz = first + lower_bound(up_head + first, 0u, schedule.slot[xy], up_head[yz]);
    const uint32_t to_tail = direction == MCD_FORWARD ? xy : xz, to_head = direction == MCD_FORWARD ? xz : xy;
    return mcd_children_pack((uint32_t)kept.place(MCD_BACKWARD, to_tail),
                             (uint32_t)kept.place(MCD_FORWARD, to_head));
}

/* One thread per upward arc. */
static __global__ void finish_children(schedule_view schedule, uint64_t up_count, kept_children kept)
{
    const uint64_t yz = thread_index();
    if (yz >= up_count) return;
    for (int direction = 0; direction < 2; ++direction) {
        if (!kept.bits.is_kept(direction, yz)) continue;
        uint64_t *const children = &kept.children[direction][kept.bits.place(direction, yz)];
        if (*children >> 32 == OFFER_NONE)
            *children = children_of(schedule, kept.bits, direction, yz, (uint32_t)*children);
    }
}

template <class Cost>
static void find_children(gpu_call &call, const gpu_weights &out, const gpu_schedule &schedule,
                          const input_weights &weights, const kept_bits &bits, const both_costs<Cost> *basic)
{
    const gpu_map &map = *out.map;
    const kept_children kept = {bits, {out.search[0].children.get(), out.search[1].children.get()}};
    static_assert(MCD_FORWARD == 0 && MCD_BACKWARD == 1, "searches are by direction");
    call.run("finding children", one_thread_each(map.graph.arc_count), offer_inputs<Cost>, map.hierarchy,
             map.graph, schedule.up_of_arc.get(), weights, basic, kept);
    call.run("finding children", one_thread_each(map.up_count), offer_triangles<Cost>, schedule.view(),
             map.up_count, basic, kept);
    call.run("finding children", one_thread_each(map.up_count), finish_children, schedule.view(),
             map.up_count, kept);
}

/* ---- all ---- */

template <class Cost>
void make_searches(gpu_call &call, gpu_weights *out, const gpu_schedule &schedule,
                   const input_weights &weights, const both_costs<Cost> *basic, const both_costs<Cost> *least)
{
    kept_arcs kept;
    find_kept(call, out->map->up_count, basic, least, &kept, out->count);
    for (int direction = 0; direction < 2; ++direction) allocate_search(call, out, direction);
    const mcd_hierarchy &hierarchy = out->map->hierarchy;
    const gpu_search &forward = out->search[MCD_FORWARD], &backward = out->search[MCD_BACKWARD];
    call.run("filling weights", one_thread_each(out->map->up_count), fill_kept<Cost>, hierarchy,
             out->map->up_count, kept.bits(), basic, arrays_of(forward), arrays_of(backward));
    call.run("filling weights", one_thread_each((uint64_t)hierarchy.node_count + 1), fill_first, hierarchy,
             kept.bits(), forward.first.get(), backward.first.get());
    if (out->has_children) find_children(call, *out, schedule, weights, kept.bits(), basic);
    call.synchronize();
}

template decltype(make_searches<uint32_t>) make_searches<uint32_t>;
template decltype(make_searches<uint64_t>) make_searches<uint64_t>;
