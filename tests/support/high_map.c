/* high_map.c - see high_map.h. */
#include "tests/support/high_map.h"

#include "importers/osm/rules/profile_file.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/height_tile.h"
#include "tests/support/osm_read.h"
#include "tests/support/rng.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 16 };

/* Hills of 0 to 600 m, 25 samples (2 km) apart. */
static int draw_metres(const void *context, size_t x, size_t y)
{
    enum { APART = 25 };
    const uint64_t seed = *(const uint64_t *)context;
    double metres = 0;
    for (size_t i = 0; i < 4; ++i) {
        const size_t col = x / APART + i % 2, row = y / APART + i / 2;
        const double part = (i % 2 ? (double)(x % APART) : (double)(APART - x % APART)) / APART *
                            (i / 2 ? (double)(y % APART) : (double)(APART - y % APART)) / APART;
        metres += part * (double)(rng_mix(seed ^ (col << 20 | row)) % 600);
    }
    return (int)metres;
}

/* Imports `osm` with heights in the tiles, whose names end with a NULL, in the folder. */
static void open_map(high_map *out, const char *osm, const char *profile_name, const char *const tile[],
                     uint64_t seed)
{
    char path[ROOM], output[ROOM], vehicle[ROOM];
    macadam_error error;
    mcd_profile profile;
    for (size_t i = 0; tile[i]; ++i) {
        snprintf(path, sizeof path, "%s/%s.hgt", out->folder, tile[i]);
        height_tile_write(path, HEIGHT_TILE_COARSE, draw_metres, &seed, 0);
    }
    snprintf(output, sizeof output, "%s/map.mcd", out->folder);
    snprintf(vehicle, sizeof vehicle, "%s/my.vehicle", out->folder);
    FILE *const file = fopen(vehicle, "w");
    cr_assert(file && fputs("mass 1700\nauxiliary 300\n", file) >= 0 && fclose(file) == 0);
    fixture_expect_ok(mcd_vehicle_read(&out->vehicle, vehicle, &error), &error, vehicle);
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    fixture_expect_ok(mcd_profile_read(&profile, profile_name, &error), &error, profile_name);
    profile.vehicle = &out->vehicle;
    macadam_import_options options = {.size = sizeof options, .heights = out->folder};
    fixture_expect_ok(osm_read(&out->map, &osm, 1, &profile, &parallel, NULL, &options, &error), &error, osm);
    mcd_profile_free(&profile);
    options.output = output;
    options.vehicle = vehicle;
    options.heights = NULL;
    cr_assert_eq(macadam_import_osm(osm, profile_name, &options, &error), MACADAM_E_INVALID);
    cr_assert(strstr(error.message, "needs heights"), "%s", error.message);
    options.heights = out->folder;
    fixture_expect_ok(macadam_import_osm(osm, profile_name, &options, &error), &error, osm);
    out->engine = fixture_open_file(output, 2);
    fixture_expect_ok(macadam_engine_verify(out->engine, &error), &error, output);
    const mcd_map *const map = &out->map;
    out->cost = checked_allocate(map->arc_count, sizeof *out->cost);
    for (size_t a = 0; a < map->arc_count; ++a)
        out->cost[a] = mcd_map_is_shut(map, (mcd_arc)a)
                           ? SIGNED_NO_WAY
                           : (int64_t)map->weight[HIGH_MAP_ENERGY][a] +
                                 map->potential[HIGH_MAP_ENERGY][map->index[map->head[a]]] -
                                 map->potential[HIGH_MAP_ENERGY][map->index[map->tail[a]]];
}

void high_map_close(high_map *drawn)
{
    macadam_engine_close(drawn->engine);
    files_remove_folder(drawn->folder);
    mcd_map_free(&drawn->map);
    free(drawn->cost);
}

/* A grid of 9 by 9 streets, 220 m apart, in the tile N00E000. */
static void write_town(const char *path)
{
    enum { SIDE = 9 };
    FILE *const file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "<?xml version='1.0'?><osm version='0.6'>");
    for (int i = 0; i < SIDE * SIDE; ++i)
        fprintf(file, "<node id='%d' version='1' lon='%.4f' lat='%.4f'/>", i + 1, 0.1 + i % SIDE * 0.002,
                0.1 + i / SIDE * 0.002);
    for (int i = 0; i < SIDE * SIDE; ++i)
        for (int k = 0; k < 2; ++k)
            if (k ? i / SIDE + 1 < SIDE : i % SIDE + 1 < SIDE)
                fprintf(file,
                        "<way id='%d' version='1'><nd ref='%d'/><nd ref='%d'/><tag k='highway' "
                        "v='residential'/></way>",
                        1000 + 2 * i + k, i + 1, i + 1 + (k ? SIDE : 1));
    fprintf(file, "</osm>");
    cr_assert_eq(fclose(file), 0);
}

void high_map_open_town(high_map *out)
{
    static const char *const tile[] = {"N00E000", NULL};
    char osm[ROOM];
    *out = (high_map){.folder = ""};
    files_new_path(out->folder, osm, "town.osm");
    write_town(osm);
    open_map(out, osm, "foot", tile, 3);
}

void high_map_open_milan(high_map *out)
{
    static const char *const tile[] = {"N45E008", "N45E009", NULL};
    char osm[FILES_PATH_BYTES];
    if (!files_find_data(osm, "osm/milan_italy_small.osm.pbf")) cr_skip_test("MACADAM_DATA is not set");
    *out = (high_map){.folder = ""};
    files_new_folder(out->folder);
    open_map(out, osm, "car", tile, 5);
}
