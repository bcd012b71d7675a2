/* json.c - what cJSON lacks. */
#include "bindings/cli/json.h"
#include "engine/include/macadam.h"

#include <inttypes.h>

void cli_json_add_integer(cJSON *object, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddRawToObject(object, name, text);
}

void cli_json_add_cost(cJSON *object, const char *name, uint32_t cost)
{
    if (cost == MACADAM_UNREACHED)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, cost);
}

void cli_json_write(cli_output *output, cJSON *json, bool indented)
{
    char *const text = indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
    if (text) {
        cli_output_text(output, text);
        cli_output_text(output, "\n");
    } else {
        output->failed = true;
    }
    cJSON_free(text);
    cJSON_Delete(json);
}
