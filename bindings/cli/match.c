/* match.c - `macadam match`: the roads that traces followed. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/output.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"
#include "bindings/cli/trace_reader.h"

#include <string.h>

static void write_point(cli_output *output, const macadam_match_point *point)
{
    cli_output_format(output, ",%s,", macadam_match_status_name(point->status));
    if (point->status != MACADAM_MATCH_OK) {
        cli_output_text(output, ",,,,,,,\n");
        return;
    }
    cli_output_unsigned(output, point->matching);
    cli_output_text(output, ",");
    cli_output_unsigned(output, point->snap.arc);
    cli_output_format(output, ",%.6f,", point->along);
    if (point->snap.way) cli_output_integer(output, point->snap.way);
    cli_output_format(output, ",%.7f,%.7f,%.2f,", point->snap.lon, point->snap.lat, point->snap.distance_m);
    cli_output_csv_text(output, point->snap.name, strlen(point->snap.name));
    cli_output_text(output, "\n");
}

static void write_csv(cli_output *output, const cli_traces *traces, const macadam_matches *matches)
{
    cli_output_text(output, "trace,point,status,matching,arc,along,way,lon,lat,distance_m,name\n");
    for (size_t t = 0; t < traces->trace_count; ++t)
        for (size_t p = traces->first[t]; p < traces->first[t + 1]; ++p) {
            cli_output_csv_text(output, traces->name[t], strlen(traces->name[t]));
            cli_output_text(output, ",");
            cli_output_unsigned(output, p - traces->first[t]);
            write_point(output, &matches->point[p]);
        }
}

static int write_matches(const cli_session *session, const cli_options *options, const cli_traces *traces,
                         const macadam_match_request *request, const macadam_matches *matches)
{
    cli_output output;
    macadam_text text;
    macadam_error error = {""};
    const char *const *const name = (const char *const *)traces->name;
    const macadam_format_options format = cli_session_format(session);
    int status = cli_output_open(&output, options->output);
    if (status != CLI_DONE) return status;
    if (options->format == CLI_CSV) {
        write_csv(&output, traces, matches);
    } else {
        const macadam_status written =
            options->format == CLI_JSON
                ? macadam_format_matches_json(&text, matches, request, name, &format, &error)
                : macadam_format_matches_geojson(&text, matches, request, name, &format, &error);
        status = cli_output_line(&output, written, &text, &error);
    }
    return cli_output_close(&output, status);
}

static int run(const cli_session *session, const cli_options *options, cli_traces *traces)
{
    macadam_match_request request = options->match;
    macadam_matches *matches;
    macadam_error error = {""};
    int status = cli_traces_read(traces, options->traces);
    if (status != CLI_DONE) return status;
    request.point = traces->point;
    request.point_count = traces->count;
    request.first = traces->first;
    request.trace_count = traces->trace_count;
    request.routes = options->format != CLI_CSV;
    cli_progress_begin(options);
    const macadam_status found = macadam_match(session->engine, &session->query, &request, &matches, &error);
    cli_progress_end();
    if (found != MACADAM_OK) return cli_fail_library(found, &error);
    status = write_matches(session, options, traces, &request, matches);
    macadam_matches_free(matches);
    return status;
}

int cli_match(const cli_session *session, const cli_options *options)
{
    cli_traces traces = {0};
    const int status = run(session, options, &traces);
    cli_traces_free(&traces);
    return status;
}
