/* point.c - see point.h. */
#include "importers/point.h"
#include "importers/grow.h"
#include "engine/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double earth_radius_m = 6371008.8, radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t drop_repeated(int64_t *id, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (kept == 0 || id[kept - 1] != id[i]) id[kept++] = id[i];
    return kept;
}

macadam_status mcd_points_new(mcd_points *out, const int64_t *ref, size_t ref_count, macadam_error *error)
{
    *out = (mcd_points){0};
    MCD_TRY(MCD_NEW(out->id, ref_count, error));
    if (ref_count) memcpy(out->id, ref, ref_count * sizeof *ref);
    qsort(out->id, ref_count, sizeof *out->id, compare);
    const size_t count = out->count = drop_repeated(out->id, ref_count);
    if (count >= MCD_NODE_NONE)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu nodes of ways are more than %u", count,
                        MCD_NODE_NONE - 1);
    MCD_TRY(MCD_NEW(out->lon_e7, count, error));
    MCD_TRY(MCD_NEW(out->lat_e7, count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->state, count, error));
    return MCD_NEW_ZEROED(out->wait_s, count, error);
}

size_t mcd_points_find(const mcd_points *points, int64_t id)
{
    size_t first = 0, last = points->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (points->id[middle] < id)
            first = middle + 1;
        else
            last = middle;
    }
    return first < points->count && points->id[first] == id ? first : points->count;
}

/* The first point from `near` on whose id is not below `id`; points before have smaller ids. Time: the
 * logarithm of how far it is from there. */
static size_t find_from(const mcd_points *points, size_t near, int64_t id)
{
    size_t step = 1, first = near;
    while (first + step <= points->count && points->id[first + step - 1] < id) {
        first += step;
        step *= 2;
    }
    size_t last = first + step <= points->count ? first + step - 1 : points->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (points->id[middle] < id)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static uint8_t state_of(const mcd_stop *stop)
{
    static const uint8_t state_of_access[] = {[MCD_ACCESS_OPEN] = 0,
                                              [MCD_ACCESS_ENDS] = MCD_POINT_FOR_ENDS,
                                              [MCD_ACCESS_CLOSED] = MCD_POINT_BLOCKED};
    return (uint8_t)(MCD_POINT_PRESENT | state_of_access[stop->access] |
                     MCD_POINT_WAITS * stop->waits[MCD_FORWARD] |
                     2 * MCD_POINT_WAITS * stop->waits[MCD_BACKWARD]);
}

macadam_status mcd_sightings_add(mcd_sightings *sightings, const mcd_points *points,
                                 const mcd_profile *profile, const mcd_osm_node *node, macadam_error *error)
{
    size_t near = sightings->near;
    if (near > 0 && points->id[near - 1] >= node->id) near = 0;
    const size_t point = sightings->near = find_from(points, near, node->id);
    if (point == points->count || points->id[point] != node->id) return MACADAM_OK;
    if (!node->valid) {
        ++sightings->invalid_count;
        return MACADAM_OK;
    }
    sightings->conditional_count += mcd_tags_have_conditions(&node->tags);
    const mcd_stop stop = mcd_profile_stop(profile, &node->tags);
    MCD_TRY(MCD_GROW(sightings->sighting, sightings->capacity, sightings->count + 1, error));
    sightings->sighting[sightings->count++] =
        (mcd_sighting){(uint32_t)point, node->lon_e7, node->lat_e7, stop.wait_s, state_of(&stop)};
    return MACADAM_OK;
}

void mcd_points_see(mcd_points *points, mcd_sightings *sightings)
{
    for (size_t i = 0; i < sightings->count; ++i) {
        const mcd_sighting *const seen = &sightings->sighting[i];
        points->lon_e7[seen->point] = seen->lon_e7;
        points->lat_e7[seen->point] = seen->lat_e7;
        points->wait_s[seen->point] = seen->wait_s;
        points->state[seen->point] = seen->state;
    }
    points->invalid_count += sightings->invalid_count;
    points->conditional_count += sightings->conditional_count;
    sightings->count = 0;
    sightings->invalid_count = sightings->conditional_count = 0;
}

void mcd_sightings_free(mcd_sightings *sightings)
{
    mcd_free(sightings->sighting);
    *sightings = (mcd_sightings){0};
}

/* Haversine: exact enough for points that are centimetres apart. */
double mcd_points_distance_m(int32_t lon_e7, int32_t lat_e7, int32_t other_lon_e7, int32_t other_lat_e7)
{
    const double lat = lat_e7 * radians_per_e7, other_lat = other_lat_e7 * radians_per_e7;
    const double half_lon = sin(((double)other_lon_e7 - lon_e7) * radians_per_e7 / 2);
    const double half_lat = sin((other_lat - lat) / 2);
    const double chord = half_lat * half_lat + cos(lat) * cos(other_lat) * half_lon * half_lon;
    return 2 * earth_radius_m * asin(sqrt(fmin(1, chord)));
}

void mcd_points_free(mcd_points *points)
{
    mcd_free(points->id);
    mcd_free(points->lon_e7);
    mcd_free(points->lat_e7);
    mcd_free(points->state);
    mcd_free(points->wait_s);
    *points = (mcd_points){0};
}
