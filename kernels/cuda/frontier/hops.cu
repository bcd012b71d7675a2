/* hops.cu - breadth-first search on GPUs, one source after the other. CPU twin:
 * kernels/cpu/frontier/hops.c.
 *
 * The search makes several levels per step (frontier.h) where frontiers are narrow, and goes level by
 * level (levels.h) where they become wide, as on graphs with many arcs per node. On other graphs it begins
 * with narrow frontiers. If they turn out to become wide, it starts again from the source, level by level;
 * little of the graph has been searched by then.
 *
 * Several GPUs take different sources, or share one: each with all arcs (hops_divided.cu), or with those
 * of its own nodes (partition_hops.cu). */
#include "kernels/cuda/frontier/hops.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/frontier/answers.h"
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/levels.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"
#include "kernels/cuda/device/table.h"

enum {
    WIDE_DEGREE = 8,        /* arcs per node, on average */
    DIVIDED_ARCS = 1 << 28, /* with fewer arcs, one GPU is as fast as several (tests/bench/frontier.c) */
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
    gpu_array<uint32_t> hops; /* by node */
    gpu_array<mcd_node> parent;
    hops_columns columns;
};

/* ---- answers ---- */

macadam_status hops_columns::allocate(gpu_call &call, const mcd_hops_job *job, node_range the_own, size_t g,
                                      size_t gpus)
{
    own = the_own;
    first = job->column ? mcd_part_first(job->column_count, g, gpus) : own.first;
    end = job->column ? mcd_part_first(job->column_count, g + 1, gpus) : own.end;
    if (!job->column) return MACADAM_OK;
    MCD_TRY(hops.allocate(call, end - first, "allocating hops"));
    return node.copy(call, job->column + first, end - first, "copying columns");
}

macadam_status hops_columns::enqueue(gpu_call &call, const uint32_t *by_node, const uint32_t **out) const
{
    *out = node.get() ? hops.get() : by_node + first;
    if (!node.get()) return MACADAM_OK;
    return enqueue_answers(call, by_node, node.get(), end - first, UINT32_MAX, true,
                           {hops.get(), nullptr, 1});
}

macadam_status hops_columns::deliver(gpu_call &call, const mcd_hops_job *job, size_t i,
                                     const uint32_t *by_node, const mcd_node *parent, bool stay) const
{
    const uint32_t *from;
    const size_t bytes = (end - first) * sizeof *from, parent_bytes = (own.end - own.first) * sizeof *parent;
    MCD_TRY(enqueue(call, by_node, &from));
    MCD_TRY(call.order_copies());
    if (!stay)
        MCD_TRY(deliver_rows(call, {job->hops + i * job->column_count + first, bytes, from, bytes, 1},
                             &job->parallel));
    if (!job->parent) return MACADAM_OK;
    return deliver_rows(call,
                        {job->parent + i * job->arcs->graph->node_count + own.first, parent_bytes,
                         parent + own.first, parent_bytes, 1},
                        &job->parallel);
}

macadam_status hops_stay(gpu_call &call, const mcd_hops_job *job, bool *stay)
{
    int owner;
    MCD_TRY(owner_of_memory(call, job->hops, &owner));
    *stay = owner == call.gpu->ordinal && !job->column;
    return MACADAM_OK;
}

macadam_status enqueue_no_hops(gpu_call &call, const gpu_arcs &arcs, uint32_t *hops, mcd_node *parent)
{
    const size_t bytes = arcs.node_count * sizeof *hops;
    CUDA_TRY(call, cudaMemsetAsync(hops, 0xff, bytes, call.stream), "clearing hops");
    if (parent) CUDA_TRY(call, cudaMemsetAsync(parent, 0xff, bytes, call.stream), "clearing parents");
    return MACADAM_OK;
}

/* ---- one GPU ---- */

static macadam_status allocate(gpu_call &call, const hops_part &part, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const gpu_arcs &arcs = *part.arcs;
    scratch->by_levels =
        job->strategy != MCD_HOPS_AUTO || arcs.arc_count >= (uint64_t)WIDE_DEGREE * arcs.node_count;
    if (!scratch->by_levels) MCD_TRY(scratch->frontier.allocate(call, arcs.node_count, false));
    MCD_TRY(scratch->levels.allocate(call, arcs, job->strategy));
    MCD_TRY(scratch->hops.allocate(call, arcs.node_count, "allocating hops"));
    if (job->parent) MCD_TRY(scratch->parent.allocate(call, arcs.node_count, "allocating parents"));
    return scratch->columns.allocate(call, job, arcs.own, 0, 1);
}

static macadam_status enqueue_search(gpu_call &call, const hops_part &part, mcd_node source,
                                     hops_scratch *scratch, uint32_t *hops, mcd_node *parent)
{
    const mcd_hops_job *job = part.job;
    const unsigned *gate = nullptr;
    if (source == MCD_NODE_NONE) return enqueue_no_hops(call, *part.arcs, hops, parent);
    if (!scratch->by_levels) {
        const mcd_lane lane = {{{source, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
        if (parent) MCD_TRY(scratch->parent.fill(call, 0xff, "clearing parents"));
        MCD_TRY(enqueue_frontier<hop_slot>(call, *part.arcs, job->direction, lane, {job->limit, 0, true, 1},
                                           &scratch->frontier, hops));
        gate = &scratch->frontier.state.get()->is_wide;
    }
    MCD_TRY(enqueue_levels(call, *part.arcs, job->direction, source, job->limit, job->strategy, gate,
                           &scratch->levels, hops, parent));
    if (!parent || (scratch->by_levels && levels_name_parents(job->strategy))) return MACADAM_OK;
    return enqueue_hop_parents(call, *part.arcs, job->direction, 0, part.arcs->node_count, hops, parent);
}

static macadam_status deliver_hops(gpu_call &call, const hops_part &part, size_t i, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const uint32_t *from;
    MCD_TRY(scratch->columns.enqueue(call, scratch->hops.get(), &from));
    return deliver(call, job->hops + i * job->column_count, from, job->column_count * sizeof *job->hops,
                   &job->parallel);
}

static macadam_status search_from(gpu_call &call, const hops_part &part, size_t i, hops_scratch *scratch)
{
    const mcd_hops_job *job = part.job;
    const size_t nodes = part.arcs->node_count;
    uint32_t *hops = scratch->hops.get();
    bool stay;
    MCD_TRY(hops_stay(call, job, &stay));
    if (stay) hops = job->hops + i * job->column_count;
    MCD_TRY(enqueue_search(call, part, job->source[i], scratch, hops, scratch->parent.get()));
    if (!stay) MCD_TRY(deliver_hops(call, part, i, scratch));
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

/* ---- several ---- */

static bool is_divided(const mcd_hops_job *job)
{
    const gpu_arcs &arcs = *job->arcs->device->on[0];
    if (job->strategy == MCD_HOPS_DIVIDED) return true;
    return job->strategy == MCD_HOPS_AUTO && job->source_count == 1 && arcs.arc_count >= DIVIDED_ARCS &&
           arcs.arc_count >= (uint64_t)WIDE_DEGREE * arcs.node_count;
}

macadam_status mcd_cuda_hops(const mcd_hops_job *job, macadam_error *error)
{
    const mcd_device_arcs *arcs = job->arcs->device;
    const size_t gpus = mcd_size_min(arcs->device->gpu_count, job->source_count);
    if (gpus == 0 || arcs->on[0]->node_count == 0) return MACADAM_OK;
    if (arcs->is_partitioned) return partition_hops(job, error);
    if (arcs->device->gpu_count > 1 && is_divided(job)) return hops_divided(job, error);
    return on_each_gpu(gpus, error, [&](size_t g, macadam_error *gpu_error) {
        const size_t first = mcd_part_first(job->source_count, g, gpus);
        const size_t end = mcd_part_first(job->source_count, g + 1, gpus);
        return run_part({job, arcs->on[g], first, end - first}, gpu_error);
    });
}
