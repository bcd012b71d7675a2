/* fringe.c - see fringe.h.
 *
 * Method. A search over the ids that are not reached, from those next to reached ones, along the roads that depart from
 * them, as long as it stays where reached roads are felt. Costs of an id are those of arriving there (backward: of
 * departing), so the rest of a road begins where its best copy ends, or further on. */
#include "engine/query/isochrones/fringe.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/query/places/road_shape.h"

#include <math.h>

static const double LEAST_SHARE = 1e-9;

/* Notes of an id that is not reached. DRAWN: its roads are drawn. */
enum { DRAWN, SEEN };

typedef struct fringe_run {
    const mcd_reached_search *search;
    const mcd_roads *roads;
    const mcd_weight *weight;
    int64_t limit;
    mcd_dots *dots;
    const mcd_dots_grid *grid;
    const mcd_field *reached;
    mcd_field *out;
    uint32_t *id; /* [count] not reached, but on a road of the fringe and where reached roads are felt */
    size_t count, capacity;
} fringe_run;

static void free_run(fringe_run *run)
{
    mcd_free(run->id);
}

/* Returns what the limit leaves at an id; negative: it is not reached. */
static int64_t rest_at(const fringe_run *run, uint32_t id)
{
    const mcd_reached_search *const search = run->search;
    const mcd_place_index *const places = run->roads->places;
    const mcd_node node = search->direction == MCD_FORWARD ? places->arrive[id] : places->depart[id];
    const int32_t *const potential = search->limit->of_id;
    if (!mcd_node_range_has(search->range, node)) return -1;
    return run->limit - search->range->cost[node] -
           (potential ? mcd_signed_limit_rise(search->limit, search->place, potential[id]) : 0);
}

/* Returns whether a reached road is felt there. */
static bool is_felt(const fringe_run *run, float east_m, float north_m)
{
    const double per_m = run->grid->per_m, x = east_m * per_m - run->grid->west_m * per_m,
                 y = north_m * per_m - run->grid->south_m * per_m;
    const mcd_field *const field = run->reached;
    return x >= 0 && y >= 0 && x < (double)field->columns && y < (double)field->rows &&
           field->square[(size_t)y * field->columns + (size_t)x] < MCD_FIELD_FAR;
}

/* *before: what is noted of the id. */
static macadam_status see(fringe_run *run, uint32_t id, uint32_t *before, macadam_error *error)
{
    float at[2];
    MCD_TRY(mcd_dots_note(run->dots, (uint64_t)id << 32, SEEN, before, error));
    if (*before != MCD_DOTS_NONE) return MACADAM_OK;
    mcd_dots_place(run->dots, run->roads->places, run->roads->places->depart[id], at);
    if (!is_felt(run, at[0], at[1])) return MACADAM_OK;
    MCD_TRY(MCD_GROW(run->id, run->capacity, run->count + 1, error));
    run->id[run->count++] = id;
    return MACADAM_OK;
}

/* Returns the share of an arc that the limit pays for from its tail, or to its head: at least a little. */
static double share_of(const fringe_run *run, mcd_node tail, uint32_t arc, bool from_tail, int64_t rest)
{
    const bool along = from_tail == (run->search->direction == MCD_FORWARD);
    const uint32_t used = along ? arc : mcd_road_back(run->roads, tail, arc);
    const mcd_weight weight = used == MCD_ROAD_NONE ? 0 : run->weight[used];
    return weight && weight < MCD_UNREACHED ? fmax((double)rest / weight, LEAST_SHARE) : LEAST_SHARE;
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

/* Looks at the roads that depart from an id, where the limit leaves `rest`. */
static macadam_status look(fringe_run *run, uint32_t id, int64_t rest, macadam_error *error)
{
    const mcd_graph *const graph = run->roads->graph;
    const bool forward = run->search->direction == MCD_FORWARD;
    const mcd_node tail = run->roads->places->depart[id];
    for (mcd_arc xy = graph->first_out[tail]; xy < graph->first_out[tail + 1]; ++xy) {
        const uint32_t arc = (uint32_t)xy, to = run->roads->places->node_place[graph->head[arc]];
        if (forward && rest >= (int64_t)run->weight[arc]) continue; /* it is reached as a whole */
        if (run->weight[arc] >= MCD_UNREACHED) continue;
        const int64_t rest_there = rest_at(run, to);
        if ((rest >= 0 && rest_there >= 0) || !mcd_arc_is_road(run->search->query->engine, arc) ||
            mcd_dots_is_carried(run->roads->facts, arc))
            continue;
        uint32_t there = DRAWN;
        if (rest_there < 0) MCD_TRY(see(run, to, &there, error));
        if (rest >= 0 || there != DRAWN || mcd_road_back(run->roads, tail, arc) == MCD_ROAD_NONE)
            MCD_TRY(draw(run, tail, arc, rest, rest_there, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_fringe_draw(const mcd_reached_search *search, uint32_t limit, mcd_dots *dots,
                               const mcd_dots_grid *grid, const mcd_field *reached, mcd_field *out)
{
    const mcd_node_range *const range = search->range;
    MCD_FREED_BY(free_run) fringe_run run = {.search = search, .limit = limit, .dots = dots, .grid = grid};
    run.roads = &search->query->engine->roads, run.weight = search->query->weights->objective;
    run.reached = reached, run.out = out;
    const mcd_place_index *const places = run.roads->places;
    const mcd_node *const at = search->direction == MCD_FORWARD ? places->arrive : places->depart;
    MCD_TRY(mcd_field_new(out, reached->columns, reached->rows, search->error));
    for (size_t i = 0; i < range->count; ++i) {
        const uint32_t id = places->node_place[range->node[i]];
        const int64_t rest = at[id] == range->node[i] ? rest_at(&run, id) : -1;
        if (rest >= 0) MCD_TRY(look(&run, id, rest, search->error));
    }
    for (size_t i = 0; i < run.count; ++i) {
        uint32_t before;
        MCD_TRY(look(&run, run.id[i], -1, search->error));
        MCD_TRY(mcd_dots_note(dots, (uint64_t)run.id[i] << 32, DRAWN, &before, search->error));
    }
    return MACADAM_OK;
}
