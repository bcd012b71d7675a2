/* line.c - see line.h. */
#include "bindings/formats/line.h"

#include <math.h>
#include <stdlib.h>

enum { ZOOM_MAX = 18, PIXELS = 256 };
static const double pixels_missed = 2, pi = 3.14159265358979323846;

static bool reserve(mcd_line *line, size_t more)
{
    if (line->failed || line->capacity - line->count >= more) return !line->failed;
    const size_t capacity = 2 * (line->count + more);
    mcd_line_point *const point = realloc(line->point, capacity * sizeof *point);
    line->failed = !point;
    if (point) line->point = point, line->capacity = capacity;
    return point != NULL;
}

bool mcd_line_repeats(double lon, double lat, double other_lon, double other_lat)
{
    return mcd_text_round(lon * 1e7) == mcd_text_round(other_lon * 1e7) &&
           mcd_text_round(lat * 1e7) == mcd_text_round(other_lat * 1e7);
}

void mcd_line_add(mcd_line *line, const double *lon, const double *lat, const double *height_m, size_t count)
{
    if (!reserve(line, count)) return;
    for (size_t i = 0; i < count; ++i) {
        const mcd_line_point *const last = line->count ? &line->point[line->count - 1] : NULL;
        if (last && mcd_line_repeats(last->lon, last->lat, lon[i], lat[i])) continue;
        line->point[line->count++] = (mcd_line_point){lon[i], lat[i], height_m ? height_m[i] : NAN};
    }
}

void mcd_line_add_route(mcd_line *line, const macadam_route *route)
{
    mcd_line_add(line, route->lon, route->lat, route->height_m, route->shape_count);
    if (route->found && route->shape_count == 0)
        mcd_line_add(line, &route->waypoint[0].lon, &route->waypoint[0].lat, NULL, 1);
}

/* ---- simplification ---- */

/* Points on a map that is 1 wide. */
typedef struct flat_line {
    double *x, *y;
    bool *stays;
} flat_line;

/* How far a point may be moved: some pixels at the largest scale at which the line fits into one tile. */
static double tolerance_of(const flat_line *flat, size_t count)
{
    double west = flat->x[0], east = west, south = flat->y[0], north = south;
    for (size_t i = 1; i < count; ++i) {
        west = fmin(west, flat->x[i]), east = fmax(east, flat->x[i]);
        south = fmin(south, flat->y[i]), north = fmax(north, flat->y[i]);
    }
    const double extent = fmax(east - west, north - south);
    double tile = 1;
    for (int zoom = 0; zoom < ZOOM_MAX && tile / 2 >= extent; ++zoom) tile /= 2;
    return pixels_missed * tile / PIXELS;
}

/* The square of the distance from point i to the stretch between two others. */
static double distance_of(const flat_line *flat, size_t first, size_t last, size_t i)
{
    const double dx = flat->x[last] - flat->x[first], dy = flat->y[last] - flat->y[first];
    const double px = flat->x[i] - flat->x[first], py = flat->y[i] - flat->y[first];
    const double length = dx * dx + dy * dy;
    const double part = length > 0 ? fmin(fmax((px * dx + py * dy) / length, 0), 1) : 0;
    return (px - part * dx) * (px - part * dx) + (py - part * dy) * (py - part * dy);
}

/* The point farthest from the straight line between two that stay; `last` if none is farther than the tolerance. */
static size_t farthest_of(const flat_line *flat, size_t first, size_t last, double tolerance)
{
    double most = tolerance * tolerance;
    size_t farthest = last;
    for (size_t i = first + 1; i < last; ++i) {
        const double distance = distance_of(flat, first, last, i);
        if (distance > most) most = distance, farthest = i;
    }
    return farthest;
}

/* `waiting` has room for every point: the ends, in descending order, of stretches that are not done. */
static void choose(flat_line *flat, size_t count, double tolerance, size_t *waiting)
{
    size_t first = 0, depth = 0;
    waiting[depth++] = count - 1;
    while (depth > 0) {
        const size_t last = waiting[depth - 1], farthest = farthest_of(flat, first, last, tolerance);
        if (farthest < last) {
            flat->stays[farthest] = true;
            waiting[depth++] = farthest;
        } else {
            first = last;
            --depth;
        }
    }
}

void mcd_line_simplify(mcd_line *line)
{
    const size_t count = line->count;
    if (count < 3 || line->failed) return;
    double *const memory = malloc(count * (2 * sizeof *memory + sizeof(size_t) + sizeof(bool)));
    line->failed = !memory;
    if (!memory) return;
    size_t *const waiting = (size_t *)(memory + 2 * count);
    flat_line flat = {memory, memory + count, (bool *)(waiting + count)};
    for (size_t i = 0; i < line->count; ++i) {
        const double lat = fmin(fmax(line->point[i].lat, -85), 85) * pi / 180;
        const double x = line->point[i].lon / 360;
        flat.x[i] = i ? x - round(x - flat.x[i - 1]) : x; /* also over the 180th meridian */
        flat.y[i] = log(tan(pi / 4 + lat / 2)) / (2 * pi);
        flat.stays[i] = i == 0 || i + 1 == line->count;
    }
    choose(&flat, count, tolerance_of(&flat, count), waiting);
    line->count = 0;
    for (size_t i = 0; i < count; ++i)
        if (flat.stays[i]) line->point[line->count++] = line->point[i];
    free(memory);
}

/* ---- writing ---- */

void mcd_line_double(mcd_line *line)
{
    if (line->count == 1 && reserve(line, 1)) line->point[line->count++] = line->point[0];
}

static void add_point(mcd_text *text, mcd_line_point point)
{
    mcd_text_comma(text);
    mcd_text_point(text, point.lon, point.lat, point.height_m);
}

void mcd_line_write(mcd_text *text, const mcd_line *line)
{
    text->failed = text->failed || line->failed;
    mcd_text_bytes(text, "[", 1);
    for (size_t i = 0; i < line->count; ++i) add_point(text, line->point[i]);
    mcd_text_bytes(text, "]", 1);
}

/* Lets the longitudes go on beyond the meridian; the first point at it is on the side of the next one. Drops points that
 * are repeated on its other side. Returns whether the line crosses it. */
static bool unwrap(mcd_line *line)
{
    mcd_line_point *const point = line->point;
    size_t next = 0, kept = line->count > 0;
    bool beyond = false;
    while (next < line->count && fabs(point[next].lon) == 180) ++next;
    if (next > 0 && next < line->count) point[0].lon = copysign(180, point[next].lon);
    for (size_t i = 1; i < line->count; ++i) {
        mcd_line_point at = point[i];
        at.lon -= 360 * round((at.lon - point[kept - 1].lon) / 360);
        if (!mcd_line_repeats(at.lon, at.lat, point[kept - 1].lon, point[kept - 1].lat)) point[kept++] = at;
        beyond = beyond || fabs(at.lon) > 180;
    }
    line->count = kept;
    return beyond;
}

/* Each piece but the first begins where the one before ends, on the other side of the meridian. */
void mcd_line_write_geometry(mcd_text *text, mcd_line *line)
{
    const bool cut = unwrap(line);
    double around = 0;
    text->failed = text->failed || line->failed;
    mcd_line_double(line);
    mcd_text_json(text, cut ? "{'coordinates':[[" : "{'coordinates':[");
    for (size_t i = 0; i < line->count; ++i) {
        mcd_line_point at = line->point[i], edge = at;
        if (fabs(at.lon - around) > 180) {
            const mcd_line_point before = line->point[i - 1];
            edge.lon = copysign(180, at.lon - around);
            const double along = (edge.lon + around - before.lon) / (at.lon - before.lon);
            edge.lat = before.lat + along * (at.lat - before.lat);
            edge.height_m = before.height_m + along * (at.height_m - before.height_m);
            if (along > 0) add_point(text, edge);
            mcd_text_add(text, "],[");
            around += 2 * edge.lon;
            edge.lon = -edge.lon;
            add_point(text, edge);
        }
        at.lon -= around;
        add_point(text, at);
    }
    mcd_text_add(text, cut ? "]" : "");
    mcd_text_json(text, "],'type':%s}", cut ? "MultiLineString" : "LineString");
}

void mcd_line_free(mcd_line *line)
{
    free(line->point);
    *line = (mcd_line){0};
}
