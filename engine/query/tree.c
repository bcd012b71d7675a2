/* tree.c - trees over the interface: places to lanes, and bands of them through the backend. Where places
 * have several lanes, the rows of all lanes are computed apart, and the best costs taken over. A limit of signed costs
 * is applied to each lane by the processor, after the backend has kept what can be within it. */
#include "engine/query/located.h"
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/parents.h"
#include "engine/query/rise.h"
#include "engine/query/trees.h"

#include <string.h>

enum { LANES_MULTIPLE = 16, PARENT_LANES_OF_THREAD = 4, MERGE_ROWS = 64, COLUMNS_PER_TASK = 1 << 14 };

/* A request and where its answers go. */
typedef struct tree_run {
    const macadam_tree_request *request;
    uint32_t *const *value;
    uint32_t *parent; /* NULL: not requested */
    macadam_place_status *status;
    macadam_tree_method method; /* not AUTO */
    mcd_trees trees;
    mcd_lanes lanes;
    bool limits_signed; /* a limit of signed costs is requested */
    mcd_rise rise;      /* if so */
} tree_run;

static macadam_status check_request(const tree_run *run, macadam_error *error)
{
    const macadam_tree_request *request = run->request;
    switch (request->order) {
    case MACADAM_ORDER_IDS:
    case MACADAM_ORDER_NODES:
        return MACADAM_OK;
    case MACADAM_ORDER_LANES:
        if (run->parent)
            return mcd_fail(error, MACADAM_E_INVALID, "parents are requested in the order of lanes");
        if (request->source_count % LANES_MULTIPLE == 0) return MACADAM_OK;
        return mcd_fail(error, MACADAM_E_INVALID, "%zu sources in the order of lanes: not a multiple of %d",
                        request->source_count, LANES_MULTIPLE);
    }
    return mcd_fail(error, MACADAM_E_INVALID, "unknown order %d", (int)request->order);
}

static size_t column_count(const tree_run *run, const mcd_query *query)
{
    const mcd_place_index *places = &query->engine->places;
    return run->request->order == MACADAM_ORDER_IDS ? places->id_count : places->node_count;
}

/* Only sweeps can answer into divided memory. */
static macadam_status check_values(const tree_run *run, const mcd_query *query, macadam_tree_method method,
                                   mcd_division *division, macadam_error *error)
{
    *division = (mcd_division){0};
    if (method != MACADAM_TREE_SWEEP) return mcd_query_check_values(query, run->value, error);
    return mcd_query_divide(query, run->value, run->request->source_count,
                            column_count(run, query) * sizeof **run->value, division, error);
}

/* Returns the limit of what the backend computes. */
static mcd_weight limit_of(const tree_run *run)
{
    const uint32_t asked = run->request->limit;
    const mcd_weight limit = asked && asked < MCD_WEIGHT_MAX ? asked : MCD_WEIGHT_MAX;
    mcd_weight most = run->limits_signed ? 0 : limit;
    for (size_t i = 0; run->limits_signed && i < run->request->source_count; ++i) {
        const mcd_weight reach = mcd_rise_limit(&run->rise, i, limit);
        if (reach > most) most = reach;
    }
    return most;
}

static mcd_trees trees_of(mcd_query *query, const tree_run *run, macadam_tree_method method,
                          const mcd_division *division)
{
    const macadam_tree_request *request = run->request;
    const macadam_engine *engine = query->engine;
    const bool by_id = request->order == MACADAM_ORDER_IDS;
    return (mcd_trees){
        .query = query,
        .method = method,
        .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
        .limit = limit_of(run),
        .column = !by_id             ? NULL
                  : request->reverse ? engine->places.depart
                                     : engine->places.arrive,
        .column_count = column_count(run, query),
        .division = *division,
        .as_lanes = request->order == MACADAM_ORDER_LANES && !run->lanes.first,
        .parents = run->parent,
    };
}

/* The costs of some lanes, and the place of each. */
typedef struct lane_costs {
    const tree_run *run;
    const size_t *place; /* NULL: lane i belongs to place first_place + i */
    size_t first_place, count;
    uint32_t *objective, *companion, *parent; /* those that are requested, and the objective */
    size_t lane_stride, column_stride;
} lane_costs;

static void limit_task(void *argument, size_t index, unsigned worker)
{
    const lane_costs *const costs = argument;
    const tree_run *const run = costs->run;
    const mcd_rise *const rise = &run->rise;
    const uint32_t *const id_of_node =
        run->request->order == MACADAM_ORDER_IDS ? NULL : run->trees.query->engine->places.node_place;
    const size_t first = index * COLUMNS_PER_TASK,
                 end = mcd_size_min(first + COLUMNS_PER_TASK, run->trees.column_count);
    (void)worker;
    for (size_t lane = 0; lane < costs->count; ++lane) {
        const size_t place = costs->place ? costs->place[lane] : costs->first_place + lane;
        const uint64_t limit = (uint64_t)run->request->limit + rise->base[place];
        for (size_t c = first; c < end; ++c) {
            const size_t at = lane * costs->lane_stride + c * costs->column_stride;
            const int32_t potential = rise->potential[id_of_node ? id_of_node[c] : c];
            if (costs->objective[at] == MACADAM_UNREACHED ||
                mcd_rise_lift(costs->objective[at], potential, rise->reverse) <= limit)
                continue;
            costs->objective[at] = MACADAM_UNREACHED;
            if (costs->companion) costs->companion[at] = MACADAM_UNREACHED;
            if (costs->parent) costs->parent[at] = MACADAM_UNREACHED;
        }
    }
}

/* Clears what lies beyond a limit of signed costs. */
static void apply_limit(const lane_costs *costs)
{
    const tree_run *const run = costs->run;
    if (run->limits_signed)
        mcd_parallel_for(&run->trees.query->engine->parallel,
                         (run->trees.column_count + COLUMNS_PER_TASK - 1) / COLUMNS_PER_TASK, limit_task,
                         (void *)costs);
}

/* Memory for the rows of a band, besides the answers; each may be NULL. */
typedef struct band_rows {
    mcd_node *parent;    /* by node, to be converted to ids */
    uint32_t *objective; /* to be compared with a limit, though it is not requested */
} band_rows;

/* Runs all lanes in bands. */
static macadam_status run_bands(const tree_run *run, uint32_t *const *value, const band_rows *rows,
                                macadam_error *error)
{
    const mcd_trees *trees = &run->trees;
    const mcd_query *query = trees->query;
    uint32_t *const objective = mcd_query_value(query, value, false);
    uint32_t *const companion = mcd_query_value(query, value, true);
    for (size_t first = 0; first < run->request->source_count; first += trees->band) {
        const size_t count = mcd_size_min(trees->band, run->request->source_count - first),
                     cell = first * trees->column_count;
        uint32_t *const parent = run->parent ? run->parent + cell : NULL;
        mcd_query_part(trees->query, first, first + count, run->request->source_count);
        const lane_costs costs = {.run = run,
                                  .first_place = first,
                                  .count = count,
                                  .objective = objective ? objective + cell : rows->objective,
                                  .companion = companion ? companion + cell : NULL,
                                  .parent = parent,
                                  .lane_stride = trees->as_lanes ? 1 : trees->column_count,
                                  .column_stride = trees->as_lanes ? count : 1};
        MCD_TRY(mcd_trees_run(trees, run->lanes.lane + first, count, costs.objective, costs.companion,
                              rows->parent ? rows->parent : parent, error));
        if (rows->parent)
            MCD_TRY(mcd_parents_by_id(query->engine, trees->direction, rows->parent, count, parent, error));
        apply_limit(&costs);
    }
    return MACADAM_OK;
}

/* ---- places of several lanes ---- */

/* Merges rows of lanes into the places' answers. */
typedef struct merge_run {
    const tree_run *run;
    uint32_t *objective, *companion; /* of the places; companion is NULL if it is not requested */
    uint32_t *own; /* compares the lanes of a band's places, from place[0] on, if objectives are not
                    * requested; otherwise NULL */
    uint32_t *row_objective, *row_companion; /* of the lanes */
    size_t place[MERGE_ROWS];                /* [row] the place that the lane belongs to, ascending */
    size_t row_count, next_place;
} merge_run;

static void merge_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const merge_run *merge = argument;
    const bool as_lanes = merge->run->request->order == MACADAM_ORDER_LANES;
    const size_t columns = merge->run->trees.column_count, places = merge->run->request->source_count;
    const size_t first = index * COLUMNS_PER_TASK, end = mcd_size_min(first + COLUMNS_PER_TASK, columns);
    for (size_t row = 0; row < merge->row_count; ++row)
        for (size_t c = first; c < end; ++c) {
            const size_t from = row * columns + c, place = merge->place[row],
                         to = as_lanes ? c * places + place : place * columns + c;
            uint32_t *const objective =
                merge->own ? merge->own + (place - merge->place[0]) * columns + c : merge->objective + to;
            mcd_query_take_better(objective, merge->companion ? merge->companion + to : NULL, 0,
                                  merge->row_objective[from],
                                  merge->companion ? merge->row_companion[from] : 0);
        }
}

/* Clears the objectives of the band's places. If the first place is also the last of the band before, its
 * objectives are kept; they lie `behind` places after the first one of that band. */
static void begin_own(const merge_run *merge, bool goes_on, size_t behind)
{
    const size_t columns = merge->run->trees.column_count,
                 place_count = merge->place[merge->row_count - 1] - merge->place[0] + 1;
    if (goes_on) memmove(merge->own, merge->own + behind * columns, columns * sizeof *merge->own);
    memset(merge->own + goes_on * columns, 0xff, (place_count - goes_on) * columns * sizeof *merge->own);
}

/* Merges the lanes first <= l < first + count. */
static macadam_status merge_band(merge_run *merge, size_t first, size_t count, macadam_error *error)
{
    const tree_run *run = merge->run;
    const size_t columns = run->trees.column_count, before_first = merge->place[0],
                 before_last = merge->next_place;
    merge->row_count = count;
    for (size_t row = 0; row < count; ++row) {
        while (run->lanes.first[merge->next_place + 1] <= first + row) ++merge->next_place;
        merge->place[row] = merge->next_place;
    }
    if (merge->own) begin_own(merge, first > 0 && merge->place[0] == before_last, before_last - before_first);
    MCD_TRY(mcd_trees_run(&run->trees, run->lanes.lane + first, count, merge->row_objective,
                          merge->companion ? merge->row_companion : NULL, NULL, error));
    apply_limit(&(lane_costs){.run = run,
                              .place = merge->place,
                              .count = count,
                              .objective = merge->row_objective,
                              .companion = merge->companion ? merge->row_companion : NULL,
                              .lane_stride = columns,
                              .column_stride = 1});
    mcd_parallel_for(&run->trees.query->engine->parallel, (columns + COLUMNS_PER_TASK - 1) / COLUMNS_PER_TASK,
                     merge_task, merge);
    return MACADAM_OK;
}

/* The objective decides which lane of a place is better, requested or not. */
static macadam_status merge_bands(tree_run *run, const mcd_stage *stage, macadam_error *error)
{
    mcd_trees *trees = &run->trees;
    merge_run merge = {.run = run,
                       .objective = mcd_query_value(trees->query, stage->value, false),
                       .companion = mcd_query_value(trees->query, stage->value, true)};
    const size_t rows_of_lane = merge.objective && merge.companion ? 2 : merge.objective ? 1 : 3;
    void *rows;
    MCD_TRY(mcd_trees_fit(trees, mcd_size_min(MERGE_ROWS, run->lanes.count),
                          rows_of_lane * trees->column_count * sizeof(uint32_t), &rows, "a tree", error));
    merge.row_objective = rows;
    merge.row_companion = merge.row_objective + trees->band * trees->column_count;
    if (!merge.objective) merge.own = merge.row_companion + trees->band * trees->column_count;
    if (merge.objective) memset(merge.objective, 0xff, stage->cells * sizeof *merge.objective);
    if (merge.companion) memset(merge.companion, 0xff, stage->cells * sizeof *merge.companion);
    for (size_t first = 0; first < run->lanes.count; first += trees->band) {
        const size_t count = mcd_size_min(trees->band, run->lanes.count - first);
        mcd_query_part(trees->query, first, first + count, run->lanes.count);
        MCD_TRY(merge_band(&merge, first, count, error));
    }
    return MACADAM_OK;
}

/* ---- the request ---- */

/* Runs places of one lane each. */
static macadam_status run_single(tree_run *run, uint32_t *const *value, macadam_error *error)
{
    mcd_trees *const trees = &run->trees;
    const mcd_query *const query = trees->query;
    const bool by_id = run->parent && run->request->order == MACADAM_ORDER_IDS;
    const size_t lanes =
        by_id ? PARENT_LANES_OF_THREAD * (size_t)query->engine->parallel.thread_count : SIZE_MAX;
    const size_t parent_bytes = by_id ? query->engine->places.node_count * sizeof(mcd_node) : 0;
    static _Alignas(64) uint32_t aligned; /* as the rows in `memory` will be */
    void *memory;
    trees->objective = mcd_query_value(query, value, false);
    trees->companion = mcd_query_value(query, value, true);
    const bool compares = run->limits_signed && !trees->objective;
    if (compares) trees->objective = &aligned;
    MCD_TRY(mcd_trees_fit(trees, mcd_size_min(lanes, run->request->source_count),
                          parent_bytes + (compares ? trees->column_count * sizeof(uint32_t) : 0), &memory,
                          "a tree", error));
    const band_rows rows = {.parent = by_id ? memory : NULL,
                            .objective =
                                compares ? (uint32_t *)((char *)memory + trees->band * parent_bytes) : NULL};
    return run_bands(run, value, &rows, error);
}

/* Runs places that the processor works over: those of several lanes, or with a limit of signed costs. */
static macadam_status run_staged(tree_run *run, macadam_error *error)
{
    const mcd_query *query = run->trees.query;
    const bool several = run->lanes.first;
    mcd_stage stage;
    if ((several && run->parent) || run->trees.division.part_count > 0)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s of %s",
                        run->parent ? "parents" : "answers in divided memory",
                        several ? "a place within a road whose ends need several searches"
                                : "costs that may be negative, with a limit");
    macadam_status status = mcd_query_stage(&stage, query, run->value,
                                            run->request->source_count * run->trees.column_count, error);
    if (!status) status = several ? merge_bands(run, &stage, error) : run_single(run, stage.value, error);
    return mcd_query_unstage(&stage, query, status, error);
}

static macadam_status run_all(tree_run *run, mcd_query *query, macadam_error *error)
{
    const macadam_tree_method method = run->method;
    const macadam_tree_request *request = run->request;
    mcd_division division;
    MCD_TRY(check_request(run, error));
    MCD_TRY(check_values(run, query, method, &division, error));
    MCD_TRY(mcd_query_lanes(query, request->source, request->source_count,
                            request->reverse ? MCD_ARRIVE : MCD_DEPART, "source", &run->lanes,
                            (mcd_outcome){.status = run->status}, error));
    run->limits_signed = request->limit && mcd_query_objective_potential(query);
    if (run->limits_signed) MCD_TRY(mcd_rise_new(&run->rise, query, &run->lanes, error));
    run->trees = trees_of(query, run, method, &division);
    return run->lanes.first || run->limits_signed ? run_staged(run, error)
                                                  : run_single(run, run->value, error);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    tree_run *run = argument;
    const macadam_status status = run_all(run, query, error);
    mcd_lanes_free(&run->lanes);
    mcd_rise_free(&run->rise);
    return status;
}

static macadam_status answer(tree_run *run, macadam_engine *engine, const macadam_query *given,
                             const macadam_tree_request *request, macadam_error *error)
{
    macadam_tree_request own = MACADAM_TREE_REQUEST_INIT;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "tree request", error));
    MCD_TRY(mcd_trees_choose(&run->method, engine, own.method, run->parent, error));
    run->request = &own;
    const mcd_need places = mcd_query_need(engine, own.source, own.source_count);
    mcd_work work = mcd_trees_work(engine, run->method, places, own.reverse, run->parent);
    work.value = run->value;
    return mcd_query_attempt(engine, &work, given, attempt, run, error);
}

macadam_status macadam_tree(macadam_engine *engine, const macadam_query *query,
                            const macadam_tree_request *request, uint32_t *const *value,
                            macadam_place_status *status, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    tree_run run = {.value = value, .status = status};
    return answer(&run, engine, query, request, error);
}

macadam_status macadam_tree_parents(macadam_engine *engine, const macadam_query *query,
                                    const macadam_tree_request *request, uint32_t *const *value,
                                    uint32_t *parent, macadam_place_status *status, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    tree_run run = {.value = value, .parent = parent, .status = status};
    if (!parent) return mcd_fail(error, MACADAM_E_INVALID, "no memory for the parents");
    return answer(&run, engine, query, request, error);
}
