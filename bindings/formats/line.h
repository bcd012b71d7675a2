/* line.h - a line on the map, as an answer writes it: its points without repetitions. */
#ifndef MCD_BINDINGS_FORMATS_LINE_H
#define MCD_BINDINGS_FORMATS_LINE_H

#include "bindings/formats/text.h"

typedef struct mcd_line_point {
    double lon, lat, height_m; /* NaN if it is not known */
} mcd_line_point;

/* All zero: an empty line. */
typedef struct mcd_line {
    mcd_line_point *point; /* owned */
    size_t count, capacity;
    bool failed; /* memory ran out */
} mcd_line;

/* Whether two points are written alike: with seven decimals. Of a road's two directions, the same place may differ by less. */
bool mcd_line_repeats(double lon, double lat, double other_lon, double other_lat);
/* Appends points; those that repeat the one before are left out. `height_m` may be NULL. */
void mcd_line_add(mcd_line *line, const double *lon, const double *lat, const double *height_m, size_t count);
/* Appends the points of a route, if it was found; of one without arcs the point where it begins. */
void mcd_line_add_route(mcd_line *line, const macadam_route *route);

/* Leaves out the points without a visible effect on a map of 256 pixels that shows the whole line: those that move it by
 * less than a few pixels.
 * (Douglas and Peucker 1973) */
void mcd_line_simplify(mcd_line *line);

/* Lets a line of one point have it twice: lines of GeoJSON have two points or more. */
void mcd_line_double(mcd_line *line);
/* A geometry of GeoJSON. Where a line crosses the 180th meridian it is cut: it becomes a MultiLineString (RFC 7946,
 * section 3.1.9), and its points at the meridian move to the side of those before. */
void mcd_line_write_geometry(mcd_text *text, mcd_line *line);
/* [[longitude,latitude,height],...] */
void mcd_line_write(mcd_text *text, const mcd_line *line);
void mcd_line_free(mcd_line *line);

#endif
