/* test_memory.c - the allocation hook. */
#include "tests/support/leak.h"

#include "engine/base/memory.h"
#include "engine/base/system/pages.h"
#include "engine/base/system/platform.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

TestSuite(memory, .init = allocator_install, .fini = leak_expect_none);

Test(memory, blocks_are_aligned_to_64_bytes)
{
    for (size_t bytes = 0; bytes < 300; ++bytes) {
        unsigned char *memory = mcd_allocate(bytes, 1);
        cr_assert_eq((uintptr_t)memory % 64, 0, "%zu bytes", bytes);
        memset(memory, 0xff, bytes);
        mcd_free(memory);
    }
}

Test(memory, count_of_zero_gives_a_pointer_of_its_own)
{
    void *a = mcd_allocate(0, 8), *b = mcd_allocate_zeroed(0, 8);
    cr_assert(a && b && a != b);
    cr_assert_eq(allocator_live_count(), 2);
    mcd_free(a);
    mcd_free(b);
}

Test(memory, product_that_overflows_is_refused)
{
    cr_assert_null(mcd_allocate(SIZE_MAX / 4 + 2, 4)); /* the product is 4 */
    cr_assert_null(mcd_allocate(SIZE_MAX, 1));         /* with what the block needs beside */
    cr_assert_null(mcd_allocate_zeroed(SIZE_MAX / 8 + 2, 8));
    cr_assert_null(mcd_reallocate(NULL, 0, SIZE_MAX / 8 + 2, 8));
}

Test(memory, zeroed_memory_is_zero)
{
    for (int round = 0; round < 2; ++round) { /* the second time likely in what the first one left */
        unsigned char *memory = mcd_allocate_zeroed(1000, 3);
        for (size_t i = 0; i < 3000; ++i) cr_assert_eq(memory[i], 0);
        memset(memory, 0xff, 3000);
        mcd_free(memory);
    }
}

static macadam_status own_two(int **out)
{
    MCD_OWNED int *kept = NULL, *moved = NULL;
    MCD_TRY(MCD_NEW(kept, 1, NULL));
    MCD_TRY(MCD_NEW(moved, 1, NULL));
    cr_assert_eq(allocator_live_count(), 2);
    return out ? MCD_MOVE(*out, moved) : MACADAM_OK;
}

Test(memory, owned_memory_is_freed_unless_it_is_moved)
{
    int *out;
    cr_assert_eq(own_two(NULL), MACADAM_OK);
    cr_assert_eq(allocator_live_count(), 0);
    cr_assert_eq(own_two(&out), MACADAM_OK);
    cr_assert_eq(allocator_live_count(), 1);
    mcd_free(out);
}

Test(memory, moved_memory_keeps_what_fits)
{
    static const size_t counts[] = {7, 100, 3, 0, 5};
    uint32_t *memory = NULL;
    for (size_t i = 0, old = 0, kept = 0; i < sizeof counts / sizeof *counts; old = counts[i++]) {
        memory = mcd_reallocate(memory, old, counts[i], sizeof *memory);
        kept = kept < counts[i] ? kept : counts[i];
        for (uint32_t k = 0; k < kept; ++k) cr_assert_eq(memory[k], k);
        for (uint32_t k = 0; k < counts[i]; ++k) memory[k] = k;
        kept = counts[i];
        cr_assert_eq(allocator_live_count(), 1);
    }
    mcd_free(memory);
}

Test(memory, failed_move_leaves_the_block)
{
    char *memory = mcd_duplicate("as it was");
    allocator_fail(1);
    cr_assert_null(mcd_reallocate(memory, 10, 20, 1));
    cr_assert_str_eq(memory, "as it was");
    mcd_free(memory);
}

Test(memory, failed_request_says_its_size_without_variables_of_the_library)
{
    macadam_error error;
    uint64_t *weight;
    allocator_fail(1);
    cr_assert_eq(MCD_NEW(weight, 5, &error), MACADAM_E_MEMORY);
    cr_assert_null(weight);
    cr_assert_str_eq(error.message, "cannot allocate 40 bytes");
}

Test(memory, nothing_is_freed_for_null)
{
    mcd_free(NULL);
    cr_assert_eq(allocator_live_count(), 0);
}

/* Blocks too small for mappings of their own, with one after them, so that the heap does not end where they do. */
Test(memory, trim_gives_back_what_freed_blocks_have_left)
{
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    enum { BLOCKS = 1024, BYTES = 1 << 16 };
    static void *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; ++i) memset(block[i] = mcd_allocate(BYTES, 1), 1, BYTES);
    MCD_OWNED void *last = mcd_allocate(BYTES, 1);
    for (size_t i = 0; i < BLOCKS; ++i) mcd_free(block[i]);
    cr_assert_not_null(last);
    const uint64_t before = mcd_platform_resident_bytes(NULL);
    mcd_pages_trim();
    cr_expect_lt(mcd_platform_resident_bytes(NULL) + BLOCKS / 2 * BYTES, before);
#endif
}
