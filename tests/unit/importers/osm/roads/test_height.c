/* test_height.c - heights along roads, ascents and descents, on small OpenStreetMap files. Longitudes are in units of
 * 0.001 degrees on the equator, which are 111.319 m and 1.2 samples of a tile. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"
#include "tests/support/height_tile.h"
#include "tests/support/import_fixture.h"

#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { DISTANCE = 1, ASCENT, DESCENT, TEXT_BYTES = 1 << 14 };

static char report_text[TEXT_BYTES];

static void take_line(void *context, const char *line)
{
    (void)context;
    strncat(report_text, line, sizeof report_text - strlen(report_text) - 2);
    strcat(report_text, "\n");
}

TestSuite(height, .init = import_fixture_open, .fini = import_fixture_close);

/* ---- maps ---- */

/* 5 m a sample from west to east: 6 m every 0.001 degrees. */
static int ramp(const void *context, size_t x, size_t y)
{
    (void)context, (void)y;
    return 100 + 5 * (int)x;
}

/* A valley 500 m deep, whose bottom is at 0.03 degrees (sample 36): 10 m a sample, 12 m every 0.001 degrees. */
static int valley(const void *context, size_t x, size_t y)
{
    (void)context, (void)y;
    return 100 + 10 * abs((int)x - 36);
}

static macadam_status read_with(const char *osm, const char *profile_name, bool heights)
{
    static char folder[FILES_PATH_BYTES];
    const char *const path = import_write("map.osm", osm);
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const macadam_import_options options = {.report = take_line, .heights = heights ? folder : NULL};
    mcd_profile profile;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen("/map.osm")), path);
    report_text[0] = '\0';
    MCD_TRY(mcd_profile_read(&profile, profile_name, &import_error));
    const macadam_status status =
        osm_read(&import_map, &path, 1, &profile, &parallel, NULL, &options, &import_error);
    mcd_profile_free(&profile);
    return status;
}

static macadam_status read_map(const char *osm, const char *profile_name)
{
    return read_with(osm, profile_name, true);
}

/* A town of nodes 1, 2, ... `at` thousandths of a degree from the corner; `ways` is XML. */
static const char *town(const int (*at)[2], size_t count, const char *ways)
{
    static char text[TEXT_BYTES];
    char *end = text + sprintf(text, "<?xml version='1.0'?><osm version='0.6'>");
    for (size_t i = 0; i < count; ++i)
        end += sprintf(end, "<node id='%zu' version='1' lon='%.3f' lat='%.3f'/>", i + 1, at[i][0] / 1e3,
                       at[i][1] / 1e3);
    sprintf(end, "%s</osm>", ways);
    return text;
}

#define ND(id)              "<nd ref='" #id "'/>"
#define TAG(key, value)     "<tag k='" key "' v='" value "'/>"
#define WAY(id, nodes, tag) "<way id='" #id "' version='1'>" nodes tag "</way>"
#define STREET              TAG("highway", "residential")
#define BRIDGE              STREET TAG("bridge", "yes")

static void read_town(const int (*at)[2], size_t count, const char *ways, height_tile_metres metres)
{
    height_tile_write(import_path("N00E000.hgt"), HEIGHT_TILE_COARSE, metres, NULL, 0);
    cr_assert_eq(read_map(town(at, count, ways), "foot"), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

static int32_t height_of(int64_t id)
{
    return import_map.height_dm[mcd_map_find_id(&import_map, id)];
}

static void expect_climbs(int64_t tail, int64_t head, uint32_t ascent_cm, uint32_t descent_cm)
{
    const size_t arc = import_arc(tail, head);
    cr_expect_eq(import_map.weight[ASCENT][arc], ascent_cm, "from %d to %d one goes up %u cm, not %u",
                 (int)tail, (int)head, import_map.weight[ASCENT][arc], ascent_cm);
    cr_expect_eq(import_map.weight[DESCENT][arc], descent_cm, "from %d to %d one goes down %u cm, not %u",
                 (int)tail, (int)head, import_map.weight[DESCENT][arc], descent_cm);
}

static void expect_told(const char *line)
{
    cr_expect(strstr(report_text, line), "\"%s\" is not in\n%s", line, report_text);
}

/* ---- ascents ---- */

Test(height, arcs_go_up_and_down_as_computed_by_hand)
{
    static const int at[][2] = {{0, 1}, {1, 1}, {3, 1}, {7, 1},  {7, 4},
                                {6, 4}, {9, 4}, {8, 4}, {20, 4}, {20, 9}};
    static const struct {
        int64_t tail, head;
        uint32_t ascent_cm, descent_cm;
    } expected[] = {
        {1, 2, 600, 0},
        {2, 1, 0, 600}, /* one unit east, and back */
        {2, 4, 3600, 0},
        {4, 2, 0, 3600}, /* six units, by way of node 3 */
        {4, 5, 0, 0},
        {5, 4, 0, 0}, /* north: level */
        {5, 9, 1800 + 7200, 600 + 600},
        {9, 5, 600 + 600, 1800 + 7200}, /* west, east, west, east */
        {9, 10, 0, 0},
        {10, 9, 0, 0},
    };
    read_town(at, 10,
              WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3) ND(4), STREET) WAY(3, ND(4) ND(5), STREET)
                  WAY(4, ND(5) ND(6) ND(7) ND(8) ND(9), STREET) WAY(5, ND(9) ND(10), STREET),
              ramp);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
        expect_climbs(expected[i].tail, expected[i].head, expected[i].ascent_cm, expected[i].descent_cm);
    cr_expect_eq(height_of(1), 1000);
    cr_expect_eq(height_of(9), 1000 + 20 * 60);
    cr_expect_str_eq(import_map.quantity[ASCENT], "ascent");
    cr_expect_str_eq(import_map.quantity[DESCENT], "descent");
    cr_expect_str_eq(import_map.unit[ASCENT], "cm");
    expect_told("tiles of heights: 1\n");
}

Test(height, without_tiles_there_are_neither_heights_nor_ascents)
{
    static const int at[][2] = {{0, 1}, {1, 1}};
    cr_assert_eq(read_with(town(at, 2, WAY(1, ND(1) ND(2), STREET)), "foot", false), MACADAM_OK);
    cr_expect_eq(import_map.quantity_count, 2);
    cr_expect_null(import_map.height_dm);
    cr_expect_null(import_map.shape_height_dm);
}

/* ---- slopes ---- */

static int plain(const void *context, size_t x, size_t y)
{
    (void)context, (void)x, (void)y;
    return 120;
}

/* On the ramp, a walker takes 1.207614 times as long to the east as on level ground and 0.850991 times to the west
 * (Tobler 1993; the slope is 6 m / 111.319 m). Level ground: 0.72 s a metre. */
Test(height, walkers_go_by_slope_each_direction_its_own)
{
    static const int at[][2] = {{0, 1}, {1, 1}, {3, 1}, {7, 1},  {7, 4},
                                {6, 4}, {9, 4}, {8, 4}, {20, 4}, {20, 9}};
    const double up = 1.207614, down = 0.850991;
    const struct {
        int64_t tail, head;
        double pace;
    } expected[] = {
        {1, 2, up},
        {2, 1, down},
        {2, 4, up},
        {4, 2, down},
        {4, 5, 1},
        {5, 4, 1},
        {5, 9, (15 * up + 2 * down) / 17},
        {9, 5, (15 * down + 2 * up) / 17},
        {9, 10, 1},
        {10, 9, 1},
    };
    read_town(at, 10,
              WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3) ND(4), STREET) WAY(3, ND(4) ND(5), STREET)
                  WAY(4, ND(5) ND(6) ND(7) ND(8) ND(9), STREET) WAY(5, ND(9) ND(10), STREET),
              ramp);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        const size_t arc = import_arc(expected[i].tail, expected[i].head);
        const double right_ms = 7.2 * import_map.weight[DISTANCE][arc] * expected[i].pace;
        cr_expect_float_eq(import_map.weight[0][arc], right_ms, 6, "%d to %d: %u ms, not %.0f",
                           (int)expected[i].tail, (int)expected[i].head, import_map.weight[0][arc], right_ms);
    }
}

/* Short pieces are joined, because rounded heights would make them steep: nodes every 11 m change nothing. */
Test(height, slopes_are_those_of_25_metres_at_least)
{
    static const int at[][2] = {{0, 1}, {1, 1}};
    read_town(at, 2, WAY(1, ND(1) ND(2), STREET), ramp);
    const uint32_t whole_ms = import_map.weight[0][import_arc(1, 2)];
    mcd_map_free(&import_map);
    read_map(
        "<?xml version='1.0'?><osm version='0.6'>"
        "<node id='1' version='1' lon='0' lat='0.001'/><node id='3' version='1' lon='0.0001' lat='0.001'/>"
        "<node id='4' version='1' lon='0.0002' lat='0.001'/><node id='2' version='1' lon='0.001' "
        "lat='0.001'/>" WAY(1, ND(1) ND(3) ND(4) ND(2), STREET) "</osm>",
        "foot");
    cr_expect_float_eq(import_map.weight[0][import_arc(1, 2)], whole_ms, 6);
}

Test(height, on_level_ground_durations_are_those_without_heights)
{
    static const char *const profile_name[] = {"foot", "bike", "car"};
    static const int at[][2] = {{0, 1}, {1, 1}, {3, 2}, {7, 1}, {7, 4}, {6, 4}};
    const char *const text =
        town(at, 6,
             WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3) ND(4), TAG("highway", "steps"))
                 WAY(3, ND(4) ND(5), TAG("highway", "track")) WAY(4, ND(5) ND(6), TAG("route", "ferry")));
    height_tile_write(import_path("N00E000.hgt"), HEIGHT_TILE_COARSE, plain, NULL, 0);
    for (size_t i = 0; i < sizeof profile_name / sizeof profile_name[0]; ++i) {
        uint32_t without[32];
        cr_assert_eq(read_with(text, profile_name[i], false), MACADAM_OK, "%s", import_error.message);
        const size_t bytes = import_map.arc_count * sizeof without[0];
        cr_assert(import_map.arc_count > 0 && bytes <= sizeof without);
        memcpy(without, import_map.weight[0], bytes);
        mcd_map_free(&import_map);
        cr_assert_eq(read_with(text, profile_name[i], true), MACADAM_OK, "%s", import_error.message);
        cr_expect_eq(memcmp(without, import_map.weight[0], bytes), 0, "%s", profile_name[i]);
        mcd_map_free(&import_map);
    }
}

/* ---- bridges ---- */

/*  1---2===3===4===5---6     = is a bridge over the valley; its shape points are 3 and 4 */
Test(height, bridges_rise_evenly_between_their_ends)
{
    static const int at[][2] = {{5, 1}, {10, 1}, {20, 1}, {25, 1}, {40, 1}, {45, 1}};
    read_town(at, 6,
              WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3) ND(4) ND(5), BRIDGE) WAY(3, ND(5) ND(6), STREET),
              valley);
    cr_expect_eq(height_of(2), 1000 + 20 * 120);
    cr_expect_eq(height_of(5), 1000 + 10 * 120);
    expect_climbs(2, 5, 0, 12000);
    expect_climbs(5, 2, 12000, 0);
    const uint64_t shape = import_map.first_shape[import_map.arc_number[import_arc(2, 5)] - 1];
    cr_expect_eq(import_map.shape_height_dm[shape], 1000 + 20 * 120 - 400);
    cr_expect_eq(import_map.shape_height_dm[shape + 1], 1000 + 20 * 120 - 600);
    expect_told("points of bridges, tunnels and ferries that rise evenly: 2\n");
}

/* Node 3 is a junction of three bridges: it and 7, on the way to 8, lie between 2 and 8, the nearest on the ground. */
Test(height, junctions_of_bridges_lie_between_the_nearest_ends)
{
    static const int at[][2] = {{5, 1},  {10, 1}, {20, 1}, {0, 0}, {40, 1},
                                {45, 1}, {20, 3}, {20, 5}, {20, 9}};
    read_town(at, 9,
              WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3), BRIDGE) WAY(3, ND(3) ND(5), BRIDGE)
                  WAY(4, ND(5) ND(6), STREET) WAY(5, ND(3) ND(7) ND(8), BRIDGE) WAY(6, ND(8) ND(9), STREET),
              valley);
    cr_expect_eq(height_of(8), 1000 + 10 * 120);
    const int32_t expected = 2200 + (3400 - 2200) * 4 / 14;             /* 4 units from 8, 10 from 2 */
    cr_expect_leq(abs(height_of(3) - expected), 3, "%d", height_of(3)); /* a degree north is a bit shorter */
    cr_expect_gt(height_of(3), height_of(8));
}

Test(height, a_bridge_that_leads_nowhere_lies_on_the_terrain)
{
    static const int at[][2] = {{5, 1}, {10, 1}, {20, 1}};
    read_town(at, 3, WAY(1, ND(1) ND(2) ND(3), BRIDGE), valley);
    cr_expect_eq(height_of(1), 1000 + 25 * 120);
    cr_expect_eq(height_of(3), 1000 + 10 * 120);
    expect_climbs(1, 3, 0, 18000);
}

/* ---- missing tiles ---- */

/* Nodes 3 and 4 are in the tile to the south, which is not there; 5 and 6 too, without roads to others. */
Test(height, points_without_a_tile_are_filled_from_their_roads_and_counted)
{
    static const int at[][2] = {{5, 1}, {10, 1}, {10, -1}, {20, -1}, {30, -4}, {31, -4}, {50, 1}};
    read_town(at, 7, WAY(1, ND(1) ND(2) ND(3) ND(4) ND(7), STREET) WAY(2, ND(5) ND(6), STREET), ramp);
    expect_told("tiles of heights missing, such as S01E000: 1\n");
    expect_told("points without a tile, put as high as the roads around them: 2\n");
    expect_told("points without a tile or roads to others, put at sea level: 2\n");
    cr_expect_eq(height_of(5), 0);
    expect_climbs(1, 7, 6 * 4500, 0);
    const uint64_t shape = import_map.first_shape[import_map.arc_number[import_arc(1, 7)] - 1];
    cr_expect_gt(import_map.shape_height_dm[shape + 1], 1600);
    cr_expect_gt(import_map.shape_height_dm[shape + 2], import_map.shape_height_dm[shape + 1]);
    cr_expect_lt(import_map.shape_height_dm[shape + 2], 4000);
}

Test(height, a_folder_without_tiles_of_the_map_is_refused)
{
    static const int at[][2] = {{5, 1}, {10, 1}};
    cr_expect_eq(read_map(town(at, 2, WAY(1, ND(1) ND(2), STREET)), "foot"), MACADAM_E_FILE);
    cr_expect(strstr(import_error.message, ": no tile of heights there covers the map, not even N00E000"),
              "%s", import_error.message);
}

Test(height, every_allocation_may_fail)
{
    static const int at[][2] = {{5, 1}, {10, 1}, {20, 1}, {20, -1}};
    const char *const text =
        town(at, 4, WAY(1, ND(1) ND(2), STREET) WAY(2, ND(2) ND(3), BRIDGE) WAY(3, ND(3) ND(4), STREET));
    height_tile_write(import_path("N00E000.hgt"), HEIGHT_TILE_COARSE, ramp, NULL, 0);
    size_t nth = 1;
    for (bool failed = true; failed; ++nth) {
        allocator_fail(nth);
        const macadam_status status = read_map(text, "foot");
        failed = allocator_has_failed();
        allocator_fail(0);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "%zu: %s", nth, import_error.message);
        mcd_map_free(&import_map);
    }
}
