/* traffic.h - /traffic/v1: new weights of arcs, beside the requests that run. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H
#define MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H

#include "bindings/serve/job.h"

/* Applies a body: {"quantity": "duration", "arc": [numbers], "value": [weights or null]}, or with "tail" and "head" (ids)
 * instead of "arc". Values are in the map's own unit; null closes the arc. */
bool serve_traffic_apply(serve_job *job, const char *body, size_t size);

#endif
