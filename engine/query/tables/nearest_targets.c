/* nearest_targets.c - see nearest_targets.h. A way along a road that source and target share competes with those that the kernel
 * finds: a target that is among the nearest is so by one of the two. */
#include "engine/query/tables/nearest_targets.h"

#include "engine/base/top_k.h"
#include "engine/base/options.h"
#include "engine/query/places/same_road.h"
#include "engine/query/tables/access.h"
#include "engine/query/tables/nearest_of_cells.h"
#include "engine/query/tables/reach_job.h"
#include "engine/query/places/subnetwork.h"

enum {
    /* labelling a target takes as long as sweeping this many nodes for 16 lanes (New York) */
    TARGET_NODES = 512,
    LANES = 16,
    /* for each thread: cells take less time for fewer (1,000 targets of New York, NE or Milan) */
    SOURCES_LEAST = 96,
};
enum { SHARED_MOST = 64 }; /* targets in the subnetwork of a source, for which its list has room */
#define LIST_BYTES ((double)(1 << 28)) /* at most, of lists that were not requested */

static double list_bytes(const mcd_query *query, size_t targets, size_t nearest_count)
{
    const mcd_hierarchy *const hierarchy = query->weights->hierarchy;
    const double on_paths = (double)targets * hierarchy->height,
                 on_nodes = (double)hierarchy->node_count * (double)nearest_count;
    return sizeof(uint64_t) * (on_paths < on_nodes ? on_paths : on_nodes);
}

bool mcd_nearest_targets_suits(const mcd_query *query, const macadam_reach_request *request,
                               const macadam_reach *answer)
{
    const size_t groups = (request->source_count + LANES - 1) / LANES;
    if (!mcd_reach_asks_nearest(answer) || query->timing.arcs || mcd_query_potential(query, false) ||
        query->snap_any_component)
        return false;
    if (query->backend->device) /* whose reach finds those of ids */
        return mcd_query_need(query->engine, request->target, request->target_count) == MCD_NEED_WEIGHTS;
    return !mcd_reach_asks_more(answer) && query->backend->minima_new &&
           request->nearest_count <= MCD_MINIMA_MAX &&
           list_bytes(query, request->target_count, request->nearest_count) <= LIST_BYTES &&
           request->source_count > (size_t)SOURCES_LEAST * query->engine->parallel.thread_count &&
           (double)request->target_count * TARGET_NODES * query->engine->parallel.thread_count <
               (double)groups * query->weights->hierarchy->node_count;
}

static bool is_found(const mcd_lanes *lanes, size_t place)
{
    return mcd_lanes_at(lanes, mcd_lanes_first(lanes, place)).seed[0].node != MCD_NODE_NONE;
}

struct macadam_nearest {
    macadam_engine *engine;
    macadam_query query;  /* what it was made with, but for conditions, which the version has */
    mcd_version *version; /* in use */
    macadam_place *place; /* a copy of the targets, if it outlives the call */
    mcd_located located;  /* of the targets, without their positions */
    mcd_lanes target;
    mcd_same_road direct; /* the targets by their arcs; empty for sources that are known */
    const mcd_backend *backend;
    mcd_minima *minima;
    size_t nearest_count;
    bool reverse; /* the costs from the targets */
    /* [target] what is added to its costs within, so that they are in the order of signed costs; NULL: nothing */
    mcd_weight *lift;
    int64_t least; /* if so: the least of what the potentials add to signed costs */
};

/* Adds to the seeds' costs what the potentials of their targets are above the least one. */
static macadam_status lift_targets(macadam_nearest *prepared, macadam_error *error)
{
    const mcd_lanes *const target = &prepared->target;
    const int32_t *const at = target->potential[0];
    if (!at) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(prepared->lift, target->place_count, error));
    const int32_t sign = prepared->reverse ? -1 : 1;
    prepared->least = INT32_MAX;
    for (size_t i = 0; i < target->place_count; ++i)
        if (is_found(target, i) && sign * at[i] < prepared->least) prepared->least = sign * at[i];
    for (size_t i = 0; i < target->place_count; ++i) {
        if (!is_found(target, i)) continue;
        prepared->lift[i] = (mcd_weight)(sign * at[i] - prepared->least);
        for (size_t l = mcd_lanes_first(target, i); l < mcd_lanes_first(target, i + 1); ++l)
            for (size_t s = 0; s < MCD_SEEDS_MAX && target->lane[l].seed[s].node != MCD_NODE_NONE; ++s) {
                mcd_weight *const cost = &target->lane[l].seed[s].objective;
                *cost = mcd_weight_add(*cost, prepared->lift[i]);
            }
    }
    return MACADAM_OK;
}

/* Prepares the located targets, and lifts the costs of their seeds. */
static macadam_status prepare_lanes(macadam_nearest *nearest, const mcd_query *query, macadam_error *error)
{
    const mcd_lanes *const target = &nearest->target;
    const mcd_minima_job job = {.weights = query->weights,
                                .direction = nearest->reverse ? MCD_BACKWARD : MCD_FORWARD,
                                .lane = target->lane,
                                .first = target->first,
                                .place_count = target->place_count,
                                .nearest_count = nearest->nearest_count,
                                .progress = query->progress};
    nearest->backend = query->backend;
    if (query->backend->device) return MACADAM_OK;
    MCD_TRY(mcd_scratch_check((uint64_t)list_bytes(query, target->count, nearest->nearest_count),
                              mcd_query_limit(query), "nearest", error));
    MCD_TRY(lift_targets(nearest, error));
    return query->backend->minima_new(&nearest->minima, &job, error);
}

/* ---- finding ---- */

typedef struct finding {
    const macadam_nearest *prepared;
    const mcd_same_road *direct; /* the targets by their arcs */
    const mcd_lanes *source;
    const macadam_reach *answer;
    size_t capacity; /* of lists */
    /* [shared_count] ascending, on a device: the pairs whose costs are not those that it finds */
    const mcd_shared_pair *shared;
    size_t shared_count;
} finding;

static bool is_before(const mcd_shared_pair *pair, const mcd_shared_pair *other)
{
    return pair->source != other->source ? pair->source < other->source : pair->target < other->target;
}

MCD_DEFINE_LOWER_BOUND_BY(find_shared, mcd_shared_pair, const mcd_shared_pair *, is_before(element, value))

/* Replaces the costs of targets in a source's own subnetwork. */
static void keep_shared(const finding *run, size_t place, uint64_t *key, uint32_t *count)
{
    const mcd_shared_pair *const shared = run->shared;
    const mcd_shared_pair own = {.source = (uint32_t)place}, next = {.source = (uint32_t)place + 1};
    const size_t first = find_shared(shared, 0, run->shared_count, &own),
                 end = find_shared(shared, first, run->shared_count, &next);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count && first < end; ++i) {
        const mcd_shared_pair wanted = {own.source, (uint32_t)key[i], 0};
        const size_t at = find_shared(shared, first, end, &wanted);
        if (at == end || shared[at].target != wanted.target) key[kept++] = key[i];
    }
    if (first < end) *count = kept;
    for (size_t k = first; k < end; ++k)
        if (shared[k].cost != MACADAM_UNREACHED)
            mcd_top_k_keep(key, count, run->capacity, (uint64_t)shared[k].cost << 32 | shared[k].target);
}

static void keep_direct(const finding *run, size_t place, uint64_t *key, uint32_t *count)
{
    const macadam_nearest *const prepared = run->prepared;
    const mcd_same_road *const direct = run->direct;
    if (direct->count == 0 || !run->source->position) return;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = run->source->position[place].arc[i];
        if (arc == MCD_ROAD_NONE) continue;
        for (size_t at = mcd_same_road_find(direct, arc, 0);
             at < direct->count && mcd_same_road_arc(direct->entry[at]) == arc; ++at) {
            const uint32_t target = (uint32_t)direct->entry[at];
            const mcd_road_part part =
                prepared->reverse ? mcd_lanes_along(&prepared->target, target, run->source, place, i)
                                  : mcd_lanes_along(run->source, place, &prepared->target, target, i);
            const mcd_weight cost =
                mcd_weight_add(part.objective, prepared->lift ? prepared->lift[target] : 0);
            if (cost < MCD_UNREACHED) /* as it is if there is no such way */
                mcd_top_k_keep(key, count, run->capacity, (uint64_t)cost << 32 | target);
        }
    }
}

static void take(void *context, size_t place, uint64_t *key, uint32_t count)
{
    const finding *const run = context;
    const macadam_nearest *const prepared = run->prepared;
    const int64_t at = run->source->potential[0] ? run->source->potential[0][place] : 0,
                  rise = prepared->least - (prepared->reverse ? -at : at);
    keep_direct(run, place, key, &count);
    keep_shared(run, place, key, &count);
    count = (uint32_t)mcd_size_min(count, prepared->nearest_count);
    mcd_reach_deliver(run->answer, place, prepared->nearest_count, key, count);
    uint32_t *const cost = run->answer->nearest_cost;
    for (size_t i = place * prepared->nearest_count;
         cost && prepared->lift && i < (place + 1) * prepared->nearest_count; ++i)
        cost[i] = mcd_signed_cost(cost[i], rise);
}

/* ---- on a device ---- */

/* The answers of sweeps for some places, without ways along roads: [place] and [place * capacity]. */
typedef struct swept {
    finding find;
    size_t first, count;
    uint32_t *found, *position, *cost;
    uint64_t *key; /* [worker * capacity] */
} swept;

MCD_DEFINE_STATIC_FREE(free_swept, swept, it->key)

enum { PLACES_PER_TASK = 8 };

static void take_swept(void *argument, size_t task, unsigned worker)
{
    const swept *const run = argument;
    const size_t capacity = run->find.capacity, first = task * PLACES_PER_TASK,
                 end = mcd_size_min(first + PLACES_PER_TASK, run->count);
    uint64_t *const key = run->key + worker * capacity;
    for (size_t place = first; place < end; ++place) {
        const size_t at = place * capacity;
        for (size_t i = 0; i < run->found[place]; ++i)
            key[i] = (uint64_t)run->cost[at + i] << 32 | run->position[at + i];
        take((void *)&run->find, run->first + place, key, run->found[place]);
    }
}

/* Finds the nearest of all places, and the other answers, as many at a time as their lists have room for. */
static macadam_status sweep_nearest(const macadam_nearest *nearest, mcd_query *query, const finding *find,
                                    const macadam_reach_request *request, macadam_error *error)
{
    MCD_FREED_BY(free_swept) swept run = {.find = *find};
    const size_t count = find->source->place_count, capacity = find->capacity;
    macadam_reach rest = *find->answer;
    mcd_reach_job all;
    void *list;
    rest.nearest_found = rest.nearest_position = rest.nearest_cost = NULL;
    MCD_TRY(mcd_reach_job_make(&all, &list, query, request, &rest, find->source,
                               (1 + 2 * capacity) * sizeof *run.found, error));
    const size_t band = all.lane_count;
    run.found = list, run.position = run.found + band, run.cost = run.position + band * capacity;
    MCD_TRY(MCD_NEW(run.key, query->engine->parallel.thread_count * capacity, error));
    for (; run.first < count; run.first += band) {
        run.count = mcd_size_min(band, count - run.first);
        mcd_reach_job job = mcd_reach_job_part(&all, run.first, run.count);
        job.target = nearest->target.lane;
        job.target_first = nearest->target.first;
        job.target_road = nearest->target.road, job.snap = query->engine->device_snap;
        job.nearest_count = capacity;
        job.answer.nearest_found = run.found;
        job.answer.nearest_position = run.position;
        job.answer.nearest_cost = run.cost;
        MCD_TRY(query->backend->reach(&job, error));
        mcd_parallel_for(&query->engine->parallel, (run.count + PLACES_PER_TASK - 1) / PLACES_PER_TASK,
                         take_swept, &run);
    }
    return MACADAM_OK;
}

/* ---- the interface ---- */

static macadam_status adopt_query(macadam_nearest *nearest, const macadam_query *given, macadam_error *error)
{
    nearest->query = (macadam_query)MACADAM_QUERY_INIT;
    if (given) MCD_TRY(mcd_options_adopt(&nearest->query, sizeof nearest->query, given, "query", error));
    size_t metric = 0;
    if (nearest->query.metric)
        MCD_TRY(mcd_engine_find_metric(nearest->engine, nearest->query.metric, &metric, error));
    nearest->query.metric = nearest->engine->metric_name[metric]; /* it lives as long as the engine */
    nearest->query.conditions = NULL;
    nearest->query.profile = NULL; /* the engine is that of the profile */
    nearest->query.quantity = NULL;
    nearest->query.quantity_count = 0;
    nearest->query.progress = NULL;
    return MACADAM_OK;
}

/* Prepares targets that are located, and whose lanes are made. */
static macadam_status prepare(macadam_nearest *nearest, const mcd_query *query,
                              const macadam_nearest_request *request, macadam_error *error)
{
    nearest->version = mcd_version_use(query->version);
    nearest->located.list.outcome = (mcd_outcome){NULL};
    nearest->nearest_count = request->nearest_count;
    nearest->reverse = request->reverse;
    return prepare_lanes(nearest, query, error);
}

static void release(macadam_nearest *nearest)
{
    if (nearest->minima) nearest->backend->minima_free(nearest->minima);
    mcd_same_road_free(&nearest->direct);
    mcd_free(nearest->lift);
    mcd_lanes_free(&nearest->target);
    mcd_located_free(&nearest->located);
    mcd_free(nearest->place);
    mcd_version_leave(nearest->version);
}

MCD_DEFINE_FREE_AT(free_at, macadam_nearest, macadam_nearest_free)

macadam_status macadam_nearest_new(macadam_nearest **out, macadam_place_status *status,
                                   macadam_engine *engine, const macadam_query *given,
                                   const macadam_nearest_request *request, macadam_error *error)
{
    macadam_nearest_request own = MACADAM_NEAREST_REQUEST_INIT;
    MCD_FREED_BY(free_at) macadam_nearest *nearest = NULL;
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    MCD_TRY(mcd_answer_clear(out, "prepared targets", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "nearest request", error));
    MCD_TRY(mcd_query_refuse_clock(given, "nearest request",
                                   "prepared targets keep costs of all times; macadam_reach_find takes one",
                                   error));
    if (own.nearest_count < 1 || own.nearest_count > MACADAM_NEAREST_MAX)
        return mcd_fail_invalid(error, "the nearest %zu targets are requested: 1 to %d are answered",
                                own.nearest_count, MACADAM_NEAREST_MAX);
    MCD_TRY(MCD_NEW_ZEROED(nearest, 1, error));
    nearest->engine = engine;
    MCD_TRY(adopt_query(nearest, given, error));
    if (own.target_count && own.target) {
        MCD_TRY(MCD_NEW(nearest->place, own.target_count, error));
        memcpy(nearest->place, own.target, own.target_count * sizeof *nearest->place);
        own.target = nearest->place;
    }
    /* kept arcs make each of many finds faster, and the minima keep the query's weights */
    const unsigned need = mcd_query_need(engine, own.target, own.target_count) | MCD_NEED_KEPT;
    MCD_TRY(mcd_query_begin(&query, engine, engine->host, given, (mcd_need)need, error));
    MCD_TRY(mcd_query_check_objective(&query, "nearest", error));
    const mcd_place_list list = {
        .place = own.target, .count = own.target_count, .outcome = {.status = status}};
    MCD_TRY(mcd_locate_places(&nearest->located, &query, &list, MCD_TARGETS, own.reverse, error));
    MCD_TRY(mcd_located_lanes(&nearest->located, &query, MCD_LANES_OF_CELLS, &nearest->target, error));
    MCD_TRY(prepare(nearest, &query, &own, error));
    MCD_TRY(mcd_same_road_new(&nearest->direct, NULL, &nearest->target, &engine->parallel, error));
    return MCD_MOVE(*out, nearest);
}

static macadam_status check_answer(const macadam_reach *answer, macadam_error *error)
{
    if (!mcd_reach_asks_nearest(answer)) return mcd_fail_invalid(error, "nearest: no array for an answer");
    if (mcd_reach_asks_more(answer) || mcd_reach_asks_access(answer))
        return mcd_fail_invalid(error, "nearest: prepared targets answer only the nearest_... arrays");
    return MACADAM_OK;
}

/* Finds the nearest of some sources by a matrix, which knows the costs from other positions. */
static macadam_status find_in_subnetworks(const macadam_nearest *nearest, mcd_query *query,
                                          const mcd_located *source, const uint32_t *row, size_t count,
                                          const macadam_reach *answer, macadam_error *error)
{
    MCD_OWNED macadam_place *place = NULL;
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    MCD_TRY(MCD_NEW(place, count, error));
    for (size_t k = 0; k < count; ++k) place[k] = source->list.place[row[k]];
    request.target = nearest->located.list.place;
    request.target_count = nearest->located.list.count;
    request.nearest_count = nearest->nearest_count;
    request.reverse = nearest->reverse;
    const size_t most = query->memory_limit ? 1 : count; /* the limit may leave room for one row only */
    for (size_t k = 0; k < count; k += most) {
        request.source = place + k;
        request.source_count = most;
        MCD_TRY(mcd_nearest_of_cells_find(query, &request, row + k, answer, error));
    }
    return MACADAM_OK;
}

/* Sources with their lanes, and how they and the targets are related. */
typedef struct source_places {
    mcd_located located;
    mcd_lanes lanes;
    mcd_same_road direct; /* the targets on roads of the sources; empty if the targets are prepared */
    uint32_t *deciding;   /* as mcd_subnetwork_deciding lists them */
    size_t count;
    mcd_shared_pair *shared; /* as in finding */
    size_t shared_count;
} source_places;

MCD_DEFINE_STATIC_FREE(free_sources, source_places, it->deciding, it->shared)

static void release_sources(source_places *from)
{
    mcd_located_free(&from->located);
    mcd_lanes_free(&from->lanes);
    mcd_same_road_free(&from->direct);
    free_sources(from);
}

/* request: for sweeps. */
static macadam_status find_nearest(const macadam_nearest *nearest, mcd_query *query, source_places *from,
                                   const macadam_reach *answer, const macadam_reach_request *request,
                                   macadam_error *error)
{
    const bool sweeps = query->backend->device;
    const size_t count = from->shared_count ? 0 : from->count;
    finding run = {.prepared = nearest,
                   .direct = from->direct.target ? &from->direct : &nearest->direct,
                   .source = &from->lanes,
                   .answer = answer,
                   .capacity = nearest->nearest_count + (from->shared_count ? SHARED_MOST : 0),
                   .shared = from->shared,
                   .shared_count = from->shared_count};
    const mcd_minima_find_job job = {.minima = nearest->minima,
                                     .lane = from->lanes.lane,
                                     .first = from->lanes.first,
                                     .place_count = from->lanes.place_count,
                                     .take = take,
                                     .context = &run,
                                     .parallel = query->engine->parallel,
                                     .progress = query->progress};
    MCD_TRY(sweeps ? sweep_nearest(nearest, query, &run, request, error)
                   : nearest->backend->minima_find(&job, error));
    mcd_query_give_back(query);
    return count ? find_in_subnetworks(nearest, query, &from->located, from->deciding, count, answer, error)
                 : MACADAM_OK;
}

macadam_status macadam_nearest_find(const macadam_reach *answer, macadam_place_status *status,
                                    macadam_nearest *nearest, const macadam_place *source,
                                    size_t source_count, macadam_error *error)
{
    macadam_reach own = MACADAM_REACH_INIT;
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    MCD_FREED_BY(release_sources) source_places from = {.count = 0};
    MCD_TRY(mcd_options_adopt(&own, sizeof own, answer, "reach", error));
    if (!nearest) return mcd_fail_invalid(error, "no prepared targets");
    MCD_TRY(check_answer(&own, error));
    macadam_engine *const engine = nearest->engine;
    const mcd_place_list list = {.place = source, .count = source_count, .outcome = {.status = status}};
    MCD_TRY(mcd_query_begin_again(&query, engine, &nearest->query, nearest->version, NULL,
                                  mcd_query_need(engine, source, source_count), error));
    MCD_TRY(mcd_locate_places(&from.located, &query, &list, MCD_SOURCES, nearest->reverse, error));
    MCD_TRY(mcd_subnetwork_deciding(&from.deciding, &from.count, &from.located, &nearest->located, &query,
                                    error));
    MCD_TRY(mcd_located_lanes(&from.located, &query, MCD_LANES_OF_CELLS, &from.lanes, error));
    return find_nearest(nearest, &query, &from, &own, NULL, error);
}

/* The relation of the places of a call, which is found while their lanes are made. */
typedef struct relation {
    mcd_query query; /* without the caller's progress, which only its own thread may report */
    const macadam_nearest *nearest;
    source_places *from;
    bool reverse;
} relation;

/* Finds what subnetworks decide. */
static macadam_status relate_subnetworks(const relation *of, macadam_error *error)
{
    source_places *const from = of->from;
    const mcd_located *const target = &of->nearest->located;
    MCD_TRY(
        mcd_subnetwork_deciding(&from->deciding, &from->count, &from->located, target, &of->query, error));
    const mcd_subnetwork_cells cells = {&of->query,           &from->located, target,     &from->lanes,
                                        &of->nearest->target, from->deciding, from->count};
    return of->query.backend->device ? mcd_subnetwork_list(&from->shared, &from->shared_count, &cells,
                                                           of->reverse, SHARED_MOST, error)
                                     : MACADAM_OK;
}

static macadam_status relate(void *argument, size_t index, macadam_error *error)
{
    const relation *const of = argument;
    source_places *const from = of->from;
    return index == 1 ? relate_subnetworks(of, error)
                      : mcd_same_road_new(&from->direct, &from->lanes, &of->nearest->target,
                                          &(mcd_parallel){1, NULL}, error);
}

macadam_status mcd_nearest_targets_reach(mcd_query *query, const macadam_reach_request *request,
                                         const macadam_reach *answer, macadam_place_status *status,
                                         macadam_error *error)
{
    MCD_FREED_BY(release) macadam_nearest nearest = {.engine = query->engine};
    MCD_FREED_BY(release_sources) source_places from = {.count = 0};
    macadam_nearest_request own = MACADAM_NEAREST_REQUEST_INIT;
    const mcd_place_list source = {.place = request->source,
                                   .count = request->source_count,
                                   .outcome = {.status = status}},
                         target = {.place = request->target,
                                   .count = request->target_count,
                                   .outcome = {.status = status ? status + request->source_count : NULL}};
    const mcd_lane_use of_sources = query->backend->device ? MCD_LANES_TO_ALL : MCD_LANES_OF_CELLS,
                       of_targets = request->reverse ? MCD_LANES_OF_CELLS : MCD_ROADS;
    const bool nests = !query->engine->parallel.executor; /* a host's need not run tasks within tasks */
    relation of = {.query = *query, .nearest = &nearest, .from = &from, .reverse = request->reverse};
    of.query.progress = (mcd_progress){NULL};
    own.nearest_count = request->nearest_count;
    own.reverse = request->reverse;
    mcd_query_part(query, 0, 1, 4);
    MCD_TRY(
        mcd_locate_search(&from.located, &nearest.located, query, &source, &target, request->reverse, error));
    MCD_TRY(mcd_located_lanes_both((mcd_located *const[]){&from.located, &nearest.located}, query,
                                   (mcd_lane_use[]){of_sources, of_targets},
                                   (mcd_lanes *const[]){&from.lanes, &nearest.target}, nests ? relate : NULL,
                                   &of, error));
    for (size_t i = 0; !nests && i < MCD_LANES_BESIDE; ++i) MCD_TRY(relate(&of, i, error));
    MCD_TRY(prepare(&nearest, query, &own, error));
    mcd_query_part(query, 1, 4, 4);
    return find_nearest(&nearest, query, &from, answer, request, error);
}

void macadam_nearest_free(macadam_nearest *nearest)
{
    if (!nearest) return;
    release(nearest);
    mcd_free(nearest);
}
