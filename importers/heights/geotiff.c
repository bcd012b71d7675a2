/* geotiff.c - see geotiff.h. Numbers of the file become decimetres one by one, so each machine gets the same. */
#include "importers/heights/geotiff.h"
#include "engine/base/memory.h"

#include <sys/stat.h>

static macadam_status find_file(const char *path, macadam_error *error)
{
    struct stat state;
    return stat(path, &state) == 0 ? MACADAM_OK : mcd_height_fail_open(path, error);
}

#ifndef MACADAM_GEOTIFF

macadam_status mcd_geotiff_read(mcd_height_tile *out, const char *path, int west, int north,
                                macadam_error *error)
{
    *out = (mcd_height_tile){0};
    (void)west, (void)north;
    MCD_TRY(find_file(path, error));
    return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                    "%s: this build reads no GeoTIFF: build it with -DMACADAM_GEOTIFF=ON", path);
}

#else

#include <math.h>
#include <stdio.h>
#include <tiffio.h>

enum {
    PIXEL_SCALE = 33550, /* OGC GeoTIFF 1.1: numbers of tags, of keys, and their values */
    TIEPOINT = 33922,
    GEO_KEYS = 34735,
    MODEL_TYPE_KEY = 1024,
    MODEL_GEOGRAPHIC = 2,
    RASTER_TYPE_KEY = 1025,
    RASTER_POINT = 2,
    PER_DEGREE_MAX = 3600,
    OVERLAP_MAX = 100, /* samples before the edge */
    SIDE_MAX = PER_DEGREE_MAX + 2 * OVERLAP_MAX,
    BLOCK_BYTES_MAX = 64 << 20,
};

typedef struct reader {
    TIFF *tiff;
    const char *path;
    char said[160]; /* libtiff's words */
    uint32_t columns, rows, block_columns, block_rows;
    uint16_t bits, format;
} reader;

static int take_words(TIFF *tiff, void *context, const char *module, const char *format, va_list values)
{
    (void)tiff, (void)module;
    reader *const run = context;
    vsnprintf(run->said, sizeof run->said, format, values);
    return 1; /* no other tile reports it */
}

static int drop_words(TIFF *tiff, void *context, const char *module, const char *format, va_list values)
{
    (void)tiff, (void)context, (void)module, (void)format, (void)values;
    return 1;
}

static macadam_status fail(const reader *run, const char *what, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE, "%s: %s%s%s", run->path, what, run->said[0] ? ": " : "",
                    run->said);
}

/* ---- where the samples lie ---- */

/* Returns the elements of a tag that libtiff does not know, if they have this type, and how many there are. */
static const void *find_elements(const reader *run, uint32_t tag, TIFFDataType type, uint32_t *count)
{
    const TIFFField *const field = TIFFFindField(run->tiff, tag, TIFF_ANY);
    const void *elements = NULL;
    uint16_t short_count = 0;
    *count = 0;
    if (!field || !TIFFFieldPassCount(field) || TIFFFieldDataType(field) != type) return NULL;
    if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
        TIFFGetField(run->tiff, tag, count, &elements);
    } else {
        TIFFGetField(run->tiff, tag, &short_count, &elements);
        *count = short_count;
    }
    return elements;
}

/* Returns the value of a key, or 0. */
static unsigned find_key(const reader *run, unsigned key)
{
    uint32_t count;
    const uint16_t *const keys = find_elements(run, GEO_KEYS, TIFF_SHORT, &count);
    for (uint32_t i = 4; keys && i + 3 < count; i += 4)
        if (keys[i] == key && keys[i + 1] == 0) return keys[i + 3];
    return 0;
}

/* `first` is where the first sample lies, in degrees from the tile's edge. */
static bool take_axis(mcd_height_axis *axis, uint32_t count, double step, double first, bool is_area)
{
    const double per_degree = nearbyint(1 / step), half = nearbyint(2 * first * per_degree) + is_area;
    if (!(per_degree >= 1 && per_degree <= PER_DEGREE_MAX && fabs(per_degree * step - 1) < 1e-6))
        return false;
    if (!(half >= -2 * OVERLAP_MAX && half <= 2 && count >= 2 && count <= SIDE_MAX)) return false;
    if (fabs(2 * first * per_degree + is_area - half) > 0.05) return false;
    *axis = (mcd_height_axis){count, (uint32_t)per_degree, (int32_t)half};
    return axis->first_half + 2 * ((int64_t)count - 1) >= 2 * ((int64_t)per_degree - 1);
}

static macadam_status take_place(reader *run, mcd_height_tile *out, int west, int north, macadam_error *error)
{
    uint32_t steps, numbers;
    const double *const step = find_elements(run, PIXEL_SCALE, TIFF_DOUBLE, &steps);
    const double *const tie = find_elements(run, TIEPOINT, TIFF_DOUBLE, &numbers);
    if (!step || steps < 2 || !tie || numbers < 6)
        return fail(run, "it does not say where its samples lie", error);
    if (find_key(run, MODEL_TYPE_KEY) != MODEL_GEOGRAPHIC)
        return fail(run, "its samples lie in a projection, not by longitude and latitude", error);
    const bool is_area = find_key(run, RASTER_TYPE_KEY) != RASTER_POINT;
    const double lon = tie[3] - tie[0] * step[0], lat = tie[4] + tie[1] * step[1];
    if (take_axis(&out->x, run->columns, step[0], lon - west, is_area) &&
        take_axis(&out->y, run->rows, step[1], north - lat, is_area))
        return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s: %u x %u samples of %g x %g degrees from %g,%g on are not the degree south-east of "
                    "%d,%d in steps of an arc second or more",
                    run->path, run->columns, run->rows, step[0], step[1], lon, lat, west, north);
}

/* ---- samples ---- */

static bool knows_format(const reader *run)
{
    if (run->format == SAMPLEFORMAT_IEEEFP) return run->bits == 32 || run->bits == 64;
    return (run->format == SAMPLEFORMAT_INT || run->format == SAMPLEFORMAT_UINT) &&
           (run->bits == 16 || run->bits == 32);
}

static double sample_at(const reader *run, const void *samples, size_t i)
{
    if (run->format == SAMPLEFORMAT_IEEEFP)
        return run->bits == 32 ? (double)((const float *)samples)[i] : ((const double *)samples)[i];
    if (run->format == SAMPLEFORMAT_INT)
        return run->bits == 32 ? ((const int32_t *)samples)[i] : ((const int16_t *)samples)[i];
    return run->bits == 32 ? ((const uint32_t *)samples)[i] : ((const uint16_t *)samples)[i];
}

static void take_row(const reader *run, int32_t *height_dm, const void *samples, size_t first, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const double metres = sample_at(run, samples, first + i);
        const bool is_place = metres > -1e6 && metres < 1e6; /* not so a NaN */
        height_dm[i] = is_place ? (int32_t)floor(metres * 10 + 0.5) : MCD_HEIGHT_NONE;
    }
}

static macadam_status read_rows(reader *run, int32_t *height_dm, void *block, macadam_error *error)
{
    for (uint32_t y = 0; y < run->rows; ++y) {
        if (TIFFReadScanline(run->tiff, block, y, 0) != 1)
            return fail(run, "it is cut off or damaged", error);
        take_row(run, height_dm + (size_t)y * run->columns, block, 0, run->columns);
    }
    return MACADAM_OK;
}

static macadam_status read_tiles(reader *run, int32_t *height_dm, void *block, macadam_error *error)
{
    const uint32_t width = run->block_columns, height = run->block_rows;
    for (uint32_t top = 0; top < run->rows; top += height)
        for (uint32_t left = 0; left < run->columns; left += width) {
            if (TIFFReadTile(run->tiff, block, left, top, 0, 0) < 0)
                return fail(run, "it is cut off or damaged", error);
            const uint32_t count = run->columns - left < width ? run->columns - left : width;
            for (uint32_t y = top; y - top < height && y < run->rows; ++y)
                take_row(run, height_dm + (size_t)y * run->columns + left, block, (size_t)(y - top) * width,
                         count);
        }
    return MACADAM_OK;
}

static macadam_status read_samples(reader *run, mcd_height_tile *out, macadam_error *error)
{
    const bool tiled = TIFFIsTiled(run->tiff);
    run->block_columns = run->columns;
    run->block_rows = 1;
    if (tiled) TIFFGetField(run->tiff, TIFFTAG_TILEWIDTH, &run->block_columns);
    if (tiled) TIFFGetField(run->tiff, TIFFTAG_TILELENGTH, &run->block_rows);
    const uint64_t bytes = tiled ? TIFFTileSize64(run->tiff) : TIFFScanlineSize64(run->tiff);
    MCD_OWNED unsigned char *block = NULL;
    if (bytes == 0 || bytes > BLOCK_BYTES_MAX ||
        bytes != (uint64_t)run->block_columns * run->block_rows * (run->bits / 8))
        return fail(run, "its tiles have no possible size", error);
    MCD_TRY(MCD_NEW(out->height_dm, (size_t)run->columns * run->rows, error));
    MCD_TRY(MCD_NEW(block, bytes, error));
    return (tiled ? read_tiles : read_rows)(run, out->height_dm, block, error);
}

static macadam_status read_image(reader *run, mcd_height_tile *out, int west, int north, macadam_error *error)
{
    uint16_t samples = 0;
    TIFFGetField(run->tiff, TIFFTAG_IMAGEWIDTH, &run->columns);
    TIFFGetField(run->tiff, TIFFTAG_IMAGELENGTH, &run->rows);
    TIFFGetFieldDefaulted(run->tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(run->tiff, TIFFTAG_BITSPERSAMPLE, &run->bits);
    TIFFGetFieldDefaulted(run->tiff, TIFFTAG_SAMPLEFORMAT, &run->format);
    if (samples != 1 || !knows_format(run)) return fail(run, "its samples are not single numbers", error);
    MCD_TRY(take_place(run, out, west, north, error));
    return read_samples(run, out, error);
}

macadam_status mcd_geotiff_read(mcd_height_tile *out, const char *path, int west, int north,
                                macadam_error *error)
{
    *out = (mcd_height_tile){0};
    MCD_TRY(find_file(path, error));
    reader run = {.path = path};
    TIFFOpenOptions *const options = TIFFOpenOptionsAlloc();
    if (!options) return mcd_fail(error, MACADAM_E_MEMORY, "no memory to read %s", path);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, BLOCK_BYTES_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, take_words, &run);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_words, NULL);
    /* not mapped: a file that shrinks does not cause a memory fault */
    run.tiff = TIFFOpenExt(path, "rm", options);
    TIFFOpenOptionsFree(options);
    if (!run.tiff) return fail(&run, "it is not a GeoTIFF file", error);
    const macadam_status status = read_image(&run, out, west, north, error);
    TIFFClose(run.tiff);
    if (status) mcd_height_tile_free(out);
    return status;
}

#endif
