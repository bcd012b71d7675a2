/* log.h - what the server says on standard error. */
#ifndef MCD_BINDINGS_SERVE_HTTP_LOG_H
#define MCD_BINDINGS_SERVE_HTTP_LOG_H

/* From now on each line is a JSON object. */
void serve_log_as_json(void);
/* Writes one line. Any number of threads may call it concurrently. */
void serve_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
