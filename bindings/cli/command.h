/* command.h - the commands: each does what the options request and returns the exit status. With what all of them use:
 * an opened session, progress, failures, outcomes of places, tables. */
#ifndef MCD_BINDINGS_CLI_COMMAND_H
#define MCD_BINDINGS_CLI_COMMAND_H

#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

extern const cli_command_row cli_commands[]; /* the last one has no name */

int cli_import(const cli_options *options);
int cli_info(const cli_session *session);
int cli_tree(const cli_session *session);
int cli_route(const cli_session *session);
int cli_routes(const cli_session *session);
int cli_matrix(const cli_session *session);
int cli_reach(const cli_session *session);
int cli_isochrone(const cli_session *session);
int cli_hops(const cli_session *session);
int cli_connect(const cli_session *session);
int cli_all_pairs(const cli_session *session);
int cli_closure(const cli_session *session);
int cli_arcs(const cli_session *session);
int cli_snap(const cli_session *session);
int cli_match(const cli_session *session);
int cli_trip(const cli_session *session);
int cli_update(const cli_session *session);
int cli_ready(const cli_session *session);
int cli_serve(const cli_options *options);
int cli_bench(const cli_options *options);

#endif
