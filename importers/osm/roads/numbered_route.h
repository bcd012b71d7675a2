/* numbered_route.h - relations of numbered roads (type=route, route=road) that say to which point of the compass they lead. */
#ifndef MCD_IMPORTERS_OSM_ROADS_NUMBERED_ROUTE_H
#define MCD_IMPORTERS_OSM_ROADS_NUMBERED_ROUTE_H

#include "importers/osm/roads/way.h"

typedef struct mcd_numbered_routes {
    struct mcd_numbered_route *route;
    struct mcd_route_member *member; /* by ascending key, once closed */
    size_t count, capacity, member_count, member_capacity;
    mcd_names names;
} mcd_numbered_routes;

bool mcd_numbered_routes_want(const mcd_tags *tags);

/* Keeps the relation if it is a numbered road's. `routes` begins zeroed. */
macadam_status mcd_numbered_routes_add(mcd_numbered_routes *routes, const mcd_osm_relation *relation,
                                       macadam_error *error);

/* After the last relation. */
void mcd_numbered_routes_close(mcd_numbered_routes *routes);

/* Adds the point of the compass to the refs of ways, as signs show it: "I 80 West". A direction of a way gets it if its
 * relations agree, and if the way is one-way or its role names the direction. Returns E_MEMORY. */
macadam_status mcd_numbered_routes_apply(const mcd_numbered_routes *routes, mcd_ways *ways,
                                         macadam_error *error);

void mcd_numbered_routes_free(mcd_numbered_routes *routes);

#endif
