/* terrain.c - see terrain.h. Points are sorted by their tiles, so that each tile is read once. */
#include "importers/heights/terrain.h"
#include "importers/heights/geotiff.h"
#include "importers/heights/srtm.h"
#include "engine/base/arena.h"
#include "engine/base/types.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

enum { DEGREE_E7 = 10000000, COLUMNS = 360, ROWS = 180, TILES = COLUMNS * ROWS, POINTS_PER_TASK = 8192 };

typedef struct sampler {
    mcd_arena arena; /* of `point` and `first` */
    const mcd_terrain_points *points;
    const char *folder;
    int32_t *height_dm;
    uint32_t *point;      /* by tile */
    size_t *first;        /* [TILES + 1] where a tile's begin */
    mcd_height_tile tile; /* the present one */
    size_t begin, end;    /* its points */
} sampler;

/* ---- tiles ---- */

/* Whole degrees from the south pole, or from 180 degrees west; the last one ends the globe. */
static uint32_t degree_of(int32_t e7, int32_t least, uint32_t count)
{
    const uint32_t degree = (uint32_t)(((int64_t)e7 - (int64_t)least * DEGREE_E7) / DEGREE_E7);
    return degree < count ? degree : count - 1;
}

static size_t tile_of(const mcd_terrain_points *points, size_t point)
{
    return (size_t)degree_of(points->lat_e7[point], -90, ROWS) * COLUMNS +
           degree_of(points->lon_e7[point], -180, COLUMNS);
}

static void name_tile(char name[8], size_t tile)
{
    const int lat = (int)(tile / COLUMNS) - 90, lon = (int)(tile % COLUMNS) - 180;
    snprintf(name, 8, "%c%02u%c%03u", lat < 0 ? 'S' : 'N', (unsigned)(lat < 0 ? -lat : lat) % 100,
             lon < 0 ? 'W' : 'E', (unsigned)(lon < 0 ? -lon : lon) % 1000);
}

/* How a file is called: PREFIX N45 MIDDLE E009 ENDING. */
typedef struct file_name {
    const char *prefix, *middle, *ending;
    bool is_geotiff;
} file_name;

static const file_name file_names[] = {
    {"", "", ".hgt", false},
    {"", "", ".hgt.gz", false},
    {"", "", ".hgt.zip", false},
    {"", "", ".zip", false},
    {"", "", ".SRTMGL1.hgt.zip", false},
    {"", "", ".SRTMGL3.hgt.zip", false},
    {"", "", ".tif", true},
    {"Copernicus_DSM_COG_10_", "_00_", "_00_DEM.tif", true},
    {"Copernicus_DSM_COG_30_", "_00_", "_00_DEM.tif", true},
    {"ASTGTMV003_", "", "_dem.tif", true},
};

/* The tile stays without heights if there is no file of it. */
static macadam_status read_tile(sampler *run, size_t tile, const char *name, macadam_error *error)
{
    const int west = (int)(tile % COLUMNS) - 180, north = (int)(tile / COLUMNS) - 89;
    const size_t bytes = strlen(run->folder) + 64;
    MCD_OWNED char *path = NULL;
    MCD_TRY(MCD_NEW(path, bytes, error));
    macadam_status status = MACADAM_E_NOT_FOUND;
    for (size_t i = 0; i < sizeof file_names / sizeof file_names[0] && status == MACADAM_E_NOT_FOUND; ++i) {
        const file_name *const file = file_names + i;
        snprintf(path, bytes, "%s/%s%.3s%s%s%s", run->folder, file->prefix, name, file->middle, name + 3,
                 file->ending);
        status = file->is_geotiff ? mcd_geotiff_read(&run->tile, path, west, north, error)
                                  : mcd_srtm_read(&run->tile, path, error);
    }
    if (status == MACADAM_E_NOT_FOUND) {
        mcd_recover(error);
        return MACADAM_OK;
    }
    return status ? status : mcd_height_tile_finish(&run->tile, error);
}

/* ---- points ---- */

static macadam_status sort_points(sampler *run, mcd_watch *watch, macadam_error *error)
{
    const mcd_terrain_points *const points = run->points;
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&run->arena, run->first, TILES + 1, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->point, points->count, error));
    for (size_t i = 0; i < points->count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, points->count, error));
        run->height_dm[i] = MCD_HEIGHT_NONE;
        if (points->state[i] & points->wanted) ++run->first[tile_of(points, i)];
    }
    for (size_t tile = 0; tile < TILES; ++tile) run->first[tile + 1] += run->first[tile];
    /* from the last one on: each tile's end moves down to its start */
    for (size_t i = points->count; i-- > 0;)
        if (points->state[i] & points->wanted) run->point[--run->first[tile_of(points, i)]] = (uint32_t)i;
    return MACADAM_OK;
}

static void sample_task(void *argument, size_t task, MCD_UNUSED unsigned worker)
{
    const sampler *const run = argument;
    const size_t first = run->begin + task * POINTS_PER_TASK,
                 end = mcd_size_min(first + POINTS_PER_TASK, run->end);
    for (size_t i = first; i < end; ++i) {
        const uint32_t point = run->point[i];
        const size_t tile = tile_of(run->points, point);
        const int64_t west = ((int64_t)(tile % COLUMNS) - 180) * DEGREE_E7,
                      south = ((int64_t)(tile / COLUMNS) - 90) * DEGREE_E7;
        run->height_dm[point] = mcd_height_tile_at(&run->tile, (uint32_t)(run->points->lon_e7[point] - west),
                                                   (uint32_t)(run->points->lat_e7[point] - south));
    }
}

static macadam_status sample_tile(sampler *run, mcd_terrain *out, size_t tile, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error)
{
    char name[8];
    name_tile(name, tile);
    MCD_TRY(read_tile(run, tile, name, error));
    if (run->tile.height_dm) {
        out->void_count += run->tile.void_count;
        const size_t tasks = (run->end - run->begin + POINTS_PER_TASK - 1) / POINTS_PER_TASK;
        ++out->tile_count;
        return mcd_watch_for(watch, parallel, tasks, sample_task, run, error);
    }
    if (out->missing_count++ == 0) memcpy(out->missing, name, sizeof name);
    return MACADAM_OK;
}

/* Returns whether a name ends as a tile's does; maps may lie beside tiles. */
static bool may_be_tile(const char *name)
{
    const char *const dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof file_names / sizeof file_names[0]; ++i)
        if (strcmp(dot, strrchr(file_names[i].ending, '.')) == 0) return true;
    return false;
}

MCD_DEFINE_FREE_AT(close_folder, DIR, closedir)

macadam_status mcd_terrain_visit(const char *folder, mcd_terrain_visitor visit, void *context,
                                 macadam_error *error)
{
    DIR *const opened = opendir(folder);
    if (!opened) return mcd_fail(error, MACADAM_E_IO, "cannot open %s: %s", folder, strerror(errno));
    MCD_FREED_BY(close_folder) DIR *tiles = opened;
    for (const struct dirent *file; visit && (file = readdir(tiles));) {
        MCD_OWNED char *path = NULL;
        if (!may_be_tile(file->d_name)) continue;
        MCD_TRY(MCD_NEW(path, strlen(folder) + strlen(file->d_name) + 2, error));
        sprintf(path, "%s/%s", folder, file->d_name);
        MCD_TRY(visit(context, path, error));
    }
    return MACADAM_OK;
}

static macadam_status check_tile(void *output, const char *path, macadam_error *error)
{
    return macadam_output_check(output, &path, 1, error);
}

macadam_status mcd_terrain_check(const char *folder, const char *output, macadam_error *error)
{
    return mcd_terrain_visit(folder, output ? check_tile : NULL, (void *)output, error);
}

static void free_sampler(sampler *run)
{
    mcd_height_tile_free(&run->tile);
    mcd_arena_free(&run->arena);
}

macadam_status mcd_terrain_sample(int32_t *height_dm, mcd_terrain *out, const char *folder,
                                  const mcd_terrain_points *points, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error)
{
    *out = (mcd_terrain){0};
    MCD_TRY(mcd_terrain_check(folder, NULL, error));
    MCD_FREED_BY(free_sampler)
    sampler run = {.points = points, .folder = folder, .height_dm = height_dm};
    MCD_TRY(sort_points(&run, watch, error));
    for (size_t tile = 0; tile < TILES; ++tile) {
        run.begin = run.first[tile];
        run.end = run.first[tile + 1];
        if (run.begin == run.end) continue;
        MCD_TRY(mcd_watch_step(watch, run.begin, run.first[TILES], error));
        MCD_TRY(sample_tile(&run, out, tile, parallel, watch, error));
        mcd_height_tile_free(&run.tile);
    }
    if (out->tile_count == 0 && out->missing_count > 0)
        return mcd_fail(error, MACADAM_E_FILE, "%s: no tile of heights there covers the map, not even %s",
                        run.folder, out->missing);
    return MACADAM_OK;
}
