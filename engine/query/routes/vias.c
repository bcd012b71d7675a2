/* vias.c - see vias.h. Each direction of a waypoint is a place of its own: the legs between them are answered
 * together, and a walk over the waypoints finds the directions with the fewest turns and then the least
 * cost. */
#include "engine/query/routes/vias.h"

#include "engine/base/arena.h"

/* The ways to leave one waypoint and to arrive at the next: positions on one arc each, or the place as it is. */
enum { DIRECTIONS = 2, CELLS = DIRECTIONS * DIRECTIONS };

typedef struct via_leg {
    mcd_position from[DIRECTIONS], to[DIRECTIONS];
    int from_count, to_count;
    size_t first_cell; /* from[i] to to[j] is cell first_cell + i * to_count + j */
} via_leg;

/* The cost of arriving in one direction. */
typedef struct arrival {
    size_t turns;
    uint64_t objective, companion;
    int from, before; /* the direction in which this leg began, and in which the leg before arrived */
} arrival;

typedef struct straightening {
    const mcd_pairs *trips;
    const mcd_query *query;
    via_leg *leg;  /* [trips->count] */
    arrival *best; /* [trips->count * DIRECTIONS] */
    uint32_t *objective,
        *companion; /* of every way of every leg; [cell * befores + the direction in which the leg before arrived] */
    size_t befores; /* with a clock DIRECTIONS: costs depend on when the leg before arrived; else 1 */
} straightening;

/* Returns whether companions decide between ways of equal objectives, as they do in paths: also if they are not requested. */
static bool has_companion(const mcd_query *query)
{
    return query->timing.arcs ? query->joint : query->weights->companion != NULL;
}

/* Finds the costs of ways. companion: NULL: the query has none. One that is not requested leaves no way unreached. */
static macadam_status cost_ways(const mcd_pairs *ways, const mcd_query *query, uint32_t *objective,
                                uint32_t *companion, macadam_error *error)
{
    size_t known = 0;
    if (companion) MCD_TRY(mcd_pairs_costs(ways, query, objective, companion, error));
    while (companion && known < ways->count && (query->joint || companion[known] != MACADAM_UNREACHED))
        ++known;
    return known == ways->count ? MACADAM_OK : mcd_pairs_costs(ways, query, objective, NULL, error);
}

/* Returns the directions of a position as positions of their own; if there are not two, the position. */
static int split(const mcd_position *position, bool is_via, mcd_position out[DIRECTIONS])
{
    out[0] = out[1] = *position;
    if (!is_via || position->arc[0] == MCD_ROAD_NONE || position->arc[1] == MCD_ROAD_NONE) return 1;
    out[0].arc[1] = out[1].arc[0] = MCD_ROAD_NONE;
    return DIRECTIONS;
}

static size_t list_legs(straightening *run)
{
    const mcd_pairs *const trips = run->trips;
    size_t cells = 0;
    for (size_t l = 0; l < trips->count; ++l) {
        via_leg *const leg = &run->leg[l];
        leg->from_count = split(&trips->source.position[l], l > 0, leg->from);
        leg->to_count = split(&trips->target.position[l], l + 1 < trips->count, leg->to);
        leg->first_cell = cells;
        cells += (size_t)(leg->from_count * leg->to_count);
    }
    return cells;
}

/* With a clock, returns when leg l departs if the leg before arrived in a direction. */
static uint32_t instant_of(const straightening *run, size_t l, size_t before)
{
    const uint32_t first = run->trips->instant ? run->trips->instant[0] : 0;
    const arrival *const last = l ? &run->best[(l - 1) * DIRECTIONS + before] : NULL;
    const bool known =
        run->befores > 1 && l && before < (size_t)run->leg[l - 1].to_count && last->turns != SIZE_MAX;
    return known ? (uint32_t)((first + last->objective) % MACADAM_WEEK_MS) : first;
}

static size_t cells_of(const via_leg *leg)
{
    return (size_t)(leg->from_count * leg->to_count);
}

/* Answers the ways of some legs. With a clock, it must be known when the leg before arrives. */
static macadam_status answer_cells(straightening *run, size_t first, size_t end, macadam_error *error)
{
    const size_t cell = run->leg[first].first_cell * run->befores,
                 count = (run->leg[end - 1].first_cell + cells_of(&run->leg[end - 1])) * run->befores - cell;
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs ways = {0};
    MCD_TRY(mcd_pairs_new(&ways, count, error));
    for (size_t l = first, at = 0; l < end; ++l)
        for (size_t way = 0; way < cells_of(&run->leg[l]) * run->befores; ++way, ++at) {
            const size_t in_leg = way / run->befores, to_count = (size_t)run->leg[l].to_count;
            ways.source.position[at] = run->leg[l].from[in_leg / to_count];
            ways.target.position[at] = run->leg[l].to[in_leg % to_count];
            ways.instant[at] = instant_of(run, l, way % run->befores);
        }
    MCD_TRY(mcd_pairs_make(&ways, run->query, error));
    return cost_ways(&ways, run->query, run->objective + cell, run->companion ? run->companion + cell : NULL,
                     error);
}

static bool is_better(const arrival *a, const arrival *b)
{
    if (a->turns != b->turns) return a->turns < b->turns;
    return a->objective != b->objective ? a->objective < b->objective : a->companion < b->companion;
}

/* Whether leg l begins on the road on which the leg before ends: one of them may stay within a subnetwork (subnetwork.h). */
static bool goes_on(const straightening *run, size_t l)
{
    if (l == 0) return false;
    const mcd_position *const end = &run->trips->target.position[l - 1], *const start =
                                                                             &run->trips->source.position[l];
    return end->arc[0] == start->arc[0] && end->arc[1] == start->arc[1];
}

/* Arrivals of leg l by direction, from those of the leg before. */
static void walk_leg(straightening *run, size_t l)
{
    const via_leg *const leg = &run->leg[l];
    const bool turns = leg->from_count == DIRECTIONS && goes_on(run, l);
    for (int j = 0; j < leg->to_count; ++j) {
        arrival *const best = &run->best[l * DIRECTIONS + (size_t)j];
        *best = (arrival){.turns = SIZE_MAX};
        for (int way = 0; way < leg->from_count * DIRECTIONS; ++way) {
            const int i = way / DIRECTIONS, before = way % DIRECTIONS;
            const size_t cell = (leg->first_cell + (size_t)(i * leg->to_count + j)) * run->befores +
                                (size_t)before % run->befores;
            if (before >= (l ? run->leg[l - 1].to_count : 1)) continue;
            arrival next = l ? run->best[(l - 1) * DIRECTIONS + (size_t)before] : (arrival){0};
            if (next.turns == SIZE_MAX || run->objective[cell] == MACADAM_UNREACHED) continue;
            next.turns += turns && i != before;
            next.objective += run->objective[cell];
            next.companion += run->companion ? run->companion[cell] : 0;
            next.from = i;
            next.before = before;
            if (is_better(&next, best)) *best = next;
        }
    }
}

/* Replaces the trips by those in the best directions. */
static macadam_status keep_best(straightening *run, mcd_pairs *trips, macadam_error *error)
{
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs kept = {0};
    MCD_TRY(mcd_pairs_new(&kept, trips->count, error));
    int direction = 0;
    for (size_t l = trips->count; l-- > 0;) {
        const arrival *const best = &run->best[l * DIRECTIONS + (size_t)direction];
        kept.target.position[l] = run->leg[l].to[direction];
        kept.source.position[l] = run->leg[l].from[best->from];
        kept.instant[l] = trips->instant ? trips->instant[l] : 0;
        direction = best->before;
    }
    MCD_TRY(mcd_pairs_make(&kept, run->query, error));
    mcd_pairs_free(trips);
    return MCD_MOVE(*trips, kept);
}

macadam_status mcd_vias_straighten(mcd_pairs *trips, const mcd_query *query, macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {0};
    straightening run = {.trips = trips, .query = query};
    if (!trips->source.position || !trips->target.position) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&memory, run.leg, trips->count, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, run.best, trips->count * DIRECTIONS, error));
    const size_t cells = list_legs(&run);
    if (cells == trips->count) return MACADAM_OK; /* there is nothing to choose */
    run.befores = query->timing.arcs ? DIRECTIONS : 1;
    MCD_TRY(MCD_ARENA_NEW(&memory, run.objective, cells * run.befores, error));
    if (has_companion(query)) MCD_TRY(MCD_ARENA_NEW(&memory, run.companion, cells * run.befores, error));
    if (run.befores == 1) MCD_TRY(answer_cells(&run, 0, trips->count, error));
    for (size_t l = 0; l < trips->count; ++l) {
        if (run.befores > 1) MCD_TRY(answer_cells(&run, l, l + 1, error));
        walk_leg(&run, l);
    }
    return run.best[(trips->count - 1) * DIRECTIONS].turns == SIZE_MAX ? MACADAM_OK
                                                                       : keep_best(&run, trips, error);
}

/* ---- at junctions ---- */

/* Returns the first arc of a path that is a road (step 1), or the last (step -1), as departures use it. */
static uint32_t road_at(const mcd_roads *roads, const mcd_path *path, int step)
{
    for (size_t n = 0; n < path->count; ++n) {
        const uint32_t arc = path->arc[step > 0 ? n : path->count - 1 - n];
        if (mcd_arc_number(roads->facts, arc) != MCD_ARC_NONE)
            return mcd_road_original(roads, mcd_road_tail(roads->graph, arc), arc);
    }
    return MCD_ROAD_NONE;
}

/* Lists the roads that leave a node but one, as positions where they begin. Returns how many there
 * are. */
static size_t list_departures(const mcd_roads *roads, mcd_node node, uint32_t without, mcd_position *out)
{
    size_t count = 0;
    for (mcd_arc arc = roads->graph->first_out[node]; arc < roads->graph->first_out[node + 1]; ++arc) {
        if (arc == without || mcd_arc_number(roads->facts, (uint32_t)arc) == MCD_ARC_NONE) continue;
        out[count++] =
            (mcd_position){MCD_PLACE_NONE, {(uint32_t)arc, MCD_ROAD_NONE}, {0, MCD_ROAD_WHOLE}, {0, 0}};
    }
    return count;
}

/* Returns whether the leg turns around where it begins; then *back is the road that it takes. */
static bool turns_around(const mcd_roads *roads, const mcd_path *path, size_t leg, uint32_t *back)
{
    const uint32_t last = road_at(roads, &path[leg - 1], -1);
    *back = road_at(roads, &path[leg], 1);
    return last != MCD_ROAD_NONE && *back != MCD_ROAD_NONE &&
           mcd_road_back(roads, mcd_road_tail(roads->graph, last), last) == *back;
}

/* Sets *chosen to the road by which the leg costs least, with the least companion; MCD_PLACE_NONE: none leads to its end. */
static macadam_status choose_departure(const mcd_pairs *trips, size_t leg, const mcd_position *departure,
                                       size_t count, const mcd_query *query, size_t *chosen,
                                       macadam_error *error)
{
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs ways = {0};
    MCD_OWNED uint32_t *objective = NULL;
    MCD_OWNED uint32_t *companion = NULL;
    mcd_joint least = MCD_JOINT_UNREACHED;
    *chosen = MCD_PLACE_NONE;
    MCD_TRY(MCD_NEW(objective, count, error));
    if (has_companion(query)) MCD_TRY(MCD_NEW(companion, count, error));
    MCD_TRY(mcd_pairs_new(&ways, count, error));
    for (size_t i = 0; i < count; ++i) {
        ways.source.position[i] = departure[i];
        ways.target.position[i] = mcd_lanes_position(&trips->target, &query->engine->places, leg);
        ways.instant[i] = trips->instant ? trips->instant[leg] : 0;
    }
    MCD_TRY(mcd_pairs_make(&ways, query, error));
    MCD_TRY(cost_ways(&ways, query, objective, companion, error));
    for (size_t i = 0; i < count; ++i) {
        const mcd_joint cost = mcd_joint_of(objective[i], companion ? companion[i] : 0);
        if (objective[i] != MACADAM_UNREACHED && (*chosen == MCD_PLACE_NONE || cost < least))
            least = cost, *chosen = i;
    }
    return MACADAM_OK;
}

/* Makes the leg begin at `departure`. */
static macadam_status depart_at(mcd_pairs *trips, size_t leg, const mcd_position *departure,
                                const mcd_query *query, macadam_error *error)
{
    const mcd_place_index *const places = &query->engine->places;
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs changed = {0};
    MCD_TRY(mcd_pairs_new(&changed, trips->count, error));
    for (size_t l = 0; l < trips->count; ++l) {
        changed.source.position[l] = l == leg ? *departure : mcd_lanes_position(&trips->source, places, l);
        changed.target.position[l] = mcd_lanes_position(&trips->target, places, l);
        changed.instant[l] = trips->instant ? trips->instant[l] : 0;
    }
    MCD_TRY(mcd_pairs_make(&changed, query, error));
    mcd_pairs_free(trips);
    return MCD_MOVE(*trips, changed);
}

static macadam_status avoid_turn(mcd_pairs *trips, size_t leg, uint32_t back, bool *changed,
                                 const mcd_query *query, macadam_error *error)
{
    const mcd_roads *const roads = &query->engine->roads;
    const mcd_node node = mcd_road_tail(roads->graph, back);
    const mcd_arc *const first = &roads->graph->first_out[node];
    MCD_OWNED mcd_position *departure = NULL;
    size_t chosen;
    MCD_TRY(MCD_NEW(departure, (size_t)(first[1] - first[0]), error));
    const size_t count = list_departures(roads, node, back, departure);
    if (count == 0) return MACADAM_OK; /* a dead end */
    MCD_TRY(choose_departure(trips, leg, departure, count, query, &chosen, error));
    *changed = chosen != MCD_PLACE_NONE;
    return *changed ? depart_at(trips, leg, &departure[chosen], query, error) : MACADAM_OK;
}

macadam_status mcd_vias_avoid_turn(mcd_pairs *trips, const mcd_path *path, size_t *leg, bool *changed,
                                   const mcd_query *query, macadam_error *error)
{
    *changed = false;
    for (; *leg < trips->count && !*changed; ++*leg) {
        uint32_t back;
        if (mcd_lanes_is_within(&trips->source, *leg) || path[*leg - 1].count == 0) continue;
        if (turns_around(&query->engine->roads, path, *leg, &back))
            MCD_TRY(avoid_turn(trips, *leg, back, changed, query, error));
    }
    return MACADAM_OK;
}
