/* partition_sssp.cu - trees without a hierarchy where nodes are partitioned among GPUs (partition.h):
 * near-far, one lane after the other. Bellman-Ford is the same without bounds. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/frontier/answers.h"
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"

/* A part's answers to one lane. */
struct tree_answer {
    size_t first = 0, end = 0; /* its columns */
    gpu_array<mcd_node> column;
    gpu_array<uint32_t> value[2]; /* by quantity */
    gpu_array<mcd_node> parent;
    parents_scratch parents;
};

template <class Cost> struct tree_search {
    explicit tree_search(const mcd_sssp_job *the_job)
        : job(the_job), parts(the_job->arcs->device, the_job->direction, false)
    {
    }
    const mcd_sssp_job *const job;
    partition_search<Cost> parts;
    tree_answer answer[GPUS_MAX];
};

/* ---- costs ---- */

template <class Cost> static macadam_status seed_lane(partition_search<Cost> &search, const mcd_lane &lane)
{
    for (uint32_t s = 0; s < mcd_lane_seed_count(&lane); ++s) {
        const mcd_seed &seed = lane.seed[s];
        if (seed.objective <= search.limit)
            MCD_TRY(search.seed(seed.node, cost_of<Cost>(seed.objective, seed.companion)));
    }
    return MACADAM_OK;
}

/* Finds the least costs of own nodes. */
template <class Cost>
static macadam_status find_costs(partition_search<Cost> &search, const mcd_sssp_job *job, size_t lane,
                                 mcd_weight delta)
{
    MCD_TRY(search.clear());
    MCD_TRY(seed_lane(search, job->lane[lane]));
    for (uint64_t bound = 0;;) {
        bool is_quiet = true;
        uint32_t far = 0; /* the inverted least objective of those that wait */
        MCD_TRY(
            mcd_progress_step(&job->progress, "trees", lane, job->lane_count, search.part[0]->call.error));
        for (size_t g = 0; g < search.part_count; ++g) {
            MCD_TRY(search.enqueue_round(g, bound));
            MCD_TRY(search.report(g));
        }
        MCD_TRY(search.end_round());
        for (size_t g = 0; g < search.part_count; ++g) {
            const partition_report &of = search.part[g]->done;
            is_quiet = is_quiet && of.queued == 0;
            for (size_t p = 0; p < search.part_count; ++p) is_quiet = is_quiet && of.sent_count[p] == 0;
            if (of.low_inverted > far) far = of.low_inverted;
        }
        if (is_quiet && far == 0) return MACADAM_OK;
        if (is_quiet) bound = (uint64_t)~far + delta;
    }
}

/* ---- parents ---- */

template <class Cost>
static macadam_status enqueue_parents_round(tree_search<Cost> &search, const mcd_lane &lane, uint32_t round)
{
    for (size_t g = 0; g < search.parts.part_count; ++g) {
        partition_part<Cost> &of = *search.parts.part[g];
        tree_answer &answer = search.answer[g];
        MCD_TRY(of.call.enter());
        MCD_TRY(enqueue_parents(of.call, *of.arcs, search.job->direction, lane, search.job->limit,
                                of.all.get(), round, round, &answer.parents,
                                answer.parent.get() - of.own.first));
        MCD_TRY(
            of.call.copy(of.reached, &answer.parents.state.get()->changed[round % 3], 1, "finding parents"));
    }
    return search.parts.synchronize();
}

/* Finds the parents of own nodes; costs are shared. */
template <class Cost> static macadam_status find_parents(tree_search<Cost> &search, const mcd_lane &lane)
{
    bool changed = true;
    for (uint32_t round = 0; changed; ++round) {
        void *rank[GPUS_MAX];
        MCD_TRY(enqueue_parents_round(search, lane, round));
        changed = false;
        for (size_t g = 0; g < search.parts.part_count; ++g) {
            changed = changed || *search.parts.part[g]->reached > 0;
            rank[g] = search.answer[g].parents.rank.get();
        }
        if (changed) MCD_TRY(search.parts.share(sizeof(uint32_t), rank, "sharing ranks"));
    }
    return MACADAM_OK;
}

/* ---- answers ---- */

template <class Cost> static macadam_status allocate_answers(tree_search<Cost> &search)
{
    const mcd_sssp_job *job = search.job;
    const size_t parts = search.parts.part_count;
    for (size_t g = 0; g < parts; ++g) {
        partition_part<Cost> &of = *search.parts.part[g];
        tree_answer &answer = search.answer[g];
        answer.first = job->column ? mcd_part_first(job->column_count, g, parts) : of.own.first;
        answer.end = job->column ? mcd_part_first(job->column_count, g + 1, parts) : of.own.end;
        const size_t count = answer.end - answer.first;
        MCD_TRY(of.call.enter());
        if (job->column)
            MCD_TRY(answer.column.copy(of.call, job->column + answer.first, count, "copying columns"));
        for (int q = 0; q < 2; ++q)
            if (wanted(job, q)) MCD_TRY(answer.value[q].allocate(of.call, count, "allocating answers"));
        if (!job->parent) continue;
        MCD_TRY(answer.parent.allocate(of.call, of.own.end - of.own.first, "allocating parents"));
        MCD_TRY(answer.parents.allocate(of.call, *of.arcs));
    }
    return MACADAM_OK;
}

template <class Cost> static macadam_status deliver_part(tree_search<Cost> &search, size_t g, size_t lane)
{
    const mcd_sssp_job *job = search.job;
    partition_part<Cost> &of = *search.parts.part[g];
    const tree_answer &answer = search.answer[g];
    const size_t count = answer.end - answer.first;
    MCD_TRY(of.call.enter());
    MCD_TRY(enqueue_answers(of.call, job->column ? of.all.get() : of.dist.get(), answer.column.get(), count,
                            job->limit, job->raw, {answer.value[0].get(), answer.value[1].get(), 1}));
    MCD_TRY(of.call.order_copies());
    for (int q = 0; q < 2; ++q) {
        if (!wanted(job, q) || count == 0) continue;
        uint32_t *const to = wanted(job, q) + lane * job->lane_stride + answer.first * job->column_stride;
        const bool is_row = job->column_stride == 1;
        const size_t bytes = is_row ? count * sizeof *to : sizeof *to;
        MCD_TRY(deliver_rows(of.call,
                             {to, is_row ? bytes : job->column_stride * sizeof *to, answer.value[q].get(),
                              bytes, is_row ? 1 : count},
                             &job->parallel));
    }
    if (!job->parent) return MACADAM_OK;
    const size_t bytes = (of.own.end - of.own.first) * sizeof(mcd_node);
    return deliver_rows(
        of.call,
        {job->parent + lane * of.arcs->node_count + of.own.first, bytes, answer.parent.get(), bytes, 1},
        &job->parallel);
}

template <class Cost> static macadam_status answer_lane(tree_search<Cost> &search, size_t lane)
{
    const mcd_sssp_job *job = search.job;
    const size_t parts = search.parts.part_count;
    const mcd_weight delta = job->method == MCD_TREE_BELLMAN_FORD
                                 ? MCD_WEIGHT_MAX
                                 : frontier_delta(*job->arcs->device->on[0], job->delta);
    search.parts.limit = job->limit;
    MCD_TRY(find_costs(search.parts, job, lane, delta));
    if (job->parent || job->column) MCD_TRY(search.parts.share_costs());
    if (job->parent) MCD_TRY(find_parents(search, job->lane[lane]));
    for (size_t g = 0; g < parts; ++g) MCD_TRY(deliver_part(search, g, lane));
    for (size_t g = 0; g < parts; ++g) {
        MCD_TRY(search.parts.part[g]->call.enter());
        MCD_TRY(search.parts.part[g]->call.synchronize());
    }
    return MACADAM_OK;
}

template <class Cost> static macadam_status answer_lanes(const mcd_sssp_job *job, macadam_error *error)
{
    tree_search<Cost> search(job);
    MCD_TRY(search.parts.begin(error));
    MCD_TRY(allocate_answers(search));
    for (size_t lane = 0; lane < job->lane_count; ++lane) {
        MCD_TRY(mcd_progress_step(&job->progress, "trees", lane, job->lane_count, error));
        MCD_TRY(answer_lane(search, lane));
    }
    return mcd_progress_step(&job->progress, "trees", job->lane_count, job->lane_count, error);
}

macadam_status partition_sssp(const mcd_sssp_job *job, macadam_error *error)
{
    return job->companion ? answer_lanes<uint64_t>(job, error) : answer_lanes<uint32_t>(job, error);
}
