/* polyline.h - a line that is written part by part as an encoded polyline. */
#ifndef MCD_BINDINGS_FORMATS_POLYLINE_H
#define MCD_BINDINGS_FORMATS_POLYLINE_H

#include "bindings/formats/line.h"

typedef struct mcd_polyline {
    mcd_text *text;
    double scale;     /* 1e5 or 1e6 */
    bool in_string;   /* of JSON: a backslash is escaped */
    int64_t lon, lat; /* of the point before, scaled */
} mcd_polyline;

void mcd_polyline_add(mcd_polyline *line, const double *lon, const double *lat, size_t count);
/* Writes a whole line; of JSON, in a string. `scale`: 1e5 or 1e6. */
void mcd_polyline_write(mcd_text *text, const mcd_line *line, double scale, bool in_string);

#endif
