/* sssp.c - trees without a hierarchy: lane by lane, first the method's search, then the answers.
 *
 * Lanes are searched side by side, each by one thread. */
#include "kernels/cpu/frontier/sssp.h"

#include "kernels/cpu/device/answer.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/frontier/team.h"

/* One thread's scratch. */
typedef struct sssp_scratch {
    cost *dist;
    uintptr_t method;
    uint32_t *rank; /* for parents, as `queue` */
    mcd_node *queue;
} sssp_scratch;

typedef struct sssp_run {
    const mcd_sssp_job *job;
    size_t worker_bytes; /* of the scratch */
    mcd_parallel inner;  /* threads that one lane may use */
    mcd_watch watch;
} sssp_run;

static void search_lane(const sssp_search *search, uintptr_t memory)
{
    const size_t node_count = search->job->arcs->graph->node_count;
    for (size_t node = 0; node < node_count; ++node) search->dist[node] = search->bound;
    switch (search->job->method) {
    case MCD_TREE_BELLMAN_FORD:
        MCD_KERNEL(bellman_ford)(search);
        break;
    case MCD_TREE_DIJKSTRA:
        MCD_KERNEL(dijkstra)(search, memory);
        break;
    default:
        MCD_KERNEL(near_far)(search, memory);
    }
}

/* Delivers every node's objective in the nodes' order, which vectorizes. */
static void deliver_row(const sssp_search *search, uint32_t *to)
{
    const size_t node_count = search->job->arcs->graph->node_count;
    for (size_t node = 0; node < node_count; ++node) {
        const cost value = search->dist[node];
        to[node] = value < search->bound ? cost_objective(value) : MCD_COST_UNREACHED;
    }
}

void MCD_KERNEL(deliver)(const sssp_search *search, size_t lane)
{
    const mcd_sssp_job *job = search->job;
    const cost *dist = search->dist;
    const size_t first = lane * job->lane_stride;
    if (!job->column && !job->companion && job->column_stride == 1) {
        if (job->objective) deliver_row(search, job->objective + first);
        return;
    }
    for (size_t i = 0; i < job->column_count; ++i) {
        const size_t at = first + i * job->column_stride;
        answer_cost(dist[job->column ? job->column[i] : i], job->limit, job->raw,
                    job->objective ? job->objective + at : NULL, job->companion ? job->companion + at : NULL);
    }
}

/* The threads that one lane's search may use. */
static mcd_parallel lane_parallel(const mcd_sssp_job *job)
{
    return job->lane_count == 1 ? job->parallel : (mcd_parallel){1, NULL};
}

static size_t method_bytes(const mcd_sssp_job *job)
{
    switch (job->method) {
    case MCD_TREE_DIJKSTRA:
        return MCD_KERNEL(dijkstra_scratch)(job->arcs);
    case MCD_TREE_BELLMAN_FORD:
        return 0;
    default:
        return MCD_KERNEL(near_far_scratch)(job->arcs, lane_parallel(job).thread_count);
    }
}

/* Lays a worker's scratch out from `memory` on and returns its end, which is its size if `memory` is 0. */
static uintptr_t lay_out(const mcd_sssp_job *job, uintptr_t memory, sssp_scratch *out)
{
    const size_t nodes = job->arcs->graph->node_count, parents = job->parent ? nodes : 0;
    out->dist = carve(&memory, nodes * sizeof *out->dist);
    out->method = (uintptr_t)carve(&memory, method_bytes(job));
    out->rank = carve(&memory, parents * sizeof *out->rank);
    out->queue = carve(&memory, parents * sizeof *out->queue);
    return memory;
}

static void run_lane(void *argument, size_t lane, unsigned worker)
{
    const sssp_run *run = argument;
    const mcd_sssp_job *job = run->job;
    const mcd_arcs *arcs = job->arcs;
    sssp_scratch scratch;
    lay_out(job, (uintptr_t)job->scratch + worker * run->worker_bytes, &scratch);
    const sssp_search search = {
        .job = job,
        .lane = &job->lane[lane],
        .leave = adjacency_of(arcs->graph, job->direction),
        .objective = arcs->objective[job->direction],
        .companion = arcs->companion[job->direction],
        .bound = seed_cost(job->limit + 1, 0),
        .parallel = run->inner,
        .watch = &run->watch,
        .dist = scratch.dist,
    };
    search_lane(&search, scratch.method);
    if (!mcd_watch_goes_on(&run->watch)) return;
    MCD_KERNEL(deliver)(&search, lane);
    if (job->parent) MCD_KERNEL(parents)
    (&search, job->parent + lane * arcs->graph->node_count, scratch.rank, scratch.queue);
}

size_t MCD_KERNEL(sssp_scratch)(const mcd_sssp_job *job)
{
    sssp_scratch any;
    return mcd_team_workers(&job->parallel, job->lane_count) * lay_out(job, 0, &any);
}

macadam_status MCD_KERNEL(sssp)(const mcd_sssp_job *job, macadam_error *error)
{
    sssp_scratch any;
    sssp_run run = {job, lay_out(job, 0, &any), lane_parallel(job), mcd_watch_of(&job->progress, "trees")};
    return mcd_watch_for(&run.watch, &job->parallel, job->lane_count, run_lane, &run, error);
}
