/* route.c - `macadam route`: one to one, with the path. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/route_format.h"

static int read_waypoints(macadam_place *waypoint, const cli_session *session, const cli_options *options)
{
    size_t count = 0;
    CLI_TRY(cli_place_read_source(&waypoint[count++], session, options));
    for (size_t i = 0; i < options->via.count; ++i)
        CLI_TRY(cli_place_read(&waypoint[count++], session, "--via", options->via.text[i]));
    return cli_place_read(&waypoint[count], session, "--to", options->to);
}

static const char *waypoint_text(const cli_options *options, size_t i)
{
    return i == 0 ? options->from : i <= options->via.count ? options->via.text[i - 1] : options->to;
}

static const char *waypoint_option(const cli_options *options, size_t i)
{
    return i == 0 ? "--from" : i <= options->via.count ? "--via" : "--to";
}

/* Says why there is no route: 1, or with --strict 2 if a place failed. */
static int fail_no_route(const cli_session *session, const macadam_place *waypoint,
                         const macadam_route *route, const cli_options *options)
{
    char reason[CLI_REASON_BYTES];
    static const char name[] = "no route";
    const size_t i = route->reason_waypoint;
    const char *const text = waypoint_text(options, i);
    switch (route->reason) {
    case MACADAM_ROUTE_PLACE_FAILED:
        cli_outcome_reason(reason, session, &waypoint[i], route->waypoint[i].status);
        return cli_fail(options->strict ? CLI_USAGE : CLI_NO_ROUTE, name, "no route: %s %s: %s",
                        waypoint_option(options, i), text, reason);
    case MACADAM_ROUTE_START_BLOCKED:
        return cli_fail(
            CLI_NO_ROUTE, name,
            "no route: no road leads on from %s %s: a dead end, a closed road or a turn restriction",
            waypoint_option(options, i), text);
    case MACADAM_ROUTE_END_BLOCKED:
        return cli_fail(CLI_NO_ROUTE, name,
                        "no route: no road leads to %s %s: a one-way or closed road, or a turn restriction",
                        waypoint_option(options, i), text);
    default:
        return cli_fail(CLI_NO_ROUTE, name, "no route: no roads connect %s %s to %s",
                        waypoint_option(options, i), text, waypoint_text(options, i + 1));
    }
}

/* Returns CLI_DONE, or with --strict, if a place failed or is cut off, CLI_USAGE. */
static int tell_places(const cli_session *session, const macadam_place *waypoint, const macadam_route *route,
                       const cli_options *options)
{
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        if (route->waypoint[i].status != MACADAM_PLACE_CUT_OFF) continue;
        const int status = cli_outcome_tell(session, options, waypoint_option(options, i), &waypoint[i],
                                            MACADAM_PLACE_CUT_OFF);
        if (status != CLI_DONE) return status;
    }
    if (!options->strict || route->reason != MACADAM_ROUTE_PLACE_FAILED) return CLI_DONE;
    return fail_no_route(session, waypoint, route, options);
}

static int run(const cli_session *session, const cli_options *options, macadam_place *waypoint,
               macadam_route **route)
{
    CLI_TRY(read_waypoints(waypoint, session, options));
    const bool wants_steps = options->request.route.steps || options->request.language;
    macadam_route_request request = options->request.route;
    request.waypoint = waypoint;
    request.waypoint_count = options->via.count + 2;
    request.steps = wants_steps || options->format == MCD_HTML;
    macadam_error error = {""};
    cli_progress_begin(options);
    CLI_TRY(cli_done(macadam_route_find(session->engine, &session->query, &request, route, &error), &error));
    CLI_TRY(tell_places(session, waypoint, *route, options));
    CLI_TRY(cli_route_write(session, options, *route));
    if (wants_steps && (*route)->found && (*route)->step_count == 0)
        cli_warn("%s has no facts of its roads: the route has no steps", session->file);
    return (*route)->found ? CLI_DONE : fail_no_route(session, waypoint, *route, options);
}

int cli_route(const cli_session *session, const cli_options *options)
{
    macadam_route *route = NULL;
    macadam_place *const waypoint = cli_allocate(options->via.count + 2, sizeof *waypoint);
    const int status = run(session, options, waypoint, &route);
    macadam_route_free(route);
    return status;
}
