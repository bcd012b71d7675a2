/* routes.c - many routes' costs and paths over the interface. */
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/places/attempt.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/site.h"

enum { PATHS_PER_TASK = 16 }; /* a thread renumbers this many at a time */

/* A list of pairs and their answers. */
typedef struct routes_run {
    const macadam_routes_request *request;
    uint32_t *const *value;
    macadam_place_status *status;
    macadam_path_callback callback; /* NULL: no paths are requested */
    void *context;
    mcd_query *query;
    mcd_trips trips;
    uint32_t *objective, *companion; /* the caller's; our own objective if it is not requested */
    uint32_t *own_objective;
    size_t delivered; /* how many pairs have their paths delivered: a second try goes on after them */
} routes_run;

/* ---- paths ---- */

/* A path on its way to the caller. */
typedef struct numbered_path {
    uint64_t *number; /* numbers of the source data's arcs */
    size_t count;
} numbered_path;

/* Receives the backend's paths and turns them into the caller's. */
typedef struct path_receiver {
    routes_run *run;
    size_t first; /* first pair of the backend's job */
    const mcd_path *taken;
    size_t taken_first;  /* pair of the first path taken */
    numbered_path *path; /* the paths taken; both arrays are reused */
    uint64_t *number;
    size_t path_capacity, number_capacity, count;
} path_receiver;

/* Returns whether paths may have parts of arcs at their ends. Objectives then lie in the host's memory. */
static bool has_parts(const routes_run *run)
{
    return mcd_trips_most_parts(&run->trips) > 0;
}

/* Lists the arcs' numbers, without the arrival arcs of split nodes, with the arcs within which the places
 * lie; none of an unreached pair. */
static void number_arcs(const routes_run *run, size_t pair, const mcd_path *path, numbered_path *out)
{
    const macadam_engine *engine = run->query->engine;
    const mcd_arc_facts *const facts = &engine->facts;
    mcd_road_part before, behind;
    out->count = 0;
    if (has_parts(run) && run->objective[pair] == MACADAM_UNREACHED) return;
    mcd_trips_parts(&run->trips, &engine->graph, pair, path, &before, &behind);
    if (before.arc != MCD_ROAD_NONE) out->number[out->count++] = mcd_arc_number(facts, before.arc);
    for (size_t i = 0; i < path->count; ++i) {
        const uint64_t number = mcd_arc_number(facts, path->arc[i]);
        if (number != MCD_ARC_NONE) out->number[out->count++] = number;
    }
    if (behind.arc != MCD_ROAD_NONE) out->number[out->count++] = mcd_arc_number(facts, behind.arc);
}

static void number_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const path_receiver *to = argument;
    const size_t first = index * PATHS_PER_TASK, end = mcd_size_min(first + PATHS_PER_TASK, to->count);
    for (size_t i = first; i < end; ++i)
        number_arcs(to->run, to->taken_first + i, &to->taken[i], &to->path[i]);
}

/* Makes room for the taken paths, one after another. */
static macadam_status place_paths(path_receiver *to, macadam_error *error)
{
    const size_t parts = mcd_trips_most_parts(&to->run->trips);
    size_t arcs = 0;
    for (size_t i = 0; i < to->count; ++i) arcs += to->taken[i].count + parts;
    MCD_TRY(MCD_GROW(to->path, to->path_capacity, to->count, error));
    MCD_TRY(MCD_GROW(to->number, to->number_capacity, arcs, error));
    uint64_t *number = to->number;
    for (size_t i = 0; i < to->count; ++i) {
        to->path[i].number = number;
        number += to->taken[i].count + parts;
    }
    return MACADAM_OK;
}

/* Answers those of the taken pairs that go along their road. The backend does not know the costs of these. */
static void answer_direct(const path_receiver *to)
{
    const routes_run *run = to->run;
    if (!run->trips.direct) return;
    for (size_t i = to->taken_first; i < to->taken_first + to->count; ++i) {
        if (!mcd_trips_is_direct(&run->trips, i)) continue;
        run->objective[i] = run->trips.direct[i].objective;
        if (run->companion) run->companion[i] = run->trips.direct[i].companion;
    }
}

static macadam_status take_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                 macadam_error *error)
{
    path_receiver *to = context;
    size_t *const pair = &to->run->delivered;
    to->taken = path;
    to->taken_first = to->first + first;
    to->count = count;
    MCD_TRY(place_paths(to, error));
    answer_direct(to);
    mcd_parallel_for(&to->run->query->engine->parallel, (count + PATHS_PER_TASK - 1) / PATHS_PER_TASK,
                     number_task, to);
    for (size_t end = to->taken_first + count; *pair < end; ++*pair) {
        const numbered_path *given = &to->path[*pair - to->taken_first];
        if (!to->run->callback(to->run->context, *pair, given->number, given->count))
            return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of path %zu", *pair);
    }
    return MACADAM_OK;
}

static macadam_status run_paths(routes_run *run, macadam_error *error)
{
    const mcd_query *query = run->query;
    MCD_TRY(mcd_trips_choose(&run->trips, query, error));
    const size_t first = run->delivered;
    path_receiver to = {.run = run, .first = first};
    mcd_route_job job = mcd_trips_job(&run->trips, query);
    job.objective = run->objective;
    job.companion = run->companion;
    job.take = take_paths;
    job.take_context = &to;
    mcd_route_skip(&job, first);
    if (!query->backend->device)
        MCD_TRY(mcd_version_use_spans(query->version, query->engine, job.count, &job.spans, error));
    const macadam_status status = query->backend->route(&job, error);
    mcd_free(to.path);
    mcd_free(to.number);
    return status;
}

/* ---- requests ---- */

static macadam_status run_values(routes_run *run, uint32_t *const *value, macadam_error *error)
{
    run->objective = mcd_query_value(run->query, value, false);
    run->companion = mcd_query_value(run->query, value, true);
    if (!run->objective) {
        MCD_TRY(MCD_NEW(run->own_objective, run->trips.count, error));
        run->objective = run->own_objective;
    }
    if (run->callback)
        MCD_TRY(run_paths(run, error));
    else
        MCD_TRY(mcd_trips_costs(&run->trips, run->query, run->objective, run->companion, error));
    return mcd_signed_trips(&run->trips, run->query, value, error);
}

static macadam_status run_routes(routes_run *run, macadam_error *error)
{
    mcd_query *const query = run->query;
    const size_t count = run->request->pair_count;
    macadam_place_status *const status = run->status;
    MCD_TRY(mcd_query_check_values(query, run->value, error));
    const mcd_place_list source = {run->request->source, count, {.status = status}};
    const mcd_place_list target = {run->request->target, count, {.status = status ? status + count : NULL}};
    MCD_TRY(mcd_site_trips(&run->trips, query, &source, &target, error));
    if (!mcd_trips_have_choices(&run->trips) && !(run->callback && has_parts(run)))
        return run_values(run, run->value, error);
    mcd_stage stage;
    macadam_status failure = mcd_query_stage(&stage, query, run->value, count, error);
    if (!failure) failure = run_values(run, stage.value, error);
    return mcd_query_unstage(&stage, query, failure, error);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    routes_run *const run = argument;
    run->query = query;
    const macadam_status status = run_routes(run, error);
    mcd_trips_free(&run->trips);
    mcd_free(run->own_objective);
    run->own_objective = NULL;
    return status;
}

static macadam_status answer(macadam_engine *engine, const macadam_query *given,
                             const macadam_routes_request *request, uint32_t *const *value,
                             macadam_place_status *status, macadam_path_callback callback, void *context,
                             macadam_error *error)
{
    macadam_routes_request own = MACADAM_ROUTES_REQUEST_INIT;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "routes request", error));
    const mcd_need need = callback ? MCD_NEED_PATHS : MCD_NEED_ROUTES;
    const mcd_work work = {
        .backend = mcd_engine_backend(engine),
        .need = need | mcd_query_need(engine, own.source, own.pair_count) |
                mcd_query_need(engine, own.target, own.pair_count),
        .value = value,
    };
    routes_run run = {&own, value, status, callback, context, .delivered = 0};
    return mcd_query_attempt(engine, &work, given, attempt, &run, error);
}

macadam_status macadam_routes(macadam_engine *engine, const macadam_query *query,
                              const macadam_routes_request *request, uint32_t *const *value,
                              macadam_place_status *status, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    return answer(engine, query, request, value, status, NULL, NULL, error);
}

macadam_status macadam_routes_paths(macadam_engine *engine, const macadam_query *query,
                                    const macadam_routes_request *request, uint32_t *const *value,
                                    macadam_place_status *status, macadam_path_callback path, void *context,
                                    macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    if (!path) return mcd_fail(error, MACADAM_E_INVALID, "no callback for the paths");
    return answer(engine, query, request, value, status, path, context, error);
}
