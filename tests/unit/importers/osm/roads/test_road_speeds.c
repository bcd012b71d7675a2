/* test_road_speeds.c - imports with speeds over the week.
 *
 *   1 --way 10-- 2 --way 11-- 3     both residential, both ways; 4 lies on way 11, in its middle */
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include "engine/runtime/load.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 32 };

static char folder[FILES_PATH_BYTES], path[ROOM], osm[ROOM], csv[ROOM], lines[4096];
static macadam_import_options options;

static const char town[] =
    "<osm version='0.6'><node id='1' lat='50' lon='10'/><node id='2' lat='50' lon='10.01'/>"
    "<node id='3' lat='50' lon='10.03'/><node id='4' lat='50' lon='10.02'/>"
    "<way id='10'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='11'><nd ref='2'/><nd ref='4'/><nd ref='3'/><tag k='highway' v='residential'/></way></osm>";

static void report(void *context, const char *line)
{
    (void)context;
    strcat(strcat(lines, line), "\n");
}

static void set_up(void)
{
    files_new_path(folder, path, "map.mcd");
    snprintf(osm, sizeof osm, "%s/town.osm", folder);
    snprintf(csv, sizeof csv, "%s/speeds.csv", folder);
    files_write(osm, town, strlen(town));
    options = (macadam_import_options)MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.report = report;
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(road_speeds, .init = set_up, .fini = tear_down);

static macadam_engine *import_with(const char *name, const char *text, const char *const *profile,
                                   size_t profiles)
{
    macadam_error error = {""};
    const char *const source = osm;
    files_write(csv, text, strlen(text));
    options.speeds = &name, options.speeds_count = 1;
    fixture_expect_ok(macadam_import_osm_files(&source, 1, profile, profiles, &options, &error), &error,
                      name);
    macadam_engine *const engine = fixture_open_file(path, 1);
    FIXTURE_CALL(macadam_engine_verify, engine);
    FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
    return engine;
}

/* Coefficients of 256 and 180 are speeds of 5.7 and 4 km/h. */
Test(road_speeds, speeds_that_decode_too_low_are_raised_and_counted)
{
    char name[ROOM + 16], text[2048] = "10,1,,,AQA";
    for (int i = 3; i < 534; ++i) strcat(text, "A");
    strcat(text, "\n11,0,,,ALQ");
    for (int i = 3; i < 534; ++i) strcat(text, "A");
    snprintf(name, sizeof name, "valhalla:%s", csv);
    macadam_engine_close(import_with(name, text, NULL, 0));
    cr_expect(strstr(lines, "clamped: 2"), "%s", lines);
}

/* Returns the pattern of the arc of a way and direction, NULL: none; and its duration and distance, without what a turn
 * into one of its copies costs. */
static const uint8_t *pattern_of(macadam_engine *engine, int64_t way, bool against, uint32_t weight[2])
{
    const mcd_arc_facts *const facts = &engine->facts;
    unsigned number = 0;
    weight[0] = weight[1] = UINT32_MAX;
    for (uint32_t arc = 0; arc < engine->graph.arc_count; ++arc) {
        if (mcd_arc_way(facts, arc) != way || mcd_arc_is_against(facts, arc) != against) continue;
        number = facts->arc_pattern ? facts->arc_pattern[mcd_arc_original(facts, arc)] : 0;
        for (size_t q = 0; q < 2; ++q) {
            mcd_array *quantity;
            FIXTURE_CALL(mcd_engine_load_quantity, engine, q, &quantity);
            if (quantity->weight[arc] < weight[q]) weight[q] = quantity->weight[arc];
        }
    }
    cr_assert_lt(weight[0], UINT32_MAX, "no arc of way %lld", (long long)way);
    return number ? facts->pattern + (number - 1) * facts->pattern_slots : NULL;
}

Test(road_speeds, durations_are_those_at_the_fastest_speed)
{
    uint32_t weight[2];
    SCOPED(macadam_engine_close_at)
    macadam_engine *const engine = import_with(
        csv,
        "way,direction,from,to,km/h\n10,1,00:00,24:00,72\n10,1,Mo-Fr 07:00,09:30,36\n12,1,07:00,08:00,9\n",
        NULL, 0);
    const uint8_t *const pattern = pattern_of(engine, 10, false, weight);
    cr_expect_eq(weight[0], (weight[1] + 1) / 2, "%u ms, %u cm", weight[0], weight[1]); /* 20 m/s */
    cr_expect_eq(pattern[28], 128);
    cr_expect_eq(pattern[38], 255);
    cr_expect_null(pattern_of(engine, 10, true, weight));
    cr_expect_eq(engine->facts.pattern_count, 1);
    cr_expect_not_null(strstr(lines, "arcs with speeds over the week: 1\n"), "%s", lines);
    cr_expect_not_null(strstr(lines, "ways and directions with speeds that are not on the map: 1 (way/12)\n"),
                       "%s", lines);
    cr_expect_not_null(strstr(lines, "patterns of speed: 1\n"), "%s", lines);
}

Test(road_speeds, speeds_between_nodes_need_no_ids_in_the_file)
{
    uint32_t weight[2], usual[2];
    char name[ROOM + 32];
    snprintf(name, sizeof name, "osrm:Mo08:15=%s", csv);
    SCOPED(macadam_engine_close_at)
    macadam_engine *const engine = import_with(name, "3,4,5\n9,4,7\n", NULL, 0);
    cr_expect_null(pattern_of(engine, 11, false, usual));
    const uint8_t *const pattern = pattern_of(engine, 11, true, weight);
    cr_expect_eq(weight[0], usual[0]);
    cr_expect_eq(pattern[32], 255);
    /* half of the way at 5 km/h, half at the usual speed */
    const uint64_t then = (uint64_t)weight[1] * 18 / 5 + weight[0] / 2;
    cr_expect_eq(pattern[33], (255 * (uint64_t)weight[0] + then / 2) / then, "%u", pattern[33]);
    cr_expect_null(engine->facts.shape_id);
    cr_expect_not_null(
        strstr(lines, "pairs of nodes with speeds that no road of the map joins: 1 (node/9)\n"), "%s", lines);
}

Test(road_speeds, speeds_are_those_of_motor_vehicles)
{
    static const char *const both[] = {"foot", "truck"};
    uint32_t weight[2];
    SCOPED(macadam_engine_close_at)
    macadam_engine *const foot = import_with(csv, "10,1,07:00,08:00,9\n", both, 2);
    cr_expect_null(foot->facts.arc_pattern);
    macadam_engine_options of = MACADAM_ENGINE_OPTIONS_INIT;
    of.device = "cpu", of.profile = "truck";
    SCOPED(macadam_engine_close_at) macadam_engine *truck = NULL;
    FIXTURE_CALL(macadam_engine_open, &truck, path, &of);
    FIXTURE_CALL(mcd_engine_load, truck, MCD_LOAD_FACTS);
    cr_expect_not_null(pattern_of(truck, 10, false, weight));
}

/* Arrays that wait on the disk meanwhile, ready files and saved ones have the same patterns. */
Test(road_speeds, every_kind_of_file_has_the_patterns)
{
    for (int kind = 0; kind < 4; ++kind) {
        uint32_t weight[2];
        if (kind == 1) mcd_import_memory = 1;
        options.ready = kind == 2;
        SCOPED(macadam_engine_close_at)
        macadam_engine *const engine = import_with(csv, "11,0,Mo 07:00,08:00,9\n", NULL, 0);
        if (kind == 3) FIXTURE_CALL(macadam_engine_save, engine, path);
        SCOPED(macadam_engine_close_at) macadam_engine *const again = fixture_open_file(path, 1);
        FIXTURE_CALL(mcd_engine_load, again, MCD_LOAD_FACTS);
        for (int against = 0; against < 2; ++against)
            cr_expect_lt(pattern_of(again, 11, against, weight)[30], 255);
        cr_expect_null(pattern_of(again, 10, false, weight));
    }
}

static void expect_refused(const char *name, const char *profile, const char *message)
{
    macadam_error error = {""};
    options.speeds = &name, options.speeds_count = 1;
    cr_expect_eq(macadam_import_osm(osm, profile, &options, &error), MACADAM_E_INVALID);
    cr_expect_not_null(strstr(error.message, message), "%s", error.message);
}

Test(road_speeds, speeds_of_no_use_are_refused)
{
    files_write(csv, "10,1,07:00,08:00,9\n", strlen("10,1,07:00,08:00,9\n"));
    expect_refused(csv, "foot", "the speeds are of no use: none of the profiles is a motor vehicle's");
    expect_refused(NULL, "car", "file 0 of speeds has no name");
    files_write(csv, "way,direction,from,to,km/h\n", strlen("way,direction,from,to,km/h\n"));
    expect_refused(csv, "car", "speeds.csv: there are no speeds");
    files_write(path, "10,1,07:00,08:00,9\n", strlen("10,1,07:00,08:00,9\n"));
    expect_refused(path, "car", path);
}

static void report_nothing(void *context, const char *line)
{
    (void)context;
    (void)line;
}

static void update_with(macadam_engine *engine, const char *name)
{
    macadam_speeds_request request = MACADAM_SPEEDS_REQUEST_INIT;
    request.speeds = &name, request.speeds_count = 1, request.report = report;
    FIXTURE_CALL(macadam_update_speeds, engine, &request);
}

/* An update of a map without speeds does what the import does, and once more it changes nothing. */
Test(road_speeds, updates_equal_imports)
{
    static const char *const text[] = {"10,0,Mo 07:00,08:00,9\n10,1,00:00,24:00,80\n12,1,07:00,08:00,9\n",
                                       "3,4,5\n2,4,90\n"};
    for (int kind = 0; kind < 2; ++kind) {
        char name[ROOM + 32];
        const char *const source = osm;
        macadam_error error = {""};
        snprintf(name, sizeof name, "%s%s", kind ? "osrm:Mo-Fr 06:00-09:00=" : "", csv);
        options.node_ids = true, options.report = report_nothing;
        SCOPED(macadam_engine_close_at)
        macadam_engine *const imported = import_with(name, text[kind], NULL, 0);
        options.speeds_count = 0;
        fixture_expect_ok(macadam_import_osm_files(&source, 1, NULL, 0, &options, &error), &error, name);
        SCOPED(macadam_engine_close_at) macadam_engine *const updated = fixture_open_file(path, 1);
        for (int time = 0; time < 2; ++time) {
            update_with(updated, name);
            for (int arc = 0; arc < 4; ++arc) {
                uint32_t a[2], b[2];
                const uint8_t *const x = pattern_of(imported, 10 + arc / 2, arc % 2, a), *const y =
                                                                                             pattern_of(
                                                                                                 updated,
                                                                                                 10 + arc / 2,
                                                                                                 arc % 2, b);
                cr_expect(a[0] == b[0] && a[1] == b[1], "%u %u", a[0], b[0]);
                cr_assert_eq(!x, !y);
                if (x) cr_expect_arr_eq(x, y, MCD_PATTERN_SLOTS);
            }
            cr_expect_eq(updated->facts.pattern_count, imported->facts.pattern_count);
        }
        if (kind == 0) cr_expect_not_null(strstr(lines, "not on the map: 1 (way/12)\n"), "%s", lines);
    }
}

Test(road_speeds, updates_that_name_no_file_are_refused)
{
    macadam_error error = {""};
    macadam_speeds_request request = MACADAM_SPEEDS_REQUEST_INIT;
    SCOPED(macadam_engine_close_at)
    macadam_engine *const engine = import_with(csv, "10,0,Mo 07:00,08:00,9\n", NULL, 0);
    cr_expect_eq(macadam_update_speeds(engine, &request, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "no file of speeds");
    request.speeds_count = 1;
    cr_expect_eq(macadam_update_speeds(engine, &request, &error), MACADAM_E_INVALID);
    const char *const missing = "/nowhere/speeds.csv";
    request.speeds = &missing;
    cr_expect_eq(macadam_update_speeds(engine, &request, &error), MACADAM_E_IO);
}
