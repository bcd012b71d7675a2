/* ellipsoid.c - see ellipsoid.h.
 *
 * Method: the chord between the two points in space, which is exact, bent to the arc of the sphere that
 * touches the ellipsoid best at the first point (the Gaussian radius of curvature).
 *
 * Why it is right: the arc exceeds the chord c by about c^3 / (24 R^2). The true radius along a geodesic
 * differs from the Gaussian one by less than 0.7 %, so that the length is wrong by less than 1.4 % of that
 * excess: 1.5e-5 of 1e-3 at 1000 km. (Torge, Mueller, Geodesy, 2012, 4.1) Compiled without contraction to
 * fused operations. */
#include "engine/map/ellipsoid.h"

#include <math.h>

static const double equator_m = 6378137, flattening = 1 / 298.257223563;
static const double radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;

enum { RIGHT_ANGLE_E7 = 900000000 };

typedef struct direction {
    double sine, cosine;
} direction;

typedef double both __attribute__((vector_size(16))); /* divided together: divisions take most of the time */

/* The nearest multiple of a right angle, and the angle beyond it in radians. */
static int64_t quarter_of(int32_t angle_e7, double *beyond)
{
    const int64_t half = angle_e7 < 0 ? -RIGHT_ANGLE_E7 / 2 : RIGHT_ANGLE_E7 / 2;
    const int64_t quarter = (angle_e7 + half) / RIGHT_ANGLE_E7;
    *beyond = (double)(angle_e7 - quarter * RIGHT_ANGLE_E7) * radians_per_e7;
    return quarter;
}

static direction turn(int64_t quarter, double sine, double cosine)
{
    switch (quarter & 3) {
    case 0:
        return (direction){sine, cosine};
    case 1:
        return (direction){cosine, -sine};
    case 2:
        return (direction){-sine, -cosine};
    default:
        return (direction){-cosine, sine};
    }
}

/* Taylor's series, for angles of at most 45 degrees beyond a multiple of a right angle: to 1e-17. Two angles
 * together, as each division waits for the one before. */
static void find_directions(int32_t a_e7, int32_t b_e7, direction *a, direction *b)
{
    double x, y;
    const int64_t quarter_x = quarter_of(a_e7, &x), quarter_y = quarter_of(b_e7, &y);
    const double square_x = x * x, square_y = y * y;
    both of_x = {1, 1}, of_y = {1, 1};
    for (int i = 16; i > 0; i -= 2) {
        const both divisor = {i * (i + 1), i * (i - 1)};
        of_x = 1 - square_x * of_x / divisor;
        of_y = 1 - square_y * of_y / divisor;
    }
    *a = turn(quarter_x, of_x[0] * x, of_x[1]);
    *b = turn(quarter_y, of_y[0] * y, of_y[1]);
}

mcd_ellipsoid_place mcd_ellipsoid_place_of(int32_t lon_e7, int32_t lat_e7)
{
    const double square = flattening * (2 - flattening); /* of the eccentricity */
    direction lat, lon;
    find_directions(lat_e7, lon_e7, &lat, &lon);
    const double root = sqrt(1 - square * lat.sine * lat.sine), normal = equator_m / root;
    return (mcd_ellipsoid_place){normal * lat.cosine * lon.cosine, normal * lat.cosine * lon.sine,
                                 normal * (1 - square) * lat.sine,
                                 equator_m * (1 - flattening) / (root * root)};
}

/* asin(x) / x */
static double bend(double x)
{
    static const double short_enough = 0.33;
    if (x > short_enough) return asin(fmin(x, 1)) / x;
    const double square = x * x;
    return 1 + square / 6 +
           square * square *
               (3.0 / 40 + square * (15.0 / 336 + square * (105.0 / 3456 + square * 945.0 / 42240)));
}

double mcd_ellipsoid_between_m(const mcd_ellipsoid_place *a, const mcd_ellipsoid_place *b)
{
    const double x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, chord = sqrt(x * x + y * y + z * z);
    return chord * bend(chord / (a->radius + b->radius));
}

double mcd_ellipsoid_distance_m(int32_t lon_e7, int32_t lat_e7, int32_t other_lon_e7, int32_t other_lat_e7)
{
    const mcd_ellipsoid_place a = mcd_ellipsoid_place_of(lon_e7, lat_e7),
                              b = mcd_ellipsoid_place_of(other_lon_e7, other_lat_e7);
    return mcd_ellipsoid_between_m(&a, &b);
}
