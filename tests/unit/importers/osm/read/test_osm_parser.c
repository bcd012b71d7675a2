/* test_osm_parser.c - objects of XML, OPL and o5m, packed or not, and what is refused. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/scoped.h"

#include "importers/osm/read/osm_file.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bzlib.h>
#include <zlib.h>

TestSuite(osm_parser, .init = import_fixture_open, .fini = import_fixture_close);

#define OSM(content) "<?xml version='1.0'?><osm version='0.6'>" content "</osm>"

static char seen[4096];

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t at = strlen(seen);
    vsnprintf(seen + at, sizeof seen - at, format, arguments);
    va_end(arguments);
}

static void say_tags(const mcd_tags *tags)
{
    for (size_t i = 0; i < tags->count; ++i) say(" %s=%s", tags->tag[i].key, tags->tag[i].value);
    say(";");
}

static macadam_status say_node(void *context, size_t part, const mcd_osm_node *node, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    if (mcd_age_is_deleted(node->age))
        say("n%lld deleted", (long long)node->id);
    else if (node->valid)
        say("n%lld %d,%d", (long long)node->id, node->lon_e7, node->lat_e7);
    else
        say("n%lld nowhere", (long long)node->id);
    say_tags(&node->tags);
    return MACADAM_OK;
}

static macadam_status say_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    say("w%lld", (long long)way->id);
    for (size_t i = 0; i < way->node_count; ++i) say(" %lld", (long long)way->node[i]);
    say_tags(&way->tags);
    return MACADAM_OK;
}

static macadam_status say_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    (void)context, (void)error;
    say("r%lld", (long long)relation->id);
    for (size_t i = 0; i < relation->member_count; ++i)
        say(" %c%lld/%s", relation->member[i].type, (long long)relation->member[i].id,
            relation->member[i].role);
    say_tags(&relation->tags);
    return MACADAM_OK;
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    return MACADAM_OK;
}

static const mcd_osm_handler everything = {
    .node = say_node, .way = say_way, .relation = say_relation, .join = join};

static macadam_status read_with(const char *name, const void *data, size_t bytes,
                                const mcd_osm_handler *handler, const mcd_progress *progress)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    mcd_osm_file *file;
    char path[FILES_PATH_BYTES];
    seen[0] = '\0';
    snprintf(path, sizeof path, "%s", import_path(name));
    files_write(path, data, bytes);
    macadam_status status = mcd_osm_file_open(&file, path, NULL, &import_error);
    if (!status)
        status = mcd_osm_file_read(&file, 1, handler, &one_thread, progress, "reading", &import_error);
    mcd_osm_file_close(file);
    return status;
}

static macadam_status read_bytes(const char *name, const void *data, size_t bytes,
                                 const mcd_osm_handler *handler)
{
    return read_with(name, data, bytes, handler, NULL);
}

static void expect_seen_in(const char *name, const char *text, const mcd_osm_handler *handler,
                           const char *wanted)
{
    cr_assert_eq(read_bytes(name, text, strlen(text), handler), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(seen, wanted);
}

static void expect_seen(const char *text, const mcd_osm_handler *handler, const char *wanted)
{
    expect_seen_in("map.osm", text, handler, wanted);
}

/* `message` follows the path. */
static void expect_refused_in(const char *name, const void *data, size_t bytes, const char *message)
{
    import_expect(read_bytes(name, data, bytes, &everything), MACADAM_E_FILE, import_path(name), message);
}

static void expect_refused(const char *text, const char *message)
{
    expect_refused_in("map.osm", text, strlen(text), message);
}

static const char map[] =
    OSM("<bounds minlat='1'/><node id='-1' lon='1.5' lat='-2'><tag k='a' v='b &amp; c'/></node>\n"
        "<way id='7'><nd ref='-1'/><tag k='x' v=''/><nd ref='2'/><bbox/></way>"
        "<relation id='9'><member type='way' ref='7' role='from'/>"
        "<member type='node' ref='1'/><tag k='y' v='z'/></relation>");

Test(osm_parser, objects_are_handed_over)
{
    static const mcd_osm_handler ways = {.way = say_way, .join = join};
    expect_seen(map, &everything, "n-1 15000000,-20000000 a=b & c;w7 -1 2 x=;r9 w7/from n1/ y=z;");
    expect_seen(map, &ways, "w7 -1 2 x=;");
    expect_seen(OSM(""), &everything, "");
}

static const mcd_osm_handler history = {
    .node = say_node, .way = say_way, .relation = say_relation, .join = join, .versions = true};

Test(osm_parser, what_is_deleted_or_unknown_is_left_out)
{
    expect_seen(
        OSM("<note>x<b><c/></b></note><node id='1' lon='0' lat='0' visible='false'/>"
            "<node id='2' lon='0' lat='0' visible='true'/>"
            "<changeset><tag k='a' v='b'/></changeset><way id='3'><center lat='1' lon='2'/>"
            "<tag k='c' v='d'><tag k='e' v='f'/></tag></way>"
            "<relation id='4'><member type='way' ref='3' role=''><nd lat='1' lon='2'/></member></relation>"),
        &everything, "n2 0,0;w3 c=d;r4 w3/;");
}

Test(osm_parser, deletions_of_josm_and_of_changes_are_known)
{
    static const char josm[] =
        OSM("<node id='1' action='delete' lon='0' lat='0' visible='true'/><node id='2' lon='0' lat='0' "
            "visible='true' action='modify'/><node id='3' visible='true' action='delete' lon='0' lat='0'/>");
    static const char change[] =
        "<osmChange version='0.6'><delete><node id='1' version='2'/></delete><modify><node id='2' "
        "version='2' "
        "lon='0' lat='0'/></modify><create><node id='4' version='1' lon='1' lat='0'/></create></osmChange>";
    expect_seen(josm, &everything, "n2 0,0;");
    expect_seen(josm, &history, "n1 deleted;n2 0,0;n3 deleted;");
    expect_seen_in("map.osc", change, &history, "n1 deleted;n2 0,0;n4 10000000,0;");
}

Test(osm_parser, ways_place_their_nodes)
{
    static const char text[] =
        OSM("<way id='7'><bounds minlat='0' minlon='0' maxlat='1' maxlon='1'/><nd ref='1' lat='0.5' lon='1'/>"
            "<nd ref='2'/><nd ref='3' lat='0' lon='0'/><tag k='a' v='b'/></way>");
    expect_seen(text, &everything, "w7 1 2 3 a=b;n1 10000000,5000000;n3 0,0;");
}

Test(osm_parser, opl_is_read)
{
    expect_seen_in(
        "map.opl",
        "n1 v1 dV x1.5 y-2 Ta=b%20%c\n\nw7 v2 dV Nn-1,n2x1y0.5 Tx=\nr9 v1 dV Ty=z Mw7@from,n1@\nn3 "
        "v2 dD",
        &everything, "n1 15000000,-20000000 a=b c;w7 -1 2 x=;n2 10000000,5000000;r9 w7/from n1/ y=z;");
}

Test(osm_parser, opl_is_refused_with_its_line)
{
    static const char nul[] = "n1 v1 x1 y2\nw7 v1 Nn1\0,n2\n";
    expect_refused_in("map.opl", "n1 v1\nn2 vx\n", 12, ":2: column 5: OPL error: expected integer");
    expect_refused_in("map.opl", "\r\n# a\r\n\n\nn1 v1\n\nn2 vx\n", 22,
                      ":7: column 5: OPL error: expected integer");
    expect_refused_in("map.opl", "n1 v1 x1 y2\nn2 v1 x1 y500\n", 26,
                      ":2: wrong format for coordinate: '500'");
    expect_refused_in("map.opl", nul, sizeof nul - 1, ": not a text: it contains NUL");
}

/* A node, a way and a relation that name strings of those before them; a node that was deleted. */
static const char o5m[] = "\xff\xe0\x04"
                          "o5m2"
                          "\x10\x0a\x02\x01\x00\x06\x07\x00"
                          "a\0b\0"
                          "\x10\x03\x02\x04\x00"
                          "\xff\x11\x0a\x0e\x00\x02\x02\x02\x00"
                          "c\0d\0"
                          "\x12\x0b\x12\x00\x06\x0e\x00"
                          "1from\0"
                          "\xfe";

Test(osm_parser, o5m_is_read)
{
    const size_t bytes = sizeof o5m - 1;
    cr_assert_eq(read_bytes("map.o5m", o5m, bytes, &history), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(seen, "n1 3,-4 a=b;n2 deleted;w7 1 2 c=d;r16 w7/from;");
    expect_refused_in("map.o5m", o5m, bytes - 1,
                      ": it is cut off: the mark of its end, the byte fe, is missing");
    expect_refused_in("map.o5m", o5m, bytes - 4, ": the data set at byte 37 is cut off");
    expect_refused_in("map.o5m", "o5m2", 4, ": the data set at byte 0 is cut off");
    expect_refused_in("map.o5m", "\xff\xe0\x04o5x2", 7, ": o5m format error: wrong header magic");
}

Test(osm_parser, coordinates_are_rounded_to_seven_places)
{
    static const struct {
        const char *text;
        int32_t e7;
    } row[] = {
        {"0", 0},
        {"-0.00000005", -1},
        {"0.00000004", 0},
        {"9.1234567", 91234567},
        {"9.12345674", 91234567},
        {"9.123456750000000000000", 91234568},
        {"1e1", 100000000},
        {"-1.5E-5", -150},
        {"1.", 10000000},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        char text[256], wanted[64];
        snprintf(text, sizeof text, OSM("<node id='1' lon='%s' lat='0'/>"), row[i].text);
        snprintf(wanted, sizeof wanted, "n1 %d,0;", row[i].e7);
        expect_seen(text, &everything, wanted);
    }
}

Test(osm_parser, nodes_beyond_the_globe_are_nowhere)
{
    expect_seen(OSM("<node id='1' lon='180.0000001' lat='0'/><node id='2' lon='0'/>"
                    "<node id='4' lon='180' lat='-90'/>"),
                &everything, "n1 nowhere;n2 nowhere;n4 1800000000,-900000000;");
}

Test(osm_parser, bad_files_are_refused_with_their_line)
{
    expect_refused("", ":1: no element found");
    expect_refused("hello", ":1: syntax error");
    expect_refused("<osm version='0.6'>\n\n<node id='1'", ":3: unclosed token");
    expect_refused("<osm version='0.6'>\n</html>", ":2: mismatched tag");
    expect_refused("<html/>", ":1: Unknown top-level element: html");
    expect_refused("<osm version='0.5'/>", ":1: Can not read file with version 0.5");
    expect_refused(OSM("\n<node id='x1' lon='0' lat='0'/>"), ":2: illegal id: 'x1'");
    expect_refused(OSM("<way id='9223372036854775808'/>"), ":1: illegal id: '9223372036854775808'");
    expect_refused(OSM("<way/>"), ":1: a node, way or relation has no id");
    expect_refused(OSM("<node id='1' lon='1,5' lat='0'/>"), ":1: characters after coordinate: ',5'");
    expect_refused(OSM("<way id='1'><nd/></way>"), ":1: a nd has no ref");
    expect_refused(OSM("<relation id='1'><member ref='1' type='x'/></relation>"),
                   ":1: Unknown type on relation <member>");
    expect_refused("<!DOCTYPE osm [<!ENTITY lol 'lol'>]><osm version='0.6'><node id='&lol;'/></osm>",
                   ":1: XML entities are not supported");
}

static macadam_status fail_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)way;
    return mcd_fail(error, MACADAM_E_INVALID, "no");
}

Test(osm_parser, handlers_end_the_reading)
{
    static const mcd_osm_handler failing = {.way = fail_way, .join = join};
    cr_expect_eq(read_bytes("map.osm", map, strlen(map), &failing), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "no");
}

/* ---- packed ---- */

static const char *const packed_name[] = {"map.osm.gz", "map.osm.bz2"};
enum { GZIPPED, BZIPPED, PACKINGS };

static size_t pack(int packing, const char *text, size_t length, void *out, size_t room)
{
    if (packing == BZIPPED) {
        unsigned bytes = (unsigned)room;
        cr_assert_eq(BZ2_bzBuffToBuffCompress(out, &bytes, (char *)text, (unsigned)length, 1, 0, 0), BZ_OK);
        return bytes;
    }
    enum { GZIP = 16 + MAX_WBITS };
    z_stream stream = {.next_in = (unsigned char *)text,
                       .avail_in = (unsigned)length,
                       .next_out = out,
                       .avail_out = (unsigned)room};
    cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

Test(osm_parser, packed_streams_follow_one_another_and_are_whole)
{
    for (int packing = 0; packing < PACKINGS; ++packing) {
        const char *const name = packed_name[packing];
        char data[4096];
        const size_t first = pack(packing, map, 100, data, sizeof data);
        const size_t bytes =
            first + pack(packing, map + 100, strlen(map) - 100, data + first, sizeof data - first);
        cr_assert_eq(read_bytes(name, data, bytes, &everything), MACADAM_OK, "%s", import_error.message);
        cr_expect_eq(strlen(seen), strlen("n-1 15000000,-20000000 a=b & c;w7 -1 2 x=;r9 w7/from n1/ y=z;"));
        for (size_t cut = 0; cut < bytes; ++cut)
            cr_expect_eq(read_bytes(name, data, cut, &everything), MACADAM_E_FILE, "%zu", cut);
        data[first / 2] ^= 64;
        cr_expect_eq(read_bytes(name, data, bytes, &everything), MACADAM_E_FILE);
    }
}

/* ---- limits ---- */

static size_t longest;

static macadam_status measure_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    for (size_t i = 0; i < way->tags.count; ++i) longest += strlen(way->tags.tag[i].value);
    return MACADAM_OK;
}

static macadam_status measure_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < relation->member_count; ++i) longest += strlen(relation->member[i].role);
    return MACADAM_OK;
}

/* The formats have no limit; libosmium has one at 1,024 bytes. */
Test(osm_parser, texts_of_almost_64_kib_are_read)
{
    enum { MOST = 65534 };
    static const mcd_osm_handler measuring = {.way = measure_way, .relation = measure_relation, .join = join};
    static char text[4 * MOST], filler[MOST + 2];
    static const char *const format[][2] = {
        {"map.osm", OSM("<way id='1'><tag k='note' v='%s'/></way><relation id='2'><member type='way' ref='1' "
                        "role='%s'/></relation>")},
        {"map.opl", "w1 v1 dV Tnote=%s\nr2 v1 dV Mw1@%s\n"}};
    for (size_t i = 0; i < 2; ++i)
        for (size_t bytes = MOST; bytes <= MOST + 1; ++bytes) {
            memset(filler, 'x', bytes);
            filler[bytes] = longest = 0;
            const size_t length = (size_t)sprintf(text, format[i][1], filler, filler);
            const macadam_status status = read_bytes(format[i][0], text, length, &measuring);
            cr_expect_eq(status, bytes == MOST ? MACADAM_OK : MACADAM_E_FILE, "%s", import_error.message);
            if (bytes == MOST) cr_expect_eq(longest, 2 * bytes);
        }
}

/* 8 MB that are one attribute, packed into 8 KB. */
Test(osm_parser, long_elements_are_refused_in_bounded_memory)
{
    enum { LONG = 8 << 20, ROOM = 1 << 20 };
    FREED char *const text = malloc(LONG), *const data = malloc(ROOM);
    memset(text, 'x', LONG);
    memcpy(text, "<osm version='0.6'><node id='", 29);
    const size_t bytes = pack(GZIPPED, text, LONG, data, ROOM);
    expect_refused_in(packed_name[GZIPPED], data, bytes, ":1: an element is too long");
}

Test(osm_parser, long_lines_are_refused_in_bounded_memory)
{
    enum { LONG = 9 << 20 };
    FREED char *const text = malloc(LONG);
    memset(text, 'x', LONG);
    memcpy(text, "n1 v1\nw1 ", 9);
    expect_refused_in("map.opl", text, LONG, ": a line is too long");
}

Test(osm_parser, large_objects_are_refused_in_bounded_memory)
{
    enum { REFS = 1100000, BYTES = REFS * 13 + 100 };
    FREED char *const text = malloc(BYTES);
    size_t at = (size_t)sprintf(text, "<osm version='0.6'><way id='1'>");
    for (int i = 0; i < REFS; ++i) {
        memcpy(text + at, "<nd ref='1'/>", 13);
        at += 13;
    }
    expect_refused_in("map.osm", text, at, ":1: a node, way or relation is too large");
}

Test(osm_parser, every_failed_allocation_is_an_error)
{
    for (int packing = 0; packing < PACKINGS; ++packing) {
        char data[4096];
        const size_t bytes = pack(packing, map, strlen(map), data, sizeof data);
        size_t nth = 1;
        for (;; ++nth) {
            allocator_fail(nth);
            if (!leak_expect_failed(nth, read_bytes(packed_name[packing], data, bytes, &everything))) break;
        }
        cr_expect_gt(nth, 8, "expat's memory is the hook's, too");
    }
}

static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(osm_parser, reading_can_be_cancelled)
{
    const mcd_progress progress = {refuse, NULL};
    cr_expect_eq(read_with("map.osm", map, strlen(map), &everything, &progress), MACADAM_E_CANCELLED);
    cr_expect_eq(read_with("map.opl", "n1\n", 3, &everything, &progress), MACADAM_E_CANCELLED);
    cr_expect_eq(read_with("map.o5m", o5m, sizeof o5m - 1, &everything, &progress), MACADAM_E_CANCELLED);
}
