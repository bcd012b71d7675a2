/* route.c - costs of many pairs, one pair a task.
 *
 * Method. Both labels are searched at once. The deeper root path climbs until the two meet in the lowest
 * common ancestor, then both climb together. From there on, the up-down path may turn at any depth. Nodes
 * whose label is no better than the best meeting so far need no relaxing. There is no queue: the root path is
 * the order. (Buchhold, Sanders, Wagner 2019, elimination tree queries)
 * Where the weights have top nodes, both ends climb only to them, and the stored labels give the depths that
 * both share (top_labels.h). A pair that meets below the top nodes is searched as above. While a pair is
 * searched, memory for the next pair is prefetched.
 * Races. None: a pair writes its own answers, a worker its own scratch. */
#include "kernels/cpu/pairwise/route.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"
#include "kernels/cpu/device/answer.h"
#include "kernels/cpu/sweep/top_labels.h"
#include "kernels/cpu/sweep/label.h"

enum { PAIRS_PER_TASK = 64 };

/* One end's search. */
typedef struct end_search {
    const mcd_search *search;
    cost *label; /* by depth */
} end_search;

typedef struct route_scratch {
    end_search end[2];  /* by mcd_direction */
    top_climb climb[2]; /* of this pair and the next one, alternating */
} route_scratch;

typedef struct route_run {
    const mcd_route_job *job;
    route_scratch *scratch;
} route_run;

static void begin_end(const mcd_hierarchy *hierarchy, const end_search *end, const mcd_lane *lane)
{
    const uint32_t depth = hierarchy->depth[lane->seed[0].node];
    for (uint32_t d = 0; d <= depth; d += LANES) row_store(end->label + d, row_all(COST_UNREACHED));
    for (uint32_t s = 0; s < mcd_lane_seed_count(lane); ++s) {
        const mcd_seed seed = lane->seed[s];
        cost *label = &end->label[hierarchy->depth[seed.node]];
        *label = cost_min(*label, seed_cost(seed.objective, seed.companion));
    }
}

/* Has no branches on costs: whether an arc improves a label cannot be predicted. */
static inline void relax_end(const end_search *end, mcd_node node, uint32_t depth)
{
    const mcd_search *search = end->search;
    cost *const restrict label_of = end->label;
    const cost label = label_of[depth];
    for (mcd_arc xy = search->first[node], last = search->first[node + 1]; xy < last; ++xy) {
        cost *const above = &label_of[search->depth[xy]];
        *above = cost_min(*above, cost_relaxed(label, cost_of(search->objective, search->companion, xy)));
    }
}

static cost meet(const mcd_hierarchy *hierarchy, const end_search end[2], const mcd_lane *from,
                 const mcd_lane *to)
{
    mcd_node source = from->seed[0].node, target = to->seed[0].node;
    begin_end(hierarchy, &end[MCD_FORWARD], from);
    begin_end(hierarchy, &end[MCD_BACKWARD], to);
    const mcd_node *parent = hierarchy->parent;
    cost best = COST_UNREACHED;
    uint32_t source_depth = hierarchy->depth[source], target_depth = hierarchy->depth[target];
    while (source != target) { /* the node with the larger id is not an ancestor of the other */
        if (source > target) {
            if (source == MCD_NODE_NONE) return best; /* two trees */
            relax_end(&end[MCD_FORWARD], source, source_depth--);
            source = parent[source];
        } else {
            if (target == MCD_NODE_NONE) return best;
            relax_end(&end[MCD_BACKWARD], target, target_depth--);
            target = parent[target];
        }
    }
    for (uint32_t depth = source_depth; source != MCD_NODE_NONE; source = parent[source], --depth) {
        const cost forward = end[MCD_FORWARD].label[depth], backward = end[MCD_BACKWARD].label[depth];
        best = cost_min(best, cost_add(forward, backward));
        if (forward < best) relax_end(&end[MCD_FORWARD], source, depth);
        if (backward < best) relax_end(&end[MCD_BACKWARD], source, depth);
    }
    return best;
}

/* ---- over top nodes, with 32-bit lanes ---- */

static void begin_pair(const mcd_route_job *job, top_climb *climb, size_t i)
{
#if MCD_LANE_BITS == 32
    if (job->weights->top_labels)
        MCD_KERNEL(top_climb_begin)(climb, job->weights, &job->source[i], &job->target[i]);
#else
    (void)job, (void)climb, (void)i;
#endif
}

static cost search_pair(const mcd_route_job *job, const end_search end[2], const top_climb *climb, size_t i)
{
#if MCD_LANE_BITS == 32
    mcd_weight *const label[2] = {end[MCD_FORWARD].label, end[MCD_BACKWARD].label};
    if (job->weights->top_labels && !climb->meets_below)
        return MCD_KERNEL(top_climb_search)(climb, job->weights, label);
#else
    (void)climb;
#endif
    return meet(job->weights->hierarchy, end, &job->source[i], &job->target[i]);
}

static macadam_status allocate_climbs(route_scratch *scratch, const mcd_hierarchy *hierarchy,
                                      macadam_error *error)
{
#if MCD_LANE_BITS == 32
    for (int i = 0; i < 2; ++i) MCD_TRY(MCD_KERNEL(top_climb_allocate)(&scratch->climb[i], hierarchy, error));
#else
    (void)scratch, (void)hierarchy, (void)error;
#endif
    return MACADAM_OK;
}

static void release_climbs(route_scratch *scratch)
{
#if MCD_LANE_BITS == 32
    for (int i = 0; i < 2; ++i) MCD_KERNEL(top_climb_release)(&scratch->climb[i]);
#else
    (void)scratch;
#endif
}

/* ---- all pairs ---- */

static void route_pair(const mcd_route_job *job, const route_scratch *scratch, const top_climb *climb,
                       size_t i)
{
    cost best = COST_UNREACHED;
    if (job->source[i].seed[0].node != MCD_NODE_NONE && job->target[i].seed[0].node != MCD_NODE_NONE)
        best = search_pair(job, scratch->end, climb, i);
    answer_cost(best, MCD_WEIGHT_MAX, &job->objective[i], job->companion ? &job->companion[i] : NULL);
}

static void route_task(void *argument, size_t index, unsigned worker)
{
    const route_run *run = argument;
    const size_t first = index * PAIRS_PER_TASK;
    const size_t end = mcd_size_min(first + PAIRS_PER_TASK, run->job->count);
    route_scratch *scratch = &run->scratch[worker];
    begin_pair(run->job, &scratch->climb[first % 2], first);
    for (size_t i = first; i < end; ++i) {
        if (i + 1 < end) begin_pair(run->job, &scratch->climb[(i + 1) % 2], i + 1);
        route_pair(run->job, scratch, &scratch->climb[i % 2], i);
    }
}

static macadam_status allocate(const mcd_route_job *job, route_scratch *scratch, size_t workers,
                               macadam_error *error)
{
    const size_t height = job->weights->hierarchy->height / LANES * LANES + LANES;
    for (size_t w = 0; w < workers; ++w) {
        for (int direction = 0; direction < 2; ++direction) {
            scratch[w].end[direction].search = &job->weights->search[direction];
            MCD_TRY(MCD_NEW(scratch[w].end[direction].label, height, error));
        }
        MCD_TRY(allocate_climbs(&scratch[w], job->weights->hierarchy, error));
    }
    return MACADAM_OK;
}

static void release(route_scratch *scratch, size_t workers)
{
    for (size_t w = 0; w < workers; ++w) {
        for (int direction = 0; direction < 2; ++direction) mcd_free(scratch[w].end[direction].label);
        release_climbs(&scratch[w]);
    }
    mcd_free(scratch);
}

macadam_status MCD_KERNEL(route)(const mcd_route_job *job, macadam_error *error)
{
    const size_t task_count = (job->count + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK;
    const size_t workers = task_count <= 1 ? 1 : job->parallel.thread_count;
    route_run run = {.job = job};
    MCD_TRY(MCD_NEW_ZEROED(run.scratch, workers, error));
    macadam_status status = allocate(job, run.scratch, workers, error);
    mcd_watch watch = mcd_watch_of(&job->progress, "routes");
    if (!status) status = mcd_watch_for(&watch, &job->parallel, task_count, route_task, &run, error);
    release(run.scratch, workers);
    return status;
}
