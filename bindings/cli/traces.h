/* traces.h - traces: points with times in a CSV. */
#ifndef MCD_BINDINGS_CLI_TRACES_H
#define MCD_BINDINGS_CLI_TRACES_H

#include "bindings/cli/csv.h"
#include "bindings/cli/place.h"

/* The points of all traces, in the order of the file. */
typedef struct cli_traces {
    size_t count, trace_count;
    macadam_trace_point *point; /* [count] */
    size_t *first;              /* [trace_count + 1] */
    cli_name *name;             /* [trace_count]; texts are borrowed from `csv` */
    cli_csv csv;
} cli_traces;

/* Reads a CSV with the columns lon and lat, and perhaps trace, time (seconds), accuracy (metres), heading and
 * heading_accuracy (degrees), and speed (metres per second). A trace ends where the next line names another
 * one. Reports errors with file, line and text. Freed by the caller in any case. */
int cli_traces_read(cli_traces *out, const char *path);
void cli_traces_free(cli_traces *traces);

#endif
