/* options.h - what the user asked for on the command line. */
#ifndef MCD_BINDINGS_CLI_OPTIONS_H
#define MCD_BINDINGS_CLI_OPTIONS_H

#include "engine/include/macadam.h"

typedef enum cli_command {
    CLI_IMPORT,
    CLI_INFO,
    CLI_TREE,
    CLI_ROUTE,
    CLI_ROUTES,
    CLI_MATRIX,
    CLI_REACH,
    CLI_ISOCHRONE,
    CLI_HOPS,
    CLI_CONNECT,
    CLI_ALL_PAIRS,
    CLI_CLOSURE,
    CLI_SNAP,
    CLI_MATCH,
    CLI_TRIP,
    CLI_UPDATE,
    CLI_READY,
    CLI_SERVE,
    CLI_BENCH,
    CLI_ARCS,
    CLI_COMMAND_COUNT
} cli_command;

typedef enum cli_format {
    CLI_CSV,
    CLI_JSON,
    CLI_NPY,
    CLI_GEOJSON,
    CLI_POLYLINE5,
    CLI_POLYLINE6,
    CLI_HTML,
    CLI_VROOM,
    CLI_ORTOOLS,
    CLI_FORMAT_COUNT
} cli_format;

/* Whether a solver reads it: costs are in seconds and metres. */
static inline bool cli_format_is_problem(cli_format format)
{
    return format == CLI_VROOM || format == CLI_ORTOOLS;
}

/* Strings are borrowed from the command line unless said otherwise; NULL and 0 = not given. */
typedef struct cli_options {
    cli_command command;
    const char *file;         /* the command's operand; the first one of import and serve */
    const char *const *files; /* [file_count] all operands */
    size_t file_count;
    const char *output; /* NULL = standard output */
    cli_format format;  /* by --format, else by the extension of `output`, else CSV */

    const char *metric;
    char *quantities; /* owned: what `quantity` points into */
    const char *quantity[MACADAM_QUANTITIES_MAX];
    size_t quantity_count;
    bool si_units; /* seconds and metres instead of the file's own units */

    const char *device;
    uint64_t threads;
    uint64_t memory;
    double snap_radius_m, width_m; /* 0 = the library's choice */
    double heading;                /* NAN = not given */
    bool quiet;

    const char *from, *to;
    const char **via; /* owned */
    size_t via_count;
    uint64_t alternative_count;
    macadam_via_turn via_turn;
    const char *language;        /* of steps; NULL = English */
    macadam_conditions vehicle;  /* only its measures, and the departure */
    const char *avoid, *factors; /* cli_conditions_read reads these and the areas' files */
    const char **area;           /* owned */
    size_t area_count;
    bool reverse, disjoint, paths, json, json_errors, verify, no_hierarchy, node_ids, ready, statuses, steps,
        segments, strict, totals;
    bool open, from_first, to_last, tidy;
    const char *limit, *limits; /* read when the units of the map are known: cli_session_open_query */
    macadam_tree_method method;
    macadam_hops_method hops_method;
    const char *sources, *targets, *pairs, *values, *places, *traces, *turns;
    uint64_t nearest_count;

    const char **weight; /* owned: import: NAME=PATH each; update: one path */
    size_t weight_count;
    const char *coordinates, *heights, *order, *vehicle_file;
    const char **profile; /* owned: import: all; else at most one */
    size_t profile_count;

    const char *listen, *token_file;
    uint64_t body_bytes;
    uint64_t connections;
    double request_s;
    bool json_log;
} cli_options;

/* Reads `macadam COMMAND ARGUMENTS`: argv[0] is the command's name. Reports what is wrong and returns
 * CLI_USAGE. Sets *help (and returns CLI_DONE) if the user asked for help instead. Options are the caller's
 * to free in any case. */
int cli_options_read(cli_options *options, cli_command command, int argc, char **argv, bool *help);
void cli_options_free(cli_options *options);
/* Returns the part of *rest before its first comma, which becomes a NUL. *rest moves to what follows, or becomes NULL
 * after the last part. */
char *cli_options_cut(char **rest);

/* The command of this name, or CLI_COMMAND_COUNT. */
cli_command cli_command_find(const char *name);
const char *cli_command_name(cli_command command);

/* As --method names it. */
const char *cli_method_name(macadam_tree_method method);

#endif
