/* test_terrain.c - heights of points from tiles: between samples, over voids, across edges, from bad files. */
#include "importers/heights/terrain.h"

#include "tests/support/allocator.h"
#include "tests/support/height_tile.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(terrain, .init = import_fixture_open, .fini = import_fixture_close);

enum { POINTS_MAX = 8, DEGREE = 10000000 };

static int slope(const void *context, size_t x, size_t y)
{
    (void)context;
    return (int)x - (int)y + 3000;
}

/* A plain 50 metres high with one sample of `context` metres. */
static int spike(const void *context, size_t x, size_t y)
{
    return x == 600 && y == 600 ? *(const int *)context : 50;
}

/* Nothing is known but the western edge, at 10 metres, and the eastern one, at 30. */
static int sea(const void *context, size_t x, size_t y)
{
    (void)y;
    const size_t last = *(const size_t *)context;
    return x == 0 ? 10 : x == last ? 30 : HEIGHT_TILE_VOID;
}

static int nothing(const void *context, size_t x, size_t y)
{
    (void)context, (void)x, (void)y;
    return HEIGHT_TILE_VOID;
}

static const char *folder(void)
{
    static char path[FILES_PATH_BYTES];
    const char *const inside = import_path("x");
    snprintf(path, sizeof path, "%.*s", (int)(strlen(inside) - 2), inside);
    return path;
}

/* The heights of `count` points {longitude, latitude}. */
static macadam_status sample(const int32_t (*point)[2], size_t count, int32_t *height_dm, mcd_terrain *found)
{
    static const uint8_t state[POINTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    int32_t lon_e7[POINTS_MAX], lat_e7[POINTS_MAX];
    for (size_t i = 0; i < count; ++i) lon_e7[i] = point[i][0], lat_e7[i] = point[i][1];
    const mcd_terrain_points points = {lon_e7, lat_e7, state, 1, count};
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    return mcd_terrain_sample(height_dm, found, folder(), &points, &parallel, NULL, &import_error);
}

static int32_t height_at(int32_t lon_e7, int32_t lat_e7)
{
    int32_t height_dm;
    mcd_terrain found;
    const int32_t point[1][2] = {{lon_e7, lat_e7}};
    cr_assert_eq(sample(point, 1, &height_dm, &found), MACADAM_OK, "%s", import_error.message);
    return height_dm;
}

static const char *write(const char *name, size_t side, height_tile_metres metres, const void *context)
{
    const char *const path = import_path(name);
    height_tile_write(path, side, metres, context, 0);
    return path;
}

Test(terrain, heights_between_samples_are_bilinear_and_a_slope_stays_one)
{
    write("N45E009.hgt", HEIGHT_TILE_COARSE, slope, NULL);
    cr_expect_eq(height_at(9 * DEGREE, 45 * DEGREE), 30000);
    cr_expect_eq(height_at(10 * DEGREE - 1, 46 * DEGREE - 1), 30000);
    cr_expect_eq(height_at(10 * DEGREE - 1, 45 * DEGREE), 30000 + 12000);
    cr_expect_eq(height_at(9 * DEGREE, 45 * DEGREE + DEGREE / 2), 30000 - 6000);
    /* 0.3 of the way from sample 600 to 601, and 0.4 of the way from row 300 to row 301 */
    cr_expect_eq(height_at(9 * DEGREE + 5002500, 45 * DEGREE + 2503333), 30000 + 6003 - 3004);
}

Test(terrain, tiles_of_one_arc_second_are_read_too)
{
    write("S01W001.hgt", HEIGHT_TILE_FINE, slope, NULL);
    cr_expect_eq(height_at(-DEGREE / 2, -DEGREE + DEGREE / 4), 10 * (3000 + 1800 - 900));
}

Test(terrain, noise_is_spread_over_its_neighbours)
{
    const int height = 210;
    write("N00E000.hgt", HEIGHT_TILE_COARSE, spike, &height);
    cr_expect_eq(height_at(DEGREE / 2, DEGREE / 2), 500 + 1600 / 4);
    cr_expect_eq(height_at(DEGREE / 2 + 8333, DEGREE / 2), 500 + 1600 / 8);
    cr_expect_eq(height_at(DEGREE / 2 + 8333, DEGREE / 2 - 8333), 500 + 1600 / 16);
    cr_expect_eq(height_at(DEGREE / 2 + 16667, DEGREE / 2), 500);
}

Test(terrain, voids_are_filled_from_their_edge_and_counted)
{
    const int hole = HEIGHT_TILE_VOID;
    const int32_t middle[1][2] = {{DEGREE / 2, DEGREE / 2}};
    int32_t height_dm;
    mcd_terrain found;
    write("N00E000.hgt", HEIGHT_TILE_COARSE, spike, &hole);
    cr_assert_eq(sample(middle, 1, &height_dm, &found), MACADAM_OK);
    cr_expect_eq(height_dm, 500);
    cr_expect_eq(found.void_count, 1);
    const size_t last = HEIGHT_TILE_COARSE - 1;
    write("N00E000.hgt", HEIGHT_TILE_COARSE, sea, &last);
    cr_assert_eq(sample(middle, 1, &height_dm, &found), MACADAM_OK);
    cr_expect_eq(height_dm, 200); /* the two edges meet in the middle */
    cr_expect_eq(found.void_count, (uint64_t)1201 * 1199);
    cr_expect_eq(height_at(DEGREE / 4, DEGREE / 2), 100);
}

Test(terrain, missing_tiles_and_those_without_heights_are_counted)
{
    const int32_t point[3][2] = {
        {DEGREE / 2, DEGREE / 2}, {3 * DEGREE, DEGREE / 2}, {-DEGREE / 2, DEGREE / 2}};
    int32_t height_dm[3];
    mcd_terrain found;
    write("N00E000.hgt", HEIGHT_TILE_COARSE, slope, NULL);
    write("N00E003.hgt", HEIGHT_TILE_COARSE, nothing, NULL);
    cr_assert_eq(sample(point, 3, height_dm, &found), MACADAM_OK);
    cr_expect_eq(height_dm[0], 30000);
    cr_expect_eq(height_dm[1], MCD_HEIGHT_NONE);
    cr_expect_eq(height_dm[2], MCD_HEIGHT_NONE);
    cr_expect_eq(found.tile_count, 1);
    cr_expect_eq(found.missing_count, 2);
    cr_expect_str_eq(found.missing, "N00W001");
    cr_expect_str_empty(import_error.message); /* it has not failed */
    cr_expect_eq(found.void_count, 0);
}

Test(terrain, compressed_tiles_are_read)
{
    static const char *const name[] = {"N00E000.hgt.gz", "N01E000.hgt.zip", "N02E000.zip",
                                       "N03E000.SRTMGL3.hgt.zip"};
    for (int32_t i = 0; i < 4; ++i) {
        write(name[i], HEIGHT_TILE_COARSE, slope, NULL);
        cr_expect_eq(height_at(DEGREE / 2, i * DEGREE), 36000, "%s", name[i]);
    }
}

static void expect_bad(const char *name, size_t side, size_t cut, macadam_status expected,
                       const char *message)
{
    int32_t height_dm;
    mcd_terrain found;
    const char *const path = import_path(name);
    const int32_t point[1][2] = {{DEGREE / 2, DEGREE / 2}};
    height_tile_write(path, side, slope, NULL, cut);
    import_expect(sample(point, 1, &height_dm, &found), expected, path, message);
    remove(path);
}

Test(terrain, wrong_sizes_and_cut_off_files_are_refused)
{
    expect_bad("N00E000.hgt", HEIGHT_TILE_COARSE, 1, MACADAM_E_FILE,
               ": a tile of heights has 2884802 bytes (3 arc seconds) or 25934402 (1), not 2884801");
    expect_bad(
        "N00E000.hgt", HEIGHT_TILE_FINE + 1, 0, MACADAM_E_FILE,
        ": a tile of heights has 2884802 bytes (3 arc seconds) or 25934402 (1), not more than 25934402");
    expect_bad("N00E000.hgt", 1, 2, MACADAM_E_FILE,
               ": a tile of heights has 2884802 bytes (3 arc seconds) or 25934402 (1), not 0");
    expect_bad("N00E000.hgt.gz", HEIGHT_TILE_COARSE, 100, MACADAM_E_FILE, ": it is cut off or damaged");
    expect_bad("N00E000.hgt.zip", HEIGHT_TILE_COARSE, 300, MACADAM_E_FILE,
               ": it is not a zip file, or it is cut off");
}

Test(terrain, a_zip_whose_bytes_are_damaged_is_refused)
{
    size_t bytes;
    const char *const path = write("N00E000.zip", HEIGHT_TILE_COARSE, slope, NULL);
    unsigned char *const data = files_read(path, &bytes);
    data[bytes / 2] ^= 1;
    files_write(path, data, bytes);
    free(data);
    int32_t height_dm;
    mcd_terrain found;
    const int32_t point[1][2] = {{DEGREE / 2, DEGREE / 2}};
    import_expect(sample(point, 1, &height_dm, &found), MACADAM_E_FILE, path,
                  ": the file in it is cut off or damaged");
}

Test(terrain, a_map_without_any_tile_is_refused)
{
    int32_t height_dm;
    mcd_terrain found;
    const int32_t point[1][2] = {{DEGREE / 2, -DEGREE / 2}};
    import_expect(sample(point, 1, &height_dm, &found), MACADAM_E_FILE, folder(),
                  ": no tile of heights there covers the map, not even S01E000");
}

Test(terrain, every_allocation_may_fail)
{
    const int hole = HEIGHT_TILE_VOID;
    const int32_t point[1][2] = {{DEGREE / 2, DEGREE / 2}};
    int32_t height_dm;
    mcd_terrain found;
    write("N00E000.hgt.zip", HEIGHT_TILE_COARSE, spike, &hole);
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = sample(point, 1, &height_dm, &found);
        const bool failed = allocator_has_failed();
        allocator_fail(0);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "%zu", nth);
        if (!failed) break;
    }
}
