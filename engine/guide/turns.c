/* turns.c - where a driver needs an instruction: see guide.h.
 *
 * Method: a road is obvious if a driver would take it rather than each of the others. One that keeps its name
 * is obvious beside service roads and ramps, however it bends, and beside roads that are less important, unless they
 * lead more straight on. Any other road is obvious if it bends little and the others bend distinctly more, or are
 * less important. It is not if another one is more so: the one that is more important, or is of the class of the road by
 * which the driver comes. Announced are turns that are not obvious, names that change, and roads that are joined. */
#include "engine/guide/guide.h"

#include <stdlib.h>

/* In degrees. Bands of directions are those of OSRM's API, so that its users see what they know. */
enum {
    STRAIGHT = 20,
    SLIGHT = 40,
    SHARP = 120,
    U_TURN = 172,
    OBVIOUS = 46,    /* a road that bends more is not obvious where there is another */
    FOLLOWED = 60,   /* likewise one that keeps its name, where the others are less important */
    DISTINCT = 20,   /* by how much others bend more, at least */
    CLOSE = 8,       /* likewise where only one road keeps its name */
    FORK_ANGLE = 75, /* between the roads of a fork, at most */
    CROSSING_MIN = 50,
    CROSSING_MAX = 130, /* of the roads at the end of a road */
    THROUGH = 145,      /* between the two arms of a road that goes through, at least */
    BESIDE = 60,        /* between the carriageways of a road, at most */
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
    const mcd_guide *guide;
    const mcd_signs *signs;
    const mcd_junction *junction;
    const mcd_road_end *taken, *beside; /* the other carriageway of the road that was travelled, or NULL */
    float turn_to[MCD_BRANCHES_MAX];
    double turn;      /* of the road taken */
    uint32_t choices; /* bit i: one could go to road number i instead */
    const mcd_kind *from, *to;
    const mcd_sign *from_sign, *to_sign; /* theirs */
    bool passed;                         /* another junction since the last instruction */
} passing;

/* Returns by how much a road is to the right of straight on, in degrees: -180 < turn <= 180. */
static double turn_of(const passing *at, const mcd_road_end *branch)
{
    return at->turn_to[branch - at->junction->end];
}

static const mcd_sign *sign_of(const passing *at, const mcd_road_end *branch)
{
    return &at->signs->of_kind[branch->kind];
}

static const mcd_kind *kind_of(const passing *at, const mcd_road_end *branch)
{
    return &at->signs->facts->kind[branch->kind];
}

static int rank_of(const passing *at, const mcd_road_end *branch)
{
    return sign_of(at, branch)->rank;
}

/* Returns the next choice after `branch` (NULL: the first), or NULL. */
static const mcd_road_end *next_choice(const passing *at, const mcd_road_end *branch)
{
    const mcd_road_end *const end = at->junction->end;
    const uint32_t choices = branch ? at->choices & ~UINT32_C(1) << (branch - end) : at->choices;
    return choices ? end + __builtin_ctz(choices) : NULL;
}

static bool keeps_name(const passing *at, const mcd_road_end *branch)
{
    return mcd_sign_stays(at->signs, at->from, kind_of(at, branch));
}

/* Returns whether `other` is not a choice for a driver on a street who follows `road`: a service road, a ramp, or the
 * link to another street from one that keeps its name. */
static bool is_aside(const passing *at, const mcd_road_end *road, const mcd_road_end *other)
{
    const mcd_sign *const own = sign_of(at, road), *const others = sign_of(at, other);
    const uint32_t links = kind_of(at, other)->flags & ~kind_of(at, road)->flags & MACADAM_ROAD_LINK;
    return (others->rank >= MCD_RANK_SERVICE && own->rank < MCD_RANK_SERVICE) ||
           (others->is_ramp && !own->is_ramp && !at->from_sign->is_ramp) ||
           (links && fabs(turn_of(at, other)) >= fabs(turn_of(at, road)) - CLOSE && keeps_name(at, road));
}

/* Returns whether a driver without an instruction would take `road` rather than `other`: a row of the table holds, or
 * the other one bends distinctly more. */
static bool is_clear(const passing *at, const mcd_road_end *road, const mcd_road_end *other)
{
    static const struct {
        bool keeps, alone; /* the road keeps its name; the other does not */
        int less;          /* by how much the other is less important, at least */
        int bend, further; /* how much the road bends, at most; by how much the other bends more, at least */
    } row[] = {
        {true, true, 1, 30, -STRAIGHT},       {true, true, 1, OBVIOUS, CLOSE},
        {true, true, 0, STRAIGHT, CLOSE},     {true, false, 0, CLOSE, 16},
        {true, false, 0, FOLLOWED, FOLLOWED}, {true, false, LESS, FOLLOWED, 12},
        {false, true, LESS, SLIGHT, 0},       {false, true, MUCH_LESS, OBVIOUS, -U_TURN},
    };
    const double bend = fabs(turn_of(at, road)), further = fabs(turn_of(at, other));
    const int less = rank_of(at, other) - rank_of(at, road);
    const bool aside = is_aside(at, road, other),
               distinct = bend <= OBVIOUS && further >= bend + DISTINCT && further >= 2 * bend;
    const bool keeps = keeps_name(at, road), parts = further <= SHARP && keeps_name(at, other);
    const int from = at->from_sign->rank;
    /* The other road leads on as the one by which the driver comes; it is clear beside this one. */
    const bool ahead = rank_of(at, other) == from && bend >= further + DISTINCT,
               yields = rank_of(at, road) != from && further <= OBVIOUS &&
                        (less <= -MUCH_LESS || is_aside(at, other, road));
    if (aside && (keeps || (bend <= OBVIOUS && !ahead))) return true;
    if (!keeps && (ahead || yields || (parts && (less <= -LESS || further < bend)))) return false;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (keeps >= row[i].keeps && !(parts && row[i].alone) && less >= row[i].less && bend <= row[i].bend &&
            further >= bend + row[i].further)
            return true;
    return distinct;
}

/* Returns whether a road that is the only one ahead is followed without a word: it bends little, or begins where the
 * road divides, beside its other carriageway. */
static bool is_only(const passing *at, const mcd_road_end *road)
{
    const mcd_road_end *const end = at->junction->end;
    if (!keeps_name(at, road)) return fabs(turn_of(at, road)) <= OBVIOUS;
    for (uint32_t i = 0; i < at->junction->count; ++i)
        if (i != at->junction->in && end[i].arc == MCD_ROAD_NONE && keeps_name(at, &end[i])) return true;
    return fabs(turn_of(at, road)) <= FOLLOWED;
}

static bool is_obvious(const passing *at, const mcd_road_end *road)
{
    const mcd_road_end *const end = at->junction->end;
    uint32_t others = (at->choices | UINT32_C(1) << at->junction->out) & ~(UINT32_C(1) << (road - end));
    if (!others) return is_only(at, road);
    for (; others; others &= others - 1)
        if (!is_clear(at, road, end + __builtin_ctz(others))) return false;
    return true;
}

/* ---- kinds of turns ---- */

/* Returns whether a choice parts from the road taken at a small angle. */
static bool is_tine(const passing *at, const mcd_road_end *other)
{
    return abs(rank_of(at, other) - rank_of(at, at->taken)) < MUCH_LESS &&
           fabs(turn_of(at, other)) <= OBVIOUS && fabs(turn_of(at, other) - at->turn) <= FORK_ANGLE;
}

/* Returns whether the street that the route comes by goes on as a choice, and the road taken leaves it. */
static bool goes_on(const passing *at, const mcd_road_end *other)
{
    return !at->from_sign->is_motorway && keeps_name(at, other) && !keeps_name(at, at->taken) &&
           fabs(turn_of(at, other)) <= fabs(at->turn) + CLOSE;
}

/* Returns the direction of the road taken where the road parts into some of equal right, or NONE. */
static macadam_modifier find_fork(const passing *at)
{
    bool left = false, right = false;
    if (fabs(at->turn) > OBVIOUS) return MACADAM_MODIFIER_NONE;
    for (const mcd_road_end *other = next_choice(at, NULL); other; other = next_choice(at, other)) {
        if (is_obvious(at, other) || goes_on(at, other)) return MACADAM_MODIFIER_NONE;
        if (is_tine(at, other)) *(turn_of(at, other) < at->turn ? &left : &right) = true;
    }
    if (left && right) return MACADAM_MODIFIER_STRAIGHT;
    return left    ? MACADAM_MODIFIER_SLIGHT_RIGHT
           : right ? MACADAM_MODIFIER_SLIGHT_LEFT
                   : MACADAM_MODIFIER_NONE;
}

/* Returns whether the road ends at another one, whose arms need not both be open. */
static bool is_end_of_road(const passing *at)
{
    const mcd_junction *const junction = at->junction;
    bool left = false, right = false;
    for (uint32_t i = 0; i < junction->count && junction->count == 3; ++i) {
        const double bend = fabs(turn_of(at, &junction->end[i]));
        if (i == junction->in || bend < CROSSING_MIN || bend > CROSSING_MAX) continue;
        if (keeps_name(at, &junction->end[i])) return false;
        left = left || turn_of(at, &junction->end[i]) < 0;
        right = right || turn_of(at, &junction->end[i]) > 0;
    }
    return left && right;
}

/* Returns the arm from which the road taken comes through the junction, or NULL: one of the same name, if it must be, and
 * otherwise one from which traffic comes. */
static const mcd_road_end *find_through(const passing *at, bool same)
{
    for (uint32_t i = 0; i < at->junction->count; ++i) {
        const mcd_road_end *const other = &at->junction->end[i];
        if (i == at->junction->in || other == at->taken) continue;
        if (fabs(mcd_turn(other->bearing, at->taken->bearing)) >= THROUGH &&
            (same ? mcd_sign_stays(at->signs, kind_of(at, other), at->to) : other->back != MCD_ROAD_NONE))
            return other;
    }
    return NULL;
}

/* The direction of the road taken, distinguished from another one that would bear the same word. */
static macadam_modifier tell_apart(const passing *at)
{
    const double turn = at->turn, bend = fabs(turn);
    const bool right = turn > 0;
    const macadam_modifier own = mcd_guide_modifier(turn);
    for (const mcd_road_end *other = next_choice(at, NULL); other; other = next_choice(at, other)) {
        if (mcd_guide_modifier(turn_of(at, other)) != own) continue;
        const bool further = fabs(turn_of(at, other)) > bend;
        if (own == MACADAM_MODIFIER_STRAIGHT)
            return turn_of(at, other) > turn ? MACADAM_MODIFIER_SLIGHT_LEFT : MACADAM_MODIFIER_SLIGHT_RIGHT;
        if (bend < 70 && further) return right ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT;
        if (bend > 100 && !further) return right ? MACADAM_MODIFIER_SHARP_RIGHT : MACADAM_MODIFIER_SHARP_LEFT;
    }
    return own;
}

/* Left or right of the choice that bends least. */
static macadam_modifier side_of(const passing *at)
{
    const mcd_road_end *best = NULL;
    for (const mcd_road_end *other = next_choice(at, NULL); other; other = next_choice(at, other))
        if (!best || fabs(turn_of(at, other)) < fabs(turn_of(at, best))) best = other;
    const macadam_modifier own = mcd_guide_modifier(at->turn);
    if (!best || own != MACADAM_MODIFIER_STRAIGHT) return own;
    return at->turn > turn_of(at, best) ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT;
}

static void tell(mcd_maneuver *out, macadam_maneuver_type type, macadam_modifier modifier)
{
    out->told = true;
    out->type = type;
    out->modifier = modifier;
}

static void tell_turn(const passing *at, mcd_maneuver *out)
{
    const macadam_modifier fork = find_fork(at);
    if (fork)
        tell(out, MACADAM_MANEUVER_FORK, fork);
    else
        tell(out, keeps_name(at, at->taken) ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN,
             tell_apart(at));
}

/* The road goes on as it must. */
static void tell_name(const passing *at, mcd_maneuver *out)
{
    if (at->from == at->to || !mcd_sign_changes(at->signs, at->from, at->to)) return;
    const bool ramps = at->from_sign->is_ramp && at->to_sign->is_ramp,
               joined = !ramps && find_through(at, true);
    const bool straight = joined && at->taken->back != MCD_ROAD_NONE && fabs(at->turn) <= SLIGHT;
    tell(out, joined ? MACADAM_MANEUVER_TURN : MACADAM_MANEUVER_NEW_NAME,
         straight ? MACADAM_MODIFIER_STRAIGHT : mcd_guide_modifier(at->turn));
}

/* ---- ramps ---- */

/* Returns whether every other choice is a ramp. */
static bool others_are_ramps(const passing *at)
{
    for (const mcd_road_end *other = next_choice(at, NULL); other; other = next_choice(at, other))
        if (!sign_of(at, other)->is_ramp) return false;
    return true;
}

/* Returns whether the way is a ramp that parts into two ramps, one of which is taken. */
static bool is_fork_of_ramps(const passing *at, const mcd_road_end *choice)
{
    return choice && !next_choice(at, choice) && others_are_ramps(at) && !goes_on(at, choice) &&
           !(keeps_name(at, at->taken) && is_obvious(at, at->taken)) &&
           fabs(turn_of(at, choice)) <= OBVIOUS && fabs(at->turn) <= OBVIOUS;
}

/* Returns the arm from which a motorway comes that one joins, or NULL: where the motorway of another number ends, or from
 * the side. A road that is not a ramp joins it only where there is no choice. */
static const mcd_road_end *find_joined(const passing *at)
{
    const mcd_sign *const from = at->from_sign;
    if (!at->to_sign->is_motorway || (!from->is_ramp && next_choice(at, NULL))) return NULL;
    if (from->is_motorway)
        return mcd_sign_changes(at->signs, at->from, at->to) ? find_through(at, true) : NULL;
    const mcd_road_end *const through = fabs(at->turn) <= FOLLOWED ? find_through(at, false) : NULL;
    return through && sign_of(at, through)->is_motorway ? through : NULL;
}

/* Returns whether ramps decide what is announced. */
static bool tell_ramp(const passing *at, mcd_maneuver *out)
{
    const mcd_sign *const from = at->from_sign, *const to = at->to_sign;
    if (!from->is_ramp && !to->is_ramp && !from->is_motorway && !to->is_motorway) return false;
    const mcd_road_end *const through = find_joined(at);
    const mcd_road_end *const choice = next_choice(at, NULL);
    if (through)
        tell(out, MACADAM_MANEUVER_MERGE,
             mcd_turn(at->junction->end[at->junction->in].bearing, through->bearing) > 0
                 ? MACADAM_MODIFIER_SLIGHT_LEFT
                 : MACADAM_MODIFIER_SLIGHT_RIGHT);
    else if (from->is_motorway && to->is_ramp && choice && others_are_ramps(at) && find_fork(at))
        tell(out, MACADAM_MANEUVER_FORK, find_fork(at));
    else if (from->is_motorway && at->to->flags & MACADAM_ROAD_LINK && choice)
        tell(out, MACADAM_MANEUVER_OFF_RAMP, side_of(at));
    else if (to->is_ramp && !from->is_ramp && to->rank < from->rank)
        tell(out, MACADAM_MANEUVER_ON_RAMP,
             fabs(at->turn) <= STRAIGHT ? tell_apart(at) : mcd_guide_modifier(at->turn));
    else if (from->is_ramp && to->is_ramp && is_fork_of_ramps(at, choice))
        tell(out, MACADAM_MANEUVER_FORK,
             at->turn > turn_of(at, choice) ? MACADAM_MODIFIER_SLIGHT_RIGHT : MACADAM_MODIFIER_SLIGHT_LEFT);
    else if (from->is_motorway && !to->is_ramp && choice && others_are_ramps(at) && fabs(at->turn) <= OBVIOUS)
        tell_name(at, out);
    else
        return false;
    return true;
}

/* ---- the pass ---- */

/* Returns whether the route turns out of a roundabout at the node where it meets it, by an exit that is ahead: the
 * road by which the ring goes on is between that and the one by which it comes. */
static bool passes_ring(const passing *at)
{
    const mcd_road_end *on = NULL, *back = NULL;
    if (fabs(at->turn) <= STRAIGHT || mcd_sign_is_ring(at->from) || mcd_sign_is_ring(at->to)) return false;
    for (uint32_t i = 0; i < at->junction->count; ++i) {
        const mcd_road_end *const end = &at->junction->end[i];
        if (mcd_sign_is_ring(kind_of(at, end))) *(end->arc != MCD_ROAD_NONE ? &on : &back) = end;
    }
    return on && back && (turn_of(at, on) > at->turn) != (turn_of(at, on) > turn_of(at, back));
}

static void classify(const passing *at, mcd_maneuver *out)
{
    const bool u_turn = at->taken == &at->junction->end[at->junction->in] || at->taken == at->beside ||
                        (fabs(at->turn) > U_TURN && at->junction->count > 2);
    if (passes_ring(at))
        tell(out, MACADAM_MANEUVER_EXIT_ROUNDABOUT, mcd_guide_modifier(at->turn));
    else if (u_turn)
        tell(out, keeps_name(at, at->taken) ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN,
             MACADAM_MODIFIER_UTURN);
    else if (tell_ramp(at, out))
        return;
    else if (is_obvious(at, at->taken))
        tell_name(at, out);
    else if (at->passed && is_end_of_road(at))
        tell(out, MACADAM_MANEUVER_END_OF_ROAD, mcd_guide_modifier(at->turn));
    else if (at->junction->count == 2)
        tell_name(at, out);
    else
        tell_turn(at, out);
}

/* The traveller boards, or gets off. A turn says more, but not that a ship waits. */
static void tell_mode(const passing *at, mcd_maneuver *out)
{
    const macadam_mode mode = at->to_sign->mode;
    if (mode == at->from_sign->mode) return;
    if (mode == MACADAM_MODE_FERRY || mode == MACADAM_MODE_TRAIN || !out->told ||
        out->type == MACADAM_MANEUVER_NEW_NAME)
        tell(out, MACADAM_MANEUVER_NOTIFICATION, mcd_guide_modifier(at->turn));
}

/* ---- what a driver sees ---- */

/* Returns the junction at the other end of a road. */
static mcd_node far_end(const passing *at, const mcd_road_end *end)
{
    return mcd_junctions_far(at->guide->source.junctions, end);
}

/* Returns the direction in which that is. */
static double far_bearing(const passing *at, mcd_node node, const mcd_road_end *end)
{
    return mcd_bearing_to(at->guide->source.roads, node, far_end(at, end));
}

/* Returns the other carriageway of a road that is divided up to the junction, or NULL: of its name, with traffic the
 * other way, beside it on the side of oncoming traffic. At the junction they may be `widest` degrees apart. */
static const mcd_road_end *find_carriageway(const passing *at, mcd_node node, uint32_t i, double widest)
{
    const mcd_junction *const junction = at->junction;
    const mcd_road_end *const end = &junction->end[i];
    const bool leaves = end->back == MCD_ROAD_NONE;
    if (junction->count < 3 || leaves == (end->arc == MCD_ROAD_NONE)) return NULL;
    const mcd_road_end *const other =
        &junction->end[(i + (leaves == at->guide->drives_left ? 1 : junction->count - 1)) % junction->count];
    if ((leaves ? other->arc : other->back) != MCD_ROAD_NONE) return NULL;
    const double apart = fabs(mcd_turn(end->bearing, other->bearing));
    if (apart > widest) return NULL;
    for (uint32_t k = 0; k < junction->count; ++k)
        if (mcd_sign_is_ring(kind_of(at, &junction->end[k]))) return NULL;
    if (!mcd_sign_stays(at->signs, kind_of(at, end), kind_of(at, other))) return NULL;
    const double far = fabs(mcd_turn(far_bearing(at, node, end), far_bearing(at, node, other)));
    return far <= (apart > BESIDE ? SLIGHT : BESIDE) ? other : NULL; /* a circle is not a divided road */
}

/* Returns the direction of a road of the junction; of a divided one, that between its carriageways. */
static double bearing_of(const passing *at, mcd_node node, uint32_t i)
{
    const double own = at->junction->end[i].bearing;
    const mcd_road_end *const other = find_carriageway(at, node, i, BESIDE);
    return other ? fmod(own + mcd_turn(own, other->bearing) / 2 + 360, 360) : own;
}

/* Returns whether a road is a choice beside the one taken: it does not lead back, nor beside it to the same place. */
static bool is_choice(const passing *at, const mcd_road_end *other)
{
    const uint32_t *const id = at->guide->source.roads->places->node_place;
    if (fabs(turn_of(at, other)) > U_TURN) return false;
    return fabs(turn_of(at, other) - at->turn) > DISTINCT ||
           id[far_end(at, other)] != id[far_end(at, at->taken)];
}

/* Notes where one could go at the junction that the route passes at `node`. */
static void look_around(passing *at, const mcd_junction *junction, mcd_node node)
{
    uint32_t others = junction->entry & ~(UINT32_C(1) << junction->in | UINT32_C(1) << junction->out);
    at->junction = junction;
    at->beside = find_carriageway(at, node, junction->in, 180);
    const double before = fmod(bearing_of(at, node, junction->in) + 180, 360);
    for (uint32_t i = 0; i < junction->count; ++i)
        at->turn_to[i] = (float)mcd_turn(before, bearing_of(at, node, i));
    at->taken = &junction->end[junction->out];
    at->turn = turn_of(at, at->taken);
    at->choices = others;
    for (; others; others &= others - 1)
        if (!is_choice(at, &junction->end[__builtin_ctz(others)])) at->choices &= ~(others & -others);
}

/* An instruction as mcd_arc_ends keeps it: the number of the road, whether a junction was passed, and these bits. */
enum { KEPT_PASSED = 5, KEPT_TYPE = 6, KEPT_MODIFIER = 10 };

/* Takes from what routes before found there whether an instruction is needed, and which. Returns false if none passed. */
static bool recall(const mcd_arc_ends *ends, bool passed, mcd_maneuver *out)
{
    if (atomic_load_explicit(&ends->known, memory_order_relaxed) >> out->junction.out & 1) return true;
    const uint32_t kept = atomic_load_explicit(&ends->told, memory_order_relaxed);
    const uint32_t way = out->junction.out | (uint32_t)passed << KEPT_PASSED;
    if (!kept || (kept ^ way) % (1 << KEPT_TYPE)) return false;
    tell(out, kept >> KEPT_TYPE & 15, kept >> KEPT_MODIFIER);
    return true;
}

static void keep(mcd_arc_ends *ends, bool passed, const mcd_maneuver *found)
{
    const uint32_t way = found->junction.out,
                   turn = found->type << KEPT_TYPE | found->modifier << KEPT_MODIFIER;
    if (found->told)
        atomic_store_explicit(&ends->told, (uint16_t)(way | (uint32_t)passed << KEPT_PASSED | turn),
                              memory_order_relaxed);
    else
        atomic_fetch_or_explicit(&ends->known, UINT32_C(1) << way, memory_order_relaxed);
}

void mcd_guide_turns(mcd_guide *guide)
{
    passing at = {.guide = guide, .signs = mcd_guide_signs(guide)};
    mcd_arc_ends *const of_arc = guide->source.junctions->of_arc;
    bool passed = false; /* a junction since the last instruction */
    const mcd_guide_arc *from = guide->arc;
    mcd_maneuver *maneuver = guide->maneuver;
    for (const mcd_guide_arc *const last = from + guide->arc_count - 1; from < last; ++from) {
        const mcd_junction *const junction = &(++maneuver)->junction;
        if (junction->in == MCD_BRANCH_NONE || junction->out == MCD_BRANCH_NONE) continue;
        mcd_arc_ends *const ends = junction->is_cut ? NULL : &of_arc[from->arc];
        if (!ends || !recall(ends, passed, maneuver)) {
            at.from = from->kind, at.from_sign = from->sign;
            at.to = from[1].kind, at.to_sign = from[1].sign;
            at.passed = passed;
            look_around(&at, junction, from->head);
            classify(&at, maneuver);
            tell_mode(&at, maneuver);
            if (ends) keep(ends, passed, maneuver);
        }
        passed = !maneuver->told && (passed || junction->count > 2);
    }
}
