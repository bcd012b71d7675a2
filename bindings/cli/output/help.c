/* help.c - the commands, and what --help prints of them: their texts are those of help.md. */
#include "bindings/cli/output/help.h"
#include "bindings/cli/command.h"
#include "bindings/cli/output/wrap.h"

#include <help.inc>

enum {
    METHODS = 16,
    LINE_BYTES = 256,
    TABLES = MCD_CSV | MCD_JSON | MCD_ARRAYS,
    ROUTES = MCD_CSV | MCD_JSON | MCD_GEOJSON | MCD_POLYLINES,
};

const cli_command_row cli_commands[] = {
    {CLI_IMPORT, HELP_import, .run_alone = cli_import},
    {CLI_INFO, HELP_info, .formats = MCD_JSON, .run = cli_info},
    {MCD_TREE, HELP_tree, .formats = TABLES | MCD_HTML, .run = cli_tree},
    {MCD_ROUTE, HELP_route, .formats = ROUTES | MCD_HTML | MCD_SENTENCES, .run = cli_route},
    {MCD_ROUTES, HELP_routes, .formats = TABLES, .run = cli_routes},
    {MCD_MATRIX, HELP_matrix, .formats = TABLES | MCD_PROBLEMS, .run = cli_matrix},
    {MCD_REACH, HELP_reach, .formats = MCD_CSV | MCD_JSON, .run = cli_reach},
    {MCD_ISOCHRONE, HELP_isochrone, .formats = MCD_CSV | MCD_JSON | MCD_GEOJSON | MCD_HTML,
     .run = cli_isochrone},
    {MCD_HOPS, HELP_hops, .formats = TABLES, .run = cli_hops},
    {MCD_CONNECT, HELP_connect, .formats = MCD_CSV | MCD_JSON, .run = cli_connect},
    {MCD_ALL_PAIRS, HELP_all_pairs, .formats = TABLES, .run = cli_all_pairs},
    {CLI_CLOSURE, HELP_closure, .formats = MCD_NPY, .run = cli_closure},
    {MCD_SNAP, HELP_snap, .formats = MCD_CSV | MCD_JSON, .run = cli_snap},
    {MCD_MATCH, HELP_match, .formats = MCD_CSV | MCD_JSON | MCD_GEOJSON, .run = cli_match},
    {MCD_TRIP, HELP_trip, .formats = ROUTES, .run = cli_trip},
    {CLI_UPDATE, HELP_update, .run = cli_update},
    {CLI_READY, HELP_ready, .run = cli_ready},
    {CLI_SERVE, HELP_serve, .run_alone = cli_serve},
    {MCD_BENCH, HELP_bench, .formats = MCD_JSON, .run_alone = cli_bench},
    {CLI_ARCS, HELP_arcs, .formats = MCD_CSV | MCD_JSON, .run = cli_arcs},
    {.name = NULL}, /* the end */
};

void cli_help(FILE *to)
{
    fputs("usage: macadam COMMAND [FILE] [OPTIONS]; macadam COMMAND --help says more\n\n", to);
    for (const cli_command_row *row = cli_commands; row->name; ++row) {
        char line[LINE_BYTES];
        snprintf(line, sizeof line, "  %-9s  %s", row->name, row->summary);
        cli_wrap(to, line);
    }
    cli_wrap(to, "\n" PAGE_places "\n");
    cli_options_help(to, NULL);
    cli_wrap(to, PAGE_endings);
}

void cli_help_of(const cli_command_row *row)
{
    for (const char *usage = row->usage; usage; usage = strchr(usage, '\n')) {
        usage += *usage == '\n';
        char line[LINE_BYTES];
        snprintf(line, sizeof line, "%s macadam %s %.*s [OPTIONS]", usage == row->usage ? "usage:" : "      ",
                 row->name, (int)strcspn(usage, "\n"), usage);
        cli_wrap(stdout, line);
    }
    fputs("\n", stdout);
    cli_wrap(stdout, row->help);
    if (row->help[0]) printf("\n");
    cli_options_help(stdout, row);
}

int cli_help_methods(const cli_options *options)
{
    const macadam_question question = options->command == MCD_TREE   ? MACADAM_QUESTION_TREES
                                      : options->command == MCD_HOPS ? MACADAM_QUESTION_HOPS
                                                                     : MACADAM_QUESTION_ALL_PAIRS;
    macadam_method method[METHODS];
    size_t count;
    const macadam_status status =
        macadam_methods(method, &count, METHODS, options->engine.device, question, &cli_error);
    if (status != MACADAM_OK) return cli_fail_library(NULL, status);
    for (size_t i = 0; i < count; ++i) printf("%-17s%s\n", method[i].name, method[i].about);
    return CLI_DONE;
}
