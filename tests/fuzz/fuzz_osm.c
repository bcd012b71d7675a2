/* fuzz_osm.c - any bytes as OpenStreetMap data in one format: reading it ends, with its objects or with an error
 * that has a message, and touches only its own memory. It is built once a format: FUZZ_FORMAT is the file's ending.
 *
 * Input: the file, but of a .pbf file a PrimitiveBlock, which is put in the file unchanged. */
#include "importers/osm/read/osm_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argument_count, char ***argument);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK_MAX = 1 << 14 };

/* The length of the BlobHeader, the BlobHeader, and its Blob, the HeaderBlock "OsmSchema-V0.6". */
static const unsigned char header[] = "\0\0\0\x0d\x0a\x09OSMHeader\x18\x12\x0a\x10\x22\x0eOsmSchema-V0.6";

static char path[] = "/tmp/macadam-fuzz-XXXXXX." FUZZ_FORMAT;
static int file;
static volatile size_t seen; /* so that every object is looked at */

static void look_at(const mcd_tags *tags)
{
    for (size_t i = 0; i < tags->count; ++i) seen += strlen(tags->tag[i].key) + strlen(tags->tag[i].value);
}

static macadam_status take_node(void *context, size_t part, const mcd_osm_node *node, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    look_at(&node->tags);
    return MACADAM_OK;
}

static macadam_status take_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    for (size_t i = 0; i < way->node_count; ++i) seen += (size_t)way->node[i];
    look_at(&way->tags);
    return MACADAM_OK;
}

static macadam_status take_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < relation->member_count; ++i) seen += strlen(relation->member[i].role);
    look_at(&relation->tags);
    return MACADAM_OK;
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    return MACADAM_OK;
}

int LLVMFuzzerInitialize(int *argument_count, char ***argument)
{
    (void)argument_count;
    (void)argument;
    file = mkstemps(path, (int)sizeof FUZZ_FORMAT); /* with the dot, without the NUL */
    if (file < 0) abort();
    return 0;
}

static void remove_file(void)
{
    unlink(path);
}

static size_t put_varint(unsigned char *to, size_t value)
{
    size_t bytes = 0;
    for (; value >= 0x80; value >>= 7) to[bytes++] = (unsigned char)(value | 0x80);
    to[bytes++] = (unsigned char)value;
    return bytes;
}

static void write_whole(const uint8_t *data, size_t size)
{
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) < 0) abort();
}

/* Writes header and block. */
static void write_block(const uint8_t *data, size_t size)
{
    unsigned char raw[16] = {0x0a}, frame[32] = "\0\0\0\0\x0a\x07OSMData\x18";
    const size_t raw_bytes = 1 + put_varint(raw + 1, size);
    const size_t frame_bytes = 14 + put_varint(frame + 14, raw_bytes + size);
    frame[3] = (unsigned char)(frame_bytes - 4);
    if (ftruncate(file, 0) != 0 || pwrite(file, header, sizeof header - 1, 0) < 0 ||
        pwrite(file, frame, frame_bytes, sizeof header - 1) < 0 ||
        pwrite(file, raw, raw_bytes, (off_t)(sizeof header - 1 + frame_bytes)) < 0 ||
        pwrite(file, data, size, (off_t)(sizeof header - 1 + frame_bytes + raw_bytes)) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mcd_osm_handler handler[] = {
        {.node = take_node, .way = take_way, .relation = take_relation, .join = join},
        {.way = take_way, .relation = take_relation, .join = join, .versions = true},
        {.node = take_node, .join = join, .versions = true}};
    static const mcd_parallel one_thread = {1, NULL};
    static const mcd_progress silent;
    static bool registered;
    macadam_error error = {.message = ""};
    mcd_osm_file *opened;
    if (size == 0 || size > BLOCK_MAX) return 0;
    if (!registered) registered = atexit(remove_file) == 0;
    (strcmp(FUZZ_FORMAT, "pbf") == 0 ? write_block : write_whole)(data, size);
    if (mcd_osm_file_open(&opened, path, NULL, &error)) abort();
    for (size_t i = 0; i < sizeof handler / sizeof handler[0]; ++i) {
        const macadam_status status =
            mcd_osm_file_read(&opened, 1, &handler[i], &one_thread, &silent, "reading", &error);
        if (status && !*error.message) abort();
    }
    mcd_osm_file_close(opened);
    return 0;
}
