/* route.c - costs and paths of many pairs, one pair a task.
 *
 * Method. Both labels are searched at once: the deeper root path climbs until the two meet in the lowest
 * common ancestor, then both climb together; there every depth may be where the up-down path turns. Nodes
 * whose label is no better than the best meeting so far need no relaxing. There is no queue: the root path is
 * the order. (Buchhold, Sanders, Wagner 2019, elimination tree queries) Paths. Each label remembers the depth
 * it was relaxed from; the two chains of kept arcs from the meeting are unpacked. Ties. The deepest
 * predecessor and the deepest meeting win, so that the path does not depend on scheduling. Races: none. A
 * pair writes its own answers, a worker its own scratch. */
#include "kernels/cpu/route.h"

#include "engine/memory.h"
#include "kernels/cpu/answer.h"
#include "kernels/cpu/tight_path.h"
#include "kernels/cpu/unpack.h"

#include <stdatomic.h>

enum { PAIRS_PER_TASK = 64, TASKS_PER_ROUND = 256 };

/* One end's search, indexed by depth. */
typedef struct end_search {
    const mcd_search *search;
    cost *label;
    uint64_t *
        from; /* paths: the kept arc that gave the label and, above it, the depth of its lower end; FROM_SEED */
} end_search;

#define FROM_SEED UINT64_MAX

static inline uint64_t from_of(mcd_arc kept, uint32_t depth)
{
    return (uint64_t)depth << 32 | (uint32_t)kept;
}

typedef struct route_scratch {
    end_search end[2]; /* by mcd_direction */
    uint64_t *chain, *stack;
} route_scratch;

typedef struct route_run {
    const mcd_route_job *job;
    route_scratch *scratch;
    size_t first_task;
    atomic_int status; /* the first failure of a task, whose message is in `error` */
    macadam_error *error;
} route_run;

static void begin_end(const mcd_hierarchy *hierarchy, end_search *end, const mcd_lane *lane)
{
    const uint32_t depth = hierarchy->depth[lane->seed[0].node];
    for (uint32_t d = 0; d <= depth; ++d) end->label[d] = COST_UNREACHED;
    for (int s = 0; s < 2; ++s) {
        const mcd_seed seed = lane->seed[s];
        if (seed.node == MCD_NODE_NONE) continue;
        const uint32_t seed_depth = hierarchy->depth[seed.node];
        end->label[seed_depth] = cost_min(end->label[seed_depth], seed_cost(seed.objective, seed.companion));
        end->from[seed_depth] = FROM_SEED;
    }
}

/* Without branches on costs: whether an arc improves a label cannot be foretold. `paths` is a constant at each call. */
static inline __attribute__((always_inline)) void relax_end(const end_search *end, mcd_node node,
                                                            uint32_t depth, bool paths)
{
    const mcd_search *search = end->search;
    cost *const restrict label_of = end->label;
    uint64_t *const restrict from = end->from;
    const cost label = label_of[depth];
    for (mcd_arc xy = search->first[node], last = search->first[node + 1]; xy < last; ++xy) {
        const uint32_t above = search->depth[xy];
        const cost old = label_of[above],
                   new = cost_relaxed(label, cost_of(search->objective, search->companion, xy));
        label_of[above] = cost_min(old, new);
        if (paths) from[above] = new < old ? from_of(xy, depth) : from[above];
    }
}

/* The least cost, and the depth where the path turns. */
static inline __attribute__((always_inline)) cost meet(const mcd_hierarchy *hierarchy,
                                                       const end_search end[2], mcd_node source,
                                                       mcd_node target, uint32_t *meeting, bool paths)
{
    const mcd_node *parent = hierarchy->parent;
    cost best = COST_UNREACHED;
    uint32_t source_depth = hierarchy->depth[source], target_depth = hierarchy->depth[target];
    while (source != target) { /* the larger id is no ancestor of the other */
        if (source > target) {
            if (source == MCD_NODE_NONE) return best; /* two trees */
            relax_end(&end[MCD_FORWARD], source, source_depth--, paths);
            source = parent[source];
        } else {
            if (target == MCD_NODE_NONE) return best;
            relax_end(&end[MCD_BACKWARD], target, target_depth--, paths);
            target = parent[target];
        }
    }
    for (uint32_t depth = source_depth; source != MCD_NODE_NONE; source = parent[source], --depth) {
        const cost forward = end[MCD_FORWARD].label[depth], backward = end[MCD_BACKWARD].label[depth];
        const cost sum = cost_add(forward, backward);
        if (sum < best) best = sum, *meeting = depth;
        if (forward < best) relax_end(&end[MCD_FORWARD], source, depth, paths);
        if (backward < best) relax_end(&end[MCD_BACKWARD], source, depth, paths);
    }
    return best;
}

/* The kept arcs from the source up to the meeting, then down to the target. */
static macadam_status unpack(const mcd_route_job *job, route_scratch *scratch, const mcd_lane *source,
                             mcd_node target, uint32_t meeting, mcd_path *path, macadam_error *error)
{
    size_t count = 0;
    const uint64_t *from = scratch->end[MCD_FORWARD].from;
    for (uint32_t depth = meeting; from[depth] != FROM_SEED; depth = (uint32_t)(from[depth] >> 32))
        scratch->chain[count++] = mcd_kept_arc((uint32_t)from[depth], MCD_FORWARD);
    while (count > 0)
        MCD_TRY(mcd_unpack_arc(path, job->weights, scratch->chain[--count], scratch->stack, error));
    from = scratch->end[MCD_BACKWARD].from;
    for (uint32_t depth = meeting; from[depth] != FROM_SEED; depth = (uint32_t)(from[depth] >> 32))
        MCD_TRY(mcd_unpack_arc(path, job->weights, mcd_kept_arc((uint32_t)from[depth], MCD_BACKWARD),
                               scratch->stack, error));
    if (path->count > job->weights->hierarchy->node_count)
        return MCD_KERNEL(tight_path)(path, job->weights, source, target, error);
    return mcd_path_simplify(path, job->weights, source->seed[0].node, error);
}

static macadam_status route_pair(const mcd_route_job *job, route_scratch *scratch, size_t i,
                                 macadam_error *error)
{
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const mcd_node source = job->source[i].seed[0].node, target = job->target[i].seed[0].node;
    cost best = COST_UNREACHED;
    uint32_t meeting = 0;
    if (source != MCD_NODE_NONE && target != MCD_NODE_NONE) {
        begin_end(hierarchy, &scratch->end[MCD_FORWARD], &job->source[i]);
        begin_end(hierarchy, &scratch->end[MCD_BACKWARD], &job->target[i]);
        best = job->path ? meet(hierarchy, scratch->end, source, target, &meeting, true)
                         : meet(hierarchy, scratch->end, source, target, &meeting, false);
    }
    answer_cost(best, MCD_WEIGHT_MAX, &job->objective[i], job->companion ? &job->companion[i] : NULL);
    if (!job->path || job->objective[i] == MCD_COST_UNREACHED) return MACADAM_OK;
    return unpack(job, scratch, &job->source[i], target, meeting, &job->path[i], error);
}

static void route_task(void *argument, size_t index, unsigned worker)
{
    route_run *run = argument;
    const size_t first = (run->first_task + index) * PAIRS_PER_TASK;
    const size_t end = mcd_size_min(first + PAIRS_PER_TASK, run->job->count);
    for (size_t i = first; i < end && atomic_load_explicit(&run->status, memory_order_relaxed) == MACADAM_OK;
         ++i) {
        macadam_error error;
        const macadam_status status = route_pair(run->job, &run->scratch[worker], i, &error);
        int expected = MACADAM_OK;
        if (status && atomic_compare_exchange_strong(&run->status, &expected, (int)status) && run->error)
            *run->error = error;
    }
}

static macadam_status allocate(const mcd_route_job *job, route_scratch *scratch, size_t workers,
                               macadam_error *error)
{
    const size_t height = job->weights->hierarchy->height;
    for (size_t w = 0; w < workers; ++w) {
        for (int direction = 0; direction < 2; ++direction) {
            end_search *end = &scratch[w].end[direction];
            end->search = &job->weights->search[direction];
            MCD_TRY(MCD_NEW(end->label, height, error));
            MCD_TRY(MCD_NEW(end->from, height, error));
        }
        MCD_TRY(MCD_NEW(scratch[w].chain, height + 1, error));
        MCD_TRY(MCD_NEW(scratch[w].stack, height + 1, error));
    }
    return MACADAM_OK;
}

static void release(route_scratch *scratch, size_t workers)
{
    for (size_t w = 0; w < workers; ++w) {
        for (int direction = 0; direction < 2; ++direction) {
            mcd_free(scratch[w].end[direction].label);
            mcd_free(scratch[w].end[direction].from);
        }
        mcd_free(scratch[w].chain);
        mcd_free(scratch[w].stack);
    }
    mcd_free(scratch);
}

macadam_status MCD_KERNEL(route)(const mcd_route_job *job, macadam_error *error)
{
    const size_t task_count = (job->count + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK;
    const size_t workers = task_count <= 1 ? 1 : job->parallel.thread_count;
    route_run run = {.job = job, .error = error};
    MCD_TRY(MCD_NEW_ZEROED(run.scratch, workers, error));
    macadam_status status = allocate(job, run.scratch, workers, error);
    for (; !status && run.first_task < task_count; run.first_task += TASKS_PER_ROUND) {
        status =
            mcd_progress_step(&job->progress, "routes", run.first_task * PAIRS_PER_TASK, job->count, error);
        if (status) break;
        mcd_parallel_for(&job->parallel, mcd_size_min(task_count - run.first_task, TASKS_PER_ROUND),
                         route_task, &run);
        status = (macadam_status)atomic_load(&run.status);
    }
    release(run.scratch, workers);
    return status;
}
