/* test_ellipsoid.c - lengths agree with those of GeographicLib 2.0, which are right to 15 nm. */
#include "engine/map/ellipsoid.h"

#include <criterion/criterion.h>
#include <math.h>

typedef struct line {
    int32_t lon_e7, lat_e7, other_lon_e7, other_lat_e7;
    double metres;
} line;

/* Along the equator and a meridian, across the date line, near the pole, and of all lengths. */
static const line lines[] = {
    // clang-format off
        {0, 0, 10000, 0, 111.319491},
        {0, 0, 0, 10000, 110.574276},
        {1799999000, 0, -1799999000, 0, 22.2638982},
        {100000000, 899990000, -900000000, 899990000, 171.125105},
        {91850000, 454640000, 91860000, 454650000, 135.899412},
        {870433161, 208932881, 870432239, 208933134, 9.99346243},
        {863634869, 752165482, 863633223, 752166274, 10.0074571},
        {-123758444, -800691112, -123776533, -800682717, 100.004869},
        {1443241770, 253256740, 1443248254, 253263578, 99.9990564},
        {-912337803, -52582619, -912362295, -52669651, 999.993732},
        {-1752788917, 125700019, -1752698897, 125718777, 999.998135},
        {1498843339, -374879978, 1497718272, -374790562, 10000.004},
        {1069729169, -578672839, 1071016969, -578094521, 10000.0003},
        {-1343882763, 199669285, -1343775603, 208701362, 99999.9946},
        {-1045957023, 631388066, -1026469330, 633185636, 99999.9997},
        {1340667956, 820115885, 1555600915, 804839048, 400000.003},
        {141204488, 784512581, 2026783, 764974075, 400000},
        {1587513604, -501874825, 1449061777, -526724788, 1000000},
        {1417470039, 793159331, 1746564376, 741481164, 999999.997},
        {-1202558194, -235977111, -1127822348, -179202599, 1000000},
        {-715107237, -739262487, -1028564116, -795976943, 1000000},
        {640563298, -844248697, 1752625187, -656194218, 3000000},
        {1146665069, -323071516, 1207452332, -589863476, 3000000},
    // clang-format on
};

static double length_of(const line *at)
{
    return mcd_ellipsoid_distance_m(at->lon_e7, at->lat_e7, at->other_lon_e7, at->other_lat_e7);
}

Test(ellipsoid, lengths_are_those_of_geodesics)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        const line *const at = &lines[i];
        const double part = at->metres > 5e5 ? 1e-4 : 1e-6, digits = at->metres * 1e-8;
        cr_expect_leq(fabs(length_of(at) - at->metres), at->metres * part + digits + 1e-7,
                      "line %zu: %.9f m, not %.9f m", i, length_of(at), at->metres);
    }
}

Test(ellipsoid, length_is_the_same_from_both_ends)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        const line *const at = &lines[i];
        const line back = {at->other_lon_e7, at->other_lat_e7, at->lon_e7, at->lat_e7, at->metres};
        cr_expect_eq(length_of(at), length_of(&back), "line %zu", i);
    }
}

Test(ellipsoid, one_place_has_no_distance_from_itself)
{
    cr_expect_eq(mcd_ellipsoid_distance_m(1234567, -890000000, 1234567, -890000000), 0);
    cr_expect_float_eq(mcd_ellipsoid_distance_m(1800000000, 123, -1800000000, 123), 0, 1e-8);
}
