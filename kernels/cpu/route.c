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
#include "kernels/cpu/unpack.h"

#include <stdatomic.h>

enum { PAIRS_PER_TASK = 64, TASKS_PER_ROUND = 256 };

/* One end's search, indexed by depth. */
typedef struct end_search {
    const mcd_search *search;
    cost *label;
    uint32_t *from;      /* the depth that the label was relaxed from; its own depth at a seed */
    mcd_node *root_path; /* the end's ancestor of each depth */
} end_search;

typedef struct route_scratch {
    end_search end[2]; /* by mcd_direction */
    kept_arc *chain, *stack;
} route_scratch;

typedef struct route_run {
    const mcd_route_job *job;
    route_scratch *scratch;
    size_t first_task;
    atomic_int status; /* the first failure of a task; its message may be that of another failure */
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
        const cost value = seed_cost(seed.objective, seed.companion);
        if (value >= end->label[seed_depth]) continue;
        end->label[seed_depth] = value;
        end->from[seed_depth] = seed_depth;
    }
}

static inline void relax_end(end_search *end, mcd_node node, uint32_t depth)
{
    const mcd_search *search = end->search;
    const cost label = end->label[depth];
    end->root_path[depth] = node;
    if (label == COST_UNREACHED) return;
    for (mcd_arc xy = search->first[node]; xy < search->first[node + 1]; ++xy) {
        const uint32_t above = search->depth[xy];
        const cost value = cost_add(label, cost_of(search->objective, search->companion, xy));
        if (value >= end->label[above]) continue;
        end->label[above] = value;
        end->from[above] = depth;
    }
}

/* The least cost, and the depth where the path turns. */
static cost meet(const mcd_hierarchy *hierarchy, end_search end[2], mcd_node source, mcd_node target,
                 uint32_t *meeting)
{
    const mcd_node *parent = hierarchy->parent;
    cost best = COST_UNREACHED;
    while (source != target) { /* the larger id is no ancestor of the other */
        mcd_node *lower = source > target ? &source : &target;
        if (*lower == MCD_NODE_NONE) return best; /* two trees */
        relax_end(&end[source > target ? MCD_FORWARD : MCD_BACKWARD], *lower, hierarchy->depth[*lower]);
        *lower = parent[*lower];
    }
    uint32_t depth = hierarchy->depth[source];
    for (mcd_node node = source; node != MCD_NODE_NONE; node = parent[node], --depth) {
        const cost sum = cost_add(end[MCD_FORWARD].label[depth], end[MCD_BACKWARD].label[depth]);
        if (sum < best) best = sum, *meeting = depth;
        for (int direction = 0; direction < 2; ++direction) {
            end[direction].root_path[depth] = node;
            if (end[direction].label[depth] < best) relax_end(&end[direction], node, depth);
        }
    }
    return best;
}

/* The kept arcs from the source up to the meeting, then down to the target. */
static macadam_status unpack(const mcd_route_job *job, route_scratch *scratch, uint32_t meeting,
                             mcd_path *path, macadam_error *error)
{
    const end_search *forward = &scratch->end[MCD_FORWARD], *backward = &scratch->end[MCD_BACKWARD];
    const bool pair = MCD_LANE_BITS == 64;
    size_t count = 0;
    for (uint32_t depth = meeting; forward->from[depth] != depth; depth = forward->from[depth])
        scratch->chain[count++] =
            (kept_arc){forward->root_path[forward->from[depth]], forward->root_path[depth]};
    while (count > 0)
        MCD_TRY(mcd_unpack_arc(path, job->weights, pair, scratch->chain[--count], scratch->stack, error));
    for (uint32_t depth = meeting; backward->from[depth] != depth; depth = backward->from[depth]) {
        const kept_arc arc = {backward->root_path[depth], backward->root_path[backward->from[depth]]};
        MCD_TRY(mcd_unpack_arc(path, job->weights, pair, arc, scratch->stack, error));
    }
    return path->count ? mcd_path_simplify(path, job->weights, error) : MACADAM_OK;
}

static macadam_status route_pair(const mcd_route_job *job, route_scratch *scratch, size_t i,
                                 macadam_error *error)
{
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const mcd_lane *source = &job->source[i], *target = &job->target[i];
    cost best = COST_UNREACHED;
    uint32_t meeting = 0;
    if (source->seed[0].node != MCD_NODE_NONE && target->seed[0].node != MCD_NODE_NONE) {
        begin_end(hierarchy, &scratch->end[MCD_FORWARD], source);
        begin_end(hierarchy, &scratch->end[MCD_BACKWARD], target);
        best = meet(hierarchy, scratch->end, source->seed[0].node, target->seed[0].node, &meeting);
    }
    answer_cost(best, MCD_WEIGHT_MAX, &job->objective[i], job->companion ? &job->companion[i] : NULL);
    if (!job->path || job->objective[i] == MCD_COST_UNREACHED) return MACADAM_OK;
    return unpack(job, scratch, meeting, &job->path[i], error);
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
            MCD_TRY(MCD_NEW(end->root_path, height, error));
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
            mcd_free(scratch[w].end[direction].root_path);
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
