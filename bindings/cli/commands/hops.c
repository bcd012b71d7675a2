/* hops.c - `macadam hops`: the fewest arcs from one place to all, or to one place from all, with parents. */
#include "bindings/cli/command.h"

static int write_table(const cli_session *session, const uint32_t *hops, const uint32_t *parent)
{
    const size_t count = session->info.id_count;
    cli_table table;
    const cli_layout layout = {.columns = "node,hops,parent", .shape = {1, count}};
    CLI_TRY(cli_table_open(&table, session, &layout));
    if (table.is_array) cli_table_rows(&table, &hops, 1);
    for (size_t i = 0; !table.is_array && i < count; ++i) {
        cli_table_id(&table, session->id[i]);
        mcd_record_cost(&table.records, macadam_cost(hops[i], false), 1);
        if (parent[i] != MACADAM_UNREACHED) cli_table_id(&table, session->id[parent[i]]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

int cli_hops(const cli_session *session)
{
    const size_t count = session->info.id_count;
    uint32_t *const hops = cli_allocate(count, sizeof *hops), *const parent =
                                                                  cli_allocate(count, sizeof *parent);
    macadam_place source;
    macadam_place_status status = MACADAM_PLACE_OK;
    CLI_TRY(cli_place_read_source(&source, session));
    const macadam_hops_request request = {.size = sizeof request,
                                          .source = &source,
                                          .source_count = 1,
                                          .limit = session->limit,
                                          .reverse = session->options->request.reverse,
                                          .method = session->options->request.method};
    CLI_TRY(cli_call(macadam_hops_find, hops, parent, &status, session->engine, &session->query, &request));
    CLI_TRY(cli_outcome_tell(session, "--from", &source, status));
    return write_table(session, hops, parent);
}
