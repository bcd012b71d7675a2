/* tree.c - `macadam tree`: one to all, or all to one. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/html.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

static int compute(const cli_session *session, const cli_options *options, uint32_t *const *value,
                   macadam_place_status *source_status)
{
    macadam_place source;
    CLI_TRY(cli_place_read_source(&source, session, options));
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = &source;
    request.source_count = 1;
    request.reverse = options->request.reverse;
    request.limit = session->limit;
    request.order = MACADAM_ORDER_IDS;
    request.method = options->request.method;
    macadam_error error = {""};
    cli_progress_begin(options);
    CLI_TRY(cli_done(macadam_tree(session->engine, &session->query, &request, value, source_status, &error),
                     &error));
    return cli_outcome_tell(session, options, "--from", &source, *source_status);
}

static int write_table(const cli_session *session, const cli_options *options, uint32_t *const *value,
                       macadam_place_status source_status)
{
    const cli_layout layout = {.columns = "node,*", .status_count = 1, .shape = {1, session->info.id_count}};
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, options, &layout));
    table.status[0] = source_status;
    for (size_t i = 0; i < session->info.id_count; ++i) {
        const cli_name name = {.number = session->id[i]};
        cli_table_row(&table, &name, (const uint32_t *const *)value, i);
    }
    return cli_table_close(&table, CLI_DONE);
}

int cli_tree(const cli_session *session, const cli_options *options)
{
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    for (size_t q = 0; q < session->quantity_count; ++q)
        value[q] = cli_allocate(session->info.id_count, sizeof *value[q]);
    macadam_place_status source_status = MACADAM_PLACE_OK;
    CLI_TRY(compute(session, options, value, &source_status));
    return options->format == MCD_HTML ? cli_html_tree(session, options, value[0])
                                       : write_table(session, options, value, source_status);
}
