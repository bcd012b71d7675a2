/* match.c - map matching: from the points of traces to matchings.
 *
 * The host does all but the large matrices of transitions, which a device computes if the engine has one.
 * Each thread matches one batch of traces after the other (batch.c). The chosen candidates become points of the
 * answer, and waypoints of matchings; ways.c adds the ways between these.
 * Races. None: a batch has its own points, waypoints and matchings. */
#include "engine/base/grow.h"
#include "engine/base/options.h"
#include "engine/match/ways.h"
#include "engine/query/routes/path_cost.h"
#include "engine/runtime/load.h"

enum {
    BATCH_FIXES = 1 << 15,
    ROUND_FIXES = 1 << 9,
    POINTS_AHEAD = 8,        /* whose memory is prefetched */
    DEVICE_POINTS = 1 << 12, /* fewer are faster on the host */
    UP_ARCS_PER_POINT = 64,  /* a point takes about as long as customizing this many */
    /* With a device, if there is room: */
    DEVICE_BATCH_FIXES = 1 << 16,
    DEVICE_ROUND_FIXES = 1 << 14,
    DEVICE_THREADS = 2,           /* per processor: one waits while the device computes */
    DEVICE_BYTES_LEAST = 1 << 29, /* per thread */
};

/* ---- the answer ---- */

void macadam_matches_free(macadam_matches *matches)
{
    if (!matches) return;
    mcd_owned_matches *owned = (mcd_owned_matches *)matches; /* its first member */
    for (size_t m = 0; m < matches->matching_count; ++m)
        macadam_route_free((macadam_route *)owned->matching[m].route);
    MCD_FREE_ALL(owned->point, owned->matching, owned->arc, owned);
}

MCD_DEFINE_NAMES(macadam_match_status_name, macadam_match_status,
                 "unknown", [MACADAM_MATCH_OK] = "ok", [MACADAM_MATCH_NO_ROAD] = "no_road",
                 [MACADAM_MATCH_INVALID] = "invalid", [MACADAM_MATCH_TIME] = "time",
                 [MACADAM_MATCH_UNCONNECTED] = "unconnected", [MACADAM_MATCH_OMITTED] = "omitted")

/* ---- points and matchings ---- */

static const macadam_snap nowhere = {
    .status = MACADAM_PLACE_TOO_FAR, .lon = NAN, .lat = NAN, .distance_m = NAN, .name = "", .nearest_m = NAN};

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
                          .name = mcd_arc_name(&engine->facts, arc),
                          .nearest_m = NAN};
}

/* ---- the matchings of a batch ---- */

/* Adds the matching of a journey. stop[w] is scratch. */
static macadam_status add_matching(const mcd_match_run *run, mcd_batch_answer *answer, const mcd_batch *batch,
                                   size_t trace, const mcd_journey *journey, mcd_match_stop *stop,
                                   macadam_error *error)
{
    const size_t number = answer->count;
    MCD_TRY(MCD_GROW(answer->matching, answer->capacity, number + 1, error));
    const mcd_journey_sum sum = mcd_journey_walk(journey, &batch->search, batch->choice, stop);
    answer->matching[answer->count++] = (macadam_matching){
        .trace = batch->first_trace + trace,
        .waypoint_count = journey->count,
        .confidence = mcd_journey_confidence(&sum),
        .distance_m = (double)sum.distance_cm / 100,
        .duration_s = batch->search.is_duration ? (double)sum.objective / 1000 : NAN,
    };
    for (size_t w = 0; w < journey->count; ++w) {
        const size_t point = batch->first_point + journey->fix[w];
        macadam_match_point *out = &run->out->point[point];
        out->matching = (uint32_t)number; /* of the batch: join_answers */
        out->waypoint = (uint32_t)w;
        run->waypoint[batch->first_point + answer->waypoint_count++] =
            (mcd_match_waypoint){(uint32_t)point, stop[w]};
    }
    return MACADAM_OK;
}

static macadam_status add_matchings(const mcd_match_run *run, mcd_batch_answer *answer,
                                    const mcd_batch *batch, uint32_t *fix, mcd_match_stop *stop,
                                    macadam_error *error)
{
    for (size_t trace = 0; trace < batch->trace_count; ++trace) {
        mcd_journey journey = {fix, 0};
        for (size_t i = batch->trace[trace].first; i < batch->trace[trace].end; ++i) {
            if (batch->choice[i].candidate == MCD_FIX_NONE) continue;
            if (batch->choice[i].from == MCD_FIX_NONE && journey.count > 0) {
                MCD_TRY(add_matching(run, answer, batch, trace, &journey, stop, error));
                journey.count = 0;
            }
            fix[journey.count++] = (uint32_t)i;
        }
        if (journey.count > 0) MCD_TRY(add_matching(run, answer, batch, trace, &journey, stop, error));
    }
    return MACADAM_OK;
}

/* Fetches the candidate that is chosen for a point into the cache, some points before it is read. */
static void prefetch_chosen(const mcd_batch *batch, size_t i)
{
    if (i < batch->count && batch->choice[i].candidate != MCD_FIX_NONE)
        __builtin_prefetch(&batch->list[i].candidate[batch->choice[i].candidate]);
}

static macadam_status answer_batch(const mcd_match_run *run, mcd_batch_answer *answer, const mcd_batch *batch,
                                   macadam_error *error)
{
    MCD_OWNED uint32_t *fix = NULL; /* both of a journey */
    MCD_OWNED mcd_match_stop *stop = NULL;
    for (size_t i = 0; i < batch->count; ++i) {
        macadam_match_point *out = &run->out->point[batch->first_point + i];
        prefetch_chosen(batch, i + POINTS_AHEAD);
        const bool matched = batch->choice[i].candidate != MCD_FIX_NONE;
        *out = (macadam_match_point){.status = batch->fix[i].status ? batch->fix[i].status
                                               : matched            ? MACADAM_MATCH_OK
                                                                    : MACADAM_MATCH_UNCONNECTED,
                                     .matching = MCD_FIX_NONE,
                                     .waypoint = MCD_FIX_NONE,
                                     .snap = nowhere};
        if (!matched) continue;
        const mcd_candidate *const chosen =
            mcd_chosen(&batch->search, batch->choice, (uint32_t)i, MCD_ARRIVE);
        out->alternatives = batch->choice[i].alternatives;
        out->snap = snap_of(run->match.query->engine, chosen);
        out->along = (double)chosen->before / MCD_ROAD_WHOLE;
    }
    MCD_TRY(MCD_NEW(fix, batch->count, error));
    MCD_TRY(MCD_NEW(stop, batch->count, error));
    return add_matchings(run, answer, batch, fix, stop, error);
}

static void batch_task(void *argument, size_t index, unsigned worker)
{
    const mcd_match_run *run = argument;
    mcd_batch *const batch = &run->worker[worker];
    mcd_batch_answer *const answer = &run->answer[index];
    answer->status = mcd_batch_run(batch, index, &answer->error);
    if (!answer->status) answer->status = answer_batch(run, answer, batch, &answer->error);
    mcd_batch_clear(batch);
}

/* ---- all matchings ---- */

/* Puts the matchings of a batch among all, and numbers them. */
static void join_task(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const mcd_match_run *const run = argument;
    mcd_owned_matches *const out = run->out;
    const mcd_batch_answer *const answer = &run->answer[index];
    const mcd_match_waypoint *const waypoint =
        run->waypoint + mcd_match_trace_first(&run->match, run->match.batch_first[index]);
    for (size_t w = 0; w < answer->waypoint_count; ++w)
        out->point[waypoint[w].point].matching += (uint32_t)answer->first;
    if (answer->count)
        memcpy(out->matching + answer->first, answer->matching, answer->count * sizeof *answer->matching);
}

/* Closes the gaps between the waypoints of the batches. */
static void join_waypoints(mcd_match_run *run)
{
    for (size_t i = 0; i < run->match.batch_count; ++i) {
        const size_t count = run->answer[i].waypoint_count;
        if (count == 0) continue;
        memmove(run->waypoint + run->waypoint_count,
                run->waypoint + mcd_match_trace_first(&run->match, run->match.batch_first[i]),
                count * sizeof *run->waypoint);
        run->waypoint_count += count;
    }
}

static macadam_status run_batches(mcd_match_run *run, macadam_error *error)
{
    const mcd_parallel *const parallel = &run->match.parallel;
    const size_t points = run->match.request->point_count;
    MCD_TRY(MCD_NEW(run->out->point, points, error));
    run->out->matches.point_count = points;
    MCD_TRY(MCD_NEW(run->waypoint, points, error));
    MCD_TRY(MCD_NEW_ZEROED(run->answer, run->match.batch_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->worker, parallel->thread_count, error));
    for (size_t w = 0; w < parallel->thread_count; ++w)
        MCD_TRY(mcd_batch_begin(&run->worker[w], &run->match, error));
    MCD_TRY(mcd_watch_for(&run->match.watch, parallel, run->match.batch_count, batch_task, run, error));
    for (size_t i = 0; i < run->match.batch_count; ++i)
        if (run->answer[i].status)
            return mcd_fail(error, run->answer[i].status, "%s", run->answer[i].error.message);
    mcd_owned_matches *const out = run->out;
    size_t count = 0;
    for (size_t i = 0; i < run->match.batch_count; ++i) {
        run->answer[i].first = count;
        count += run->answer[i].count;
    }
    MCD_TRY(MCD_NEW(out->matching, count, error));
    out->matches.matching_count = count;
    mcd_parallel_for(&run->match.parallel, run->match.batch_count, join_task, run);
    return MACADAM_OK;
}

static void free_run(mcd_match_run *run)
{
    for (size_t w = 0; run->worker && w < run->match.parallel.thread_count; ++w)
        mcd_batch_end(&run->worker[w]);
    for (size_t i = 0; run->answer && i < run->match.batch_count; ++i) mcd_free(run->answer[i].matching);
    MCD_FREE_ALL(run->worker, run->answer, run->waypoint, run->match.batch_first);
    if (run->out) macadam_matches_free(&run->out->matches);
}

/* ---- the request ---- */

static macadam_status check_request(const macadam_match_request *request, macadam_error *error)
{
    if (request->point_count == 0 || !request->point) return mcd_fail_invalid(error, "no points of a trace");
    if (request->point_count >= UINT32_MAX)
        return mcd_fail_invalid(error, "%zu points are too many", request->point_count);
    if (!(request->accuracy_m >= 0 && request->accuracy_m <= MACADAM_MATCH_ACCURACY_MAX))
        return mcd_fail_invalid(error, "an accuracy of %g m, not 0 to %d", request->accuracy_m,
                                MACADAM_MATCH_ACCURACY_MAX);
    if (request->gaps != MACADAM_MATCH_GAPS_SPLIT && request->gaps != MACADAM_MATCH_GAPS_IGNORE)
        return mcd_fail_invalid(error, "no such way to treat gaps: %d", (int)request->gaps);
    if (!request->routes &&
        (request->steps || request->segments || request->totals || request->passes || request->costs_only))
        return mcd_fail_invalid(error,
                                "steps, segments, totals, passes or only costs of routes, but no routes");
    if (!request->first) return MACADAM_OK;
    if (request->trace_count == 0 || request->first[0] != 0 ||
        request->first[request->trace_count] != request->point_count)
        return mcd_fail_invalid(error, "the traces do not cover the %zu points", request->point_count);
    for (size_t i = 0; i < request->trace_count; ++i)
        if (request->first[i] > request->first[i + 1])
            return mcd_fail_invalid(error, "trace %zu ends before it begins", i);
    return MACADAM_OK;
}

static bool is_quantity(const macadam_engine *engine, const char *name, const char *wanted, const char *unit)
{
    size_t quantity;
    return name && strcmp(name, wanted) == 0 &&
           mcd_engine_find_quantity(engine, name, &quantity, NULL) == MACADAM_OK &&
           strcmp(engine->quantity_unit[quantity], unit) == 0;
}

/* Factors change the objective, which is then not a length; NULL: there are none. */
static bool has_distances(const macadam_engine *engine, size_t metric, const macadam_query *query)
{
    const bool changed = query && query->conditions && query->conditions->factor_count;
    return (!changed && is_quantity(engine, engine->metric_name[metric], "distance", "cm")) ||
           is_quantity(engine, engine->metric_companion[metric], "distance", "cm");
}

/* Finds the weights that are distances. */
static macadam_status find_distance(mcd_match *match, size_t metric, macadam_error *error)
{
    const macadam_engine *const engine = match->query->engine;
    const char *const objective = engine->metric_name[metric];
    const mcd_weights *const weights = match->query->weights;
    if (!has_distances(engine, metric, NULL))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "no metric has a quantity \"distance\" in cm");
    match->is_duration = is_quantity(engine, objective, "duration", "ms");
    match->distance =
        is_quantity(engine, objective, "distance", "cm") ? weights->objective : weights->companion;
    return MACADAM_OK;
}

static void enlarge(mcd_match *match)
{
    const uint64_t threads =
        mcd_size_min((size_t)match->parallel.thread_count * DEVICE_THREADS, MCD_THREADS_MAX);
    if (match->parallel.executor || mcd_query_limit(match->query) / threads < DEVICE_BYTES_LEAST) return;
    match->parallel.thread_count = (unsigned)threads;
    match->batch_fixes = DEVICE_BATCH_FIXES;
    match->round_fixes = DEVICE_ROUND_FIXES;
}

static macadam_status begin_match(mcd_match *match, mcd_query *query, const char *metric_name,
                                  macadam_error *error)
{
    size_t metric = 0;
    match->query = query;
    match->watch = mcd_watch_of(&query->progress, "matching");
    match->parallel = query->engine->parallel;
    match->batch_fixes = BATCH_FIXES;
    match->round_fixes = ROUND_FIXES;
    MCD_TRY(mcd_engine_load(query->engine, MCD_LOAD_SNAP, error));
    MCD_TRY(mcd_engine_load(query->engine, MCD_LOAD_GRAPH, error));
    MCD_TRY(mcd_engine_find_metric(query->engine, metric_name, &metric, error));
    MCD_TRY(find_distance(match, metric, error));
    /* Lets the engine's device compute the rounds, if it has the query's weights. */
    macadam_engine *const engine = match->query->engine;
    if (match->request->point_count < DEVICE_POINTS) return MACADAM_OK;
    const mcd_backend *const device = mcd_engine_backend(engine);
    if (!device->device || !device->matrices) return MACADAM_OK;
    const macadam_status status =
        mcd_version_prepare(match->query->version, engine, device, MCD_NEED_PATHS, error);
    if (status == MACADAM_E_DEVICE) {
        mcd_recover(error);
        return MACADAM_OK;
    }
    MCD_TRY(status);
    match->device = device;
    enlarge(match);
    return MACADAM_OK;
}

/* Ways are found without the clock, which only gives their durations. */
static void part_clock(mcd_path_query *query)
{
    if (!query->find.clock) return;
    query->find.clock = NULL;
    query->find.quantity_count = 0;
    query->apart = true;
}

static macadam_status check_clock(const macadam_clock *clock, const macadam_match_request *request,
                                  macadam_error *error)
{
    if (clock->size && (clock->depart_count != 1 || clock->arrive_count))
        return mcd_fail_invalid(
            error, "a clock of traces has one departure, the instant of time 0: not %zu, and %zu arrivals",
            clock->depart_count, clock->arrive_count);
    if (clock->size && !request->routes)
        return mcd_fail_invalid(error, "a clock, but no routes: these have the durations by it");
    return MACADAM_OK;
}

macadam_status macadam_match_find(macadam_matches **out, macadam_engine *engine, const macadam_query *given,
                                  const macadam_match_request *request, macadam_error *error)
{
    macadam_match_request own = MACADAM_MATCH_REQUEST_INIT;
    mcd_path_query split;
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0}, cost = {0};
    MCD_FREED_BY(free_run) mcd_match_run run = {.match = {.request = &own}};
    MCD_TRY(mcd_answer_clear(out, "matches", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "match request", error));
    MCD_TRY(check_request(&own, error));
    MCD_TRY(mcd_path_query_new(&split, engine, given, has_distances, error));
    part_clock(&split);
    unsigned need = own.arcs || own.routes ? MCD_NEED_PATHS : MCD_NEED_WEIGHTS;
    if (own.point_count > engine->metadata->up_arc_count / UP_ARCS_PER_POINT) need |= MCD_NEED_KEPT;
    run.match.trace_count = own.first ? own.trace_count : 1;
    MCD_TRY(mcd_path_query_begin(&query, &cost, engine, &split, (mcd_need)need, error));
    MCD_TRY(check_clock(&cost.clock, &own, error));
    if (split.apart) run.cost = &cost;
    MCD_TRY(begin_match(&run.match, &query, split.find.metric, error));
    MCD_TRY(MCD_NEW_ZEROED(run.out, 1, error));
    MCD_TRY(mcd_match_divide(&run.match, error));
    MCD_TRY(run_batches(&run, error));
    if (run.match.request->arcs || run.match.request->routes) join_waypoints(&run);
    if (run.match.request->arcs) MCD_TRY(mcd_match_add_arcs(&run, error));
    if (run.match.request->routes) MCD_TRY(mcd_match_add_routes(&run, error));
    run.out->matches.point = run.out->point;
    run.out->matches.matching = run.out->matching;
    run.out->matches.arc = run.out->arc;
    *out = &run.out->matches;
    run.out = NULL;
    return MACADAM_OK;
}
