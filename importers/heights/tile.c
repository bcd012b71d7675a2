/* tile.c - see tile.h. Everything is computed in whole numbers, so that each machine gets the same heights. */
#include "importers/heights/tile.h"
#include "engine/base/arena.h"

#include <errno.h>

enum {
    FINE_ROWS = 3600,  /* with this many rows a degree or more, samples are 1 arc second apart */
    FINE_PASSES = 4,   /* of the filter: about as far as once over samples 3 arc seconds apart */
    LEAST_DM = -10000, /* lower or higher samples are not heights */
    MOST_DM = 90000,
    DEGREE_E7 = 10000000,
};

static size_t sample_count(const mcd_height_tile *tile)
{
    return (size_t)tile->x.count * tile->y.count;
}

/* ---- voids ---- */

static void find_voids(mcd_height_tile *tile)
{
    for (size_t i = 0; i < sample_count(tile); ++i) {
        int32_t *const height_dm = tile->height_dm + i;
        if (*height_dm < LEAST_DM || *height_dm > MOST_DM) *height_dm = MCD_HEIGHT_NONE;
        tile->void_count += *height_dm == MCD_HEIGHT_NONE;
    }
}

/* A void that is being filled. */
typedef struct hole {
    uint32_t at;
    int32_t height_dm;
} hole;

/* The voids in the order in which they are filled. */
typedef struct hole_list {
    mcd_height_tile *tile;
    hole *hole;
    size_t count;
    bool *listed; /* [samples] */
} hole_list;

/* Sums the known neighbours of a sample, or, if `list` is given, appends those that are voids. */
static unsigned look_around(const mcd_height_tile *tile, size_t at, int64_t *sum, hole_list *list)
{
    const size_t columns = tile->x.count, x = at % columns, y = at / columns;
    unsigned known = 0;
    for (size_t v = y ? y - 1 : 0; v <= y + 1 && v < tile->y.count; ++v)
        for (size_t u = x ? x - 1 : 0; u <= x + 1 && u < columns; ++u) {
            const size_t i = v * columns + u;
            if (tile->height_dm[i] != MCD_HEIGHT_NONE) {
                *sum += tile->height_dm[i];
                ++known;
            } else if (list && !list->listed[i]) {
                list->listed[i] = true;
                list->hole[list->count++].at = (uint32_t)i;
            }
        }
    return known;
}

/* Fills one ring, whose members do not see each other's heights, and lists the next one. */
static void fill_ring(hole_list *list, size_t first, size_t end)
{
    for (size_t i = first; i < end; ++i) {
        int64_t sum = 0;
        const int64_t known = look_around(list->tile, list->hole[i].at, &sum, NULL);
        list->hole[i].height_dm = (int32_t)(sum / known);
    }
    for (size_t i = first; i < end; ++i) list->tile->height_dm[list->hole[i].at] = list->hole[i].height_dm;
    int64_t sum = 0;
    for (size_t i = first; i < end; ++i) look_around(list->tile, list->hole[i].at, &sum, list);
}

static void fill_holes(hole_list *list)
{
    const mcd_height_tile *const tile = list->tile;
    for (size_t i = 0; i < sample_count(tile); ++i) {
        int64_t sum = 0;
        if (tile->height_dm[i] != MCD_HEIGHT_NONE || !look_around(tile, i, &sum, NULL)) continue;
        list->listed[i] = true;
        list->hole[list->count++].at = (uint32_t)i;
    }
    for (size_t first = 0, end = list->count; first < end; first = end, end = list->count)
        fill_ring(list, first, end);
}

static macadam_status fill_voids(mcd_height_tile *tile, macadam_error *error)
{
    if (tile->void_count == 0) return MACADAM_OK;
    if (tile->void_count == sample_count(tile)) {
        mcd_free(tile->height_dm);
        tile->height_dm = NULL;
        return MACADAM_OK;
    }
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    hole_list list = {.tile = tile};
    MCD_TRY(MCD_ARENA_NEW(&arena, list.hole, tile->void_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&arena, list.listed, sample_count(tile), error));
    fill_holes(&list);
    return MACADAM_OK;
}

/* ---- noise ---- */

/* Four times the smoothed height: that of an end is kept. */
static int32_t blend(int32_t before, int32_t here, int32_t behind, bool is_end)
{
    return is_end ? 4 * here : before + 2 * here + behind;
}

static void smooth_row(int32_t *row, size_t columns)
{
    int32_t before = 0;
    for (size_t x = 0; x < columns; ++x) {
        const int32_t here = row[x];
        const bool is_end = x == 0 || x + 1 == columns;
        row[x] = blend(before, here, is_end ? 0 : row[x + 1], is_end);
        before = here;
    }
}

/* In place: `before` is [columns] scratch, the row above before it was smoothed along the columns. */
static void smooth(mcd_height_tile *tile, int32_t *before)
{
    const size_t columns = tile->x.count, rows = tile->y.count;
    for (size_t y = 0; y < rows; ++y) smooth_row(tile->height_dm + y * columns, columns);
    for (size_t y = 0; y < rows; ++y) {
        int32_t *const row = tile->height_dm + y * columns;
        const bool is_end = y == 0 || y + 1 == rows;
        for (size_t x = 0; x < columns; ++x) {
            const int32_t here = row[x];
            const int32_t sum = blend(before[x], here, is_end ? 0 : row[x + columns], is_end);
            row[x] = (sum >= 0 ? sum + 8 : sum - 8) / 16;
            before[x] = here;
        }
    }
}

static macadam_status smooth_all(mcd_height_tile *tile, macadam_error *error)
{
    MCD_OWNED int32_t *before = NULL;
    if (!tile->height_dm) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(before, tile->x.count, error));
    for (int pass = 0; pass < (tile->y.per_degree >= FINE_ROWS ? FINE_PASSES : 1); ++pass)
        smooth(tile, before);
    return MACADAM_OK;
}

/* ---- tiles ---- */

macadam_status mcd_height_fail_open(const char *path, macadam_error *error)
{
    const macadam_status status = errno == ENOENT   ? MACADAM_E_NOT_FOUND
                                  : errno == ENOMEM ? MACADAM_E_MEMORY
                                                    : MACADAM_E_IO;
    return mcd_fail(error, status, "cannot open %s: %s", path, strerror(errno));
}

macadam_status mcd_height_tile_finish(mcd_height_tile *tile, macadam_error *error)
{
    find_voids(tile);
    MCD_TRY(fill_voids(tile, error));
    return smooth_all(tile, error);
}

MCD_DEFINE_FREE(mcd_height_tile_free, mcd_height_tile, it->height_dm)

/* Where a point lies between samples; beyond the first and the last one it is there. */
typedef struct position {
    size_t before;        /* this sample and the next */
    int64_t past, behind; /* 1e-7 of the way from the one, and to the other */
} position;

static position find_position(const mcd_height_axis *axis, uint32_t e7)
{
    const int64_t last = ((int64_t)axis->count - 1) * DEGREE_E7;
    int64_t at = (int64_t)e7 * axis->per_degree - (int64_t)axis->first_half * (DEGREE_E7 / 2);
    if (at < 0) at = 0;
    if (at > last) at = last;
    const int64_t before = at < last ? at / DEGREE_E7 : last / DEGREE_E7 - 1;
    const int64_t past = at - before * DEGREE_E7;
    return (position){(size_t)before, past, DEGREE_E7 - past};
}

int32_t mcd_height_tile_at(const mcd_height_tile *tile, uint32_t east_e7, uint32_t north_e7)
{
    const position x = find_position(&tile->x, east_e7), y = find_position(&tile->y, DEGREE_E7 - north_e7);
    const int32_t *const above = tile->height_dm + y.before * tile->x.count + x.before;
    const int32_t *const below = above + tile->x.count;
    const int64_t whole = (int64_t)DEGREE_E7 * DEGREE_E7; /* times 90,000 dm: below 2^63 */
    const int64_t sum = y.behind * (x.behind * above[0] + x.past * above[1]) +
                        y.past * (x.behind * below[0] + x.past * below[1]);
    return (int32_t)((sum >= 0 ? sum + whole / 2 : sum - whole / 2) / whole);
}
