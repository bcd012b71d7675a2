/* test_arena.c - pieces of any size are apart, aligned, and freed together. */
#include "engine/base/arena.h"
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PIECES = 600 };

/* Mostly small, some larger than any shared block. */
static size_t bytes_of(size_t piece)
{
    return piece % 50 == 49 ? 100000 + piece : piece * 7 % 300;
}

Test(arena, pieces_keep_their_bytes)
{
    allocator_install();
    mcd_arena arena = {0};
    unsigned char *piece[PIECES];
    for (size_t i = 0; i < PIECES; ++i) {
        piece[i] = mcd_arena_allocate(&arena, bytes_of(i), 1);
        cr_assert_not_null(piece[i]);
        cr_assert_eq((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], (int)(i % 251), bytes_of(i));
    }
    for (size_t i = 0; i < PIECES; ++i)
        for (size_t b = 0; b < bytes_of(i); ++b) cr_assert_eq(piece[i][b], i % 251);
    cr_assert_lt(allocator_live_count(), 30);
    mcd_arena_free(&arena);
    cr_assert_eq(allocator_live_count(), 0);
}

Test(arena, a_size_that_does_not_fit_gives_null)
{
    mcd_arena arena = {0};
    cr_assert_null(mcd_arena_allocate(&arena, SIZE_MAX, 2));
    cr_assert_null(mcd_arena_allocate(&arena, SIZE_MAX - 10, 1));
    mcd_arena_free(&arena);
}
