/* junction.c - see junction.h. */
#include "importers/osm/junction.h"
#include "importers/osm/incidence.h"
#include "engine/base/memory.h"

#include <math.h>

typedef struct junction_rules {
    const mcd_profile *profile;
    const mcd_map *map;
    const mcd_segments *segments;
    mcd_incidence out;
    uint32_t *in_count; /* [node_count] arcs that arrive */
    mcd_turns
        *turns; /* sorted up to sorted_count: turns that others forbid; then the turns that this file adds */
    size_t first_turn; /* of the sorted ones from the arc that we are at */
} junction_rules;

static bool is_u_turn(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    return from != to && rules->segments->of_arc[from] == rules->segments->of_arc[to];
}

static bool is_forbidden(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    const mcd_turns *const turns = rules->turns;
    for (size_t i = rules->first_turn; i < turns->sorted_count && turns->turn[i].from == from; ++i)
        if (turns->turn[i].to == to) return turns->turn[i].more == MCD_PRICE_FORBIDDEN;
    return false;
}

static bool is_way_on(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    const mcd_segments *const segments = rules->segments;
    return segments->of_arc[from] != segments->of_arc[to] &&
           segments->destination_only[to] <= segments->destination_only[from] &&
           !is_forbidden(rules, from, to);
}

static size_t count_ways_on(const junction_rules *rules, mcd_arc from)
{
    const mcd_node via = rules->map->head[from];
    size_t count = 0;
    for (mcd_arc at = rules->out.first[via]; at < rules->out.first[via + 1]; ++at)
        count += is_way_on(rules, from, rules->out.arc[at]);
    return count;
}

/* ---- angles ---- */

typedef struct vector {
    double east, north; /* in 1e-7 degrees of latitude */
} vector;

static vector vector_of(int32_t lon_e7, int32_t lat_e7, int32_t to_lon_e7, int32_t to_lat_e7)
{
    static const double whole_e7 = 3600000000.0, radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;
    const double east = remainder((double)to_lon_e7 - lon_e7, whole_e7); /* over the date line */
    return (vector){east * cos(lat_e7 * radians_per_e7), (double)to_lat_e7 - lat_e7};
}

/* From the last shape point to the arc's head. */
static vector arriving(const mcd_map *map, mcd_arc arc)
{
    const mcd_node tail = map->tail[arc], head = map->head[arc];
    const uint64_t end = map->first_shape[arc + 1];
    if (end == map->first_shape[arc])
        return vector_of(map->lon_e7[tail], map->lat_e7[tail], map->lon_e7[head], map->lat_e7[head]);
    return vector_of(map->shape_lon_e7[end - 1], map->shape_lat_e7[end - 1], map->lon_e7[head],
                     map->lat_e7[head]);
}

/* From the arc's tail to the first shape point. */
static vector leaving(const mcd_map *map, mcd_arc arc)
{
    const mcd_node tail = map->tail[arc], head = map->head[arc];
    const uint64_t first = map->first_shape[arc];
    if (first == map->first_shape[arc + 1])
        return vector_of(map->lon_e7[tail], map->lat_e7[tail], map->lon_e7[head], map->lat_e7[head]);
    return vector_of(map->lon_e7[tail], map->lat_e7[tail], map->shape_lon_e7[first],
                     map->shape_lat_e7[first]);
}

double mcd_junction_degrees(const mcd_map *map, mcd_arc from, mcd_arc to)
{
    static const double degrees_per_radian = 180 / 3.14159265358979323846;
    const vector a = arriving(map, from), b = leaving(map, to);
    const double cross = a.east * b.north - a.north * b.east, dot = a.east * b.east + a.north * b.north;
    return atan2(cross, dot) * degrees_per_radian;
}

/* The row for an angle. */
static const mcd_profile_turn *find_turn(const mcd_profile *profile, double angle)
{
    const mcd_profile_turn *row = profile->turn;
    while (row + 1 < profile->turn + profile->turn_count && fabs(angle) > row->degrees) ++row;
    return row;
}

/* Whether one comes by a lesser road than one that leaves the junction. */
static bool is_lesser(const junction_rules *rules, mcd_arc from)
{
    const uint16_t *const class_kmh = rules->segments->class_kmh;
    const mcd_node via = rules->map->head[from];
    for (mcd_arc at = rules->out.first[via]; at < rules->out.first[via + 1]; ++at)
        if (class_kmh[rules->out.arc[at]] > class_kmh[from]) return true;
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

/* What the turn itself takes, where one chooses between several ways on. `gives_way`: from a lesser road. */
static mcd_price turn_price(const junction_rules *rules, mcd_arc from, mcd_arc to, bool gives_way)
{
    const mcd_profile *const profile = rules->profile;
    if (profile->turn_count == 0 && !gives_way) return 0;
    const double angle = is_u_turn(rules, from, to) ? 180 : mcd_junction_degrees(rules->map, from, to);
    const mcd_profile_turn *const row = find_turn(profile, angle);
    const bool near = (angle > 0) == rules->map->drives_left;
    const double way_s = gives_way && !merges(rules, from, to, angle) ? profile->give_way_s : 0;
    return (mcd_price)lround(((near ? row->near_s : row->far_s) + way_s) * 1000);
}

/* ---- waits ---- */

/* At the arc's head. */
static mcd_price wait_of(const junction_rules *rules, mcd_arc from)
{
    const unsigned wait_s = rules->segments->wait_s ? rules->segments->wait_s[from] : 0;
    if (wait_s & MCD_SEGMENT_MINOR && !is_lesser(rules, from)) return 0;
    return (mcd_price)(wait_s & ~(unsigned)MCD_SEGMENT_MINOR) * 1000;
}

/* Whether a ferry goes on: a line has one way, or one name. */
static bool stays_aboard(const junction_rules *rules, mcd_arc from, mcd_arc to)
{
    const mcd_map *const map = rules->map;
    if (!rules->segments->ferry[from] || !rules->segments->ferry[to]) return false;
    return map->arc_way[from] == map->arc_way[to] ||
           (map->arc_name[from] != 0 && map->arc_name[from] == map->arc_name[to]);
}

static mcd_price price_of(const junction_rules *rules, mcd_arc from, mcd_arc to, size_t ways_on)
{
    const uint8_t *const ferry = rules->segments->ferry;
    const bool u_turn = is_u_turn(rules, from, to);
    if (!u_turn && stays_aboard(rules, from, to))
        return ferry[to] & MCD_SEGMENT_BOARDED ? -(mcd_price)lround(rules->profile->boarding_s * 1000) : 0;
    const bool turns = (u_turn || ways_on > 1) && !ferry[from] && !ferry[to];
    const mcd_price wait = wait_of(rules, from);
    const bool gives_way =
        turns && !u_turn && wait == 0 && rules->profile->give_way_s > 0 && is_lesser(rules, from);
    return wait + (turns ? turn_price(rules, from, to, gives_way) : 0);
}

/* ---- turns ---- */

static macadam_status add_turn(const junction_rules *rules, mcd_arc from, mcd_arc to, size_t ways_on,
                               macadam_error *error)
{
    const bool u_turn = is_u_turn(rules, from, to);
    if (u_turn && rules->profile->avoids_u_turns && ways_on > 0)
        return mcd_turns_forbid(rules->turns, (const mcd_arc[]){from, to}, 2, error);
    const mcd_price price = price_of(rules, from, to, ways_on);
    return price != 0 ? mcd_turns_charge(rules->turns, from, to, price, error) : MACADAM_OK;
}

/* Whether any turn from the arc may be forbidden or have its price. */
static bool is_ruled(const junction_rules *rules, mcd_arc from)
{
    const mcd_segments *const segments = rules->segments;
    return rules->profile->avoids_u_turns || rules->profile->turn_count > 0 || segments->ferry[from] ||
           (segments->wait_s && segments->wait_s[from]);
}

/* `from` ascends from call to call. */
static macadam_status add_turns(junction_rules *rules, mcd_arc from, macadam_error *error)
{
    if (!is_ruled(rules, from)) return MACADAM_OK;
    const mcd_turns *const turns = rules->turns;
    while (rules->first_turn < turns->sorted_count && turns->turn[rules->first_turn].from < from)
        ++rules->first_turn;
    const mcd_node via = rules->map->head[from];
    MCD_TRY(mcd_turns_check_node(rules->map, via, rules->in_count[via],
                                 rules->out.first[via + 1] - rules->out.first[via], from, error));
    const size_t ways_on = count_ways_on(rules, from);
    for (mcd_arc at = rules->out.first[via]; at < rules->out.first[via + 1]; ++at)
        MCD_TRY(add_turn(rules, from, rules->out.arc[at], ways_on, error));
    const mcd_price wait = wait_of(rules, from);
    return wait > 0 ? mcd_turns_charge(rules->turns, from, MCD_ARC_NONE, wait, error) : MACADAM_OK;
}

macadam_status mcd_junctions_add(const mcd_profile *profile, const mcd_map *map, const mcd_segments *segments,
                                 mcd_turns *turns, macadam_error *error)
{
    junction_rules rules = {.profile = profile, .map = map, .segments = segments, .turns = turns};
    mcd_turns_sort(turns);
    macadam_status status = mcd_incidence_new(&rules.out, map->node_count, map->tail, map->arc_count, error);
    if (status == MACADAM_OK) status = MCD_NEW_ZEROED(rules.in_count, map->node_count, error);
    for (mcd_arc arc = 0; arc < map->arc_count && status == MACADAM_OK; ++arc)
        ++rules.in_count[map->head[arc]];
    for (mcd_arc from = 0; from < map->arc_count && status == MACADAM_OK; ++from)
        status = add_turns(&rules, from, error);
    mcd_incidence_free(&rules.out);
    mcd_free(rules.in_count);
    return status;
}
