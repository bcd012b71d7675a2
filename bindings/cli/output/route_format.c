/* route_format.c - a route in the formats that others read. */
#include "bindings/cli/output/route_format.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/html.h"
#include "bindings/cli/output/table.h"

static int write_csv(const cli_session *session, const macadam_route *route)
{
    cli_table table;
    const cli_layout layout = {.columns = "tail,head,arc,*", .structure = MCD_STRUCTURE(route_arc)};
    CLI_TRY(cli_table_open(&table, session, &layout));
    for (size_t i = 0; i < route->arc_count; ++i) {
        mcd_record_members(&table.records, &route->arc[i]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

int cli_route_write(const cli_session *session, const macadam_route *route)
{
    macadam_text text;
    const mcd_format format = session->options->format;
    const macadam_format_options options = cli_session_format(session);
    if (format == MCD_CSV) return write_csv(session, route);
    if (format != MCD_JSON && !session->info.has_coordinates)
        return cli_session_fail_drawing(session, "csv or json");
    if (format == MCD_HTML) return cli_html_route(session, route);
    const macadam_status status =
        format & MCD_OBJECTS
            ? (format == MCD_JSON ? macadam_format_route_json
                                  : macadam_format_route_geojson)(&text, route, &options, &cli_error)
            : macadam_format_route_polyline(&text, route, format == MCD_POLYLINE6 ? 6 : 5, &cli_error);
    return cli_output_answer(session->options, status, &text);
}
