/* route.h - one route with its arcs, names and geometry, through several waypoints: also between positions
 * that are known, for questions that locate them themselves. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ROUTE_H
#define MCD_ENGINE_QUERY_ROUTES_ROUTE_H

#include "engine/query/places/query.h"

/* Like macadam_route_find, of a query that has begun with MCD_NEED_PATHS. `cost`: a query whose quantities are wanted, of
 * another metric (path_cost.h); NULL: those of `query`. The route departs from the waypoints of the request at depart[i] and
 * arrives there at arrive[i], as snap[i] reports; if `cost` has a clock, departs at the instant instant[i]. Free *out with macadam_route_free. */
macadam_status mcd_route_of_positions(macadam_route **out, const mcd_query *query, const mcd_query *cost,
                                      const macadam_route_request *request, const mcd_position *depart,
                                      const mcd_position *arrive, const macadam_snap *snap,
                                      const uint32_t *instant, macadam_error *error);

/* Returns whether the engine's profile is that of a driver, who does not turn round without need. */
bool mcd_route_is_driven(const macadam_engine *engine);

#endif
