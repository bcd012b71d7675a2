/* route_object.h - a route of the library as a Route object of OSRM's HTTP API. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_ROUTE_OBJECT_H
#define MCD_BINDINGS_SERVE_SERVICES_ROUTE_OBJECT_H

#include "bindings/serve/job.h"

/* Returns whether the map has what the request wants of annotations; otherwise the answer says so. */
bool serve_route_object_check(serve_job *job);
/* Writes the members of the object, without the brackets around them, as the job's request wants them. */
void serve_route_object_write_members(serve_job *job, const macadam_route *route);

#endif
