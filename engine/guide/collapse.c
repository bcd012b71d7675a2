/* collapse.c - junctions that are one for a person: see guide.h.
 *
 * A maneuver that is announced takes in the junctions that follow it closely, if the roads there show that a driver sees
 * one junction: the piece between them crosses the median of a divided road, or it is a slip road, or both ends of a
 * street are staggered by less than a street's width. Which roads there are decides, not the sum of the angles. */
#include "engine/guide/guide.h"

/* In metres: how wide a median may be, and a crossing of divided roads; how far apart two arms of a street, and the
 * directions of a road; how long a slip road (a link that ends without a choice may be longer) and a link. */
enum { MEDIAN_M = 45, CROSSING_M = 60, STAGGER_M = 5, BESIDE_M = 12, SLIP_M = 40, LINK_M = 120 };
/* In degrees. */
enum {
    ALONG = 40,
    ON = 45,        /* a road that bends more does not lead straight on */
    ACROSS = 15,    /* between a carriageway and the way over the median, at least */
    OPPOSITE = 120, /* between the directions of two carriageways, at least */
    BACK = 150,
};

/* An announced maneuver and a junction that may belong to it. */
typedef struct sequence {
    const mcd_guide *guide;
    mcd_maneuver *first, *last, *second; /* the last that belongs to the first; the one that may */
    const mcd_kind *from, *to;
    const mcd_guide_arc *middle; /* the last arc before the second */
    double metres;               /* from the last to the second */
    double turn;                 /* of all together */
    mcd_node first_node, last_node, node;
} sequence;

/* Of maneuvers up to END_OF_ROAD, which a sequence has: not a ramp, nor a merge. */
static bool is_turn(const mcd_maneuver *maneuver)
{
    return maneuver->type < MACADAM_MANEUVER_MERGE || maneuver->type > MACADAM_MANEUVER_OFF_RAMP;
}

static bool is_ramp(const mcd_maneuver *maneuver)
{
    return maneuver->type == MACADAM_MANEUVER_ON_RAMP || maneuver->type == MACADAM_MANEUVER_OFF_RAMP;
}

/* Returns whether there is more to say than a name that changes. */
static bool is_choice(const mcd_maneuver *maneuver)
{
    return maneuver->told && maneuver->type != MACADAM_MANEUVER_NEW_NAME;
}

static double own_turn(const mcd_maneuver *maneuver)
{
    return mcd_turn(maneuver->junction.before, maneuver->after);
}

/* Returns whether a word of all turns together misleads a driver at the first junction: its side is not that of the
 * road taken there beside the others, or, if there are no others, not that to which this bends. */
static bool misleads(const sequence *two, macadam_modifier modifier)
{
    const mcd_junction *const junction = &two->first->junction;
    if (junction->out == MCD_BRANCH_NONE) return false;
    const double own = mcd_turn(junction->before, junction->end[junction->out].bearing),
                 side = mcd_modifier_side(modifier);
    bool left = false, right = false;
    for (uint32_t i = 0; i < junction->count; ++i) {
        const double turn = mcd_turn(junction->before, junction->end[i].bearing);
        if (i == junction->out || !(junction->entry >> i & 1)) continue;
        if (fabs(turn) <= BACK) *(turn < own ? &left : &right) = true;
    }
    if (!left && !right) return side * own < -ALONG;
    return side > 0 ? !left : side < 0 && !right;
}

/* The junction becomes part of the first maneuver. Returns false if it cannot. */
static bool join(const sequence *two, macadam_maneuver_type type, macadam_modifier modifier)
{
    if (misleads(two, modifier)) return false;
    two->second->told = false;
    two->first->type = type;
    two->first->modifier = modifier;
    two->first->kind = two->to;
    two->first->after = two->second->after;
    if (type == MACADAM_MANEUVER_NEW_NAME)
        two->first->told = mcd_sign_changes(mcd_guide_signs(two->guide), two->from, two->to);
    return true;
}

static bool stays(const sequence *two)
{
    return mcd_sign_stays(mcd_guide_signs(two->guide), two->from, two->to);
}

static bool join_turn(const sequence *two)
{
    const macadam_modifier all = mcd_guide_modifier(two->turn);
    const macadam_maneuver_type type = is_ramp(two->second) ? two->second->type
                                       : stays(two)         ? MACADAM_MANEUVER_CONTINUE
                                                            : MACADAM_MANEUVER_TURN;
    return join(two, type, all == MACADAM_MODIFIER_STRAIGHT ? two->first->modifier : all);
}

/* Returns one of the roads of a junction, or NULL. */
static const mcd_road_end *end_of(const mcd_junction *junction, uint32_t i)
{
    return i < junction->count ? &junction->end[i] : NULL;
}

/* Returns the road, other than the one taken, that leads straight on from a junction, or NULL. */
static const mcd_road_end *find_on(const mcd_junction *junction)
{
    const mcd_road_end *best = NULL;
    for (uint32_t i = 0; i < junction->count; ++i) {
        const double bend = fabs(mcd_turn(junction->before, junction->end[i].bearing));
        if (i == junction->out || bend > ON || junction->end[i].arc == MCD_ROAD_NONE) continue;
        if (!best || bend < fabs(mcd_turn(junction->before, best->bearing))) best = &junction->end[i];
    }
    return best;
}

/* ---- divided roads ---- */

/* Returns the direction of a one-way road, in degrees: 0 to 540; NAN of others. */
static double heading_of(const mcd_road_end *end)
{
    if ((end->arc == MCD_ROAD_NONE) == (end->back == MCD_ROAD_NONE)) return NAN;
    return end->arc != MCD_ROAD_NONE ? end->bearing : end->bearing + 180.0;
}

/* Returns whether two roads are the carriageways of one, to both sides of the way from the last junction to the second
 * one. */
static bool are_carriageways(const sequence *two, const mcd_road_end *one, const mcd_road_end *other)
{
    const mcd_roads *const roads = two->guide->source.roads;
    const mcd_arc_facts *const facts = roads->facts;
    if (!one || !other) return false;
    const double heading = heading_of(one);
    if (!(fabs(mcd_turn(heading, heading_of(other))) >= OPPOSITE)) return false; /* NAN, too */
    const double over = mcd_bearing_to(roads, two->last_node, two->node),
                 across = fabs(mcd_turn(over, heading));
    if (across < ACROSS || across > 180 - ACROSS) return false;
    const mcd_kind *const a = &facts->kind[one->kind], *const b = &facts->kind[other->kind];
    return a == b || mcd_sign_stays(mcd_guide_signs(two->guide), a, b);
}

static bool finds_median(const sequence *two)
{
    const mcd_junction *const a = &two->last->junction, *const b = &two->second->junction;
    if (mcd_bearing_metres(two->guide->source.roads, two->last_node, two->node) > MEDIAN_M) return false;
    for (uint32_t i = 0; i < a->count; ++i)
        for (uint32_t k = 0; k < b->count; ++k)
            if (i != a->out && k != b->in && are_carriageways(two, &a->end[i], &b->end[k])) return true;
    return false;
}

/* Returns whether the way from the last junction to the second one crosses the median of a divided road. Of an arc it is
 * found once, and then known, unless roads are closed. */
static bool crosses_median(const sequence *two)
{
    enum { UNKNOWN, NO, YES, ANY };
    const mcd_guide_arc *const arc = &two->guide->arc[two->second - two->guide->maneuver - 1];
    _Atomic uint32_t *const known = &two->guide->source.junctions->of_arc[arc->arc].known;
    const bool keeps =
        two->second - two->last == 1 && !two->last->junction.is_cut && !two->second->junction.is_cut;
    uint32_t crosses =
        keeps ? atomic_load_explicit(known, memory_order_relaxed) >> MCD_KNOWN_MEDIAN & ANY : UNKNOWN;
    if (crosses == UNKNOWN) {
        crosses = finds_median(two) ? YES : NO;
        if (keeps) atomic_fetch_or_explicit(known, crosses << MCD_KNOWN_MEDIAN, memory_order_relaxed);
    }
    return crosses == YES;
}

/* Returns whether the way from the last junction to the second one leads straight there, not round a circle. */
static bool is_straight(const sequence *two)
{
    const double over = mcd_bearing_to(two->guide->source.roads, two->last_node, two->node);
    const mcd_road_end *const out = end_of(&two->last->junction, two->last->junction.out);
    return out && fabs(mcd_turn(out->bearing, over)) <= ALONG &&
           fabs(mcd_turn(over, two->second->junction.before)) <= ALONG;
}

/* A divided road is crossed, entered or left by way of the gap in its median. */
static bool is_in_median(const sequence *two)
{
    const mcd_roads *const roads = two->guide->source.roads;
    if (!crosses_median(two)) return false;
    if (mcd_bearing_metres(roads, two->first_node, two->node) > CROSSING_M) return false;
    const double before = own_turn(two->first), after = own_turn(two->second);
    if (before * after < 0 && fabs(before) > ALONG && fabs(after) > ALONG) return false;
    const mcd_road_end *const on = find_on(&two->last->junction);
    /* which leads over the median, too */
    if (is_choice(two->last) && on && isnan(heading_of(on))) return false;
    const mcd_junction *const first = &two->first->junction, *const second = &two->second->junction;
    const bool leaves = are_carriageways(two, end_of(first, first->in), end_of(second, second->out));
    if (leaves || (fabs(two->turn) > BACK && stays(two)))
        return join(two, stays(two) ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN,
                    MACADAM_MODIFIER_UTURN);
    if (!is_straight(two)) return false;
    if (is_choice(two->first) || is_choice(two->second)) return join_turn(two);
    if ((fabs(two->turn) <= ON && fabs(after) <= ALONG) || stays(two))
        return join(two, MACADAM_MANEUVER_NEW_NAME, mcd_guide_modifier(two->turn));
    return join(two, find_on(second) ? MACADAM_MANEUVER_TURN : MACADAM_MANEUVER_END_OF_ROAD,
                mcd_guide_modifier(two->turn));
}

/* ---- slip roads ---- */

/* A walk from junction to junction, straight on, as if all roads were open. */
typedef struct straight_walk {
    const mcd_junction_source *source;
    const mcd_road_end *on; /* the road by which it goes on, or NULL */
    mcd_junction at;
    uint32_t place, count;
    double metres;
} straight_walk;

/* Returns the only way on where a way ends, or NULL. */
static const mcd_road_end *find_other(const mcd_junction *junction)
{
    const mcd_road_end *const other = &junction->end[junction->in == 0];
    return other->arc != MCD_ROAD_NONE ? other : NULL;
}

/* Goes to the next junction. Returns false if there is none, or if it is too far. */
static bool go_on(straight_walk *walk)
{
    const mcd_roads *const roads = walk->source->roads;
    if (!walk->on || walk->count++ == MCD_GUIDE_JUNCTIONS_MAX) return false;
    const uint32_t arc = walk->on->arc;
    const mcd_node head = roads->graph->head[arc];
    walk->metres += mcd_junctions_metres(walk->source->junctions, arc);
    walk->place = roads->places->node_place[head];
    mcd_junction_read(&walk->at, walk->source, head, arc, MCD_ROAD_NONE);
    walk->on = walk->at.count == 2 ? find_other(&walk->at) : find_on(&walk->at);
    return walk->metres <= LINK_M;
}

/* Returns whether a road leads straight to the second junction, and through it into the road taken there. */
static bool leads_on(const sequence *two, const mcd_road_end *road)
{
    const uint32_t place = two->guide->source.roads->places->node_place[two->node];
    for (straight_walk walk = {.source = &two->guide->source, .on = road}; go_on(&walk);)
        if (walk.place == place) return fabs(mcd_turn(walk.at.before, two->second->after)) <= ON;
    return false;
}

/* Returns whether the junction ahead, too, has a road that leads to the end of the slip road. */
static bool cuts_corner(const sequence *two)
{
    const uint32_t place = two->guide->source.roads->places->node_place[two->node];
    straight_walk walk = {.source = &two->guide->source, .on = find_on(&two->last->junction)};
    while (go_on(&walk) && walk.place != place)
        for (uint32_t i = 0; i < walk.at.count; ++i) {
            const mcd_road_end *const aside = &walk.at.end[i];
            if (i != walk.at.in && aside != walk.on && aside->arc != MCD_ROAD_NONE && leads_on(two, aside))
                return true;
        }
    return false;
}

/* A slip road: one turn onto the street to which it leads. */
static bool is_slip_road(const sequence *two)
{
    const mcd_arc_facts *const facts = two->guide->source.roads->facts;
    const mcd_road_end *const slip = end_of(&two->last->junction, two->last->junction.out);
    const bool link = two->middle->kind->flags & MACADAM_ROAD_LINK;
    if (two->first != two->last || two->to->flags & MACADAM_ROAD_LINK || fabs(two->turn) > BACK) return false;
    if ((two->metres > SLIP_M && !link) || (two->to == two->middle->kind && !two->second->told)) return false;
    const double first = own_turn(two->first), second = own_turn(two->second);
    const bool turns = is_choice(two->second) && fabs(second) > ALONG; /* again, at its end */
    if (turns && (two->metres > SLIP_M || first * second < 0)) return false;
    if (link && !two->middle->sign->is_ramp) return join_turn(two);
    if (!slip || slip->back != MCD_ROAD_NONE) return false;
    const mcd_junction *const end = &two->second->junction;
    for (uint32_t i = 0; i < end->count; ++i)
        if (i != end->in && end->end[i].arc != MCD_ROAD_NONE &&
            mcd_sign_stays(mcd_guide_signs(two->guide), two->middle->kind, &facts->kind[end->end[i].kind]))
            return false;
    return cuts_corner(two) && join_turn(two);
}

/* ---- others ---- */

/* Two turns to one side, and back beside the road by which one came. */
static bool turns_back(const sequence *two)
{
    const double first = own_turn(two->first), second = own_turn(two->second);
    if (first * second <= 0 || fabs(first + second) < BACK) return false;
    return stays(two) && join(two, MACADAM_MANEUVER_CONTINUE, MACADAM_MODIFIER_UTURN);
}

/* A crossing whose arms are a little apart: a street ends, and goes on beside. */
static bool is_staggered(const sequence *two)
{
    const double first = own_turn(two->first), second = own_turn(two->second);
    if (two->metres > STAGGER_M || first * second >= 0 || fabs(two->turn) > ALONG) return false;
    if (fabs(first) <= ALONG || fabs(second) <= ALONG || find_on(&two->last->junction)) return false;
    return join(two, MACADAM_MANEUVER_NEW_NAME, MACADAM_MODIFIER_STRAIGHT);
}

static bool is_one(const sequence *two)
{
    const bool turns = is_turn(two->first) && is_turn(two->second);
    if (turns && two->metres <= BESIDE_M && (turns_back(two) || is_staggered(two))) return true;
    return (is_turn(two->first) && (turns || is_ramp(two->second)) && is_in_median(two)) || is_slip_road(two);
}

/* Joins the maneuver `first` with the junctions that follow it closely. */
static void take_in(mcd_guide *guide, size_t first)
{
    const mcd_guide_arc *const arc = guide->arc;
    mcd_maneuver *const maneuver = guide->maneuver;
    const macadam_mode mode = arc[first - 1].sign->mode;
    double metres = 0;
    for (size_t last = first, i = first + 1;
         i < guide->arc_count && i <= last + MCD_GUIDE_JUNCTIONS_MAX && maneuver[first].told; ++i) {
        if (maneuver[i].type > MACADAM_MANEUVER_END_OF_ROAD || maneuver[i].is_said ||
            mcd_sign_is_ring(arc[i].kind))
            return;
        metres += mcd_guide_metres(guide, i - 1);
        if (metres > LINK_M) return;
        if (!maneuver[i].told && maneuver[i].junction.count == 2) continue; /* the road goes on */
        if (arc[i - 1].sign->mode != mode || arc[i].sign->mode != mode) return;
        const sequence two = {
            .guide = guide,
            .first = &maneuver[first],
            .last = &maneuver[last],
            .second = &maneuver[i],
            .from = arc[first - 1].kind,
            .middle = &arc[i - 1],
            .to = arc[i].kind,
            .metres = metres,
            .turn = mcd_turn(maneuver[first].junction.before, maneuver[i].after),
            .first_node = arc[first - 1].head,
            .last_node = arc[last - 1].head,
            .node = arc[i - 1].head,
        };
        const bool ends = maneuver[i].told;
        if (is_one(&two))
            last = i, metres = 0;
        else if (ends)
            return;
    }
}

void mcd_guide_collapse(mcd_guide *guide)
{
    for (size_t i = mcd_guide_next(guide, 0); i < guide->arc_count; i = mcd_guide_next(guide, i))
        if (guide->maneuver[i].type <= MACADAM_MANEUVER_END_OF_ROAD && !guide->maneuver[i].is_said)
            take_in(guide, i);
}
