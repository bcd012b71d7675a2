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
#include "engine/query/places/attempt.h"
#include "engine/query/places/ends.h"
#include "engine/query/places/site.h"

#include <string.h>

enum { LANES_OF_THREAD = 4 };

static_assert((int)MCD_HOPS_EXPAND_CONTRACT == MACADAM_HOPS_EXPAND_CONTRACT &&
                  (int)MCD_HOPS_HYBRID == MACADAM_HOPS_HYBRID &&
                  (int)MCD_HOPS_DIRECTION_OPTIMIZING == MACADAM_HOPS_BOTTOM_UP,
              "a strategy has the value of its macadam_hops_method");

typedef struct hops_run {
    const macadam_hops_request *request;
    mcd_query *query;
    mcd_direction direction;
    mcd_ends ends; /* of the sources: one search for each node */
    mcd_node *row; /* [band * node_count] parents by node; NULL: not requested */
    /* [band * id_count] of searches, to be merged; NULL: each source has one search, which answers it. */
    uint32_t *own_hops, *own_parent;
    void *scratch; /* of the backend */
    size_t band;   /* searches that run at a time */
    bool is_split; /* whether some junction is split */
    uint32_t *hops, *parent;
    macadam_place_status *status;
} hops_run;

static mcd_hops_job job_of(const hops_run *run, size_t first, size_t count)
{
    const macadam_engine *engine = run->query->engine;
    const uint32_t limit = run->request->limit;
    return (mcd_hops_job){
        .arcs = run->query->arcs,
        .direction = run->direction,
        .source = run->ends.node + first,
        .source_count = count,
        .strategy = (mcd_hops_strategy)run->request->method,
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
    if (!run->ends.first) return;
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
        (run->ends.first ? (run->parent ? 2 : 1) * places->id_count * sizeof *run->hops : 0);
    const size_t lanes = LANES_OF_THREAD * (size_t)query->engine->parallel.thread_count;
    run->band = row_bytes ? mcd_size_min(run->ends.count, lanes) : run->ends.count;
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
    return run->request->limit ? run->request->limit : UINT32_MAX;
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
    mcd_query_part(run->query, first, first + count, run->ends.count);
    const mcd_hops_job job = job_of(run, first, count);
    MCD_TRY(run->query->backend->hops(&job, error));
    for (size_t i = 0; run->is_split && i < count; ++i) {
        MCD_TRY(mcd_watch_step(NULL, i, count, error));
        uncount_arrival(run, run->ends.node[first + i], job.hops + i * engine->places.id_count);
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

/* Merges row r of the searches into the answer of its place. */
static void merge(const hops_run *run, size_t r, size_t place)
{
    const size_t ids = run->query->engine->places.id_count, extra = run->ends.within[place];
    const uint32_t *const from = run->own_hops + r * ids, *const from_parent =
                                                              run->parent ? run->own_parent + r * ids : NULL;
    uint32_t *const to = run->hops + place * ids, *const parent =
                                                      run->parent ? run->parent + place * ids : NULL;
    const uint32_t limit = limit_of(run);
    for (size_t i = 0; i < ids; ++i) {
        const uint32_t hops = from[i] == MACADAM_UNREACHED ? MACADAM_UNREACHED : from[i] + (uint32_t)extra;
        if (hops == MACADAM_UNREACHED || hops > limit || hops > to[i]) continue;
        if (parent && (hops < to[i] || from_parent[i] < parent[i])) parent[i] = from_parent[i];
        to[i] = hops;
    }
}

static macadam_status run_merged(const hops_run *run, macadam_error *error)
{
    const size_t cells = run->request->source_count * run->query->engine->places.id_count;
    size_t place = 0;
    memset(run->hops, 0xff, cells * sizeof *run->hops);
    if (run->parent) memset(run->parent, 0xff, cells * sizeof *run->parent);
    for (size_t first = 0; first < run->ends.count; first += run->band) {
        const size_t count = mcd_size_min(run->band, run->ends.count - first);
        MCD_TRY(run_band(run, first, count, run->own_parent, error));
        for (size_t r = 0; r < count; ++r) {
            MCD_TRY(mcd_watch_step(NULL, first + r, run->ends.count, error));
            while (run->ends.first[place + 1] <= first + r) ++place;
            merge(run, r, place);
        }
    }
    return MACADAM_OK;
}

static macadam_status run_bands(const hops_run *run, macadam_error *error)
{
    if (run->ends.first) return run_merged(run, error);
    for (size_t first = 0; first < run->ends.count; first += run->band)
        MCD_TRY(run_band(run, first, mcd_size_min(run->band, run->ends.count - first),
                         run->parent ? run->parent + first * run->query->engine->places.id_count : NULL,
                         error));
    return MACADAM_OK;
}

/* Runs the searches of `run->ends`, and gives their memory back. */
static macadam_status run_searches(hops_run *run, macadam_error *error)
{
    run->row = run->own_hops = run->own_parent = NULL;
    macadam_status status = fit(run, error);
    if (!status) status = run_bands(run, error);
    mcd_query_give_back(run->query);
    return status;
}

/* ---- sites ---- */

/* Runs the searches from the second position of a place, into rows of their own. */
static macadam_status run_inner(const hops_run *run, const mcd_lanes *lanes, size_t k, uint32_t *hops,
                                uint32_t *parent, macadam_error *error)
{
    const size_t first = mcd_lanes_first(lanes, k);
    size_t bounds[] = {0, mcd_lanes_first(lanes, k + 1) - first};
    mcd_lanes one = *lanes;
    macadam_hops_request request = *run->request;
    hops_run own = *run;
    one.place_count = 1, one.count = bounds[1];
    one.lane += first;
    one.first = one.count > 1 ? bounds : NULL;
    if (one.position) one.position += k;
    request.source_count = 1;
    own.request = &request, own.hops = hops, own.parent = parent;
    macadam_status status = mcd_ends_new(&own.ends, &one, error);
    if (!status) status = run_searches(&own, error);
    mcd_ends_free(&own.ends);
    return status;
}

/* Writes the hops from second positions over those that they decide. */
static macadam_status apply_sites(const hops_run *run, const mcd_sites *sites, macadam_error *error)
{
    const macadam_engine *const engine = run->query->engine;
    const mcd_node *const node_of_id =
        run->direction == MCD_FORWARD ? engine->places.arrive : engine->places.depart;
    const size_t ids = engine->places.id_count;
    uint32_t *hops = NULL, *parent = NULL;
    macadam_status status = sites->count ? MCD_NEW(hops, ids, error) : MACADAM_OK;
    if (!status && sites->count && run->parent) status = MCD_NEW(parent, ids, error);
    for (size_t k = 0; k < sites->count && !status; ++k) {
        uint32_t *const to = run->hops + sites->place[k] * ids, *const to_parent =
                                                                    parent
                                                                        ? run->parent + sites->place[k] * ids
                                                                        : NULL;
        status = run_inner(run, &sites->lanes, k, hops, parent, error);
        for (size_t i = 0; i < ids && !status; ++i) {
            const bool within = mcd_site_has(engine, sites->component[k], node_of_id[i]);
            if (!mcd_sites_decide(sites, within, to[i] != MACADAM_UNREACHED)) continue;
            to[i] = hops[i];
            if (to_parent) to_parent[i] = parent[i];
        }
    }
    mcd_free(hops);
    mcd_free(parent);
    return status;
}

/* Clears what is beyond the limit of a request. */
static void cut(const hops_run *run, const macadam_hops_request *request)
{
    const size_t cells = request->source_count * run->query->engine->places.id_count;
    for (size_t i = 0; request->limit && i < cells; ++i) {
        if (run->hops[i] <= request->limit) continue;
        run->hops[i] = MACADAM_UNREACHED;
        if (run->parent) run->parent[i] = MACADAM_UNREACHED;
    }
}

/* ---- the request ---- */

/* Finds the nodes where the searches begin. */
static macadam_status take_sources(hops_run *run, mcd_located *located, mcd_sites *sites,
                                   macadam_error *error)
{
    const macadam_hops_request *const request = run->request;
    const mcd_place_list list = {request->source, request->source_count, {.status = run->status}};
    mcd_lanes lanes = {.count = 0};
    MCD_TRY(mcd_locate_places(located, run->query, &list, request->reverse ? MCD_ARRIVE : MCD_DEPART,
                              "source", error));
    MCD_TRY(mcd_sites_new(sites, located, run->query, error));
    macadam_status status = mcd_located_lanes(located, run->query, &lanes, error);
    if (!status) status = mcd_lanes_widen(&lanes, &run->query->engine->parallel, error);
    if (!status) status = mcd_ends_new(&run->ends, &lanes, error);
    mcd_lanes_free(&lanes);
    return status;
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    hops_run *run = argument;
    mcd_located located = {.by_point = false};
    mcd_sites sites = {.count = 0};
    run->query = query;
    run->direction = run->request->reverse ? MCD_BACKWARD : MCD_FORWARD;
    run->is_split = query->engine->places.node_count > query->engine->places.id_count;
    const macadam_hops_request *const request = run->request;
    macadam_hops_request unlimited = *request;
    macadam_status status = take_sources(run, &located, &sites, error);
    unlimited.limit = 0;
    if (sites.fills && sites.count > 0) run->request = &unlimited; /* what is reached at all decides first */
    if (!status) status = run_searches(run, error);
    if (!status) status = apply_sites(run, &sites, error);
    if (!status && run->request != request) cut(run, request);
    run->request = request;
    mcd_ends_free(&run->ends);
    mcd_located_free(&located);
    mcd_sites_free(&sites);
    return status;
}

macadam_status macadam_hops(macadam_engine *engine, const macadam_query *given,
                            const macadam_hops_request *request, uint32_t *hops, uint32_t *parent,
                            macadam_place_status *status, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, given, error));
    macadam_hops_request own = MACADAM_HOPS_REQUEST_INIT;
    hops_run run = {.request = &own, .hops = hops, .parent = parent, .status = status};
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "hops request", error));
    if ((unsigned)own.method > MACADAM_HOPS_BOTTOM_UP)
        return mcd_fail(error, MACADAM_E_INVALID, "method %d is no macadam_hops_method", (int)own.method);
    if (!hops) return mcd_fail(error, MACADAM_E_INVALID, "no memory for the hops");
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (backend && !backend->hops) backend = engine->host;
    const mcd_work work = {.backend = backend, .searches = true, .no_weights = true};
    return mcd_query_attempt(engine, &work, given, attempt, &run, error);
}
