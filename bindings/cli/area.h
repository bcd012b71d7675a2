/* area.h - the area around reached roads, as polygons. The geometry is GEOS's. */
#ifndef MCD_BINDINGS_CLI_AREA_H
#define MCD_BINDINGS_CLI_AREA_H

#include "engine/include/macadam.h"

/* Points first_point[ring] <= i < first_point[ring + 1] are a ring, closed; rings first_ring[p] <= r <
 * first_ring[p + 1] are a polygon: its outer one, against the clock, then its holes, with the clock. */
typedef struct cli_area {
    size_t polygon_count, ring_count, point_count;
    size_t *first_ring, *first_point;
    double *lon, *lat; /* degrees */
    double km2;
} cli_area;

/* The area within 50 metres or so of what is reached within `limit`, which is all in it; its small gaps and
 * holes are closed. None if the source failed. Reports and returns an exit status on failure. */
int cli_area_find(cli_area *out, const macadam_isochrone *isochrone, bool reverse, uint32_t limit);
void cli_area_free(cli_area *area);

/* The piece of an arc that is reached within `limit`, cut at its very end. Takes 2 * (last_shape -
 * first_shape) numbers of room in `lon_lat`; returns its points, of two or more, or 0 if the arc is not
 * reached. */
size_t cli_area_piece(const macadam_isochrone *isochrone, const macadam_reached_arc *arc, bool reverse,
                      uint32_t limit, double *lon_lat);

#endif
