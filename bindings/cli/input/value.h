/* value.h - numbers that the user gives to nodes. */
#ifndef MCD_BINDINGS_CLI_INPUT_VALUE_H
#define MCD_BINDINGS_CLI_INPUT_VALUE_H

#include "bindings/cli/session.h"

/* Reads a CSV with the header node,value (ids, unsigned 32-bit integers). *out: one value per id of the
 * session, 0 where the file has none; freed with free() in any case. Reports errors with file, line and text;
 * an unknown id and a second value of a node are some. */
int cli_values_read(uint32_t **out, const cli_session *session, const char *path);

#endif
