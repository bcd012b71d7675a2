/* slope.c - see slope.h. Only basic arithmetic is used, so that every machine gets the same bits. */
#include "importers/osm/rules/slope.h"

#include <math.h>

static const double steepest = 0.5, gravity = 9.81, air_half = 0.6; /* m/s^2; half of 1.2 kg/m^3 */
static const double tobler_rate = 3.5, tobler_shift = 0.05;
static const double kmh = 1 / 3.6; /* in m/s */

/* e to the power of x, -4 < x < 4: the series for x / 16, four times squared. */
static double power_of_e(double x)
{
    double sum = 1;
    for (int term = 12; term > 0; --term) sum = 1 + sum * (x / 16) / term;
    for (int i = 0; i < 4; ++i) sum *= sum;
    return sum;
}

/* The speed of one who walks, by that on level ground. */
static double walked(double slope)
{
    return power_of_e(-tobler_rate * (fabs(slope + tobler_shift) - tobler_shift));
}

/* The speed in m/s at which air_m v^3 + force v = power, at most `most`. Newton's method from above: the left side is
 * convex there. */
static double balance(double power, double air_m, double force, double most)
{
    double v = most;
    if (air_m * v * v * v + force * v <= power) return most;
    for (int i = 0; i < 30; ++i) v -= (air_m * v * v * v + force * v - power) / (3 * air_m * v * v + force);
    return v;
}

/* Likewise of one who rides. */
static double ridden(const mcd_profile *profile, double level_kmh, double slope)
{
    const mcd_profile_rider *const rider = &profile->rider;
    const double level = level_kmh * kmh, air_m = air_half * rider->drag_m2;
    const double most = fmax(fmin(profile->speed_max_kmh, level_kmh * rider->fastest) * kmh, level);
    const double least = fmin(profile->push_kmh, level_kmh) * kmh * walked(slope);
    const double rolling_n = rider->power_w / level - air_m * level * level;
    return fmax(balance(rider->power_w, air_m, rolling_n + rider->mass_kg * gravity * slope, most), least) /
           level;
}

double mcd_slope_pace(const mcd_profile *profile, double level_kmh, bool pushed, double slope)
{
    if (slope == 0 || profile->slopes == MCD_SLOPES_IGNORED) return 1;
    slope = fmin(fmax(slope, -steepest), steepest);
    const bool rides = profile->slopes == MCD_SLOPES_RIDDEN && !pushed;
    return 1 / (rides ? ridden(profile, level_kmh, slope) : walked(slope));
}
