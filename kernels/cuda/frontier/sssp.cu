/* sssp.cu - trees without a hierarchy on GPUs, by near-far or Bellman-Ford. Many lanes are searched together
 * if a block can search for one lane (searches.h), or if nodes have many arcs (rows.h). Otherwise groups of
 * blocks search for one lane after the other. CPU twin: kernels/cpu/frontier/sssp.c. */
#include "kernels/cuda/frontier/answers.h"
#include "kernels/cuda/frontier/bellman_ford.h"
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"
#include "kernels/cuda/frontier/rows.h"
#include "kernels/cuda/frontier/searches.h"
#include "kernels/cuda/device/table.h"

enum {
    LANES_TOGETHER = 32, /* lanes whose answers lie together if the caller has a node's lanes side by side */
    BATCH_SEARCHES = 4,  /* per block: lanes of a batch */
    /* Groups of blocks that search at the same time, because a single search waits most of its time;
     * tests/bench/frontier.c. */
    GROUPS_ROADS = 8,
    GROUPS_OTHERS = 8,     /* on graphs of at most ... */
    GROUPS_ARCS = 1 << 25, /* ... this many arcs. Both: ... */
    GROUPS_NODES =
        1 << 14, /* ... of at least this many nodes: on fewer, threads and streams cost more than they save */
};

/* The lanes of a job that one GPU answers. */
struct sssp_part {
    const mcd_sssp_job *job;
    gpu_arcs *arcs;
    size_t first, count;
    mcd_parallel parallel;
    gpu_progress *progress;
    unsigned groups; /* groups that share the GPU: this part is one of them */
};

template <class Cost> struct sssp_scratch {
    frontier_scratch frontier;
    gpu_array<rounds_state> rounds;
    gpu_array<Cost> dist;
    parents_scratch parents;
    gpu_array<mcd_node> parent, column;
    gpu_array<uint32_t> answer[2]; /* by quantity: [column * together + lane], or of a single lane */
};

/* Whether the caller's layout puts a node's lanes side by side. */
static bool as_lanes(const mcd_sssp_job *job)
{
    return job->column_stride > 1;
}

static size_t together(const mcd_sssp_job *job)
{
    return as_lanes(job) && job->lane_stride == 1 ? (size_t)LANES_TOGETHER : 1;
}

template <class Cost>
static macadam_status allocate(gpu_call &call, const sssp_part &part, sssp_scratch<Cost> *scratch)
{
    const mcd_sssp_job *job = part.job;
    const mcd_node nodes = part.arcs->node_count;
    if (job->method == MCD_TREE_NEAR_FAR)
        MCD_TRY(scratch->frontier.allocate(call, nodes, sizeof(Cost) == 8));
    else
        MCD_TRY(scratch->rounds.allocate(call, 1, "allocating rounds"));
    MCD_TRY(scratch->dist.allocate(call, nodes, "allocating costs"));
    if (job->parent) {
        MCD_TRY(scratch->parent.allocate(call, nodes, "allocating parents"));
        MCD_TRY(scratch->parents.allocate(call, *part.arcs));
    }
    if (job->column) MCD_TRY(scratch->column.copy(call, job->column, job->column_count, "copying columns"));
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q))
            MCD_TRY(
                scratch->answer[q].allocate(call, job->column_count * together(job), "allocating answers"));
    return MACADAM_OK;
}

template <class Cost>
static macadam_status enqueue_costs(gpu_call &call, const sssp_part &part, const mcd_lane &lane,
                                    sssp_scratch<Cost> *scratch)
{
    using slot = std::conditional_t<sizeof(Cost) == sizeof(uint32_t), objective_slot, joint_slot>;
    const mcd_sssp_job *job = part.job;
    if (job->method == MCD_TREE_BELLMAN_FORD)
        return enqueue_bellman_ford(call, *part.arcs, job->direction, lane, job->limit, scratch->rounds.get(),
                                    scratch->dist.get());
    return enqueue_frontier<slot>(call, *part.arcs, job->direction, lane,
                                  {job->limit, job->delta, false, part.groups}, &scratch->frontier,
                                  scratch->dist.get());
}

/* Whether the GPU's answers are written where the caller wants them. */
static macadam_status find_owner(gpu_call &call, const mcd_sssp_job *job, bool *stays)
{
    *stays = true;
    for (int q = 0; q < 2; ++q) {
        int owner = call.gpu->ordinal;
        if (wanted(job, q)) MCD_TRY(owner_of_memory(call, wanted(job, q), &owner));
        if (owner != call.gpu->ordinal) *stays = false;
    }
    return MACADAM_OK;
}

/* Computes the answers of lane i, the k-th of those that lie together. */
template <class Cost>
static macadam_status enqueue_answer(gpu_call &call, const sssp_part &part, size_t i, size_t k, bool stays,
                                     sssp_scratch<Cost> *scratch)
{
    const mcd_sssp_job *job = part.job;
    uint32_t *to[2] = {nullptr, nullptr};
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q))
            to[q] = stays ? wanted(job, q) + i * job->lane_stride : scratch->answer[q].get() + k;
    return enqueue_answers(call, scratch->dist.get(), scratch->column.get(), job->column_count, job->limit,
                           job->raw, {to[0], to[1], stays ? job->column_stride : together(job)});
}

/* Computes the answers of `count` lanes from the i-th on. */
template <class Cost>
static macadam_status deliver_answers(gpu_call &call, const sssp_part &part, size_t i, size_t count,
                                      const sssp_scratch<Cost> &scratch)
{
    const mcd_sssp_job *job = part.job;
    for (int q = 0; q < 2; ++q) {
        if (!wanted(job, q)) continue;
        uint32_t *const to = wanted(job, q) + i * job->lane_stride;
        if (!as_lanes(job)) {
            MCD_TRY(
                deliver(call, to, scratch.answer[q].get(), job->column_count * sizeof *to, &part.parallel));
            continue;
        }
        CUDA_TRY(call,
                 cudaMemcpy2DAsync(to, job->column_stride * sizeof *to, scratch.answer[q].get(),
                                   together(job) * sizeof *to, count * sizeof *to, job->column_count,
                                   cudaMemcpyDefault, call.stream),
                 "copying answers");
    }
    return call.synchronize();
}

template <class Cost>
static macadam_status answer_lanes(gpu_call &call, const sssp_part &part, size_t i, size_t count, bool stays,
                                   sssp_scratch<Cost> *scratch)
{
    const mcd_sssp_job *job = part.job;
    const size_t nodes = part.arcs->node_count;
    for (size_t k = 0; k < count; ++k) {
        const mcd_lane &lane = job->lane[i + k];
        MCD_TRY(enqueue_costs(call, part, lane, scratch));
        MCD_TRY(enqueue_answer(call, part, i + k, k, stays, scratch));
        if (!job->parent) continue;
        MCD_TRY(enqueue_parents(call, *part.arcs, job->direction, lane, job->limit, scratch->dist.get(), 0,
                                UINT32_MAX, &scratch->parents, scratch->parent.get()));
        MCD_TRY(deliver(call, job->parent + (i + k) * nodes, scratch->parent.get(), nodes * sizeof(mcd_node),
                        &part.parallel));
    }
    return stays ? MACADAM_OK : deliver_answers(call, part, i, count, *scratch);
}

template <class Cost> static macadam_status run_one_by_one(gpu_call &call, const sssp_part &part, bool stays)
{
    const size_t step = together(part.job);
    sssp_scratch<Cost> scratch;
    MCD_TRY(allocate(call, part, &scratch));
    for (size_t done = 0, count = 0; done < part.count; done += count) {
        MCD_TRY(part.progress->step(count, call.error));
        count = mcd_size_min(step, part.count - done);
        MCD_TRY(answer_lanes(call, part, part.first + done, count, stays, &scratch));
        if (part.groups > 1) MCD_TRY(call.synchronize()); /* so that the call can be cancelled */
    }
    return call.synchronize();
}

/* ---- several lanes together, each searched by a group of blocks ---- */

/* Makes the slots before scratch is taken, because they stay. */
template <class Slot> static macadam_status make_slots(gpu_call &call, const sssp_part &part)
{
    slots_view<Slot> made;
    return slots_of(&made, call, *part.arcs, part.job->direction);
}

/* Bytes on the GPU for each group. */
template <class Cost> static uint64_t group_bytes(const sssp_part &part)
{
    const mcd_sssp_job *job = part.job;
    const uint64_t quantities = (uint64_t)(job->objective != nullptr) + (job->companion != nullptr);
    const uint64_t node_bytes = sizeof(Cost) + 2 * sizeof(frontier_entry) + 3 * sizeof(uint32_t) +
                                (job->parent ? 2 * sizeof(mcd_node) : 0);
    return part.arcs->node_count * node_bytes +
           job->column_count * sizeof(uint32_t) * (1 + quantities * together(job));
}

/* The number of groups that pays: frontiers are narrow on maps of roads, and short on small graphs. */
static size_t group_count(const sssp_part &part)
{
    const gpu_arcs &arcs = *part.arcs;
    if (part.job->method != MCD_TREE_NEAR_FAR || arcs.node_count < GROUPS_NODES) return 1;
    if (!arcs.is_narrow() && arcs.arc_count > GROUPS_ARCS) return 1;
    return mcd_size_min(part.count, arcs.is_narrow() ? GROUPS_ROADS : GROUPS_OTHERS);
}

template <class Cost>
static macadam_status run_groups(gpu_call &call, gpu_share *share, const sssp_part &part, bool stays)
{
    const mcd_sssp_job *job = part.job;
    const uint64_t bytes = group_bytes<Cost>(part);
    size_t groups = group_count(part);
    if (groups <= 1) return run_one_by_one<Cost>(call, part, stays);
    MCD_TRY(job->companion ? make_slots<joint_slot>(call, part) : make_slots<objective_slot>(call, part));
    MCD_TRY(share->take(call, bytes, bytes * groups, "trees"));
    groups = mcd_size_max(1, mcd_size_min(groups, share->bytes() / bytes));
    return on_each_gpu(groups, *part.progress, call.error, [&](size_t g, macadam_error *error) {
        gpu_call group(call.gpu, error);
        const size_t first = mcd_part_first(part.count, g, groups),
                     end = mcd_part_first(part.count, g + 1, groups);
        MCD_TRY(group.begin());
        group.is_scratch = true;
        return run_one_by_one<Cost>(group,
                                    {part.job, part.arcs, part.first + first, end - first,
                                     parallel_of_gpu(part.parallel, g, groups), part.progress,
                                     (unsigned)groups},
                                    stays);
    });
}

/* ---- many lanes together ---- */

/* How lanes are searched together: each by a block, or as rows. */
struct lanes_plan {
    bool in_rows;
    searches_plan blocks;
};

struct search_memory {
    gpu_array<mcd_lane> lane;
    rows_scratch rows;
    gpu_array<mcd_node> column;
    gpu_array<unsigned char> cost;
    gpu_array<uint32_t> row[2][2]; /* by turn and quantity: answers that do not stay */
};

/* Lanes of a part. */
struct search_batch {
    size_t first, count;
    int turn;
};

/* Bytes on the GPU for each lane of a batch. */
static uint64_t lane_bytes(const sssp_part &part, const lanes_plan &plan, bool stays)
{
    const mcd_sssp_job *job = part.job;
    const uint64_t quantities = (uint64_t)(job->objective != nullptr) + (job->companion != nullptr);
    return (plan.in_rows ? 0 : plan.blocks.cost_bytes) +
           (stays ? 0 : 2 * quantities * job->column_count * sizeof(uint32_t));
}

static uint64_t other_bytes(const sssp_part &part, const lanes_plan &plan)
{
    return (plan.in_rows ? rows_bytes(*part.arcs, part.job->companion) : 0) + part.count * sizeof(mcd_lane) +
           (part.job->column ? part.job->column_count * sizeof(mcd_node) : 0);
}

/* The most lanes of a batch. */
static size_t batch_lanes(const sssp_part &part, const lanes_plan &plan)
{
    if (!plan.in_rows) return mcd_size_min(part.count, BATCH_SEARCHES * plan.blocks.block_count);
    const size_t batches = blocks_of<size_t>(part.count, ROW_LANES);
    return blocks_of(part.count, batches);
}

/* Allocates for batches of `size` lanes. */
static macadam_status allocate_searches(gpu_call &call, const sssp_part &part, const lanes_plan &plan,
                                        size_t size, bool stays, search_memory *memory)
{
    const mcd_sssp_job *job = part.job;
    MCD_TRY(memory->lane.copy(call, job->lane + part.first, part.count, "copying sources"));
    if (job->column) MCD_TRY(memory->column.copy(call, job->column, job->column_count, "copying columns"));
    if (plan.in_rows)
        MCD_TRY(memory->rows.allocate(call, *part.arcs, job->companion));
    else
        MCD_TRY(memory->cost.allocate(
            call, plan.blocks.cost_bytes * mcd_size_min(size, plan.blocks.block_count), "allocating costs"));
    for (int i = 0; i < 4 && !stays; ++i)
        if (wanted(job, i % 2))
            MCD_TRY(memory->row[i / 2][i % 2].allocate(call, size * job->column_count, "allocating answers"));
    return MACADAM_OK;
}

static macadam_status enqueue_batch(gpu_call &call, const sssp_part &part, const lanes_plan &plan,
                                    const search_batch &batch, bool stays, search_memory &memory)
{
    const mcd_sssp_job *job = part.job;
    searches asked = {};
    asked.lane = memory.lane.get() + batch.first, asked.lane_count = batch.count;
    asked.direction = job->direction;
    asked.limit = job->limit, asked.delta = job->delta, asked.raw = job->raw;
    asked.column = job->column ? memory.column.get() : nullptr, asked.column_count = job->column_count;
    asked.lane_stride = stays ? job->lane_stride : job->column_count;
    asked.column_stride = stays ? job->column_stride : 1;
    uint32_t **const to[] = {&asked.objective, &asked.companion};
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q))
            *to[q] = stays ? wanted(job, q) + (part.first + batch.first) * job->lane_stride
                           : memory.row[batch.turn][q].get();
    return plan.in_rows ? enqueue_rows(call, *part.arcs, asked, &memory.rows)
                        : enqueue_searches(call, *part.arcs, plan.blocks, asked, memory.cost.get());
}

static macadam_status deliver_batch(gpu_call &call, const sssp_part &part, const search_batch &batch,
                                    const search_memory &memory)
{
    const mcd_sssp_job *job = part.job;
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q) && batch.count > 0)
            MCD_TRY(deliver_rows(call,
                                 {wanted(job, q) + (part.first + batch.first) * job->lane_stride,
                                  job->lane_stride * sizeof(uint32_t), memory.row[batch.turn][q].get(),
                                  job->column_count * sizeof(uint32_t), batch.count},
                                 &part.parallel));
    return call.check(cudaStreamSynchronize(call.copies), "copying answers");
}

/* Delivers each batch while the next one is searched for. */
static macadam_status run_together(gpu_call &call, gpu_share *share, const sssp_part &part,
                                   const lanes_plan &plan, bool stays)
{
    const mcd_sssp_job *job = part.job;
    const uint64_t bytes = lane_bytes(part, plan, stays), other = other_bytes(part, plan);
    const size_t most = batch_lanes(part, plan);
    search_memory memory;
    search_batch ready = {0, 0, 1};
    if (!plan.in_rows)
        MCD_TRY(job->companion ? make_slots<joint_slot>(call, part) : make_slots<objective_slot>(call, part));
    MCD_TRY(share->take(call, other + bytes, other + bytes * most, "trees"));
    const size_t size = bytes > 0 ? mcd_size_min(most, (share->bytes() - other) / bytes) : most;
    MCD_TRY(allocate_searches(call, part, plan, size, stays, &memory));
    size_t reported = 0;
    for (size_t first = 0; first < part.count || ready.count > 0; first += size) {
        const search_batch next = {first, first < part.count ? mcd_size_min(size, part.count - first) : 0,
                                   !ready.turn};
        const size_t done = mcd_size_min(first, part.count);
        MCD_TRY(part.progress->step(done - reported, call.error));
        reported = done;
        MCD_TRY(call.order_copies());
        if (next.count > 0) MCD_TRY(enqueue_batch(call, part, plan, next, stays, memory));
        if (!stays) MCD_TRY(deliver_batch(call, part, ready, memory));
        ready = next;
    }
    return call.synchronize();
}

/* Whether each block can write its own lanes' answers. */
static bool are_apart(const mcd_sssp_job *job, bool stays)
{
    return job->method == MCD_TREE_NEAR_FAR && !job->parent && (stays || job->column_stride == 1);
}

static macadam_status run_part(const sssp_part &part, macadam_error *error)
{
    const mcd_sssp_job *job = part.job;
    gpu_share share;
    gpu_call call(part.arcs->gpu, error);
    lanes_plan plan = {};
    bool stays;
    MCD_TRY(call.begin());
    MCD_TRY(find_owner(call, job, &stays));
    plan.in_rows = job->column_stride == 1 && rows_pay(*part.arcs, part.count);
    if (are_apart(job, stays) &&
        (plan.in_rows || plan_searches(&plan.blocks, call, *part.arcs, part.count, job->companion)))
        return run_together(call, &share, part, plan, stays);
    return job->companion ? run_groups<uint64_t>(call, &share, part, stays)
                          : run_groups<uint32_t>(call, &share, part, stays);
}

macadam_status mcd_cuda_sssp(const mcd_sssp_job *job, macadam_error *error)
{
    const mcd_device_arcs *arcs = job->arcs->device;
    const size_t gpus = mcd_size_min(arcs->device->gpu_count, job->lane_count);
    if (gpus == 0 || arcs->on[0]->node_count == 0) return MACADAM_OK;
    if (arcs->is_partitioned) return partition_sssp(job, error);
    gpu_progress progress(job->progress, "trees", job->lane_count);
    return on_each_gpu(gpus, progress, error, [&](size_t g, macadam_error *gpu_error) {
        const size_t first = mcd_part_first(job->lane_count, g, gpus);
        const size_t end = mcd_part_first(job->lane_count, g + 1, gpus);
        return run_part(
            {job, arcs->on[g], first, end - first, parallel_of_gpu(job->parallel, g, gpus), &progress, 1},
            gpu_error);
    });
}
