/* fence.c - see fence.h. A point lies within an area if a ray from it crosses the sides of the area's rings an
 * odd number of times, so that a ring within a ring is a hole. All coordinates are integers, and no
 * computation rounds. */
#include "engine/map/fence.h"

#include "engine/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- making ---- */

static macadam_status count_sides(const macadam_area *area, size_t index, size_t *count, macadam_error *error)
{
    size_t corners = 0;
    const size_t ring_count = area->ring_size ? area->ring_count : 1;
    if (!area->lon || !area->lat || ring_count == 0)
        return mcd_fail(error, MACADAM_E_INVALID, "area %zu has no corners", index);
    if ((area->reserved[0] | area->reserved[1]) != 0)
        return mcd_fail(error, MACADAM_E_INVALID, "area %zu uses a reserved member", index);
    for (size_t r = 0; r < ring_count; ++r) {
        const size_t size = area->ring_size ? area->ring_size[r] : area->point_count;
        if (size < 3)
            return mcd_fail(error, MACADAM_E_INVALID, "ring %zu of area %zu has %zu corners", r, index, size);
        if (size > area->point_count - corners)
            return mcd_fail(error, MACADAM_E_INVALID, "the rings of area %zu have more than its %zu corners",
                            index, area->point_count);
        corners += size;
    }
    for (size_t i = 0; i < corners; ++i)
        if (!(fabs(area->lon[i]) <= 180 && fabs(area->lat[i]) <= 90)) /* neither is NaN */
            return mcd_fail(error, MACADAM_E_INVALID, "corner %zu of area %zu is at %g,%g", i, index,
                            area->lon[i], area->lat[i]);
    *count += corners;
    return MACADAM_OK;
}

static mcd_point corner_of(const macadam_area *area, size_t i)
{
    return (mcd_point){(int32_t)lrint(area->lon[i] * 1e7), (int32_t)lrint(area->lat[i] * 1e7)};
}

static mcd_snap_box enclose(const mcd_snap_line *side, size_t count)
{
    mcd_snap_box box = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (size_t i = 0; i < count; ++i) {
        const mcd_point corner = side[i].from;
        if (corner.lon_e7 < box.west_e7) box.west_e7 = corner.lon_e7;
        if (corner.lon_e7 > box.east_e7) box.east_e7 = corner.lon_e7;
        if (corner.lat_e7 < box.south_e7) box.south_e7 = corner.lat_e7;
        if (corner.lat_e7 > box.north_e7) box.north_e7 = corner.lat_e7;
    }
    return box;
}

/* Writes the sides of the area's rings. Returns how many there are. */
static size_t put_sides(mcd_snap_line *side, const macadam_area *area)
{
    size_t count = 0;
    for (size_t r = 0; r < (area->ring_size ? area->ring_count : 1); ++r) {
        const size_t first = count, size = area->ring_size ? area->ring_size[r] : area->point_count;
        for (size_t i = 0; i < size; ++i)
            side[count++] =
                (mcd_snap_line){corner_of(area, first + i), corner_of(area, first + (i + 1) % size)};
    }
    return count;
}

macadam_status mcd_fence_new(mcd_fence *out, const macadam_area *area, size_t area_count,
                             macadam_error *error)
{
    size_t side_count = 0;
    *out = (mcd_fence){0};
    if (area_count == 0) return MACADAM_OK;
    if (!area) return mcd_fail(error, MACADAM_E_INVALID, "no areas, but a count of %zu", area_count);
    for (size_t a = 0; a < area_count; ++a) MCD_TRY(count_sides(&area[a], a, &side_count, error));
    macadam_status status = MCD_NEW(out->side, side_count, error);
    if (!status) status = MCD_NEW_ZEROED(out->first_side, area_count + 1, error);
    if (!status) status = MCD_NEW(out->box, area_count, error);
    if (status) {
        mcd_fence_free(out);
        return status;
    }
    out->area_count = area_count;
    for (size_t a = 0; a < area_count; ++a) {
        mcd_snap_line *const side = out->side + out->first_side[a];
        const size_t count = put_sides(side, &area[a]);
        out->first_side[a + 1] = out->first_side[a] + count;
        out->box[a] = enclose(side, count);
    }
    return MACADAM_OK;
}

void mcd_fence_free(mcd_fence *fence)
{
    mcd_free(fence->side);
    mcd_free(fence->first_side);
    mcd_free(fence->box);
    *fence = (mcd_fence){0};
}

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

static mcd_snap_box box_of(const mcd_snap_line *line)
{
    const mcd_snap_line both[2] = {*line, {line->to, line->from}};
    return enclose(both, 2);
}

/* Two lines whose boxes overlap touch unless one of them lies on one side of the other. */
static bool touches(const mcd_snap_line *a, const mcd_snap_line *b)
{
    const mcd_snap_box box_a = box_of(a), box_b = box_of(b);
    return overlaps(&box_a, &box_b) && side_of(a, b->from) * side_of(a, b->to) <= 0 &&
           side_of(b, a->from) * side_of(b, a->to) <= 0;
}

/* A point on a side may count as inside or outside: `touches` finds it. */
static bool is_within(const mcd_snap_line *side, size_t count, mcd_point at)
{
    bool within = false;
    for (size_t i = 0; i < count; ++i) {
        const bool rises = side[i].to.lat_e7 > at.lat_e7;
        if ((side[i].from.lat_e7 > at.lat_e7) == rises) continue;
        if (side_of(&side[i], at) == (rises ? 1 : -1)) within = !within;
    }
    return within;
}

/* Returns whether a straight piece meets area number `a`. */
static bool meets(const mcd_fence *fence, size_t a, const mcd_snap_line *piece)
{
    const mcd_snap_box box = box_of(piece);
    const mcd_snap_line *const side = fence->side + fence->first_side[a];
    const size_t count = fence->first_side[a + 1] - fence->first_side[a];
    if (!overlaps(&box, &fence->box[a])) return false;
    for (size_t i = 0; i < count; ++i)
        if (touches(piece, &side[i])) return true;
    return is_within(side, count, piece->from);
}

bool mcd_fence_stops(const mcd_fence *fence, const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const size_t point_count = mcd_road_point_count(roads, arc);
    if (fence->area_count == 0) return false;
    mcd_snap_line piece = {.from = mcd_road_point(roads, tail, arc, 0)};
    for (size_t i = 1; i < point_count; ++i, piece.from = piece.to) {
        piece.to = mcd_road_point(roads, tail, arc, i);
        const bool is_short = llabs((long long)piece.to.lon_e7 - piece.from.lon_e7) <= MCD_WHOLE_E7 / 2;
        const mcd_snap_line end[2] = {{piece.from, piece.from}, {piece.to, piece.to}};
        for (size_t a = 0; a < fence->area_count; ++a)
            if (is_short ? meets(fence, a, &piece) : meets(fence, a, &end[0]) || meets(fence, a, &end[1]))
                return true;
    }
    return false;
}
