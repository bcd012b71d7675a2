/* html.h - answers as one page that needs nothing else: a drawing and what it shows. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_HTML_H
#define MCD_BINDINGS_CLI_OUTPUT_HTML_H

#include "bindings/cli/output/output.h"
#include "bindings/cli/session.h"

/* Writes a page that colours every node by its cost (`value`: per user id). Reports and returns an exit
 * status. */
int cli_html_tree(const cli_session *session, const cli_options *options, const uint32_t *value);

/* Writes a page that draws the route on the roads around it, with its steps in the language. Reports and returns an exit status. */
int cli_html_route(cli_output *output, const cli_session *session, const macadam_route *route,
                   const char *language);

/* Writes a page that draws the areas within ascending limits. Reports and returns an exit status. */
int cli_html_isochrone(cli_output *output, const cli_session *session, const macadam_rings *rings,
                       const cli_limit *limit);

#endif
