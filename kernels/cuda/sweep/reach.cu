/* reach.cu - reductions over one-to-all costs: nodes within limits, the farthest node, the nearest targets.
 * CPU twin: kernels/cpu/sweep/reach.c.
 *
 * Method. The sweep's costs stay in the registers of the warps that find them. A thread counts a piece's
 * nodes for its own lanes, limit by limit, and adds its counts to the lanes' tallies when the piece ends.
 * They are integers, so the order changes nothing. Two columns of a place that is cut off add to one tally (sources.h). Costs
 * of the nodes at which targets are reached are kept, and become costs of targets; one block per lane then selects the nearest.
 * Races. None: tallies are changed only by atomic additions; the rest is the sweep's.
 * Limit. For each node, lane and limit: a comparison and an addition, or two with values. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/pairwise/place_seeds.h"
#include "kernels/cuda/sweep/sweep.h"
#include "kernels/cuda/sweep/top_labels.h"
#include "kernels/cuda/device/table.h"

#include <algorithm>
#include <atomic>

enum {
    REACH_LANES = 16384,       /* of a batch: they share the chain of the upper layers ... */
    REACH_LANES_LARGE = 4096,  /* ... or only this many, if they would need more than ... */
    REACH_MEBIBYTES = 8 << 10, /* ... so much memory */
    REACH_BLOCK = 256,
    TARGET_LANES = 4,       /* whose costs a thread finds together */
    TARGETS_PER_TASK = 256, /* whose seeds a thread of the host lists together */
    FEW_LIMITS = 4,         /* more would take registers from lanes */
};

/* ---- nodes ---- */

/* The facts of a node that a sweep reads, in one load. mark: NODE_COUNTS, and the node's row among the
 * targets' costs or NO_ROW. */
struct alignas(8) reach_node {
    uint32_t value, mark;
};

static constexpr uint32_t NODE_COUNTS = 1u << 31, NO_ROW = NODE_COUNTS - 1;

/* In   counted, value by node; may be NULL.
 * Grid one thread per node. Races none. Limit memory. */
static __global__ void mark_nodes(const uint8_t *__restrict__ counted, const uint32_t *__restrict__ value,
                                  size_t node_count, reach_node *node)
{
    const size_t v = thread_index();
    if (v > node_count) return; /* sweeps read one after the last and never write it */
    const bool counts = v < node_count && (!counted || counted[v]);
    node[v] = {value && v < node_count ? value[v] : 0, NO_ROW | (counts ? NODE_COUNTS : 0)};
}

/* Where a target is reached from, and at what cost. */
struct target_seed {
    mcd_node node;
    mcd_weight cost;
};

/* Lists where targets are reached from: each has `most` seeds, the last ones without a node.
 * Grid one thread per target. Races none. Limit  latency: four loads after another, of few targets. */
static __global__ void seed_targets(place_roads roads, const mcd_nearest_road *__restrict__ target,
                                    size_t target_count, uint32_t most, target_seed *seed)
{
    const size_t t = thread_index();
    if (t >= target_count) return;
    target_seed *const own = seed + t * most;
    const mcd_node junction = roads.junction_of(target[t], false);
    uint32_t count = 0;
    if (junction != MCD_NODE_NONE) own[count++] = {junction, 0};
    roads.each_part(target[t], false, [&](const mcd_seed_part &part) {
        const mcd_weight cost = roads.seed_of(part, false).objective;
        if (cost < MCD_UNREACHED) own[count++] = {part.node, cost};
    });
    for (; count < most; ++count) own[count] = {MCD_NODE_NONE, 0};
}

/* The first of several seeds at a node gives the node its row.
 * Grid one thread per seed. Races harmless: the minimum is the same in every order. */
static __global__ void mark_targets(const target_seed *__restrict__ seed, size_t seed_count, reach_node *node)
{
    const size_t s = thread_index();
    if (s >= seed_count || seed[s].node == MCD_NODE_NONE) return;
    uint32_t *const mark = &node[seed[s].node].mark;
    atomicMin(mark, (*mark & NODE_COUNTS) | (uint32_t)s);
}

/* Grid one thread per seed. Races none. */
static __global__ void list_rows(const target_seed *__restrict__ seed, size_t seed_count,
                                 const reach_node *__restrict__ node, uint32_t *row)
{
    const size_t s = thread_index();
    if (s >= seed_count) return;
    row[s] = seed[s].node == MCD_NODE_NONE ? NO_ROW : node[seed[s].node].mark & NO_ROW;
}

/* Out  cost[target * stride + lane]: the least over the target's seeds, from their rows. first: NULL: each has `most`.
 * Grid one thread per target and LANES lanes. Races none. Limit  memory: each row is read once for each seed in it. */
template <int LANES>
static __global__ void cost_targets(const target_seed *__restrict__ seed, const uint32_t *__restrict__ first,
                                    uint32_t most, const uint32_t *__restrict__ row, size_t target_count,
                                    const uint32_t *__restrict__ at_node, size_t stride, uint32_t *cost)
{
    const size_t in_row = stride / LANES, t = thread_index() / in_row, lane = thread_index() % in_row * LANES;
    lanes<uint32_t, LANES> best;
    if (t >= target_count) return;
    for (int k = 0; k < LANES; ++k) best.lane[k] = MCD_UNREACHED;
    const uint32_t begin = first ? first[t] : (uint32_t)t * most, end = first ? first[t + 1] : begin + most;
    for (uint32_t s = begin; s < end; ++s) {
        if (row[s] == NO_ROW) continue;
        const auto at = *reinterpret_cast<const lanes<uint32_t, LANES> *>(at_node + row[s] * stride + lane);
        for (int k = 0; k < LANES; ++k) best.lane[k] = min(best.lane[k], at.lane[k] + seed[s].cost);
    }
    *reinterpret_cast<lanes<uint32_t, LANES> *>(cost + t * stride + lane) = best;
}

/* ---- tallies ---- */

/* The results of all lanes, summed over all pieces. */
struct reach_tally {
    uint32_t *count;         /* [limit * stride + lane] how many nodes are within the limit */
    unsigned long long *sum; /* [limit * stride + lane] the sum of their values; NULL: not requested */
    uint32_t *reached;       /* [lane] nodes with a path; NULL, like the next: not requested */
    uint32_t *remote;        /* [lane] MCD_WEIGHT_MAX less the greatest cost; greater: nothing is reached */
    unsigned long long *cost_sum; /* [lane] sum of the costs of reached nodes; NULL: not requested */
    size_t stride;
};

/* A piece's nodes within a limit: only their count; or their count and the sum of their values, both in
 * one number. */
enum { SUM_BITS = 48 };
static_assert(PIECE_NODES_MAX < 1 << (64 - SUM_BITS) &&
                  (uint64_t)PIECE_NODES_MAX * UINT32_MAX < UINT64_C(1) << SUM_BITS,
              "the count and the sum of a piece fit side by side");

template <class Found> static __device__ Found found_node(uint32_t value)
{
    return sizeof(Found) == 8 ? (Found)((uint64_t)1 << SUM_BITS | value) : (Found)1;
}

static __device__ void tally_found(const reach_tally &tally, size_t at, uint32_t found)
{
    if (found > 0) atomicAdd(&tally.count[at], found);
}

static __device__ void tally_found(const reach_tally &tally, size_t at, uint64_t found)
{
    const uint64_t sum = found & ((UINT64_C(1) << SUM_BITS) - 1);
    tally_found(tally, at, (uint32_t)(found >> SUM_BITS));
    if (sum > 0) atomicAdd(&tally.sum[at], (unsigned long long)sum);
}

static __device__ uint32_t sum_of_warp(uint32_t value)
{
    return __reduce_add_sync(WARP_ALL, value);
}

static __device__ uint64_t sum_of_warp(uint64_t value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(WARP_ALL, value, step);
    return value;
}

/* A sink of up to LIMITS limits. Found: uint32_t, or uint64_t with sums of values. COSTS: sums of costs
 * are requested. */
template <int LIMITS, class Found, bool COSTS> struct reach_sink {
    static constexpr uint32_t LANES_MAX = LIMITS > FEW_LIMITS ? 2 : 4,
                              PLACE_LANES_MAX = 2; /* 4 would take too many registers */
    const reach_node *node;
    uint32_t *target_cost; /* [row * tally.stride + lane] */
    reach_tally tally;
    cut_off_columns cut_off;
    uint32_t bound[LIMITS + 1]; /* costs below it are within the limit; 0 if there is no such limit */

    template <int LANES> struct piece {
        const reach_sink &sink;
        const uint32_t lane;
        reach_node now;
        Found within[LIMITS + 1][LANES];
        uint32_t reached[LANES], remote[LANES];
        uint64_t cost_sum[COSTS ? LANES : 1];

        __device__ piece(const reach_sink &of, uint32_t first_lane) : sink(of), lane(first_lane)
        {
            for (int k = 0; k < LANES; ++k) {
                for (int i = 0; i < LIMITS; ++i) within[i][k] = 0;
                reached[k] = 0, remote[k] = UINT32_MAX;
                if (COSTS) cost_sum[k] = 0;
            }
        }
        __device__ void expect(mcd_node coming)
        {
            now = sink.node[coming];
        }
        __device__ void write(mcd_node, const lanes<uint32_t, LANES> &cost)
        {
            keep(cost);
            count(cost);
        }
        __device__ void keep(const lanes<uint32_t, LANES> &cost)
        {
            const uint32_t row = now.mark & NO_ROW;
            if (row != NO_ROW)
                *reinterpret_cast<lanes<uint32_t, LANES> *>(sink.target_cost + row * sink.tally.stride +
                                                            lane) = cost;
        }
        __device__ void count(const lanes<uint32_t, LANES> &cost)
        {
            if (!(now.mark & NODE_COUNTS)) return;
            const Found one = found_node<Found>(now.value);
#pragma unroll
            for (int i = 0; i < LIMITS; ++i)
                for (int k = 0; k < LANES; ++k)
                    if (cost.lane[k] < sink.bound[i]) within[i][k] += one;
            if (!sink.tally.reached) return;
            for (int k = 0; k < LANES; ++k) {
                reached[k] += cost.lane[k] < MCD_UNREACHED;
                remote[k] = min(remote[k], MCD_WEIGHT_MAX - cost.lane[k]); /* unreached wraps to the most */
                if (COSTS) cost_sum[k] += cost.lane[k] < MCD_UNREACHED ? cost.lane[k] : 0;
            }
        }
        __device__ void flush()
        {
            for (int k = 0; k < LANES; ++k) flush_to(k, lane + k);
        }
        __device__ void flush_to(int k, size_t at)
        {
            const reach_tally &tally = sink.tally;
            for (int i = 0; i < LIMITS; ++i) tally_found(tally, i * tally.stride + at, within[i][k]);
            if (reached[k] == 0) return;
            atomicAdd(&tally.reached[at], reached[k]);
            atomicMin(&tally.remote[at], remote[k]);
            if (COSTS) atomicAdd(&tally.cost_sum[at], (unsigned long long)cost_sum[k]);
        }
        __device__ void flush_warp()
        {
            for (int i = 0; i < LIMITS; ++i) within[i][0] = sum_of_warp(within[i][0]);
            reached[0] = sum_of_warp(reached[0]);
            remote[0] = least_of_warp(remote[0]);
            if (COSTS) cost_sum[0] = sum_of_warp(cost_sum[0]);
            if (threadIdx.x % WARP == 0) flush();
        }
    };

    /* Costs of places that are cut off count only at the nodes that their positions decide. */
    template <int LANES> struct place_piece : piece<LANES> {
        decided_nodes decided[LANES];
        uint32_t own = MCD_SUBNETWORK_NONE; /* the node's of_node, if some column is of one */

        __device__ place_piece(const reach_sink &of, uint32_t first_lane) : piece<LANES>(of, first_lane)
        {
            for (int k = 0; k < LANES; ++k) {
                decided[k] = of.cut_off.decided_by(first_lane + k);
                if (of.cut_off.has(first_lane + k)) own = 0;
            }
        }
        __device__ void expect(mcd_node coming)
        {
            piece<LANES>::expect(coming);
            if (own != MCD_SUBNETWORK_NONE) own = this->sink.cut_off.members.of_node[coming];
        }
        __device__ void write(mcd_node, const lanes<uint32_t, LANES> &cost)
        {
            lanes<uint32_t, LANES> counted = cost;
            for (int k = 0; k < LANES && own != MCD_SUBNETWORK_NONE; ++k)
                if (!decided[k].has(this->sink.cut_off.members, own)) counted.lane[k] = MCD_UNREACHED;
            this->keep(cost);
            this->count(counted);
        }
        __device__ void flush()
        {
            const cut_off_columns &cut_off = this->sink.cut_off;
            for (int k = 0; k < LANES; ++k) {
                const uint32_t column = this->lane + k;
                this->flush_to(k, cut_off.has(column) ? cut_off.place_of(column) : column);
            }
        }
    };
};

/* Answers in the caller's layout. Any may be NULL. */
struct reach_answers {
    uint64_t *node_count, *value_sum; /* [lane * limit_count + i] */
    uint64_t *reached;
    uint32_t *eccentricity;
};

/* Grid one thread per lane. Races none. */
static __global__ void list_tallies(reach_tally tally, size_t lane_count, size_t limit_count,
                                    reach_answers answer)
{
    const size_t lane = thread_index();
    if (lane >= lane_count) return;
    for (size_t i = 0; i < limit_count; ++i) {
        const size_t from = i * tally.stride + lane, to = lane * limit_count + i;
        if (answer.node_count) answer.node_count[to] = tally.count[from];
        if (answer.value_sum) answer.value_sum[to] = tally.sum[from];
    }
    if (answer.reached) answer.reached[lane] = tally.reached[lane];
    if (answer.eccentricity)
        answer.eccentricity[lane] =
            tally.remote[lane] > MCD_WEIGHT_MAX ? MCD_COST_UNREACHED : MCD_WEIGHT_MAX - tally.remote[lane];
}

/* ---- the nearest ---- */

/* The data that a selection reads and writes. */
struct reach_nearest {
    const uint32_t *cost; /* [row * stride + lane] */
    size_t stride;
    const uint32_t *row; /* [target_count]; NO_ROW if the target failed; NULL: row t is that of target t */
    size_t target_count, nearest_count;
    uint32_t capacity; /* keys that a block holds: a power of two, at least REACH_BLOCK more than requested */
    uint32_t *found;   /* [lane] */
    uint32_t *position, *nearest_cost; /* [lane * nearest_count + rank] */
    cut_off_columns cut_off;
};

/* Sorts in ascending order, by the whole block. (Batcher 1968, bitonic sort) */
static __device__ void sort_keys(uint64_t *key, uint32_t count)
{
    for (uint32_t run = 2; run <= count; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
            for (uint32_t i = threadIdx.x; i < count / 2; i += REACH_BLOCK) {
                const uint32_t low = 2 * i - (i & (step - 1)), high = low + step;
                const uint64_t a = key[low], b = key[high];
                if ((a > b) == ((low & run) == 0)) key[low] = b, key[high] = a;
            }
            __syncthreads();
        }
}

/* A key is a cost and, in its low half, the target's position: all are distinct. Keys below the bound are
 * gathered. When there is no room for another REACH_BLOCK keys they are sorted, and the last requested one is
 * the new bound.
 * Grid   one block per lane. Blocks of neighbouring lanes read the same sectors of costs at nearly the same
 *        time.
 * Races  none: places come from an atomic counter, and sorting makes their order irrelevant.
 * Limit  if targets are many more than requested: their costs from the second-level cache, a sector of 32
 *        bytes each. */
static __global__ void __launch_bounds__(REACH_BLOCK) select_nearest(reach_nearest of)
{
    MCD_SHARED(uint64_t, key);
    __shared__ uint32_t held; /* keys */
    const size_t lane = blockIdx.x, column = of.cut_off.first_column(blockIdx.x);
    const uint32_t wanted = (uint32_t)of.nearest_count;
    uint64_t bound = (uint64_t)MCD_UNREACHED << 32;
    uint32_t count = 0; /* keys held, between barriers */
    if (threadIdx.x == 0) held = 0;
    __syncthreads();
    for (size_t first = 0; first < of.target_count; first += REACH_BLOCK) {
        const size_t t = first + threadIdx.x;
        const uint32_t row = t >= of.target_count ? NO_ROW : of.row ? of.row[t] : (uint32_t)t;
        const uint64_t own =
            row == NO_ROW ? UINT64_MAX : (uint64_t)of.cost[row * of.stride + column] << 32 | t;
        if (own < bound) key[atomicAdd(&held, 1u)] = own;
        count += __syncthreads_count(own < bound);
        if (count + REACH_BLOCK <= of.capacity && first + REACH_BLOCK < of.target_count) continue;
        uint32_t sorted = 1;
        while (sorted < count) sorted *= 2;
        for (uint32_t i = count + threadIdx.x; i < sorted; i += REACH_BLOCK) key[i] = UINT64_MAX;
        __syncthreads();
        sort_keys(key, sorted);
        if (count >= wanted) bound = key[wanted - 1];
        count = min(count, wanted);
        if (threadIdx.x == 0) held = count;
        __syncthreads();
    }
    if (threadIdx.x == 0) of.found[lane] = count;
    for (uint32_t i = threadIdx.x; i < wanted; i += REACH_BLOCK) {
        const uint64_t nearest = i < count ? key[i] : UINT64_MAX;
        of.position[lane * wanted + i] = (uint32_t)nearest;
        of.nearest_cost[lane * wanted + i] = (uint32_t)(nearest >> 32);
    }
}

/* ---- the host's side ---- */

/* The seeds of all targets. */
struct target_seeds {
    const target_seed *seed = nullptr; /* in pinned memory, if they fit a chunk */
    host_array<target_seed> own;
    host_array<uint32_t> first; /* by target */
    uint32_t most = 0;          /* not 0: the GPU lists them, as many of each target */
    size_t count = 0;
    bool are_targets = true; /* each target is a node, at no cost */

    void list(gpu_call &call, const mcd_lane *lane, const size_t *place, size_t targets,
              const mcd_parallel &parallel);
    void leave(const mcd_road_ends &ends, size_t targets);
};

/* The work of its threads. */
struct seeds_work {
    const mcd_lane *lane;
    const size_t *place;
    uint32_t *first;   /* by target: how many seeds it has, at least one; then, where they begin */
    target_seed *seed; /* by `first` */
    std::atomic<bool> are_targets{true};

    /* Calls visit(seed) for each of a target's. */
    template <class Visit> void each(size_t target, const Visit &visit) const
    {
        for (size_t l = lane_of(place, target); l < lane_of(place, target + 1); ++l)
            for (uint32_t s = 0, count = mcd_lane_seed_count(&lane[l]); s < count; ++s)
                visit(lane[l].seed[s]);
    }
};

static void count_seeds(void *argument, size_t first, size_t end)
{
    seeds_work &work = *(seeds_work *)argument;
    bool are_targets = true;
    for (size_t t = first; t < end; ++t) {
        uint32_t count = 0;
        work.each(t, [&](const mcd_seed &s) { ++count, are_targets &= s.objective == 0; });
        are_targets &= count <= 1;
        work.first[t] = count > 0 ? count : 1;
    }
    if (!are_targets) work.are_targets = false;
}

static void write_seeds(void *argument, size_t first, size_t end)
{
    const seeds_work &work = *(const seeds_work *)argument;
    for (size_t t = first; t < end; ++t) {
        target_seed *out = work.seed + work.first[t];
        *out = {MCD_NODE_NONE, 0}; /* if there is none */
        work.each(t, [&](const mcd_seed &s) { *out++ = {s.node, s.objective}; });
    }
}

static void check_seeds(size_t targets, size_t most)
{
    if (targets > NO_ROW / most)
        fail(MACADAM_E_DEVICE, "%zu targets are more than a device can name", targets);
}

void target_seeds::list(gpu_call &call, const mcd_lane *lane, const size_t *place, size_t targets,
                        const mcd_parallel &parallel)
{
    check_seeds(lane_of(place, targets), MCD_SEEDS_MAX);
    first.allocate(targets + 1, "targets");
    seeds_work work = {lane, place, first.get(), nullptr};
    mcd_parallel_for_ranges(&parallel, targets, TARGETS_PER_TASK, count_seeds, &work);
    for (size_t t = 0; t < targets; ++t) {
        const uint32_t of_target = first[t];
        first[t] = (uint32_t)count;
        count += of_target;
    }
    first[targets] = (uint32_t)count;
    const bool fits = count <= PINNED_BYTES / sizeof *seed;
    if (!fits) own.allocate(count, "targets");
    seed = work.seed = fits ? (target_seed *)call.pinned(1) : own.get(); /* chunk 0 is the ring's */
    mcd_parallel_for_ranges(&parallel, targets, TARGETS_PER_TASK, write_seeds, &work);
    are_targets = work.are_targets;
}

/* Leaves the list to the GPU. */
void target_seeds::leave(const mcd_road_ends &ends, size_t targets)
{
    most = std::max(2 * ends.arrival_most, 1u); /* a junction is one */
    check_seeds(targets, most);
    count = targets * most;
    are_targets = false;
}

/* One GPU's part of a job. Arrays that are not requested are empty. */
struct reach_run {
    const mcd_reach_job &job;
    gpu_weights &weights;
    gpu_progress &progress;
    const lane_part part;
    gpu_call &call;
    const macadam_reach &answer = job.answer;
    const size_t limits = answer.node_count || answer.value_sum ? job.limit_count : 0;
    const bool asks_farthest = answer.reached || answer.eccentricity || answer.cost_sum,
               asks_nearest = mcd_reach_asks_nearest(&answer);

    sweep_sources sources = {call,        weights,    *job.weights, job.first,
                             job.cut_off, part.first, part.count,   true};
    gpu_array<reach_node> node = {};
    target_seeds seeds = {};
    place_roads roads = {}; /* of targets that are on roads */
    gpu_array<target_seed> seed = {};
    gpu_array<uint32_t> row = {}, seed_first = {}; /* by seed, and by target */

    /* Of a batch, and its answers. */
    sweep_scratch<uint32_t> sweep = {sources.most()};
    gpu_array<uint32_t> seed_cost = {}, target_cost = {}, count = {}, reached = {}, remote = {};
    gpu_array<uint64_t> sum = {}, cost_sum = {};
    gpu_array<uint64_t> node_count = {}, value_sum = {}, reached_count = {};
    gpu_array<uint32_t> eccentricity = {}, found = {}, position = {}, nearest_cost = {};

    /* Calls visit(array, the caller's, elements per lane, whether kernels write it) for each answer. */
    template <class Visit> void each_answer(const Visit &visit)
    {
        const size_t nearest = job.nearest_count;
        visit(node_count, answer.node_count, limits, answer.node_count != nullptr);
        visit(value_sum, answer.value_sum, limits, answer.value_sum != nullptr);
        visit(reached_count, answer.reached, 1, asks_farthest);
        visit(eccentricity, answer.eccentricity, 1, asks_farthest);
        visit(cost_sum, answer.cost_sum, 1, answer.cost_sum != nullptr);
        visit(found, answer.nearest_found, 1, asks_nearest);
        visit(position, answer.nearest_position, nearest, asks_nearest);
        visit(nearest_cost, answer.nearest_cost, nearest, asks_nearest);
    }

    /* ---- questions ---- */

    /* Copies the host's array, if there is one. */
    template <class T> void supply_array(const T *from, size_t elements, gpu_array<T> *out)
    {
        if (!from) return;
        out->allocate(call, elements, "allocating a reach's questions");
        supply(call, out->get(), from, elements * sizeof(T), &part.parallel);
    }

    void enqueue_nodes()
    {
        const size_t nodes = weights.map->hierarchy.node_count;
        gpu_array<uint8_t> counted;
        gpu_array<uint32_t> value;
        node.allocate(call, nodes + 1, "allocating a reach's nodes");
        supply_array(job.counted, nodes, &counted);
        if (answer.value_sum) supply_array(job.value, nodes, &value);
        call.run("marking nodes", one_thread_each(nodes + 1), mark_nodes, counted.get(), value.get(), nodes,
                 node.get());
    }

    void enqueue_targets()
    {
        const launch_shape shape = one_thread_each(seeds.count);
        gpu_array<mcd_nearest_road> target;
        supply_array(job.target_road, job.target_count, &target);
        if (seeds.most) {
            seed.allocate(call, seeds.count, "allocating a reach's targets");
            call.run("seeds of targets", one_thread_each(job.target_count), seed_targets, roads, target.get(),
                     job.target_count, seeds.most, seed.get());
        }
        supply_array(seeds.seed, seeds.count, &seed);
        if (!seeds.are_targets && !seeds.most)
            supply_array(seeds.first.get(), job.target_count + 1, &seed_first);
        row.allocate(call, seeds.count, "allocating a reach's targets");
        call.run("marking targets", shape, mark_targets, seed.get(), seeds.count, node.get());
        call.run("marking targets", shape, list_rows, seed.get(), seeds.count, node.get(), row.get());
    }

    /* ---- batches ---- */

    /* Bytes on the GPU for each lane of a batch. */
    size_t lane_bytes() const
    {
        const size_t costs = seeds.count + (seeds.are_targets ? 0 : job.target_count),
                     nearest = asks_nearest ? costs + 2 * job.nearest_count + 1 : 0;
        return sweep_scratch_bytes<uint32_t>(*weights.map, sweep.most) + nearest * sizeof(uint32_t) +
               limits * (sizeof(uint32_t) + 3 * sizeof(uint64_t)) + 4 * sizeof(uint64_t);
    }

    /* The best number of lanes of a batch, were there memory enough. */
    size_t lanes_wanted() const
    {
        const uint64_t fit = ((uint64_t)REACH_MEBIBYTES << 20) / lane_bytes();
        return mcd_size_min(part.count, mcd_size_max(mcd_size_min(fit, REACH_LANES), REACH_LANES_LARGE));
    }

    /* Bytes besides those of lanes, including the questions that are being copied. */
    uint64_t other_bytes() const
    {
        const uint64_t nodes = weights.map->hierarchy.node_count + (uint64_t)1;
        return sources.bytes() + nodes * (sizeof(reach_node) + sizeof(uint8_t) + sizeof(uint32_t)) +
               seeds.count * (sizeof(target_seed) + 2 * sizeof(uint32_t)) +
               (seeds.most ? job.target_count * sizeof(mcd_nearest_road) : 0);
    }

    void allocate_batch(size_t lane_count)
    {
        static const char what[] = "allocating a reach's answers";
        const size_t stride = sources.stride(lane_count);
        if (limits > 0) count.allocate(call, limits * stride, what);
        if (answer.value_sum) sum.allocate(call, limits * stride, what);
        if (asks_farthest) gpu_allocate_all(call, what, reached, stride, remote, stride);
        if (asks_nearest) seed_cost.allocate(call, seeds.count * stride, what);
        if (asks_nearest && !seeds.are_targets) target_cost.allocate(call, job.target_count * stride, what);
        each_answer([&](auto &array, auto *, size_t each, bool is_written) {
            if (is_written) array.allocate(call, each * stride, what);
        });
    }

    template <int LIMITS, class Found, bool COSTS = false>
    void enqueue_tallies(size_t first, size_t lanes, const reach_tally &tally)
    {
        const sweep_places places = sources.at(first, lanes);
        reach_sink<LIMITS, Found, COSTS> sink = {node.get(), seed_cost.get(), tally, places.cut_off, {}};
        for (size_t i = 0; i < limits; ++i) sink.bound[i] = job.limit[i] + 1;
        enqueue_sweep<uint32_t>(call, weights, job.direction, places, &sweep, sink, sink.LANES_MAX);
    }

    void enqueue_sweep_of(size_t first, size_t lanes, const reach_tally &tally)
    {
        enum { MANY_LIMITS = MACADAM_REACH_LIMITS_MAX };
        if (tally.cost_sum) /* limits with sums of costs are rare: one kernel for any number of them */
            return limits == 0 ? enqueue_tallies<0, uint32_t, true>(first, lanes, tally)
                               : enqueue_tallies<MANY_LIMITS, uint64_t, true>(first, lanes, tally);
        if (limits == 0) return enqueue_tallies<0, uint32_t>(first, lanes, tally);
        if (limits > FEW_LIMITS)
            return tally.sum ? enqueue_tallies<MANY_LIMITS, uint64_t>(first, lanes, tally)
                             : enqueue_tallies<MANY_LIMITS, uint32_t>(first, lanes, tally);
        return tally.sum ? enqueue_tallies<FEW_LIMITS, uint64_t>(first, lanes, tally)
                         : enqueue_tallies<FEW_LIMITS, uint32_t>(first, lanes, tally);
    }

    void enqueue_nearest(size_t first, size_t lanes, size_t stride)
    {
        uint32_t capacity = REACH_BLOCK;
        while (capacity < job.nearest_count + REACH_BLOCK) capacity *= 2;
        const bool single = stride == 1;
        if (!seeds.are_targets)
            call.run("costs of targets",
                     one_thread_each(job.target_count * (single ? 1 : stride / TARGET_LANES)),
                     single ? cost_targets<1> : cost_targets<TARGET_LANES>, seed.get(), seed_first.get(),
                     seeds.most, row.get(), job.target_count, seed_cost.get(), stride, target_cost.get());
        const reach_nearest nearest = {seeds.are_targets ? seed_cost.get() : target_cost.get(),
                                       stride,
                                       seeds.are_targets ? row.get() : nullptr,
                                       job.target_count,
                                       job.nearest_count,
                                       capacity,
                                       found.get(),
                                       position.get(),
                                       nearest_cost.get(),
                                       sources.at(first, lanes).cut_off};
        call.run("selecting the nearest", {lanes, REACH_BLOCK, capacity * sizeof(uint64_t)}, select_nearest,
                 nearest);
    }

    /* `first`: the batch's first lane, counted from the part's. */
    void enqueue_batch(size_t first, size_t lanes)
    {
        const reach_tally tally = {count.get(),
                                   reinterpret_cast<unsigned long long *>(sum.get()),
                                   reached.get(),
                                   remote.get(),
                                   reinterpret_cast<unsigned long long *>(cost_sum.get()),
                                   sources.stride(first, lanes)};
        const reach_answers answers = {node_count.get(), value_sum.get(), reached_count.get(),
                                       eccentricity.get()};
        gpu_fill_all(call, 0, "clearing tallies", count, reached, sum, cost_sum);
        gpu_fill_all(call, 0xff, "clearing tallies", remote);
        if (weights.map->hierarchy.node_count > 0) enqueue_sweep_of(first, lanes, tally);
        if (asks_nearest) enqueue_nearest(first, lanes, tally.stride);
        call.run("listing answers", one_thread_each(lanes), list_tallies, tally, lanes, limits, answers);
    }

    void deliver_batch(size_t first, size_t lanes)
    {
        each_answer([&](auto &array, auto *to, size_t each, bool) {
            if (to)
                deliver(call, to + (part.first + first) * each, array.get(), lanes * each * sizeof *to,
                        &part.parallel);
        });
    }

    /* After scratch for `size` lanes has been taken. */
    void run(size_t size)
    {
        sources.copy(call, job.lane);
        enqueue_nodes();
        if (asks_nearest) enqueue_targets();
        allocate_batch(size);
        for (size_t first = 0; first < part.count; first += size) {
            const size_t lanes = mcd_size_min(size, part.count - first);
            enqueue_batch(first, lanes);
            deliver_batch(first, lanes);
            progress.step(lanes);
        }
        call.synchronize();
    }
};

void mcd_cuda_reach(const mcd_reach_job *job)
{
    gpu_progress progress(job->progress, "reach", job->lane_count);
    mcd_device_weights *const weights = job->weights->device;
    divide_lanes(weights, job->lane_count, job->parallel, progress, [&](const lane_part &part) {
        progress.step(0);
        gpu_weights &on = weights_on(*weights, part.gpu);
        count_labels(on, *job->weights->hierarchy, false, part.count);
        gpu_share share;
        gpu_call call(on.map->gpu);
        reach_run run = {*job, on, progress, part, call};
        if (job->target_road) {
            run.roads = place_roads_of(call, on, *job->weights, *job->snap);
            run.seeds.leave(run.roads.ends, job->target_count);
        } else if (run.asks_nearest) {
            run.seeds.list(call, job->target, job->target_first, job->target_count, part.parallel);
        }
        /* Before the scratch: its holder must not wait. */
        prepare_streams(call, run.weights, job->direction, false, part.count, run.lanes_wanted(), job->first);
        run.run(take_lanes(call, &share, run.lane_bytes(), run.lanes_wanted(), run.sources, run.other_bytes(),
                           "reach"));
    });
}
