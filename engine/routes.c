/* routes.c - many routes' costs and paths over the interface. */
#include "engine/memory.h"
#include "engine/options.h"
#include "engine/query.h"

enum { PATHS_PER_TASK = 16 }; /* renumbered by a thread at a time */

/* The lanes and answers of a list of pairs. */
typedef struct routes_run {
    mcd_query *query;
    mcd_lane *source, *target;
    uint32_t *objective, *companion; /* the caller's, or our own objective if it is not asked */
    uint32_t *own_objective;
    size_t delivered; /* pairs whose paths the caller has */
} routes_run;

static mcd_route_job job_of(const routes_run *run, size_t first, size_t count)
{
    return (mcd_route_job){
        .weights = &run->query->metric->weights,
        .source = run->source + first,
        .target = run->target + first,
        .count = count,
        .objective = run->objective + first,
        .companion = run->companion ? run->companion + first : NULL,
        .parallel = run->query->engine->parallel,
        .progress = run->query->progress,
    };
}

/* ---- paths ---- */

/* A path on its way to the caller. */
typedef struct numbered_path {
    uint64_t *number; /* of the source data's arcs */
    size_t count;
} numbered_path;

/* Where the backend's paths become the caller's. */
typedef struct path_receiver {
    routes_run *run;
    size_t first; /* pair of the backend's job */
    macadam_path_callback callback;
    void *context;
    const mcd_path *taken;
    numbered_path *path; /* of those taken; both arrays are used again */
    uint64_t *number;
    size_t path_capacity, number_capacity, count;
} path_receiver;

/* Without the arrival arcs of split nodes. */
static void number_arcs(const mcd_arc_facts *facts, const mcd_path *path, numbered_path *out)
{
    out->count = 0;
    for (size_t i = 0; i < path->count; ++i) {
        const uint64_t number = facts->arc_number[path->arc[i]];
        if (number != MCD_ARC_NONE) out->number[out->count++] = number;
    }
}

static void number_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const path_receiver *to = argument;
    const mcd_arc_facts *facts = &to->run->query->engine->facts;
    const size_t first = index * PATHS_PER_TASK, end = mcd_size_min(first + PATHS_PER_TASK, to->count);
    for (size_t i = first; i < end; ++i) number_arcs(facts, &to->taken[i], &to->path[i]);
}

static macadam_status reserve(path_receiver *to, size_t arcs, macadam_error *error)
{
    if (to->count > to->path_capacity) {
        mcd_free(to->path);
        to->path_capacity = 0;
        MCD_TRY(MCD_NEW(to->path, to->count, error));
        to->path_capacity = to->count;
    }
    if (arcs <= to->number_capacity) return MACADAM_OK;
    mcd_free(to->number);
    to->number_capacity = 0;
    MCD_TRY(MCD_NEW(to->number, arcs, error));
    to->number_capacity = arcs;
    return MACADAM_OK;
}

/* Makes room for the paths taken, one after the other. */
static macadam_status place_paths(path_receiver *to, macadam_error *error)
{
    size_t arcs = 0;
    for (size_t i = 0; i < to->count; ++i) arcs += to->taken[i].count;
    MCD_TRY(reserve(to, arcs, error));
    uint64_t *number = to->number;
    for (size_t i = 0; i < to->count; ++i) {
        to->path[i].number = number;
        number += to->taken[i].count;
    }
    return MACADAM_OK;
}

static macadam_status take_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                 macadam_error *error)
{
    path_receiver *to = context;
    size_t *const pair = &to->run->delivered;
    to->taken = path;
    to->count = count;
    MCD_TRY(place_paths(to, error));
    mcd_parallel_for(&to->run->query->engine->parallel, (count + PATHS_PER_TASK - 1) / PATHS_PER_TASK,
                     number_task, to);
    for (size_t end = to->first + first + count; *pair < end; ++*pair) {
        const numbered_path *given = &to->path[*pair - to->first - first];
        if (!to->callback(to->context, *pair, given->number, given->count))
            return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of path %zu", *pair);
    }
    return MACADAM_OK;
}

static macadam_status run_paths(routes_run *run, size_t pair_count, macadam_path_callback callback,
                                void *context, macadam_error *error)
{
    path_receiver to = {.run = run, .first = run->delivered, .callback = callback, .context = context};
    mcd_route_job job = job_of(run, to.first, pair_count - to.first);
    if (!run->query->backend->device)
        MCD_TRY(mcd_engine_use_spans(run->query->engine, run->query->metric, job.count, &job.spans, error));
    job.take = take_paths;
    job.take_context = &to;
    const macadam_status status = run->query->backend->route(&job, error);
    mcd_free(to.path);
    mcd_free(to.number);
    return status;
}

/* ---- requests ---- */

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
    const mcd_route_job job = job_of(run, 0, count);
    return query->backend->route(&job, error);
}

static macadam_status answer(macadam_engine *engine, const macadam_query *given,
                             const macadam_routes_request *request, uint32_t *const *value,
                             macadam_place_status *status, macadam_path_callback callback, void *context,
                             macadam_error *error)
{
    macadam_routes_request own = MACADAM_ROUTES_REQUEST_INIT;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "routes request", error));
    const mcd_backend *backend = mcd_engine_backend(engine);
    size_t delivered = 0; /* paths: a second backend goes on where the first one failed */
    const mcd_need need = callback ? MCD_NEED_PATHS : MCD_NEED_ROUTES;
    mcd_query query;
    macadam_status failure;
    do {
        routes_run run = {.query = &query, .delivered = delivered};
        failure = mcd_query_begin(&query, engine, backend, given, need, error);
        if (!failure) failure = run_routes(&run, &own, value, status, callback, context, error);
        delivered = run.delivered;
        mcd_free(run.source);
        mcd_free(run.target);
        mcd_free(run.own_objective);
        mcd_query_end(&query);
    } while (mcd_query_falls_back(&query, value, &backend, failure));
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
