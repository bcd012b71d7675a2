/* streams.cu - see streams.h.
 *
 * Grid    one warp per piece, one thread per node.
 * Races   none: a thread writes its node's entries. */
#include "kernels/cuda/sweep/streams.h"

#include "kernels/cuda/device/scan.h"

enum { STREAM_BLOCK = 128 };

struct stream_source {
    mcd_hierarchy hierarchy;
    mcd_search search;
    sweep_pieces pieces;
    uint32_t piece_count, top_count, top_pieces;
    const uint16_t *node_at, *place; /* of a single lane: below the top, the node at a place, and back */
    uint32_t first_count;            /* nodes whose first entries are wanted */
};

/* In   depth of nodes. Out as sweep_streams has them, and node_at.
 * Grid  one block per bottom piece, one thread per level, which goes through all nodes. Races none.
 * Limit  once for the weights. */
static __global__ void order_by_level(stream_source source, uint16_t *node_at, uint16_t *place,
                                      uint16_t *level)
{
    __shared__ uint32_t begin[PIECE_LEVELS + 1];
    const uint32_t piece = source.top_pieces + blockIdx.x, first = source.pieces.first_walk[piece],
                   count = source.pieces.first_walk[piece + 1] - first, own = threadIdx.x;
    const mcd_node root = source.pieces.root[piece];
    const uint32_t *const depth = source.hierarchy.depth + root;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) found += depth[i] - depth[0] == own;
    begin[own + 1] = found;
    if (own == 0) begin[0] = 0;
    __syncthreads();
    for (uint32_t l = 1; own == 0 && l <= PIECE_LEVELS; ++l) begin[l] += begin[l - 1];
    __syncthreads();
    uint32_t next = begin[own];
    level[blockIdx.x * PIECE_LEVELS + own] = (uint16_t)next;
    for (uint32_t i = 0; i < count; ++i) {
        if (depth[i] - depth[0] != own) continue;
        node_at[first - source.top_count + next] = (uint16_t)i;
        place[first - source.top_count + i] = (uint16_t)next++;
    }
}

/* The i-th node of a piece. */
static __device__ mcd_node node_of(const stream_source &source, uint32_t piece, uint32_t i)
{
    const uint32_t place = source.pieces.first_walk[piece] + i;
    if (place < source.top_count) return source.pieces.top[place].node;
    return source.pieces.root[piece] + (source.node_at ? source.node_at[place - source.top_count] : i);
}

static __device__ uint32_t entry_count(const mcd_search &search, mcd_node node)
{
    return max(((uint32_t)(search.first[node + 1] - search.first[node]) + 1) / 2, 1u);
}

static __global__ void count_entries(stream_source source, uint32_t *count)
{
    const uint32_t piece = (blockIdx.x * STREAM_BLOCK + threadIdx.x) / WARP, thread = threadIdx.x % WARP;
    if (piece >= source.piece_count) return;
    const uint32_t nodes = source.pieces.first_walk[piece + 1] - source.pieces.first_walk[piece];
    uint32_t sum = 0;
    for (uint32_t i = thread; i < nodes; i += WARP)
        sum += entry_count(source.search, node_of(source, piece, i));
    sum = __reduce_add_sync(WARP_ALL, sum);
    if (thread == 0) count[piece] = sum;
}

/* The position of `above` among the upward neighbours of `root`. */
static __device__ uint32_t boundary_row(const mcd_hierarchy &hierarchy, mcd_node root, mcd_node above)
{
    const mcd_arc first = hierarchy.first_up[root];
    return (uint32_t)(lower_bound(hierarchy.up_head, first, hierarchy.first_up[root + 1], above) - first);
}

/* A node's row in its piece: after the boundary's, by its place in the piece, or below the top by its depth below the
 * root's, unless the stream is of a single lane. */
static __device__ uint32_t own_row(const stream_source &source, uint32_t piece, mcd_node node, uint32_t depth)
{
    const sweep_pieces &pieces = source.pieces;
    const mcd_node root = pieces.root[piece];
    const uint32_t boundary = pieces.first_boundary[piece + 1] - pieces.first_boundary[piece];
    uint32_t low = pieces.first_walk[piece], high = pieces.first_walk[piece + 1];
    if (low >= source.top_count && source.place)
        return boundary + source.place[low - source.top_count + node - root];
    if (low >= source.top_count) return boundary + depth - source.hierarchy.depth[root];
    while (low < high) { /* places of a piece ascend with its nodes */
        const uint32_t middle = low + (high - low) / 2;
        if (pieces.top[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return boundary + low - pieces.first_walk[piece];
}

/* An arc's upper end as a row of the piece. */
static __device__ uint32_t row_of(const stream_source &source, uint32_t piece, mcd_arc arc)
{
    const mcd_node root = source.pieces.root[piece], above = source.search.head[arc];
    if (above < root) return boundary_row(source.hierarchy, root, above);
    return own_row(source, piece, above, source.search.depth[arc]);
}

template <class Cost>
static __device__ void fill_node(const stream_source &source, uint32_t piece, mcd_node node,
                                 stream_entry<Cost> *entry)
{
    const mcd_search &search = source.search;
    const uint32_t own = own_row(source, piece, node, source.hierarchy.depth[node]);
    const mcd_arc end = search.first[node + 1];
    mcd_arc arc = search.first[node];
    do {
        const mcd_arc left = (end - arc + 1) / 2; /* entries, this one included */
        const uint32_t following = left > 0xffff ? 0xffff : left > 0 ? (uint32_t)left - 1 : 0;
        stream_entry<Cost> out = {0, own | following << 16, {cost_unreached<Cost>(), cost_unreached<Cost>()}};
        for (int i = 0; i < 2 && arc < end; ++i, ++arc) {
            const uint32_t shift = 16 * i;
            out.above = (out.above & ~(0xffffu << shift)) | row_of(source, piece, arc) << shift;
            out.weight[i] = arc_weight<Cost>(search, arc);
        }
        *entry++ = out;
    } while (arc < end);
}

template <class Cost>
static __global__ void fill_entries(stream_source source, const mcd_arc *__restrict__ first,
                                    mcd_arc *top_first, stream_entry<Cost> *entry)
{
    const uint32_t piece = (blockIdx.x * STREAM_BLOCK + threadIdx.x) / WARP, thread = threadIdx.x % WARP;
    if (piece >= source.piece_count) return;
    const uint32_t nodes = source.pieces.first_walk[piece + 1] - source.pieces.first_walk[piece];
    mcd_arc next = first[piece];
    for (uint32_t base = 0; base < nodes; base += WARP) {
        const bool is_node = base + thread < nodes;
        const mcd_node node = is_node ? node_of(source, piece, base + thread) : 0;
        const uint32_t count = is_node ? entry_count(source.search, node) : 0;
        const uint32_t sum = warp_scan(count);
        if (is_node) fill_node(source, piece, node, entry + next + sum - count);
        const uint32_t place = source.pieces.first_walk[piece] + base + thread;
        if (is_node && place < source.first_count) top_first[place + 1] = next + sum;
        next += __shfl_sync(WARP_ALL, sum, WARP - 1);
    }
}

template <class Cost> static void fill(gpu_call &call, sweep_streams *streams, const stream_source &source)
{
    const uint64_t blocks = blocks_of<uint64_t>((uint64_t)source.piece_count * WARP, STREAM_BLOCK);
    gpu_array<uint32_t> count(call, source.piece_count, "allocating the streams of a sweep");
    streams->first.allocate(call, (size_t)source.piece_count + 1, "allocating the streams of a sweep");
    call.run("making the streams of a sweep", {blocks, STREAM_BLOCK}, count_entries, source, count.get());
    enqueue_scan(call, count.get(), source.piece_count, streams->first.get());
    const mcd_arc entries =
        call.fetch(streams->first.get() + source.piece_count, "making the streams of a sweep");
    streams->entry.allocate(call, entries * sizeof(stream_entry<Cost>), "allocating the streams of a sweep");
    streams->top_first.allocate(call, (size_t)source.first_count + 1, "allocating the streams of a sweep");
    call.fill(streams->top_first.get(), 0, 1, "making the streams of a sweep"); /* top pieces come first */
    call.run("making the streams of a sweep", {blocks, STREAM_BLOCK}, fill_entries<Cost>, source,
             streams->first.get(), streams->top_first.get(), (stream_entry<Cost> *)streams->entry.get());
    call.synchronize();
}

const sweep_streams *find_streams(gpu_weights &weights, int search, bool joint, bool of_one)
{
    const std::lock_guard<std::mutex> guard(weights.lock);
    return weights.streams[search][joint][of_one];
}

/* An upper bound. */
static uint64_t streams_bytes(const gpu_weights &weights, int search, bool joint, bool of_one)
{
    const uint64_t entries = weights.count[search] / 2 + weights.map->hierarchy.node_count;
    return entries * (joint ? sizeof(stream_entry<uint64_t>) : sizeof(stream_entry<uint32_t>)) +
           2 * (weights.map->layers->piece_count + (uint64_t)1) * sizeof(mcd_arc) +
           (of_one ? weights.map->hierarchy.node_count * (sizeof(mcd_arc) + 2 * sizeof(uint16_t)) : 0);
}

static sweep_streams *make_streams(gpu_call &call, gpu_weights &weights, int search, bool joint, bool of_one)
{
    const sweep_layers *layers = weights.map->layers;
    for (size_t l = 0; l < layers->layer_count; ++l)
        if (layers->layer[l].row_max > ENTRY_ROWS_MAX)
            fail(MACADAM_E_DEVICE, "a sweep with %u rows is too wide for a device", layers->layer[l].row_max);
    const uint32_t nodes = weights.map->hierarchy.node_count, top = layers->top_count,
                   first_bottom = layers->top_pieces();
    stream_source source = {weights.map->hierarchy,
                            weights.search[search].view(),
                            layers->view(),
                            layers->piece_count,
                            top,
                            first_bottom,
                            nullptr,
                            nullptr,
                            of_one ? nodes : top};
    gpu_array<uint16_t> node_at;
    return object_new<sweep_streams>("the streams of a sweep", [&](sweep_streams *streams) {
        if (of_one) {
            const uint64_t pieces = layers->piece_count - first_bottom;
            gpu_allocate_all(call, "allocating the streams of a sweep", node_at, nodes - top, streams->place,
                             nodes - top, streams->level, pieces * PIECE_LEVELS);
            call.run("making the streams of a sweep", {pieces, PIECE_LEVELS}, order_by_level, source,
                     node_at.get(), streams->place.get(), streams->level.get());
            source.node_at = node_at.get(), source.place = streams->place.get();
        }
        (joint ? fill<uint64_t> : fill<uint32_t>)(call, streams, source);
    });
}

const sweep_streams &sweep_streams_of(gpu_call &call, gpu_weights &weights, int search, bool joint,
                                      bool of_one)
{
    if (const sweep_streams *const found = find_streams(weights, search, joint, of_one)) return *found;
    gpu_share room; /* waits without the lock, which calls that hold scratch need */
    room.make_room(call, streams_bytes(weights, search, joint, of_one), "the streams of a sweep");
    const std::lock_guard<std::mutex> guard(weights.lock);
    sweep_streams *&kept = weights.streams[search][joint][of_one];
    const bool was_scratch = call.is_scratch;
    call.is_scratch = false; /* streams stay */
    if (!kept) kept = make_streams(call, weights, search, joint, of_one);
    call.is_scratch = was_scratch;
    return *kept;
}
