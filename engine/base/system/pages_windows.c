/* pages_windows.c - pages.h for Windows, where large pages need a right that few users have. */
#include "engine/base/system/pages.h"

void mcd_pages_make_large(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void mcd_pages_make_small(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void mcd_pages_prepare(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void mcd_pages_trim(void)
{
}
