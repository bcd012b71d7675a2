/* sssp.cu - trees without a hierarchy on GPUs, one lane after the other: near-far or Bellman-Ford. CPU twin:
 * kernels/cpu/sssp.c. */
#include "kernels/cuda/bellman_ford.h"
#include "kernels/cuda/deliver.h"
#include "kernels/cuda/frontier.h"
#include "kernels/cuda/parents.h"
#include "kernels/cuda/table.h"

enum {
    SSSP_BLOCK = 256,
    LANES_TOGETHER =
        32, /* answers of so many lanes lie beside each other when a node's lanes do for the caller */
};

/* The lanes of a job that one GPU answers. */
struct sssp_part {
    const mcd_sssp_job *job;
    gpu_arcs *arcs;
    size_t first, count;
};

template <class Cost> struct sssp_scratch {
    frontier_scratch frontier;
    gpu_array<rounds_state> rounds;
    gpu_array<Cost> dist;
    parents_scratch parents;
    gpu_array<mcd_node> parent, column;
    gpu_array<uint32_t> answer[2]; /* by quantity: [column * together + lane], or of one lane alone */
};

/* One thread a column. */
template <class Cost>
static __global__ void answer_lane(const Cost *__restrict__ dist, const mcd_node *__restrict__ column,
                                   size_t count, size_t stride, mcd_weight limit, uint32_t *objective,
                                   uint32_t *companion)
{
    const size_t i = (size_t)blockIdx.x * SSSP_BLOCK + threadIdx.x;
    if (i >= count) return;
    const Cost cost = dist[column ? column[i] : i];
    answer_cost(cost, limit, objective ? objective + i * stride : nullptr,
                companion ? companion + i * stride : nullptr);
}

/* Whether lanes lie beside each other for the caller. */
static bool as_lanes(const mcd_sssp_job *job)
{
    return job->column_stride > 1;
}

static size_t together(const mcd_sssp_job *job)
{
    return as_lanes(job) && job->lane_stride == 1 ? (size_t)LANES_TOGETHER : 1;
}

static uint32_t *wanted(const mcd_sssp_job *job, int quantity)
{
    return quantity ? job->companion : job->objective;
}

template <class Cost>
static macadam_status allocate(gpu_call &call, const sssp_part &part, sssp_scratch<Cost> *scratch)
{
    const mcd_sssp_job *job = part.job;
    const mcd_node nodes = part.arcs->node_count;
    if (job->method == MCD_SSSP_NEAR_FAR)
        MCD_TRY(scratch->frontier.allocate(call, nodes));
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

static macadam_status enqueue_costs(gpu_call &call, const sssp_part &part, const mcd_lane &lane,
                                    sssp_scratch<uint32_t> *scratch)
{
    const mcd_sssp_job *job = part.job;
    if (job->method == MCD_SSSP_BELLMAN_FORD)
        return enqueue_bellman_ford(call, *part.arcs, job->direction, lane, job->limit, scratch->rounds.get(),
                                    scratch->dist.get());
    return enqueue_frontier<objective_slot>(call, *part.arcs, job->direction, lane,
                                            {job->limit, job->delta, false}, &scratch->frontier,
                                            scratch->dist.get());
}

static macadam_status enqueue_costs(gpu_call &call, const sssp_part &part, const mcd_lane &lane,
                                    sssp_scratch<uint64_t> *scratch)
{
    const mcd_sssp_job *job = part.job;
    if (job->method == MCD_SSSP_BELLMAN_FORD)
        return enqueue_bellman_ford(call, *part.arcs, job->direction, lane, job->limit, scratch->rounds.get(),
                                    scratch->dist.get());
    return enqueue_frontier<pair_slot>(call, *part.arcs, job->direction, lane,
                                       {job->limit, job->delta, false}, &scratch->frontier,
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

/* Lane i's answers, the k-th of those that lie together. */
template <class Cost>
static macadam_status enqueue_answer(gpu_call &call, const sssp_part &part, size_t i, size_t k, bool stays,
                                     sssp_scratch<Cost> *scratch)
{
    const mcd_sssp_job *job = part.job;
    uint32_t *to[2] = {nullptr, nullptr};
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q))
            to[q] = stays ? wanted(job, q) + i * job->lane_stride : scratch->answer[q].get() + k;
    CUDA_TRY(call,
             launch({blocks_of<uint64_t>(job->column_count, SSSP_BLOCK), SSSP_BLOCK, 0, call.stream},
                    answer_lane<Cost>, scratch->dist.get(), job->column ? scratch->column.get() : nullptr,
                    job->column_count, stays ? job->column_stride : together(job), job->limit, to[0], to[1]),
             "answering trees");
    return MACADAM_OK;
}

/* The answers of `count` lanes from the i-th on. */
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
                deliver(call, to, scratch.answer[q].get(), job->column_count * sizeof *to, &job->parallel));
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
        MCD_TRY(enqueue_parents(call, *part.arcs, job->direction, lane, job->limit, scratch->dist.get(),
                                &scratch->parents, scratch->parent.get()));
        MCD_TRY(deliver(call, job->parent + (i + k) * nodes, scratch->parent.get(), nodes * sizeof(mcd_node),
                        &job->parallel));
    }
    return stays ? MACADAM_OK : deliver_answers(call, part, i, count, *scratch);
}

template <class Cost> static macadam_status run_part(const sssp_part &part, macadam_error *error)
{
    const mcd_sssp_job *job = part.job;
    const size_t step = together(job);
    gpu_call call(part.arcs->gpu, error);
    sssp_scratch<Cost> scratch;
    bool stays;
    MCD_TRY(call.begin());
    MCD_TRY(allocate(call, part, &scratch));
    MCD_TRY(find_owner(call, job, &stays));
    for (size_t done = 0; done < part.count; done += step) {
        const mcd_progress *progress = part.first == 0 ? &job->progress : nullptr;
        MCD_TRY(mcd_progress_step(progress, "trees", done, part.count, error));
        MCD_TRY(answer_lanes(call, part, part.first + done, mcd_size_min(step, part.count - done), stays,
                             &scratch));
    }
    return call.synchronize();
}

macadam_status mcd_cuda_sssp(const mcd_sssp_job *job, macadam_error *error)
{
    const mcd_device_arcs *arcs = job->arcs->device;
    const size_t gpus = mcd_size_min(arcs->device->gpu_count, job->lane_count);
    if (gpus == 0 || arcs->on[0]->node_count == 0) return MACADAM_OK;
    return on_each_gpu(gpus, error, [&](size_t g, macadam_error *gpu_error) {
        const size_t first = mcd_part_first(job->lane_count, g, gpus);
        const size_t end = mcd_part_first(job->lane_count, g + 1, gpus);
        const sssp_part part = {job, arcs->on[g], first, end - first};
        return job->companion ? run_part<uint64_t>(part, gpu_error) : run_part<uint32_t>(part, gpu_error);
    });
}
