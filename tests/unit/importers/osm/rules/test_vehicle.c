/* test_vehicle.c - files of electric vehicles, and energies that were computed by hand. */
#include "importers/osm/rules/vehicle.h"

#include "tests/support/import_fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(vehicle, .init = import_fixture_open, .fini = import_fixture_close);

/* ---- files ---- */

static macadam_status read_text(mcd_vehicle *out, const char *text)
{
    return mcd_vehicle_read(out, import_write("my.vehicle", text), &import_error);
}

Test(vehicle, settings_replace_the_usual_numbers)
{
    mcd_vehicle vehicle;
    cr_assert_eq(read_text(&vehicle, ""), MACADAM_OK, "%s", import_error.message);
    cr_expect_eq(vehicle.mass_kg, 2000);
    cr_expect_eq(vehicle.efficiency, 0.85);
    const char *const text = "# a bus\nmass 18000\r\n\n drag\t5.5 # m2\nrolling 0.006\nefficiency 1\n"
                             "recuperation 0\nauxiliary 4000";
    cr_assert_eq(read_text(&vehicle, text), MACADAM_OK, "%s", import_error.message);
    cr_expect_eq(vehicle.mass_kg, 18000);
    cr_expect_float_eq(vehicle.drag_m2, 5.5, 1e-12);
    cr_expect_float_eq(vehicle.rolling, 0.006, 1e-12);
    cr_expect_eq(vehicle.efficiency, 1);
    cr_expect_eq(vehicle.recuperation, 0);
    cr_expect_eq(vehicle.auxiliary_w, 4000);
}

Test(vehicle, a_bad_file_is_reported_with_its_line_and_its_value)
{
    static const struct {
        const char *text, *told;
    } bad[] = {
        {"mass 2000\nmass 1", ":2: a second mass: \"mass 1\""},
        {"weight 3",
         ":1: \"weight\" is none of mass, drag, rolling, efficiency, recuperation, auxiliary: \"weight 3\""},
        {"\nmass", ":2: \"\" is not a number: \"mass\""},
        {"mass -5", ":1: \"-5\" is not a number"},
        {"mass 2t", ":1: \"2t\" is not a number"},
        {"mass 0", ":1: mass 0 is not from 1 to 60000"},
        {"drag 100", ":1: drag 100 is not from 0 to 20"},
        {"rolling 1", ":1: rolling 1 is not from 0 to 0.1"},
        {"efficiency 0", ":1: efficiency 0 is not from 0.1 to 1"},
        {"recuperation 1.01", ":1: recuperation 1.01 is not from 0 to 1"},
        {"auxiliary 1e9", ":1: \"1e9\" is not a number"},
        {"mass 3 t", ":1: more than a name and a number: \"mass 3 t\""},
        {"mass 60000\nrecuperation 1", "mass 60000 times recuperation 1 is above 39000 kg"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        mcd_vehicle vehicle;
        cr_expect_eq(read_text(&vehicle, bad[i].text), MACADAM_E_FILE, "%s", bad[i].text);
        cr_expect(strstr(import_error.message, bad[i].told), "%s is not in %s", bad[i].told,
                  import_error.message);
        cr_expect(strstr(import_error.message, "my.vehicle"), "%s", import_error.message);
    }
    mcd_vehicle vehicle;
    cr_expect_eq(mcd_vehicle_read(&vehicle, import_path("none.vehicle"), &import_error), MACADAM_E_IO);
}

/* ---- energies ---- */

/* 1000 kg; 98.1 N roll; 0.6 v^2 N of drag; 100 mWh a second; 136.25 mWh of potential a decimetre. */
static const mcd_vehicle hand = {1000, 1, 0.01, 0.8, 0.5, 360};

Test(vehicle, ten_arcs_are_as_computed_by_hand)
{
    static const struct {
        double metres, seconds;
        int32_t rise_dm;
        int64_t energy_mwh;
    } arc[] = {
        {0, 0, 0, 0},
        {100, 10, 0, 6490},    /* 158.1 N 100 m / 0.8 = 19762.5 J; 1000 mWh */
        {100, 10, 50, 23521},  /* 15810 + 49050 J, / 0.8 */
        {100, 10, -50, -3616}, /* 15810 - 49050 J, x 0.5 */
        {100, 10, -10, 3084},  /* 15810 - 9810 J, / 0.8: it need not brake */
        {1000, 100, 1000, 405521},
        {1000, 100, -1000, -104291},
        {1000, 40, -100, 134209}, /* 25 m/s: 473.1 N */
        {50, 10, -3, 1942},
        {200, 20, -200, -20858},
    };
    static const int32_t base_dm[] = {0, 1, -3, 48100};
    for (size_t i = 0; i < sizeof arc / sizeof *arc; ++i)
        for (size_t b = 0; b < sizeof base_dm / sizeof *base_dm; ++b) {
            const int64_t rise = (int64_t)mcd_vehicle_potential(&hand, base_dm[b] + arc[i].rise_dm) -
                                 mcd_vehicle_potential(&hand, base_dm[b]);
            const double piece_j =
                mcd_vehicle_piece_j(&hand, arc[i].metres, arc[i].rise_dm / 10.0,
                                    arc[i].seconds > 0 ? arc[i].metres / arc[i].seconds : 0);
            const int64_t found = mcd_vehicle_weight(&hand, piece_j, arc[i].seconds, rise) + rise;
            cr_expect_eq(found, arc[i].energy_mwh, "arc %zu takes %lld mWh, not %lld", i, (long long)found,
                         (long long)arc[i].energy_mwh);
        }
    cr_expect_eq(mcd_vehicle_potential(&hand, 1), 136);
    cr_expect_eq(mcd_vehicle_potential(&hand, -1), -137);
}

/* A weight that would be below 0 becomes 0, and the arc's energy then is above what it should be. */
Test(vehicle, no_weight_is_below_its_energy_or_a_milliwatt_hour_above)
{
    test_rng rng = {5};
    for (int i = 0; i < 200000; ++i) {
        const mcd_vehicle vehicle = {.mass_kg = 1 + rng_below(&rng, 30000),
                                     .drag_m2 = rng_below(&rng, 3) * 0.7,
                                     .rolling = rng_below(&rng, 3) * 0.005,
                                     .efficiency = (70 + rng_below(&rng, 31)) / 100.0,
                                     .recuperation = rng_below(&rng, 101) / 100.0,
                                     .auxiliary_w = rng_below(&rng, 2) * 300};
        const int32_t from_dm = (int32_t)rng_below(&rng, 40000) - 4000,
                      to_dm = from_dm + (int32_t)rng_below(&rng, 400) - 200;
        const double metres = rng_below(&rng, 3000) / 10.0, seconds = metres / 13;
        const int64_t rise =
            (int64_t)mcd_vehicle_potential(&vehicle, to_dm) - mcd_vehicle_potential(&vehicle, from_dm);
        const double piece_j = mcd_vehicle_piece_j(&vehicle, metres, (to_dm - from_dm) / 10.0, 13);
        const double exact = (piece_j + vehicle.auxiliary_w * seconds) / 3.6;
        const double found = (double)(mcd_vehicle_weight(&vehicle, piece_j, seconds, rise) + rise);
        cr_assert(found >= exact - 1e-6 && found < exact + 1 + 1e-6, "%g mWh instead of %g", found, exact);
    }
}
