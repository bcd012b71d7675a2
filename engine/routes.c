/* routes.c - many routes' costs and paths over the interface. */
#include "engine/memory.h"
#include "engine/options.h"
#include "engine/query.h"

enum { PATHS_PER_ROUND = 4096 }; /* paths held at once */

/* The lanes and answers of a list of pairs. */
typedef struct routes_run {
    mcd_query *query;
    mcd_lane *source, *target;
    uint32_t *objective, *companion; /* the caller's, or our own objective if it is not asked */
    uint32_t *own_objective;
} routes_run;

static mcd_route_job job_of(const routes_run *run, size_t first, size_t count, mcd_path *path)
{
    return (mcd_route_job){
        .weights = &run->query->metric->weights,
        .source = run->source + first,
        .target = run->target + first,
        .count = count,
        .objective = run->objective + first,
        .companion = run->companion ? run->companion + first : NULL,
        .path = path,
        .parallel = run->query->engine->parallel,
        .progress = run->query->progress,
    };
}

/* Replaces the file's arcs by the source data's numbers, in place, and drops the arrival arcs of split
 * nodes. */
static size_t number_arcs(const mcd_arc_facts *facts, const mcd_path *path, uint64_t *number)
{
    size_t count = 0;
    for (size_t i = 0; i < path->count; ++i)
        if (facts->arc_number[path->arc[i]] != MCD_ARC_NONE)
            number[count++] = facts->arc_number[path->arc[i]];
    return count;
}

static macadam_status deliver_paths(const routes_run *run, const mcd_path *path, size_t first, size_t count,
                                    macadam_path_callback callback, void *context, macadam_error *error)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; ++i) longest = mcd_size_max(longest, path[i].count);
    uint64_t *number;
    MCD_TRY(MCD_NEW(number, longest, error));
    macadam_status status = MACADAM_OK;
    for (size_t i = 0; i < count && !status; ++i)
        if (!callback(context, first + i, number, number_arcs(&run->query->engine->facts, &path[i], number)))
            status = mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of path %zu", first + i);
    mcd_free(number);
    return status;
}

static macadam_status run_paths(const routes_run *run, size_t pair_count, macadam_path_callback callback,
                                void *context, macadam_error *error)
{
    mcd_path *path;
    macadam_status status = MCD_NEW_ZEROED(path, mcd_size_min(pair_count, PATHS_PER_ROUND), error);
    for (size_t first = 0; first < pair_count && !status; first += PATHS_PER_ROUND) {
        const size_t count = mcd_size_min(pair_count - first, PATHS_PER_ROUND);
        const mcd_route_job job = job_of(run, first, count, path);
        status = run->query->engine->backend->route(&job, error);
        if (!status) status = deliver_paths(run, path, first, count, callback, context, error);
        for (size_t i = 0; i < count; ++i) mcd_path_free(&path[i]);
    }
    mcd_free(path);
    return status;
}

static macadam_status run_routes(routes_run *run, const macadam_routes_request *request,
                                 uint32_t *const *value, macadam_place_status *status,
                                 macadam_path_callback callback, void *context, macadam_error *error)
{
    mcd_query *query = run->query;
    const size_t count = request->pair_count;
    MCD_TRY(mcd_query_check_values(query, value, error));
    MCD_TRY(
        mcd_query_lanes(query, request->source, count, MCD_DEPART, "source", &run->source, status, error));
    MCD_TRY(mcd_query_lanes(query, request->target, count, MCD_ARRIVE, "target", &run->target,
                            status ? status + count : NULL, error));
    run->objective = mcd_query_value(query, value, false);
    run->companion = mcd_query_value(query, value, true);
    if (!run->objective) {
        MCD_TRY(MCD_NEW(run->own_objective, count, error));
        run->objective = run->own_objective;
    }
    if (callback) return run_paths(run, count, callback, context, error);
    const mcd_route_job job = job_of(run, 0, count, NULL);
    return query->engine->backend->route(&job, error);
}

static macadam_status answer(macadam_engine *engine, const macadam_query *given,
                             const macadam_routes_request *request, uint32_t *const *value,
                             macadam_place_status *status, macadam_path_callback callback, void *context,
                             macadam_error *error)
{
    macadam_routes_request own = MACADAM_ROUTES_REQUEST_INIT;
    mcd_query query;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "routes request", error));
    routes_run run = {.query = &query};
    macadam_status failure =
        mcd_query_begin(&query, engine, given, callback ? MCD_NEED_PATHS : MCD_NEED_ROUTES, error);

    if (!failure) failure = run_routes(&run, &own, value, status, callback, context, error);
    mcd_free(run.source);
    mcd_free(run.target);
    mcd_free(run.own_objective);
    mcd_query_end(&query);
    return failure;
}

macadam_status macadam_routes(macadam_engine *engine, const macadam_query *query,
                              const macadam_routes_request *request, uint32_t *const *value,
                              macadam_place_status *status, macadam_error *error)
{
    return answer(engine, query, request, value, status, NULL, NULL, error);
}

macadam_status macadam_routes_paths(macadam_engine *engine, const macadam_query *query,
                                    const macadam_routes_request *request, uint32_t *const *value,
                                    macadam_place_status *status, macadam_path_callback path, void *context,
                                    macadam_error *error)
{
    if (!path) return mcd_fail(error, MACADAM_E_INVALID, "no callback for the paths");
    return answer(engine, query, request, value, status, path, context, error);
}
