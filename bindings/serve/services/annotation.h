/* annotation.h - what an answer says of each stretch between two points of a route's line. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_ANNOTATION_H
#define MCD_BINDINGS_SERVE_SERVICES_ANNOTATION_H

#include "bindings/serve/job.h"

/* Returns whether the map has what the request wants; otherwise the answer says so. */
bool serve_annotation_check(serve_job *job);
/* Writes "annotation":{...} of a leg, as far as the request wants it, from the segments of the route. */
void serve_annotation_write(serve_job *job, const macadam_route *route, const macadam_leg *leg);

#endif
