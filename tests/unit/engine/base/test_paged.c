/* test_paged.c - large blocks within a bound of memory. */
#include "engine/base/memory.h"
#include "engine/base/paged.h"
#include "engine/base/system/platform.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { MIB = 1 << 20, BLOCKS = 24, BLOCK_BYTES = 32 * MIB, SMALL_BYTES = 100000, SMALL_BLOCKS = 2000 };

static macadam_error error;
static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + FILES_NAME_BYTES];

static void set_up(void)
{
    files_new_path(folder, path, "file");
}

static void tear_down(void)
{
    cr_assert_eq(files_count(folder), 0, "a file is left");
    files_remove_folder(folder);
}

TestSuite(paged, .init = set_up, .fini = tear_down);

static void begin(uint64_t bound)
{
    cr_assert_eq(mcd_paged_begin(path, bound, &error), MACADAM_OK, "%s", error.message);
}

/* Waits until the watch has looked at least once. */
static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

Test(paged, blocks_beyond_the_bound_keep_their_bytes)
{
    const uint64_t before = mcd_platform_resident_bytes(NULL), bound = before + 256 * (uint64_t)MIB;
    uint64_t *block[BLOCKS];
    begin(bound);
    for (size_t b = 0; b < BLOCKS; ++b) {
        block[b] = mcd_allocate_zeroed(BLOCK_BYTES, 1);
        cr_assert_not_null(block[b]);
        cr_assert_eq((uintptr_t)block[b] % 64, 0);
        for (size_t i = 0; i < BLOCK_BYTES / sizeof **block; ++i) block[b][i] += i * (b + 1);
    }
    wait_ms(100);
    cr_expect_leq(mcd_platform_resident_bytes(NULL), bound);
    mcd_paged_end();
    for (size_t b = 0; b < BLOCKS; ++b) {
        for (size_t i = 0; i < BLOCK_BYTES / sizeof **block; ++i)
            if (block[b][i] != i * (b + 1)) cr_assert_eq(block[b][i], i * (b + 1), "block %zu, %zu", b, i);
        mcd_free(block[b]);
    }
    cr_expect_leq(mcd_platform_resident_bytes(NULL), bound, "freed blocks are given back");
    cr_expect_eq(mcd_paged_check(&error), MACADAM_OK, "%s", error.message);
}

Test(paged, small_blocks_share_regions)
{
    unsigned char *block[SMALL_BLOCKS];
    const uint64_t bound = mcd_platform_resident_bytes(NULL) + 128 * (uint64_t)MIB;
    begin(bound);
    for (size_t b = 0; b < SMALL_BLOCKS; ++b) {
        block[b] = mcd_allocate_zeroed(SMALL_BYTES, 1);
        cr_assert_not_null(block[b]);
        for (size_t i = 0; i < SMALL_BYTES; ++i) block[b][i] += (unsigned char)(b + i);
        if (b % 3 == 2) mcd_free(block[b - 1]);
    }
    for (size_t b = 0; b < SMALL_BLOCKS; ++b) {
        if (b % 3 == 1 && b + 1 < SMALL_BLOCKS) continue;
        for (size_t i = 0; i < SMALL_BYTES; ++i)
            if (block[b][i] != (unsigned char)(b + i)) cr_assert_fail("block %zu, %zu", b, i);
        mcd_free(block[b]);
    }
    mcd_paged_end();
}

Test(paged, bound_that_the_process_exceeds_is_refused)
{
    const uint64_t little = mcd_platform_resident_bytes(NULL) + 16 * (uint64_t)MIB;
    cr_expect_eq(mcd_paged_begin(path, little, &error), MACADAM_E_LIMIT, "it cannot be kept");
    cr_expect_not(mcd_paged_is_on());
    cr_expect_eq(mcd_paged_begin(path, 1, &error), MACADAM_E_LIMIT);
    cr_expect_not_null(strstr(error.message, "a memory limit of 1 bytes is less than the "), "%s",
                       error.message);
}

/* Blocks below MCD_PAGED_LEAST cannot wait in files. */
Test(paged, bound_that_cannot_be_kept_fails)
{
    enum { COUNT = 4096, BYTES = 16 << 10 };
    void *block[COUNT];
    begin(mcd_platform_resident_bytes(NULL) + 48 * (uint64_t)MIB);
    for (size_t b = 0; b < COUNT; ++b) {
        block[b] = mcd_allocate(BYTES, 1);
        memset(block[b], 1, BYTES);
    }
    wait_ms(200);
    cr_expect_eq(mcd_paged_check(&error), MACADAM_E_LIMIT);
    cr_expect_not_null(strstr(error.message, "it needs "), "%s", error.message);
    mcd_paged_end();
    mcd_free_all((const void *const *)block, COUNT);
}

Test(paged, folder_that_is_not_there_fails_the_allocation)
{
    uint64_t least = mcd_platform_resident_bytes(NULL) + 64 * (uint64_t)MIB;
    cr_assert_eq(mcd_paged_begin("/nowhere/at/all", least, &error), MACADAM_OK);
    cr_expect_null(mcd_allocate(BLOCK_BYTES * 4, 1));
    cr_expect_eq(mcd_paged_check(&error), MACADAM_E_IO);
    cr_expect_not_null(strstr(error.message, "/nowhere/at/all"), "%s", error.message);
    mcd_paged_end();
}

typedef struct next_bound {
    uint64_t bound;
    atomic_bool may_begin, has_ended; /* has_ended: the other one */
} next_bound;

/* Begins a bound, which holds until the other one has ended, or for ten seconds. */
static void *hold_next(void *context)
{
    next_bound *const next = context;
    macadam_error own;
    while (!atomic_load(&next->may_begin)) continue;
    cr_assert_eq(mcd_paged_begin(path, next->bound, &own), MACADAM_OK, "%s", own.message);
    for (int ms = 0; ms < 10000 && !atomic_load(&next->has_ended); ++ms) wait_ms(1);
    cr_assert(atomic_load(&next->has_ended), "the end waits for the next bound's");
    mcd_paged_end();
    return NULL;
}

Test(paged, end_does_not_wait_for_a_bound_that_begins_then)
{
    enum { TIMES = 500 };
    for (int i = 0; i < TIMES; ++i) {
        next_bound next = {.bound = mcd_platform_resident_bytes(NULL) + 256 * (uint64_t)MIB};
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, hold_next, &next), 0);
        begin(next.bound);
        atomic_store(&next.may_begin, true);
        mcd_paged_end();
        atomic_store(&next.has_ended, true);
        pthread_join(thread, NULL);
    }
}
