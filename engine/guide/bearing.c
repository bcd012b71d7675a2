/* bearing.c - see bearing.h. */
#include "engine/guide/bearing.h"

#include <math.h>

enum { LOOK_M = 15, WHOLE = 360, HALF = 180 };

#define RADIANS_PER_E7     (3.14159265358979323846 / 180 * 1e-7)
#define DEGREES_PER_RADIAN (180 / 3.14159265358979323846)
#define METRES_PER_E7      (6371008.8 * RADIANS_PER_E7)

double mcd_turn(double before, double after)
{
    double turn = after - before;
    while (turn > HALF) turn -= WHOLE;
    while (turn <= -HALF) turn += WHOLE;
    return turn;
}

/* ---- directions ---- */

mcd_point mcd_arc_walk_point(const mcd_arc_walk *walk, size_t i, size_t count)
{
    return mcd_road_point(walk->roads, walk->tail, walk->arc, walk->backward ? count - 1 - i : i);
}

double mcd_arc_walk_bearing(const mcd_arc_walk *walk)
{
    const size_t count = mcd_road_point_count(walk->roads, walk->arc);
    const mcd_point first = mcd_arc_walk_point(walk, 0, count);
    mcd_point last = first;
    double east = 0, north = 0, metres = 0;
    for (size_t i = 1; i < count && metres < LOOK_M; ++i) {
        const mcd_point next = mcd_arc_walk_point(walk, i, count);
        const double piece = mcd_road_length(last, next);
        const double share = metres + piece > LOOK_M ? (LOOK_M - metres) / piece : 1;
        east += share * remainder((double)next.lon_e7 - last.lon_e7, MCD_WHOLE_E7);
        north += share * ((double)next.lat_e7 - last.lat_e7);
        metres += piece;
        last = next;
    }
    const double degrees = atan2(east * cos(first.lat_e7 * RADIANS_PER_E7), north) * DEGREES_PER_RADIAN;
    return degrees < 0 ? degrees + WHOLE : degrees;
}

double mcd_bearing_after(const mcd_roads *roads, uint32_t arc)
{
    return mcd_arc_walk_bearing(&(const mcd_arc_walk){roads, mcd_road_tail(roads->graph, arc), arc, false});
}

double mcd_bearing_before(const mcd_roads *roads, uint32_t arc)
{
    const mcd_arc_walk back = {roads, mcd_road_tail(roads->graph, arc), arc, true};
    return fmod(mcd_arc_walk_bearing(&back) + HALF, WHOLE);
}

double mcd_arc_metres(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const size_t count = mcd_road_point_count(roads, arc);
    mcd_point last = mcd_road_point(roads, tail, arc, 0);
    const double shrinks = cos(last.lat_e7 * RADIANS_PER_E7);
    double sum = 0;
    for (size_t i = 1; i < count; ++i) {
        const mcd_point next = mcd_road_point(roads, tail, arc, i);
        const double east = remainder((double)next.lon_e7 - last.lon_e7, MCD_WHOLE_E7) * shrinks,
                     north = (double)next.lat_e7 - last.lat_e7;
        sum += sqrt(east * east + north * north);
        last = next;
    }
    return sum * METRES_PER_E7;
}
