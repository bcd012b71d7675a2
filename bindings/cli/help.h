/* help.h - what --help prints. */
#ifndef MCD_BINDINGS_CLI_HELP_H
#define MCD_BINDINGS_CLI_HELP_H

#include "bindings/cli/options.h"

/* The commands and what they share. */
extern const char cli_help[];
/* One command's usage, borrowed. */
const char *cli_help_of(cli_command command);

#endif
