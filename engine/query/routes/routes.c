/* routes.c - many routes' costs and paths over the interface. */
#include "engine/base/arena.h"
#include "engine/base/grow.h"
#include "engine/query/clock/instants.h"
#include "engine/query/clock/legs.h"
#include "engine/query/places/device_fallback.h"
#include "engine/query/places/device_trips.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/subnetwork.h"

enum {
    PATHS_PER_TASK = 16, /* a thread renumbers this many at a time */
    FEW_PAIRS = 16,      /* are not worth arrays of the weights that are faster to search */
    REST_PART =
        8, /* the processor answers all pairs if a device leaves more than one of these, and paths are wanted */
};

/* The paths of some pairs, as they are delivered. */
typedef struct kept_paths {
    uint64_t *number;
    size_t *first; /* [count + 1] the paths in `number` */
    size_t count, capacity, first_capacity;
    bool is_full; /* there was no memory for one */
} kept_paths;

/* A list of pairs and their answers. */
typedef struct routes_run {
    const macadam_routes_request *request;
    uint32_t *const *value;
    macadam_place_status *status;
    macadam_path_callback callback; /* NULL: no paths are requested */
    void *context;
    mcd_query *query;
    mcd_pairs trips;
    uint32_t *objective, *companion; /* the caller's; our own objective if it is not requested */
    uint32_t *own_objective;
    bool by_point;    /* some place is a point */
    size_t delivered; /* how many pairs have their paths delivered: a second try goes on after them */
    size_t first;     /* pair of the backend's job */
    const mcd_path *taken;
    size_t taken_first, count; /* the pairs of the paths taken */
    mcd_numbered_path *path;   /* [count] these; both arrays are reused */
    uint64_t *number;
    size_t path_capacity, number_capacity;
    /* With a device's trips: those that it leaves, and their paths. */
    mcd_device_trips device;
    kept_paths kept;
    size_t kept_next;
} routes_run;

/* ---- paths ---- */

/* Returns whether paths may have parts of arcs at their ends. Objectives then lie in the host's memory. */
static bool has_parts(const routes_run *run)
{
    return mcd_pairs_most_parts(&run->trips) > 0;
}

/* Lists the arcs' numbers, without the arrival arcs of split nodes. */
static void list_numbers(const mcd_arc_facts *facts, const mcd_path *path, mcd_numbered_path *out)
{
    out->count = 0;
    for (size_t i = 0; i < path->count; ++i) {
        const uint64_t number = mcd_arc_number(facts, path->arc[i]);
        if (number != MCD_ARC_NONE) out->number[out->count++] = number;
    }
    out->number[-1] = path->count > 0 ? path->arc[0] : MCD_ARC_NONE;
    out->number[out->count] = path->count > 0 ? path->arc[path->count - 1] : MCD_ARC_NONE;
}

/* Adds the arcs within which the places lie. */
static void add_parts(const mcd_arc_facts *facts, const mcd_road_part *before, const mcd_road_part *behind,
                      mcd_numbered_path *path)
{
    if (behind->arc != MCD_ROAD_NONE) path->number[path->count++] = mcd_arc_number(facts, behind->arc);
    if (before->arc == MCD_ROAD_NONE) return;
    *--path->number = mcd_arc_number(facts, before->arc);
    ++path->count;
}

/* Adds those of a pair; an unreached one has no path. */
static void end_path(const routes_run *run, size_t pair, mcd_numbered_path *path)
{
    const macadam_engine *engine = run->query->engine;
    mcd_road_part before, behind;
    uint32_t end[2] = {(uint32_t)path->number[-1], (uint32_t)path->number[path->count]};
    const mcd_path ends = {end, path->number[-1] == MCD_ARC_NONE ? 0 : 2, 0};
    if (run->objective[pair] == MACADAM_UNREACHED) {
        path->count = 0;
        return;
    }
    mcd_pairs_parts(&run->trips, &engine->graph, pair, &ends, &before, &behind);
    add_parts(&engine->facts, &before, &behind, path);
}

static void end_paths(void *argument, size_t first, size_t end)
{
    const routes_run *const run = argument;
    for (size_t i = first; i < end; ++i) end_path(run, run->taken_first + i, &run->path[i]);
}

static void number_paths(void *argument, size_t first, size_t end)
{
    const routes_run *const run = argument;
    for (size_t i = first; i < end; ++i)
        list_numbers(&run->query->engine->facts, &run->taken[i], &run->path[i]);
    if (has_parts(run)) end_paths(argument, first, end);
}

/* Makes room for the taken paths, one after another. */
static macadam_status place_paths(routes_run *run, macadam_error *error)
{
    enum { ENDS = 2 };
    size_t arcs = 0;
    for (size_t i = 0; i < run->count; ++i) arcs += run->taken[i].count + ENDS;
    MCD_TRY(MCD_GROW(run->path, run->path_capacity, run->count, error));
    MCD_TRY(MCD_GROW(run->number, run->number_capacity, arcs, error));
    uint64_t *number = run->number;
    for (size_t i = 0; i < run->count; ++i) {
        run->path[i].number = number + 1;
        number += run->taken[i].count + ENDS;
    }
    return MACADAM_OK;
}

static void begin_taking(routes_run *run, size_t first, size_t count)
{
    run->taken_first = run->first + first;
    run->count = count;
    mcd_pairs_cost_same_road(&run->trips, run->taken_first, count, run->objective, run->companion);
}

static macadam_status deliver_paths(routes_run *run, const mcd_numbered_path *path, macadam_error *error)
{
    size_t *const pair = &run->delivered;
    for (size_t end = run->taken_first + run->count; *pair < end; ++*pair) {
        const mcd_numbered_path *given = &path[*pair - run->taken_first];
        const size_t k = run->kept_next;
        mcd_numbered_path own;
        if (k < run->kept.count && run->device.rest[k] == *pair) {
            own.number = run->kept.number + run->kept.first[k];
            own.count = run->kept.first[k + 1] - run->kept.first[k];
            given = &own, ++run->kept_next;
        }
        if (!run->callback(run->context, *pair, given->number, given->count))
            return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of path %zu", *pair);
    }
    return MACADAM_OK;
}

static macadam_status take_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                 macadam_error *error)
{
    routes_run *const run = context;
    begin_taking(run, first, count);
    run->taken = path;
    MCD_TRY(place_paths(run, error));
    mcd_parallel_for_ranges(&run->query->engine->parallel, count, PATHS_PER_TASK, number_paths, run);
    return deliver_paths(run, run->path, error);
}

static macadam_status take_numbers(void *context, const mcd_numbered_path *path, size_t first, size_t count,
                                   macadam_error *error)
{
    routes_run *const run = context;
    begin_taking(run, first, count);
    if (!has_parts(run)) return deliver_paths(run, path, error);
    MCD_TRY(MCD_GROW(run->path, run->path_capacity, count, error));
    memcpy(run->path, path, count * sizeof *path);
    mcd_parallel_for_ranges(&run->query->engine->parallel, count, PATHS_PER_TASK, end_paths, run);
    return deliver_paths(run, run->path, error);
}

static void set_answers(routes_run *run, mcd_route_job *job)
{
    const mcd_arc_facts *const facts = &run->query->engine->facts;
    job->objective = run->objective, job->companion = run->companion;
    if (!run->callback) return;
    job->take = take_paths, job->take_numbers = take_numbers, job->take_context = run;
    job->arc_number = facts->number, job->arc_original = facts->original;
}

static macadam_status run_paths(routes_run *run, macadam_error *error)
{
    const mcd_query *query = run->query;
    MCD_TRY(mcd_pairs_choose(&run->trips, query, error));
    run->first = run->delivered;
    mcd_route_job job = mcd_pairs_job(&run->trips, query);
    set_answers(run, &job);
    mcd_route_skip(&job, run->first);
    if (!query->backend->device && !query->basic)
        MCD_TRY(mcd_version_use_spans(query->version, query->engine, job.count, &job.spans, error));
    return query->backend->route(&job, error);
}

/* ---- by the clock ---- */

/* Delivers the path of a pair, and its costs. */
static macadam_status deliver_leg(routes_run *run, const mcd_clock_leg *leg, size_t pair,
                                  macadam_error *error)
{
    const mcd_arc_facts *const facts = &run->query->engine->facts;
    run->objective[pair] = leg->objective;
    if (run->companion)
        run->companion[pair] = leg->objective == MACADAM_UNREACHED ? MACADAM_UNREACHED : leg->companion;
    MCD_TRY(MCD_GROW(run->number, run->number_capacity, leg->path.count + 2, error));
    mcd_numbered_path out = {run->number + 1, 0};
    if (leg->objective != MACADAM_UNREACHED) {
        list_numbers(facts, &leg->path, &out);
        add_parts(facts, &leg->before, &leg->behind, &out);
    }
    if (run->callback(run->context, pair, out.number, out.count)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of path %zu", pair);
}

static macadam_status run_legs(routes_run *run, macadam_error *error)
{
    MCD_FREED_BY(mcd_clock_leg_free) mcd_clock_leg leg = {.objective = 0};
    MCD_FREED_BY(mcd_clock_tree_free) mcd_clock_tree tree = {.scratch = NULL};
    for (size_t i = 0; i < run->trips.count; ++i) {
        mcd_query_part(run->query, i, i + 1, run->trips.count);
        MCD_TRY(
            mcd_clock_leg_find(&leg, &tree, run->query, &run->trips.source, &run->trips.target, i, error));
        MCD_TRY(deliver_leg(run, &leg, i, error));
    }
    return MACADAM_OK;
}

/* ---- requests ---- */

static macadam_status set_values(routes_run *run, uint32_t *const *value, size_t count, macadam_error *error)
{
    run->objective = mcd_query_value(run->query, value, false);
    run->companion = mcd_query_value(run->query, value, true);
    if (run->objective) return MACADAM_OK;
    if (!run->own_objective) MCD_TRY(MCD_NEW(run->own_objective, count, error));
    run->objective = run->own_objective;
    return MACADAM_OK;
}

static macadam_status run_values(routes_run *run, uint32_t *const *value, macadam_error *error)
{
    MCD_TRY(set_values(run, value, run->trips.count, error));
    if (run->callback)
        MCD_TRY(run->query->timing.arcs ? run_legs(run, error) : run_paths(run, error));
    else
        MCD_TRY(mcd_pairs_costs(&run->trips, run->query, run->objective, run->companion, error));
    return mcd_signed_pairs(&run->trips, run->query, value, error);
}

/* ---- on a device ---- */

static bool keep_path(void *context, MCD_UNUSED size_t index, const uint64_t *arc, size_t count)
{
    kept_paths *const kept = context;
    const size_t first = kept->count ? kept->first[kept->count] : 0;
    kept->is_full = MCD_GROW(kept->first, kept->first_capacity, kept->count + 2, NULL) ||
                    MCD_GROW(kept->number, kept->capacity, first + count, NULL);
    if (kept->is_full) return false;
    if (count) memcpy(kept->number + first, arc, count * sizeof *arc);
    kept->first[kept->count] = first;
    kept->first[++kept->count] = first + count;
    return true;
}

MCD_DEFINE_STATIC_FREE(free_kept, kept_paths, it->number, it->first)

static void free_device(routes_run *run)
{
    if (run->device.roads.road) mcd_query_give_back(run->query);
    mcd_device_trips_free(&run->device);
    free_kept(&run->kept);
    run->kept_next = 0;
}

static void free_run(routes_run *run)
{
    mcd_pairs_free(&run->trips);
    free_device(run);
    MCD_FREE_ALL(run->path, run->number, run->own_objective);
    run->path = NULL, run->number = NULL, run->own_objective = NULL;
    run->path_capacity = run->number_capacity = 0;
}

/* The pairs that a device leaves, and their answers. */
typedef struct rest_answers {
    mcd_arena memory;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    mcd_place_list list[2];
} rest_answers;

static void free_rest(rest_answers *rest)
{
    mcd_arena_free(&rest->memory);
}

static macadam_status answer_rest(routes_run *run, rest_answers *out, const mcd_place_list *const all[2],
                                  macadam_error *error)
{
    const uint32_t *const pair = run->device.rest;
    const size_t count = run->device.rest_count;
    MCD_FREED_BY(free_run) routes_run some = {.query = run->query};
    if (count == 0) return MACADAM_OK;
    if (run->callback) some.callback = keep_path, some.context = &run->kept;
    for (int end = 0; end < 2; ++end) {
        macadam_place *place;
        out->list[end] = (mcd_place_list){.count = count};
        MCD_TRY(MCD_ARENA_NEW(&out->memory, place, count, error));
        MCD_TRY(MCD_ARENA_NEW(&out->memory, out->list[end].outcome.status, count, error));
        for (size_t k = 0; k < count; ++k) place[k] = all[end]->place[pair[k]];
        out->list[end].place = place;
    }
    for (size_t q = 0; q < run->query->quantity_count; ++q)
        MCD_TRY(MCD_ARENA_NEW(&out->memory, out->value[q], count, error));
    MCD_TRY(mcd_subnetwork_pairs(&some.trips, run->query, &out->list[0], &out->list[1], error));
    const macadam_status status = run_values(&some, out->value, error);
    return run->kept.is_full ? mcd_fail_memory(error, run->kept.capacity * sizeof *run->kept.number) : status;
}

static void write_rest(const routes_run *run, const rest_answers *rest, const mcd_place_list *const all[2],
                       uint32_t *const *value)
{
    const uint32_t *const pair = run->device.rest;
    for (size_t k = 0; k < run->device.rest_count; ++k) {
        for (size_t q = 0; q < run->query->quantity_count; ++q) value[q][pair[k]] = rest->value[q][k];
        for (int end = 0; end < 2; ++end)
            if (all[end]->outcome.status)
                all[end]->outcome.status[pair[k]] = rest->list[end].outcome.status[k];
    }
}

/* Lets the device answer from the points, and the processor the pairs that it leaves: first, so that paths come in order.
 * *done: false: nothing is answered. */
static macadam_status run_points(routes_run *run, const mcd_place_list *source, const mcd_place_list *target,
                                 uint32_t *const *value, bool *done, macadam_error *error)
{
    MCD_FREED_BY(free_rest) rest_answers rest = {.memory = {NULL}};
    const mcd_place_list *const all[] = {source, target};
    mcd_device_trips *const device = &run->device;
    mcd_route_job job = {.weights = NULL};
    *done = false;
    MCD_TRY(mcd_device_trips_find(device, run->query, source, target, error));
    if (!device->roads.road || (run->callback && device->rest_count > device->count / REST_PART))
        return MACADAM_OK;
    MCD_TRY(answer_rest(run, &rest, all, error));
    MCD_TRY(set_values(run, value, source->count, error));
    mcd_device_trips_job(device, run->query, &job);
    set_answers(run, &job);
    const macadam_status status = run->query->backend->route(&job, error);
    write_rest(run, &rest, all,
               value); /* after a failure too: a second try goes on after the paths that are delivered */
    if (status == MACADAM_E_UNSUPPORTED) {
        mcd_recover(error);
        return MACADAM_OK;
    }
    *done = true;
    return status;
}

static macadam_status run_pairs(routes_run *run, const mcd_place_list *source, const mcd_place_list *target,
                                macadam_error *error)
{
    mcd_query *const query = run->query;
    MCD_FREED_BY(mcd_stage_free) mcd_stage stage = {.cells = 0};
    if (run->by_point && !query->timing.arcs && run->delivered == 0) {
        bool done;
        MCD_TRY(mcd_query_stage(&stage, query, run->value, source->count, error));
        MCD_TRY(run_points(run, source, target, stage.value, &done, error));
        if (done) return mcd_query_unstage(&stage, query, error);
        free_device(run);
    }
    MCD_TRY(mcd_subnetwork_pairs(&run->trips, query, source, target, error));
    if (!mcd_pairs_have_choices(&run->trips) && !(run->callback && has_parts(run)))
        return run_values(run, run->value, error);
    if (!stage.cells) MCD_TRY(mcd_query_stage(&stage, query, run->value, source->count, error));
    MCD_TRY(run_values(run, stage.value, error));
    return mcd_query_unstage(&stage, query, error);
}

/* With a clock, answers each pair at each of its instants. */
static macadam_status run_instants(routes_run *run, const mcd_place_list *source,
                                   const mcd_place_list *target, macadam_error *error)
{
    MCD_FREED_BY(mcd_instants_free) mcd_instants from = {.times = 0}, to = {.times = 0};
    MCD_TRY(mcd_instants_new(&from, run->query, source, MCD_SOURCES, true, error));
    MCD_TRY(mcd_instants_new(&to, run->query, target, MCD_TARGETS, true, error));
    MCD_TRY(run_pairs(run, &from.list, &to.list, error));
    mcd_instants_report(&from);
    mcd_instants_report(&to);
    return MACADAM_OK;
}

static macadam_status run_routes(routes_run *run, macadam_error *error)
{
    const size_t count = run->request->pair_count;
    macadam_place_status *const status = run->status;
    MCD_TRY(mcd_query_check_values(run->query, run->value, error));
    const mcd_place_list source = {.place = run->request->source,
                                   .count = count,
                                   .outcome = {.status = status}},
                         target = {.place = run->request->target,
                                   .count = count,
                                   .outcome = {.status = status ? status + count : NULL}};
    return run->query->timing.arcs ? run_instants(run, &source, &target, error)
                                   : run_pairs(run, &source, &target, error);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    routes_run *const run = argument;
    run->query = query;
    const macadam_status status = run_routes(run, error);
    free_run(run);
    return status;
}

static macadam_status answer(macadam_engine *engine, const macadam_query *given,
                             const macadam_routes_request *request, uint32_t *const *value,
                             macadam_place_status *status, macadam_path_callback callback, void *context,
                             macadam_error *error)
{
    macadam_routes_request own = MACADAM_ROUTES_REQUEST_INIT;
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "routes request", error));
    const unsigned need =
        (callback ? MCD_NEED_PATHS : MCD_NEED_ROUTES) | (own.pair_count <= FEW_PAIRS ? MCD_NEED_BASIC : 0);
    const unsigned places = mcd_query_need(engine, own.source, own.pair_count) |
                            mcd_query_need(engine, own.target, own.pair_count);
    const mcd_work work = {
        .backend = mcd_engine_backend(engine),
        .amount = {callback ? MCD_RATED_PATHS : MCD_RATED_ROUTES, own.pair_count},
        .need = need | places,
        .value = value,
        .takes_clock = true,
    };
    routes_run run = {&own, value, status, callback, context, .by_point = places & MCD_NEED_WEIGHTS};
    return mcd_query_with_fallback(engine, &work, given, attempt, &run, error);
}

macadam_status macadam_routes_find(uint32_t *const *value, macadam_place_status *status,
                                   macadam_engine *engine, const macadam_query *query,
                                   const macadam_routes_request *request, macadam_error *error)
{
    return answer(engine, query, request, value, status, NULL, NULL, error);
}

macadam_status macadam_routes_find_paths(uint32_t *const *value, macadam_place_status *status,
                                         macadam_engine *engine, const macadam_query *query,
                                         const macadam_routes_request *request, macadam_path_callback path,
                                         void *context, macadam_error *error)
{
    if (!path) return mcd_fail_invalid(error, "no callback for the paths");
    return answer(engine, query, request, value, status, path, context, error);
}
