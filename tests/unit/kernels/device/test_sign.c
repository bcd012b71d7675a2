/* test_sign.c - signed costs at their limits, and rectangles of them on the processor; the metamorphic suite compares a
 * device's. */
#include "kernels/backend.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static int64_t cost_of(uint32_t reduced, int64_t rise)
{
    return macadam_cost(mcd_signed_cost(reduced, rise), true);
}

Test(sign, what_is_out_of_range_is_unreached)
{
    const int64_t most = MACADAM_WEIGHT_MAX;
    cr_expect_eq(cost_of(0, 0), 0);
    cr_expect_eq(cost_of(0, -most), -most);
    cr_expect_eq(cost_of(0, most), most);
    cr_expect_eq(cost_of(1, most), MACADAM_COST_NONE);
    cr_expect_eq(cost_of(MACADAM_WEIGHT_MAX, most), MACADAM_COST_NONE);
    cr_expect_eq(cost_of(MACADAM_WEIGHT_MAX, -most), 0);
    cr_expect_eq(cost_of(MACADAM_UNREACHED, -most), MACADAM_COST_NONE);
    cr_expect_eq(cost_of(MACADAM_UNREACHED, 0), MACADAM_COST_NONE);
}

/* The memory between the rows stays as it is. */
static void check(size_t rows, size_t columns, size_t gap, bool reverse, test_rng *rng)
{
    const size_t stride = columns + gap, cells = rows * stride;
    FREED uint32_t *const value = checked_allocate(cells + 1, sizeof *value), *const right = checked_allocate(
                                                                                  cells + 1, sizeof *right);
    FREED int32_t *const row = checked_allocate(rows + 1, sizeof *row), *const column = checked_allocate(
                                                                            columns + 1, sizeof *column);
    macadam_error error;
    for (size_t r = 0; r < rows; ++r) row[r] = (int32_t)rng_below(rng, 2000) - 1000;
    for (size_t c = 0; c < columns; ++c) column[c] = (int32_t)rng_below(rng, 2000) - 1000;
    for (size_t i = 0; i < cells; ++i) {
        right[i] = value[i] = rng_below(rng, 5) ? rng_below(rng, 3000) : MACADAM_UNREACHED;
        const size_t r = i / stride, c = i % stride;
        if (c >= columns) continue;
        if (right[i] == MACADAM_UNREACHED)
            right[i] = INT32_MAX;
        else
            right[i] += (uint32_t)(reverse ? row[r] - column[c] : column[c] - row[r]);
    }
    const mcd_sign_job job = {.value = value,
                              .rows = rows,
                              .columns = columns,
                              .stride = stride,
                              .row = row,
                              .column = column,
                              .reverse = reverse,
                              .parallel = {2, NULL}};
    cr_assert_eq(mcd_cpu_backend()->sign(&job, &error), MACADAM_OK);
    cr_assert_arr_eq(value, right, cells * sizeof *value);
}

Test(sign, rectangles_of_every_shape)
{
    static const size_t side[] = {0, 1, 3, 17, 16384, 40000};
    test_rng rng = {31};
    for (size_t i = 0; i < 6; ++i)
        for (size_t k = 0; k < 6; ++k)
            if (side[i] * side[k] < 1000000)
                check(side[i], side[k], rng_below(&rng, 4), rng_below(&rng, 2), &rng);
}
