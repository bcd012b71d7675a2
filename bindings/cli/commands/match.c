/* match.c - `macadam match`: the roads that traces followed. */
#include "bindings/cli/command.h"
#include "bindings/cli/input/traces.h"

static int write_csv(const cli_session *session, const cli_traces *traces, const macadam_matches *matches)
{
    static const cli_layout layout = {
        .columns = "trace,point,status,matching,arc,along,way?,lon,lat,distance_m,name",
        .structure = MCD_STRUCTURE(match_point)};
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &layout));
    for (size_t t = 0; t < traces->trace_count; ++t)
        for (size_t p = traces->first[t]; p < traces->first[t + 1]; ++p) {
            mcd_record_text(&table.records, traces->name[t]);
            mcd_record_integer(&table.records, (int64_t)(p - traces->first[t]));
            mcd_record_text(&table.records, macadam_match_status_name(matches->point[p].status));
            if (matches->point[p].status == MACADAM_MATCH_OK)
                mcd_record_members(&table.records, &matches->point[p]);
            cli_table_end(&table);
        }
    return cli_table_close(&table, CLI_DONE);
}

static int write_matches(const cli_session *session, const cli_traces *traces,
                         const macadam_match_request *request, const macadam_matches *matches)
{
    macadam_text text;
    const char *const *const name = (const char *const *)traces->name;
    if (session->options->format == MCD_CSV) return write_csv(session, traces, matches);
    return cli_output_answer(
        session->options,
        (session->options->format == MCD_JSON ? macadam_format_matches_json : macadam_format_matches_geojson)(
            &text, matches, request, name, &session->format, &cli_error),
        &text);
}

int cli_match(const cli_session *session)
{
    cli_traces traces;
    macadam_match_request request = session->options->request.match;
    MCD_SCOPED(matches) matches = NULL;
    CLI_TRY(cli_traces_read(&traces, session->options->traces));
    request.point = traces.point;
    request.point_count = traces.count;
    request.first = traces.first;
    request.trace_count = traces.trace_count;
    request.routes = session->options->format != MCD_CSV;
    CLI_TRY(cli_call(macadam_match, session->engine, &session->query, &request, &matches));
    return write_matches(session, &traces, &request, matches);
}
