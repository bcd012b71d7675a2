/* point.c - see point.h. */
#include "importers/point.h"
#include "engine/memory.h"

#include <math.h>
#include <string.h>

static const double earth_radius_m = 6371008.8, radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

typedef struct id_range {
    int64_t least;
    uint64_t width; /* the greatest less the least */
} id_range;

static id_range find_range(const int64_t *id, size_t count)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < count; ++i) {
        least = id[i] < least ? id[i] : least;
        most = id[i] > most ? id[i] : most;
    }
    return (id_range){least, count ? (uint64_t)most - (uint64_t)least : 0};
}

static size_t digit_of(int64_t id, int64_t least, unsigned shift)
{
    return ((uint64_t)id - (uint64_t)least) >> shift & (DIGITS - 1);
}

/* By one digit; equal ones stay in their order. */
static void sort_by_digit(const int64_t *from, int64_t *to, size_t count, int64_t least, unsigned shift)
{
    size_t first[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; ++i) ++first[digit_of(from[i], least, shift) + 1];
    for (size_t digit = 0; digit < DIGITS; ++digit) first[digit + 1] += first[digit];
    for (size_t i = 0; i < count; ++i) to[first[digit_of(from[i], least, shift)]++] = from[i];
}

/* A copy of the references in ascending order: digit by digit, the lowest first. */
static macadam_status sort(int64_t **out, const int64_t *ref, size_t count, macadam_error *error)
{
    const id_range range = find_range(ref, count);
    int64_t *spare = NULL;
    MCD_TRY(MCD_NEW(*out, count, error));
    if (range.width >> DIGIT_BITS) MCD_TRY(MCD_NEW(spare, count, error));
    sort_by_digit(ref, *out, count, range.least, 0);
    for (unsigned shift = DIGIT_BITS; shift < 64 && range.width >> shift; shift += DIGIT_BITS) {
        sort_by_digit(*out, spare, count, range.least, shift);
        int64_t *const sorted = spare;
        spare = *out;
        *out = sorted;
    }
    mcd_free(spare);
    return MACADAM_OK;
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
    MCD_TRY(sort(&out->id, ref, ref_count, error));
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
