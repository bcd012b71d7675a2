/* traces.h - traces of timed points, from CSV, GPX and GeoJSON. */
#ifndef MCD_BINDINGS_CLI_INPUT_TRACES_H
#define MCD_BINDINGS_CLI_INPUT_TRACES_H

#include "bindings/cli/input/csv.h"
#include "engine/include/macadam.h"

/* The points of all traces, in the order of the file. */
typedef struct cli_traces {
    size_t count;
    macadam_trace_point *point; /* [count] */
    size_t trace_count;
    size_t *first; /* [trace_count + 1] */
    char **name;   /* [trace_count] */
} cli_traces;

/* A point about which nothing is known. */
macadam_trace_point cli_trace_point_unknown(void);
/* The points that follow belong to a new trace. */
void cli_traces_begin(cli_traces *traces, const char *name, size_t bytes);
void cli_traces_add(cli_traces *traces, const macadam_trace_point *point);

/* Reads a file, or standard input. The format is recognised by the first character, as inputs may be compressed or piped:
 *   <         GPX: each segment of a track is a trace, called as the track
 *   { [       GeoJSON: each LineString, and each line of a MultiLineString, is a trace. Its times are the property
 *             `coordTimes` or `times`, or `times` of the property `coordinateProperties`
 *   others    CSV: a header with the columns lon and lat, and perhaps trace, time, accuracy (metres), heading and
 *             heading_accuracy (degrees; not known: 30), and speed (metres per second). A trace ends where the next line
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
