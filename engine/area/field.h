/* field.h - a grid that holds, at each of its points, the square of the distance to the nearest dot. All
 * lengths are in cells of the grid. */
#ifndef MCD_ENGINE_AREA_FIELD_H
#define MCD_ENGINE_AREA_FIELD_H

#include "engine/base/status.h"

/* Dots stand for discs of this radius: contours of the field run at this distance. With 3 cells, chords and
 * linear crossings take up to 3 % from the area of a lone disc, nothing from a straight outline, and 0.3 %
 * from rows of dots. The level lies beyond the width by so much that discs lose 1.5 % and straight outlines
 * gain 0.5 %. */
#define MCD_FIELD_WIDTH 3
#define MCD_FIELD_LEVEL (MCD_FIELD_WIDTH * 1.0075F)

/* How far a dot is felt along rows and columns: one cell beyond the width, so that both ends of each edge that the contour
 * crosses know their distance, unless it crosses within a fiftieth of the inner one. */
#define MCD_FIELD_RADIUS (MCD_FIELD_WIDTH + 1)

#define MCD_FIELD_FAR 1e30F

typedef struct mcd_field {
    size_t columns, rows; /* below 2^24: floats count them exactly */
    size_t cut; /* a column at which contours end on either side, as if the grid did; 0: there is none */
    size_t first_row, end_row; /* other rows than first_row <= row < end_row are FAR */
    float *square; /* [row * columns + column], row by row from the south-west; FAR: far from every dot */
} mcd_field;

/* Makes a field without dots, of at least `columns` columns; free it with mcd_field_free, on failure too. */
macadam_status mcd_field_new(mcd_field *out, size_t columns, size_t rows, macadam_error *error);
void mcd_field_free(mcd_field *field);

/* Removes all dots. */
void mcd_field_clear(mcd_field *field);

/* Copies all distances; both are of the same size. */
void mcd_field_copy(mcd_field *to, const mcd_field *from);

/* Draws a dot, of which the squares are larger by `more`. A row of dots a cell apart stands for a line: it is
 * 1.4 % narrower half-way between two. */
void mcd_field_draw(mcd_field *field, double x, double y, float more);

/* Makes `out`, of the same size, the field of what lies within the width of the dots of `field`, but not of
 * those of `without`, which are some of them. */
void mcd_field_subtract(mcd_field *out, const mcd_field *field, const mcd_field *without);

/* Cuts the field `out` of what is not reached back to its edge with `reached`, of the same size: makes it the field of what
 * lies within the width of the dots of `reached` and is nearer to them than to those of `out`, or within a sixth of the
 * width. `before` (may be NULL): a field of an area that belongs to it as well. */
void mcd_field_cut(mcd_field *out, const mcd_field *reached, const mcd_field *before);

#endif
