/* stops.h - the coordinates of a request as places of the library, and as the waypoints of an answer. */
#ifndef MCD_BINDINGS_SERVE_STOPS_H
#define MCD_BINDINGS_SERVE_STOPS_H

#include "bindings/serve/job.h"

/* Makes place[i] of coordinate i. Returns false if a hint is of another map. */
bool serve_stops_places(serve_job *job, macadam_place *place);

/* Returns false, with NoSegment, if coordinate number `position` was not snapped within its radius. */
bool serve_stops_check(serve_job *job, size_t position, const macadam_snap *snap);

/* Snaps all coordinates and checks them. */
bool serve_stops_snap(serve_job *job, const macadam_place *place, macadam_snap *snap);

/* Metres between two coordinates. (haversine) */
double serve_stops_metres(double lon_a, double lat_a, double lon_b, double lat_b);

/* The members of a waypoint, without the brackets around them. */
void serve_stops_write_members(serve_job *job, size_t position, const macadam_snap *snap);
/* The same as an element of an array. */
void serve_stops_write(serve_job *job, size_t position, const macadam_snap *snap);

#endif
