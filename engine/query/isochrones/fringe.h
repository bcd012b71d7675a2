/* fringe.h - the roads beside a reached area that are not reached: the area ends half-way to them. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H
#define MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H

#include "engine/area/field.h"
#include "engine/query/isochrones/dots.h"

/* The memory of one worker that looks for roads. Zeroed = empty; mcd_fringe_free. */
typedef struct mcd_fringe {
    uint8_t *seen; /* by id: 1: it is among those of `id`; 2: its roads are drawn */
    uint32_t *id;  /* [count] not reached, but on a road of the fringe */
    size_t count, capacity;
    mcd_dots dots; /* of one road */
} mcd_fringe;

macadam_status mcd_fringe_new(mcd_fringe *out, size_t id_count, macadam_error *error);
void mcd_fringe_free(mcd_fringe *fringe);

/* Draws into `out` what is not reached within `limit` of the open roads that are connected with reached ones, as far as
 * these are felt: `reached` has the dots of the limit. `search` has grown at least as far. `points`: where the dots lie. */
macadam_status mcd_fringe_draw(mcd_fringe *fringe, const mcd_reached_search *search, uint32_t limit,
                               const mcd_dots *points, const mcd_dots_grid *grid, const mcd_field *reached,
                               mcd_field *out);

#endif
