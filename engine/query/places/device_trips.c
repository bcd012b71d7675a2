/* device_trips.c - see device_trips.h. */
#include "engine/query/places/device_trips.h"

#include "engine/base/memory.h"
#include "engine/query/places/device_roads.h"
#include "engine/runtime/load.h"

enum { TRIPS_PER_TASK = 1024 };

typedef struct trips_work {
    const mcd_locator *locator;
    const mcd_place_list *list[2]; /* sources, targets */
    mcd_nearest_road *road[2];
    uint32_t *rest;       /* [count]: of each task's trips, those that are left, from its first on */
    uint32_t *rest_count; /* [by task] */
} trips_work;

/* Sets the road of an id, and the status of a place. Returns whether its road is known. */
static bool settle_place(const trips_work *work, int end, size_t i)
{
    const mcd_locator *const locator = work->locator;
    const macadam_place *const place = &work->list[end]->place[i];
    mcd_nearest_road *const road = &work->road[end][i];
    macadam_place_status status = MACADAM_PLACE_OK;
    if (place->kind == MACADAM_PLACE_NODE && mcd_place_is_current(place)) {
        const size_t id = mcd_place_find_id(locator->places, place->id);
        *road = (mcd_nearest_road){.id = (uint32_t)id, .state = MCD_NEAREST_FOUND};
        if (id == MCD_PLACE_NONE) road->state = MCD_NEAREST_TOO_FAR, status = MACADAM_PLACE_UNKNOWN_ID;
    } else if (road->state == MCD_NEAREST_TOO_FAR) {
        status = MACADAM_PLACE_TOO_FAR;
    } else if (road->state == MCD_NEAREST_UNKNOWN ||
               (locator->weights && !mcd_arc_is_open(locator->weights, road->arc))) {
        return false;
    }
    if (work->list[end]->outcome.status) work->list[end]->outcome.status[i] = status;
    return true;
}

static void settle_range(void *argument, size_t first, size_t end)
{
    const trips_work *const work = argument;
    uint32_t *const count = &work->rest_count[first / TRIPS_PER_TASK];
    *count = 0;
    for (size_t i = first; i < end; ++i) {
        const bool from = settle_place(work, 0, i), to = settle_place(work, 1, i);
        if (from && to) continue;
        work->rest[first + (*count)++] = (uint32_t)i;
        work->road[0][i].state = MCD_NEAREST_UNKNOWN; /* the device finds no way */
    }
}

/* Settles all places, and joins the lists of trips that are left. */
static macadam_status settle_all(trips_work *work, const mcd_query *query, size_t count, size_t *rest_count,
                                 macadam_error *error)
{
    const size_t tasks = (count + TRIPS_PER_TASK - 1) / TRIPS_PER_TASK;
    MCD_OWNED uint32_t *of_task = NULL;
    MCD_TRY(MCD_NEW(of_task, tasks, error));
    work->rest_count = of_task;
    mcd_parallel_for_ranges(&query->engine->parallel, count, TRIPS_PER_TASK, settle_range, work);
    for (size_t task = 0; task < tasks; ++task) {
        memmove(work->rest + *rest_count, work->rest + task * TRIPS_PER_TASK,
                of_task[task] * sizeof *work->rest);
        *rest_count += of_task[task];
    }
    return MACADAM_OK;
}

/* Returns whether the device may answer the query's trips: others are located as ever, and the index is made for them. */
static bool is_for_device(const mcd_query *query)
{
    return query->engine->device_snap && query->backend->trips && query->weights->device &&
           query->weights->objective && !query->no_points && !mcd_query_potential(query, false) &&
           !mcd_query_potential(query, true);
}

macadam_status mcd_device_trips(bool *done, uint32_t **rest, size_t *rest_count, const mcd_query *query,
                                const mcd_place_list *source, const mcd_place_list *target,
                                uint32_t *objective, uint32_t *companion, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    const size_t count = source->count;
    MCD_OWNED mcd_nearest_road *road = NULL;
    MCD_OWNED uint32_t *left = NULL;
    size_t left_count = 0;
    *done = false, *rest = NULL, *rest_count = 0;
    if (!is_for_device(query)) return MACADAM_OK;
    mcd_locator locator = mcd_query_locator(query);
    const mcd_locate_list list[] = {{.place = source->place, .count = count},
                                    {.place = target->place, .count = count}};
    locator.only_status = true;
    road = mcd_device_roads_find(engine, query->backend, &locator, list, 2);
    if (!road) return MACADAM_OK;
    MCD_TRY(MCD_NEW(left, count, error));
    trips_work work = {&locator, {source, target}, {road, road + count}, left, NULL};
    MCD_TRY(settle_all(&work, query, count, &left_count, error));
    const mcd_trips_job job = {.snap = engine->device_snap,
                               .weights = query->weights,
                               .source = road,
                               .target = road + count,
                               .count = count,
                               .objective = objective,
                               .companion = companion,
                               .parallel = engine->parallel,
                               .progress = query->progress};
    const macadam_status status = query->backend->trips(&job, error);
    if (status == MACADAM_E_UNSUPPORTED) {
        mcd_recover(error);
        return MACADAM_OK;
    }
    MCD_TRY(status);
    *done = true, *rest_count = left_count;
    return MCD_MOVE(*rest, left);
}
