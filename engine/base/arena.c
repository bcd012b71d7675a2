/* arena.c - see arena.h. The arena is a list of blocks. Small pieces share the last block, each twice as large as the one
 * before; a larger piece has a block of its own. */
#include "engine/base/arena.h"
#include "engine/base/types.h"

#include <stdalign.h>

/* FIRST_BYTES: glibc keeps blocks of up to 1,032 bytes in its thread's cache. */
enum { PIECE_ALIGNMENT = 64, FIRST_BYTES = 13 * PIECE_ALIGNMENT, SHARED_BYTES_MAX = 1 << 16 };

typedef struct mcd_arena_block {
    alignas(PIECE_ALIGNMENT) struct mcd_arena_block *previous; /* as mcd_allocate aligns the block */
    size_t bytes, used;                                        /* after this header */
} mcd_arena_block;

/* Returns a block with this much room, or NULL. */
static mcd_arena_block *add_block(mcd_arena *arena, size_t bytes)
{
    mcd_arena_block *const last = arena->last;
    const size_t shared = last ? mcd_size_min(2 * last->bytes, SHARED_BYTES_MAX) : FIRST_BYTES;
    const bool is_own = last && bytes > shared / 2;
    const size_t room = is_own ? bytes : mcd_size_max(bytes, shared);
    mcd_arena_block *const block = mcd_allocate(sizeof *block + room, 1);
    if (!block) return NULL;
    *block = (mcd_arena_block){.previous = is_own ? last->previous : last, .bytes = room};
    *(is_own ? &last->previous : &arena->last) = block;
    return block;
}

void *mcd_arena_allocate(mcd_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
    bytes = (bytes + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
    mcd_arena_block *block = arena->last;
    if (!block || block->bytes - block->used < bytes) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *const piece = (char *)(block + 1) + block->used;
    block->used += bytes;
    return piece;
}

void *mcd_arena_allocate_zeroed(mcd_arena *arena, size_t count, size_t size)
{
    void *const piece = mcd_arena_allocate(arena, count, size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

void mcd_arena_free(mcd_arena *arena)
{
    while (arena->last) {
        mcd_arena_block *block = arena->last;
        arena->last = block->previous;
        mcd_free(block);
    }
}

/* ---- answers: after their arena ---- */

void *mcd_answer_allocate(size_t bytes)
{
    char *const memory = mcd_allocate_zeroed(1, PIECE_ALIGNMENT + bytes);
    return memory ? memory + PIECE_ALIGNMENT : NULL;
}

mcd_arena *mcd_answer_arena(const void *answer)
{
    return (mcd_arena *)((char *)answer - PIECE_ALIGNMENT);
}

void mcd_answer_free(void *answer)
{
    if (!answer) return;
    mcd_arena_free(mcd_answer_arena(answer));
    mcd_free(mcd_answer_arena(answer));
}
