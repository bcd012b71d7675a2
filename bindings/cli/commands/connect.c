/* connect.c - `macadam connect`: whether a way leads from one place to another, and one of the fewest
 * arcs. */
#include "bindings/cli/command.h"

static int write_connection(const cli_session *session, const macadam_connection *found)
{
    static const mcd_record_frame object = {"", "", "\n", false};
    static const cli_layout layout = {.columns = "connected,hops,path", .frame = &object};
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &layout));
    mcd_record_flag(&table.records, found->connected);
    mcd_record_cost(&table.records, found->connected ? found->hops : MACADAM_COST_NONE, 1);
    mcd_record_list(&table.records, found->connected ? found->id : NULL, found->node_count);
    cli_table_end(&table);
    return cli_table_close(&table, CLI_DONE);
}

static int fail_unconnected(const cli_session *session, const macadam_connection_request *request,
                            const macadam_connection *found)
{
    const cli_options *const options = session->options;
    char reason[CLI_REASON_BYTES];
    const bool is_source = !macadam_place_is_found(found->source.status);
    if (!is_source && macadam_place_is_found(found->target.status))
        return cli_fail(CLI_NO_ROUTE, "not connected", "no way from %s to %s", options->from, options->to);
    const macadam_place *const place = is_source ? &request->source : &request->target;
    cli_outcome_reason(reason, session, place, is_source ? found->source.status : found->target.status);
    return cli_fail(options->strict ? CLI_USAGE : CLI_NO_ROUTE, "not connected", "no way: %s %s: %s",
                    is_source ? "--from" : "--to", is_source ? options->from : options->to, reason);
}

int cli_connect(const cli_session *session)
{
    MCD_SCOPED(connection) found = NULL;
    macadam_connection_request request = MACADAM_CONNECTION_REQUEST_INIT;
    CLI_TRY(cli_place_read_source(&request.source, session));
    CLI_TRY(cli_place_read(&request.target, session, "--to", session->options->to));
    CLI_TRY(cli_call(macadam_connection_find, &found, session->engine, &session->query, &request));
    if (found->source.status == MACADAM_PLACE_MOVED)
        CLI_TRY(cli_outcome_tell(session, "--from", &request.source, MACADAM_PLACE_MOVED));
    if (found->target.status == MACADAM_PLACE_MOVED)
        CLI_TRY(cli_outcome_tell(session, "--to", &request.target, MACADAM_PLACE_MOVED));
    const bool are_places =
        macadam_place_is_found(found->source.status) && macadam_place_is_found(found->target.status);
    if (are_places || !session->options->strict) CLI_TRY(write_connection(session, found));
    return found->connected ? CLI_DONE : fail_unconnected(session, &request, found);
}
