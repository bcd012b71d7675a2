/* main.c - `macadam`: finds the command and runs it. */
#include "bindings/cli/command.h"
#include "bindings/cli/console.h"
#include "bindings/cli/output/help.h"

enum { DEVICES_SHOWN = 64, NAMES_BYTES = 256 };

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
    for (const cli_command_row *row = cli_commands; row->name; ++row)
        strcat(strcat(names, row == cli_commands ? "" : ", "), row->name);
    return cli_fail_usage("no command %s; there are %s", name, names);
}

static void report_device(const cli_session *session)
{
    macadam_info info = MACADAM_INFO_INIT;
    if (macadam_engine_info(&info, session->engine, NULL) != MACADAM_OK) return;
    char line[sizeof cli_error.message + NAMES_BYTES];
    const char *const reason = info.device_reason ? info.device_reason : "";
    snprintf(line, sizeof line, "answered by %s%s%s", info.device, reason[0] ? "; " : "", reason);
    cli_say("macadam: ", line);
}

static int run(const cli_command_row *row, const cli_options *options)
{
    CLI_TRY(cli_output_check(options));
    if (row->run_alone) return row->run_alone(options);
    CLI_SCOPED_SESSION session;
    CLI_TRY((row->command < CLI_IMPORT ? cli_session_open_query : cli_session_open)(&session, options));
    cli_progress_begin(options);
    const int status = row->run(&session);
    if (options->verbose) report_device(&session);
    return status;
}

static int run_command(const cli_command_row *row, int argc, char **argv)
{
    cli_options options;
    bool help;
    int status = cli_options_read(&options, row, argc, argv, &help);
    cli_quiet = options.quiet;
    if (help) cli_help_of(row);
    if (!help && status == CLI_DONE)
        status = options.lists_methods ? cli_help_methods(&options) : run(row, &options);
    cli_console_obey_interrupt();
    return status;
}

static int answer(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--json-errors") == 0) cli_errors_as_json = true;
    static char dashes[] = "--help";
    if (argc > 2 && strcmp(argv[1], "help") == 0) argc = 3, argv[1] = argv[2], argv[2] = dashes;
    const char *const name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) return print_version();
    const bool wants_help =
        strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (wants_help || !name[0]) {
        cli_help(wants_help ? stdout : stderr);
        return wants_help ? CLI_DONE : CLI_USAGE;
    }
    const cli_command_row *row = cli_commands;
    while (row->name && strcmp(row->name, name) != 0) ++row;
    return row->name ? run_command(row, argc - 1, argv + 1) : fail_command(name);
}

int main(int argc, char **argv)
{
    cli_console_begin();
    cli_failure_begin();
    return cli_output_end(answer(argc, argv));
}
