/* point.c - see point.h. */
#include "importers/osm/roads/point.h"
#include "engine/base/sort.h"

#include <stdlib.h>

enum { GROUP = 16 /* ids that are looked up together */, REFS_PER_RANGE = 1 << 16 };

typedef struct shift_run {
    const int64_t *from;
    uint64_t *to, less;
} shift_run;

static void shift_range(void *argument, size_t first, size_t end)
{
    const shift_run *const run = argument;
    for (size_t i = first; i < end; ++i) run->to[i] = (uint64_t)run->from[i] - run->less;
}

/* A copy of the references in ascending order: they are sorted by what they are more than the least. */
static macadam_status sort(int64_t **out, const int64_t *ref, size_t count, const mcd_parallel *parallel,
                           mcd_watch *watch, macadam_error *error)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    MCD_OWNED uint64_t *scratch = NULL;
    *out = NULL;
    for (size_t i = 0; i < count; ++i) {
        least = ref[i] < least ? ref[i] : least;
        most = ref[i] > most ? ref[i] : most;
    }
    MCD_TRY(MCD_NEW(scratch, count, error));
    MCD_TRY(MCD_NEW(*out, count, error));
    shift_run run = {ref, (uint64_t *)*out, (uint64_t)least};
    mcd_ranges ranges = {count, REFS_PER_RANGE, shift_range, &run};
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&ranges), mcd_ranges_do, &ranges, error));
    MCD_TRY(mcd_sort_bits_on(parallel, run.to, scratch, count, 0,
                             mcd_bits_of((uint64_t)most - (uint64_t)least), watch, error));
    run = (shift_run){*out, run.to, -run.less};
    return mcd_watch_for(watch, parallel, mcd_ranges_count(&ranges), mcd_ranges_do, &ranges, error);
}

macadam_status mcd_points_new(mcd_points *out, const int64_t *ref, size_t ref_count,
                              const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    *out = (mcd_points){0};
    MCD_TRY(sort(&out->id, ref, ref_count, parallel, watch, error));
    for (size_t i = 0; i < ref_count; ++i)
        if (out->count == 0 || out->id[out->count - 1] != out->id[i]) out->id[out->count++] = out->id[i];
    const size_t count = out->count;
    if (count >= MCD_NODE_NONE)
        return mcd_fail_invalid(error, "%zu nodes of ways are more than %u", count, MCD_NODE_NONE - 1);
    MCD_TRY(mcd_watch_step(watch, 1, 1, error));
    MCD_TRY(MCD_ARENA_NEW(&out->arena, out->lon_e7, count, error));
    MCD_TRY(MCD_ARENA_NEW(&out->arena, out->lat_e7, count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&out->arena, out->state, count, error));
    return MCD_ARENA_NEW_ZEROED(&out->arena, out->wait_s, count, error);
}

macadam_status mcd_points_expect_ages(mcd_points *points, macadam_error *error)
{
    points->repeated_count = points->limited.count = 0;
    memset(points->state, 0, points->count);
    return MCD_NEW_ZEROED(points->age, points->count, error);
}

void mcd_points_close_ages(mcd_points *points)
{
    mcd_limited_points *const limited = &points->limited;
    size_t kept = 0;
    for (size_t i = 0; i < limited->count; ++i)
        if (limited->at[i].age == points->age[limited->at[i].point]) limited->at[kept++] = limited->at[i];
    limited->count = kept;
    mcd_free(points->age);
    points->age = NULL;
}

MCD_DEFINE_COMPARE(compare_limited, mcd_limited_point, .point)

macadam_status mcd_points_sort_limited(mcd_points *points, macadam_error *error)
{
    mcd_limited_points *const limited = &points->limited;
    if (limited->count == 0) return MACADAM_OK;
    qsort(limited->at, limited->count, sizeof *limited->at, compare_limited);
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&points->arena, limited->bit, points->count / 8 + 1, error));
    for (size_t i = 0; i < limited->count; ++i)
        limited->bit[limited->at[i].point / 8] |= (uint8_t)(1u << limited->at[i].point % 8);
    return MACADAM_OK;
}

mcd_limited_point *mcd_points_limited(const mcd_points *points, uint32_t point)
{
    const mcd_limited_points *const limited = &points->limited;
    if (limited->count == 0 || !(limited->bit[point / 8] >> point % 8 & 1)) return NULL;
    const mcd_limited_point key = {.point = point};
    return bsearch(&key, limited->at, limited->count, sizeof key, compare_limited);
}

/* Binary searches of the same steps, side by side: they wait for memory together. */
static void find_group(const mcd_points *points, const int64_t *id, size_t count, uint32_t *point)
{
    const int64_t *at[GROUP];
    for (size_t i = 0; i < count; ++i) at[i] = points->id;
    for (size_t left = points->count; left > 1; left -= left / 2)
        for (size_t i = 0; i < count; ++i) at[i] += at[i][left / 2] <= id[i] ? left / 2 : 0;
    for (size_t i = 0; i < count; ++i) point[i] = (uint32_t)(at[i] - points->id);
}

void mcd_points_find(const mcd_points *points, const int64_t *id, size_t count, uint32_t *point)
{
    size_t first = 0;
    for (; first + GROUP <= count; first += GROUP) find_group(points, id + first, GROUP, point + first);
    find_group(points, id + first, count - first, point + first);
}

void mcd_points_free(mcd_points *points)
{
    mcd_arena_free(&points->arena);
    MCD_FREE_ALL(points->id, points->age, points->limited.at);
    points->limited = (mcd_limited_points){0};
    points->id = NULL;
    points->age = NULL;
    points->count = 0;
}
