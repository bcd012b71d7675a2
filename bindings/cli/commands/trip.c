/* trip.c - `macadam trip`: the cheapest order of stops, and the route through them. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/route_format.h"
#include "bindings/cli/output/table.h"

typedef struct trip_answer {
    const cli_session *session;
    const cli_options *options;
    cli_places places;
    macadam_place_status *status;
    macadam_trip *trip;
} trip_answer;

/* CSV: the stops in their order, with the cost of the way to the next one. */
static int write_csv(const trip_answer *answer)
{
    const macadam_trip *const trip = answer->trip;
    cli_table table;
    const int status =
        cli_table_open(&table, answer->session, answer->options, &(cli_layout){.columns = "id,*"});
    if (status != CLI_DONE) return status;
    for (size_t i = 0; i < trip->stop_count; ++i) {
        const cli_name name = cli_place_name(answer->places.place, answer->places.name, trip->order[i]);
        cli_table_name(&table, &name);
        if (trip->route && i < trip->route->leg_count)
            mcd_record_costs(&table.records, trip->route->leg[i].value);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

static int write_trip(const trip_answer *answer)
{
    if (answer->options->format == MCD_CSV) return write_csv(answer);
    if (!answer->trip->route) return cli_fail_usage("a trip of one stop has no route: use csv");
    return cli_route_write(answer->session, answer->options, answer->trip->route);
}

static int find(trip_answer *answer)
{
    const cli_options *const options = answer->options;
    const cli_places *const places = &answer->places;
    macadam_trip_request request = options->request.trip;
    macadam_error error = {""};
    request.stop = places->place;
    request.stop_count = places->count;
    cli_progress_begin(options);
    CLI_TRY(cli_done(
        macadam_trip_find(answer->session->engine, &answer->session->query, &request, &answer->trip, &error),
        &error));
    for (size_t i = 0; i < places->count; ++i) answer->status[i] = answer->trip->stop[i].status;
    const cli_outcomes outcomes = cli_outcomes_of("stops", places, answer->status);
    return cli_outcomes_tell(answer->session, options, &outcomes);
}

static int run(trip_answer *answer)
{
    CLI_TRY(cli_places_read(&answer->places, answer->session, answer->options->places));
    answer->status = cli_allocate(answer->places.count, sizeof *answer->status);
    CLI_TRY(find(answer));
    if (answer->trip->found) return write_trip(answer);
    return cli_fail(CLI_NO_ROUTE, "no trip", "no trip: no order visits all %zu stops", answer->places.count);
}

int cli_trip(const cli_session *session, const cli_options *options)
{
    trip_answer answer = {.session = session, .options = options};
    const int status = run(&answer);
    macadam_trip_free(answer.trip);
    return status;
}
