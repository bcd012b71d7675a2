/* hops.cu - breadth-first search on GPUs, one source after the other. CPU twin:
 * kernels/cpu/frontier/hops.c.
 *
 * The search makes several levels per step (frontier.h) where frontiers are narrow, and goes level by
 * level (levels.h) where they become wide, as on graphs with many arcs per node. On other graphs it begins
 * with narrow frontiers. If they turn out to become wide, it starts again from the source, level by level;
 * little of the graph has been searched by then.
 *
 * Several GPUs take different sources (sssp.cu), or share one: each with all arcs (hops_divided.cu), or with
 * those of its own nodes (partition_hops.cu). */
#include "kernels/cuda/frontier/hops.h"

#include "kernels/cuda/frontier/parents.h"

enum {
    WIDE_DEGREE = 8,        /* arcs per node, on average */
    DIVIDED_ARCS = 1 << 28, /* with fewer arcs, one GPU is as fast as several (tests/bench/papers.c) */
};

static bool is_wide(const gpu_arcs &arcs)
{
    return arcs.arc_count >= (uint64_t)WIDE_DEGREE * arcs.node_count;
}

void hops_scratch::allocate(gpu_call &call, const gpu_arcs &arcs, mcd_hops_strategy strategy)
{
    by_levels = strategy != MCD_HOPS_AUTO || is_wide(arcs);
    if (!by_levels) frontier.allocate(call, "allocating frontiers", arcs.node_count, false);
    levels.allocate(call, "allocating levels", arcs, strategy);
}

void enqueue_no_hops(gpu_call &call, const gpu_arcs &arcs, uint32_t *hops, mcd_node *parent)
{
    if (parent) call.fill(parent, 0xff, arcs.node_count, "clearing parents");
    call.fill(hops, 0xff, arcs.node_count, "clearing hops");
}

void enqueue_hops(gpu_call &call, gpu_arcs &arcs, const lanes_job &job, const mcd_lane &from,
                  hops_scratch *scratch, uint32_t *hops, mcd_node *parent)
{
    const mcd_node source = from.seed[0].node;
    const mcd_hops_strategy strategy = job.hops->strategy;
    const unsigned *gate = nullptr;
    if (source == MCD_NODE_NONE) return enqueue_no_hops(call, arcs, hops, parent);
    if (!scratch->by_levels) {
        if (parent) call.fill(parent, 0xff, arcs.node_count, "clearing parents");
        enqueue_frontier<hop_slot>(call, arcs, job, from, 1, scratch->frontier, hops);
        gate = &scratch->frontier.state->is_wide;
    }
    enqueue_levels(call, arcs, *job.hops, source, gate, scratch->levels, hops, parent);
    if (!parent || (scratch->by_levels && levels_name_parents(strategy))) return;
    enqueue_hop_parents(call, arcs, job.direction, {0, arcs.node_count}, hops, parent);
}

bool hops_are_divided(const mcd_hops_job &job)
{
    const gpu_arcs &arcs = *job.arcs->device->on[0];
    if (job.arcs->device->is_partitioned || job.arcs->device->device->gpu_count == 1) return false;
    return job.strategy == MCD_HOPS_DIVIDED || (job.strategy == MCD_HOPS_AUTO && job.source_count == 1 &&
                                                arcs.arc_count >= DIVIDED_ARCS && is_wide(arcs));
}
