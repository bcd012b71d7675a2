/* trees.c - see trees.h. */
#include "engine/query/places/trees.h"

#include "engine/query/places/clock_costs.h"
#include "engine/query/places/subnetwork.h"

enum { LANES_MULTIPLE = 16, IDS_PER_TASK = 1 << 14 };

macadam_status mcd_trees_choose(mcd_tree_method *method, const macadam_engine *engine, bool parents,
                                macadam_error *error)
{
    if (*method == MCD_TREE_AUTO)
        *method = engine->metadata->has_hierarchy && !parents ? MCD_TREE_SWEEP : MCD_TREE_NEAR_FAR;
    if (*method != MCD_TREE_SWEEP || !parents) return MACADAM_OK;
    return mcd_fail_invalid(error, "a sweep finds no parents: request another method for them");
}

mcd_work mcd_trees_work(macadam_engine *engine, mcd_tree_method method, mcd_need places, bool reverse,
                        bool parents)
{
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (method == MCD_TREE_SWEEP) return (mcd_work){.backend = backend, .need = places};
    if (method == MCD_TREE_DIJKSTRA || !backend->sssp) backend = engine->host;
    const unsigned need = (reverse || parents ? MCD_ARCS_BACKWARD : 0) |
                          (method == MCD_TREE_BELLMAN_FORD ? MCD_ARCS_COUPLES : 0);
    return (mcd_work){.backend = backend, .searches = true, .need = need};
}

mcd_amount mcd_trees_amount(const macadam_engine *engine, mcd_tree_method method, size_t count, bool as_lanes)
{
    const mcd_rated rated = method == MCD_TREE_SWEEP      ? as_lanes ? MCD_RATED_LANES : MCD_RATED_TREES
                            : method == MCD_TREE_DIJKSTRA ? MCD_RATED_NONE
                                                          : MCD_RATED_SEARCHES;
    return (mcd_amount){rated, count, engine->metadata->id_count};
}

/* ---- jobs ---- */

static mcd_tree_job sweep_job(const mcd_trees *trees, const mcd_lane *lane, size_t lane_count,
                              uint32_t *objective, uint32_t *companion)
{
    return (mcd_tree_job){
        .weights = trees->query->weights,
        .direction = trees->direction,
        .lane = lane,
        .lane_count = lane_count,
        .limit = trees->limit,
        .as_lanes = trees->as_lanes,
        .column = trees->column,
        .column_count = trees->column_count,
        .objective = objective,
        .companion = companion,
        .raw = trees->raw,
        .division = trees->division.part_count > 0 ? &trees->division : NULL,
        .scratch = trees->scratch,
        .parallel = trees->query->engine->parallel,
        .progress = trees->query->progress,
    };
}

static mcd_sssp_job search_job(const mcd_trees *trees, const mcd_lane *lane, size_t lane_count,
                               uint32_t *objective, uint32_t *companion, mcd_node *parent)
{
    return (mcd_sssp_job){
        .arcs = trees->query->arcs,
        .direction = trees->direction,
        .method = trees->method,
        .lane = lane,
        .lane_count = lane_count,
        .limit = trees->limit,
        .column = trees->column,
        .column_count = trees->column_count,
        .lane_stride = trees->as_lanes ? 1 : trees->column_count,
        .column_stride = trees->as_lanes ? lane_count : 1,
        .objective = objective,
        .companion = companion,
        .raw = trees->raw,
        .parent = parent,
        .scratch = trees->scratch,
        .parallel = trees->query->engine->parallel,
        .progress = trees->query->progress,
    };
}

static mcd_hops_job hops_job(const mcd_trees *trees, const mcd_node *node, size_t node_count, uint32_t *hops,
                             mcd_node *parent)
{
    const macadam_engine *const engine = trees->query->engine;
    const bool is_split = engine->places.node_count > engine->places.id_count;
    return (mcd_hops_job){
        .arcs = trees->query->arcs,
        .direction = trees->direction,
        .source = node,
        .source_count = node_count,
        .strategy = trees->strategy,
        .limit = trees->limit >= MACADAM_UNREACHED - 1 ? UINT32_MAX : trees->limit + is_split,
        .column = trees->column,
        .column_count = trees->column_count,
        .hops = hops,
        .parent = parent,
        .scratch = trees->scratch,
        .parallel = engine->parallel,
        .progress = trees->query->progress,
    };
}

/* Returns the scratch of a band of `lane_count` lanes. */
static uint64_t scratch_of(const mcd_trees *trees, size_t lane_count)
{
    static _Alignas(64) uint32_t line[2];
    uint32_t *const some = line + 1; /* stands for any array: one that is not aligned needs the most
                                      * scratch */
    uint32_t *const companion = trees->query->joint ? some : NULL;
    if (trees->method == MCD_TREE_SWEEP) {
        const mcd_tree_job job = trees->as_lanes
                                     ? sweep_job(trees, NULL, lane_count, trees->objective, trees->companion)
                                     : sweep_job(trees, NULL, lane_count, some, companion);
        return trees->query->backend->tree_scratch(&job);
    }
    mcd_node *const parent = trees->parents ? some : NULL;
    if (trees->counts_hops) {
        const mcd_hops_job job = hops_job(trees, NULL, lane_count, some, parent);
        return trees->query->backend->hops_scratch(&job);
    }
    const mcd_sssp_job job = search_job(trees, NULL, lane_count, some, companion, parent);
    const mcd_clock_job timed = {.tree = job, .arcs = trees->query->timing.arcs};
    return timed.arcs ? trees->query->backend->clock_scratch(&timed)
                      : trees->query->backend->sssp_scratch(&job);
}

/* Returns the next smaller band; sweeps prefer full groups of lanes. */
static size_t smaller_band(const mcd_trees *trees, size_t band)
{
    if (trees->method != MCD_TREE_SWEEP) return (band + 1) / 2;
    if (band <= LANES_MULTIPLE) return band;
    return (band / 2 + LANES_MULTIPLE - 1) / LANES_MULTIPLE * LANES_MULTIPLE;
}

macadam_status mcd_trees_fit(mcd_trees *trees, size_t lane_count, size_t least, uint64_t lane_bytes,
                             void **behind, const char *what, macadam_error *error)
{
    mcd_query *query = trees->query;
    const uint64_t limit = mcd_query_limit(query),
                   node_bytes =
                       trees->parents_by_id ? query->engine->places.node_count * sizeof(mcd_node) : 0;
    trees->band = lane_count;
    lane_bytes += node_bytes;
    while (!trees->as_lanes && scratch_of(trees, trees->band) + trees->band * lane_bytes > limit &&
           smaller_band(trees, trees->band) < trees->band && smaller_band(trees, trees->band) >= least)
        trees->band = smaller_band(trees, trees->band);
    const uint64_t bytes = (scratch_of(trees, trees->band) + 63) / 64 * 64;
    MCD_TRY(mcd_query_take(query, bytes + trees->band * lane_bytes, what, error));
    trees->scratch = query->block.memory;
    *behind = (char *)query->block.memory + bytes + trees->band * node_bytes;
    if (node_bytes) trees->node_parent = (mcd_node *)((char *)query->block.memory + bytes);
    return MACADAM_OK;
}

/* ---- parents by id ---- */

typedef struct parents_work {
    const mcd_place_index *places;
    const mcd_node *column, *row;
    uint32_t *parent;
} parents_work;

/* Sets parent[row * id_count + i] for the node where the i-th id arrives (backward: departs): to the index of the first other id
 * among the node's ancestors in the row of node_parent, or to MACADAM_UNREACHED if there is none. */
static void translate_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const parents_work *work = argument;
    const mcd_place_index *places = work->places;
    const size_t parts = (places->id_count + IDS_PER_TASK - 1) / IDS_PER_TASK;
    const size_t first = index % parts * IDS_PER_TASK,
                 end = mcd_size_min(first + IDS_PER_TASK, places->id_count);
    const mcd_node *row = work->row + index / parts * places->node_count;
    uint32_t *parent = work->parent + index / parts * places->id_count;
    for (size_t i = first; i < end; ++i) {
        mcd_node node = work->column[i];
        while (node != MCD_NODE_NONE && places->node_place[node] == i) node = row[node];
        parent[i] = node == MCD_NODE_NONE ? MACADAM_UNREACHED : places->node_place[node];
    }
}

/* ---- all ---- */

static macadam_status run_clock(const mcd_trees *trees, const mcd_lanes *lanes, size_t first,
                                mcd_sssp_job job, macadam_error *error)
{
    MCD_OWNED mcd_lane *lane = NULL;
    MCD_OWNED uint32_t *instant = NULL;
    MCD_TRY(MCD_NEW(lane, job.lane_count, error));
    MCD_TRY(MCD_NEW(instant, job.lane_count, error));
    mcd_clock_lanes(lanes, first, job.lane_count, lane, instant);
    job.lane = lane;
    const mcd_clock_job timed = {.tree = job, .arcs = trees->query->timing.arcs, .instant = instant};
    return trees->query->backend->clock(&timed, error);
}

static macadam_status run_backend(const mcd_trees *trees, const mcd_lanes *lanes, size_t first,
                                  size_t lane_count, const mcd_row *row, mcd_node *parent,
                                  macadam_error *error)
{
    const mcd_backend *backend = trees->query->backend;
    if (trees->counts_hops) {
        const mcd_hops_job job = hops_job(trees, lanes->node + first, lane_count, row->objective, parent);
        return backend->hops(&job, error);
    }
    if (trees->method == MCD_TREE_SWEEP) {
        const size_t *const place = trees->by_place && lanes->first ? lanes->first + first : NULL;
        mcd_tree_job job = sweep_job(trees, lanes->lane + (place ? *place : first), lane_count,
                                     row->objective, row->companion);
        job.first = place;
        if (trees->by_place) job.cut_off = mcd_cut_off_from(mcd_query_cut_off(trees->query, lanes), first);
        return backend->tree(&job, error);
    }
    const mcd_sssp_job job =
        search_job(trees, lanes->lane + first, lane_count, row->objective, row->companion, parent);
    return trees->query->timing.arcs ? run_clock(trees, lanes, first, job, error)
                                     : backend->sssp(&job, error);
}

macadam_status mcd_trees_run(const mcd_trees *trees, const mcd_lanes *lanes, size_t first, size_t lane_count,
                             const mcd_row *row, macadam_error *error)
{
    mcd_node *const parent = trees->node_parent ? trees->node_parent : row->parent;
    MCD_TRY(run_backend(trees, lanes, first, lane_count, row, parent, error));
    if (!trees->node_parent) return MACADAM_OK;
    const macadam_engine *const engine = trees->query->engine;
    const size_t parts = (engine->places.id_count + IDS_PER_TASK - 1) / IDS_PER_TASK;
    parents_work work = {&engine->places, trees->column, trees->node_parent, row->parent};
    return mcd_watch_for(NULL, &engine->parallel, parts * lane_count, translate_part, &work, error);
}
