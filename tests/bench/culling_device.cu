/* culling_device.cu - see culling_device.h.
 *
 * Method. One cooperative launch. Expand-contract follows the arcs of a queue of nodes, culls the heads and queues the
 * rest. Two-phase lists all heads and culls them after a barrier. Contract-expand keeps lists of heads only: a block
 * culls a part of the list and lists the heads of the rest. Hybrid does so for lists of at most one head a thread,
 * otherwise it works as two-phase. Lists are not filtered.
 * Gathering. The whole block follows the arcs of nodes with as many arcs as it has threads, a warp those of nodes with
 * as many as it has lanes; the other arcs are placed by a prefix sum.
 * Culling. A bit that says that a node was found is set without an atomic operation, so bits may be lost; then the
 * node's hops decide. Of threads that find a node at the same time, a table of the warp and one of the block keep one,
 * as far as the tables have room. The rest are duplicates: they are expanded again, which changes no answer.
 * Races. Hops of a level are the same whichever thread writes them. Loads of hops and bits pass by the first-level cache. */
#include "tests/bench/culling_device.h"

#include "tests/bench/baseline.h"

#include "kernels/cuda/device/grid.h"

#ifndef MCD_CUDA_EMULATED
#include <cub/block/block_scan.cuh>
#endif

enum {
    BLOCK = 256,
    BLOCK_WARPS = BLOCK / WARP,
    EACH = 6,          /* blocks per multiprocessor, at most */
    STAGE = 4 * BLOCK, /* found nodes that wait to be queued */
    WARP_TABLE = 128,
    BLOCK_TABLE = 2048,
};

enum cull_flag { CULL_ATOMIC = 1, CULL_TABLES = 2 };

struct culling_state {
    unsigned arrived;
    unsigned is_over;            /* lists had no room: some nodes are lost */
    unsigned long long nodes[3]; /* by level % 3: queued nodes (high half), and their arcs */
    unsigned long long heads[3]; /* by level % 3: listed heads */
    unsigned long long followed; /* arcs */
};

struct culling_arrays {
    mcd_node node_count;
    const uint32_t *first;
    const mcd_node *head;
    uint32_t *hops, *mask; /* mask: one bit each: found */
    mcd_node *queue[2];    /* by level % 2 */
    uint32_t *before[2];   /* the arcs of the nodes before each; only for an even division */
    mcd_node *heads[2];
    uint64_t queue_capacity, heads_capacity;
    culling_state *state;
};

struct culling_device {
    culling_arrays arrays;
    uint64_t arc_count;
    int processors;
};

struct culling_shared {
    uint32_t before[BLOCK + 1], first[BLOCK]; /* of a tile's nodes */
    uint32_t arc[BLOCK];
    mcd_node stage[STAGE];
    volatile mcd_node warp_table[BLOCK_WARPS][WARP_TABLE];
    volatile mcd_node block_table[BLOCK_TABLE];
    uint32_t sum[WARP];
    unsigned stage_count, owner;
    unsigned long long base;
#ifndef MCD_CUDA_EMULATED
    typename cub::BlockScan<uint32_t, BLOCK>::TempStorage scan;
#endif
};

/* One launch. */
struct culling_search {
    culling_arrays arrays;
    mcd_node source;
    mcd_hops_strategy strategy;
};

template <bool EVEN, unsigned CULLS> class culling_block
{
  public:
    __device__ culling_block(const culling_search &the_search, culling_shared *the_shared)
        : search(the_search.arrays), strategy(the_search.strategy), shared(the_shared),
          barrier(&the_search.arrays.state->arrived)
    {
    }

    __device__ void run(mcd_node source)
    {
        begin(source);
        barrier.wait();
        for (;; ++level) {
            const uint64_t heads = listed_heads();
            if (lists_heads() ? heads == 0 : __ldcg(&search.state->nodes[level % 3]) == 0) return;
            if (blockIdx.x == 0 && threadIdx.x == 0)
                search.state->heads[(level + 2) % 3] = search.state->nodes[(level + 2) % 3] = 0;
            if (strategy == MCD_HOPS_EXPAND_CONTRACT)
                expand<true>(0);
            else if (strategy == MCD_HOPS_TWO_PHASE)
                take_both_phases();
            else
                take_heads(heads);
            barrier.wait();
        }
    }

  private:
    __device__ bool lists_heads() const
    {
        return strategy == MCD_HOPS_CONTRACT_EXPAND || strategy == MCD_HOPS_HYBRID;
    }

    /* Of this level. */
    __device__ uint64_t listed_heads() const
    {
        return min((uint64_t)__ldcg(&search.state->heads[level % 3]), search.heads_capacity);
    }

    __device__ void begin(mcd_node source)
    {
        const uint64_t stride = (uint64_t)gridDim.x * BLOCK;
        for (uint64_t i = thread_index(); i < search.node_count; i += stride) search.hops[i] = UINT32_MAX;
        for (uint64_t i = thread_index(); i < search.node_count / WARP + 1; i += stride) search.mask[i] = 0;
        for (unsigned i = threadIdx.x; i < BLOCK_TABLE; i += BLOCK) shared->block_table[i] = MCD_NODE_NONE;
        if (threadIdx.x == 0) shared->stage_count = 0;
        __syncthreads();
        barrier.wait();
        if (thread_index() > 0) return;
        search.queue[0][0] = search.heads[0][0] = source;
        if (EVEN) search.before[0][0] = 0;
        if (lists_heads()) {
            search.state->heads[0] = 1;
            return;
        }
        search.hops[source] = 0;
        search.mask[source / WARP] = 1u << source % WARP;
        if (degree(source) > 0) search.state->nodes[0] = 1ull << 32 | degree(source);
    }

    __device__ void take_both_phases()
    {
        expand<false>(0);
        barrier.wait();
        contract(search.heads[0], listed_heads(), level + 1);
    }

    __device__ void take_heads(uint64_t count)
    {
        if (strategy == MCD_HOPS_CONTRACT_EXPAND || count <= (uint64_t)gridDim.x * BLOCK) {
            contract_and_expand(count);
            return;
        }
        contract(search.heads[level % 2], count, level);
        barrier.wait();
        expand<false>((level + 1) % 2);
    }

    __device__ uint32_t degree(mcd_node node) const
    {
        return search.first[node + 1] - search.first[node];
    }

    __device__ uint32_t scan(uint32_t value, uint32_t *total)
    {
#ifndef MCD_CUDA_EMULATED
        uint32_t before;
        cub::BlockScan<uint32_t, BLOCK>(shared->scan).ExclusiveSum(value, before, *total);
#else
        const uint32_t before = block_scan(value, shared->sum, total);
#endif
        __syncthreads();
        return before;
    }

    /* ---- culling ---- */

    /* Called by all lanes of a warp. Lanes with the same node leave it to one of them. */
    __device__ bool is_duplicate(bool is, mcd_node node)
    {
        volatile mcd_node *const at = &shared->warp_table[threadIdx.x / WARP][node % WARP_TABLE];
        if (is) *at = node;
        __syncwarp();
        const bool is_mine = is && *at == node;
        __syncwarp();
        if (is_mine) *at = threadIdx.x;
        __syncwarp();
        const bool is_left = is_mine && *at != threadIdx.x;
        __syncwarp();
        volatile mcd_node *const seen = &shared->block_table[node % BLOCK_TABLE];
        if (!is || is_left || *seen == node) return true;
        *seen = node;
        return false;
    }

    /* Sets the node's bit; returns whether it was not set. Bits may be lost. */
    __device__ bool mark(mcd_node node)
    {
        volatile uint8_t *const byte = (volatile uint8_t *)search.mask + node / 8;
        const uint8_t bits = *byte, bit = (uint8_t)(1u << node % 8);
        if (bits & bit) return false;
        *byte = (uint8_t)(bits | bit);
        return true;
    }

    /* Whether this is the node's first visit, as far as is known. Called by all lanes of a warp. */
    __device__ bool claim(bool is, mcd_node node, uint32_t hops)
    {
        if constexpr ((CULLS & CULL_ATOMIC) != 0) {
            const uint32_t bit = 1u << node % WARP;
            is = is && !(__ldcg(&search.mask[node / WARP]) & bit);
            is = is && !(atomicOr(&search.mask[node / WARP], bit) & bit);
        } else {
            is = is && mark(node) && __ldcg(&search.hops[node]) == UINT32_MAX;
            if constexpr ((CULLS & CULL_TABLES) != 0) is = !is_duplicate(is, node);
        }
        if (is) search.hops[node] = hops;
        return is;
    }

    /* ---- queues ---- */

    __device__ void queue_at(uint64_t at, mcd_node node, uint32_t before)
    {
        if (at >= search.queue_capacity) {
            search.state->is_over = 1;
            return;
        }
        search.queue[queued % 2][at] = node;
        if (EVEN) search.before[queued % 2][at] = before;
    }

    /* Stages the lanes' nodes, or queues them if there is no room. Called by all lanes of a warp. */
    __device__ void put(bool is, mcd_node node)
    {
        is = is && degree(node) > 0;
        const unsigned lanes = __ballot_sync(WARP_ALL, is), lane = threadIdx.x % WARP;
        if (lanes == 0) return;
        unsigned at = 0;
        if (lane == 0) at = atomicAdd(&shared->stage_count, (unsigned)__popc(lanes));
        at = __shfl_sync(WARP_ALL, at, 0) + __popc(lanes & ((1u << lane) - 1));
        if (!is) return;
        if (at < STAGE) {
            shared->stage[at] = node;
            return;
        }
        const unsigned long long size =
            atomicAdd(&search.state->nodes[queued % 3], 1ull << 32 | degree(node));
        queue_at(size >> 32, node, (uint32_t)size);
    }

    /* All threads. */
    __device__ void flush()
    {
        __syncthreads();
        const unsigned count = min(shared->stage_count, (unsigned)STAGE);
        for (unsigned first = 0; first < count; first += BLOCK) {
            const bool is = first + threadIdx.x < count;
            const mcd_node node = is ? shared->stage[first + threadIdx.x] : 0;
            uint32_t arcs;
            const uint32_t before = scan(is ? degree(node) : 0, &arcs);
            if (threadIdx.x == 0)
                shared->base =
                    atomicAdd(&search.state->nodes[queued % 3],
                              (unsigned long long)min(count - first, (unsigned)BLOCK) << 32 | arcs);
            __syncthreads();
            if (is) queue_at((shared->base >> 32) + threadIdx.x, node, (uint32_t)shared->base + before);
            __syncthreads();
        }
        if (threadIdx.x == 0) shared->stage_count = 0;
        __syncthreads();
    }

    /* ---- gathering ---- */

    /* Takes an arc whose head, if heads are listed, goes to the list's place `at`. Called by all lanes. */
    template <bool CONTRACTS> __device__ void take(bool is, uint32_t arc, uint64_t at)
    {
        const mcd_node head = is ? search.head[arc] : 0;
        if constexpr (CONTRACTS) {
            put(claim(is, head, level + 1), head);
        } else if (is) {
            if (at < search.heads_capacity)
                list[at] = head;
            else
                search.state->is_over = 1;
        }
    }

    /* Reserves the places of a tile's heads, and counts its arcs. */
    template <bool CONTRACTS> __device__ uint64_t begin_tile(uint32_t arcs)
    {
        if (threadIdx.x == 0) {
            atomicAdd(&search.state->followed, (unsigned long long)arcs);
            if (!CONTRACTS) shared->base = atomicAdd(listed, (unsigned long long)arcs);
        }
        __syncthreads();
        return CONTRACTS ? 0 : shared->base;
    }

    /* Each thread has a node's arcs: `count` from `first` on. */
    template <bool CONTRACTS> __device__ void gather(uint32_t first, uint32_t count)
    {
        uint32_t arcs;
        const uint32_t before = scan(count, &arcs);
        if (arcs == 0) return;
        const uint64_t base = begin_tile<CONTRACTS>(arcs);
        if constexpr (EVEN) {
            shared->before[threadIdx.x] = before, shared->first[threadIdx.x] = first;
            __syncthreads();
            gather_evenly<CONTRACTS>(0, arcs, BLOCK, base);
        } else {
            gather_by_size<CONTRACTS>(first, count, before, base);
        }
        if (CONTRACTS) flush();
    }

    template <bool CONTRACTS>
    __device__ void gather_by_size(uint32_t first, uint32_t count, uint32_t before, uint64_t base)
    {
        while (__syncthreads_or(count >= BLOCK)) {
            if (count >= BLOCK) shared->owner = threadIdx.x;
            __syncthreads();
            if (shared->owner == threadIdx.x)
                shared->before[0] = before, shared->before[1] = count, shared->first[0] = first, count = 0;
            __syncthreads();
            const uint32_t of = shared->before[1], from = shared->first[0], at = shared->before[0];
            for (uint32_t i = 0; i < of; i += BLOCK)
                take<CONTRACTS>(i + threadIdx.x < of, from + i + threadIdx.x, base + at + i + threadIdx.x);
        }
        const unsigned lane = threadIdx.x % WARP;
        for (unsigned large; (large = __ballot_sync(WARP_ALL, count >= WARP)) != 0;) {
            const int by = __ffs((int)large) - 1;
            const uint32_t of = __shfl_sync(WARP_ALL, count, by), from = __shfl_sync(WARP_ALL, first, by),
                           at = __shfl_sync(WARP_ALL, before, by);
            for (uint32_t i = 0; i < of; i += WARP)
                take<CONTRACTS>(i + lane < of, from + i + lane, base + at + i + lane);
            if ((int)lane == by) count = 0;
        }
        gather_by_scan<CONTRACTS>(first, count, before, base);
    }

    template <bool CONTRACTS>
    __device__ void gather_by_scan(uint32_t first, uint32_t count, uint32_t before, uint64_t base)
    {
        uint32_t small;
        uint32_t at = scan(count, &small), done = 0;
        for (uint32_t begin = 0; begin < small; begin += BLOCK) {
            for (; done < count && at < begin + BLOCK; ++at, ++done)
                shared->arc[at - begin] = first + done, shared->before[at - begin] = before + done;
            __syncthreads();
            const bool is = begin + threadIdx.x < small;
            take<CONTRACTS>(is, is ? shared->arc[threadIdx.x] : 0,
                            base + (is ? shared->before[threadIdx.x] : 0));
            __syncthreads();
        }
    }

    /* Takes the arcs begin <= i < end of the tile in shared memory, which are numbered from `base` on. */
    template <bool CONTRACTS>
    __device__ void gather_evenly(uint32_t begin, uint32_t end, uint32_t nodes, uint64_t base)
    {
        for (uint32_t i = begin; i < end; i += BLOCK) {
            const bool is = i + threadIdx.x < end;
            const uint32_t arc = is ? i + threadIdx.x : end - 1;
            const uint32_t of = lower_bound((const uint32_t *)shared->before, 0u, nodes, arc + 1) - 1;
            take<CONTRACTS>(is, shared->first[of] + arc - shared->before[of], base + arc);
        }
    }

    /* Follows the arcs of the queued nodes; heads go to that list. */
    template <bool CONTRACTS> __device__ void expand(unsigned to)
    {
        const unsigned long long size = __ldcg(&search.state->nodes[level % 3]);
        const mcd_node *const queue = search.queue[level % 2];
        const uint64_t count = min((uint64_t)(size >> 32), search.queue_capacity);
        list = search.heads[to];
        listed = &search.state->heads[(strategy == MCD_HOPS_TWO_PHASE ? level : level + 1) % 3];
        if (CONTRACTS) queued = level + 1;
        if constexpr (EVEN)
            expand_evenly<CONTRACTS>(queue, search.before[level % 2], (uint32_t)count, (uint32_t)size);
        else
            expand_tiles<CONTRACTS>(queue, count);
    }

    template <bool CONTRACTS> __device__ void expand_tiles(const mcd_node *queue, uint64_t count)
    {
        for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count;
             base += (uint64_t)gridDim.x * BLOCK) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? __ldcg(&queue[base + threadIdx.x]) : 0;
            gather<CONTRACTS>(search.first[node], is ? degree(node) : 0);
        }
    }

    template <bool CONTRACTS>
    __device__ void expand_evenly(const mcd_node *queue, const uint32_t *before, uint32_t nodes,
                                  uint32_t arcs)
    {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            search.state->followed += arcs;
            if (!CONTRACTS) *listed = arcs;
        }
        for (uint64_t tile = (uint64_t)blockIdx.x * BLOCK; tile < arcs; tile += (uint64_t)gridDim.x * BLOCK) {
            const uint32_t begin = (uint32_t)tile, end = (uint32_t)min(tile + BLOCK, (uint64_t)arcs);
            /* The queue is written in this launch: no load of it may be cached in the first level. */
            uint32_t low = 0;
            for (uint32_t high = nodes; high - low > 1;) {
                const uint32_t middle = low + (high - low) / 2;
                (__ldcg(before + middle) <= begin ? low : high) = middle;
            }
            const uint32_t count = min(nodes - low, (uint32_t)BLOCK); /* every node has arcs */
            const mcd_node node = threadIdx.x < count ? __ldcg(&queue[low + threadIdx.x]) : 0;
            shared->before[threadIdx.x] =
                threadIdx.x < count ? __ldcg(&before[low + threadIdx.x]) : UINT32_MAX;
            shared->first[threadIdx.x] = search.first[node];
            __syncthreads();
            gather_evenly<CONTRACTS>(begin, end, count, 0);
            if (CONTRACTS)
                flush();
            else
                __syncthreads();
        }
    }

    /* ---- lists of heads ---- */

    /* Queues the listed nodes as found at that level. */
    __device__ void contract(const mcd_node *from, uint64_t count, unsigned as)
    {
        queued = as;
        for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count;
             base += (uint64_t)gridDim.x * BLOCK) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? __ldcg(&from[base + threadIdx.x]) : 0;
            put(claim(is, node, as), node);
            if (__syncthreads_or(shared->stage_count > STAGE - BLOCK)) flush();
        }
        flush();
    }

    __device__ void contract_and_expand(uint64_t count)
    {
        const mcd_node *const from = search.heads[level % 2];
        list = search.heads[(level + 1) % 2];
        listed = &search.state->heads[(level + 1) % 3];
        for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count;
             base += (uint64_t)gridDim.x * BLOCK) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? __ldcg(&from[base + threadIdx.x]) : 0;
            const bool won = claim(is, node, level);
            gather<false>(search.first[node], won ? degree(node) : 0);
            __syncthreads();
        }
    }

    const culling_arrays &search;
    const mcd_hops_strategy strategy;
    culling_shared *const shared;
    grid_barrier barrier;
    mcd_node *list = nullptr;
    unsigned long long *listed = nullptr;
    unsigned level = 0, queued = 0; /* queued: the level of the nodes that are being queued */
};

template <bool EVEN, unsigned CULLS>
static __global__ void __launch_bounds__(BLOCK) search_culling(__grid_constant__ const culling_search search)
{
    MCD_SHARED(culling_shared, shared);
    culling_block<EVEN, CULLS>(search, shared).run(search.source);
}

/* ---- the host's part ---- */

extern "C" culling_device *culling_device_new(const mcd_arcs *arcs)
{
    const mcd_graph *from = arcs->graph;
    const size_t nodes = from->node_count, count = from->arc_count;
    culling_device *const graph = (culling_device *)checked_zeroed(1, sizeof *graph);
    uint32_t *const first = (uint32_t *)checked_allocate(nodes + 1, sizeof *first);
    for (size_t i = 0; i <= nodes; ++i) first[i] = (uint32_t)from->first_out[i];
    culling_arrays &to = graph->arrays;
    to.node_count = from->node_count;
    to.first = copy(first, nodes + 1);
    to.head = copy(from->head, count);
    to.hops = copy<uint32_t>(nullptr, nodes);
    to.mask = copy<uint32_t>(nullptr, nodes / WARP + 1);
    to.queue_capacity = 2 * nodes + 1, to.heads_capacity = 2 * count + 1; /* duplicates */
    for (int i = 0; i < 2; ++i) {
        to.queue[i] = copy<mcd_node>(nullptr, to.queue_capacity);
        to.before[i] = copy<uint32_t>(nullptr, to.queue_capacity);
        to.heads[i] = copy<mcd_node>(nullptr, to.heads_capacity);
    }
    to.state = copy<culling_state>(nullptr, 1);
    graph->arc_count = count;
    free(first);
    expect(cudaDeviceGetAttribute(&graph->processors, cudaDevAttrMultiProcessorCount, 0));
    return graph;
}

extern "C" void culling_device_free(culling_device *graph)
{
    const culling_arrays &of = graph->arrays;
    const void *const all[] = {of.first,     of.head,      of.hops,     of.mask,     of.queue[0], of.queue[1],
                               of.before[0], of.before[1], of.heads[0], of.heads[1], of.state};
    for (const void *one : all) expect(cudaFree(const_cast<void *>(one)));
    free(graph);
}

extern "C" uint64_t culling_device_hops(culling_device *graph, mcd_node source, mcd_hops_strategy strategy,
                                        culling_how how, double end, uint32_t *out)
{
    static void (*const kernel[CULLING_HOW_COUNT])(const culling_search) = {
        search_culling<false, CULL_TABLES>, search_culling<true, CULL_TABLES>, search_culling<false, 0>,
        search_culling<false, CULL_ATOMIC>};
    const culling_search search = {graph->arrays, source, strategy};
    culling_state state;
    if (bench_seconds_now() > end) return 0;
    expect(cudaMemset(graph->arrays.state, 0, sizeof state));
    const uint64_t blocks =
        blocks_of<uint64_t>(mcd_size_max(graph->arc_count, graph->arrays.node_count), BLOCK);
    expect(launch_grid({blocks + 1, BLOCK, sizeof(culling_shared), nullptr}, graph->processors, EACH,
                       kernel[how], search));
    expect(cudaMemcpy(&state, graph->arrays.state, sizeof state, cudaMemcpyDeviceToHost));
    if (state.is_over) return 0;
    if (out)
        expect(cudaMemcpy(out, graph->arrays.hops, graph->arrays.node_count * sizeof *out,
                          cudaMemcpyDeviceToHost));
    return state.followed;
}
