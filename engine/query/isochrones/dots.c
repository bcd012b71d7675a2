/* dots.c - see dots.h. The plane is equirectangular; a degree is as long as on the ellipsoid of WGS 84 at
 * the place. */
#include "engine/query/isochrones/dots.h"

#include "engine/base/grow.h"

enum { LIMIT_BITS = 8 }; /* of an entry; the others are those of the key that do not say where the entry is */
static_assert(MACADAM_REACH_LIMITS_MAX < 1 << LIMIT_BITS, "no limit's index is that of an empty entry");

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

static macadam_status begin_notes(mcd_dots_notes *notes, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_GROW(notes->entry, notes->capacity, count, error));
    memset(notes->entry, 0xff, count * sizeof *notes->entry);
    return MACADAM_OK;
}

macadam_status mcd_dots_begin(mcd_dots *points, double lon, double lat, double step_m, size_t room,
                              size_t road_count, macadam_error *error)
{
    size_t noted_count = (size_t)1 << LIMIT_BITS;
    for (points->noted_shift = 64 - LIMIT_BITS; noted_count < road_count; --points->noted_shift)
        noted_count *= 2;
    points->lon = lon, points->lat = lat;
    points->step_m = (float)step_m;
    measure_degrees(points);
    points->west = points->south = points->east = points->north = 0;
    points->count = points->whole_count = 0;
    points->room = room, points->needed = 1, points->stretch_count = 0;
    MCD_TRY(MCD_GROW(points->noted, points->noted_capacity, noted_count, error));
    memset(points->noted, 0xff, noted_count * sizeof *points->noted);
    MCD_TRY(begin_notes(&points->arcs, noted_count, error));
    MCD_TRY(begin_notes(&points->junctions, noted_count, error));
    MCD_TRY(MCD_GROW(points->dot, points->capacity, room, error));
    add_dot(points, 0, 0, 0, 0);
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_dots_free, mcd_dots, it->dot, it->point, it->noted, it->arcs.entry, it->junctions.entry)

/* ---- the points of an arc ---- */

static mcd_dots_point place_point(const mcd_dots *points, int32_t lon_e7, int32_t lat_e7)
{
    double east = lon_e7 - points->lon * 1e7; /* the shorter way around the globe */
    if (east > MCD_WHOLE_E7 / 2) east -= MCD_WHOLE_E7;
    if (east < -MCD_WHOLE_E7 / 2) east += MCD_WHOLE_E7;
    return (mcd_dots_point){(float)(east * (points->east_m * 1e-7)),
                            (float)((lat_e7 - points->lat * 1e7) * (points->north_m * 1e-7)), 0};
}

mcd_dots_point mcd_dots_place(const mcd_dots *points, const mcd_place_index *places, mcd_node node)
{
    return place_point(points, places->lon_e7[node], places->lat_e7[node]);
}

/* Places the arc's points, in the order in which they are reached, and measures it. */
static macadam_status place_arc(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                mcd_direction direction, macadam_error *error)
{
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, arc);
    const size_t last = points->last_point = shape.end - shape.first + 1;
    const bool backward = direction == MCD_BACKWARD;
    const int32_t *const lon = roads->facts->shape_lon_e7, *const lat = roads->facts->shape_lat_e7;
    if (last >= points->point_capacity)
        MCD_TRY(MCD_GROW(points->point, points->point_capacity, last + 1, error));
    mcd_dots_point *const point = points->point;
    points->end[backward] = roads->places->node_place[tail];
    points->end[!backward] = roads->places->node_place[roads->graph->head[arc]];
    point[backward ? last : 0] = mcd_dots_place(points, roads->places, tail);
    point[backward ? 0 : last] = mcd_dots_place(points, roads->places, roads->graph->head[arc]);
    for (size_t i = 1; i < last; ++i)
        point[backward ? last - i : i] =
            place_point(points, lon[shape.first + i - 1], lat[shape.first + i - 1]);
    points->length = 0;
    for (size_t i = 0; i < last; ++i) {
        const float east = point[i + 1].x - point[i].x, north = point[i + 1].y - point[i].y;
        points->length += point[i].length = sqrtf(east * east + north * north);
    }
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

/* Returns a key that an arc shares with the arc back. Other roads between its ends have other points, and so, but for
 * one in 2^64, another key. */
static uint64_t key_of(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const uint64_t from = roads->places->node_place[tail],
                   to = roads->places->node_place[roads->graph->head[arc]];
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, arc);
    uint64_t sum = shape.end - shape.first;
    for (uint64_t i = shape.first; i < shape.end; ++i)
        sum += mix((uint64_t)(uint32_t)roads->facts->shape_lon_e7[i] << 32 |
                   (uint32_t)roads->facts->shape_lat_e7[i]);
    return mix(sum * SPREAD + (from < to ? from << 32 | to : to << 32 | from));
}

/* Returns whether what has a key is known to be drawn within a limit; if not, notes that it is. */
static bool is_drawn(mcd_dots *points, uint64_t key, uint32_t limit)
{
    uint64_t *const noted = &points->noted[key >> points->noted_shift];
    const uint64_t within_first = key << LIMIT_BITS;
    if (*noted - within_first <= limit) return true;
    *noted = within_first + limit;
    return false;
}

/* Returns whether a number is noted with a limit up to this one; if not, `notes`: notes it. */
static bool is_noted(const mcd_dots *points, const mcd_dots_notes *in, uint32_t number, uint32_t limit,
                     bool notes)
{
    const uint64_t bits = 64 - points->noted_shift;
    uint32_t *const noted = &in->entry[number & ((UINT64_C(1) << bits) - 1)];
    const uint32_t within_first = (uint32_t)((uint64_t)number >> bits << LIMIT_BITS);
    if (*noted - within_first <= limit) return true;
    if (notes) *noted = within_first + limit;
    return false;
}

bool mcd_dots_note_road(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc, uint64_t apart)
{
    return is_drawn(points, key_of(roads, tail, arc) + apart * SPREAD, 0);
}

/* ---- stretches ---- */

/* A place on the points of an arc that moves forward. */
typedef struct walk {
    const mcd_dots_point *point, *last; /* where its piece begins, and where the last one does */
    float before;                       /* the length of the pieces before its own */
} walk;

static mcd_dots_point walk_to(walk *at, float length)
{
    while (at->point < at->last && at->before + at->point->length < length) {
        at->before += at->point->length;
        ++at->point;
    }
    const mcd_dots_point *const from = at->point;
    const float along = (length - at->before) / from->length, share = along < 1 ? along : 1;
    return (mcd_dots_point){from->x + share * (from[1].x - from->x), from->y + share * (from[1].y - from->y),
                            0};
}

/* Draws the end of a stretch, on the straight line between the whole steps around it. With a larger limit
 * they, or the first of them and a later end, have to cover it: so its circle passes through the points where
 * theirs meet. */
static void add_end(mcd_dots *points, mcd_dots_point from, mcd_dots_point to, float share, uint32_t limit)
{
    const float east = to.x - from.x, north = to.y - from.y;
    add_dot(points, from.x + share * east, from.y + share * north,
            share * (1 - share) * (east * east + north * north), limit);
}

/* Draws each whole step of the arc between two lengths along it, so that these stay where they are as the limit
 * grows, and the ends of the stretch that are not those of the arc. */
static void draw_stretch(mcd_dots *points, float from, float to, uint32_t limit)
{
    const mcd_dots_point *const point = points->point;
    const float step = points->arc_step, begin = from / step, stop = to / step;
    const int64_t first = (int64_t)begin, last = (int64_t)stop,
                  end = last + (last == first || (float)last < stop); /* after the last whole step */
    const bool begins = from == 0, ends = to >= points->length;       /* at an end of the arc */
    walk place = {point, point + points->last_point - 1, 0};
    mcd_dots_point here = begins ? point[0] : walk_to(&place, step * (float)first);
    const int64_t walked = begins && ends ? end - 1 : last + (!ends || (!begins && first == last));
    for (int64_t i = first; i < walked; ++i) {
        const mcd_dots_point next = walk_to(&place, step * (float)(i + 1));
        if (i == first && !begins) add_end(points, here, next, begin - (float)i, limit);
        if (i == last && !ends) add_end(points, here, next, stop - (float)i, limit);
        if (i + 1 < end) add_dot(points, next.x, next.y, 0, limit);
        here = next;
    }
}

/* Draws an end of an arc, if there is room, unless it has been drawn within the limit. */
static void add_junction(mcd_dots *points, const mcd_dots_point *at, uint32_t id, uint32_t limit)
{
    if (is_noted(points, &points->junctions, id, limit, true)) return;
    if (points->needed <= points->room) add_dot(points, at->x, at->y, 0, limit);
}

/* Draws the stretch from one length along an arc to another. If there is no room, measures the whole arc; the same is
 * noted. */
static void add_stretch(mcd_dots *points, float from, float to, uint32_t limit)
{
    const mcd_dots_point *const first = points->point, *const last = first + points->last_point;
    points->needed += (size_t)((to - from) / points->arc_step) + 3, ++points->stretch_count; /* at most */
    if (from == 0) add_junction(points, first, points->end[0], limit);
    if (to >= points->length) add_junction(points, last, points->end[1], limit);
    if (points->needed <= points->room) {
        draw_stretch(points, from, to, limit);
        points->needed = points->count;
        return;
    }
    for (const mcd_dots_point *at = first; at <= last; ++at) extend(points, at->x, at->y);
}

/* Draws the stretches that the limits from `first` on add. */
static void add_stretches(mcd_dots *points, const mcd_reached_arc *entered, const uint32_t *limit,
                          size_t first, size_t limit_count)
{
    const bool falls = mcd_reached_weight(entered) < 0;
    const double last = falls ? entered->from : 1; /* where it is reached last */
    double from = falls ? 1 : entered->from;
    const float length = points->length;
    for (size_t l = first; l < limit_count && (l == first || from != last); ++l) {
        const double to = mcd_reached_share(entered, limit[l]);
        add_stretch(points, (float)fmin(from, to) * length, (float)fmax(from, to) * length, (uint32_t)l);
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

macadam_status mcd_dots_end(mcd_dots *points, const mcd_roads *roads, mcd_direction direction,
                            macadam_error *error)
{
    mcd_dots_whole *const end = points->whole + points->whole_count;
    points->whole_count = 0;
    for (mcd_dots_whole *arc = points->whole; arc < end; ++arc) {
        arc->key = key_of(roads, arc->tail, arc->arc);
        __builtin_prefetch(&points->noted[arc->key >> points->noted_shift], 1);
    }
    for (const mcd_dots_whole *arc = points->whole; arc < end; ++arc) {
        if (is_drawn(points, arc->key, arc->limit) || mcd_dots_is_carried(roads->facts, arc->arc)) continue;
        MCD_TRY(place_arc(points, roads, arc->tail, arc->arc, direction, error));
        add_stretch(points, 0, points->length, arc->limit);
    }
    return MACADAM_OK;
}

/* Draws an arc that is reached as a whole, or leaves it to be drawn with others. */
static macadam_status add_whole(mcd_dots *points, const mcd_roads *roads, const mcd_reached_arc *entered,
                                uint32_t limit, mcd_direction direction, macadam_error *error)
{
    points->whole[points->whole_count++] =
        (mcd_dots_whole){.arc = entered->arc, .limit = limit, .tail = entered->tail};
    return points->whole_count == MCD_DOTS_WHOLE ? mcd_dots_end(points, roads, direction, error) : MACADAM_OK;
}

macadam_status mcd_dots_arc(mcd_dots *points, const mcd_roads *roads, const mcd_weights *weights,
                            const mcd_reached_arc *entered, mcd_direction direction, const uint32_t *limit,
                            size_t limit_count, macadam_error *error)
{
    mcd_reached_arc settled;
    size_t first = limit_from(limit, limit_count, mcd_reached_least(entered));
    /* If no limit ends within the arc, or in what is paid before it, nothing has to be known about that. */
    const bool cut = first == limit_count || limit[first] < mcd_reached_most(entered) || entered->rise < 0;
    if (cut && entered->from == 0) {
        const uint32_t original = mcd_arc_original(roads->facts, entered->arc);
        if (direction == MCD_FORWARD && is_noted(points, &points->arcs, original, (uint32_t)first, false))
            return MACADAM_OK; /* settled, it is reached within the same limit or a larger one */
        settled = *entered;
        mcd_reached_settle(&settled, mcd_reached_own(entered, roads, weights), direction);
        entered = &settled;
        first = limit_from(limit, limit_count, mcd_reached_least(entered));
    }
    if (first == limit_count) return MACADAM_OK;
    const bool whole = entered->from == 0 && limit[first] >= mcd_reached_most(entered);
    if (entered->from == 0 &&
        is_noted(points, &points->arcs, mcd_arc_original(roads->facts, entered->arc), (uint32_t)first, whole))
        return MACADAM_OK;
    if (whole) return add_whole(points, roads, entered, (uint32_t)first, direction, error);
    if (mcd_dots_is_carried(roads->facts, entered->arc)) return MACADAM_OK;
    MCD_TRY(place_arc(points, roads, entered->tail, entered->arc, direction, error));
    add_stretches(points, entered, limit, first, limit_count);
    return MACADAM_OK;
}

macadam_status mcd_dots_stretch(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                double from, double to, macadam_error *error)
{
    MCD_TRY(place_arc(points, roads, tail, arc, MCD_FORWARD, error));
    const float length = points->length, begin = (float)(from * length), end = (float)(to * length);
    if (begin > end) return MACADAM_OK;
    const size_t most = (size_t)(length / points->arc_step) + 3;
    MCD_TRY(MCD_GROW(points->dot, points->capacity, points->count + most, error));
    draw_stretch(points, begin, end, 0);
    return MACADAM_OK;
}
