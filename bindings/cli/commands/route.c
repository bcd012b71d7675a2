/* route.c - `macadam route`: one to one, with the path. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/html.h"

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

static int write_sentences(const cli_session *session, const macadam_route *route)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, session->options->output));
    for (size_t i = 0; i < route->step_count; ++i) {
        char sentence[1024];
        macadam_route_text(sentence, sizeof sentence, route, i, &session->options->request.text, NULL);
        for (char *at = sentence; *at; ++at)
            if (*at == '\n' || *at == '\r') *at = ' '; /* of a name */
        cli_output_format(&output, "%s\n", sentence);
    }
    return cli_output_close(&output, CLI_DONE);
}

int cli_route_write(const cli_session *session, const macadam_route *route)
{
    macadam_text text;
    const mcd_format format = session->options->format;
    if (format == MCD_CSV) return write_csv(session, route);
    if (format != MCD_JSON && !session->info.has_coordinates)
        return cli_session_fail_coordinates(session, " to draw: use csv or json");
    if (format == MCD_HTML) return cli_html_route(session, route);
    if (format == MCD_SENTENCES) return write_sentences(session, route);
    const macadam_status status =
        format & MCD_OBJECTS
            ? (format == MCD_JSON ? macadam_format_route_json
                                  : macadam_format_route_geojson)(&text, route, &session->format, &cli_error)
            : macadam_format_route_polyline(&text, route, format == MCD_POLYLINE6 ? 6 : 5, &cli_error);
    return cli_output_answer(session->options, status, &text);
}

/* A place that the options name. */
typedef struct route_stop {
    const char *option, *text;
} route_stop;

static route_stop stop_of(const cli_options *options, size_t i)
{
    if (i == 0) return (route_stop){"--from", options->from};
    if (i <= options->via.count) return (route_stop){"--via", options->via.text[i - 1]};
    return (route_stop){"--to", options->to};
}

/* Whether roads connect the places after all. */
static bool are_connected(const cli_session *session, const macadam_place *place)
{
    MCD_SCOPED(connection) found = NULL;
    macadam_connection_request request = MACADAM_CONNECTION_REQUEST_INIT;
    request.source = place[0], request.target = place[1];
    return !macadam_connection_find(&found, session->engine, &session->query, &request, NULL) &&
           found->connected;
}

/* Says why there is no route: 1, or with --strict 2 if a place failed. */
static int fail_no_route(const cli_session *session, const macadam_place *waypoint,
                         const macadam_route *route)
{
    char reason[CLI_REASON_BYTES];
    static const char name[] = "no route";
    const size_t i = route->reason_waypoint;
    const route_stop stop = stop_of(session->options, i);
    const bool starts = route->reason == MACADAM_ROUTE_START_BLOCKED;
    switch (route->reason) {
    case MACADAM_ROUTE_PLACE_FAILED:
        cli_outcome_reason(reason, session, &waypoint[i], route->waypoint[i].status);
        return cli_fail(session->options->strict ? CLI_USAGE : CLI_NO_ROUTE, name, "no route: %s %s: %s",
                        stop.option, stop.text, reason);
    case MACADAM_ROUTE_START_BLOCKED:
    case MACADAM_ROUTE_END_BLOCKED:
        return cli_fail(CLI_NO_ROUTE, name, "no route: no road leads %s %s %s: a %s or a turn restriction",
                        starts ? "on from" : "to", stop.option, stop.text,
                        starts ? "dead end, a closed road" : "one-way or closed road,");
    default:
        return cli_fail(CLI_NO_ROUTE, name,
                        are_connected(session, &waypoint[i])
                            ? "no route: closed roads connect %s %s to %s, or the cost is above 2147483646"
                            : "no route: no roads connect %s %s to %s",
                        stop.option, stop.text, stop_of(session->options, i + 1).text);
    }
}

/* Returns CLI_DONE, or with --strict, if a place failed or is cut off, CLI_USAGE. */
static int tell_places(const cli_session *session, const macadam_place *waypoint, const macadam_route *route)
{
    for (size_t i = 0; i < route->waypoint_count; ++i)
        if (macadam_place_is_found(route->waypoint[i].status))
            CLI_TRY(cli_outcome_tell(session, stop_of(session->options, i).option, &waypoint[i],
                                     route->waypoint[i].status));
    if (!session->options->strict || route->reason != MACADAM_ROUTE_PLACE_FAILED) return CLI_DONE;
    return fail_no_route(session, waypoint, route);
}

int cli_route(const cli_session *session)
{
    const cli_options *const options = session->options;
    const bool wants_steps = options->request.route.steps || options->request.text.language ||
                             options->request.text.units || options->request.text.lanes ||
                             options->format == MCD_SENTENCES;
    macadam_place *const waypoint = cli_allocate(options->via.count + 2, sizeof *waypoint);
    for (size_t i = 0; i < session->options->via.count + 2; ++i) {
        const route_stop stop = stop_of(session->options, i);
        CLI_TRY(cli_place_read(&waypoint[i], session, stop.option, stop.text));
    }
    cli_session_head(session, waypoint, 1);
    macadam_route_request request = options->request.route;
    request.waypoint = waypoint;
    request.waypoint_count = options->via.count + 2;
    request.steps = wants_steps || options->format == MCD_HTML;
    MCD_SCOPED(route) route = NULL;
    CLI_TRY(cli_call(macadam_route_find, &route, session->engine, &session->query, &request));
    CLI_TRY(tell_places(session, waypoint, route));
    if (route->found || options->format != MCD_HTML) CLI_TRY(cli_route_write(session, route));
    if (wants_steps && route->found && route->step_count == 0)
        cli_warn("%s has no facts of its roads: the route has no steps", session->file);
    return route->found ? CLI_DONE : fail_no_route(session, waypoint, route);
}
