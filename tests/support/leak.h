/* leak.h - the end of every suite whose tests count what the library allocates. */
#ifndef TEST_LEAK_H
#define TEST_LEAK_H

#include "tests/support/allocator.h"

#include <criterion/criterion.h>

static inline void leak_expect_none(void)
{
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

#endif
