/* route.c - `macadam route`: one to one, with the path. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/place.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/route_format.h"

#include <stdlib.h>

static int read_waypoints(macadam_place *waypoint, const cli_session *session, const cli_options *options)
{
    size_t count = 0;
    int status = cli_place_read_source(&waypoint[count++], session, options);
    for (size_t i = 0; i < options->via_count && status == CLI_DONE; ++i) {
        status = cli_place_read(&waypoint[count++], session, "--via", options->via[i]);
    }
    return status == CLI_DONE ? cli_place_read(&waypoint[count], session, "--to", options->to) : status;
}

static int fail_no_route(const macadam_route *route, const cli_options *options)
{
    static const char name[] = "no route";
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        if (route->waypoint[i].status == MACADAM_PLACE_OK) continue;
        const char *const text = i == 0                    ? options->from
                                 : i <= options->via_count ? options->via[i - 1]
                                                           : options->to;
        return cli_fail(CLI_NO_ROUTE, name, "no road within the snap radius of %s", text);
    }
    return cli_fail(CLI_NO_ROUTE, name, "no route from %s to %s%s", options->from, options->to,
                    options->via_count ? " through the places between" : "");
}

static int write_route(const cli_session *session, const cli_options *options, const macadam_route *route)
{
    if (cli_route_needs_coordinates(options->format) && !session->info.has_coordinates) {
        return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                        "%s has no coordinates to draw: use csv or json", session->file);
    }
    cli_output output;
    const int status = cli_output_open(&output, options->output);
    if (status != CLI_DONE) return status;
    return cli_output_close(&output, cli_route_write(&output, session, route, options->format));
}

static int run(const cli_session *session, const cli_options *options, macadam_place *waypoint,
               macadam_route **route)
{
    int status = read_waypoints(waypoint, session, options);
    if (status != CLI_DONE) return status;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = options->via_count + 2;
    macadam_error error = {""};
    cli_progress_begin(options);
    const macadam_status found =
        macadam_route_find(session->engine, &session->query, &request, route, &error);
    cli_progress_end();
    if (found != MACADAM_OK) return cli_fail_library(found, &error);
    status = write_route(session, options, *route);
    return status == CLI_DONE && !(*route)->found ? fail_no_route(*route, options) : status;
}

int cli_route(const cli_options *options)
{
    cli_session session;
    macadam_route *route = NULL;
    macadam_place *const waypoint = cli_allocate(options->via_count + 2, sizeof *waypoint);
    int status = cli_session_open_query(&session, options);
    if (status == CLI_DONE) status = run(&session, options, waypoint, &route);
    macadam_route_free(route);
    free(waypoint);
    cli_session_close(&session);
    return status;
}
