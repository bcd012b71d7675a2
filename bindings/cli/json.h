/* json.h - what cJSON lacks: integers beyond 2^53, costs, places, writing to an output. */
#ifndef MCD_BINDINGS_CLI_JSON_H
#define MCD_BINDINGS_CLI_JSON_H

#include "bindings/cli/output.h"
#include "engine/include/macadam.h"

#include <cjson/cJSON.h>

void cli_json_add_integer(cJSON *object, const char *name, int64_t value);
/* cost / per_unit; null if `cost` is MACADAM_COST_NONE. */
void cli_json_add_cost(cJSON *object, const char *name, int64_t cost, uint32_t per_unit);
/* What became of a place: status, and where it is if it is found. */
void cli_json_add_snap(cJSON *object, const macadam_snap *snap);
/* Writes a text as a string of JSON, in quotes. */
void cli_json_write_text(cli_output *output, const char *text, size_t bytes);
/* Prints and deletes `json`. */
void cli_json_write(cli_output *output, cJSON *json, bool indented);

#endif
