/* route_format.c - a route in the formats that others read. */
#include "bindings/cli/output/route_format.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/html.h"
#include "bindings/cli/output/table.h"

static int write_csv(const cli_session *session, const cli_options *options, const macadam_route *route)
{
    cli_table table;
    const cli_layout layout = {.columns = "tail,head,arc,*", .structure = MCD_STRUCTURE(route_arc)};
    CLI_TRY(cli_table_open(&table, session, options, &layout));
    for (size_t i = 0; i < route->arc_count; ++i) {
        mcd_record_members(&table.records, &route->arc[i]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

static int write_html(const cli_session *session, const cli_options *options, const macadam_route *route)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, options->output));
    return cli_output_close(&output, cli_html_route(&output, session, route, options->request.language));
}

int cli_route_write(const cli_session *session, const cli_options *options, const macadam_route *route)
{
    macadam_text text;
    macadam_error error = {""};
    macadam_format_options format = cli_session_format(session);
    format.language = options->request.language;
    if (options->format == MCD_CSV) return write_csv(session, options, route);
    if (options->format != MCD_JSON && !session->info.has_coordinates)
        return cli_session_fail_drawing(session, "csv or json");
    if (options->format == MCD_HTML) return write_html(session, options, route);
    const unsigned decimals = options->format == MCD_POLYLINE6 ? 6 : 5;
    const macadam_status status =
        options->format == MCD_JSON      ? macadam_format_route_json(&text, route, &format, &error)
        : options->format == MCD_GEOJSON ? macadam_format_route_geojson(&text, route, &format, &error)
                                         : macadam_format_route_polyline(&text, route, decimals, &error);
    return cli_output_answer(options->output, status, &text, &error);
}
