/* test_sort.c - numbers are sorted by the requested bits as qsort sorts them, and equal ones keep their
 * order. */
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include "engine/base/sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static unsigned first_bit, end_bit;

/* By the requested bits, then by the first place, which is in `scratch`. */
static int compare(const void *a, const void *b)
{
    const uint64_t *const x = a, *const y = b;
    const uint64_t mask = end_bit == 64 ? UINT64_MAX : (UINT64_C(1) << end_bit) - 1;
    const uint64_t p = (x[0] & mask) >> first_bit, q = (y[0] & mask) >> first_bit;
    return p != q ? (p > q) - (p < q) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void expect_sorted(size_t count, uint64_t mask)
{
    test_rng rng = {count};
    FREED uint64_t *const item = checked_zeroed(count + 1, sizeof *item);
    FREED uint64_t *const scratch = checked_zeroed(count + 1, sizeof *scratch);
    uint64_t(*const wanted)[2] = checked_zeroed(count + 1, sizeof *wanted);
    for (size_t i = 0; i < count; ++i) {
        wanted[i][0] = item[i] = rng_next(&rng) & mask;
        wanted[i][1] = i;
    }
    qsort(wanted, count, sizeof *wanted, compare);
    cr_assert_eq(mcd_sort_bits(item, scratch, count, first_bit, end_bit, NULL, NULL), MACADAM_OK);
    for (size_t i = 0; i < count; ++i)
        cr_assert_eq(item[i], wanted[i][0], "%zu of %zu, bits %u to %u", i, count, first_bit, end_bit);
    free(wanted);
}

Test(sort, by_any_bits_and_equal_ones_stay)
{
    static const unsigned bits[][2] = {{0, 64}, {32, 64}, {0, 1},   {63, 64},
                                       {5, 16}, {5, 17},  {10, 43}, {7, 7}};
    static const uint64_t mask[] = {0, 1, UINT64_C(0x8000000000000001), UINT64_C(0x3ff800003ff800),
                                    UINT64_MAX};
    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; ++b)
        for (size_t m = 0; m < sizeof mask / sizeof mask[0]; ++m)
            for (size_t count = 0; count < 20000; count = 3 * count + 1) {
                first_bit = bits[b][0], end_bit = bits[b][1];
                expect_sorted(count, mask[m]);
            }
}

Test(sort, threads_sort_as_one_does)
{
    enum { COUNT = 300001 };
    static const mcd_parallel three_threads = {.thread_count = 3};
    static uint64_t item[COUNT], by_one[COUNT], scratch[COUNT];
    test_rng rng = {1};
    for (unsigned first = 0; first < 60; first += 17) {
        for (size_t i = 0; i < COUNT; ++i) item[i] = by_one[i] = rng_next(&rng);
        cr_assert_eq(mcd_sort_bits(by_one, scratch, COUNT, first, 60, NULL, NULL), MACADAM_OK);
        cr_assert_eq(mcd_sort_bits_on(&three_threads, item, scratch, COUNT, first, 60, NULL, NULL),
                     MACADAM_OK);
        cr_assert_arr_eq(item, by_one, sizeof item, "from bit %u on", first);
    }
}

Test(sort, numbers_have_bits)
{
    cr_assert_eq(mcd_bits_of(0), 0);
    cr_assert_eq(mcd_bits_of(1), 1);
    cr_assert_eq(mcd_bits_of(UINT64_C(1) << 40), 41);
    cr_assert_eq(mcd_bits_of(UINT64_MAX), 64);
}

/* ---- by comparison ---- */

/* An item larger than a register. */
typedef struct wide_item {
    uint32_t key, unused[3];
} wide_item;

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = ((const wide_item *)a)->key, y = ((const wide_item *)b)->key;
    return (x > y) - (x < y);
}

Test(sort, by_comparison_within_runs_and_across_them)
{
    static const size_t counts[] = {0, 1, 2, 4095, 4096, 4097, 8192, 12289, 50000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        const size_t count = counts[c];
        test_rng rng = {count};
        FREED wide_item *const item = checked_zeroed(count + 1, sizeof *item);
        uint64_t sum = 0;
        for (size_t i = 0; i < count; ++i) {
            item[i] = (wide_item){.key = (uint32_t)(rng_next(&rng) % 1000)};
            sum += item[i].key;
        }
        cr_assert_eq(mcd_sort(item, count, sizeof *item, compare_keys, NULL, NULL), MACADAM_OK);
        for (size_t i = 0; i < count; ++i) {
            sum -= item[i].key;
            if (i > 0) cr_assert_leq(item[i - 1].key, item[i].key, "%zu of %zu", i, count);
        }
        cr_assert_eq(sum, 0, "no item is lost");
    }
}

Test(sort, threads_compare_as_one_does)
{
    enum { COUNT = 100003 };
    static const mcd_parallel three_threads = {.thread_count = 3};
    static wide_item item[COUNT], by_one[COUNT];
    test_rng rng = {2};
    for (unsigned ordered = 0; ordered <= COUNT; ordered += COUNT / 3) { /* items at the front */
        for (unsigned i = 0; i < COUNT; ++i)
            item[i] = by_one[i] = (wide_item){i < ordered ? i / 3 : (uint32_t)(rng_next(&rng) % 40000), {i}};
        cr_assert_eq(mcd_sort(by_one, COUNT, sizeof *item, compare_keys, NULL, NULL), MACADAM_OK);
        cr_assert_eq(mcd_sort_on(&three_threads, item, COUNT, sizeof *item, compare_keys, NULL, NULL),
                     MACADAM_OK);
        cr_assert_arr_eq(item, by_one, sizeof item, "%u in order", ordered);
    }
}

static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    return --*(int *)context > 0;
}

Test(sort, stops_when_it_is_cancelled)
{
    enum { COUNT = 300000 };
    FREED wide_item *const item = checked_zeroed(COUNT, sizeof *item);
    FREED uint64_t *const number = checked_zeroed(2 * COUNT, sizeof *number);
    macadam_error error;
    int calls_left = 1;
    const mcd_progress progress = {refuse, &calls_left};
    mcd_watch watch = mcd_watch_of(&progress, "sorting");
    cr_assert_eq(mcd_sort(item, COUNT, sizeof *item, compare_keys, &watch, &error), MACADAM_E_CANCELLED);
    calls_left = 1;
    watch = mcd_watch_of(&progress, "sorting");
    cr_assert_eq(mcd_sort_bits(number, number + COUNT, COUNT, 0, 64, &watch, &error), MACADAM_E_CANCELLED);
}
