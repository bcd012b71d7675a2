/* answers.cu - see answers.h. */
#include "kernels/cuda/frontier/answers.h"

#include "kernels/cuda/device/deliver.h"

lanes_job::lanes_job(const mcd_hops_job &job) : mcd_sssp_job(), hops(&job)
{
    arcs = job.arcs;
    direction = job.direction;
    lane_count = job.source_count;
    limit = job.limit;
    column = job.column;
    lane_stride = column_count = job.column_count;
    column_stride = 1;
    objective = job.hops;
    parent = job.parent;
    parallel = job.parallel;
    progress = job.progress;
}

bool answers_stay(gpu_call &call, const lanes_job &job)
{
    return owner_of_answers(call, job.objective, job.companion) == call.gpu->ordinal;
}

void lane_answers::allocate(gpu_call &call, const lanes_job &of_job, node_range own_nodes, size_t g,
                            size_t gpus, size_t lanes, unsigned turns)
{
    job = &of_job;
    own = own_nodes;
    first = job->column ? mcd_part_first(job->column_count, g, gpus) : own.first;
    count = (job->column ? mcd_part_first(job->column_count, g + 1, gpus) : own.end) - first;
    if (job->column) column.copy(call, job->column + first, count, "copying columns");
    for (unsigned i = 0; i < 2 * turns && lanes > 0 && !stay; ++i)
        if (job->wanted(i % 2)) value[i / 2][i % 2].allocate(call, lanes * count, "allocating answers");
}

mcd_sssp_job lane_answers::on_gpu(const lane_batch &batch) const
{
    mcd_sssp_job out = *job;
    uint32_t **const to[] = {&out.objective, &out.companion};
    const bool side_by_side = job->column_stride > 1;
    out.lane_count = batch.count;
    out.column = column.get(), out.column_count = count;
    if (!stay) out.lane_stride = side_by_side ? 1 : count, out.column_stride = side_by_side ? batch.count : 1;
    for (int q = 0; q < 2; ++q)
        if (job->wanted(q))
            *to[q] = stay ? job->wanted(q) + batch.first * job->lane_stride + first * job->column_stride
                          : value[batch.turn][q].get();
    return out;
}

void lane_answers::deliver(gpu_call &call, const lane_batch &batch, const mcd_parallel &parallel,
                           const uint32_t *plain) const
{
    const bool side_by_side = job->column_stride > 1;
    const size_t rows = side_by_side ? count : batch.count, columns = side_by_side ? batch.count : count;
    for (int q = 0; q < 2 && !stay; ++q) {
        if (!job->wanted(q)) continue;
        uint32_t *const to = job->wanted(q) + batch.first * job->lane_stride + first * job->column_stride;
        const size_t pitch = side_by_side ? job->column_stride : job->lane_stride;
        deliver_rows(
            call,
            {to, pitch * sizeof *to, plain ? plain : value[batch.turn][q].get(), columns * sizeof *to, rows},
            &parallel);
    }
}

void lane_answers::deliver_parents(gpu_call &call, size_t lane, const mcd_node *parent) const
{
    const size_t bytes = (own.end - own.first) * sizeof *parent;
    if (!job->parent) return;
    deliver_rows(
        call,
        {job->parent + lane * job->arcs->graph->node_count + own.first, bytes, parent + own.first, bytes, 1},
        &job->parallel);
}

/* One thread per column. */
template <class Cost>
static __global__ void answer_columns(const Cost *__restrict__ dist, __grid_constant__ const mcd_sssp_job job,
                                      size_t k)
{
    const size_t i = thread_index(), at = k * job.lane_stride + i * job.column_stride;
    if (i < job.column_count)
        answer_cost(dist[job.column ? job.column[i] : i], job.limit, job.raw,
                    job.objective ? job.objective + at : nullptr,
                    job.companion ? job.companion + at : nullptr);
}

template <class Cost>
void enqueue_answers(gpu_call &call, const Cost *dist, const mcd_sssp_job &job, size_t k)
{
    call.run("answering from costs", one_thread_each(job.column_count), answer_columns<Cost>, dist, job, k);
}

template <class Cost>
void answer_one(gpu_call &call, const lane_answers &answers, size_t lane, const Cost *dist,
                const mcd_node *parent, bool stay)
{
    const lanes_job &job = *answers.job;
    const lane_batch one = {lane, 1, 0};
    if (!job.is_plain()) enqueue_answers(call, dist, answers.on_gpu(one), 0);
    call.order_copies();
    if (!stay) answers.deliver(call, one, job.parallel, job.is_plain() ? (const uint32_t *)dist : nullptr);
    answers.deliver_parents(call, lane, parent);
}

template decltype(enqueue_answers<uint32_t>) enqueue_answers<uint32_t>;
template decltype(enqueue_answers<uint64_t>) enqueue_answers<uint64_t>;
template decltype(answer_one<uint32_t>) answer_one<uint32_t>;
template decltype(answer_one<uint64_t>) answer_one<uint64_t>;
