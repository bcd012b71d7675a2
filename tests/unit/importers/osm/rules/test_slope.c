/* test_slope.c - speeds on slopes, beside numbers computed by hand: by bisection for those who ride. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/slope.h"

#include <criterion/criterion.h>

static mcd_profile profile;

static void read_profile(const char *name)
{
    macadam_error error;
    cr_assert_eq(mcd_profile_read(&profile, name, &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    mcd_profile_free(&profile);
}

TestSuite(slope, .fini = tear_down);

typedef struct pace_row {
    double level_kmh, slope, pace;
} pace_row;

static void expect_paces(const pace_row *row, size_t count, bool pushed)
{
    for (size_t i = 0; i < count; ++i)
        cr_expect_float_eq(mcd_slope_pace(&profile, row[i].level_kmh, pushed, row[i].slope), row[i].pace,
                           1e-12, "%g km/h, slope %g: %.15f", row[i].level_kmh, row[i].slope,
                           mcd_slope_pace(&profile, row[i].level_kmh, pushed, row[i].slope));
}

static const pace_row walks[] = {
    {5, 0, 1},      {5, 0.1, 1.4190675485932576},  {5, -0.05, 0.8394570207692074}, /* the fastest */
    {2.5, -0.1, 1}, {5, -0.2, 1.4190675485932576}, {5, 0.5, 5.75460267600573},     {5, 0.9, 5.75460267600573},
};

Test(slope, people_on_foot_go_by_toblers_function)
{
    read_profile("foot");
    expect_paces(walks, sizeof walks / sizeof walks[0], false);
}

Test(slope, bicycles_go_by_a_balance_of_power)
{
    static const pace_row rides[] = {
        {18, 0, 1},
        {18, 0.05, 3.2498227472649357},
        {18, -0.01, 0.7890825129753676},
        {18, -0.02, 0.72}, /* 25 km/h: the fastest */
        {18, -0.9, 0.72},
        {18, 0.2, 9.061887183617145},  /* one pushes */
        {10, 0.05, 2.452398870435308}, /* on gravel */
        {10, -0.05, 1 / 1.5},
        {2, 0.05, 1.191246216612358}, /* no faster than on level ground by pushing */
    };
    read_profile("bike");
    expect_paces(rides, sizeof rides / sizeof rides[0], false);
    expect_paces(walks, sizeof walks / sizeof walks[0], true);
}

Test(slope, steeper_is_slower_uphill_and_both_directions_differ)
{
    read_profile("bike");
    for (int level_kmh = 2; level_kmh <= 25; ++level_kmh)
        for (int percent = 1; percent <= 40; ++percent) {
            const double slope = percent / 100.0, up = mcd_slope_pace(&profile, level_kmh, false, slope);
            cr_expect_gt(up, mcd_slope_pace(&profile, level_kmh, false, slope - 0.01));
            cr_expect_lt(mcd_slope_pace(&profile, level_kmh, false, -slope), up);
        }
}

Test(slope, cars_do_not_mind)
{
    read_profile("car");
    cr_expect_eq(mcd_slope_pace(&profile, 50, false, 0.2), 1);
}
