/* contour.h - the rings around what lies within the width of a field's dots. */
#ifndef MCD_ENGINE_AREA_CONTOUR_H
#define MCD_ENGINE_AREA_CONTOUR_H

#include "engine/area/field.h"
#include "engine/base/watch.h"

/* The points first <= i < end, of which the last is the first. They are some of those that the contour runs
 * through; of all of these: `area`, that within the ring (of a hole, negative), and `moment`, the integral
 * over it of the row. */
typedef struct mcd_ring {
    size_t first, end;
    uint32_t polygon;
    double area, moment;
} mcd_ring;

/* The polygons of a field. Polygon p has the rings ring[order[i]] for first_ring[p] <= i < first_ring[p + 1]:
 * its outer ring, counter-clockwise, then its holes, clockwise. Rings neither touch nor cross themselves or
 * each other. */
typedef struct mcd_contour {
    size_t polygon_count, ring_count, point_count;
    size_t west_count; /* the polygons that follow these lie to the east of the field's cut */
    size_t *first_ring, *order;
    mcd_ring *ring;
    float (*point)[2]; /* column, row */
    size_t ring_capacity, point_capacity;
} mcd_contour;

/* Traces the contour of a field whose border points are farther than the width from every dot. Free *out with
 * mcd_contour_free, on failure too; the watch may stop it. Time: one look at each point of the field, and some
 * ten nanoseconds per point of the rings. (Marching squares: Wyvill, McPheeters, Wyvill 1986; Lorensen, Cline 1987) */
macadam_status mcd_contour_trace(mcd_contour *out, const mcd_field *field, mcd_watch *watch,
                                 macadam_error *error);
void mcd_contour_free(mcd_contour *contour);

#endif
