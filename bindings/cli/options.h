/* options.h - the options of the command line. */
#ifndef MCD_BINDINGS_CLI_OPTIONS_H
#define MCD_BINDINGS_CLI_OPTIONS_H

#include "bindings/cli/compressed.h"
#include "bindings/options/option.h"
#include "bindings/serve/settings.h"

#include <stdio.h>

/* The commands that ask no question, as bits beside those that do. */
enum {
    CLI_IMPORT = 1 << 16,
    CLI_INFO = 1 << 17,
    CLI_CLOSURE = 1 << 18,
    CLI_UPDATE = 1 << 19,
    CLI_READY = 1 << 20,
    CLI_SERVE = 1 << 21,
    CLI_ARCS = 1 << 22,
};

/* The treatment of stops that cannot be reached, in a solver's input. */
typedef enum cli_unreachable {
    CLI_UNREACHABLE_SKIP,
    CLI_UNREACHABLE_FAIL,
    CLI_UNREACHABLE_COST
} cli_unreachable;

/* The options fill the library's structures where they can. Strings are borrowed from the command line; NULL and 0 =
 * not given. */
typedef struct cli_options {
    mcd_request request; /* of questions */
    unsigned command;
    const char *file;         /* the command's operand; the first one of import and serve */
    const char *const *files; /* [file_count] all operands */
    size_t file_count;
    const char *output;          /* NULL = standard output */
    cli_compression compression; /* of it, as its name says */
    bool is_replaced;            /* the library writes `output`, beside a file there until it is complete */
    mcd_format format; /* by --format, else by the extension of `output`, else the command's first one */
    bool quiet, json_errors;
    macadam_engine_options engine; /* threads and memory hold for import and serve as well */
    double heading;                /* NAN = not given */
    bool si_units;                 /* seconds and metres instead of the file's own units */
    const char *from, *to;
    mcd_texts via;
    const char *sources, *targets, *pairs, *values, *places, *traces, *opportunities, *decay;
    mcd_texts percentiles;
    const char *limit; /* cli_session_open_query reads limits, when it knows the units of the map */
    mcd_texts limits;  /* likewise */
    bool paths, statuses, strict, json, verify, calibrate, verbose;
    cli_unreachable unreachable;
    bool lists_methods; /* only the methods are requested */
    macadam_import_options import;
    mcd_texts profiles, weights, speeds; /* of the import */
    const char *coordinates;             /* likewise */
    const char *new_weights, *turns;     /* of an update */
    serve_settings serve;
    const char *token_file;
} cli_options;

struct cli_session;

/* A command, and how it is run. */
typedef struct cli_command_row {
    unsigned command;
    const char *name, *summary;
    const char *usage; /* the operands and the options that it needs; each further line is another usage */
    const char *help;  /* what it reads and writes */
    unsigned formats;  /* of its answer; 0: it writes an edge file, or nothing */
    /* Questions take an opened file with a query, most other commands one without; the rest has `run_alone`. */
    int (*run)(const struct cli_session *session);
    int (*run_alone)(const cli_options *options);
} cli_command_row;

/* Reads `macadam COMMAND ARGUMENTS`: argv[0] is the command's name. Reports errors and returns CLI_USAGE. Sets *help (and
 * returns CLI_DONE) if the user requests help instead. The caller frees the options in any case. */
int cli_options_read(cli_options *options, const cli_command_row *row, int argc, char **argv, bool *help);
/* Prints the options of a command: help for its own, the names of those that many commands share. NULL: prints help for
 * the shared ones. */
void cli_options_help(FILE *to, const cli_command_row *row);

#endif
