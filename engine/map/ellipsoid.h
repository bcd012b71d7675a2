/* ellipsoid.h - lengths on the ground: on the ellipsoid of WGS 84. A leaf. */
#ifndef MCD_ENGINE_MAP_ELLIPSOID_H
#define MCD_ENGINE_MAP_ELLIPSOID_H

#include <stdint.h>

/* Metres between two points given in 1e-7 degrees: the length of the geodesic to 1e-6 of it, and to 1e-8 m,
 * up to 400 km; to 1e-4 of it up to 3000 km. The bits are the same on every machine up to there: nothing is
 * asked of the mathematical library but square roots. */
double mcd_ellipsoid_distance_m(int32_t lon_e7, int32_t lat_e7, int32_t other_lon_e7, int32_t other_lat_e7);

#endif
