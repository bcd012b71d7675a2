/* trip.c - `macadam trip`: the cheapest order of stops, and the route through them. */
#include "bindings/cli/command.h"

/* CSV: the stops in their order, with the cost of the way to the next one. */
static int write_csv(const cli_session *session, const cli_places *places, const macadam_trip *trip)
{
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &(cli_layout){.columns = "id,*"}));
    for (size_t i = 0; i < trip->order_count; ++i) {
        cli_table_place(&table, places, trip->order[i]);
        if (trip->route && i < trip->route->leg_count)
            mcd_record_costs(&table.records, trip->route->leg[i].value);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

/* Names the first or the last stop if it is left out, but has to be the first or the last one. */
static int fail_no_trip(const cli_session *session, const cli_places *places,
                        const macadam_trip_request *request, const macadam_trip *trip)
{
    const size_t at = mcd_text_missing_end(request, trip);
    char reason[CLI_REASON_BYTES];
    if (at == SIZE_MAX)
        return cli_fail(CLI_NO_ROUTE, "no trip", "no trip: no order visits all %zu stops", places->count);
    cli_outcome_reason(reason, session, &places->place[at], places->status[at]);
    return cli_fail(CLI_NO_ROUTE, "no trip", "no trip: the %s stop: %s", at == 0 ? "first" : "last", reason);
}

int cli_trip(const cli_session *session)
{
    MCD_SCOPED(trip) trip = NULL;
    cli_places places;
    macadam_trip_request request = session->options->request.trip;
    CLI_TRY(cli_places_read(&places, NULL, session, "stops", session->options->places));
    request.stop = places.place;
    request.stop_count = places.count;
    CLI_TRY(cli_call(macadam_trip_find, &trip, session->engine, &session->query, &request));
    for (size_t i = 0; i < places.count; ++i) places.status[i] = trip->stop[i].status;
    CLI_TRY(cli_outcomes_tell(session, &places));
    if (!trip->found) return fail_no_trip(session, &places, &request, trip);
    if (session->options->format == MCD_CSV) return write_csv(session, &places, trip);
    if (!trip->route) return cli_fail_usage("a trip of one stop has no route: use csv");
    return cli_route_write(session, trip->route);
}
