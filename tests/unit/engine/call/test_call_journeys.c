/* test_call_journeys.c - macadam_call matches traces and orders stops as the typed calls do. */
#include "tests/support/allocator.h"
#include "tests/support/call_fixture.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A street of five nodes from west to east, 81.3 m from each to the next, with ids 10 to 50. */
enum { NODES = 5, ARCS = 2 * (NODES - 1), LENGTH_CM = 8130 };

static void import_street(const char *path)
{
    static const char *const quantity[] = {"duration", "distance"}, *const unit[] = {"ms", "cm"};
    int64_t id[NODES];
    int32_t lon_e7[NODES], lat_e7[NODES];
    uint32_t tail[ARCS], head[ARCS], duration[ARCS], distance[ARCS];
    for (uint32_t i = 0; i < NODES; ++i) {
        id[i] = 10 * (i + 1);
        lon_e7[i] = 70000000 + (int32_t)i * 10000;
        lat_e7[i] = 430000000;
    }
    for (uint32_t i = 0; i < ARCS; ++i) {
        tail[i] = i / 2 + i % 2;
        head[i] = i / 2 + (i + 1) % 2;
        distance[i] = LENGTH_CM;
        duration[i] = 6000 + i;
    }
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = ARCS;
    input.id = id, input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.unit = unit, input.quantity_count = 2;
    input.weight = (const uint32_t *const[]){duration, distance};
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    options.threads = 1;
    macadam_error error;
    fixture_expect_ok(macadam_import_arrays(&input, &options, &error), &error, path);
}

static void open_street(void)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    allocator_install();
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    import_street(path);
    call_engine = fixture_open_file(path, 1);
    files_remove_folder(folder);
}

TestSuite(call_journeys, .init = open_street, .fini = call_fixture_close);

static void expect_route(const Macadam__V1__RouteReply *route, const macadam_route *expected)
{
    cr_assert_eq(route->found, expected->found);
    cr_assert(route->n_value == 1 && route->value[0] == expected->value[0]);
    cr_assert_eq(route->waypoint->n_status, expected->waypoint_count);
    cr_assert_eq(route->arc->n_number, expected->arc_count);
    for (size_t i = 0; i < expected->arc_count; ++i)
        cr_assert_eq(route->arc->number[i], expected->arc[i].arc);
    cr_assert_eq(route->n_step, expected->step_count);
}

/* ---- traces: one of four points along the street, of which one lies far away; one of two points, and NaN ---- */

enum { POINTS = 7, TRACES = 2 };
static double lon[POINTS] = {7.0003, 7.0012, 8, 7.0031, 7.0035, 7.0022, NAN};
static double lat[POINTS] = {43.00001, 43.00002, 43, 42.99999, 43.00001, 43, 43};
static double time_s[POINTS] = {0, 10, 15, 30, 0, 15, 30};

typedef struct match_question {
    uint64_t first[TRACES + 1];
    Macadam__V1__MatchRequest match;
    Macadam__V1__Request request;
} match_question;

static void ask_match(match_question *out)
{
    *out = (match_question){.first = {0, 4, POINTS},
                            .match = MACADAM__V1__MATCH_REQUEST__INIT,
                            .request = MACADAM__V1__REQUEST__INIT};
    out->match.n_lon = out->match.n_lat = out->match.n_time_s = POINTS;
    out->match.lon = lon;
    out->match.lat = lat;
    out->match.time_s = time_s;
    out->match.n_first = TRACES + 1;
    out->match.first = out->first;
    out->match.default_accuracy_m = 8;
    out->match.arcs = out->match.routes = true;
    out->match.language = (char *)"en";
    out->request.ask_case = MACADAM__V1__REQUEST__ASK_MATCH;
    out->request.match = &out->match;
}

static macadam_matches *find_matches(void)
{
    macadam_trace_point point[POINTS] = {0};
    for (size_t i = 0; i < POINTS; ++i)
        point[i] = (macadam_trace_point){.lon = lon[i], .lat = lat[i], .time_s = time_s[i]};
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_match_request typed = MACADAM_MATCH_REQUEST_INIT;
    typed.point = point;
    typed.point_count = POINTS;
    typed.first = (const size_t[]){0, 4, POINTS};
    typed.trace_count = TRACES;
    typed.accuracy_m = 8;
    typed.arcs = typed.routes = typed.steps = true;
    macadam_matches *matches;
    macadam_error error = {.message = ""};
    cr_assert_eq(macadam_match(call_engine, &query, &typed, &matches, &error), MACADAM_OK, "%s",
                 error.message);
    return matches;
}

static void expect_points(const Macadam__V1__MatchReply *match, const macadam_matches *expected)
{
    cr_assert(match->n_status == POINTS && match->snap->n_arc == POINTS && match->n_along == POINTS);
    for (size_t i = 0; i < POINTS; ++i) {
        const macadam_match_point *const point = &expected->point[i];
        cr_assert_eq((int)match->status[i], (int)point->status);
        if (point->status != MACADAM_MATCH_OK) continue;
        cr_assert_eq(match->matching[i], point->matching);
        cr_assert_eq(match->waypoint[i], point->waypoint);
        cr_assert_eq(match->alternatives[i], point->alternatives);
        cr_assert_eq(match->along[i], point->along);
        cr_assert_eq(match->snap->arc[i], point->snap.arc);
        cr_assert_eq(match->snap->lon[i], point->snap.lon);
    }
}

Test(call_journeys, matches_equal_the_typed_call)
{
    match_question ask;
    ask_match(&ask);
    macadam_matches *const expected = find_matches();
    cr_assert_eq(expected->matching_count, 2);
    cr_assert_eq((int)expected->point[2].status, (int)MACADAM_MATCH_NO_ROAD);
    cr_assert_eq((int)expected->point[6].status, (int)MACADAM_MATCH_INVALID);
    Macadam__V1__Reply *const reply = call_expect(&ask.request, NULL, NULL, MACADAM_OK);
    cr_assert_eq((int)reply->answer_case, (int)MACADAM__V1__REPLY__ANSWER_MATCH);
    const Macadam__V1__MatchReply *const match = reply->match;
    expect_points(match, expected);
    cr_assert(match->n_journey == 2 && match->n_arc == expected->arc_count && match->n_arc > 2);
    for (size_t i = 0; i < match->n_arc; ++i) cr_assert_eq(match->arc[i], expected->arc[i]);
    for (size_t i = 0; i < 2; ++i) {
        const macadam_matching *const matching = &expected->matching[i];
        cr_assert_eq(match->journey[i]->trace, i);
        cr_assert_eq(match->journey[i]->waypoint_count, matching->waypoint_count);
        cr_assert_eq(match->journey[i]->confidence, matching->confidence);
        cr_assert_eq(match->journey[i]->distance_m, matching->distance_m);
        cr_assert_eq(match->journey[i]->duration_s, matching->duration_s);
        cr_assert_eq(match->journey[i]->first_arc, matching->first_arc);
        cr_assert_eq(match->journey[i]->last_arc, matching->last_arc);
        expect_route(match->journey[i]->route, matching->route);
    }
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_matches_free(expected);
}

static void expect_invalid(const Macadam__V1__Request *request, const char *says)
{
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_E_INVALID);
    cr_assert(strstr(reply->message, says), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call_journeys, match_with_columns_that_do_not_fit_is_invalid)
{
    match_question ask;
    ask_match(&ask);
    ask.match.n_lat = POINTS - 1;
    expect_invalid(&ask.request, "match has 7 lon but 6 lat");
    ask_match(&ask);
    ask.match.n_time_s = 2;
    expect_invalid(&ask.request, "match has 2 time_s for 7 points");
    ask_match(&ask);
    ask.first[TRACES] = POINTS + 1;
    expect_invalid(&ask.request, "the traces do not cover the 7 points");
    ask_match(&ask);
    ask.match.n_first = 1;
    expect_invalid(&ask.request, "the traces do not cover the 7 points");
}

/* ---- trips ---- */

static int64_t stop[] = {10, 40, 20, 50, 30};

static void expect_trip(size_t stop_count, bool found)
{
    macadam_place place[NODES];
    for (size_t i = 0; i < stop_count; ++i) place[i] = (macadam_place){.id = stop[i]};
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_trip_request typed = MACADAM_TRIP_REQUEST_INIT;
    typed.stop = place;
    typed.stop_count = stop_count;
    typed.open = typed.from_first = true;
    macadam_trip *expected;
    cr_assert_eq(macadam_trip_find(call_engine, &query, &typed, &expected, NULL), MACADAM_OK);
    cr_assert_eq(expected->found, found);

    Macadam__V1__Places places = call_nodes(stop, stop_count);
    Macadam__V1__TripRequest ask = MACADAM__V1__TRIP_REQUEST__INIT;
    ask.stop = &places;
    ask.open = ask.from_first = true;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_TRIP;
    request.trip = &ask;
    Macadam__V1__Reply *const reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    const Macadam__V1__TripReply *const trip = reply->trip;
    cr_assert(trip->found == found && trip->cost == expected->cost);
    cr_assert_eq(trip->n_order, found ? stop_count : 0);
    for (size_t i = 0; i < trip->n_order; ++i) cr_assert_eq(trip->order[i], expected->order[i]);
    cr_assert_eq(trip->stop->n_id, stop_count);
    for (size_t i = 0; i < stop_count; ++i)
        cr_assert_eq((int)trip->stop->status[i], (int)expected->stop[i].status);
    cr_assert_eq(trip->route != NULL, expected->route != NULL);
    if (trip->route) expect_route(trip->route, expected->route);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_trip_free(expected);
}

Test(call_journeys, trips_equal_the_typed_call)
{
    expect_trip(NODES, true);
    expect_trip(1, true);
    stop[2] = 77;
    expect_trip(NODES, false);
}

/* ---- failing allocations ---- */

Test(call_journeys, every_failed_allocation_is_reported_and_nothing_leaks)
{
    match_question ask;
    ask_match(&ask);
    uint8_t data[1024];
    cr_assert_lt(macadam__v1__request__get_packed_size(&ask.request), sizeof data);
    const size_t size = macadam__v1__request__pack(&ask.request, data);
    bool failed = true;
    for (size_t nth = 1; failed; ++nth) {
        macadam_bytes bytes;
        allocator_fail(nth);
        const macadam_status status = macadam_call(call_engine, data, size, NULL, NULL, &bytes, NULL);
        failed = allocator_has_failed();
        allocator_fail(0);
        macadam_bytes_free(&bytes);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu: %s", nth,
                     macadam_status_name(status));
    }
}
