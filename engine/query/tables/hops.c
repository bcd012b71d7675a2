/* hops.c - hop counts from sources.
 *
 * A split junction arrives at a node of its own, which all its copies reach by an arc that does not count as
 * a hop. No arc leaves that node, so every path that arrives there has one such arc, its last; a backward
 * path that begins there has one such arc, its first.
 * A place within a road is left by the arcs on which it lies: each end that they lead to is searched from by
 * itself, and one hop is added. A node's hops are the fewest of these searches, and its parent is the
 * smallest of their parents. */
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/places/parents.h"
#include "engine/query/places/device_fallback.h"
#include "engine/query/places/subnetwork.h"

#include <string.h>

enum { LANES_OF_THREAD = 4 };

typedef struct hops_run {
    const macadam_hops_request *request;
    int strategy; /* mcd_hops_strategy */
    mcd_query *query;
    mcd_direction direction;
    mcd_lanes lanes; /* of the sources: one search for each node */
    uint32_t limit;  /* of the searches; 0: none */
    mcd_node *row;   /* [band * node_count] parents by node; NULL: not requested */
    /* [band * id_count] of searches, to be merged; NULL: each source has one search, which answers it. */
    uint32_t *own_hops, *own_parent;
    uint32_t *second_hops, *second_parent; /* [id_count] of the second position of a place */
    void *scratch;                         /* of the backend */
    size_t band;                           /* searches that run at a time */
    bool is_split;                         /* whether some junction is split */
    uint32_t *hops, *parent;
    macadam_place_status *status;
} hops_run;

static mcd_hops_job job_of(const hops_run *run, size_t first, size_t count)
{
    const macadam_engine *engine = run->query->engine;
    const uint32_t limit = run->limit;
    return (mcd_hops_job){
        .arcs = run->query->arcs,
        .direction = run->direction,
        .source = run->lanes.node + first,
        .source_count = count,
        .strategy = (mcd_hops_strategy)run->strategy,
        .limit = limit == 0 || limit >= MACADAM_UNREACHED - 1 ? UINT32_MAX : limit + run->is_split,
        .column = run->direction == MCD_FORWARD ? engine->places.arrive : engine->places.depart,
        .column_count = engine->places.id_count,
        .hops = run->own_hops ? run->own_hops : run->hops + first * engine->places.id_count,
        .parent = run->row,
        .scratch = run->scratch,
        .parallel = engine->parallel,
        .progress = run->query->progress,
    };
}

/* Divides the memory after the backend's scratch. */
static void place_rows(hops_run *run, uint32_t *memory)
{
    const mcd_place_index *const places = &run->query->engine->places;
    if (run->parent) {
        run->row = memory;
        memory += run->band * places->node_count;
    }
    if (!run->lanes.position) return;
    run->own_hops = memory;
    if (run->parent) run->own_parent = memory + run->band * places->id_count;
}

/* Takes memory for as many searches at a time as the limit allows. */
static macadam_status fit(hops_run *run, macadam_error *error)
{
    mcd_query *query = run->query;
    const mcd_place_index *const places = &query->engine->places;
    const uint64_t row_bytes =
        (run->parent ? places->node_count * sizeof *run->row : 0) +
        (run->lanes.position ? (run->parent ? 2 : 1) * places->id_count * sizeof *run->hops : 0);
    const size_t lanes = LANES_OF_THREAD * (size_t)query->engine->parallel.thread_count;
    run->band = row_bytes ? mcd_size_min(run->lanes.count, lanes) : run->lanes.count;
    for (;; run->band = (run->band + 1) / 2) {
        const mcd_hops_job job = job_of(run, 0, run->band);
        const uint64_t scratch = (query->backend->hops_scratch(&job) + 63) / 64 * 64;
        if (run->band > 1 && scratch + run->band * row_bytes > mcd_query_limit(query)) continue;
        MCD_TRY(mcd_query_take(query, scratch + run->band * row_bytes, "hops", error));
        run->scratch = query->block.memory;
        place_rows(run, (uint32_t *)((char *)query->block.memory + scratch));
        return MACADAM_OK;
    }
}

static uint32_t limit_of(const hops_run *run)
{
    return run->limit ? run->limit : UINT32_MAX;
}

/* Subtracts the arcs of arrival from the row of one search. */
static void uncount_arrival(const hops_run *run, mcd_node start, uint32_t *row)
{
    const mcd_place_index *places = &run->query->engine->places;
    const uint32_t limit = limit_of(run);
    const uint32_t id = start == MCD_NODE_NONE ? 0 : places->node_place[start];
    const bool starts = run->direction == MCD_BACKWARD && start != MCD_NODE_NONE &&
                        places->arrive[id] == start && places->depart[id] != start;
    for (size_t i = 0; i < places->id_count; ++i) {
        if (row[i] == MACADAM_UNREACHED) continue;
        row[i] -= starts || (run->direction == MCD_FORWARD && places->arrive[i] != places->depart[i]);
        if (row[i] > limit) row[i] = MACADAM_UNREACHED;
    }
}

/* Runs the searches first <= i < first + count into rows by id; parent: NULL if not requested. */
static macadam_status run_band(const hops_run *run, size_t first, size_t count, uint32_t *parent,
                               macadam_error *error)
{
    const macadam_engine *engine = run->query->engine;
    mcd_query_part(run->query, first, first + count, run->lanes.count);
    const mcd_hops_job job = job_of(run, first, count);
    MCD_TRY(run->query->backend->hops(&job, error));
    for (size_t i = 0; run->is_split && i < count; ++i) {
        MCD_TRY(mcd_watch_step(NULL, i, count, error));
        uncount_arrival(run, run->lanes.node[first + i], job.hops + i * engine->places.id_count);
    }
    if (!parent) return MACADAM_OK;
    MCD_TRY(mcd_parents_by_id(engine, run->direction, run->row, count, parent, error));
    const size_t cells = count * engine->places.id_count;
    for (size_t i = 0; i < cells; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, cells, error));
        if (job.hops[i] == MACADAM_UNREACHED) parent[i] = MACADAM_UNREACHED; /* beyond the limit */
    }
    return MACADAM_OK;
}

/* Merges row r into those of its position, which may be within a road. */
static void merge(const hops_run *run, size_t r, bool within, uint32_t *to, uint32_t *parent)
{
    const size_t ids = run->query->engine->places.id_count;
    const uint32_t *const from = run->own_hops + r * ids, *const from_parent =
                                                              parent ? run->own_parent + r * ids : NULL;
    const uint32_t limit = limit_of(run), extra = within;
    for (size_t i = 0; i < ids; ++i) {
        const uint32_t hops = from[i] == MACADAM_UNREACHED ? MACADAM_UNREACHED : from[i] + extra;
        if (hops == MACADAM_UNREACHED || hops > limit || hops > to[i]) continue;
        if (parent && (hops < to[i] || from_parent[i] < parent[i])) parent[i] = from_parent[i];
        to[i] = hops;
    }
}

static void clear(uint32_t *hops, uint32_t *parent, size_t count)
{
    memset(hops, 0xff, count * sizeof *hops);
    if (parent) memset(parent, 0xff, count * sizeof *parent);
}

/* Writes the hops from the second position of a place over those that they decide. */
static void apply_second(const hops_run *run, size_t place, uint32_t *hops, uint32_t *parent)
{
    const macadam_engine *const engine = run->query->engine;
    const mcd_node *const node_of_id =
        run->direction == MCD_FORWARD ? engine->places.arrive : engine->places.depart;
    for (size_t i = 0; i < engine->places.id_count; ++i) {
        const bool within = mcd_subnetwork_has(engine, run->lanes.subnetwork[place], node_of_id[i]);
        if (!mcd_subnetwork_decides(run->query, within, hops[i] != MACADAM_UNREACHED)) continue;
        hops[i] = run->second_hops[i];
        if (parent) parent[i] = run->second_parent[i];
    }
}

static macadam_status run_merged(hops_run *run, macadam_error *error)
{
    const mcd_lanes *const lanes = &run->lanes;
    const size_t ids = run->query->engine->places.id_count;
    size_t place = 0;
    clear(run->hops, run->parent, run->request->source_count * ids);
    if (lanes->subnetwork) MCD_TRY(MCD_NEW(run->second_hops, ids, error));
    if (lanes->subnetwork && run->parent) MCD_TRY(MCD_NEW(run->second_parent, ids, error));
    for (size_t n = 0; n < lanes->count; ++n) {
        const size_t r = n % run->band;
        if (r == 0)
            MCD_TRY(run_band(run, n, mcd_size_min(run->band, lanes->count - n), run->own_parent, error));
        MCD_TRY(mcd_watch_step(NULL, n, lanes->count, error));
        while (mcd_lanes_first(lanes, place + 1) <= n) ++place;
        const size_t inner = mcd_lanes_inner(lanes, place);
        uint32_t *const hops = run->hops + place * ids, *const parent =
                                                            run->parent ? run->parent + place * ids : NULL;
        if (n < inner) {
            merge(run, r, mcd_position_is_within(&lanes->position[place]), hops, parent);
            continue;
        }
        if (n == inner) clear(run->second_hops, run->second_parent, ids);
        merge(run, r, mcd_position_is_within(&lanes->second[place]), run->second_hops, run->second_parent);
        if (n + 1 == mcd_lanes_first(lanes, place + 1)) apply_second(run, place, hops, parent);
    }
    return MACADAM_OK;
}

static macadam_status run_bands(hops_run *run, macadam_error *error)
{
    if (run->lanes.position) return run_merged(run, error);
    for (size_t first = 0; first < run->lanes.count; first += run->band)
        MCD_TRY(run_band(run, first, mcd_size_min(run->band, run->lanes.count - first),
                         run->parent ? run->parent + first * run->query->engine->places.id_count : NULL,
                         error));
    return MACADAM_OK;
}

/* Clears what is beyond the limit of the request. */
static void cut(const hops_run *run)
{
    const size_t cells = run->request->source_count * run->query->engine->places.id_count;
    for (size_t i = 0; i < cells; ++i) {
        if (run->hops[i] <= run->request->limit) continue;
        run->hops[i] = MACADAM_UNREACHED;
        if (run->parent) run->parent[i] = MACADAM_UNREACHED;
    }
}

/* With any component, what is reached at all decides before the limit does. */
static macadam_status run_hops(hops_run *run, macadam_error *error)
{
    const macadam_hops_request *const request = run->request;
    const mcd_place_list list = {request->source, request->source_count, {.status = run->status}};
    MCD_FREED_BY(mcd_located_free) mcd_located located = {0};
    MCD_TRY(mcd_locate_places(&located, run->query, &list, request->reverse ? MCD_ARRIVE : MCD_DEPART,
                              "source", error));
    MCD_TRY(mcd_located_lanes(&located, run->query, MCD_NODES_TO_ALL, &run->lanes, error));
    run->limit = run->query->snap_any_component && run->lanes.subnetwork ? 0 : request->limit;
    MCD_TRY(fit(run, error));
    MCD_TRY(run_bands(run, error));
    if (run->limit != request->limit) cut(run);
    return MACADAM_OK;
}

/* ---- the request ---- */

static void release(hops_run *run)
{
    mcd_lanes_free(&run->lanes);
    MCD_FREE_ALL(run->second_hops, run->second_parent);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    MCD_FREED_BY(release) hops_run run = *(const hops_run *)argument;
    run.query = query;
    run.direction = run.request->reverse ? MCD_BACKWARD : MCD_FORWARD;
    run.is_split = query->engine->places.node_count > query->engine->places.id_count;
    return run_hops(&run, error);
}

macadam_status macadam_hops(macadam_engine *engine, const macadam_query *given,
                            const macadam_hops_request *request, uint32_t *hops, uint32_t *parent,
                            macadam_place_status *status, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, given, error));
    macadam_hops_request own = MACADAM_HOPS_REQUEST_INIT;
    hops_run run = {.request = &own, .hops = hops, .parent = parent, .status = status};
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "hops request", error));
    MCD_TRY(mcd_engine_find_method(&run.strategy, engine, MACADAM_QUESTION_HOPS, own.method, error));
    if (!hops) return mcd_fail(error, MACADAM_E_INVALID, "no memory for the hops");
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (!backend->hops) backend = engine->host;
    const mcd_work work = {.backend = backend, .searches = true, .no_weights = true};
    return mcd_query_with_fallback(engine, &work, given, attempt, &run, error);
}
