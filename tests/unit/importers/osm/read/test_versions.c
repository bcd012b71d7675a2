/* test_versions.c - of the versions of an object the newest one counts, and a deletion deletes: in one file, in two, in
 * either order, and as XML, OPL and PBF. */
#include "importers/osm/rules/profile_file.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/osm_read.h"
#include "tests/support/pbf_message.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(versions, .init = import_fixture_open, .fini = import_fixture_close);

/*     3
 *    / \         ways: 10 = 1-2, 11 = 1-3-2, 12 = 2-4
 *   1---2---4    relation 5: no way straight on from 10 into 12
 *
 * Objects are words: "w10v2d" is version 2 of way 10, deleted. x: a way is only proposed, a relation forbids nothing, a
 * node has no place. J: JOSM has edited it. Without v, it has no version. */
#define MAP(v)  "n1" v " n2" v " n3" v " n4" v " w10" v " w11" v " w12" v " r5" v
#define WHOLE   "10 11 12 r"
#define WITHOUT "11 12"

typedef struct object {
    char type;
    long long id, version;
    bool deleted, changed, edited;
} object;

/* Reads the next word; false at the end. */
static bool next_object(const char **text, object *out)
{
    char *end;
    while (**text == ' ') ++*text;
    if (!**text) return false;
    *out = (object){.type = *(*text)++};
    out->id = strtoll(*text, &end, 10);
    if (*end == 'v') out->version = strtoll(end + 1, &end, 10);
    for (; *end && *end != ' '; ++end) {
        out->deleted = out->deleted || *end == 'd';
        out->changed = out->changed || *end == 'x';
        out->edited = out->edited || *end == 'J';
    }
    *text = end;
    return true;
}

static const int lon_e4[] = {0, 0, 100, 50, 200}, lat_e4[] = {0, 0, 0, 50, 0};
static const int ref[][4] = {{1, 2}, {1, 3, 2}, {2, 4}};
static const char *const role[] = {"from", "via", "to"};
static const int64_t member[] = {10, 2, 12};

/* ---- formats ---- */

enum { TEXT_BYTES = 1 << 13 };
static char text[TEXT_BYTES];

#define PUT(...) snprintf(text + strlen(text), sizeof text - strlen(text), __VA_ARGS__)

static void put_xml(const object *at, bool is_change)
{
    static const char *const name[] = {['n'] = "node", ['w'] = "way", ['r'] = "relation"};
    const char *const tag = name[(int)at->type];
    if (is_change) PUT("<%s>", at->deleted ? "delete" : "modify");
    PUT("<%s id='%lld'", tag, at->id);
    if (at->version) PUT(" version='%lld'", at->version);
    if (at->edited) PUT(" action='%s'", at->deleted ? "delete" : "modify");
    if (!is_change && (at->version || at->edited || at->deleted))
        PUT(" visible='%s'", at->deleted && !at->edited ? "false" : "true");
    if (at->type == 'n' && !at->deleted)
        PUT(" lon='0.%04d' lat='%s0.%04d'", lon_e4[at->id], at->changed ? "20" : "", lat_e4[at->id]);
    PUT(">");
    for (int i = 0; at->type == 'w' && !at->deleted && i < 4 && ref[at->id - 10][i]; ++i)
        PUT("<nd ref='%d'/>", ref[at->id - 10][i]);
    if (at->type == 'w') PUT("<tag k='highway' v='%s'/>", at->changed ? "proposed" : "residential");
    for (int i = 0; at->type == 'r' && i < 3; ++i)
        PUT("<member type='%s' ref='%d' role='%s'/>", i == 1 ? "node" : "way", (int)member[i], role[i]);
    if (at->type == 'r')
        PUT("<tag k='type' v='%s'/><tag k='restriction' v='no_straight_on'/>",
            at->changed ? "x" : "restriction");
    PUT("</%s>", tag);
    if (is_change) PUT("</%s>", at->deleted ? "delete" : "modify");
}

static void put_opl(const object *at)
{
    PUT("%c%lld", at->type, at->id);
    if (at->version) PUT(" v%lld", at->version);
    PUT(" d%c", at->deleted ? 'D' : 'V');
    if (at->type == 'n' && !at->deleted && !at->changed)
        PUT(" x0.%04d y0.%04d", lon_e4[at->id], lat_e4[at->id]);
    if (at->type == 'w') PUT(" Thighway=%s", at->changed ? "proposed" : "residential");
    for (int i = 0; at->type == 'w' && !at->deleted && i < 4 && ref[at->id - 10][i]; ++i)
        PUT("%sn%d", i ? "," : " N", ref[at->id - 10][i]);
    if (at->type == 'r')
        PUT(" Ttype=%s,restriction=no_straight_on Mw10@from,n2@via,w12@to",
            at->changed ? "x" : "restriction");
    PUT("\n");
}

static const char *const string[] = {"",  "highway",        "residential", "proposed", "type", "restriction",
                                     "x", "no_straight_on", "from",        "via",      "to"};

static void put_packed(message *to, unsigned field, const int64_t *value, size_t count, bool deltas)
{
    message packed = {.bytes = 0};
    for (size_t i = 0; i < count; ++i)
        if (deltas)
            put_signed(&packed, value[i] - (i ? value[i - 1] : 0));
        else
            put_varint(&packed, (uint64_t)value[i]);
    put_message(to, field, &packed);
}

/* A block of one object, with its Info. */
static void put_pbf(message *block, const object *at)
{
    message info = {.bytes = 0}, own = {.bytes = 0}, group = {.bytes = 0};
    const unsigned field = at->type == 'n' ? 1 : at->type == 'w' ? 3 : 4;
    int64_t refs[4], count = 0;
    if (at->version) put_number(&info, 1, (uint64_t)at->version);
    put_number(&info, 6, !at->deleted);
    put_number(&own, 1, (uint64_t)(field == 1 ? 2 * at->id : at->id));
    put_message(&own, 4, &info);
    if (field == 1) {
        put_number(&own, 8, 2 * (uint64_t)(at->changed ? 2000000000 : 1000 * lat_e4[at->id]));
        put_number(&own, 9, 2 * (uint64_t)(1000 * lon_e4[at->id]));
    } else if (field == 3) {
        put_packed(&own, 2, (const int64_t[]){1}, 1, false);
        put_packed(&own, 3, (const int64_t[]){at->changed ? 3 : 2}, 1, false);
        for (; count < 4 && ref[at->id - 10][count]; ++count) refs[count] = ref[at->id - 10][count];
        if (!at->deleted) put_packed(&own, 8, refs, (size_t)count, true);
    } else {
        put_packed(&own, 2, (const int64_t[]){4, 5}, 2, false);
        put_packed(&own, 3, (const int64_t[]){at->changed ? 6 : 5, 7}, 2, false);
        put_packed(&own, 8, (const int64_t[]){8, 9, 10}, 3, false);
        put_packed(&own, 9, member, 3, true);
        put_packed(&own, 10, (const int64_t[]){1, 0, 1}, 3, false);
    }
    put_message(&group, field, &own);
    put_message(block, 2, &group);
}

static void put_blob(message *file, const char *type, const message *block)
{
    message blob = {.bytes = 0}, header = {.bytes = 0};
    put_message(&blob, 1, block);
    put_bytes(&header, 1, type, strlen(type));
    put_number(&header, 3, blob.bytes);
    for (int i = 3; i >= 0; --i) put_byte(file, header.bytes >> 8 * i & 255);
    for (size_t i = 0; i < header.bytes; ++i) put_byte(file, header.data[i]);
    for (size_t i = 0; i < blob.bytes; ++i) put_byte(file, blob.data[i]);
}

static const char *write_pbf(const char *words, const char *name)
{
    static message file;
    message header = {.bytes = 0}, block = {.bytes = 0}, table = {.bytes = 0};
    object at;
    put_bytes(&header, 4, "OsmSchema-V0.6", 14);
    if (!strstr(name, ".osh.")) put_bytes(&header, 4, "HistoricalInformation", 21);
    for (size_t i = 0; i < sizeof string / sizeof string[0]; ++i)
        put_bytes(&table, 1, string[i], strlen(string[i]));
    put_message(&block, 1, &table);
    while (next_object(&words, &at)) put_pbf(&block, &at);
    file.bytes = 0;
    put_blob(&file, "OSMHeader", &header);
    put_blob(&file, "OSMData", &block);
    const char *const path = import_path(name);
    files_write(path, file.data, file.bytes);
    return path;
}

typedef enum file_format { XML, OPL, PBF, FORMATS, CHANGE } file_format;

static const char *write_file(const char *words, int number, file_format format)
{
    static const char *const root[] = {[XML] = "osm", [CHANGE] = "osmChange"},
                             *const ending[] = {"osm", "opl", "osm.pbf", [CHANGE] = "osc"};
    char name[32];
    object at;
    snprintf(name, sizeof name, "%d.%s", number, ending[format]);
    if (format == PBF) return write_pbf(words, name);
    text[0] = '\0';
    if (format != OPL) PUT("<?xml version='1.0'?><%s version='0.6'>", root[format]);
    while (next_object(&words, &at))
        if (format == OPL)
            put_opl(&at);
        else
            put_xml(&at, format == CHANGE);
    if (format != OPL) PUT("</%s>", root[format]);
    return import_write(name, text);
}

/* ---- maps ---- */

/* Writes the ways on the map, and "r" if a restriction was applied. */
static void read_map(char *out, const char *const *path, size_t path_count)
{
    const mcd_parallel parallel = mcd_parallel_of(1, NULL);
    const macadam_import_options options = {.size = sizeof options};
    SCOPED(mcd_profile_free) mcd_profile car;
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    const macadam_status status =
        osm_read(&import_map, path, path_count, &car, &parallel, NULL, &options, &import_error);
    *out = '\0';
    for (int64_t way = 10; way <= 12 && status == MACADAM_OK; ++way)
        for (size_t arc = 0; arc < import_map.arc_count; ++arc)
            if (import_map.arc_number[arc] != MCD_ARC_NONE && import_way(arc) == way) {
                sprintf(out + strlen(out), "%s%lld", *out ? " " : "", (long long)way);
                break;
            }
    if (status == MACADAM_OK && import_map.restriction_count) strcat(out, " r");
    if (status != MACADAM_OK)
        cr_expect(status == MACADAM_E_FILE && strstr(import_error.message, "profile car"), "%s",
                  import_error.message);
    mcd_map_free(&import_map);
}

typedef struct version_case {
    const char *map, *other, *expected;
} version_case;

static void expect_map(const version_case *c, const char *const *path, size_t path_count, file_format format)
{
    char found[64];
    read_map(found, path, path_count);
    cr_expect_str_eq(found, c->expected, "\"%s\" and \"%s\", format %d, %zu files: \"%s\", not \"%s\"",
                     c->map, c->other, format, path_count, found, c->expected);
}

/* The other objects in a second file of the format, before and after the map. */
static void expect_two_files(const version_case *c, file_format map_format, file_format format)
{
    const char *const map = write_file(c->map, 0, map_format), *const other = write_file(c->other, 1, format);
    expect_map(c, (const char *const[]){map, other}, 2, format);
    expect_map(c, (const char *const[]){other, map}, 2, format);
}

/* The other objects in the same file, before and after the map. */
static void expect_one_file(const version_case *c, file_format format)
{
    char words[512];
    for (int order = 0; order < 2; ++order) {
        snprintf(words, sizeof words, "%s %s", order ? c->other : c->map, order ? c->map : c->other);
        const char *const path = write_file(words, 2, format);
        expect_map(c, &path, 1, format);
    }
}

Test(versions, newest_one_counts_in_every_format)
{
    static const version_case cases[] = {
        {MAP("v1"), "", WHOLE},
        {MAP("v1"), "w10v2d", WITHOUT},
        {MAP("v1"), "w10v1d", WITHOUT},
        {MAP("v3"), "w10v2d", WHOLE},
        {MAP("v1"), "w10d", WITHOUT},
        {MAP(""), "w10d", WITHOUT},
        {MAP("v1"), "w10v2x", WITHOUT},
        {MAP("v3"), "w10v2x", WHOLE},
        {MAP("v1"), "w10v2x w10v3", WHOLE},
        {MAP("v1"), "w10v3 w10v2d", WHOLE},
        {MAP("v1"), "w10v2 w10v3d", WITHOUT},
        {MAP("v1"), "w10x", WHOLE}, /* one with a version is newer than one without */
        {MAP(""), "w10v1x", WITHOUT},
        {MAP("v1"), "r5v2d", "10 11 12"},
        {MAP("v1"), "r5v2x", "10 11 12"},
        {MAP("v1"), "r5v2x r5v3", WHOLE},
        {MAP("v1"), "r5d", "10 11 12"},
        {MAP("v1"), "n3v2d", "10 12 r"},
        {MAP("v1"), "n3d", "10 12 r"},
        {MAP("v1"), "n3v2x", "10 12 r"},
        {MAP("v1"), "n3v2x n3v3", WHOLE},
        {MAP("v1"), "n3v2d n3v3", WHOLE},
        {MAP("v1"), "n1v2d n3v2d", "12"},
        {MAP("v1"), "n1v2d n2v2d n3v2d", ""},
        {MAP("v1"), "n1v2x n2v2d n3v2x n4v2d", ""},
        {MAP("v1"), "w10v2d w11v2x w12v2d", ""},
        {"n1v1d n2v1 n3v1 n4v1 w10v1 w11v1 w12v1 r5v1", "", "11 12"},
        {"n1v1 n2v1 n3v1 n4v1 w10v1d w11v1 w12v1 r5v1", "", "11 12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (file_format format = XML; format < FORMATS; ++format) {
            expect_one_file(&cases[i], format);
            if (*cases[i].other) expect_two_files(&cases[i], (file_format)((format + i) % FORMATS), format);
        }
}

Test(versions, changes_count_before_what_they_change)
{
    static const version_case cases[] = {
        {MAP("v1"), "w10v2d", WITHOUT},  {MAP("v1"), "w10d", WITHOUT},
        {MAP(""), "w10d", WITHOUT},      {MAP("v1"), "w10x", WITHOUT},
        {MAP(""), "w10x", WITHOUT},      {MAP("v3"), "w10v2x", WHOLE},
        {MAP("v1"), "r5x", "10 11 12"},  {MAP("v1"), "r5d", "10 11 12"},
        {MAP(""), "r5v1d", "10 11 12"},  {MAP("v1"), "n3x", "10 12 r"},
        {MAP("v1"), "n3d", "10 12 r"},   {MAP("v1"), "w10d w11x w12d", ""},
        {MAP("v1d"), "n1 n2 w10", "10"}, {MAP("v1"), "w10v3d w10v4", WHOLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (file_format format = XML; format < FORMATS; ++format)
            expect_two_files(&cases[i], format, CHANGE);
}

Test(versions, edits_of_josm_count_before_all)
{
    static const version_case cases[] = {
        {MAP("v1"), "w10v1dJ", WITHOUT},
        {MAP("v1"), "w10dJ", WITHOUT},
        {MAP(""), "w10dJ", WITHOUT},
        {MAP("v1"), "w10v1xJ", WITHOUT},
        {MAP("v4"), "w10v3xJ", WITHOUT},
        {MAP("v1"), "w10xJ", WITHOUT},
        {MAP("v4"), "w10v3dJ", WITHOUT},
        {MAP("v1"), "r5v1dJ", "10 11 12"},
        {MAP("v1"), "r5v1xJ", "10 11 12"},
        {MAP("v1"), "n3v1dJ", "10 12 r"},
        {MAP("v1"), "n3v1xJ", "10 12 r"},
        {MAP("v1dJ"), "", ""},
        {MAP("J"), "", WHOLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_one_file(&cases[i], XML);
        if (*cases[i].other) expect_two_files(&cases[i], XML, XML);
    }
}

Test(versions, a_history_may_be_known_by_its_name)
{
    char found[64];
    const char *const path = write_pbf("n1v1 n2v1 n3v1d n4v1 w10v1 w11v1 w12v1", "map.osh.pbf");
    read_map(found, &path, 1);
    cr_expect_str_eq(found, "10 12");
}

/* ---- ways that carry their coordinates ---- */

Test(versions, ways_without_nodes_are_placed_by_their_coordinates)
{
    static const struct {
        const char *name, *text, *expected;
    } cases[] = {
        {"a.osm",
         "<osm version='0.6'><way id='10'><bounds minlat='0' minlon='0' maxlat='1' maxlon='1'/><nd ref='1' "
         "lat='0' lon='0'/>"
         "<nd ref='2' lat='0' lon='0.01'/><tag k='highway' v='residential'/></way></osm>",
         "10"},
        {"b.osm",
         "<osm version='0.6'><way id='10'><nd ref='1' lat='0' lon='0'/><nd ref='2'/><nd ref='3' lat='0' "
         "lon='0.01'/>"
         "<nd ref='4' lat='0' lon='0.02'/><tag k='highway' v='residential'/></way></osm>",
         "10"},
        {"c.osm",
         "<osm version='0.6'><way id='10'><nd ref='1' lat='0' lon='0'/><nd ref='2'/><nd ref='3' lat='0' "
         "lon='0.01'/>"
         "<tag k='highway' v='residential'/></way></osm>",
         ""},
        {"d.osm",
         "<osm version='0.6'><relation id='5'><bounds minlat='0' minlon='0' maxlat='1' maxlon='1'/>"
         "<member type='way' ref='10' role=''><nd lat='0' lon='0'/><nd lat='0' lon='1'/></member>"
         "<member type='node' ref='2' role='' lat='0' lon='0'/></relation><way id='10'><nd ref='1' lat='0' "
         "lon='0'/>"
         "<nd ref='2' lat='0' lon='0.01'/><tag k='highway' v='residential'/></way></osm>",
         "10"},
        {"e.osm",
         "<osm version='0.6'><way id='10' version='1' visible='false'><nd ref='1' lat='0' lon='0'/>"
         "<nd ref='2' lat='0' lon='0.01'/><tag k='highway' v='residential'/></way></osm>",
         ""},
        {"f.opl", "w10 Thighway=residential Nn1x0y0,n2x0.01y0\n", "10"},
        {"g.opl", "w10 Thighway=residential Nn1x0y0,n2\n", ""},
        {"h.opl",
         "n1 v1 dD\nw10 Thighway=residential Nn1x0y0,n2x0.01y0\nw11 Thighway=residential "
         "Nn2x0.01y0,n3x0.02y0\n",
         "11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char found[64];
        const char *const path = import_write(cases[i].name, cases[i].text);
        read_map(found, &path, 1);
        cr_expect_str_eq(found, cases[i].expected, "%s: %s", cases[i].name, found);
    }
}
