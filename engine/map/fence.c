/* fence.c - see fence.h. A point lies within an area if a ray from it crosses the sides of the area's rings an
 * odd number of times, so that a ring within a ring is a hole. All coordinates are integers, and no
 * computation rounds.
 *
 * Index. A packed R-tree over the sides in the order of their rings, where successive sides are neighbours: boxes of
 * MCD_SNAP_FANOUT sides, then of as many boxes. Of successive sides of one ring that lie to the east, a ray crosses an odd
 * number if their two ends are on different sides of it. So only boxes that the start of the ray is in are opened.
 * (Roussopoulos, Leifker 1985) */
#include "engine/map/fence.h"

#include "engine/base/sort.h"
#include "engine/map/locality.h"

#include <stdlib.h>

/* ---- making ---- */

static macadam_status count_sides(const macadam_area *area, size_t index, size_t *count, macadam_error *error)
{
    size_t corners = 0;
    const size_t ring_count = area->ring_size ? area->ring_count : 1;
    if (!area->lon || !area->lat || ring_count == 0)
        return mcd_fail_invalid(error, "area %zu has no corners", index);
    if ((area->reserved[0] | area->reserved[1]) != 0)
        return mcd_fail_invalid(error, "area %zu uses a reserved member", index);
    for (size_t r = 0; r < ring_count; ++r) {
        const size_t size = area->ring_size ? area->ring_size[r] : area->point_count;
        if (size < 3) return mcd_fail_invalid(error, "ring %zu of area %zu has %zu corners", r, index, size);
        if (size > area->point_count - corners)
            return mcd_fail_invalid(error, "the rings of area %zu have more than its %zu corners", index,
                                    area->point_count);
        corners += size;
    }
    for (size_t i = 0; i < corners; ++i)
        if (!(fabs(area->lon[i]) <= 180 && fabs(area->lat[i]) <= 90)) /* neither is NaN */
            return mcd_fail_invalid(error, "corner %zu of area %zu is at %g,%g", i, index, area->lon[i],
                                    area->lat[i]);
    *count += corners;
    return MACADAM_OK;
}

static mcd_point corner_of(const macadam_area *area, size_t i)
{
    return (mcd_point){(int32_t)lrint(area->lon[i] * 1e7), (int32_t)lrint(area->lat[i] * 1e7)};
}

static mcd_snap_box box_of(const mcd_snap_line *line)
{
    mcd_snap_box box = mcd_snap_nowhere;
    mcd_snap_enclose(&box, line);
    return box;
}

/* Appends the sides of the area's rings. */
static void put_sides(mcd_fence *out, const macadam_area *area, uint32_t index, uint32_t *ring)
{
    size_t first = 0, *const end = &out->first_side[index + 1];
    *end = out->first_side[index];
    for (size_t r = 0; r < (area->ring_size ? area->ring_count : 1); ++r, ++*ring) {
        const size_t size = area->ring_size ? area->ring_size[r] : area->point_count;
        for (size_t i = 0; i < size; ++i, ++*end) {
            out->side[*end] =
                (mcd_snap_line){corner_of(area, first + i), corner_of(area, first + (i + 1) % size)};
            out->ring[*end] = *ring;
            out->area[*end] = index;
        }
        first += size;
    }
}

/* Sorts the areas by where their first corners are on the Hilbert curve: key[area_count], the index in the low bits. */
static macadam_status sort_areas(uint64_t *key, const macadam_area *area, size_t area_count,
                                 macadam_error *error)
{
    MCD_OWNED uint64_t *scratch = NULL;
    MCD_TRY(MCD_NEW(scratch, area_count, error));
    for (size_t a = 0; a < area_count; ++a) {
        const uint32_t x = (uint32_t)((area[a].lon[0] + 180) / 360 * UINT16_MAX),
                       y = (uint32_t)((area[a].lat[0] + 90) / 180 * UINT16_MAX);
        key[a] = (uint64_t)mcd_hilbert_index(x, y) << 32 | a;
    }
    return mcd_sort_bits(key, scratch, area_count, 32, 64, NULL, error);
}

static macadam_status build_boxes(mcd_fence *out, size_t side_count, macadam_error *error)
{
    out->level_count = mcd_snap_levels(side_count, out->first_box);
    MCD_TRY(MCD_NEW(out->box, out->first_box[out->level_count], error));
    for (size_t i = 0; i < out->first_box[1]; ++i) out->box[i] = mcd_snap_nowhere;
    for (size_t i = 0; i < side_count; ++i) mcd_snap_enclose(&out->box[i / MCD_SNAP_FANOUT], &out->side[i]);
    mcd_snap_fill_levels(out->box, out->first_box, out->level_count);
    return MACADAM_OK;
}

macadam_status mcd_fence_new(mcd_fence *out, const macadam_area *area, size_t area_count,
                             macadam_error *error)
{
    MCD_FREED_BY(mcd_fence_free) mcd_fence made = {.area_count = area_count};
    MCD_OWNED uint64_t *key = NULL;
    size_t side_count = 0;
    uint32_t ring = 0;
    *out = (mcd_fence){0};
    if (area_count == 0) return MACADAM_OK;
    if (!area) return mcd_fail_invalid(error, "no areas, but a count of %zu", area_count);
    for (size_t a = 0; a < area_count; ++a) MCD_TRY(count_sides(&area[a], a, &side_count, error));
    MCD_TRY(MCD_NEW(key, area_count, error));
    MCD_TRY(sort_areas(key, area, area_count, error));
    MCD_TRY(MCD_NEW(made.side, side_count, error));
    MCD_TRY(MCD_NEW(made.ring, side_count, error));
    MCD_TRY(MCD_NEW(made.area, side_count, error));
    MCD_TRY(MCD_NEW_ZEROED(made.first_side, area_count + 1, error));
    for (uint32_t a = 0; a < area_count; ++a) put_sides(&made, &area[(uint32_t)key[a]], a, &ring);
    MCD_TRY(build_boxes(&made, side_count, error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_fence_free, mcd_fence, it->side, it->ring, it->area, it->first_side, it->box)

/* ---- asking ---- */

/* Returns 1 if `at` is to the left of the line, -1 to the right, 0 on it. Both products fit in 64 bits: a
 * difference of longitudes is below 2^32, one of latitudes below 2^31. */
static int side_of(const mcd_snap_line *line, mcd_point at)
{
    const int64_t along_x = (int64_t)line->to.lon_e7 - line->from.lon_e7,
                  along_y = (int64_t)line->to.lat_e7 - line->from.lat_e7;
    const int64_t x = (int64_t)at.lon_e7 - line->from.lon_e7, y = (int64_t)at.lat_e7 - line->from.lat_e7;
    const int64_t left = along_x * y, right = along_y * x;
    return (left > right) - (left < right);
}

static bool overlaps(const mcd_snap_box *a, const mcd_snap_box *b)
{
    return a->west_e7 <= b->east_e7 && b->west_e7 <= a->east_e7 && a->south_e7 <= b->north_e7 &&
           b->south_e7 <= a->north_e7;
}

/* Two lines whose boxes overlap touch unless one of them lies on one side of the other. */
static bool touches(const mcd_snap_line *a, const mcd_snap_line *b)
{
    const mcd_snap_box box_a = box_of(a), box_b = box_of(b);
    return overlaps(&box_a, &box_b) && side_of(a, b->from) * side_of(a, b->to) <= 0 &&
           side_of(b, a->from) * side_of(b, a->to) <= 0;
}

/* The items of a box: the boxes first <= i < end of the level before, or sides; and the sides within it. */
typedef struct box_items {
    const mcd_snap_box *box;
    size_t first, end;
    size_t first_side, end_side;
} box_items;

static box_items items_of(const mcd_fence *fence, size_t level, size_t index)
{
    const size_t side_count = fence->first_side[fence->area_count],
                 count = level ? fence->first_box[level] - fence->first_box[level - 1] : side_count;
    size_t span = MCD_SNAP_FANOUT;
    for (size_t i = 0; i < level; ++i) span *= MCD_SNAP_FANOUT;
    return (box_items){.box = &fence->box[fence->first_box[level] + index],
                       .first = index * MCD_SNAP_FANOUT,
                       .end = mcd_size_min((index + 1) * MCD_SNAP_FANOUT, count),
                       .first_side = index * span,
                       .end_side = mcd_size_min((index + 1) * span, side_count)};
}

/* Returns whether a straight piece touches a side within a box. */
static bool touches_within(const mcd_fence *fence, size_t level, size_t index, const mcd_snap_line *piece)
{
    const box_items items = items_of(fence, level, index);
    const mcd_snap_box box = box_of(piece);
    if (!overlaps(&box, items.box)) return false;
    for (size_t i = items.first; i < items.end; ++i)
        if (level ? touches_within(fence, level - 1, i, piece) : touches(piece, &fence->side[i])) return true;
    return false;
}

static bool touches_any(const mcd_fence *fence, const mcd_snap_line *piece)
{
    return touches_within(fence, fence->level_count - 1, 0, piece);
}

/* A ray to the east. */
typedef struct fence_ray {
    const mcd_fence *fence;
    mcd_point from;
    uint32_t area;          /* of which it crossed a side last */
    bool is_odd, is_within; /* is_within: within an area before that one */
} fence_ray;

static void cross(fence_ray *ray, size_t side)
{
    const uint32_t area = ray->fence->area[side];
    if (area != ray->area) ray->is_within |= ray->is_odd, ray->is_odd = false;
    ray->area = area;
    ray->is_odd = !ray->is_odd;
}

static bool is_above(const fence_ray *ray, mcd_point at)
{
    return at.lat_e7 > ray->from.lat_e7;
}

static void cross_side(fence_ray *ray, size_t index)
{
    const mcd_snap_line *const side = &ray->fence->side[index];
    const bool rises = is_above(ray, side->to);
    if (is_above(ray, side->from) != rises && side_of(side, ray->from) == (rises ? 1 : -1)) cross(ray, index);
}

/* Crosses the sides within a box, by ascending number. */
static void cross_box(fence_ray *ray, size_t level, size_t index)
{
    const mcd_fence *const fence = ray->fence;
    const box_items items = items_of(fence, level, index);
    const size_t last = items.end_side - 1;
    if (items.box->east_e7 < ray->from.lon_e7 || items.box->south_e7 > ray->from.lat_e7 ||
        items.box->north_e7 <= ray->from.lat_e7)
        return;
    if (items.box->west_e7 > ray->from.lon_e7 && fence->ring[items.first_side] == fence->ring[last]) {
        if (is_above(ray, fence->side[items.first_side].from) != is_above(ray, fence->side[last].to))
            cross(ray, last);
        return;
    }
    for (size_t i = items.first; i < items.end; ++i)
        if (level)
            cross_box(ray, level - 1, i);
        else
            cross_side(ray, i);
}

/* A point on a side may count as inside or outside: `touches` finds it. */
static bool is_within(const mcd_fence *fence, mcd_point at)
{
    fence_ray east = {.fence = fence, .from = at};
    cross_box(&east, fence->level_count - 1, 0);
    return east.is_within || east.is_odd;
}

static bool holds(const mcd_fence *fence, mcd_point at)
{
    return touches_any(fence, &(mcd_snap_line){at, at}) || is_within(fence, at);
}

/* A piece of a road over the 180th meridian is seen from both sides, each beyond the other. */
static bool stops_piece(const mcd_fence *fence, const mcd_snap_line *piece)
{
    const int64_t whole = (int64_t)MCD_WHOLE_E7, across = (int64_t)piece->to.lon_e7 - piece->from.lon_e7;
    const int64_t turn = across < 0 ? whole : -whole, to = piece->to.lon_e7 + turn,
                  from = piece->from.lon_e7 - turn;
    if (llabs(across) <= whole / 2) return touches_any(fence, piece);
    return holds(fence, piece->to) ||
           (llabs(to) <= INT32_MAX && llabs(from) <= INT32_MAX &&
            (touches_any(fence, &(mcd_snap_line){piece->from, {(int32_t)to, piece->to.lat_e7}}) ||
             touches_any(fence, &(mcd_snap_line){{(int32_t)from, piece->from.lat_e7}, piece->to})));
}

/* A line from a point outside that touches no side stays outside. */
bool mcd_fence_stops(const mcd_fence *fence, const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const size_t point_count = mcd_road_point_count(roads, arc);
    if (fence->area_count == 0) return false;
    mcd_snap_line piece = {.from = mcd_road_point(roads, tail, arc, 0)};
    bool stops = holds(fence, piece.from);
    for (size_t i = 1; !stops && i < point_count; ++i, piece.from = piece.to) {
        piece.to = mcd_road_point(roads, tail, arc, i);
        stops = stops_piece(fence, &piece);
    }
    return stops;
}
