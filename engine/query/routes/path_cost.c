/* path_cost.c - see path_cost.h. */
#include "engine/query/routes/path_cost.h"

#include "engine/base/options.h"
#include "kernels/clock.h"

/* ---- queries ---- */

static size_t first_metric(const macadam_engine *engine, size_t preferred, mcd_metric_suits suits,
                           const macadam_query *query)
{
    if (suits(engine, preferred, query)) return preferred;
    for (size_t m = 0; m < engine->metadata->n_metric; ++m)
        if (suits(engine, m, query)) return m;
    return preferred;
}

static bool has_quantities(const macadam_engine *engine, size_t metric, const macadam_query *query)
{
    const char *const companion = engine->metric_companion[metric];
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const char *const name = query->quantity ? query->quantity[q] : NULL;
        const bool has = name && (strcmp(name, engine->metric_name[metric]) == 0 ||
                                  (companion && strcmp(name, companion) == 0));
        if (!has) return false;
    }
    return true;
}

macadam_status mcd_path_query_new(mcd_path_query *out, const macadam_engine *engine,
                                  const macadam_query *given, mcd_metric_suits suits, macadam_error *error)
{
    macadam_query own = MACADAM_QUERY_INIT;
    size_t requested = 0;
    if (given) MCD_TRY(mcd_options_adopt(&own, sizeof own, given, "query", error));
    if (own.metric) MCD_TRY(mcd_engine_find_metric(engine, own.metric, &requested, error));
    const size_t find = suits ? first_metric(engine, requested, suits, &own) : requested,
                 cost = own.quantity_count ? first_metric(engine, find, has_quantities, &own) : requested;
    own.size = sizeof own;
    *out = (mcd_path_query){own, own, find != cost};
    out->find.metric = engine->metric_name[find];
    out->cost.metric = engine->metric_name[cost];
    if (out->apart) out->find.quantity_count = 0;
    return MACADAM_OK;
}

macadam_status mcd_path_query_begin(mcd_query *find, mcd_query *cost, macadam_engine *engine,
                                    const mcd_path_query *given, mcd_need need, macadam_error *error)
{
    const mcd_backend *const host = engine->host; /* checked here, before a device would begin */
    if (!given->apart) return mcd_query_begin_host(find, engine, &given->find, need, error);
    if (mcd_query_has_clock(&given->find))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "a clock, and %s: a route then has durations and their companion",
                        given->cost.metric);
    macadam_status status = MACADAM_OK;
    for (uint64_t update = 0; !status && (!cost->version || atomic_load(&engine->update_count) != update);) {
        mcd_query_end(cost);
        mcd_query_end(find);
        update = atomic_load(&engine->update_count);
        status = mcd_query_begin(find, engine, host, &given->find, need, error);
        if (!status)
            status = mcd_query_has_clock(&given->cost)
                         ? mcd_query_begin_clock(cost, engine, host, &given->cost, NULL, error)
                         : mcd_query_begin_costs(cost, find, &given->cost, error);
    }
    return status;
}

/* ---- costs ---- */

/* Leaves a position the direction of an arc of its road; of none, it stays as it is. */
static void keep_direction(mcd_position *position, const mcd_roads *roads, uint32_t arc)
{
    if (arc == MCD_ROAD_NONE) return;
    const uint32_t original = mcd_road_original(roads, mcd_road_tail(roads->graph, arc), arc);
    for (int i = 0; i < 2; ++i)
        if (position->arc[i] != original) position->arc[i] = MCD_ROAD_NONE;
}

/* Makes the trips of another query. A road that begins and ends at one junction may be left and entered by both of its ends:
 * the path says by which. */
static macadam_status move_trips(mcd_pairs *out, const mcd_pairs *found, const mcd_path *path,
                                 const uint32_t *objective, const uint32_t *instant, const mcd_query *query,
                                 macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    const mcd_place_index *const places = &engine->places;
    MCD_TRY(mcd_pairs_new(out, found->count, error));
    if (instant) memcpy(out->instant, instant, found->count * sizeof *instant);
    for (size_t i = 0; i < found->count; ++i) {
        mcd_position *const from = &out->source.position[i], *const to = &out->target.position[i];
        *from = mcd_lanes_position(&found->source, places, i);
        *to = mcd_lanes_position(&found->target, places, i);
        if (objective[i] == MACADAM_UNREACHED) continue;
        mcd_road_part before, behind;
        mcd_pairs_parts(found, &engine->graph, i, &path[i], &before, &behind);
        keep_direction(from, &engine->roads, before.arc);
        keep_direction(to, &engine->roads, mcd_pairs_on_same_road(found, i) ? before.arc : behind.arc);
    }
    return mcd_pairs_make(out, query, error);
}

/* The cost of a trip so far. */
typedef struct path_sum {
    mcd_weight objective, companion;
} path_sum;

static void add(path_sum *sum, mcd_weight objective, mcd_weight companion)
{
    sum->objective = mcd_weight_add(sum->objective, objective);
    sum->companion = mcd_weight_add(sum->companion, companion);
}

/* A place within a road, from which no part is left, is on one that is closed by this metric. */
static void add_part(path_sum *sum, const mcd_road_part *part, const mcd_lanes *lanes, size_t i)
{
    if (part->arc != MCD_ROAD_NONE || mcd_lanes_is_within(lanes, i))
        add(sum, part->objective, part->companion);
}

/* Returns the sum of a trip, and sets what the parts and, with a clock, the arcs of its leg take. */
static path_sum sum_of(const mcd_pairs *trips, size_t i, const mcd_path *path, const mcd_query *query,
                       bool is_direct, mcd_clock_leg *leg)
{
    const mcd_graph *const graph = &query->engine->graph;
    const mcd_weights *const weights = query->weights;
    const mcd_timing *const timing = &query->timing;
    const mcd_clock_arcs *const clock = timing->arcs;
    const uint32_t instant = trips->instant[i];
    path_sum sum = {0, 0};
    mcd_pairs_parts(trips, graph, i, path, &leg->before, &leg->behind);
    add_part(&sum, &leg->before, &trips->source, i);
    for (size_t a = 0; a < path->count; ++a) {
        const uint32_t arc = path->arc[a];
        if (clock)
            leg->duration[a] = mcd_clock_cost(&clock->patterns, &clock->arc[MCD_FORWARD][arc],
                                              mcd_timing_at(timing, instant, sum.objective), MCD_FORWARD);
        add(&sum, clock ? leg->duration[a] : weights->objective[arc],
            weights->companion ? weights->companion[arc] : 0);
    }
    if (is_direct) return sum;
    if (clock && leg->behind.arc != MCD_ROAD_NONE)
        leg->behind =
            mcd_lanes_part(&trips->target, &trips->target.position[i], mcd_road_tail(graph, leg->behind.arc),
                           mcd_timing_at(timing, instant, sum.objective));
    add_part(&sum, &leg->behind, &trips->target, i);
    return sum;
}

macadam_status mcd_path_costs_find(mcd_pairs *out, const mcd_pairs *found, const mcd_path *path,
                                   const mcd_query *query, const uint32_t *instant, mcd_clock_leg *leg,
                                   uint32_t *objective, uint32_t *companion, macadam_error *error)
{
    *out = (mcd_pairs){.count = 0};
    MCD_TRY(move_trips(out, found, path, objective, instant, query, error));
    for (size_t i = 0; i < found->count; ++i) {
        const bool is_direct = mcd_pairs_on_same_road(found, i);
        if (!is_direct && out->direct) out->direct[i].arc = MCD_ROAD_NONE;
        path_sum sum = {MCD_UNREACHED, MCD_UNREACHED};
        mcd_clock_leg own = {.duration = NULL};
        if (leg) MCD_TRY(MCD_NEW(leg[i].duration, path[i].count, error));
        if (objective[i] != MACADAM_UNREACHED && is_direct == mcd_pairs_on_same_road(out, i))
            sum = sum_of(out, i, &path[i], query, is_direct, leg ? &leg[i] : &own);
        const bool reached = sum.objective < MCD_UNREACHED && (!companion || sum.companion < MCD_UNREACHED);
        objective[i] = reached ? sum.objective : MACADAM_UNREACHED;
        if (companion) companion[i] = reached ? sum.companion : MACADAM_UNREACHED;
    }
    return MACADAM_OK;
}
