/* test_rates.c - rates are read from a file or built in; the built-in ones choose the device that was faster. */
#include "engine/runtime/rates.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static macadam_error error;

Test(rates, rates_that_cannot_be_read_are_refused)
{
    static const struct {
        const char *rows, *message;
    } wrong[] = {
        {"trees,1,2,3,4,5,6\nflights,1,2,3,4,5,6\n", "line 2: no question \"flights\""},
        {"trees,1,2,x,4,5,6\n", "line 1: \"x\" is not a number of femtoseconds"},
        {"trees,1,2,-3,4,5,6\n", "line 1: \"-3\" is not a number of femtoseconds"},
        {"trees,1,2,3,4,5\n", "line 1: \"\" is not a number of femtoseconds"},
        {"trees,1,2,3,4,5,99999999999999999999\n", "line 1: \"99999999999999999999\" is not"},
        {"trees,1,2,3,4,5,6,7\n", "line 1: more than 6 numbers"},
        {"trees,1,,3,4,5,6\n", "line 1: \"\" is not a number of femtoseconds"},
        {"hops,1,2,3,4,5,6\ntrees,"
         "0000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000"
         "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000,2\n",
         "line 2 is longer than 254 bytes"},
    };
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + FILES_NAME_BYTES];
    mcd_rates rates;
    files_new_path(folder, path, "rates.csv");
    setenv("MACADAM_RATES", path, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        files_write(path, wrong[i].rows, strlen(wrong[i].rows));
        cr_assert_eq(mcd_rates_load(&rates, &error), MACADAM_E_FILE);
        cr_assert(strstr(error.message, wrong[i].message), "%s", error.message);
    }
    files_remove_folder(folder);
    setenv("MACADAM_RATES", "/nowhere/rates.csv", 1);
    cr_assert_eq(mcd_rates_load(&rates, &error), MACADAM_E_IO);
    cr_assert(strstr(error.message, "/nowhere/rates.csv"), "%s", error.message);
}

Test(rates, larger_questions_take_longer)
{
    static const mcd_extent map = {1000000, 2500000, 4000000, 300};
    mcd_rates rates;
    unsetenv("MACADAM_RATES");
    cr_assert_eq(mcd_rates_load(&rates, &error), MACADAM_OK);
    for (int rated = MCD_RATED_TREES; rated <= MCD_RATED_HOPS; ++rated)
        for (uint64_t count = 1; count <= 1000; count *= 10) {
            const mcd_amount small = {(mcd_rated)rated, count, count},
                             large = {(mcd_rated)rated, 100 * count, 100 * count};
            double least, most;
            cr_assert_geq(mcd_rates_host_ns(&rates, &large, &map, 16, &most),
                          mcd_rates_host_ns(&rates, &small, &map, 16, &least));
            cr_assert_gt(most, least);
            cr_assert_gt(mcd_rates_device_ns(&rates, &large, &map),
                         mcd_rates_device_ns(&rates, &small, &map));
        }
}

/* Questions of docs/benchmarks/gpu.md, for an H200 and 16 threads; and of a village, which is not measured. */
Test(rates, built_in_rates_choose_the_device_that_was_faster)
{
    static const mcd_extent ne = {1524453, 3868020, 5160323, 339}, ny = {264346, 733846, 1159754, 232},
                            milan = {158758, 339788, 900212, 258}, village = {2000, 5000, 10000, 60};
    static const struct {
        const mcd_extent *map;
        mcd_amount amount;
        bool is_on_device;
    } measured[] = {
        {&ne, {MCD_RATED_ROUTES, 10, 0}, false},     {&ny, {MCD_RATED_ROUTES, 100, 0}, true},
        {&milan, {MCD_RATED_PATHS, 10, 0}, false},   {&milan, {MCD_RATED_PATHS, 1000, 0}, true},
        {&milan, {MCD_RATED_MATRIX, 10, 10}, false}, {&milan, {MCD_RATED_MATRIX, 30, 30}, true},
        {&ny, {MCD_RATED_MATRIX, 10, 10}, false},    {&ny, {MCD_RATED_MATRIX, 30, 30}, true},
        {&ne, {MCD_RATED_MATRIX, 10, 10}, true},     {&village, {MCD_RATED_MATRIX, 100, 100}, false},
        {&milan, {MCD_RATED_TREES, 1, 0}, true},     {&ny, {MCD_RATED_TREES, 4, 0}, true},
        {&village, {MCD_RATED_TREES, 1, 0}, false},  {&milan, {MCD_RATED_LANES, 32, 0}, true},
        {&village, {MCD_RATED_LANES, 16, 0}, false}, {&milan, {MCD_RATED_REACH, 1, 0}, true},
        {&ny, {MCD_RATED_REACH, 4, 0}, true},        {&village, {MCD_RATED_REACH, 1, 0}, false},
        {&ne, {MCD_RATED_HOPS, 16, 16}, true},       {&ny, {MCD_RATED_HOPS, 16, 16}, false},
    };
    mcd_rates rates;
    unsetenv("MACADAM_RATES");
    cr_assert_eq(mcd_rates_load(&rates, &error), MACADAM_OK);
    for (size_t i = 0; i < sizeof measured / sizeof *measured; ++i)
        cr_expect_eq(mcd_rates_host_ns(&rates, &measured[i].amount, measured[i].map, 16, NULL) >
                         mcd_rates_device_ns(&rates, &measured[i].amount, measured[i].map),
                     measured[i].is_on_device, "row %zu", i);
}
