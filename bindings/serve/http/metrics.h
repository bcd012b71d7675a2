/* metrics.h - how many requests there were, and how long they took, as Prometheus reads it. */
#ifndef MCD_BINDINGS_SERVE_HTTP_METRICS_H
#define MCD_BINDINGS_SERVE_HTTP_METRICS_H

#include "bindings/serve/services/request.h"

/* Counts an answer. Any number of threads may call it concurrently. */
void serve_metrics_count(serve_service service, unsigned status, double seconds);
/* Writes the counts; `running`: requests that are not answered yet. */
void serve_metrics_write(mcd_text *text, unsigned running);

#endif
