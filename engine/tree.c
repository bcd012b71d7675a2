/* tree.c - trees over the interface: places to lanes, and one job of the backend. */
#include "engine/memory.h"
#include "engine/options.h"
#include "engine/query.h"

enum { LANES_MULTIPLE = 16 };

static macadam_status check_order(const macadam_tree_request *request, macadam_error *error)
{
    switch (request->order) {
    case MACADAM_ORDER_IDS:
    case MACADAM_ORDER_NODES:
        return MACADAM_OK;
    case MACADAM_ORDER_LANES:
        if (request->source_count % LANES_MULTIPLE == 0) return MACADAM_OK;
        return mcd_fail(error, MACADAM_E_INVALID, "%zu sources in the order of lanes: not a multiple of %d",
                        request->source_count, LANES_MULTIPLE);
    }
    return mcd_fail(error, MACADAM_E_INVALID, "unknown order %d", (int)request->order);
}

/* Rows can be answered in bands of fewer lanes, which need less scratch. */
static macadam_status fit(mcd_query *query, mcd_tree_job *job, macadam_error *error)
{
    const mcd_backend *backend = query->backend;
    while (backend->tree_scratch(job) > mcd_query_limit(query) && !job->as_lanes &&
           job->lane_count > LANES_MULTIPLE)
        job->lane_count = (job->lane_count / 2 + LANES_MULTIPLE - 1) / LANES_MULTIPLE * LANES_MULTIPLE;
    MCD_TRY(mcd_query_take(query, backend->tree_scratch(job), "a tree", error));
    job->scratch = query->block.memory;
    return MACADAM_OK;
}

/* `count` lanes in bands of job->lane_count. */
static macadam_status run_bands(const mcd_query *query, const mcd_tree_job *job, size_t count,
                                macadam_error *error)
{
    for (size_t first = 0; first < count; first += job->lane_count) {
        mcd_tree_job band = *job;
        band.lane += first;
        band.lane_count = mcd_size_min(job->lane_count, count - first);
        if (band.objective) band.objective += first * band.column_count;
        if (band.companion) band.companion += first * band.column_count;
        MCD_TRY(query->backend->tree(&band, error));
    }
    return MACADAM_OK;
}

static macadam_status run(mcd_query *query, const macadam_tree_request *request, uint32_t *const *value,
                          macadam_place_status *status, macadam_error *error)
{
    macadam_engine *engine = query->engine;
    const bool by_id = request->order == MACADAM_ORDER_IDS;
    const size_t columns = by_id ? engine->places.id_count : engine->places.node_count;
    mcd_division division;
    mcd_lane *lane;
    MCD_TRY(check_order(request, error));
    MCD_TRY(
        mcd_query_divide(query, value, request->source_count, columns * sizeof **value, &division, error));
    MCD_TRY(mcd_query_lanes(query, request->source, request->source_count,
                            request->reverse ? MCD_ARRIVE : MCD_DEPART, "source", &lane, status, error));
    mcd_tree_job job = {
        .weights = &query->metric->weights,
        .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
        .lane = lane,
        .lane_count = request->source_count,
        .limit = request->limit && request->limit < MCD_WEIGHT_MAX ? request->limit : MCD_WEIGHT_MAX,
        .as_lanes = request->order == MACADAM_ORDER_LANES,
        .column = !by_id             ? NULL
                  : request->reverse ? engine->places.depart
                                     : engine->places.arrive,
        .column_count = columns,
        .objective = mcd_query_value(query, value, false),
        .companion = mcd_query_value(query, value, true),
        .division = division.part_count > 0 ? &division : NULL,
        .parallel = engine->parallel,
        .progress = query->progress,
    };
    macadam_status failure = fit(query, &job, error);
    if (!failure) failure = run_bands(query, &job, request->source_count, error);
    mcd_free(lane);
    return failure;
}

macadam_status macadam_tree(macadam_engine *engine, const macadam_query *given,
                            const macadam_tree_request *request, uint32_t *const *value,
                            macadam_place_status *status, macadam_error *error)
{
    macadam_tree_request own = MACADAM_TREE_REQUEST_INIT;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "tree request", error));
    const mcd_backend *backend = mcd_engine_backend(engine);
    mcd_query query;
    macadam_status failure;
    do {
        failure = mcd_query_begin(&query, engine, backend, given, MCD_NEED_COSTS, error);
        if (!failure) failure = run(&query, &own, value, status, error);
        mcd_query_end(&query);
    } while (mcd_query_falls_back(&query, value, &backend, failure));
    return failure;
}
