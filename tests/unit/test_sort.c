/* test_sort.c - numbers are sorted as qsort sorts them, and equal ones keep their order. */
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include "engine/sort.h"

#include <criterion/criterion.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The lower half is the place at first: sorted by both halves, equal upper halves are as they stood. */
static void expect_sorted(size_t count, uint32_t mask)
{
    test_rng rng = {count};
    uint64_t *const item = checked_zeroed(count + 1, sizeof *item);
    uint64_t *const wanted = checked_zeroed(count + 1, sizeof *wanted);
    uint64_t *const scratch = checked_zeroed(count + 1, sizeof *scratch);
    for (size_t i = 0; i < count; ++i) item[i] = ((uint32_t)rng_next(&rng) & mask) * (UINT64_C(1) << 32) + i;
    memcpy(wanted, item, count * sizeof *item);
    qsort(wanted, count, sizeof *wanted, compare);
    mcd_sort_upper(item, scratch, count);
    cr_assert_eq(memcmp(item, wanted, count * sizeof *item), 0, "%zu with %x", count, mask);
    free(item);
    free(wanted);
    free(scratch);
}

Test(sort, upper_halves_of_any_digits)
{
    static const uint32_t mask[] = {0,          1,          0x7ff,      0x3ff800,   0xffc00000,
                                    0x80000001, 0x00200400, 0x003fffff, 0xfffff800, 0xffffffff};
    for (size_t m = 0; m < sizeof mask / sizeof mask[0]; ++m)
        for (size_t count = 0; count < 20000; count = 3 * count + 1) expect_sorted(count, mask[m]);
}
