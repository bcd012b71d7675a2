/* turns.c - where a driver has to be told to turn: see guide.h.
 *
 * Method: a road is obvious if it bends little and every other road that one may take bends distinctly more,
 * is much less important, or lacks the name that stays. Only what is not obvious is told, and names that
 * change. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"

#include <math.h>
#include <stdlib.h>

/* In degrees. Bands of directions are those of OSRM's API, so that its users see what they know. */
enum {
    STRAIGHT = 20,
    SLIGHT = 40,
    SHARP = 120,
    U_TURN = 172,
    OBVIOUS = 45,    /* a road that bends more is not obvious where there is another */
    DISTINCT = 20,   /* by how much others bend more, at least */
    FORK_ANGLE = 75, /* between the roads of a fork, at most */
    CROSSING_MIN = 50,
    CROSSING_MAX = 130, /* of the roads at the end of a road */
    THROUGH = 145,      /* between the two arms of a road that goes through, at least */
};
enum { MUCH_LESS = 4, LESS = 2 }; /* differences of ranks */

macadam_modifier mcd_guide_modifier(double turn)
{
    const double bend = fabs(turn);
    if (bend <= STRAIGHT) return MACADAM_MODIFIER_STRAIGHT;
    if (bend > U_TURN) return MACADAM_MODIFIER_UTURN;
    if (turn > 0)
        return bend <= SLIGHT  ? MACADAM_MODIFIER_SLIGHT_RIGHT
               : bend <= SHARP ? MACADAM_MODIFIER_RIGHT
                               : MACADAM_MODIFIER_SHARP_RIGHT;
    return bend <= SLIGHT  ? MACADAM_MODIFIER_SLIGHT_LEFT
           : bend <= SHARP ? MACADAM_MODIFIER_LEFT
                           : MACADAM_MODIFIER_SHARP_LEFT;
}

/* A junction as the route passes it. */
typedef struct passing {
    const mcd_arc_facts *facts;
    const mcd_junction *junction;
    const mcd_branch *taken;
    const mcd_kind *from, *to;
    const uint8_t *rank; /* by kind */
} passing;

static const mcd_kind *kind_of(const passing *at, const mcd_branch *branch)
{
    return &at->facts->kind[branch->end.kind];
}

static int rank_of(const passing *at, const mcd_branch *branch)
{
    return at->rank[branch->end.kind];
}

/* Returns whether one could go there instead. */
static bool is_choice(const passing *at, const mcd_branch *branch)
{
    return branch != at->taken && branch->entry && branch != &at->junction->branch[at->junction->in] &&
           fabs(branch->turn) <= U_TURN;
}

/* Returns the next choice after `branch` (NULL: the first), or NULL. */
static const mcd_branch *next_choice(const passing *at, const mcd_branch *branch)
{
    const mcd_branch *const end = at->junction->branch + at->junction->count;
    branch = branch ? branch + 1 : at->junction->branch;
    while (branch < end && !is_choice(at, branch)) ++branch;
    return branch < end ? branch : NULL;
}

/* Returns whether nobody would take `other` who is told nothing and sees `road`. */
static bool is_clear(const passing *at, const mcd_branch *road, const mcd_branch *other)
{
    const double bend = fabs(road->turn), further = fabs(other->turn);
    const int less = rank_of(at, other) - rank_of(at, road);
    if (less <= -LESS && mcd_sign_stays(at->facts, at->from, kind_of(at, other))) return false;
    if (less >= MUCH_LESS) return true;
    if (further >= bend + DISTINCT && further >= 2 * bend) return true;
    if (less >= LESS && bend <= SLIGHT && further >= STRAIGHT) return true;
    return less > 0 && mcd_sign_stays(at->facts, at->from, kind_of(at, road)) &&
           !mcd_sign_stays(at->facts, at->from, kind_of(at, other));
}

static bool is_obvious(const passing *at, const mcd_branch *road)
{
    if (fabs(road->turn) > OBVIOUS) return false;
    const mcd_branch *const end = at->junction->branch + at->junction->count;
    for (const mcd_branch *other = at->junction->branch; other < end; ++other)
        if (other != road && (other == at->taken || is_choice(at, other)) && !is_clear(at, road, other))
            return false;
    return true;
}

/* ---- kinds of turns ---- */

/* Returns the choice that parts from the road taken at a small angle, or NULL. */
static const mcd_branch *find_tine(const passing *at)
{
    const mcd_branch *best = NULL;
    for (const mcd_branch *other = next_choice(at, NULL); other; other = next_choice(at, other)) {
        const int less = rank_of(at, other) - rank_of(at, at->taken);
        if (abs(less) >= MUCH_LESS || fabs(other->turn) > OBVIOUS || is_obvious(at, other)) continue;
        if (fabs(other->turn - at->taken->turn) > FORK_ANGLE) continue;
        if (!best || fabs(other->turn) < fabs(best->turn)) best = other;
    }
    return fabs(at->taken->turn) <= OBVIOUS ? best : NULL;
}

/* Returns whether the road ends at another one, whose arms need not both be open. */
static bool is_end_of_road(const passing *at)
{
    const mcd_junction *const junction = at->junction;
    bool left = false, right = false;
    for (uint32_t i = 0; i < junction->count && junction->count == 3; ++i) {
        const double bend = fabs(junction->branch[i].turn);
        if (i == junction->in || bend < CROSSING_MIN || bend > CROSSING_MAX) continue;
        if (mcd_sign_stays(at->facts, at->from, kind_of(at, &junction->branch[i]))) return false;
        left = left || junction->branch[i].turn < 0;
        right = right || junction->branch[i].turn > 0;
    }
    return left && right;
}

/* Returns whether the road taken comes through the junction: traffic on it passes from another arm. */
static const mcd_branch *find_through(const passing *at)
{
    for (uint32_t i = 0; i < at->junction->count; ++i) {
        const mcd_branch *const other = &at->junction->branch[i];
        if (i == at->junction->in || other == at->taken || other->end.back == MCD_ROAD_NONE) continue;
        if (fabs(mcd_turn(other->end.bearing, at->taken->end.bearing)) >= THROUGH) return other;
    }
    return NULL;
}

/* The direction of the road taken, told apart from another one that would bear the same word. */
static macadam_modifier tell_apart(const passing *at)
{
    const double turn = at->taken->turn, bend = fabs(turn);
    const macadam_modifier own = mcd_guide_modifier(turn);
    for (const mcd_branch *other = next_choice(at, NULL); other; other = next_choice(at, other)) {
        if (mcd_guide_modifier(other->turn) != own) continue;
        const bool further = fabs(other->turn) > bend;
        if (own == MACADAM_MODIFIER_STRAIGHT)
            return other->turn > turn ? MACADAM_MODIFIER_SLIGHT_LEFT : MACADAM_MODIFIER_SLIGHT_RIGHT;
        if (own == MACADAM_MODIFIER_LEFT && bend < 70 && further) return MACADAM_MODIFIER_SLIGHT_LEFT;
        if (own == MACADAM_MODIFIER_RIGHT && bend < 70 && further) return MACADAM_MODIFIER_SLIGHT_RIGHT;
        if (own == MACADAM_MODIFIER_LEFT && bend > 100 && !further) return MACADAM_MODIFIER_SHARP_LEFT;
        if (own == MACADAM_MODIFIER_RIGHT && bend > 100 && !further) return MACADAM_MODIFIER_SHARP_RIGHT;
    }
    return own;
}

/* Left or right of the choice that bends least. */
static macadam_modifier side_of(const passing *at)
{
    const mcd_branch *best = NULL;
    for (const mcd_branch *other = next_choice(at, NULL); other; other = next_choice(at, other))
        if (!best || fabs(other->turn) < fabs(best->turn)) best = other;
    const macadam_modifier own = mcd_guide_modifier(at->taken->turn);
    if (!best || own != MACADAM_MODIFIER_STRAIGHT) return own;
    return at->taken->turn > best->turn ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT;
}

static void tell(mcd_maneuver *out, macadam_maneuver_type type, macadam_modifier modifier)
{
    out->told = true;
    out->type = type;
    out->modifier = modifier;
}

static void tell_turn(const passing *at, mcd_maneuver *out)
{
    const mcd_branch *const tine = find_tine(at);
    const bool stays = mcd_sign_stays(at->facts, at->from, at->to);
    if (tine)
        tell(out, MACADAM_MANEUVER_FORK,
             at->taken->turn > tine->turn ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT);
    else
        tell(out, stays ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN, tell_apart(at));
}

/* The road goes on as it must. */
static void tell_name(const passing *at, mcd_maneuver *out)
{
    if (mcd_sign_changes(at->facts, at->from, at->to))
        tell(out, MACADAM_MANEUVER_NEW_NAME, mcd_guide_modifier(at->taken->turn));
}

/* ---- ramps ---- */

/* Returns whether every other choice is a ramp. */
static bool others_are_ramps(const passing *at)
{
    for (const mcd_branch *other = next_choice(at, NULL); other; other = next_choice(at, other))
        if (!mcd_sign_is_ramp(at->facts, kind_of(at, other))) return false;
    return true;
}

static void tell_merge(const passing *at, const mcd_branch *through, mcd_maneuver *out)
{
    const double aside = mcd_turn(at->junction->branch[at->junction->in].end.bearing, through->end.bearing);
    tell(out, MACADAM_MANEUVER_MERGE,
         aside > 0 ? MACADAM_MODIFIER_SLIGHT_LEFT : MACADAM_MODIFIER_SLIGHT_RIGHT);
}

/* Returns whether the way is a ramp that parts into two ramps, one of which is taken. */
static bool is_fork_of_ramps(const passing *at, const mcd_branch *choice)
{
    return choice && !next_choice(at, choice) && others_are_ramps(at) && fabs(choice->turn) <= OBVIOUS &&
           fabs(at->taken->turn) <= OBVIOUS;
}

/* Returns the arm from which a motorway comes that goes on where the motorway of another number ends, or NULL. */
static const mcd_branch *find_motorway_through(const passing *at)
{
    const mcd_branch *const through = find_through(at);
    const bool joins = through && mcd_sign_is_motorway(at->facts, at->from) &&
                       mcd_sign_is_motorway(at->facts, at->to) && !next_choice(at, NULL);
    return joins && mcd_sign_changes(at->facts, at->from, at->to) &&
                   mcd_sign_stays(at->facts, kind_of(at, through), at->to)
               ? through
               : NULL;
}

/* Returns whether ramps decide what is told. */
static bool tell_ramp(const passing *at, mcd_maneuver *out)
{
    const bool from_ramp = mcd_sign_is_ramp(at->facts, at->from),
               to_ramp = mcd_sign_is_ramp(at->facts, at->to);
    const bool from_motorway = mcd_sign_is_motorway(at->facts, at->from);
    const mcd_branch *const through =
        from_ramp && mcd_sign_is_motorway(at->facts, at->to) && fabs(at->taken->turn) <= OBVIOUS
            ? find_through(at)
            : find_motorway_through(at);
    const mcd_branch *const choice = next_choice(at, NULL);
    if (through)
        tell_merge(at, through, out);
    else if (to_ramp && !from_ramp && from_motorway && choice)
        tell(out, MACADAM_MANEUVER_OFF_RAMP, side_of(at));
    else if (to_ramp && !from_ramp && !from_motorway)
        tell(out, MACADAM_MANEUVER_ON_RAMP, side_of(at));
    else if (from_ramp && to_ramp && is_fork_of_ramps(at, choice))
        tell(out, MACADAM_MANEUVER_FORK,
             at->taken->turn > choice->turn ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT);
    else if (from_motorway && !to_ramp && choice && others_are_ramps(at) && fabs(at->taken->turn) <= OBVIOUS)
        tell_name(at, out);
    else
        return false;
    return true;
}

/* ---- the pass ---- */

static void classify(const passing *at, mcd_maneuver *out)
{
    const bool u_turn =
        at->taken == &at->junction->branch[at->junction->in] || fabs(at->taken->turn) > U_TURN;
    if (mcd_sign_mode(at->from) != mcd_sign_mode(at->to))
        tell(out, MACADAM_MANEUVER_NOTIFICATION, mcd_guide_modifier(at->taken->turn));
    else if (u_turn)
        tell(out,
             mcd_sign_stays(at->facts, at->from, at->to) ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN,
             MACADAM_MODIFIER_UTURN);
    else if (tell_ramp(at, out))
        return;
    else if (is_obvious(at, at->taken))
        tell_name(at, out);
    else if (is_end_of_road(at))
        tell(out, MACADAM_MANEUVER_END_OF_ROAD, mcd_guide_modifier(at->taken->turn));
    else if (!next_choice(at, NULL))
        tell_name(at, out);
    else
        tell_turn(at, out);
}

void mcd_guide_turns(mcd_guide *guide)
{
    const mcd_arc_facts *const facts = guide->source.roads->facts;
    for (size_t i = 1; i < guide->arc_count; ++i) {
        mcd_maneuver *const maneuver = &guide->maneuver[i];
        const mcd_junction *const junction = &maneuver->junction;
        const mcd_kind *const from = guide->arc[i - 1].kind, *const to = guide->arc[i].kind;
        maneuver->kind = to;
        if (junction->in == MCD_BRANCH_NONE || junction->out == MCD_BRANCH_NONE) continue;
        const mcd_branch *const taken = &junction->branch[junction->out];
        if (junction->count == 2 && from == to && junction->in != junction->out) continue; /* it only bends */
        const passing at = {facts, junction, taken, from, to, guide->source.junctions->rank};
        classify(&at, maneuver);
    }
}
