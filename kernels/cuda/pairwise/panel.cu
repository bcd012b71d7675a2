/* panel.cu - places in panels: sorted, labelled, transposed, measured. CPU twin: panel_of() in
 * kernels/cpu/pairwise/matrix.c.
 *
 * Why they are sorted. Ids are a preorder, so neighbours share long prefixes of their root paths. Two places
 * share the least of the prefixes that the neighbours between them share.
 * Layout. A depth of a panel is one line of 128 places, as the product reads it.
 * Limit. Labels and paths are moved once: 16 bytes (joint costs: 24) per place and depth. */
#include "kernels/cuda/pairwise/panel.h"

#include "kernels/cuda/pairwise/place_seeds.h"
#include "kernels/cuda/sweep/label.h"
#include "kernels/cuda/sweep/panel_labels.h"

extern "C" {
#include "engine/base/sort.h"
#include "kernels/seeds.h"
}

#include <algorithm>
#include <utility>

enum { TRANSPOSE_WARPS = 8 }; /* of a block, for a square of 32 places and depths */

/* ---- sorting ---- */

enum {
    NODE_SHIFT = 32, /* a key: a node, and below it the number of its place */
    KEY_BITS = 64,
    TILE = 2048, /* keys that are sorted together */
    TILE_BLOCKS = TILE / WARP,
    TILE_WARPS = 8, /* of a block */
};

bool places_ascend(const panel_places &places, size_t count)
{
    for (size_t i = 1; i < count; ++i)
        if (places.at(i) < places.at(i - 1)) return false;
    return true;
}

/* Places that threads sort: each makes keys, and then the order of a part of the nodes in a run. */
struct order_work {
    panel_places places;
    size_t count, run, parts;
    uint64_t node_count;
    uint64_t *unsorted, *scratch, *key; /* [count] */
    std::atomic<bool> are_nodes{true};

    /* The least key of a part. Places without a node have the greatest one, so they come last. */
    uint64_t first_key(size_t part) const
    {
        return part == parts ? UINT64_MAX : mcd_part_first(node_count, part, parts) << NODE_SHIFT;
    }
};

static void make_keys(void *argument, size_t first, size_t end)
{
    order_work *const work = (order_work *)argument;
    bool are_nodes = !work->places.parts.part;
    for (size_t i = first; i < end; ++i) work->unsorted[i] = (uint64_t)work->places.at(i) << NODE_SHIFT | i;
    for (size_t i = first; i < end && !work->places.node; ++i) {
        const mcd_seed *const seed = work->places.lane[i].seed;
        are_nodes &= !seed[0].objective && !seed[0].companion && seed[1].node == MCD_NODE_NONE;
    }
    if (!are_nodes) work->are_nodes = false;
}

static void sort_part(void *argument, size_t index, unsigned)
{
    const order_work &work = *(const order_work *)argument;
    const size_t first = index / work.parts * work.run, end = mcd_size_min(first + work.run, work.count);
    const uint64_t least = work.first_key(index % work.parts), above = work.first_key(index % work.parts + 1);
    size_t at = first, count = 0;
    for (size_t i = first; i < end; ++i) at += work.unsorted[i] < least;
    uint64_t *const key = work.key + at;
    for (size_t i = first; i < end; ++i)
        if (work.unsorted[i] >= least && work.unsorted[i] < above) key[count++] = work.unsorted[i];
    if (!std::is_sorted(key, key + count))
        (void)mcd_sort_bits(key, work.scratch + at, count, NODE_SHIFT, KEY_BITS, nullptr, nullptr);
}

/* Takes the order that the lanes come with; lanes after those have no node. Returns false if it is not that of these lanes: they are
 * some of all, or several runs. */
static bool take_known_order(const panel_places &places, size_t count, size_t run, uint64_t *key)
{
    const mcd_seed_parts &parts = places.parts;
    if (!parts.order || parts.lane_count > count || count > run) return false;
    for (size_t i = 0; i < count; ++i) {
        key[i] = i < parts.lane_count ? parts.order[i] : (uint64_t)MCD_NODE_NONE << NODE_SHIFT | i;
        if (places.at((uint32_t)key[i]) != (mcd_node)(key[i] >> NODE_SHIFT)) return false;
    }
    return true;
}

void panel_order::make(const mcd_parallel &parallel, mcd_node node_count, const panel_places &places,
                       size_t count, size_t run)
{
    enum { KEYS_PER_TASK = 1 << 12, PART_LEAST = 1 << 13 /* places of a run */ };
    are_nodes = false;
    if (places.roads.road) return;
    key.allocate(count, "sorted places");
    if (take_known_order(places, count, run, key.get())) return;
    host_array<uint64_t> unsorted(count, "places"), scratch(count, "sorted places");
    const size_t in_run = mcd_size_max(mcd_size_min(run, count), 1),
                 parts = mcd_size_max(mcd_size_min(parallel.thread_count, in_run / PART_LEAST), 1);
    order_work work = {places, count, in_run, parts, node_count, unsorted.get(), scratch.get(), key.get()};
    mcd_parallel_for_ranges(&parallel, count, KEYS_PER_TASK, make_keys, &work);
    mcd_parallel_for(&parallel, blocks_of(count, in_run) * parts, sort_part, &work);
    are_nodes = work.are_nodes;
}

/* Sorts the keys of the lanes of each tile: a key's place is the number of lesser ones.
 * Grid one block per WARP keys of a tile; each of its warps counts lesser ones among its share of the tile. A run has whole tiles
 *      but for its last one.
 * Races none: no two keys are equal. Limit  the tile, which each of its blocks reads. */
static __global__ void __launch_bounds__(TILE_WARPS *WARP)
    sort_tiles(const mcd_lane *__restrict__ lane, size_t count, size_t run, uint64_t *key)
{
    __shared__ uint64_t tile[TILE];
    __shared__ uint32_t lesser[WARP];
    const size_t tiles = blocks_of<size_t>(run, TILE), index = blockIdx.x / TILE_BLOCKS,
                 run_first = index / tiles * run, first = run_first + index % tiles * TILE,
                 end = min(min(first + TILE, run_first + run), count);
    const uint32_t own = blockIdx.x % TILE_BLOCKS * WARP + threadIdx.x % WARP;
    if (first + blockIdx.x % TILE_BLOCKS * WARP >= end) return;
    const uint32_t keys = (uint32_t)(end - first);
    if (threadIdx.x < WARP) lesser[threadIdx.x] = 0;
    for (uint32_t i = threadIdx.x; i < keys; i += TILE_WARPS * WARP)
        tile[i] = (uint64_t)lane[first + i].seed[0].node << NODE_SHIFT | (first + i);
    __syncthreads();
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x / WARP; own < keys && i < keys; i += TILE_WARPS) sum += tile[i] < tile[own];
    atomicAdd(&lesser[threadIdx.x % WARP], sum);
    __syncthreads();
    if (threadIdx.x < WARP && own < keys) key[first + lesser[threadIdx.x]] = tile[own];
}

/* Merges pairs of sorted parts of each run, `width` keys long.
 * Grid one thread per key, which finds its place among the keys of the other part: no two are equal.
 * Races none. Limit  latency: the steps of a search. */
static __global__ void merge_parts(const uint64_t *__restrict__ key, size_t count, size_t run, size_t width,
                                   uint64_t *merged)
{
    const size_t i = thread_index();
    if (i >= count) return;
    const size_t run_first = i / run * run, run_end = min(run_first + run, count),
                 part = (i - run_first) / width, pair_first = run_first + part / 2 * (2 * width),
                 other = min(run_first + (part ^ 1) * width, run_end),
                 other_end = min(other + width, run_end);
    const uint64_t own = key[i];
    size_t low = other, high = other_end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (key[middle] < own)
            low = middle + 1;
        else
            high = middle;
    }
    merged[pair_first + (i - run_first - part * width) + (low - other)] = own;
}

/* Enqueues the sorting of the lanes' keys, run by run. other[count]: scratch. Returns where the keys are: key or other. */
static uint64_t *enqueue_order(gpu_call &call, const mcd_lane *lane, size_t count, size_t run, uint64_t *key,
                               uint64_t *other)
{
    const size_t longest = mcd_size_min(run, count);
    call.run("sorting places",
             {blocks_of(count, run) * blocks_of<size_t>(run, TILE) * TILE_BLOCKS, TILE_WARPS * WARP},
             sort_tiles, lane, count, run, key);
    for (size_t width = TILE; width < longest; width *= 2) {
        call.run("sorting places", one_thread_each(count), merge_parts, key, count, run, width, other);
        std::swap(key, other);
    }
    return key;
}

/* In   key[count]; lane: the unsorted lanes, NULL if they are nodes.
 * Grid one thread per place.
 * Races none: no place has two keys. */
static __global__ void take_order(const uint64_t *__restrict__ key, const mcd_lane *__restrict__ lane,
                                  size_t count, size_t run, mcd_lane *sorted, uint32_t *order, uint32_t *slot)
{
    const size_t i = thread_index();
    if (i >= count) return;
    const uint32_t place = (uint32_t)key[i];
    const mcd_lane node = {{{(mcd_node)(key[i] >> NODE_SHIFT), 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    sorted[i] = lane ? lane[place] : node;
    order[i] = place;
    slot[place] = (uint32_t)(i % run);
}

/* ---- labels ---- */

/* Sets the costs of lanes' seeds, whose objectives are the numbers of their parts. Seeds of closed arcs stay, unreached: the lanes' order
 * is that of their first nodes.
 * Grid one thread per seed. Races none. Limit  latency: two loads after another, of few seeds. */
static __global__ void weigh_seeds(mcd_lane *lane, size_t count, const mcd_seed_part *__restrict__ part,
                                   arc_costs cost, bool departs)
{
    const size_t i = thread_index() / MCD_SEEDS_MAX;
    const uint32_t s = (uint32_t)(thread_index() % MCD_SEEDS_MAX);
    if (i >= count) return;
    for (uint32_t k = 0; k <= s; ++k)
        if (lane[i].seed[k].node == MCD_NODE_NONE) return;
    mcd_seed *const seed = &lane[i].seed[s];
    const uint32_t number = seed->objective;
    seed->objective = seed->companion = 0;
    if (number == MCD_PART_NONE) return;
    const mcd_seed_part from = part[number];
    seed->objective = mcd_seed_part_cost(&from, cost.objective, departs);
    seed->companion = mcd_seed_part_cost(&from, cost.companion, departs);
    if (seed->objective >= MCD_UNREACHED || !cost.is_open(from.arc) || !cost.is_open(from.copy))
        seed->objective = seed->companion = MCD_UNREACHED;
}

/* In   label, path[place * height + depth]. Out as panel_view has them.
 * Grid one block per square of 32 places and 32 depths, through shared memory.
 * Races none: every place and depth belongs to one square. */
template <class Cost>
static __global__ void transpose_labels(const Cost *__restrict__ label, const mcd_node *__restrict__ path,
                                        size_t place_count, uint32_t height, uint32_t depth_count,
                                        Cost *to_label, mcd_node *to_path)
{
    __shared__ Cost label_square[WARP][WARP + 1];
    __shared__ mcd_node path_square[WARP][WARP + 1];
    const uint32_t strips = blocks_of<uint32_t>(depth_count, WARP);
    const size_t first_place = (size_t)(blockIdx.x / strips) * WARP;
    const uint32_t first_depth = blockIdx.x % strips * WARP;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned i = warp; i < WARP; i += TRANSPOSE_WARPS) {
        const size_t place = first_place + i, at = place * height + first_depth + lane;
        const bool inside = place < place_count && first_depth + lane < height;
        label_square[i][lane] = inside ? label[at] : cost_unreached<Cost>();
        path_square[i][lane] = inside ? path[at] : MCD_NODE_NONE;
    }
    __syncthreads();
    for (unsigned i = warp; i < WARP && first_depth + i < depth_count; i += TRANSPOSE_WARPS) {
        const size_t row = first_place / PANEL * depth_count + first_depth + i;
        const size_t at = row * PANEL + first_place % PANEL + lane;
        to_label[at] = label_square[lane][i];
        to_path[at] = path_square[lane][i];
    }
}

/* The number of depths that two members share. `path`: of their panel; depth_count: of the one. */
static __device__ uint32_t common_depths(const mcd_node *path, unsigned one, unsigned other,
                                         uint32_t depth_count)
{
    uint32_t low = 0, high = depth_count; /* below the depth where they part, root paths differ */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const mcd_node *const row = path + (size_t)middle * PANEL;
        if (row[one] == row[other])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Grid  one block per panel, one thread per member.
 * Races none: a thread writes its own member's values; the first thread writes the panel's. */
static __global__ void measure_panels(mcd_hierarchy hierarchy, const mcd_lane *__restrict__ lane,
                                      size_t place_count, uint32_t depth_count,
                                      const mcd_node *__restrict__ all_path, uint32_t *with_first,
                                      uint32_t *with_last, panel_span *span)
{
    __shared__ uint32_t deepest;
    const unsigned member = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * PANEL, place = first + member;
    const mcd_node *const path = all_path + first * depth_count;
    const mcd_node node = place < place_count ? lane[place].seed[0].node : MCD_NODE_NONE;
    const uint32_t depths = node == MCD_NODE_NONE ? 0 : hierarchy.depth[node] + 1;
    if (member == 0) deepest = 0;
    const unsigned count = (unsigned)__syncthreads_count(depths > 0), last = count > 0 ? count - 1 : 0;
    atomicMax(&deepest, depths);
    with_first[place] = common_depths(path, member, 0, depths);
    with_last[place] = common_depths(path, member, last, depths);
    __syncthreads();
    if (member == 0)
        span[blockIdx.x] = {node, count > 0 ? lane[first + last].seed[0].node : MCD_NODE_NONE, last, deepest};
}

template <class Cost>
void panels<Cost>::make(gpu_call &call, gpu_weights &weights, mcd_direction direction,
                        const panel_places &places, size_t count, size_t run, const panel_order &by,
                        size_t part, size_t part_count)
{
    const uint32_t height = weights.map->hierarchy.height;
    panel_count = blocks_of<size_t>(count, PANEL);
    const size_t slots = panel_count * PANEL, first = mcd_part_first(panel_count, part, part_count),
                 own_panels = mcd_part_first(panel_count, part + 1, part_count) - first, at = first * PANEL,
                 own = mcd_size_min(own_panels * PANEL, count - at);
    gpu_array<unsigned char> while_made, while_sorted;
    gpu_array<uint64_t> key, road_key, other_key;
    gpu_array<mcd_lane> few, unsorted, by_node;
    gpu_array<mcd_seed_part> seed_part;
    gpu_array<Cost> row_label;
    gpu_array<mcd_node> row_path;
    const bool are_few = count <= mcd_size_min(run, FEW_PLACES) && part_count == 1;
    depth_count = blocks_of<uint32_t>(height, PANEL_DEPTHS) * PANEL_DEPTHS;
    const size_t cells = slots * depth_count, rows = own * (size_t)height;
    const auto measure = [&](const mcd_lane *own_lane) {
        call.run("panels", {own_panels, PANEL}, measure_panels, weights.map->hierarchy, own_lane, own,
                 depth_count, path.get() + at * depth_count, with_first.get() + at, with_last.get() + at,
                 span.get() + first);
    };
    gpu_allocate_together(call, "panels", memory, label, cells, path, cells, with_first, slots, with_last,
                          slots, span, panel_count, slot, count, order, count, few, are_few ? count : 0,
                          unsorted, by.are_nodes ? 0 : count, seed_part, places.parts.count);
    const mcd_lane *const lanes = by.are_nodes ? nullptr : unsorted.get();
    const uint64_t *made_key = nullptr;
    if (places.roads.road) {
        gpu_allocate_together(call, "sorted places", while_sorted, road_key, count, other_key, count);
        enqueue_road_lanes(call, weights, *places.weights, places.roads, direction == MCD_FORWARD,
                           unsorted.get(), count);
        made_key = enqueue_order(call, lanes, count, run, road_key.get(), other_key.get());
    } else if (lanes) {
        call.copy(unsorted.get(), places.lane, count, "copying places");
    }
    if (places.parts.part) {
        call.copy(seed_part.get(), places.parts.part, places.parts.count, "copying places");
        call.run("costs of seeds", one_thread_each(count * MCD_SEEDS_MAX), weigh_seeds, unsorted.get(), count,
                 seed_part.get(), arc_costs_of(call, weights, *places.weights), direction == MCD_FORWARD);
    }
    if (are_few && enqueue_panel_labels<Cost>(
                       call, weights, direction, {by.key.get(), made_key}, lanes, count,
                       {PANEL, depth_count, label.get(), path.get(), few.get(), order.get(), slot.get()}))
        return measure(few.get());
    gpu_allocate_together(call, "labels and root paths", while_made, key, made_key ? 0 : count, by_node,
                          count, row_label, rows, row_path, rows);
    if (!made_key) call.copy(key.get(), by.key.get(), count, "copying places");
    call.run("sorting places", one_thread_each(count), take_order, made_key ? made_key : key.get(), lanes,
             count, run, by_node.get(), order.get(), slot.get());
    if (own == 0) return;
    const mcd_lane *const own_lane = by_node.get() + at;
    const size_t cell = at * depth_count;
    enqueue_labels(call, weights, direction, own_lane, own, row_label.get(), row_path.get(), height);
    const uint64_t squares = own_panels * (PANEL / WARP) * blocks_of<uint32_t>(depth_count, WARP);
    call.run("panels", {squares, TRANSPOSE_WARPS * WARP}, transpose_labels<Cost>, row_label.get(),
             row_path.get(), own, height, depth_count, label.get() + cell, path.get() + cell);
    measure(own_lane);
}

template <class Cost>
void panels<Cost>::fetch(gpu_call &call, const panels &other, int gpu, size_t part, size_t part_count)
{
    const size_t first = mcd_part_first(panel_count, part, part_count),
                 count = mcd_part_first(panel_count, part + 1, part_count) - first,
                 cells = depth_count * (size_t)PANEL;
    const auto take = [&](auto &to, const auto &from, size_t of_panel) {
        call.check(cudaMemcpyPeerAsync(to.get() + first * of_panel, call.gpu->ordinal,
                                       from.get() + first * of_panel, gpu,
                                       count * of_panel * sizeof *to.get(), call.stream),
                   "copying panels");
    };
    take(label, other.label, cells);
    take(path, other.path, cells);
    take(with_first, other.with_first, PANEL);
    take(with_last, other.with_last, PANEL);
    take(span, other.span, 1);
}

template <class Cost> uint64_t panels<Cost>::place_bytes(const gpu_weights &weights)
{
    const uint64_t per_depth = 2 * (sizeof(Cost) + sizeof(mcd_node)); /* per place and depth */
    return per_depth * (weights.map->hierarchy.height + PANEL_DEPTHS) + 2 * sizeof(mcd_lane) +
           3 * sizeof(uint64_t) + 5 * sizeof(uint32_t) + sizeof(panel_span) + ROAD_PLACE_BYTES;
}

template struct panels<uint32_t>;
template struct panels<uint64_t>;
