/* schedule.cu - see schedule.h.
 *
 * Method. Count, scan, fill. Levels: one thread climbs the tree from every slice without a child. Of the
 * threads that meet at a slice, the last one goes on, after all children have left their level there.
 * Races. Only sums, maxima and places drawn by atomics. The places affect only the order within a level.
 * Limit. Memory traffic; for climbing, the latency of one path. Done once per map. */
#include "kernels/cuda/customize/schedule.h"

#include "kernels/cuda/device/scan.h"
#include "kernels/cuda/customize/slice.h"

/* Arrays that are needed only while the schedule is made. */
struct schedule_making {
    gpu_map *map;
    gpu_array<uint32_t> node_slice;               /* [nodes] */
    gpu_array<uint32_t> slice_level, slice_place; /* [slices]: its place among all slices, by level */
    gpu_array<mcd_arc> level_first;               /* [levels + 1], places */
};

/* ---- slices ---- */

static __global__ void count_slices(mcd_hierarchy hierarchy, uint32_t *count)
{
    const uint64_t s = thread_index();
    if (s >= hierarchy.supernode_count) return;
    count[s] =
        blocks_of<uint32_t>(hierarchy.supernode_first[s + 1] - hierarchy.supernode_first[s], SLICE_WIDTH);
}

/* The slices of a supernode have nearly equal widths. */
static __global__ void fill_slices(mcd_hierarchy hierarchy, const mcd_arc *first_slice, mcd_node *slice_first,
                                   uint32_t *node_slice)
{
    const uint64_t s = thread_index();
    if (s >= hierarchy.supernode_count) return;
    const mcd_node first = hierarchy.supernode_first[s];
    const uint64_t width = hierarchy.supernode_first[s + 1] - first,
                   parts = first_slice[s + 1] - first_slice[s];
    for (uint64_t part = 0; part < parts; ++part) {
        const mcd_node begin = first + (mcd_node)(width * part / parts),
                       end = first + (mcd_node)(width * (part + 1) / parts);
        slice_first[first_slice[s] + part] = begin;
        for (mcd_node v = begin; v < end; ++v) node_slice[v] = (uint32_t)(first_slice[s] + part);
    }
    if (s + 1 == hierarchy.supernode_count) slice_first[first_slice[s + 1]] = hierarchy.node_count;
}

static void make_slices(gpu_call &call, gpu_schedule *schedule, schedule_making *making)
{
    const mcd_hierarchy &hierarchy = schedule->hierarchy;
    const launch_shape shape = one_thread_each(hierarchy.supernode_count);
    gpu_array<uint32_t> count;
    gpu_array<mcd_arc> first;
    gpu_allocate_all(call, "allocating slices", count, hierarchy.supernode_count, first,
                     (size_t)hierarchy.supernode_count + 1);
    call.run("counting slices", shape, count_slices, hierarchy, count.get());
    enqueue_scan(call, count.get(), hierarchy.supernode_count, first.get());
    const mcd_arc slice_count = call.fetch(first.get() + hierarchy.supernode_count, "counting slices");
    schedule->slice_count = (uint32_t)slice_count;
    gpu_allocate_all(call, "allocating slices", schedule->slice_first, slice_count + 1, making->node_slice,
                     hierarchy.node_count);
    call.run("listing slices", shape, fill_slices, hierarchy, first.get(), schedule->slice_first.get(),
             making->node_slice.get());
}

/* ---- levels ---- */

struct slice_tree {
    uint32_t slice_count;
    const mcd_node *slice_first, *parent;
    const uint32_t *node_slice;
};

/* MCD_NODE_NONE for a root. */
static __device__ uint32_t parent_slice(const slice_tree &tree, uint32_t slice)
{
    const mcd_node parent = tree.parent[tree.slice_first[slice]];
    return parent == MCD_NODE_NONE ? MCD_NODE_NONE : tree.node_slice[parent];
}

static __global__ void count_children(slice_tree tree, uint32_t *child_count)
{
    const uint64_t p = thread_index();
    if (p >= tree.slice_count) return;
    const uint32_t parent = parent_slice(tree, (uint32_t)p);
    if (parent != MCD_NODE_NONE) atomicAdd(&child_count[parent], 1u);
}

/* level: 0 on entry. done: children that have left their level, 0 on entry. */
static __global__ void climb(slice_tree tree, const uint32_t *child_count, uint32_t *done, uint32_t *level,
                             uint32_t *level_count)
{
    const uint64_t leaf = thread_index();
    if (leaf >= tree.slice_count || child_count[leaf] > 0) return;
    uint32_t slice = (uint32_t)leaf, height = 0;
    for (;;) {
        const uint32_t parent = parent_slice(tree, slice);
        ++height;
        if (parent == MCD_NODE_NONE) break;
        atomicMax(&level[parent], height);
        __threadfence();
        if (atomicAdd(&done[parent], 1u) + 1 < child_count[parent]) return;
        __threadfence();
        height = __ldcg(&level[parent]);
        slice = parent;
    }
    atomicMax(level_count, height);
}

/* The next place of each thread's key, for all threads of a warp together, drawn from `cursor`. */
static __device__ uint32_t draw_place(uint32_t *cursor, uint32_t key)
{
    const unsigned same = __match_any_sync(WARP_ALL, key), lane = threadIdx.x % WARP;
    const unsigned leader = (unsigned)__ffs((int)same) - 1;
    uint32_t first = 0;
    if (lane == leader && key != UINT32_MAX) first = atomicAdd(&cursor[key], (unsigned)__popc(same));
    return __shfl_sync(WARP_ALL, first, (int)leader) + (uint32_t)__popc(same & ((1u << lane) - 1));
}

static __global__ void count_levels(uint32_t slice_count, const uint32_t *level, uint32_t *count)
{
    const uint64_t p = thread_index();
    draw_place(count, p < slice_count ? level[p] : UINT32_MAX);
}

static __global__ void place_slices(uint32_t slice_count, const uint32_t *level, const mcd_arc *level_first,
                                    uint32_t *cursor, uint32_t *place)
{
    const uint64_t p = thread_index();
    const uint32_t key = p < slice_count ? level[p] : UINT32_MAX, drawn = draw_place(cursor, key);
    if (p < slice_count) place[p] = (uint32_t)level_first[key] + drawn;
}

static void find_levels(gpu_call &call, gpu_schedule *schedule, schedule_making *making)
{
    const uint32_t slices = schedule->slice_count;
    const launch_shape shape = one_thread_each(slices);
    const slice_tree tree = {slices, schedule->slice_first.get(), schedule->hierarchy.parent,
                             making->node_slice.get()};
    gpu_array<uint32_t> child_count, done, level_count;
    gpu_allocate_all(call, "allocating levels", child_count, slices, done, slices, level_count, 1,
                     making->slice_level, slices);
    gpu_fill_all(call, 0, "clearing levels", child_count, done, level_count, making->slice_level);
    call.run("counting children", shape, count_children, tree, child_count.get());
    call.run("finding levels", shape, climb, tree, child_count.get(), done.get(), making->slice_level.get(),
             level_count.get());
    schedule->level_count = call.fetch(level_count.get(), "counting levels");
}

static void sort_by_level(gpu_call &call, gpu_schedule *schedule, schedule_making *making)
{
    const uint32_t slices = schedule->slice_count, levels = schedule->level_count;
    const launch_shape shape = one_thread_each(slices);
    uint32_t *const level = making->slice_level.get();
    gpu_array<uint32_t> count;
    gpu_allocate_all(call, "allocating levels", count, levels, making->level_first, (size_t)levels + 1,
                     making->slice_place, slices);
    count.fill(call, 0, "clearing levels");
    call.run("counting levels", shape, count_levels, slices, level, count.get());
    enqueue_scan(call, count.get(), levels, making->level_first.get());
    count.fill(call, 0, "clearing levels");
    call.run("sorting slices", shape, place_slices, slices, level, making->level_first.get(), count.get(),
             making->slice_place.get());
}

/* ---- lists ---- */

enum list { UNIT, TILE, SMALL, SINGLE, WAY, LISTS };

/* By the place of a slice: the number of its entries in each list, or the place of its first entry. */
template <class Number> struct slice_entries {
    Number *of[LISTS];
};

/* Tiles whose mids are among the first mid * TILE_MIDS columns. */
static __device__ uint32_t tiles_before(uint32_t mid)
{
    enum { MIDS = WARP / TILE_MIDS }; /* mids with the same number of tiles */
    const uint32_t tops = mid / MIDS;
    return MIDS * (tops * (tops + 1) / 2) + mid % MIDS * (tops + 1);
}

static __global__ void count_by_slice(schedule_view schedule, uint32_t slice_count, const uint32_t *place,
                                      slice_entries<uint32_t> count)
{
    const uint64_t p = thread_index();
    if (p >= slice_count) return;
    const slice_view slice = slice_of(schedule, (uint32_t)p);
    const uint32_t at = place[p], sides = slice.columns > 0 ? slice.columns - 1 : 0;
    const bool is_single = slice.width < 2,
               is_small = slice.width <= SMALL_WIDTH && slice.columns <= SMALL_COLUMNS;
    count.of[UNIT][at] = is_single ? 0 : max(blocks_of<uint32_t>(slice.columns, WARP), 1u);
    count.of[TILE][at] =
        is_single || is_small ? 0 : max(tiles_before(blocks_of<uint32_t>(slice.columns, TILE_MIDS)), 1u);
    count.of[SMALL][at] = !is_single && is_small;
    const uint32_t ways = (uint32_t)((uint64_t)slice.columns * sides / 2); /* fewer than upward arcs */
    count.of[SINGLE][at] = is_single ? ways : 0;
    count.of[WAY][at] = is_single ? 0 : ways;
}

/* One warp per node. */
static __global__ void fill_slots(mcd_hierarchy hierarchy, uint32_t *slot)
{
    const uint64_t x = thread_index() / WARP;
    if (x >= hierarchy.node_count) return;
    const mcd_arc first = hierarchy.first_up[x], end = hierarchy.first_up[x + 1];
    for (mcd_arc xy = first + threadIdx.x % WARP; xy < end; xy += WARP) slot[xy] = (uint32_t)(xy - first);
}

struct schedule_lists {
    slice_unit *unit;
    slice_tile *tile, *small;
    single_triangle *single;
    uint32_t *way;
};

/* One warp per slice. */
static __global__ void fill_by_slice(schedule_view schedule, uint32_t slice_count, const uint32_t *place,
                                     slice_entries<const mcd_arc> first, schedule_lists list)
{
    const uint64_t p = thread_index() / WARP;
    if (p >= slice_count) return;
    const slice_view slice = slice_of(schedule, (uint32_t)p);
    const uint32_t at = place[p], lane = threadIdx.x % WARP;
    const mcd_arc unit = first.of[UNIT][at], tile = first.of[TILE][at];
    for (uint32_t i = lane; i < first.of[UNIT][at + 1] - unit; i += WARP)
        list.unit[unit + i] = {(uint32_t)p, i};
    for (uint32_t mid = 0; tile + tiles_before(mid) < first.of[TILE][at + 1]; ++mid)
        for (uint32_t top = lane; top <= mid * TILE_MIDS / WARP; top += WARP)
            list.tile[tile + tiles_before(mid) + top] = {slice, (uint16_t)mid, (uint16_t)top,
                                                         first.of[WAY][at]};
    if (lane == 0 && first.of[SMALL][at] < first.of[SMALL][at + 1])
        list.small[first.of[SMALL][at]] = {slice, 0, 0, first.of[WAY][at]};
}

/* One warp per slice: lists the arcs yz of its columns. */
static __global__ void fill_ways(schedule_view schedule, uint32_t slice_count, const uint32_t *place,
                                 slice_entries<const mcd_arc> first, schedule_lists list)
{
    const uint64_t p = thread_index() / WARP;
    if (p >= slice_count) return;
    const slice_view slice = slice_of(schedule, (uint32_t)p);
    const mcd_node *const up_head = schedule.hierarchy.up_head, *const column = up_head + slice.base;
    for (uint32_t y = 1; y < slice.columns; ++y) {
        const mcd_arc row = schedule.hierarchy.first_up[column[y]];
        const uint32_t spare = (uint32_t)(schedule.hierarchy.first_up[column[y] + 1] - row) - y;
        for (uint32_t z = threadIdx.x % WARP; z < y; z += WARP) {
            const uint32_t yz = (uint32_t)row + lower_bound(up_head + row, z, z + spare, column[z]);
            const mcd_arc i = (mcd_arc)y * (y - 1) / 2 + z;
            if (slice.width < 2)
                list.single[first.of[SINGLE][place[p]] + i] = {slice.base + y, slice.base + z, yz};
            else
                list.way[first.of[WAY][place[p]] + i] = yz;
        }
    }
}

static __global__ void find_level_bounds(uint32_t level_count, const mcd_arc *level_first,
                                         slice_entries<const mcd_arc> first, schedule_level *level)
{
    const uint64_t i = thread_index();
    if (i > level_count) return;
    const mcd_arc place = level_first[i];
    level[i] = {first.of[UNIT][place], first.of[TILE][place], first.of[SMALL][place],
                first.of[SINGLE][place]};
}

/* Returns the ways of all slices. */
static mcd_arc fetch_level_bounds(gpu_call &call, gpu_schedule *schedule, const schedule_making &making,
                                  const slice_entries<const mcd_arc> &first)
{
    const size_t bounds = (size_t)schedule->level_count + 1;
    schedule->level.allocate(bounds, "the levels of a customization");
    gpu_array<schedule_level> level(call, bounds, "allocating levels");
    call.run("finding levels", one_thread_each(bounds), find_level_bounds, schedule->level_count,
             making.level_first.get(), first, level.get());
    call.copy(schedule->level.get(), level.get(), bounds, "finding levels");
    return call.fetch(first.of[WAY] + schedule->slice_count, "finding levels");
}

static void fill_lists(gpu_call &call, gpu_schedule *schedule, const schedule_making &making,
                       const slice_entries<const mcd_arc> &first)
{
    const uint32_t slices = schedule->slice_count, *const place = making.slice_place.get();
    const launch_shape shape = one_thread_each((uint64_t)slices * WARP);
    const mcd_arc way_count = fetch_level_bounds(call, schedule, making, first);
    const schedule_level &total = schedule->level[schedule->level_count];
    gpu_allocate_all(call, "allocating lists", schedule->slot, making.map->up_count, schedule->unit,
                     total.unit, schedule->tile, total.tile, schedule->small, total.small, schedule->single,
                     total.single, schedule->way, way_count);
    const schedule_lists list = {schedule->unit.get(), schedule->tile.get(), schedule->small.get(),
                                 schedule->single.get(), schedule->way.get()};
    call.run("filling lists", one_thread_each((uint64_t)schedule->hierarchy.node_count * WARP), fill_slots,
             schedule->hierarchy, schedule->slot.get());
    call.run("filling lists", shape, fill_by_slice, schedule->view(), slices, place, first, list);
    call.run("filling lists", shape, fill_ways, schedule->view(), slices, place, first, list);
}

static void make_lists(gpu_call &call, gpu_schedule *schedule, schedule_making *making)
{
    const uint32_t slices = schedule->slice_count;
    gpu_array<uint32_t> count[LISTS];
    gpu_array<mcd_arc> first[LISTS];
    slice_entries<uint32_t> counts;
    slice_entries<const mcd_arc> firsts;
    for (int list = 0; list < LISTS; ++list) {
        gpu_allocate_all(call, "allocating lists", count[list], slices, first[list], (size_t)slices + 1);
        counts.of[list] = count[list].get(), firsts.of[list] = first[list].get();
    }
    call.run("counting lists", one_thread_each(slices), count_by_slice, schedule->view(), slices,
             making->slice_place.get(), counts);
    for (int list = 0; list < LISTS; ++list) enqueue_scan(call, count[list].get(), slices, first[list].get());
    fill_lists(call, schedule, *making, firsts);
}

/* ---- input arcs ---- */

/* misplaced: the least node that has an input arc to a smaller node but no such upward arc. */
static __global__ void place_inputs(mcd_hierarchy hierarchy, mcd_graph graph, uint32_t *up_of_arc,
                                    mcd_node *misplaced)
{
    const uint64_t arc = thread_index();
    if (arc >= graph.arc_count) return;
    const mcd_node tail = lower_bound(graph.first_out, (mcd_node)0, graph.node_count, (mcd_arc)arc + 1) - 1;
    const mcd_node head = graph.head[arc], x = max(tail, head), y = min(tail, head);
    if (x == y) {
        up_of_arc[arc] = UINT32_MAX;
        return;
    }
    const mcd_arc end = hierarchy.first_up[x + 1],
                  up = lower_bound(hierarchy.up_head, hierarchy.first_up[x], end, y);
    if (up == end || hierarchy.up_head[up] != y) atomicMin(misplaced, x);
    up_of_arc[arc] = (uint32_t)up;
}

static void make_inputs(gpu_call &call, gpu_schedule *schedule, const gpu_map &map)
{
    gpu_array<mcd_node> misplaced;
    gpu_allocate_all(call, "allocating the places of arcs", schedule->up_of_arc, map.graph.arc_count,
                     misplaced, 1);
    misplaced.fill(call, 0xff, "clearing the places of arcs");
    call.run("placing arcs", one_thread_each(map.graph.arc_count), place_inputs, map.hierarchy, map.graph,
             schedule->up_of_arc.get(), misplaced.get());
    const mcd_node x = call.fetch(misplaced.get(), "placing arcs");
    if (x != MCD_NODE_NONE)
        fail(MACADAM_E_FILE, "an input arc of node %u has no upward arc: hierarchy and graph differ", x);
}

/* ---- all ---- */

static void make_schedule(gpu_call &call, gpu_schedule *schedule, gpu_map *map)
{
    schedule_making making;
    making.map = map;
    schedule->hierarchy = map->hierarchy;
    make_slices(call, schedule, &making);
    find_levels(call, schedule, &making);
    sort_by_level(call, schedule, &making);
    make_lists(call, schedule, &making);
    make_inputs(call, schedule, *map);
    gpu_keep_all(schedule->slice_first, schedule->slot, schedule->unit, schedule->tile, schedule->small,
                 schedule->single, schedule->way, schedule->up_of_arc);
}

const gpu_schedule &gpu_schedule_of(gpu_call &call, gpu_map *map)
{
    if (map->up_count >= UINT32_MAX)
        fail(MACADAM_E_INVALID, "%llu upward arcs are more than can be customized",
             (unsigned long long)map->up_count);
    const std::lock_guard<std::mutex> guard(map->lock);
    if (!map->schedule)
        map->schedule = object_new<gpu_schedule>(
            "a schedule", [&](gpu_schedule *schedule) { make_schedule(call, schedule, map); });
    return *map->schedule;
}
