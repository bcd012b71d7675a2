/* pages.c - see pages.h. POSIX. */
#define _GNU_SOURCE
#include "engine/base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void mcd_pages_make_large(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)memory + page - 1) / page * page,
                    end = ((uintptr_t)memory + bytes) / page * page;
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* only advice: a failure changes nothing */
#else
    (void)memory, (void)bytes;
#endif
}
