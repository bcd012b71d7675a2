/* html.h - answers as one page that needs nothing else: a drawing and what it shows. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_HTML_H
#define MCD_BINDINGS_CLI_OUTPUT_HTML_H

#include "bindings/cli/session.h"

/* Each writes a page to the options' output, reports, and returns an exit status. */

/* Colours every node by its cost (`value`: per user id). */
int cli_html_tree(const cli_session *session, const uint32_t *value);
/* Draws the route on the roads around it, with its steps in the language. */
int cli_html_route(const cli_session *session, const macadam_route *route);
/* Draws the areas within the session's limits. */
int cli_html_isochrone(const cli_session *session, const macadam_rings *rings);

#endif
