/* test_extracts.c - several files make the map of one file that holds the objects of all. */
#include "engine/include/macadam.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(extracts, .init = import_fixture_open, .fini = import_fixture_close);

/* A grid of streets, cut into files at random: each object is in some of them, in versions of its own. */
enum {
    MAPS = 60,
    SIDE = 5,
    NODES = SIDE * SIDE,
    STREETS = 2 * SIDE * (SIDE - 1), /* each between two neighbouring nodes */
    SQUARES = (SIDE - 1) * (SIDE - 1),
    WAYS = STREETS + SQUARES, /* squares are closed ways without tags, or with area=yes */
    TURNS = 20,
    RELATIONS = TURNS + SQUARES, /* that make areas of some squares */
    OBJECTS = NODES + WAYS + RELATIONS,
    FILES = 3,
    VERSIONS = 3,
};

/* What an object of a version says follows from `seed`, its number and the version. */
typedef struct drawn_object {
    uint64_t seed;
    unsigned object, version;
} drawn_object;

static test_rng rng_of(const drawn_object *drawn)
{
    return (test_rng){drawn->seed + 100 * drawn->object + drawn->version};
}

static int node_id(unsigned node)
{
    return (int)(1000 + 7 * node);
}

static void put_node(FILE *file, const drawn_object *drawn, unsigned node)
{
    static const char *const barrier[] = {"",
                                          "<tag k='barrier' v='gate'/>",
                                          "<tag k='barrier' v='bollard'/>",
                                          "<tag k='highway' v='traffic_signals'/>",
                                          "<tag k='maxheight' v='2.5'/>",
                                          "<tag k='maxweight' v='7'/>"};
    test_rng rng = rng_of(drawn);
    const int lat = (int)(1000 * (node / SIDE) + rng_below(&rng, 300)),
              lon = (int)(1000 * (node % SIDE) + rng_below(&rng, 300));
    fprintf(file, "<node id='%d' version='%u' lat='0.%06d' lon='0.%06d'>%s</node>", node_id(node),
            drawn->version, lat, lon, barrier[rng_below(&rng, 6) * (rng_below(&rng, 3) == 0)]);
}

static void put_street(FILE *file, const drawn_object *drawn, unsigned street)
{
    static const char *const highway[] = {"residential", "primary", "footway", "service", "proposed"};
    test_rng rng = rng_of(drawn);
    const bool across = street >= STREETS / 2;
    const unsigned k = across ? street - STREETS / 2 : street;
    const unsigned from = across ? k : k / (SIDE - 1) * SIDE + k % (SIDE - 1),
                   to = from + (across ? SIDE : 1);
    fprintf(file, "<way id='%u' version='%u'><nd ref='%d'/><nd ref='%d'/>", 10 + street, drawn->version,
            node_id(from), node_id(to));
    fprintf(file, "<tag k='highway' v='%s'/>", highway[rng_below(&rng, 5)]);
    if (rng_below(&rng, 2)) fprintf(file, "<tag k='name' v='Road %u'/>", rng_below(&rng, 30));
    if (rng_below(&rng, 3) == 0) fprintf(file, "<tag k='ref' v='B %u'/>", rng_below(&rng, 30));
    if (rng_below(&rng, 4) == 0) fputs("<tag k='oneway' v='yes'/>", file);
    if (rng_below(&rng, 4) == 0) fprintf(file, "<tag k='maxspeed' v='%u'/>", 10 + rng_below(&rng, 40));
    if (rng_below(&rng, 4) == 0)
        fprintf(file, "<tag k='maxspeed:conditional' v='%u @ (Mo-Fr 07:00-1%u:00)'/>",
                10 + rng_below(&rng, 20), rng_below(&rng, 9));
    fputs("</way>", file);
}

static void put_square(FILE *file, const drawn_object *drawn, unsigned square)
{
    test_rng rng = rng_of(drawn);
    const unsigned corner = square / (SIDE - 1) * SIDE + square % (SIDE - 1);
    const unsigned ring[] = {corner, corner + 1, corner + SIDE + 1, corner + SIDE, corner};
    fprintf(file, "<way id='%u' version='%u'>", 10 + STREETS + square, drawn->version);
    for (int i = 0; i < 5; ++i) fprintf(file, "<nd ref='%d'/>", node_id(ring[i]));
    if (rng_below(&rng, 2)) fputs("<tag k='highway' v='pedestrian'/><tag k='area' v='yes'/>", file);
    fputs("</way>", file);
}

static void put_turn(FILE *file, const drawn_object *drawn, unsigned relation)
{
    static const char *const kind[] = {"no_left_turn", "no_right_turn", "no_straight_on", "only_straight_on"};
    test_rng rng = rng_of(drawn);
    const unsigned row = rng_below(&rng, SIDE), column = 1 + rng_below(&rng, SIDE - 2);
    const unsigned before = row * (SIDE - 1) + column - 1;
    const unsigned to =
        rng_below(&rng, 2) || row == SIDE - 1 ? before + 1 : STREETS / 2 + row * SIDE + column;
    fprintf(file,
            "<relation id='%u' version='%u'><member type='way' ref='%u' role='from'/>"
            "<member type='node' ref='%d' role='via'/><member type='way' ref='%u' role='to'/>"
            "<tag k='type' v='restriction'/><tag k='restriction' v='%s'/></relation>",
            1 + relation, drawn->version, 10 + before, node_id(row * SIDE + column), 10 + to,
            kind[rng_below(&rng, 4)]);
}

static void put_area(FILE *file, const drawn_object *drawn, unsigned relation)
{
    test_rng rng = rng_of(drawn);
    fprintf(file, "<relation id='%u' version='%u'><member type='way' ref='%u' role='outer'/>", 1 + relation,
            drawn->version, 10 + STREETS + relation - TURNS);
    if (rng_below(&rng, 2)) fprintf(file, "<tag k='name' v='Square %u'/>", rng_below(&rng, 9));
    fprintf(file, "<tag k='type' v='multipolygon'/><tag k='highway' v='%s'/></relation>",
            rng_below(&rng, 2) ? "pedestrian" : "no");
}

static void put_object(FILE *file, const drawn_object *drawn)
{
    const unsigned object = drawn->object;
    if (object < NODES)
        put_node(file, drawn, object);
    else if (object < NODES + STREETS)
        put_street(file, drawn, object - NODES);
    else if (object < NODES + WAYS)
        put_square(file, drawn, object - NODES - STREETS);
    else if (object < NODES + WAYS + TURNS)
        put_turn(file, drawn, object - NODES - WAYS);
    else
        put_area(file, drawn, object - NODES - WAYS);
}

/* Writes the objects whose version is not 0. */
static const char *write_file(const char *name, uint64_t seed, const unsigned version[OBJECTS])
{
    const char *const path = import_path(name);
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("<?xml version='1.0'?><osm version='0.6'>", file);
    for (unsigned object = 0; object < OBJECTS; ++object)
        if (version[object]) put_object(file, &(const drawn_object){seed, object, version[object]});
    fputs("</osm>", file);
    cr_assert_eq(fclose(file), 0);
    return path;
}

static void draw_versions(uint64_t seed, unsigned version[FILES][OBJECTS], unsigned newest[OBJECTS])
{
    test_rng rng = {seed};
    for (unsigned object = 0; object < OBJECTS; ++object) {
        newest[object] = 0;
        for (int f = 0; f < FILES; ++f) {
            const bool is_there = rng_below(&rng, 2) == 0 || f == (int)(object % FILES);
            version[f][object] = is_there ? 1 + rng_below(&rng, VERSIONS) : 0;
            if (version[f][object] > newest[object]) newest[object] = version[f][object];
        }
    }
}

static void *import(const char *const *path, size_t count, const char *profile, unsigned threads,
                    size_t *bytes)
{
    char output[FILES_PATH_BYTES];
    snprintf(output, sizeof output, "%s", import_path("map.mcd"));
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = output;
    options.threads = threads;
    const macadam_status status = macadam_import_osm_files(path, count, profile, &options, &import_error);
    cr_assert_eq(status, MACADAM_OK, "%s", import_error.message);
    return files_read(output, bytes);
}

Test(extracts, several_files_make_the_map_of_one)
{
    static unsigned version[FILES][OBJECTS], newest[OBJECTS];
    static const char *const name[FILES] = {"a.osm", "b.osm", "c.osm"};
    for (unsigned map = 0; map < MAPS; ++map) {
        const char *const profile = map % 2 ? "foot" : "car";
        const char *path[FILES];
        size_t bytes, expected_bytes;
        draw_versions(map, version, newest);
        for (int f = 0; f < FILES; ++f) path[f] = write_file(name[f], map, version[f]);
        const char *const whole =
            write_file("a.osm, b.osm, c.osm", map, newest); /* the file tells its source */
        void *const expected = import(&whole, 1, profile, 1, &expected_bytes);
        void *const file = import(path, FILES, profile, 1 + map % 2, &bytes);
        cr_expect(bytes == expected_bytes && memcmp(file, expected, bytes) == 0, "map %u, %s", map, profile);
        free(expected);
        free(file);
    }
}

static macadam_status import_names(const char *const *path, size_t count)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = import_path("map.mcd");
    return macadam_import_osm_files(path, count, "car", &options, &import_error);
}

Test(extracts, bad_lists_are_refused)
{
    static const char road[] = "<?xml version='1.0'?><osm version='0.6'><node id='1' lat='0' lon='0'/>"
                               "<node id='2' lat='0' lon='1'/><way id='1'><nd ref='1'/><nd ref='2'/>"
                               "<tag k='highway' v='primary'/></way></osm>";
    const char *const a = import_write("a.osm", road), *const graph = import_write("b.gr", "p sp 1 0\n");
    const char *const empty = import_write("c.osm", "");
    import_expect(import_names(NULL, 0), MACADAM_E_INVALID, NULL, "no OpenStreetMap file is named");
    import_expect(import_names((const char *const[]){a, NULL}, 2), MACADAM_E_INVALID, NULL,
                  "OpenStreetMap file 1 has no name");
    import_expect(import_names((const char *const[]){a, a}, 2), MACADAM_E_INVALID, a, ": given twice");
    import_expect(import_names((const char *const[]){a, graph}, 2), MACADAM_E_FILE, graph,
                  ": its name ends neither with .osm.pbf nor with .osm, .osm.gz or .osm.bz2");
    cr_expect_eq(import_names((const char *const[]){a, empty}, 2), MACADAM_E_FILE);
    cr_expect_eq(strncmp(import_error.message, empty, strlen(empty)), 0, "%s", import_error.message);
}
