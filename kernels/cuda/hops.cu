/* hops.cu - breadth-first search on GPUs, one source after the other. CPU twin: kernels/cpu/hops.c.
 *
 * Several levels a step (frontier.h) where frontiers are narrow, and level by level (levels.h) where they
 * become wide, which graphs with many arcs a node are taken to do. Otherwise the search begins as if they
 * did not, and hands over to the other one, from the source on, when it turns out that they do: by then it
 * has seen little of the graph. */
#include "kernels/cuda/deliver.h"
#include "kernels/cuda/frontier.h"
#include "kernels/cuda/levels.h"
#include "kernels/cuda/parents.h"
#include "kernels/cuda/table.h"

enum {
    HOPS_BLOCK = 256,
    WIDE_DEGREE = 8, /* arcs a node, on average */
};

/* The sources of a job that one GPU searches from. */
struct hops_part {
    const mcd_hops_job *job;
    gpu_arcs *arcs;
    size_t first, count;
};

struct hops_scratch {
    bool by_levels = false;
    frontier_scratch frontier;
    levels_scratch levels;
    gpu_array<uint32_t> hops, columns; /* by node; by column */
    gpu_array<mcd_node> parent, column;
};

static __global__ void gather_hops(const uint32_t *__restrict__ hops, const mcd_node *__restrict__ column,
                                   size_t count, uint32_t *out)
{
    const size_t i = (size_t)blockIdx.x * HOPS_BLOCK + threadIdx.x;
    if (i < count) out[i] = hops[column[i]];
}

static macadam_status allocate(gpu_call &call, const hops_part &part, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const gpu_arcs &arcs = *part.arcs;
    scratch->by_levels =
        job->strategy != MCD_HOPS_AUTO || arcs.arc_count >= (uint64_t)WIDE_DEGREE * arcs.node_count;
    if (!scratch->by_levels) MCD_TRY(scratch->frontier.allocate(call, arcs.node_count));
    MCD_TRY(scratch->levels.allocate(call, arcs, job->strategy));
    MCD_TRY(scratch->hops.allocate(call, arcs.node_count, "allocating hops"));
    if (job->parent) MCD_TRY(scratch->parent.allocate(call, arcs.node_count, "allocating parents"));
    if (!job->column) return MACADAM_OK;
    MCD_TRY(scratch->columns.allocate(call, job->column_count, "allocating hops"));
    return scratch->column.copy(call, job->column, job->column_count, "copying columns");
}

/* Of a source that is nothing. */
static macadam_status enqueue_none(gpu_call &call, const hops_part &part, uint32_t *hops, mcd_node *parent)
{
    const size_t bytes = part.arcs->node_count * sizeof *hops;
    CUDA_TRY(call, cudaMemsetAsync(hops, 0xff, bytes, call.stream), "clearing hops");
    if (parent) CUDA_TRY(call, cudaMemsetAsync(parent, 0xff, bytes, call.stream), "clearing parents");
    return MACADAM_OK;
}

static macadam_status enqueue_search(gpu_call &call, const hops_part &part, mcd_node source,
                                     hops_scratch *scratch, uint32_t *hops, mcd_node *parent)
{
    const mcd_hops_job *job = part.job;
    const unsigned *gate = nullptr;
    if (source == MCD_NODE_NONE) return enqueue_none(call, part, hops, parent);
    if (!scratch->by_levels) {
        const mcd_lane lane = {{{source, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
        if (parent) MCD_TRY(scratch->parent.fill(call, 0xff, "clearing parents"));
        MCD_TRY(enqueue_frontier<hop_slot>(call, *part.arcs, job->direction, lane, {job->limit, 0, true},
                                           &scratch->frontier, hops));
        gate = &scratch->frontier.state.get()->is_wide;
    }
    MCD_TRY(enqueue_levels(call, *part.arcs, job->direction, source, job->limit, job->strategy, gate,
                           &scratch->levels, hops, parent));
    return parent ? enqueue_hop_parents(call, *part.arcs, job->direction, hops, parent) : MACADAM_OK;
}

static macadam_status deliver_hops(gpu_call &call, const hops_part &part, size_t i, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const uint32_t *from = scratch->hops.get();
    if (job->column) {
        CUDA_TRY(call,
                 launch({blocks_of<uint64_t>(job->column_count, HOPS_BLOCK), HOPS_BLOCK, 0, call.stream},
                        gather_hops, scratch->hops.get(), scratch->column.get(), job->column_count,
                        scratch->columns.get()),
                 "gathering hops");
        from = scratch->columns.get();
    }
    return deliver(call, job->hops + i * job->column_count, from, job->column_count * sizeof *job->hops,
                   &job->parallel);
}

static macadam_status search_from(gpu_call &call, const hops_part &part, size_t i, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const size_t nodes = part.arcs->node_count;
    uint32_t *hops = scratch->hops.get();
    int owner;
    MCD_TRY(owner_of_memory(call, job->hops, &owner));
    const bool stays = owner == call.gpu->ordinal && !job->column; /* no copy */
    if (stays) hops = job->hops + i * job->column_count;
    MCD_TRY(enqueue_search(call, part, job->source[i], scratch, hops, scratch->parent.get()));
    if (!stays) MCD_TRY(deliver_hops(call, part, i, scratch));
    if (!job->parent) return MACADAM_OK;
    return deliver(call, job->parent + i * nodes, scratch->parent.get(), nodes * sizeof *job->parent,
                   &job->parallel);
}

static macadam_status run_part(const hops_part &part, macadam_error *error)
{
    const mcd_hops_job *job = part.job;
    gpu_call call(part.arcs->gpu, error);
    hops_scratch scratch;
    MCD_TRY(call.begin());
    MCD_TRY(allocate(call, part, &scratch));
    for (size_t i = part.first; i < part.first + part.count; ++i) {
        const mcd_progress *progress = part.first == 0 ? &job->progress : nullptr;
        MCD_TRY(mcd_progress_step(progress, "breadth-first searches", i - part.first, part.count, error));
        MCD_TRY(search_from(call, part, i, &scratch));
    }
    return call.synchronize();
}

macadam_status mcd_cuda_hops(const mcd_hops_job *job, macadam_error *error)
{
    const mcd_device_arcs *arcs = job->arcs->device;
    const size_t gpus = mcd_size_min(arcs->device->gpu_count, job->source_count);
    if (gpus == 0 || arcs->on[0]->node_count == 0) return MACADAM_OK;
    return on_each_gpu(gpus, error, [&](size_t g, macadam_error *gpu_error) {
        const size_t first = mcd_part_first(job->source_count, g, gpus);
        const size_t end = mcd_part_first(job->source_count, g + 1, gpus);
        return run_part({job, arcs->on[g], first, end - first}, gpu_error);
    });
}
