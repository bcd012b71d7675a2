/* frontier_block.h - the work of a block in a search by frontiers (frontier.h).
 *
 * Method. One cooperative launch answers one search. The frontier is a list of entries (node, objective):
 * nodes whose costs have fallen and whose arcs have not been relaxed since. In each step a block takes its
 * part of the list. Entries whose objective is below the step's threshold (the least of all plus `delta`) are
 * near, and the block relaxes their arcs, in rounds. A node whose cost falls below the threshold is a near
 * entry of the block's next round, in shared memory. Other fallen nodes, and the far entries of the list, go
 * to the next step's list. The blocks wait for each other only between steps. A near node's arcs may be
 * relaxed again when its cost falls once more, which is harmless for minima. (Davidson et al. 2014, near-far;
 * Meyer, Sanders 2003; Wang et al. 2021, ADDS)
 *
 * With hops as costs, a step is `delta` levels of breadth-first search. A cost falls twice only where blocks
 * at different rounds meet: a block's round i finds exactly the nodes of level i that it can find. So the
 * thousands of narrow levels of a map of roads do not each cost a barrier of the grid. While the frontier is
 * very narrow, one block makes the steps and the others wait.
 *
 * A wide frontier (more entries per block than fit) is expanded by one round a step. The near entries are
 * queued with the number of arcs before their own, both allocated by one addition of 64 bits. After a barrier
 * the arcs, laid end to end, are divided evenly among the blocks, no matter what the degrees are: many blocks
 * share the arcs of a hub. (Merrill, Garland, Grimshaw 2012, scan-based gathering; as in levels.cu) If the
 * near nodes have a large part of all arcs, each node looks instead for a lower cost among the lightest arcs
 * that enter it (entering.h). These are far fewer.
 *
 * Why it is right. An entry is dropped only if the node's cost has fallen since the entry was made, and then
 * there is a later entry. At the end of a step, every near entry has been relaxed or is in the list. When the
 * list overflows, all nodes that are not nearer than the last step's least are listed again.
 *
 * Races. Costs are lowered only by atomicMin. A stale cost is higher, so it costs work but not exactness.
 * Limit. Where frontiers are narrow: the dependent loads, about 1.2 us a round. Where they are wide: random
 * accesses to costs. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_FRONTIER_BLOCK_H
#define MCD_KERNELS_CUDA_FRONTIER_FRONTIER_BLOCK_H

#include "kernels/cuda/frontier/entering.h"
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/queue.h"

enum {
    FRONTIER_BLOCK = 1024,
    NEAR_MAX = 2048,     /* near entries of a round */
    LISTED_MAX = 4096,   /* entries waiting for the next step's list */
    BLOCK_NODES = 256,   /* nodes that justify one more block */
    PART_MIN = 8,        /* least entries of a block */
    NARROW_MAX = 1024,   /* entries per block; with more, the frontier is wide */
    NARROW_DENSE = 32,   /* for hops if nodes have many arcs (costs: always wide): more than ... */
    DENSE_DEGREE = 8,    /* ... this many */
    SINGLE_MAX = 64,     /* entries with which a single block makes a step ... */
    SINGLE_LEAVES = 256, /* ... until it has more */
    ARCS_AT_ONCE = 4,    /* per thread, of a wide frontier */
    ENTRIES_AT_ONCE = 4, /* per thread, of a wide frontier */
    FLUSH_EVERY = 4,     /* rounds; each warp lists what does not fit until then */
    PULL_PART = 16,      /* of all arcs: if near nodes have more, a wide step pulls */
    HUB_ARCS = 1024,     /* arcs beyond the slots that the block relaxes; a warp relaxes fewer */
    /* tests/bench/papers.c, on roads, grids and RMAT */
    LEVELS = 24,       /* of hops, per step */
    DELTA_SPARSE = 32, /* near objectives of a step, in mean weights, on maps of roads ... */
    DELTA_DENSE = 8,   /* ... and with more arcs a node: in mean weights over the mean degree, and more ... */
    DELTA_DENSE_MAX = 64, /* ... on graphs of fewer arcs, up to this, ... */
    DELTA_ARCS = 1 << 29, /* ... in proportion to this over the arcs */
    ALL_MAX = 8192,       /* a list of at most this many entries is all near, if nodes have many arcs */
    ROUNDS_MAX = 16,      /* of a step; then the list is divided again */
};

template <class Slot> struct frontier_search : frontier_arrays {
    typedef typename Slot::cost cost;
    side_view side;
    slots_view<Slot> slots;
    entering_view<Slot> entering;
    cost *dist; /* all ones: unreached */
    mcd_weight limit;
    uint32_t delta;
    uint32_t rounds, single, narrow;
    bool hands_over;   /* stop when the frontier becomes wide */
    const cost *other; /* NULL, or the other search's costs if two searches meet */
};

struct frontier_shared {
    frontier_entry near[2][NEAR_MAX + WARP], listed[LISTED_MAX + WARP];
    uint64_t tile_cost[FRONTIER_BLOCK];
    arc_window<FRONTIER_BLOCK> tile;
    uint16_t hub[NEAR_MAX + WARP]; /* places in `near` */
    unsigned sum[WARP];
    unsigned near_count[3], near_end[3]; /* by round % 3 */
    unsigned listed_count, listed_end, hub_count, base, low;
    frontier_entry wide_base;
};

/* A thread's view of a step. */
struct frontier_step {
    unsigned number, round;
    uint32_t threshold;
    bool wide;
    uint32_t low;     /* the least objective that the thread has listed */
    uint32_t meeting; /* the least sum of both searches' costs that the thread has seen */
    mcd_node ahead;   /* stops the compiler from dropping loads that only warm the cache */
};

__device__ inline uint32_t entry_objective(frontier_entry entry)
{
    return (uint32_t)(entry >> 32);
}

/* MEETS: another search comes from the other end. */
template <class Slot, bool MEETS = false> class frontier_block
{
  public:
    typedef typename Slot::cost cost;
    static constexpr bool PULLS = !std::is_same<Slot, hop_slot>::value && !MEETS;

    __device__ frontier_block(frontier_shared *the_shared, grid_barrier *the_barrier)
        : shared(the_shared), barrier(the_barrier)
    {
    }

    /* Continues with this search and step number. Like all that follows, the same in all blocks. */
    __device__ void use(const frontier_search<Slot> *the_search, unsigned number)
    {
        search = the_search;
        step.number = number;
    }

    /* Makes a step; returns whether there was one to make. Ends with a barrier of the grid. */
    __device__ bool advance()
    {
        const unsigned size = begin_step();
        if (size == 0 || (step.wide && search->hands_over)) return leave(size > 0);
        if (step.wide)
            expand_wide(size);
        else
            expand_narrow(size);
        end_step();
        barrier->wait();
        ++step.number;
        return true;
    }

    frontier_step step = {};
    unsigned *shortest = nullptr;  /* where steps leave the least sum of both searches' costs at a node */
    uint32_t between = UINT32_MAX; /* steps go only through nodes whose costs in both may have this sum */

  private:
    __device__ bool leave(bool is_wide)
    {
        if (is_wide && blockIdx.x == 0 && threadIdx.x == 0) search->state->is_wide = 1;
        if (step.ahead == SLOT_MORE) search->state->ahead = step.ahead;
        return false;
    }

    /* Finds the step's entries and its threshold; 0: the search is over. */
    __device__ unsigned begin_step()
    {
        frontier_state *const state = search->state;
        unsigned size = __ldcg(&state->count[step.number % 3]);
        if (size > search->capacity) size = list_anew();
        const uint32_t low = __ldcg(&state->low[step.number % 3]);
        step.wide = size > gridDim.x * search->narrow;
        single = size <= search->single;
        const bool all = single || (search->narrow == 0 && size <= ALL_MAX);
        step.threshold = low + min(all ? UINT32_MAX : search->delta, UINT32_MAX - low);
        step.low = step.meeting = UINT32_MAX;
        step.round = 0;
        if (threadIdx.x == 0) {
            shared->listed_count = shared->hub_count = 0;
            shared->near_count[0] = shared->near_count[1] = 0;
            shared->low = UINT32_MAX;
            if (blockIdx.x == 0) {
                state->count[(step.number + 2) % 3] = 0;
                state->low[(step.number + 2) % 3] = UINT32_MAX;
                state->near[(step.number + 2) % 3] = 0;
            }
        }
        __syncthreads();
        return size;
    }

    /* Lists all nodes that are not nearer than the step before: only their arcs may still have to be
     * relaxed. */
    __device__ unsigned list_anew()
    {
        frontier_state *const state = search->state;
        unsigned *const count = &state->count[step.number % 3], *const low = &state->low[step.number % 3];
        const uint32_t from = __ldcg(&state->low[(step.number + 2) % 3]);
        barrier->wait(); /* all have read the count */
        if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0, *low = UINT32_MAX;
        barrier->wait();
        const mcd_node nodes = search->side.node_count, stride = gridDim.x * blockDim.x;
        uint32_t least = UINT32_MAX;
        for (mcd_node base = blockIdx.x * blockDim.x; base < nodes; base += stride) {
            const mcd_node node = base + threadIdx.x;
            const uint32_t at = node < nodes ? cost_objective(load_cost(search->dist + node)) : UINT32_MAX;
            const bool is = at >= from && at <= search->limit && at != UINT32_MAX;
            const unsigned lanes = __ballot_sync(WARP_ALL, is);
            unsigned first;
            if (lanes == 0) continue;
            const unsigned place = reserve(count, lanes, &first);
            if (is) list_of(step.number)[place] = (frontier_entry)at << 32 | node, least = min(least, at);
        }
        atomicMin(low, least);
        barrier->wait();
        return __ldcg(count);
    }

    __device__ frontier_entry *list_of(unsigned number) const
    {
        return number % 2 ? search->odd : search->even;
    }

    /* ---- lists; called by all lanes of a warp ---- */

    __device__ void push_far(bool is, frontier_entry entry)
    {
        const unsigned lanes = __ballot_sync(WARP_ALL, is);
        unsigned first;
        if (lanes == 0) return;
        if (is) step.low = min(step.low, entry_objective(entry));
        unsigned at = reserve(&shared->listed_count, lanes, &first);
        if (first < LISTED_MAX) {
            if (is) shared->listed[at] = entry;
            const unsigned end = first + __popc(lanes);
            if (end >= LISTED_MAX) shared->listed_end = end; /* true in only one warp */
            return;
        }
        at = reserve(&search->state->count[(step.number + 1) % 3], lanes, &first);
        if (is && at < search->capacity) list_of(step.number + 1)[at] = entry;
    }

    /* Adds near entries for the block's next round. */
    __device__ void push(bool is, frontier_entry entry)
    {
        const unsigned next = (step.round + 1) % 3;
        const bool near = is && !step.wide && entry_objective(entry) < step.threshold;
        const unsigned lanes = __ballot_sync(WARP_ALL, near);
        if (lanes != 0) {
            unsigned first;
            const unsigned at = reserve(&shared->near_count[next], lanes, &first);
            if (first < NEAR_MAX) {
                if (near) shared->near[(step.round + 1) % 2][at] = entry, is = false;
                const unsigned end = first + __popc(lanes);
                if (end >= NEAR_MAX) shared->near_end[next] = end;
            }
        }
        push_far(is, entry);
    }

    __device__ unsigned near_count(unsigned round) const
    {
        const unsigned count = shared->near_count[round % 3];
        return count < NEAR_MAX ? count : shared->near_end[round % 3];
    }

    /* ---- relaxing; called by all lanes of a warp ---- */

    /* Lowers a cost; returns whether it has fallen. Once the searches have met, only for nodes between
     * them. */
    __device__ bool lower(cost sum, mcd_node node)
    {
        if constexpr (MEETS) {
            const cost beyond = load_cost(search->other + node);
            const bool meets = cost_objective(beyond) != UINT32_MAX;
            if (between != UINT32_MAX && (!meets || sum + beyond != between)) return false;
            if (meets) step.meeting = min(step.meeting, cost_objective(sum + beyond));
        }
        return sum < lower_cost(search->dist + node, sum);
    }

    __device__ void relax(bool is, cost from, const Slot &arc)
    {
        const cost sum = cost_add(from, arc.weight());
        is = is && cost_objective(sum) <= search->limit && cost_objective(sum) < UINT32_MAX;
        if (is) {
            const mcd_node ahead = __ldcg(&search->slots.slot[(size_t)arc.head << search->slots.shift].head);
            is = lower(sum, arc.head);
            step.ahead ^= ahead; /* the next round finds the slots in L2 */
        }
        push(is, (frontier_entry)cost_objective(sum) << 32 | arc.head);
    }

    __device__ Slot arc_at(uint32_t arc) const
    {
        return Slot::at(search->side, arc);
    }

    /* Relaxes the arcs that are in no slot, by `threads` threads, this one among them. */
    __device__ void relax_rest(frontier_entry entry, unsigned thread, unsigned threads)
    {
        const mcd_node node = (mcd_node)entry;
        const uint32_t end = search->side.first[node + 1];
        const cost from = load_cost(search->dist + node);
        for (uint32_t base = rest_first(node); base < end; base += threads) {
            const bool is = base + thread < end;
            relax(is, from, arc_at(is ? base + thread : end - 1));
        }
    }

    __device__ uint32_t rest_first(mcd_node node) const
    {
        return search->side.first[node] + (1u << search->slots.shift) - 1;
    }

    __device__ bool is_large(frontier_entry entry) const
    {
        return search->side.first[(mcd_node)entry + 1] - rest_first((mcd_node)entry) > HUB_ARCS;
    }

    __device__ void relax_hubs(const frontier_entry *near)
    {
        const unsigned count = shared->hub_count;
        for (unsigned h = 0; h < count; ++h)
            if (is_large(near[shared->hub[h]])) relax_rest(near[shared->hub[h]], threadIdx.x, blockDim.x);
        for (unsigned h = threadIdx.x / WARP; h < count; h += blockDim.x / WARP)
            if (!is_large(near[shared->hub[h]])) relax_rest(near[shared->hub[h]], threadIdx.x % WARP, WARP);
        __syncthreads();
        if (threadIdx.x == 0) shared->hub_count = 0;
        __syncthreads();
    }

    /* One thread per slot of a near entry. Ends with a barrier of the block. */
    __device__ void round(unsigned count)
    {
        const frontier_entry *const near = shared->near[step.round % 2];
        const unsigned shift = search->slots.shift, last = (1u << shift) - 1;
        bool has_hub = false;
        for (unsigned base = 0; base < count << shift; base += blockDim.x) {
            const unsigned i = base + threadIdx.x;
            const bool is = i >> shift < count;
            const frontier_entry entry = near[is ? i >> shift : 0];
            const mcd_node node = (mcd_node)entry;
            const cost from = load_cost(search->dist + node);
            const Slot slot = search->slots.slot[((size_t)node << shift) + (i & last)];
            const bool live = is && cost_objective(from) == entry_objective(entry);
            if (live && slot.head == SLOT_MORE) {
                shared->hub[atomicAdd(&shared->hub_count, 1u)] = (uint16_t)(i >> shift);
                has_hub = true;
            }
            relax(live && slot.head < SLOT_MORE, from, slot);
        }
        if (__syncthreads_or(has_hub)) relax_hubs(near);
    }

    /* ---- narrow ---- */

    __device__ void expand_narrow(unsigned size)
    {
        const unsigned part = single ? size : max((size + gridDim.x - 1) / gridDim.x, (unsigned)PART_MIN);
        const unsigned first = min(blockIdx.x * part, size), end = min(first + part, size);
        step.round = (unsigned)-1; /* entries pushed now are near in round 0 */
        take(first, end);
        __syncthreads();
        ++step.round;
        for (unsigned count; (count = near_count(step.round)) > 0; ++step.round) {
            if (threadIdx.x == 0) shared->near_count[(step.round + 2) % 3] = 0;
            if (step.round >= search->rounds || count > (single ? (unsigned)SINGLE_LEAVES : search->narrow)) {
                list_near(count);
                return;
            }
            round(count);
        }
    }

    __device__ void take(unsigned first, unsigned end)
    {
        const frontier_entry *const list = list_of(step.number);
        for (unsigned base = first; base < end; base += blockDim.x) {
            const bool is = base + threadIdx.x < end;
            push(is, __ldcg(list + (is ? base + threadIdx.x : first)));
        }
    }

    __device__ void list_near(unsigned count)
    {
        const frontier_entry *const near = shared->near[step.round % 2];
        for (unsigned base = 0; base < count; base += blockDim.x) {
            const bool is = base + threadIdx.x < count;
            push_far(is, near[is ? base + threadIdx.x : 0]);
        }
    }

    /* ---- wide ---- */

    __device__ void expand_wide(unsigned size)
    {
        const uint64_t tile = (uint64_t)blockDim.x * ENTRIES_AT_ONCE;
        for (uint64_t first = blockIdx.x * tile; first < size; first += gridDim.x * tile) {
            queue_near(first + threadIdx.x, size);
            flush_much();
        }
        barrier->wait();
        const frontier_entry near = __ldcg(&search->state->near[step.number % 3]);
        if constexpr (PULLS)
            if (search->entering.arc && (uint32_t)near > search->side.arc_count / PULL_PART) return pull();
        relax_part(near);
    }

    /* Lowers each node's cost by the arcs that enter it, instead of relaxing those that leave near nodes. */
    __device__ void pull()
    {
        const uint32_t low = __ldcg(&search->state->low[step.number % 3]);
        const entering_search<Slot> entering = {search->entering, search->dist, low, search->limit};
        const mcd_node nodes = search->side.node_count, stride = gridDim.x * blockDim.x;
        unsigned rounds = 0;
        for (mcd_node base = blockIdx.x * blockDim.x; base < nodes; base += stride) {
            const mcd_node node = base + threadIdx.x;
            const cost before = node < nodes ? load_cost(search->dist + node) : 0;
            const cost least = entering.run(node < nodes, node, before);
            const bool falls = least < before && lower(least, node);
            push_far(falls, (frontier_entry)cost_objective(least) << 32 | node);
            if (++rounds % FLUSH_EVERY == 0) flush_much();
        }
        flush_much();
    }

    /* All threads; begins and ends with a barrier. */
    __device__ void flush_much()
    {
        if (__syncthreads_or(shared->listed_count > LISTED_MAX / 2)) flush();
    }

    /* Whether an entry's node has arcs to be relaxed in this step. Entries of joint costs do not hold
     * companions: a node may be listed twice, and is taken once. */
    __device__ bool takes(mcd_node node) const
    {
        if constexpr (sizeof(cost) == 8)
            return atomicExch(search->taken + node, step.number + 1) != step.number + 1;
        return true;
    }

    /* Takes the list's entry i and the following ones in strides of the block. Near ones are queued, far
     * ones are listed again, and entries whose nodes have fallen since are dropped. All threads. */
    __device__ void queue_near(uint64_t i, unsigned size)
    {
        const frontier_entry *const list = list_of(step.number);
        frontier_entry entry[ENTRIES_AT_ONCE], mine = 0;
        uint32_t arcs[ENTRIES_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < ENTRIES_AT_ONCE; ++k)
            entry[k] = i + k * blockDim.x < size ? __ldcg(list + i + k * blockDim.x) : ~0ull;
#pragma unroll
        for (unsigned k = 0; k < ENTRIES_AT_ONCE; ++k) {
            const mcd_node node = (mcd_node)entry[k];
            const uint32_t at = entry_objective(entry[k]);
            const bool is = i + k * blockDim.x < size && cost_objective(load_cost(search->dist + node)) == at;
            const bool near = is && at < step.threshold && takes(node);
            arcs[k] = near ? search->side.degree(node) : 0;
            if (arcs[k] > 0) mine += (frontier_entry)1 << 32 | arcs[k];
            push_far(is && at >= step.threshold, entry[k]);
        }
        if (!__syncthreads_or(mine > 0)) return;
        frontier_entry all, at = block_scan(mine, (frontier_entry *)shared->tile_cost, &all);
        if (threadIdx.x == 0) shared->wide_base = atomicAdd(&search->state->near[step.number % 3], all);
        __syncthreads();
        at += shared->wide_base;
#pragma unroll
        for (unsigned k = 0; k < ENTRIES_AT_ONCE; ++k) {
            if (arcs[k] == 0) continue;
            search->near_node[at >> 32] = (mcd_node)entry[k];
            search->near_before[at >> 32] = (uint32_t)at;
            at += (frontier_entry)1 << 32 | arcs[k];
        }
    }

    /* Relaxes the block's part of the near nodes' arcs. */
    __device__ void relax_part(frontier_entry near)
    {
        const arc_queue queue = {search->near_node, search->near_before, (unsigned)(near >> 32),
                                 (uint32_t)near};
        const auto keep = [&](mcd_node node) {
            shared->tile_cost[threadIdx.x] = load_cost(search->dist + node);
        };
        expand_queue(queue, search->side.first, &shared->tile, keep, [&](uint64_t first, uint64_t end) {
            unsigned rounds = 0;
            for (uint64_t base = first; base < end; base += ARCS_AT_ONCE * blockDim.x) {
                relax_tile(base + threadIdx.x, end);
                if (++rounds % FLUSH_EVERY == 0) flush_much();
            }
            flush_much();
        });
    }

    /* Relaxes the near nodes' arc i and the following ones in strides of the block, below `end`. */
    __device__ void relax_tile(uint64_t i, uint64_t end)
    {
        mcd_node head[ARCS_AT_ONCE];
        cost sum[ARCS_AT_ONCE], at[ARCS_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < ARCS_AT_ONCE; ++k) {
            const uint32_t arc = (uint32_t)min(i + k * blockDim.x, end - 1);
            const unsigned place = window_place(shared->tile.before, arc);
            const Slot slot = arc_at(shared->tile.first[place] + arc - shared->tile.before[place]);
            head[k] = slot.head;
            sum[k] = cost_add((cost)shared->tile_cost[place], slot.weight());
        }
#pragma unroll
        for (unsigned k = 0; k < ARCS_AT_ONCE; ++k) at[k] = load_cost(search->dist + head[k]);
#pragma unroll
        for (unsigned k = 0; k < ARCS_AT_ONCE; ++k) {
            bool is = i + k * blockDim.x < end && sum[k] < at[k] && cost_objective(sum[k]) <= search->limit;
            if (is) is = lower(sum[k], head[k]);
            push_far(is, (frontier_entry)cost_objective(sum[k]) << 32 | head[k]);
        }
    }

    /* ---- the end of a step ---- */

    /* Writes the entries that the block has listed. All threads; begins and ends with a barrier. */
    __device__ void flush()
    {
        __syncthreads();
        const unsigned count = shared->listed_count < LISTED_MAX ? shared->listed_count : shared->listed_end;
        if (threadIdx.x == 0 && count > 0)
            shared->base = atomicAdd(&search->state->count[(step.number + 1) % 3], count);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
            if (shared->base + i < search->capacity)
                list_of(step.number + 1)[shared->base + i] = shared->listed[i];
        if (threadIdx.x == 0) shared->listed_count = 0;
        __syncthreads();
    }

    __device__ void end_step()
    {
        const uint32_t low = __reduce_min_sync(WARP_ALL, step.low);
        if (threadIdx.x % WARP == 0 && low < UINT32_MAX) atomicMin(&shared->low, low);
        if constexpr (MEETS) {
            const uint32_t meeting = __reduce_min_sync(WARP_ALL, step.meeting);
            if (threadIdx.x % WARP == 0 && meeting < UINT32_MAX) atomicMin(shortest, meeting);
        }
        flush();
        if (threadIdx.x == 0 && shared->low < UINT32_MAX)
            atomicMin(&search->state->low[(step.number + 1) % 3], shared->low);
    }

    const frontier_search<Slot> *search = nullptr;
    frontier_shared *const shared;
    grid_barrier *const barrier;
    bool single = false;
};

/* The number of threads of a block. */
template <class Slot> unsigned frontier_threads(const frontier_search<Slot> &search)
{
    return block_threads(search.side.node_count,
                         search.slots.shift > SLOT_SHIFT_NARROW ? FRONTIER_BLOCK : FRONTIER_BLOCK / 2);
}

/* The most blocks that the search can keep busy. */
template <class Slot> uint64_t frontier_blocks(const frontier_search<Slot> &search)
{
    return blocks_of<uint64_t>(search.side.node_count, BLOCK_NODES);
}

#endif
