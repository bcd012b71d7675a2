/* pairs.c - see pairs.h. */
#include "engine/query/places/pairs.h"

#include "engine/base/arena.h"
#include "engine/query/places/trip_costs.h"

/* How many trips have their choices listed and answered at a time: some tens of megabytes. */
enum { TRIPS_PER_LIST = 1 << 17, TRIPS_PER_TASK = 1 << 10 };

/* ---- places ---- */

typedef struct direct_run {
    const mcd_pairs *trips;
    mcd_road_part *direct;
    atomic_bool any;
} direct_run;

static void find_direct_range(void *argument, size_t first, size_t end)
{
    direct_run *const run = argument;
    bool any = false;
    for (size_t i = first; i < end; ++i) {
        run->direct[i] = mcd_lanes_same_road(&run->trips->source, i, &run->trips->target, i);
        any = any || run->direct[i].arc != MCD_ROAD_NONE;
    }
    if (any) atomic_store(&run->any, true);
}

static macadam_status find_direct(mcd_pairs *trips, const mcd_query *query, macadam_error *error)
{
    if (!trips->source.position || !trips->target.position) return MACADAM_OK;
    MCD_OWNED mcd_road_part *direct = NULL;
    MCD_TRY(MCD_NEW(direct, trips->count, error));
    direct_run run = {.trips = trips, .direct = direct};
    mcd_parallel_for_ranges(&query->engine->parallel, trips->count, TRIPS_PER_TASK, find_direct_range, &run);
    return atomic_load(&run.any) ? MCD_MOVE(trips->direct, direct) : MACADAM_OK;
}

macadam_status mcd_pairs_of_located(mcd_pairs *out, const mcd_query *query, mcd_located *source,
                                    mcd_located *target, macadam_error *error)
{
    const uint32_t *const instant = source->list.instant ? source->list.instant : target->list.instant;
    *out = (mcd_pairs){.count = source->list.count};
    MCD_TRY(mcd_located_lanes_both((mcd_located *const[]){source, target}, query,
                                   (mcd_lane_use[]){MCD_LANES_OF_PAIRS, MCD_LANES_OF_PAIRS},
                                   (mcd_lanes *const[]){&out->source, &out->target}, NULL, NULL, error));
    if (instant) {
        mcd_lanes *const begin = source->list.instant ? &out->source : &out->target;
        MCD_TRY(MCD_NEW(out->instant, out->count, error));
        begin->instant = memcpy(out->instant, instant, out->count * sizeof *instant);
    }
    return find_direct(out, query, error);
}

macadam_status mcd_pairs_new(mcd_pairs *out, size_t count, macadam_error *error)
{
    *out = (mcd_pairs){.count = count};
    MCD_TRY(MCD_NEW_ZEROED(out->instant, count, error));
    MCD_TRY(MCD_NEW(out->source.position, count, error));
    return MCD_NEW(out->target.position, count, error);
}

macadam_status mcd_pairs_make(mcd_pairs *trips, const mcd_query *query, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    for (int i = 0; i < 2; ++i) {
        mcd_lanes *const lanes = i ? &trips->target : &trips->source;
        lanes->end = i ? MCD_ARRIVE : MCD_DEPART;
        lanes->timing = query->timing;
        lanes->instant = i == (query->timing.direction == MCD_BACKWARD) ? trips->instant : NULL;
        lanes->place_count = trips->count;
        lanes->roads = &engine->roads;
        lanes->weights = query->weights;
    }
    MCD_TRY(mcd_lanes_make((mcd_lanes *const[]){&trips->source, &trips->target}, 2, engine, &engine->parallel,
                           NULL, NULL, error));
    MCD_TRY(mcd_query_add_potentials(query, &trips->source, error));
    MCD_TRY(mcd_query_add_potentials(query, &trips->target, error));
    return find_direct(trips, query, error);
}

void mcd_pairs_free(mcd_pairs *trips)
{
    mcd_lanes_free(&trips->source);
    mcd_lanes_free(&trips->target);
    MCD_FREE_ALL(trips->direct, trips->from, trips->to, trips->instant);
    *trips = (mcd_pairs){0};
}

bool mcd_pairs_have_choices(const mcd_pairs *trips)
{
    return trips->direct || trips->source.first || trips->target.first;
}

/* ---- choices: every lane of the source with every lane of the target ----
 *
 * The objective decides, then the companion; a saturated one comes last. So choices are answered raw. */

typedef struct choice_list {
    const mcd_pairs *trips;
    size_t begin, end; /* of them */
    bool all;          /* trips without a choice are listed as well */
    size_t *first;     /* [end - begin + 1] */
    size_t count;
    mcd_lane *from, *to;
    uint32_t *objective,
        *companion;   /* companion is NULL if it does not count; MACADAM_UNREACHED: saturated */
    mcd_arena memory; /* of all these */
} choice_list;

static choice_list list_from(const mcd_pairs *trips, size_t begin, bool all)
{
    return (choice_list){.trips = trips,
                         .begin = begin,
                         .end = mcd_size_min(begin + TRIPS_PER_LIST, trips->count),
                         .all = all};
}

static size_t lane_count(const mcd_lanes *lanes, size_t i)
{
    return mcd_lanes_first(lanes, i + 1) - mcd_lanes_first(lanes, i);
}

static size_t choice_count(const mcd_pairs *trips, size_t i)
{
    return lane_count(&trips->source, i) * lane_count(&trips->target, i);
}

static void list_trip(const choice_list *list, size_t i)
{
    const mcd_pairs *const trips = list->trips;
    size_t at = list->first[i - list->begin];
    for (size_t s = mcd_lanes_first(&trips->source, i); s < mcd_lanes_first(&trips->source, i + 1); ++s)
        for (size_t t = mcd_lanes_first(&trips->target, i); t < mcd_lanes_first(&trips->target, i + 1);
             ++t, ++at) {
            list->from[at] = mcd_lanes_at(&trips->source, s);
            list->to[at] = mcd_lanes_at(&trips->target, t);
        }
}

static mcd_joint least_seed(const mcd_lanes *lanes, size_t i)
{
    mcd_joint least = MCD_JOINT_UNREACHED;
    for (size_t l = mcd_lanes_first(lanes, i); l < mcd_lanes_first(lanes, i + 1); ++l) {
        const mcd_lane lane = mcd_lanes_at(lanes, l);
        for (uint32_t s = 0; s < mcd_lane_seed_count(&lane); ++s) {
            const mcd_joint cost = mcd_joint_of(lane.seed[s].objective, lane.seed[s].companion);
            least = cost < least ? cost : least;
        }
    }
    return least;
}

/* Returns whether the way along the road costs no more than every choice, whatever that costs between its ends. */
static bool is_direct(const mcd_pairs *trips, size_t i)
{
    return mcd_pairs_on_same_road(trips, i) &&
           mcd_joint_of(trips->direct[i].objective, trips->direct[i].companion) <=
               mcd_joint_add(least_seed(&trips->source, i), least_seed(&trips->target, i));
}

static bool is_listed(const choice_list *list, size_t i)
{
    const mcd_pairs *const trips = list->trips;
    return (list->all || mcd_pairs_on_same_road(trips, i) || choice_count(trips, i) > 1) &&
           !is_direct(trips, i);
}

static void list_range(void *argument, size_t first, size_t end)
{
    const choice_list *const list = argument;
    for (size_t i = list->begin + first; i < list->begin + end; ++i)
        if (is_listed(list, i)) list_trip(list, i);
}

static macadam_status list_choices(choice_list *out, const mcd_query *query, bool joint, macadam_error *error)
{
    MCD_TRY(MCD_ARENA_NEW(&out->memory, out->first, out->end - out->begin + 1, error));
    for (size_t i = out->begin; i < out->end; ++i) {
        out->first[i - out->begin] = out->count;
        if (is_listed(out, i)) out->count += choice_count(out->trips, i);
    }
    out->first[out->end - out->begin] = out->count;
    MCD_TRY(MCD_ARENA_NEW(&out->memory, out->from, out->count, error));
    MCD_TRY(MCD_ARENA_NEW(&out->memory, out->to, out->count, error));
    MCD_TRY(MCD_ARENA_NEW(&out->memory, out->objective, out->count, error));
    if (joint) MCD_TRY(MCD_ARENA_NEW(&out->memory, out->companion, out->count, error));
    mcd_parallel_for_ranges(&query->engine->parallel, out->end - out->begin, TRIPS_PER_TASK, list_range, out);
    return MACADAM_OK;
}

static void free_choices(choice_list *list)
{
    mcd_arena_free(&list->memory);
}

mcd_route_job mcd_pairs_job(const mcd_pairs *trips, const mcd_query *query)
{
    return (mcd_route_job){.weights = query->weights,
                           .source = trips->from ? trips->from : trips->source.lane,
                           .target = trips->to ? trips->to : trips->target.lane,
                           .source_node = trips->from ? NULL : trips->source.node,
                           .target_node = trips->to ? NULL : trips->target.node,
                           .count = trips->count,
                           .parallel = query->engine->parallel,
                           .progress = query->progress};
}

static macadam_status answer_choices(choice_list *out, const mcd_query *query, bool joint,
                                     macadam_error *error)
{
    MCD_TRY(list_choices(out, query, joint, error));
    const mcd_pairs choices = {.from = out->from, .to = out->to, .count = out->count};
    mcd_route_job job = mcd_pairs_job(&choices, query);
    job.objective = out->objective;
    job.companion = out->companion;
    job.raw = true;
    return out->count ? mcd_query_route(query, &job, error) : MACADAM_OK;
}

/* Returns the best choice of trip i, the first of equals or of choices that are all unreached, and sets *cost to its cost. */
static size_t best_choice(const choice_list *list, size_t i, mcd_road_part *cost)
{
    const size_t *const first = list->first + (i - list->begin);
    size_t best = first[0];
    *cost = (mcd_road_part){.objective = MACADAM_UNREACHED, .companion = MACADAM_UNREACHED};
    for (size_t at = first[0]; at < first[1]; ++at) {
        const uint32_t objective = list->objective[at], companion = list->companion ? list->companion[at] : 0;
        if (objective == MACADAM_UNREACHED) continue;
        if (mcd_joint_of(objective, companion) >= mcd_joint_of(cost->objective, cost->companion)) continue;
        best = at;
        cost->objective = objective;
        cost->companion = companion;
    }
    return best;
}

/* Returns whether the way along the road is as good as the best choice, whose cost is `cost`. */
static bool is_direct_best(const mcd_pairs *trips, size_t i, const mcd_road_part *cost)
{
    if (!mcd_pairs_on_same_road(trips, i)) return false;
    const mcd_road_part *direct = &trips->direct[i];
    return mcd_joint_of(direct->objective, direct->companion) <=
           mcd_joint_of(cost->objective, cost->companion);
}

/* ---- costs ---- */

/* Answers of trips, from their choices. */
typedef struct costs_run {
    const choice_list *list;
    uint32_t *objective, *companion; /* by trip */
} costs_run;

static void take_costs(void *argument, size_t first, size_t end)
{
    const costs_run *const run = argument;
    const choice_list *const list = run->list;
    for (size_t i = list->begin + first; i < list->begin + end; ++i) {
        mcd_road_part cost;
        best_choice(list, i, &cost);
        if (is_direct_best(list->trips, i, &cost)) cost = list->trips->direct[i];
        const bool is_saturated = run->companion && cost.companion == MACADAM_UNREACHED;
        run->objective[i] = is_saturated ? MACADAM_UNREACHED : cost.objective;
        if (run->companion) run->companion[i] = cost.companion;
    }
}

macadam_status mcd_pairs_costs(const mcd_pairs *trips, const mcd_query *query, uint32_t *objective,
                               uint32_t *companion, macadam_error *error)
{
    if (trips->count == 0) return MACADAM_OK;
    if (query->timing.arcs)
        return mcd_clock_pairs(query, &trips->source, &trips->target, trips->count, objective, companion,
                               error);
    if (!mcd_pairs_have_choices(trips)) {
        mcd_route_job job = mcd_pairs_job(trips, query);
        job.objective = objective;
        job.companion = companion;
        return mcd_query_route(query, &job, error);
    }
    for (size_t begin = 0; begin < trips->count; begin += TRIPS_PER_LIST) {
        MCD_FREED_BY(free_choices) choice_list list = list_from(trips, begin, true);
        costs_run run = {&list, objective, companion};
        MCD_TRY(answer_choices(&list, query, companion != NULL, error));
        mcd_parallel_for_ranges(&query->engine->parallel, list.end - begin, TRIPS_PER_TASK, take_costs, &run);
    }
    return MACADAM_OK;
}

/* ---- paths ---- */

static macadam_status own_lanes(mcd_pairs *trips, macadam_error *error)
{
    MCD_TRY(MCD_NEW(trips->from, trips->count, error));
    MCD_TRY(MCD_NEW(trips->to, trips->count, error));
    for (size_t i = 0; i < trips->count; ++i) {
        const bool direct = is_direct(trips, i);
        trips->from[i] = direct ? mcd_lane_of(MCD_NODE_NONE)
                                : mcd_lanes_at(&trips->source, mcd_lanes_first(&trips->source, i));
        trips->to[i] = direct ? mcd_lane_of(MCD_NODE_NONE)
                              : mcd_lanes_at(&trips->target, mcd_lanes_first(&trips->target, i));
    }
    return MACADAM_OK;
}

static void take_choice(mcd_pairs *trips, const choice_list *list, size_t i)
{
    mcd_road_part cost;
    const size_t best = best_choice(list, i, &cost);
    trips->from[i] = list->from[best];
    trips->to[i] = list->to[best];
    if (is_direct_best(trips, i, &cost))
        trips->from[i] = trips->to[i] = mcd_lane_of(MCD_NODE_NONE);
    else if (trips->direct)
        trips->direct[i].arc = MCD_ROAD_NONE;
}

macadam_status mcd_pairs_choose(mcd_pairs *trips, const mcd_query *query, macadam_error *error)
{
    if (!mcd_pairs_have_choices(trips)) return MACADAM_OK;
    MCD_TRY(own_lanes(trips, error));
    for (size_t begin = 0; begin < trips->count; begin += TRIPS_PER_LIST) {
        MCD_FREED_BY(free_choices) choice_list list = list_from(trips, begin, false);
        MCD_TRY(answer_choices(&list, query, query->weights->companion != NULL, error));
        for (size_t i = list.begin; i < list.end; ++i)
            if (is_listed(&list, i)) take_choice(trips, &list, i);
    }
    return MACADAM_OK;
}

void mcd_pairs_cost_same_road(const mcd_pairs *trips, size_t first, size_t count, uint32_t *objective,
                              uint32_t *companion)
{
    for (size_t i = first; trips->direct && i < first + count; ++i) {
        if (!mcd_pairs_on_same_road(trips, i)) continue;
        objective[i] = trips->direct[i].objective;
        if (companion) companion[i] = trips->direct[i].companion;
    }
}

macadam_status mcd_pairs_keep_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                    macadam_error *error)
{
    for (size_t i = 0; i < count; ++i) {
        mcd_path *const kept = (mcd_path *)context + first + i;
        mcd_free(kept->arc);
        MCD_TRY(MCD_NEW(kept->arc, path[i].count, error));
        if (path[i].count) memcpy(kept->arc, path[i].arc, path[i].count * sizeof *kept->arc);
        kept->count = path[i].count;
    }
    return MACADAM_OK;
}

/* Returns the node at which both lanes are cheapest together, if it costs less than *least; else MCD_NODE_NONE. */
static mcd_node cheaper_node(const mcd_lane *from, const mcd_lane *to, mcd_joint *least)
{
    mcd_node best = MCD_NODE_NONE;
    for (uint32_t s = 0; s < mcd_lane_seed_count(from); ++s)
        for (uint32_t t = 0; t < mcd_lane_seed_count(to); ++t) {
            const mcd_seed *a = &from->seed[s], *b = &to->seed[t];
            const mcd_joint sum = mcd_joint_add(mcd_joint_of(a->objective, a->companion),
                                                mcd_joint_of(b->objective, b->companion));
            if (a->node != b->node || sum >= *least) continue;
            *least = sum;
            best = a->node;
        }
    return best;
}

/* A trip has the lanes that were chosen, or all lanes of its places. */
static size_t lanes_of(const mcd_lane *chosen, const mcd_lanes *lanes, size_t i)
{
    return chosen ? 1 : lane_count(lanes, i);
}

static mcd_lane lane_at(const mcd_lane *chosen, const mcd_lanes *lanes, size_t i, size_t lane)
{
    return chosen ? chosen[i] : mcd_lanes_at(lanes, mcd_lanes_first(lanes, i) + lane);
}

/* Returns where a path without arcs begins and ends: the node that is cheapest for both places, the deepest of equals.
 * Returns MCD_NODE_NONE if there is no path. */
static mcd_node common_node(const mcd_pairs *trips, size_t i)
{
    mcd_node best = MCD_NODE_NONE;
    mcd_joint least = MCD_JOINT_UNREACHED;
    for (size_t f = 0; f < lanes_of(trips->from, &trips->source, i); ++f)
        for (size_t t = 0; t < lanes_of(trips->to, &trips->target, i); ++t) {
            const mcd_lane from = lane_at(trips->from, &trips->source, i, f),
                           to = lane_at(trips->to, &trips->target, i, t);
            const mcd_node node = cheaper_node(&from, &to, &least);
            if (node != MCD_NODE_NONE) best = node;
        }
    return best;
}

void mcd_pairs_parts(const mcd_pairs *trips, const mcd_graph *graph, size_t i, const mcd_path *path,
                     mcd_road_part *before, mcd_road_part *behind)
{
    *before = *behind = (mcd_road_part){.arc = MCD_ROAD_NONE};
    if (mcd_pairs_most_parts(trips) == 0) return;
    if (mcd_pairs_on_same_road(trips, i)) {
        const mcd_road_part *const way = &trips->direct[i];
        *before = trips->source.timing.arcs
                      ? *way
                      : mcd_lanes_between(trips->source.weights, way->arc, way->from, way->to);
        return;
    }
    mcd_node first, last;
    if (path->count > 0) {
        first = mcd_road_tail(graph, path->arc[0]);
        last = graph->head[path->arc[path->count - 1]];
    } else {
        first = last = common_node(trips, i);
    }
    if (first == MCD_NODE_NONE) return;
    if (trips->source.position)
        *before = mcd_lanes_part(&trips->source, &trips->source.position[i], first,
                                 trips->source.instant ? trips->source.instant[i] : 0);
    if (trips->target.position) *behind = mcd_lanes_part(&trips->target, &trips->target.position[i], last, 0);
}
