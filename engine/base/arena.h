/* arena.h - blocks of memory that are freed together. A leaf. */
#ifndef MCD_ENGINE_BASE_ARENA_H
#define MCD_ENGINE_BASE_ARENA_H

#include "engine/base/memory.h"

/* A zeroed arena is empty. It must not be copied while it holds blocks. */
typedef struct mcd_arena {
    struct mcd_arena_block *last;
} mcd_arena;

/* Like mcd_allocate, but only mcd_arena_free frees the memory. */
void *mcd_arena_allocate(mcd_arena *arena, size_t count, size_t size);
void *mcd_arena_allocate_zeroed(mcd_arena *arena, size_t count, size_t size);
/* Frees every block; the arena is then empty. */
void mcd_arena_free(mcd_arena *arena);

/* Returns an answer of zeroed bytes that has an arena of its own, or NULL. mcd_answer_free frees both; NULL is fine. */
void *mcd_answer_allocate(size_t bytes);
mcd_arena *mcd_answer_arena(const void *answer);
void mcd_answer_free(void *answer);

#define MCD_ANSWER_NEW(pointer, error)                                                                       \
    ((pointer) = mcd_answer_allocate(sizeof *(pointer)),                                                     \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), sizeof *(pointer)))

/* Calls mcd_arena_allocate for `pointer`; on failure returns E_MEMORY. */
#define MCD_ARENA_NEW(arena, pointer, count, error)                                                          \
    ((pointer) = mcd_arena_allocate((arena), (count), sizeof *(pointer)),                                    \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), (size_t)(count) * sizeof *(pointer)))
#define MCD_ARENA_NEW_ZEROED(arena, pointer, count, error)                                                   \
    ((pointer) = mcd_arena_allocate_zeroed((arena), (count), sizeof *(pointer)),                             \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), (size_t)(count) * sizeof *(pointer)))

#endif
