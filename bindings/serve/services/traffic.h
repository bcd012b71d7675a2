/* traffic.h - /traffic/v1: new weights of arcs, beside the requests that run. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H
#define MCD_BINDINGS_SERVE_SERVICES_TRAFFIC_H

#include "bindings/formats/speeds.h"
#include "bindings/serve/job.h"

/* A body of lines from,to,km/h[,rate] while it comes in parts. All zero: no part has come. */
typedef struct serve_traffic_lines {
    mcd_speeds speeds;
    size_t line_count;
} serve_traffic_lines;

/* Returns whether a body that begins so consists of lines; else it is JSON. */
bool serve_traffic_has_lines(const char *body, size_t size);

/* Takes the lines that are complete, all if it is the last part, and leaves the rest in `body`. Returns false if the
 * answer says which line is bad; then nothing has changed. */
bool serve_traffic_take(serve_job *job, serve_traffic_lines *lines, mcd_text *body, bool is_last);

/* Applies all lines that were taken. */
bool serve_traffic_apply_lines(serve_job *job, serve_traffic_lines *lines);
void serve_traffic_free(serve_traffic_lines *lines);

/* Applies a body of JSON: columns that name arcs, and "value" or "speed". docs/service.md describes them. */
bool serve_traffic_apply(serve_job *job, const char *body, size_t size);

#endif
