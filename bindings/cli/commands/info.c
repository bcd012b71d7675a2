/* info.c - `macadam info`: what is in an edge file. */
#include "bindings/cli/command.h"

#include <inttypes.h>

static void put_quantities(mcd_text *text, const macadam_info *info)
{
    mcd_text_json(text, "'quantities':[");
    for (size_t i = 0; i < info->quantity_count; ++i)
        mcd_text_json(text,
                      info->is_signed[i] ? "{'name':%s,'unit':%s,'signed':true}" : "{'name':%s,'unit':%s}",
                      info->quantity[i], info->unit[i]);
    mcd_text_add(text, "],\"metrics\":[");
    for (size_t i = 0; i < info->metric_count; ++i)
        mcd_text_json(text, "{'objective':%s,'companion':%s}", info->metric[i], info->companion[i]);
    mcd_text_add(text, "]");
}

static void write_json(cli_output *output, const cli_session *session, bool verified)
{
    const macadam_info *const info = &session->info;
    mcd_text text = {0};
    mcd_text_json(&text, "{'file':%s", session->file);
    mcd_record_write(&text, MCD_STRUCTURE(info), "format=file_format,bytes=file_bytes,source,profile", info);
    mcd_text_json(&text, "'profiles':[");
    for (size_t i = 0; i < info->profile_count; ++i) mcd_text_json(&text, "%s", info->profiles[i]);
    mcd_text_add(&text, "]");
    mcd_record_write(
        &text, MCD_STRUCTURE(info),
        "build,ids=id_count,nodes=node_count,arcs=arc_count,components=component_count,"
        "restrictions=restriction_count,coordinates=has_coordinates,geometry=has_geometry,heights="
        "has_heights",
        info);
    if (info->has_coordinates)
        mcd_text_json(&text, "'bbox':[%.7f,%.7f,%.7f,%.7f]", info->west, info->south, info->east,
                      info->north);
    else
        mcd_text_json(&text, "'bbox':null");
    put_quantities(&text, info);
    if (info->up_arc_count > 0 || info->height > 0)
        mcd_text_json(&text, "'hierarchy':{'height':%u,'arcs':%" PRIu64 "}", info->height,
                      info->up_arc_count);
    else
        mcd_text_json(&text, "'hierarchy':null");
    mcd_record_write(&text, MCD_STRUCTURE(info),
                     "device,device_reason,device_bytes,idle_device_bytes,idle_host_bytes,has_node_ids",
                     info);
    mcd_text_json(&text, verified ? "'verified':true}" : "}");
    cli_output_indented(output, &text);
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

int cli_info(const cli_session *session)
{
    const cli_options *const options = session->options;
    if (options->verify) CLI_TRY(cli_call(macadam_engine_verify, session->engine));
    cli_output output;
    CLI_TRY(cli_output_open(&output, options->output));
    if (options->json || options->format == MCD_JSON) {
        write_json(&output, session, options->verify);
    } else {
        const macadam_info *const info = &session->info;
        cli_output_format(&output, "file          %s\n", session->file);
        cli_output_format(&output, "format        %u, %" PRIu64 " bytes\n", info->file_format,
                          info->file_bytes);
        cli_output_format(&output, "source        %s\n", info->source);
        if (info->profile[0]) cli_output_format(&output, "profile       %s\n", info->profile);
        for (size_t i = 0; i < info->profile_count; ++i)
            if (strcmp(info->profiles[i], info->profile) != 0)
                cli_output_format(&output, "also          %s\n", info->profiles[i]);
        cli_output_format(&output, "build         %s\n", info->build);
        write_map(&output, info);
        if (info->height) {
            cli_output_format(&output, "hierarchy     height %u, %" PRIu64 " upward arcs\n", info->height,
                              info->up_arc_count);
        } else {
            cli_output_text(&output, "hierarchy     none\n");
        }
        cli_output_format(&output, "device        %s\n", info->device);
        if (options->verify) cli_output_text(&output, "verified      every section\n");
    }
    return cli_output_close(&output, CLI_DONE);
}
