/* srtm.c - see srtm.h. Everything is computed in whole numbers, so that each machine gets the same heights. */
#include "importers/heights/srtm.h"
#include "engine/base/memory.h"

#include <errno.h>
#include <minizip/unzip.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum {
    FINE_SIDE = 3601,
    COARSE_SIDE = 1201,
    FINE_PASSES = 4, /* of the filter: about as far as once over the coarse samples */
    LEAST_M = -1000, /* what is lower or higher is no place's height */
    MOST_M = 9000,
    DEGREE_E7 = 10000000,
    SAMPLE_BYTES = 2,
};
#define BYTES_MAX ((size_t)FINE_SIDE * FINE_SIDE * SAMPLE_BYTES)

/* ---- bytes ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

static macadam_status fail_open(const char *path, macadam_error *error)
{
    const macadam_status status = errno == ENOENT   ? MACADAM_E_NOT_FOUND
                                  : errno == ENOMEM ? MACADAM_E_MEMORY
                                                    : MACADAM_E_IO;
    return mcd_fail(error, status, "cannot open %s: %s", path, strerror(errno));
}

/* Reads up to `room` bytes. */
static macadam_status read_gzip(unsigned char *data, size_t room, size_t *bytes, const char *path,
                                macadam_error *error)
{
    errno = 0;
    const gzFile file = gzopen(path, "rb"); /* plain files too */
    if (!file) return fail_open(path, error);
    const int count = gzread(file, data, (unsigned)room);
    const int closed = gzclose_r(file);
    if (count < 0 || closed != Z_OK)
        return mcd_fail(error, MACADAM_E_FILE, "%s: it is cut off or damaged", path);
    *bytes = (size_t)count;
    return MACADAM_OK;
}

/* Opens the first file in it that is a tile. */
static macadam_status open_inner(unzFile zip, const char *path, macadam_error *error)
{
    char name[256] = "";
    int code = unzGoToFirstFile(zip);
    for (; code == UNZ_OK; code = unzGoToNextFile(zip)) {
        code = unzGetCurrentFileInfo64(zip, NULL, name, sizeof name - 1, NULL, 0, NULL, 0);
        if (code != UNZ_OK || ends_with(name, ".hgt")) break;
    }
    if (code == UNZ_OK) code = unzOpenCurrentFile(zip);
    return code == UNZ_OK ? MACADAM_OK
                          : mcd_fail(error, MACADAM_E_FILE, "%s: there is no file .hgt in it", path);
}

static macadam_status read_inner(unzFile zip, unsigned char *data, size_t room, size_t *bytes,
                                 const char *path, macadam_error *error)
{
    MCD_TRY(open_inner(zip, path, error));
    int count = 1;
    for (*bytes = 0; count > 0 && *bytes<room; *bytes += count> 0 ? (size_t)count : 0)
        count = unzReadCurrentFile(zip, data + *bytes, (unsigned)(room - *bytes));
    const int closed = unzCloseCurrentFile(zip); /* compares the checksum if all was read */
    return count < 0 || closed != UNZ_OK
               ? mcd_fail(error, MACADAM_E_FILE, "%s: the file in it is cut off or damaged", path)
               : MACADAM_OK;
}

static macadam_status read_zip(unsigned char *data, size_t room, size_t *bytes, const char *path,
                               macadam_error *error)
{
    errno = 0;
    const unzFile zip = unzOpen64(path);
    if (!zip && errno) return fail_open(path, error);
    if (!zip) return mcd_fail(error, MACADAM_E_FILE, "%s: it is no zip file, or cut off", path);
    const macadam_status status = read_inner(zip, data, room, bytes, path, error);
    unzClose(zip);
    return status;
}

/* ---- voids ---- */

static macadam_status take_samples(mcd_srtm *tile, const unsigned char *data, macadam_error *error)
{
    const size_t count = tile->side * tile->side;
    MCD_TRY(MCD_NEW(tile->height_dm, count, error));
    for (size_t i = 0; i < count; ++i) {
        const int16_t metres = (int16_t)(data[2 * i] << 8 | data[2 * i + 1]);
        const bool is_void = metres < LEAST_M || metres > MOST_M;
        tile->height_dm[i] = is_void ? MCD_HEIGHT_NONE : metres * 10;
        tile->void_count += is_void;
    }
    return MACADAM_OK;
}

/* A void that is being filled. */
typedef struct hole {
    uint32_t at;
    int32_t height_dm;
} hole;

/* The voids in the order in which they are filled. */
typedef struct hole_list {
    mcd_srtm *tile;
    hole *hole;
    size_t count;
    bool *listed; /* [side * side] */
} hole_list;

/* Sums the known neighbours of a sample, or, if `list` is given, appends those that are voids. */
static unsigned look_around(const mcd_srtm *tile, size_t at, int64_t *sum, hole_list *list)
{
    const size_t side = tile->side, x = at % side, y = at / side;
    unsigned known = 0;
    for (size_t v = y ? y - 1 : 0; v <= y + 1 && v < side; ++v)
        for (size_t u = x ? x - 1 : 0; u <= x + 1 && u < side; ++u) {
            const size_t i = v * side + u;
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
    const mcd_srtm *const tile = list->tile;
    for (size_t i = 0; i < tile->side * tile->side; ++i) {
        int64_t sum = 0;
        if (tile->height_dm[i] != MCD_HEIGHT_NONE || !look_around(tile, i, &sum, NULL)) continue;
        list->listed[i] = true;
        list->hole[list->count++].at = (uint32_t)i;
    }
    for (size_t first = 0, end = list->count; first < end; first = end, end = list->count)
        fill_ring(list, first, end);
}

static macadam_status fill_voids(mcd_srtm *tile, macadam_error *error)
{
    if (tile->void_count == 0) return MACADAM_OK;
    if (tile->void_count == tile->side * tile->side) {
        mcd_free(tile->height_dm);
        tile->height_dm = NULL;
        return MACADAM_OK;
    }
    hole_list list = {.tile = tile};
    macadam_status status = MCD_NEW(list.hole, tile->void_count, error);
    if (!status) status = MCD_NEW_ZEROED(list.listed, tile->side * tile->side, error);
    if (!status) fill_holes(&list);
    mcd_free(list.hole);
    mcd_free(list.listed);
    return status;
}

/* ---- noise ---- */

/* Four times the smoothed height: that of an end is kept. */
static int32_t blend(int32_t before, int32_t here, int32_t behind, bool is_end)
{
    return is_end ? 4 * here : before + 2 * here + behind;
}

static void smooth_row(int32_t *row, size_t side)
{
    int32_t before = 0;
    for (size_t x = 0; x < side; ++x) {
        const int32_t here = row[x];
        const bool is_end = x == 0 || x + 1 == side;
        row[x] = blend(before, here, is_end ? 0 : row[x + 1], is_end);
        before = here;
    }
}

/* In place: `before` is [side] scratch, the row above before it was smoothed along the columns. */
static void smooth(mcd_srtm *tile, int32_t *before)
{
    const size_t side = tile->side;
    for (size_t y = 0; y < side; ++y) smooth_row(tile->height_dm + y * side, side);
    for (size_t y = 0; y < side; ++y) {
        int32_t *const row = tile->height_dm + y * side;
        const bool is_end = y == 0 || y + 1 == side;
        for (size_t x = 0; x < side; ++x) {
            const int32_t here = row[x];
            const int32_t sum = blend(before[x], here, is_end ? 0 : row[x + side], is_end);
            row[x] = (sum >= 0 ? sum + 8 : sum - 8) / 16;
            before[x] = here;
        }
    }
}

static macadam_status smooth_all(mcd_srtm *tile, macadam_error *error)
{
    int32_t *before;
    if (!tile->height_dm) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(before, tile->side, error));
    for (int pass = 0; pass < (tile->side == FINE_SIDE ? FINE_PASSES : 1); ++pass) smooth(tile, before);
    mcd_free(before);
    return MACADAM_OK;
}

/* ---- tiles ---- */

static macadam_status take_tile(mcd_srtm *out, const unsigned char *data, size_t bytes, const char *path,
                                macadam_error *error)
{
    const size_t side = bytes == BYTES_MAX ? FINE_SIDE : COARSE_SIDE;
    if (bytes != side * side * SAMPLE_BYTES)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: a tile of heights has 2884802 bytes (3 arc seconds) or 25934402 (1), not %s%zu",
                        path, bytes > BYTES_MAX ? "more than " : "", bytes > BYTES_MAX ? BYTES_MAX : bytes);
    out->side = side;
    MCD_TRY(take_samples(out, data, error));
    MCD_TRY(fill_voids(out, error));
    return smooth_all(out, error);
}

macadam_status mcd_srtm_read(mcd_srtm *out, const char *path, macadam_error *error)
{
    *out = (mcd_srtm){0};
    unsigned char *data;
    size_t bytes = 0;
    MCD_TRY(MCD_NEW(data, BYTES_MAX + 1, error));
    macadam_status status =
        (ends_with(path, ".zip") ? read_zip : read_gzip)(data, BYTES_MAX + 1, &bytes, path, error);
    if (!status) status = take_tile(out, data, bytes, path, error);
    mcd_free(data);
    if (status) mcd_srtm_free(out);
    return status;
}

void mcd_srtm_free(mcd_srtm *tile)
{
    mcd_free(tile->height_dm);
    *tile = (mcd_srtm){0};
}

int32_t mcd_srtm_height(const mcd_srtm *tile, uint32_t east_e7, uint32_t north_e7)
{
    const uint64_t pieces = tile->side - 1, x = east_e7 * pieces, y = (DEGREE_E7 - north_e7) * pieces;
    const uint64_t column = x / DEGREE_E7 < pieces ? x / DEGREE_E7 : pieces - 1;
    const uint64_t row = y / DEGREE_E7 < pieces ? y / DEGREE_E7 : pieces - 1;
    const int64_t right = (int64_t)(x - column * DEGREE_E7), left = DEGREE_E7 - right;
    const int64_t lower = (int64_t)(y - row * DEGREE_E7), upper = DEGREE_E7 - lower;
    const int32_t *const at = tile->height_dm + row * tile->side + column, *const below = at + tile->side;
    const int64_t whole = (int64_t)DEGREE_E7 * DEGREE_E7; /* times 90,000 dm: below 2^63 */
    const int64_t sum = upper * (left * at[0] + right * at[1]) + lower * (left * below[0] + right * below[1]);
    return (int32_t)((sum >= 0 ? sum + whole / 2 : sum - whole / 2) / whole);
}
