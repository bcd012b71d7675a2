/* roundabouts.c - a roundabout is one maneuver, and leaving it another: see guide.h.
 *
 * A small roundabout whose roads point in distinct directions is a turn for those who drive; a large one that
 * has a name of its own is a rotary, as OSRM's API calls it.
 *
 * Exits are counted as a driver passes them. At each node that is the way out, if there is one, between the road by
 * which the driver comes and the one by which the route goes on, on the side away from the ring's middle. So where
 * the route enters, neither its own arm nor an exit to the other side of that counts. */
#include "engine/guide/guide.h"

enum {
    RING_ARCS_MAX = 64,
    ROTARY_M = 15, /* a rotary has a larger radius, a turn a smaller one */
    TURN_ROADS_MAX = 4,
    APART = 40, /* degrees between the roads of a small roundabout, at least */
};

/* The kind of a roundabout, UNKNOWN until its roads were looked at; CLOCKWISE is added to it. */
enum { RING_UNKNOWN, RING_PLAIN, RING_TURN, RING_ROTARY, RING_CLOCKWISE };

/* A roundabout, once around. */
typedef struct circle {
    double metres;
    double area;            /* in squares of 1e-7 degrees; negative for a clockwise one */
    bool is_closed, is_cut; /* roads may be missing that are closed */
    size_t road_count;
    double bearing[TURN_ROADS_MAX]; /* of its roads */
    bool is_named;                  /* all of it has one name, and none of its roads has that */
} circle;

static const mcd_kind *kind_of(const mcd_guide *guide, uint32_t arc)
{
    const mcd_arc_facts *const facts = guide->source.roads->facts;
    return &facts->kind[mcd_arc_kind(facts, arc)];
}

static const mcd_kind *kind_at(const mcd_guide *guide, const mcd_road_end *end)
{
    return &guide->source.roads->facts->kind[end->kind];
}

/* Returns the number of the way by which the ring of the arc `from` goes on at its head: that of the same way, or else the
 * innermost one, as another ring may share the node. `out` counts as this one if it is farther in: a way across the ring. */
static uint32_t way_on(const mcd_guide *guide, const mcd_junction *junction, uint32_t from, uint32_t out)
{
    const mcd_arc_facts *const facts = guide->source.roads->facts;
    const uint32_t count = junction->count, step = guide->drives_left ? count - 1 : 1;
    uint32_t first = MCD_BRANCH_NONE;
    for (uint32_t i = (junction->in + step) % count; i != junction->in; i = (i + step) % count) {
        const uint32_t arc = junction->end[i].arc;
        if (arc == MCD_ROAD_NONE || !mcd_sign_is_ring(kind_at(guide, &junction->end[i]))) continue;
        if (i == out || mcd_arc_way(facts, arc) == mcd_arc_way(facts, from)) return i;
        if (first == MCD_BRANCH_NONE) first = i;
    }
    return first;
}

/* Notes the roads that meet the ring at one node. Returns the arc by which it goes on, or MCD_ROAD_NONE. */
static uint32_t look_around(const mcd_guide *guide, uint32_t from, const mcd_kind *own, circle *out)
{
    mcd_road_end room[MCD_BRANCHES_MAX];
    const mcd_node node = guide->source.roads->graph->head[from];
    mcd_junction junction = {0};
    mcd_junction_read(&junction, &guide->source, node, from, MCD_ROAD_NONE);
    if (mcd_junction_may_close(&guide->source, node)) mcd_junction_cut(&junction, room, &guide->source, node);
    out->is_cut |= junction.is_cut;
    for (uint32_t i = 0; i < junction.count; ++i) {
        const mcd_road_end *const end = &junction.end[i];
        const mcd_kind *const kind = kind_at(guide, end);
        if (mcd_sign_is_ring(kind) != (own->text[MCD_KIND_NAME] == kind->text[MCD_KIND_NAME]))
            out->is_named = false;
        if (mcd_sign_is_ring(kind)) continue;
        if (out->road_count < TURN_ROADS_MAX) out->bearing[out->road_count] = end->bearing;
        ++out->road_count;
    }
    const uint32_t next = way_on(guide, &junction, from, MCD_BRANCH_NONE);
    return next != MCD_BRANCH_NONE ? junction.end[next].arc : MCD_ROAD_NONE;
}

/* Adds an arc of the ring that leaves `tail`; the area is counted from `origin`. */
static void add_arc(circle *out, const mcd_roads *roads, mcd_node tail, uint32_t arc, mcd_point origin)
{
    const size_t count = mcd_road_point_count(roads, arc);
    mcd_point last = mcd_road_point(roads, tail, arc, 0);
    for (size_t i = 1; i < count; ++i) {
        const mcd_point next = mcd_road_point(roads, tail, arc, i);
        out->metres += mcd_road_length(last, next);
        out->area += mcd_road_east(origin, last) * ((double)next.lat_e7 - origin.lat_e7) -
                     mcd_road_east(origin, next) * ((double)last.lat_e7 - origin.lat_e7);
        last = next;
    }
}

static circle read_ring(const mcd_guide *guide, uint32_t first)
{
    const mcd_roads *const roads = guide->source.roads;
    const mcd_kind *const own = kind_of(guide, first);
    circle out = {.is_named = own->text[MCD_KIND_NAME] != 0};
    uint32_t arc = first;
    mcd_node tail = mcd_road_tail(roads->graph, arc);
    const mcd_point start = mcd_road_point(roads, tail, arc, 0);
    for (size_t i = 0; i < RING_ARCS_MAX && arc != MCD_ROAD_NONE && !out.is_closed; ++i) {
        add_arc(&out, roads, tail, arc, start);
        tail = roads->graph->head[arc]; /* where this copy of the node is, the others are */
        arc = look_around(guide, arc, own, &out);
        out.is_closed =
            arc != MCD_ROAD_NONE && mcd_arc_number(roads->facts, arc) == mcd_arc_number(roads->facts, first);
    }
    return out;
}

/* Returns whether the roads of a small roundabout point in distinct directions. */
static bool is_turn(const circle *ring)
{
    if (ring->road_count > TURN_ROADS_MAX || ring->road_count < 2) return false;
    for (size_t i = 0; i < ring->road_count; ++i)
        for (size_t k = 0; k < i; ++k)
            if (fabs(mcd_turn(ring->bearing[i], ring->bearing[k])) < APART) return false;
    return true;
}

static uint8_t classify(const circle *ring, bool drives_left)
{
    const bool is_large = ring->metres > ROTARY_M * 2 * 3.14159265358979323846;
    if (!ring->is_closed) return (uint8_t)(RING_PLAIN + (drives_left ? RING_CLOCKWISE : 0));
    const uint8_t kind = is_large        ? ring->is_named ? RING_ROTARY : RING_PLAIN
                         : is_turn(ring) ? RING_TURN
                                         : RING_PLAIN;
    return (uint8_t)(kind + (ring->area < 0 ? RING_CLOCKWISE : 0));
}

/* Returns what the roundabout is that an arc is part of. It is read once, and once for each version of weights, and then
 * known, unless roads are closed there. */
static uint8_t ring_of(const mcd_guide *guide, uint32_t arc)
{
    mcd_arc_ends *const ends = &guide->source.junctions->of_arc[arc];
    const size_t bit = guide->source.roads->places->id_count + arc;
    _Atomic uint64_t *const whole = guide->source.closed ? &guide->source.closed[bit / 64] : NULL;
    const bool holds = !guide->source.weights ||
                       (whole && atomic_load_explicit(whole, memory_order_relaxed) >> bit % 64 & 1);
    uint8_t ring = atomic_load_explicit(&ends->known, memory_order_relaxed) >> MCD_KNOWN_RING & 7;
    if (ring != RING_UNKNOWN && holds) return ring;
    const circle around = read_ring(guide, arc);
    ring = classify(&around, guide->drives_left);
    if (around.is_cut) return ring;
    atomic_fetch_or_explicit(&ends->known, (uint32_t)ring << MCD_KNOWN_RING, memory_order_relaxed);
    if (whole) atomic_fetch_or_explicit(whole, UINT64_C(1) << bit % 64, memory_order_relaxed);
    return ring;
}

/* Returns whether the route takes or passes a way out at a node of the ring; all of them there are one exit. `is_last`: it
 * leaves the ring there, be it for another ring. */
static bool is_exit(const mcd_guide *guide, const mcd_junction *junction, bool clockwise, bool is_last)
{
    const uint32_t count = junction->count;
    if (junction->in == MCD_BRANCH_NONE || junction->out == MCD_BRANCH_NONE) return false;
    const bool on_ring = mcd_sign_is_ring(kind_at(guide, &junction->end[junction->in]));
    for (uint32_t i = junction->in;;) {
        i = (i + (clockwise ? 1 : count - 1)) % count;
        const mcd_road_end *const end = &junction->end[i];
        if (i == junction->out) return is_last;
        if (end->arc != MCD_ROAD_NONE &&
            (!mcd_sign_is_ring(kind_at(guide, end)) || (on_ring && read_ring(guide, end->arc).is_closed)) &&
            mcd_guide_signs(guide)->of_kind[end->kind].mode != MACADAM_MODE_PUSHING)
            return true;
    }
}

static void tell_exit(mcd_guide *guide, size_t at, uint8_t kind, uint32_t exit)
{
    mcd_maneuver *const leave = &guide->maneuver[at];
    leave->type = kind == RING_ROTARY ? MACADAM_MANEUVER_EXIT_ROTARY : MACADAM_MANEUVER_EXIT_ROUNDABOUT;
    leave->modifier = mcd_guide_modifier(mcd_turn(leave->junction.before, leave->after));
    leave->exit = exit;
    leave->told = true;
}

/* Returns what the ring is for the route: it has no name where the route's road has the same. */
static uint8_t kind_for_route(const mcd_guide *guide, size_t first, size_t end, uint8_t kind)
{
    const uint32_t name = guide->arc[first].kind->text[MCD_KIND_NAME];
    const bool keeps = (first > 0 && guide->arc[first - 1].kind->text[MCD_KIND_NAME] == name) ||
                       (end < guide->arc_count && guide->arc[end].kind->text[MCD_KIND_NAME] == name);
    return kind == RING_ROTARY && keeps ? RING_PLAIN : kind;
}

/* The arcs from `first` to before `end` are on the ring, which the route enters and leaves. */
static void tell_ring(mcd_guide *guide, size_t first, size_t end)
{
    const uint8_t ring = ring_of(guide, guide->arc[first].arc);
    const uint8_t kind = kind_for_route(guide, first, end, ring % RING_CLOCKWISE);
    const bool leaves = end < guide->arc_count;
    mcd_maneuver *const enter = &guide->maneuver[first], *const leave = &guide->maneuver[end];
    uint32_t exit = 0;
    for (size_t i = first; i <= end && leaves; ++i)
        exit += is_exit(guide, &guide->maneuver[i].junction, ring > RING_CLOCKWISE, i == end);
    for (size_t i = first + 1; i < end; ++i) guide->maneuver[i].told = false;
    if (leaves) tell_exit(guide, end, kind, exit);
    if (first == 0) return;
    enter->told = true;
    enter->exit = exit;
    enter->type = kind == RING_ROTARY ? MACADAM_MANEUVER_ROTARY : MACADAM_MANEUVER_ROUNDABOUT;
    enter->modifier = mcd_guide_modifier(mcd_turn(enter->junction.before, enter->after));
    if (!leaves || kind != RING_TURN) return;
    enter->kind = leave->kind;
    enter->type = MACADAM_MANEUVER_ROUNDABOUT_TURN;
    enter->modifier = mcd_guide_modifier(mcd_turn(enter->junction.before, leave->after));
    leave->told = guide->arc[first].sign->mode != guide->arc[end].sign->mode;
}

/* The route leaves the ring at the node where it comes to it. */
static void tell_first_exit(mcd_guide *guide, size_t at)
{
    const mcd_junction *const junction = &guide->maneuver[at].junction;
    for (uint32_t i = 0; i < junction->count; ++i) {
        const mcd_road_end *const end = &junction->end[i];
        if (end->arc == MCD_ROAD_NONE || !mcd_sign_is_ring(kind_at(guide, end))) continue;
        tell_exit(guide, at, ring_of(guide, end->arc) % RING_CLOCKWISE, 1);
    }
}

static bool is_on_ring(const mcd_guide *guide, size_t i)
{
    return i < guide->arc_count && mcd_sign_is_ring(guide->arc[i].kind);
}

/* Returns whether the route stays on its ring at the tail of an arc of a ring, and does not go on to another that is closed. */
static bool stays(const mcd_guide *guide, size_t i)
{
    const mcd_junction *const junction = &guide->maneuver[i].junction;
    return junction->in == MCD_BRANCH_NONE ||
           way_on(guide, junction, guide->arc[i - 1].arc, junction->out) == junction->out ||
           !read_ring(guide, guide->arc[i].arc).is_closed;
}

void mcd_guide_roundabouts(mcd_guide *guide)
{
    for (size_t i = 0; i < guide->arc_count; ++i) {
        if (guide->maneuver[i].type == MACADAM_MANEUVER_EXIT_ROUNDABOUT) tell_first_exit(guide, i);
        while (is_on_ring(guide, i)) {
            const size_t first = i++;
            while (is_on_ring(guide, i) && stays(guide, i)) ++i;
            tell_ring(guide, first, i);
        }
    }
}
