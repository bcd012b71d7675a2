/* line.h - a line on the map, as an answer writes it. */
#ifndef MCD_BINDINGS_SERVE_LINE_H
#define MCD_BINDINGS_SERVE_LINE_H

#include "bindings/serve/request.h"

/* Points in degrees, and their heights in metres, NaN where they are not known. All zero: an empty line. */
typedef struct serve_line {
    double *lon, *lat, *height_m; /* owned */
    size_t count, capacity;
    bool failed; /* memory ran out */
} serve_line;

/* Appends points; those that repeat the one before are left out. `height_m` may be NULL. */
void serve_line_add(serve_line *line, const double *lon, const double *lat, const double *height_m,
                    size_t count);

/* Leaves out the points that nobody would miss on a map of 256 pixels on which the whole line can be seen: those
 * that move it by less than a few pixels.
 * (Douglas and Peucker 1973) */
void serve_line_simplify(serve_line *line);

/* Writes the value of "geometry". A line of one point has it twice. */
void serve_line_write(mcd_text *text, const serve_line *line, serve_geometries geometries);
void serve_line_free(serve_line *line);

#endif
