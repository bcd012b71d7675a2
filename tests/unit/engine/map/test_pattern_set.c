/* test_pattern_set.c - equal patterns are one. */
#include "tests/support/leak.h"

#include "engine/map/pattern_set.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SLOTS = MCD_PATTERN_SLOTS };

static uint8_t pattern[SLOTS];
static macadam_error error;

TestSuite(pattern_set, .init = allocator_install, .fini = leak_expect_none);

Test(pattern_set, equal_patterns_are_one)
{
    mcd_pattern_set set = {.slot_count = SLOTS};
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t i = 0; i < 1000; ++i) {
            uint32_t number = UINT32_MAX;
            pattern[i % SLOTS] = MCD_PATTERN_FASTEST, pattern[600] = (uint8_t)(i >> 8),
                        pattern[601] = (uint8_t)i;
            cr_assert_eq(mcd_pattern_set_add(&set, pattern, &number, &error), MACADAM_OK);
            cr_expect_eq(number, i);
            memset(pattern, 0, sizeof pattern);
        }
    cr_expect_eq(set.count, 1000);
    mcd_pattern_set_free(&set);
}

Test(pattern_set, a_set_without_memory_fails)
{
    mcd_pattern_set set = {.slot_count = SLOTS};
    uint32_t number;
    for (size_t nth = 1; nth <= 2; ++nth) {
        allocator_fail(nth);
        cr_expect_eq(mcd_pattern_set_add(&set, pattern, &number, &error), MACADAM_E_MEMORY);
        mcd_pattern_set_free(&set);
        set.slot_count = SLOTS;
    }
    allocator_fail(0);
}
