/* test_heights.c - heights drawn at random over a small town: engines against the oracle on the arcs that the importer
 * delivers, by each of the four quantities; and the heights of routes against their ascents and descents. */
#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/height_tile.h"
#include "tests/support/oracle.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { SIDE = 9, QUANTITIES = 4, SOURCES = 6, PAIRS = 40, ROOM = FILES_PATH_BYTES + 16 };

static const char *const quantity[QUANTITIES] = {"duration", "distance", "ascent", "descent"};

static size_t companion_of(size_t metric)
{
    return metric == 0 ? 1 : 0;
}

typedef struct town {
    char folder[FILES_PATH_BYTES];
    mcd_map map;
    macadam_engine *engine;
} town;

/* ---- the town ---- */

static int draw_metres(const void *context, size_t x, size_t y)
{
    const uint64_t seed = *(const uint64_t *)context;
    return (int)(rng_mix(seed ^ (x << 20 | y)) % 300);
}

/* A street of the grid: its junctions and, between two, a shape point or none. */
static void write_street(FILE *file, test_rng *rng, int street, bool is_row)
{
    for (int i = 0; i + 1 < SIDE; ++i) {
        const int from = is_row ? street * SIDE + i : i * SIDE + street, to = from + (is_row ? 1 : SIDE);
        const uint32_t kind = rng_below(rng, 12);
        const int way = 1000 + (is_row ? 0 : SIDE * SIDE) + from;
        if (kind == 0) continue;
        fprintf(file, "<way id='%d' version='1'><nd ref='%d'/>", way, from + 1);
        if (kind % 2) fprintf(file, "<nd ref='%d'/>", way);
        fprintf(file, "<nd ref='%d'/><tag k='highway' v='%s'/>", to + 1, kind == 1 ? "steps" : "residential");
        if (kind == 2 || kind == 3) fprintf(file, "<tag k='bridge' v='yes'/>");
        if (kind == 4) fprintf(file, "<tag k='oneway' v='yes'/>");
        fprintf(file, "</way>");
    }
}

static void write_node(FILE *file, test_rng *rng, int id, int x, int y, bool between)
{
    const double shift = between ? 0.0005 : 0;
    fprintf(file, "<node id='%d' version='1' lon='%.6f' lat='%.6f'/>", id,
            0.1 + x * 0.002 + shift + rng_below(rng, 500) / 1e6,
            0.1 + y * 0.002 + shift + rng_below(rng, 500) / 1e6);
}

static void write_town(const char *path, uint64_t seed)
{
    test_rng rng = {seed};
    FILE *const file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "<?xml version='1.0'?><osm version='0.6'>");
    for (int i = 0; i < SIDE * SIDE; ++i) write_node(file, &rng, i + 1, i % SIDE, i / SIDE, false);
    for (int i = 0; i < 2 * SIDE * SIDE; ++i)
        write_node(file, &rng, 1000 + i, i % (SIDE * SIDE) % SIDE, i % (SIDE * SIDE) / SIDE, true);
    for (int street = 0; street < SIDE; ++street) {
        write_street(file, &rng, street, true);
        write_street(file, &rng, street, false);
    }
    fprintf(file, "</osm>");
    cr_assert_eq(fclose(file), 0);
}

static void open_town(town *out, const char *profile_name, uint64_t seed)
{
    char osm[ROOM], tile[ROOM], output[ROOM];
    macadam_error error;
    mcd_profile profile;
    *out = (town){.folder = ""};
    files_new_path(out->folder, osm, "town.osm");
    snprintf(tile, sizeof tile, "%s/N00E000.hgt", out->folder);
    snprintf(output, sizeof output, "%s/town.mcd", out->folder);
    write_town(osm, seed);
    height_tile_write(tile, HEIGHT_TILE_COARSE, draw_metres, &seed, 0);
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    fixture_expect_ok(mcd_profile_read(&profile, profile_name, &error), &error, profile_name);
    macadam_import_options options = {.size = sizeof options, .heights = out->folder};
    fixture_expect_ok(
        osm_read(&out->map, (const char *const[]){osm}, 1, &profile, &parallel, NULL, &options, &error),
        &error, osm);
    mcd_profile_free(&profile);
    options.output = output;
    fixture_expect_ok(macadam_import_osm(osm, profile_name, &options, &error), &error, osm);
    out->engine = fixture_open_file(output, 2);
    fixture_expect_ok(macadam_engine_verify(out->engine, &error), &error, output);
}

static void close_town(town *drawn)
{
    macadam_engine_close(drawn->engine);
    files_remove_folder(drawn->folder);
    mcd_map_free(&drawn->map);
}

static macadam_query query_of(size_t metric, const char *name[2])
{
    name[0] = quantity[metric];
    name[1] = quantity[companion_of(metric)];
    const macadam_query query = {
        .size = sizeof query, .metric = name[0], .quantity = name, .quantity_count = 2};
    return query;
}

static oracle_arcs arcs_of(const mcd_map *map, size_t metric)
{
    return (oracle_arcs){map->node_count, map->arc_count,      map->tail,
                         map->head,       map->weight[metric], map->weight[companion_of(metric)]};
}

/* ---- claims ---- */

static void check_trees(const town *drawn, size_t metric)
{
    const mcd_map *const map = &drawn->map;
    const char *name[2];
    const macadam_query query = query_of(metric, name);
    const oracle_arcs arcs = arcs_of(map, metric);
    macadam_place place[SOURCES];
    test_rng rng = {metric};
    for (size_t i = 0; i < SOURCES; ++i)
        place[i] = (macadam_place){.id = map->id[rng_below(&rng, (uint32_t)map->id_count)]};
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = SOURCES};
    uint32_t *value[2], *right[2];
    for (size_t q = 0; q < 2; ++q) {
        value[q] = checked_allocate(SOURCES * map->id_count, sizeof *value[q]);
        right[q] = checked_allocate(map->node_count, sizeof *right[q]);
    }
    FIXTURE_CALL(macadam_tree_find, value, NULL, drawn->engine, &query, &request);
    test_oracle *oracle = oracle_new(&arcs, false);
    for (size_t i = 0; i < SOURCES; ++i) {
        oracle_tree(oracle, map->depart[mcd_map_find_id(map, place[i].id)], 0, right[0], right[1]);
        for (size_t k = 0; k < map->id_count; ++k)
            for (size_t q = 0; q < 2; ++q)
                cr_assert_eq(value[q][i * map->id_count + k], right[q][map->arrive[k]],
                             "metric %zu, quantity %zu", metric, q);
    }
    oracle_free(oracle);
    for (size_t q = 0; q < 2; ++q) free(value[q]), free(right[q]);
}

/* How far the route's points go up, and down, in centimetres. */
static void sum_climbs(const macadam_route *route, uint32_t climb[2])
{
    climb[0] = climb[1] = 0;
    for (size_t i = 1; i < route->shape_count; ++i) {
        const long rise_cm = lround((route->height_m[i] - route->height_m[i - 1]) * 100);
        climb[rise_cm < 0] += (uint32_t)labs(rise_cm);
    }
}

static void check_route(const town *drawn, size_t metric, const macadam_place waypoint[2], bool is_whole)
{
    const char *name[2];
    const macadam_query query = query_of(metric, name);
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, drawn->engine, &query, &request);
    uint32_t sum[2] = {0}, climb[2];
    for (size_t i = 0; i < route->arc_count; ++i)
        for (size_t q = 0; q < 2; ++q) sum[q] += route->arc[i].value[q];
    if (route->found) {
        cr_assert_not_null(route->height_m);
        sum_climbs(route, climb);
        cr_assert_eq(sum[0], route->value[0]);
        cr_assert_eq(sum[1], route->value[1]);
        if (is_whole && metric >= 2) cr_assert_eq(climb[metric - 2], route->value[0]);
        for (size_t i = 0; i < route->shape_count; ++i)
            cr_assert(route->height_m[i] >= 0 && route->height_m[i] <= 300, "%g m", route->height_m[i]);
    }
}

/* An import whose arrays wait on the disk makes the same file. */
static void check_limited(const town *drawn, const char *profile_name)
{
    char osm[ROOM], output[ROOM], limited[ROOM];
    snprintf(osm, sizeof osm, "%s/town.osm", drawn->folder);
    snprintf(output, sizeof output, "%s/town.mcd", drawn->folder);
    snprintf(limited, sizeof limited, "%s/limited.mcd", drawn->folder);
    macadam_error error;
    const macadam_import_options options = {
        .size = sizeof options, .output = limited, .heights = drawn->folder};
    const uint64_t memory = mcd_import_memory;
    mcd_import_memory = 1;
    fixture_expect_ok(macadam_import_osm(osm, profile_name, &options, &error), &error, limited);
    mcd_import_memory = memory;
    size_t bytes, limited_bytes;
    FREED void *const data = files_read(output, &bytes), *const other = files_read(limited, &limited_bytes);
    cr_assert_eq(bytes, limited_bytes);
    cr_assert_eq(memcmp(data, other, bytes), 0);
}

static macadam_place draw_point(const mcd_map *map, test_rng *rng)
{
    const size_t arc = rng_below(rng, (uint32_t)map->arc_count);
    const mcd_node a = map->tail[arc], b = map->head[arc];
    return (macadam_place){.kind = MACADAM_PLACE_POINT,
                           .lon = (map->lon_e7[a] + 2.0 * map->lon_e7[b]) / 3e7,
                           .lat = (map->lat_e7[a] + 2.0 * map->lat_e7[b]) / 3e7};
}

static void check_town(const char *profile_name, uint64_t seed)
{
    town drawn;
    open_town(&drawn, profile_name, seed);
    cr_assert_eq(drawn.map.quantity_count, QUANTITIES);
    test_rng rng = {seed};
    for (size_t metric = 0; metric < QUANTITIES; ++metric) {
        check_trees(&drawn, metric);
        for (size_t i = 0; i < PAIRS; ++i) {
            macadam_place place[2];
            for (size_t k = 0; k < 2; ++k)
                place[k] =
                    i % 2
                        ? draw_point(&drawn.map, &rng)
                        : (macadam_place){.id = drawn.map.id[rng_below(&rng, (uint32_t)drawn.map.id_count)]};
            check_route(&drawn, metric, place, i % 2 == 0);
        }
    }
    check_limited(&drawn, profile_name);
    close_town(&drawn);
}

Test(heights, answers_are_those_of_the_oracle_and_routes_climb_as_their_points_do)
{
    check_town("car", 1);
    check_town("bike", 2);
    check_town("foot", 3);
}
