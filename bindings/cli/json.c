/* json.c - what cJSON lacks. */
#include "bindings/cli/json.h"
#include "bindings/cli/failure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_json_add_integer(cJSON *object, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddRawToObject(object, name, text);
}

void cli_json_add_cost(cJSON *object, const char *name, int64_t cost, uint32_t per_unit)
{
    if (cost == MACADAM_COST_NONE)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, (double)cost / per_unit);
}

void cli_json_add_snap(cJSON *object, const macadam_snap *snap)
{
    cJSON_AddStringToObject(object, "status", macadam_place_status_name(snap->status));
    if (!macadam_place_is_found(snap->status)) return;
    cli_json_add_integer(object, "node", snap->id);
    if (isnan(snap->lon)) return;
    cJSON_AddNumberToObject(object, "lon", round(snap->lon * 1e7) / 1e7);
    cJSON_AddNumberToObject(object, "lat", round(snap->lat * 1e7) / 1e7);
    cJSON_AddNumberToObject(object, "snapped_m", round(snap->distance_m * 100) / 100);
    if (snap->arc) cli_json_add_integer(object, "arc", (int64_t)snap->arc);
    if (snap->way) cli_json_add_integer(object, "way", snap->way);
    if (snap->name[0]) cJSON_AddStringToObject(object, "name", snap->name);
}

void cli_json_write_text(cli_output *output, const char *text, size_t bytes)
{
    char *const copy = cli_allocate(bytes + 1, 1);
    memcpy(copy, text, bytes);
    cJSON *const string = cJSON_CreateString(copy);
    char *const escaped = cJSON_PrintUnformatted(string);
    if (escaped)
        cli_output_text(output, escaped);
    else
        output->failed = true;
    cJSON_free(escaped);
    cJSON_Delete(string);
    free(copy);
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
