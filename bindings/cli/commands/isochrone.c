/* isochrone.c - `macadam isochrone`: what is reached within limits, as areas or arc by arc. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/html.h"

enum { COLUMNS_BYTES = 128 + MACADAM_REACH_LIMITS_MAX * (CLI_LABEL_BYTES + 8) };

/* ---- the reached arcs ---- */

/* How much a limit pays for of an arc of which `whole` can be passed. Where the cost falls below the limit only within
 * the arc, that is what the arc gives before. */
static int64_t paid_of(int64_t cost, int64_t whole, uint32_t limit)
{
    const int64_t rest = limit - cost;
    if (rest < (whole < 0 ? whole : 0)) return MACADAM_COST_NONE;
    return rest < 0 || rest < whole ? rest : whole;
}

static void write_arc(cli_table *table, const macadam_reached_arc *arc)
{
    const cli_session *const session = table->session;
    const uint32_t per_unit = session->per_unit[0];
    const int64_t cost = macadam_cost(arc->cost, session->is_signed[0]),
                  weight = macadam_cost(arc->weight, session->is_signed[0]),
                  before = (int64_t)(arc->from * (double)weight);
    cli_table_id(table, arc->road.tail);
    cli_table_id(table, arc->road.head);
    cli_table_id(table, (int64_t)arc->road.arc);
    mcd_record_cost(&table->records, cost, per_unit);
    mcd_record_cost(&table->records, weight, per_unit);
    mcd_record_cost(&table->records, before, per_unit);
    for (size_t l = 0; l < session->limit_count; ++l)
        mcd_record_cost(&table->records, paid_of(cost, weight - before, session->limit_cost[l]), per_unit);
    cli_table_end(table);
}

static int answer_arcs(const cli_session *session, const macadam_place *source)
{
    MCD_SCOPED(isochrone) found = NULL;
    const macadam_isochrone_request request = {.size = sizeof request,
                                               .source = *source,
                                               .reverse = session->options->request.reverse,
                                               .limit = session->limit_cost[session->limit_count - 1]};
    CLI_TRY(cli_call(macadam_isochrone_find, &found, session->engine, &session->query, &request));
    CLI_TRY(cli_outcome_tell(session, "--from", source, found->source.status));
    char columns[COLUMNS_BYTES];
    int used = snprintf(columns, COLUMNS_BYTES, "tail,head,arc,%s,weight,before", session->quantity[0]);
    for (size_t i = 0; i < session->limit_count; ++i)
        used +=
            snprintf(columns + used, COLUMNS_BYTES - (size_t)used, ",reached_%s", session->limits[i].label);
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &(cli_layout){.columns = columns, .status_count = 1}));
    table.status[0] = found->source.status;
    for (size_t i = 0; i < found->arc_count; ++i) write_arc(&table, &found->arc[i]);
    return cli_table_close(&table, CLI_DONE);
}

/* ---- areas ---- */

static int answer_areas(const cli_session *session, const macadam_place *source)
{
    macadam_text text;
    MCD_SCOPED(rings) rings = NULL;
    macadam_rings_request request = session->options->request.rings;
    request.source = source, request.source_count = 1;
    request.limit = session->limit_cost, request.limit_count = session->limit_count;
    request.reverse = session->options->request.reverse;
    CLI_TRY(cli_call(macadam_rings_find, &rings, session->engine, &session->query, &request));
    CLI_TRY(cli_outcome_tell(session, "--from", source, rings->source->status));
    if (session->options->format == MCD_HTML)
        return macadam_place_is_found(rings->source->status)
                   ? cli_html_isochrone(session, rings)
                   : cli_fail(CLI_NO_ROUTE, "no area", "no area to draw: no road is near --from");
    return cli_output_answer(
        session->options,
        macadam_format_rings_geojson(&text, rings, session->limit_cost, &session->format, &cli_error), &text);
}

int cli_isochrone(const cli_session *session)
{
    macadam_place source;
    const bool areas = session->options->format == MCD_GEOJSON || session->options->format == MCD_HTML;
    if (areas && !session->info.has_coordinates)
        return cli_session_fail_coordinates(session, " to draw: use csv or json");
    CLI_TRY(cli_place_read_source(&source, session));
    return (areas ? answer_areas : answer_arcs)(session, &source);
}
