/* clock.cu - trees whose clock moves along the way, on GPUs. CPU twin: kernels/cpu/frontier/clock.c.
 *
 * Method. A block makes one search, by near-far (Davidson et al. 2014): a node whose cost falls is near if its objective
 * is below the step's bound, else far. When no node is near, the bound becomes the least far objective plus `delta`.
 * kernels/clock.h has the rule by which an arc's weight follows from the time at its end.
 * Layout. The costs of a search are by node. Its lists of near and of far nodes have room for a part of the nodes; an entry
 * holds the objective that the node had, and is passed over if the node has fallen since.
 * Why it is right. The rule is FIFO, so costs only fall, and a node's arcs are relaxed again whenever it falls. A list that
 * had no room for an entry is replaced by a pass over all nodes whose objectives are in its range. Companions come from a
 * second search over the arcs that are tight with the final objectives. In the first one a node could pass on the companion
 * of a later arrival, where that comes to the same at the arc's end.
 * Races. Costs fall by atomicMin, and counts of lists rise by atomicAdd. A round reads one list and fills others.
 * Limit. Random accesses to costs and arcs, about one visit a node: New York takes 1.1 visits, each of which reads
 * the node's arcs and their ends' costs in sectors of 32 bytes. With few lanes, a round's chain of loads. */
#include "kernels/cuda/frontier/clock.h"

#include "kernels/clock.h"
#include "kernels/cuda/device/grid.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/frontier/answers.h"
#include "kernels/cuda/frontier/falling.h"

/* tests/bench/clock, New York and NE. */
enum {
    CLOCK_THREADS = 1024,      /* of a block, at most ... */
    CLOCK_THREADS_LEAST = 128, /* ... and at least */
    CLOCK_RESIDENT = 1024,     /* threads that a multiprocessor has room for */
    CLOCK_BATCH = 4,           /* lanes of a batch, for each block */
    CLOCK_DELTA = 4,           /* objectives of a step, in mean weights */
    LIST_SHARE = 16,           /* a list has room for one in 16 nodes, ... */
    LIST_LEAST = 1 << 12,      /* ... and at least for 4096, or for all */
    ARCS_TOGETHER = 4,         /* arcs of a node whose ends are loaded together */
};

/* A node that waits, and its objective when it was listed. */
struct clock_entry {
    mcd_node node;
    uint32_t objective;
};

/* The lists of a search: two of near nodes and two of far ones, by turn. */
enum { NEAR = 0, FAR = 2, LISTS = 4 };

/* The data that all blocks share. */
struct clock_searches {
    mcd_node node_count;
    const mcd_arc *first;
    const mcd_clock_arc *arc;
    const mcd_weight *companion; /* NULL without joint costs */
    mcd_patterns patterns;
    mcd_sssp_job asked;
    const uint32_t *instant; /* by lane */
    uint32_t *objective;     /* [block * node_count] */
    uint64_t *joint;         /* likewise; NULL without companions */
    clock_entry *entry;      /* [(block * LISTS + list) * capacity] */
    unsigned capacity;
    uint32_t delta;
};

struct clock_shared {
    unsigned count[LISTS]; /* more than the capacity: some entries are lost */
    uint32_t least;        /* far objective */
    size_t settled;        /* columns, from the first on */
};

/* Cost: uint32_t, the objectives; or uint64_t, the joint costs after them. */
template <class Cost> class clock_search
{
  public:
    __device__ clock_search(const clock_searches &the_job, clock_shared *the_shared)
        : job(the_job), asked(the_job.asked), shared(the_shared),
          arrived(the_job.objective + (size_t)blockIdx.x * the_job.node_count),
          lists(the_job.entry + (size_t)blockIdx.x * LISTS * the_job.capacity)
    {
        if constexpr (IS_JOINT)
            dist = the_job.joint + (size_t)blockIdx.x * the_job.node_count;
        else
            dist = arrived;
    }

    __device__ void find(size_t lane)
    {
        begin(lane);
        while (take_step() && !is_done())
            ;
        __syncthreads();
    }

    __device__ void write(size_t lane) const
    {
        for (size_t i = threadIdx.x; i < asked.column_count; i += blockDim.x) {
            const size_t at = lane * asked.lane_stride + i * asked.column_stride;
            answer_cost(load_cost(&dist[asked.column ? asked.column[i] : i]), asked.limit, asked.raw,
                        value_at(asked.objective, at), value_at(asked.companion, at));
        }
        __syncthreads(); /* before the costs become the next lane's */
    }

  private:
    static constexpr bool IS_JOINT = sizeof(Cost) == sizeof(uint64_t);

    /* Returns whether joint costs may be of the node: their objective is the final one. */
    __device__ bool is_final(mcd_node node, Cost cost) const
    {
        return !IS_JOINT || load_cost(&arrived[node]) == cost_objective(cost);
    }

    /* The far list seems to have lost entries, so the first step looks at all nodes, and finds the seeds. */
    __device__ void begin(size_t lane)
    {
        for (mcd_node v = threadIdx.x; v < job.node_count; v += blockDim.x) dist[v] = ~(Cost)0;
        if (threadIdx.x < LISTS) shared->count[threadIdx.x] = 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (const mcd_seed &seed : asked.lane[lane].seed) {
                if (seed.node == MCD_NODE_NONE) break;
                const Cost cost = cost_of<Cost>(seed.objective, seed.companion);
                if (seed.objective <= asked.limit && is_final(seed.node, cost))
                    dist[seed.node] = min(dist[seed.node], cost);
            }
            shared->count[FAR] = UINT32_MAX;
            shared->least = UINT32_MAX;
            shared->settled = 0;
        }
        base = job.instant[lane];
        bound = near_turn = far_turn = 0;
        __syncthreads();
    }

    __device__ void append(unsigned list, mcd_node node, uint32_t objective)
    {
        const unsigned at = atomicAdd(&shared->count[list], 1u);
        if (at < job.capacity) lists[(size_t)list * job.capacity + at] = {node, objective};
    }

    /* Calls visit(node, objective) for the nodes of a list that wait; if entries are lost, for all nodes whose objectives
     * are from `low` on and below `high`. */
    template <class Visit>
    __device__ void each_of(unsigned list, uint32_t low, uint32_t high, const Visit &visit)
    {
        const unsigned count = shared->count[list];
        if (count <= job.capacity)
            for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
                const clock_entry entry = lists[(size_t)list * job.capacity + i];
                if (cost_objective(load_cost(&dist[entry.node])) == entry.objective)
                    visit(entry.node, entry.objective);
            }
        else
            for (mcd_node v = threadIdx.x; v < job.node_count; v += blockDim.x) {
                const uint32_t objective = cost_objective(load_cost(&dist[v]));
                if (objective >= low && objective < high) visit(v, objective);
            }
    }

    /* Makes the nearest of the far nodes near and takes the step's rounds; returns false if there are none. */
    __device__ bool take_step()
    {
        const uint32_t before = bound;
        uint32_t low = UINT32_MAX;
        each_of(FAR + far_turn, before, UINT32_MAX, [&](mcd_node, uint32_t at) { low = min(low, at); });
        low = __reduce_min_sync(WARP_ALL, low);
        if (threadIdx.x % WARP == 0) atomicMin(&shared->least, low);
        __syncthreads();
        step_low = shared->least;
        if (step_low == UINT32_MAX) return false;
        bound = step_low + job.delta;
        each_of(FAR + far_turn, before, UINT32_MAX, [&](mcd_node node, uint32_t at) {
            append(at < bound ? NEAR + near_turn : FAR + !far_turn, node, at);
        });
        __syncthreads();
        if (threadIdx.x == 0) shared->count[FAR + far_turn] = 0, shared->least = UINT32_MAX;
        far_turn = !far_turn;
        __syncthreads();
        while (take_round())
            ;
        return true;
    }

    /* Relaxes the arcs of the near nodes; returns false if there were none. */
    __device__ bool take_round()
    {
        if (shared->count[NEAR + near_turn] == 0) return false;
        each_of(NEAR + near_turn, step_low, bound, [&](mcd_node node, uint32_t) { relax_node(node); });
        __syncthreads();
        if (threadIdx.x == 0) shared->count[NEAR + near_turn] = 0;
        near_turn = !near_turn;
        __syncthreads();
        return true;
    }

    __device__ void relax_node(mcd_node node)
    {
        const Cost from = load_cost(&dist[node]);
        const uint32_t at = mcd_clock_instant(base, cost_objective(from), asked.direction);
        const mcd_arc end = job.first[node + 1];
        for (mcd_arc arc = job.first[node]; arc < end; arc += ARCS_TOGETHER) {
            mcd_clock_arc of[ARCS_TOGETHER];
            Cost to[ARCS_TOGETHER];
#pragma unroll
            for (unsigned k = 0; k < ARCS_TOGETHER; ++k)
                if (arc + k < end) of[k] = job.arc[arc + k];
#pragma unroll
            for (unsigned k = 0; k < ARCS_TOGETHER; ++k)
                to[k] = arc + k < end ? load_cost(&dist[of[k].end]) : 0;
#pragma unroll
            for (unsigned k = 0; k < ARCS_TOGETHER; ++k)
                if (arc + k < end) relax(of[k], arc + k, from, at, to[k]);
        }
    }

    /* to: the cost of the arc's end, or more. */
    __device__ void relax(const mcd_clock_arc &of, mcd_arc arc, Cost from, uint32_t at, Cost to)
    {
        const mcd_weight companion = IS_JOINT ? job.companion[arc] : 0;
        if (cost_add(from, cost_of<Cost>(min(of.own + of.price, MCD_UNREACHED), companion)) >= to)
            return; /* at best */
        const Cost weight = cost_of<Cost>(mcd_clock_cost(&job.patterns, &of, at, asked.direction), companion);
        const Cost sum = cost_add(from, weight);
        if (sum >= to || cost_objective(sum) > asked.limit || !is_final(of.end, sum) ||
            lower_cost(&dist[of.end], sum) <= sum)
            return;
        append(cost_objective(sum) < bound ? NEAR + !near_turn : FAR + far_turn, of.end, cost_objective(sum));
    }

    /* Returns whether all columns are settled: their objectives are below the bound. */
    __device__ bool is_done()
    {
        if (!asked.column) return false;
        for (size_t first = shared->settled; first < asked.column_count; first += blockDim.x) {
            const size_t i = first + threadIdx.x;
            const bool is =
                i >= asked.column_count || cost_objective(load_cost(&dist[asked.column[i]])) < bound;
            if (!__syncthreads_and(is)) return false;
            if (threadIdx.x == 0) shared->settled = first + blockDim.x;
        }
        return true;
    }

    const clock_searches &job;
    const mcd_sssp_job &asked;
    clock_shared *const shared;
    uint32_t *const arrived;
    clock_entry *const lists;
    Cost *dist;
    uint32_t base;            /* the lane's instant */
    uint32_t step_low, bound; /* near objectives are from step_low on and below `bound` */
    unsigned near_turn, far_turn;
};

/* A block takes every gridDim-th lane. */
template <class Cost>
static __global__ void __launch_bounds__(CLOCK_THREADS)
    search_clock(__grid_constant__ const clock_searches job)
{
    __shared__ clock_shared shared;
    clock_search<uint32_t> objectives(job, &shared);
    for (size_t lane = blockIdx.x; lane < job.asked.lane_count; lane += gridDim.x) {
        objectives.find(lane);
        if constexpr (sizeof(Cost) == sizeof(uint64_t)) {
            clock_search<Cost> costs(job, &shared);
            costs.find(lane);
            costs.write(lane);
        } else
            objectives.write(lane);
    }
}

/* ---- the host's side ---- */

static void copy_clock(gpu_clock *clock, const mcd_clock_arcs *host)
{
    const mcd_graph *const graph = host->graph;
    const mcd_patterns &patterns = host->patterns;
    const size_t rates = (size_t)patterns.pattern_count * patterns.slot_count;
    gpu_share share;
    gpu_call call(clock->gpu);
    const uint64_t each = sizeof(mcd_clock_arc) + (host->companion[0] ? sizeof(mcd_weight) : 0);
    share.make_room(call, 2 * (each * graph->arc_count + graph->node_count * sizeof(mcd_arc)) + rates,
                    "patterns");
    clock->node_count = graph->node_count;
    clock->own_mean = host->own_mean;
    clock->rate.copy(call, patterns.rate, rates, "copying patterns");
    clock->patterns = {clock->rate.get(), patterns.pattern_count, patterns.slot_count};
    for (int direction = 0; direction < 2; ++direction) {
        if (!host->arc[direction]) continue;
        clock->first[direction].copy(call, direction == MCD_FORWARD ? graph->first_out : graph->first_in,
                                     (size_t)graph->node_count + 1, "copying the graph");
        clock->arc[direction].copy(call, host->arc[direction], graph->arc_count, "copying arcs");
        if (host->companion[direction])
            clock->companion[direction].copy(call, host->companion[direction], graph->arc_count,
                                             "copying weights");
    }
    call.synchronize();
}

mcd_device_clock *mcd_cuda_clock_new(mcd_device *device, const mcd_clock_arcs *arcs)
{
    const auto fill = [&](mcd_device_clock *made) {
        made->device = device;
        on_each_gpu(device->gpu_count, [&](size_t g) {
            made->on[g] = object_new<gpu_clock>("patterns");
            made->on[g]->gpu = &device->gpu[g];
            copy_clock(made->on[g], arcs);
        });
    };
    return object_new<mcd_device_clock>("patterns", fill, mcd_cuda_clock_free);
}

void mcd_cuda_clock_free(mcd_device_clock *clock)
{
    if (!clock) return;
    for (gpu_clock *on : clock->on) object_free(on);
    object_free(clock);
}

/* How one GPU's lanes are divided among blocks. */
struct clock_plan {
    unsigned threads, capacity;
    size_t blocks, batch;
    uint64_t block_bytes, lane_bytes,
        other_bytes; /* of memory: for a block, for a lane of a batch, and besides */
};

static clock_plan plan_clock(const gpu_clock &clock, const lanes_job &job, size_t lane_count, bool stay)
{
    const size_t cost_bytes = sizeof(uint32_t) + (job.companion ? sizeof(uint64_t) : 0);
    const size_t resident = (size_t)clock.gpu->processor_count * CLOCK_RESIDENT;
    clock_plan plan = {};
    plan.threads = (unsigned)mcd_size_max(CLOCK_THREADS_LEAST,
                                          mcd_size_min(resident / lane_count / WARP * WARP, CLOCK_THREADS));
    plan.blocks = mcd_size_min(lane_count, resident / plan.threads);
    plan.batch = mcd_size_min(lane_count, CLOCK_BATCH * plan.blocks);
    plan.capacity =
        (unsigned)mcd_size_min(clock.node_count, mcd_size_max(clock.node_count / LIST_SHARE, LIST_LEAST));
    plan.block_bytes = clock.node_count * cost_bytes + LISTS * plan.capacity * sizeof(clock_entry);
    plan.lane_bytes = stay ? 0 : 2 * job.quantity_count() * job.column_count * sizeof(uint32_t);
    plan.other_bytes = lane_count * (sizeof(mcd_lane) + sizeof(uint32_t)) +
                       (job.column ? job.column_count * sizeof(mcd_node) : 0);
    return plan;
}

/* Makes the plan fit in `bytes`. */
static void shrink_plan(clock_plan *plan, uint64_t bytes)
{
    const uint64_t left = bytes - plan->other_bytes;
    plan->blocks = mcd_size_max(1, mcd_size_min(plan->blocks, left / (plan->block_bytes + plan->lane_bytes)));
    if (plan->lane_bytes > 0)
        plan->batch = mcd_size_min(plan->batch, (left - plan->blocks * plan->block_bytes) / plan->lane_bytes);
}

static void run_clock(const lanes_job &job, const gpu_clock &clock, const uint32_t *instant, size_t first,
                      size_t count, const mcd_parallel &parallel, gpu_progress *progress)
{
    gpu_share share;
    lane_answers answers; /* freed after the end of the call's streams, also if it fails */
    gpu_array<mcd_lane> lanes;
    gpu_array<uint32_t> instants;
    gpu_array<uint32_t> objective;
    gpu_array<uint64_t> joint;
    gpu_array<clock_entry> entry;
    gpu_call call(clock.gpu);
    answers.stay = answers_stay(call, job);
    clock_plan plan = plan_clock(clock, job, count, answers.stay);
    share.take(call, plan.other_bytes + plan.block_bytes + plan.lane_bytes,
               plan.other_bytes + plan.blocks * plan.block_bytes + plan.batch * plan.lane_bytes, "trees");
    shrink_plan(&plan, share.bytes());
    answers.allocate(call, job, {0, clock.node_count}, 0, 1, plan.batch, count > plan.batch ? 2 : 1);
    lanes.copy(call, job.lane + first, count, "copying sources");
    instants.copy(call, instant + first, count, "copying instants");
    objective.allocate(call, plan.blocks * clock.node_count, "allocating costs");
    if (job.companion) joint.allocate(call, plan.blocks * clock.node_count, "allocating costs");
    entry.allocate(call, plan.blocks * LISTS * plan.capacity, "allocating lists");
    const int direction = job.direction;
    const uint64_t delta = mcd_size_min((uint64_t)CLOCK_DELTA * clock.own_mean, MCD_WEIGHT_MAX);
    clock_searches searches = {clock.node_count,
                               clock.first[direction].get(),
                               clock.arc[direction].get(),
                               clock.companion[direction].get(),
                               clock.patterns,
                               {},
                               nullptr,
                               objective.get(),
                               joint.get(),
                               entry.get(),
                               plan.capacity,
                               (uint32_t)delta};
    const auto kernel = job.companion ? &search_clock<uint64_t> : &search_clock<uint32_t>;
    answer_batches(call, answers, {first, count, 0}, plan.batch, parallel, progress,
                   [&](const lane_batch &batch) {
                       searches.asked = answers.on_gpu(batch);
                       searches.asked.lane = lanes.get() + (batch.first - first);
                       searches.instant = instants.get() + (batch.first - first);
                       call.run("searching with a clock",
                                {mcd_size_min(plan.blocks, batch.count), plan.threads}, kernel, searches);
                   });
}

void mcd_cuda_clock(const mcd_clock_job *asked)
{
    const mcd_device_clock *const clock = asked->arcs->device;
    const lanes_job job(asked->tree);
    const size_t gpus = mcd_size_min(clock->device->gpu_count, job.lane_count);
    if (gpus == 0 || clock->on[0]->node_count == 0) return;
    if (job.parent) fail(MACADAM_E_DEVICE, "no parents of searches with a clock"); /* the host finds them */
    gpu_progress progress(job.progress, job.phase(), job.lane_count);
    on_each_gpu(gpus, progress, [&](size_t g) {
        const size_t first = mcd_part_first(job.lane_count, g, gpus);
        const size_t end = mcd_part_first(job.lane_count, g + 1, gpus);
        run_clock(job, *clock->on[g], asked->instant, first, end - first,
                  parallel_of_gpu(job.parallel, g, gpus), &progress);
    });
}
