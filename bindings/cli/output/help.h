/* help.h - what --help prints. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_HELP_H
#define MCD_BINDINGS_CLI_OUTPUT_HELP_H

#include "bindings/cli/options.h"

/* Prints the commands and what they share. */
void cli_help(FILE *to);
/* Prints one command's usage and its options. */
void cli_help_of(const cli_command_row *row);
/* Prints the methods that the device has for the command. */
int cli_help_methods(const cli_options *options);

#endif
