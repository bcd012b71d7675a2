/* annotation.h - what an answer says of each stretch between two points of a route's line. */
#ifndef MCD_BINDINGS_SERVE_ANNOTATION_H
#define MCD_BINDINGS_SERVE_ANNOTATION_H

#include "bindings/serve/job.h"

/* Writes "annotation":{...} of a leg, as far as the request wants it. The costs of an arc are divided among its
 * stretches by their lengths, so that they add up to those of the arc. */
void serve_annotation_write(serve_job *job, const macadam_route *route, const macadam_leg *leg);

#endif
