/* match.c - map matching: from the points of traces to matchings.
 *
 * Traces are matched in batches. The chosen candidates of a batch become points of the answer; ways.c adds the ways
 * between them. */
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/match/ways.h"
#include "engine/runtime/load.h"

#include <math.h>
#include <string.h>

/* ---- the answer ---- */

void macadam_matches_free(macadam_matches *matches)
{
    if (!matches) return;
    mcd_owned_matches *owned = (mcd_owned_matches *)matches; /* its first member */
    for (size_t m = 0; m < matches->matching_count; ++m)
        macadam_route_free((macadam_route *)owned->matching[m].route);
    mcd_free(owned->point);
    mcd_free(owned->matching);
    mcd_free(owned->arc);
    mcd_free(owned);
}

const char *macadam_match_status_name(macadam_match_status status)
{
    static const char *const name[] = {
        [MACADAM_MATCH_OK] = "ok",
        [MACADAM_MATCH_NO_ROAD] = "no_road",
        [MACADAM_MATCH_INVALID] = "invalid",
        [MACADAM_MATCH_TIME] = "time",
        [MACADAM_MATCH_UNCONNECTED] = "unconnected",
        [MACADAM_MATCH_OMITTED] = "omitted",
    };
    const size_t index = (size_t)status;
    return index < sizeof name / sizeof name[0] ? name[index] : "unknown";
}

/* ---- points and matchings ---- */

static const macadam_snap nowhere = {
    .status = MACADAM_PLACE_TOO_FAR, .lon = NAN, .lat = NAN, .distance_m = NAN, .name = ""};

static macadam_snap snap_of(const macadam_engine *engine, const mcd_candidate *chosen)
{
    const uint32_t arc = chosen->arc;
    const mcd_node end =
        chosen->before < MCD_ROAD_WHOLE / 2 ? mcd_road_tail(&engine->graph, arc) : engine->graph.head[arc];
    return (macadam_snap){.status = MACADAM_PLACE_OK,
                          .id = mcd_place_id_of(&engine->places, end),
                          .lon = chosen->lon_e7 / 1e7,
                          .lat = chosen->lat_e7 / 1e7,
                          .distance_m = chosen->distance_mm / 1000.0,
                          .arc = mcd_arc_number(&engine->facts, arc),
                          .way = mcd_arc_way(&engine->facts, arc),
                          .name = mcd_arc_name(&engine->facts, arc)};
}

static void point_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const mcd_match_run *run = argument;
    const size_t end = mcd_size_min((index + 1) * MCD_BATCH_FIXES_PER_TASK, run->batch.count);
    for (size_t i = index * MCD_BATCH_FIXES_PER_TASK; i < end; ++i) {
        macadam_match_point *out = &run->out->point[run->batch.first_point + i];
        const bool matched = run->batch.choice[i].candidate != MCD_FIX_NONE;
        *out = (macadam_match_point){.status = run->batch.fix[i].status ? run->batch.fix[i].status
                                               : matched                ? MACADAM_MATCH_OK
                                                                        : MACADAM_MATCH_UNCONNECTED,
                                     .matching = MCD_FIX_NONE,
                                     .waypoint = MCD_FIX_NONE,
                                     .snap = nowhere};
        if (!matched) continue;
        out->alternatives = run->batch.list[i].count - 1;
        out->snap =
            snap_of(run->batch.query->engine, mcd_chosen(&run->batch.search, run->batch.choice, (uint32_t)i));
    }
}

/* Adds the matching of a journey, whose fixes end the list of waypoints. */
static macadam_status add_matching(mcd_match_run *run, size_t trace, const mcd_journey *journey,
                                   macadam_error *error)
{
    mcd_owned_matches *out = run->out;
    const size_t number = out->matches.matching_count;
    MCD_TRY(MCD_MATCH_GROW(out->matching, out->matching_capacity, number, 1, error));
    uint32_t *const before = run->before + (journey->fix - run->waypoint);
    const mcd_journey_sum sum = mcd_journey_walk(journey, &run->batch.search, run->batch.choice, before);
    out->matching[number] = (macadam_matching){
        .trace = run->batch.first_trace + trace,
        .waypoint_count = journey->count,
        .confidence = mcd_journey_confidence(&sum),
        .distance_m = (double)sum.distance_cm / 100,
        .duration_s = run->batch.search.is_duration ? (double)sum.objective / 1000 : NAN,
    };
    out->matches.matching_count = number + 1;
    for (size_t w = 0; w < journey->count; ++w) {
        macadam_match_point *point = &out->point[run->batch.first_point + journey->fix[w]];
        point->matching = (uint32_t)number;
        point->waypoint = (uint32_t)w;
        point->along = (double)before[w] / MCD_ROAD_WHOLE;
    }
    return MACADAM_OK;
}

/* Lists the journeys' fixes, one journey after the other. */
static macadam_status add_matchings(mcd_match_run *run, macadam_error *error)
{
    mcd_journey journey = {run->waypoint, 0};
    macadam_status status = MACADAM_OK;
    size_t at = 0;
    for (size_t trace = 0; trace < run->batch.traces && !status; ++trace) {
        for (size_t i = run->batch.trace[trace].first; i < run->batch.trace[trace].end && !status; ++i) {
            if (run->batch.choice[i].candidate == MCD_FIX_NONE) continue;
            if (run->batch.choice[i].from == MCD_FIX_NONE && journey.count > 0) {
                status = add_matching(run, trace, &journey, error);
                journey = (mcd_journey){run->waypoint + at, 0};
            }
            run->waypoint[at++] = (uint32_t)i;
            ++journey.count;
        }
        if (journey.count > 0 && !status) status = add_matching(run, trace, &journey, error);
        journey = (mcd_journey){run->waypoint + at, 0};
    }
    run->waypoint_count = at;
    return status;
}

/* ---- all traces ---- */

static macadam_status answer_batch(mcd_match_run *run, macadam_error *error)
{
    const mcd_batch *batch = &run->batch;
    const size_t matching = run->out->matches.matching_count;
    MCD_TRY(MCD_NEW(run->waypoint, batch->count, error));
    MCD_TRY(MCD_NEW(run->before, batch->count, error));
    mcd_parallel_for(&batch->query->engine->parallel, batch->block_count, point_task, run);
    MCD_TRY(add_matchings(run, error));
    if (batch->request->arcs) MCD_TRY(mcd_match_add_arcs(run, matching, error));
    return batch->request->routes ? mcd_match_add_routes(run, matching, error) : MACADAM_OK;
}

static macadam_status run_batch(mcd_match_run *run, size_t first_trace, macadam_error *error)
{
    macadam_status status = mcd_batch_run(&run->batch, first_trace, error);
    if (!status) status = answer_batch(run, error);
    mcd_batch_clear(&run->batch);
    mcd_free(run->waypoint);
    mcd_free(run->before);
    run->waypoint = run->before = NULL;
    return status;
}

static macadam_status run_batches(mcd_match_run *run, macadam_error *error)
{
    mcd_batch *const batch = &run->batch;
    const size_t points = batch->request->point_count;
    MCD_TRY(MCD_NEW(run->out->point, points, error));
    run->out->matches.point_count = points;
    for (size_t first = 0; first < batch->trace_count; first += batch->traces) {
        MCD_TRY(mcd_progress_step(&batch->query->progress, "matching", mcd_batch_trace_first(batch, first),
                                  points, error));
        MCD_TRY(run_batch(run, first, error));
    }
    run->out->matches.point = run->out->point;
    run->out->matches.matching = run->out->matching;
    run->out->matches.arc = run->out->arc;
    return MACADAM_OK;
}

static macadam_status run_match(mcd_match_run *run, macadam_error *error)
{
    macadam_status status = mcd_batch_begin(&run->batch, error);
    if (!status) status = run_batches(run, error);
    mcd_batch_end(&run->batch);
    return status;
}

/* ---- the request ---- */

static macadam_status check_request(const macadam_match_request *request, macadam_error *error)
{
    if (request->point_count == 0 || !request->point)
        return mcd_fail(error, MACADAM_E_INVALID, "no points of a trace");
    if (request->point_count >= UINT32_MAX)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu points are too many", request->point_count);
    if (!(request->accuracy_m >= 0 && request->accuracy_m <= MACADAM_MATCH_ACCURACY_MAX))
        return mcd_fail(error, MACADAM_E_INVALID, "an accuracy of %g m, not 0 to %d", request->accuracy_m,
                        MACADAM_MATCH_ACCURACY_MAX);
    if (request->gaps != MACADAM_MATCH_GAPS_SPLIT && request->gaps != MACADAM_MATCH_GAPS_IGNORE)
        return mcd_fail(error, MACADAM_E_INVALID, "no such way to treat gaps: %d", (int)request->gaps);
    if (!request->first) return MACADAM_OK;
    if (request->trace_count == 0 || request->first[0] != 0 ||
        request->first[request->trace_count] != request->point_count)
        return mcd_fail(error, MACADAM_E_INVALID, "the traces do not cover the %zu points",
                        request->point_count);
    for (size_t i = 0; i < request->trace_count; ++i)
        if (request->first[i] > request->first[i + 1])
            return mcd_fail(error, MACADAM_E_INVALID, "trace %zu ends before it begins", i);
    return MACADAM_OK;
}

/* Finds the weights that are distances. */
static macadam_status find_distance(mcd_match_run *run, const char *metric_name, macadam_error *error)
{
    const macadam_engine *engine = run->batch.query->engine;
    const mcd_weights *weights = &run->batch.query->metric->weights;
    size_t metric = 0, objective, companion;
    if (metric_name) MCD_TRY(mcd_engine_find_metric(engine, metric_name, &metric, error));
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[metric], &objective, error));
    companion = mcd_engine_companion(engine, metric);
    const char *const *name = engine->quantity_name, *const *unit = engine->quantity_unit;
    const bool in_ms = strcmp(unit[objective], "ms") == 0, in_cm = strcmp(unit[objective], "cm") == 0;
    run->batch.search.is_duration = strcmp(name[objective], "duration") == 0 && in_ms;
    if (strcmp(name[objective], "distance") == 0 && in_cm)
        run->batch.search.distance = weights->objective;
    else if (companion != SIZE_MAX && weights->companion && strcmp(name[companion], "distance") == 0 &&
             strcmp(unit[companion], "cm") == 0)
        run->batch.search.distance = weights->companion;
    else
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "metric \"%s\" has no quantity \"distance\" in cm",
                        engine->metric_name[metric]);
    return MACADAM_OK;
}

static macadam_status begin_match(mcd_match_run *run, mcd_query *query, const char *metric_name,
                                  macadam_error *error)
{
    macadam_engine *engine = query->engine;
    run->batch.query = query;
    MCD_TRY(mcd_engine_load_snap(engine, error));
    run->batch.search.query = query;
    run->batch.candidates = (mcd_candidate_search){&engine->roads, &engine->snap, &query->metric->weights};
    return find_distance(run, metric_name, error);
}

macadam_status macadam_match(macadam_engine *engine, const macadam_query *given,
                             const macadam_match_request *request, macadam_matches **out,
                             macadam_error *error)
{
    macadam_match_request own = MACADAM_MATCH_REQUEST_INIT;
    mcd_query query;
    mcd_owned_matches *owned = NULL;
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the matches");
    *out = NULL;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "match request", error));
    MCD_TRY(check_request(&own, error));
    const mcd_need need = own.arcs || own.routes ? MCD_NEED_PATHS : MCD_NEED_WEIGHTS;
    mcd_match_run run = {.batch = {.request = &own, .trace_count = own.first ? own.trace_count : 1}};
    macadam_status status = mcd_query_begin(&query, engine, mcd_cpu_backend(), given, need, error);
    if (!status) status = begin_match(&run, &query, given ? given->metric : NULL, error);
    if (!status) status = MCD_NEW_ZEROED(owned, 1, error);
    run.out = owned;
    if (!status) status = run_match(&run, error);
    mcd_query_end(&query);
    if (!status)
        *out = &owned->matches;
    else if (owned)
        macadam_matches_free(&owned->matches);
    return status;
}
