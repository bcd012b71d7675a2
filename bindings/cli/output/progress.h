/* progress.h - shows how far long work is, and stops it when the user interrupts. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_PROGRESS_H
#define MCD_BINDINGS_CLI_OUTPUT_PROGRESS_H

#include "bindings/cli/options.h"
#include "bindings/cli/output/failure.h"

/* Catches interrupts; shows a bar if standard error is a terminal and --quiet is not given. */
void cli_progress_begin(const cli_options *options);
/* Erases the bar; the next report draws it again. */
void cli_progress_erase(void);
/* The exit status of a call of the library, after which the bar goes; reports a failure, with cli_error. */
int cli_done(macadam_status status);
/* Calls a function of the library with cli_error; returns the exit status. */
#define cli_call(function, ...) cli_done(function(__VA_ARGS__, &cli_error))

/* A macadam_progress; its context is not used. */
bool cli_progress(void *context, const char *phase, uint64_t done, uint64_t total);
/* Likewise, but shows nothing. */
bool cli_progress_ask(void *context, const char *phase, uint64_t done, uint64_t total);

/* Seconds by a clock that only goes forward. */
double cli_now(void);
/* Orders doubles, for qsort. */
int cli_compare_numbers(const void *a, const void *b);

/* A line for people on standard error, unless quiet. A `report` of an import; its context is not used. */
void cli_progress_report(void *context, const char *line);

#endif
