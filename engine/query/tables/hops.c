/* hops.c - hop counts from sources: rows of hops (rows.h).
 *
 * A split junction arrives at a node of its own, which all its copies reach by an arc that does not count as
 * a hop. No arc leaves that node, so every path that arrives there has one such arc, its last; a backward
 * path that begins there has one such arc, its first.
 * A place within a road is left by the arcs on which it lies: each end that they lead to is searched from by
 * itself, and one hop is added. A node's hops are the fewest of these searches, and its parent is the
 * smallest of their parents. */
#include "engine/query/places/dispatch.h"
#include "engine/query/places/rows.h"

typedef struct hops_run {
    const macadam_hops_request *request;
    int strategy; /* mcd_hops_strategy */
    uint32_t *hops, *parent;
    macadam_place_status *status;
} hops_run;

/* ---- which sources reach little ---- */

enum {
    FEW_NODES = 128,  /* a search of fewer is over before a device has begun */
    FEW_SOURCES = 64, /* looked at */
    SLOT_BITS = 9,    /* of a table of the nodes that are found */
};

static bool has_graph(macadam_engine *engine)
{
    MCD_HOLD(&engine->lock);
    return engine->is_loaded[MCD_LOAD_GRAPH] && engine->is_loaded[MCD_LOAD_PLACES];
}

/* Returns the node's slot, or a free one for it. */
static mcd_node *slot_of(mcd_node slot[1 << SLOT_BITS], mcd_node node)
{
    uint32_t at = node * UINT32_C(2654435761) >> (32 - SLOT_BITS);
    while (slot[at] != MCD_NODE_NONE && slot[at] != node) at = (at + 1) % (1 << SLOT_BITS);
    return &slot[at];
}

static bool reaches_few(const mcd_graph *graph, bool reverse, mcd_node source)
{
    const mcd_arc *const first = reverse ? graph->first_in : graph->first_out;
    const mcd_node *const neighbour = reverse ? graph->tail : graph->head;
    mcd_node reached[FEW_NODES] = {source}, slot[1 << SLOT_BITS];
    size_t count = 1;
    memset(slot, 0xff, sizeof slot); /* MCD_NODE_NONE */
    *slot_of(slot, source) = source;
    for (size_t i = 0; i < count; ++i)
        for (mcd_arc xy = first[reached[i]]; xy < first[reached[i] + 1]; ++xy) {
            mcd_node *const known = slot_of(slot, neighbour[xy]);
            if (*known == neighbour[xy]) continue;
            if (count == FEW_NODES) return false;
            *known = reached[count++] = neighbour[xy];
        }
    return true;
}

/* Returns how many sources may reach more than a few nodes: all before the first search has loaded the graph, and all points. */
static size_t count_wide(macadam_engine *engine, const macadam_hops_request *request)
{
    const mcd_place_index *const places = &engine->places;
    size_t wide = request->source_count;
    if (!request->source || !mcd_engine_may_choose(engine) || !has_graph(engine)) return wide;
    for (size_t i = 0; i < mcd_size_min(request->source_count, FEW_SOURCES); ++i) {
        const macadam_place *const place = &request->source[i];
        const size_t index =
            place->kind == MACADAM_PLACE_POINT ? MCD_PLACE_NONE : mcd_place_find_id(places, place->id);
        if (index == MCD_PLACE_NONE) continue;
        const mcd_node source = request->reverse ? places->arrive[index] : places->depart[index];
        wide -= reaches_few(&engine->graph, request->reverse, source);
    }
    return wide;
}

/* ---- the search ---- */

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
    mcd_work work = {.backend = backend, .searches = true, .no_weights = true};
    if (is_any && !own.limit)
        work.amount = (mcd_amount){MCD_RATED_HOPS, count_wide(engine, &own), engine->metadata->id_count};
    return mcd_query_with_fallback(engine, &work, given, attempt, &run, error);
}
