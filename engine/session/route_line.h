/* route_line.h - the line of a route as a traveller sees it: points, metres and seconds from the start, and the places on it that
 * are near a position. */
#ifndef MCD_ENGINE_SESSION_ROUTE_LINE_H
#define MCD_ENGINE_SESSION_ROUTE_LINE_H

#include "engine/base/memory.h"

/* The points of all arcs, one after the other. A piece leads from each point to the next one; between arcs its length is 0,
 * unless a waypoint was moved to another road. */
typedef struct mcd_route_line {
    double *lon, *lat; /* [point_count] at least one */
    double *along;     /* [point_count] metres from the first point */
    double *arc_along; /* [arc_count + 1] where each arc begins, then where the line ends */
    double *seconds;   /* [arc_count + 1] before each arc, then of all; NaN: there are no durations */
    double *from, *to; /* [arc_count] shares of the arc where travel on it begins and ends */
    size_t point_count, arc_count;
} mcd_route_line;

/* Copies the line of a route that was found. The values number `duration` of its arcs are milliseconds;
 * MACADAM_QUANTITIES_MAX: none are. Returns E_MEMORY; free it in any case. */
macadam_status mcd_route_line_read(mcd_route_line *out, const macadam_route *route, size_t duration,
                                   macadam_error *error);
void mcd_route_line_free(mcd_route_line *line);

static inline double mcd_route_line_metres(const mcd_route_line *line)
{
    return line->along[line->point_count - 1];
}

/* A place at some metres from the start. */
typedef struct mcd_route_line_spot {
    double lon, lat;
    size_t arc;      /* of several that meet there, the last one */
    double share;    /* of the whole arc */
    double seconds;  /* from the start; NaN: not known */
    double speed_ms; /* of the arc; 0: not known */
} mcd_route_line_spot;
mcd_route_line_spot mcd_route_line_at(const mcd_route_line *line, double along);

/* A position from which the line is seen. */
typedef struct mcd_eye {
    double lon, lat, lon_m, lat_m; /* the last two: metres per degree */
} mcd_eye;
mcd_eye mcd_eye_at(double lon, double lat);
/* Returns the metres from the eye to a point, and the direction: -180 to 180. */
double mcd_eye_distance(const mcd_eye *eye, double lon, double lat);
double mcd_eye_bearing(const mcd_eye *eye, double lon, double lat);

/* A place on the line that is nearer to the eye than the places around it. */
typedef struct mcd_route_line_near {
    double along, distance;
} mcd_route_line_near;
enum { MCD_ROUTE_LINE_NEAR_MAX = 16 };

/* Finds the near places within `radius` of the eye and from `first` to `last` metres along the line; of more than
 * MCD_ROUTE_LINE_NEAR_MAX the nearest; if there is none, with `or_nearest`, the nearest place beyond the radius. Returns how
 * many, in the order of travel. Time: of the pieces near the eye, and a binary search for each stretch between them. The
 * nearest place beyond the radius takes longer: stretches are short where the line is not much farther away than it. */
size_t mcd_route_line_find(mcd_route_line_near out[MCD_ROUTE_LINE_NEAR_MAX], const mcd_route_line *line,
                           const mcd_eye *eye, double first, double last, double radius, bool or_nearest);

/* Returns by how many degrees a heading differs from the direction of the line, up to `within` metres from `along`, where it
 * differs least: 0 to 180; 0 if the heading is NaN. */
double mcd_route_line_turn(const mcd_route_line *line, const mcd_eye *eye, double along, double within,
                           double heading);

#endif
