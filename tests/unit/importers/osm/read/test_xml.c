/* test_xml.c - objects of OpenStreetMap XML, packed or not, and what is refused. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"

#include "importers/osm/read/xml.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

TestSuite(xml, .init = import_fixture_open, .fini = import_fixture_close);

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
    if (node->valid)
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

static macadam_status say_relation(void *context, size_t part, const mcd_osm_relation *relation,
                                   macadam_error *error)
{
    (void)context, (void)part, (void)error;
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

static macadam_status read_bytes(mcd_packing packing, const void *data, size_t bytes,
                                 const mcd_osm_handler *handler)
{
    mcd_watch nobody = mcd_watch_of(NULL, "");
    seen[0] = '\0';
    return mcd_xml_read("map", packing, data, bytes, handler, &nobody, &import_error);
}

static void expect_seen(const char *text, const mcd_osm_handler *handler, const char *wanted)
{
    cr_assert_eq(read_bytes(MCD_PACKING_NONE, text, strlen(text), handler), MACADAM_OK, "%s",
                 import_error.message);
    cr_expect_str_eq(seen, wanted);
}

static void expect_refused(const char *text, const char *message)
{
    cr_expect_eq(read_bytes(MCD_PACKING_NONE, text, strlen(text), &everything), MACADAM_E_FILE, "%s", text);
    cr_expect_str_eq(import_error.message, message);
}

static const char map[] =
    OSM("<bounds minlat='1'/><node id='-1' lon='1.5' lat='-2'><tag k='a' v='b &amp; c'/></node>\n"
        "<way id='7'><nd ref='-1'/><tag k='x' v=''/><nd ref='2'/><bbox/></way>"
        "<relation id='9'><member type='way' ref='7' role='from'/>"
        "<member type='node' ref='1'/><tag k='y' v='z'/></relation>");

Test(xml, objects_are_handed_over)
{
    static const mcd_osm_handler ways = {.way = say_way, .join = join};
    expect_seen(map, &everything, "n-1 15000000,-20000000 a=b & c;w7 -1 2 x=;r9 w7/from n1/ y=z;");
    expect_seen(map, &ways, "w7 -1 2 x=;");
    expect_seen(OSM(""), &everything, "");
}

Test(xml, what_is_deleted_or_unknown_is_left_out)
{
    expect_seen(
        OSM("<node id='1' lon='0' lat='0' visible='false'/><node id='2' lon='0' lat='0' visible='true'/>"
            "<changeset><tag k='a' v='b'/></changeset><way id='3'><tag k='c' v='d'><tag k='e' v='f'/>"
            "</tag></way>"),
        &everything, "n2 0,0;w3 c=d;");
}

Test(xml, coordinates_are_rounded_to_seven_places)
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
        {".5", 5000000},
        {"1e1", 100000000},
        {"-1.5E-5", -150},
        {"1.", 10000000},
        {"000045.4641990", 454641990},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        char text[256], wanted[64];
        snprintf(text, sizeof text, OSM("<node id='1' lon='%s' lat='0'/>"), row[i].text);
        snprintf(wanted, sizeof wanted, "n1 %d,0;", row[i].e7);
        expect_seen(text, &everything, wanted);
    }
}

Test(xml, nodes_beyond_the_globe_are_nowhere)
{
    expect_seen(OSM("<node id='1' lon='180.0000001' lat='0'/><node id='2' lon='0'/>"
                    "<node id='3' lon='0' lat='1e300'/><node id='4' lon='180' lat='-90'/>"),
                &everything, "n1 nowhere;n2 nowhere;n3 nowhere;n4 1800000000,-900000000;");
}

Test(xml, bad_files_are_refused_with_their_line)
{
    expect_refused("", "map:1: no element found");
    expect_refused("hello", "map:1: syntax error");
    expect_refused("<osm version='0.6'>\n\n<node id='1'", "map:3: unclosed token");
    expect_refused("<osm version='0.6'>\n</html>", "map:2: mismatched tag");
    expect_refused("<html/>", "map:1: not OpenStreetMap XML, but: \"html\"");
    expect_refused("<osm version='0.5'/>", "map:1: not version 0.6 of OpenStreetMap XML: \"0.5\"");
    expect_refused("<osm/>", "map:1: not version 0.6 of OpenStreetMap XML");
    expect_refused(OSM("\n<node id='x1' lon='0' lat='0'/>"), "map:2: not an id: \"x1\"");
    expect_refused(OSM("<way id='9223372036854775808'/>"), "map:1: not an id: \"9223372036854775808\"");
    expect_refused(OSM("<way/>"), "map:1: a node, way or relation has no id");
    expect_refused(OSM("<node id='1' lon='1,5' lat='0'/>"), "map:1: not a coordinate: \"1,5\"");
    expect_refused(OSM("<way id='1'><nd/></way>"), "map:1: a nd has no ref");
    expect_refused(OSM("<relation id='1'><member ref='1' type='x'/></relation>"),
                   "map:1: a member is neither a node, a way nor a relation: \"x\"");
    expect_refused("<!DOCTYPE osm [<!ENTITY lol 'lol'>]><osm version='0.6'><node id='&lol;'/></osm>",
                   "map:1: entities are not read: \"lol\"");
}

static macadam_status fail_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)way;
    return mcd_fail(error, MACADAM_E_INVALID, "no");
}

Test(xml, handlers_end_the_reading)
{
    static const mcd_osm_handler failing = {.way = fail_way, .join = join};
    cr_expect_eq(read_bytes(MCD_PACKING_NONE, map, strlen(map), &failing), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "no");
}

/* ---- packed ---- */

static size_t pack(mcd_packing packing, const char *text, size_t length, void *out, size_t room)
{
    if (packing == MCD_PACKING_BZIP2) {
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

Test(xml, packed_streams_follow_one_another_and_are_whole)
{
    static const mcd_packing packing[] = {MCD_PACKING_GZIP, MCD_PACKING_BZIP2};
    for (size_t i = 0; i < sizeof packing / sizeof packing[0]; ++i) {
        char data[4096];
        const size_t first = pack(packing[i], map, 100, data, sizeof data);
        const size_t bytes =
            first + pack(packing[i], map + 100, strlen(map) - 100, data + first, sizeof data - first);
        cr_assert_eq(read_bytes(packing[i], data, bytes, &everything), MACADAM_OK, "%s",
                     import_error.message);
        cr_expect_eq(strlen(seen), strlen("n-1 15000000,-20000000 a=b & c;w7 -1 2 x=;r9 w7/from n1/ y=z;"));
        for (size_t cut = 0; cut < bytes; ++cut)
            cr_expect_eq(read_bytes(packing[i], data, cut, &everything), MACADAM_E_FILE, "%zu", cut);
        data[first / 2] ^= 64;
        cr_expect_eq(read_bytes(packing[i], data, bytes, &everything), MACADAM_E_FILE);
    }
}

#ifdef __GLIBC__
/* An allocator that has nothing from malloc. */
static void *allocate_apart(void *context, size_t bytes)
{
    enum { ROOM = 8 << 20 };
    static char room[ROOM];
    static size_t used;
    (void)context;
    used = (used + 63) / 64 * 64;
    if (bytes > ROOM - used) return NULL;
    used += bytes;
    return room + used - bytes;
}

static void release_apart(void *context, void *memory)
{
    (void)context, (void)memory;
}

static size_t malloc_bytes(void)
{
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

static size_t bytes_within; /* a callback */

static macadam_status note_bytes(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)way, (void)error;
    bytes_within = malloc_bytes();
    return MACADAM_OK;
}

Test(xml, parsers_and_unpackers_have_their_memory_from_the_hook)
{
    static const macadam_allocator apart = {allocate_apart, release_apart, NULL};
    static const mcd_osm_handler noting = {.way = note_bytes, .join = join};
    char data[4096];
    macadam_allocator_set(&apart);
    for (mcd_packing packing = MCD_PACKING_NONE; packing <= MCD_PACKING_BZIP2; ++packing) {
        const size_t bytes = packing ? pack(packing, map, strlen(map), data, sizeof data) : strlen(map);
        const size_t before = malloc_bytes();
        bytes_within = 0;
        cr_assert_eq(mcd_xml_read("map", packing, packing ? data : map, bytes, &noting, NULL, &import_error),
                     MACADAM_OK);
        cr_expect_eq(bytes_within, before, "packing %d: %zu bytes", (int)packing, bytes_within - before);
    }
    allocator_install();
}
#endif

/* 8 MB that are one attribute, packed into 8 KB. */
Test(xml, long_elements_are_refused_in_bounded_memory)
{
    enum { LONG = 8 << 20, ROOM = 1 << 20 };
    char *const text = malloc(LONG), *const data = malloc(ROOM);
    memset(text, 'x', LONG);
    memcpy(text, "<osm version='0.6'><node id='", 29);
    const size_t bytes = pack(MCD_PACKING_GZIP, text, LONG, data, ROOM);
    cr_expect_eq(read_bytes(MCD_PACKING_GZIP, data, bytes, &everything), MACADAM_E_FILE);
    cr_expect_str_eq(import_error.message, "map:1: an element is too long");
    free(text);
    free(data);
}

Test(xml, large_objects_are_refused_in_bounded_memory)
{
    enum { REFS = 1100000, BYTES = REFS * 13 + 100 };
    char *const text = malloc(BYTES);
    size_t at = (size_t)sprintf(text, "<osm version='0.6'><way id='1'>");
    for (int i = 0; i < REFS; ++i) {
        memcpy(text + at, "<nd ref='1'/>", 13);
        at += 13;
    }
    cr_expect_eq(read_bytes(MCD_PACKING_NONE, text, at, &everything), MACADAM_E_FILE);
    cr_expect_str_eq(import_error.message, "map:1: a node, way or relation is too large");
    free(text);
}

Test(xml, every_failed_allocation_is_an_error)
{
    for (mcd_packing packing = MCD_PACKING_GZIP; packing <= MCD_PACKING_BZIP2; ++packing) {
        char data[4096];
        const size_t bytes = pack(packing, map, strlen(map), data, sizeof data);
        for (size_t nth = 1;; ++nth) {
            allocator_fail(nth);
            if (!leak_expect_failed(nth, read_bytes(packing, data, bytes, &everything))) break;
        }
    }
}

static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(xml, reading_can_be_cancelled)
{
    const mcd_progress progress = {refuse, NULL};
    mcd_watch watch = mcd_watch_of(&progress, "reading");
    cr_expect_eq(mcd_xml_read("map", MCD_PACKING_NONE, map, strlen(map), &everything, &watch, &import_error),
                 MACADAM_E_CANCELLED);
}
