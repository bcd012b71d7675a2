/* route_line.h - the line of a route: its points without repetitions. */
#ifndef MCD_BINDINGS_FORMATS_ROUTE_LINE_H
#define MCD_BINDINGS_FORMATS_ROUTE_LINE_H

#include "bindings/formats/macadam_formats.h"

typedef struct mcd_route_line {
    const macadam_route *route;
    size_t next;
} mcd_route_line;

/* Finds the next point of the line; false after its last. A route without arcs is the point where it
 * begins. */
bool mcd_route_line_next(mcd_route_line *line, double *lon, double *lat);

/* Returns the height in metres of the point found last, NaN if it is not known. */
double mcd_route_line_height(const mcd_route_line *line);

/* Sums how far the line goes up, and down, in decimetres. */
void mcd_route_line_climbs(const macadam_route *route, int64_t *ascent_dm, int64_t *descent_dm);

#endif
