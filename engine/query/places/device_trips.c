/* device_trips.c - see device_trips.h. */
#include "engine/query/places/device_trips.h"

#include "engine/runtime/load.h"

enum { TRIPS_PER_TASK = 1024, REST_PER_TASK = 64 };

typedef struct trip_places {
    const mcd_query *query;
    mcd_locator locator;
    const mcd_place_list *list[2]; /* sources, targets */
    mcd_nearest_road *road[2];
    uint32_t *rest;       /* [count]: of each task's trips, those that are left, from its first on */
    uint32_t *rest_count; /* [by task] */
    size_t left;          /* trips in `rest` */
    const mcd_nearest_road *connected[2]; /* of places that are cut off */
    bool settles;                         /* trips from and to those */
} trip_places;

static void report(const trip_places *work, int end, size_t i, macadam_place_status status)
{
    if (work->list[end]->outcome.status) work->list[end]->outcome.status[i] = status;
}

static bool is_id(const macadam_place *place)
{
    return place->kind == MACADAM_PLACE_NODE && mcd_place_is_current(place);
}

/* Sets the road of an id, and the status of a place. Returns whether its road is known, and not cut off. */
static bool settle_place(const trip_places *work, int end, size_t i)
{
    const macadam_place *const place = &work->list[end]->place[i];
    mcd_nearest_road *const road = &work->road[end][i];
    macadam_place_status status = MACADAM_PLACE_OK;
    if (road->state == MCD_NEAREST_TOO_FAR) {
        status = MACADAM_PLACE_TOO_FAR;
    } else if (road->state == MCD_NEAREST_UNKNOWN && is_id(place)) {
        const size_t id = mcd_place_find_id(work->locator.places, place->id);
        *road = (mcd_nearest_road){.id = (uint32_t)id, .arc = MCD_ROAD_NONE, .state = MCD_NEAREST_FOUND};
        if (id == MCD_PLACE_NONE) road->state = MCD_NEAREST_TOO_FAR, status = MACADAM_PLACE_UNKNOWN_ID;
    } else if (road->state != MCD_NEAREST_FOUND) {
        return false;
    }
    report(work, end, i, status);
    return true;
}

static void settle_range(void *argument, size_t first, size_t end)
{
    const trip_places *const work = argument;
    uint32_t *const count = &work->rest_count[first / TRIPS_PER_TASK];
    *count = 0;
    for (size_t i = first; i < end; ++i) {
        const bool from = settle_place(work, 0, i), to = settle_place(work, 1, i);
        if (!from || !to) work->rest[first + (*count)++] = (uint32_t)i;
    }
}

/* Settles all places, and joins the lists of trips that are left. */
static macadam_status settle_all(trip_places *work, size_t count, macadam_error *error)
{
    const size_t tasks = (count + TRIPS_PER_TASK - 1) / TRIPS_PER_TASK;
    MCD_OWNED uint32_t *of_task = NULL;
    MCD_TRY(MCD_NEW(of_task, tasks, error));
    work->rest_count = of_task;
    mcd_parallel_for_ranges(&work->query->engine->parallel, count, TRIPS_PER_TASK, settle_range, work);
    for (size_t task = 0; task < tasks; ++task) {
        memmove(work->rest + work->left, work->rest + task * TRIPS_PER_TASK,
                of_task[task] * sizeof *work->rest);
        work->left += of_task[task];
    }
    return MACADAM_OK;
}

/* ---- places that are cut off: the rule is that of subnetwork.h ---- */

static uint32_t subnetwork_of(const trip_places *work, int end, size_t i)
{
    const macadam_engine *const engine = work->query->engine;
    const mcd_nearest_road *const road = &work->road[end][i];
    return road->state == MCD_NEAREST_CUT_OFF ? engine->component[engine->graph.head[road->arc]]
                                              : MCD_SUBNETWORK_NONE;
}

static mcd_node node_of(const trip_places *work, int end, size_t i)
{
    const mcd_place_index *const places = work->locator.places;
    const mcd_nearest_road *const road = &work->road[end][i];
    if (!is_id(&work->list[end]->place[i]) || road->state != MCD_NEAREST_FOUND) return MCD_NODE_NONE;
    return (end == 0 ? places->depart : places->arrive)[road->id];
}

static bool share_subnetwork(const trip_places *work, size_t i)
{
    const uint32_t from = subnetwork_of(work, 0, i), to = subnetwork_of(work, 1, i);
    return mcd_subnetwork_is_shared(work->query->engine, from, to,
                                    node_of(work, from == MCD_SUBNETWORK_NONE ? 0 : 1, i));
}

/* Takes a place of the k-th trip that is left to where the rule wants it. Returns whether that is known. */
static bool settle_cut_off(const trip_places *work, size_t k, int end, bool shared)
{
    const size_t i = work->rest[k];
    mcd_nearest_road *const road = &work->road[end][i];
    const mcd_nearest_road *const connected = &work->connected[end][i];
    const bool is_found = connected->state == MCD_NEAREST_FOUND;
    if (road->state != MCD_NEAREST_CUT_OFF) return road->state != MCD_NEAREST_UNKNOWN;
    if (!shared && connected->state == MCD_NEAREST_UNKNOWN) return false;
    if (!shared && is_found) *road = *connected;
    road->state = MCD_NEAREST_FOUND;
    report(work, end, i, shared ? MACADAM_PLACE_OK : is_found ? MACADAM_PLACE_MOVED : MACADAM_PLACE_CUT_OFF);
    return true;
}

static void settle_rest(void *argument, size_t first, size_t end)
{
    const trip_places *const work = argument;
    for (size_t k = first; k < end; ++k) {
        const uint32_t i = work->rest[k];
        const bool shared = work->settles && share_subnetwork(work, i);
        if (work->settles && settle_cut_off(work, k, 0, shared) && settle_cut_off(work, k, 1, shared))
            work->rest[k] = UINT32_MAX;
        else
            work->road[0][i].state = MCD_NEAREST_UNKNOWN;
    }
}

static bool has_cut_off(const trip_places *work)
{
    bool found = false;
    for (size_t k = 0; k < work->left && !found; ++k)
        for (int end = 0; end < 2; ++end)
            found |= work->road[end][work->rest[k]].state == MCD_NEAREST_CUT_OFF;
    return found;
}

/* Settles trips from or to places that are cut off, and keeps the others. */
static macadam_status settle_left(trip_places *work, macadam_error *error)
{
    macadam_engine *const engine = work->query->engine;
    size_t kept = 0;
    work->settles = !work->query->snap_any_component && has_cut_off(work);
    if (work->settles) MCD_TRY(mcd_engine_load(engine, MCD_LOAD_COMPONENTS, error));
    mcd_parallel_for_ranges(&engine->parallel, work->left, REST_PER_TASK, settle_rest, work);
    for (size_t k = 0; k < work->left; ++k)
        if (work->rest[k] != UINT32_MAX) work->rest[kept++] = work->rest[k];
    work->left = kept;
    return MACADAM_OK;
}

/* ---- trips ---- */

/* Returns whether the device may answer the query's trips: others are located as ever, and the index is made for them. */
static bool is_for_device(const mcd_query *query)
{
    return query->engine->device_snap && query->weights->device && query->weights->objective &&
           !query->no_points && !mcd_query_potential(query, false) && !mcd_query_potential(query, true);
}

macadam_status mcd_device_trips_find(mcd_device_trips *out, mcd_query *query, const mcd_place_list *source,
                                     const mcd_place_list *target, macadam_error *error)
{
    const size_t count = source->count;
    *out = (mcd_device_trips){.count = count};
    if (!is_for_device(query)) return MACADAM_OK;
    trip_places work = {query, mcd_query_locator(query), .list = {source, target}};
    const mcd_locate_list list[] = {{.place = source->place, .count = count},
                                    {.place = target->place, .count = count}};
    work.locator.only_status = true;
    mcd_device_roads_find(&out->roads, query, &work.locator, work.locator.weights, list, 2);
    if (!out->roads.road) return MACADAM_OK;
    query->block = out->roads.block, out->roads.block = (mcd_block){0};
    MCD_TRY(MCD_NEW(out->rest, count, error));
    work.road[0] = out->roads.road, work.road[1] = out->roads.road + count, work.rest = out->rest;
    work.connected[0] = out->roads.connected, work.connected[1] = out->roads.connected + count;
    MCD_TRY(settle_all(&work, count, error));
    MCD_TRY(settle_left(&work, error));
    out->rest_count = work.left;
    return MACADAM_OK;
}

void mcd_device_trips_free(mcd_device_trips *trips)
{
    mcd_device_roads_free(&trips->roads);
    mcd_free(trips->rest);
    *trips = (mcd_device_trips){.count = 0};
}

void mcd_device_trips_job(const mcd_device_trips *trips, const mcd_query *query, mcd_route_job *job)
{
    job->weights = query->weights;
    job->source_road = trips->roads.road, job->target_road = trips->roads.road + trips->count;
    job->count = trips->count;
    job->snap = query->engine->device_snap;
    job->parallel = query->engine->parallel, job->progress = query->progress;
}
