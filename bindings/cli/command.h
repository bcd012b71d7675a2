/* command.h - the commands: each does what the options request and returns the exit status. With what all of them use:
 * an opened session, progress, failures, outcomes of places, tables. */
#ifndef MCD_BINDINGS_CLI_COMMAND_H
#define MCD_BINDINGS_CLI_COMMAND_H

#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"
#include "bindings/formats/scope.h"

extern const cli_command_row cli_commands[]; /* the last one has no name */

/* Most commands take an opened file, with a query or without. */
typedef int cli_command(const cli_session *session);
cli_command cli_info, cli_tree, cli_route, cli_routes, cli_matrix, cli_reach, cli_isochrone, cli_hops,
    cli_connect, cli_all_pairs, cli_closure, cli_arcs, cli_snap, cli_match, cli_trip, cli_update, cli_ready;
typedef int cli_command_alone(const cli_options *options);
cli_command_alone cli_import, cli_serve, cli_bench, cli_calibrate;

/* Writes the route, found or not, in the format and to the file that are requested:
 *   csv       tail,head,arc,<quantity>...: one line an arc
 *   json      one object: found, quantities, waypoints, legs (with steps, if requested), summary, nodes, arcs
 *   geojson   one Feature with a LineString (RFC 7946)
 *   polyline  one line, Google's encoded polyline with 5 or 6 decimals
 *   html      a page with a drawing */
int cli_route_write(const cli_session *session, const macadam_route *route);

/* Takes a path of macadam_routes_find_paths, and forgets it: for measurements. */
static inline bool cli_drop_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return true;
}

#endif
