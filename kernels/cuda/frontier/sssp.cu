/* sssp.cu - trees without a hierarchy on GPUs, by near-far or Bellman-Ford, and breadth-first searches. Many
 * trees are searched together if a block can search for one lane (searches.h), or if nodes have many arcs
 * (rows.h). Otherwise groups of blocks search for one lane after the other. Answers are delivered while the
 * next lanes are searched for. CPU twins: kernels/cpu/frontier/sssp.c, hops.c. */
#include "kernels/cuda/frontier/bellman_ford.h"
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/frontier/hops.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"
#include "kernels/cuda/frontier/rows.h"
#include "kernels/cuda/frontier/searches.h"
#include "kernels/cuda/device/table.h"

enum {
    LANES_TOGETHER = 32, /* lanes whose answers lie together if the caller has a node's lanes side by side */
    BATCH_SEARCHES = 4,  /* per block: lanes of a batch */
    /* Groups of blocks that search at the same time, because a single search waits most of its time;
     * tests/bench/papers.c. */
    GROUPS_ROADS = 8,
    GROUPS_OTHERS = 8,     /* on graphs of at most ... */
    GROUPS_ARCS = 1 << 25, /* ... this many arcs. Both: ... */
    GROUPS_NODES =
        1 << 14, /* ... of at least this many nodes: on fewer, threads and streams cost more than they save */
};

/* How the lanes of a batch are searched. */
enum lanes_engine { ONE_BY_ONE, BY_BLOCKS, BY_ROWS };

struct lanes_plan {
    lanes_engine engine;
    searches_plan blocks;
    bool stay;    /* lane_answers.stay */
    size_t batch; /* lanes */
    size_t groups;
    uint64_t lane_bytes, other_bytes; /* on the GPU: for each lane of a batch, and besides */
};

/* The lanes of a job that one GPU, or a group of its blocks, answers. */
struct lanes_part {
    const lanes_job *job;
    gpu_arcs *arcs;
    size_t first, count;
    mcd_parallel parallel;
    gpu_progress *progress;
};

template <class Cost> struct lanes_scratch {
    lane_answers answers;
    gpu_array<mcd_lane> lane;
    gpu_array<Cost> cost; /* of the blocks that have searches, or of the one search */
    gpu_scratch<rows_arrays> rows;
    gpu_scratch<frontier_arrays> frontier;
    gpu_array<rounds_state> rounds;
    hops_scratch hops;
    gpu_scratch<parents_arrays> parents;
    gpu_array<mcd_node> parent;
};

/* ---- one lane after the other ---- */

template <class Cost>
static void allocate_single(gpu_call &call, const lanes_part &part, lanes_scratch<Cost> *scratch)
{
    const lanes_job &job = *part.job;
    const gpu_arcs &arcs = *part.arcs;
    if (job.hops)
        scratch->hops.allocate(call, arcs, job.hops->strategy);
    else if (job.method == MCD_TREE_NEAR_FAR)
        scratch->frontier.allocate(call, "allocating frontiers", arcs.node_count, sizeof(Cost) == 8);
    else
        scratch->rounds.allocate(call, 1, "allocating rounds");
    if (!job.is_plain()) scratch->cost.allocate(call, arcs.node_count, "allocating costs");
    if (!job.parent) return;
    if (!job.hops) scratch->parents.allocate(call, "allocating ranks", arcs);
    scratch->parent.allocate(call, arcs.node_count, "allocating parents");
}

/* Enqueues the costs of the lane, and the parents. */
template <class Cost>
static void enqueue_tree(gpu_call &call, const lanes_part &part, size_t groups, const mcd_lane &lane,
                         lanes_scratch<Cost> *scratch, Cost *dist)
{
    const lanes_job &job = *part.job;
    if constexpr (sizeof(Cost) == sizeof(uint32_t))
        if (job.hops)
            return enqueue_hops(call, *part.arcs, job, lane, &scratch->hops, dist, scratch->parent.get());
    if (job.method == MCD_TREE_BELLMAN_FORD)
        enqueue_bellman_ford(call, *part.arcs, job, lane, scratch->rounds.get(), dist);
    else
        enqueue_frontier<weight_slot<Cost>>(call, *part.arcs, job, lane, (unsigned)groups, scratch->frontier,
                                            dist);
    if (job.parent)
        enqueue_parents(call, *part.arcs, job, lane, dist, 0, UINT32_MAX, scratch->parents,
                        scratch->parent.get());
}

/* Answers the k-th lane of a batch; `asked`: lane_answers.on_gpu(). */
template <class Cost>
static void answer_lane(gpu_call &call, const lanes_part &part, const lanes_plan &plan,
                        const mcd_sssp_job &asked, size_t lane, size_t k, lanes_scratch<Cost> *scratch)
{
    const lanes_job &job = *part.job;
    const size_t nodes = part.arcs->node_count;
    Cost *const dist =
        job.is_plain() ? (Cost *)(asked.objective + k * asked.lane_stride) : scratch->cost.get();
    enqueue_tree(call, part, plan.groups, job.lane_at(lane), scratch, dist);
    if (!job.is_plain()) enqueue_answers(call, dist, asked, k);
    if (job.parent)
        deliver(call, job.parent + lane * nodes, scratch->parent.get(), nodes * sizeof(mcd_node),
                &part.parallel);
}

/* ---- batches ---- */

template <class Cost>
static void allocate(gpu_call &call, const lanes_part &part, const lanes_plan &plan,
                     lanes_scratch<Cost> *scratch)
{
    scratch->answers.stay = plan.stay;
    scratch->answers.allocate(call, *part.job, part.arcs->own, 0, 1, plan.batch,
                              part.count > plan.batch ? 2 : 1);
    if (plan.engine == ONE_BY_ONE) return allocate_single(call, part, scratch);
    scratch->lane.copy(call, part.job->lane + part.first, part.count, "copying sources");
    if (plan.engine == BY_ROWS)
        return scratch->rows.allocate(call, "allocating rows", *part.arcs, part.job->companion != nullptr);
    scratch->cost.allocate(
        call, plan.blocks.cost_bytes / sizeof(Cost) * mcd_size_min(plan.batch, plan.blocks.block_count),
        "allocating costs");
}

template <class Cost>
static void answer_batch(gpu_call &call, const lanes_part &part, const lanes_plan &plan,
                         const lane_batch &batch, lanes_scratch<Cost> *scratch)
{
    mcd_sssp_job asked = scratch->answers.on_gpu(batch);
    asked.lane = scratch->lane.get() + (batch.first - part.first);
    if (plan.engine == BY_ROWS) return enqueue_rows(call, *part.arcs, asked, scratch->rows);
    if (plan.engine == BY_BLOCKS)
        return enqueue_searches(call, *part.arcs, plan.blocks, asked, scratch->cost.get());
    for (size_t k = 0; k < batch.count; ++k)
        answer_lane(call, part, plan, asked, batch.first + k, k, scratch);
    if (plan.groups > 1 && plan.stay) call.synchronize(); /* so that it can be cancelled */
}

template <class Cost>
static void run_batches(gpu_call &call, const lanes_part &part, const lanes_plan &plan,
                        lanes_scratch<Cost> *scratch)
{
    answer_batches(call, scratch->answers, {part.first, part.count, 0}, plan.batch, part.parallel,
                   part.progress,
                   [&](const lane_batch &batch) { answer_batch(call, part, plan, batch, scratch); });
}

template <class Cost>
static void run_alone(gpu_call &call, const lanes_part &part, const lanes_plan &plan,
                      lanes_scratch<Cost> *scratch)
{
    allocate(call, part, plan, scratch);
    run_batches(call, part, plan, scratch);
}

/* ---- plans ---- */

/* The number of groups that pays: frontiers are narrow on maps of roads, and short on small graphs. */
static size_t group_count(const lanes_part &part)
{
    const gpu_arcs &arcs = *part.arcs;
    if (part.job->hops || part.job->method != MCD_TREE_NEAR_FAR || arcs.node_count < GROUPS_NODES) return 1;
    if (!arcs.is_narrow() && arcs.arc_count > GROUPS_ARCS) return 1;
    return mcd_size_min(part.count, arcs.is_narrow() ? GROUPS_ROADS : GROUPS_OTHERS);
}

/* Bytes on the GPU for each group. */
static uint64_t group_bytes(const lanes_part &part)
{
    const lanes_job &job = *part.job;
    const gpu_arcs &arcs = *part.arcs;
    const bool joint = job.companion != nullptr;
    const uint64_t parents = arcs.node_count * sizeof(mcd_node) + scratch_bytes<parents_arrays>(arcs);
    return scratch_bytes<frontier_arrays>(arcs.node_count, joint) +
           arcs.node_count * (joint ? sizeof(uint64_t) : sizeof(uint32_t)) + (job.parent ? parents : 0);
}

/* Chooses how the part's lanes are searched. */
static lanes_plan make_plan(gpu_call &call, const lanes_part &part)
{
    const lanes_job &job = *part.job;
    const gpu_arcs &arcs = *part.arcs;
    lanes_plan plan = {
        ONE_BY_ONE, {}, false, job.column_stride > 1 && job.lane_stride == 1 ? (size_t)LANES_TOGETHER : 1,
        1,          0,  0};
    plan.stay = answers_stay(call, job);
    plan.lane_bytes = plan.stay ? 0 : 2 * job.quantity_count() * job.column_count * sizeof(uint32_t);
    plan.other_bytes = job.column ? job.column_count * sizeof(mcd_node) : 0;
    /* Each block can write its own lanes' answers. */
    const bool apart =
        !job.hops && job.method == MCD_TREE_NEAR_FAR && !job.parent && (plan.stay || job.column_stride == 1);
    if (apart && job.column_stride == 1 && rows_pay(arcs, part.count)) {
        plan.engine = BY_ROWS;
        plan.batch = blocks_of(part.count, blocks_of<size_t>(part.count, ROW_LANES));
        plan.other_bytes += scratch_bytes<rows_arrays>(arcs, job.companion != nullptr);
    } else if (apart && plan_searches(&plan.blocks, call, arcs, part.count, job.companion)) {
        plan.engine = BY_BLOCKS;
        plan.batch = mcd_size_min(part.count, BATCH_SEARCHES * plan.blocks.block_count);
        plan.lane_bytes += plan.blocks.cost_bytes;
    } else {
        plan.groups = group_count(part);
        plan.other_bytes += group_bytes(part);
        return plan;
    }
    plan.other_bytes += part.count * sizeof(mcd_lane);
    return plan;
}

/* ---- one GPU ---- */

/* The groups' scratch belongs to the call around them, in whose stream it is allocated and freed. The
 * driver takes 28 us to allocate memory again that several streams have freed (tests/bench/device.c, a matrix after
 * trees by near-far). */
template <class Cost> static void run_groups(gpu_call &call, const lanes_part &part, const lanes_plan &plan)
{
    on_each_gpu(plan.groups, *part.progress, [&](size_t g) {
        lanes_scratch<Cost> scratch; /* freed after the end of the group's streams */
        gpu_call group(call.gpu);
        group.is_scratch = true;
        const size_t first = mcd_part_first(part.count, g, plan.groups),
                     end = mcd_part_first(part.count, g + 1, plan.groups);
        const lanes_part of_group = {part.job,
                                     part.arcs,
                                     part.first + first,
                                     end - first,
                                     parallel_of_gpu(part.parallel, g, plan.groups),
                                     part.progress};
        allocate(call, of_group, plan, &scratch);
        call.synchronize();
        run_batches(group, of_group, plan, &scratch);
    });
}

template <class Cost> static void run_part(const lanes_part &part)
{
    gpu_share share;
    lanes_scratch<Cost> scratch; /* freed after the end of the call's streams, also if it fails */
    gpu_call call(part.arcs->gpu);
    lanes_plan plan = make_plan(call, part);
    if (plan.engine == ONE_BY_ONE && plan.groups == 1) return run_alone(call, part, plan, &scratch);
    if (plan.engine != BY_ROWS) /* slots stay, so they are made before scratch is taken */
        slots_of<weight_slot<Cost>>(call, *part.arcs, part.job->direction);
    const uint64_t one = plan.other_bytes + plan.lane_bytes,
                   batch = plan.other_bytes + plan.batch * plan.lane_bytes;
    if (plan.engine == ONE_BY_ONE) {
        share.take(call, batch, batch * plan.groups, "trees");
        plan.groups = mcd_size_max(1, mcd_size_min(plan.groups, share.bytes() / batch));
        return run_groups<Cost>(call, part, plan);
    }
    share.take(call, one, batch, "trees");
    if (plan.lane_bytes > 0)
        plan.batch = mcd_size_min(plan.batch, (share.bytes() - plan.other_bytes) / plan.lane_bytes);
    run_alone(call, part, plan, &scratch);
}

static void search_lanes(const lanes_job &job)
{
    const mcd_device_arcs *arcs = job.arcs->device;
    const size_t gpus = mcd_size_min(arcs->device->gpu_count, job.lane_count);
    if (gpus == 0 || arcs->on[0]->node_count == 0) return;
    if (arcs->is_partitioned) return partition_lanes(job);
    if (job.hops && hops_are_divided(*job.hops)) return hops_divided(job);
    gpu_progress progress(job.progress, job.phase(), job.lane_count);
    on_each_gpu(gpus, progress, [&](size_t g) {
        const size_t first = mcd_part_first(job.lane_count, g, gpus);
        const size_t end = mcd_part_first(job.lane_count, g + 1, gpus);
        const lanes_part part = {
            &job, arcs->on[g], first, end - first, parallel_of_gpu(job.parallel, g, gpus), &progress};
        (job.companion ? run_part<uint64_t> : run_part<uint32_t>)(part);
    });
}

void mcd_cuda_sssp(const mcd_sssp_job *job)
{
    search_lanes(lanes_job(*job));
}

void mcd_cuda_hops(const mcd_hops_job *job)
{
    search_lanes(lanes_job(*job));
}
