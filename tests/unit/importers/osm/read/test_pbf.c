/* test_pbf.c - .pbf files written here byte by byte, and the objects that are read from them. */
#include "importers/osm/read/osm_file.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/pbf_message.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lz4.h>
#include <zlib.h>
#include <zstd.h>

/* ---- messages ---- */

static void put_packed(message *to, unsigned field, const int64_t *value, size_t count)
{
    message packed = {.bytes = 0};
    for (size_t i = 0; i < count; ++i) put_varint(&packed, (uint64_t)value[i]);
    put_message(to, field, &packed);
}

/* As signed differences. */
static void put_deltas(message *to, unsigned field, const int64_t *value, size_t count)
{
    message packed = {.bytes = 0};
    for (size_t i = 0; i < count; ++i) put_signed(&packed, value[i] - (i ? value[i - 1] : 0));
    put_message(to, field, &packed);
}

#define PACKED(to, field, ...)                                                                               \
    put_packed(to, field, (const int64_t[]){__VA_ARGS__},                                                    \
               sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define DELTAS(to, field, ...)                                                                               \
    put_deltas(to, field, (const int64_t[]){__VA_ARGS__},                                                    \
               sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ---- files ---- */

static message file;

/* How a blob holds its block; the first ones are right, the others lie about something. */
typedef enum packing {
    RAW,
    ZLIB,
    LZ4,
    ZSTD,
    RIGHT_ONES,
    RAW_SIZE_TOO_SMALL = RIGHT_ONES,
    RAW_SIZE_TOO_LARGE,
    LZMA,
    LZ4_TOO_SMALL,
    LZ4_TOO_LARGE,
    LZ4_BROKEN,
    ZSTD_TOO_SMALL,
    ZSTD_TOO_LARGE,
    ZSTD_BROKEN,
} packing;

/* Into `packed`; returns how long it is. *field: of the blob. */
static size_t pack(const message *block, packing how, unsigned char packed[4 * MESSAGE_BYTES],
                   unsigned *field)
{
    uLongf packed_bytes = 4 * MESSAGE_BYTES;
    memset(packed, 0xff, 16);
    switch (how) {
    case LZ4:
    case LZ4_TOO_SMALL:
    case LZ4_TOO_LARGE:
        *field = 6;
        return (size_t)LZ4_compress_default((const char *)block->data, (char *)packed, (int)block->bytes,
                                            4 * MESSAGE_BYTES);
    case ZSTD:
    case ZSTD_TOO_SMALL:
    case ZSTD_TOO_LARGE:
        *field = 7;
        return ZSTD_compress(packed, 4 * MESSAGE_BYTES, block->data, block->bytes, 3);
    case LZ4_BROKEN:
    case ZSTD_BROKEN:
        *field = how == LZ4_BROKEN ? 6 : 7;
        return 16;
    default:
        *field = how == LZMA ? 4 : 3;
        cr_assert_eq(compress(packed, &packed_bytes, block->data, block->bytes), Z_OK);
        return packed_bytes;
    }
}

static void put_blob(const char *type, const message *block, packing how)
{
    message blob = {.bytes = 0}, header = {.bytes = 0};
    static unsigned char packed[4 * MESSAGE_BYTES];
    const bool large = how == RAW_SIZE_TOO_LARGE || how == LZ4_TOO_LARGE || how == ZSTD_TOO_LARGE;
    const bool small = how == RAW_SIZE_TOO_SMALL || how == LZ4_TOO_SMALL || how == ZSTD_TOO_SMALL;
    unsigned field;
    const size_t packed_bytes = pack(block, how, packed, &field);
    if (how == RAW)
        put_message(&blob, 1, block);
    else {
        put_number(&blob, 2, block->bytes + large - small);
        put_bytes(&blob, field, (const char *)packed, packed_bytes);
    }
    put_bytes(&header, 1, type, strlen(type));
    put_number(&header, 3, blob.bytes);
    const unsigned char length[4] = {0, 0, (unsigned char)(header.bytes >> 8), (unsigned char)header.bytes};
    memcpy(file.data + file.bytes, length, sizeof length);
    memcpy(file.data + file.bytes + sizeof length, header.data, header.bytes);
    memcpy(file.data + file.bytes + sizeof length + header.bytes, blob.data, blob.bytes);
    file.bytes += sizeof length + header.bytes + blob.bytes;
}

/* `more` is one more feature that the file has; NULL: none. */
static void begin_file_of(const char *more)
{
    message header = {.bytes = 0};
    put_bytes(&header, 4, "OsmSchema-V0.6", 14);
    put_bytes(&header, 4, "DenseNodes", 10);
    if (more) put_bytes(&header, 4, more, strlen(more));
    file.bytes = 0;
    put_blob("OSMHeader", &header, ZLIB);
}

static void begin_file(void)
{
    begin_file_of(NULL);
}

/* A block with its string table: "" and these. */
static message block_of(const char *const *string, size_t count)
{
    message block = {.bytes = 0}, table = {.bytes = 0};
    put_bytes(&table, 1, "", 0);
    for (size_t i = 0; i < count; ++i) put_bytes(&table, 1, string[i], strlen(string[i]));
    put_message(&block, 1, &table);
    return block;
}

enum { HIGHWAY = 1, STOP, ROAD, FROM };
#define STRINGS ((const char *const[]){"highway", "stop", "road", "from"})
static message new_block(void)
{
    return block_of(STRINGS, 4);
}

static void put_group(message *block, unsigned field, const message *part)
{
    message group = {.bytes = 0};
    put_message(&group, field, part);
    put_message(block, 2, &group);
}

/* Nodes 5, 7 and 6; the second one is a stop. */
static void put_dense(message *block)
{
    message dense = {.bytes = 0};
    DELTAS(&dense, 1, 5, 7, 6);
    DELTAS(&dense, 8, 10, -20, 30);
    DELTAS(&dense, 9, 100, 200, 1900000000);
    PACKED(&dense, 10, 0, HIGHWAY, STOP, 0, 0);
    put_group(block, 2, &dense);
}

static void put_node(message *block)
{
    message node = {.bytes = 0};
    put_varint(&node, 1 << 3);
    put_signed(&node, 8);
    PACKED(&node, 2, HIGHWAY);
    PACKED(&node, 3, STOP);
    put_varint(&node, 8 << 3);
    put_signed(&node, -1);
    put_varint(&node, 9 << 3);
    put_signed(&node, 2);
    put_group(block, 1, &node);
}

static void put_way(message *block, uint64_t id)
{
    message way = {.bytes = 0};
    put_number(&way, 1, id);
    PACKED(&way, 2, HIGHWAY);
    PACKED(&way, 3, ROAD);
    DELTAS(&way, 8, 7, 5, 6);
    put_group(block, 3, &way);
}

static void put_relation(message *block, int64_t type)
{
    message relation = {.bytes = 0};
    put_number(&relation, 1, 90);
    PACKED(&relation, 8, FROM, 0);
    DELTAS(&relation, 9, 40, 7);
    PACKED(&relation, 10, type, 0);
    put_group(block, 4, &relation);
}

/* ---- what is handed over ---- */

enum { PARTS = MCD_OSM_PARTS, TEXT_BYTES = 1 << 13 };

/* By part, and of the parts that were joined. */
static char said[PARTS][TEXT_BYTES], all[TEXT_BYTES];
static int64_t bad_way; /* is refused */

static void say(size_t part, const char *text)
{
    strcat(said[part], text);
}

static void say_tags(size_t part, const mcd_tags *tags)
{
    for (size_t i = 0; i < tags->count; ++i) {
        char text[64];
        snprintf(text, sizeof text, " %s=%s", tags->tag[i].key, tags->tag[i].value);
        say(part, text);
    }
    say(part, ";");
}

static macadam_status take_node(void *context, size_t part, const mcd_osm_node *node, macadam_error *error)
{
    (void)context, (void)error;
    char text[64];
    snprintf(text, sizeof text, "n%lld", (long long)node->id);
    say(part, text);
    snprintf(text, sizeof text, " %d,%d", node->lon_e7, node->lat_e7);
    say(part, node->valid ? text : " nowhere");
    say_tags(part, &node->tags);
    return MACADAM_OK;
}

static macadam_status take_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context;
    char text[64];
    snprintf(text, sizeof text, "w%lld", (long long)way->id);
    say(part, text);
    for (size_t i = 0; i < way->node_count; ++i) {
        snprintf(text, sizeof text, " %lld", (long long)way->node[i]);
        say(part, text);
    }
    say_tags(part, &way->tags);
    if (bad_way && way->id >= bad_way)
        return mcd_fail(error, MACADAM_E_INVALID, "way %lld", (long long)way->id);
    return MACADAM_OK;
}

/* They come last, when all parts are joined. */
static macadam_status take_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    enum { part = 0 };
    (void)context, (void)error;
    char text[64];
    snprintf(text, sizeof text, "r%lld", (long long)relation->id);
    say(part, text);
    for (size_t i = 0; i < relation->member_count; ++i) {
        const mcd_osm_member *const member = &relation->member[i];
        snprintf(text, sizeof text, " %c%lld(%s)", member->type, (long long)member->id, member->role);
        say(part, text);
    }
    say_tags(part, &relation->tags);
    return MACADAM_OK;
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    (void)context, (void)error;
    strcat(all, said[part]);
    said[part][0] = '\0';
    return MACADAM_OK;
}

static const mcd_osm_handler everything = {.node = take_node,
                                           .way = take_way,
                                           .relation = take_relation,
                                           .join = join},
                             no_nodes = {.way = take_way, .relation = take_relation, .join = join},
                             only_nodes = {.node = take_node, .join = join};

static macadam_status read_again(mcd_osm_file *opened, const mcd_osm_handler *handler, unsigned threads)
{
    const mcd_parallel parallel = mcd_parallel_of(threads, NULL);
    memset(said, 0, sizeof said);
    all[0] = '\0';
    const macadam_status status =
        mcd_osm_file_read(&opened, 1, handler, &parallel, NULL, "reading", &import_error);
    strcat(all, said[0]);
    return status;
}

static const char *write_file(void)
{
    char *const path = (char *)import_path("map.osm.pbf");
    files_write(path, file.data, file.bytes);
    return path;
}

static macadam_status read_file(const mcd_osm_handler *handler, unsigned threads)
{
    mcd_osm_file *opened;
    macadam_status status = mcd_osm_file_open(&opened, write_file(), NULL, &import_error);
    if (status == MACADAM_OK) status = read_again(opened, handler, threads);
    mcd_osm_file_close(opened);
    return status;
}

TestSuite(pbf, .init = import_fixture_open, .fini = import_fixture_close);

static void expect_read(const mcd_osm_handler *handler, const char *text)
{
    cr_assert_eq(read_file(handler, 1), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(all, text);
}

/* ---- blocks ---- */

#define DENSE "n5 100,10;n7 200,-20 highway=stop;n6 nowhere;"

Test(pbf, objects_of_all_kinds_are_handed_over)
{
    for (packing how = RAW; how < RIGHT_ONES; ++how) {
        begin_file();
        message block = new_block();
        put_dense(&block);
        put_node(&block);
        put_way(&block, 40);
        put_relation(&block, 1);
        put_blob("OSMData", &block, how);
        expect_read(&everything, DENSE "n8 2,-1 highway=stop;w40 7 5 6 highway=road;r90 w40(from) n7();");
        expect_read(&only_nodes, DENSE "n8 2,-1 highway=stop;");
        expect_read(&no_nodes, "w40 7 5 6 highway=road;r90 w40(from) n7();");
    }
}

Test(pbf, granularity_and_offsets_may_follow_the_nodes)
{
    begin_file();
    message block = new_block();
    put_node(&block);
    put_number(&block, 17, 1000);
    put_number(&block, 19, 700);
    put_number(&block, 20, (uint64_t)-300);
    put_blob("OSMData", &block, ZLIB);
    expect_read(&everything, "n8 17,-3 highway=stop;");
}

Test(pbf, nodes_without_tags_may_lack_the_list_of_them)
{
    begin_file();
    message block = block_of(NULL, 0), dense = {.bytes = 0};
    DELTAS(&dense, 1, 1, 2);
    DELTAS(&dense, 8, 3, 4);
    DELTAS(&dense, 9, 5, 6);
    put_group(&block, 2, &dense);
    put_blob("OSMData", &block, ZLIB);
    expect_read(&everything, "n1 5,3;n2 6,4;");
}

/* The blocks are long enough not to be inflated in one piece. */
Test(pbf, way_after_nodes_is_found_without_reading_nodes)
{
    enum { NODES = 3000 };
    int64_t value[NODES];
    for (int with_way = 0; with_way < 2; ++with_way) {
        message block = new_block(), dense = {.bytes = 0};
        for (size_t i = 0; i < NODES; ++i) value[i] = (int64_t)i;
        put_deltas(&dense, 1, value, NODES);
        put_deltas(&dense, 8, value, NODES);
        put_deltas(&dense, 9, value, NODES);
        put_group(&block, 2, &dense);
        put_number(&block, 17, 100);
        if (with_way) put_way(&block, 1);
        begin_file();
        put_blob("OSMData", &block, ZLIB);
        expect_read(&no_nodes, with_way ? "w1 7 5 6 highway=road;" : "");
    }
}

Test(pbf, file_is_read_again_for_other_kinds)
{
    begin_file();
    message nodes = new_block(), ways = new_block(), both = new_block();
    put_dense(&nodes);
    put_way(&ways, 1);
    put_way(&both, 2);
    put_node(&both);
    put_blob("OSMData", &nodes, ZLIB);
    put_blob("OSMData", &ways, ZLIB);
    put_blob("OSMData", &both, ZLIB);
    mcd_osm_file *opened;
    cr_assert_eq(mcd_osm_file_open(&opened, write_file(), NULL, &import_error), MACADAM_OK);
    for (int round = 0; round < 2; ++round) {
        cr_expect_eq(read_again(opened, &no_nodes, 1), MACADAM_OK, "%s", import_error.message);
        cr_expect_str_eq(all, "w1 7 5 6 highway=road;w2 7 5 6 highway=road;");
        cr_expect_eq(read_again(opened, &only_nodes, 1), MACADAM_OK, "%s", import_error.message);
        cr_expect_str_eq(all, DENSE "n8 2,-1 highway=stop;");
    }
    mcd_osm_file_close(opened);
}

/* ---- threads ---- */

enum { WAYS = 100 };

static void write_ways(void)
{
    begin_file();
    for (uint64_t id = 1; id <= WAYS; ++id) {
        message block = new_block();
        put_way(&block, id);
        put_blob("OSMData", &block, ZLIB);
    }
}

Test(pbf, order_is_the_same_with_any_number_of_threads)
{
    char expected[TEXT_BYTES] = "";
    for (int id = 1; id <= WAYS; ++id) sprintf(expected + strlen(expected), "w%d 7 5 6 highway=road;", id);
    write_ways();
    for (unsigned threads = 1; threads <= 40; threads += 13) {
        cr_assert_eq(read_file(&no_nodes, threads), MACADAM_OK, "%s", import_error.message);
        cr_expect_str_eq(all, expected);
    }
}

Test(pbf, first_refusal_is_returned)
{
    write_ways();
    bad_way = 37;
    for (unsigned threads = 1; threads <= 9; threads += 4) {
        cr_expect_eq(read_file(&no_nodes, threads), MACADAM_E_INVALID);
        cr_expect_str_eq(import_error.message, "way 37");
    }
}

/* ---- bad files ---- */

static size_t header_bytes; /* of the file, before its blobs of data */

/* The blob that was put last is named by its first byte. */
static void expect_place(const char *what)
{
    char place[64], whole[1024];
    const char *const blob = strstr(import_error.message, ": the blob at byte ");
    const size_t at = blob ? strtoul(blob + strlen(": the blob at byte "), NULL, 10) : 0;
    snprintf(place, sizeof place, ": the blob at byte %zu", at);
    cr_expect(!blob || (at > header_bytes + 4 && at < file.bytes), "%s", import_error.message);
    snprintf(whole, sizeof whole, "%s%s: PBF error: %s", import_path("map.osm.pbf"), blob ? place : "", what);
    cr_expect_str_eq(import_error.message, whole);
}

static void expect_refused(const message *block, const char *type, packing how, const char *what)
{
    begin_file();
    header_bytes = file.bytes;
    put_blob(type, block, how);
    cr_expect_eq(read_file(&everything, 2), MACADAM_E_FILE, "%s", what);
    expect_place(what);
}

Test(pbf, bad_blobs_are_refused)
{
    message block = new_block();
    put_dense(&block);
    expect_refused(&block, "OSMData", RAW_SIZE_TOO_SMALL, "a blob cannot be decompressed");
    expect_refused(&block, "OSMData", RAW_SIZE_TOO_LARGE, "a blob cannot be decompressed");
    expect_refused(&block, "OSMData", LZMA, "a blob is compressed by other means than zlib, LZ4 or zstd");
    for (packing how = LZ4_TOO_SMALL; how <= LZ4_BROKEN; ++how)
        expect_refused(&block, "OSMData", how, "a blob cannot be decompressed");
    for (packing how = ZSTD_TOO_SMALL; how <= ZSTD_BROKEN; ++how)
        expect_refused(&block, "OSMData", how, "a blob cannot be decompressed");
    expect_refused(&block, "OSMHeader", ZLIB, "a blob is neither the header nor data");
}

Test(pbf, feature_that_is_unknown_is_refused)
{
    const message empty = {.bytes = 0};
    begin_file_of("Levitation");
    put_blob("OSMData", &empty, RAW);
    cr_expect_eq(read_file(&everything, 2), MACADAM_E_FILE);
    cr_expect(strstr(import_error.message, "PBF error: required feature not supported: Levitation"), "%s",
              import_error.message);
}

Test(pbf, bad_blocks_are_refused)
{
    message block = new_block(), dense = {.bytes = 0};
    DELTAS(&dense, 1, 1, 2);
    DELTAS(&dense, 8, 3);
    DELTAS(&dense, 9, 5);
    put_group(&block, 2, &dense);
    expect_refused(&block, "OSMData", ZLIB, "PBF format error");

    block = new_block();
    put_relation(&block, 3);
    expect_refused(&block, "OSMData", ZLIB, "unknown relation member type");

    block = new_block();
    put_way(&block, 1);
    const message other = new_block();
    memcpy(block.data + block.bytes, other.data, other.bytes);
    block.bytes += other.bytes;
    expect_refused(&block, "OSMData", ZLIB, "more than one stringtable in pbf file");
}

Test(pbf, string_that_is_not_there_is_refused)
{
    message block = block_of(STRINGS, 2);
    put_way(&block, 1);
    expect_refused(&block, "OSMData", ZLIB, "string id out of range");
}

Test(pbf, nodes_beyond_the_globe_are_nowhere)
{
    message block = new_block(), dense = {.bytes = 0};
    DELTAS(&dense, 1, 1, 2, 3, 4);
    DELTAS(&dense, 8, 1, 900000001, -900000001, 0);
    DELTAS(&dense, 9, 1800000001, 0, 0, -1800000001);
    put_group(&block, 2, &dense);
    begin_file();
    put_blob("OSMData", &block, ZLIB);
    expect_read(&everything, "n1 nowhere;n2 nowhere;n3 nowhere;n4 nowhere;");
}

/* The error is that of the blob before the end of a file that is cut off, however many are read concurrently. */
Test(pbf, first_error_of_the_file_is_reported)
{
    message block = new_block();
    put_dense(&block);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        begin_file();
        put_blob("OSMData", &block, ZLIB);
        put_blob("OSMData", &block, RAW_SIZE_TOO_SMALL);
        put_blob("OSMData", &block, ZLIB);
        file.bytes -= 3;
        cr_expect_eq(read_file(&everything, threads), MACADAM_E_FILE);
        expect_place("a blob cannot be decompressed");
    }
}

Test(pbf, block_may_be_empty)
{
    const message empty = {.bytes = 0};
    begin_file();
    put_blob("OSMData", &empty, RAW);
    expect_read(&everything, "");
}

Test(pbf, history_is_read_without_what_was_deleted)
{
    message block = new_block(), dense = {.bytes = 0}, info = {.bytes = 0};
    begin_file_of("HistoricalInformation");
    DELTAS(&dense, 1, 5, 7);
    PACKED(&info, 1, 1, 1);
    PACKED(&info, 6, 1, 0);
    put_message(&dense, 5, &info);
    DELTAS(&dense, 8, 10, 20);
    DELTAS(&dense, 9, 100, 200);
    put_group(&block, 2, &dense);
    put_blob("OSMData", &block, ZLIB);
    expect_read(&everything, "n5 100,10;");
}

/* Of each kind an object that was deleted, and one that is there, each with its Info. */
Test(pbf, history_names_objects_that_were_deleted)
{
    message block = new_block();
    begin_file_of("HistoricalInformation");
    for (unsigned field = 1; field <= 4; ++field)
        for (uint64_t visible = 0; visible < 2 && field != 2; ++visible) {
            message object = {.bytes = 0}, info = {.bytes = 0};
            put_number(&info, 1, 1);
            put_number(&info, 6, visible);
            put_number(&object, 1, field == 1 ? 2 * (10 + visible) : 10 * field + visible);
            put_message(&object, 4, &info);
            if (field == 1) {
                put_number(&object, 8, 0);
                put_number(&object, 9, 0);
            }
            put_group(&block, field, &object);
        }
    put_blob("OSMData", &block, ZLIB);
    expect_read(&everything, "n11 0,0;w31;r41;");
}

static message whole; /* the file with one block twice */
static size_t first_bytes, second_bytes;

static void write_whole(void)
{
    message block = new_block();
    put_dense(&block);
    put_node(&block);
    put_way(&block, 40);
    put_relation(&block, 1);
    begin_file();
    first_bytes = file.bytes;
    put_blob("OSMData", &block, RAW);
    second_bytes = file.bytes;
    put_blob("OSMData", &block, ZLIB);
    whole = file;
}

Test(pbf, damaged_blocks_do_no_harm)
{
    write_whole();
    for (size_t at = first_bytes; at < whole.bytes; ++at) {
        file = whole;
        file.data[at] = (unsigned char)(file.data[at] + 1 + at % 255);
        const macadam_status status = read_file(at % 2 ? &everything : &no_nodes, 1);
        cr_expect(status == MACADAM_OK || status == MACADAM_E_FILE, "%s", import_error.message);
    }
}

Test(pbf, file_cut_off_within_a_blob_is_refused)
{
    write_whole();
    for (file.bytes = first_bytes; file.bytes < whole.bytes; ++file.bytes) {
        const bool between = file.bytes == first_bytes || file.bytes == second_bytes;
        cr_expect_eq(read_file(&everything, 1), between ? MACADAM_OK : MACADAM_E_FILE, "%zu", file.bytes);
    }
}

/* A way with the coordinates of its nodes: they are handed over as nodes once it is known that there are some. */
Test(pbf, ways_place_their_nodes)
{
    message block = new_block(), way = {.bytes = 0};
    put_number(&way, 1, 40);
    DELTAS(&way, 8, 7, 5);
    DELTAS(&way, 9, 10, 20);
    DELTAS(&way, 10, 100, 200);
    put_group(&block, 3, &way);
    begin_file();
    put_blob("OSMData", &block, ZLIB);
    mcd_osm_file *opened;
    cr_assert_eq(mcd_osm_file_open(&opened, write_file(), NULL, &import_error), MACADAM_OK);
    cr_expect_eq(read_again(opened, &no_nodes, 1), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(all, "w40 7 5;");
    cr_expect_eq(read_again(opened, &only_nodes, 1), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(all, "n7 100,10;n5 200,20;");
    mcd_osm_file_close(opened);
}
