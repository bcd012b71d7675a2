/* checked.h - memory for test code. If there is none, the test dies. Freed with free(). */
#ifndef MCD_TESTS_SUPPORT_CHECKED_H
#define MCD_TESTS_SUPPORT_CHECKED_H

#include "tests/support/scoped.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32 /* its free() takes nothing else, so that blocks have only malloc's alignment */
#define aligned_alloc(alignment, bytes) malloc(bytes)
#endif

static inline void *checked_memory(void *memory, size_t count, size_t size)
{
    if (memory) return memory;
    fprintf(stderr, "a test cannot allocate %zu x %zu bytes\n", count, size);
    abort();
}

static inline void *checked_allocate(size_t count, size_t size)
{
    return checked_memory(malloc(count ? count * size : 1), count, size);
}

static inline void *checked_zeroed(size_t count, size_t size)
{
    return checked_memory(calloc(count ? count : 1, size), count, size);
}

static inline void *checked_reallocate(void *memory, size_t count, size_t size)
{
    return checked_memory(realloc(memory, count ? count * size : 1), count, size);
}

#endif
