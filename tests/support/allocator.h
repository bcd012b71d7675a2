/* allocator.h - the library's allocation hook in a test's hands: counts live blocks, fails the n-th
 * request. */
#ifndef MCD_TESTS_SUPPORT_ALLOCATOR_H
#define MCD_TESTS_SUPPORT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

/* Hooks itself in by macadam_allocator_set, before the library allocates anything. */
void allocator_install(void);

/* Lets the `nth` request from now on fail (1: the next); 0: none. */
void allocator_fail(size_t nth);
/* Whether the request that was to fail has come. */
bool allocator_has_failed(void);

/* Blocks allocated and not yet released. */
size_t allocator_live_count(void);

#endif
