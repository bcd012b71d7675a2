/* ways.c - see ways.h. */
#include "engine/match/ways.h"
#include "engine/base/grow.h"
#include "engine/query/routes/route.h"
#include "engine/query/places/pairs.h"
#include "kernels/clock.h"

enum { LEGS_PER_JOB = 1 << 16 };

/* ---- arcs ---- */

static mcd_position position_of(const mcd_match_run *run, size_t waypoint, mcd_end end)
{
    const mcd_match_stop *stop = &run->waypoint[waypoint].stop;
    const uint32_t before = stop->before[end];
    return (mcd_position){
        MCD_PLACE_NONE, {stop->arc[end], MCD_ROAD_NONE}, {before, MCD_ROAD_WHOLE - before}, {0, 0}};
}

/* Legs whose paths are found together: each goes from a waypoint to the next one of its journey. */
typedef struct leg_list {
    mcd_match_run *run;
    mcd_pairs trips;
    uint32_t *leg_waypoint; /* [count] where each leg begins */
    size_t *matching;       /* [count] its matching */
    uint32_t *objective, *companion;
    size_t count;
} leg_list;

static void free_legs(leg_list *legs)
{
    mcd_pairs_free(&legs->trips);
    MCD_FREE_ALL(legs->leg_waypoint, legs->matching, legs->objective);
}

static macadam_status append_arc(mcd_owned_matches *out, macadam_matching *matching, uint32_t arc,
                                 const macadam_engine *engine, bool once, macadam_error *error)
{
    const uint64_t number = mcd_arc_number(&engine->facts, arc);
    size_t *const count = &out->matches.arc_count;
    if (number == MCD_ARC_NONE) return MACADAM_OK;
    if (once && *count > matching->first_arc && out->arc[*count - 1] == number) return MACADAM_OK;
    MCD_TRY(MCD_GROW(out->arc, out->arc_capacity, *count + 1, error));
    out->arc[(*count)++] = number;
    matching->end_arc = *count;
    return MACADAM_OK;
}

/* Appends the arcs of legs. A leg begins on the arc on which the leg before it ends. */
static macadam_status take_legs(void *context, const mcd_path *path, size_t first, size_t count,
                                macadam_error *error)
{
    leg_list *legs = context;
    mcd_owned_matches *out = legs->run->out;
    const macadam_engine *engine = legs->run->match.query->engine;
    for (size_t i = 0; i < count; ++i) {
        macadam_matching *matching = &out->matching[legs->matching[first + i]];
        mcd_road_part before, behind;
        if (matching->end_arc == 0) matching->first_arc = out->matches.arc_count;
        mcd_pairs_parts(&legs->trips, &engine->graph, first + i, &path[i], &before, &behind);
        if (before.arc != MCD_ROAD_NONE) MCD_TRY(append_arc(out, matching, before.arc, engine, true, error));
        for (size_t a = 0; a < path[i].count; ++a)
            MCD_TRY(append_arc(out, matching, path[i].arc[a], engine, false, error));
        if (behind.arc != MCD_ROAD_NONE) MCD_TRY(append_arc(out, matching, behind.arc, engine, false, error));
    }
    return MACADAM_OK;
}

static macadam_status find_arcs(leg_list *legs, macadam_error *error)
{
    mcd_query *const query = legs->run->match.query;
    MCD_TRY(mcd_pairs_new(&legs->trips, legs->count, error));
    for (size_t i = 0; i < legs->count; ++i) {
        legs->trips.source.position[i] = position_of(legs->run, legs->leg_waypoint[i], MCD_DEPART);
        legs->trips.target.position[i] = position_of(legs->run, legs->leg_waypoint[i] + 1, MCD_ARRIVE);
    }
    MCD_TRY(mcd_pairs_make(&legs->trips, query, error));
    MCD_TRY(mcd_pairs_choose(&legs->trips, query, error));
    MCD_TRY(MCD_NEW(legs->objective, legs->count, error));
    mcd_route_job job = mcd_pairs_job(&legs->trips, query);
    job.objective = legs->objective;
    job.take = take_legs;
    job.take_context = legs;
    if (!query->basic)
        MCD_TRY(mcd_version_use_spans(query->version, query->engine, legs->count, &job.spans, error));
    return query->backend->route(&job, error);
}

macadam_status mcd_match_add_arcs(mcd_match_run *run, macadam_error *error)
{
    size_t matching = 0, waypoint = 0, of_matching = 0;
    while (waypoint < run->waypoint_count) {
        MCD_FREED_BY(free_legs) leg_list legs = {.run = run};
        const size_t most = mcd_size_min(LEGS_PER_JOB, run->waypoint_count);
        MCD_TRY(MCD_NEW(legs.leg_waypoint, most, error));
        MCD_TRY(MCD_NEW(legs.matching, most, error));
        for (; waypoint < run->waypoint_count && legs.count < most; ++waypoint) {
            if (++of_matching == run->out->matching[matching].waypoint_count) {
                of_matching = 0;
                ++matching;
                continue;
            }
            legs.leg_waypoint[legs.count] = (uint32_t)waypoint;
            legs.matching[legs.count++] = matching;
        }
        if (legs.count) MCD_TRY(find_arcs(&legs, error));
    }
    return MACADAM_OK;
}

/* ---- routes ---- */

/* Sets when the traveller was at a point by the clock, whose instant is that of time 0. */
static macadam_status take_instant(const mcd_match_run *run, size_t point, uint32_t *out,
                                   macadam_error *error)
{
    const double time_s = run->match.request->point[point].time_s;
    if (isnan(time_s)) return mcd_fail_invalid(error, "a clock, and point %zu has no time", point);
    const int64_t passed = llrint(time_s * 1000) % MCD_WEEK_MS;
    *out = (uint32_t)((run->cost->clock.depart[0] + passed + MCD_WEEK_MS) % MCD_WEEK_MS);
    return MACADAM_OK;
}

/* Finds the route of one matching, whose waypoints begin at `waypoint`. */
static macadam_status add_route(mcd_match_run *run, macadam_matching *matching, size_t waypoint,
                                macadam_error *error)
{
    const size_t count = matching->waypoint_count;
    MCD_OWNED mcd_position *depart = NULL, *arrive = NULL;
    MCD_OWNED macadam_place *place = NULL;
    MCD_OWNED macadam_snap *snap = NULL;
    MCD_OWNED bool *passes = NULL;
    MCD_OWNED uint32_t *instant = NULL;
    macadam_route *route;
    const bool has_clock = run->cost && run->cost->timing.arcs;
    MCD_TRY(MCD_NEW(depart, count, error));
    MCD_TRY(MCD_NEW(arrive, count, error));
    MCD_TRY(MCD_NEW(place, count, error));
    MCD_TRY(MCD_NEW(snap, count, error));
    MCD_TRY(MCD_NEW_ZEROED(passes, count, error));
    if (has_clock) MCD_TRY(MCD_NEW(instant, count, error));
    for (size_t i = 0; i < count; ++i) {
        const size_t point = run->waypoint[waypoint + i].point;
        if (instant) MCD_TRY(take_instant(run, point, &instant[i], error));
        depart[i] = position_of(run, waypoint + i, MCD_DEPART);
        arrive[i] = position_of(run, waypoint + i, MCD_ARRIVE);
        snap[i] = run->out->point[point].snap;
        if (run->match.request->passes) passes[i] = run->match.request->passes[point];
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = run->match.request->point[point].lon,
                                   .lat = run->match.request->point[point].lat};
    }
    const macadam_route_request request = {.size = sizeof request,
                                           .waypoint = place,
                                           .waypoint_count = count,
                                           .steps = run->match.request->steps,
                                           .segments = run->match.request->segments,
                                           .totals = run->match.request->totals,
                                           .costs_only = run->match.request->costs_only,
                                           .passes = passes};
    MCD_TRY(mcd_route_of_positions(&route, run->match.query, run->cost, &request, depart, arrive, snap,
                                   instant, error));
    matching->route = route;
    if (has_clock) matching->duration_s = NAN;
    for (size_t q = 0; has_clock && route->found && q < run->cost->quantity_count; ++q)
        if (run->cost->is_duration[q]) matching->duration_s = route->value[q] / 1000.0;
    return MACADAM_OK;
}

macadam_status mcd_match_add_routes(mcd_match_run *run, macadam_error *error)
{
    mcd_owned_matches *out = run->out;
    for (size_t matching = 0, waypoint = 0; matching < out->matches.matching_count; ++matching) {
        MCD_TRY(mcd_watch_step(&run->match.watch, matching, out->matches.matching_count, error));
        MCD_TRY(add_route(run, &out->matching[matching], waypoint, error));
        waypoint += out->matching[matching].waypoint_count;
    }
    return MACADAM_OK;
}
