/* trace_reader.h - a reader of traces for each format. */
#ifndef MCD_BINDINGS_CLI_TRACE_READER_H
#define MCD_BINDINGS_CLI_TRACE_READER_H

#include "bindings/cli/csv.h"
#include "bindings/cli/traces.h"

/* Each takes the text of `file`, from file->next on, and reports errors. */
int cli_trace_read_csv(cli_traces *out, cli_csv *file);
int cli_trace_read_gpx(cli_traces *out, const cli_csv *file);
int cli_trace_read_geojson(cli_traces *out, const cli_csv *file);

#endif
