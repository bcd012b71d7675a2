/* sweep.h - the sweep of a tree's lanes over all nodes, piece by piece. CPU twin: sweep_pass of
 * kernels/cpu/sweep/tree.c. (Delling, Goldberg, Nowatzyk, Werneck 2011, PHAST)
 *
 * Method. One launch per layer, from the roots down. Below the top, one warp takes one piece and some lanes, walks
 * the piece's nodes in ascending id, and reads their arcs as one stream. At the top, whose layers wait for each
 * other, a block takes the piece, and a warp every TOP_WARPS-th of its nodes (sweep_view.h).
 * Layout. A piece's rows are in shared memory: first those of its boundary, copied from the top's costs, then those
 * of its nodes (top) or of its current root path by depth. So every arc reads only shared memory. The stream's
 * entries pass through it too, 32 at a time. A row holds the warp's lanes; a thread has LANES adjacent ones.
 * Top nodes' rows also go to top[place in the walk][lane], for the layers below. Answers leave through a sink
 * and are not read again.
 * Launches begin early and fetch their pieces while the layer above is being finished. Launches of bottom pieces,
 * which are independent, overlap: only the first of them waits, and its blocks let the next begin afterwards.
 * Places. A place of several lanes is one lane of the sweep: labels on several root paths, of which each node takes the least.
 * Sums and saturation are monotone, so its costs are the best ones of its lanes, in this order of joint costs.
 * Races. None: a thread reads rows that it wrote, rows of earlier launches, and entries after a barrier. Warps of a
 * block exchange rows between barriers.
 * Limit. Answers are written once: node_count * lanes * 4 bytes at the rate of memory. Arcs are read once for
 * every 32 * LANES lanes, from the second-level cache, because neighbouring warps sweep the same piece. A
 * single lane has its own kernels (sweep_lane.h, sweep_upper.h). */
#ifndef MCD_KERNELS_CUDA_SWEEP_SWEEP_H
#define MCD_KERNELS_CUDA_SWEEP_SWEEP_H

#include "kernels/cuda/sweep/label.h"
#include "kernels/cuda/sweep/sweep_upper.h"

/* Measured by tests/bench/device on NE and a mosaic of New York. */
enum {
    SWEEP_SHARED = 40 << 10, /* bytes of rows per warp; a warp that needs more gets fewer lanes */
    SWEEP_WARPS_LEAST = 4,   /* per multiprocessor: with fewer warps, each gets fewer lanes */
    SWEEP_HALVED = 4,        /* lanes of a thread from which two warps rather than one sweep a bottom piece */
    TOP_SHARED = 72 << 10,   /* as above, of a top piece's block */
    TOP_BLOCKS_LEAST = 2,    /* per multiprocessor, likewise */
    TOP_AT_ONCE = 4,         /* entries of a top node whose rows are loaded together; divides WARP */
};

/* A warp's place in a launch. FULL: every thread has lanes; otherwise some threads may have none. */
template <class Cost, int LANES, bool FULL> struct sweep_warp {
    const sweep_view<Cost> &view;
    uint32_t piece, lanes_wide;
    uint32_t lane; /* the thread's first lane */
    bool is_active;
    unsigned thread;
    Cost *row;                 /* the thread's part of row 0 */
    stream_entry<Cost> *entry; /* [WARP + 1] */

    using lane_costs = lanes<Cost, LANES>;
    __device__ uint32_t width() const
    {
        return FULL ? WARP * LANES : lanes_wide;
    }
    __device__ bool active() const
    {
        return FULL || is_active;
    }
    __device__ lane_costs load(uint32_t index) const
    {
        return active() ? *reinterpret_cast<const lane_costs *>(row + index * width()) : lane_costs{};
    }
    __device__ void store(uint32_t index, const lane_costs &value) const
    {
        if (active()) *reinterpret_cast<lane_costs *>(row + index * width()) = value;
    }
    static __device__ lane_costs unreached()
    {
        lane_costs out;
        for (int i = 0; i < LANES; ++i) out.lane[i] = cost_unreached<Cost>();
        return out;
    }
    __device__ lane_costs *top_row(uint32_t place) const
    {
        return reinterpret_cast<lane_costs *>(view.top + place * view.stride + lane);
    }
};

template <class Warp> static __device__ void load_boundary(const Warp &warp)
{
    const sweep_pieces &pieces = warp.view.pieces;
    const uint32_t first = pieces.first_boundary[warp.piece], end = pieces.first_boundary[warp.piece + 1];
    if (first == end) warp.store(0, warp.unreached()); /* a root without arcs reads this */
    for (uint32_t base = first; base < end; base += WARP) {
        const uint32_t place = base + warp.thread < end ? pieces.boundary[base + warp.thread] : 0;
        const uint32_t count = min(end - base, (uint32_t)WARP);
#pragma unroll 8
        for (uint32_t i = 0; i < count; ++i)
            warp.store(base - first + i, *warp.top_row(__shfl_sync(WARP_ALL, place, i)));
    }
}

/* The rows of one of a block's warps. */
template <class Warp> static __device__ void load_boundary(const Warp &warp, unsigned index, unsigned warps)
{
    const sweep_pieces &pieces = warp.view.pieces;
    const uint32_t first = pieces.first_boundary[warp.piece], end = pieces.first_boundary[warp.piece + 1];
    if (first == end && index == 0) warp.store(0, warp.unreached());
#pragma unroll 8
    for (uint32_t b = first + index; b < end; b += warps)
        warp.store(b - first, *warp.top_row(pieces.boundary[b]));
}

/* Where the root paths of a thread's lanes begin. */
template <int LANES> struct lane_sources {
    lanes<mcd_node, LANES> node;

    template <class Warp> explicit __device__ lane_sources(const Warp &warp)
    {
        for (int i = 0; i < LANES; ++i) node.lane[i] = warp.view.source[warp.lane + i];
    }
    /* Calls take(i, lane) for the i-th lane if its root path goes through a node. */
    template <class Warp, class Take>
    __device__ void each_through(const Warp &warp, mcd_node at, mcd_node subtree_end, const Take &take) const
    {
        for (int i = 0; i < LANES; ++i)
            if (at <= node.lane[i] && node.lane[i] < subtree_end) take(i, warp.lane + i);
    }
};

/* Likewise, of places of several lanes: of the first two, which most places have no more than. */
template <int LANES> struct place_sources {
    mcd_node node[2][LANES];
    bool has_more = false;

    template <class Warp> explicit __device__ place_sources(const Warp &warp)
    {
        for (int i = 0; i < LANES; ++i) {
            const column_lanes of = warp.view.of_column[warp.lane + i];
            for (uint32_t k = 0; k < 2; ++k)
                node[k][i] = of.first + k < of.end ? warp.view.source[of.first + k] : MCD_NODE_NONE;
            has_more |= of.first + 2 < of.end;
        }
    }
    /* Calls take(i, lane) for each lane of the i-th place. */
    template <class Warp, class Take>
    __device__ void each_through(const Warp &warp, mcd_node at, mcd_node subtree_end, const Take &take) const
    {
        const column_lanes *const of = warp.view.of_column + warp.lane;
        const mcd_node *const source = warp.view.source;
        for (uint32_t k = 0; k < 2; ++k)
            for (int i = 0; i < LANES; ++i)
                if (at <= node[k][i] && node[k][i] < subtree_end) take(i, of[i].first + k);
        for (int i = 0; i < LANES && has_more; ++i)
            for (uint32_t lane = of[i].first + 2; lane < of[i].end; ++lane)
                if (at <= source[lane] && source[lane] < subtree_end) take(i, lane);
    }
};

/* A sink for places of several lanes, whose kernels are others. */
template <class Sink> struct place_sink : Sink {
    template <int LANES> using piece = typename Sink::template place_piece<LANES>;
};
template <class Sink> struct sink_traits {
    static constexpr bool SEVERAL = false;
    static constexpr uint32_t LANES_MAX = Sink::LANES_MAX;
    template <int LANES> using sources = lane_sources<LANES>;
};
template <class Sink> struct sink_traits<place_sink<Sink>> {
    static constexpr bool SEVERAL = true;
    static constexpr uint32_t LANES_MAX = Sink::PLACE_LANES_MAX;
    template <int LANES> using sources = place_sources<LANES>;
};

/* The labels of the lanes whose root path goes through the node, the best of each place; other lanes are unreached. */
template <class Cost, int LANES, bool FULL, class Sources>
static __device__ lanes<Cost, LANES> load_labels(const sweep_warp<Cost, LANES, FULL> &warp,
                                                 const top_node &node, const Sources &sources)
{
    lanes<Cost, LANES> out = warp.unreached();
    sources.each_through(warp, node.node, node.subtree_end, [&](int i, uint32_t lane) {
        const Cost label = warp.view.label[(size_t)lane * warp.view.label_stride + node.depth];
        out.lane[i] = min(out.lane[i], label);
    });
    return out;
}

template <class Cost, int LANES>
static __device__ void take_least(lanes<Cost, LANES> *best, const lanes<Cost, LANES> &other)
{
    for (int i = 0; i < LANES; ++i) best->lane[i] = min(best->lane[i], other.lane[i]);
}

/* The nodes of a bottom piece: consecutive ids; labels only where some lane begins. */
template <class Cost, int LANES, bool FULL, class Sources> struct bottom_walk {
    const sweep_warp<Cost, LANES, FULL> &warp;
    const Sources sources;
    mcd_node at = 0;
    bool has_labels = false;

    __device__ void begin()
    {
        const mcd_node root = warp.view.pieces.root[warp.piece], end = warp.view.subtree_end[root];
        at = root;
        bool any = false;
        sources.each_through(warp, root, end, [&](int, uint32_t) { any = true; });
        has_labels = __any_sync(WARP_ALL, any);
    }
    __device__ void finish(lanes<Cost, LANES> *best)
    {
        if (has_labels)
            take_least(best,
                       load_labels(warp, {at, warp.view.subtree_end[at], warp.view.depth[at]}, sources));
    }
    __device__ mcd_node node() const
    {
        return at;
    }
    __device__ void advance()
    {
        ++at;
    }
};

template <class Cost, int LANES, bool FULL>
static __device__ inline void relax_entry(const sweep_warp<Cost, LANES, FULL> &warp,
                                          const stream_entry<Cost> &entry, lanes<Cost, LANES> *best)
{
    const lanes<Cost, LANES> above[2] = {warp.load(entry.above & 0xffff), warp.load(entry.above >> 16)};
    for (int k = 0; k < LANES; ++k) {
        best->lane[k] = cost_relax(best->lane[k], above[0].lane[k], entry.weight[0]);
        best->lane[k] = cost_relax(best->lane[k], above[1].lane[k], entry.weight[1]);
    }
}

/* Entries are prefetched into registers a chunk ahead, and from shared memory an entry ahead. */
template <class Cost, int LANES, bool FULL, class Walk, class Sink>
static __device__ void sweep_piece(const sweep_warp<Cost, LANES, FULL> &warp, Walk &walk, const Sink &sink)
{
    const sweep_view<Cost> &view = warp.view;
    const mcd_arc first = view.first[warp.piece], end = view.first[warp.piece + 1];
    stream_entry<Cost> coming = {};
    if (first + warp.thread < end) coming = view.entry[first + warp.thread];
    typename Sink::template piece<LANES> answers{sink, warp.lane};
    walk.begin();
    answers.expect(walk.node());
    lanes<Cost, LANES> best = warp.unreached();
    for (mcd_arc base = first; base < end; base += WARP) {
        const uint32_t count = (uint32_t)min(end - base, (mcd_arc)WARP);
        __syncwarp();
        warp.entry[warp.thread] = coming;
        __syncwarp();
        if (base + WARP + warp.thread < end) coming = view.entry[base + WARP + warp.thread];
        stream_entry<Cost> next = warp.entry[0];
        for (uint32_t i = 0; i < count;) {
            const stream_entry<Cost> entry = next;
            next = warp.entry[++i]; /* the last load is not used */
            relax_entry(warp, entry, &best);
            if (entry.own >> 16 == 0) {
                walk.finish(&best);
                warp.store(entry.own, best);
                if (warp.active()) answers.write(walk.node(), best);
                walk.advance();
                answers.expect(walk.node());
                best = warp.unreached();
            }
        }
    }
    if (warp.active()) answers.flush();
}

/* Grid  one warp per bottom piece and `width` lanes. */
template <class Cost, int LANES, bool FULL, class Sink>
static __global__ void __launch_bounds__(WARP)
    sweep_bottom_kernel(sweep_view<Cost> view, sweep_launch shape, Sink sink)
{
    const unsigned thread = threadIdx.x;
    MCD_SHARED(stream_entry<Cost>, entry);
    const uint32_t own = min(thread * LANES, shape.width - LANES); /* without lanes: repeats some */
    const sweep_warp<Cost, LANES, FULL> warp = {view,
                                                shape.first_piece + blockIdx.x / shape.groups,
                                                shape.width,
                                                blockIdx.x % shape.groups * shape.width + own,
                                                thread * LANES < shape.width,
                                                thread,
                                                reinterpret_cast<Cost *>(entry + WARP + 1) + own,
                                                entry};
    if (shape.waits) await_launch_before();
    let_next_launch_begin();
    using sources = typename sink_traits<Sink>::template sources<LANES>;
    bottom_walk<Cost, LANES, FULL, sources> walk = {warp, sources(warp)};
    load_boundary(warp);
    sweep_piece(warp, walk, sink);
    if (!shape.waits && blockIdx.x == 0) await_launch_before(); /* so that this launch ends after that one */
}

/* ---- a top piece ---- */

/* Relaxes a node's arcs to rows before its round's. `own`: its row among the round's arcs. */
template <class Cost, int LANES, bool FULL>
static __device__ void relax_top_node(const sweep_warp<Cost, LANES, FULL> &warp, const top_step &now,
                                      const top_step &next, uint32_t first_row, Cost *own,
                                      stream_entry<Cost> *coming, lanes<Cost, LANES> *best)
{
    if (warp.thread < TOP_WARPS) own[warp.thread] = cost_unreached<Cost>();
    for (mcd_arc at = now.first; at < now.end; at += WARP) {
        const uint32_t count = (uint32_t)min(now.end - at, (mcd_arc)WARP);
        const bool more = at + WARP < now.end;
        __syncwarp();
        set_apart(coming, first_row, own);
        warp.entry[warp.thread] = *coming;
        __syncwarp();
        *coming =
            load_entry(warp.view, (more ? at + WARP : next.first) + warp.thread, more ? now.end : next.end);
        for (uint32_t i = 0; i < count; i += TOP_AT_ONCE)
#pragma unroll
            for (uint32_t k = 0; k < TOP_AT_ONCE; ++k) relax_entry(warp, warp.entry[i + k], best);
    }
}

/* Grid  one block per top piece and `width` lanes. */
template <class Cost, int LANES, bool FULL, class Sink>
static __global__ void __launch_bounds__(TOP_WARPS *WARP)
    sweep_top_kernel(sweep_view<Cost> view, sweep_launch shape, Sink sink)
{
    MCD_SHARED(stream_entry<Cost>, entry);                                  /* [TOP_WARPS * WARP] */
    Cost *const among = reinterpret_cast<Cost *>(entry + TOP_WARPS * WARP), /* [TOP_WARPS][TOP_WARPS] */
        *const begun = among + TOP_WARPS * TOP_WARPS;                       /* [TOP_WARPS][width] */
    const unsigned thread = threadIdx.x % WARP, index = threadIdx.x / WARP;
    const uint32_t piece = shape.first_piece + blockIdx.x / shape.groups;
    const uint32_t own = min(thread * LANES, shape.width - LANES), width = shape.width;
    const sweep_warp<Cost, LANES, FULL> warp = {view,
                                                piece,
                                                width,
                                                blockIdx.x % shape.groups * width + own,
                                                thread * LANES < width,
                                                thread,
                                                begun + TOP_WARPS * width + own,
                                                entry + index * WARP};
    const sweep_warp<Cost, LANES, FULL> round = {view,           piece,  width,       warp.lane,
                                                 warp.is_active, thread, begun + own, warp.entry};
    const uint32_t first = view.pieces.first_walk[piece], end = view.pieces.first_walk[piece + 1];
    const uint32_t boundary = view.pieces.first_boundary[piece + 1] - view.pieces.first_boundary[piece];
    let_next_launch_begin();
    top_step now = load_step(view, first + index, end);
    stream_entry<Cost> coming = load_entry(view, now.first + thread, now.end);
    typename Sink::template piece<LANES> answers{sink, warp.lane};
    await_launch_before();
    const typename sink_traits<Sink>::template sources<LANES> sources(warp);
    load_boundary(warp, index, TOP_WARPS);
    answers.expect(now.node.node);
    __syncthreads();
    for (uint32_t base = 0; first + base < end; base += TOP_WARPS) {
        const bool is_there = first + base + index < end;
        const top_step next = load_step(view, first + base + TOP_WARPS + index, end);
        if (is_there) {
            lanes<Cost, LANES> best = warp.unreached();
            const lanes<Cost, LANES> label =
                load_labels(warp, now.node, sources); /* early: the loads overlap */
            relax_top_node(warp, now, next, boundary + base, among + index * TOP_WARPS, &coming, &best);
            take_least(&best, label);
            round.store(index, best);
        }
        __syncthreads();
        if (is_there) {
            const lanes<Cost, LANES> best =
                complete_node<LANES>(index, among, [&](unsigned k) { return round.load(k); });
            warp.store(boundary + base + index, best);
            if (warp.active()) {
                *warp.top_row(first + base + index) = best;
                answers.write(now.node.node, best);
            }
            answers.expect(next.node.node);
        }
        now = next;
        __syncthreads();
    }
    if (warp.active()) answers.flush();
}

/* ---- the host's side ---- */

/* Takes scratch for up to `wanted` lanes at a time of lane_bytes each, and for other bytes. Returns how many
 * lanes fit; all, or whole warps, or one. */
inline size_t take_lanes(gpu_call &call, gpu_share *share, uint64_t lane_bytes, size_t wanted,
                         const sweep_sources &sources, uint64_t other_bytes, const char *what)
{
    share->take(call, other_bytes + lane_bytes * sources.least_stride(),
                other_bytes + lane_bytes * sources.stride(wanted), what);
    const uint64_t fit = (share->bytes() - other_bytes) / lane_bytes;
    size_t lanes = wanted;
    while (lanes > 1 && sources.stride(lanes) > fit)
        lanes = lanes > WARP ? blocks_of<size_t>(lanes / 2, WARP) * WARP : 1;
    return lanes;
}

/* One GPU's part of a range of lanes. */
struct lane_part {
    size_t gpu, first, count;
    mcd_parallel parallel;
};

/* Divides lanes among the GPUs as mcd_division_first says, and runs task(part). */
template <class Task>
void divide_lanes(const mcd_device_weights *weights, size_t lane_count, const mcd_parallel &parallel,
                  gpu_progress &progress, const Task &task)
{
    const size_t parts = mcd_division_parts(lane_count, weights->map->device->gpu_count);
    if (lane_count == 0) return;
    on_each_gpu(parts, progress, [&](size_t g) {
        const size_t first = mcd_division_first(lane_count, g, parts);
        task(lane_part{g, first, mcd_division_first(lane_count, g + 1, parts) - first,
                       parallel_of_gpu(parallel, g, parts)});
    });
}

/* The scratch of a sweep of `stride` lanes: labels and the top's costs. Places have at most `most` lanes. */
template <class Cost> struct sweep_scratch {
    const size_t most;
    gpu_array<unsigned char> memory = {}; /* of the arrays: */
    gpu_array<mcd_node> source = {};
    gpu_array<column_lanes> of_column = {}; /* of places of several lanes */
    gpu_array<Cost> label = {}, top = {};
};

template <class Cost> size_t sweep_scratch_bytes(const gpu_map &map, size_t most)
{
    return sizeof(column_lanes) + most * (sizeof(mcd_node) + map.hierarchy.height * sizeof(Cost)) +
           map.layers->top_count * sizeof(Cost);
}

/* Padding has no lanes. Grid one thread per column and padding. Races none. */
static __global__ void list_columns(sweep_places of, column_lanes *out, size_t stride)
{
    const size_t i = thread_index();
    const bool is_further = i >= of.count;
    if (i >= stride) return;
    out[i] = {0, 0};
    if (i >= of.cut_off.end()) return;
    const size_t place = is_further ? of.cut_off.place_of((uint32_t)i) : i;
    const uint32_t begin = of.first[0], first = of.first[place] - begin, end = of.first[place + 1] - begin,
                   inner = of.inner ? of.inner[place] - begin : end;
    if (is_further && of.cut_off.is_second((uint32_t)i))
        out[i] = {inner, end};
    else if (is_further || !of.cut_off.apart || inner == end)
        out[i] = {first, inner};
}

/* Bytes of shared memory for `width` lanes of a piece: of a top piece's block, or of a warp. */
template <class Cost> size_t sweep_bytes(const sweep_layer &layer, uint32_t width)
{
    const size_t entries = layer.is_top ? TOP_WARPS * WARP : WARP + 1;
    const size_t among = layer.is_top ? TOP_WARPS * TOP_WARPS + (size_t)TOP_WARPS * width : 0;
    const size_t bytes =
        entries * sizeof(stream_entry<Cost>) + (among + (size_t)layer.row_max * width) * sizeof(Cost);
    return (bytes + 15) / 16 * 16;
}

template <class Cost, int LANES, bool FULL, class Sink>
void enqueue_layer(gpu_call &call, const sweep_view<Cost> &view, const sweep_layer &layer, uint32_t width,
                   bool waits, const Sink &sink)
{
    const size_t bytes = sweep_bytes<Cost>(layer, width);
    const uint32_t groups = (uint32_t)(view.stride / width);
    const sweep_launch shape = {layer.first_piece, width, groups, waits};
    launch_shape launch = {(uint64_t)layer.piece_count * groups, WARP, bytes};
    if (layer.is_top) launch.threads *= TOP_WARPS;
    launch.early = call.gpu->launches_early;
    call.run("sweeping", launch,
             layer.is_top ? sweep_top_kernel<Cost, LANES, FULL, Sink>
                          : sweep_bottom_kernel<Cost, LANES, FULL, Sink>,
             view, shape, sink);
}

/* Chooses the lanes of a warp: the most whose rows fit and that leave work for all multiprocessors.
 * Answers may be written `lanes_max` at a time. */
template <class Cost>
uint32_t layer_width(const gpu_call &call, const sweep_layer &layer, size_t stride, uint32_t lanes_max)
{
    const size_t shared = layer.is_top ? TOP_SHARED : SWEEP_SHARED;
    const size_t least =
        (size_t)(layer.is_top ? TOP_BLOCKS_LEAST : SWEEP_WARPS_LEAST) * call.gpu->processor_count;
    for (uint32_t count = lanes_max; count > 1; count /= 2) {
        const uint32_t width = count * WARP;
        if (!layer.is_top && count >= SWEEP_HALVED && stride == width) continue;
        if (stride % width == 0 && sweep_bytes<Cost>(layer, width) <= shared &&
            stride / width * layer.piece_count >= least)
            return width;
    }
    uint32_t width = stride % WARP == 0 ? WARP : 1;
    while (width > 1 && sweep_bytes<Cost>(layer, width) > call.gpu->shared_bytes) width /= 2;
    return width;
}

template <class Cost, class Sink>
void enqueue_layer_of(gpu_call &call, const sweep_view<Cost> &view, const sweep_layer &layer, uint32_t width,
                      bool waits, const Sink &sink)
{
    if constexpr (!sink_traits<Sink>::SEVERAL) {
        if (view.stride == 1 && (layer.is_top || view.place))
            return enqueue_lane_layer(call, view, layer, sink);
        if (width == WARP) return enqueue_layer<Cost, 1, true>(call, view, layer, width, waits, sink);
    }
    if constexpr (sink_traits<Sink>::LANES_MAX == 4)
        if (width == 4 * WARP) return enqueue_layer<Cost, 4, true>(call, view, layer, width, waits, sink);
    if (width <= WARP) return enqueue_layer<Cost, 1, false>(call, view, layer, width, waits, sink);
    enqueue_layer<Cost, 2, true>(call, view, layer, width, waits, sink);
}

/* Makes the streams of a sweep of `count` places, of which a batch has at most `most`. */
inline void prepare_streams(gpu_call &call, gpu_weights &weights, mcd_direction direction, bool joint,
                            size_t count, size_t most, bool several)
{
    if (count > 1 || several) sweep_streams_of(call, weights, !direction, joint, false);
    if (!several && (count == 1 || (most > 1 && count % most == 1)))
        sweep_streams_of(call, weights, !direction, joint, true);
}

/* Enqueues labels and sweep of places on the GPU. The sink receives every node and place once, of up to
 * sweep_stride(places.cut_off.end()) columns. A single lane without streams of its own is swept like many. */
template <class Cost, class Sink>
void enqueue_sweep(gpu_call &call, gpu_weights &weights, mcd_direction direction, const sweep_places &places,
                   sweep_scratch<Cost> *scratch, const Sink &sink, uint32_t lanes_max)
{
    const gpu_map &map = *weights.map;
    const size_t stride = sweep_stride(places.cut_off.end(), places.first), height = map.hierarchy.height,
                 lanes = places.first ? places.lane_count : stride;
    const bool joint = sizeof(Cost) == 8;
    const sweep_streams *const of_one =
        stride == 1 ? find_streams(weights, !direction, joint, true) : nullptr;
    const sweep_streams &streams =
        of_one ? *of_one : sweep_streams_of(call, weights, !direction, joint, false);
    if (scratch->source.count() < stride * scratch->most)
        gpu_allocate_together(call, "allocating a sweep's labels", scratch->memory, scratch->source,
                              stride * scratch->most, scratch->label, stride * scratch->most * height,
                              scratch->top, stride * map.layers->top_count, scratch->of_column,
                              places.first ? stride : 0);
    if (places.first)
        call.run("listing sources", one_thread_each(stride), list_columns, places, scratch->of_column.get(),
                 stride);
    enqueue_labels<Cost>(call, weights, direction, places.lane, places.lane_count, scratch->label.get(),
                         nullptr, height, scratch->source.get(), lanes, places.on_host);
    const sweep_view<Cost> view = {
        map.layers->view(),       streams.first.get(),
        streams.top_first.get(),  (const stream_entry<Cost> *)streams.entry.get(),
        map.hierarchy.depth,      map.hierarchy.subtree_end,
        scratch->source.get(),    places.first ? scratch->of_column.get() : nullptr,
        scratch->label.get(),     height,
        scratch->top.get(),       stride,
        streams.place.get(),      streams.level.get(),
        map.layers->top_pieces(), map.layers->top_count};
    for (size_t l = enqueue_upper(call, weights, direction, view, sink); l < map.layers->layer_count; ++l) {
        sweep_layer layer = map.layers->layer[l];
        if (stride == 1) /* rows are small: all of the bottom in one launch */
            while (!layer.is_top && l + 1 < map.layers->layer_count) {
                const sweep_layer &other = map.layers->layer[++l];
                layer.piece_count += other.piece_count;
                layer.row_max = other.row_max > layer.row_max ? other.row_max : layer.row_max;
            }
        const uint32_t most = min(lanes_max, places.first ? Sink::PLACE_LANES_MAX : Sink::LANES_MAX),
                       width = layer_width<Cost>(call, layer, stride, most);
        const bool waits = l == 0 || map.layers->layer[l - 1].is_top;
        if (places.first)
            enqueue_layer_of(call, view, layer, width, waits, place_sink<Sink>{sink});
        else
            enqueue_layer_of(call, view, layer, width, waits, sink);
    }
}

#endif
