/* tree.c - trees over the interface: places to lanes, and bands of them through the backend. Rows that the processor has to
 * complete, because signed costs have a limit, or, without a device, a place has several lanes or lies in a subnetwork, come from
 * rows.h. At last, costs become signed (signed.h). */
#include "engine/query/clock/instants.h"
#include "engine/query/places/rows.h"

enum { LANES_MULTIPLE = 16 };

/* A request and where its answers go. */
typedef struct tree_run {
    const macadam_tree_request *request;
    uint32_t *const *value;
    uint32_t *parent; /* NULL: not requested */
    macadam_place_status *status;
    mcd_tree_method method; /* not AUTO */
    mcd_rows rows;
    const mcd_lanes *lanes;
    bool limits_signed;            /* a limit of signed costs is requested */
    mcd_signed_limit signed_limit; /* if so */
} tree_run;

static macadam_status check_request(const tree_run *run, macadam_error *error)
{
    const macadam_tree_request *request = run->request;
    switch (request->order) {
    case MACADAM_ORDER_IDS:
    case MACADAM_ORDER_NODES:
        return MACADAM_OK;
    case MACADAM_ORDER_LANES:
        if (run->parent) return mcd_fail_invalid(error, "parents are requested in the order of lanes");
        if (request->source_count % LANES_MULTIPLE == 0) return MACADAM_OK;
        return mcd_fail_invalid(error, "%zu sources in the order of lanes: not a multiple of %d",
                                request->source_count, LANES_MULTIPLE);
    }
    return mcd_fail_invalid(error, "unknown order %d", (int)request->order);
}

static size_t column_count(const tree_run *run, const mcd_query *query)
{
    const mcd_place_index *places = &query->engine->places;
    return run->request->order == MACADAM_ORDER_IDS ? places->id_count : places->node_count;
}

/* Only sweeps can answer into divided memory. */
/* Returns the limit of what the backend computes. */
static mcd_weight limit_of(const tree_run *run)
{
    const uint32_t asked = run->request->limit;
    const mcd_weight limit = asked && asked < MCD_WEIGHT_MAX ? asked : MCD_WEIGHT_MAX;
    mcd_weight most = run->limits_signed ? 0 : limit;
    for (size_t i = 0; run->limits_signed && i < run->request->source_count; ++i) {
        const mcd_weight reach = mcd_signed_limit_of(&run->signed_limit, i, limit);
        if (reach > most) most = reach;
    }
    return most;
}

static mcd_rows rows_of(mcd_query *query, const tree_run *run, const mcd_division *division)
{
    const macadam_tree_request *request = run->request;
    const macadam_engine *engine = query->engine;
    const bool by_id = request->order == MACADAM_ORDER_IDS;
    return (mcd_rows){
        .trees = {.query = query,
                  .method = run->method,
                  .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                  .limit = limit_of(run),
                  .column = !by_id             ? NULL
                            : request->reverse ? engine->places.depart
                                               : engine->places.arrive,
                  .column_count = column_count(run, query),
                  .division = *division,
                  .parents = run->parent,
                  .parents_by_id = run->parent && by_id},
        .lanes = run->lanes,
        .joint = query->joint,
        .signed_limit = run->limits_signed ? &run->signed_limit : NULL,
        .limit = request->limit,
        .answer = {mcd_query_value(query, run->value, false), mcd_query_value(query, run->value, true),
                   run->parent},
        .as_lanes = request->order == MACADAM_ORDER_LANES,
    };
}

/* ---- signed costs ---- */

static macadam_status sign_quantity(const tree_run *run, size_t q, uint32_t *value, macadam_error *error)
{
    const mcd_query *const query = run->rows.trees.query;
    const mcd_place_index *const places = &query->engine->places;
    const bool as_lanes = run->request->order == MACADAM_ORDER_LANES, reverse = run->request->reverse;
    const size_t sources = run->request->source_count, columns = run->rows.trees.column_count;
    const int32_t *const of_place = run->lanes->potential[query->is_companion[q]];
    MCD_OWNED int32_t *of_node = NULL;
    if (run->request->order != MACADAM_ORDER_IDS) {
        MCD_TRY(MCD_NEW(of_node, places->node_count, error));
        for (size_t node = 0; node < places->node_count; ++node)
            of_node[node] = query->potential[q][places->node_place[node]];
    }
    const int32_t *const column = of_node ? of_node : query->potential[q];
    const mcd_sign_job job = {.value = value,
                              .rows = as_lanes ? columns : sources,
                              .columns = as_lanes ? sources : columns,
                              .stride = as_lanes ? sources : columns,
                              .row = as_lanes ? column : of_place,
                              .column = as_lanes ? of_place : column,
                              .reverse = reverse != as_lanes};
    return run->rows.trees.division.part_count
               ? mcd_signed_divided(query, q, &run->rows.trees.division, &job, as_lanes, error)
               : mcd_signed_apply(query, job, error);
}

/* Makes all costs signed. */
static macadam_status sign(const tree_run *run, uint32_t *const *value, macadam_error *error)
{
    const mcd_query *const query = run->rows.trees.query;
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->potential[q]) MCD_TRY(sign_quantity(run, q, value[q], error));
    return MACADAM_OK;
}

/* ---- the request ---- */

/* Runs places whose rows the processor completes. */
static macadam_status run_staged(tree_run *run, macadam_error *error)
{
    mcd_query *const query = run->rows.trees.query;
    MCD_FREED_BY(mcd_stage_free) mcd_stage stage = {.cells = 0};
    if (run->rows.trees.division.part_count > 0)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "answers in divided memory of %s",
                        run->limits_signed ? "costs that may be negative, with a limit"
                                           : "a place on a road that is cut off");
    MCD_TRY(mcd_query_stage(&stage, query, run->value,
                            run->request->source_count * run->rows.trees.column_count, error));
    run->rows.answer.objective = mcd_query_value(query, stage.value, false);
    run->rows.answer.companion = mcd_query_value(query, stage.value, true);
    MCD_TRY(mcd_rows_run(&run->rows, "a tree", error));
    MCD_TRY(sign(run, stage.value, error));
    return mcd_query_unstage(&stage, query, error);
}

static macadam_status run_tree(tree_run *run, mcd_query *query, const uint32_t *instant, macadam_error *error)
{
    const macadam_tree_request *const request = run->request;
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes lanes = {0};
    mcd_division division = {0};
    MCD_TRY(check_request(run, error));
    MCD_TRY(run->method != MCD_TREE_SWEEP
                ? mcd_query_check_values(query, run->value, error)
                : mcd_query_divide(query, run->value, request->source_count,
                                   column_count(run, query) * sizeof **run->value, &division, error));
    const mcd_place_list source = {request->source, request->source_count, {.status = run->status}, instant};
    MCD_TRY(mcd_query_lanes(query, &source, MCD_SOURCES, request->reverse, &lanes, error));
    run->lanes = &lanes;
    run->limits_signed = request->limit && mcd_query_potential(query, false);
    if (run->limits_signed) run->signed_limit = mcd_signed_limit_new(query, &lanes, request->reverse);
    run->rows = rows_of(query, run, &division);
    if (!mcd_rows_are_straight(&run->rows)) return run_staged(run, error);
    MCD_TRY(mcd_rows_straight(&run->rows, "a tree", error));
    return sign(run, run->value, error);
}

/* With a clock, answers each source at each of its instants. */
static macadam_status run_clock(tree_run *run, mcd_query *query, macadam_error *error)
{
    MCD_FREED_BY(mcd_instants_free) mcd_instants instants = {.times = 0};
    const macadam_tree_request *const given = run->request;
    macadam_tree_request request = *given;
    macadam_place_status *const status = run->status;
    MCD_TRY(mcd_instants_check_end(query, given->reverse, "a tree", error));
    const mcd_place_list source = {given->source, given->source_count, {.status = status}, NULL};
    MCD_TRY(mcd_instants_new(&instants, query, &source, given->reverse ? MCD_TARGETS : MCD_SOURCES, false,
                             error));
    request.source = instants.list.place;
    request.source_count = instants.list.count;
    run->request = &request;
    run->status = instants.list.outcome.status;
    const macadam_status result = run_tree(run, query, instants.instant, error);
    if (!result) mcd_instants_report(&instants);
    run->request = given;
    run->status = status;
    return result;
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    tree_run *const run = argument;
    return query->timing.arcs ? run_clock(run, query, error) : run_tree(run, query, NULL, error);
}

static macadam_status answer(tree_run *run, macadam_engine *engine, const macadam_query *given,
                             const macadam_tree_request *request, macadam_error *error)
{
    macadam_tree_request own = MACADAM_TREE_REQUEST_INIT;
    int method;
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "tree request", error));
    MCD_TRY(mcd_engine_find_method(&method, engine, MACADAM_QUESTION_TREES, own.method, error));
    run->method = (mcd_tree_method)method;
    if (mcd_query_has_clock(given)) run->method = MCD_TREE_NEAR_FAR; /* not a sweep */
    MCD_TRY(mcd_trees_choose(&run->method, engine, run->parent, error));
    run->request = &own;
    const mcd_need places = mcd_query_need(engine, own.source, own.source_count);
    mcd_work work = mcd_trees_work(engine, run->method, places, own.reverse, run->parent);
    work.amount = mcd_trees_amount(engine, run->method, own.source_count, own.order == MACADAM_ORDER_LANES);
    if (own.limit && work.searches) work.amount.rated = MCD_RATED_NONE; /* a limit may leave little to do */
    work.value = run->value;
    work.takes_clock = true;
    work.clock_on_device = !run->parent;
    return mcd_query_with_fallback(engine, &work, given, attempt, run, error);
}

macadam_status macadam_tree_find(uint32_t *const *value, macadam_place_status *status, macadam_engine *engine,
                                 const macadam_query *query, const macadam_tree_request *request,
                                 macadam_error *error)
{
    tree_run run = {.value = value, .status = status};
    return answer(&run, engine, query, request, error);
}

macadam_status macadam_tree_find_parents(uint32_t *const *value, uint32_t *parent,
                                         macadam_place_status *status, macadam_engine *engine,
                                         const macadam_query *query, const macadam_tree_request *request,
                                         macadam_error *error)
{
    tree_run run = {.value = value, .parent = parent, .status = status};
    if (!parent) return mcd_fail_invalid(error, "no memory for the parents");
    return answer(&run, engine, query, request, error);
}
