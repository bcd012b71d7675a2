/* connect.c - `macadam connect`: whether a way leads from one place to another, and one of the fewest arcs.
 * */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/outcome.h"
#include "bindings/cli/output.h"
#include "bindings/cli/progress.h"

#include <inttypes.h>

static void write_path(cli_output *output, const macadam_connection *found, const char *separator)
{
    for (size_t i = 0; i < found->node_count; ++i) {
        if (i) cli_output_text(output, separator);
        cli_output_integer(output, found->id[i]);
    }
}

static void write_csv(cli_output *output, const macadam_connection *found)
{
    cli_output_text(output, "connected,hops,path\n");
    cli_output_text(output, found->connected ? "1," : "0,");
    if (found->connected) cli_output_unsigned(output, found->hops);
    cli_output_text(output, ",");
    write_path(output, found, " ");
    cli_output_text(output, "\n");
}

static void write_json(cli_output *output, const macadam_connection *found)
{
    if (!found->connected) {
        cli_output_text(output, "{\"connected\":false,\"hops\":null,\"path\":null}\n");
        return;
    }
    cli_output_format(output, "{\"connected\":true,\"hops\":%" PRIu32 ",\"path\":[", found->hops);
    write_path(output, found, ",");
    cli_output_text(output, "]}\n");
}

static int write_connection(const cli_options *options, const macadam_connection *found)
{
    cli_output output;
    const int status = cli_output_open(&output, options->output);
    if (status != CLI_DONE) return status;
    if (options->format == CLI_JSON)
        write_json(&output, found);
    else
        write_csv(&output, found);
    return cli_output_close(&output, CLI_DONE);
}

static int fail_unconnected(const cli_session *session, const cli_options *options,
                            const macadam_connect_request *request, const macadam_connection *found)
{
    char reason[CLI_REASON_BYTES];
    const bool is_source = !macadam_place_is_found(found->source.status);
    if (!is_source && macadam_place_is_found(found->target.status))
        return cli_fail(CLI_NO_ROUTE, "not connected", "no way from %s to %s", options->from, options->to);
    const macadam_place *const place = is_source ? &request->source : &request->target;
    const macadam_place_status status = is_source ? found->source.status : found->target.status;
    cli_outcome_reason(reason, session, place, status);
    return cli_fail(options->strict ? CLI_USAGE : CLI_NO_ROUTE, "not connected", "no way: %s %s: %s",
                    is_source ? "--from" : "--to", is_source ? options->from : options->to, reason);
}

static int run(const cli_session *session, const cli_options *options, macadam_connection **found)
{
    macadam_connect_request request = MACADAM_CONNECT_REQUEST_INIT;
    int status = cli_place_read_source(&request.source, session, options);
    if (status == CLI_DONE) status = cli_place_read(&request.target, session, "--to", options->to);
    if (status != CLI_DONE) return status;
    macadam_error error = {""};
    cli_progress_begin(options);
    const macadam_status asked = macadam_connect(session->engine, &session->query, &request, found, &error);
    cli_progress_end();
    if (asked != MACADAM_OK) return cli_fail_library(asked, &error);
    status = write_connection(options, *found);
    return status == CLI_DONE && !(*found)->connected ? fail_unconnected(session, options, &request, *found)
                                                      : status;
}

int cli_connect(const cli_session *session, const cli_options *options)
{
    macadam_connection *found = NULL;
    const int status = run(session, options, &found);
    macadam_connection_free(found);
    return status;
}
