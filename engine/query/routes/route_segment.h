/* route_segment.h - the segments of a route: what it is between each two points of its arcs. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ROUTE_SEGMENT_H
#define MCD_ENGINE_QUERY_ROUTES_ROUTE_SEGMENT_H

#include "engine/base/arena.h"
#include "engine/query/places/query.h"

/* Makes the segments of the route's arcs, which have points; file_arc[i] is the arc of the file that arc[i] is. */
macadam_status mcd_route_segments_new(macadam_route *route, macadam_route_arc *arc, const uint32_t *file_arc,
                                      const mcd_query *query, mcd_arena *arena, macadam_error *error);

#endif
