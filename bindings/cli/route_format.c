/* route_format.c - a route in the formats that others read. */
#include "bindings/cli/route_format.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/html.h"

bool cli_route_needs_coordinates(cli_format format)
{
    return format & (CLI_GEOJSON | CLI_POLYLINES | CLI_HTML);
}

/* ---- CSV ---- */

static void write_csv(cli_output *output, const cli_session *session, const macadam_route *route)
{
    cli_output_text(output, "tail,head,arc");
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_output_format(output, ",%s", session->quantity[q]);
    cli_output_text(output, "\n");
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *const arc = &route->arc[i];
        cli_output_integer(output, arc->tail);
        cli_output_text(output, ",");
        cli_output_integer(output, arc->head);
        cli_output_text(output, ",");
        cli_output_integer(output, (int64_t)arc->arc);
        for (size_t q = 0; q < session->quantity_count; ++q) {
            cli_output_text(output, ",");
            cli_output_cost(output, macadam_cost(arc->value[q], session->is_signed[q]), session->per_unit[q]);
        }
        cli_output_text(output, "\n");
    }
}

/* ---- what libmacadam_formats writes ---- */

static macadam_status format_route(macadam_text *text, const cli_session *session, const macadam_route *route,
                                   const cli_options *options, macadam_error *error)
{
    macadam_format_options format = cli_session_format(session);
    format.language = options->language;
    switch (options->format) {
    case CLI_JSON:
        return macadam_format_route_json(text, route, &format, error);
    case CLI_GEOJSON:
        return macadam_format_route_geojson(text, route, &format, error);
    default:
        return macadam_format_route_polyline(text, route, options->format == CLI_POLYLINE6 ? 6 : 5, error);
    }
}

int cli_route_write(cli_output *output, const cli_session *session, const macadam_route *route,
                    const cli_options *options)
{
    macadam_text text;
    macadam_error error = {""};
    if (options->format == CLI_HTML) return cli_html_route(output, session, route, options->language);
    if (options->format == CLI_CSV) {
        write_csv(output, session, route);
        return CLI_DONE;
    }
    const macadam_status status = format_route(&text, session, route, options, &error);
    return cli_output_line(output, status, &text, &error);
}
