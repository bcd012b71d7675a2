/* scope.h - answers of the library that are freed where the scope that holds them ends, however it is left. */
#ifndef MCD_BINDINGS_FORMATS_SCOPE_H
#define MCD_BINDINGS_FORMATS_SCOPE_H

#include "engine/include/macadam.h"

/* MCD_SCOPED(route) route = NULL; is a macadam_route *, which the call of the library that finds it sets. */
#define MCD_SCOPED(type) __attribute__((cleanup(mcd_scope_free_##type))) macadam_##type *
#define MCD_SCOPE(type, function)                                                                            \
    static inline void mcd_scope_free_##type(macadam_##type **at)                                            \
    {                                                                                                        \
        function(*at);                                                                                       \
    }
MCD_SCOPE(route, macadam_route_free)
MCD_SCOPE(matches, macadam_matches_free)
MCD_SCOPE(trip, macadam_trip_free)
MCD_SCOPE(rings, macadam_rings_free)
MCD_SCOPE(isochrone, macadam_isochrone_free)
MCD_SCOPE(roads, macadam_roads_free)
MCD_SCOPE(connection, macadam_connection_free)

#endif
