/* steps.h - the steps of a route: the decisions of engine/guide, in macadam.h's structures. */
#ifndef MCD_ENGINE_QUERY_ROUTES_STEPS_H
#define MCD_ENGINE_QUERY_ROUTES_STEPS_H

#include "engine/base/arena.h"
#include "engine/query/places/query.h"

/* Where a leg begins or ends: the place as requested, and as it was snapped. */
typedef struct mcd_step_stop {
    const macadam_place *place;
    const macadam_snap *snap;
} mcd_step_stop;

/* Fills in the steps of a route that has been found, from its legs. `arc` holds the file's arcs of
 * route->arc; stop[l] and stop[l + 1] are those of leg l. The map must have coordinates and road facts. */
macadam_status mcd_steps_write(macadam_route *route, macadam_leg *leg, mcd_arena *arena,
                               const mcd_query *query, const uint32_t *arc, const mcd_step_stop *stop,
                               macadam_error *error);

#endif
