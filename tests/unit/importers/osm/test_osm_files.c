/* test_osm_files.c - OpenStreetMap files of all kinds: compressed, cut off, empty, real. */
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/profiles.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(osm_files, .init = import_fixture_open, .fini = import_fixture_close);

#define OSM(content) "<?xml version='1.0'?><osm version='0.6'>" content "</osm>"
#define NODES                                                                                                \
    "<node id='1' version='1' lat='0' lon='0'/>"                                                             \
    "<node id='2' version='1' lat='0' lon='0.001'/>"

#define ROAD "<nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"

enum { PROFILE_BYTES = 16384 };

static const char street[] = OSM(NODES "<way id='7' version='1'><nd ref='1'/><nd ref='2'/>"
                                       "<tag k='highway' v='residential'/></way>");

/* The car, whose turns cost nothing here: a street has two arcs. */
static macadam_status read_car(mcd_profile *out)
{
    static char text[PROFILE_BYTES];
    const char *const car = mcd_profile_texts[0].text, *const sections = strchr(car, '[');
    snprintf(text, sizeof text, "%.*sturn 180 0 0\ngive_way 0\n%s", (int)(sections - car), car, sections);
    return mcd_profile_read(out, import_write("car.profile", text), &import_error);
}

static macadam_status read_with(const char *path, unsigned threads, const mcd_progress *progress)
{
    const mcd_parallel parallel = mcd_parallel_of(threads, NULL);
    const macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    SCOPED(mcd_profile_free) mcd_profile car;
    cr_assert_eq(read_car(&car), MACADAM_OK);
    const macadam_status status =
        osm_read(&import_map, &path, 1, &car, &parallel, progress, &options, &import_error);
    return status;
}

static macadam_status read_path(const char *path)
{
    return read_with(path, 2, NULL);
}

Test(osm_files, gzip_is_read)
{
    cr_assert_eq(read_path(import_write_gzip("map.osm.gz", street, 0)), MACADAM_OK, "%s",
                 import_error.message);
    cr_assert_eq(import_map.arc_count, 2);
}

static void expect_refused(const char *path, macadam_status status)
{
    cr_expect_eq(read_path(path), status, "%s: %s", path, import_error.message);
    cr_expect_eq(strncmp(import_error.message, path, strlen(path)), 0, "%s", import_error.message);
    cr_expect_null(strchr(import_error.message, '\n'));
}

Test(osm_files, bad_files_are_refused)
{
    cr_expect_eq(read_path(import_path("nothing.osm.pbf")), MACADAM_E_IO);
    cr_expect(strstr(import_error.message, "nothing.osm.pbf': No such file"), "%s", import_error.message);
    expect_refused(import_write("empty.osm", ""), MACADAM_E_FILE);
    expect_refused(import_write("empty.osm.pbf", ""), MACADAM_E_FILE);
    expect_refused(import_write("empty.osm.bz2", ""), MACADAM_E_FILE);
    expect_refused(import_write("cut.osm", "<osm version='0.6'><node id='1' lat='0"), MACADAM_E_FILE);
    expect_refused(import_write("text.osm", "hello"), MACADAM_E_FILE);
    expect_refused(import_write("text.osm.pbf", "hello hello hello"), MACADAM_E_FILE);
    expect_refused(import_write("map.txt", street), MACADAM_E_FILE);
    expect_refused(import_write_gzip("cut.osm.gz", street, 20), MACADAM_E_FILE);
}

/* Nodes are missing, nowhere, or the same; a file may be what another API of Overpass writes. */
Test(osm_files, file_without_an_arc_is_refused_and_says_why)
{
    static const struct {
        const char *text;
        unsigned closed, areas, others, shorts, missing, invalid;
    } cases[] = {
        {OSM(NODES), 0, 0, 0, 0, 0, 0},
        {OSM("<way id='7'>" ROAD), 0, 0, 0, 0, 2, 0},
        {OSM("<node id='1' lat='0' lon='0'/><way id='7'>" ROAD), 0, 0, 0, 0, 1, 0},
        {OSM("<node id='1' lat='0' lon='0'/><node id='2' lat='91' lon='0'/><way id='7'>" ROAD), 0, 0, 0, 0, 1,
         1},
        {OSM(NODES "<way id='7'><tag k='highway' v='residential'/></way>"), 0, 0, 0, 1, 0, 0},
        {OSM(NODES "<way id='7'><nd ref='1'/><tag k='highway' v='residential'/></way>"), 0, 0, 0, 1, 0, 0},
        {OSM(NODES "<way id='7'><nd ref='1'/><nd ref='1'/><tag k='highway' v='residential'/></way>"), 0, 0, 0,
         1, 0, 0},
        {OSM(NODES "<way id='7'><tag k='motor_vehicle' v='no'/>" ROAD
                   "<way id='8'><tag k='waterway' v='river'/></way>"),
         1, 0, 1, 0, 0, 0},
        {OSM(NODES "<way id='7'><tag k='area' v='yes'/>" ROAD), 0, 1, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char message[256];
        const char *const path = import_write("map.osm", cases[i].text);
        snprintf(message, sizeof message,
                 ": no road is open to the profile car: %u ways closed, %u areas, %u not roads, %u with "
                 "fewer than "
                 "two nodes; %u nodes missing, %u without valid coordinates",
                 cases[i].closed, cases[i].areas, cases[i].others, cases[i].shorts, cases[i].missing,
                 cases[i].invalid);
        import_expect(read_path(path), MACADAM_E_FILE, path, message);
    }
    const char *const json = import_write("json.osm", "{\"version\": 0.6}");
    import_expect(read_path(json), MACADAM_E_FILE, json,
                  ":1: it is JSON; Overpass API writes XML with [out:xml]");
}

/* A header blob that announces 127 bytes, cut off within its own length, its header, and before its data. */
Test(osm_files, cut_off_pbf_is_refused)
{
    static const unsigned char header[] = {0,   0,   0,   13,  0x0a, 9,   'O',  'S', 'M',
                                           'H', 'e', 'a', 'd', 'e',  'r', 0x18, 127, 0x0a};
    static const size_t bytes[] = {2, 10, 17, sizeof header};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; ++i) {
        char path[FILES_PATH_BYTES];
        snprintf(path, sizeof path, "%s", import_path("cut.osm.pbf"));
        files_write(path, header, bytes[i]);
        expect_refused(path, MACADAM_E_FILE);
    }
}

/* Two ways join nodes 1 and 2, and only one of them is left. */
static void expect_only_way(const char *name, const char *text, int64_t way)
{
    cr_assert_eq(read_path(import_write(name, text)), MACADAM_OK, "%s", import_error.message);
    cr_assert_gt(import_map.arc_count, 0);
    for (size_t arc = 0; arc < import_map.arc_count; ++arc)
        if (import_map.arc_number[arc] != MCD_ARC_NONE) cr_expect_eq(import_way(arc), way);
    mcd_map_free(&import_map);
}

Test(osm_files, ways_that_were_deleted_are_left_out)
{
    expect_only_way("josm.osm",
                    OSM(NODES "<way id='10' action='delete' visible='true' version='3'>" ROAD
                              "<way id='11' action='modify' version='1'>" ROAD),
                    11);
    expect_only_way("history.osm",
                    OSM(NODES "<way id='10' version='1' visible='true'>" ROAD
                              "<way id='10' version='2' visible='false'/><way id='11' version='1'>" ROAD),
                    11);
    expect_only_way("history.osh",
                    OSM(NODES "<way id='10' version='1'>" ROAD "<way id='11' version='1' visible='true'>" ROAD
                              "<way id='11' version='2' visible='false'/>"),
                    10);
}

Test(osm_files, places_of_nodes_may_come_with_their_ways)
{
    expect_only_way("overpass.osm",
                    OSM("<way id='10'><bounds minlat='50' minlon='10' maxlat='50' maxlon='10.01'/>"
                        "<nd ref='1' lat='50.0' lon='10.0'/><nd ref='2' lat='50.0' lon='10.01'/>"
                        "<tag k='highway' v='residential'/></way>"),
                    10);
}

static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(osm_files, reading_can_be_cancelled)
{
    const mcd_progress progress = {refuse, NULL};
    import_expect(read_with(import_write("map.osm", street), 2, &progress), MACADAM_E_CANCELLED, NULL,
                  "cancelled in the phase \"reading ways\"");
}

/* ---- many ways ---- */

enum { WAYS = 1499, STRIDE = 1256, JUNCTIONS = WAYS - 1, STREET_BYTES = WAYS * 256 };

/* 1 -- 2 -- 3 -- 4 -- 5 -- ..., a way for two steps; neighbours are 512 ways from each other in the file */
static const char *write_long_street(void)
{
    FREED char *const text = checked_allocate(STREET_BYTES, 1);
    size_t at = (size_t)sprintf(text, "<?xml version='1.0'?><osm version='0.6'>");
    for (int node = 1; node <= 2 * WAYS + 1; ++node)
        at += (size_t)sprintf(text + at, "<node id='%d' version='1' lat='0' lon='0.%05d'/>", node, node);
    for (int i = 0; i < WAYS; ++i) {
        const int way = 1 + i * STRIDE % WAYS;
        at += (size_t)sprintf(text + at,
                              "<way id='%d' version='1'><nd ref='%d'/><nd ref='%d'/><nd ref='%d'/>"
                              "<tag k='highway' v='service'/></way>",
                              way, 2 * way - 1, 2 * way, 2 * way + 1);
    }
    sprintf(text + at, "</osm>");
    const char *const path = import_write("street.osm", text);
    return path;
}

/* The arc that goes on from a node, which is the only one but for arrivals. */
static size_t arc_on_from(mcd_node node)
{
    size_t found = import_map.arc_count;
    for (size_t arc = 0; arc < import_map.arc_count; ++arc) {
        if (import_map.tail[arc] != node || import_map.arc_number[arc] == MCD_ARC_NONE) continue;
        cr_assert_eq(found, import_map.arc_count, "arcs %zu and %zu leave node %u", found, arc, node);
        found = arc;
    }
    cr_assert_lt(found, import_map.arc_count, "no arc leaves node %u", node);
    return found;
}

static void expect_long_street(void)
{
    cr_assert_eq(import_map.node_count, WAYS + 1 + 3 * JUNCTIONS, "two copies and an arrival");
    cr_assert_eq(import_map.arc_count, 2 * WAYS + 5 * JUNCTIONS);
    mcd_node node = import_map.depart[0];
    for (int way = 1; way <= WAYS; ++way) {
        const size_t arc = arc_on_from(node);
        const uint64_t number = import_map.arc_number[arc], shape = import_map.first_shape[number - 1];
        cr_assert_eq(import_way(arc), way);
        cr_assert_eq(import_map.first_shape[number], shape + 1);
        cr_assert_eq(import_map.shape_lon_e7[shape], 200 * way);
        node = import_map.head[arc];
        cr_assert_eq(import_map.node_id[node], 2 * way + 1);
    }
}

Test(osm_files, long_street_is_one_on_any_number_of_threads)
{
    static const unsigned threads[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; ++i) {
        cr_assert_eq(read_with(write_long_street(), threads[i], NULL), MACADAM_OK, "%s",
                     import_error.message);
        cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
        expect_long_street();
        mcd_map_free(&import_map);
    }
}

/* ---- real extracts ---- */

/* Cut between two blobs, a file is a smaller map; anywhere else it is none. */
Test(osm_files, cut_off_extract_is_refused)
{
    enum { PARTS = 7 };
    char name[FILES_PATH_BYTES], path[FILES_PATH_BYTES];
    if (!files_find_data(name, "osm/liechtenstein-gisops.osm.pbf")) cr_skip_test();
    size_t bytes;
    FREED void *const data = files_read(name, &bytes);
    snprintf(path, sizeof path, "%s", import_path("cut.osm.pbf"));
    for (size_t part = 1; part < PARTS; ++part) {
        files_write(path, data, bytes * part / PARTS);
        expect_refused(path, MACADAM_E_FILE);
    }
}

static void expect_extract(const char *name, size_t junctions_min, size_t junctions_max,
                           uint64_t restrictions_min)
{
    char path[FILES_PATH_BYTES];
    if (!files_find_data(path, name)) cr_skip_test();
    cr_assert_eq(read_path(path), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
    cr_expect(import_map.id_count >= junctions_min && import_map.id_count <= junctions_max,
              "%s: %zu junctions", name, import_map.id_count);
    cr_expect_geq(import_map.restriction_count, restrictions_min, "%s: %lu restrictions", name,
                  (unsigned long)import_map.restriction_count);
    mcd_map_free(&import_map);
}

Test(osm_files, real_extracts_are_read)
{
    expect_extract("osm/monaco.osm.gz", 500, 650, 0);
    expect_extract("osm/andorra-gisops.osm.pbf", 3000, 4000, 60);
    expect_extract("osm/liechtenstein-gisops.osm.pbf", 5000, 6000, 70);
    expect_extract("osm/heidelberg.test.osm.pbf", 11000, 15500, 430);
    expect_extract("osm/malta-latest.osm.pbf", 23000, 29000, 200);
    expect_extract("osm/milan_italy_small.osm.pbf", 38000, 46000, 1200);
    expect_extract("osm/reisterstown-via-restriction.osm.pbf", 10000, 12000, 30);
    /* Of its 158 restrictions 20 hold only at times, 11 have no single from, via and to, 5 name a road that is closed or
     * not in the file, 3 have a via node that their roads do not share, and one exempts cars. */
    expect_extract("osm/cathedral-no-left.osm.pbf", 8000, 9500, 118);
}
