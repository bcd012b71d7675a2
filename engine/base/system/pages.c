/* pages.c - see pages.h. POSIX. */
#define _GNU_SOURCE
#include "engine/base/system/pages.h"

#include <stdint.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

/* Smaller blocks are often reused, and mapped already; larger ones have large pages. */
enum { PREPARED_MIN = 1 << 18, PREPARED_MAX = 8 << 20 };

/* A smaller block can have none: advice would only split the heap's mapping around it. */
enum { LARGE_PAGE = 2 << 20 };

/* Advice that a system may lack. */
enum { NO_ADVICE = -1 };
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE NO_ADVICE
#endif
#ifndef MADV_NOHUGEPAGE
#define MADV_NOHUGEPAGE NO_ADVICE
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE NO_ADVICE
#endif

/* Advises on the whole pages of a block. It is only advice: a failure changes nothing. */
static void advise(void *memory, size_t bytes, int advice)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)memory + page - 1) / page * page,
                    end = ((uintptr_t)memory + bytes) / page * page;
    if (advice != NO_ADVICE && first < end) (void)madvise((void *)first, end - first, advice);
}

void mcd_pages_make_large(void *memory, size_t bytes)
{
    if (bytes >= LARGE_PAGE) advise(memory, bytes, MADV_HUGEPAGE);
}

void mcd_pages_make_small(void *memory, size_t bytes)
{
    if (bytes >= LARGE_PAGE) advise(memory, bytes, MADV_NOHUGEPAGE);
}

void mcd_pages_prepare(void *memory, size_t bytes)
{
    if (bytes >= PREPARED_MIN && bytes < PREPARED_MAX) advise(memory, bytes, MADV_POPULATE_WRITE);
}

void mcd_pages_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}
