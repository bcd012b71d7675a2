/* trip.c - `macadam trip`: the cheapest order of stops, and the route through them. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/outcome.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/route_format.h"

#include <stdlib.h>

typedef struct trip_answer {
    const cli_session *session;
    const cli_options *options;
    cli_places places;
    macadam_place_status *status;
    macadam_trip *trip;
} trip_answer;

/* CSV: the stops in their order, with the cost of the way to the next one. */
static void write_csv(cli_output *output, const trip_answer *answer)
{
    const cli_session *const session = answer->session;
    const macadam_trip *const trip = answer->trip;
    cli_output_text(output, "id");
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_output_format(output, ",%s", session->quantity[q]);
    cli_output_text(output, "\n");
    for (size_t i = 0; i < trip->stop_count; ++i) {
        const cli_name name = cli_place_name(answer->places.place, answer->places.name, trip->order[i]);
        if (name.text.text)
            cli_output_csv_text(output, name.text.text, name.text.bytes);
        else
            cli_output_integer(output, name.number);
        for (size_t q = 0; q < session->quantity_count; ++q) {
            cli_output_text(output, ",");
            if (!trip->route || i >= trip->route->leg_count) continue;
            cli_output_cost(output, macadam_cost(trip->route->leg[i].value[q], session->is_signed[q]),
                            session->per_unit[q]);
        }
        cli_output_text(output, "\n");
    }
}

static int write_trip(const trip_answer *answer)
{
    const cli_options *const options = answer->options;
    cli_output output;
    int status = CLI_DONE;
    if (options->format != CLI_CSV && !answer->trip->route)
        return cli_fail_usage("a trip of one stop has no route: use csv");
    if (cli_route_needs_coordinates(options->format) && !answer->session->info.has_coordinates)
        return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                        "%s has no coordinates to draw: use csv or json", answer->session->file);
    status = cli_output_open(&output, options->output);
    if (status != CLI_DONE) return status;
    if (options->format == CLI_CSV)
        write_csv(&output, answer);
    else
        status = cli_route_write(&output, answer->session, answer->trip->route, options);
    return cli_output_close(&output, status);
}

static int find(trip_answer *answer)
{
    const cli_options *const options = answer->options;
    const cli_places *const places = &answer->places;
    macadam_trip_request request = options->trip;
    macadam_error error = {""};
    request.stop = places->place;
    request.stop_count = places->count;
    cli_progress_begin(options);
    const macadam_status found =
        macadam_trip_find(answer->session->engine, &answer->session->query, &request, &answer->trip, &error);
    cli_progress_end();
    if (found != MACADAM_OK) return cli_fail_library(found, &error);
    for (size_t i = 0; i < places->count; ++i) answer->status[i] = answer->trip->stop[i].status;
    const cli_outcomes outcomes = cli_outcomes_of("stops", places, answer->status);
    return cli_outcomes_tell(answer->session, options, &outcomes);
}

static int run(trip_answer *answer)
{
    int status = cli_places_read(&answer->places, answer->session, answer->options->places);
    if (status != CLI_DONE) return status;
    answer->status = cli_allocate(answer->places.count, sizeof *answer->status);
    status = find(answer);
    if (status != CLI_DONE) return status;
    if (answer->trip->found) return write_trip(answer);
    return cli_fail(CLI_NO_ROUTE, "no trip", "no trip: no order visits all %zu stops", answer->places.count);
}

int cli_trip(const cli_session *session, const cli_options *options)
{
    trip_answer answer = {.session = session, .options = options};
    const int status = run(&answer);
    macadam_trip_free(answer.trip);
    free(answer.status);
    cli_places_free(&answer.places);
    return status;
}
