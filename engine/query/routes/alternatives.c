/* alternatives.c - see alternatives.h.
 *
 * Method. The elimination tree separates source and target: every path between them passes a common ancestor.
 * An alternative is a shortest path from the source to such a via node, followed by one from there to the
 * target. The labels of both ends give the costs of all of them in one climb each. They are tried by
 * ascending cost: whether the path differs enough from the routes before it, and whether the part around the
 * via node is a shortest path, so that each part up to that length is one (the T-test). (Abraham, Delling,
 * Goldberg, Werneck 2013, Alternative routes in road networks) */
#include "engine/query/routes/alternatives.h"

#include "engine/base/grow.h"
#include "engine/base/sort.h"

#include <stdlib.h>

/* After this many via nodes have been tried for each requested route, the rest, which are longer, are left
 * out. */
enum { TRIED_PER_ROUTE = 16, WINDOWS = 4 };

typedef struct via_node {
    uint32_t cost; /* first, so that they are sorted by it */
    mcd_node node;
    size_t source, target; /* lanes */
} via_node;

/* A stretch that routes may have in common. */
typedef struct stretch {
    uint64_t number;
    mcd_weight cost;
} stretch;

typedef struct search {
    const mcd_query *query;
    const mcd_pairs *trips;
    uint32_t best, limit; /* the cost of the best route, and the most that an alternative may cost */
    mcd_weight *label[2]; /* by mcd_direction, [height] by depth */
    via_node *via;        /* [via_count] */
    size_t via_count, via_capacity;
    uint64_t *used; /* [used_count] the numbers of the arcs of all routes so far */
    size_t used_count, used_capacity;
    mcd_node *passed; /* [passed_count] the nodes of all paths that were tried */
    size_t passed_count, passed_capacity;
} search;

/* ---- via nodes ---- */

/* Computes the costs between the lane and the ancestors of its nodes, as far as they may count. */
static void climb(const search *run, mcd_direction direction, const mcd_lane *lane)
{
    const mcd_weights *const weights = run->query->weights;
    const mcd_hierarchy *const hierarchy = weights->hierarchy;
    const mcd_search *const arcs = &weights->search[direction];
    mcd_weight *const label = run->label[direction];
    uint32_t depth = hierarchy->depth[lane->seed[0].node];
    for (uint32_t d = 0; d <= depth; ++d) label[d] = MCD_UNREACHED;
    for (uint32_t s = 0; s < mcd_lane_seed_count(lane); ++s) {
        mcd_weight *const at = &label[hierarchy->depth[lane->seed[s].node]];
        if (lane->seed[s].objective < *at) *at = lane->seed[s].objective;
    }
    for (mcd_node v = lane->seed[0].node; v != MCD_NODE_NONE; v = hierarchy->parent[v], --depth) {
        if (label[depth] > run->limit) continue;
        for (mcd_arc xy = arcs->first[v]; xy < arcs->first[v + 1]; ++xy) {
            const mcd_weight cost = mcd_weight_add(label[depth], arcs->objective[xy]);
            if (cost < label[arcs->depth[xy]]) label[arcs->depth[xy]] = cost;
        }
    }
}

/* Returns the deepest node that is an ancestor of both, or MCD_NODE_NONE. */
static mcd_node common_ancestor(const mcd_hierarchy *hierarchy, mcd_node a, mcd_node b)
{
    while (a != b) {
        mcd_node *const deeper = a > b ? &a : &b; /* the larger id is not an ancestor of the other */
        if (*deeper == MCD_NODE_NONE) return MCD_NODE_NONE;
        *deeper = hierarchy->parent[*deeper];
    }
    return a;
}

static macadam_status list_vias_between(search *run, size_t s, size_t t, macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->query->weights->hierarchy;
    const mcd_lane *const from = &run->trips->source.lane[s], *const to = &run->trips->target.lane[t];
    if (from->seed[0].node == MCD_NODE_NONE || to->seed[0].node == MCD_NODE_NONE) return MACADAM_OK;
    mcd_node v = common_ancestor(hierarchy, from->seed[0].node, to->seed[0].node);
    if (v == MCD_NODE_NONE) return MACADAM_OK;
    climb(run, MCD_FORWARD, from);
    climb(run, MCD_BACKWARD, to);
    for (; v != MCD_NODE_NONE; v = hierarchy->parent[v]) {
        const uint32_t depth = hierarchy->depth[v];
        const mcd_weight cost =
            mcd_weight_add(run->label[MCD_FORWARD][depth], run->label[MCD_BACKWARD][depth]);
        if (cost > run->limit) continue;
        MCD_TRY(MCD_GROW(run->via, run->via_capacity, run->via_count + 1, error));
        run->via[run->via_count++] = (via_node){cost, v, s, t};
    }
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE_TWO(compare_vias, via_node, cost, node)

static macadam_status list_vias(search *run, macadam_error *error)
{
    const mcd_lanes *const source = &run->trips->source, *const target = &run->trips->target;
    const size_t height = run->query->weights->hierarchy->height;
    for (int direction = 0; direction < 2; ++direction)
        MCD_TRY(MCD_NEW(run->label[direction], height, error));
    for (size_t s = mcd_lanes_first(source, 0); s < mcd_lanes_first(source, 1); ++s)
        for (size_t t = mcd_lanes_first(target, 0); t < mcd_lanes_first(target, 1); ++t)
            MCD_TRY(list_vias_between(run, s, t, error));
    if (run->via_count > 1) qsort(run->via, run->via_count, sizeof *run->via, compare_vias);
    return MACADAM_OK;
}

/* ---- paths ---- */

/* The two halves of a path over a via node. */
typedef struct halves {
    mcd_path path[2];
    uint32_t objective[2], companion[2];
} halves;

MCD_DEFINE_STATIC_FREE(free_halves, halves, it->path[0].arc, it->path[1].arc)

static macadam_status run_job(const search *run, const mcd_lane *from, const mcd_lane *to, size_t count,
                              uint32_t *objective, uint32_t *companion, mcd_path *path, macadam_error *error)
{
    const mcd_route_job job = {.weights = run->query->weights,
                               .source = from,
                               .target = to,
                               .count = count,
                               .objective = objective,
                               .companion = companion,
                               .take = path ? mcd_pairs_keep_paths : NULL,
                               .take_context = path,
                               .parallel = run->query->engine->parallel,
                               .progress = run->query->progress};
    return run->query->backend->route(&job, error);
}

static macadam_status find_halves(const search *run, const via_node *via, halves *out, macadam_error *error)
{
    const mcd_lane over = mcd_lane_of(via->node);
    const mcd_lane from[2] = {run->trips->source.lane[via->source], over},
                   to[2] = {over, run->trips->target.lane[via->target]};
    return run_job(run, from, to, 2, out->objective, run->query->joint ? out->companion : NULL, out->path,
                   error);
}

/* Joins the halves. */
static macadam_status join(mcd_path *out, const halves *both, macadam_error *error)
{
    const size_t count = both->path[0].count, rest = both->path[1].count;
    MCD_TRY(MCD_NEW(out->arc, count + rest, error));
    if (count) memcpy(out->arc, both->path[0].arc, count * sizeof *out->arc);
    if (rest) memcpy(out->arc + count, both->path[1].arc, rest * sizeof *out->arc);
    out->count = count + rest;
    return MACADAM_OK;
}

/* ---- what routes have in common ---- */

MCD_DEFINE_COMPARE(compare_numbers, uint64_t, )

static stretch stretch_of(const search *run, uint32_t arc, mcd_weight cost)
{
    return (stretch){mcd_arc_number(&run->query->engine->facts, arc), cost};
}

/* Lists the arcs of a path and the parts of arcs at its ends. `out` has room for two more than its arcs. Returns how
 * many there are. */
static size_t list_stretches(const search *run, const mcd_path *path, stretch *out)
{
    const mcd_weights *const weights = run->query->weights;
    mcd_road_part before, behind;
    size_t count = 0;
    mcd_pairs_parts(run->trips, weights->graph, 0, path, &before, &behind);
    if (before.arc != MCD_ROAD_NONE) out[count++] = stretch_of(run, before.arc, before.objective);
    for (size_t i = 0; i < path->count; ++i)
        out[count++] = stretch_of(run, path->arc[i], weights->objective[path->arc[i]]);
    if (behind.arc != MCD_ROAD_NONE) out[count++] = stretch_of(run, behind.arc, behind.objective);
    return count;
}

/* Returns what the path costs on arcs that other routes use. */
static uint64_t shared_cost(const search *run, const stretch *list, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        if (list[i].number != MCD_ARC_NONE &&
            bsearch(&list[i].number, run->used, run->used_count, sizeof *run->used, compare_numbers))
            sum += list[i].cost;
    return sum;
}

static macadam_status use(search *run, const stretch *list, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_GROW(run->used, run->used_capacity, run->used_count + count, error));
    for (size_t i = 0; i < count; ++i) run->used[run->used_count++] = list[i].number;
    qsort(run->used, run->used_count, sizeof *run->used, compare_numbers);
    return MACADAM_OK;
}

/* ---- whether a path is good ---- */

/* Returns whether a path that was tried passes the via node. That path costs no more, and vias are tried by ascending
 * cost: the path over this one is the same, or as long. */
static bool is_passed(const search *run, mcd_node node)
{
    for (size_t i = 0; i < run->passed_count; ++i)
        if (run->passed[i] == node) return true;
    return false;
}

static macadam_status pass(search *run, const mcd_path *path, macadam_error *error)
{
    const mcd_graph *const graph = run->query->weights->graph;
    if (path->count == 0) return MACADAM_OK;
    MCD_TRY(MCD_GROW(run->passed, run->passed_capacity, run->passed_count + path->count + 1, error));
    run->passed[run->passed_count++] = mcd_road_tail(graph, path->arc[0]);
    for (size_t i = 0; i < path->count; ++i) run->passed[run->passed_count++] = graph->head[path->arc[i]];
    return MACADAM_OK;
}

/* Goes from the via node along a half until `length` is passed. Returns what that costs, and sets *lane to where it
 * ends: a node, or the place itself. */
static uint64_t go(const search *run, const halves *both, int half, double length, mcd_lane *lane)
{
    const mcd_weights *const weights = run->query->weights;
    const mcd_path *const path = &both->path[half];
    uint64_t sum = 0;
    for (size_t i = 0; i < path->count; ++i) {
        const uint32_t arc = path->arc[half ? i : path->count - 1 - i];
        sum += weights->objective[arc];
        if ((double)sum < length) continue;
        *lane = mcd_lane_of(half ? weights->graph->head[arc] : mcd_road_tail(weights->graph, arc));
        return sum;
    }
    return both->objective[half];
}

/* Sets *good to whether the part from `before` in front of the via node to `behind` after it is a shortest path. */
static macadam_status test_part(const search *run, const via_node *via, const halves *both, double before,
                                double behind, bool *good, macadam_error *error)
{
    uint32_t least;
    mcd_lane from = run->trips->source.lane[via->source], to = run->trips->target.lane[via->target];
    const uint64_t cost = go(run, both, 0, before, &from) + go(run, both, 1, behind, &to);
    MCD_TRY(run_job(run, &from, &to, 1, &least, NULL, NULL, error));
    *good = least == cost;
    return MACADAM_OK;
}

/* Sets *good to whether every part up to `length` that passes the via node is a shortest path. Each such part lies
 * within one of WINDOWS windows. A window twice as long as a part holds them all. */
static macadam_status test_parts(const search *run, const via_node *via, const halves *both, double length,
                                 bool *good, macadam_error *error)
{
    MCD_TRY(test_part(run, via, both, length, length, good, error));
    if (*good) return MACADAM_OK;
    *good = true;
    for (int i = 0; i < WINDOWS && *good; ++i)
        MCD_TRY(test_part(run, via, both, length * (i + 1) / WINDOWS, length * (WINDOWS - i) / WINDOWS, good,
                          error));
    return MACADAM_OK;
}

/* Sets *good to whether the joined path is an alternative, and then counts its arcs as used. */
static macadam_status judge(search *run, const via_node *via, const halves *both, const mcd_path *path,
                            const mcd_alternative_rules *rules, bool *good, macadam_error *error)
{
    MCD_OWNED stretch *list = NULL;
    MCD_TRY(MCD_NEW(list, path->count + 2, error));
    const size_t count = list_stretches(run, path, list);
    *good = (double)shared_cost(run, list, count) <= rules->sharing * run->best;
    if (*good) MCD_TRY(test_parts(run, via, both, rules->optimality * run->best, good, error));
    return *good ? use(run, list, count, error) : MACADAM_OK;
}

/* Tries one via node. The path is the caller's if it is an alternative. */
static macadam_status try_via(search *run, const via_node *via, const mcd_alternative_rules *rules,
                              mcd_alternative *out, bool *good, macadam_error *error)
{
    MCD_FREED_BY(free_halves) halves both = {.path = {{0}}};
    MCD_OWNED uint32_t *arc = NULL;
    mcd_path path = {0};
    *good = false;
    MCD_TRY(find_halves(run, via, &both, error));
    const uint64_t cost = (uint64_t)both.objective[0] + both.objective[1],
                   companion = (uint64_t)both.companion[0] + both.companion[1];
    MCD_TRY(join(&path, &both, error));
    arc = path.arc;
    MCD_TRY(pass(run, &path, error));
    if (cost > run->limit || companion > MCD_WEIGHT_MAX || path.count == 0) return MACADAM_OK;
    MCD_TRY(judge(run, via, &both, &path, rules, good, error));
    if (!*good) return MACADAM_OK;
    *out = (mcd_alternative){path, (uint32_t)cost, (uint32_t)companion};
    arc = NULL;
    return MACADAM_OK;
}

static macadam_status try_all(search *run, mcd_alternative *out, size_t *count, const mcd_path *best,
                              const mcd_alternative_rules *rules, macadam_error *error)
{
    MCD_OWNED stretch *list = NULL;
    size_t tried = 0;
    MCD_TRY(MCD_NEW(list, best->count + 2, error));
    MCD_TRY(use(run, list, list_stretches(run, best, list), error));
    MCD_TRY(pass(run, best, error));
    MCD_TRY(list_vias(run, error));
    for (size_t i = 0; i < run->via_count && *count < rules->count_max; ++i) {
        bool good;
        if (is_passed(run, run->via[i].node)) continue;
        if (++tried > TRIED_PER_ROUTE * rules->count_max) break;
        MCD_TRY(try_via(run, &run->via[i], rules, &out[*count], &good, error));
        *count += good;
    }
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE(compare_costs, mcd_alternative, .objective)

macadam_status mcd_alternatives_find(mcd_alternative *out, size_t *count, const mcd_query *query,
                                     const mcd_pairs *trips, const mcd_path *best, uint32_t objective,
                                     const mcd_alternative_rules *rules, macadam_error *error)
{
    const double limit = objective * (1 + rules->stretch);
    search run = {.query = query,
                  .trips = trips,
                  .best = objective,
                  .limit = limit < MCD_WEIGHT_MAX ? (uint32_t)limit : MCD_WEIGHT_MAX};
    *count = 0;
    const macadam_status status = try_all(&run, out, count, best, rules, error);
    if (*count > 1) qsort(out, *count, sizeof *out, compare_costs);
    MCD_FREE_ALL(run.label[0], run.label[1], run.via, run.used, run.passed);
    return status;
}
