/* fringe.h - the roads beside a reached area that are not reached: the area ends half-way to them. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H
#define MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H

#include "engine/query/isochrones/dots.h"

/* Makes `out`, and draws there what is not reached within `limit` of the open roads that are connected with
 * reached ones, as far as these are felt: `reached` has the dots of the limit. `search` has grown at least as
 * far. `dots`, which lie on `grid`, were begun, and are left to be begun again. */
macadam_status mcd_fringe_draw(const mcd_reached_search *search, uint32_t limit, mcd_dots *dots,
                               const mcd_dots_grid *grid, const mcd_field *reached, mcd_field *out);

#endif
