/* main.c - `macadam`: finds the command and runs it. */
#include "bindings/cli/command.h"
#include "bindings/cli/console.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/help.h"

#include <stdio.h>
#include <string.h>

enum { DEVICES_SHOWN = 64, NAMES_BYTES = 256 };

typedef int file_command(const cli_session *session, const cli_options *options);

/* Each command is in one of the three tables. */
static int (*const apart[CLI_COMMAND_COUNT])(const cli_options *) = {
    [CLI_IMPORT] = cli_import, [CLI_SERVE] = cli_serve, [CLI_BENCH] = cli_bench};
static file_command *const on_file[CLI_COMMAND_COUNT] = {[CLI_INFO] = cli_info,
                                                         [CLI_CLOSURE] = cli_closure,
                                                         [CLI_UPDATE] = cli_update,
                                                         [CLI_READY] = cli_ready,
                                                         [CLI_ARCS] = cli_arcs};
static file_command *const query[CLI_COMMAND_COUNT] = {
    [CLI_TREE] = cli_tree,     [CLI_ROUTE] = cli_route,     [CLI_ROUTES] = cli_routes,
    [CLI_MATRIX] = cli_matrix, [CLI_REACH] = cli_reach,     [CLI_ISOCHRONE] = cli_isochrone,
    [CLI_HOPS] = cli_hops,     [CLI_CONNECT] = cli_connect, [CLI_ALL_PAIRS] = cli_all_pairs,
    [CLI_SNAP] = cli_snap,     [CLI_MATCH] = cli_match,     [CLI_TRIP] = cli_trip,
};

static int print_version(void)
{
    const char *device[DEVICES_SHOWN];
    const size_t found = macadam_devices(device, DEVICES_SHOWN);
    printf("macadam %s\nfile format: %d\nbackends: %s\ndevices:\n", macadam_version(), MACADAM_FILE_FORMAT,
           MACADAM_BACKENDS);
    for (size_t i = 0; i < found && i < DEVICES_SHOWN; ++i) printf("  %s\n", device[i]);
    return CLI_DONE;
}

static int fail_command(const char *name)
{
    char names[NAMES_BYTES] = "";
    for (cli_command command = 0; command < CLI_COMMAND_COUNT; ++command) {
        if (command) strcat(names, ", ");
        strcat(names, cli_command_name(command));
    }
    return cli_fail_usage("no command %s; there are %s", name, names);
}

static int run(const cli_options *options)
{
    cli_session session;
    const cli_command command = options->command;
    if (apart[command]) return apart[command](options);
    int status = (query[command] ? cli_session_open_query : cli_session_open)(&session, options);
    if (status == CLI_DONE) status = (query[command] ? query : on_file)[command](&session, options);
    cli_session_close(&session);
    return status;
}

static int run_command(cli_command command, int argc, char **argv)
{
    cli_options options;
    bool help;
    int status = cli_options_read(&options, command, argc, argv, &help);
    if (help)
        fputs(cli_help_of(command), stdout);
    else if (status == CLI_DONE && options.quiet)
        cli_failure_quiet();
    if (!help && status == CLI_DONE) status = run(&options);
    cli_options_free(&options);
    cli_console_obey_interrupt();
    return status;
}

int main(int argc, char **argv)
{
    cli_console_begin();
    cli_failure_begin();
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--json-errors") == 0) cli_failure_as_json();
    const char *const name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return fputs(cli_help, stdout) < 0;
    if (!name[0]) {
        fputs(cli_help, stderr);
        return CLI_USAGE;
    }
    const cli_command command = cli_command_find(name);
    return command < CLI_COMMAND_COUNT ? run_command(command, argc - 1, argv + 1) : fail_command(name);
}
