/* reached_arcs.c - see reached_arcs.h.
 *
 * A copy of an arc, which leaves a copy of its tail, weighs as much as the arc and what is paid before it: a turn, or on
 * a ferry the boarding, which those who stay aboard do not pay. The lightest copy has nothing to pay. With a clock, the weight
 * of an arc whose speed changes is the time that it takes when it is entered. */
#include "engine/query/isochrones/reached_arcs.h"

#include "engine/query/places/clock_costs.h"
#include "engine/query/places/road_shape.h"
#include "kernels/clock.h"

/* ---- with a clock ---- */

static const mcd_clock_arc *clock_arc(const mcd_reached_search *search, uint32_t arc)
{
    return &search->query->timing.arcs->arc[MCD_FORWARD][arc];
}

static uint32_t instant_at(const mcd_reached_search *search, mcd_weight cost)
{
    return mcd_timing_at(&search->query->timing, search->lanes->instant[search->place], cost);
}

mcd_reached_arc mcd_reached_enter_timed(const mcd_reached_search *search, uint32_t arc, mcd_weight cost)
{
    const mcd_clock_arc *const timed = clock_arc(search, arc);
    if (!timed->pattern)
        return (mcd_reached_arc){.arc = arc, .cost = cost, .weight = search->query->weights->objective[arc]};
    const mcd_weight weight = mcd_clock_cost(&search->query->timing.arcs->patterns, timed,
                                             instant_at(search, cost), search->direction);
    return (mcd_reached_arc){.arc = arc, .cost = cost, .weight = weight, .timed = search};
}

/* Returns the weight of an arc within which the place lies: as if all of it went as fast as what is travelled. */
static mcd_weight weigh_own(const mcd_reached_search *search, uint32_t arc, double from)
{
    const mcd_clock_arc *const timed = clock_arc(search, arc);
    const uint64_t at = (uint64_t)(from * MCD_ROAD_WHOLE);
    if (at >= MCD_ROAD_WHOLE) return search->query->weights->objective[arc];
    const mcd_clock_arc rest = {.own = search->direction == MCD_FORWARD
                                           ? mcd_road_share(timed->own, at, MCD_ROAD_WHOLE)
                                           : mcd_road_share(timed->own, 0, MCD_ROAD_WHOLE - at),
                                .pattern = timed->pattern};
    const mcd_weight weight = mcd_clock_cost(&search->query->timing.arcs->patterns, &rest,
                                             instant_at(search, 0), search->direction);
    return (mcd_weight)fmin(round(weight / (1 - from)), MCD_WEIGHT_MAX);
}

/* Returns the integral of a pattern over the `elapsed` ms after an instant of a search (backward: before it). */
static uint64_t integral(const mcd_patterns *patterns, uint32_t pattern, uint32_t instant, uint32_t elapsed,
                         mcd_direction direction)
{
    const uint8_t *const rate = patterns->rate + (size_t)(pattern - 1) * patterns->slot_count;
    const uint32_t slot_ms = MCD_WEEK_MS / patterns->slot_count;
    uint64_t sum = 0, at = direction == MCD_FORWARD ? instant : (uint64_t)instant - elapsed;
    for (const uint64_t end = at + elapsed; at < end;) {
        const uint64_t next = (at / slot_ms + 1) * slot_ms, until = next < end ? next : end;
        sum += rate[at / slot_ms % patterns->slot_count] * (until - at);
        at = until;
    }
    return sum;
}

double mcd_reached_share(const mcd_reached_arc *entered, uint32_t limit)
{
    const int64_t rest = (int64_t)limit - mcd_reached_cost(entered), weight = mcd_reached_weight(entered);
    const double from = entered->from;
    if (weight < 0) return rest >= 0 ? from : from + (double)rest / (double)weight;
    if (entered->from == 0 && rest >= weight) return 1;
    if (!entered->timed || rest < 0)
        return rest >= weight ? 1 : fmin(from + (double)rest / (double)weight, 1);
    const mcd_reached_search *const search = entered->timed;
    const mcd_clock_arc *const arc = clock_arc(search, entered->arc);
    const uint64_t passed = integral(&search->query->timing.arcs->patterns, arc->pattern,
                                     instant_at(search, entered->cost), (uint32_t)rest, search->direction);
    return fmin(from + (double)passed / ((double)MCD_RATE_MAX * arc->own), 1);
}

/* ---- arcs ---- */

static int32_t potential_of(const mcd_reached_search *search, mcd_node node)
{
    const int32_t *const potential = search->limit->of_id;
    return potential ? potential[search->query->engine->places.node_place[node]] : 0;
}

/* Returns whether the cost where an arc is entered is that from the position: `second`: the second one. As a cell, that
 * depends on the id to which the arc leads (backward: from which it comes). */
static bool decides(const mcd_reached_search *search, bool second, mcd_node tail, uint32_t arc)
{
    const mcd_place_index *const places = &search->query->engine->places;
    const bool forward = search->direction == MCD_FORWARD;
    if (search->subnetwork == MCD_SUBNETWORK_NONE) return true;
    const uint32_t id = places->node_place[forward ? search->query->engine->graph.head[arc] : tail];
    const mcd_node end = forward ? places->arrive[id] : places->depart[id];
    return mcd_subnetwork_decides(search->query,
                                  mcd_subnetwork_has(search->query->engine, search->subnetwork, end),
                                  mcd_node_range_has(search->range, end)) == second;
}

/* Visits an arc if it is open and the position decides. */
static macadam_status visit_arc(const mcd_reached_search *search, bool second, mcd_node tail, uint32_t arc,
                                mcd_weight cost, double from, int32_t ahead)
{
    const mcd_query *const query = search->query;
    if (!mcd_arc_is_road(query->engine, arc) || !mcd_arc_is_open(query->weights, arc) ||
        !decides(search, second, tail, arc))
        return MACADAM_OK;
    mcd_reached_arc entered = mcd_reached_enter(search, arc, cost);
    entered.tail = tail;
    entered.from = from;
    entered.ahead = ahead;
    entered.rise = potential_of(search, query->engine->graph.head[arc]) - potential_of(search, tail);
    if (entered.timed && from > 0) entered.weight = weigh_own(search, arc, from);
    return search->visit(search->context, &entered, search->error);
}

/* Visits the arcs within which the place lies, from one of its positions on. */
static macadam_status visit_own(const mcd_reached_search *search, bool second)
{
    const mcd_lanes *const lanes = search->lanes;
    const bool has = second ? search->subnetwork != MCD_SUBNETWORK_NONE : lanes->position != NULL;
    for (int i = 0; has && i < 2; ++i) {
        const mcd_position *const position = (second ? lanes->second : lanes->position) + search->place;
        const uint32_t arc = position->arc[i];
        const double before = (double)position->before[i] / MCD_ROAD_WHOLE;
        if (arc != MCD_ROAD_NONE)
            MCD_TRY(visit_arc(search, second, mcd_road_tail(&search->query->engine->graph, arc), arc, 0,
                              search->direction == MCD_BACKWARD ? 1 - before : before, 0));
    }
    return MACADAM_OK;
}

/* A search by one thread: rings share the threads out to their sources. */
static mcd_clock_job job_of(const mcd_query *query, const mcd_lane *lane, const uint32_t *instant,
                            mcd_weight limit, const mcd_node_range *range)
{
    mcd_clock_job job = mcd_clock_job_of(query, lane, instant, range->search_cost);
    job.tree.limit = limit;
    job.tree.scratch = range->search_scratch;
    job.tree.parallel = (mcd_parallel){1, NULL};
    job.tree.progress = (mcd_progress){NULL, NULL};
    return job;
}

static uint64_t scratch_of(const mcd_query *query)
{
    const mcd_clock_job job = job_of(query, NULL, NULL, MCD_WEIGHT_MAX, &(mcd_node_range){.count = 0});
    return query->backend->clock_scratch(&job);
}

uint64_t mcd_reached_bytes(const mcd_query *query)
{
    const mcd_node node_count = query->engine->graph.node_count;
    return mcd_node_range_bytes(node_count) +
           (query->timing.arcs ? scratch_of(query) + node_count * sizeof(mcd_weight) : 0);
}

/* Fills the range by searches with the clock, one a lane. */
static macadam_status grow_timed(const mcd_reached_search *search, size_t first, size_t end, mcd_weight limit)
{
    const mcd_query *const query = search->query;
    const mcd_node node_count = query->engine->graph.node_count;
    mcd_node_range *const range = search->range;
    if (!range->search_cost) MCD_TRY(MCD_NEW(range->search_cost, node_count, search->error));
    if (!range->search_scratch) range->search_scratch = mcd_allocate(scratch_of(query), 1);
    if (!range->search_scratch) return mcd_fail_memory(search->error, scratch_of(query));
    mcd_node_range_clear(range);
    for (size_t l = first; l < end; ++l) {
        MCD_TRY(mcd_watch_item(search->watch, 0, 1, search->error));
        const mcd_lane lane = mcd_clock_lane(search->lanes, search->place, l);
        const mcd_clock_job job = job_of(query, &lane, &search->lanes->instant[search->place], limit, range);
        MCD_TRY(query->backend->clock(&job, search->error));
        mcd_node_range_take(range, node_count, range->search_cost, limit);
    }
    return MACADAM_OK;
}

macadam_status mcd_reached_load(const mcd_query *query, macadam_error *error)
{
    MCD_TRY(mcd_engine_load(query->engine, MCD_LOAD_FACTS, error));
    return query->timing.arcs ? MACADAM_OK : mcd_engine_load(query->engine, MCD_LOAD_HIERARCHY, error);
}

static macadam_status grow(const mcd_reached_search *search, size_t first, size_t end, mcd_weight limit)
{
    if (search->query->timing.arcs) return grow_timed(search, first, end, limit);
    return mcd_node_range_grow(search->range, search->query->weights, search->direction,
                               search->lanes->lane + first, end - first, limit, search->watch, search->error);
}

/* Whether a node is reached from the first position does not depend on the limit. */
macadam_status mcd_reached_grow(mcd_reached_search *search, mcd_weight limit)
{
    const size_t first = mcd_lanes_first(search->lanes, search->place),
                 inner = mcd_lanes_inner(search->lanes, search->place),
                 end = mcd_lanes_first(search->lanes, search->place + 1);
    search->most = limit;
    search->subnetwork = mcd_lanes_subnetwork(search->lanes, search->place);
    search->range->kept_count = 0;
    if (inner == end) return grow(search, first, end, limit);
    MCD_TRY(grow(search, inner, end, limit));
    MCD_TRY(mcd_node_range_keep(search->range, search->error));
    return grow(search, first, inner, search->query->snap_any_component ? MCD_WEIGHT_MAX : limit);
}

static macadam_status visit_node(const mcd_reached_search *search, bool second, mcd_node node,
                                 mcd_weight cost)
{
    const mcd_graph *const graph = &search->query->engine->graph;
    const bool forward = search->direction == MCD_FORWARD;
    const mcd_arc *const first = forward ? graph->first_out : graph->first_in;
    const int32_t ahead =
        (int32_t)mcd_signed_limit_rise(search->limit, search->place, potential_of(search, node));
    for (mcd_arc i = first[node]; i < first[node + 1]; ++i) {
        const mcd_node tail = forward ? node : graph->tail[i];
        const uint32_t arc = forward ? (uint32_t)i : graph->in_arc[i];
        MCD_TRY(visit_arc(search, second, tail, arc, cost, 0, ahead));
    }
    return MACADAM_OK;
}

macadam_status mcd_reached_find(const mcd_reached_search *search)
{
    const mcd_node_range *const range = search->range;
    MCD_TRY(visit_own(search, false));
    MCD_TRY(visit_own(search, true));
    for (size_t i = 0; i < range->kept_count; ++i)
        MCD_TRY(visit_node(search, true, range->kept_node[i], range->kept_cost[i]));
    for (size_t i = 0; i < range->count; ++i) {
        MCD_TRY(mcd_watch_item(search->watch, i, range->count, search->error));
        if (range->cost[range->node[i]] <= search->most)
            MCD_TRY(visit_node(search, false, range->node[i], range->cost[range->node[i]]));
    }
    return MACADAM_OK;
}

mcd_weight mcd_reached_own(const mcd_reached_arc *entered, const mcd_roads *roads, const mcd_weights *weights)
{
    const mcd_graph *const graph = roads->graph;
    const mcd_node arrive = mcd_road_arrival(roads, entered->tail);
    mcd_weight own = entered->weight;
    if (entered->timed) return own - clock_arc(entered->timed, entered->arc)->price;
    if (arrive == entered->tail) return own; /* without copies */
    for (mcd_arc i = graph->first_in[arrive]; i < graph->first_in[arrive + 1]; ++i) {
        const uint32_t copy = mcd_road_copy(roads, graph->tail[i], entered->arc);
        if (copy == MCD_ROAD_NONE || !mcd_arc_is_open(weights, copy)) continue;
        if (weights->objective[copy] < own) own = weights->objective[copy];
    }
    return own;
}
