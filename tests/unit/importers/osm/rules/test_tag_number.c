/* test_tag_number.c - numbers with units. */
#include "importers/osm/rules/tag_number.h"

#include <criterion/criterion.h>

static void expect(double measured, double expected)
{
    cr_expect_float_eq(measured, expected, 1e-6, "%f instead of %f", measured, expected);
}

Test(measure, lengths_are_metric_or_imperial)
{
    expect(mcd_tag_length("3.5"), 3.5);
    expect(mcd_tag_length("3.5 m"), 3.5);
    expect(mcd_tag_length("380cm"), 3.8);
    expect(mcd_tag_length("10 ft"), 3.048);
    expect(mcd_tag_length("12'6\""), 3.81);
    expect(mcd_tag_length("12' 6\""), 3.81);
    expect(mcd_tag_length("12'"), 3.6576);
}

Test(measure, masses_have_units)
{
    expect(mcd_tag_mass("7.5"), 7.5);
    expect(mcd_tag_mass("7.5 t"), 7.5);
    expect(mcd_tag_mass("7500 kg"), 7.5);
    expect(mcd_tag_mass("8 st"), 7.25747792);
    expect(mcd_tag_mass("10000 lbs"), 4.5359237);
}

Test(measure, durations_are_clocks_minutes_or_iso)
{
    expect(mcd_tag_duration("01:30"), 5400);
    expect(mcd_tag_duration("00:01:30"), 90);
    expect(mcd_tag_duration("20"), 1200);
    expect(mcd_tag_duration("PT1H30M"), 5400);
    expect(mcd_tag_duration("PT45S"), 45);
    expect(mcd_tag_duration("PT36H"), 129600);
    expect(mcd_tag_duration("P1DT2H"), 93600);
    expect(mcd_tag_duration("P2D"), 172800);
    expect(mcd_tag_duration("P1W"), 604800);
    expect(mcd_tag_duration("PT1.5H"), 5400);
}

Test(measure, other_words_are_zero)
{
    static const char *const length[] = {"", "below_default", "none", "3.5 feet", "12'x", "12'6", "-3", "."};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; ++i) expect(mcd_tag_length(length[i]), 0);
    expect(mcd_tag_mass("7,5"), 0);
    expect(mcd_tag_duration("PT1M1H"), 0);
    expect(mcd_tag_duration("PT"), 0);
    expect(mcd_tag_duration("PT5"), 0);
    expect(mcd_tag_duration("P"), 0);
    expect(mcd_tag_duration("P1H"), 0);
    expect(mcd_tag_duration("P1DT"), 0);
    expect(mcd_tag_duration("PT1D"), 0);
    expect(mcd_tag_duration("P5T1H"), 0);
    expect(mcd_tag_duration("PTT1H"), 0);
    expect(mcd_tag_duration("1:"), 0);
    expect(mcd_tag_speed("fast"), 0);
}
