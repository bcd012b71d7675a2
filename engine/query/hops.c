/* hops.c - hop counts from sources.
 *
 * A split junction arrives at a node of its own, which all its copies reach by an arc that does not count as
 * a hop. No arc leaves that node, so every path that arrives there has one such arc, its last; a backward
 * path that begins there has one such arc, its first. */
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/parents.h"
#include "engine/query/attempt.h"
#include "engine/query/located.h"

enum { LANES_OF_THREAD = 4 };

static_assert((int)MCD_HOPS_EXPAND_CONTRACT == MACADAM_HOPS_EXPAND_CONTRACT &&
                  (int)MCD_HOPS_HYBRID == MACADAM_HOPS_HYBRID &&
                  (int)MCD_HOPS_DIRECTION_OPTIMIZING == MACADAM_HOPS_BOTTOM_UP,
              "a strategy has the value of its macadam_hops_method");

typedef struct hops_run {
    const macadam_hops_request *request;
    mcd_query *query;
    mcd_direction direction;
    mcd_node *source; /* [source_count] */
    mcd_node *row;    /* [band * node_count] parents by node; NULL: not requested */
    void *scratch;    /* of the backend */
    size_t band;      /* sources that are computed at a time */
    bool is_split;    /* whether some junction is split */
    uint32_t *hops, *parent;
    macadam_place_status *status;
} hops_run;

static mcd_hops_job job_of(const hops_run *run, size_t first, size_t count)
{
    const macadam_engine *engine = run->query->engine;
    const uint32_t limit = run->request->limit;
    return (mcd_hops_job){
        .arcs = &run->query->arcs->arcs,
        .direction = run->direction,
        .source = run->source + first,
        .source_count = count,
        .strategy = (mcd_hops_strategy)run->request->method,
        .limit = limit == 0 || limit >= MACADAM_UNREACHED - 1 ? UINT32_MAX : limit + run->is_split,
        .column = run->direction == MCD_FORWARD ? engine->places.arrive : engine->places.depart,
        .column_count = engine->places.id_count,
        .hops = run->hops + first * engine->places.id_count,
        .parent = run->row,
        .scratch = run->scratch,
        .parallel = engine->parallel,
        .progress = run->query->progress,
    };
}

/* Takes memory for as many sources at a time as the limit allows. */
static macadam_status fit(hops_run *run, macadam_error *error)
{
    mcd_query *query = run->query;
    const uint64_t row_bytes = run->parent ? query->engine->places.node_count * sizeof *run->row : 0;
    const size_t lanes = LANES_OF_THREAD * (size_t)query->engine->parallel.thread_count;
    run->band = row_bytes ? mcd_size_min(run->request->source_count, lanes) : run->request->source_count;
    for (;; run->band = (run->band + 1) / 2) {
        const mcd_hops_job job = job_of(run, 0, run->band);
        const uint64_t scratch = (query->backend->hops_scratch(&job) + 63) / 64 * 64;
        if (run->band > 1 && scratch + run->band * row_bytes > mcd_query_limit(query)) continue;
        MCD_TRY(mcd_query_take(query, scratch + run->band * row_bytes, "hops", error));
        run->scratch = query->block.memory;
        if (row_bytes) run->row = (mcd_node *)((char *)query->block.memory + scratch);
        return MACADAM_OK;
    }
}

/* Subtracts the arcs of arrival from one source's row. */
static void uncount_arrival(const hops_run *run, size_t source)
{
    const mcd_place_index *places = &run->query->engine->places;
    const uint32_t limit = run->request->limit ? run->request->limit : UINT32_MAX;
    uint32_t *row = run->hops + source * places->id_count;
    const mcd_node start = run->source[source];
    const bool starts = run->direction == MCD_BACKWARD && start != MCD_NODE_NONE &&
                        places->depart[mcd_place_find_id(places, places->node_id[start])] != start;
    for (size_t i = 0; i < places->id_count; ++i) {
        if (row[i] == MACADAM_UNREACHED) continue;
        row[i] -= starts || (run->direction == MCD_FORWARD && places->arrive[i] != places->depart[i]);
        if (row[i] > limit) row[i] = MACADAM_UNREACHED;
    }
}

static macadam_status run_bands(hops_run *run, macadam_error *error)
{
    const macadam_engine *engine = run->query->engine;
    const size_t source_count = run->request->source_count;
    for (size_t first = 0; first < source_count; first += run->band) {
        const size_t count = mcd_size_min(run->band, source_count - first);
        const mcd_hops_job job = job_of(run, first, count);
        MCD_TRY(run->query->backend->hops(&job, error));
        for (size_t i = 0; run->is_split && i < count; ++i) uncount_arrival(run, first + i);
        if (!run->parent) continue;
        uint32_t *const parent = run->parent + first * engine->places.id_count;
        mcd_parents_by_id(engine, run->direction, run->row, count, parent);
        for (size_t i = 0; i < count * engine->places.id_count; ++i)
            if (job.hops[i] == MACADAM_UNREACHED) parent[i] = MACADAM_UNREACHED; /* beyond the limit */
    }
    return MACADAM_OK;
}

/* Finds the node of each place. */
static macadam_status take_sources(hops_run *run, macadam_place_status *status, macadam_error *error)
{
    const size_t count = run->request->source_count;
    mcd_lanes lanes;
    MCD_TRY(mcd_query_junctions(run->query, run->request->source, count,
                                run->request->reverse ? MCD_ARRIVE : MCD_DEPART, "source", &lanes,
                                (mcd_outcome){.status = status}, error));
    const macadam_status failure = MCD_NEW(run->source, count, error);
    for (size_t i = 0; !failure && i < count; ++i) run->source[i] = lanes.lane[i].seed[0].node;
    mcd_lanes_free(&lanes);
    return failure;
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    hops_run *run = argument;
    run->query = query;
    run->direction = run->request->reverse ? MCD_BACKWARD : MCD_FORWARD;
    run->is_split = query->engine->places.node_count > query->engine->places.id_count;
    run->row = NULL;
    macadam_status status = take_sources(run, run->status, error);
    if (!status) status = fit(run, error);
    if (!status) status = run_bands(run, error);
    mcd_free(run->source);
    run->source = NULL;
    return status;
}

macadam_status macadam_hops(macadam_engine *engine, const macadam_query *given,
                            const macadam_hops_request *request, uint32_t *hops, uint32_t *parent,
                            macadam_place_status *status, macadam_error *error)
{
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
