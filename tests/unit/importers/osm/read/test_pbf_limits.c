/* test_pbf_limits.c - blocks of .osm.pbf files that would take much more memory than the file. */
#include "importers/osm/read/osm_file.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(pbf_limits, .init = import_fixture_open, .fini = import_fixture_close);

static unsigned char data[1 << 20], *at;

static void put_length(unsigned field, size_t bytes)
{
    *at++ = (unsigned char)(field << 3 | 2);
    for (; bytes > 127; bytes >>= 7) *at++ = (unsigned char)(bytes | 128);
    *at++ = (unsigned char)bytes;
}

static void put_text(unsigned field, const char *text)
{
    put_length(field, strlen(text));
    at = (unsigned char *)memcpy(at, text, strlen(text)) + strlen(text);
}

static void put_filled(unsigned field, int value, size_t bytes)
{
    put_length(field, bytes);
    at = (unsigned char *)memset(at, value, bytes) + bytes;
}

/* The head of a blob with one raw block. The sizes of both have three bytes. */
static void put_blob(const char *type, size_t block_bytes)
{
    const size_t blob = 4 + block_bytes;
    *at++ = 0, *at++ = 0, *at++ = 0, *at++ = (unsigned char)(2 + strlen(type) + 4);
    put_text(1, type);
    *at++ = 3 << 3, *at++ = (unsigned char)(blob | 128), *at++ = (unsigned char)(blob >> 7 | 128);
    *at++ = (unsigned char)(blob >> 14);
    *at++ = 1 << 3 | 2, *at++ = (unsigned char)(block_bytes | 128);
    *at++ = (unsigned char)(block_bytes >> 7 | 128), *at++ = (unsigned char)(block_bytes >> 14);
}

static macadam_status accept(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    (void)context, (void)part, (void)way, (void)error;
    return MACADAM_OK;
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    (void)context, (void)part, (void)error;
    return MACADAM_OK;
}

/* Each of a way's tags takes two bytes, and twice its string's when it is decoded. */
Test(pbf_limits, block_that_grows_a_thousand_times_is_refused)
{
    static const mcd_osm_handler ways = {.way = accept, .join = join};
    enum { STRING = 1000, TAGS = 300000, TABLE = 5 + STRING, WAY = 2 + 2 * (4 + TAGS), GROUP = 4 + WAY };
    const mcd_parallel parallel = mcd_parallel_of(1, NULL);
    at = data;
    put_blob("OSMHeader", 16);
    put_text(4, "OsmSchema-V0.6");
    put_blob("OSMData", 3 + TABLE + 4 + GROUP);
    put_length(1, TABLE);
    put_text(1, "");
    put_filled(1, 'x', STRING);
    put_length(2, GROUP);
    put_length(3, WAY);
    *at++ = 1 << 3, *at++ = 1; /* its id */
    put_filled(2, 1, TAGS);
    put_filled(3, 1, TAGS);
    const char *const path = import_path("map.osm.pbf");
    files_write(path, data, (size_t)(at - data));
    mcd_osm_file *opened;
    cr_assert_eq(mcd_osm_file_open(&opened, path, NULL, &import_error), MACADAM_OK, "%s",
                 import_error.message);
    cr_expect_eq(mcd_osm_file_read(&opened, 1, &ways, &parallel, NULL, "reading", &import_error),
                 MACADAM_E_FILE);
    cr_expect(
        strstr(import_error.message, "an object, or the relations of a block, would take more than 512 MB"),
        "%s", import_error.message);
    mcd_osm_file_close(opened);
}
