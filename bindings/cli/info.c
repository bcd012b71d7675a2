/* info.c - `macadam info`: what is in an edge file. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/json.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <inttypes.h>
#include <string.h>

static cJSON *quantities_json(const macadam_info *info)
{
    cJSON *const array = cJSON_CreateArray();
    for (size_t i = 0; i < info->quantity_count; ++i) {
        cJSON *const quantity = cJSON_CreateObject();
        cJSON_AddStringToObject(quantity, "name", info->quantity[i]);
        cJSON_AddStringToObject(quantity, "unit", info->unit[i]);
        if (info->is_signed[i]) cJSON_AddTrueToObject(quantity, "signed");
        cJSON_AddItemToArray(array, quantity);
    }
    return array;
}

static cJSON *metrics_json(const macadam_info *info)
{
    cJSON *const array = cJSON_CreateArray();
    for (size_t i = 0; i < info->metric_count; ++i) {
        cJSON *const metric = cJSON_CreateObject();
        cJSON_AddStringToObject(metric, "objective", info->metric[i]);
        if (info->companion[i])
            cJSON_AddStringToObject(metric, "companion", info->companion[i]);
        else
            cJSON_AddNullToObject(metric, "companion");
        cJSON_AddItemToArray(array, metric);
    }
    return array;
}

static cJSON *hierarchy_json(const macadam_info *info)
{
    if (info->up_arc_count == 0 && info->height == 0) return cJSON_CreateNull();
    cJSON *const hierarchy = cJSON_CreateObject();
    cli_json_add_integer(hierarchy, "height", info->height);
    cli_json_add_integer(hierarchy, "arcs", (int64_t)info->up_arc_count);
    return hierarchy;
}

static cJSON *bbox_json(const macadam_info *info)
{
    const double side[] = {info->west, info->south, info->east, info->north};
    return info->has_coordinates ? cJSON_CreateDoubleArray(side, 4) : cJSON_CreateNull();
}

static cJSON *info_json(const cli_session *session, bool verified)
{
    const macadam_info *const info = &session->info;
    cJSON *const json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "file", session->file);
    cli_json_add_integer(json, "format", info->file_format);
    cli_json_add_integer(json, "bytes", (int64_t)info->file_bytes);
    cJSON_AddStringToObject(json, "source", info->source);
    cJSON_AddStringToObject(json, "profile", info->profile);
    cJSON_AddItemToObject(json, "profiles",
                          cJSON_CreateStringArray(info->profiles, (int)info->profile_count));
    cJSON_AddStringToObject(json, "build", info->build);
    cli_json_add_integer(json, "ids", (int64_t)info->id_count);
    cli_json_add_integer(json, "nodes", (int64_t)info->node_count);
    cli_json_add_integer(json, "arcs", (int64_t)info->arc_count);
    cli_json_add_integer(json, "components", (int64_t)info->component_count);
    cli_json_add_integer(json, "restrictions", (int64_t)info->restriction_count);
    cJSON_AddBoolToObject(json, "coordinates", info->has_coordinates);
    cJSON_AddBoolToObject(json, "geometry", info->has_geometry);
    cJSON_AddBoolToObject(json, "heights", info->has_heights);
    cJSON_AddItemToObject(json, "bbox", bbox_json(info));
    cJSON_AddItemToObject(json, "quantities", quantities_json(info));
    cJSON_AddItemToObject(json, "metrics", metrics_json(info));
    cJSON_AddItemToObject(json, "hierarchy", hierarchy_json(info));
    cJSON_AddStringToObject(json, "device", info->device);
    if (info->device_reason)
        cJSON_AddStringToObject(json, "device_reason", info->device_reason);
    else
        cJSON_AddNullToObject(json, "device_reason");
    cli_json_add_integer(json, "device_bytes", (int64_t)info->device_bytes);
    cli_json_add_integer(json, "idle_device_bytes", (int64_t)info->idle_device_bytes);
    cli_json_add_integer(json, "idle_host_bytes", (int64_t)info->idle_host_bytes);
    cJSON_AddBoolToObject(json, "has_node_ids", info->has_node_ids);
    if (verified) cJSON_AddTrueToObject(json, "verified");
    return json;
}

static void write_map(cli_output *output, const macadam_info *info)
{
    cli_output_format(output, "nodes         %" PRIu64 " (%" PRIu64 " inside)\n", info->id_count,
                      info->node_count);
    cli_output_format(output, "arcs          %" PRIu64 "\n", info->arc_count);
    cli_output_format(output, "components    %" PRIu64 "\n", info->component_count);
    cli_output_format(output, "restrictions  %" PRIu64 "\n", info->restriction_count);
    if (info->has_coordinates) {
        cli_output_format(output, "bounding box  %.7f,%.7f to %.7f,%.7f\n", info->west, info->south,
                          info->east, info->north);
    }
    for (size_t i = 0; i < info->quantity_count; ++i) {
        const char *const unit = info->unit[i];
        cli_output_format(output, "quantity      %s%s%s%s\n", info->quantity[i], unit[0] ? " (" : "", unit,
                          unit[0] ? ")" : "");
    }
    for (size_t i = 0; i < info->metric_count; ++i) {
        const char *const companion = info->companion[i];
        cli_output_format(output, "metric        %s%s%s\n", info->metric[i], companion ? " with " : "",
                          companion ? companion : "");
    }
}

static void write_text(cli_output *output, const cli_session *session, bool verified)
{
    const macadam_info *const info = &session->info;
    cli_output_format(output, "file          %s\n", session->file);
    cli_output_format(output, "format        %u, %" PRIu64 " bytes\n", info->file_format, info->file_bytes);
    cli_output_format(output, "source        %s\n", info->source);
    if (info->profile[0]) cli_output_format(output, "profile       %s\n", info->profile);
    for (size_t i = 0; i < info->profile_count; ++i)
        if (strcmp(info->profiles[i], info->profile) != 0)
            cli_output_format(output, "also          %s\n", info->profiles[i]);
    cli_output_format(output, "build         %s\n", info->build);
    write_map(output, info);
    if (info->height) {
        cli_output_format(output, "hierarchy     height %u, %" PRIu64 " upward arcs\n", info->height,
                          info->up_arc_count);
    } else {
        cli_output_text(output, "hierarchy     none\n");
    }
    cli_output_format(output, "device        %s\n", info->device);
    if (verified) cli_output_text(output, "verified      every section\n");
}

static int verify(const cli_session *session, const cli_options *options)
{
    macadam_error error = {""};
    cli_progress_begin(options);
    const macadam_status status = macadam_engine_verify(session->engine, &error);
    cli_progress_end();
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(status, &error);
}

int cli_info(const cli_session *session, const cli_options *options)
{
    if (options->verify) {
        const int status = verify(session, options);
        if (status != CLI_DONE) return status;
    }
    cli_output output;
    const int status = cli_output_open(&output, options->output);
    if (status != CLI_DONE) return status;
    if (options->json || options->format == CLI_JSON)
        cli_json_write(&output, info_json(session, options->verify), true);
    else
        write_text(&output, session, options->verify);
    return cli_output_close(&output, CLI_DONE);
}
