/* reached_arcs.c - see reached_arcs.h.
 *
 * A copy of an arc, which leaves a copy of its tail, weighs as much as the arc and what is paid before it: a turn, or on
 * a ferry the boarding, which those who stay aboard do not pay. The lightest copy has nothing to pay. */
#include "engine/query/isochrones/reached_arcs.h"

#include "engine/query/places/road_shape.h"

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
    const mcd_reached_arc entered = {.arc = arc,
                                     .tail = tail,
                                     .cost = cost,
                                     .weight = query->weights->objective[arc],
                                     .from = from,
                                     .ahead = ahead,
                                     .rise = potential_of(search, query->engine->graph.head[arc]) -
                                             potential_of(search, tail)};
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

static macadam_status grow(const mcd_reached_search *search, size_t first, size_t end, mcd_weight limit)
{
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
    if (arrive == entered->tail) return own; /* without copies */
    for (mcd_arc i = graph->first_in[arrive]; i < graph->first_in[arrive + 1]; ++i) {
        const uint32_t copy = mcd_road_copy(roads, graph->tail[i], entered->arc);
        if (copy == MCD_ROAD_NONE || !mcd_arc_is_open(weights, copy)) continue;
        if (weights->objective[copy] < own) own = weights->objective[copy];
    }
    return own;
}
