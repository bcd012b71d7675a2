/* test_speed_patterns.c - times become 255ths of the fastest speed. */
#include "importers/speeds/speed_patterns.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SLOTS = MCD_PATTERN_SLOTS };

static uint64_t time_us[SLOTS];
static uint8_t pattern[SLOTS];
static mcd_pattern_errors errors;

static void set_up(void)
{
    for (size_t i = 0; i < SLOTS; ++i) time_us[i] = 1000;
}

TestSuite(speed_patterns, .init = set_up);

Test(speed_patterns, speeds_are_shares_of_the_fastest)
{
    time_us[0] = 2000, time_us[1] = 999, time_us[2] = MCD_TIME_STILL, time_us[3] = 999 * 600;
    cr_assert_eq(mcd_pattern_of_times(pattern, time_us, SLOTS, 0, &errors), 999);
    cr_expect_eq(pattern[0], 127); /* 255 * 999 / 2000 = 127.4 */
    cr_expect_eq(pattern[1], MCD_PATTERN_FASTEST);
    cr_expect_eq(pattern[2], 0);
    cr_expect_eq(pattern[3], 1, "a road that moves never stands");
    cr_expect_eq(pattern[4], 255); /* 254.7 */
}

Test(speed_patterns, the_largest_times_do_not_overflow)
{
    time_us[0] = MCD_TIME_MAX;
    for (size_t i = 1; i < SLOTS; ++i) time_us[i] = MCD_TIME_MAX / 2;
    cr_assert_eq(mcd_pattern_of_times(pattern, time_us, SLOTS, 0, &errors), MCD_TIME_MAX / 2);
    cr_expect_eq(pattern[0], 128);
    cr_expect_eq(pattern[1], MCD_PATTERN_FASTEST);
}

Test(speed_patterns, errors_are_shares_of_the_speed)
{
    time_us[0] = 2000; /* half the speed is 127.5 of 255: 128 is 1/255 more */
    (void)mcd_pattern_of_times(pattern, time_us, SLOTS, 0, &errors);
    cr_expect_eq(errors.worst_ppm, 3922);
    cr_expect_eq(errors.sum_ppm, 3922);
    cr_expect_eq(errors.slots, SLOTS);
}

Test(speed_patterns, slots_of_5_minutes_have_their_own_speeds)
{
    static uint64_t fine[MCD_PATTERN_FINE_SLOTS];
    static uint8_t speed[MCD_PATTERN_FINE_SLOTS];
    for (size_t i = 0; i < MCD_PATTERN_FINE_SLOTS; ++i) fine[i] = i % 3 == 1 ? 2000 : 1000;
    cr_assert_eq(mcd_pattern_of_times(speed, fine, MCD_PATTERN_FINE_SLOTS, 0, &errors), 1000);
    for (size_t i = 0; i < MCD_PATTERN_FINE_SLOTS; ++i)
        cr_expect_eq(speed[i], i % 3 == 1 ? 128 : 255, "%zu", i);
    cr_expect_eq(errors.worst_ppm, 3922);
}

Test(speed_patterns, coarse_patterns_keep_what_is_fastest_and_what_moves)
{
    static uint8_t last[SLOTS];
    for (size_t i = 0; i < SLOTS; ++i) time_us[i] = i < 255 ? 255000 / (i + 1) : 1000;
    for (unsigned coarseness = 1; coarseness <= MCD_COARSENESS_MAX; ++coarseness) {
        size_t levels = 0;
        (void)mcd_pattern_of_times(pattern, time_us, SLOTS, coarseness, &errors);
        cr_expect_eq(pattern[254], MCD_PATTERN_FASTEST);
        cr_expect_geq(pattern[0], 1);
        for (size_t i = 1; i < 255; ++i) {
            cr_expect_geq(pattern[i], pattern[i - 1]);
            levels += pattern[i] != pattern[i - 1];
        }
        if (coarseness == MCD_COARSENESS_MAX) cr_expect_lt(levels, 10, "%zu", levels);
        memcpy(last, pattern, sizeof last);
    }
}

/* Means of times, each rounded down in its part of the mean: 48 * (10 + 31); 255 is then the fastest mean. */
Test(speed_patterns, the_coarsest_patterns_have_a_speed_for_each_day)
{
    for (size_t i = 0; i < SLOTS; ++i) time_us[i] = i < 96 ? (i % 2 ? 1000 : 3000) : 4000;
    cr_assert_eq(mcd_pattern_of_times(pattern, time_us, SLOTS, MCD_COARSENESS_MAX, &errors), 1968);
    for (size_t i = 0; i < SLOTS; ++i) cr_expect_eq(pattern[i], i < 96 ? 255 : 128, "%zu", i);
    cr_expect_eq(errors.worst_ppm, 524390);
    time_us[5] = MCD_TIME_STILL;
    (void)mcd_pattern_of_times(pattern, time_us, SLOTS, MCD_COARSENESS_MAX, &errors);
    cr_expect_eq(pattern[5], 0, "nothing moves there");
    cr_expect_eq(pattern[7], 255);
    cr_expect_eq(pattern[8], 64, "%u", pattern[8]);
}
