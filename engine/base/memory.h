/* memory.h - the one hook that every allocation of the library goes through. A leaf. */
#ifndef MCD_ENGINE_BASE_MEMORY_H
#define MCD_ENGINE_BASE_MEMORY_H

#include "engine/base/status.h"

#include <string.h>

/* Returns the hook in use. */
const macadam_allocator *mcd_allocator(void);

/* Returns count * size bytes, aligned to 64 bytes (a cache line, the widest vector) and not cleared; mcd_free
 * frees them. A count of 0 gives a valid pointer. Returns NULL if memory runs out or the product
 * overflows. */
void *mcd_allocate(size_t count, size_t size);
void *mcd_allocate_zeroed(size_t count, size_t size);
/* Moves `memory` (may be NULL) with its first `old_count` elements to a block of `new_count` elements. On
 * failure returns NULL and leaves `memory` as it was. */
void *mcd_reallocate(void *memory, size_t old_count, size_t new_count, size_t size);
/* Returns a copy of `text`. */
char *mcd_duplicate(const char *text);
void mcd_free(void *memory);
/* Frees all the memory of a structure, or of another list. */
void mcd_free_all(const void *const *memory, size_t count);
#define MCD_FREE_ALL(...)                                                                                    \
    mcd_free_all((const void *const[]){__VA_ARGS__},                                                         \
                 sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))

/* Defines the function `name` that frees the memory of a structure, which `it` points to, and zeroes it. */
#define MCD_DEFINE_FREE(name, type, ...)                                                                     \
    void name(type *it)                                                                                      \
    {                                                                                                        \
        MCD_FREE_ALL(__VA_ARGS__);                                                                           \
        *it = (type){0};                                                                                     \
    }
/* The same for a function of one file. */
#define MCD_DEFINE_STATIC_FREE(name, type, ...) static MCD_DEFINE_FREE(name, type, __VA_ARGS__)

/* A local variable that a function frees when its scope ends, however it is left. The function takes the variable's
 * address, so the variable must be initialized where it is declared. */
#define MCD_FREED_BY(function) __attribute__((cleanup(function), unused))
/* The same of a pointer to memory: MCD_OWNED uint32_t *list = NULL; */
#define MCD_OWNED MCD_FREED_BY(mcd_free_at)
/* Frees the memory whose address is stored at `slot`. */
void mcd_free_at(void *slot);
/* Defines the function `name` that frees the object whose address is stored at `slot`. */
#define MCD_DEFINE_FREE_AT(name, type, function)                                                             \
    static inline void name(type **slot)                                                                     \
    {                                                                                                        \
        function(*slot);                                                                                     \
    }
static inline macadam_status mcd_clear(void *object, size_t bytes)
{
    memset(object, 0, bytes);
    return MACADAM_OK;
}
/* Moves a pointer or a structure to `to`, and zeroes `from`, which then owns nothing. Returns MACADAM_OK. */
#define MCD_MOVE(to, from) ((to) = (from), mcd_clear(&(from), sizeof(from)))

/* Allocate and free for libraries that take functions of their own. failed_bytes: NULL, or a size_t that receives the
 * bytes of an allocation that fails, at least 1. `unused` may be anything. */
void *mcd_library_allocate(void *failed_bytes, size_t bytes);
void mcd_library_free(void *unused, void *memory);

/* Calls mcd_allocate for `pointer`; on failure returns E_MEMORY. */
#define MCD_NEW(pointer, count, error)                                                                       \
    ((pointer) = mcd_allocate((count), sizeof *(pointer)),                                                   \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), (size_t)(count) * sizeof *(pointer)))
#define MCD_NEW_ZEROED(pointer, count, error)                                                                \
    ((pointer) = mcd_allocate_zeroed((count), sizeof *(pointer)),                                            \
     (pointer) ? MACADAM_OK : mcd_fail_memory((error), (size_t)(count) * sizeof *(pointer)))

#endif
