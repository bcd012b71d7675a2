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

/* Hints at the commonest cause of points without roads. */
static void warn_if_swapped(const cli_session *session, const cli_traces *traces,
                            const macadam_matches *matches)
{
    for (size_t p = 0; p < traces->count; ++p)
        if (matches->point[p].status == MACADAM_MATCH_NO_ROAD &&
            cli_outcome_is_swapped(session, traces->point[p].lon, traces->point[p].lat)) {
            cli_warn("%.7g,%.7g: outside the map; are longitude and latitude swapped?", traces->point[p].lon,
                     traces->point[p].lat);
            return;
        }
}

int cli_match(const cli_session *session)
{
    cli_traces traces;
    macadam_text text;
    const mcd_format format = session->options->format;
    macadam_match_request request = session->options->request.match;
    MCD_SCOPED(matches) matches = NULL;
    CLI_TRY(cli_traces_read(&traces, session->options->traces));
    request.point = traces.point;
    request.point_count = traces.count;
    request.first = traces.first;
    request.trace_count = traces.trace_count;
    request.routes = format != MCD_CSV;
    CLI_TRY(cli_call(macadam_match_find, &matches, session->engine, &session->query, &request));
    warn_if_swapped(session, &traces, matches);
    if (format == MCD_CSV) return write_csv(session, &traces, matches);
    return cli_output_answer(
        session->options,
        (format == MCD_JSON ? macadam_format_matches_json : macadam_format_matches_geojson)(
            &text, matches, &request, (const char *const *)traces.name, &session->format, &cli_error),
        &text);
}
