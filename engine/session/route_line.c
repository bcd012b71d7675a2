/* route_line.c - see route_line.h.
 *
 * Around a position the earth is a plane: distances of some hundred metres are right to 1e-3. A point x metres further along
 * the line is at most x metres nearer. So a search leaves out half of what a distant point guarantees: it need not be exact
 * there. */
#include "engine/session/route_line.h"
#include "engine/base/types.h"
#include "engine/map/ellipsoid.h"

#include <math.h>

static const double skip_least_m = 100; /* a shorter one costs more than the pieces */
static const double degree = 3.14159265358979323846 / 180;

MCD_DEFINE_FREE(mcd_route_line_free, mcd_route_line, it->lon, it->lat, it->along, it->arc_along, it->seconds,
                it->from, it->to)

static void read_points(mcd_route_line *out, const macadam_route *route)
{
    const bool is_point = route->shape_count == 0;
    mcd_ellipsoid_place before, here;
    for (size_t i = 0; i < out->point_count; ++i) {
        out->lon[i] = is_point ? route->waypoint->lon : route->lon[i];
        out->lat[i] = is_point ? route->waypoint->lat : route->lat[i];
        here = mcd_ellipsoid_place_of((int32_t)lround(out->lon[i] * 1e7), (int32_t)lround(out->lat[i] * 1e7));
        out->along[i] = i ? out->along[i - 1] + mcd_ellipsoid_between_m(&before, &here) : 0;
        before = here;
    }
}

macadam_status mcd_route_line_read(mcd_route_line *out, const macadam_route *route, size_t duration,
                                   macadam_error *error)
{
    const size_t arcs = route->arc_count, points = route->shape_count ? route->shape_count : 1;
    *out = (mcd_route_line){.point_count = points, .arc_count = arcs};
    MCD_TRY(MCD_NEW(out->lon, points, error));
    MCD_TRY(MCD_NEW(out->lat, points, error));
    MCD_TRY(MCD_NEW(out->along, points, error));
    MCD_TRY(MCD_NEW(out->arc_along, arcs + 1, error));
    MCD_TRY(MCD_NEW(out->seconds, arcs + 1, error));
    MCD_TRY(MCD_NEW(out->from, arcs, error));
    MCD_TRY(MCD_NEW(out->to, arcs, error));
    read_points(out, route);
    out->seconds[0] = duration < MACADAM_QUANTITIES_MAX ? 0 : NAN;
    for (size_t a = 0; a < arcs; ++a) {
        const macadam_route_arc *const arc = &route->arc[a];
        out->arc_along[a] = out->along[arc->first_shape];
        out->seconds[a + 1] =
            duration < MACADAM_QUANTITIES_MAX ? out->seconds[a] + arc->value[duration] / 1000.0 : NAN;
        out->from[a] = arc->from;
        out->to[a] = arc->to;
    }
    out->arc_along[arcs] = out->along[points - 1];
    return MACADAM_OK;
}

MCD_DEFINE_LOWER_BOUND_BY(find_above, double, double, *element <= value)

/* Returns the last of the ascending numbers at first <= i < end that is at most `along`, or `first`. */
static size_t find_last(const double *number, size_t first, size_t end, double along)
{
    return find_above(number, first + 1, end, along) - 1;
}

static double share_of(double along, double first, double last)
{
    return last > first ? fmin((along - first) / (last - first), 1) : 0;
}

mcd_route_line_spot mcd_route_line_at(const mcd_route_line *line, double along)
{
    const size_t i = find_last(line->along, 0, line->point_count, along),
                 next = i + 1 < line->point_count ? i + 1 : i;
    const double share = share_of(along, line->along[i], line->along[next]);
    const double east = remainder(line->lon[next] - line->lon[i], 360);
    mcd_route_line_spot out = {.lon = remainder(line->lon[i] + share * east, 360),
                               .lat = line->lat[i] + share * (line->lat[next] - line->lat[i]),
                               .seconds = line->seconds[0]};
    if (line->arc_count == 0) return out;
    const size_t arc = out.arc = find_last(line->arc_along, 0, line->arc_count, along);
    const double first = line->arc_along[arc], last = line->arc_along[arc + 1];
    const double of_arc = last > first ? share_of(along, first, last) : 1;
    const double seconds = line->seconds[arc + 1] - line->seconds[arc];
    out.share = line->from[arc] + of_arc * (line->to[arc] - line->from[arc]);
    out.seconds = line->seconds[arc] + of_arc * seconds;
    if (seconds > 0) out.speed_ms = (last - first) / seconds;
    return out;
}

/* ---- what is near ---- */

mcd_eye mcd_eye_at(double lon, double lat)
{
    /* The radii of curvature of the ellipsoid of WGS 84: Torge, Mueller, Geodesy, 2012, 4.1. */
    static const double equator_m = 6378137, squared_eccentricity = 6.69437999014e-3;
    const double sine = sin(lat * degree), square = 1 - squared_eccentricity * sine * sine;
    const double across = equator_m / sqrt(square);
    return (mcd_eye){lon, lat, across * cos(lat * degree) * degree,
                     across * (1 - squared_eccentricity) / square * degree};
}

/* Returns the metres from the eye to the east. */
static double eye_east(const mcd_eye *eye, double lon)
{
    const double east = lon - eye->lon;
    return (east > 180 ? east - 360 : east < -180 ? east + 360 : east) * eye->lon_m;
}

double mcd_eye_distance(const mcd_eye *eye, double lon, double lat)
{
    const double east = eye_east(eye, lon), north = (lat - eye->lat) * eye->lat_m;
    return sqrt(east * east + north * north);
}

double mcd_eye_bearing(const mcd_eye *eye, double lon, double lat)
{
    return atan2(eye_east(eye, lon), (lat - eye->lat) * eye->lat_m) / degree;
}

/* Metres to the east and to the north. */
typedef struct arrow {
    double east, north;
} arrow;

static arrow arrow_to(const mcd_eye *eye, const mcd_route_line *line, size_t point)
{
    return (arrow){eye_east(eye, line->lon[point]), (line->lat[point] - eye->lat) * eye->lat_m};
}

/* Projects the eye on the part of piece `i` from `first` to `last`. Where the nearest place is: -1 = at the start of this
 * part, 1 = at its end, 0 = between them. */
static int project(mcd_route_line_near *out, const mcd_route_line *line, const mcd_eye *eye, size_t i,
                   double first, double last)
{
    const double length = line->along[i + 1] - line->along[i];
    const arrow from = arrow_to(eye, line, i), to = arrow_to(eye, line, i + 1),
                piece = {to.east - from.east, to.north - from.north};
    const double square = piece.east * piece.east + piece.north * piece.north;
    const double least = fmax(first - line->along[i], 0) / length,
                 most = fmin(last - line->along[i], length) / length;
    const double nearest = square > 0 ? -(from.east * piece.east + from.north * piece.north) / square : 0;
    const double share = fmax(fmin(nearest, most), least);
    const double east = from.east + share * piece.east, north = from.north + share * piece.north;
    out->along = line->along[i] + share * length;
    out->distance = sqrt(east * east + north * north);
    return nearest <= least ? -1 : nearest >= most ? 1 : 0;
}

typedef struct near_list {
    mcd_route_line_near *list, nearest;
    size_t count;
    double radius;
} near_list;

static void keep(near_list *out, mcd_route_line_near found)
{
    size_t at = 0;
    if (found.distance > out->radius) return;
    if (out->count == MCD_ROUTE_LINE_NEAR_MAX) {
        for (size_t i = 1; i < out->count; ++i)
            if (out->list[i].distance > out->list[at].distance) at = i;
        if (found.distance >= out->list[at].distance) return;
        for (--out->count; at < out->count; ++at) out->list[at] = out->list[at + 1];
    }
    out->list[out->count++] = found;
}

size_t mcd_route_line_find(mcd_route_line_near out[MCD_ROUTE_LINE_NEAR_MAX], const mcd_route_line *line,
                           const mcd_eye *eye, double first, double last, double radius, bool or_nearest)
{
    near_list found = {out, {.distance = INFINITY}, 0, radius};
    mcd_route_line_near here, end; /* `end`: of the last piece, if the nearest place is there */
    bool is_first = true, ends = false;
    for (size_t i = find_last(line->along, 0, line->point_count, first);
         i + 1 < line->point_count && (is_first || line->along[i] < last); ++i) {
        if (line->along[i + 1] <= line->along[i]) continue;
        const int where = project(&here, line, eye, i, first, last);
        if (here.distance < found.nearest.distance) found.nearest = here;
        if (where < 0 && (ends || is_first)) keep(&found, ends ? end : here);
        if (where == 0) keep(&found, here);
        ends = where > 0;
        is_first = false;
        end = here;
        const double skip =
            (here.distance - (or_nearest ? fmax(radius, found.nearest.distance) : radius)) / 2;
        if (skip > skip_least_m) {
            i = find_last(line->along, i, line->point_count, line->along[i + 1] + skip) - 1;
            ends = false;
        }
    }
    if (ends) keep(&found, end);
    if (is_first) { /* the part has no length */
        const mcd_route_line_spot spot = mcd_route_line_at(line, first);
        found.nearest = (mcd_route_line_near){.along = fmin(first, mcd_route_line_metres(line)),
                                              .distance = mcd_eye_distance(eye, spot.lon, spot.lat)};
    }
    if (found.count == 0 && (or_nearest || found.nearest.distance <= radius))
        out[found.count++] = found.nearest;
    return found.count;
}

double mcd_route_line_turn(const mcd_route_line *line, const mcd_eye *eye, double along, double within,
                           double heading)
{
    double best = isnan(heading) ? 0 : 180;
    for (size_t i = find_last(line->along, 0, line->point_count, along - within);
         i + 1 < line->point_count && line->along[i] <= along + within; ++i) {
        const arrow from = arrow_to(eye, line, i), to = arrow_to(eye, line, i + 1);
        if (line->along[i + 1] > line->along[i])
            best = fmin(
                best,
                fabs(remainder(atan2(to.east - from.east, to.north - from.north) / degree - heading, 360)));
    }
    return best;
}
