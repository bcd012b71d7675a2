/* traffic.h - /traffic/v1: new weights of arcs, beside the requests that run. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H
#define MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H

#include "bindings/formats/speeds.h"
#include "bindings/serve/job.h"

/* A body of lines from,to,km/h[,rate] while it comes in parts. All zero: no part has come. The caller closes its speeds. */
typedef struct serve_traffic_lines {
    mcd_speeds speeds;
    size_t line_count;
} serve_traffic_lines;

/* Returns whether the body consists of lines; else it is JSON. */
bool serve_traffic_has_lines(const serve_traffic_lines *lines, const mcd_text *body);
/* Takes the lines that are complete, and leaves the rest in `body`. Returns false if the answer says which one is bad. */
bool serve_traffic_take(serve_job *job, serve_traffic_lines *lines, mcd_text *body);
/* Applies a body whose last part has come: lines, or columns in JSON. docs/service.md describes them. If anything is bad,
 * nothing changes, and the answer says what it is. */
void serve_traffic_apply(serve_job *job, serve_traffic_lines *lines, mcd_text *body);

#endif
