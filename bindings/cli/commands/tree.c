/* tree.c - `macadam tree`: one to all, or all to one. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/html.h"

static int write_table(const cli_session *session, const uint32_t *const *value,
                       macadam_place_status source_status)
{
    const size_t count = session->info.id_count, times = session->departs * session->arrives;
    char columns[CLI_COLUMNS_BYTES];
    snprintf(columns, sizeof columns, "node%s,*", cli_session_time_column(session));
    const cli_layout layout = {.columns = columns, .status_count = 1, .shape = {1, count, times, 1}};
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &layout));
    table.status[0] = source_status;
    if (table.is_array) cli_table_rows(&table, value, times);
    for (size_t i = 0; !table.is_array && i < times * count; ++i) {
        cli_table_id(&table, session->id[i % count]);
        cli_table_time(&table, i / count, i / count);
        cli_table_costs(&table, value, i);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

int cli_tree(const cli_session *session)
{
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    macadam_place source;
    macadam_place_status status = MACADAM_PLACE_OK;
    for (size_t q = 0; q < session->quantity_count; ++q)
        value[q] =
            cli_allocate(session->departs * session->arrives * session->info.id_count, sizeof *value[q]);
    if (session->options->format == MCD_HTML && session->departs * session->arrives > 1)
        return cli_fail_usage("a page shows one time, and the clock has several");
    CLI_TRY(cli_place_read_source(&source, session));
    const macadam_tree_request request = {.size = sizeof request,
                                          .source = &source,
                                          .source_count = 1,
                                          .limit = session->limit,
                                          .reverse = session->options->request.reverse,
                                          .order = MACADAM_ORDER_IDS,
                                          .method = session->options->request.method};
    CLI_TRY(cli_call(macadam_tree_find, value, &status, session->engine, &session->query, &request));
    CLI_TRY(cli_outcome_tell(session, "--from", &source, status));
    return session->options->format == MCD_HTML
               ? cli_html_tree(session, value[0])
               : write_table(session, (const uint32_t *const *)value, status);
}
