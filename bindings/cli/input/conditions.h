/* conditions.h - roads that a query must not use, as the options name them. */
#ifndef MCD_BINDINGS_CLI_INPUT_CONDITIONS_H
#define MCD_BINDINGS_CLI_INPUT_CONDITIONS_H

#include "bindings/cli/options.h"

/* Zeroed = none. */
typedef struct cli_conditions {
    macadam_conditions conditions;
    macadam_area *area;
    macadam_class_factor *factor;
} cli_conditions;

/* Reads --avoid, --avoid-area and --factor. Reports errors and returns the exit status. */
int cli_conditions_read(cli_conditions *out, const cli_options *options);

#endif
