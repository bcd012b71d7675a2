/* arena.h - blocks of memory that are freed all at once. A leaf. */
#ifndef MCD_ENGINE_BASE_ARENA_H
#define MCD_ENGINE_BASE_ARENA_H

#include "engine/base/memory.h"

/* Zeroed = empty. Not to be copied while it holds blocks. */
typedef struct mcd_arena {
    struct mcd_arena_block *last;
} mcd_arena;

/* As mcd_allocate, but freed only by mcd_arena_free. */
void *mcd_arena_allocate(mcd_arena *arena, size_t count, size_t size);
/* Frees every block; the arena is then empty. */
void mcd_arena_free(mcd_arena *arena);

/* mcd_arena_allocate into `pointer`, or a return with E_MEMORY that names the pointer's expression. */
#define MCD_ARENA_NEW(arena, pointer, count, error)                                                          \
    ((pointer) = mcd_arena_allocate((arena), (count), sizeof *(pointer)),                                    \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), (size_t)(count) * sizeof *(pointer), #pointer))

#endif
