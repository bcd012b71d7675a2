/* turn_cost.c - see turn_cost.h. The arcs are divided into parts: each part lists the turns from its arcs,
 * those that were there already and those that this file adds. The lists, one after another, are sorted. */
#include "importers/osm/turns/turn_cost.h"
#include "importers/osm/roads/sign.h"

#include <math.h>

enum {
    ARCS_PER_PART = 2048,
    BLIND_ROUNDS = 64,   /* a blind road has no more stretches; longer ones look like others */
    HAIRPIN = 120,       /* degrees: a turn by more is one */
    STRAIGHT_BACK = 170, /* degrees: a hairpin by more is across oncoming traffic */
    CIRCLE_BEND = 150,   /* degrees: the bends of a circle, even if it is drawn with few points */
    LOOK_CM = 3000,      /* to either side of a node for a hairpin: islands end within that */
    LOOK_ARCS = 8,       /* at most, before the node */
    CIRCLE = MACADAM_ROAD_ROUNDABOUT | MACADAM_ROAD_CIRCULAR,
};
static const double e7_per_cm = 0.9; /* of latitude: a quarter of the meridian is 10,000 km */

typedef struct vector {
    double east, north; /* in 1e-7 degrees of latitude */
} vector;

/* The turns from the arcs of a part. */
typedef struct rule_part {
    mcd_turns turns;
    macadam_status status;
    macadam_error error;
} rule_part;

typedef struct junction_rules {
    const mcd_profile *profile;
    const mcd_map *map;
    const mcd_segments *segments;
    const mcd_turns *given; /* sorted: turns that others forbid */
    bool *blind;            /* [arc_count] no way back, and all ways on are blind; NULL: not needed */
    rule_part *part;        /* [part_count] */
    size_t part_count;
} junction_rules;

/* One who comes to a junction by the arc `from`. */
typedef struct comer {
    mcd_arc from;
    mcd_node via;
    const mcd_turn *given; /* [given_count] the given turns from the arc */
    size_t given_count, ways_on;
    bool leads; /* some way on is not blind */
    mcd_price wait;
    bool lesser;      /* by a lesser road than one that leaves the junction */
    vector direction; /* from the last shape point */
    vector approach;  /* over some more points: look; 0: not known yet */
} comer;

static bool is_u_turn(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    return from != to && rules->segments->of_arc[from] == rules->segments->of_arc[to];
}

static bool is_forbidden(const comer *who, mcd_arc to)
{
    for (size_t i = 0; i < who->given_count; ++i)
        if (who->given[i].to == to && (who->given[i].more == MCD_PRICE_FORBIDDEN ||
                                       mcd_price_when(who->given[i].more) & MCD_WHEN_OPENS))
            return true;
    return false;
}

static bool is_way_on(const junction_rules *rules, const comer *who, mcd_arc to)
{
    const mcd_segments *const segments = rules->segments;
    return segments->of_arc[who->from] != segments->of_arc[to] &&
           (segments->use[to] != MCD_ROAD_DESTINATION_ONLY || segments->use[who->from] != MCD_ROAD_PUBLIC) &&
           !is_forbidden(who, to) && !mcd_map_is_shut(rules->map, to);
}

static void count_ways_on(const junction_rules *rules, comer *who)
{
    who->ways_on = 0;
    who->leads = false;
    for (mcd_arc at = rules->segments->out.first[who->via]; at < rules->segments->out.first[who->via + 1];
         ++at) {
        const mcd_arc to = rules->segments->out.arc[at];
        if (!is_way_on(rules, who, to)) continue;
        ++who->ways_on;
        who->leads = who->leads || !(rules->blind && rules->blind[to]);
    }
}

/* The given turns from who->from, which ascends from call to call. */
static void find_given(const mcd_turns *given, comer *who)
{
    if (given->count == 0) return; /* and has no array, to which not even 0 may be added */
    const mcd_turn *const end = given->turn + given->count;
    who->given += who->given_count;
    while (who->given < end && who->given->from < who->from) ++who->given;
    for (who->given_count = 0;
         who->given + who->given_count < end && who->given[who->given_count].from == who->from;)
        ++who->given_count;
}

/* ---- blind roads ---- */

/* One round: of the arcs whose heads the round before has reached, those without a way on, or back, become
 * blind. near[node]: the last round that has made an arc out of the node blind. Whether there is a new
 * one. */
static macadam_status find_blind(junction_rules *rules, uint8_t *near, uint8_t round, bool *found,
                                 mcd_watch *watch, macadam_error *error)
{
    const mcd_map *const map = rules->map;
    comer who = {.given = rules->given->turn};
    *found = false;
    for (who.from = 0; who.from < map->arc_count; ++who.from) {
        who.via = map->head[who.from];
        const mcd_arc back = mcd_segments_back(rules->segments->of_arc, map->arc_count, who.from);
        MCD_TRY(mcd_watch_item(watch, who.from, map->arc_count, error));
        if (near[who.via] + 1 < round || rules->blind[who.from]) continue;
        find_given(rules->given, &who);
        if (back != who.from && !is_forbidden(&who, back)) continue;
        count_ways_on(rules, &who);
        if (who.leads) continue;
        rules->blind[who.from] = *found = true;
        near[map->tail[who.from]] = round;
    }
    return MACADAM_OK;
}

static macadam_status find_all_blind(junction_rules *rules, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED uint8_t *near = NULL;
    bool found = true;
    MCD_TRY(MCD_NEW_ZEROED(rules->blind, rules->map->arc_count, error));
    MCD_TRY(MCD_NEW_ZEROED(near, rules->map->node_count, error));
    for (uint8_t round = 1; round <= BLIND_ROUNDS && found; ++round)
        MCD_TRY(find_blind(rules, near, round, &found, watch, error));
    return MACADAM_OK;
}

/* ---- angles ---- */

static vector vector_of(int32_t lon_e7, int32_t lat_e7, int32_t to_lon_e7, int32_t to_lat_e7)
{
    /* a little more, so that from 180 to -180 degrees leads east */
    static const double whole_e7 = 3600000000.5, radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;
    const double plain = (double)to_lon_e7 - lon_e7;
    const double east = fabs(plain) > whole_e7 / 2 ? remainder(plain, whole_e7) : plain; /* the date line */
    return (vector){east * cos(lat_e7 * radians_per_e7), (double)to_lat_e7 - lat_e7};
}

/* Of an arc, from one of its points to the next; the first piece is 0. */
static vector piece_of(const mcd_map *map, mcd_arc arc, size_t piece)
{
    const uint64_t next = map->first_shape[arc] + piece;
    const bool begins = piece == 0, ends = next == map->first_shape[arc + 1];
    const mcd_node tail = map->tail[arc], head = map->head[arc];
    return vector_of(begins ? map->lon_e7[tail] : map->shape_lon_e7[next - 1],
                     begins ? map->lat_e7[tail] : map->shape_lat_e7[next - 1],
                     ends ? map->lon_e7[head] : map->shape_lon_e7[next],
                     ends ? map->lat_e7[head] : map->shape_lat_e7[next]);
}

/* Between an end of the arc and the shape point next to it, or the other end, in the direction of the arc. */
static vector vector_at(const mcd_map *map, mcd_arc arc, bool at_head)
{
    return piece_of(map, arc, at_head ? mcd_map_shape_count(map, arc + 1) : 0);
}

static double degrees_between(vector a, vector b)
{
    static const double degrees_per_radian = 180 / 3.14159265358979323846;
    const double cross = a.east * b.north - a.north * b.east, dot = a.east * b.east + a.north * b.north;
    return atan2(cross, dot) * degrees_per_radian;
}

double mcd_turn_degrees(const mcd_map *map, mcd_arc from, mcd_arc to)
{
    return degrees_between(vector_at(map, from, true), vector_at(map, to, false));
}

static bool has_flag(const junction_rules *rules, mcd_arc arc, uint32_t flag)
{
    return rules->map->kind[rules->map->arc_kind[arc]].flags & flag;
}

static bool is_two_way(const junction_rules *rules, mcd_arc arc)
{
    return mcd_segments_back(rules->segments->of_arc, rules->map->arc_count, arc) != arc;
}

/* The way ahead along the first pieces of an arc, or back from its head along the last ones, and along the arcs before
 * it as far as only one leads on. */
static vector look(const junction_rules *rules, mcd_arc arc, bool back)
{
    const mcd_incidence *const in = &rules->segments->in;
    double left = LOOK_CM * e7_per_cm;
    vector sum = {0, 0};
    for (int arcs = 0; arcs < LOOK_ARCS; ++arcs) {
        const size_t last = mcd_map_shape_count(rules->map, arc + 1);
        for (size_t i = 0; i <= last && left > 0; ++i) {
            const vector piece = piece_of(rules->map, arc, back ? last - i : i);
            const double length = sqrt(piece.east * piece.east + piece.north * piece.north),
                         share = length > left ? left / length : 1;
            sum = (vector){sum.east + share * piece.east, sum.north + share * piece.north};
            left -= length;
        }
        const mcd_arc first = in->first[rules->map->tail[arc]];
        if (!back || left <= 0 || in->first[rules->map->tail[arc] + 1] != first + 1 || is_two_way(rules, arc))
            break;
        arc = in->arc[first];
    }
    return sum;
}

/* The degrees by which a turn leads back over an island or a median, even if a smooth line is drawn there; 0: it does not. A
 * two-way road that bends so is a bend, and a circle leads around by itself. */
static double hairpin_degrees(const junction_rules *rules, comer *who, mcd_arc to)
{
    vector *const approach = &who->approach;
    if (has_flag(rules, who->from, CIRCLE) || has_flag(rules, to, CIRCLE) ||
        (is_two_way(rules, who->from) && is_two_way(rules, to)))
        return 0;
    if (approach->east == 0 && approach->north == 0) *approach = look(rules, who->from, true);
    const vector ahead = look(rules, to, false);
    if (approach->east * ahead.east + approach->north * ahead.north >= 0) return 0; /* most are */
    const double degrees = degrees_between(*approach, ahead);
    if (fabs(degrees) > STRAIGHT_BACK) return rules->map->drives_left ? -STRAIGHT_BACK : STRAIGHT_BACK;
    return fabs(degrees) > HAIRPIN ? degrees : 0;
}

/* The row for an angle. */
static const mcd_profile_turn *find_turn(const mcd_profile *profile, double angle)
{
    const mcd_profile_turn *row = profile->turn;
    while (row + 1 < profile->turn + profile->turn_count && fabs(angle) > row->degrees) ++row;
    return row;
}

/* Whether the arc is a lesser road than one that leaves the junction. */
static bool is_lesser(const junction_rules *rules, mcd_arc from)
{
    const uint16_t *const class_kmh = rules->segments->class_kmh;
    const mcd_node via = rules->map->head[from];
    for (mcd_arc at = rules->segments->out.first[via]; at < rules->segments->out.first[via + 1]; ++at)
        if (class_kmh[rules->segments->out.arc[at]] > class_kmh[from] &&
            !mcd_map_is_shut(rules->map, rules->segments->out.arc[at]))
            return true;
    return false;
}

/* Whoever merges into the greater road, straight on, does not stop. */
static bool merges(const junction_rules *rules, mcd_arc from, mcd_arc to, double angle)
{
    const uint16_t *const class_kmh = rules->segments->class_kmh;
    const mcd_profile *const profile = rules->profile;
    return class_kmh[to] > class_kmh[from] && profile->turn_count > 0 &&
           fabs(angle) <= profile->turn[0].degrees;
}

/* The price of the turn itself: where there is a choice of ways on, and of a hairpin. `gives_way`: from a lesser road.
 * The bends of a circle belong to it. */
static mcd_price turn_price(const junction_rules *rules, comer *who, mcd_arc to, bool gives_way)
{
    const mcd_profile *const profile = rules->profile;
    if (profile->turn_count == 0 && !gives_way) return 0;
    const bool u_turn = is_u_turn(rules, who->from, to), chosen = u_turn || who->ways_on > 1;
    double hairpin = chosen ? 0 : hairpin_degrees(rules, who, to);
    if (!chosen && hairpin == 0) return 0;
    const double angle = u_turn ? 180 : degrees_between(who->direction, vector_at(rules->map, to, false));
    if (chosen && fabs(angle) <= HAIRPIN) hairpin = hairpin_degrees(rules, who, to);
    const bool around =
        fabs(angle) <= CIRCLE_BEND && has_flag(rules, who->from, CIRCLE) && has_flag(rules, to, CIRCLE);
    const mcd_profile_turn *const row = find_turn(profile, hairpin != 0 ? HAIRPIN + 1 : around ? 0 : angle);
    const bool near = ((hairpin != 0 ? hairpin : angle) > 0) == rules->map->drives_left;
    const double way_s =
        gives_way && chosen && !merges(rules, who->from, to, angle) ? profile->give_way_s : 0;
    return (mcd_price)lround(((near ? row->near_s : row->far_s) + way_s) * 1000);
}

/* ---- waits ---- */

/* At the arc's head. `lesser`: the arc before is a lesser road. */
static mcd_price wait_of(const junction_rules *rules, mcd_arc from, bool lesser)
{
    const unsigned wait_s = rules->segments->wait_s ? rules->segments->wait_s[from] : 0;
    if (wait_s & MCD_SIGN_MINOR && !lesser) return 0;
    return (mcd_price)(wait_s & ~(unsigned)MCD_SIGN_MINOR) * 1000;
}

/* Whether a ferry goes on: a line has one way, ways of one name or ref, or of neither, or a relation. */
static bool stays_aboard(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    const mcd_map *const map = rules->map;
    if (!rules->segments->ferry[from] || !rules->segments->ferry[to]) return false;
    const uint32_t *const before = map->kind[map->arc_kind[from]].text;
    const uint32_t *const behind = map->kind[map->arc_kind[to]].text;
    const bool same_name = before[MCD_KIND_NAME] == behind[MCD_KIND_NAME];
    const bool same_ref = before[MCD_KIND_REF] == behind[MCD_KIND_REF];
    return map->arc_way[from] == map->arc_way[to] || (same_name && (same_ref || before[MCD_KIND_NAME])) ||
           (same_ref && before[MCD_KIND_REF]) ||
           mcd_ferry_lines_join(rules->segments->ferry_lines, map->arc_way[from], map->arc_way[to]);
}

static mcd_price price_of(const junction_rules *rules, comer *who, mcd_arc to)
{
    const uint8_t *const ferry = rules->segments->ferry;
    const bool u_turn = is_u_turn(rules, who->from, to);
    if (!u_turn && stays_aboard(rules, who->from, to))
        return ferry[to] & MCD_SEGMENT_BOARDED ? -(mcd_price)lround(rules->profile->boarding_s * 1000) : 0;
    const bool gives_way = !u_turn && who->wait == 0 && rules->profile->give_way_s > 0 && who->lesser &&
                           !has_flag(rules, who->from, MACADAM_ROAD_ROUNDABOUT);
    if (ferry[who->from] || ferry[to]) return who->wait;
    return who->wait + turn_price(rules, who, to, gives_way);
}

/* ---- turns ---- */

static macadam_status add_turn(const junction_rules *rules, comer *who, mcd_arc to, mcd_turns *made,
                               macadam_error *error)
{
    if (is_u_turn(rules, who->from, to) && rules->profile->avoids_u_turns && who->leads)
        return mcd_turns_forbid(made, (const mcd_arc[]){who->from, to}, 2, error);
    const mcd_price price = price_of(rules, who, to);
    return price != 0 ? mcd_turns_charge(made, who->from, to, price, error) : MACADAM_OK;
}

static macadam_status add_ruled_turns(const junction_rules *rules, comer *who, mcd_turns *made,
                                      macadam_error *error)
{
    const mcd_incidence *const in = &rules->segments->in, *const out = &rules->segments->out;
    const mcd_node via = who->via = rules->map->head[who->from];
    const mcd_arc first = out->first[via], end = out->first[via + 1];
    MCD_TRY(mcd_turns_check_node(rules->map, via, in->first[via + 1] - in->first[via], end - first, who->from,
                                 error));
    count_ways_on(rules, who);
    who->lesser = is_lesser(rules, who->from);
    who->wait = wait_of(rules, who->from, who->lesser);
    who->direction = vector_at(rules->map, who->from, true);
    who->approach = (vector){0, 0};
    for (mcd_arc at = first; at < end; ++at) MCD_TRY(add_turn(rules, who, out->arc[at], made, error));
    return who->wait > 0 ? mcd_turns_charge(made, who->from, MCD_ARC_NONE, who->wait, error) : MACADAM_OK;
}

/* Adds all turns from one arc to `made`: the given ones, then this file's. */
static macadam_status add_turns(const junction_rules *rules, comer *who, mcd_turns *made,
                                macadam_error *error)
{
    const mcd_segments *const segments = rules->segments;
    const size_t first = made->count;
    const bool ruled = rules->profile->avoids_u_turns || rules->profile->turn_count > 0 ||
                       segments->ferry[who->from] || (segments->wait_s && segments->wait_s[who->from]);
    for (size_t i = 0; i < who->given_count; ++i)
        MCD_TRY(mcd_turns_charge(made, who->from, who->given[i].to, who->given[i].more, error));
    if (ruled) MCD_TRY(add_ruled_turns(rules, who, made, error));
    if (who->given_count > 0) mcd_turns_sort_from(made, first);
    return MACADAM_OK;
}

static void do_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const junction_rules *const rules = argument;
    const mcd_turns *const given = rules->given;
    rule_part *const part = &rules->part[index];
    const mcd_arc begin = index * ARCS_PER_PART;
    const mcd_arc end = mcd_size_min(begin + ARCS_PER_PART, rules->map->arc_count);
    comer who = {.given = given->count ? given->turn + mcd_turns_first(given, begin) : NULL};
    for (who.from = begin; who.from < end && !part->status; ++who.from) {
        find_given(given, &who);
        part->status = add_turns(rules, &who, &part->turns, &part->error);
    }
}

/* Puts the turns of all parts in place of the given ones. */
static macadam_status gather(junction_rules *rules, mcd_turns *turns, macadam_error *error)
{
    size_t count = 0;
    mcd_turn *all;
    for (size_t i = 0; i < rules->part_count; ++i) {
        const rule_part *const part = &rules->part[i];
        if (part->status) return mcd_fail(error, part->status, "%s", part->error.message);
        count += part->turns.count;
    }
    MCD_TRY(MCD_NEW(all, count, error));
    mcd_free(turns->turn);
    turns->turn = all;
    turns->count = turns->sorted_count = turns->capacity = count;
    for (size_t i = 0; i < rules->part_count; all += rules->part[i++].turns.count) {
        mcd_turns *const part = &rules->part[i].turns;
        if (part->count > 0) memcpy(all, part->turn, part->count * sizeof *all);
        mcd_free(part->turn);
        part->turn = NULL;
    }
    return MACADAM_OK;
}

static void free_rules(junction_rules *rules)
{
    for (size_t i = 0; rules->part && i < rules->part_count; ++i) mcd_turns_free(&rules->part[i].turns);
    MCD_FREE_ALL(rules->part, rules->blind);
}

macadam_status mcd_turn_costs_add(const mcd_profile *profile, const mcd_map *map,
                                  const mcd_segments *segments, mcd_turns *turns,
                                  const mcd_parallel *parallel, const mcd_progress *progress,
                                  macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "pricing turns");
    MCD_FREED_BY(free_rules)
    junction_rules rules = {.profile = profile, .map = map, .segments = segments, .given = turns};
    rules.part_count = (map->arc_count + ARCS_PER_PART - 1) / ARCS_PER_PART;
    mcd_turns_sort(turns);
    MCD_TRY(MCD_NEW_ZEROED(rules.part, rules.part_count, error));
    if (profile->avoids_u_turns) MCD_TRY(find_all_blind(&rules, &watch, error));
    MCD_TRY(mcd_watch_for(&watch, parallel, rules.part_count, do_part, &rules, error));
    return gather(&rules, turns, error);
}
