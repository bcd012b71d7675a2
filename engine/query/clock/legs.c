/* legs.c - see legs.h. */
#include "engine/query/clock/legs.h"

#include "engine/base/grow.h"
#include "kernels/clock.h"

typedef struct leg_search {
    const mcd_query *query;
    const mcd_lanes *search, *other;
    mcd_clock_tree *tree;
    size_t trip, lane; /* of which the tree is */
    bool joint;
} leg_search;

/* ---- the search ---- */

static mcd_clock_job job_of(const leg_search *run, const mcd_lane *lane)
{
    const mcd_clock_tree *const tree = run->tree;
    mcd_clock_job job = mcd_clock_job_of(run->query, lane, &run->search->instant[run->trip], tree->objective);
    job.tree.companion = run->joint ? tree->companion : NULL;
    job.tree.raw = true;
    job.tree.parent = tree->parent;
    job.tree.scratch = tree->scratch;
    return job;
}

static macadam_status new_tree(const leg_search *run, macadam_error *error)
{
    const size_t node_count = run->query->engine->graph.node_count;
    mcd_clock_tree *const tree = run->tree;
    if (tree->scratch) return MACADAM_OK;
    MCD_TRY(MCD_NEW(tree->objective, node_count, error));
    if (run->joint) MCD_TRY(MCD_NEW(tree->companion, node_count, error));
    MCD_TRY(MCD_NEW(tree->parent, node_count, error));
    const mcd_lane lane = mcd_lane_of(0);
    const mcd_clock_job job = job_of(run, &lane);
    const size_t bytes = run->query->backend->clock_scratch(&job);
    tree->scratch = mcd_allocate(bytes, 1);
    return tree->scratch ? MACADAM_OK : mcd_fail_memory(error, bytes);
}

static macadam_status search_lane(leg_search *run, size_t lane, macadam_error *error)
{
    const mcd_lane from = mcd_clock_lane(run->search, run->trip, lane);
    const mcd_clock_job job = job_of(run, &from);
    run->lane = lane;
    return run->query->backend->clock(&job, error);
}

/* Returns `cost`, or the better one that the tree has. */
static mcd_clock_sum best_of(const leg_search *run, mcd_clock_sum cost)
{
    const uint32_t instant = run->search->instant[run->trip];
    for (size_t l = mcd_lanes_first(run->other, run->trip); l < mcd_lanes_first(run->other, run->trip + 1);
         ++l) {
        const mcd_lane to = mcd_lanes_at(run->other, l);
        for (uint32_t i = 0; i < mcd_lane_seed_count(&to); ++i) {
            const mcd_node node = to.seed[i].node;
            cost = mcd_clock_arrive(run->other, run->trip, node, instant, run->tree->objective[node],
                                    run->joint ? run->tree->companion[node] : 0, cost);
        }
    }
    return cost;
}

/* Searches from all lanes; the tree is then that of the best. */
static macadam_status search_all(leg_search *run, mcd_clock_sum *best, macadam_error *error)
{
    const size_t first = mcd_lanes_first(run->search, run->trip),
                 end = mcd_lanes_first(run->search, run->trip + 1);
    size_t best_lane = first;
    *best = (mcd_clock_sum){MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE};
    for (size_t lane = first; lane < end; ++lane) {
        MCD_TRY(search_lane(run, lane, error));
        const mcd_clock_sum found = best_of(run, *best);
        if (found.objective != best->objective || found.companion != best->companion) best_lane = lane;
        *best = found;
    }
    return best_lane == run->lane ? MACADAM_OK : search_lane(run, best_lane, error);
}

/* ---- the path ---- */

/* Lists the steps of the tree's path to `node`. */
static macadam_status list_steps(const leg_search *run, mcd_node node, macadam_error *error)
{
    const mcd_clock_tree *const tree = run->tree;
    mcd_trip_search *const trip = &run->tree->trip;
    for (trip->step_count = 0; node != MCD_NODE_NONE; node = tree->parent[node]) {
        MCD_TRY(MCD_GROW(trip->step, trip->step_capacity, trip->step_count + 1, error));
        trip->step[trip->step_count++] =
            (mcd_clock_step){node, tree->objective[node], run->joint ? tree->companion[node] : 0};
    }
    return MACADAM_OK;
}

/* Returns whether the arc takes the search from `u` to `v`. */
static bool is_tight(const leg_search *run, uint32_t arc, const mcd_clock_step *u, const mcd_clock_step *v)
{
    const mcd_timing *const timing = &run->query->timing;
    const uint32_t at = mcd_timing_at(timing, run->search->instant[run->trip], u->objective);
    const mcd_weight passed =
        mcd_clock_cost(&timing->arcs->patterns, &timing->arcs->arc[MCD_FORWARD][arc], at, timing->direction);
    if (mcd_weight_add(u->objective, passed) != v->objective) return false;
    return !run->joint ||
           mcd_weight_add(u->companion, timing->arcs->companion[MCD_FORWARD][arc]) == v->companion;
}

/* Returns the arc by which the search came from `u` to `v`. */
static uint32_t arc_between(const leg_search *run, const mcd_clock_step *u, const mcd_clock_step *v)
{
    const mcd_graph *const graph = &run->query->engine->graph;
    const mcd_clock_arc *const of = run->query->timing.arcs->arc[MCD_FORWARD];
    const bool forward = run->query->timing.direction == MCD_FORWARD;
    const mcd_node tail = forward ? u->node : v->node, head = forward ? v->node : u->node;
    mcd_arc arc = graph->first_out[tail];
    while (arc + 1 < graph->first_out[tail + 1] &&
           (of[arc].end != head || !is_tight(run, (uint32_t)arc, u, v)))
        ++arc;
    return (uint32_t)arc;
}

/* Lists the arcs of the path, in the order of travel. */
static macadam_status trace(mcd_clock_leg *leg, const leg_search *run, macadam_error *error)
{
    const mcd_trip_search *const trip = &run->tree->trip;
    const bool forward = run->query->timing.direction == MCD_FORWARD;
    const size_t count = trip->step_count - 1;
    MCD_TRY(MCD_GROW(leg->path.arc, leg->path.capacity, count + 1, error));
    mcd_free(leg->duration);
    MCD_TRY(MCD_NEW(leg->duration, count, error));
    leg->path.count = count;
    for (size_t i = 0; i < count; ++i) {
        const mcd_clock_step *const to = &trip->step[i], *const before = to + 1;
        const size_t at = forward ? count - 1 - i : i;
        leg->path.arc[at] = arc_between(run, before, to);
        leg->duration[at] = to->objective - before->objective;
    }
    return MACADAM_OK;
}

static mcd_road_part part_of(const mcd_lanes *lanes, size_t trip, mcd_node node, uint32_t instant)
{
    if (!mcd_lanes_is_within(lanes, trip)) return (mcd_road_part){.arc = MCD_ROAD_NONE};
    return mcd_lanes_part(lanes, &lanes->position[trip], node, instant);
}

/* ---- the leg ---- */

static macadam_status take_path(mcd_clock_leg *leg, const leg_search *run, macadam_error *error)
{
    const uint32_t instant = run->search->instant[run->trip];
    const mcd_trip_search *const trip = &run->tree->trip;
    const mcd_clock_step *const end = trip->step;
    MCD_TRY(trace(leg, run, error));
    const mcd_road_part first =
                            part_of(run->search, run->trip, trip->step[trip->step_count - 1].node, instant),
                        last = part_of(run->other, run->trip, end->node,
                                       mcd_timing_at(&run->query->timing, instant, end->objective));
    const bool forward = run->query->timing.direction == MCD_FORWARD;
    leg->before = forward ? first : last;
    leg->behind = forward ? last : first;
    return MACADAM_OK;
}

/* Finds the best cost over nodes, and its path. */
static macadam_status search_trip(leg_search *run, mcd_clock_sum *best, macadam_error *error)
{
    bool is_found;
    mcd_watch watch = mcd_watch_of(&run->query->progress, "trees");
    const mcd_trip trip = {run->query, run->search, run->other, run->trip, run->trip, run->joint, 1, &watch};
    MCD_TRY(mcd_trip_search_find(&run->tree->trip, &trip, best, &is_found, error));
    if (is_found) return MACADAM_OK;
    MCD_TRY(new_tree(run, error));
    MCD_TRY(search_all(run, best, error));
    return list_steps(run, best->node, error);
}

/* direct: the way along a road that both places share */
static macadam_status find(mcd_clock_leg *leg, leg_search *run, mcd_road_part direct, macadam_error *error)
{
    const mcd_road_part none = {.arc = MCD_ROAD_NONE};
    const mcd_weight along = run->joint ? direct.companion : 0;
    mcd_clock_sum cost;
    leg->path.count = 0;
    leg->before = leg->behind = none;
    MCD_TRY(search_trip(run, &cost, error));
    if (direct.objective < MCD_UNREACHED &&
        mcd_joint_of(direct.objective, along) <= mcd_joint_of(cost.objective, cost.companion)) {
        cost = (mcd_clock_sum){direct.objective, along, MCD_NODE_NONE};
        leg->before = direct;
    }
    leg->objective = mcd_clock_answer(cost.objective);
    leg->companion = mcd_clock_answer(cost.companion);
    return cost.node == MCD_NODE_NONE ? MACADAM_OK : take_path(leg, run, error);
}

macadam_status mcd_clock_leg_find(mcd_clock_leg *leg, mcd_clock_tree *tree, const mcd_query *query,
                                  const mcd_lanes *source, const mcd_lanes *target, size_t i,
                                  macadam_error *error)
{
    const bool forward = query->timing.direction == MCD_FORWARD;
    const mcd_road_part direct = mcd_clock_direct(source, target, i);
    leg_search run = {.query = query,
                      .search = forward ? source : target,
                      .other = forward ? target : source,
                      .tree = tree,
                      .trip = i,
                      .joint = query->timing.arcs->companion[MCD_FORWARD]};
    MCD_TRY(find(leg, &run, direct, error));
    if (!run.joint || leg->objective == MACADAM_UNREACHED || leg->companion != MACADAM_UNREACHED)
        return MACADAM_OK;
    run.joint = false; /* the companion is saturated: then only the duration counts */
    MCD_TRY(find(leg, &run, direct, error));
    leg->companion = MACADAM_UNREACHED;
    if (query->joint) leg->objective = MACADAM_UNREACHED;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_clock_leg_free, mcd_clock_leg, it->path.arc, it->duration)

void mcd_clock_tree_free(mcd_clock_tree *tree)
{
    mcd_trip_search_free(&tree->trip);
    MCD_FREE_ALL(tree->objective, tree->companion, tree->parent, tree->scratch);
    *tree = (mcd_clock_tree){.scratch = NULL};
}
