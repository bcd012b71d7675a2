/* device_roads.c - see device_roads.h. */
#include "engine/query/places/device_roads.h"

#include "engine/query/places/dispatch.h"
#include "engine/runtime/device.h"

enum {
    POINTS_LEAST = 1000,       /* 16 threads look for fewer in the time of some launches and copies */
    POINTS_PER_TASK = 128,     /* whose searches are begun together */
    POINTS_PER_CALL = 1 << 11, /* at least, that a device looks for together */
    CALLS_MOST = 8,
};

/* Returns the index on the device; NULL: there is none. Calls wait for it only once they have lost as much as it takes. If it
 * cannot be made, that is tried again after as many searches: device or host may have memory then. */
static mcd_device_snap *index_of(macadam_engine *engine, size_t points)
{
    atomic_fetch_add(&engine->device_snap_searches, points);
    if (!atomic_load(&engine->has_device_snap)) {
        if (mcd_engine_snap_pays(engine, MCD_PIECES_PER_POINT))
            mcd_engine_place_snap(engine);
        else if (mcd_engine_snap_pays(engine, MCD_PIECES_BESIDE))
            mcd_engine_work_beside(engine);
    }
    return engine->device_snap;
}

/* ---- searches ---- */

typedef struct point_work {
    const mcd_backend *backend;
    const mcd_locator *locator;
    const mcd_locate_list *list;
    mcd_nearest_job all;   /* the search for the points of all lists */
    mcd_snap_point *point; /* of these */
    size_t of_call;        /* a multiple of POINTS_PER_TASK: the points of each call but the last */
    atomic_size_t made[CALLS_MOST];
    atomic_bool has_failed;
} point_work;

/* Makes points. The thread that makes the last of a call lets the device look for their roads, while others make the next ones. It
 * begins no threads for this: a host's executor need not run tasks within tasks. */
static void find_range(void *argument, size_t first, size_t end)
{
    point_work *const work = argument;
    const size_t call = first / work->of_call, begin = call * work->of_call;
    mcd_nearest_job job = work->all;
    for (size_t i = first; i < end; ++i) {
        const mcd_locate_list *list = work->list;
        size_t at = i;
        while (at >= list->count) at -= list++->count;
        work->point[i] = mcd_locate_point(work->locator, &list->place[at]);
    }
    job.count = mcd_size_min(work->of_call, job.count - begin);
    job.point += begin, job.road += begin, job.connected += begin;
    if (atomic_fetch_add(&work->made[call], end - first) + (end - first) < job.count) return;
    if (work->backend->nearest_roads(&job, NULL)) atomic_store(&work->has_failed, true);
}

/* Returns memory that the device reads and writes itself, unless the query holds scratch: two calls that each held some could wait for
 * each other's. */
static char *take_memory(mcd_device_roads *out, const mcd_query *query, size_t bytes)
{
    mcd_scratch *const scratch = out->scratch = &query->engine->scratch;
    const uint64_t pinned = mcd_size_max(bytes, MCD_PINNED_LEAST),
                   wanted = pinned > scratch->limit ? bytes : pinned;
    out->block.preferred = true;
    if (query->block.memory || query->reserved ||
        mcd_scratch_take(scratch, wanted, "roads of points", &out->block, NULL))
        out->own = mcd_allocate(bytes, 1);
    return out->block.memory ? out->block.memory : out->own;
}

void mcd_device_roads_find(mcd_device_roads *out, const mcd_query *query, const mcd_locator *locator,
                           const mcd_weights *weights, const mcd_locate_list *list, size_t list_count)
{
    macadam_engine *const engine = query->engine;
    const size_t count = mcd_locate_count(list, list_count);
    if (!locator->only_status || !query->backend->nearest_roads) return;
    if (count < POINTS_LEAST || count > UINT32_MAX) return;
    const mcd_device_snap *const snap = index_of(engine, count);
    const size_t of_call = mcd_size_max(POINTS_PER_CALL, count / CALLS_MOST + 1);
    point_work work = {.backend = query->backend, .locator = locator, .list = list};
    char *const memory =
        snap ? take_memory(out, query, count * (2 * sizeof *out->road + sizeof *work.point)) : NULL;
    if (!memory) return;
    out->road = (mcd_nearest_road *)memory;
    out->connected = out->road + count;
    work.point = (mcd_snap_point *)(out->connected + count);
    work.of_call = (of_call + POINTS_PER_TASK - 1) / POINTS_PER_TASK * POINTS_PER_TASK;
    work.all = (mcd_nearest_job){snap,
                                 work.point,
                                 out->road,
                                 out->connected,
                                 count,
                                 .parallel = {.thread_count = 1},
                                 .weights = weights};
    mcd_parallel_for_ranges(&engine->parallel, count, POINTS_PER_TASK, find_range, &work);
    if (atomic_load(&work.has_failed)) out->road = out->connected = NULL;
}

void mcd_device_roads_free(mcd_device_roads *roads)
{
    if (roads->block.memory) mcd_scratch_give_back(roads->scratch, &roads->block);
    mcd_free(roads->own);
    *roads = (mcd_device_roads){.road = NULL};
}
