/* route_writer.h - a route's arcs and points while they are appended. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ROUTE_WRITER_H
#define MCD_ENGINE_QUERY_ROUTES_ROUTE_WRITER_H

#include "engine/query/places/road_shape.h"
#include "engine/query/routes/route_total.h"

typedef struct mcd_route_writer {
    const mcd_query *query;
    macadam_route *route;
    macadam_route_arc *arc; /* with room for all, as file_arc */
    uint32_t *file_arc;     /* that each one is */
    mcd_shape shape;
    mcd_route_total *total; /* NULL: not requested */
    mcd_road_part last;     /* that was appended */
    uint32_t entered;       /* the copy of its arc by which its travel began */
    bool goes_on;           /* the next part, without a stop */
} mcd_route_writer;

/* Appends the part of an arc at one end of a leg, if there is one. */
void mcd_route_writer_end(mcd_route_writer *writer, const mcd_road_part *part);
/* Appends the arcs of a path. duration: [path->count] with a clock, of the arcs; else NULL. */
void mcd_route_writer_path(mcd_route_writer *writer, const mcd_path *path, const mcd_weight *duration);

#endif
