/* fringe.c - see fringe.h.
 *
 * Method. A search over the ids that are not reached, from those next to reached ones, along the roads that depart from
 * them, as long as it stays where reached roads are felt. Costs of an id are those of arriving there (backward: of
 * departing), so the rest of a road begins where its best copy ends, or further on. */
#include "engine/query/isochrones/fringe.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/query/places/road_shape.h"

typedef struct fringe_run {
    mcd_fringe *fringe;
    const mcd_reached_search *search;
    const mcd_roads *roads;
    const mcd_weight *weight;
    int64_t limit;
    const mcd_dots_grid *grid;
    const mcd_field *reached;
    mcd_field *out;
} fringe_run;

macadam_status mcd_fringe_new(mcd_fringe *out, size_t id_count, macadam_error *error)
{
    return MCD_NEW_ZEROED(out->seen, id_count, error);
}

void mcd_fringe_free(mcd_fringe *fringe)
{
    MCD_FREE_ALL(fringe->seen, fringe->id);
    mcd_dots_free(&fringe->dots);
    *fringe = (mcd_fringe){.count = 0};
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
    const double x = (east_m - run->grid->west_m) / run->grid->cell_m,
                 y = (north_m - run->grid->south_m) / run->grid->cell_m;
    const mcd_field *const field = run->reached;
    return x >= 0 && y >= 0 && x < (double)field->columns && y < (double)field->rows &&
           field->square[(size_t)y * field->columns + (size_t)x] < MCD_FIELD_FAR;
}

static bool is_id_felt(const fringe_run *run, uint32_t id)
{
    float at[2];
    const mcd_place_index *const places = run->roads->places;
    const mcd_node node = places->depart[id];
    mcd_dots_place(&run->fringe->dots, (mcd_point){places->lon_e7[node], places->lat_e7[node]}, at);
    return is_felt(run, at[0], at[1]);
}

static macadam_status see(fringe_run *run, uint32_t id, macadam_error *error)
{
    mcd_fringe *const fringe = run->fringe;
    if (fringe->seen[id]) return MACADAM_OK;
    MCD_TRY(MCD_GROW(fringe->id, fringe->capacity, fringe->count + 1, error));
    fringe->seen[id] = 1;
    fringe->id[fringe->count++] = id;
    return MACADAM_OK;
}

/* Draws the stretch of an arc between two shares of its length. */
static macadam_status draw(fringe_run *run, mcd_node tail, uint32_t arc, double from, double to,
                           macadam_error *error)
{
    mcd_dots *const dots = &run->fringe->dots;
    MCD_TRY(mcd_dots_stretch(dots, run->roads, tail, arc, from, to, error));
    for (size_t i = 0; i < dots->count; ++i)
        if (is_felt(run, dots->dot[i].x, dots->dot[i].y)) mcd_dots_draw(&dots->dot[i], run->grid, run->out);
    dots->count = 0;
    return MACADAM_OK;
}

/* Returns the share of an arc that `rest` pays for, at least a little: an end at a reached id is left out. */
static double share_of(const fringe_run *run, uint32_t used, int64_t rest)
{
    const mcd_weight weight = used == MCD_ROAD_NONE ? MCD_UNREACHED : run->weight[used];
    const double share = weight < MCD_UNREACHED && weight ? (double)rest / weight : 0;
    return share > 1e-9 ? share : 1e-9;
}

/* Draws what is not reached of an arc between an id that is reached, where the limit leaves `rest`, and one that is not:
 * `leads_out`: from the first to the second. */
static macadam_status draw_rest(fringe_run *run, mcd_node tail, uint32_t arc, int64_t rest, bool leads_out,
                                macadam_error *error)
{
    const bool along = leads_out == (run->search->direction == MCD_FORWARD);
    const uint32_t used = along ? arc : mcd_road_back(run->roads, tail, arc);
    const double share = share_of(run, used, rest);
    return leads_out ? draw(run, tail, arc, share, 1, error) : draw(run, tail, arc, 0, 1 - share, error);
}

/* Returns whether the two-way roads to an id are drawn from there. */
static bool is_drawn(const fringe_run *run, uint32_t id, bool reached)
{
    return reached || run->fringe->seen[id] == 2;
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
        if (run->weight[arc] >= MCD_UNREACHED || !mcd_arc_is_road(run->search->query->engine, arc) ||
            mcd_dots_is_carried(run->roads->facts, arc))
            continue;
        const int64_t rest_there = rest_at(run, to);
        const bool reached = rest_there >= 0;
        if (!reached) MCD_TRY(see(run, to, error));
        if (rest >= 0 && !reached) MCD_TRY(draw_rest(run, tail, arc, rest, true, error));
        if (rest >= 0 ||
            (is_drawn(run, to, reached) && mcd_road_back(run->roads, tail, arc) != MCD_ROAD_NONE))
            continue;
        MCD_TRY(reached ? draw_rest(run, tail, arc, rest_there, false, error)
                        : draw(run, tail, arc, 0, 1, error));
    }
    return MACADAM_OK;
}

static macadam_status look_at_all(fringe_run *run, macadam_error *error)
{
    const mcd_node_range *const range = run->search->range;
    const mcd_place_index *const places = run->roads->places;
    const mcd_node *const at = run->search->direction == MCD_FORWARD ? places->arrive : places->depart;
    for (size_t i = 0; i < range->count; ++i) {
        const uint32_t id = places->node_place[range->node[i]];
        if (at[id] != range->node[i]) continue;
        const int64_t rest = rest_at(run, id);
        if (rest >= 0) MCD_TRY(look(run, id, rest, error));
    }
    for (size_t i = 0; i < run->fringe->count; ++i) {
        const uint32_t id = run->fringe->id[i];
        if (!is_id_felt(run, id)) continue;
        MCD_TRY(look(run, id, -1, error));
        run->fringe->seen[id] = 2;
    }
    return MACADAM_OK;
}

macadam_status mcd_fringe_draw(mcd_fringe *fringe, const mcd_reached_search *search, uint32_t limit,
                               const mcd_dots *points, const mcd_dots_grid *grid, const mcd_field *reached,
                               mcd_field *out)
{
    const macadam_engine *const engine = search->query->engine;
    fringe_run run = {fringe, search, &engine->roads, search->query->weights->objective,
                      limit,  grid,   reached,        out};
    MCD_TRY(mcd_dots_begin(&fringe->dots, points->lon, points->lat, points->step_m, 1, search->error));
    fringe->dots.count = 0;
    const macadam_status status = look_at_all(&run, search->error);
    for (size_t i = 0; i < fringe->count; ++i) fringe->seen[fringe->id[i]] = 0;
    fringe->count = 0;
    return status;
}
