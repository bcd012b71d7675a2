/* trace_reader.h - reads traces from CSV, GPX and GeoJSON. */
#ifndef MCD_BINDINGS_CLI_INPUT_TRACE_READER_H
#define MCD_BINDINGS_CLI_INPUT_TRACE_READER_H

#include "bindings/cli/input/csv.h"
#include "bindings/cli/input/traces.h"

/* Reads a file; its extension names the format, else it is a CSV:
 *   .gpx      each segment of a track is a trace, called as the track
 *   .geojson  each LineString, and each line of a MultiLineString, is a trace. Its times are the property
 *             `coordTimes` or `times`, or `times` of the property `coordinateProperties`
 *   CSV       a header with the columns lon and lat, and perhaps trace, time, accuracy (metres), heading and
 *             heading_accuracy (degrees), and speed (metres per second). A trace ends where the next line
 *             names another one
 * Times are seconds or timestamps of ISO 8601. Reports errors with file, place and text. Freed by the caller in
 * any case. */
int cli_traces_read(cli_traces *out, const char *path);

/* ---- the formats ---- */

/* Each takes the text of `file`, from file->next on, and reports errors. */
int cli_trace_read_csv(cli_traces *out, cli_csv *file);
int cli_trace_read_gpx(cli_traces *out, const cli_csv *file);
int cli_trace_read_geojson(cli_traces *out, const cli_csv *file);

#endif
