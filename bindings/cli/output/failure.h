/* failure.h - how the command says that something went wrong: one line (or one JSON object) and an exit
 * status. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_FAILURE_H
#define MCD_BINDINGS_CLI_OUTPUT_FAILURE_H

#include "engine/include/macadam.h"

enum {
    CLI_DONE = 0,     /* unreachable and unsnapped cells included */
    CLI_NO_ROUTE = 1, /* `route` or `connect` found none */
    /* bad options, places or CSV; unknown ids, metrics or quantities; an output that cannot be opened */
    CLI_USAGE = 2,
    CLI_INPUT = 3,    /* a bad input file */
    CLI_RESOURCE = 4, /* out of memory, a full disk, or a device failed */
};

/* To be called first: JSON that lacks memory ends the command, as cli_allocate does. */
void cli_failure_begin(void);

/* Whether errors are JSON objects ({"error": message, "status": name, "exit": code}), and whether cli_warn and
 * progress are silent. */
extern bool cli_errors_as_json, cli_quiet;

/* Reports on standard error and returns exit_status. `status` is a short name for programs. */
int cli_fail(int exit_status, const char *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports bad usage, as printf would write it; returns CLI_USAGE. */
#define cli_fail_usage(...) cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_INVALID), __VA_ARGS__)

/* The message of the last call of the library that failed; the command makes one call after the other. */
extern macadam_error cli_error;
/* Reports what a library call returned, with cli_error; returns the exit status it stands for. path: of a file whose
 * contents the call took; NULL: none. */
int cli_fail_library(const char *path, macadam_status status);

/* Returns the exit status of a call, unless that is CLI_DONE. Where nothing is held. */
#define CLI_TRY(call)                                                                                        \
    do {                                                                                                     \
        const int status_of_call = (call);                                                                   \
        if (status_of_call != CLI_DONE) return status_of_call;                                               \
    } while (0)

/* Prints a line on standard error. Texts of users and files within it cannot control the terminal. */
void cli_say(const char *prefix, const char *line);
/* Says on standard error, as a line or as {"warning": message}, what the user should know. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory for count elements, until the command ends. Without it the command cannot go on: reports and exits with
 * CLI_RESOURCE. */
void *cli_allocate(size_t count, size_t element_bytes);
/* The same for memory that grows: what is new is not zeroed. */
void *cli_reallocate(void *memory, size_t count, size_t element_bytes);
/* The same for an array that grows by one element at a time. It has `count` elements (`memory` may be NULL if there are
 * none); the result has room for one more. */
void *cli_grow(void *memory, size_t count, size_t element_bytes);

#endif
