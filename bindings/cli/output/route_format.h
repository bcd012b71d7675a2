/* route_format.h - a route in the formats that others read. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_ROUTE_FORMAT_H
#define MCD_BINDINGS_CLI_OUTPUT_ROUTE_FORMAT_H

#include "bindings/cli/session.h"

/* Writes the route, found or not, in the format and to the file that are requested:
 *   csv       tail,head,arc,<quantity>...: one line an arc
 *   json      one object: found, quantities, waypoints, legs (with steps, if requested), summary, nodes, arcs
 *   geojson   one Feature with a LineString (RFC 7946)
 *   polyline  one line, Google's encoded polyline with 5 or 6 decimals
 *   html      a page with a drawing
 * Reports and returns an exit status. */
int cli_route_write(const cli_session *session, const macadam_route *route);

#endif
