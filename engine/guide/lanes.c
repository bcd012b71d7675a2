/* lanes.c - the lanes that lead to an intersection, and which of them lead where the route goes: see
 * guide.h. turn:lanes of OpenStreetMap: lanes from left to right between |, arrows between ;.
 *
 * Method: the directions of the arrows and the ways out of the junction, both from left to right, are
 * aligned at the least cost: an arrow costs the angle to its way, and each arrow without a way and each
 * way without an arrow costs something, too. So the order decides, and angles where the order leaves a
 * choice. Arrows may be meant for a junction a little further on, as at the second carriageway of a
 * divided road: of the junctions that follow closely, the lanes are for those that their arrows fit best.
 * Then, of two turns close together, only the lanes stay valid at the first that may lead into the valid
 * lanes of the second. */
#include "engine/guide/guide.h"

enum { LANES_MAX = 64, WAYS_MAX = 3 * MCD_BRANCHES_MAX };
/* From the end of the lanes to the last junction that their arrows are for. */
enum { REACH_M = 50 };
/* Costs, in degrees: of an arrow without a way, of a way without an arrow, and of an arrow for a lesser road. */
enum { NO_WAY = 115, NO_ARROW = 25, LESSER = 10 };
enum { NEAR = 45, STRAIGHT = 20 }; /* degrees */
enum { WAY_NONE = WAYS_MAX };
#define CHANGE_S  15.0 /* the time for a change of lanes */
#define USUAL_KMH 65.0 /* where no speed limit is known */

/* The directions of arrows from left to right, in degrees. Those of lanes that turn back or end are not among them. */
static const double direction[] = {-135, -90, -40, 0, 40, 90, 135};
enum { DIRECTIONS = sizeof direction / sizeof direction[0], ELSEWHERE = DIRECTIONS, AHEAD = 3 };

static const struct {
    const char *name;
    macadam_modifier modifier;
    unsigned direction;
} arrow[] = {
    {"sharp_left", MACADAM_MODIFIER_SHARP_LEFT, 0},
    {"left", MACADAM_MODIFIER_LEFT, 1},
    {"slight_left", MACADAM_MODIFIER_SLIGHT_LEFT, 2},
    {"through", MACADAM_MODIFIER_STRAIGHT, AHEAD},
    {"merge_to_left", MACADAM_MODIFIER_SLIGHT_LEFT, ELSEWHERE},
    {"merge_to_right", MACADAM_MODIFIER_SLIGHT_RIGHT, ELSEWHERE},
    {"slight_right", MACADAM_MODIFIER_SLIGHT_RIGHT, 4},
    {"right", MACADAM_MODIFIER_RIGHT, 5},
    {"sharp_right", MACADAM_MODIFIER_SHARP_RIGHT, 6},
    {"reverse", MACADAM_MODIFIER_UTURN, ELSEWHERE},
};
enum { ARROWS = sizeof arrow / sizeof arrow[0] };

typedef struct painting {
    macadam_lane lane[LANES_MAX];
    uint32_t arrows[LANES_MAX]; /* 1 << direction, or-ed; 0: no arrow, or the lane is closed */
    bool closed[LANES_MAX];
    size_t count;
    uint32_t all;  /* of all lanes */
    bool has_bare; /* some lane has no arrow */
} painting;

static bool is_bare(const painting *lanes, size_t i)
{
    return i < lanes->count && !lanes->closed[i] && !lanes->lane[i].modifiers;
}

/* Reads a lane's arrows up to the next |. */
static const char *read_lane(painting *out, const char *at)
{
    static const char closed[] = "closed";
    const size_t lane = out->count++;
    for (;; ++at) {
        const size_t length = strcspn(at, ";|");
        for (size_t i = 0; i < ARROWS; ++i)
            if (strlen(arrow[i].name) == length && strncmp(at, arrow[i].name, length) == 0) {
                out->lane[lane].modifiers |= 1u << arrow[i].modifier;
                out->arrows[lane] |= 1u << arrow[i].direction;
            }
        out->closed[lane] |= length == sizeof closed - 1 && strncmp(at, closed, length) == 0;
        at += length;
        if (*at != ';') break;
    }
    if (out->closed[lane]) out->arrows[lane] = 0;
    out->all |= out->arrows[lane];
    out->has_bare |= is_bare(out, lane);
    return *at ? at + 1 : NULL;
}

/* ---- ways out ---- */

/* The ways out of a junction, or of several close together, from left to right. */
typedef struct fan {
    struct way_out {
        double turn;        /* to the right of the direction of travel on the lanes, in degrees */
        double alone, more; /* costs: without an arrow; with one, besides the angle */
    } way[WAYS_MAX];
    size_t count, taken;
} fan;

/* Puts the ways out of junction number `i` in the place of the way that leads there. Returns false if there is no
 * junction that lanes can be for. */
static bool widen(fan *out, const mcd_guide *guide, size_t i, double before)
{
    const mcd_junction *const junction = &guide->maneuver[i].junction;
    struct way_out way[MCD_BRANCHES_MAX];
    size_t count = 0, taken = 0;
    if (junction->in == MCD_BRANCH_NONE || junction->out == MCD_BRANCH_NONE ||
        junction->in == junction->out || out->count + junction->count > WAYS_MAX)
        return false;
    if (mcd_sign_is_ring(guide->arc[i].kind) && !mcd_sign_is_ring(guide->arc[i - 1].kind)) return false;
    for (uint32_t k = 1; k < junction->count; ++k) {
        const uint32_t at = (junction->in + k) % junction->count;
        const mcd_road_end *const end = &junction->end[at];
        const bool lesser = mcd_guide_signs(guide)->of_kind[end->kind].rank >= MCD_RANK_SERVICE;
        if (at == junction->out) taken = count;
        if (at == junction->out || junction->entry >> at & 1)
            way[count++] =
                (struct way_out){mcd_turn(before, end->bearing), lesser ? 0 : NO_ARROW, lesser ? LESSER : 0};
    }
    const size_t after = out->count ? out->count - out->taken - 1 : 0;
    memmove(out->way + out->taken + count, out->way + out->taken + 1, after * sizeof *way);
    memcpy(out->way + out->taken, way, count * sizeof *way);
    out->count = out->taken + count + after;
    out->taken += taken;
    return true;
}

/* The number of an arrow's way, or WAY_NONE, by its direction. */
typedef size_t way_numbers[DIRECTIONS];

/* Aligns the arrows of lanes with the ways. Returns the cost; *all: each arrow has a way, which is not a lesser road,
 * and so have lanes without arrows. */
static double align(const painting *lanes, const fan *ways, way_numbers way_of, bool *all)
{
    enum { MATCH, NEXT_WAY, NEXT_ARROW } step[DIRECTIONS + 1][WAYS_MAX + 1];
    double least[DIRECTIONS + 1][WAYS_MAX + 1]; /* of the arrows from a on and the ways from w on */
    size_t painted[DIRECTIONS], count = 0;
    for (size_t a = 0; a < DIRECTIONS; ++a) {
        if (lanes->all >> a & 1) painted[count++] = a;
        way_of[a] = WAY_NONE;
    }
    for (size_t a = count + 1; a-- > 0;)
        for (size_t w = ways->count + 1; w-- > 0;) {
            const struct way_out *const way = &ways->way[w];
            const bool has_arrow = a < count, has_way = w < ways->count;
            const double next_arrow = has_arrow ? least[a + 1][w] + NO_WAY
                                      : has_way ? INFINITY
                                                : 0,
                         next_way = has_way ? least[a][w + 1] + way->alone : INFINITY,
                         match = has_arrow && has_way
                                     ? least[a + 1][w + 1] +
                                           fabs(mcd_turn(direction[painted[a]], way->turn)) + way->more
                                     : INFINITY;
            least[a][w] = next_arrow;
            step[a][w] = NEXT_ARROW;
            if (next_way < least[a][w]) least[a][w] = next_way, step[a][w] = NEXT_WAY;
            if (match <= least[a][w]) least[a][w] = match, step[a][w] = MATCH;
        }
    *all = ways->count >= count + lanes->has_bare;
    for (size_t a = 0, w = 0; a < count;) {
        const int chosen = step[a][w];
        if (chosen == MATCH) way_of[painted[a]] = w;
        if (chosen == MATCH ? ways->way[w].more > 0 : chosen == NEXT_ARROW) *all = false;
        a += chosen != NEXT_WAY;
        w += chosen != NEXT_ARROW;
    }
    return least[0][0];
}

/* ---- valid lanes ---- */

/* Returns whether a lane without arrows leads to the way taken. Such lanes lead to the ways between those of the lanes
 * beside them: all of them to the one that is most nearly straight on, the outer ones to the others, too. If there are
 * none, they lead where a lane beside them does. */
static bool leads(const painting *lanes, size_t i, const fan *ways, const way_numbers way_of)
{
    size_t first = 0, end = ways->count, taken = ways->taken;
    for (size_t k = 0; k < lanes->count; ++k)
        for (size_t a = 0; a < DIRECTIONS; ++a) {
            if (!(lanes->arrows[k] >> a & 1) || way_of[a] == WAY_NONE) continue;
            if (k < i && first <= way_of[a]) first = way_of[a] + 1;
            if (k > i && end > way_of[a]) end = way_of[a];
        }
    const bool shares = first >= end;
    if (shares) {
        first -= first > 0;
        end += end < ways->count;
    }
    size_t ahead = first;
    for (size_t w = first; w < end; ++w)
        if (fabs(ways->way[w].turn) < fabs(ways->way[ahead].turn)) ahead = w;
    if (taken == ahead || shares || taken < first || taken >= end) return taken == ahead;
    return !is_bare(lanes, taken < ahead ? i - 1 : i + 1);
}

static void mark_ways(painting *lanes, const fan *ways, const way_numbers way_of)
{
    const double turn = ways->way[ways->taken].turn;
    uint32_t own = 0, beside = 0; /* arrows for the way; arrows for another one that point about there */
    for (size_t a = 0; a < DIRECTIONS; ++a) {
        const bool same_side = fabs(turn) <= STRAIGHT ? a == AHEAD : direction[a] * turn > 0;
        if (way_of[a] == ways->taken) own |= 1u << a;
        if (same_side && fabs(direction[a] - turn) <= NEAR) beside |= 1u << a;
    }
    for (size_t i = 0; i < lanes->count; ++i)
        lanes->lane[i].valid =
            is_bare(lanes, i) ? leads(lanes, i, ways, way_of) : lanes->arrows[i] & (own ? own : beside);
}

/* One turns back from the lanes that are painted so, else from the outer one, unless it leads elsewhere. */
static void mark_back(painting *lanes, bool drives_left)
{
    const size_t outer = drives_left ? lanes->count - 1 : 0;
    const uint32_t side = ((1u << AHEAD) - 1) << (drives_left ? AHEAD + 1 : 0);
    bool any = false;
    for (size_t i = 0; i < lanes->count; ++i) {
        lanes->lane[i].valid = !lanes->closed[i] && lanes->lane[i].modifiers >> MACADAM_MODIFIER_UTURN & 1;
        any |= lanes->lane[i].valid;
    }
    if (!any) lanes->lane[outer].valid = is_bare(lanes, outer) || lanes->arrows[outer] & side;
}

/* ---- the passes ---- */

/* Straight on is a turn for a driver whose lanes all bend to one side, as at the end of a slip road. */
static void turn_by_arrows(mcd_maneuver *maneuver, uint32_t arrows)
{
    const uint32_t left = (1u << AHEAD) - 1, right = left << (AHEAD + 1);
    if (!maneuver->told || maneuver->type > MACADAM_MANEUVER_END_OF_ROAD ||
        maneuver->modifier != MACADAM_MODIFIER_STRAIGHT || arrows >> AHEAD & 1)
        return;
    if (arrows & left && !(arrows & right)) maneuver->modifier = MACADAM_MODIFIER_SLIGHT_LEFT;
    if (arrows & right && !(arrows & left)) maneuver->modifier = MACADAM_MODIFIER_SLIGHT_RIGHT;
}

/* Notes the lanes of maneuver number `i`, unless none is valid. */
static macadam_status note(mcd_guide *guide, size_t i, const painting *lanes, macadam_error *error)
{
    mcd_maneuver *const here = &guide->maneuver[i];
    uint32_t arrows = 0; /* of valid lanes */
    for (size_t k = 0; k < lanes->count; ++k)
        if (lanes->lane[k].valid) arrows |= lanes->arrows[k] ? lanes->arrows[k] : 1u << AHEAD;
    if (!arrows || here->junction.count < 3) return MACADAM_OK; /* arrows are meant for a junction */
    turn_by_arrows(here, arrows);
    MCD_TRY(MCD_ARENA_NEW(guide->arena, here->lane, lanes->count, error));
    memcpy(here->lane, lanes->lane, lanes->count * sizeof *lanes->lane);
    here->lane_count = (uint8_t)lanes->count;
    return MACADAM_OK;
}

/* Returns whether the route leaves the road of the lanes at junction number `i`, so that they are not for a later one. */
static bool leaves(const mcd_guide *guide, size_t i)
{
    const mcd_maneuver *const at = &guide->maneuver[i];
    const double bearing = at->junction.end[at->junction.out].bearing;
    const bool turns = at->told && at->modifier != MACADAM_MODIFIER_STRAIGHT && at->after == bearing;
    return at->junction.count > 2 && (turns || fabs(mcd_turn(at->junction.before, bearing)) > STRAIGHT);
}

/* Finds the valid lanes of the arc that comes to junction number `i`, there and at the junctions further on that the
 * arrows are for and that have no lanes of their own. */
static macadam_status read_lanes(mcd_guide *guide, size_t i, macadam_error *error)
{
    painting lanes = {.count = 0};
    fan ways;
    way_numbers way_of;
    const char *at = mcd_sign_text(guide->source.roads->facts, guide->arc[i - 1].kind, MCD_KIND_TURN_LANES);
    while (at && lanes.count < LANES_MAX) at = read_lane(&lanes, at);
    ways.count = ways.taken = 0;
    double least = INFINITY, metres = 0;
    size_t end = i + 1;
    bool all = !lanes.all;
    for (size_t k = i; !all && k < guide->arc_count && k < i + MCD_GUIDE_JUNCTIONS_MAX; ++k) {
        if (k > i) metres += mcd_guide_metres(guide, k - 1);
        if (metres > REACH_M || (k > i && leaves(guide, k - 1))) break;
        if (k > i && guide->maneuver[k].junction.count == 2) continue;
        if (guide->maneuver[k].junction.count && guide->maneuver[k].told &&
            guide->maneuver[k].modifier == MACADAM_MODIFIER_UTURN) {
            mark_back(&lanes, guide->drives_left);
            end = k + 1;
            break;
        }
        if (!widen(&ways, guide, k, guide->maneuver[i].junction.before)) break;
        const double cost = align(&lanes, &ways, way_of, &all);
        if (cost >= least) continue;
        mark_ways(&lanes, &ways, way_of);
        least = cost;
        end = k + 1;
    }
    for (size_t k = i; k < end; ++k)
        if (k == i || !guide->arc[k - 1].kind->text[MCD_KIND_TURN_LANES])
            MCD_TRY(note(guide, k, &lanes, error));
    return MACADAM_OK;
}

/* Returns how many lanes of a maneuver are valid, or not. */
static int count_lanes(const mcd_maneuver *maneuver, bool valid)
{
    int count = 0;
    for (int i = 0; i < maneuver->lane_count; ++i) count += maneuver->lane[i].valid == valid;
    return count;
}

/* Returns the next maneuver after number `i` that has lanes, if there is little time for a change of lanes before it;
 * else NULL. After a turn one drives on any of its lanes; straight on, one has had the time to take the right one,
 * unless several others are beside it. */
static const mcd_maneuver *find_next(const mcd_guide *guide, size_t i)
{
    const mcd_maneuver *const here = &guide->maneuver[i], *next = here + 1;
    const mcd_maneuver *const end = guide->maneuver + guide->arc_count;
    while (next < end && !next->lane_count && !next->told) ++next;
    if (next == end || !next->lane_count || !(here->told || next->told)) return NULL;
    const uint16_t kmh = guide->arc[i].kind->speed_kmh;
    const double changes = here->told ? count_lanes(here, false) + 0.5 : count_lanes(next, false) - 0.5;
    double left = CHANGE_S * changes * (kmh ? kmh : USUAL_KMH) / 3.6;
    for (; guide->maneuver + i < next && left >= 0; ++i) left -= mcd_guide_metres(guide, i);
    return left >= 0 ? next : NULL;
}

/* Of the valid lanes at maneuver number `i`, keeps those that may lead into valid lanes of the next one. If the road
 * there has more lanes, or fewer, one keeps to the side of the next turn. */
static void anticipate(mcd_guide *guide, size_t i)
{
    const mcd_maneuver *const here = &guide->maneuver[i], *const next = find_next(guide, i);
    if (!next) return;
    const int side = mcd_modifier_side(next->modifier);
    const int count = count_lanes(here, true), there = next->lane_count;
    const int more = there - count; /* lanes that begin or end between, on one side or the other */
    int least = more < 0 ? more : 0, most = more > 0 ? more : 0;
    if (side > 0) least = most = more;
    if (side < 0 || next->modifier == MACADAM_MODIFIER_UTURN) least = most = 0;
    bool keeps[LANES_MAX] = {false}, any = false;
    for (int lane = 0, shift; lane < count; any |= keeps[lane++])
        for (shift = least; shift <= most; ++shift)
            if (lane + shift >= 0 && lane + shift < there) keeps[lane] |= next->lane[lane + shift].valid;
    for (int at = 0, number = 0; any && at < here->lane_count; ++at)
        if (here->lane[at].valid) here->lane[at].valid = keeps[number++];
}

macadam_status mcd_guide_lanes(mcd_guide *guide, macadam_error *error)
{
    const mcd_guide_arc *const arc = guide->arc;
    bool any = false;
    for (size_t i = 1, count = guide->arc_count; i < count; ++i)
        if (arc[i - 1].kind->text[MCD_KIND_TURN_LANES] &&
            (guide->maneuver[i].junction.count > 2 || !arc[i].kind->text[MCD_KIND_TURN_LANES])) {
            MCD_TRY(read_lanes(guide, i, error));
            any = true;
        }
    /* First the maneuvers that are announced: the lanes of those between them are still all that lead on. */
    for (int silent = 0; silent < 2 && any; ++silent)
        for (size_t i = guide->arc_count; i-- > 1;)
            if (guide->maneuver[i].lane_count && guide->maneuver[i].told == !silent) anticipate(guide, i);
    return MACADAM_OK;
}
