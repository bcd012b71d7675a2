/* test_write.c - a file is written whole or not at all, and its sections are well-formed. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"

#include "engine/file/write.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

SCOPED_POINTER(mcd_edge_file, mcd_edge_file_close)

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static const mcd_parallel one_thread = {1, NULL}, two_threads = {2, NULL};
static const uint32_t word[4] = {1, 2, 3, 4};
static mcd_edge_writer *writer;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &one_thread, &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    mcd_edge_writer_free(writer);
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(edge_file_write, .init = set_up, .fini = tear_down);

static macadam_status write_words(const char *name)
{
    return mcd_edge_writer_section(writer, name, sizeof word[0], word, 4, false, &error);
}

static void free_writer(void)
{
    mcd_edge_writer_free(writer);
    writer = NULL;
}

Test(edge_file_write, unfinished_file_leaves_nothing)
{
    cr_assert_eq(write_words("word"), MACADAM_OK);
    free_writer();
    cr_assert_eq(files_count(folder), 0);
}

Test(edge_file_write, finished_file_stands_alone)
{
    cr_assert_eq(write_words("word"), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK, "%s", error.message);
    free_writer();
    cr_assert_eq(files_count(folder), 1);
    size_t bytes;
    free(files_read(path, &bytes));
    cr_assert_gt(bytes, MCD_FILE_HEADER_BYTES);
}

Test(edge_file_write, old_file_stays_until_the_new_one_is_complete)
{
    size_t bytes;
    files_write(path, "old", 3);
    cr_assert_eq(write_words("word"), MACADAM_OK);
    free(files_read(path, &bytes));
    cr_assert_eq(bytes, 3);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    free(files_read(path, &bytes));
    cr_assert_gt(bytes, 3);
}

Test(edge_file_write, open_file_is_not_disturbed_by_its_successor)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    const void *data;
    cr_assert_eq(write_words("word"), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    free_writer();
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &one_thread, &error),
                 MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &one_thread, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_copy(writer, file, "word", &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_file_section(file, "word", 4, 4, &data, NULL, &error), MACADAM_OK);
    cr_assert_eq(memcmp(data, word, sizeof word), 0);
}

/* Files may not grow beyond `bytes` any more, as if the disk were full. */
static void limit_files(size_t bytes)
{
    const struct rlimit limit = {bytes, bytes};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

Test(edge_file_write, full_disk_is_an_error_that_names_the_file_and_leaves_nothing)
{
    enum { BYTES = 5 << 20 };
    unsigned char *data = checked_zeroed(BYTES, 1);
    limit_files(1 << 20);
    cr_assert_eq(mcd_edge_writer_section(writer, "data", 1, data, BYTES, false, &error), MACADAM_E_FULL);
    cr_assert_not_null(strstr(error.message, path), "%s", error.message);
    cr_assert_not_null(strstr(error.message, "File too large"), "%s", error.message);
    cr_assert_eq(write_words("word"), MACADAM_E_INVALID);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_E_INVALID);
    free_writer();
    cr_assert_eq(files_count(folder), 0);
    free(data);
}

Test(edge_file_write, disk_that_fills_up_at_the_end_leaves_nothing)
{
    cr_assert_eq(write_words("word"), MACADAM_OK); /* is still buffered */
    limit_files(4096);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_E_FULL);
    free_writer();
    cr_assert_eq(files_count(folder), 0);
}

/* ---- the writer's own thread ---- */

static void begin_with_thread(void)
{
    free_writer();
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &two_threads, &error), MACADAM_OK);
}

enum { GIVEN = 1 << 20, GIVEN_SECTIONS = 30 };

static macadam_status give_section(int index)
{
    char name[16];
    uint32_t *array;
    snprintf(name, sizeof name, "s%d", index);
    cr_assert_eq(MCD_NEW(array, GIVEN, &error), MACADAM_OK);
    for (size_t i = 0; i < GIVEN; ++i) array[i] = (uint32_t)(i * (unsigned)index);
    return mcd_edge_writer_section(writer, name, sizeof *array, array, GIVEN, true, &error);
}

static void *write_given(size_t *bytes)
{
    for (int i = 0; i < GIVEN_SECTIONS; ++i) {
        cr_assert_eq(give_section(i), MACADAM_OK);
        if (i % 7 == 0) cr_assert_eq(mcd_edge_writer_wait(writer, &error), MACADAM_OK);
    }
    cr_assert_eq(write_words("word"), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK, "%s", error.message);
    return files_read(path, bytes);
}

Test(edge_file_write, thread_writes_the_same_bytes)
{
    size_t bytes, other_bytes;
    FREED void *const alone = write_given(&bytes);
    begin_with_thread();
    FREED void *const threaded = write_given(&other_bytes);
    cr_assert_eq(bytes, other_bytes);
    cr_assert_eq(memcmp(alone, threaded, bytes), 0);
}

Test(edge_file_write, failure_of_the_thread_is_returned_once_and_leaves_nothing)
{
    macadam_status status = MACADAM_OK;
    begin_with_thread();
    limit_files(5 << 20);
    for (int i = 0; i < GIVEN_SECTIONS && !status; ++i) status = give_section(i);
    if (!status) status = mcd_edge_writer_wait(writer, &error);
    cr_assert_eq(status, MACADAM_E_FULL);
    cr_assert_not_null(strstr(error.message, path), "%s", error.message);
    cr_assert_eq(give_section(GIVEN_SECTIONS), MACADAM_E_INVALID);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_E_INVALID);
    free_writer();
    cr_assert_eq(files_count(folder), 0);
}

Test(edge_file_write, thread_of_an_unfinished_file_ends)
{
    begin_with_thread();
    for (int i = 0; i < GIVEN_SECTIONS; ++i) cr_assert_eq(give_section(i), MACADAM_OK);
    free_writer();
    cr_assert_eq(files_count(folder), 0);
}

Test(edge_file_write, folder_that_is_not_there_is_named)
{
    mcd_edge_writer *none;
    cr_assert_eq(mcd_edge_writer_new(&none, "/nowhere/map.mcd", &one_thread, &error), MACADAM_E_IO);
    cr_assert_not_null(strstr(error.message, "/nowhere/map.mcd"), "%s", error.message);
    cr_assert_null(none);
}

static void expect_invalid(macadam_status status, const char *why)
{
    cr_assert_eq(status, MACADAM_E_INVALID, "expected: %s", why);
    cr_assert_not_null(strstr(error.message, why), "'%s' does not say '%s'", error.message, why);
}

Test(edge_file_write, name_is_taken_once)
{
    cr_assert_eq(write_words("word"), MACADAM_OK);
    expect_invalid(write_words("word"), "'word'");
}

Test(edge_file_write, name_is_neither_empty_nor_too_long)
{
    char name[MCD_SECTION_NAME_BYTES + 1];
    memset(name, 'n', sizeof name);
    name[MCD_SECTION_NAME_BYTES - 1] = '\0';
    cr_assert_eq(write_words(name), MACADAM_OK);
    expect_invalid(write_words(""), "name");
    free_writer();
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &one_thread, &error), MACADAM_OK);
    name[MCD_SECTION_NAME_BYTES - 1] = 'n';
    name[MCD_SECTION_NAME_BYTES] = '\0';
    expect_invalid(write_words(name), "name");
}

Test(edge_file_write, elements_have_1_2_4_or_8_bytes)
{
    expect_invalid(mcd_edge_writer_section(writer, "word", 3, word, 4, false, &error), "1, 2, 4 or 8");
}

Test(edge_file_write, sections_are_limited)
{
    char name[16];
    for (int i = 0; i < MCD_SECTIONS_MAX; ++i) {
        snprintf(name, sizeof name, "s%d", i);
        cr_assert_eq(mcd_edge_writer_section(writer, name, 4, word, 0, false, &error), MACADAM_OK);
    }
    expect_invalid(write_words("word"), "too many");
}

Test(edge_file_write, missing_section_is_not_copied)
{
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = NULL;
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK);
    free_writer();
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &one_thread, &error),
                 MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &one_thread, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_copy(writer, file, "word", &error), MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, "'word'"), "%s", error.message);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_E_INVALID);
}

Test(edge_file_write, writing_without_memory_fails_and_leaves_nothing)
{
    macadam_status status;
    size_t nth = 0;
    free_writer();
    do {
        allocator_fail(++nth);
        status = mcd_edge_writer_new(&writer, path, &one_thread, &error);
        if (!status) status = mcd_edge_writer_finish(writer, &error);
        free_writer();
        cr_assert_eq(status, allocator_has_failed() ? MACADAM_E_MEMORY : MACADAM_OK);
        cr_assert_eq(files_count(folder), status ? 0 : 1);
    } while (status);
    allocator_fail(0);
    cr_assert_gt(nth, 3);
}

/* Some sections, one of them coded. */
static void write_sections(mcd_edge_writer *to)
{
    enum { COUNT = 3 << 20 };
    uint32_t *const number = mcd_allocate(COUNT, sizeof *number);
    cr_assert_not_null(number);
    for (uint32_t i = 0; i < COUNT; ++i) number[i] = i / 5;
    mcd_section_array array = {.element_size = sizeof *number, .data = number, .count = COUNT};
    strcpy(array.name, "number");
    array.coding = MCD_CODING_PLANES;
    mcd_edge_writer_choose_profile(to, 1);
    cr_assert_eq(mcd_edge_writer_section(to, "word", sizeof word[0], word, 4, false, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_arrays(to, &array, 1, true, &error), MACADAM_OK);
    cr_assert_eq(mcd_edge_writer_section(to, "more", sizeof word[0], word, 3, false, &error), MACADAM_OK);
}

Test(edge_file_write, part_becomes_what_is_written_without_one)
{
    size_t bytes, part_bytes;
    write_sections(writer);
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK, "%s", error.message);
    free_writer();
    FREED void *const expected = files_read(path, &bytes);
    for (int threads = 1; threads <= 2; ++threads) {
        const mcd_parallel *const parallel = threads == 1 ? &one_thread : &two_threads;
        mcd_edge_writer *part;
        cr_assert_eq(mcd_edge_writer_new_part(&part, parallel, &error), MACADAM_OK);
        cr_assert_eq(mcd_edge_writer_new(&writer, path, parallel, &error), MACADAM_OK);
        write_sections(part);
        cr_assert_eq(mcd_edge_writer_append(writer, part, &error), MACADAM_OK, "%s", error.message);
        mcd_edge_writer_free(part);
        cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK, "%s", error.message);
        free_writer();
        FREED void *const found = files_read(path, &part_bytes);
        cr_assert_eq(bytes, part_bytes);
        cr_assert_eq(memcmp(found, expected, bytes), 0);
    }
}
