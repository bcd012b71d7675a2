/* test_geotiff.c - heights from GeoTIFF: formats, tiles, rows, where samples lie, and files that are none. */
#include "importers/heights/geotiff.h"
#include "importers/heights/terrain.h"

#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

TestSuite(geotiff, .init = import_fixture_open, .fini = import_fixture_close);

enum { SCALE = 33550, TIEPOINT = 33922, KEYS = 34735, POINT = 2, AREA = 1, WEST = 9, NORTH = 46 };

typedef struct layout {
    uint32_t columns, rows, tile; /* tile: 0 = by rows */
    uint16_t format, bits, compression, predictor;
    int raster; /* POINT or AREA */
    double lon, lat;
    uint16_t model;     /* 2: longitude and latitude */
    double column_step; /* 0: 1 / columns */
} layout;

static const layout copernicus = {.columns = 1200,
                                  .rows = 1200,
                                  .tile = 512,
                                  .format = SAMPLEFORMAT_IEEEFP,
                                  .bits = 32,
                                  .compression = COMPRESSION_ADOBE_DEFLATE,
                                  .predictor = PREDICTOR_FLOATINGPOINT,
                                  .raster = POINT,
                                  .lon = WEST,
                                  .lat = NORTH,
                                  .model = 2};

static double metres(size_t x, size_t y, uint16_t format)
{
    const double height = (double)(x % 700) + (double)(y % 900) * 2;
    return format == SAMPLEFORMAT_IEEEFP ? height + 0.25 : format == SAMPLEFORMAT_INT ? height - 300 : height;
}

static void put(unsigned char *data, size_t i, const layout *file, double value)
{
    const float single = (float)value;
    const int32_t whole = (int32_t)value;
    const int16_t narrow = (int16_t)value;
    if (file->format == SAMPLEFORMAT_IEEEFP)
        memcpy(data + i * file->bits / 8, file->bits == 32 ? (const void *)&single : (const void *)&value,
               file->bits / 8);
    else
        memcpy(data + i * file->bits / 8, file->bits == 32 ? (const void *)&whole : (const void *)&narrow,
               file->bits / 8);
}

static void write_block(TIFF *tiff, const layout *file, uint32_t left, uint32_t top)
{
    const uint32_t width = file->tile ? file->tile : file->columns, height = file->tile ? file->tile : 1;
    unsigned char *const data = calloc((size_t)width * height, file->bits / 8);
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x)
            put(data, (size_t)y * width + x, file, metres(left + x, top + y, file->format));
    cr_assert(file->tile ? TIFFWriteTile(tiff, data, left, top, 0, 0) > 0
                         : TIFFWriteScanline(tiff, data, top, 0) == 1);
    free(data);
}

static const char *write(const layout *file)
{
    static const TIFFFieldInfo tags[] = {{SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"scale"},
                                         {TIEPOINT, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"tie"},
                                         {KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)"keys"}};
    const char *const path = import_path("N45E009.tif");
    TIFF *const tiff = TIFFOpen(path, "w");
    TIFFMergeFieldInfo(tiff, tags, 3);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, file->columns);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, file->rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, file->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, file->format);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, file->compression);
    if (file->predictor) TIFFSetField(tiff, TIFFTAG_PREDICTOR, file->predictor);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    if (file->tile) TIFFSetField(tiff, TIFFTAG_TILEWIDTH, file->tile);
    if (file->tile) TIFFSetField(tiff, TIFFTAG_TILELENGTH, file->tile);
    const double column_step = file->column_step != 0 ? file->column_step : 1.0 / file->columns;
    const double scale[3] = {column_step, 1.0 / file->rows, 0};
    const double tie[6] = {0, 0, 0, file->lon, file->lat, 0};
    const uint16_t keys[] = {1, 1, 0, 2, 1024, 0, 1, file->model, 1025, 0, 1, (uint16_t)file->raster};
    if (file->model) {
        TIFFSetField(tiff, SCALE, 3, scale);
        TIFFSetField(tiff, TIEPOINT, 6, tie);
        TIFFSetField(tiff, KEYS, 12, keys);
    }
    const uint32_t wide = file->tile ? file->tile : file->columns, high = file->tile ? file->tile : 1;
    for (uint32_t top = 0; top < file->rows; top += high)
        for (uint32_t left = 0; left < file->columns; left += wide) write_block(tiff, file, left, top);
    TIFFClose(tiff);
    return path;
}

static void expect_read(const layout *file, int32_t first_half)
{
    mcd_height_tile tile;
    const macadam_status status = mcd_geotiff_read(&tile, write(file), WEST, NORTH, &import_error);
    cr_assert_eq(status, MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(tile.x.count, file->columns);
    cr_assert_eq(tile.y.count, file->rows);
    cr_assert_eq(tile.x.per_degree, file->columns);
    cr_assert_eq(tile.y.per_degree, file->rows);
    cr_expect_eq(tile.x.first_half, first_half);
    cr_expect_eq(tile.y.first_half, first_half);
    for (size_t y = 0; y < file->rows; ++y)
        for (size_t x = 0; x < file->columns; ++x) {
            const double height_dm = metres(x, y, file->format) * 10;
            const int32_t rounded = (int32_t)(height_dm + 10000.5) - 10000;
            cr_assert_eq(tile.height_dm[y * file->columns + x], rounded, "%zu, %zu", x, y);
        }
    mcd_height_tile_free(&tile);
}

Test(geotiff, tiles_of_floats_as_copernicus_publishes_them)
{
    expect_read(&copernicus, 0);
}

Test(geotiff, every_format_by_rows_and_by_tiles)
{
    static const uint16_t format[][2] = {{SAMPLEFORMAT_INT, 16},    {SAMPLEFORMAT_INT, 32},
                                         {SAMPLEFORMAT_UINT, 16},   {SAMPLEFORMAT_UINT, 32},
                                         {SAMPLEFORMAT_IEEEFP, 32}, {SAMPLEFORMAT_IEEEFP, 64}};
    for (size_t i = 0; i < 6; ++i)
        for (uint32_t tile = 0; tile <= 256; tile += 256) {
            layout file = copernicus;
            file.columns = 300; /* narrower towards the poles */
            file.rows = 400;
            file.tile = tile;
            file.format = format[i][0];
            file.bits = format[i][1];
            file.compression = tile ? COMPRESSION_LZW : COMPRESSION_NONE;
            file.predictor = 0;
            expect_read(&file, 0);
        }
}

/* The corner of the first area is the tile's, so its middle lies half a sample farther in. */
Test(geotiff, samples_may_be_the_middles_of_areas)
{
    layout file = copernicus;
    file.raster = AREA;
    expect_read(&file, 1);
    file.lon -= 0.5 / file.columns;
    file.lat += 0.5 / file.rows;
    expect_read(&file, 0);
}

static void expect_bad(const layout *file, const char *message)
{
    mcd_height_tile tile;
    const char *const path = write(file);
    import_expect(mcd_geotiff_read(&tile, path, WEST, NORTH, &import_error), MACADAM_E_FILE, path, message);
    cr_expect_null(tile.height_dm);
}

Test(geotiff, other_files_are_refused)
{
    layout file = copernicus;
    file.columns = file.rows = 100;
    file.tile = 0;
    file.predictor = 0;
    file.compression = COMPRESSION_NONE;
    layout bad = file;
    bad.model = 0;
    expect_bad(&bad, ": it does not say where its samples lie");
    bad.model = 1;
    expect_bad(&bad, ": its samples lie in a projection, not by longitude and latitude");
    bad = file;
    bad.lon += 0.5;
    expect_bad(
        &bad,
        ": 100 x 100 samples of 0.01 x 0.01 degrees from 9.5,46 on are not the degree south-east of 9,46 in "
        "steps of an arc second or more");
    bad = file;
    bad.column_step = 0.005;
    expect_bad(
        &bad,
        ": 100 x 100 samples of 0.005 x 0.01 degrees from 9,46 on are not the degree south-east of 9,46 in "
        "steps of an arc second or more");
}

/* Folders hold the files by the names under which they are published. */
Test(geotiff, points_get_heights)
{
    char path[FILES_PATH_BYTES];
    const char *const written = write(&copernicus);
    snprintf(path, sizeof path, "%.*sCopernicus_DSM_COG_30_N45_00_E009_00_DEM.tif",
             (int)(strlen(written) - strlen("N45E009.tif")), written);
    cr_assert_eq(rename(written, path), 0);
    *strrchr(path, '/') = '\0';
    const int32_t lon_e7[1] = {95000000}, lat_e7[1] = {455000000};
    const uint8_t state[1] = {1};
    const mcd_terrain_points points = {lon_e7, lat_e7, state, 1, 1};
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    mcd_terrain found;
    int32_t height_dm;
    cr_assert_eq(mcd_terrain_sample(&height_dm, &found, path, &points, &parallel, NULL, &import_error),
                 MACADAM_OK, "%s", import_error.message);
    cr_expect_eq(height_dm, 6000 + 12000 + 3); /* a slope stays one; 0.25 m are 3 dm */
}

Test(geotiff, files_that_are_not_images_are_refused)
{
    mcd_height_tile tile;
    const char *const path = import_path("N45E009.tif");
    files_write(path, "II*\0\x08\0\0\0", 8);
    cr_expect_eq(mcd_geotiff_read(&tile, path, WEST, NORTH, &import_error), MACADAM_E_FILE);
    files_write(path, "heights", 7);
    cr_expect_eq(mcd_geotiff_read(&tile, path, WEST, NORTH, &import_error), MACADAM_E_FILE);
    remove(path);
    cr_expect_eq(mcd_geotiff_read(&tile, path, WEST, NORTH, &import_error), MACADAM_E_NOT_FOUND);
}

Test(geotiff, damaged_samples_are_refused)
{
    const char *const path = write(&copernicus);
    size_t bytes;
    unsigned char *const data = files_read(path, &bytes);
    memset(data + 8, 0x5a, bytes / 4);
    files_write(path, data, bytes);
    free(data);
    mcd_height_tile tile;
    cr_expect_eq(mcd_geotiff_read(&tile, path, WEST, NORTH, &import_error), MACADAM_E_FILE);
    cr_expect(strstr(import_error.message, "it is cut off or damaged"), "%s", import_error.message);
}
