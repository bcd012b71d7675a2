/* reach.c - reductions over one-to-all costs: nodes within limits, the farthest node, the nearest targets.
 *
 * Method. Costs live on the stack of a sweep (sweep.h) and in a block of nodes beside it, which is reduced
 * when it is full. The nodes of a block are near each other, so their least and greatest costs decide most
 * limits for the whole block. The other limits take one vector comparison a row and masked sums that stay in
 * registers. Values are summed in 16-bit halves, which cannot overflow 32 bits within a block. Targets are
 * compared when the sweep passes their nodes, and each lane keeps a heap of the least (cost, position).
 * Parallel. A pass sweeps up to four groups of 16 lanes. It may be cut anywhere into ranges of ids, each a
 * task. Every ancestor of a node in a range either is in the range or is an ancestor of the range's first
 * node. Of the nodes before it, a range therefore needs only the root path of its first node, which it sweeps
 * again. Each task has its own tally. The sums, minima and heaps of a pass's tallies give the pass's answers,
 * which are the same for any cuts.
 * Races. None: labels are written before the tasks that read them, and each tally by one task. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/rounds.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
#include "engine/base/top_k.h"
#include "kernels/cpu/sweep/sweep.h"

/* Measured by tests/bench/ratios on New York; 32 and 128 nodes are not faster. */
enum {
    BLOCK = 64,           /* nodes: the costs of a full pass take 16 KB */
    PASSES_PER_ROUND = 4, /* per thread */
    SPAN_NODES = 16384,   /* that a task sweeps between two questions whether to go on */
    TASKS_PER_THREAD = 2, /* at least, where there are few passes */
};
#define LOW_ONE (UINT32_C(1) << 24)
static_assert(BLOCK * UINT64_C(0xffff) < LOW_ONE && BLOCK <= UINT32_MAX / LOW_ONE,
              "the sums of a block's lower halves and of its ones fit side by side");

/* The results of a task, by lane of its pass; `stride` lanes. A key is a cost and, in its low half, a
 * target's position. */
typedef struct reach_tally {
    uint32_t *count;      /* [limit * stride + lane] how many nodes are within the limit */
    uint64_t *sum;        /* [limit * stride + lane] the sum of their values */
    uint32_t *remote;     /* [lane] MCD_WEIGHT_MAX less the greatest cost; greater: nothing is reached */
    uint64_t *cost_sum;   /* [lane] sum of the costs of reached nodes; NULL: not requested */
    uint64_t *bound;      /* [lane] a key at or above the bound is not among the nearest */
    uint64_t *near;       /* [lane * nearest_count] one heap per lane */
    uint32_t *near_count; /* [lane] */
} reach_tally;

/* One worker's scratch. */
typedef struct reach_worker {
    cost *stack;    /* [height * width * 16] */
    cost *block;    /* [BLOCK * width * 16] */
    mcd_node *path; /* [height] a root path, starting at the root */
} reach_worker;

typedef struct reach_plan {
    size_t width, group_count, pass_count; /* passes of `width` groups; the last may have fewer */
    size_t round, tally_count;             /* most passes and tasks of a round */
} reach_plan;

/* A job, and the data that its tasks share. */
typedef struct reach_run {
    const mcd_reach_job *job;
    reach_plan plan;
    size_t stride; /* lanes of a pass */
    sorted_lanes target;
    mcd_weight limit[MACADAM_REACH_LIMITS_MAX + 1]; /* and, last, the largest cost */
    reach_worker *worker;
    sweep_scratch *label;                       /* per pass of a round */
    reach_tally *tally;                         /* [pass * range_count + range] of a round */
    size_t first_pass, pass_count, range_count; /* of the round */
    mcd_rounds rounds;                          /* of lanes */
} reach_run;

/* The values of the block's nodes. Before the block is reduced they are only in `low`; afterwards in
 * halves, the lower one with a 1 for the node above it. */
typedef struct block_values {
    uint32_t low[BLOCK], high[BLOCK];
    uint64_t sum;
} block_values;

/* A task in progress. */
typedef struct reach_task {
    const reach_run *run;
    reach_tally *tally;
    const cost *stack;
    size_t width;
    cost *block; /* NULL: only targets are requested */
    size_t slot; /* the next free slot of the block */
    const uint8_t *counted;
    const uint32_t *value;
    block_values of_block;
    size_t target;        /* the next of the sorted targets */
    mcd_node target_node; /* its node */
} reach_task;

static size_t groups_of_pass(const reach_run *run, size_t pass)
{
    return mcd_size_min(run->plan.width, run->plan.group_count - (run->first_pass + pass) * run->plan.width);
}

/* ---- rows compared with a bound: costs and bounds are below 2^31 ---- */

typedef int32_t signed32 __attribute__((vector_size(VEC_BYTES), may_alias));

/* Adds weight in the lanes where `value` is below the bound. */
static inline row row_add_below(row sum, row value, uint32_t bound, uint32_t weight)
{
#if defined(__AVX512F__)
    sum.vec[0] = (vec)_mm512_mask_add_epi32(
        (__m512i)sum.vec[0], _mm512_cmplt_epi32_mask((__m512i)value.vec[0], _mm512_set1_epi32((int)bound)),
        (__m512i)sum.vec[0], _mm512_set1_epi32((int)weight));
#else
    const signed32 bounds = (signed32)vec_all(bound);
    EACH_VEC(i) sum.vec[i] += (vec)((signed32)value.vec[i] < bounds) & vec_all(weight);
#endif
    return sum;
}

/* ---- blocks ---- */

/* One group's costs in the block. */
typedef struct block_group {
    const cost *first; /* the row of slot 0 */
    size_t stride, slot_count;
    row least, greatest;
} block_group;

static inline row row_of_slot(const block_group *group, size_t slot)
{
    return row_load(group->first + slot * group->stride);
}

static void find_bounds(block_group *group)
{
    row low = row_all(MCD_UNREACHED), high = row_all(UINT32_MAX); /* complements: a minimum too */
    for (size_t slot = 0; slot < group->slot_count; ++slot) {
        const row value = row_of_slot(group, slot);
        EACH_VEC(i) low.vec[i] = vec_min(low.vec[i], value.vec[i]);
        EACH_VEC(i) high.vec[i] = vec_min(high.vec[i], ~value.vec[i]);
    }
    group->least = low;
    EACH_VEC(i) group->greatest.vec[i] = ~high.vec[i];
}

static void add_decided(const block_group *group, uint32_t bound, uint64_t value_sum, uint32_t *count,
                        uint64_t *sum)
{
    uint32_t below[LANES] __attribute__((aligned(64)));
    row_store(below, row_add_below(row_all(0), group->greatest, bound, UINT32_MAX));
    for (size_t l = 0; l < LANES; ++l) count[l] += below[l] & (uint32_t)group->slot_count;
    for (size_t l = 0; l < LANES && sum; ++l) sum[l] += below[l] ? value_sum : 0;
}

static void add_counts(const block_group *group, uint32_t bound, uint32_t *count)
{
    row sum = row_load(count);
    for (size_t slot = 0; slot < group->slot_count; ++slot)
        sum = row_add_below(sum, row_of_slot(group, slot), bound, 1);
    row_store(count, sum);
}

static void add_values(const block_group *group, uint32_t bound, const block_values *value, uint32_t *count,
                       uint64_t *sum)
{
    row low = row_all(0), high = row_all(0);
    for (size_t slot = 0; slot < group->slot_count; ++slot) {
        const row costs = row_of_slot(group, slot);
        low = row_add_below(low, costs, bound, value->low[slot]);
        high = row_add_below(high, costs, bound, value->high[slot]);
    }
    uint32_t part[2][LANES] __attribute__((aligned(64)));
    row_store(part[0], low);
    row_store(part[1], high);
    for (size_t l = 0; l < LANES; ++l) count[l] += part[0][l] / LOW_ONE;
    for (size_t l = 0; l < LANES; ++l) sum[l] += part[0][l] % LOW_ONE + ((uint64_t)part[1][l] << 16);
}

/* Usually all of a lane's costs are on one side of the limit, because the nodes of a block are near each
 * other. Then the least and the greatest decide. */
static void add_limit(const reach_task *task, const block_group *group, size_t g, size_t i)
{
    const reach_run *run = task->run;
    const size_t at = i * run->stride + g * LANES;
    const uint32_t bound = run->limit[i] + 1, some = row_below(group->least, bound);
    uint32_t *const count = task->tally->count + at;
    uint64_t *const sum = task->value && i < run->job->limit_count ? task->tally->sum + at : NULL;
    if (!some) return;
    if (row_below(group->greatest, bound) == some)
        add_decided(group, bound, task->of_block.sum, count, sum);
    else if (sum)
        add_values(group, bound, &task->of_block, count, sum);
    else
        add_counts(group, bound, count);
}

/* Keeps the greatest reached cost. An unreached one wraps to a value above every other. */
static void add_greatest(const block_group *group, uint32_t *remote)
{
    row best = row_load(remote);
    if (row_below(group->greatest, MCD_UNREACHED) == row_below(group->least, MCD_UNREACHED)) {
        EACH_VEC(i) best.vec[i] = vec_min(best.vec[i], vec_all(MCD_WEIGHT_MAX) - group->greatest.vec[i]);
    } else {
        for (size_t slot = 0; slot < group->slot_count; ++slot) {
            const row value = row_of_slot(group, slot);
            EACH_VEC(i) best.vec[i] = vec_min(best.vec[i], vec_all(MCD_WEIGHT_MAX) - value.vec[i]);
        }
    }
    row_store(remote, best);
}

/* Sums costs in halves, in the same way as values. */
static void add_costs(const block_group *group, uint64_t *cost_sum)
{
    row low = row_all(0), high = row_all(0);
    for (size_t slot = 0; slot < group->slot_count; ++slot) {
        const row value = row_of_slot(group, slot);
        EACH_VEC(i)
        {
            const vec reached =
                value.vec[i] & (vec)((signed32)value.vec[i] < (signed32)vec_all(MCD_UNREACHED));
            low.vec[i] += reached & vec_all(UINT16_MAX);
            high.vec[i] += reached >> 16;
        }
    }
    uint32_t part[2][LANES] __attribute__((aligned(64)));
    row_store(part[0], low);
    row_store(part[1], high);
    for (size_t l = 0; l < LANES; ++l) cost_sum[l] += part[0][l] + ((uint64_t)part[1][l] << 16);
}

static void child_values(block_values *value, size_t slot_count)
{
    value->sum = 0;
    for (size_t slot = 0; slot < slot_count; ++slot) {
        value->sum += value->low[slot];
        value->high[slot] = value->low[slot] >> 16;
        value->low[slot] = (value->low[slot] & UINT16_MAX) + LOW_ONE;
    }
}

static void reduce_block(reach_task *task)
{
    if (task->value) child_values(&task->of_block, task->slot);
    for (size_t g = 0; g < task->width; ++g) {
        block_group group = {task->block + g * LANES, task->width * LANES, task->slot, {{{0}}}, {{{0}}}};
        find_bounds(&group);
        for (size_t i = 0; i <= task->run->job->limit_count; ++i) add_limit(task, &group, g, i);
        add_greatest(&group, task->tally->remote + g * LANES);
        if (task->tally->cost_sum) add_costs(&group, task->tally->cost_sum + g * LANES);
    }
    task->slot = 0;
}

/* ---- targets ---- */

static inline void offer(const reach_run *run, const reach_tally *tally, size_t lane, uint64_t key)
{
    const size_t capacity = run->job->nearest_count;
    if (key >= tally->bound[lane]) return;
    uint64_t *heap = tally->near + lane * capacity;
    mcd_top_k_put(heap, &tally->near_count[lane], capacity, key);
    if (tally->near_count[lane] == capacity) tally->bound[lane] = heap[0];
}

static void seek_target(reach_task *task, size_t target)
{
    const sorted_lanes *sorted = &task->run->target;
    task->target = target;
    task->target_node = target < sorted->count ? sorted->lane[target].seed[0].node : MCD_NODE_NONE;
}

/* The first target at the node or after it. */
MCD_DEFINE_LOWER_BOUND(find_target, mcd_lane, .seed[0].node, mcd_node)

/* Takes all targets at node y, whose costs are on the stack. */
static void take_targets(reach_task *task, mcd_node y)
{
    const reach_run *run = task->run;
    const uint32_t depth = run->job->weights->hierarchy->depth[y];
    const cost *const value = task->stack + depth * task->width * LANES;
    for (; task->target_node == y; seek_target(task, task->target + 1)) {
        const uint32_t position = run->target.origin[task->target];
        for (size_t lane = 0; lane < task->width * LANES; ++lane)
            offer(run, task->tally, lane, (uint64_t)value[lane] << 32 | position);
    }
}

/* ---- tasks ---- */

static inline void take_node(void *context, size_t i, mcd_node y, const row *best, size_t width)
{
    reach_task *task = context;
    (void)i;
    if (y == task->target_node) take_targets(task, y);
    if (!task->block || (task->counted && !task->counted[y])) return;
    cost *const slot = task->block + task->slot * width * LANES;
#pragma GCC unroll 4
    for (size_t g = 0; g < width; ++g) row_store(slot + g * LANES, best[g]);
    if (task->value) task->of_block.low[task->slot] = task->value[y];
    if (++task->slot == BLOCK) reduce_block(task);
}

static inline void pass_node(void *context, size_t i, mcd_node y, const row *best, size_t width)
{
    (void)context, (void)i, (void)y, (void)best, (void)width;
}

/* `width` is a compile-time constant at each call. */
static inline __attribute__((always_inline)) void sweep_range(const reach_run *run, reach_task *task,
                                                              sweep_scratch *scratch, sweep_span path,
                                                              sweep_span nodes, const size_t width)
{
    const mcd_reach_job *job = run->job;
    sweep_nodes(job->weights, job->direction, path, scratch, width, pass_node, NULL);
    for (size_t first = nodes.first; first < nodes.end && mcd_watch_goes_on(&run->rounds.watch);
         first += SPAN_NODES) {
        const sweep_span span = {nodes.only, first, mcd_size_min(first + SPAN_NODES, nodes.end)};
        sweep_nodes(job->weights, job->direction, span, scratch, width, take_node, task);
    }
}

/* Lists the ancestors of `node`, starting at the root, without the node itself. */
static sweep_span list_path(const mcd_hierarchy *hierarchy, mcd_node node, mcd_node *path)
{
    const size_t count = hierarchy->depth[node];
    for (size_t depth = count; depth-- > 0;) path[depth] = node = hierarchy->parent[node];
    return (sweep_span){path, 0, count};
}

static void clear_tally(const reach_run *run, const reach_tally *tally)
{
    const size_t stride = run->stride;
    memset(tally->count, 0, (run->job->limit_count + 1) * stride * sizeof *tally->count);
    if (tally->sum) memset(tally->sum, 0, run->job->limit_count * stride * sizeof *tally->sum);
    memset(tally->remote, 0xff, stride * sizeof *tally->remote);
    if (tally->cost_sum) memset(tally->cost_sum, 0, stride * sizeof *tally->cost_sum);
    if (!tally->near) return;
    memset(tally->near_count, 0, stride * sizeof *tally->near_count);
    for (size_t lane = 0; lane < stride; ++lane) tally->bound[lane] = (uint64_t)MCD_UNREACHED << 32;
}

static void run_range(const reach_run *run, reach_task *task, sweep_scratch *scratch, sweep_span nodes,
                      mcd_node *path_node)
{
    const sweep_span path = list_path(run->job->weights->hierarchy, (mcd_node)nodes.first, path_node);
    if (task->width == 4)
        sweep_range(run, task, scratch, path, nodes, 4);
    else if (task->width == 3)
        sweep_range(run, task, scratch, path, nodes, 3);
    else if (task->width == 2)
        sweep_range(run, task, scratch, path, nodes, 2);
    else
        sweep_range(run, task, scratch, path, nodes, 1);
    if (task->slot > 0) reduce_block(task);
}

static void run_task(void *argument, size_t index, unsigned worker)
{
    const reach_run *run = argument;
    const mcd_reach_job *job = run->job;
    const size_t node_count = job->weights->hierarchy->node_count, range = index % run->range_count;
    const sweep_span nodes = {NULL, mcd_part_first(node_count, range, run->range_count),
                              mcd_part_first(node_count, range + 1, run->range_count)};
    sweep_scratch scratch = run->label[index / run->range_count];
    scratch.stack = run->worker[worker].stack;
    reach_task task = {.run = run,
                       .tally = &run->tally[index],
                       .stack = scratch.stack,
                       .width = groups_of_pass(run, index / run->range_count),
                       .block = mcd_reach_asks_more(&job->answer) ? run->worker[worker].block : NULL,
                       .counted = job->counted,
                       .value = job->answer.value_sum ? job->value : NULL};
    clear_tally(run, task.tally);
    seek_target(&task, find_target(run->target.lane, 0, run->target.count, (mcd_node)nodes.first));
    if (nodes.first < nodes.end) run_range(run, &task, &scratch, nodes, run->worker[worker].path);
}

static void run_label(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const reach_run *run = argument;
    const mcd_reach_job *job = run->job;
    const size_t pass = index / run->plan.width, group = index % run->plan.width;
    const size_t first = (run->first_pass * run->plan.width + index) * LANES;
    sweep_label(job->weights, job->direction, job->lane + first, mcd_size_min(LANES, job->lane_count - first),
                &run->label[pass], group);
}

/* ---- answers ---- */

static void deliver_sums(const reach_run *run, const reach_tally *tally, size_t l, size_t lane)
{
    const macadam_reach *answer = &run->job->answer;
    const size_t limit_count = run->job->limit_count;
    uint32_t least = UINT32_MAX;
    uint64_t reached = 0, cost_sum = 0;
    for (size_t r = 0; r < run->range_count; ++r) {
        if (answer->cost_sum) cost_sum += tally[r].cost_sum[l];
        if (tally[r].remote[l] < least) least = tally[r].remote[l];
        reached += tally[r].count[limit_count * run->stride + l];
    }
    if (answer->eccentricity)
        answer->eccentricity[lane] = least > MCD_WEIGHT_MAX ? MCD_COST_UNREACHED : MCD_WEIGHT_MAX - least;
    if (answer->reached) answer->reached[lane] = reached;
    if (answer->cost_sum) answer->cost_sum[lane] = cost_sum;
    for (size_t i = 0; i < limit_count; ++i) {
        uint64_t count = 0, sum = 0;
        for (size_t r = 0; r < run->range_count; ++r) {
            count += tally[r].count[i * run->stride + l];
            if (tally[r].sum) sum += tally[r].sum[i * run->stride + l];
        }
        if (answer->node_count) answer->node_count[lane * limit_count + i] = count;
        if (answer->value_sum) answer->value_sum[lane * limit_count + i] = sum;
    }
}

static void deliver_nearest(const reach_run *run, const reach_tally *tally, size_t l, size_t lane)
{
    const size_t capacity = run->job->nearest_count;
    uint64_t *const heap = tally[0].near + l * capacity;
    for (size_t r = 1; r < run->range_count; ++r)
        for (size_t i = 0; i < tally[r].near_count[l]; ++i)
            offer(run, &tally[0], l, tally[r].near[l * capacity + i]);
    const uint32_t found = tally[0].near_count[l];
    mcd_top_k_sort(heap, found);
    mcd_reach_deliver(&run->job->answer, lane, capacity, heap, found);
}

static void deliver_pass(void *argument, size_t pass, MCD_UNUSED unsigned worker)
{
    const reach_run *run = argument;
    const mcd_reach_job *job = run->job;
    const size_t first = (run->first_pass + pass) * run->stride;
    const reach_tally *tally = &run->tally[pass * run->range_count];
    for (size_t l = 0; l < mcd_size_min(run->stride, job->lane_count - first); ++l) {
        if (mcd_reach_asks_more(&job->answer)) deliver_sums(run, tally, l, first + l);
        if (mcd_reach_asks_nearest(&job->answer)) deliver_nearest(run, tally, l, first + l);
    }
}

/* ---- the job ---- */

static reach_plan plan_of(const mcd_reach_job *job)
{
    const size_t threads = job->parallel.thread_count, groups = (job->lane_count + LANES - 1) / LANES;
    reach_plan plan = {.width = mcd_size_min(WIDTH, groups), .group_count = groups};
    plan.pass_count = (groups + plan.width - 1) / plan.width;
    plan.round = mcd_size_min(plan.pass_count, threads * PASSES_PER_ROUND);
    plan.tally_count = plan.round + threads * TASKS_PER_THREAD; /* passes * ceil(tasks / passes) is less */
    return plan;
}

static reach_tally carve_tally(const mcd_reach_job *job, size_t stride, uintptr_t *memory)
{
    const size_t limits = job->limit_count, nearest = job->nearest_count;
    reach_tally out = {.count = carve(memory, (limits + 1) * stride * sizeof *out.count),
                       .remote = carve(memory, stride * sizeof *out.remote)};
    if (job->answer.cost_sum) out.cost_sum = carve(memory, stride * sizeof *out.cost_sum);
    if (job->answer.value_sum) out.sum = carve(memory, limits * stride * sizeof *out.sum);
    if (!mcd_reach_asks_nearest(&job->answer)) return out;
    out.bound = carve(memory, stride * sizeof *out.bound);
    out.near = carve(memory, nearest * stride * sizeof *out.near);
    out.near_count = carve(memory, stride * sizeof *out.near_count);
    return out;
}

/* Lays the scratch out from `memory` on and returns its end, which is its size if `memory` is 0. `run` may
 * be NULL. */
static uintptr_t lay_out(const mcd_reach_job *job, const reach_plan *plan, uintptr_t memory, reach_run *run)
{
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const size_t stride = plan->width * LANES;
    for (size_t w = 0; w < job->parallel.thread_count; ++w) {
        reach_worker worker = {
            .stack = carve(&memory, hierarchy->height * stride * sizeof *worker.stack),
            .block = carve(&memory, BLOCK * stride * sizeof *worker.block),
            .path = carve(&memory, hierarchy->height * sizeof *worker.path),
        };
        if (run) run->worker[w] = worker;
    }
    for (size_t pass = 0; pass < plan->round; ++pass) {
        sweep_scratch label = {0};
        for (size_t g = 0; g < plan->width; ++g) sweep_carve_labels(&memory, hierarchy, &label, g);
        if (run) run->label[pass] = label;
    }
    for (size_t t = 0; t < plan->tally_count; ++t) {
        const reach_tally tally = carve_tally(job, stride, &memory);
        if (run) run->tally[t] = tally;
    }
    return memory;
}

size_t MCD_KERNEL(reach_scratch)(const mcd_reach_job *job)
{
    const reach_plan plan = plan_of(job);
    return lay_out(job, &plan, 0, NULL);
}

static macadam_status run_rounds(reach_run *run, macadam_error *error)
{
    const mcd_reach_job *job = run->job;
    const reach_plan *plan = &run->plan;
    const size_t threads = job->parallel.thread_count, tasks = threads > 1 ? threads * TASKS_PER_THREAD : 1;
    for (; run->first_pass < plan->pass_count; run->first_pass += run->pass_count) {
        run->pass_count = mcd_size_min(plan->round, plan->pass_count - run->first_pass);
        run->range_count = (tasks + run->pass_count - 1) / run->pass_count;
        const size_t groups =
            mcd_size_min(run->pass_count * plan->width, plan->group_count - run->first_pass * plan->width);
        mcd_rounds *const rounds = &run->rounds;
        const size_t first = run->first_pass * run->stride,
                     count = mcd_size_min(run->pass_count * run->stride, job->lane_count - first);
        MCD_TRY(mcd_rounds_for(rounds, first, 0, &job->parallel, groups, run_label, run, error));
        MCD_TRY(mcd_rounds_for(rounds, first, count, &job->parallel, run->pass_count * run->range_count,
                               run_task, run, error));
        MCD_TRY(mcd_rounds_for(rounds, first + count, 0, &job->parallel, run->pass_count, deliver_pass, run,
                               error));
    }
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(reach)(const mcd_reach_job *job, macadam_error *error)
{
    reach_run run = {.job = job, .plan = plan_of(job)};
    MCD_OWNED reach_worker *worker = NULL;
    MCD_OWNED sweep_scratch *label = NULL;
    MCD_OWNED reach_tally *tally = NULL;
    MCD_FREED_BY(mcd_sorted_lanes_free) sorted_lanes target = {0};
    MCD_TRY(MCD_NEW(worker, job->parallel.thread_count, error));
    MCD_TRY(MCD_NEW(label, run.plan.round, error));
    MCD_TRY(MCD_NEW(tally, run.plan.tally_count, error));
    if (mcd_reach_asks_nearest(&job->answer))
        MCD_TRY(mcd_sorted_lanes_new(&target, job->target, NULL, job->target_count, error));
    run.worker = worker, run.label = label, run.tally = tally, run.target = target;
    run.stride = run.plan.width * LANES;
    for (size_t i = 0; i < job->limit_count; ++i) run.limit[i] = job->limit[i];
    run.limit[job->limit_count] = MCD_WEIGHT_MAX;
    lay_out(job, &run.plan, (uintptr_t)job->scratch, &run);
    mcd_rounds_begin(&run.rounds, &job->progress, "reach", job->lane_count);
    return run_rounds(&run, error);
}
