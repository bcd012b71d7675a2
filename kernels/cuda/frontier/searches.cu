/* searches.cu - see searches.h. CPU twin: kernels/cpu/frontier/near_far.c.
 *
 * Method. Near-far, with sets of nodes as bits in shared memory: those whose arcs are relaxed in this round,
 * those of the next round, and the far ones. A node whose cost falls is near if its objective is below the
 * step's bound. When no node is near, the bound becomes the least far objective plus `delta`, and the far
 * nodes below it become near. (Davidson et al. 2014) Bits need no room for entries, and a node that is
 * lowered twice is in the set once.
 * Layout. Each block has its own search. Its costs lie in shared memory too if they fit, otherwise in the
 * GPU's memory. A thread takes every blockDim-th word of 32 nodes and goes through its nodes' arcs, which all
 * searches read from the second-level cache.
 * Why it is right. A cost falls before the node's bit is set, and the bit is cleared before the cost is read.
 * A far node below the bound of the step before has been near since.
 * Races. Costs fall by atomicMin, bits are set by atomicOr. One thread takes a word of this round's set, and
 * no thread sets bits of it.
 * Limit. A round is a chain: the node's cost and arcs, the heads' costs, a minimum, a barrier. Enough
 * blocks hide it. Then, if costs are in the GPU's memory, random accesses to the second-level cache are
 * the limit. */
#include "kernels/cuda/frontier/searches.h"

#include "kernels/cuda/frontier/falling.h"

/* tests/bench/papers_dense and device, random graphs of degree 6 and New York. */
enum {
    SEARCH_THREADS = 1024, /* at most; half of them if a multiprocessor has room for two blocks */
    SEARCH_LANES = 4,      /* with fewer lanes, all blocks together are faster on one lane after the other */
    ALONE_NODES = 1 << 16, /* with more nodes, and more than ... */
    ALONE_DEGREE = 8,      /* ... this many arcs per node, likewise: one frontier keeps all blocks busy */
    BITS = 32,             /* nodes per word */
    SETS = 3,
    HUBS_MAX = 62,           /* near nodes of a round whose arcs the whole block relaxes ... */
    HUB_ARCS = 32,           /* ... because most are outside the slots */
    THREADS_RESIDENT = 1536, /* per multiprocessor */
    SLOTS_AT_ONCE = 4,
    DELTA_ROADS = 8,  /* near objectives of a step, in mean weights, on maps of roads ... */
    DELTA_OTHERS = 1, /* ... and with more arcs per node */
};
static_assert(SLOTS_AT_ONCE == 1 << SLOT_SHIFT_NARROW, "a node's slots are whole groups");

/* Follows a block's bits in shared memory. */
struct search_shared {
    uint32_t least[2]; /* least far objectives, by step % 2 */
    unsigned hub_count;
    mcd_node hub[HUBS_MAX];
};

static __host__ __device__ uint32_t words_of(mcd_node nodes)
{
    return nodes / BITS + (nodes % BITS != 0);
}

/* Bytes of costs in shared memory. */
template <class Cost> static __host__ __device__ size_t held_bytes(mcd_node nodes)
{
    return (nodes * sizeof(Cost) + 15) / 16 * 16;
}

/* The data that all blocks share. */
template <class Slot> struct block_searches {
    side_view side;
    slots_view<Slot> slots;
    mcd_sssp_job asked;
    typename Slot::cost *cost; /* [block * node_count]; NULL: shared memory holds them */
    uint32_t delta;
};

/* Reads a cost that other threads of the block lower: in shared memory, or past the first-level cache. */
template <bool HOLDS, class Cost> static __device__ Cost current_cost(const Cost *cost)
{
    if constexpr (HOLDS)
        return *(const volatile Cost *)cost;
    else
        return load_cost(cost);
}

/* HOLDS: costs lie in shared memory. */
template <class Slot, bool HOLDS> class block_search
{
  public:
    typedef typename Slot::cost cost;

    __device__ block_search(const block_searches<Slot> &the_job, unsigned char *memory)
        : job(the_job), nodes(the_job.side.node_count), words(words_of(nodes))
    {
        if constexpr (HOLDS)
            dist = reinterpret_cast<cost *>(memory);
        else
            dist = job.cost + (size_t)blockIdx.x * nodes;
        sets = reinterpret_cast<uint32_t *>(memory + (HOLDS ? held_bytes<cost>(nodes) : 0));
        near = sets, next = near + words, far = next + words;
        shared = reinterpret_cast<search_shared *>(far + words);
    }

    __device__ void answer(size_t lane)
    {
        begin(job.asked.lane[lane]);
        while (take_step())
            while (take_round())
                ;
        write(lane);
        __syncthreads(); /* before the costs become the next lane's */
    }

  private:
    __device__ void begin(const mcd_lane &lane)
    {
        for (mcd_node v = threadIdx.x; v < nodes; v += blockDim.x) dist[v] = ~(cost)0;
        for (uint32_t word = threadIdx.x; word < SETS * words; word += blockDim.x) sets[word] = 0;
        if (threadIdx.x == 0) shared->least[0] = shared->least[1] = UINT32_MAX, shared->hub_count = 0;
        step = 0, bound = 0;
        __syncthreads();
        if (threadIdx.x == 0)
            for (uint32_t s = 0; s < MCD_SEEDS_MAX && lane.seed[s].node != MCD_NODE_NONE; ++s)
                if (lane.seed[s].objective <= job.asked.limit) seed(lane.seed[s]);
        __syncthreads();
    }

    __device__ void seed(const mcd_seed &from)
    {
        dist[from.node] = min(dist[from.node], cost_of<cost>(from.objective, from.companion));
        far[from.node / BITS] |= 1u << from.node % BITS;
    }

    /* Makes the nearest of the far nodes near; returns false if there are none. */
    __device__ bool take_step()
    {
        const uint32_t before = bound;
        uint32_t low = UINT32_MAX;
        for (uint32_t word = threadIdx.x; word < words; word += blockDim.x)
            far[word] = keep(far[word], word, [&](uint32_t at) {
                if (at >= before) low = min(low, at);
                return at >= before; /* otherwise it has been near since */
            });
        low = __reduce_min_sync(WARP_ALL, low);
        if (threadIdx.x % WARP == 0) atomicMin(&shared->least[step % 2], low);
        __syncthreads();
        low = shared->least[step % 2];
        if (low == UINT32_MAX) return false;
        bound = low + job.delta;
        for (uint32_t word = threadIdx.x; word < words; word += blockDim.x) {
            const uint32_t all = far[word], left = keep(all, word, [&](uint32_t at) { return at >= bound; });
            far[word] = left, near[word] = all & ~left;
        }
        ++step;
        if (threadIdx.x == 0) shared->least[step % 2] = UINT32_MAX;
        __syncthreads();
        return true;
    }

    /* The bits of the nodes whose objectives is_kept accepts. */
    template <class Keep> __device__ uint32_t keep(uint32_t bits, uint32_t word, const Keep &is_kept)
    {
        uint32_t kept = 0;
        for (uint32_t left = bits; left; left &= left - 1) {
            const uint32_t bit = __ffs((int)left) - 1;
            if (is_kept(cost_objective(current_cost<HOLDS>(&dist[word * BITS + bit])))) kept |= 1u << bit;
        }
        return kept;
    }

    /* Relaxes the arcs of the near nodes; returns whether other nodes have become near. */
    __device__ bool take_round()
    {
        uint32_t word = threadIdx.x, bits = 0, base = 0;
        found = has_hub = false;
        for (;;) {
            for (; bits == 0 && word < words; word += blockDim.x)
                if (near[word]) bits = near[word], near[word] = 0, base = word * BITS;
            if (bits == 0) break;
            relax_node(base + __ffs((int)bits) - 1);
            bits &= bits - 1;
        }
        if (__syncthreads_or(has_hub)) relax_hubs();
        uint32_t *const other = near;
        near = next, next = other;
        return __syncthreads_or(found);
    }

    __device__ void relax_node(mcd_node node)
    {
        const unsigned shift = job.slots.shift;
        const Slot *slot = job.slots.slot + ((size_t)node << shift);
        const cost from = current_cost<HOLDS>(&dist[node]);
        bool more = false;
        for (uint32_t group = 0; group < 1u << shift; group += SLOTS_AT_ONCE, slot += SLOTS_AT_ONCE) {
            Slot arc[SLOTS_AT_ONCE];
            cost to[SLOTS_AT_ONCE];
#pragma unroll
            for (int i = 0; i < SLOTS_AT_ONCE; ++i) arc[i] = slot[i];
#pragma unroll
            for (int i = 0; i < SLOTS_AT_ONCE; ++i)
                to[i] = arc[i].head < SLOT_MORE ? current_cost<HOLDS>(&dist[arc[i].head]) : 0;
#pragma unroll
            for (int i = 0; i < SLOTS_AT_ONCE; ++i) {
                more |= arc[i].head == SLOT_MORE;
                relax(arc[i], from, to[i]);
            }
        }
        if (more) relax_rest(node, from);
    }

    /* Relaxes the arcs that are in no slot, here or by the whole block. */
    __device__ void relax_rest(mcd_node node, cost from)
    {
        const uint32_t first = rest_first(node), end = job.side.first[node + 1];
        if (end - first > HUB_ARCS) {
            const unsigned place = atomicAdd(&shared->hub_count, 1u);
            if (place < HUBS_MAX) {
                shared->hub[place] = node;
                has_hub = true;
                return;
            }
        }
        for (uint32_t at = first; at < end; ++at) relax_at(at, from);
    }

    __device__ void relax_hubs()
    {
        const unsigned count = min(shared->hub_count, (unsigned)HUBS_MAX);
        for (unsigned h = 0; h < count; ++h) {
            const mcd_node node = shared->hub[h];
            const cost from = current_cost<HOLDS>(&dist[node]);
            for (uint32_t at = rest_first(node) + threadIdx.x; at < job.side.first[node + 1];
                 at += blockDim.x)
                relax_at(at, from);
        }
        __syncthreads();
        if (threadIdx.x == 0) shared->hub_count = 0;
    }

    __device__ uint32_t rest_first(mcd_node node) const
    {
        return job.side.first[node] + (1u << job.slots.shift) - 1;
    }

    __device__ void relax_at(uint32_t at, cost from)
    {
        const Slot arc = Slot::at(job.side, at);
        relax(arc, from, current_cost<HOLDS>(&dist[arc.head]));
    }

    /* to: the head's cost or more; 0 if there is no arc. */
    __device__ void relax(const Slot &arc, cost from, cost to)
    {
        const cost sum = cost_add(from, arc.weight());
        if (sum >= to || cost_objective(sum) > job.asked.limit || lower_cost(&dist[arc.head], sum) <= sum)
            return;
        const bool is_near = cost_objective(sum) < bound;
        atomicOr(&(is_near ? next : far)[arc.head / BITS], 1u << arc.head % BITS);
        found |= is_near;
    }

    __device__ void write(size_t lane) const
    {
        const mcd_sssp_job &asked = job.asked;
        for (size_t i = threadIdx.x; i < asked.column_count; i += blockDim.x) {
            const size_t at = lane * asked.lane_stride + i * asked.column_stride;
            answer_cost(current_cost<HOLDS>(&dist[asked.column ? asked.column[i] : i]), asked.limit,
                        asked.raw, value_at(asked.objective, at), value_at(asked.companion, at));
        }
    }

    const block_searches<Slot> &job;
    const mcd_node nodes;
    const uint32_t words;
    cost *dist;
    uint32_t *sets;              /* [SETS * words]: bits, of ... */
    uint32_t *near, *next, *far; /* the first two are swapped after every round */
    search_shared *shared;
    uint32_t step, bound;
    bool found, has_hub; /* set by this thread in this round */
};

/* Grid as planned: a block takes every gridDim-th lane. */
template <class Slot, bool HOLDS>
static __global__ void __launch_bounds__(SEARCH_THREADS)
    search_lanes(__grid_constant__ const block_searches<Slot> job)
{
    MCD_SHARED(unsigned char, memory);
    block_search<Slot, HOLDS> search(job, memory);
    for (size_t lane = blockIdx.x; lane < job.asked.lane_count; lane += gridDim.x) search.answer(lane);
}

/* ---- the host's side ---- */

template <class Cost> static searches_plan plan_of(const gpu_call &call, mcd_node nodes)
{
    const size_t bits = SETS * (size_t)words_of(nodes) * sizeof(uint32_t) + sizeof(search_shared),
                 most = call.gpu->shared_bytes;
    searches_plan plan = {};
    plan.holds_costs = held_bytes<Cost>(nodes) + bits <= most;
    plan.shared = bits + (plan.holds_costs ? held_bytes<Cost>(nodes) : 0);
    plan.cost_bytes = plan.holds_costs ? 0 : nodes * sizeof(Cost);
    const unsigned wanted = blocks_of(words_of(nodes), (uint32_t)WARP) * WARP; /* a word per thread */
    plan.threads = wanted < SEARCH_THREADS / 2                 ? wanted
                   : 2 * plan.shared <= call.gpu->shared_bytes ? SEARCH_THREADS / 2
                                                               : SEARCH_THREADS;
    plan.block_count =
        call.gpu->processor_count * mcd_size_min(most / plan.shared, THREADS_RESIDENT / plan.threads);
    return plan;
}

bool plan_searches(searches_plan *out, const gpu_call &call, const gpu_arcs &arcs, size_t lane_count,
                   bool joint)
{
    if (arcs.node_count > ALONE_NODES && arcs.arc_count > (uint64_t)ALONE_DEGREE * arcs.node_count)
        return false;
    *out = joint ? plan_of<uint64_t>(call, arcs.node_count) : plan_of<uint32_t>(call, arcs.node_count);
    return out->shared <= call.gpu->shared_bytes && lane_count >= SEARCH_LANES;
}

template <class Slot>
static void enqueue(gpu_call &call, gpu_arcs &arcs, const searches_plan &plan, const mcd_sssp_job &asked,
                    typename Slot::cost *cost)
{
    block_searches<Slot> job = {};
    job.slots = slots_of<Slot>(call, arcs, asked.direction);
    const bool roads = job.slots.shift == SLOT_SHIFT_NARROW;
    const uint64_t chosen = (uint64_t)arcs.objective_mean * (roads ? DELTA_ROADS : DELTA_OTHERS);
    job.side = arcs.view(asked.direction);
    job.asked = asked;
    job.cost = cost;
    job.delta = asked.delta ? asked.delta : (uint32_t)mcd_size_min(chosen, MCD_WEIGHT_MAX);
    call.run("searching by near-far",
             {mcd_size_min(plan.block_count, asked.lane_count), plan.threads, plan.shared},
             plan.holds_costs ? search_lanes<Slot, true> : search_lanes<Slot, false>, job);
}

void enqueue_searches(gpu_call &call, gpu_arcs &arcs, const searches_plan &plan, const mcd_sssp_job &job,
                      void *cost)
{
    job.companion ? enqueue<weight_slot<uint64_t>>(call, arcs, plan, job, (uint64_t *)cost)
                  : enqueue<weight_slot<uint32_t>>(call, arcs, plan, job, (uint32_t *)cost);
}
