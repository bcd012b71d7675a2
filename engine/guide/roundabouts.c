/* roundabouts.c - a roundabout is one maneuver, and leaving it another: see guide.h.
 *
 * A small roundabout whose roads point in distinct directions is a turn for those who drive; a large one that
 * has a name of its own is a rotary, as OSRM's API calls it. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"

#include <math.h>

enum {
    RING_ARCS_MAX = 64,
    ROTARY_M = 15, /* a rotary has a larger radius, a turn a smaller one */
    TURN_ROADS_MAX = 4,
    APART = 45, /* degrees between the roads of a small roundabout, at least */
};

/* The kind of a roundabout; UNKNOWN until its roads were looked at. */
enum { RING_UNKNOWN, RING_PLAIN, RING_TURN, RING_ROTARY };

/* A roundabout, once around. */
typedef struct circle {
    double radius_m;
    bool is_closed, is_cut; /* roads may be missing that are closed */
    size_t road_count;
    double bearing[TURN_ROADS_MAX]; /* of its roads */
    bool is_named;                  /* none of its roads has its name */
} circle;

static const mcd_kind *kind_of(const mcd_guide *guide, uint32_t arc)
{
    const mcd_arc_facts *const facts = guide->source.roads->facts;
    return &facts->kind[mcd_arc_kind(facts, arc)];
}

/* Notes the roads that meet the ring at one node. Returns the arc by which it goes on, or MCD_ROAD_NONE. */
static uint32_t look_around(const mcd_guide *guide, uint32_t from, const mcd_kind *own, circle *out)
{
    mcd_road_end room[MCD_BRANCHES_MAX];
    mcd_junction junction;
    uint32_t next = MCD_BRANCH_NONE;
    mcd_junction_read(&junction, room, &guide->source, guide->source.roads->graph->head[from], from,
                      MCD_ROAD_NONE);
    out->is_cut |= junction.is_cut;
    for (uint32_t i = 0; i < junction.count; ++i) {
        const mcd_road_end *const end = &junction.end[i];
        const mcd_kind *const kind = &guide->source.roads->facts->kind[end->kind];
        if (mcd_sign_is_ring(kind)) {
            if (end->arc != MCD_ROAD_NONE && i != junction.in) next = i;
            continue;
        }
        if (own->text[MCD_KIND_NAME] == kind->text[MCD_KIND_NAME]) out->is_named = false;
        if (out->road_count < TURN_ROADS_MAX) out->bearing[out->road_count] = end->bearing;
        ++out->road_count;
    }
    if (!junction.is_cut)
        atomic_store_explicit(&guide->source.junctions->of_arc[from].ring_next, (uint8_t)next,
                              memory_order_relaxed);
    return next != MCD_BRANCH_NONE ? junction.end[next].arc : MCD_ROAD_NONE;
}

static circle read_ring(const mcd_guide *guide, uint32_t first)
{
    const mcd_roads *const roads = guide->source.roads;
    const mcd_kind *const own = kind_of(guide, first);
    circle out = {.is_named = own->text[MCD_KIND_NAME] != 0};
    double around = 0;
    uint32_t arc = first;
    mcd_node tail = mcd_road_tail(roads->graph, arc);
    for (size_t i = 0; i < RING_ARCS_MAX && arc != MCD_ROAD_NONE && !out.is_closed; ++i) {
        around += mcd_arc_metres(roads, tail, arc);
        tail = roads->graph->head[arc]; /* where this copy of the node is, the others are */
        arc = look_around(guide, arc, own, &out);
        out.is_closed =
            arc != MCD_ROAD_NONE && mcd_arc_number(roads->facts, arc) == mcd_arc_number(roads->facts, first);
    }
    out.radius_m = around / (2 * 3.14159265358979323846);
    return out;
}

/* Returns whether the roads of a small roundabout point in distinct directions. */
static bool is_turn(const circle *ring)
{
    if (!ring->is_closed || ring->radius_m > ROTARY_M || ring->road_count > TURN_ROADS_MAX ||
        ring->road_count < 2)
        return false;
    for (size_t i = 0; i < ring->road_count; ++i)
        for (size_t k = 0; k < i; ++k)
            if (fabs(mcd_turn(ring->bearing[i], ring->bearing[k])) < APART) return false;
    return true;
}

/* Returns whether what is known of a ring holds: no road is closed there. */
static bool is_whole(const mcd_guide *guide, uint32_t first)
{
    const mcd_junctions *const junctions = guide->source.junctions;
    const mcd_roads *const roads = guide->source.roads;
    uint32_t arc = first;
    for (size_t i = 0; i < RING_ARCS_MAX; ++i) {
        const mcd_meeting *const meeting = &junctions->of_node[roads->graph->head[arc]];
        const uint8_t next = atomic_load_explicit(&junctions->of_arc[arc].ring_next, memory_order_relaxed);
        if (mcd_junction_may_close(&guide->source, meeting)) return false;
        if (next == MCD_BRANCH_NONE) break;
        arc = junctions->end[meeting->first + next].arc;
        if (mcd_arc_number(roads->facts, arc) == mcd_arc_number(roads->facts, first)) break;
    }
    return true;
}

/* Returns what the roundabout is that an arc is part of. It is read once, and then known, unless roads are closed. */
static uint8_t ring_of(const mcd_guide *guide, uint32_t arc)
{
    _Atomic uint8_t *const known = &guide->source.junctions->of_arc[arc].ring;
    uint8_t ring = atomic_load_explicit(known, memory_order_acquire);
    if (ring != RING_UNKNOWN && is_whole(guide, arc)) return ring;
    const circle around = read_ring(guide, arc);
    const bool is_rotary = around.is_named && around.radius_m > ROTARY_M;
    ring = is_turn(&around) ? RING_TURN : is_rotary ? RING_ROTARY : RING_PLAIN;
    if (!around.is_cut) atomic_store_explicit(known, ring, memory_order_release);
    return ring;
}

/* Returns whether the ring may be left there. */
static bool has_exit(const mcd_guide *guide, size_t at)
{
    const mcd_junction *const junction = &guide->maneuver[at].junction;
    for (uint32_t i = 0; i < junction->count; ++i) {
        const mcd_road_end *const end = &junction->end[i];
        if (i == junction->in || end->arc == MCD_ROAD_NONE) continue;
        const mcd_kind *const kind = &guide->source.roads->facts->kind[end->kind];
        if (!mcd_sign_is_ring(kind) && mcd_guide_sign(guide, kind)->rank < MCD_RANK_PATH) return true;
    }
    return false;
}

static void name_maneuvers(mcd_guide *guide, mcd_maneuver *enter, mcd_maneuver *leave, uint32_t first)
{
    const uint8_t ring = ring_of(guide, first);
    const bool turns = leave && ring == RING_TURN, rotary = ring == RING_ROTARY;
    if (leave) {
        leave->type = rotary ? MACADAM_MANEUVER_EXIT_ROTARY : MACADAM_MANEUVER_EXIT_ROUNDABOUT;
        leave->modifier = mcd_guide_modifier(mcd_turn(leave->junction.before, leave->after));
        leave->told = !turns;
    }
    if (!enter) return;
    enter->told = true;
    enter->type = turns    ? MACADAM_MANEUVER_ROUNDABOUT_TURN
                  : rotary ? MACADAM_MANEUVER_ROTARY
                           : MACADAM_MANEUVER_ROUNDABOUT;
    enter->modifier =
        mcd_guide_modifier(mcd_turn(enter->junction.before, turns ? leave->after : enter->after));
    if (rotary) enter->rotary = kind_of(guide, first);
    if (leave) enter->kind = leave->kind;
}

void mcd_guide_roundabouts(mcd_guide *guide)
{
    for (size_t first = 0, end; first < guide->arc_count; first = end) {
        end = first + 1;
        if (!mcd_sign_is_ring(guide->arc[first].kind)) continue;
        while (end < guide->arc_count && mcd_sign_is_ring(guide->arc[end].kind)) ++end;
        /* The arcs from `first` to before `end` are on the ring. */
        mcd_maneuver *const enter = first > 0 ? &guide->maneuver[first] : NULL;
        mcd_maneuver *const leave = end < guide->arc_count ? &guide->maneuver[end] : NULL;
        uint32_t exit = 0;
        for (size_t i = first; i <= end && i < guide->arc_count; ++i) {
            if (i > first && i < end) guide->maneuver[i].told = false;
            if (i == end || i > 0) exit += i == end || has_exit(guide, i);
        }
        name_maneuvers(guide, enter, leave, guide->arc[first].arc);
        if (enter) enter->exit = leave ? exit : 0;
    }
}
