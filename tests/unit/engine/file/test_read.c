/* test_read.c - edge files are read as they were written, and damaged ones are refused. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/edge_seal.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/file/write.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

SCOPED_POINTER(mcd_edge_file, mcd_edge_file_close)

enum { NUMBERS = 5000, BIG = 700001 }; /* a page and a bit; three parts of a checksum */

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static uint32_t number[NUMBERS];
static uint64_t offset[3] = {0, UINT64_C(1) << 40, UINT64_MAX};
static unsigned char big[BIG];
static const mcd_parallel two_threads = {2, NULL};
static unsigned char *image; /* the bytes of a good file */
static size_t image_bytes;
static macadam_error error;

static macadam_status write_sections(mcd_edge_writer *writer)
{
    MCD_TRY(mcd_edge_writer_section(writer, "number", 4, number, NUMBERS, false, &error));
    MCD_TRY(mcd_edge_writer_section(writer, "none", 8, NULL, 0, false, &error));
    MCD_TRY(mcd_edge_writer_section(writer, "offset", 8, offset, 3, false, &error));
    return mcd_edge_writer_section(writer, "big", 1, big, BIG, false, &error);
}

static macadam_status write_file(void)
{
    mcd_edge_writer *writer;
    MCD_TRY(mcd_edge_writer_new(&writer, path, &two_threads, &error));
    macadam_status status = write_sections(writer);
    if (!status) status = mcd_edge_writer_finish(writer, &error);
    mcd_edge_writer_free(writer);
    return status;
}

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    test_rng rng = {1};
    for (size_t i = 0; i < NUMBERS; ++i) number[i] = (uint32_t)rng_next(&rng);
    for (size_t i = 0; i < BIG; ++i) big[i] = (unsigned char)rng_next(&rng);
    cr_assert_eq(write_file(), MACADAM_OK, "%s", error.message);
    image = files_read(path, &image_bytes);
}

static void tear_down(void)
{
    free(image);
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(edge_file, .init = set_up, .fini = tear_down);

static macadam_status open_image(mcd_edge_file **file)
{
    return mcd_edge_file_open(file, &(mcd_file_source){.memory = image, .bytes = image_bytes}, false,
                              &two_threads, &error);
}

/* The image is refused, with all of `named` (NULL at its end) in the message. */
static void expect_refused(const char *named, const char *also)
{
    mcd_edge_file *file;
    error.message[0] = '\0';
    cr_assert_eq(open_image(&file), MACADAM_E_FILE, "expected: %s", named);
    cr_assert_null(file);
    cr_assert_not_null(strstr(error.message, named), "'%s' does not say '%s'", error.message, named);
    cr_assert_not_null(strstr(error.message, also), "'%s' does not say '%s'", error.message, also);
    cr_assert_null(strchr(error.message, '\n'));
}

static macadam_status get(mcd_edge_file *file, const char *name, size_t element_size, const void **data)
{
    return mcd_edge_file_section(file, name, element_size, MCD_COUNT_ANY, data, NULL, &error);
}

/* ---- what was written ---- */

static void expect_section(mcd_edge_file *file, const char *name, size_t element_size, const void *data,
                           size_t count)
{
    const void *found;
    size_t found_count;
    FIXTURE_CALL(mcd_edge_file_section, file, name, element_size, count, &found, &found_count);
    cr_assert_eq(found_count, count);
    cr_assert_not_null(found);
    cr_assert_eq((uintptr_t)found % 64, 0);
    if (count) cr_assert_eq(memcmp(found, data, count * element_size), 0);
}

static void expect_all(mcd_edge_file *file)
{
    expect_section(file, "number", 4, number, NUMBERS);
    expect_section(file, "none", 8, NULL, 0);
    expect_section(file, "offset", 8, offset, 3);
    expect_section(file, "big", 1, big, BIG);
}

Test(edge_file, sections_come_back_as_written)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    FIXTURE_CALL(mcd_edge_file_open, &file, &(mcd_file_source){.path = path}, false, &two_threads);
    expect_all(file);
    cr_assert_eq(file->section_count, 4);
    cr_assert_eq(file->bytes, image_bytes);
    cr_assert_str_eq(file->name, path);
    cr_assert(mcd_edge_file_has(file, "offset"));
    cr_assert_not(mcd_edge_file_has(file, "offse"));
}

Test(edge_file, sections_come_back_from_memory)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    cr_assert_eq(open_image(&file), MACADAM_OK, "%s", error.message);
    expect_all(file);
}

Test(edge_file, sections_lie_on_pages)
{
    for (size_t i = 0; i < edge_header(image)->section_count; ++i)
        cr_assert_eq(edge_directory(image)[i].offset % MCD_FILE_ALIGNMENT, 0);
}

Test(edge_file, file_without_sections_can_be_opened)
{
    mcd_edge_writer *writer;
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const void *data;
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &two_threads, &error), MACADAM_OK);
    FIXTURE_CALL(mcd_edge_writer_finish, writer);
    mcd_edge_writer_free(writer);
    FIXTURE_CALL(mcd_edge_file_open, &file, &(mcd_file_source){.path = path}, false, &two_threads);
    cr_assert_eq(get(file, "number", 4, &data), MACADAM_E_FILE);
}

Test(edge_file, copied_sections_are_equal)
{
    mcd_edge_file *file;
    mcd_edge_writer *writer;
    cr_assert_eq(open_image(&file), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &two_threads, &error), MACADAM_OK);
    for (size_t i = 0; i < file->section_count; ++i)
        cr_assert_eq(mcd_edge_writer_copy(writer, file, file->section[i].name, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    mcd_edge_writer_free(writer);
    mcd_edge_file_close(file);
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &two_threads, &error),
                 MACADAM_OK);
    expect_all(file);
    mcd_edge_file_close(file);
}

/* ---- requests ---- */

Test(edge_file, missing_section_is_named)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const void *data = image;
    cr_assert_eq(open_image(&file), MACADAM_OK);
    cr_assert_eq(get(file, "tail", 4, &data), MACADAM_E_FILE);
    cr_assert_null(data);
    cr_assert_str_eq(error.message, "memory: there is no section 'tail'");
}

Test(edge_file, section_of_other_elements_or_another_count_is_named)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const void *data;
    cr_assert_eq(open_image(&file), MACADAM_OK);
    cr_assert_eq(get(file, "offset", 4, &data), MACADAM_E_FILE);
    cr_assert_str_eq(error.message, "memory: section 'offset' has elements of 8 bytes, not 4");
    cr_assert_eq(mcd_edge_file_section(file, "offset", 8, 4, &data, NULL, &error), MACADAM_E_FILE);
    cr_assert_str_eq(error.message, "memory: section 'offset' has 3 elements, not 4");
}

/* ---- files that are none ---- */

Test(edge_file, missing_file_is_named)
{
    mcd_edge_file *file;
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = "/nowhere/map.mcd"}, false,
                                    &two_threads, &error),
                 MACADAM_E_IO);
    cr_assert_str_eq(error.message, "cannot open '/nowhere/map.mcd': No such file or directory");
    cr_assert_null(file);
}

Test(edge_file, empty_file_is_refused)
{
    mcd_edge_file *file;
    files_write(path, "", 0);
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &two_threads, &error),
                 MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, "/map.mcd: the file is empty"), "%s", error.message);
    image_bytes = 0;
    expect_refused("memory", "is empty");
}

Test(edge_file, truncated_file_is_refused_wherever_it_is_cut)
{
    const size_t whole = image_bytes;
    test_rng rng = {2};
    for (image_bytes = 1; image_bytes < MCD_FILE_HEADER_BYTES + 2; ++image_bytes)
        expect_refused("truncated", "bytes");
    for (image_bytes = whole - 1; image_bytes > whole - 500; --image_bytes)
        expect_refused("truncated", "bytes");
    for (size_t i = 0; i < edge_header(image)->section_count; ++i) {
        image_bytes = edge_directory(image)[i].offset;
        expect_refused("truncated", "bytes");
    }
    for (int i = 0; i < 500; ++i) {
        image_bytes = 1 + rng_below(&rng, (uint32_t)whole - 1);
        expect_refused("truncated", "bytes");
    }
}

Test(edge_file, bytes_behind_the_end_are_refused)
{
    unsigned char *longer = checked_allocate(image_bytes / 64 * 64 + 128, 1);
    unsigned char *aligned = longer + (64 - (uintptr_t)longer % 64) % 64;
    memcpy(aligned, image, image_bytes);
    mcd_edge_file *file;
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.memory = aligned, .bytes = image_bytes + 1},
                                    false, &two_threads, &error),
                 MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, "more than"));
    free(longer);
}

Test(edge_file, wrong_magic_is_not_an_edge_file)
{
    memcpy(image, "\x89PNG\r\n\x1a\n", 8);
    expect_refused("not an edge file", "macadam import");
}

Test(edge_file, newer_format_names_both_and_the_command_that_rebuilds)
{
    edge_header(image)->format = 7;
    edge_seal_header(image);
    expect_refused("file format 7, newer than 6, which Macadam 0.1.0 reads", "macadam import");
}

Test(edge_file, older_format_names_both_and_the_command_that_rebuilds)
{
    edge_header(image)->format = 0;
    edge_seal_header(image);
    expect_refused("file format 0, older than 6", "macadam import");
}

Test(edge_file, big_endian_file_is_refused)
{
    edge_header(image)->byte_order = 0x04030201;
    edge_seal_header(image);
    expect_refused("big-endian", "macadam import");
}

Test(edge_file, memory_that_is_not_aligned_is_invalid)
{
    mcd_edge_file *file;
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.memory = image + 8, .bytes = image_bytes - 8},
                                    false, &two_threads, &error),
                 MACADAM_E_INVALID);
    cr_assert_null(file);
}

/* ---- flipped bits ---- */

Test(edge_file, every_flipped_bit_of_the_header_is_noticed)
{
    for (size_t bit = 0; bit < MCD_FILE_HEADER_BYTES * 8; ++bit) {
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect_refused("header", "memory: ");
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

Test(edge_file, every_flipped_bit_of_the_directory_is_noticed)
{
    for (size_t bit = edge_header(image)->directory_offset * 8; bit < image_bytes * 8; ++bit) {
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect_refused("directory is damaged", "checksum");
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* Flips a bit of the section's `at`-th byte: this section is refused each time that it is requested, the
 * others are not. */
static void expect_noticed(const mcd_file_section *section, size_t at)
{
    mcd_edge_file *file;
    const void *data;
    char quoted[MCD_SECTION_NAME_BYTES + 2];
    snprintf(quoted, sizeof quoted, "'%s'", section->name);
    image[section->offset + at] ^= 16;
    cr_assert_eq(open_image(&file), MACADAM_OK);
    for (int time = 0; time < 2; ++time) {
        cr_assert_eq(get(file, section->name, section->element_size, &data), MACADAM_E_FILE);
        cr_assert_not_null(strstr(error.message, quoted), "%s", error.message);
        cr_assert_null(data);
    }
    for (size_t i = 0; i < file->section_count; ++i) {
        const mcd_file_section *other = &file->section[i];
        if (strcmp(other->name, section->name) != 0)
            cr_assert_eq(get(file, other->name, other->element_size, &data), MACADAM_OK);
    }
    cr_assert_eq(mcd_edge_file_verify(file, &error), MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, quoted), "%s", error.message);
    mcd_edge_file_close(file);
    image[section->offset + at] ^= 16;
}

Test(edge_file, flipped_bit_of_a_section_is_noticed_at_its_first_use)
{
    test_rng rng = {3};
    for (size_t i = 0; i < edge_header(image)->section_count; ++i) {
        const mcd_file_section section = edge_directory(image)[i];
        if (section.bytes == 0) continue;
        expect_noticed(&section, 0);
        expect_noticed(&section, section.bytes - 1);
        expect_noticed(&section, rng_below(&rng, (uint32_t)section.bytes));
    }
}

Test(edge_file, trusted_file_is_only_verified_when_asked)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const void *data;
    image[edge_directory(image)[0].offset] ^= 1;
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.memory = image, .bytes = image_bytes}, true,
                                    &two_threads, &error),
                 MACADAM_OK);
    cr_assert(file->trust);
    cr_assert_eq(get(file, "number", 4, &data), MACADAM_OK);
    cr_assert_eq(mcd_edge_file_verify(file, &error), MACADAM_E_FILE);
}

/* ---- hostile directories, under right checksums ---- */

static void expect_directory_refused(const char *named)
{
    edge_seal_directory(image);
    expect_refused("directory", named);
    free(image);
    image = files_read(path, &image_bytes);
}

Test(edge_file, sections_must_lie_in_the_file_apart_and_on_pages)
{
    edge_directory(image)[1].offset += 1;
    expect_directory_refused("'none'");
    edge_directory(image)[1].offset = edge_directory(image)[0].offset;
    edge_directory(image)[1].bytes = edge_directory(image)[1].stored_bytes = 8;
    expect_directory_refused("'none'");
    edge_directory(image)[3].offset = UINT64_MAX / MCD_FILE_ALIGNMENT * MCD_FILE_ALIGNMENT;
    expect_directory_refused("'big'");
    edge_directory(image)[3].bytes = edge_directory(image)[3].stored_bytes = UINT64_MAX;
    expect_directory_refused("'big'");
    edge_directory(image)[3].bytes += MCD_FILE_ALIGNMENT; /* into the directory */
    edge_directory(image)[3].stored_bytes += MCD_FILE_ALIGNMENT;
    expect_directory_refused("'big'");
    edge_directory(image)[0].offset = 0; /* over the header */
    expect_directory_refused("'number'");
}

Test(edge_file, sections_must_have_proper_elements)
{
    edge_directory(image)[2].element_size = 0;
    expect_directory_refused("'offset'");
    edge_directory(image)[2].element_size = 3;
    expect_directory_refused("'offset'");
    edge_directory(image)[2].bytes -= 1;
    expect_directory_refused("'offset'");
}

Test(edge_file, sections_must_have_names_of_their_own)
{
    memset(edge_directory(image)[2].name, 'x', MCD_SECTION_NAME_BYTES);
    expect_directory_refused("section 2 has no proper name");
    memset(edge_directory(image)[2].name, 0, MCD_SECTION_NAME_BYTES);
    expect_directory_refused("section 2 has no proper name");
    strcpy(edge_directory(image)[2].name, "two\nlines");
    expect_directory_refused("section 2 has no proper name");
    strcpy(edge_directory(image)[2].name, "number");
    expect_directory_refused("two sections are named 'number'");
}

static void expect_header_refused(const char *named)
{
    edge_seal_header(image);
    expect_refused("header", named);
    free(image);
    image = files_read(path, &image_bytes);
}

Test(edge_file, directory_must_be_where_the_header_says)
{
    edge_header(image)->section_count = UINT32_MAX;
    expect_header_refused("4294967295 sections");
    edge_header(image)->section_count -= 1;
    expect_header_refused("not the end");
    edge_header(image)->directory_offset = 0;
    expect_header_refused("not the end");
    edge_header(image)->directory_offset += 1;
    expect_header_refused("not the end");
    edge_header(image)->directory_offset = UINT64_MAX / MCD_FILE_ALIGNMENT * MCD_FILE_ALIGNMENT;
    expect_header_refused("not the end");
}

/* ---- threads, memory ---- */

typedef struct first_use {
    mcd_edge_file *file;
    pthread_barrier_t *start;
    macadam_status status;
    bool equal;
} first_use;

static void *use_first(void *argument)
{
    first_use *use = argument;
    const void *data;
    pthread_barrier_wait(use->start);
    use->status = mcd_edge_file_section(use->file, "big", 1, BIG, &data, NULL, NULL);
    use->equal = data && memcmp(data, big, BIG) == 0;
    return NULL;
}

static void use_by_two_threads(macadam_status expected)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    pthread_barrier_t start;
    pthread_t thread[2];
    cr_assert_eq(open_image(&file), MACADAM_OK);
    pthread_barrier_init(&start, NULL, 2);
    first_use use[2] = {{.file = file, .start = &start}, {.file = file, .start = &start}};
    for (int i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, use_first, &use[i]);
    for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(use[i].status, expected);
        cr_assert_eq(use[i].equal, expected == MACADAM_OK);
    }
    pthread_barrier_destroy(&start);
}

Test(edge_file, two_threads_may_ask_first)
{
    for (int time = 0; time < 50; ++time) use_by_two_threads(MACADAM_OK);
    image[edge_directory(image)[3].offset + BIG / 2] ^= 1;
    for (int time = 0; time < 50; ++time) use_by_two_threads(MACADAM_E_FILE);
}

Test(edge_file, opening_without_memory_fails_and_leaks_nothing)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    size_t nth = 0;
    do {
        allocator_fail(++nth);
        const macadam_status status =
            mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &two_threads, &error);
        cr_assert_eq(status, allocator_has_failed() ? MACADAM_E_MEMORY : MACADAM_OK);
        cr_assert_eq(file != NULL, status == MACADAM_OK);
    } while (!file);
    allocator_fail(0);
    cr_assert_gt(nth, 3);
}
