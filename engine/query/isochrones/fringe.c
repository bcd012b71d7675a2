/* fringe.c - see fringe.h.
 *
 * Method. A search over the ids that are not reached, from those next to reached ones, along the roads that depart from
 * them, as long as it stays where reached roads are felt. Costs of an id are those of arriving there (backward: of
 * departing), so the rest of a road begins where its best copy ends, or further on. */
#include "engine/query/isochrones/fringe.h"

#include "engine/base/grow.h"
#include "engine/query/places/road_shape.h"

static const double LEAST_SHARE = 1e-9;
enum { BESIDE = 2 }; /* cells: so far from where a reached road is felt, a road may still cut the area */

typedef struct fringe_run {
    mcd_fringe *fringe;
    const mcd_reached_search *search;
    const mcd_roads *roads;
    const mcd_node *at; /* nodes_of_costs */
    const mcd_weight *weight;
    int64_t limit;
    mcd_dots *dots;
    const mcd_dots_grid *grid;
    const mcd_field *reached;
    mcd_field *out;
} fringe_run;

static bool has(const mcd_node_list *list, mcd_node node)
{
    return list->has[node / 64] >> node % 64 & 1;
}

static macadam_status add(mcd_node_list *list, mcd_node node, macadam_error *error)
{
    if (list->count == list->capacity) MCD_TRY(MCD_GROW(list->node, list->capacity, list->count + 1, error));
    list->has[node / 64] |= UINT64_C(1) << node % 64;
    list->node[list->count++] = node;
    return MACADAM_OK;
}

static void empty(mcd_node_list *list)
{
    for (size_t i = 0; i < list->count; ++i) list->has[list->node[i] / 64] = 0;
    list->count = 0;
}

void mcd_fringe_begin(mcd_fringe *fringe)
{
    empty(&fringe->seed);
}

/* Returns, of an id: the node at which its cost is; in the fringe, it stands for the id. */
static const mcd_node *nodes_of_costs(const mcd_reached_search *search)
{
    const mcd_place_index *const places = &search->query->engine->places;
    return search->direction == MCD_FORWARD ? places->arrive : places->depart;
}

macadam_status mcd_fringe_seed(mcd_fringe *fringe, const mcd_reached_search *search, mcd_node node)
{
    const mcd_node at = nodes_of_costs(search)[search->query->engine->places.node_place[node]];
    return has(&fringe->seed, at) ? MACADAM_OK : add(&fringe->seed, at, search->error);
}

/* Returns what the limit leaves at a node; negative: it is not reached. */
static int64_t rest_at(const fringe_run *run, mcd_node node)
{
    const mcd_reached_search *const search = run->search;
    const int32_t *const potential = search->limit->of_id;
    if (!mcd_node_range_has(search->range, node)) return -1;
    return run->limit - search->range->cost[node] -
           (potential ? mcd_signed_limit_rise(search->limit, search->place,
                                              potential[run->roads->places->node_place[node]])
                      : 0);
}

/* Returns whether a road there may cut the area: whether a reached road is felt near it. */
static bool is_felt(const fringe_run *run, float east_m, float north_m)
{
    const double per_m = run->grid->per_m, x = east_m * per_m - run->grid->west_m * per_m,
                 y = north_m * per_m - run->grid->south_m * per_m;
    const mcd_field *const field = run->reached;
    if (!(x >= BESIDE && y >= 0 && x + BESIDE < (double)field->columns && y < (double)field->rows))
        return false;
    const float *const at = field->square + (size_t)y * field->columns + (size_t)x;
    return at[-BESIDE] < MCD_FIELD_FAR || at[BESIDE] < MCD_FIELD_FAR;
}

/* Adds a node that is not reached, if a reached road is felt there, and draws it. */
static macadam_status see(fringe_run *run, mcd_node node, macadam_error *error)
{
    const mcd_dots_point at = mcd_dots_place(run->dots, run->roads->places, node);
    if (!is_felt(run, at.x, at.y)) return MACADAM_OK;
    mcd_dots_draw(&(mcd_dots_dot){.x = at.x, .y = at.y}, run->grid, run->out);
    return add(&run->fringe->near, node, error);
}

/* Returns the share of an arc that the limit pays for from its tail, or to its head: at least a little. */
static double share_of(const fringe_run *run, mcd_node tail, uint32_t arc, bool from_tail, int64_t rest)
{
    const bool along = from_tail == (run->search->direction == MCD_FORWARD);
    const uint32_t used = along ? arc : mcd_road_back(run->roads, tail, arc);
    if (used == MCD_ROAD_NONE || run->weight[used] == 0 || run->weight[used] == MCD_UNREACHED)
        return LEAST_SHARE;
    const mcd_reached_arc entered = mcd_reached_enter(run->search, used, (mcd_weight)(run->limit - rest));
    return fmax(entered.timed && rest < entered.weight ? mcd_reached_share(&entered, (uint32_t)run->limit)
                                                       : (double)rest / entered.weight,
                LEAST_SHARE);
}

/* Draws what is not reached of an arc. The limit leaves `rest` at its tail, and `rest_there` at its head. */
static macadam_status draw(fringe_run *run, mcd_node tail, uint32_t arc, int64_t rest, int64_t rest_there,
                           macadam_error *error)
{
    mcd_dots *const dots = run->dots;
    const size_t count = dots->count;
    const double from = rest >= 0 ? share_of(run, tail, arc, true, rest) : 0,
                 to = rest_there >= 0 ? 1 - share_of(run, tail, arc, false, rest_there) : 1;
    MCD_TRY(mcd_dots_stretch(dots, run->roads, tail, arc, from, to, error));
    while (dots->count > count) {
        const mcd_dots_dot *const dot = &dots->dot[--dots->count];
        if (is_felt(run, dot->x, dot->y)) mcd_dots_draw(dot, run->grid, run->out);
    }
    return MACADAM_OK;
}

/* Returns whether a limit that leaves `rest` at the tail of an arc reaches all of it. */
static bool is_whole(const fringe_run *run, uint32_t arc, int64_t rest)
{
    return rest >= 0 && rest >= mcd_reached_enter(run->search, arc, (mcd_weight)(run->limit - rest)).weight;
}

/* Returns whether a limit may leave something of the roads that depart from a node, of which it leaves `rest`. If not, larger
 * limits do not, either. */
static bool is_cut(const fringe_run *run, mcd_node node, int64_t rest)
{
    const mcd_graph *const graph = run->roads->graph;
    const mcd_node tail = run->roads->places->depart[run->roads->places->node_place[node]];
    bool whole = run->search->direction == MCD_FORWARD;
    for (mcd_arc xy = graph->first_out[tail]; whole && xy < graph->first_out[tail + 1]; ++xy)
        whole = run->weight[xy] >= MCD_UNREACHED || is_whole(run, (uint32_t)xy, rest);
    return !whole;
}

/* Draws what is not reached of the roads that depart from a node of the fringe. */
static macadam_status look(fringe_run *run, mcd_node node, macadam_error *error)
{
    const mcd_graph *const graph = run->roads->graph;
    const uint32_t *const id = run->roads->places->node_place;
    const bool forward = run->search->direction == MCD_FORWARD;
    const mcd_node tail = run->roads->places->depart[id[node]];
    const int64_t rest = rest_at(run, node);
    for (mcd_arc xy = graph->first_out[tail]; xy < graph->first_out[tail + 1]; ++xy) {
        const uint32_t arc = (uint32_t)xy;
        if (run->weight[arc] >= MCD_UNREACHED || (forward && is_whole(run, arc, rest))) continue;
        const mcd_node there = run->at[id[graph->head[arc]]];
        const int64_t rest_there = rest_at(run, there);
        if ((rest >= 0 && rest_there >= 0) || !mcd_arc_is_road(run->search->query->engine, arc) ||
            mcd_dots_is_carried(run->roads->facts, arc))
            continue;
        if (rest_there < 0 && !has(&run->fringe->near, there)) MCD_TRY(see(run, there, error));
        if (!mcd_dots_note_road(run->dots, run->roads, tail, arc, run->limit + 1))
            MCD_TRY(draw(run, tail, arc, rest, rest_there, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_fringe_draw(mcd_fringe *fringe, const mcd_reached_search *search, uint32_t limit,
                               mcd_dots *dots, const mcd_dots_grid *grid, const mcd_field *reached,
                               mcd_field *out)
{
    const mcd_roads *const roads = &search->query->engine->roads;
    size_t left = 0;
    fringe_run run = {.fringe = fringe, .search = search, .roads = roads, .limit = limit, .dots = dots};
    run.grid = grid, run.reached = reached, run.out = out;
    run.at = nodes_of_costs(search);
    run.weight = search->query->weights->objective;
    mcd_field_clear(out);
    empty(&fringe->near);
    for (size_t i = 0; i < fringe->seed.count; ++i) {
        const mcd_node node = fringe->seed.node[i];
        const int64_t rest = rest_at(&run, node);
        if (rest >= 0 && !is_cut(&run, node, rest)) {
            fringe->seed.has[node / 64] = 0; /* all seeds are listed: no bit is read any more */
            continue;
        }
        fringe->seed.node[left++] = node;
        if (rest >= 0) MCD_TRY(add(&fringe->near, node, search->error));
    }
    fringe->seed.count = left;
    for (size_t i = 0; i < fringe->near.count; ++i) MCD_TRY(look(&run, fringe->near.node[i], search->error));
    return MACADAM_OK;
}
