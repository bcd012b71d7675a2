/* hops.c - hop counts from sources: rows of hops (rows.h).
 *
 * A split junction arrives at a node of its own, which all its copies reach by an arc that does not count as
 * a hop. No arc leaves that node, so every path that arrives there has one such arc, its last; a backward
 * path that begins there has one such arc, its first.
 * A place within a road is left by the arcs on which it lies: each end that they lead to is searched from by
 * itself, and one hop is added. A node's hops are the fewest of these searches, and its parent is the
 * smallest of their parents. */
#include "engine/query/places/rows.h"

typedef struct hops_run {
    const macadam_hops_request *request;
    int strategy; /* mcd_hops_strategy */
    uint32_t *hops, *parent;
    macadam_place_status *status;
} hops_run;

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    const hops_run *const run = argument;
    const macadam_hops_request *const request = run->request;
    const mcd_place_index *const places = &query->engine->places;
    const mcd_place_list list = {
        .place = request->source, .count = request->source_count, .outcome = {.status = run->status}};
    MCD_FREED_BY(mcd_located_free) mcd_located located = {0};
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes lanes = {0};
    MCD_TRY(mcd_locate_places(&located, query, &list, MCD_SOURCES, request->reverse, error));
    MCD_TRY(mcd_located_lanes(&located, query, MCD_NODES_TO_ALL, &lanes, error));
    mcd_rows rows = {.trees = {.query = query,
                               .counts_hops = true,
                               .strategy = (mcd_hops_strategy)run->strategy,
                               .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                               .limit = request->limit ? request->limit : UINT32_MAX,
                               .column = request->reverse ? places->depart : places->arrive,
                               .column_count = places->id_count,
                               .parents = run->parent,
                               .parents_by_id = run->parent},
                     .lanes = &lanes,
                     .limit = request->limit,
                     .answer = {run->hops, NULL, run->parent}};
    return lanes.position ? mcd_rows_run(&rows, "hops", error) : mcd_rows_straight(&rows, "hops", error);
}

macadam_status macadam_hops_find(uint32_t *hops, uint32_t *parent, macadam_place_status *status,
                                 macadam_engine *engine, const macadam_query *given,
                                 const macadam_hops_request *request, macadam_error *error)
{
    macadam_hops_request own = MACADAM_HOPS_REQUEST_INIT;
    hops_run run = {.request = &own, .hops = hops, .parent = parent, .status = status};
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "hops request", error));
    MCD_TRY(mcd_query_refuse_clock(given, "hops request", "hops take no time", error));
    MCD_TRY(mcd_engine_find_method(&run.strategy, engine, MACADAM_QUESTION_HOPS, own.method, error));
    if (!hops) return mcd_fail_invalid(error, "no memory for the hops");
    const mcd_backend *backend = mcd_engine_backend(engine);
    const bool is_any = run.strategy == MCD_HOPS_AUTO; /* a limit may leave little to do */
    if (!backend->hops || (is_any && own.limit && engine->dispatch.is_free)) backend = engine->host;
    const mcd_work work = {.backend = backend,
                           .searches = true,
                           .no_weights = true,
                           .amount = {is_any && !own.limit ? MCD_RATED_HOPS : MCD_RATED_NONE,
                                      own.source_count, engine->metadata->id_count}};
    return mcd_query_with_fallback(engine, &work, given, attempt, &run, error);
}
