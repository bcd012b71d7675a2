/* vias.h - going straight on at the waypoints within a route: who arrives there in one direction leaves in it. */
#ifndef MCD_ENGINE_QUERY_ROUTES_VIAS_H
#define MCD_ENGINE_QUERY_ROUTES_VIAS_H

#include "engine/query/places/pairs.h"

/* The trips are a chain that has not been chosen. For each waypoint within a two-way road at which one arrives and from
 * which one leaves, keeps one direction, so that the route turns around at as few waypoints as possible, and then costs
 * least. If there is no route, changes nothing. */
macadam_status mcd_vias_straighten(mcd_pairs *trips, const mcd_query *query, macadam_error *error);

/* Looks at the waypoints at junctions, from leg number *leg on. If path[*leg] begins with the road back of the one by
 * which path[*leg - 1] arrives, and another road leads on, makes the leg begin with that road, and *changed true. *leg
 * becomes the next one to look at. */
macadam_status mcd_vias_avoid_turn(mcd_pairs *trips, const mcd_path *path, size_t *leg, bool *changed,
                                   const mcd_query *query, macadam_error *error);

#endif
