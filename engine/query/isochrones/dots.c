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
    points->lon = lon, points->lat = lat;
    points->step_m = (float)step_m;
    measure_degrees(points);
    points->west = points->south = points->east = points->north = 0;
    points->count = points->noted_count = 0;
    points->room = room, points->needed = 1, points->stretch_count = 0;
    if (points->noted) memset(points->noted, 0, points->noted_capacity * sizeof *points->noted);
    MCD_TRY(MCD_GROW(points->dot, points->capacity, room, error));
    add_dot(points, 0, 0, 0, 0);
    return MACADAM_OK;
}

void mcd_dots_free(mcd_dots *points)
{
    MCD_FREE_ALL(points->dot, points->point, points->noted);
    *points = (mcd_dots){.count = 0};
}

/* ---- the points of an arc ---- */

static void place_point(const mcd_dots *points, int32_t lon_e7, int32_t lat_e7, float out[2])
{
    double east = lon_e7 - points->lon * 1e7; /* the shorter way around the globe */
    if (east > MCD_WHOLE_E7 / 2) east -= MCD_WHOLE_E7;
    if (east < -MCD_WHOLE_E7 / 2) east += MCD_WHOLE_E7;
    out[0] = (float)(east * (points->east_m * 1e-7));
    out[1] = (float)((lat_e7 - points->lat * 1e7) * (points->north_m * 1e-7));
}

void mcd_dots_place(const mcd_dots *points, const mcd_place_index *places, mcd_node node, float out[2])
{
    place_point(points, places->lon_e7[node], places->lat_e7[node], out);
}

static float length_of(const float from[2], const float to[2])
{
    const float east = to[0] - from[0], north = to[1] - from[1];
    return sqrtf(east * east + north * north);
}

/* Places the arc's points, in the order in which they are reached, and measures it. */
static macadam_status place_arc(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                mcd_direction direction, macadam_error *error)
{
    const size_t count = points->point_count = mcd_road_point_count(roads, arc);
    const bool backward = direction == MCD_BACKWARD;
    const uint64_t shape = mcd_arc_shape(roads->facts, arc).first;
    const int32_t *const lon = roads->facts->shape_lon_e7, *const lat = roads->facts->shape_lat_e7;
    MCD_TRY(MCD_GROW(points->point, points->point_capacity, count, error));
    mcd_dots_place(points, roads->places, tail, points->point[backward ? count - 1 : 0]);
    mcd_dots_place(points, roads->places, roads->graph->head[arc], points->point[backward ? 0 : count - 1]);
    for (size_t i = 1; i + 1 < count; ++i)
        place_point(points, lon[shape + i - 1], lat[shape + i - 1],
                    points->point[backward ? count - 1 - i : i]);
    points->length = 0;
    for (size_t i = 0; i + 1 < count; ++i)
        points->length += length_of(points->point[i], points->point[i + 1]);
    const float steps = (float)((int64_t)(points->length / points->step_m) + 1);
    points->arc_step = points->length > 0 ? points->length / steps : points->step_m;
    return MACADAM_OK;
}

/* ---- what is noted ---- */

#define SPREAD UINT64_C(0x9e3779b97f4a7c15) /* spreads bits over the upper ones */

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 29) * SPREAD;
    return bits ^ bits >> 32;
}

/* Returns a key that an arc shares with the arc back, and hardly ever with other roads. */
static uint64_t key_of(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const mcd_node head = roads->graph->head[arc];
    const int32_t *const lon = roads->places->lon_e7, *const lat = roads->places->lat_e7;
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, arc);
    uint64_t key = mix((uint64_t)(uint32_t)lon[tail] << 32 | (uint32_t)lat[tail]) +
                   mix((uint64_t)(uint32_t)lon[head] << 32 | (uint32_t)lat[head]);
    for (uint64_t i = shape.first; i < shape.end; ++i)
        key += mix((uint64_t)(uint32_t)roads->facts->shape_lon_e7[i] << 32 |
                   (uint32_t)roads->facts->shape_lat_e7[i]);
    return key;
}

static uint64_t *find_noted(const mcd_dots *points, uint64_t key)
{
    size_t at = key >> 32 & (points->noted_capacity - 1);
    while (points->noted[at] && (points->noted[at] ^ key) >> LIMIT_BITS)
        at = (at + 1) & (points->noted_capacity - 1);
    return &points->noted[at];
}

static macadam_status grow_noted(mcd_dots *points, macadam_error *error)
{
    const mcd_dots old = *points;
    const size_t capacity = old.noted_capacity ? 2 * old.noted_capacity : 4096;
    uint64_t *noted;
    MCD_TRY(MCD_NEW_ZEROED(noted, capacity, error));
    points->noted = noted;
    points->noted_capacity = capacity;
    for (size_t i = 0; i < old.noted_capacity; ++i)
        if (old.noted[i]) *find_noted(points, old.noted[i]) = old.noted[i];
    mcd_free(old.noted);
    return MACADAM_OK;
}

macadam_status mcd_dots_note(mcd_dots *points, uint64_t key, uint32_t limit, uint32_t *before,
                             macadam_error *error)
{
    if (2 * points->noted_count >= points->noted_capacity) MCD_TRY(grow_noted(points, error));
    key |= 1 << LIMIT_BITS;
    uint64_t *const noted = find_noted(points, key);
    *before = *noted ? *noted % (1 << LIMIT_BITS) : MCD_DOTS_NONE;
    if (*before <= limit) return MACADAM_OK;
    points->noted_count += !*noted;
    *noted = key >> LIMIT_BITS << LIMIT_BITS | limit;
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
static void add_end(mcd_dots *points, const float from[2], const float to[2], float share, uint32_t limit)
{
    const float length = length_of(from, to);
    add_dot(points, from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]),
            share * (1 - share) * length * length, limit);
}

/* Draws the end of a stretch at a junction, unless that has been drawn within the limit. */
static macadam_status add_junction(mcd_dots *points, const float at[2], uint32_t limit, macadam_error *error)
{
    uint32_t bits[2];
    uint32_t before;
    memcpy(bits, at, sizeof bits);
    MCD_TRY(mcd_dots_note(points, ((uint64_t)bits[0] << 32 | bits[1]) * SPREAD, limit, &before, error));
    if (before > limit) add_dot(points, at[0], at[1], 0, limit);
    return MACADAM_OK;
}

/* Draws the stretch, if there is room: its ends, and each whole step of the arc between them, so that these
 * stay where they are as the limit grows. */
static macadam_status add_stretch(mcd_dots *points, float from, float to, uint32_t limit,
                                  macadam_error *error)
{
    const size_t count = points->point_count;
    const float(*const point)[2] = (const float(*)[2])points->point, step = points->arc_step;
    const float begin = from / step, stop = to / step;
    const int64_t first = (int64_t)begin, last = (int64_t)stop,
                  end = last + (last == first || (float)last < stop); /* after the last whole step */
    points->needed += (size_t)(end - first + 1), ++points->stretch_count;
    if (points->needed > points->room) {
        measure_stretch(points, count, from, to);
        return MACADAM_OK;
    }
    const bool begins = from == 0, ends = points->joins && to >= points->length; /* at a junction */
    if (begins) MCD_TRY(add_junction(points, point[0], limit, error));
    if (ends) MCD_TRY(add_junction(points, point[count - 1], limit, error));
    walk place = {point, count, 0, 0, length_of(point[0], point[1])};
    float here[2] = {point[0][0], point[0][1]}, next[2];
    if (!begins) walk_to(&place, step * (float)first, here);
    for (int64_t i = first; i < last + (!ends || (!begins && first == last)); ++i) {
        walk_to(&place, step * (float)(i + 1), next);
        if (i == first && !begins) add_end(points, here, next, begin - (float)i, limit);
        if (i == last && !ends) add_end(points, here, next, stop - (float)i, limit);
        if (i + 1 < end) add_dot(points, next[0], next[1], 0, limit);
        here[0] = next[0], here[1] = next[1];
    }
    return MACADAM_OK;
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
static macadam_status add_stretches(mcd_dots *points, const mcd_reached_arc *entered, const uint32_t *limit,
                                    size_t first, size_t limit_count, macadam_error *error)
{
    const bool falls = mcd_reached_weight(entered) < 0;
    const double last = falls ? entered->from : 1; /* where it is reached last */
    double from = falls ? 1 : entered->from;
    const float length = points->length;
    for (size_t l = first; l < limit_count && (l == first || from != last); ++l) {
        const double to = share_within(entered, limit[l]);
        MCD_TRY(add_stretch(points, (float)fmin(from, to) * length, (float)fmax(from, to) * length,
                            (uint32_t)l, error));
        from = to;
    }
    return MACADAM_OK;
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
        uint32_t before;
        MCD_TRY(mcd_dots_note(points, key_of(roads, entered->tail, entered->arc), (uint32_t)first, &before,
                              error));
        if (before <= first) return MACADAM_OK;
    }
    if (mcd_dots_is_carried(roads->facts, entered->arc)) return MACADAM_OK;
    MCD_TRY(place_arc(points, roads, entered->tail, entered->arc, direction, error));
    return add_stretches(points, &settled, limit, first, limit_count, error);
}

macadam_status mcd_dots_stretch(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                double from, double to, macadam_error *error)
{
    MCD_TRY(place_arc(points, roads, tail, arc, MCD_FORWARD, error));
    const float length = points->length, begin = (float)(from * length), end = (float)(to * length);
    if (begin > end) return MACADAM_OK;
    points->needed = points->count;
    MCD_TRY(MCD_GROW(points->dot, points->capacity, points->count + (size_t)(length / points->arc_step) + 4,
                     error));
    points->room = points->capacity;
    return add_stretch(points, begin, end, 0, error);
}
