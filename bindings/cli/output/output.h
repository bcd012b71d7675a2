/* output.h - buffered writing of an answer to a file or to standard output. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_OUTPUT_H
#define MCD_BINDINGS_CLI_OUTPUT_OUTPUT_H

#include "bindings/cli/options.h"
#include "bindings/formats/text.h"

typedef struct cli_output {
    FILE *stream;
    const char *path;           /* NULL = standard output */
    cli_compressor *compressor; /* as the path names it; NULL: none */
    mcd_text text;              /* not written yet */
    bool failed;                /* remembered; reported by cli_output_close */
    int number;                 /* errno of the first failure; 0: unknown */
} cli_output;

/* Checks, before the work begins, that the options' output can be written. Leaves it as it is. Reports and
 * returns an exit status: CLI_USAGE, or CLI_RESOURCE if the disk is full. */
int cli_output_check(const cli_options *options);

/* Opens `path` for writing (NULL: standard output). Reports and returns an exit status on failure. */
int cli_output_open(cli_output *out, const char *path);

/* Remembers a failure, of which the first is reported. `number`: as of errno. */
void cli_output_fail(cli_output *out, int number);

/* Writes the text if it has become long. */
void cli_output_flush(cli_output *out);

/* Flushes and closes; reports what could not be written. With `status` other than CLI_DONE the answer is not
 * complete: a regular file is removed. Returns `status`, or what went wrong. */
int cli_output_close(cli_output *out, int status);

/* Ends the writing to standard output. Returns `status`, or what went wrong. */
int cli_output_end(int status);

void cli_output_bytes(cli_output *out, const void *data, size_t bytes);
void cli_output_text(cli_output *out, const char *text);
void cli_output_format(cli_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a text that is JSON with indents, and a newline; frees it. */
void cli_output_indented(cli_output *out, mcd_text *text);

/* Writes an answer of libmacadam_formats and a newline to the options' output; frees the text. If `status` says that
 * there is none, reports and returns an exit status. */
int cli_output_answer(const cli_options *options, macadam_status status, macadam_text *text);

#endif
