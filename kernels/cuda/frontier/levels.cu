/* levels.cu - see levels.h.
 *
 * Method. One cooperative launch. A level is expanded top-down, from a queue of its nodes, or bottom-up:
 * every unvisited node looks among its arcs for the first one from a visited node. Its tail is the smallest
 * of the level before, because all neighbours of nearer nodes have been visited. So only one bitmap of the
 * visited nodes is read. A level goes bottom-up if its arcs are a large part of those not yet followed.
 * (Beamer, Asanovic, Patterson 2012)
 *
 * Top-down, a level's arcs, laid end to end, are divided evenly among the blocks, no matter what the degrees
 * are. A node is queued with the number of arcs before its own, both allocated by one addition of 64 bits. A
 * thread finds its arc's tail in a window of the queue in shared memory. (Merrill, Garland, Grimshaw 2012,
 * who use prefix sums)
 *
 * The strategies of Merrill et al. take a level top-down. Expand-contract works as above. Two-phase lists the
 * unvisited heads first, and after a barrier contracts the list to a queue. Contract-expand keeps no queue:
 * it contracts the list of the level before and lists the heads of its arcs in the same step. Hybrid does
 * this for lists of at most one head per thread, and otherwise works as two-phase. Each strategy expands a
 * node once.
 *
 * On several GPUs, each makes all the narrow levels: this repeats less work than exchanging them would cost.
 * Bottom-up levels, which have most of the work, are divided by their nodes (levels_step).
 *
 * Parents. Bottom-up, a node's parent is the tail that it finds. Top-down, every arc to a node of the next
 * level lowers the node's parent to its tail by an atomic minimum. (In a pass over the nodes afterwards, one
 * warp would have to read all the arcs of a hub.) Strategies that list heads do not keep the tails: parents.h
 * finds their parents.
 *
 * Races. Top-down, bits are set by atomicOr, whose result decides which thread finds a node. Bottom-up, one
 * warp has 32 nodes and writes their word of the next bitmap. A node whose bit another thread sets in this
 * level may not have its hops yet: they are all ones, which is more than this level's too.
 * Limit. Random accesses to the bitmap, in L1 and L2; with parents also to hops. */
#include "kernels/cuda/frontier/levels.h"

#include "kernels/cuda/frontier/queue.h"
#include "kernels/cuda/frontier/tails.h"

enum {
    LEVELS_BLOCK = 1024,
    ARCS_AT_ONCE = 4, /* per thread */
    STAGE = 2 * LEVELS_BLOCK * ARCS_AT_ONCE,
    SERIAL_ARCS = 32, /* bottom-up: arcs that the node's thread reads; its warp reads more */
};

struct levels_search : levels_arrays {
    side_view out, in;
    uint32_t *hops;
    mcd_node *parent;
    mcd_node source;
    uint32_t limit;
    mcd_hops_strategy strategy;
    const unsigned *gate; /* NULL, or the search runs only if it holds 1 */
    bool in_steps;
    levels_step step; /* for a search without steps: the first step, of all nodes */
};

struct levels_shared {
    arc_window<LEVELS_BLOCK> window;
    mcd_node window_node[LEVELS_BLOCK];
    mcd_node stage[STAGE];
    unsigned sum[WARP];
    unsigned stage_count, nodes, arcs, heads_base;
    unsigned long long base;
};

__device__ static unsigned found_nodes(unsigned long long found)
{
    return (unsigned)(found >> 32);
}

__device__ static uint32_t found_arcs(unsigned long long found)
{
    return (uint32_t)found;
}

class levels_block
{
  public:
    __device__ levels_block(const levels_search &the_search, levels_shared *the_shared)
        : search(the_search), shared(the_shared), barrier(&the_search.state->arrived)
    {
        barrier.target = search.step.before.arrived;
    }

    __device__ void run()
    {
        if (search.step.number == 0)
            begin();
        else
            resume();
        barrier.wait();
        if (lists_arcs())
            run_arcs();
        else
            run_nodes();
    }

  private:
    /* Runs the strategies whose levels are queues, or bits, of nodes. */
    __device__ void run_nodes()
    {
        const bool may_go_up = search.strategy == MCD_HOPS_AUTO || search.strategy >= MCD_HOPS_BOTTOM_UP;
        bool up = search.step.number > 0;
        /* The arcs of nodes not yet found. */
        uint64_t left = up ? search.step.before.left : search.out.arc_count;
        for (;; ++level) {
            const unsigned long long found = __ldcg(&search.state->found[level % 3]);
            if (found == 0 || level >= search.limit) break;
            left -= found_arcs(found);
            const bool was_up = up;
            up = may_go_up &&
                 level_goes_up(up, found_nodes(found), found_arcs(found), left, search.out.node_count);
            if (was_up && !up) queue_found();
            begin_level();
            if (up) {
                bottom_up();
                now = !now;
                if (search.in_steps) return end_step(left, false);
            } else if (search.strategy == MCD_HOPS_TWO_PHASE) {
                use_heads(0, level);
                top_down<false>(found);
                barrier.wait();
                contract(heads, __ldcg(&search.state->listed[level % 3]));
            } else {
                top_down<true>(found);
            }
            barrier.wait();
        }
        if (search.in_steps) end_step(left, true);
    }

    /* Runs the strategies whose levels are lists of heads. */
    __device__ void run_arcs()
    {
        for (;; ++level) {
            const unsigned count = __ldcg(&search.state->listed[level % 3]);
            if (count == 0 || level > search.limit) break;
            begin_level();
            use_heads((level + 1) % 2, level + 1);
            if (search.strategy == MCD_HOPS_HYBRID && count > gridDim.x * blockDim.x) {
                queued_level = level;
                contract(listed_heads(), count);
                barrier.wait();
                top_down<false>(__ldcg(&search.state->found[level % 3]));
            } else {
                contract_and_expand(count);
            }
            barrier.wait();
        }
    }

    __device__ bool lists_arcs() const
    {
        return search.strategy == MCD_HOPS_CONTRACT_EXPAND || search.strategy == MCD_HOPS_HYBRID;
    }

    /* The heads that the level before has listed. */
    __device__ const mcd_node *listed_heads() const
    {
        return level % 2 ? search.heads[1] : search.heads[0];
    }

    __device__ void begin_level()
    {
        queued_level = level + 1;
        if (threadIdx.x == 0) {
            shared->stage_count = shared->nodes = shared->arcs = 0;
            if (blockIdx.x == 0)
                search.state->found[(level + 2) % 3] = search.state->listed[(level + 2) % 3] = 0;
        }
        __syncthreads();
    }

    __device__ uint32_t *visited() const
    {
        return now ? search.visited[1] : search.visited[0];
    }

    __device__ uint32_t *other() const
    {
        return now ? search.visited[0] : search.visited[1];
    }

    __device__ void begin()
    {
        const size_t stride = (size_t)gridDim.x * blockDim.x,
                     first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
        const mcd_node nodes = search.out.node_count;
        const bool lists = lists_arcs();
        for (size_t i = first; i < nodes; i += stride) {
            search.hops[i] = i == search.source ? 0 : MCD_COST_UNREACHED;
            if (search.parent) search.parent[i] = MCD_NODE_NONE;
        }
        for (size_t i = first; i < (nodes + WARP - 1) / WARP; i += stride)
            search.visited[0][i] = i == search.source / WARP && !lists ? 1u << search.source % WARP : 0;
        if (first == 0) {
            search.queue[0][0] = search.source;
            search.before[0][0] = 0;
            search.state->found[0] = 1ull << 32 | search.out.degree(search.source);
            if (lists) search.heads[0][0] = search.source, search.state->listed[0] = 1;
        }
    }

    /* ---- steps ---- */

    __device__ void resume()
    {
        level = search.step.before.level;
        now = search.step.number % 2;
        if (blockIdx.x == 0 && threadIdx.x == 0) search.state->found[level % 3] = search.step.before.found;
        for (size_t p = 0; p < search.step.peer_count; ++p) adopt(search.step.peer[p]);
    }

    /* Takes another GPU's words, and sets the hops of the nodes that it has found. */
    __device__ void adopt(const levels_peer &peer)
    {
        const mcd_node first = peer.own.first / WARP, words = blocks_of(peer.own.end, (mcd_node)WARP) - first;
        const mcd_node stride = gridDim.x * blockDim.x, lane = threadIdx.x % WARP;
        for (mcd_node base = (mcd_node)thread_index() - lane; base < words; base += stride) {
            const bool is = base + lane < words;
            const mcd_node word = first + base + lane;
            const uint32_t after = is ? peer.sent[base + lane] : 0, found = is ? after & ~other()[word] : 0;
            if (is) visited()[word] = after;
            for (unsigned rest = __ballot_sync(WARP_ALL, found != 0); rest; rest &= rest - 1) {
                const int of = __ffs((int)rest) - 1;
                const uint32_t bits = __shfl_sync(WARP_ALL, found, of);
                if (bits >> lane & 1) search.hops[(first + base + (mcd_node)of) * WARP + lane] = level;
            }
        }
    }

    /* The last block to arrive writes the step's result. */
    __device__ void end_step(uint64_t left, bool is_end)
    {
        if (threadIdx.x != 0) return;
        __threadfence();
        if (atomicAdd(&search.state->ended, 1u) + 1 < gridDim.x) return;
        __threadfence();
        search.state->ended = 0;
        *search.step.reached = {level + 1, is_end, __ldcg(&search.state->arrived), left,
                                __ldcg(&search.state->found[(level + 1) % 3])};
    }

    /* ---- bottom-up ---- */

    __device__ static bool is_in(const uint32_t *visited, mcd_node node)
    {
        return visited[node / WARP] >> node % WARP & 1;
    }

    /* Visits one warp's 32 nodes; returns the bits of those that it has found. */
    __device__ unsigned visit_word(const uint32_t *visited, mcd_node word, uint32_t *arcs)
    {
        const unsigned lane = threadIdx.x % WARP;
        const mcd_node node = word * WARP + lane;
        const bool asks = node < search.in.node_count && !(visited[word] >> lane & 1);
        const uint32_t first = asks ? search.in.first[node] : 0, end = asks ? search.in.first[node + 1] : 0;
        const mcd_node tail = find_tail<SERIAL_ARCS, ARCS_AT_ONCE>(
            search.in, first, end, [&](int, uint32_t, mcd_node from) { return is_in(visited, from); });
        if (tail != MCD_NODE_NONE) {
            search.hops[node] = level + 1;
            if (search.parent) search.parent[node] = tail;
            *arcs += search.out.degree(node);
        }
        return __ballot_sync(WARP_ALL, tail != MCD_NODE_NONE);
    }

    __device__ void bottom_up()
    {
        const uint32_t *const from = visited();
        uint32_t *const to = other();
        const unsigned warps = gridDim.x * (blockDim.x / WARP);
        const mcd_node first = search.step.own.first / WARP,
                       end = blocks_of(search.step.own.end, (mcd_node)WARP);
        uint32_t nodes = 0, arcs = 0;
        for (mcd_node word = first + (mcd_node)thread_index() / WARP; word < end; word += warps) {
            const uint32_t bits = from[word];
            const unsigned found = bits == UINT32_MAX ? 0 : visit_word(from, word, &arcs);
            if (threadIdx.x % WARP > 0) continue;
            to[word] = bits | found, nodes += __popc(found);
            if (search.in_steps) search.step.sent[word - first] = bits | found;
        }
        arcs = __reduce_add_sync(WARP_ALL, arcs);
        if (threadIdx.x % WARP == 0 && nodes > 0) {
            atomicAdd(&shared->nodes, nodes);
            atomicAdd(&shared->arcs, arcs);
        }
        __syncthreads();
        if (threadIdx.x == 0 && shared->nodes > 0)
            atomicAdd(&search.state->found[(level + 1) % 3],
                      (unsigned long long)shared->nodes << 32 | shared->arcs);
    }

    /* ---- top-down ---- */

    /* Stages the lanes' nodes. Called by all lanes of a warp. */
    __device__ void stage(bool is, mcd_node node)
    {
        const unsigned lanes = __ballot_sync(WARP_ALL, is);
        if (lanes == 0) return;
        unsigned first;
        const unsigned at = reserve(&shared->stage_count, lanes, &first);
        if (is) shared->stage[at] = node;
    }

    /* Claims a node; returns whether the thread is the first to reach it. */
    __device__ bool claim(bool is, mcd_node node, uint32_t hops)
    {
        const uint32_t bit = 1u << node % WARP;
        if (is) is = !(atomicOr(visited() + node / WARP, bit) & bit);
        if (is) search.hops[node] = hops;
        return is;
    }

    /* Queues the staged nodes. All threads; begins and ends with a barrier. */
    __device__ void flush(unsigned long long *size, unsigned to)
    {
        __syncthreads();
        const unsigned count = shared->stage_count;
        __syncthreads(); /* all have read the count before it is cleared */
        for (unsigned base = 0; base < count; base += blockDim.x) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? shared->stage[base + threadIdx.x] : 0;
            unsigned arcs;
            const unsigned before = block_scan(is ? search.out.degree(node) : 0, shared->sum, &arcs);
            if (threadIdx.x == 0)
                shared->base =
                    atomicAdd(size, (unsigned long long)min(count - base, blockDim.x) << 32 | arcs);
            __syncthreads();
            if (is) {
                const unsigned at = found_nodes(shared->base) + threadIdx.x;
                (to ? search.queue[1] : search.queue[0])[at] = node;
                (to ? search.before[1] : search.before[0])[at] = found_arcs(shared->base) + before;
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) shared->stage_count = 0;
        __syncthreads();
    }

    /* Queues the level's nodes if they were found bottom-up. */
    __device__ void queue_found()
    {
        const mcd_node words = (search.out.node_count + WARP - 1) / WARP,
                       stride = gridDim.x * blockDim.x / WARP;
        const uint32_t *const after = visited(), *const before = other();
        if (threadIdx.x == 0) shared->stage_count = 0;
        __syncthreads();
        const mcd_node warps = blockDim.x / WARP;
        for (mcd_node base = blockIdx.x * warps; base < words; base += stride) {
            const mcd_node word = base + threadIdx.x / WARP;
            const uint32_t bits = word < words ? after[word] & ~before[word] : 0;
            stage(bits >> threadIdx.x % WARP & 1, word * WARP + threadIdx.x % WARP);
            if (__syncthreads_or(shared->stage_count > STAGE / 2)) flush(&search.state->queued, level % 2);
        }
        flush(&search.state->queued, level % 2);
        barrier.wait();
        if (blockIdx.x == 0 && threadIdx.x == 0) search.state->queued = 0;
    }

    /* CONTRACTS: unvisited heads are found and queued. Otherwise they are listed, some of them more than
     * once. */
    template <bool CONTRACTS> __device__ void top_down(unsigned long long found)
    {
        const arc_queue queue = {level % 2 ? search.queue[1] : search.queue[0],
                                 level % 2 ? search.before[1] : search.before[0], found_nodes(found),
                                 found_arcs(found)};
        const auto keep = [&](mcd_node node) { shared->window_node[threadIdx.x] = node; };
        expand_queue(queue, search.out.first, &shared->window, keep, [&](uint64_t first, uint64_t end) {
            expand<CONTRACTS>((uint32_t)first, (uint32_t)end);
        });
        put_out<CONTRACTS>();
    }

    template <bool CONTRACTS> __device__ void put_out()
    {
        if (CONTRACTS)
            flush(&search.state->found[queued_level % 3], queued_level % 2);
        else
            flush_heads();
    }

    /* The head of the arc whose tail is at that place. */
    __device__ mcd_node head_of(uint32_t arc, unsigned place) const
    {
        return search.out.head[shared->window.first[place] + arc - shared->window.before[place]];
    }

    /* Offers the level's node at that place as the head's parent. */
    __device__ void name_parent(mcd_node head, unsigned place)
    {
        const mcd_node tail = shared->window_node[place];
        if (__ldcg(search.hops + head) > level && tail < __ldcg(search.parent + head))
            atomicMin(search.parent + head, tail);
    }

    /* Expands the level's arcs first <= i < end, of the window. */
    template <bool CONTRACTS> __device__ void expand(uint32_t first, uint32_t end)
    {
        uint32_t *const bits = visited();
        for (uint32_t base = first; base < end; base += min(blockDim.x * ARCS_AT_ONCE, end - base)) {
            mcd_node head[ARCS_AT_ONCE];
            unsigned place[ARCS_AT_ONCE], wants = 0;
#pragma unroll
            for (unsigned i = 0; i < ARCS_AT_ONCE; ++i) {
                const uint32_t arc =
                    (uint32_t)min(base + (uint64_t)(i * blockDim.x + threadIdx.x), (uint64_t)end - 1);
                place[i] = window_place(shared->window.before, arc);
                head[i] = head_of(arc, place[i]);
            }
#pragma unroll
            for (unsigned i = 0; i < ARCS_AT_ONCE; ++i)
                if (base + (uint64_t)(i * blockDim.x + threadIdx.x) < end)
                    wants |= (~__ldcg(bits + head[i] / WARP) >> head[i] % WARP & 1) << i;
#pragma unroll
            for (unsigned i = 0; i < ARCS_AT_ONCE; ++i) {
                const bool is = wants >> i & 1;
                stage(CONTRACTS ? claim(is, head[i], level + 1) : is, head[i]);
            }
            if (CONTRACTS && search.parent)
#pragma unroll
                for (unsigned i = 0; i < ARCS_AT_ONCE; ++i) name_parent(head[i], place[i]);
            if (__syncthreads_or(shared->stage_count > STAGE / 2)) put_out<CONTRACTS>();
        }
        __syncthreads();
    }

    /* ---- lists of heads ---- */

    /* Sets the list that later heads go to. */
    __device__ void use_heads(unsigned list, unsigned of_level)
    {
        heads = list ? search.heads[1] : search.heads[0];
        heads_count = &search.state->listed[of_level % 3];
    }

    /* Lists the staged heads. All threads; begins and ends with a barrier. */
    __device__ void flush_heads()
    {
        __syncthreads();
        const unsigned count = shared->stage_count;
        if (threadIdx.x == 0 && count > 0) shared->heads_base = atomicAdd(heads_count, count);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
            heads[shared->heads_base + i] = shared->stage[i];
        if (threadIdx.x == 0) shared->stage_count = 0;
        __syncthreads();
    }

    /* Claims a listed node; returns whether the thread is the first to reach it. Checks the bitmap first:
     * most listed nodes have been visited since. */
    __device__ bool claim_listed(bool is, mcd_node node, uint32_t hops)
    {
        return claim(is && !(__ldcg(visited() + node / WARP) >> node % WARP & 1), node, hops);
    }

    /* Queues the listed nodes, each once. */
    __device__ void contract(const mcd_node *from, unsigned count)
    {
        for (uint64_t base = blockIdx.x * blockDim.x; base < count; base += gridDim.x * blockDim.x) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? __ldcg(from + base + threadIdx.x) : 0;
            stage(claim_listed(is, node, queued_level), node);
            if (__syncthreads_or(shared->stage_count > STAGE / 2)) put_out<true>();
        }
        put_out<true>();
    }

    /* Lists the heads of the arcs of the listed nodes; each node is expanded once. */
    __device__ void contract_and_expand(unsigned count)
    {
        const mcd_node *const from = listed_heads();
        for (uint64_t base = blockIdx.x * blockDim.x; base < count; base += gridDim.x * blockDim.x) {
            const bool is = base + threadIdx.x < count;
            const mcd_node node = is ? __ldcg(from + base + threadIdx.x) : 0;
            const bool won = claim_listed(is, node, level);
            unsigned arcs;
            shared->window.before[threadIdx.x] =
                block_scan(won ? search.out.degree(node) : 0, shared->sum, &arcs);
            shared->window.first[threadIdx.x] = search.out.first[node];
            __syncthreads();
            expand<false>(0, arcs);
        }
        put_out<false>();
    }

    const levels_search &search;
    levels_shared *const shared;
    grid_barrier barrier;
    mcd_node *heads = nullptr;
    unsigned *heads_count = nullptr;
    unsigned level = 0, queued_level = 0;
    bool now = false; /* the bitmap that holds the visited nodes */
};

/* Grid    all blocks that can run concurrently; state zeroed. */
static __global__ void __launch_bounds__(LEVELS_BLOCK, 1)
    search_levels(__grid_constant__ const levels_search search)
{
    if (search.gate && *search.gate == 0) return;
    MCD_SHARED(levels_shared, shared);
    levels_block(search, shared).run();
}

bool levels_name_parents(mcd_hops_strategy strategy)
{
    return strategy != MCD_HOPS_CONTRACT_EXPAND && strategy != MCD_HOPS_TWO_PHASE &&
           strategy != MCD_HOPS_HYBRID;
}

void levels_arrays::lay_out(gpu_carver &carver, const gpu_arcs &arcs, mcd_hops_strategy strategy)
{
    const size_t nodes = arcs.node_count, words = blocks_of<size_t>(nodes, WARP);
    const size_t heads_max = levels_name_parents(strategy) ? 0 : (size_t)arcs.arc_count + 1;
    carver.take(&state, 1);
    for (int i = 0; i < 2; ++i)
        carver.take(&queue[i], nodes, &before[i], nodes, &visited[i], words, &heads[i], heads_max);
}

static void enqueue(gpu_call &call, const gpu_arcs &arcs, const mcd_hops_job &job, levels_search search,
                    const levels_arrays &arrays)
{
    const unsigned threads = block_threads(arcs.node_count, LEVELS_BLOCK);
    static_cast<levels_arrays &>(search) = arrays;
    search.out = arcs.view(job.direction), search.in = arcs.view(!job.direction);
    search.limit = job.limit;
    if (search.step.number == 0) call.fill(arrays.state, 0, 1, "clearing levels");
    call.run_grid("searching by levels",
                  {blocks_of<uint64_t>(arcs.node_count, threads), threads, sizeof(levels_shared)}, 1,
                  search_levels, search);
}

void enqueue_levels(gpu_call &call, const gpu_arcs &arcs, const mcd_hops_job &job, mcd_node source,
                    const unsigned *gate, const levels_arrays &arrays, uint32_t *hops, mcd_node *parent)
{
    levels_search search = {};
    search.hops = hops, search.parent = parent;
    search.source = source;
    search.strategy = job.strategy;
    search.gate = gate;
    search.step.own = arcs.own;
    enqueue(call, arcs, job, search, arrays);
}

void enqueue_levels_step(gpu_call &call, const gpu_arcs &arcs, const mcd_hops_job &job, mcd_node source,
                         const levels_step &step, const levels_arrays &arrays, uint32_t *hops,
                         mcd_node *parent)
{
    levels_search search = {};
    search.hops = hops, search.parent = parent;
    search.source = source;
    search.strategy = MCD_HOPS_BOTTOM_UP;
    search.in_steps = true;
    search.step = step;
    enqueue(call, arcs, job, search, arrays);
}
