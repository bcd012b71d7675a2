/* stops.h - the coordinates of a request as places of the library, and as the waypoints of an answer. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_STOPS_H
#define MCD_BINDINGS_SERVE_SERVICES_STOPS_H

#include "bindings/serve/job.h"

/* Returns the places of all coordinates, until the job is answered. NULL: memory ran out. A hint of another map, or of
 * another coordinate, does not count. */
macadam_place *serve_stops_places(serve_job *job);

/* Returns whether coordinate number `position` was snapped within its radius. */
bool serve_stops_are_near(const serve_job *job, size_t position, const macadam_snap *snap);
/* Returns false, with NoSegment, if it was not. */
bool serve_stops_check(serve_job *job, size_t position, const macadam_snap *snap);

/* Returns what a message adds if longitude and latitude of a coordinate seem to be swapped; else "". */
const char *serve_stops_advice(const serve_job *job, size_t position);

/* Likewise of all coordinates, in their order. */
bool serve_stops_check_all(serve_job *job, const macadam_snap *snap);

/* Snaps all coordinates and checks them; NULL: one failed. */
macadam_snap *serve_stops_snap(serve_job *job, const macadam_place *place);

/* Sets *out to which coordinates the option `waypoints` leaves out, NULL if it is not given, until the job is answered. Returns
 * false if it leaves out the first or the last one, or memory ran out. */
bool serve_stops_passes(serve_job *job, bool **out);

/* Which members a Waypoint object has besides those that all have. */
typedef enum serve_stop_kind {
    SERVE_WAYPOINT,   /* none */
    SERVE_NEAR_ROAD,  /* nodes */
    SERVE_TRACEPOINT, /* waypoint_index, matchings_index, alternatives_count */
    SERVE_TRIP_STOP,  /* waypoint_index, trips_index */
    SERVE_STOP_KINDS
} serve_stop_kind;

typedef struct serve_stop {
    serve_stop_kind kind;
    size_t position; /* of the coordinate */
    const macadam_snap *snap;
    uint32_t waypoint, part,
        alternatives; /* waypoint UINT32_MAX: null, as is trips_index; part: matchings_index, trips_index */
} serve_stop;

/* The members of a Waypoint object, without the brackets around them. */
void serve_stops_write_members(serve_job *job, const serve_stop *stop);
/* The same as an element of an array. */
void serve_stops_write(serve_job *job, const serve_stop *stop);
/* The member `name`: an array of one Waypoint object for each snap; position[i] is that of the coordinate, NULL: i. */
void serve_stops_write_all(serve_job *job, const char *name, const size_t *position, const macadam_snap *snap,
                           size_t count);

#endif
