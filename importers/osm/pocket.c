/* pocket.c - see pocket.h.
 *
 * Method: the core of each connected part of the map is the largest strongly connected component that its
 * public roads make without gates. Four searches begin at the cores: forward and backward, over public roads
 * only and over all roads and gates. A public arc lies in a pocket if it is entered from the core, or leads
 * to it, over all roads but not over public ones:
 *
 *      core --- x --- x        --- public     x, y stay public
 *        \                     === tagged     p becomes destination-only
 *         === p --- p
 *
 * Why it is right: a route has destination-only arcs only before its other arcs, after them, or has no others
 * (layer.h). Let two places both reach the core and be reached from it, over any roads. The arcs from the
 * first place to the core are destination-only, and so are those from the core to the second place. Public
 * roads of the core connect the two. So there is a route from each to the other. No arc of the
 * core changes: a destination-only road between two public ones of the core stays no shortcut.
 *
 * Where public roads are nowhere strongly connected, the core is a single node. */
#include "importers/osm/pocket.h"
#include "importers/osm/core.h"
#include "importers/osm/incidence.h"
#include "engine/base/memory.h"

/* The roads that a search uses. */
typedef enum road_kind { PUBLIC_ROADS, ALL_ROADS, ROAD_KINDS } road_kind;

/* Facts about a node: one bit for each of the four searches that come to it, and its barrier. */
enum { FROM_CORE = 1, TO_CORE = 2, BITS_PER_KIND = 2, GATE = 16, BLOCKED = 32 };

typedef struct pocket_finder {
    const mcd_points *points;
    const mcd_map *map;
    mcd_segments *segments;
    mcd_incidence out, in;
    uint8_t *known;  /* [node_count] FROM_CORE << BITS_PER_KIND * kind | ... */
    mcd_node *queue; /* [node_count] */
} pocket_finder;

static bool is_of_kind(const pocket_finder *finder, road_kind kind, mcd_arc arc)
{
    return kind == ALL_ROADS || !finder->segments->destination_only[arc];
}

/* Nobody goes on from there by roads of the kind, but back. */
static bool is_barred(const pocket_finder *finder, road_kind kind, mcd_node node)
{
    return (finder->known[node] & (kind == ALL_ROADS ? BLOCKED : BLOCKED | GATE)) != 0;
}

/* Whether there is a gate or a destination-only road. */
static bool find_barriers(pocket_finder *finder)
{
    size_t point = 0; /* nodes are points, and both ascend by id */
    bool found = false;
    for (mcd_node node = 0; node < finder->map->node_count; ++node) {
        while (finder->points->id[point] != finder->map->node_id[node]) ++point;
        const uint8_t state = finder->points->state[point];
        if (state & MCD_POINT_BLOCKED) finder->known[node] = BLOCKED;
        if (state & MCD_POINT_DESTINATION_ONLY) finder->known[node] = GATE;
        found = found || finder->known[node] == GATE;
    }
    for (mcd_arc arc = 0; arc < finder->map->arc_count && !found; ++arc)
        found = finder->segments->destination_only[arc];
    return found;
}

/* ---- cores ---- */

/* Cores consist of nodes between which public roads lead both ways. */
static uint8_t use_of(const pocket_finder *finder, mcd_arc arc)
{
    const mcd_node tail = finder->map->tail[arc], head = finder->map->head[arc];
    const bool public = is_of_kind(finder, PUBLIC_ROADS, arc) && !is_barred(finder, PUBLIC_ROADS, tail);
    const bool leads = public && !is_barred(finder, PUBLIC_ROADS, head);
    const bool joins = !is_barred(finder, ALL_ROADS, tail) && !is_barred(finder, ALL_ROADS, head);
    return (uint8_t)(public * MCD_CORE_COUNTS + leads * MCD_CORE_LEADS + joins * MCD_CORE_JOINS);
}

static macadam_status find_cores(pocket_finder *finder, macadam_error *error)
{
    const mcd_map *const map = finder->map;
    uint8_t *use;
    bool *is_core;
    MCD_TRY(MCD_NEW(use, map->arc_count, error));
    macadam_status status = MCD_NEW(is_core, map->node_count, error);
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) use[arc] = use_of(finder, arc);
    if (!status) status = mcd_cores_find(is_core, map, &finder->out, use, error);
    for (mcd_node node = 0; node < map->node_count && !status; ++node)
        if (is_core[node]) finder->known[node] |= (FROM_CORE | TO_CORE) * (1 | 1 << BITS_PER_KIND);
    mcd_free(is_core);
    mcd_free(use);
    return status;
}

/* ---- searches ---- */

/* Marks all nodes that roads of the kind lead to from the core, or from which they lead to it. */
static void search(pocket_finder *finder, road_kind kind, int direction)
{
    const mcd_incidence *const arcs = direction == FROM_CORE ? &finder->out : &finder->in;
    const mcd_node *const end = direction == FROM_CORE ? finder->map->head : finder->map->tail;
    const uint8_t found = (uint8_t)(direction << BITS_PER_KIND * kind);
    size_t count = 0;
    for (mcd_node node = 0; node < finder->map->node_count; ++node)
        if (finder->known[node] & found) finder->queue[count++] = node;
    for (size_t i = 0; i < count; ++i) {
        const mcd_node node = finder->queue[i];
        for (mcd_arc at = arcs->first[node]; at < arcs->first[node + 1]; ++at) {
            const mcd_node next = end[arcs->arc[at]];
            if (finder->known[next] & found || !is_of_kind(finder, kind, arcs->arc[at]) ||
                is_barred(finder, kind, next))
                continue;
            finder->known[next] |= found;
            finder->queue[count++] = next;
        }
    }
}

/* ---- pockets ---- */

/* The arc back along the same stretch; the arc itself if there is none of the kind. */
static mcd_arc find_back(const pocket_finder *finder, road_kind kind, mcd_arc arc)
{
    const uint32_t *const segment = finder->segments->of_arc;
    mcd_arc back = arc;
    if (arc > 0 && segment[arc - 1] == segment[arc]) back = arc - 1;
    if (arc + 1 < finder->map->arc_count && segment[arc + 1] == segment[arc]) back = arc + 1;
    return is_of_kind(finder, kind, back) ? back : arc;
}

/* Whether an arc of the kind is entered from the core (`end` is its tail), or leads to it (its head). At a
 * barred node one can only turn back: then the arc back must be entered, or must lead there. */
static bool is_connected(const pocket_finder *finder, road_kind kind, int direction, mcd_arc arc)
{
    const mcd_node *const end = direction == FROM_CORE ? finder->map->tail : finder->map->head;
    mcd_node node = end[arc];
    if (is_barred(finder, kind, node)) node = end[find_back(finder, kind, arc)];
    return (finder->known[node] & direction << BITS_PER_KIND * kind) != 0;
}

static bool is_in_pocket(const pocket_finder *finder, mcd_arc arc)
{
    if (finder->segments->destination_only[arc]) return false;
    for (int direction = FROM_CORE; direction <= TO_CORE; ++direction)
        if (is_connected(finder, ALL_ROADS, direction, arc) &&
            !is_connected(finder, PUBLIC_ROADS, direction, arc))
            return true;
    return false;
}

static macadam_status find_pockets(pocket_finder *finder, macadam_error *error)
{
    const mcd_map *const map = finder->map;
    bool *in_pocket;
    MCD_TRY(MCD_NEW_ZEROED(finder->known, map->node_count, error));
    if (!find_barriers(finder)) return MACADAM_OK;
    MCD_TRY(MCD_NEW(finder->queue, map->node_count, error));
    MCD_TRY(mcd_incidence_new(&finder->out, map->node_count, map->tail, map->arc_count, error));
    MCD_TRY(mcd_incidence_new(&finder->in, map->node_count, map->head, map->arc_count, error));
    MCD_TRY(find_cores(finder, error));
    for (int kind = 0; kind < ROAD_KINDS; ++kind)
        for (int direction = FROM_CORE; direction <= TO_CORE; ++direction)
            search(finder, (road_kind)kind, direction);
    MCD_TRY(MCD_NEW(in_pocket, map->arc_count, error));
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) in_pocket[arc] = is_in_pocket(finder, arc);
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        if (in_pocket[arc]) finder->segments->destination_only[arc] = true;
        finder->segments->pocket_count += in_pocket[arc];
    }
    mcd_free(in_pocket);
    return MACADAM_OK;
}

macadam_status mcd_pockets_mark(const mcd_points *points, const mcd_map *map, mcd_segments *segments,
                                macadam_error *error)
{
    pocket_finder finder = {.points = points, .map = map, .segments = segments};
    const macadam_status status = find_pockets(&finder, error);
    mcd_incidence_free(&finder.out);
    mcd_incidence_free(&finder.in);
    mcd_free(finder.known);
    mcd_free(finder.queue);
    return status;
}
