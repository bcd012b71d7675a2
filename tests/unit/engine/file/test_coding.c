/* test_coding.c - coded sections come back as they were, and stored bytes that lie are refused. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/file/write.h"

#include <criterion/criterion.h>
#include <string.h>

SCOPED_POINTER(mcd_edge_file, mcd_edge_file_close)

enum { BLOCK = MCD_BLOCK_BYTES, BYTES = 2 * BLOCK + 4096, ZEROS = 3 << 20 };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static const mcd_parallel two_threads = {2, NULL};
static unsigned char *data; /* BYTES of small differences, which are not the same twice */
static unsigned char *image;
static size_t image_bytes;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    data = checked_zeroed(ZEROS, 1);
    test_rng rng = {5};
    uint32_t value = 0;
    for (size_t i = 0; i < BYTES / sizeof value; ++i) {
        value += rng_below(&rng, 2000) - 1000;
        memcpy(data + i * sizeof value, &value, sizeof value);
    }
}

static void tear_down(void)
{
    free(data);
    free(image);
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(coding, .init = set_up, .fini = tear_down);

static mcd_section_array array_of(const char *name, size_t element_size, const void *elements, size_t bytes)
{
    mcd_section_array array = {.element_size = element_size,
                               .data = elements,
                               .count = bytes / element_size,
                               .coding = MCD_CODING_DIFFERENCES};
    strcpy(array.name, name);
    return array;
}

static void write_arrays(const mcd_section_array *array, size_t count)
{
    mcd_edge_writer *writer;
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &two_threads, &error), MACADAM_OK);
    FIXTURE_CALL(mcd_edge_writer_arrays, writer, array, count, false);
    FIXTURE_CALL(mcd_edge_writer_finish, writer);
    mcd_edge_writer_free(writer);
    free(image);
    image = files_read(path, &image_bytes);
}

static macadam_status read_first(const void *expected)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const mcd_file_section section = edge_directory(image)[0];
    const void *found;
    MCD_TRY(mcd_edge_file_open(&file, &(mcd_file_source){.memory = image, .bytes = image_bytes}, false,
                               &two_threads, &error));
    const macadam_status status =
        mcd_edge_file_section(file, section.name, section.element_size, MCD_COUNT_ANY, &found, NULL, &error);
    if (!status && expected) cr_assert_eq(memcmp(found, expected, section.bytes), 0);
    return status;
}

/* ---- there and back ---- */

Test(coding, sections_of_all_sizes_come_back)
{
    static const size_t length[] = {0, 8, 16, BLOCK - 8, BLOCK, BLOCK + 8, BYTES};
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t i = 0; i < sizeof length / sizeof *length; ++i) {
            const mcd_section_array array = array_of("section", size, data, length[i]);
            write_arrays(&array, 1);
            cr_assert_eq(read_first(data), MACADAM_OK, "%s", error.message);
        }
}

Test(coding, every_coding_comes_back)
{
    mcd_encoder *const encoder = mcd_encoder_new();
    cr_assert_not_null(encoder);
    for (int coding = MCD_CODING_BYTES; coding < MCD_CODING_COUNT; ++coding)
        for (size_t size = 1; size <= 8; size *= 2) {
            unsigned char stored[BLOCK + 4096], *out = checked_zeroed(4096, 1);
            const mcd_encoded block = mcd_encoder_block(encoder, (mcd_coding)coding, size, data, 4096);
            const uint32_t bytes = (uint32_t)block.bytes;
            cr_assert_gt(bytes, 0);
            memcpy(stored, block.data, bytes);
            memcpy(stored + bytes, &bytes, sizeof bytes);
            const mcd_coded coded = {"file", "section", stored, bytes + 4, 4096, size, (mcd_coding)coding};
            FIXTURE_CALL(mcd_coded_decode, &coded, out, &two_threads);
            cr_expect_eq(memcmp(out, data, 4096), 0, "coding %d, elements of %zu", coding, size);
            free(out);
        }
    mcd_encoder_free(encoder);
}

Test(coding, small_differences_take_little_room)
{
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    cr_expect_eq(edge_directory(image)[0].coding, MCD_CODING_DIFFERENCES);
    cr_expect_lt(image_bytes, BYTES / 2);
}

/* Ascending numbers, with two words that others do not resemble. */
Test(coding, words_of_records_of_three_are_stored_together)
{
    test_rng rng = {6};
    uint32_t *const word = (uint32_t *)data;
    for (size_t i = 0; i < BYTES / sizeof *word; ++i)
        word[i] = i % 3 == 0 ? (uint32_t)i : i % 3 == 1 ? UINT32_MAX : 1000000 + rng_below(&rng, 250);
    mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    const size_t before = image_bytes;
    array.coding = MCD_CODING_TRIPLES;
    write_arrays(&array, 1);
    cr_assert_eq(read_first(data), MACADAM_OK, "%s", error.message);
    cr_expect_lt(image_bytes, before / 2, "%zu bytes, %zu by neighbours", image_bytes, before);
}

/* One part of 256 at least, so that no file decodes to more than 256 times its size. */
Test(coding, zeros_are_padded)
{
    memset(data, 0, ZEROS);
    const mcd_section_array array = array_of("section", 4, data, ZEROS);
    write_arrays(&array, 1);
    cr_expect_eq(edge_directory(image)[0].stored_bytes, ZEROS / MCD_EXPANSION_MAX);
    cr_expect_eq(read_first(data), MACADAM_OK);
}

Test(coding, copies_are_stored_alike)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    mcd_edge_writer *writer;
    const mcd_section_array array[] = {array_of("a", 4, data, BYTES), array_of("b", 8, data, 4096)};
    write_arrays(array, 2);
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.memory = image, .bytes = image_bytes}, false,
                                    &two_threads, &error),
                 MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &two_threads, &error), MACADAM_OK);
    for (size_t i = 0; i < 2; ++i)
        cr_assert_eq(mcd_edge_writer_copy(writer, file, array[i].name, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    mcd_edge_writer_free(writer);
    size_t bytes;
    unsigned char *const copy = files_read(path, &bytes);
    cr_assert_eq(bytes, image_bytes);
    cr_expect_eq(memcmp(copy, image, bytes), 0);
    free(copy);
}

Test(coding, unpacked_file_has_the_same_sections)
{
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    size_t bytes = 0;
    unsigned char *const unpacked = edge_unpack(image, image_bytes, &bytes);
    cr_assert_not_null(unpacked);
    cr_expect_eq(memcmp(unpacked + edge_directory(unpacked)[0].offset, data, BYTES), 0);
    free(image);
    image = unpacked, image_bytes = bytes;
    cr_expect_eq(read_first(data), MACADAM_OK);
}

/* ---- stored bytes that lie, under right checksums ---- */

/* Whatever is changed, the section is refused or holds as many elements. */
Test(coding, changed_bytes_are_refused_or_decode)
{
    test_rng rng = {9};
    size_t refused = 0;
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    const mcd_file_section section = edge_directory(image)[0];
    for (size_t trial = 0; trial < 200; ++trial) {
        const size_t at = section.offset + (trial < 100 ? rng_below(&rng, (uint32_t)section.stored_bytes)
                                                        : section.stored_bytes - 1 - rng_below(&rng, 12));
        const unsigned char before = image[at];
        image[at] ^= (unsigned char)(1 + rng_below(&rng, 255));
        edge_seal_section(image, 0);
        const macadam_status status = read_first(NULL);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_FILE);
        if (status) cr_assert_not_null(strstr(error.message, "'section' is damaged"), "%s", error.message);
        refused += status == MACADAM_E_FILE;
        image[at] = before;
    }
    cr_expect_geq(refused, 100, "a changed table decodes");
}

Test(coding, tables_that_lie_are_refused)
{
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    const mcd_file_section section = edge_directory(image)[0];
    unsigned char *const table = image + section.offset + section.stored_bytes - 12; /* at any address */
    unsigned char first[4];
    static const uint32_t wrong[] = {0, 1, UINT32_MAX, UINT32_MAX / 2};
    memcpy(first, table, sizeof first);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        memcpy(table, &wrong[i], sizeof wrong[i]);
        edge_seal_section(image, 0);
        cr_expect_eq(read_first(NULL), MACADAM_E_FILE, "%u", wrong[i]);
    }
    memcpy(table, first, sizeof first);
}

Test(coding, sizes_that_lie_are_refused)
{
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    const mcd_file_section section = edge_directory(image)[0];
    const struct {
        uint64_t bytes;
        uint32_t coding;
        const char *message;
    } lie[] = {
        {BYTES + 4, section.coding, "does not decode"},
        {BYTES - 4, section.coding, "does not decode"},
        {BLOCK, section.coding, "does not decode"},
        {(section.stored_bytes + 1) * MCD_EXPANSION_MAX, section.coding, "which is too few"},
        {section.stored_bytes * MCD_EXPANSION_MAX, section.coding, "is damaged"},
        {UINT64_MAX - 3, section.coding, "which is too few"},
        {BYTES, MCD_CODING_NONE, "another number"},
        {BYTES, MCD_CODING_COUNT, "has a coding"},
        {BYTES, UINT32_MAX, "has a coding"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; ++i) {
        edge_directory(image)[0].bytes = lie[i].bytes;
        edge_directory(image)[0].coding = lie[i].coding;
        edge_seal_directory(image);
        cr_expect_eq(read_first(NULL), MACADAM_E_FILE, "lie %zu", i);
        cr_expect_not_null(strstr(error.message, lie[i].message), "'%s' does not say '%s'", error.message,
                           lie[i].message);
    }
}

Test(coding, encoders_are_made_of_blocks_of_the_hook)
{
    size_t nth = 0;
    mcd_encoder *encoder = NULL;
    while (!encoder) {
        allocator_fail(++nth);
        encoder = mcd_encoder_new();
    }
    cr_expect_gt(nth, 2, "the encoder and its context"); /* the one that did not come fails none */
    const mcd_encoded encoded = mcd_encoder_block(encoder, MCD_CODING_BYTES, 1, data, 10000);
    cr_expect(allocator_has_failed() || encoded.bytes > 0);
    mcd_encoder_free(encoder);
}

Test(coding, decoding_without_memory_fails_and_leaks_nothing)
{
    const mcd_section_array array = array_of("section", 4, data, BYTES);
    write_arrays(&array, 1);
    size_t failed = 0;
    for (size_t nth = 1;; ++nth, ++failed) {
        allocator_fail(nth);
        const macadam_status status = read_first(data);
        const bool was_reached = allocator_has_failed();
        allocator_fail(0);
        if (!was_reached) break;
        cr_assert_eq(status, MACADAM_E_MEMORY, "request %zu", nth);
    }
    cr_expect_gt(failed, 4);
}
