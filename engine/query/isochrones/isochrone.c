/* isochrone.c - the arcs that are reached within a limit, sorted by number. The processor finds them faster
 * than a device could hand over a tree. */
#include "engine/base/grow.h"
#include "engine/base/options.h"
#include "engine/base/sort.h"
#include "engine/query/clock/instants.h"
#include "engine/query/isochrones/reached_arcs.h"
#include "engine/query/places/road_shape.h"

typedef struct isochrone_run {
    mcd_query *query;
    const macadam_isochrone_request *request;
    mcd_instants instants;
    mcd_lanes lanes; /* of the source */
    mcd_signed_limit limit;
    mcd_node_range range;
    mcd_reached_search search;
    mcd_reached_arc *entered;
    size_t count, capacity;
    macadam_isochrone *out; /* until it is complete */
} isochrone_run;

static macadam_status add_entered(void *context, const mcd_reached_arc *entered, macadam_error *error)
{
    isochrone_run *const run = context;
    if (run->count == run->capacity) MCD_TRY(MCD_GROW(run->entered, run->capacity, run->count + 1, error));
    run->entered[run->count] = *entered;
    run->entered[run->count++].number = mcd_arc_number(&run->query->engine->facts, entered->arc);
    return MACADAM_OK;
}

static macadam_status collect(isochrone_run *run, macadam_error *error)
{
    run->search = (mcd_reached_search){.query = run->query,
                                       .lanes = &run->lanes,
                                       .range = &run->range,
                                       .direction = run->request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                                       .limit = &run->limit,
                                       .visit = add_entered,
                                       .context = run,
                                       .error = error};
    MCD_TRY(mcd_query_reserve(run->query, mcd_reached_bytes(run->query), "an isochrone", error));
    MCD_TRY(mcd_node_range_new(&run->range, run->query->engine->graph.node_count, error));
    MCD_TRY(mcd_reached_grow(&run->search, mcd_signed_limit_of(&run->limit, 0, run->request->limit)));
    return mcd_reached_find(&run->search);
}

static int compare_entered(const void *a, const void *b)
{
    const mcd_reached_arc *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

/* Returns whether one settled copy is better than another: if copies weigh differently, the one that is reached further, and
 * then the one that is passed first. */
static bool is_better(const isochrone_run *run, const mcd_reached_arc *copy, const mcd_reached_arc *than)
{
    const double share = mcd_reached_share(copy, run->request->limit),
                 other = mcd_reached_share(than, run->request->limit);
    if (copy->weight == than->weight) return mcd_reached_cost(copy) < mcd_reached_cost(than);
    return share != other ? share > other : mcd_reached_most(copy) < mcd_reached_most(than);
}

/* Returns where a road is entered first: by the best of `count` copies, which are entered at the same place. */
static mcd_reached_arc settle_road(const isochrone_run *run, const mcd_reached_arc *copy, size_t count)
{
    const mcd_direction direction = run->request->reverse ? MCD_BACKWARD : MCD_FORWARD;
    const mcd_roads *const roads = &run->query->engine->roads;
    if (copy->from > 0) return *copy; /* within it */
    mcd_weight own = mcd_reached_own(copy, roads, run->query->weights);
    mcd_reached_arc best = *copy;
    mcd_reached_settle(&best, own, direction);
    for (size_t i = 1; i < count; ++i) {
        mcd_reached_arc other = copy[i];
        if (copy->timed || other.timed) own = mcd_reached_own(&other, roads, run->query->weights);
        mcd_reached_settle(&other, own, direction);
        if (is_better(run, &other, &best)) best = other;
    }
    return best;
}

/* Sorts the arcs by number, and keeps each once for each place at which it is entered. */
static macadam_status settle(isochrone_run *run, macadam_error *error)
{
    mcd_reached_arc *const entered = run->entered;
    size_t kept = 0;
    MCD_TRY(mcd_sort(entered, run->count, sizeof *entered, compare_entered, NULL, error));
    for (size_t i = 0, end; i < run->count; i = end) {
        MCD_TRY(mcd_watch_item(NULL, i, run->count, error));
        for (end = i + 1; end < run->count && entered[end].number == entered[i].number &&
                          entered[end].from == entered[i].from;)
            ++end;
        const mcd_reached_arc best = settle_road(run, &entered[i], end - i);
        if (mcd_reached_least(&best) <= run->request->limit && mcd_reached_cost(&best) <= MACADAM_WEIGHT_MAX)
            entered[kept++] = best;
    }
    run->count = kept;
    return MACADAM_OK;
}

static macadam_status describe(const isochrone_run *run, macadam_isochrone *out, macadam_error *error)
{
    const macadam_engine *engine = run->query->engine;
    macadam_reached_arc *arc;
    mcd_shape shape;
    double *to;
    size_t points = 0;
    for (size_t i = 0; i < run->count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, run->count, error));
        points += mcd_road_shape_point_count(engine, run->entered[i].arc);
    }
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), arc, run->count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), to, run->count, error));
    MCD_TRY(mcd_shape_new(&shape, mcd_answer_arena(out), points, error));
    for (size_t i = 0; i < run->count; ++i) {
        const mcd_reached_arc *from = &run->entered[i];
        MCD_TRY(mcd_watch_item(NULL, i, run->count, error));
        arc[i] = (macadam_reached_arc){
            .road = mcd_road_shape_describe(engine, from->arc, from->tail, 0, MCD_ROAD_WHOLE, &shape),
            .cost = (uint32_t)mcd_reached_cost(from),
            .weight = mcd_signed_cost(from->weight, from->rise),
            .from = from->from,
        };
        to[i] = mcd_reached_weight(from) < 0 ? 1 : mcd_reached_share(from, run->request->limit);
    }
    out->arc = arc;
    out->arc_count = run->count;
    out->lon = shape.lon;
    out->lat = shape.lat;
    out->shape_count = shape.count;
    out->to = to;
    return MACADAM_OK;
}

static macadam_status run_isochrone(isochrone_run *run, macadam_isochrone *out, macadam_error *error)
{
    if (run->request->limit > MACADAM_WEIGHT_MAX)
        return mcd_fail_invalid(error, "the limit %u is above %u", run->request->limit, MACADAM_WEIGHT_MAX);
    MCD_TRY(mcd_reached_load(run->query, error));
    const bool reverse = run->request->reverse;
    mcd_place_list source = {.place = &run->request->source, .count = 1, .outcome = {.snap = &out->source}};
    MCD_TRY(mcd_instants_of_sources(&run->instants, run->query, &source, reverse, "an isochrone", error));
    MCD_TRY(mcd_query_lanes(run->query, &source, MCD_SOURCES, reverse, &run->lanes, error));
    run->limit = mcd_signed_limit_new(run->query, &run->lanes, reverse);
    MCD_TRY(collect(run, error));
    MCD_TRY(settle(run, error));
    return describe(run, out, error);
}

static void release(isochrone_run *run)
{
    mcd_lanes_free(&run->lanes);
    mcd_instants_free(&run->instants);
    mcd_node_range_free(&run->range);
    mcd_free(run->entered);
    macadam_isochrone_free(run->out);
}

macadam_status macadam_isochrone_find(macadam_isochrone **out, macadam_engine *engine,
                                      const macadam_query *given, const macadam_isochrone_request *request,
                                      macadam_error *error)
{
    macadam_isochrone_request own = MACADAM_ISOCHRONE_REQUEST_INIT;
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    MCD_FREED_BY(release) isochrone_run run = {.query = &query, .request = &own};
    MCD_TRY(mcd_answer_clear(out, "isochrone", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "isochrone request", error));
    MCD_TRY(mcd_query_begin_host(&query, engine, given, MCD_NEED_WEIGHTS, error));
    MCD_TRY(mcd_query_check_objective(&query, "an isochrone", error));
    MCD_TRY(MCD_ANSWER_NEW(run.out, error));
    MCD_TRY(run_isochrone(&run, run.out, error));
    return MCD_MOVE(*out, run.out);
}

void macadam_isochrone_free(macadam_isochrone *isochrone)
{
    mcd_answer_free(isochrone);
}
