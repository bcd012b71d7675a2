/* ellipsoid.h - lengths on the ground: on the ellipsoid of WGS 84. A leaf. */
#ifndef MCD_ENGINE_MAP_ELLIPSOID_H
#define MCD_ENGINE_MAP_ELLIPSOID_H

#include <stdint.h>

/* Metres between two points given in 1e-7 degrees: the length of the geodesic to 1e-6 of it, and to 1e-8 m,
 * up to 400 km; to 1e-4 of it up to 3000 km. The bits are the same on every machine up to there: of the
 * mathematical library, only square roots are used. */
double mcd_ellipsoid_distance_m(int32_t lon_e7, int32_t lat_e7, int32_t other_lon_e7, int32_t other_lat_e7);

/* A point, for several distances: most of the time goes into this. */
typedef struct mcd_ellipsoid_place {
    double x, y, z; /* metres from the centre of the earth */
    double radius;  /* Gaussian, of curvature */
} mcd_ellipsoid_place;

mcd_ellipsoid_place mcd_ellipsoid_place_of(int32_t lon_e7, int32_t lat_e7);
/* Returns the same as mcd_ellipsoid_distance_m. */
double mcd_ellipsoid_between_m(const mcd_ellipsoid_place *a, const mcd_ellipsoid_place *b);

#endif
