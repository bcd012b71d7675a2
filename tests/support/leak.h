/* leak.h - the end of every suite whose tests count what the library allocates. */
#ifndef MCD_TESTS_SUPPORT_LEAK_H
#define MCD_TESTS_SUPPORT_LEAK_H

#include "tests/support/allocator.h"

#include "engine/include/macadam.h"

#include <criterion/criterion.h>

static inline void leak_expect_none(void)
{
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

/* Behind a call whose nth allocation was to fail, and after what it gave is freed: it failed if that one
 * came, and left nothing. Returns whether it came, so that there may be a next one to fail. */
static inline bool leak_expect_failed(size_t nth, macadam_status status)
{
    const bool failed = allocator_has_failed();
    allocator_fail(0);
    cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu", nth);
    cr_assert_eq(allocator_live_count(), 0, "allocation %zu", nth);
    return failed;
}

#endif
