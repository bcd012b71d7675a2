/* clock.c - trees with a clock: lane by lane, first the arrivals, then the answers.
 *
 * Companions and parents come from a second step. Each arc is frozen at the time that it takes from its node's own
 * arrival. With these weights a search without a clock has the same costs: no arc leads to a node earlier, by FIFO, and
 * the arcs by which the arrivals were found still do. So its joint costs and its parents are the ones that backend.h
 * defines for trees with a clock.
 *
 * Lanes are searched side by side, each by one thread. */
#include "kernels/cpu/frontier/clock_search.h"

#include "kernels/clock.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/frontier/sssp.h"
#include "kernels/cpu/frontier/team.h"

/* One thread's scratch. */
typedef struct clock_scratch {
    mcd_weight *value;     /* [node_count] */
    uintptr_t search;      /* of the search, then of the second step */
    cost *dist;            /* [node_count]; with 32 bits, `value` */
    mcd_weight *frozen[2]; /* as mcd_arcs.objective: the job's direction, and for parents the other one */
    uint32_t *rank;
    mcd_node *queue;
    clock_touched touched; /* if there are columns and no parents: then few nodes may be */
} clock_scratch;

typedef struct clock_phase {
    const mcd_clock_job *job;
    size_t worker_bytes; /* of the scratch */
    mcd_watch watch;
} clock_phase;

static mcd_arcs arcs_view(const mcd_clock_arcs *arcs, const mcd_weight *const frozen[2])
{
    return (mcd_arcs){.graph = arcs->graph,
                      .objective = {frozen[0], frozen[1]},
                      .companion = {arcs->companion[0], arcs->companion[1]},
                      .objective_mean = arcs->own_mean};
}

static bool lists_touched(const mcd_clock_job *job)
{
    return job->tree.column && !job->tree.parent;
}

/* Lays a worker's scratch out from `memory` on and returns its end, which is its size if `memory` is 0. */
static uintptr_t lay_out(const mcd_clock_job *job, uintptr_t memory, clock_scratch *out)
{
    static const mcd_weight *const none[2] = {NULL, NULL};
    const mcd_graph *graph = job->arcs->graph;
    const mcd_arcs view = arcs_view(job->arcs, none);
    const size_t nodes = graph->node_count, parents = job->tree.parent ? nodes : 0;
    const size_t search = MCD_KERNEL(clock_search_scratch)(job->arcs),
                 second = job->tree.companion ? MCD_KERNEL(near_far_scratch)(&view, 1) : 0;
    out->value = carve(&memory, nodes * sizeof *out->value);
    out->search = (uintptr_t)carve(&memory, mcd_size_max(search, second));
    out->dist = MCD_LANE_BITS == 32 ? (cost *)out->value : carve(&memory, nodes * sizeof *out->dist);
    for (int direction = 0; direction < 2; ++direction) {
        const bool needed =
            job->tree.parent || (job->tree.companion && direction == (int)job->tree.direction);
        out->frozen[direction] = carve(&memory, needed ? graph->arc_count * sizeof(mcd_weight) : 0);
    }
    out->rank = carve(&memory, parents * sizeof *out->rank);
    out->queue = carve(&memory, parents * sizeof *out->queue);
    out->touched.count = 0;
    out->touched.node = carve(&memory, lists_touched(job) ? nodes * sizeof *out->touched.node : 0);
    return memory;
}

/* Freezes the arcs of a node below the bound; the arcs of others are closed. */
static void freeze_node(const mcd_clock_job *job, uint32_t base, mcd_weight bound,
                        const clock_scratch *scratch, mcd_node x)
{
    const mcd_clock_arcs *arcs = job->arcs;
    const mcd_arc *first = adjacency_of(arcs->graph, job->tree.direction).first;
    const uint32_t instant = mcd_clock_instant(base, scratch->value[x], job->tree.direction);
    for (mcd_arc xy = first[x]; xy < first[x + 1]; ++xy)
        scratch->frozen[job->tree.direction][xy] =
            scratch->value[x] < bound ? mcd_clock_cost(&arcs->patterns, &arcs->arc[job->tree.direction][xy],
                                                       instant, job->tree.direction)
                                      : MCD_UNREACHED;
}

/* Freezes the arcs of all nodes to which the second step may come. */
static void freeze(const mcd_clock_job *job, uint32_t base, mcd_weight bound, const clock_scratch *scratch)
{
    const clock_touched *const touched = &scratch->touched;
    const size_t count = lists_touched(job) ? touched->count : job->arcs->graph->node_count;
    for (size_t i = 0; i < count; ++i)
        freeze_node(job, base, bound, scratch, lists_touched(job) ? touched->node[i] : (mcd_node)i);
}

/* Copies the frozen arcs into the order of the other direction. */
static void freeze_against(const mcd_clock_job *job, const clock_scratch *scratch)
{
    const mcd_graph *graph = job->arcs->graph;
    mcd_weight *const out = scratch->frozen[MCD_FORWARD], *const in = scratch->frozen[MCD_BACKWARD];
    for (uint32_t i = 0; i < graph->arc_count; ++i)
        if (job->tree.direction == MCD_FORWARD)
            in[i] = out[graph->in_arc[i]];
        else
            out[graph->in_arc[i]] = in[i];
}

/* Answers a lane whose `search->dist` are the costs, or with companions, will be. */
static void finish_lane(sssp_search *search, const clock_phase *phase, size_t lane,
                        const clock_scratch *scratch)
{
    const mcd_clock_job *job = phase->job;
    if (job->tree.companion || job->tree.parent)
        freeze(job, job->instant[lane], cost_objective(search->bound), scratch);
    if (job->tree.parent) freeze_against(job, scratch);
    if (MCD_LANE_BITS == 64) {
        for (mcd_node node = 0; node < job->arcs->graph->node_count; ++node)
            search->dist[node] = search->bound;
        MCD_KERNEL(near_far)(search, scratch->search);
        if (!mcd_watch_goes_on(search->watch)) return;
    }
    MCD_KERNEL(deliver)(search, lane);
    if (job->tree.parent) MCD_KERNEL(parents)
    (search, job->tree.parent + lane * job->arcs->graph->node_count, scratch->rank, scratch->queue);
}

static void run_lane(void *argument, size_t lane, unsigned worker)
{
    const clock_phase *phase = argument;
    const mcd_clock_job *job = phase->job;
    clock_scratch scratch;
    lay_out(job, (uintptr_t)job->tree.scratch + worker * phase->worker_bytes, &scratch);
    clock_touched *const touched = lists_touched(job) ? &scratch.touched : NULL;
    const mcd_weight bound =
        MCD_KERNEL(clock_search)(job, lane, &phase->watch, touched, scratch.value, scratch.search);
    if (!mcd_watch_goes_on(&phase->watch)) return;
    const mcd_arcs arcs =
        arcs_view(job->arcs, (const mcd_weight *const[2]){scratch.frozen[0], scratch.frozen[1]});
    mcd_sssp_job second = job->tree;
    second.arcs = &arcs;
    second.method = MCD_TREE_NEAR_FAR;
    second.limit = bound - 1;
    second.parallel = (mcd_parallel){1, NULL};
    sssp_search search = {.job = &second,
                          .lane = &job->tree.lane[lane],
                          .leave = adjacency_of(arcs.graph, job->tree.direction),
                          .objective = arcs.objective[job->tree.direction],
                          .companion = arcs.companion[job->tree.direction],
                          .bound = seed_cost(bound, 0),
                          .parallel = second.parallel,
                          .watch = &phase->watch,
                          .dist = scratch.dist};
    finish_lane(&search, phase, lane, &scratch);
    for (size_t i = 0; i < scratch.touched.count; ++i)
        scratch.value[scratch.touched.node[i]] = clock_untouched(job);
}

/* Lets no node have a cost, in the scratch of all workers. */
static void begin_workers(const clock_phase *phase)
{
    const mcd_clock_job *job = phase->job;
    const size_t count = mcd_team_workers(&job->tree.parallel, job->tree.lane_count);
    for (size_t w = 0; lists_touched(job) && w < count; ++w) {
        clock_scratch scratch;
        lay_out(job, (uintptr_t)job->tree.scratch + w * phase->worker_bytes, &scratch);
        for (mcd_node v = 0; v < job->arcs->graph->node_count; ++v) scratch.value[v] = clock_untouched(job);
    }
}

size_t MCD_KERNEL(clock_scratch)(const mcd_clock_job *job)
{
    clock_scratch any;
    return mcd_team_workers(&job->tree.parallel, job->tree.lane_count) * lay_out(job, 0, &any);
}

macadam_status MCD_KERNEL(clock)(const mcd_clock_job *job, macadam_error *error)
{
    clock_scratch any;
    clock_phase phase = {job, lay_out(job, 0, &any), mcd_watch_of(&job->tree.progress, "trees")};
    begin_workers(&phase);
    return mcd_watch_for(&phase.watch, &job->tree.parallel, job->tree.lane_count, run_lane, &phase, error);
}
