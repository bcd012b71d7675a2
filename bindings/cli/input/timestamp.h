/* timestamp.h - timestamps of ISO 8601, as GPX and GeoJSON have them: 2026-05-01T12:00:00.250Z. */
#ifndef MCD_BINDINGS_CLI_INPUT_TIMESTAMP_H
#define MCD_BINDINGS_CLI_INPUT_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds since 1970-01-01T00:00:00Z. A blank may stand for the T; fractions of a second and the offset (Z,
 * +02:00, +0200; none: UTC) may be absent. Returns false if the text is anything else. */
bool cli_timestamp_read(const char *text, size_t bytes, double *out);

#endif
