/* hops.c - `macadam hops`: the fewest arcs from one place to all, or to one place from all, with parents. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

typedef struct hops_answer {
    uint32_t *hops, *parent;
} hops_answer;

static int compute(hops_answer *answer, const cli_session *session, const cli_options *options)
{
    macadam_place source;
    macadam_place_status place_status = MACADAM_PLACE_OK;
    CLI_TRY(cli_place_read_source(&source, session, options));
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = &source;
    request.source_count = 1;
    request.reverse = options->request.reverse;
    request.limit = session->limit;
    request.method = options->request.method;
    macadam_error error = {""};
    cli_progress_begin(options);
    CLI_TRY(cli_done(macadam_hops(session->engine, &session->query, &request, answer->hops, answer->parent,
                                  &place_status, &error),
                     &error));
    return cli_outcome_tell(session, options, "--from", &source, place_status);
}

static int write_table(const hops_answer *answer, const cli_session *session, const cli_options *options)
{
    const size_t count = session->info.id_count;
    cli_table table;
    const cli_layout layout = {.columns = "node,hops,parent", .shape = {1, count}};
    CLI_TRY(cli_table_open(&table, session, options, &layout));
    if (options->format == MCD_NPY)
        cli_output_bytes(&table.output, answer->hops, count * sizeof *answer->hops);
    for (size_t i = 0; options->format != MCD_NPY && i < count; ++i) {
        const uint32_t parent = answer->parent[i];
        mcd_record_integer(&table.records, session->id[i]);
        mcd_record_cost(&table.records, macadam_cost(answer->hops[i], false), 1);
        if (parent != MACADAM_UNREACHED) mcd_record_integer(&table.records, session->id[parent]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

int cli_hops(const cli_session *session, const cli_options *options)
{
    hops_answer answer;
    answer.hops = cli_allocate(session->info.id_count, sizeof *answer.hops);
    answer.parent = cli_allocate(session->info.id_count, sizeof *answer.parent);
    CLI_TRY(compute(&answer, session, options));
    return write_table(&answer, session, options);
}
