/* slope.h - how slopes change the speed of those who walk or ride. */
#ifndef MCD_IMPORTERS_OSM_RULES_SLOPE_H
#define MCD_IMPORTERS_OSM_RULES_SLOPE_H

#include "importers/osm/rules/profile.h"

/* Returns how many times as long a piece of road takes as on level ground, where the speed is `level_kmh`: exactly 1
 * without a slope. `slope` is the rise by the length; beyond +-0.5 it counts as that. One who pushes walks.
 *
 * Walking: exp(-3.5 |slope + 0.05|) is the speed, up to a factor. (Tobler 1993, "Three presentations on geographical
 * analysis and modeling", NCGIA 93-1: 6 km/h at most, at -0.05)
 *
 * Riding: the power at the wheel is constant, and spent on the slope, on rolling and on the air:
 *
 *     power = speed (mass g (slope + rolling) + density / 2 drag speed^2)
 *
 * The rolling resistance, which stands for the surface, is the one that makes `level_kmh` on level ground. A
 * rider is not faster than the profile's speed_max or than its factor times `level_kmh`, and not slower than
 * pushing. */
double mcd_slope_pace(const mcd_profile *profile, double level_kmh, bool pushed, double slope);

#endif
