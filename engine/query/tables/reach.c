/* reach.c - reach: checks the request, finds which nodes count, and runs one job of the backend.
 *
 * That job takes one lane a source (a device's: any lanes), and targets at junctions, and knows no signed costs. If the processor
 * has sources of several lanes, or costs are signed or depend on the time, their trees are summed here. In these cases, and if a
 * target lies within a road, the nearest targets are chosen from a matrix (nearest_of_cells.h); also if that takes less time than
 * trees. Many sources find the nearest of few targets by label minima (nearest_targets.h). Accessibility has a file of its own
 * (access.h). */
#include "engine/base/options.h"
#include "engine/query/clock/instants.h"
#include "engine/query/places/rows.h"
#include "engine/query/tables/access.h"
#include "engine/query/tables/nearest_targets.h"
#include "engine/query/tables/nearest_of_cells.h"
#include "engine/query/tables/reach_job.h"

/* ---- the request ---- */

static macadam_status check_limits(const macadam_reach_request *request, macadam_error *error)
{
    if (request->limit_count > MACADAM_REACH_LIMITS_MAX)
        return mcd_fail_invalid(error, "%zu limits, at most %d are answered", request->limit_count,
                                MACADAM_REACH_LIMITS_MAX);
    if (request->limit_count && !request->limit)
        return mcd_fail_invalid(error, "the %zu limits are missing", request->limit_count);
    for (size_t i = 0; i < request->limit_count; ++i)
        if (request->limit[i] > MACADAM_WEIGHT_MAX)
            return mcd_fail_invalid(error, "limit %zu is %u, above %u", i, request->limit[i],
                                    MACADAM_WEIGHT_MAX);
    return MACADAM_OK;
}

static macadam_status check_list(const macadam_place *place, size_t count, const char *what,
                                 macadam_error *error)
{
    if (count && !place) return mcd_fail_invalid(error, "%zu %s, but no array of them", count, what);
    return count >= UINT32_MAX ? mcd_fail_invalid(error, "%zu %s are too many", count, what) : MACADAM_OK;
}

/* Statuses of a list are written where the lists before it end, so all counts are checked first. */
static macadam_status check_lists(const macadam_reach_request *request, macadam_error *error)
{
    MCD_TRY(check_list(request->source, request->source_count, "sources", error));
    MCD_TRY(check_list(request->target, request->target_count, "targets", error));
    return check_list(request->opportunity, request->opportunity_count, "opportunities", error);
}

static macadam_status check_answer(const macadam_reach_request *request, const macadam_reach *answer,
                                   macadam_error *error)
{
    const bool by_limit = answer->node_count || answer->value_sum;
    if (!mcd_reach_asks_more(answer) && !mcd_reach_asks_nearest(answer) && !mcd_reach_asks_access(answer))
        return mcd_fail_invalid(error, "no memory for any answer");
    if (by_limit && request->limit_count == 0)
        return mcd_fail_invalid(error, "node_count or value_sum is requested without a limit");
    if (answer->value_sum && !request->value)
        return mcd_fail_invalid(error, "value_sum is requested without values");
    if (mcd_reach_asks_nearest(answer) && (request->nearest_count == 0 || request->target_count == 0))
        return mcd_fail_invalid(error, "the nearest %zu of %zu targets are requested", request->nearest_count,
                                request->target_count);
    if (request->nearest_count > MACADAM_REACH_NEAREST_MAX)
        return mcd_fail_invalid(error, "the nearest %zu targets are requested, at most %d are answered",
                                request->nearest_count, MACADAM_REACH_NEAREST_MAX);
    return MACADAM_OK;
}

/* Runs the job of sources' lanes in bands of as many as there is scratch for. */
static macadam_status run_lanes(mcd_query *query, const macadam_reach_request *request,
                                const macadam_reach *answer, const mcd_lanes *source, bool more_follows,
                                const mcd_lane *target, macadam_error *error)
{
    const size_t count = request->source_count, total = count * (more_follows ? 2 : 1);
    mcd_reach_job job;
    MCD_TRY(mcd_reach_job_make(&job, NULL, query, request, answer, source, 0, error));
    job.target = target;
    for (size_t first = 0; first < count; first += job.lane_count) {
        const size_t end = mcd_size_min(first + job.lane_count, count);
        mcd_reach_job band = mcd_reach_job_part(&job, first, end - first);
        mcd_query_part(query, first, end, total);
        band.progress = query->progress;
        MCD_TRY(query->backend->reach(&band, error));
    }
    return MACADAM_OK;
}

/* ---- sums of rows (rows.h), which become signed (signed.h) ---- */

typedef struct tally {
    const macadam_reach_request *request;
    const macadam_reach *answer;
    size_t ids;
    const int32_t *of_id, *of_place; /* the objective's potentials; NULL: it has none */
    uint32_t zero;                   /* a cost of 0 in rows: MCD_SIGNED_ZERO, or 0 */
} tally;

/* ---- one place ---- */

/* Makes a place's costs signed, in the order of unsigned numbers. */
static void sign(const tally *t, size_t place, uint32_t *row)
{
    if (!t->of_id) return;
    const int32_t at = t->of_place[place], *const of_id = t->of_id;
    const bool reverse = t->request->reverse;
    for (size_t i = 0; i < t->ids; ++i)
        row[i] = mcd_signed_cost(row[i], mcd_sign_rise(at, of_id[i], reverse)) ^ MCD_SIGNED_ZERO;
}

/* MACADAM_UNREACHED is above every limit. */
static void sum_within(const tally *t, size_t place, const uint32_t *row, size_t limit_index)
{
    const size_t ids = t->ids, cell = place * t->request->limit_count + limit_index;
    const uint32_t limit = t->request->limit[limit_index] + t->zero, *const value = t->request->value;
    uint64_t count = 0, sum = 0;
    for (size_t i = 0; i < ids; ++i) count += row[i] <= limit;
    for (size_t i = 0; t->answer->value_sum && i < ids; ++i) sum += row[i] <= limit ? value[i] : 0;
    if (t->answer->node_count) t->answer->node_count[cell] = count;
    if (t->answer->value_sum) t->answer->value_sum[cell] = sum;
}

static void sum_all(const tally *t, size_t place, const uint32_t *row)
{
    uint64_t reached = 0, cost_sum = 0;
    uint32_t greatest = 0;
    for (size_t i = 0; i < t->ids; ++i) {
        if (row[i] == MACADAM_UNREACHED) continue;
        ++reached;
        cost_sum += (uint64_t)row[i] - t->zero;
        if (row[i] > greatest) greatest = row[i];
    }
    if (t->answer->reached) t->answer->reached[place] = reached;
    if (t->answer->cost_sum) t->answer->cost_sum[place] = cost_sum;
    if (t->answer->eccentricity)
        t->answer->eccentricity[place] = (reached ? greatest : MACADAM_UNREACHED) ^ t->zero;
}

static void take_row(void *context, size_t place, const mcd_row *row, size_t first, size_t end)
{
    const tally *const t = context;
    const macadam_reach *const answer = t->answer;
    const bool by_limit = answer->node_count || answer->value_sum;
    (void)first, (void)end; /* the row is whole */
    sign(t, place, row->objective);
    for (size_t i = 0; by_limit && i < t->request->limit_count; ++i) sum_within(t, place, row->objective, i);
    if (answer->reached || answer->cost_sum || answer->eccentricity) sum_all(t, place, row->objective);
}

/* Fills `answer` except for the nearest targets, of sources that may have several lanes or be in subnetworks, or of signed costs:
 * their trees, summed on the processor. `query` holds no scratch. only_cut_off: of those in subnetworks. */
static macadam_status sum_rows(mcd_query *query, const macadam_reach_request *request,
                               const mcd_lanes *source, bool only_cut_off, const macadam_reach *answer,
                               macadam_error *error)
{
    const mcd_place_index *const places = &query->engine->places;
    const int32_t *const of_id = mcd_query_potential(query, false);
    tally t = {request, answer, places->id_count, of_id, source->potential[0], of_id ? MCD_SIGNED_ZERO : 0};
    mcd_rows rows = {.trees = {.query = query,
                               .method = query->timing.arcs ? MCD_TREE_NEAR_FAR : MCD_TREE_SWEEP,
                               .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                               .limit = MCD_WEIGHT_MAX,
                               .column = request->reverse ? places->depart : places->arrive,
                               .column_count = places->id_count},
                     .lanes = source,
                     .whole = true,
                     .only_cut_off = only_cut_off,
                     .take = take_row,
                     .context = &t};
    return mcd_rows_run(&rows, "reach", error);
}

/* ---- the search ---- */

typedef struct reach_run {
    const macadam_reach_request *request;
    const macadam_reach *answer;
    macadam_place_status *status;
} reach_run;

static macadam_status find(const reach_run *run, mcd_query *query, const mcd_lanes *source,
                           const mcd_lanes *target, macadam_error *error)
{
    const bool is_signed = mcd_query_potential(query, false),
               summed_here = (source->first && !query->backend->device) || is_signed || query->timing.arcs,
               by_matrix = mcd_reach_asks_nearest(run->answer) &&
                           (summed_here || source->subnetwork || target->position ||
                            mcd_nearest_of_cells_suits(query, run->request, run->answer));
    const bool some_here = source->subnetwork && query->snap_any_component; /* those that are cut off */
    macadam_reach rest = *run->answer;
    if (by_matrix) {
        MCD_TRY(mcd_nearest_of_cells_find(query, run->request, NULL, run->answer, error));
        rest.nearest_found = rest.nearest_position = rest.nearest_cost = NULL;
    }
    if (!mcd_reach_asks_more(&rest) && !mcd_reach_asks_nearest(&rest)) return MACADAM_OK;
    if (!summed_here) MCD_TRY(run_lanes(query, run->request, &rest, source, some_here, target->lane, error));
    if (!summed_here && !some_here) return MACADAM_OK;
    mcd_query_give_back(query);
    return sum_rows(query, run->request, source, !summed_here, &rest, error);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    const reach_run *const given = argument;
    const macadam_reach_request *const request = given->request;
    macadam_place_status *const status = given->status;
    macadam_reach rest = *given->answer;
    reach_run run = {request, &rest, status};
    mcd_place_list sources = {.place = request->source,
                              .count = request->source_count,
                              .outcome = {.status = status}},
                   targets = {.place = request->target,
                              .count = request->target_count,
                              .outcome = {.status = status ? status + request->source_count : NULL}};
    macadam_place_status *const status_of_opportunity =
        status ? status + request->source_count + request->target_count : NULL;
    const mcd_place_list opportunities = {.place = request->opportunity,
                                          .count = request->opportunity_count,
                                          .outcome = {.status = status_of_opportunity}};
    MCD_FREED_BY(mcd_instants_free) mcd_instants instants = {.times = 0};
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes source = {0}, target = {0}, opportunity = {0};
    MCD_TRY(mcd_query_check_objective(query, "reach", error));
    MCD_TRY(check_lists(request, error));
    MCD_TRY(check_limits(request, error));
    MCD_TRY(check_answer(request, &rest, error));
    if (mcd_reach_asks_access(&rest)) {
        MCD_TRY(mcd_access_find(query, request, &rest, status, status_of_opportunity, error));
        if (!mcd_reach_asks_more(&rest) && !mcd_reach_asks_nearest(&rest) && !targets.count)
            return MACADAM_OK;
    }
    if (mcd_reach_asks_more(&rest))
        MCD_TRY(mcd_instants_of_sources(&instants, query, &sources, request->reverse, "reach", error));
    else if (query->timing.arcs)
        MCD_TRY(mcd_instants_check_one(query, "reach", error));
    if (status && request->opportunity_count &&
        !mcd_reach_asks_access(&rest)) /* only their statuses are requested */
        MCD_TRY(mcd_query_lanes(query, &opportunities, MCD_TARGETS, request->reverse, &opportunity, error));
    if (mcd_nearest_targets_suits(query, request, &rest))
        return mcd_nearest_targets_reach(query, request, &rest, status, error);
    MCD_TRY(mcd_query_lanes(query, &sources, MCD_SOURCES, request->reverse, &source, error));
    if (targets.count)
        MCD_TRY(mcd_query_lanes(query, &targets, MCD_TARGETS, request->reverse, &target, error));
    return find(&run, query, &source, &target, error);
}

macadam_status macadam_reach_find(const macadam_reach *answer, macadam_place_status *status,
                                  macadam_engine *engine, const macadam_query *given,
                                  const macadam_reach_request *request, macadam_error *error)
{
    macadam_reach_request own = MACADAM_REACH_REQUEST_INIT;
    macadam_reach own_answer = MACADAM_REACH_INIT;
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "reach request", error));
    MCD_TRY(mcd_options_adopt(&own_answer, sizeof own_answer, answer, "reach", error));
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (!backend->reach) backend = engine->host;
    const bool is_swept = mcd_reach_asks_more(&own_answer), is_matrix = mcd_reach_asks_access(&own_answer);
    const mcd_rated rated = is_swept    ? MCD_RATED_REACH
                            : is_matrix ? MCD_RATED_MATRIX
                                        : MCD_RATED_NONE; /* the processor keeps the nearest targets */
    const mcd_work work = {.backend = rated || !engine->dispatch.is_free ? backend : engine->host,
                           .amount = {rated, own.source_count, own.opportunity_count},
                           .need = mcd_query_need(engine, own.source, own.source_count) |
                                   mcd_query_need(engine, own.target, own.target_count) |
                                   mcd_query_need(engine, own.opportunity, own.opportunity_count),
                           .takes_clock = true,
                           .clock_on_device = is_matrix && !is_swept && !mcd_reach_asks_nearest(&own_answer)};
    reach_run run = {.request = &own, .answer = &own_answer, .status = status};
    return mcd_query_with_fallback(engine, &work, given, attempt, &run, error);
}
