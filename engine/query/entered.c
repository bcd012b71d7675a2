/* entered.c - see entered.h.
 *
 * A copy of an arc, which leaves a copy of its tail, weighs as much as the arc and what is paid before it: a turn, or on
 * a ferry the boarding, which those who stay aboard do not pay. The lightest copy has nothing to pay. */
#include "engine/query/entered.h"

#include "engine/base/memory.h"
#include "engine/query/road_shape.h"

static int32_t potential_of(const mcd_entered_search *search, mcd_node node)
{
    const int32_t *const potential = search->limit->at.of_id;
    return potential ? potential[search->engine->places.node_place[node]] : 0;
}

static int32_t rise_of(const mcd_entered_search *search, mcd_node tail, uint32_t arc)
{
    return potential_of(search, search->engine->graph.head[arc]) - potential_of(search, tail);
}

/* Visits the arcs within which the place lies, from the place on. */
static macadam_status visit_own(const mcd_entered_search *search, const mcd_position *position)
{
    const macadam_engine *const engine = search->engine;
    for (int i = 0; position && i < 2; ++i) {
        const uint32_t arc = position->arc[i];
        if (arc == MCD_ROAD_NONE || !mcd_arc_is_open(search->weights, arc)) continue;
        const double before = (double)position->before[i] / MCD_ROAD_WHOLE;
        const mcd_node tail = mcd_road_tail(&engine->graph, arc);
        const mcd_entered own = {.number = mcd_arc_number(&engine->facts, arc),
                                 .arc = arc,
                                 .tail = tail,
                                 .weight = search->weights->objective[arc],
                                 .from = search->direction == MCD_BACKWARD ? 1 - before : before,
                                 .rise = rise_of(search, tail, arc)};
        MCD_TRY(search->visit(search->context, &own, search->error));
    }
    return MACADAM_OK;
}

static macadam_status visit_arc(const mcd_entered_search *search, mcd_node tail, uint32_t arc,
                                mcd_weight cost, int32_t ahead)
{
    if (!mcd_arc_is_road(search->engine, arc) || !mcd_arc_is_open(search->weights, arc)) return MACADAM_OK;
    const mcd_entered entered = {mcd_arc_number(&search->engine->facts, arc),
                                 arc,
                                 tail,
                                 cost,
                                 search->weights->objective[arc],
                                 0,
                                 ahead,
                                 rise_of(search, tail, arc)};
    return search->visit(search->context, &entered, search->error);
}

/* Returns how much the potential rises between the place and the node. */
static int32_t ahead_of(const mcd_entered_search *search, mcd_node node)
{
    return (int32_t)mcd_signed_limit_rise(search->limit, search->place, potential_of(search, node));
}

/* Nodes and their costs. */
typedef struct kept_nodes {
    mcd_node *node; /* [count] ascending */
    mcd_weight *cost;
    size_t count;
} kept_nodes;

static macadam_status grow(const mcd_entered_search *search, const mcd_lanes *lanes, size_t place,
                           mcd_weight limit)
{
    const size_t first = mcd_lanes_first(lanes, place), end = mcd_lanes_first(lanes, place + 1);
    return mcd_ball_grow(search->ball, search->weights, search->direction, lanes->lane + first, end - first,
                         limit, search->watch, search->error);
}

static macadam_status new_kept(kept_nodes *out, size_t capacity, macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->node, capacity, error));
    return MCD_NEW(out->cost, capacity, error);
}

static void free_kept(kept_nodes *kept)
{
    mcd_free(kept->node);
    mcd_free(kept->cost);
}

static void put(kept_nodes *out, mcd_node node, mcd_weight cost)
{
    out->node[out->count] = node;
    out->cost[out->count++] = cost;
}

static macadam_status keep_ball(kept_nodes *out, const mcd_entered_search *search)
{
    const mcd_ball *const ball = search->ball;
    MCD_TRY(new_kept(out, ball->count, search->error));
    for (size_t i = 0; i < ball->count; ++i) put(out, ball->node[i], ball->cost[ball->node[i]]);
    return MACADAM_OK;
}

/* Of the nodes of the ball and of those from the second position of the place, keeps those that decide. */
static void choose(kept_nodes *out, const mcd_entered_search *search, const mcd_sites *sites, uint32_t site,
                   const kept_nodes *other, mcd_weight limit)
{
    const mcd_ball *const ball = search->ball;
    for (size_t i = 0, k = 0; i < ball->count || k < other->count;) {
        const mcd_node first = i < ball->count ? ball->node[i] : MCD_NODE_NONE,
                       second = k < other->count ? other->node[k] : MCD_NODE_NONE,
                       node = first < second ? first : second;
        const bool within = mcd_site_has(search->engine, site, node);
        if (mcd_sites_decide(sites, within, node == first)) {
            if (node == second) put(out, node, other->cost[k]);
        } else if (node == first && ball->cost[node] <= limit) {
            put(out, node, ball->cost[node]);
        }
        i += node == first;
        k += node == second;
    }
}

static void fill_ball(mcd_ball *ball, const kept_nodes *kept)
{
    for (size_t i = 0; i < ball->count; ++i) mcd_ball_remove(ball, ball->node[i]);
    for (size_t i = 0; i < kept->count; ++i) mcd_ball_add(ball, ball->node[i] = kept->node[i], kept->cost[i]);
    ball->count = kept->count;
}

/* Whether an arc of the place's second position leads to a node that the first one does not reach: `search->ball` is then of
 * all nodes that it reaches. */
static bool leads_further(const mcd_entered_search *search)
{
    const mcd_graph *const graph = &search->engine->graph;
    for (int i = 0; search->other && i < 2; ++i) {
        const uint32_t arc = search->other->arc[i];
        if (arc == MCD_ROAD_NONE) continue;
        const mcd_node far = search->direction == MCD_FORWARD ? graph->head[arc] : mcd_road_tail(graph, arc);
        if (!mcd_ball_has(search->ball, far)) return true;
    }
    return false;
}

/* Grows a ball from both positions of the k-th place in a site. Whether a node is reached from the first one does not depend
 * on the limit. */
static macadam_status grow_both(mcd_entered_search *search, const mcd_lanes *lanes, const mcd_sites *sites,
                                size_t k, mcd_weight limit)
{
    kept_nodes other = {NULL}, kept = {NULL};
    macadam_status status = grow(search, &sites->lanes, k, limit);
    if (!status) status = keep_ball(&other, search);
    if (!status) status = grow(search, lanes, search->place, sites->fills ? MCD_WEIGHT_MAX : limit);
    if (!status && sites->fills && !leads_further(search)) search->other = NULL;
    if (!status) status = new_kept(&kept, search->ball->count + other.count, search->error);
    if (!status) {
        choose(&kept, search, sites, sites->component[k], &other, limit);
        fill_ball(search->ball, &kept);
    }
    free_kept(&other);
    free_kept(&kept);
    return status;
}

macadam_status mcd_entered_grow(mcd_entered_search *search, const mcd_lanes *lanes, const mcd_sites *sites,
                                mcd_weight limit)
{
    const size_t k = sites->count ? mcd_sites_find(sites, search->place) : 0;
    search->position = lanes->position ? &lanes->position[search->place] : NULL;
    search->other = k < sites->count && sites->lanes.position ? &sites->lanes.position[k] : NULL;
    return k < sites->count ? grow_both(search, lanes, sites, k, limit)
                            : grow(search, lanes, search->place, limit);
}

macadam_status mcd_entered_find(const mcd_entered_search *search)
{
    const mcd_graph *const graph = &search->engine->graph;
    const mcd_ball *const ball = search->ball;
    MCD_TRY(visit_own(search, search->position));
    MCD_TRY(visit_own(search, search->other));
    for (size_t i = 0; i < ball->count; ++i) {
        const mcd_node node = ball->node[i];
        const int32_t ahead = ahead_of(search, node);
        MCD_TRY(mcd_watch_item(search->watch, i, ball->count, search->error));
        if (search->direction == MCD_FORWARD)
            for (mcd_arc xy = graph->first_out[node]; xy < graph->first_out[node + 1]; ++xy)
                MCD_TRY(visit_arc(search, node, (uint32_t)xy, ball->cost[node], ahead));
        else
            for (mcd_arc xy = graph->first_in[node]; xy < graph->first_in[node + 1]; ++xy)
                MCD_TRY(visit_arc(search, graph->tail[xy], graph->in_arc[xy], ball->cost[node], ahead));
    }
    return MACADAM_OK;
}

mcd_weight mcd_entered_own(const mcd_entered *entered, const mcd_roads *roads, const mcd_weights *weights)
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
