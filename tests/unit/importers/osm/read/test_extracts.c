/* test_extracts.c - several files make the map of one file that holds the objects of all. */
#include "engine/file/read.h"
#include "engine/include/macadam.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rng.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The content of a version of an object follows from `seed`, its number and the version. */
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

/* Writes the objects of `count` files, but for those whose version is 0: file by file, or all versions of an object
 * together. */
static const char *write_files(const char *name, uint64_t seed, const unsigned (*version)[OBJECTS],
                               size_t count, bool by_file)
{
    const char *const path = import_path(name);
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("<?xml version='1.0'?><osm version='0.6'>", file);
    for (size_t i = 0; i < count * OBJECTS; ++i) {
        const size_t f = by_file ? i / OBJECTS : i % count;
        const unsigned object = (unsigned)(by_file ? i % OBJECTS : i / count);
        if (version[f][object]) put_object(file, &(const drawn_object){seed, object, version[f][object]});
    }
    fputs("</osm>", file);
    cr_assert_eq(fclose(file), 0);
    return path;
}

static const char *write_file(const char *name, uint64_t seed, const unsigned version[OBJECTS])
{
    return write_files(name, seed, (const unsigned(*)[OBJECTS])version, 1, true);
}

/* Writes a change that deletes some objects, which then have no newest version. */
static const char *write_deletions(const char *name, uint64_t seed, unsigned newest[OBJECTS])
{
    const char *const path = import_path(name);
    test_rng rng = {seed};
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("<osmChange version='0.6'><delete>", file);
    for (unsigned object = 0; object < OBJECTS; ++object) {
        if (rng_below(&rng, 10) > 0) continue;
        const char *const kind = object < NODES ? "node" : object < NODES + WAYS ? "way" : "relation";
        const unsigned id = object < NODES          ? (unsigned)node_id(object)
                            : object < NODES + WAYS ? 10 + object - NODES
                                                    : 1 + object - NODES - WAYS;
        fprintf(file, "<%s id='%u' version='%u'/>", kind, id, VERSIONS + 1);
        newest[object] = 0;
    }
    fputs("</delete></osmChange>", file);
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

static void import_file(const char *output, const char *const *path, size_t count, const char *const *profile,
                        size_t profile_count, unsigned threads)
{
    const macadam_import_options options = {.size = sizeof options, .output = output, .threads = threads};
    const macadam_status status =
        macadam_import_osm_files(path, count, profile, profile_count, &options, &import_error);
    cr_assert_eq(status, MACADAM_OK, "%s", import_error.message);
}

static void *import(const char *const *path, size_t count, const char *profile, unsigned threads,
                    size_t *bytes)
{
    char output[FILES_PATH_BYTES];
    snprintf(output, sizeof output, "%s", import_path("map.mcd"));
    import_file(output, path, count, &profile, 1, threads);
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
            write_file("a.osm, b.osm, c.osm", map, newest); /* the file contains its source */
        FREED void *const expected = import(&whole, 1, profile, 1, &expected_bytes);
        FREED void *const file = import(path, FILES, profile, 1 + map % 2, &bytes);
        cr_expect(bytes == expected_bytes && memcmp(file, expected, bytes) == 0, "map %u, %s", map, profile);
    }
}

static void expect_import_of(const void *expected, size_t expected_bytes, const char *const *path,
                             size_t count, const char *profile, unsigned map)
{
    size_t bytes;
    FREED void *const file = import(path, count, profile, 1 + map % 2, &bytes);
    cr_expect(bytes == expected_bytes && memcmp(file, expected, bytes) == 0, "map %u, %s", map, profile);
}

Test(extracts, newest_version_in_a_file_counts)
{
    static unsigned version[FILES][OBJECTS], newest[OBJECTS];
    for (unsigned map = 0; map < MAPS; ++map) {
        const char *const profile = map % 2 ? "foot" : "car";
        size_t expected_bytes;
        draw_versions(map, version, newest);
        const char *path = write_file("map.osm", map, newest);
        FREED void *const expected = import(&path, 1, profile, 1, &expected_bytes);
        path = write_files("map.osm", map, (const unsigned(*)[OBJECTS])version, FILES, false);
        expect_import_of(expected, expected_bytes, &path, 1, profile, map);
    }
}

static bool count_readings(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)total;
    *(unsigned *)context += done == 0 && strcmp(phase, "reading nodes") == 0;
    return true;
}

Test(extracts, nodes_are_read_once_after_ways_in_any_order)
{
    const char *const path = import_write(
        "map.osm", "<osm version='0.6'><node id='1' lat='0' lon='0'/><node id='2' lat='0' lon='0.01'/>"
                   "<node id='3' lat='0' lon='0.02'/><way id='9'><nd ref='1'/><nd ref='2'/>"
                   "<tag k='highway' v='residential'/></way><way id='8'><nd ref='2'/><nd ref='3'/>"
                   "<tag k='highway' v='residential'/></way></osm>");
    const char *const profile = "car";
    unsigned readings = 0;
    const macadam_import_options options = {.size = sizeof options,
                                            .output = import_path("map.mcd"),
                                            .threads = 1,
                                            .progress = count_readings,
                                            .context = &readings};
    mcd_watch_set_clock(test_clock_always_due);
    cr_expect_eq(macadam_import_osm_files(&path, 1, &profile, 1, &options, &import_error), MACADAM_OK, "%s",
                 import_error.message);
    mcd_watch_set_clock(NULL);
    cr_expect_eq(readings, 1);
}

Test(extracts, deletion_deletes)
{
    static unsigned version[OBJECTS], newest[OBJECTS];
    for (unsigned map = 0; map < MAPS; ++map) {
        const char *path[2];
        size_t expected_bytes;
        for (unsigned object = 0; object < OBJECTS; ++object) version[object] = newest[object] = 1;
        path[0] = write_file("map.osm", map, version);
        path[1] = write_deletions("map.osc", map, newest);
        const char *const whole =
            write_file("map.osm, map.osc", map, newest); /* the file contains its source */
        FREED void *const expected = import(&whole, 1, "car", 1, &expected_bytes);
        expect_import_of(expected, expected_bytes, path, 2, "car", map);
    }
}

static macadam_status import_names(const char *const *path, size_t count)
{
    const macadam_import_options options = {.size = sizeof options, .output = import_path("map.mcd")};
    return macadam_import_osm_files(path, count, (const char *const[]){"car"}, 1, &options, &import_error);
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
                  ": its name ends with none of .pbf, .o5m, .osm, .osc, .osh and .opl (these four also with "
                  ".gz or .bz2)");
    cr_expect_eq(import_names((const char *const[]){a, empty}, 2), MACADAM_E_FILE);
    cr_expect_eq(strncmp(import_error.message, empty, strlen(empty)), 0, "%s", import_error.message);
}

/* ---- profiles ---- */

TestSuite(profiles, .init = import_fixture_open, .fini = import_fixture_close);

enum { PROFILES = 4 };
static const char *const profile_name[PROFILES] = {"foot", "car", "truck", "bike"};

static mcd_edge_file *open_file(const char *path)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    mcd_edge_file *file;
    FIXTURE_CALL(mcd_edge_file_open, &file, &(mcd_file_source){.path = path}, false, &one_thread);
    return file;
}

/* The sections of a profile in one file are those of a profile in the other, as they are stored. */
static void expect_equal(const char *path, size_t profile, const char *other_path, size_t other_profile)
{
    mcd_edge_file *const file = open_file(path), *const other = open_file(other_path);
    size_t count = 0, other_count = 0;
    file->profile = profile;
    other->profile = other_profile;
    for (size_t i = 0; i < other->section_count; ++i)
        other_count += mcd_edge_file_own_name(other, &other->section[i]) != NULL;
    for (size_t i = 0; i < file->section_count; ++i) {
        const mcd_file_section *section = &file->section[i];
        const char *const name = mcd_edge_file_own_name(file, section);
        if (!name) continue;
        ++count;
        const mcd_file_section *duplicate = mcd_edge_file_entry(other, name);
        cr_assert_not_null(duplicate, "%s", name);
        const void *data, *duplicate_data;
        cr_assert_eq(mcd_edge_file_stored(file, section->name, &section, &data, &import_error), MACADAM_OK);
        cr_assert_eq(mcd_edge_file_stored(other, duplicate->name, &duplicate, &duplicate_data, &import_error),
                     MACADAM_OK);
        cr_assert_eq(section->stored_bytes, duplicate->stored_bytes, "%s", name);
        cr_assert_eq(memcmp(data, duplicate_data, section->stored_bytes), 0, "%s", name);
    }
    cr_assert_eq(count, other_count);
    cr_assert_gt(count, 10);
    mcd_edge_file_close(file);
    mcd_edge_file_close(other);
}

static macadam_engine *open_profile(const char *path, const char *profile)
{
    macadam_engine *engine;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .profile = profile};
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    return engine;
}

/* Draws the map `seed` and imports it for all profiles. */
static void write_profiles(char *all, const char *const *path, size_t count)
{
    snprintf(all, FILES_PATH_BYTES, "%s", import_path("all.mcd"));
    import_file(all, path, count, profile_name, PROFILES, 2);
}

static void draw_file(const char *path[1], unsigned seed)
{
    static unsigned version[FILES][OBJECTS], newest[OBJECTS];
    draw_versions(seed, version, newest);
    path[0] = write_file("all.osm", seed, newest);
}

Test(profiles, each_is_what_it_is_alone)
{
    for (unsigned map = 0; map < MAPS; ++map) {
        const char *path[1];
        char all[FILES_PATH_BYTES], alone[FILES_PATH_BYTES];
        draw_file(path, map);
        write_profiles(all, path, 1);
        snprintf(alone, sizeof alone, "%s", import_path("alone.mcd"));
        for (size_t profile = 0; profile < PROFILES; ++profile) {
            import_file(alone, path, 1, &profile_name[profile], 1, 1);
            expect_equal(all, profile, alone, 0);
        }
    }
}

Test(profiles, an_engine_has_one_of_them)
{
    const char *path[1];
    char all[FILES_PATH_BYTES];
    draw_file(path, 1);
    write_profiles(all, path, 1);
    for (size_t profile = 0; profile <= PROFILES; ++profile) {
        SCOPED(macadam_engine_close_at)
        macadam_engine *const engine = open_profile(all, profile < PROFILES ? profile_name[profile] : NULL);
        macadam_info info = MACADAM_INFO_INIT;
        cr_assert_eq(macadam_engine_info(&info, engine, NULL), MACADAM_OK);
        cr_expect_str_eq(info.profile, profile_name[profile % PROFILES]);
        cr_assert_eq(info.profile_count, PROFILES);
        for (size_t i = 0; i < PROFILES; ++i) cr_expect_str_eq(info.profiles[i], profile_name[i]);
        cr_expect_eq(macadam_engine_verify(engine, &import_error), MACADAM_OK, "%s", import_error.message);
    }
    macadam_engine *engine;
    const macadam_engine_options options = {.size = sizeof options, .profile = "sledge"};
    cr_expect_eq(macadam_engine_open(&engine, all, &options, &import_error), MACADAM_E_NOT_FOUND);
    cr_expect_str_eq(import_error.message, "unknown profile \"sledge\"; the file has foot, car, truck, bike");
    cr_expect_null(engine);
}

/* Changes the weights of the first arc. */
static macadam_status change_first(macadam_engine *engine, bool all)
{
    static const uint64_t arc = 1;
    static const uint32_t weight = 77777, *const value = &weight;
    static const char *const quantity = "duration";
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &arc;
    request.count = 1;
    request.quantity = &quantity;
    request.quantity_count = 1;
    request.value = &value;
    request.all_profiles = all;
    return macadam_update(engine, &request, &import_error);
}

static void change_a_weight(macadam_engine *engine)
{
    cr_assert_eq(change_first(engine, false), MACADAM_OK, "%s", import_error.message);
}

Test(profiles, saving_one_keeps_the_others)
{
    const char *path[1];
    char all[FILES_PATH_BYTES], alone[FILES_PATH_BYTES], saved[FILES_PATH_BYTES], other[FILES_PATH_BYTES];
    draw_file(path, 2);
    write_profiles(all, path, 1);
    snprintf(alone, sizeof alone, "%s", import_path("alone.mcd"));
    snprintf(saved, sizeof saved, "%s", import_path("saved.mcd"));
    snprintf(other, sizeof other, "%s", import_path("other.mcd"));
    for (int ready = 0; ready < 2; ++ready)
        for (size_t profile = 0; profile < PROFILES; ++profile) {
            macadam_status (*const save)(macadam_engine *, const char *, macadam_error *) =
                ready ? macadam_engine_save_ready : macadam_engine_save;
            import_file(alone, path, 1, &profile_name[profile], 1, 1);
            macadam_engine *const engine = open_profile(all, profile_name[profile]), *const single =
                                                                                         open_profile(alone,
                                                                                                      NULL);
            change_a_weight(engine), change_a_weight(single);
            FIXTURE_CALL(save, engine, saved);
            FIXTURE_CALL(save, single, other);
            expect_equal(saved, profile, other, 0);
            for (size_t i = 0; i < PROFILES; ++i)
                if (i != profile) expect_equal(saved, i, all, i);
            macadam_engine_close(engine);
            macadam_engine_close(single);
        }
}

Test(profiles, bad_lists_are_refused)
{
    const char *path[1];
    macadam_import_options options = {.size = sizeof options, .output = import_path("map.mcd")};
    draw_file(path, 3);
    static const char *const twice[] = {"car", "foot", "car"}, *const unknown[] = {"car", "sledge"},
                             *const none[] = {"car", NULL}, *many[9] = {"car"};
    import_expect(macadam_import_osm_files(path, 1, twice, 3, &options, &import_error), MACADAM_E_INVALID,
                  NULL, "two profiles are named car");
    import_expect(macadam_import_osm_files(path, 1, none, 2, &options, &import_error), MACADAM_E_INVALID,
                  NULL, "profile 1 has no name");
    import_expect(macadam_import_osm_files(path, 1, many, 9, &options, &import_error), MACADAM_E_INVALID,
                  NULL, "9 profiles are more than the 8 that a file may have");
    cr_expect_neq(macadam_import_osm_files(path, 1, unknown, 2, &options, &import_error), MACADAM_OK);
    options.order = path[0];
    import_expect(macadam_import_osm_files(path, 1, profile_name, 2, &options, &import_error),
                  MACADAM_E_INVALID, NULL, "an order is for one profile, not for 2");
    cr_expect_eq(access(options.output, F_OK), -1);
}

/* ---- profiles of one engine ---- */

static macadam_engine *engine_of(macadam_engine *engine, const char *profile)
{
    macadam_engine *out;
    FIXTURE_CALL(macadam_engine_of_profile, &out, engine, profile);
    return out;
}

/* A text that has every arc of an engine with its weights. */
typedef struct arc_text {
    char *text;
    size_t bytes;
    int64_t way; /* of the first arc */
} arc_text;

static bool append_arc(void *context, const macadam_arc *arc)
{
    arc_text *const all = context;
    char line[128];
    const int length = snprintf(line, sizeof line, "%llu %lld %lld %lld %d %u %u\n",
                                (unsigned long long)arc->arc, (long long)arc->tail, (long long)arc->head,
                                (long long)arc->way, arc->forward, arc->value[0], arc->value[1]);
    if (!all->text) all->way = arc->way;
    all->text = realloc(all->text, all->bytes + (size_t)length + 1);
    memcpy(all->text + all->bytes, line, (size_t)length + 1);
    all->bytes += (size_t)length;
    return true;
}

static arc_text arcs_of(macadam_engine *engine)
{
    arc_text out = {NULL, 0, 0};
    FIXTURE_CALL(macadam_arcs_list, engine, append_arc, &out);
    cr_assert_not_null(out.text);
    return out;
}

static void expect_same_arcs(macadam_engine *engine, macadam_engine *other)
{
    const arc_text one = arcs_of(engine), two = arcs_of(other);
    cr_expect_str_eq(one.text, two.text);
    free(one.text);
    free(two.text);
}

/* A file of files: ids start again and again, and names come in another order. */
Test(profiles, objects_may_come_in_any_order)
{
    static unsigned version[FILES][OBJECTS], newest[OBJECTS];
    for (unsigned map = 0; map < MAPS; ++map) {
        char sorted[FILES_PATH_BYTES], all[FILES_PATH_BYTES];
        draw_versions(map, version, newest);
        const char *path = write_file("map.osm", map, newest);
        snprintf(sorted, sizeof sorted, "%s", import_path("sorted.mcd"));
        import_file(sorted, &path, 1, profile_name, 1, 1);
        path = write_files("map.osm", map, (const unsigned(*)[OBJECTS])version, FILES, true);
        snprintf(all, sizeof all, "%s", import_path("all.mcd"));
        import_file(all, &path, 1, profile_name, 1, 2);
        macadam_engine *const engine = open_profile(all, NULL), *const other = open_profile(sorted, NULL);
        expect_same_arcs(engine, other);
        macadam_engine_close(engine);
        macadam_engine_close(other);
    }
}

Test(profiles, a_query_that_names_none_of_them_is_refused)
{
    const char *path[1];
    char all[FILES_PATH_BYTES];
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_route *route = (macadam_route *)&request;
    draw_file(path, 1);
    write_profiles(all, path, 1);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_profile(all, "car");
    const macadam_query query = {.size = sizeof query, .profile = "sledge"};
    cr_expect_eq(macadam_route_find(&route, engine, &query, &request, &import_error), MACADAM_E_NOT_FOUND);
    cr_expect_str_eq(import_error.message, "unknown profile \"sledge\"; the file has foot, car, truck, bike");
    cr_expect_null(route);
}

Test(profiles, without_memory_there_is_no_engine_of_a_profile)
{
    const char *path[1];
    char all[FILES_PATH_BYTES];
    macadam_status status;
    size_t nth = 0;
    draw_file(path, 1);
    write_profiles(all, path, 1);
    macadam_engine *const engine = open_profile(all, "car");
    do {
        macadam_engine *other = engine;
        allocator_fail(++nth);
        status = macadam_engine_of_profile(&other, engine, "foot", &import_error);
        allocator_fail(0);
        cr_assert_eq(other == NULL, status != MACADAM_OK, "allocation %zu: %s", nth,
                     macadam_status_name(status));
    } while (status);
    cr_expect_gt(nth, 1);
    macadam_engine_close(engine);
}

static macadam_status close_ways(macadam_engine *engine, const int64_t *way, size_t count, bool all)
{
    static const uint32_t closed[] = {MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_CLOSED}, *const value = closed;
    static const char *const quantity = "duration";
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.way = way;
    request.count = count;
    request.quantity = &quantity;
    request.quantity_count = 1;
    request.value = &value;
    request.all_profiles = all;
    return macadam_update(engine, &request, &import_error);
}

/* Each profile is then as after an update of its own, if it has the way; in the engine, and in the file that it saves. */
Test(profiles, an_update_holds_for_all)
{
    const char *path[1];
    char all[FILES_PATH_BYTES], saved[FILES_PATH_BYTES];
    draw_file(path, 2);
    write_profiles(all, path, 1);
    snprintf(saved, sizeof saved, "%s", import_path("saved.mcd"));
    for (size_t of = 0; of < PROFILES; ++of) {
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_profile(all, "car");
        const arc_text first = arcs_of(engine_of(engine, profile_name[of]));
        free(first.text);
        cr_assert_eq(close_ways(engine, &first.way, 1, true), MACADAM_OK, "%s", import_error.message);
        FIXTURE_CALL(macadam_engine_save, engine, saved);
        for (size_t profile = 0; profile < PROFILES; ++profile) {
            const char *const name = profile_name[profile];
            macadam_engine *const single = open_profile(all, name), *const again = open_profile(saved, name);
            const macadam_status status = close_ways(single, &first.way, 1, false);
            cr_assert(status == MACADAM_OK || (profile != of && status == MACADAM_E_NOT_FOUND));
            expect_same_arcs(engine_of(engine, name), single);
            expect_same_arcs(again, single);
            cr_expect_eq(macadam_engine_verify(again, &import_error), MACADAM_OK, "%s", import_error.message);
            macadam_engine_close(single);
            macadam_engine_close(again);
        }
    }
}

Test(profiles, an_update_that_none_can_take_changes_nothing)
{
    const char *path[1];
    char all[FILES_PATH_BYTES];
    draw_file(path, 2);
    write_profiles(all, path, 1);
    macadam_engine *const engine = open_profile(all, "car"), *const right = open_profile(all, "car");
    const arc_text first = arcs_of(engine);
    const int64_t way[] = {first.way, -5};
    free(first.text);
    cr_expect_eq(close_ways(engine, way, 2, true), MACADAM_E_NOT_FOUND);
    cr_expect_str_eq(import_error.message, "no profile of the file has an arc for entry 1");
    expect_same_arcs(engine, right);
    cr_expect_eq(change_first(engine, true), MACADAM_E_INVALID); /* numbers are a profile's own */
    macadam_engine_close(engine);
    macadam_engine_close(right);
}
