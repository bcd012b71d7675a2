/* log.h - what the server says on standard error. */
#ifndef MCD_BINDINGS_SERVE_HTTP_LOG_H
#define MCD_BINDINGS_SERVE_HTTP_LOG_H

#include <stdbool.h>

/* Whether each line is a JSON object; set before the server starts. */
extern bool serve_log_as_json;
/* Writes one line. Any number of threads may call it concurrently. */
void serve_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
