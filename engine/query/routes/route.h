/* route.h - one route with its arcs, names and geometry, through several waypoints: also between positions
 * that are known, for questions that locate them themselves. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ROUTE_H
#define MCD_ENGINE_QUERY_ROUTES_ROUTE_H

#include "engine/query/places/query.h"

/* Like macadam_route_find, of a query that has begun with MCD_NEED_PATHS. `cost`: a query whose quantities are wanted, of
 * another metric (path_cost.h); NULL: those of `query`. The waypoints of the request are at position[i], as
 * snap[i] reports. Free *out with macadam_route_free. */
macadam_status mcd_route_of_positions(macadam_route **out, const mcd_query *query, const mcd_query *cost,
                                      const macadam_route_request *request, const mcd_position *position,
                                      const macadam_snap *snap, macadam_error *error);

#endif
