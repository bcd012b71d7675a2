/* collapse.c - turns that are one for a person: see guide.h.
 *
 * Each rule looks at two maneuvers that are announced and the short way between them. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"

#include <math.h>

/* In metres: how long the way between two maneuvers may be. */
enum { MEDIAN_M = 45, STAGGER_M = 30, LINK_M = 120, CROSSING_M = 25 };
enum { BACK = 150, ALONG = 40, BEND = 20 }; /* degrees */

/* Two maneuvers without an announcement between them. */
typedef struct sequence {
    mcd_guide *guide;
    mcd_maneuver *first, *second;
    const mcd_kind *from, *middle, *to;
    double metres, turn; /* of both together */
} sequence;

static bool is_turn(const mcd_maneuver *maneuver)
{
    if (maneuver->is_said) return false;
    switch (maneuver->type) {
    case MACADAM_MANEUVER_TURN:
    case MACADAM_MANEUVER_CONTINUE:
    case MACADAM_MANEUVER_END_OF_ROAD:
    case MACADAM_MANEUVER_FORK:
    case MACADAM_MANEUVER_NEW_NAME:
        return true;
    default:
        return false;
    }
}

static double own_turn(const mcd_maneuver *maneuver)
{
    return mcd_turn(maneuver->junction.before, maneuver->after);
}

/* Both turns become one, at the first of them. */
static void join(const sequence *two, macadam_maneuver_type type, macadam_modifier modifier)
{
    two->first->type = type;
    two->first->modifier = modifier;
    two->first->kind = two->second->kind;
    two->first->after = two->second->after;
    two->second->told = false;
}

static bool stays(const sequence *two)
{
    return mcd_sign_stays(two->guide->source.roads->facts, two->from, two->to);
}

/* Two turns to one side, and back along the other carriageway. */
static bool turns_back(const sequence *two)
{
    const double first = own_turn(two->first), second = own_turn(two->second);
    if (two->metres > MEDIAN_M || first * second <= 0 || fabs(first + second) < BACK) return false;
    if (!stays(two)) return false;
    join(two, MACADAM_MANEUVER_CONTINUE, MACADAM_MODIFIER_UTURN);
    return true;
}

/* A crossing whose arms are a little apart: to one side, then to the other. */
static bool is_staggered(const sequence *two)
{
    const double first = own_turn(two->first), second = own_turn(two->second);
    if (two->metres > STAGGER_M || first * second >= 0 || fabs(two->turn) > ALONG) return false;
    if (fabs(first) <= ALONG || fabs(second) <= ALONG) return false;
    join(two, MACADAM_MANEUVER_NEW_NAME, MACADAM_MODIFIER_STRAIGHT);
    two->first->told = mcd_sign_changes(two->guide->source.roads->facts, two->from, two->to);
    return true;
}

/* A slip road, or the piece of a road between two carriageways: one turn. */
static bool is_connection(const sequence *two)
{
    const mcd_arc_facts *const facts = two->guide->source.roads->facts;
    const bool link =
        two->middle->flags & MACADAM_ROAD_LINK && !mcd_guide_sign(two->guide, two->middle)->is_ramp;
    const bool crosses = two->metres <= CROSSING_M &&
                         (mcd_sign_stays(facts, two->middle, two->to) || !two->middle->text[MCD_KIND_NAME]);
    if (!(link && two->metres <= LINK_M) && !crosses) return false;
    if (own_turn(two->first) * own_turn(two->second) < 0 && fabs(own_turn(two->second)) > BEND && !link)
        return false;
    if (fabs(two->turn) > BACK) return false;
    join(two, stays(two) ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN, mcd_guide_modifier(two->turn));
    return true;
}

/* Returns the next maneuver that is announced after number `i`, or arc_count. */
static size_t next_told(const mcd_guide *guide, size_t i)
{
    for (++i; i < guide->arc_count && !guide->maneuver[i].told;) ++i;
    return i;
}

/* Returns the length of the arcs from `first` to before `end`, which are whole, in metres; of more than LINK_M, some
 * value above that: it is soon known. */
static double metres_of(const mcd_guide *guide, size_t first, size_t end)
{
    const mcd_roads *const roads = guide->source.roads;
    mcd_node tail = guide->arc[first - 1].head; /* or a copy, at the same place */
    const double straight = mcd_bearing_metres(roads, tail, guide->arc[end - 1].head);
    double sum = 0;
    if (straight > LINK_M + LINK_M / 10) return straight;
    for (size_t i = first; i < end && sum <= LINK_M; tail = guide->arc[i++].head)
        sum += mcd_arc_metres(roads, tail, guide->arc[i].arc);
    return sum;
}

static bool join_two(mcd_guide *guide, size_t first, size_t second)
{
    sequence two = {.guide = guide,
                    .first = &guide->maneuver[first],
                    .second = &guide->maneuver[second],
                    .from = guide->arc[first - 1].kind,
                    .middle = guide->arc[first].kind,
                    .to = guide->arc[second].kind};
    if (!is_turn(two.first) || !is_turn(two.second)) return false;
    two.metres = metres_of(guide, first, second);
    two.turn = mcd_turn(two.first->junction.before, two.second->after);
    return turns_back(&two) || is_staggered(&two) || is_connection(&two);
}

void mcd_guide_collapse(mcd_guide *guide)
{
    for (size_t first = next_told(guide, 0); first < guide->arc_count;) {
        const size_t second = next_told(guide, first);
        if (second < guide->arc_count && join_two(guide, first, second) && guide->maneuver[first].told)
            continue; /* it may be one with the next, too */
        first = next_told(guide, first);
    }
}
