/* metrics.h - how many requests there were, and how long they took, as Prometheus reads it. */
#ifndef MCD_BINDINGS_SERVE_HTTP_METRICS_H
#define MCD_BINDINGS_SERVE_HTTP_METRICS_H

#include "bindings/serve/services/request.h"

/* Counts an answer. Any number of threads may call it concurrently. */
void serve_metrics_count(serve_service service, unsigned status, double seconds);
/* Why the server ended a connection. */
typedef enum serve_ending {
    SERVE_SLOW_HEAD,
    SERVE_SLOW_BODY,
    SERVE_SLOW_READER,
    SERVE_CROWDED, /* it was idle, and another client came */
    SERVE_ENDINGS
} serve_ending;

/* Counts an ended connection, likewise. */
void serve_metrics_end(serve_ending ending);
/* Writes a line to the log if connections were ended since it was last called. */
void serve_metrics_log(void);
/* Writes the counts; `running`: requests that are not answered yet. */
void serve_metrics_write(mcd_text *text, unsigned running);

#endif
