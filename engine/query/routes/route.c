/* route.c - one route with its arcs, names and geometry, through several waypoints. */
#include "engine/query/routes/route.h"

#include "engine/query/routes/path_cost.h"
#include "engine/query/routes/route_segment.h"
#include "engine/query/routes/route_writer.h"
#include "engine/query/places/dispatch.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/subnetwork.h"
#include "engine/query/routes/steps.h"
#include "engine/base/options.h"
#include "engine/query/routes/alternatives.h"
#include "engine/query/routes/vias.h"

/* The legs' paths before they become a route. */
typedef struct route_run {
    const mcd_query *query;
    const mcd_query *cost; /* whose quantities are wanted, by another metric; NULL: those of `query` */
    const macadam_route_request *request;
    const mcd_position *depart, *arrive; /* [waypoint_count] NULL: the waypoints have to be located */
    size_t leg_count;
    mcd_pairs trips; /* the legs */
    uint32_t *objective, *companion;
    mcd_path *path;            /* copies */
    uint32_t instant;          /* with a clock: of the departure, or of the arrival */
    uint32_t *instants;        /* [leg_count] likewise, for places whose legs are not known yet */
    const uint32_t *departure; /* [leg_count] if `cost` has a clock */
    mcd_clock_leg *timed;      /* [leg_count] with a clock: the legs; they own `path` */
    bool is_unsure; /* a search on the arcs found several shortest paths: only the hierarchy chooses one */
} route_run;

/* Sums up the legs' costs of each requested quantity: the route is found if all have a sum. */
static macadam_status sum_values(const route_run *run, macadam_route *route, macadam_leg *leg,
                                 macadam_error *error)
{
    const mcd_query *const query = run->query;
    const size_t count = run->leg_count;
    MCD_OWNED uint32_t *values = NULL;
    uint32_t *value[MACADAM_QUANTITIES_MAX] = {NULL};
    MCD_TRY(MCD_NEW(values, query->quantity_count * count, error));
    for (size_t q = 0; q < query->quantity_count; ++q)
        value[q] = memcpy(values + q * count, query->is_companion[q] ? run->companion : run->objective,
                          count * sizeof *values);
    MCD_TRY(mcd_signed_pairs(&run->trips, query, value, error));
    route->found = true;
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const bool is_signed = query->potential[q];
        bool reached = true;
        int64_t total = 0;
        for (size_t l = 0; l < count; ++l) {
            const int64_t cost = macadam_cost(value[q][l], is_signed);
            leg[l].value[q] = value[q][l];
            reached &= cost != MACADAM_COST_NONE;
            total += reached ? cost : 0;
        }
        reached &= total >= (is_signed ? -(int64_t)MCD_WEIGHT_MAX : 0) && total <= MCD_WEIGHT_MAX;
        route->value[q] = reached     ? (uint32_t)total
                          : is_signed ? (uint32_t)MACADAM_SIGNED_UNREACHED
                                      : MACADAM_UNREACHED;
        route->found &= reached;
    }
    return MACADAM_OK;
}

/* Whether no leg of the answer begins where this one does. */
static bool passes(const route_run *run, size_t leg)
{
    return leg > 0 && run->request->passes && run->request->passes[leg];
}

/* Makes one leg of those between which the route does not stop. */
static void join_legs(const route_run *run, macadam_route *route, macadam_leg *leg)
{
    route->leg_count = 0;
    for (size_t l = 0; l < run->leg_count; ++l) {
        if (!passes(run, l)) leg[route->leg_count++] = leg[l];
        macadam_leg *const joined = &leg[route->leg_count - 1];
        for (size_t q = 0; passes(run, l) && q < run->query->quantity_count; ++q)
            joined->value[q] += leg[l].value[q];
    }
}

/* The places between which the legs are. */
static void find_stops(const route_run *run, const macadam_route *route, mcd_step_stop *stop)
{
    size_t count = 0;
    for (size_t i = 0; i < route->waypoint_count; ++i)
        if (i == run->leg_count || !passes(run, i))
            stop[count++] = (mcd_step_stop){&run->request->waypoint[i], &route->waypoint[i]};
}

/* The parts of arcs at the ends of a leg. */
typedef struct leg_ends {
    mcd_road_part before, behind;
} leg_ends;

static size_t expect_points(const route_run *run, const leg_ends *ends)
{
    const macadam_engine *const engine = run->query->engine;
    const mcd_weights *const weights = run->query->weights;
    size_t count = 0;
    for (size_t l = 0; l < run->leg_count; ++l) {
        for (size_t i = 0; i < run->path[l].count; ++i) {
            const uint32_t arc = run->path[l].arc[i];
            count += mcd_road_expect(&engine->roads, arc);
            __builtin_prefetch(&weights->objective[arc]);
            if (weights->companion) __builtin_prefetch(&weights->companion[arc]);
        }
        if (ends[l].before.arc != MCD_ROAD_NONE)
            count += mcd_road_shape_point_count(engine, ends[l].before.arc);
        if (ends[l].behind.arc != MCD_ROAD_NONE)
            count += mcd_road_shape_point_count(engine, ends[l].behind.arc);
    }
    return count;
}

/* Fills in the arcs of all legs. */
static macadam_status fill_arcs(macadam_route *route, const route_run *run, const leg_ends *ends,
                                macadam_leg *leg, mcd_route_total *total, macadam_error *error)
{
    const mcd_query *query = run->query;
    mcd_route_writer writer = {.query = query, .route = route, .total = total};
    size_t arcs = 2 * run->leg_count;
    for (size_t l = 0; l < run->leg_count; ++l) arcs += run->path[l].count;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), writer.arc, arcs, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), writer.file_arc, arcs, error));
    if (query->engine->places.lon_e7)
        MCD_TRY(mcd_shape_new(&writer.shape, mcd_answer_arena(route), expect_points(run, ends), error));
    if (query->engine->places.height_dm)
        MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), writer.shape.height_m, writer.shape.capacity, error));
    for (size_t l = 0, at = 0; l < run->leg_count; ++l) {
        writer.goes_on = passes(run, l);
        if (!writer.goes_on) leg[at++].first_arc = route->arc_count;
        mcd_route_writer_end(&writer, &ends[l].before);
        mcd_route_writer_path(&writer, &run->path[l], run->timed ? run->timed[l].duration : NULL);
        mcd_route_writer_end(&writer, &ends[l].behind);
        leg[at - 1].end_arc = route->arc_count;
    }
    route->arc = writer.arc;
    route->lon = writer.shape.lon;
    route->lat = writer.shape.lat;
    route->height_m = writer.shape.height_m;
    route->shape_count = writer.shape.count;
    if (run->request->segments && writer.shape.lon)
        MCD_TRY(mcd_route_segments_new(route, writer.arc, writer.file_arc, query, mcd_answer_arena(route),
                                       error));
    if (!run->request->steps || !writer.shape.lon || !query->engine->road_facts) return MACADAM_OK;
    mcd_step_stop *stop;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), stop, route->leg_count + 1, error));
    find_stops(run, route, stop);
    return mcd_steps_write(route, leg, mcd_answer_arena(route), query, writer.file_arc, stop, error);
}

/* Fills in the arcs, and what they sum up to. */
static macadam_status fill_arcs_and_totals(macadam_route *route, const route_run *run, const leg_ends *ends,
                                           macadam_leg *leg, macadam_error *error)
{
    MCD_FREED_BY(mcd_route_total_free) mcd_route_total total = {0};
    int64_t *sum;
    if (!run->request->totals) return fill_arcs(route, run, ends, leg, NULL, error);
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), sum, run->query->engine->metadata->n_quantity, error));
    MCD_TRY(mcd_route_total_new(&total, run->query, error));
    MCD_TRY(fill_arcs(route, run, ends, leg, &total, error));
    mcd_route_total_end(&total, route->value, sum);
    route->total = sum;
    route->total_count = run->query->engine->metadata->n_quantity;
    return MACADAM_OK;
}

/* Fills in the costs of the legs and, of a route that is found, all else. */
static macadam_status write_legs(macadam_route *route, const route_run *run, macadam_leg *leg,
                                 macadam_error *error)
{
    MCD_OWNED leg_ends *ends = NULL;
    MCD_TRY(sum_values(run, route, leg, error));
    if (!route->found) return MACADAM_OK;
    join_legs(run, route, leg);
    if (run->request->costs_only) return MACADAM_OK;
    MCD_TRY(MCD_NEW(ends, run->leg_count, error));
    for (size_t l = 0; l < run->leg_count; ++l)
        if (run->timed)
            ends[l] = (leg_ends){run->timed[l].before, run->timed[l].behind};
        else
            mcd_pairs_parts(&run->trips, &run->query->engine->graph, l, &run->path[l], &ends[l].before,
                            &ends[l].behind);
    return fill_arcs_and_totals(route, run, ends, leg, error);
}

static void free_costs(route_run *run)
{
    for (size_t l = 0; run->timed && l < run->leg_count; ++l) mcd_clock_leg_free(&run->timed[l]);
    mcd_pairs_free(&run->trips);
    MCD_FREE_ALL(run->objective, run->companion, run->timed);
}

/* Does so in the quantities of another metric. */
static macadam_status write_costs(macadam_route *route, const route_run *run, macadam_leg *leg,
                                  macadam_error *error)
{
    if (!run->cost) return write_legs(route, run, leg, error);
    MCD_FREED_BY(free_costs) route_run own = *run;
    own.query = run->cost;
    own.objective = own.companion = NULL;
    own.trips = (mcd_pairs){.count = 0};
    MCD_TRY(MCD_NEW(own.objective, run->leg_count, error));
    if (own.query->joint) MCD_TRY(MCD_NEW(own.companion, run->leg_count, error));
    memcpy(own.objective, run->objective, run->leg_count * sizeof *own.objective);
    if (run->cost->timing.arcs) MCD_TRY(MCD_NEW_ZEROED(own.timed, run->leg_count, error));
    MCD_TRY(mcd_path_costs_find(&own.trips, &run->trips, run->path, own.query, run->departure, own.timed,
                                own.objective, own.companion, error));
    return write_legs(route, &own, leg, error);
}

/* Makes the trips of the legs, and reports the positions of waypoints that have to be located: of a waypoint that is moved for
 * one of its two legs, the moved position. */
static macadam_status make_trips(route_run *run, macadam_snap *snap, macadam_error *error)
{
    const macadam_place *const waypoint = run->request->waypoint;
    const size_t count = run->leg_count;
    const bool forward = run->query->timing.direction == MCD_FORWARD;
    const mcd_place_list source = {waypoint, count, {.snap = snap}, forward ? run->instants : NULL};
    if (!run->depart) {
        MCD_OWNED macadam_snap *end = NULL;
        MCD_TRY(MCD_NEW(end, count, error));
        const mcd_place_list target = {waypoint + 1, count, {.snap = end}, forward ? NULL : run->instants};
        MCD_TRY(mcd_subnetwork_pairs(&run->trips, run->query, &source, &target, error));
        for (size_t i = 0; i < count; ++i)
            if (i + 1 == count || end[i].status == MACADAM_PLACE_MOVED) snap[i + 1] = end[i];
        return MACADAM_OK;
    }
    MCD_TRY(mcd_pairs_new(&run->trips, count, error));
    memcpy(run->trips.source.position, run->depart, count * sizeof *run->depart);
    memcpy(run->trips.target.position, run->arrive + 1, count * sizeof *run->arrive);
    return mcd_pairs_make(&run->trips, run->query, error);
}

bool mcd_route_is_driven(const macadam_engine *engine)
{
    static const char *const driver[] = {"car", "truck",      "van",   "taxi",
                                         "bus", "motorcycle", "moped", "emergency"};
    const char *const name = engine->metadata->profile;
    bool drives = false;
    for (size_t i = 0; name && i < sizeof driver / sizeof *driver; ++i)
        drives |= strcmp(name, driver[i]) == 0;
    return drives;
}

/* Returns whether the route goes straight on at its waypoints. Where positions are known, only if it is requested:
 * their order, or what was driven, says how they are passed. */
static bool is_straight(const route_run *run)
{
    if (run->leg_count < 2 || !run->query->engine->places.lon_e7) return false;
    if (run->request->via_turn != MACADAM_VIA_PROFILE) return run->request->via_turn == MACADAM_VIA_STRAIGHT;
    return !run->depart && mcd_route_is_driven(run->query->engine);
}

/* Finds the paths of the trips by the clock: each leg departs when the one before arrives; with an arrival, each
 * arrives when the next one departs. After a leg without a path the clock starts again, for what the others say. */
static macadam_status find_timed(route_run *run, macadam_error *error)
{
    const bool forward = run->query->timing.direction == MCD_FORWARD;
    MCD_FREED_BY(mcd_clock_tree_free) mcd_clock_tree tree = {.scratch = NULL};
    uint32_t instant = run->instant;
    for (size_t i = 0; i < run->leg_count; ++i) {
        const size_t l = forward ? i : run->leg_count - 1 - i;
        mcd_clock_leg *const leg = &run->timed[l];
        run->trips.instant[l] = instant;
        MCD_TRY(mcd_clock_leg_find(leg, &tree, run->query, &run->trips.source, &run->trips.target, l, error));
        if (mcd_pairs_on_same_road(&run->trips, l) && leg->path.count > 0)
            run->trips.direct[l].arc = MCD_ROAD_NONE;
        run->path[l] = leg->path;
        run->objective[l] = leg->objective;
        if (run->companion) run->companion[l] = leg->companion;
        instant = leg->objective == MACADAM_UNREACHED
                      ? run->instant
                      : mcd_timing_at(&run->query->timing, instant, leg->objective) % MACADAM_WEEK_MS;
    }
    return MACADAM_OK;
}

/* Finds the paths of the trips, or only their costs if the arcs are neither requested nor show how the route passes its
 * waypoints. */
static macadam_status find_paths(route_run *run, macadam_error *error)
{
    const mcd_query *query = run->query;
    if (query->timing.arcs) return find_timed(run, error);
    if (run->request->costs_only && !is_straight(run) && !run->cost)
        return mcd_pairs_costs(&run->trips, query, run->objective, run->companion, error);
    MCD_TRY(mcd_pairs_choose(&run->trips, query, error));
    mcd_route_job job = mcd_pairs_job(&run->trips, query);
    job.objective = run->objective;
    job.companion = run->companion;
    job.take = mcd_pairs_keep_paths;
    job.take_context = run->path;
    MCD_TRY(mcd_query_route(query, &job, error));
    mcd_pairs_cost_same_road(&run->trips, 0, run->leg_count, run->objective, run->companion);
    return MACADAM_OK;
}

static size_t lanes_of_first(const mcd_lanes *lanes)
{
    return mcd_lanes_first(lanes, 1) - mcd_lanes_first(lanes, 0);
}

/* Takes over what a search on the arcs found for the only trip. */
static void take_found(route_run *run, const mcd_unique_path *found)
{
    mcd_pairs *const trips = &run->trips;
    mcd_joint cost = found->cost;
    run->path[0] = found->path;
    if (mcd_pairs_on_same_road(trips, 0)) {
        mcd_road_part *const direct = &trips->direct[0];
        const mcd_joint along = mcd_joint_of(direct->objective, direct->companion);
        if (along > cost)
            direct->arc = MCD_ROAD_NONE;
        else
            cost = along, run->path[0].count = 0;
    }
    const bool is_reached = mcd_joint_objective(cost) < MCD_UNREACHED;
    run->objective[0] = is_reached ? mcd_joint_objective(cost) : MACADAM_UNREACHED;
    if (run->companion) run->companion[0] = is_reached ? mcd_joint_companion(cost) : MACADAM_UNREACHED;
}

/* A search on the arcs, beside which the hierarchy's weights may become ready. */
typedef struct arc_search {
    const mcd_query *query;
    bool is_overtaken;
} arc_search;

static bool goes_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    arc_search *const search = context;
    const mcd_query *const query = search->query;
    search->is_overtaken = mcd_engine_overtakes(query->engine, query->version, done);
    return !search->is_overtaken && !mcd_progress_step(&query->progress, phase, done, total, NULL);
}

/* Finds the path of the only trip by a search on the arcs. Such a search may use much memory, so there is one at a time:
 * until it ends, other routes take the hierarchy. */
static macadam_status search_path(route_run *run, macadam_error *error)
{
    const mcd_query *const query = run->query;
    mcd_pairs *const trips = &run->trips;
    mcd_unique_path found = {.settled_count = 0};
    macadam_status status = MACADAM_OK;
    arc_search search = {query, false};
    const mcd_progress progress = {goes_on, &search};
    if (atomic_fetch_add(&query->version->settled_count, MCD_SEARCHING) < MCD_SEARCHING)
        status = query->backend->unique_path(&found, query->weights, trips->source.lane,
                                             lanes_of_first(&trips->source), trips->target.lane,
                                             lanes_of_first(&trips->target), &progress, error);
    if (status == MACADAM_E_CANCELLED && search.is_overtaken) {
        mcd_recover(error);
        status = MACADAM_OK;
    }
    atomic_fetch_sub(&query->version->settled_count, MCD_SEARCHING - found.settled_count);
    run->is_unsure = !found.is_known || search.is_overtaken;
    if (!status && !search.is_overtaken) take_found(run, &found);
    return status;
}

static macadam_status find_legs(route_run *run, macadam_snap *snap, macadam_error *error)
{
    const mcd_query *query = run->query;
    const size_t count = run->leg_count;
    bool changed = is_straight(run);
    if (changed && query->timing.direction == MCD_BACKWARD)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "a route that arrives by an instant cannot go straight on at its waypoints: it needs "
                        "via_turn any (--via-turn any; in the service continue_straight=false)");
    if (query->timing.arcs) MCD_TRY(MCD_NEW_ZEROED(run->timed, count, error));
    MCD_TRY(make_trips(run, snap, error));
    if (changed) MCD_TRY(mcd_vias_straighten(&run->trips, query, error));
    MCD_TRY(MCD_NEW(run->objective, count, error));
    if (query->joint) MCD_TRY(MCD_NEW(run->companion, count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->path, count, error));
    if (query->is_searched) return search_path(run, error);
    MCD_TRY(find_paths(run, error));
    for (size_t leg = 1; changed;) {
        MCD_TRY(mcd_vias_avoid_turn(&run->trips, run->path, &leg, &changed, query, error));
        if (changed) MCD_TRY(find_paths(run, error));
    }
    return MACADAM_OK;
}

/* ---- alternatives ---- */

MCD_DEFINE_FREE_AT(free_at, macadam_route, macadam_route_free)

static macadam_status fill_alternative(const macadam_route *route, const route_run *run,
                                       mcd_alternative *found, const macadam_route **out,
                                       macadam_error *error)
{
    MCD_FREED_BY(free_at) macadam_route *other = NULL;
    macadam_leg *leg;
    route_run own = *run;
    own.objective = &found->objective;
    own.companion = run->companion ? &found->companion : NULL;
    own.path = &found->path;
    MCD_TRY(MCD_ANSWER_NEW(other, error));
    other->waypoint_count = route->waypoint_count;
    other->waypoint = route->waypoint;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(other), leg, 1, error));
    leg[0] = (macadam_leg){0};
    other->leg_count = 1;
    other->leg = leg;
    MCD_TRY(write_costs(other, &own, leg, error));
    return MCD_MOVE(*out, other);
}

static macadam_status fill_alternatives(macadam_route *route, const route_run *run, macadam_error *error)
{
    const macadam_route_request *const request = run->request;
    const mcd_alternative_rules rules = {
        .count_max = request->alternative_count,
        .stretch = request->alternative_stretch > 0 ? request->alternative_stretch : 0.25,
        .sharing = request->alternative_sharing > 0 ? request->alternative_sharing : 0.75,
        .optimality = request->alternative_optimality > 0 ? request->alternative_optimality : 0.25};
    mcd_alternative found[MACADAM_ALTERNATIVES_MAX];
    const macadam_route **list;
    size_t count;
    if (rules.count_max == 0 || request->costs_only || mcd_pairs_on_same_road(&run->trips, 0))
        return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), list, rules.count_max, error));
    route->alternative = list;
    macadam_status status = mcd_alternatives_find(found, &count, run->query, &run->trips, &run->path[0],
                                                  run->objective[0], &rules, error);
    for (size_t i = 0; i < count && !status; ++i) {
        status = fill_alternative(route, run, &found[i], &list[i], error);
        route->alternative_count += !status;
    }
    for (size_t i = 0; i < count; ++i) mcd_free(found[i].path.arc);
    return status;
}

/* ---- why there is none ---- */

/* Whether roads that are open lead on from the node (MCD_DEPART), or to it. */
static bool has_ways(const mcd_query *query, mcd_node node, mcd_end end)
{
    const macadam_engine *const engine = query->engine;
    const mcd_graph *const graph = &engine->graph;
    const mcd_arc *const first = end == MCD_DEPART ? graph->first_out : graph->first_in;
    for (mcd_arc i = first[node]; i < first[node + 1]; ++i) {
        const uint32_t arc = end == MCD_DEPART ? (uint32_t)i : graph->in_arc[i];
        if (!mcd_arc_is_open(query->weights, arc)) continue;
        if (mcd_arc_is_road(engine, arc)) return true;
        if (end == MCD_ARRIVE && has_ways(query, graph->tail[i], end)) return true; /* a copy that arrives */
    }
    return false;
}

static bool is_blocked(const mcd_query *query, const mcd_lanes *lanes, size_t place)
{
    for (size_t l = mcd_lanes_first(lanes, place); l < mcd_lanes_first(lanes, place + 1); ++l)
        for (uint32_t s = 0; s < mcd_lane_seed_count(&lanes->lane[l]); ++s)
            if (has_ways(query, lanes->lane[l].seed[s].node, lanes->end)) return false;
    return true;
}

static macadam_status give_reason(const route_run *run, macadam_route *route, macadam_error *error)
{
    size_t leg = 0;
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        if (macadam_place_is_found(route->waypoint[i].status)) continue;
        route->reason = MACADAM_ROUTE_PLACE_FAILED;
        route->reason_waypoint = i;
        return MACADAM_OK;
    }
    MCD_TRY(mcd_engine_load(run->query->engine, MCD_LOAD_GRAPH, error));
    while (leg + 1 < run->leg_count && run->objective[leg] != MACADAM_UNREACHED) ++leg;
    const bool start = is_blocked(run->query, &run->trips.source, leg);
    const bool end = !start && is_blocked(run->query, &run->trips.target, leg);
    route->reason = start ? MACADAM_ROUTE_START_BLOCKED
                    : end ? MACADAM_ROUTE_END_BLOCKED
                          : MACADAM_ROUTE_NOT_CONNECTED;
    route->reason_waypoint = end ? leg + 1 : leg;
    return MACADAM_OK;
}

/* `given`: where the waypoints are, if they need not be located. */
static macadam_status fill_route(macadam_route *route, route_run *run, const macadam_snap *given,
                                 macadam_error *error)
{
    const macadam_route_request *const request = run->request;
    macadam_snap *snap;
    macadam_leg *leg;
    route->waypoint_count = request->waypoint_count;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), snap, request->waypoint_count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(route), leg, run->leg_count, error));
    if (given) memcpy(snap, given, request->waypoint_count * sizeof *snap);
    MCD_TRY(find_legs(run, snap, error));
    if (run->is_unsure) return MACADAM_OK;
    for (size_t l = 0; l < run->leg_count; ++l) leg[l] = (macadam_leg){0};
    route->waypoint = snap;
    route->leg_count = run->leg_count;
    route->leg = leg;
    MCD_TRY(write_costs(route, run, leg, error));
    if (route->found) return fill_alternatives(route, run, error);
    return give_reason(run, route, error);
}

static macadam_status check_rules(const macadam_route_request *request, macadam_error *error)
{
    const double share[] = {request->alternative_sharing, request->alternative_optimality};
    if ((unsigned)request->via_turn > MACADAM_VIA_ANY)
        return mcd_fail_invalid(error, "%d is not a macadam_via_turn", (int)request->via_turn);
    if (request->alternative_count > MACADAM_ALTERNATIVES_MAX)
        return mcd_fail_invalid(error, "%zu alternatives; there are at most %d", request->alternative_count,
                                MACADAM_ALTERNATIVES_MAX);
    if (request->alternative_count > 0 && request->waypoint_count > 2)
        return mcd_fail_invalid(error,
                                "alternatives of a route over %zu waypoints; only one between two has any",
                                request->waypoint_count);
    if (!(request->alternative_stretch >= 0 && isfinite(request->alternative_stretch)))
        return mcd_fail_invalid(error, "alternatives may be longer by %g", request->alternative_stretch);
    for (size_t i = 0; i < 2; ++i)
        if (!(share[i] >= 0 && share[i] <= 1))
            return mcd_fail_invalid(error, "a share of %g of the best route", share[i]);
    return MACADAM_OK;
}

static macadam_status check_clock(const mcd_query *query, const macadam_route_request *request,
                                  macadam_error *error)
{
    const size_t count = query->clock.depart_count + query->clock.arrive_count;
    if (count != 1) return mcd_fail_invalid(error, "%zu instants of a clock; a route has one", count);
    if (request->alternative_count)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "alternatives with a clock");
    return MACADAM_OK;
}

static void free_run(route_run *run)
{
    for (size_t l = 0; run->path && !run->timed && l < run->leg_count; ++l) mcd_free(run->path[l].arc);
    free_costs(run);
    MCD_FREE_ALL(run->path, run->instants);
}

static macadam_status take_instant(route_run *run, macadam_error *error)
{
    const macadam_clock *const clock = &run->query->clock;
    run->instant = (clock->depart_count ? clock->depart[0] : clock->arrive_by[0]) % MACADAM_WEEK_MS;
    MCD_TRY(MCD_NEW(run->instants, run->leg_count, error));
    for (size_t l = 0; l < run->leg_count; ++l) run->instants[l] = run->instant;
    return MACADAM_OK;
}

/* *out remains as it is after a failure, and if a search on the arcs is unsure. */
static macadam_status run_route(macadam_route **out, const mcd_query *query, const mcd_query *cost,
                                const macadam_route_request *request, const mcd_position *depart,
                                const mcd_position *arrive, const macadam_snap *snap, const uint32_t *instant,
                                macadam_error *error)
{
    if (request->waypoint_count < 2 || !request->waypoint)
        return mcd_fail_invalid(error, "%zu waypoints; a route has at least 2", request->waypoint_count);
    if (request->waypoint_count >= UINT32_MAX) /* as with all places: query.c */
        return mcd_fail_invalid(error, "%zu waypoints are too many", request->waypoint_count);
    MCD_TRY(check_rules(request, error));
    if (query->timing.arcs) MCD_TRY(check_clock(query, request, error));
    if (request->alternative_count && mcd_query_potential(query, false))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "alternatives by %s, which may be negative: a share of it is not a measure",
                        query->engine->quantity_name[query->objective_index]);
    MCD_FREED_BY(free_run)
    route_run run = {.query = query,
                     .cost = cost,
                     .request = request,
                     .depart = depart,
                     .arrive = arrive,
                     .departure = instant,
                     .leg_count = request->waypoint_count - 1};
    MCD_FREED_BY(free_at) macadam_route *route = NULL;
    if (query->timing.arcs) MCD_TRY(take_instant(&run, error));
    MCD_TRY(MCD_ANSWER_NEW(route, error));
    MCD_TRY(fill_route(route, &run, snap, error));
    return run.is_unsure ? MACADAM_OK : MCD_MOVE(*out, route);
}

macadam_status mcd_route_of_positions(macadam_route **out, const mcd_query *query, const mcd_query *cost,
                                      const macadam_route_request *request, const mcd_position *depart,
                                      const mcd_position *arrive, const macadam_snap *snap,
                                      const uint32_t *instant, macadam_error *error)
{
    *out = NULL;
    return run_route(out, query, cost, request, depart, arrive, snap, instant, error);
}

static macadam_status find_route(macadam_route **out, macadam_engine *engine, const mcd_path_query *given,
                                 const macadam_route_request *request, unsigned need, macadam_error *error)
{
    const mcd_backend *backend = engine->host;
    macadam_status status;
    do {
        MCD_FREED_BY(mcd_query_end) mcd_query query = {0}, cost = {0};
        status = mcd_path_query_begin(&query, &cost, engine, given, (mcd_need)need, error);
        backend = query.backend ? query.backend : backend;
        if (!status)
            status =
                run_route(out, &query, given->apart ? &cost : NULL, request, NULL, NULL, NULL, NULL, error);
        need &= ~(unsigned)MCD_NEED_ANYWHERE;
    } while (mcd_engine_falls_back(engine, &backend, status, error));
    return status;
}

macadam_status macadam_route_find(macadam_route **out, macadam_engine *engine, const macadam_query *given,
                                  const macadam_route_request *request, macadam_error *error)
{
    macadam_route_request own = MACADAM_ROUTE_REQUEST_INIT;
    mcd_path_query query;
    MCD_TRY(mcd_answer_clear(out, "route", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "route request", error));
    MCD_TRY(mcd_path_query_new(&query, engine, given, NULL, error));
    unsigned need = MCD_NEED_PATHS | mcd_query_need(engine, own.waypoint, own.waypoint_count);
    if (own.alternative_count > 0) need |= MCD_NEED_KEPT; /* the costs over via nodes depend on it */
    if (own.alternative_count == 0) {
        need |= MCD_NEED_BASIC | (query.apart ? 0 : MCD_NEED_ANYWHERE);
        if (own.waypoint_count == 2) need |= MCD_NEED_TOUCHED;
        if (own.waypoint_count == 2 && !query.find.snap_any_component) /* which costs decide about */
            MCD_TRY(find_route(out, engine, &query, &own, need | MCD_NEED_SEARCH, error));
    }
    return *out ? MACADAM_OK : find_route(out, engine, &query, &own, need, error);
}

void macadam_route_free(macadam_route *route)
{
    for (size_t i = 0; route && i < route->alternative_count; ++i)
        macadam_route_free((macadam_route *)route->alternative[i]);
    mcd_answer_free(route);
}
