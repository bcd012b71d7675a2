/* line.c - see line.h. */
#include "bindings/serve/line.h"
#include "bindings/formats/polyline.h"

#include <math.h>
#include <stdlib.h>

enum { ZOOM_MAX = 18, PIXELS = 256 };
static const double pixels_missed = 2, pi = 3.14159265358979323846;

static bool reserve(serve_line *line, size_t more)
{
    if (line->failed) return false;
    if (line->capacity - line->count >= more) return true;
    const size_t capacity = 2 * (line->count + more);
    double *const lon = reallocarray(line->lon, capacity, sizeof *lon);
    if (lon) line->lon = lon;
    double *const lat = lon ? reallocarray(line->lat, capacity, sizeof *lat) : NULL;
    if (lat) line->lat = lat;
    double *const height_m = lat ? reallocarray(line->height_m, capacity, sizeof *height_m) : NULL;
    if (height_m) line->height_m = height_m, line->capacity = capacity;
    line->failed = !height_m;
    return height_m != NULL;
}

void serve_line_add(serve_line *line, const double *lon, const double *lat, const double *height_m,
                    size_t count)
{
    if (!reserve(line, count)) return;
    for (size_t i = 0; i < count; ++i) {
        const size_t last = line->count;
        if (last > 0 && line->lon[last - 1] == lon[i] && line->lat[last - 1] == lat[i]) continue;
        line->lon[last] = lon[i];
        line->lat[last] = lat[i];
        line->height_m[last] = height_m ? height_m[i] : NAN;
        ++line->count;
    }
}

/* ---- simplification ---- */

/* Points on a map that is 1 wide. */
typedef struct flat_line {
    double *x, *y;
    bool *stays;
} flat_line;

static void flatten(flat_line *flat, const serve_line *line)
{
    for (size_t i = 0; i < line->count; ++i) {
        const double lat = fmin(fmax(line->lat[i], -85), 85) * pi / 180;
        flat->x[i] = line->lon[i] / 360;
        flat->y[i] = log(tan(pi / 4 + lat / 2)) / (2 * pi);
        flat->stays[i] = i == 0 || i + 1 == line->count;
    }
}

/* What a point may be moved by: some pixels at the largest scale at which the line fits into one tile. */
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

void serve_line_simplify(serve_line *line)
{
    const size_t count = line->count;
    if (count < 3 || line->failed) return;
    double *const memory = reallocarray(NULL, count, 2 * sizeof *memory + sizeof(size_t) + sizeof(bool));
    line->failed = !memory;
    if (!memory) return;
    size_t *const waiting = (size_t *)(memory + 2 * count);
    flat_line flat = {memory, memory + count, (bool *)(waiting + count)};
    flatten(&flat, line);
    choose(&flat, count, tolerance_of(&flat, count), waiting);
    line->count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!flat.stays[i]) continue;
        line->lon[line->count] = line->lon[i];
        line->height_m[line->count] = line->height_m[i];
        line->lat[line->count++] = line->lat[i];
    }
    free(memory);
}

/* ---- writing ---- */

static void write_polyline(mcd_text *text, const serve_line *line, double scale)
{
    mcd_polyline polyline = {.text = text, .scale = scale, .in_string = true};
    mcd_text_add(text, "\"");
    mcd_polyline_add(&polyline, line->lon, line->lat, line->count);
    if (line->count == 1) mcd_polyline_add(&polyline, line->lon, line->lat, 1);
    mcd_text_add(text, "\"");
}

void serve_line_write(mcd_text *text, const serve_line *line, serve_geometries geometries)
{
    text->failed = text->failed || line->failed;
    if (geometries != SERVE_GEOJSON) {
        write_polyline(text, line, geometries == SERVE_POLYLINE ? 1e5 : 1e6);
        return;
    }
    mcd_text_add(text, "{\"type\":\"LineString\",\"coordinates\":[");
    for (size_t i = 0; i < line->count + (line->count == 1); ++i) {
        const size_t point = i < line->count ? i : 0;
        mcd_text_comma(text);
        mcd_text_point(text, line->lon[point], line->lat[point], line->height_m[point]);
    }
    mcd_text_add(text, "]}");
}

void serve_line_free(serve_line *line)
{
    free(line->lon);
    free(line->lat);
    free(line->height_m);
    *line = (serve_line){0};
}
