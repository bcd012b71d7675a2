/* arena.c - see arena.h. The arena is a list of blocks. Each block begins with a header as large as the
 * alignment that mcd_allocate gives. */
#include "engine/base/arena.h"

#include <stdalign.h>

typedef struct mcd_arena_block {
    alignas(64) struct mcd_arena_block *previous;
} mcd_arena_block;

void *mcd_arena_allocate(mcd_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(mcd_arena_block), &bytes))
        return NULL;
    mcd_arena_block *block = mcd_allocate(bytes, 1);
    if (!block) return NULL;
    block->previous = arena->last;
    arena->last = block;
    return block + 1;
}

void mcd_arena_free(mcd_arena *arena)
{
    while (arena->last) {
        mcd_arena_block *block = arena->last;
        arena->last = block->previous;
        mcd_free(block);
    }
}
