/* test_platform.c - files are mapped or refused, and put in place whole or not at all. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"

#include "engine/base/system/platform.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "file");
}

static void tear_down(void)
{
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(platform, .init = set_up, .fini = tear_down);

static void expect_io(macadam_status status, const char *message)
{
    cr_assert_eq(status, MACADAM_E_IO, "expected: %s", message);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

Test(platform, file_is_mapped_whole)
{
    mcd_mapping mapping;
    files_write(path, "macadam", 7);
    cr_assert_eq(mcd_platform_map(&mapping, path, NULL, &error), MACADAM_OK);
    cr_assert_eq(mapping.bytes, 7);
    cr_assert_eq(memcmp(mapping.data, "macadam", 7), 0);
    mcd_platform_unmap(&mapping);
    cr_assert_null(mapping.data);
    mcd_platform_unmap(&mapping);
}

/* Of files, that this process has in memory. */
static size_t mapped_pages(void)
{
    size_t all, resident, shared = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    cr_assert_not_null(file);
    cr_assert_eq(fscanf(file, "%zu %zu %zu", &all, &resident, &shared), 3);
    fclose(file);
    return shared;
}

Test(platform, forgotten_bytes_leave_memory_but_can_be_read)
{
    enum { PAGES = 4096, PAGE = 4096 };
    mcd_mapping mapping;
    files_write(path, "macadam", 7);
    cr_assert_eq(truncate(path, PAGES * PAGE), 0);
    cr_assert_eq(mcd_platform_map(&mapping, path, NULL, &error), MACADAM_OK);
    const volatile char *const data = mapping.data;
    int sum = 0;
    for (size_t page = 0; page < PAGES; ++page) sum += data[page * PAGE];
    const size_t before = mapped_pages();
    mcd_platform_forget(&mapping, 0, PAGES * PAGE / 2 + 1);
    cr_assert_leq(mapped_pages() + PAGES / 2, before + PAGES / 16, "the pages are still in memory");
    cr_assert_eq(sum, 'm');
    cr_assert_eq(memcmp(mapping.data, "macadam", 7), 0);
    mcd_platform_unmap(&mapping);
}

Test(platform, changes_of_a_copy_stay_there)
{
    enum { BYTES = 20000, FIRST = 5000, COPIED = 9000 };
    static char bytes[BYTES];
    mcd_mapping mapping, copied;
    void *copy;
    memset(bytes, 'm', BYTES);
    files_write(path, bytes, BYTES);
    cr_assert_eq(mcd_platform_map(&mapping, path, NULL, &error), MACADAM_OK);
    const char *const data = mapping.data;
    cr_assert(mcd_platform_map_copy(&copied, &copy, &mapping, data + FIRST, COPIED));
    cr_assert_eq(memcmp(copy, bytes, COPIED), 0);
    memset(copy, 'c', COPIED);
    cr_assert_eq(memcmp(data, bytes, BYTES), 0);
    mcd_platform_unmap(&copied);
    cr_assert_null(copied.data);
    cr_assert_not(mcd_platform_map_copy(&copied, &copy, &mapping, bytes, 1), "not of the file");
    cr_assert_null(copied.data);
    mcd_platform_unmap(&mapping);
    size_t count;
    char *const after = files_read(path, &count);
    cr_assert(count == BYTES && memcmp(after, bytes, BYTES) == 0);
    free(after);
}

Test(platform, empty_file_maps_to_nothing)
{
    mcd_mapping mapping;
    files_write(path, "", 0);
    cr_assert_eq(mcd_platform_map(&mapping, path, NULL, &error), MACADAM_OK);
    cr_assert_null(mapping.data);
    cr_assert_eq(mapping.bytes, 0);
    mcd_platform_unmap(&mapping);
}

Test(platform, only_regular_files_are_mapped)
{
    mcd_mapping mapping;
    expect_io(mcd_platform_map(&mapping, folder, NULL, &error), "not a regular file");
    expect_io(mcd_platform_map(&mapping, "/dev/zero", NULL, &error), "not a regular file");
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_io(mcd_platform_map(&mapping, path, NULL, &error),
              "not a regular file"); /* and no thread waits for a writer */
    expect_io(mcd_platform_map(&mapping, "/nowhere/file", NULL, &error),
              "'/nowhere/file': No such file or directory");
}

static macadam_status go_on(uint64_t done, uint64_t total, macadam_error *e)
{
    (void)e;
    cr_expect_leq(done, total);
    return MACADAM_OK;
}

static size_t megabytes_left;

static macadam_status stop_late(uint64_t done, uint64_t total, macadam_error *e)
{
    (void)done, (void)total;
    return --megabytes_left > 0 ? MACADAM_OK : mcd_fail(e, MACADAM_E_CANCELLED, "told to stop");
}

Test(platform, reading_a_file_stops_after_any_megabyte)
{
    enum { MEGABYTES = 5 };
    mcd_mapping mapping;
    files_write(path, "", 0);
    cr_assert_eq(truncate(path, MEGABYTES << 20), 0);
    for (size_t after = 1; after <= MEGABYTES + 1; ++after) {
        megabytes_left = after;
        const macadam_status status = mcd_platform_map(&mapping, path, stop_late, &error);
        cr_expect_eq(status, after <= MEGABYTES ? MACADAM_E_CANCELLED : MACADAM_OK, "%zu", after);
        cr_expect_eq(!mapping.data, after <= MEGABYTES, "nothing is left");
        mcd_platform_unmap(&mapping);
    }
}

Test(platform, file_is_read_whole_and_then_left_alone)
{
    mcd_mapping mapping;
    files_write(path, "some bytes", 10);
    cr_assert_eq(mcd_platform_map(&mapping, path, go_on, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(truncate(path, 0), 0);
    cr_expect_eq(mapping.bytes, 10);
    cr_expect_eq(memcmp(mapping.data, "some bytes", 10), 0);
    mcd_platform_unmap(&mapping);
    cr_assert_eq(mcd_platform_map(&mapping, path, go_on, &error), MACADAM_OK, "an empty file");
    cr_expect_null(mapping.data);
    expect_io(mcd_platform_map(&mapping, folder, go_on, &error), "not a regular file");
}

Test(platform, messages_are_one_line)
{
    mcd_fail(&error, MACADAM_E_IO, "a%sb", "\n2026 forged\033[1m\x7f\xc2\x9b\xff\xc3\xa9");
    cr_expect_str_eq(error.message, "a?2026 forged?[1m????\xc3\xa9"
                                    "b");
}

Test(platform, output_appears_when_it_is_committed)
{
    mcd_output output;
    size_t bytes;
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, "cadam", 5, 2, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, "ma", 2, 0, &error), MACADAM_OK);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(mcd_platform_commit(&output, &error), MACADAM_OK, "%s", error.message);
    char *text = files_read(path, &bytes);
    cr_assert_eq(bytes, 7);
    cr_assert_eq(memcmp(text, "macadam", 7), 0);
    free(text);
    cr_assert_eq(files_count(folder), 1);
    mcd_platform_discard(&output); /* does nothing any more */
    cr_assert_eq(files_count(folder), 1);
}

/* Blocks that pass the page cache by, and ends that cannot, over each other too. */
Test(platform, aligned_blocks_and_others_make_one_file)
{
    enum { BLOCK = MCD_DIRECT_BYTES, BLOCKS = 5, TAIL = 100, BYTES = BLOCKS * BLOCK + TAIL };
    static _Alignas(MCD_DIRECT_BYTES) unsigned char data[BYTES];
    mcd_output output;
    size_t bytes;
    for (size_t i = 0; i < BYTES; ++i) data[i] = (unsigned char)(i / BLOCK + 7 * i);
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, data, 2 * BLOCK, 0, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, data + 4 * BLOCK, BLOCK + TAIL, 4 * BLOCK, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, data + 2 * BLOCK, 2 * BLOCK, 2 * BLOCK, &error), MACADAM_OK);
    data[1] = 99, data[BLOCK] = 98, data[4 * BLOCK + 1] = 97;
    cr_assert_eq(mcd_platform_write(&output, data + 1, 10, 1, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, data + BLOCK, BLOCK, BLOCK, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&output, data + 4 * BLOCK, BLOCK, 4 * BLOCK, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_commit(&output, &error), MACADAM_OK, "%s", error.message);
    char *const text = files_read(path, &bytes);
    cr_assert_eq(bytes, BYTES);
    cr_assert_eq(memcmp(text, data, BYTES), 0);
    free(text);
}

Test(platform, output_has_the_permissions_of_a_new_file)
{
    mcd_output output;
    struct stat about;
    umask(027);
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_commit(&output, &error), MACADAM_OK);
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_mode & 0777, 0640);
}

Test(platform, discarded_output_leaves_nothing)
{
    mcd_output output;
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    mcd_platform_discard(&output);
    cr_assert_eq(files_count(folder), 0);
    mcd_platform_discard(&output);
}

Test(platform, two_outputs_to_one_path_do_not_disturb_each_other)
{
    mcd_output first, second;
    size_t bytes;
    cr_assert_eq(mcd_platform_create(&first, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_create(&second, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_write(&first, "first", 5, 0, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_commit(&first, &error), MACADAM_OK);
    mcd_platform_discard(&second);
    free(files_read(path, &bytes));
    cr_assert_eq(bytes, 5);
}

/* The file of a name within the folder, open. */
static int make_file(const char *name)
{
    char file[FILES_PATH_BYTES + 64];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return open(file, O_RDWR | O_CREAT, 0600);
}

Test(platform, files_that_killed_writers_left_are_removed_by_the_next)
{
    mcd_output output;
    close(make_file("file.7-0.tmp"));
    close(make_file("file.7-0.tmp2"));
    close(make_file("other.7-0.tmp"));
    const int alive = make_file("file.8-12.tmp");
    cr_assert_eq(flock(alive, LOCK_EX), 0);
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    mcd_platform_discard(&output);
    cr_expect_eq(files_count(folder), 3, "the first one is gone");
    close(alive);
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_commit(&output, &error), MACADAM_OK);
    cr_expect_eq(files_count(folder), 3, "the one whose writer lived is gone, the output is there");
}

Test(platform, devices_and_folders_are_not_replaced)
{
    mcd_output output;
    expect_io(mcd_platform_create(&output, "/dev/null", &error), "'/dev/null': not a regular file");
    expect_io(mcd_platform_create(&output, folder, &error), "not a regular file");
    struct stat about;
    cr_assert_eq(stat("/dev/null", &about), 0);
    cr_assert(S_ISCHR(about.st_mode));
}

Test(platform, rename_that_fails_leaves_nothing)
{
    mcd_output output;
    cr_assert_eq(mcd_platform_create(&output, path, &error), MACADAM_OK);
    cr_assert_eq(mkdir(path, 0700), 0); /* a folder that has come in the meantime */
    expect_io(mcd_platform_commit(&output, &error), path);
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(files_count(folder), 0);
}

Test(platform, path_without_a_folder_is_in_the_current_one)
{
    mcd_output output;
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mcd_platform_create(&output, "file", &error), MACADAM_OK);
    cr_assert_eq(mcd_platform_commit(&output, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(platform, machine_has_memory)
{
    cr_assert_gt(mcd_platform_memory_bytes(), 1 << 20);
    cr_assert_lt(mcd_platform_memory_bytes(), UINT64_C(1) << 60);
}

Test(platform, memory_is_readable_or_not_without_harm)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
    cr_assert(mcd_platform_is_readable(&error));
    cr_assert(mcd_platform_is_readable(pages + page - 1));
    cr_assert_not(mcd_platform_is_readable(pages + page));
    cr_assert_not(mcd_platform_is_readable(NULL));
    munmap(pages, 2 * page);
    cr_assert_not(mcd_platform_is_readable(pages));
}
