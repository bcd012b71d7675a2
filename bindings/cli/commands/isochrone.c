/* isochrone.c - `macadam isochrone`: what is reached within limits, as areas or arc by arc. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/html.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_BYTES = 128 + MACADAM_REACH_LIMITS_MAX * (CLI_LABEL_BYTES + 8) };

typedef struct isochrone_answer {
    const cli_session *session;
    const cli_options *options;
    macadam_place source;
    macadam_isochrone *found;                  /* for arcs */
    macadam_rings *rings;                      /* for areas */
    cli_limit limit[MACADAM_REACH_LIMITS_MAX]; /* ascending */
    size_t limit_count;
} isochrone_answer;

static int compare_limits(const void *a, const void *b)
{
    const uint32_t x = ((const cli_limit *)a)->cost, y = ((const cli_limit *)b)->cost;
    return (x > y) - (x < y);
}

/* Ascending, so that the last one is the largest. */
static void take_limits(isochrone_answer *answer)
{
    const cli_session *const session = answer->session;
    answer->limit_count = session->limit_count;
    memcpy(answer->limit, session->limits, session->limit_count * sizeof session->limits[0]);
    qsort(answer->limit, answer->limit_count, sizeof answer->limit[0], compare_limits);
}

static macadam_status find_arcs(isochrone_answer *answer, macadam_error *error)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = answer->source;
    request.reverse = answer->options->request.reverse;
    request.limit = answer->limit[answer->limit_count - 1].cost;
    return macadam_isochrone_find(answer->session->engine, &answer->session->query, &request, &answer->found,
                                  error);
}

static macadam_status find_areas(isochrone_answer *answer, macadam_error *error)
{
    uint32_t limit[MACADAM_REACH_LIMITS_MAX];
    macadam_rings_request request = answer->options->request.rings;
    for (size_t i = 0; i < answer->limit_count; ++i) limit[i] = answer->limit[i].cost;
    request.source = &answer->source, request.source_count = 1;
    request.limit = limit, request.limit_count = answer->limit_count;
    request.reverse = answer->options->request.reverse;
    return macadam_rings_find(answer->session->engine, &answer->session->query, &request, &answer->rings,
                              error);
}

static int compute(isochrone_answer *answer, bool areas)
{
    const cli_options *const options = answer->options;
    take_limits(answer);
    if (areas && !answer->session->info.has_coordinates)
        return cli_session_fail_drawing(answer->session, "csv or json");
    CLI_TRY(cli_place_read_source(&answer->source, answer->session, options));
    macadam_error error = {""};
    cli_progress_begin(options);
    CLI_TRY(cli_done(areas ? find_areas(answer, &error) : find_arcs(answer, &error), &error));
    const macadam_snap *const snap = areas ? answer->rings->source : &answer->found->source;
    return cli_outcome_tell(answer->session, options, "--from", &answer->source, snap->status);
}

/* ---- the reached arcs ---- */

/* How much a limit pays for of an arc of which `whole` can be passed. Where the cost falls below the limit only within
 * the arc, that is what the arc gives before. */
static int64_t paid_of(int64_t cost, int64_t whole, uint32_t limit)
{
    const int64_t rest = limit - cost;
    if (rest < (whole < 0 ? whole : 0)) return MACADAM_COST_NONE;
    return rest < 0 || rest < whole ? rest : whole;
}

static int write_arcs(const isochrone_answer *answer)
{
    const cli_session *const session = answer->session;
    char columns[COLUMNS_BYTES];
    int used = snprintf(columns, COLUMNS_BYTES, "tail,head,arc,%s,weight,before", session->quantity[0]);
    for (size_t i = 0; i < answer->limit_count; ++i)
        used += snprintf(columns + used, COLUMNS_BYTES - (size_t)used, ",reached_%s", answer->limit[i].label);
    cli_table table;
    const cli_layout layout = {.columns = columns, .status_count = 1};
    CLI_TRY(cli_table_open(&table, session, answer->options, &layout));
    table.status[0] = answer->found->source.status;
    for (size_t i = 0; i < answer->found->arc_count; ++i) {
        const macadam_reached_arc *const arc = &answer->found->arc[i];
        const bool is_signed = session->is_signed[0];
        const int64_t cost = macadam_cost(arc->cost, is_signed),
                      weight = macadam_cost(arc->weight, is_signed),
                      before = (int64_t)(arc->from * (double)weight);
        mcd_record_integer(&table.records, arc->road.tail);
        mcd_record_integer(&table.records, arc->road.head);
        mcd_record_integer(&table.records, (int64_t)arc->road.arc);
        mcd_record_cost(&table.records, cost, session->per_unit[0]);
        mcd_record_cost(&table.records, weight, session->per_unit[0]);
        mcd_record_cost(&table.records, before, session->per_unit[0]);
        for (size_t l = 0; l < answer->limit_count; ++l)
            mcd_record_cost(&table.records, paid_of(cost, weight - before, answer->limit[l].cost),
                            session->per_unit[0]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

/* ---- areas ---- */

static int write_geojson(const isochrone_answer *answer)
{
    uint32_t limit[MACADAM_REACH_LIMITS_MAX];
    const macadam_format_options format = cli_session_format(answer->session);
    macadam_text text;
    macadam_error error = {""};
    for (size_t i = 0; i < answer->limit_count; ++i) limit[i] = answer->limit[i].cost;
    const macadam_status status = macadam_format_rings_geojson(&text, answer->rings, limit, &format, &error);
    return cli_output_answer(answer->options->output, status, &text, &error);
}

static int write_areas(const isochrone_answer *answer)
{
    cli_output output;
    if (answer->options->format == MCD_GEOJSON) return write_geojson(answer);
    CLI_TRY(cli_output_open(&output, answer->options->output));
    return cli_output_close(&output,
                            cli_html_isochrone(&output, answer->session, answer->rings, answer->limit));
}

int cli_isochrone(const cli_session *session, const cli_options *options)
{
    isochrone_answer answer = {.session = session, .options = options};
    const bool areas = options->format == MCD_GEOJSON || options->format == MCD_HTML;
    int status = compute(&answer, areas);
    if (status == CLI_DONE) status = areas ? write_areas(&answer) : write_arcs(&answer);
    macadam_isochrone_free(answer.found);
    macadam_rings_free(answer.rings);
    return status;
}
