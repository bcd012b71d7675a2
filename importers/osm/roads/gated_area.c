/* gated_area.c - see gated_area.h.
 *
 * Method: the core of each connected part of the map is the strongly connected component with the longest
 * roads that its public roads make without gates; ferries and trains have no length. Four searches begin at
 * the cores: forward and backward, over public roads only and over all roads and gates. A public arc lies in
 * a gated area if it is entered from the core, or leads to it, over all roads but not over public ones:
 *
 *      core --- x --- x        --- public     x, y stay public
 *        \                     === tagged     p lies in a gated area
 *         === p --- p
 *
 * Arcs that are not entered from the core, or do not lead to it, make a smaller map, which has cores of its
 * own. The next round looks for its gated areas in the same way, until no round finds more, or ROUNDS are over.
 *
 * Why it is right: a route has destination-only arcs only before its public arcs, after them, or has no
 * public ones; arcs of gated areas may stand before them or after them, as far as public roads do not lead out or
 * in (access_zone.h). Let a way lead from one place to another through a core, over any roads. An arc from which
 * the core is reached only over destination-only roads lies in a gated area, so that the first place reaches
 * the core over public roads after all destination-only ones. Likewise the second place is reached from it,
 * and public roads of the core connect the two: there is a route. If no way leads through the core, the first
 * place does not lead to it or the second one is not entered from it. Then all of the way belongs to the
 * smaller map. No arc of the core changes: a destination-only road between two public ones of the core stays
 * no shortcut. A gate is passed by those on destination-only roads, so that a gated area's arcs at a gate
 * become destination-only.
 *
 * Where public roads are nowhere strongly connected, the core is a single node. */
#include "importers/osm/roads/gated_area.h"
#include "importers/osm/roads/core.h"

enum { ROUNDS = 16 };

/* The roads that a search uses. */
typedef enum road_kind { PUBLIC_ROADS, ALL_ROADS, ROAD_KINDS } road_kind;

/* Facts about a node: one bit for each of the four searches that come to it, and its barrier. */
enum { FROM_CORE = 1, TO_CORE = 2, BITS_PER_KIND = 2, GATE = 16, BLOCKED = 32, BARRIERS = GATE | BLOCKED };

/* The map of a round. That of the first one borrows the arrays of the whole map. */
typedef struct gated_area_round {
    mcd_arena arena;    /* of the arrays below */
    mcd_map roads;      /* only tails and heads */
    uint32_t *segment;  /* [arc_count] of segments */
    uint8_t *use;       /* [arc_count] mcd_road_use */
    mcd_weight *length; /* [arc_count] at least 1 */
    mcd_arc *number;    /* [arc_count] of each arc in the whole map; NULL: its own */
    uint8_t *known;     /* [node_count] FROM_CORE << BITS_PER_KIND * kind | ... */
    mcd_incidence out, in;
    mcd_watch *watch;
} gated_area_round;

static void free_round(gated_area_round *round)
{
    mcd_arena_free(&round->arena);
    *round = (gated_area_round){0};
}

static bool is_of_kind(const gated_area_round *round, road_kind kind, mcd_arc arc)
{
    return kind == ALL_ROADS || round->use[arc] != MCD_ROAD_DESTINATION_ONLY;
}

/* Nobody goes on from there by roads of the kind, but back. */
static bool is_barred(const gated_area_round *round, road_kind kind, mcd_node node)
{
    return (round->known[node] & (kind == ALL_ROADS ? BLOCKED : BARRIERS)) != 0;
}

static bool is_at_gate(const gated_area_round *round, mcd_arc arc)
{
    return ((round->known[round->roads.tail[arc]] | round->known[round->roads.head[arc]]) & GATE) != 0;
}

/* Whether there may be gated areas: some arc is public, and some other one is destination-only or at a gate. */
static bool is_mixed(const gated_area_round *round)
{
    bool public = false, tagged = false;
    for (mcd_arc arc = 0; arc < round->roads.arc_count && !(public && tagged); ++arc) {
        public = public || round->use[arc] < MCD_ROAD_GATED_AREA;
        tagged = tagged || round->use[arc] == MCD_ROAD_DESTINATION_ONLY || is_at_gate(round, arc);
    }
    return public && tagged;
}

/* ---- cores ---- */

/* Cores consist of nodes between which public roads lead both ways. */
static uint8_t core_use(const gated_area_round *round, mcd_arc arc)
{
    const mcd_node tail = round->roads.tail[arc], head = round->roads.head[arc];
    const bool public = is_of_kind(round, PUBLIC_ROADS, arc) && !is_barred(round, PUBLIC_ROADS, tail);
    const bool leads = public && !is_barred(round, PUBLIC_ROADS, head);
    const bool joins = !is_barred(round, ALL_ROADS, tail) && !is_barred(round, ALL_ROADS, head);
    return (uint8_t)(public * MCD_CORE_COUNTS + leads * MCD_CORE_LEADS + joins * MCD_CORE_JOINS);
}

static macadam_status find_cores(gated_area_round *round, macadam_error *error)
{
    const mcd_map *const roads = &round->roads;
    uint8_t *use;
    bool *is_core;
    MCD_TRY(MCD_ARENA_NEW(&round->arena, use, roads->arc_count, error));
    MCD_TRY(MCD_ARENA_NEW(&round->arena, is_core, roads->node_count, error));
    for (mcd_arc arc = 0; arc < roads->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(round->watch, arc, roads->arc_count, error));
        use[arc] = core_use(round, arc);
    }
    MCD_TRY(
        mcd_cores_find(is_core, roads, &round->out, use, round->length, &round->arena, round->watch, error));
    for (mcd_node node = 0; node < roads->node_count; ++node)
        if (is_core[node]) round->known[node] |= (FROM_CORE | TO_CORE) * (1 | 1 << BITS_PER_KIND);
    return MACADAM_OK;
}

/* ---- searches ---- */

/* Marks all nodes that roads of the kind lead to from the core, or from which they lead to it. */
static macadam_status search(gated_area_round *round, road_kind kind, int direction, mcd_node *queue,
                             macadam_error *error)
{
    const mcd_incidence *const arcs = direction == FROM_CORE ? &round->out : &round->in;
    const mcd_node *const end = direction == FROM_CORE ? round->roads.head : round->roads.tail;
    const uint8_t found = (uint8_t)(direction << BITS_PER_KIND * kind);
    size_t count = 0;
    for (mcd_node node = 0; node < round->roads.node_count; ++node)
        if (round->known[node] & found) queue[count++] = node;
    for (size_t i = 0; i < count; ++i) {
        const mcd_node node = queue[i];
        MCD_TRY(mcd_watch_item(round->watch, i, count, error));
        for (mcd_arc at = arcs->first[node]; at < arcs->first[node + 1]; ++at) {
            const mcd_node next = end[arcs->arc[at]];
            if (round->known[next] & found || !is_of_kind(round, kind, arcs->arc[at]) ||
                is_barred(round, kind, next))
                continue;
            round->known[next] |= found;
            queue[count++] = next;
        }
    }
    return MACADAM_OK;
}

/* From the core and to it, over public roads and over all. */
static macadam_status search_all(gated_area_round *round, macadam_error *error)
{
    mcd_node *queue;
    MCD_TRY(MCD_ARENA_NEW(&round->arena, queue, round->roads.node_count, error));
    for (int kind = 0; kind < ROAD_KINDS; ++kind)
        for (int direction = FROM_CORE; direction <= TO_CORE; ++direction)
            MCD_TRY(search(round, (road_kind)kind, direction, queue, error));
    return MACADAM_OK;
}

/* ---- gated areas ---- */

/* Whether an arc of the kind is entered from the core (`end` is its tail), or leads to it (its head). A
 * barred node permits only turning back: then the arc back must be entered, or must lead there. */
static bool is_connected(const gated_area_round *round, road_kind kind, int direction, mcd_arc arc)
{
    const mcd_node *const end = direction == FROM_CORE ? round->roads.tail : round->roads.head;
    mcd_node node = end[arc];
    if (is_barred(round, kind, node)) {
        const mcd_arc back = mcd_segments_back(round->segment, round->roads.arc_count, arc);
        if (is_of_kind(round, kind, back)) node = end[back];
    }
    return (round->known[node] & direction << BITS_PER_KIND * kind) != 0;
}

/* Whether all roads connect the arc with the core in both directions. */
static bool is_settled(const gated_area_round *round, mcd_arc arc)
{
    return is_connected(round, ALL_ROADS, FROM_CORE, arc) && is_connected(round, ALL_ROADS, TO_CORE, arc);
}

/* Whether all roads connect the arc with the core in that direction, but public ones do not. */
static bool lacks(const gated_area_round *round, int direction, mcd_arc arc)
{
    return is_connected(round, ALL_ROADS, direction, arc) &&
           !is_connected(round, PUBLIC_ROADS, direction, arc);
}

/* Marks the arcs of gated areas, in the round's map and in the whole one. */
static void mark_gated_areas(const gated_area_round *round, const uint8_t *found, mcd_segments *segments)
{
    for (mcd_arc arc = 0; arc < round->roads.arc_count; ++arc) {
        uint8_t *const use = &segments->use[round->number ? round->number[arc] : arc];
        if (found[arc] == MCD_ROAD_PUBLIC) continue;
        mcd_report_count(segments->report, MCD_REPORT_GATED_ARCS, *use == MCD_ROAD_PUBLIC);
        *use = is_at_gate(round, arc) ? MCD_ROAD_DESTINATION_ONLY : (uint8_t)(*use | found[arc]);
        round->use[arc] = *use;
    }
}

/* ---- rounds ---- */

/* The nodes of the arcs that are left get new numbers, in the same order. */
static macadam_status number_nodes(gated_area_round *next, const gated_area_round *round, mcd_node *new_node,
                                   macadam_error *error)
{
    mcd_map *const roads = &next->roads;
    for (mcd_node node = 0; node < round->roads.node_count; ++node) new_node[node] = MCD_NODE_NONE;
    for (mcd_arc arc = 0; arc < roads->arc_count; ++arc)
        new_node[roads->tail[arc]] = new_node[roads->head[arc]] = 0;
    MCD_TRY(MCD_ARENA_NEW(&next->arena, next->known, round->roads.node_count, error));
    for (mcd_node node = 0; node < round->roads.node_count; ++node) {
        if (new_node[node] == MCD_NODE_NONE) continue;
        next->known[roads->node_count] = round->known[node] & BARRIERS;
        new_node[node] = (mcd_node)roads->node_count++;
    }
    for (mcd_arc arc = 0; arc < roads->arc_count; ++arc) {
        roads->tail[arc] = new_node[roads->tail[arc]];
        roads->head[arc] = new_node[roads->head[arc]];
    }
    return MACADAM_OK;
}

/* The map of the arcs that the round has not settled. */
static macadam_status leave_rest(gated_area_round *next, gated_area_round *round, macadam_error *error)
{
    mcd_map *const roads = &next->roads;
    mcd_node *new_node;
    size_t count = 0;
    for (mcd_arc arc = 0; arc < round->roads.arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(round->watch, arc, round->roads.arc_count, error));
        count += !is_settled(round, arc);
    }
    MCD_TRY(MCD_ARENA_NEW(&next->arena, next->number, count, error));
    MCD_TRY(MCD_ARENA_NEW(&next->arena, roads->tail, count, error));
    MCD_TRY(MCD_ARENA_NEW(&next->arena, roads->head, count, error));
    MCD_TRY(MCD_ARENA_NEW(&next->arena, next->segment, count, error));
    MCD_TRY(MCD_ARENA_NEW(&next->arena, next->use, count, error));
    MCD_TRY(MCD_ARENA_NEW(&next->arena, next->length, count, error));
    for (mcd_arc arc = 0; arc < round->roads.arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(round->watch, arc, round->roads.arc_count, error));
        if (is_settled(round, arc)) continue;
        const mcd_arc left = roads->arc_count++;
        next->number[left] = round->number ? round->number[arc] : arc;
        roads->tail[left] = round->roads.tail[arc];
        roads->head[left] = round->roads.head[arc];
        next->segment[left] = round->segment[arc];
        next->use[left] = round->use[arc];
        next->length[left] = round->length[arc];
    }
    MCD_TRY(MCD_ARENA_NEW(&round->arena, new_node, round->roads.node_count, error));
    return number_nodes(next, round, new_node, error);
}

static macadam_status find_gated_areas(gated_area_round *round, mcd_segments *segments, macadam_error *error)
{
    const mcd_map *const roads = &round->roads;
    uint8_t *found;
    if (round->number) {
        MCD_TRY(mcd_incidence_new(&round->out, &round->arena, roads->node_count, roads->tail,
                                  roads->arc_count, NULL, round->watch, error));
        MCD_TRY(mcd_incidence_new(&round->in, &round->arena, roads->node_count, roads->head, roads->arc_count,
                                  NULL, round->watch, error));
    }
    MCD_TRY(find_cores(round, error));
    MCD_TRY(search_all(round, error));
    MCD_TRY(MCD_ARENA_NEW(&round->arena, found, roads->arc_count, error));
    for (mcd_arc arc = 0; arc < roads->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(round->watch, arc, roads->arc_count, error));
        found[arc] = MCD_ROAD_PUBLIC;
        if (round->use[arc] == MCD_ROAD_DESTINATION_ONLY) continue;
        if (lacks(round, TO_CORE, arc)) found[arc] |= MCD_ROAD_NO_EXIT;
        if (lacks(round, FROM_CORE, arc)) found[arc] |= MCD_ROAD_NO_ENTRY;
    }
    mark_gated_areas(round, found, segments);
    return MACADAM_OK;
}

static macadam_status go_through_rounds(gated_area_round *round, mcd_segments *segments, macadam_error *error)
{
    for (int i = 0; i < ROUNDS && is_mixed(round); ++i) {
        gated_area_round next = {.watch = round->watch};
        const size_t arc_count = round->roads.arc_count;
        MCD_TRY(find_gated_areas(round, segments, error));
        const macadam_status status = leave_rest(&next, round, error);
        free_round(round);
        *round = next;
        if (status != MACADAM_OK || round->roads.arc_count == arc_count) return status;
    }
    return MACADAM_OK;
}

/* ---- the whole map ---- */

static void find_barriers(gated_area_round *round, const mcd_points *points, const int64_t *node_id)
{
    size_t point = 0; /* nodes are points, and both ascend by id */
    for (mcd_node node = 0; node < round->roads.node_count; ++node) {
        while (points->id[point] != node_id[node]) ++point;
        if (points->state[point] & MCD_POINT_BLOCKED) round->known[node] = BLOCKED;
        if (points->state[point] & MCD_POINT_DESTINATION_ONLY) round->known[node] = GATE;
    }
}

/* Public roads that open only at times lead nowhere while they are shut: here they count as residents' roads.
 * Afterwards they are public again. */
static void turn_shut(const mcd_map *map, mcd_segments *segments, bool *turned, bool back)
{
    for (mcd_arc arc = 0; arc < map->arc_count && map->arc_when; ++arc) {
        if (!back) turned[arc] = mcd_map_is_shut(map, arc) && segments->use[arc] == MCD_ROAD_PUBLIC;
        if (turned[arc]) segments->use[arc] = back ? MCD_ROAD_PUBLIC : MCD_ROAD_DESTINATION_ONLY;
    }
}

macadam_status mcd_gated_areas_mark(const mcd_points *points, const mcd_map *map, mcd_segments *segments,
                                    mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_round)
    gated_area_round round = {.roads = {.node_count = map->node_count,
                                        .arc_count = map->arc_count,
                                        .tail = map->tail,
                                        .head = map->head},
                              .segment = segments->of_arc,
                              .use = segments->use,
                              .out = segments->out,
                              .in = segments->in,
                              .watch = watch};
    MCD_OWNED bool *turned = NULL;
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&round.arena, round.known, map->node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&round.arena, round.length, map->arc_count, error));
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        const bool road = !(segments->ferry[arc] & MCD_SEGMENT_FERRY) && map->weight[1][arc] > 0;
        round.length[arc] = road ? map->weight[1][arc] : 1; /* in cm: the distance */
    }
    if (map->arc_when) MCD_TRY(MCD_NEW(turned, map->arc_count, error));
    turn_shut(map, segments, turned, false);
    find_barriers(&round, points, map->node_id);
    const macadam_status status = go_through_rounds(&round, segments, error);
    turn_shut(map, segments, turned, true);
    return status;
}
