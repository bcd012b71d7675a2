/* output.h - buffered writing of an answer to a file or to standard output. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_H
#define MCD_BINDINGS_CLI_OUTPUT_H

#include "bindings/cli/options.h"
#include "bindings/formats/macadam_formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *stream;
    const char *path; /* NULL = standard output */
    char *buffer;
    size_t used;
    bool failed; /* remembered; reported by cli_output_close */
} cli_output;

/* Checks, before the work begins, that the options' output can be written. Leaves it as it is. Reports and returns an exit status: CLI_USAGE, or CLI_RESOURCE if the disk is full. */
int cli_output_check(const cli_options *options);

/* Opens `path` for writing (NULL: standard output). Reports and returns an exit status on failure. */
int cli_output_open(cli_output *out, const char *path);

/* Flushes and closes; reports what could not be written. With `status` other than CLI_DONE the answer is not
 * complete: a regular file is removed. Returns `status`, or what went wrong. */
int cli_output_close(cli_output *out, int status);

/* Ends the writing to standard output, by whoever wrote. Returns `status`, or what went wrong. */
int cli_output_end(int status);

void cli_output_bytes(cli_output *out, const void *data, size_t bytes);
void cli_output_text(cli_output *out, const char *text);
void cli_output_integer(cli_output *out, int64_t value);
void cli_output_unsigned(cli_output *out, uint64_t value);
/* value / per_unit, exactly: with as many decimals as per_unit, a power of ten, has zeros. */
void cli_output_cost(cli_output *out, int64_t value, uint32_t per_unit);
/* A text of libmacadam_formats and a newline; frees the text. If `status` says that there is none, reports
 * and returns an exit status. */
int cli_output_line(cli_output *out, macadam_status status, macadam_text *text, const macadam_error *error);
/* A field of a CSV: in quotes where it must be. */
void cli_output_csv_text(cli_output *out, const char *text, size_t bytes);
void cli_output_format(cli_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
