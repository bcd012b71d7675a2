/* stops.h - the coordinates of a request as places of the library, and as the waypoints of an answer. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_STOPS_H
#define MCD_BINDINGS_SERVE_SERVICES_STOPS_H

#include "bindings/serve/job.h"

/* Returns the places of all coordinates, until the job is answered. NULL: a hint is of another map, or memory ran out. */
macadam_place *serve_stops_places(serve_job *job);

/* Returns false, with NoSegment, if coordinate number `position` was not snapped within its radius. */
bool serve_stops_check(serve_job *job, size_t position, const macadam_snap *snap);

/* Returns what a message adds if longitude and latitude of a coordinate seem to be swapped; else "". */
const char *serve_stops_advice(const serve_job *job, size_t position);

/* Likewise of all coordinates, in their order. */
bool serve_stops_check_all(serve_job *job, const macadam_snap *snap);

/* Snaps all coordinates and checks them; NULL: one failed. */
macadam_snap *serve_stops_snap(serve_job *job, const macadam_place *place);

/* Metres between two coordinates. (haversine) */
double serve_stops_metres(double lon_a, double lat_a, double lon_b, double lat_b);

/* The members of a waypoint, without the brackets around them. */
void serve_stops_write_members(serve_job *job, size_t position, const macadam_snap *snap);
/* The same as an element of an array. */
void serve_stops_write(serve_job *job, size_t position, const macadam_snap *snap);

#endif
