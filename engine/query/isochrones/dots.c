/* dots.c - see dots.h. The plane is equirectangular; a degree is as long as on the ellipsoid of WGS 84 at
 * the place. */
#include "engine/query/isochrones/dots.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"

#include <math.h>
#include <string.h>

enum { LIMIT_BITS = 8 }; /* of a road's entry */
static_assert(MACADAM_REACH_LIMITS_MAX <= 1 << LIMIT_BITS, "a limit's index fits");

static const double radians_per_degree = 3.14159265358979323846 / 180;

static void measure_degrees(mcd_dots *points)
{
    static const double radius_m = 6378137, flattening = 1 / 298.257223563; /* of the equator; WGS 84 */
    const double square = flattening * (2 - flattening), latitude = points->lat * radians_per_degree;
    const double sine = sin(latitude), cosine = fmax(cos(latitude), 1e-6);
    const double bulge = 1 - square * sine * sine, normal = radius_m / sqrt(bulge);
    points->east_m = normal * cosine * radians_per_degree;
    points->north_m = normal * (1 - square) / bulge * radians_per_degree;
}

static void extend(mcd_dots *points, float x, float y)
{
    points->west = x < points->west ? x : points->west;
    points->east = x > points->east ? x : points->east;
    points->south = y < points->south ? y : points->south;
    points->north = y > points->north ? y : points->north;
}

/* There must be room. */
static void add_dot(mcd_dots *points, float x, float y, float less, uint32_t limit)
{
    points->dot[points->count++] = (mcd_dots_dot){x, y, less, limit};
    extend(points, x, y);
}

macadam_status mcd_dots_begin(mcd_dots *points, double lon, double lat, double step_m, size_t room,
                              macadam_error *error)
{
    for (size_t i = 0; i < points->drawn_count; ++i) points->drawn[points->drawn_id[i]] = 0;
    points->lon = lon, points->lat = lat;
    points->step_m = (float)step_m;
    measure_degrees(points);
    points->west = points->south = points->east = points->north = 0;
    points->count = points->road_count = points->drawn_count = 0;
    points->room = room, points->needed = 1, points->stretch_count = 0;
    if (points->road) memset(points->road, 0, points->road_capacity * sizeof *points->road);
    MCD_TRY(MCD_GROW(points->dot, points->capacity, room, error));
    add_dot(points, 0, 0, 0, 0);
    return MACADAM_OK;
}

void mcd_dots_free(mcd_dots *points)
{
    MCD_FREE_ALL(points->dot, points->point, points->road, points->drawn, points->drawn_id);
    *points = (mcd_dots){.count = 0};
}

/* ---- the points of an arc ---- */

void mcd_dots_place(const mcd_dots *points, mcd_point point, float out[2])
{
    double east = point.lon_e7 - points->lon * 1e7; /* the shorter way around the globe */
    if (east > MCD_WHOLE_E7 / 2) east -= MCD_WHOLE_E7;
    if (east < -MCD_WHOLE_E7 / 2) east += MCD_WHOLE_E7;
    out[0] = (float)(east * (points->east_m * 1e-7));
    out[1] = (float)((point.lat_e7 - points->lat * 1e7) * (points->north_m * 1e-7));
}

static float length_of(const float from[2], const float to[2])
{
    const float east = to[0] - from[0], north = to[1] - from[1];
    return sqrtf(east * east + north * north);
}

/* Places the arc's points, in the order in which they are reached, and measures it. */
static macadam_status place_arc(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                mcd_direction direction, size_t count, macadam_error *error)
{
    const bool backward = direction == MCD_BACKWARD;
    if (!points->drawn) MCD_TRY(MCD_NEW_ZEROED(points->drawn, roads->places->id_count, error));
    MCD_TRY(MCD_GROW(points->drawn_id, points->drawn_capacity, points->drawn_count + 2, error));
    MCD_TRY(MCD_GROW(points->point, points->point_capacity, count, error));
    for (size_t i = 0; i < count; ++i)
        mcd_dots_place(points, mcd_road_point(roads, tail, arc, i),
                       points->point[backward ? count - 1 - i : i]);
    points->id[backward] = roads->places->node_place[tail];
    points->id[!backward] = roads->places->node_place[roads->graph->head[arc]];
    points->length = 0;
    for (size_t i = 0; i + 1 < count; ++i)
        points->length += length_of(points->point[i], points->point[i + 1]);
    const float steps = floorf(points->length / points->step_m) + 1;
    points->arc_step = points->length > 0 ? points->length / steps : points->step_m;
    return MACADAM_OK;
}

/* ---- whole roads ---- */

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return bits ^ bits >> 32;
}

/* Returns a key that an arc shares with the arc back, and hardly ever with other roads. */
static uint64_t key_of(const mcd_roads *roads, const mcd_reached_arc *entered)
{
    const mcd_node tail = entered->tail, head = roads->graph->head[entered->arc];
    const int32_t *const lon = roads->places->lon_e7, *const lat = roads->places->lat_e7;
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, entered->arc);
    uint64_t key = mix((uint64_t)(uint32_t)lon[tail] << 32 | (uint32_t)lat[tail]) +
                   mix((uint64_t)(uint32_t)lon[head] << 32 | (uint32_t)lat[head]);
    for (uint64_t i = shape.first; i < shape.end; ++i)
        key += mix((uint64_t)(uint32_t)roads->facts->shape_lon_e7[i] << 32 |
                   (uint32_t)roads->facts->shape_lat_e7[i]);
    return key | 1 << LIMIT_BITS;
}

static uint64_t *find_road(const mcd_dots *points, uint64_t key)
{
    size_t at = key >> 32 & (points->road_capacity - 1);
    while (points->road[at] && (points->road[at] ^ key) >> LIMIT_BITS)
        at = (at + 1) & (points->road_capacity - 1);
    return &points->road[at];
}

static macadam_status grow_roads(mcd_dots *points, macadam_error *error)
{
    const mcd_dots old = *points;
    const size_t capacity = old.road_capacity ? 2 * old.road_capacity : 4096;
    uint64_t *road;
    MCD_TRY(MCD_NEW_ZEROED(road, capacity, error));
    points->road = road;
    points->road_capacity = capacity;
    for (size_t i = 0; i < old.road_capacity; ++i)
        if (old.road[i]) *find_road(points, old.road[i]) = old.road[i];
    mcd_free(old.road);
    return MACADAM_OK;
}

/* Notes that a road is drawn as a whole within a limit. *drawn: it was already. */
static macadam_status note_road(mcd_dots *points, uint64_t key, uint32_t limit, bool *drawn,
                                macadam_error *error)
{
    if (2 * points->road_count >= points->road_capacity) MCD_TRY(grow_roads(points, error));
    uint64_t *const road = find_road(points, key);
    *drawn = *road && *road % (1 << LIMIT_BITS) <= limit;
    if (*drawn) return MACADAM_OK;
    points->road_count += !*road;
    *road = key >> LIMIT_BITS << LIMIT_BITS | limit;
    return MACADAM_OK;
}

/* ---- stretches ---- */

/* Measures the stretch of an arc's points from one length along it to another. */
static void measure_stretch(mcd_dots *points, size_t count, float from, float to)
{
    float(*const point)[2] = points->point;
    float before = 0;
    for (size_t i = 0; i + 1 < count; ++i) {
        const float length = length_of(point[i], point[i + 1]);
        for (int end = 0; length > 0 && before <= to && before + length >= from && end < 2; ++end) {
            const float share = fminf(fmaxf(((end ? to : from) - before) / length, 0), 1);
            extend(points, point[i][0] + share * (point[i + 1][0] - point[i][0]),
                   point[i][1] + share * (point[i + 1][1] - point[i][1]));
        }
        before += length;
    }
}

/* A place on the points of an arc that moves forward. */
typedef struct walk {
    const float (*point)[2];
    size_t count, piece;
    float before, length; /* of the pieces before `piece`, and of it */
} walk;

static walk begin_walk(const mcd_dots *points, size_t count)
{
    const float(*const point)[2] = (const float(*)[2])points->point;
    return (walk){point, count, 0, 0, length_of(point[0], point[1])};
}

static void walk_to(walk *at, float length, float out[2])
{
    while (at->piece + 2 < at->count && at->before + at->length < length) {
        at->before += at->length;
        ++at->piece;
        at->length = length_of(at->point[at->piece], at->point[at->piece + 1]);
    }
    const float share = length - at->before < at->length ? (length - at->before) / at->length : 1,
                *const from = at->point[at->piece], *const to = at->point[at->piece + 1];
    for (int i = 0; i < 2; ++i) out[i] = from[i] + share * (to[i] - from[i]);
}

/* Draws the end of a stretch, on the straight line between the whole steps around it. With a larger limit
 * they, or the first of them and a later end, have to cover it: so its circle passes through the points where
 * theirs meet. */
static void add_end(mcd_dots *points, size_t count, float step, float at, uint32_t limit)
{
    walk place = begin_walk(points, count);
    const float whole = floorf(at / step), share = fminf(fmaxf(at / step - whole, 0), 1);
    float from[2], to[2];
    walk_to(&place, step * whole, from);
    walk_to(&place, step * (whole + 1), to);
    const float length = length_of(from, to);
    add_dot(points, from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]),
            share * (1 - share) * length * length, limit);
}

/* Draws the end of a stretch at a junction, unless that has been drawn within the limit. */
static void add_junction(mcd_dots *points, uint32_t id, const float at[2], uint32_t limit)
{
    if (points->drawn[id] && points->drawn[id] <= limit + 1) return;
    add_dot(points, at[0], at[1], 0, limit);
    if (!points->drawn[id]) points->drawn_id[points->drawn_count++] = id;
    points->drawn[id] = (uint8_t)(limit + 1);
}

/* Draws the stretch, if there is room: its ends, and each whole step of the arc between them, so that these
 * stay where they are as the limit grows. */
static void add_stretch(mcd_dots *points, size_t count, float from, float to, uint32_t limit)
{
    const float step = points->arc_step;
    const size_t first = (size_t)(from / step) + 1, end = mcd_size_max((size_t)ceilf(to / step), first);
    points->needed += end - first + 2, ++points->stretch_count;
    if (points->needed > points->room) {
        measure_stretch(points, count, from, to);
        return;
    }
    walk place = begin_walk(points, count);
    if (from > 0)
        add_end(points, count, step, from, limit);
    else
        add_junction(points, points->id[0], points->point[0], limit);
    for (size_t i = first; i < end; ++i) {
        float at[2];
        walk_to(&place, step * (float)i, at);
        add_dot(points, at[0], at[1], 0, limit);
    }
    if (to >= points->length)
        add_junction(points, points->id[1], points->point[count - 1], limit);
    else
        add_end(points, count, step, to, limit);
}

/* The share of an arc's length up to which it is reached within a limit; from which on, if the signed cost falls along
 * it. The limit reaches part of it. */
static double share_within(const mcd_reached_arc *entered, uint32_t limit)
{
    const int64_t rest = (int64_t)limit - mcd_reached_cost(entered), weight = mcd_reached_weight(entered);
    if (weight < 0) return rest >= 0 ? entered->from : entered->from + (double)rest / (double)weight;
    return rest >= weight ? 1 : fmin(entered->from + (double)rest / (double)weight, 1);
}

/* Draws the stretches that the limits from `first` on add. */
static void add_stretches(mcd_dots *points, size_t count, const mcd_reached_arc *entered,
                          const uint32_t *limit, size_t first, size_t limit_count)
{
    const bool falls = mcd_reached_weight(entered) < 0;
    const double last = falls ? entered->from : 1; /* where it is reached last */
    double from = falls ? 1 : entered->from;
    const float length = points->length;
    for (size_t l = first; l < limit_count && (l == first || from != last); ++l) {
        const double to = share_within(entered, limit[l]);
        add_stretch(points, count, (float)fmin(from, to) * length, (float)fmax(from, to) * length,
                    (uint32_t)l);
        from = to;
    }
}

/* Returns the first limit that is at least `cost`, or limit_count. */
static size_t limit_from(const uint32_t *limit, size_t limit_count, int64_t cost)
{
    size_t first = 0;
    while (first < limit_count && limit[first] < cost) ++first;
    return first;
}

bool mcd_dots_is_carried(const mcd_arc_facts *facts, uint32_t arc)
{
    return facts->kind_of &&
           facts->kind[mcd_arc_kind(facts, arc)].flags & (MACADAM_ROAD_FERRY | MACADAM_ROAD_TRAIN);
}

macadam_status mcd_dots_arc(mcd_dots *points, const mcd_roads *roads, const mcd_weights *weights,
                            const mcd_reached_arc *entered, mcd_direction direction, const uint32_t *limit,
                            size_t limit_count, macadam_error *error)
{
    mcd_reached_arc settled = *entered;
    size_t first = limit_from(limit, limit_count, mcd_reached_least(entered));
    /* If no limit ends within the arc, or in what is paid before it, nothing has to be known about that. */
    const bool cut = first == limit_count || limit[first] < mcd_reached_most(entered) || entered->rise < 0;
    if (cut && entered->from == 0)
        mcd_reached_settle(&settled, mcd_reached_own(entered, roads, weights), direction);
    first = limit_from(limit, limit_count, mcd_reached_least(&settled));
    if (first == limit_count) return MACADAM_OK;
    if (settled.from == 0 && limit[first] >= mcd_reached_most(&settled)) {
        bool drawn;
        MCD_TRY(note_road(points, key_of(roads, entered), (uint32_t)first, &drawn, error));
        if (drawn) return MACADAM_OK;
    }
    if (mcd_dots_is_carried(roads->facts, entered->arc)) return MACADAM_OK;
    const size_t count = mcd_road_point_count(roads, entered->arc);
    MCD_TRY(place_arc(points, roads, entered->tail, entered->arc, direction, count, error));
    add_stretches(points, count, &settled, limit, first, limit_count);
    return MACADAM_OK;
}

macadam_status mcd_dots_stretch(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                double from, double to, macadam_error *error)
{
    const size_t count = mcd_road_point_count(roads, arc);
    MCD_TRY(place_arc(points, roads, tail, arc, MCD_FORWARD, count, error));
    const float length = points->length, begin = (float)(from * length), end = (float)(to * length);
    if (begin > end) return MACADAM_OK;
    points->needed = points->count;
    MCD_TRY(MCD_GROW(points->dot, points->capacity, points->count + (size_t)(length / points->arc_step) + 4,
                     error));
    points->room = points->capacity;
    add_stretch(points, count, begin, end, 0);
    return MACADAM_OK;
}
