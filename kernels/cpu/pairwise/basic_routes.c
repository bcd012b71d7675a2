/* basic_routes.c - see basic_routes.h.
 *
 * Method. Both root paths are searched as in route.c, with joint costs, and each label remembers the arc that
 * gave it. The arcs of the path are then unpacked. An upward arc whose basic weight is an input arc's stands
 * for that input arc. Any other stands for the lower triangle of the same weight whose bottom is the least.
 * Customization would have noted the same (customize.c); here the triangle is searched only for the arcs of
 * the path. (Dibbelt, Strasser, Wagner 2016, section 6)
 * Ties. Those of route.c: the deepest meeting and the deepest lower end. Arcs that pruning leaves out are on
 * no shortest path, so they change no answer.
 * Exceptions. Two kinds of path are found over kept arcs, which are then made for the job: those whose
 * companion is saturated, because then an arc that is not kept may tie; and those that unpack into very many
 * arcs, which cycles of weight 0 can cause.
 * Races. None: a pair writes its own answers, a worker its own scratch. */
#include "kernels/cpu/pairwise/basic_routes.h"

#include "engine/base/memory.h"
#include "engine/base/rounds.h"
#include "kernels/cpu/customize/schedule.h"
#include "kernels/host/unpack.h"

#include <stdatomic.h>

enum {
    PAIRS_PER_TASK = 8,
    PAIRS_PER_ROUND = 1024,
    PATH_ARCS_MAX = 1 << 17,
    PATH_CAPACITY = 256,
};

#define NO_DEPTH UINT32_MAX

/* An upward arc in one direction. */
typedef struct basic_arc {
    mcd_node low; /* its lower end */
    uint32_t up;
    mcd_direction direction;
} basic_arc;

/* One end's search, indexed by depth. */
typedef struct end_search {
    mcd_joint *label;
    basic_arc *from;     /* the arc that gave the label */
    uint32_t *low_depth; /* of that arc's lower end; NO_DEPTH: a seed gave the label */
} end_search;

typedef struct basic_scratch {
    end_search end[2]; /* by mcd_direction */
    basic_arc *chain;  /* [2 * height] */
    basic_arc *stack;  /* [height + 2] */
} basic_scratch;

typedef struct basic_run {
    const mcd_route_job *job;
    basic_scratch *scratch; /* per worker */
    mcd_path *path;         /* of a round; NULL: only costs */
    size_t first, count;    /* the pairs of the round */
    size_t path_arcs_max;   /* a longer path is found over kept arcs */
    atomic_bool is_exception;
    atomic_int status; /* the first failure of a task, whose message is in `error` */
    macadam_error *error;
    mcd_rounds rounds; /* of pairs */
} basic_run;

/* ---- costs ---- */

/* The cost of an upward arc; without a companion (joint: false), its lower half is 0. */
static inline mcd_joint cost_at(const void *basic, bool joint, mcd_arc up, mcd_direction direction)
{
    const size_t i = 2 * up + (size_t)direction;
    return joint ? ((const mcd_joint *)basic)[i] : mcd_joint_of(((const mcd_weight *)basic)[i], 0);
}

static inline mcd_joint cost_of(const mcd_weights *weights, mcd_arc up, mcd_direction direction)
{
    return cost_at(weights->basic, weights->companion, up, direction);
}

static void begin_end(const mcd_hierarchy *hierarchy, const end_search *end, const mcd_lane *lane, bool joint)
{
    const uint32_t depth = hierarchy->depth[lane->seed[0].node];
    for (uint32_t d = 0; d <= depth; ++d) end->label[d] = MCD_JOINT_UNREACHED, end->low_depth[d] = NO_DEPTH;
    for (uint32_t s = 0; s < mcd_lane_seed_count(lane); ++s) {
        const mcd_seed seed = lane->seed[s];
        const mcd_joint cost = mcd_joint_of(seed.objective, joint ? seed.companion : 0);
        mcd_joint *const label = &end->label[hierarchy->depth[seed.node]];
        if (cost < *label) *label = cost;
    }
}

static inline void relax_all(const mcd_weights *weights, bool joint, const end_search *end,
                             mcd_direction direction, mcd_node node, uint32_t depth)
{
    const void *const basic = weights->basic;
    const uint32_t *const up_depth = weights->schedule->up_depth;
    const mcd_arc last = weights->hierarchy->first_up[node + 1];
    const mcd_joint label = end->label[depth];
    if (mcd_joint_objective(label) >= MCD_UNREACHED) return;
    for (mcd_arc up = weights->hierarchy->first_up[node]; up < last; ++up) {
        const uint32_t high = up_depth[up];
        const mcd_joint sum = mcd_joint_add(label, cost_at(basic, joint, up, direction));
        if (sum >= end->label[high]) continue;
        end->label[high] = sum;
        end->from[high] = (basic_arc){node, (uint32_t)up, direction};
        end->low_depth[high] = depth;
    }
}

static void relax(const mcd_weights *weights, const end_search *end, mcd_direction direction, mcd_node node,
                  uint32_t depth)
{
    if (weights->companion)
        relax_all(weights, true, end, direction, node, depth);
    else
        relax_all(weights, false, end, direction, node, depth);
}

/* Returns the least cost, and the deepest depth where a path of that cost turns. */
static mcd_joint search_pair(const mcd_weights *weights, const end_search end[2], const mcd_lane *from,
                             const mcd_lane *to, uint32_t *meeting)
{
    const mcd_hierarchy *const hierarchy = weights->hierarchy;
    const mcd_node *const parent = hierarchy->parent;
    mcd_node source = from->seed[0].node, target = to->seed[0].node;
    begin_end(hierarchy, &end[MCD_FORWARD], from, weights->companion);
    begin_end(hierarchy, &end[MCD_BACKWARD], to, weights->companion);
    uint32_t source_depth = hierarchy->depth[source], target_depth = hierarchy->depth[target];
    mcd_joint best = MCD_JOINT_UNREACHED;
    while (source != target) { /* the node with the larger id is not an ancestor of the other */
        if (source > target) {
            if (source == MCD_NODE_NONE) return best; /* two trees */
            relax(weights, &end[MCD_FORWARD], MCD_FORWARD, source, source_depth--);
            source = parent[source];
        } else {
            if (target == MCD_NODE_NONE) return best;
            relax(weights, &end[MCD_BACKWARD], MCD_BACKWARD, target, target_depth--);
            target = parent[target];
        }
    }
    for (uint32_t depth = source_depth; source != MCD_NODE_NONE; source = parent[source], --depth) {
        const mcd_joint forward = end[MCD_FORWARD].label[depth], backward = end[MCD_BACKWARD].label[depth];
        const mcd_joint sum = mcd_joint_add(forward, backward);
        if (sum < best) best = sum, *meeting = depth;
        if (forward <= best) relax(weights, &end[MCD_FORWARD], MCD_FORWARD, source, depth); /* equal: 0s */
        if (backward <= best) relax(weights, &end[MCD_BACKWARD], MCD_BACKWARD, source, depth);
    }
    return best;
}

/* ---- paths ---- */

/* Lists the arcs from the source up to the meeting, then down to the target. Returns how many there are. */
static size_t list_chain(basic_scratch *scratch, uint32_t meeting)
{
    const end_search *const forward = &scratch->end[MCD_FORWARD], *const backward =
                                                                      &scratch->end[MCD_BACKWARD];
    size_t count = 0, next = 0;
    for (uint32_t d = meeting; forward->low_depth[d] != NO_DEPTH; d = forward->low_depth[d]) ++count;
    next = count;
    for (uint32_t d = meeting; forward->low_depth[d] != NO_DEPTH; d = forward->low_depth[d])
        scratch->chain[--next] = forward->from[d];
    for (uint32_t d = meeting; backward->low_depth[d] != NO_DEPTH; d = backward->low_depth[d])
        scratch->chain[count++] = backward->from[d];
    return count;
}

/* Returns the first input arc from `tail` to `head` of this cost; UINT32_MAX if there is none. */
static uint32_t find_input(const mcd_weights *weights, mcd_node tail, mcd_node head, mcd_joint cost)
{
    const mcd_graph *const graph = weights->graph;
    const mcd_arc end = graph->first_out[tail + 1];
    for (mcd_arc arc = mcd_graph_first_arc(graph, tail, head); arc < end && graph->head[arc] == head; ++arc) {
        const mcd_weight companion = weights->companion ? weights->companion[arc] : 0;
        if (mcd_arc_is_open(weights, (uint32_t)arc) &&
            mcd_joint_of(weights->objective[arc], companion) == cost)
            return (uint32_t)arc;
    }
    return UINT32_MAX;
}

/* Returns the upward arc of a node to `head`, which is among its arcs first .. first + count, or UINT64_MAX. */
static mcd_arc find_up(const mcd_node *up_head, mcd_arc first, size_t count, mcd_node head)
{
    const size_t at = mcd_lower_bound_u32(up_head, first, first + count, head);
    return at < first + count && up_head[at] == head ? at : UINT64_MAX;
}

/* Finds the two arcs over the least bottom whose costs sum to the arc's. Returns false if there are none. */
static bool find_triangle(const mcd_weights *weights, basic_arc arc, mcd_joint cost, basic_arc *tail_part,
                          basic_arc *head_part)
{
    const mcd_hierarchy *const hierarchy = weights->hierarchy;
    const mcd_schedule *const schedule = weights->schedule;
    const mcd_node high = hierarchy->up_head[arc.up];
    const bool is_forward = arc.direction == MCD_FORWARD;
    for (mcd_arc i = schedule->first_lower[arc.low]; i < schedule->first_lower[arc.low + 1]; ++i) {
        const mcd_node bottom = schedule->lower[i];
        const uint32_t slot = schedule->lower_slot[i] & ~MCD_SAME_TOPS;
        const mcd_arc first = hierarchy->first_up[bottom], to_low = first + slot;
        const mcd_joint one = cost_of(weights, to_low, is_forward ? MCD_BACKWARD : MCD_FORWARD);
        if (one > cost) continue;
        const mcd_arc to_high = find_up(hierarchy->up_head, first, slot, high);
        if (to_high == UINT64_MAX) continue;
        const mcd_joint other = cost_of(weights, to_high, is_forward ? MCD_FORWARD : MCD_BACKWARD);
        if (mcd_joint_add(one, other) != cost) continue;
        *tail_part = (basic_arc){bottom, (uint32_t)(is_forward ? to_low : to_high), MCD_BACKWARD};
        *head_part = (basic_arc){bottom, (uint32_t)(is_forward ? to_high : to_low), MCD_FORWARD};
        return true;
    }
    return false;
}

static macadam_status append(mcd_path *path, uint32_t arc, macadam_error *error)
{
    if (path->count == path->capacity) {
        const size_t capacity = path->capacity ? 2 * path->capacity : PATH_CAPACITY;
        uint32_t *const moved = mcd_reallocate(path->arc, path->count, capacity, sizeof *moved);
        if (!moved) return mcd_fail_memory(error, capacity * sizeof *moved, "a path");
        path->arc = moved;
        path->capacity = capacity;
    }
    path->arc[path->count++] = arc;
    return MACADAM_OK;
}

/* Appends the input arcs of `arc`. A part's lower end is deeper than the arc's own, so the stack never holds
 * more than the height of the tree. */
static macadam_status unpack(const basic_run *run, basic_arc arc, basic_arc *stack, mcd_path *path,
                             macadam_error *error)
{
    const mcd_weights *const weights = run->job->weights;
    size_t count = 0;
    stack[count++] = arc;
    while (count > 0 && path->count <= run->path_arcs_max) {
        arc = stack[--count];
        const mcd_node high = weights->hierarchy->up_head[arc.up];
        const bool is_forward = arc.direction == MCD_FORWARD;
        const mcd_joint cost = cost_of(weights, arc.up, arc.direction);
        const uint32_t input =
            find_input(weights, is_forward ? arc.low : high, is_forward ? high : arc.low, cost);
        basic_arc tail_part, head_part;
        if (input != UINT32_MAX) {
            MCD_TRY(append(path, input, error));
        } else if (find_triangle(weights, arc, cost, &tail_part, &head_part)) {
            stack[count++] = head_part;
            stack[count++] = tail_part;
        } else {
            return mcd_fail(error, MACADAM_E_INVALID, "basic weight %u of node %u belongs to no path", arc.up,
                            arc.low);
        }
    }
    return MACADAM_OK;
}

static macadam_status find_path(const basic_run *run, basic_scratch *scratch, uint32_t meeting, size_t i,
                                mcd_path *path, macadam_error *error)
{
    const mcd_weights *const weights = run->job->weights;
    const mcd_lane source = mcd_route_source(run->job, i);
    const size_t count = list_chain(scratch, meeting);
    for (size_t a = 0; a < count; ++a) MCD_TRY(unpack(run, scratch->chain[a], scratch->stack, path, error));
    return path->count && path->count <= run->path_arcs_max ? mcd_path_simplify(path, weights, &source, error)
                                                            : MACADAM_OK;
}

/* ---- all pairs ---- */

static macadam_status answer_pair(basic_run *run, basic_scratch *scratch, size_t i, macadam_error *error)
{
    const mcd_route_job *const job = run->job;
    mcd_path *const path = run->path ? &run->path[i - run->first] : NULL;
    uint32_t meeting = 0;
    job->objective[i] = MCD_COST_UNREACHED;
    if (job->companion) job->companion[i] = MCD_COST_UNREACHED;
    if (path) path->count = 0;
    const mcd_lane source = mcd_route_source(job, i), target = mcd_route_target(job, i);
    if (source.seed[0].node == MCD_NODE_NONE || target.seed[0].node == MCD_NODE_NONE) return MACADAM_OK;
    const mcd_joint best = search_pair(job->weights, scratch->end, &source, &target, &meeting);
    const bool is_saturated = mcd_joint_companion(best) >= MCD_UNREACHED;
    if (mcd_joint_objective(best) >= MCD_UNREACHED) return MACADAM_OK;
    if (!job->companion || !is_saturated || job->raw) job->objective[i] = mcd_joint_objective(best);
    if (job->companion && is_saturated) return MACADAM_OK;
    if (job->companion) job->companion[i] = mcd_joint_companion(best);
    if (path && !is_saturated) MCD_TRY(find_path(run, scratch, meeting, i, path, error));
    if (path && (is_saturated || path->count > run->path_arcs_max)) atomic_store(&run->is_exception, true);
    return MACADAM_OK;
}

static void answer_task(void *argument, size_t index, unsigned worker)
{
    basic_run *const run = argument;
    const size_t begin = run->first + index * PAIRS_PER_TASK;
    const size_t end = mcd_size_min(begin + PAIRS_PER_TASK, run->first + run->count);
    macadam_error error;
    macadam_status status = (macadam_status)atomic_load(&run->status);
    for (size_t i = begin; i < end && !status; ++i)
        status = answer_pair(run, &run->scratch[worker], i, &error);
    int expected = MACADAM_OK;
    if (status && atomic_compare_exchange_strong(&run->status, &expected, (int)status) && run->error)
        *run->error = error;
}

static macadam_status allocate(basic_run *run, size_t workers, macadam_error *error)
{
    const size_t height = run->job->weights->hierarchy->height;
    MCD_TRY(MCD_NEW_ZEROED(run->scratch, workers, error));
    for (size_t w = 0; w < workers; ++w) {
        basic_scratch *const scratch = &run->scratch[w];
        for (int direction = 0; direction < 2; ++direction) {
            MCD_TRY(MCD_NEW(scratch->end[direction].label, height, error));
            MCD_TRY(MCD_NEW(scratch->end[direction].from, height, error));
            MCD_TRY(MCD_NEW(scratch->end[direction].low_depth, height, error));
        }
        MCD_TRY(MCD_NEW(scratch->chain, 2 * height, error));
        MCD_TRY(MCD_NEW(scratch->stack, height + 2, error));
    }
    return run->job->take ? MCD_NEW_ZEROED(run->path, mcd_size_min(run->job->count, PAIRS_PER_ROUND), error)
                          : MACADAM_OK;
}

static void release(basic_run *run, size_t workers)
{
    for (size_t w = 0; run->scratch && w < workers; ++w) {
        basic_scratch *const scratch = &run->scratch[w];
        for (int direction = 0; direction < 2; ++direction) {
            mcd_free(scratch->end[direction].label);
            mcd_free(scratch->end[direction].from);
            mcd_free(scratch->end[direction].low_depth);
        }
        mcd_free(scratch->chain);
        mcd_free(scratch->stack);
    }
    mcd_free(run->scratch);
    for (size_t i = 0; run->path && i < mcd_size_min(run->job->count, PAIRS_PER_ROUND); ++i)
        mcd_path_free(&run->path[i]);
    mcd_free(run->path);
}

/* ---- exceptions ---- */

typedef struct shifted_take {
    const mcd_route_job *job;
    size_t first;
} shifted_take;

static macadam_status take_shifted(void *context, const mcd_path *path, size_t first, size_t count,
                                   macadam_error *error)
{
    const shifted_take *const shifted = context;
    return shifted->job->take(shifted->job->take_context, path, shifted->first + first, count, error);
}

/* Answers the pairs from `first` on over kept arcs, which it makes. */
static macadam_status answer_over_kept(const mcd_route_job *job, size_t first, macadam_error *error)
{
    const mcd_backend *const host = mcd_cpu_backend();
    mcd_weights weights = *job->weights;
    const mcd_customize_job customize = {.schedule = weights.schedule,
                                         .hierarchy = weights.hierarchy,
                                         .graph = weights.graph,
                                         .objective = weights.objective,
                                         .companion = weights.companion,
                                         .witnesses = true,
                                         .parallel = job->parallel};
    mcd_custom custom;
    mcd_kept kept = {0};
    MCD_TRY(host->customize(&custom, &customize, error));
    macadam_status status = host->prune(&kept, &custom, &customize, error);
    if (!status) status = host->name_children(&kept, &custom, &customize, error);
    mcd_custom_free(&custom);
    if (!status) {
        shifted_take shifted = {job, first};
        mcd_route_job rest = *job;
        weights.search[MCD_FORWARD] = kept.search[MCD_FORWARD];
        weights.search[MCD_BACKWARD] = kept.search[MCD_BACKWARD];
        rest.weights = &weights;
        mcd_route_skip(&rest, first);
        rest.take = job->take ? take_shifted : NULL;
        rest.take_context = &shifted;
        status = host->route(&rest, error);
    }
    mcd_kept_free(&kept);
    return status;
}

/* Answers the pairs of one round. *done: those of all later rounds are answered as well. */
static macadam_status run_round(basic_run *run, bool *done, macadam_error *error)
{
    const mcd_route_job *const job = run->job;
    run->count = mcd_size_min(job->count - run->first, PAIRS_PER_ROUND);
    MCD_TRY(mcd_rounds_for(&run->rounds, run->first, run->count, &job->parallel,
                           (run->count + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK, answer_task, run, error));
    MCD_TRY((macadam_status)atomic_load(&run->status));
    *done = atomic_load(&run->is_exception);
    if (*done) return answer_over_kept(job, run->first, error);
    return job->take ? job->take(job->take_context, run->path, run->first, run->count, error) : MACADAM_OK;
}

macadam_status mcd_cpu_basic_routes(const mcd_route_job *job, macadam_error *error)
{
    const size_t workers = job->count <= PAIRS_PER_TASK ? 1 : job->parallel.thread_count;
    const size_t node_count = job->weights->hierarchy->node_count;
    basic_run run = {.job = job, .path_arcs_max = mcd_size_min(node_count, PATH_ARCS_MAX), .error = error};
    bool done = false;
    mcd_rounds_begin(&run.rounds, &job->progress, job->take ? "paths" : "routes", job->count);
    macadam_status status = allocate(&run, workers, error);
    for (; !status && !done && run.first < job->count; run.first += PAIRS_PER_ROUND)
        status = run_round(&run, &done, error);
    release(&run, workers);
    return status;
}
