/* json.h - what cJSON lacks: integers beyond 2^53, unreached costs, writing to an output. */
#ifndef MCD_BINDINGS_CLI_JSON_H
#define MCD_BINDINGS_CLI_JSON_H

#include "bindings/cli/output.h"

#include <cjson/cJSON.h>

void cli_json_add_integer(cJSON *object, const char *name, int64_t value);
/* null if `cost` is MACADAM_UNREACHED. */
void cli_json_add_cost(cJSON *object, const char *name, uint32_t cost);
/* Prints and deletes `json`. */
void cli_json_write(cli_output *output, cJSON *json, bool indented);

#endif
