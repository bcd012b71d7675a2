/* isochrone.c - the arcs that are reached within a limit: a tree whose nodes cost no more than the limit, and
 * the arcs that leave these nodes.
 *
 * An arc is entered at its tail (reverse: at its head) at the cost of the tree there, which is final, and is
 * reached from there up to the share of its length that the rest of the limit pays for. Junctions that were
 * split have several arcs of one number: the one that is entered at the least cost is the road's. */
#include "engine/query/located.h"
#include "engine/query/road_shape.h"
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/attempt.h"
#include "engine/query/trees.h"

#include <stdlib.h>

typedef struct owned_isochrone {
    macadam_isochrone isochrone;
    mcd_arena arena;
} owned_isochrone;

/* An arc of the graph that is reached. */
typedef struct reached {
    uint64_t number;
    uint32_t arc;
    mcd_node tail;
    mcd_weight cost; /* where the arc is entered */
    double from;     /* the share of its length at which it is entered; 0: at its end */
} reached;

typedef struct isochrone_run {
    mcd_query *query;
    const macadam_query *given;
    const macadam_isochrone_request *request;
    mcd_lanes lanes;  /* of the source */
    mcd_weight *cost; /* by node; in the query's block */
    reached *reached;
    size_t count;
    macadam_isochrone *out; /* filled in by the try that succeeds */
    macadam_error *error;
} isochrone_run;

/* Takes the least costs of several rows. */
static void merge_rows(mcd_weight *cost, const mcd_weight *row, size_t row_count, size_t node_count)
{
    for (size_t r = 0; r < row_count; ++r, row += node_count)
        for (size_t i = 0; i < node_count; ++i)
            if (row[i] < cost[i]) cost[i] = row[i];
}

/* Grows the tree from all lanes of the source, in bands as wide as memory allows. The first row keeps the
 * least costs. */
static macadam_status grow_tree(isochrone_run *run)
{
    const macadam_isochrone_request *request = run->request;
    const size_t node_count = run->query->engine->places.node_count, lane_count = run->lanes.count;
    mcd_trees trees = {.query = run->query,
                       .method = MACADAM_TREE_SWEEP,
                       .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                       .limit = request->limit,
                       .column_count = node_count};
    void *rows;
    MCD_TRY(
        mcd_trees_fit(&trees, lane_count, node_count * sizeof *run->cost, &rows, "an isochrone", run->error));
    run->cost = rows;
    for (size_t first = 0, count; first < lane_count; first += count) {
        const size_t kept = first > 0; /* lanes that do not fit one band have several rows */
        count = mcd_size_min(trees.band - kept, lane_count - first);
        MCD_TRY(mcd_trees_run(&trees, run->lanes.lane + first, count, run->cost + kept * node_count, NULL,
                              NULL, run->error));
        merge_rows(run->cost, run->cost + node_count, kept + count - 1, node_count);
    }
    return MACADAM_OK;
}

static void add_reached(isochrone_run *run, uint32_t arc, mcd_node tail, mcd_weight cost, double from)
{
    if (run->reached)
        run->reached[run->count] =
            (reached){run->query->engine->facts.arc_number[arc], arc, tail, cost, from};
    ++run->count;
}

/* Collects the arcs within which the source lies, from the source on. */
static void collect_source(isochrone_run *run)
{
    const mcd_position *position = run->lanes.position;
    const mcd_weights *weights = &run->query->metric->weights;
    for (int i = 0; position && i < 2; ++i) {
        const uint32_t arc = position->arc[i];
        if (arc == MCD_ROAD_NONE || !mcd_arc_is_open(weights, arc)) continue;
        const double before = (double)position->before[i] / MCD_ROAD_WHOLE;
        add_reached(run, arc, mcd_road_tail(&run->query->engine->graph, arc), 0,
                    run->request->reverse ? 1 - before : before);
    }
}

/* Collects the arcs of the graph that are reached; only counts them if run->reached is NULL. */
static void collect(isochrone_run *run)
{
    const macadam_engine *engine = run->query->engine;
    const mcd_graph *graph = &engine->graph;
    const mcd_weights *weights = &run->query->metric->weights;
    run->count = 0;
    collect_source(run);
    for (mcd_node tail = 0; tail < graph->node_count; ++tail)
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc) {
            const mcd_weight cost = run->cost[run->request->reverse ? graph->head[arc] : tail];
            if (cost == MCD_COST_UNREACHED || !mcd_arc_is_open(weights, (uint32_t)arc) ||
                !mcd_arc_is_road(engine, (uint32_t)arc))
                continue;
            add_reached(run, (uint32_t)arc, tail, cost, 0);
        }
}

static int compare_reached(const void *a, const void *b)
{
    const reached *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

/* Sorts by arc number, and keeps each arc once for each place at which it is entered. */
static void settle(isochrone_run *run)
{
    size_t kept = 0;
    qsort(run->reached, run->count, sizeof *run->reached, compare_reached);
    for (size_t i = 0; i < run->count; ++i)
        if (kept == 0 || run->reached[kept - 1].number != run->reached[i].number ||
            run->reached[kept - 1].from != run->reached[i].from)
            run->reached[kept++] = run->reached[i];
    run->count = kept;
}

static macadam_status describe(const isochrone_run *run, owned_isochrone *owned)
{
    const macadam_engine *engine = run->query->engine;
    macadam_reached_arc *arc;
    mcd_shape shape;
    size_t points = 0;
    for (size_t i = 0; i < run->count; ++i) points += mcd_road_shape_point_count(engine, run->reached[i].arc);
    MCD_TRY(MCD_ARENA_NEW(&owned->arena, arc, run->count, run->error));
    MCD_TRY(mcd_shape_new(&shape, &owned->arena, points, run->error));
    for (size_t i = 0; i < run->count; ++i) {
        const reached *from = &run->reached[i];
        arc[i] = (macadam_reached_arc){
            .road = mcd_road_shape_describe(engine, from->arc, from->tail, 0, MCD_ROAD_WHOLE, &shape),
            .cost = from->cost,
            .from = from->from,
            .weight = run->query->metric->weights.objective[from->arc],
        };
    }
    owned->isochrone.arc = arc;
    owned->isochrone.arc_count = run->count;
    owned->isochrone.lon = shape.lon;
    owned->isochrone.lat = shape.lat;
    owned->isochrone.shape_count = shape.count;
    return MACADAM_OK;
}

static macadam_status run_isochrone(isochrone_run *run, owned_isochrone *owned)
{
    macadam_engine *engine = run->query->engine;
    if (run->request->limit > MACADAM_WEIGHT_MAX)
        return mcd_fail(run->error, MACADAM_E_INVALID, "the limit %u is above %u", run->request->limit,
                        MACADAM_WEIGHT_MAX);
    MCD_TRY(mcd_engine_load_facts(engine, run->error));
    MCD_TRY(mcd_query_lanes(run->query, &run->request->source, 1,
                            run->request->reverse ? MCD_ARRIVE : MCD_DEPART, "source", &run->lanes,
                            (mcd_outcome){.snap = &owned->isochrone.source}, run->error));
    MCD_TRY(grow_tree(run));
    collect(run);
    MCD_TRY(MCD_NEW(run->reached, run->count, run->error));
    collect(run);
    settle(run);
    return describe(run, owned);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    isochrone_run *run = argument;
    owned_isochrone *owned;
    run->query = query;
    MCD_TRY(mcd_query_check_objective(query, run->given, "an isochrone", error));
    MCD_TRY(MCD_NEW_ZEROED(owned, 1, error));
    const macadam_status status = run_isochrone(run, owned);
    mcd_lanes_free(&run->lanes);
    mcd_free(run->reached);
    run->reached = NULL;
    if (status)
        macadam_isochrone_free(&owned->isochrone);
    else
        run->out = &owned->isochrone;
    return status;
}

macadam_status macadam_isochrone_find(macadam_engine *engine, const macadam_query *given,
                                      const macadam_isochrone_request *request, macadam_isochrone **out,
                                      macadam_error *error)
{
    macadam_isochrone_request own = MACADAM_ISOCHRONE_REQUEST_INIT;
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the isochrone");
    *out = NULL;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "isochrone request", error));
    const mcd_work work = {.backend = mcd_engine_backend(engine), .need = MCD_NEED_WEIGHTS};
    isochrone_run run = {.given = given, .request = &own, .error = error};
    MCD_TRY(mcd_query_attempt(engine, &work, given, attempt, &run, error));
    *out = run.out;
    return MACADAM_OK;
}

void macadam_isochrone_free(macadam_isochrone *isochrone)
{
    if (!isochrone) return;
    owned_isochrone *owned = (owned_isochrone *)isochrone; /* its first member */
    mcd_arena_free(&owned->arena);
    mcd_free(owned);
}
