/* match.c - the streets that a van followed, and the order in which it should visit four stops.
 * Run: match town.mcd
 *
 * Prints:
 *     point 0: Mill Lane
 *     point 1: King Street
 *     point 2: King Street
 *     point 3: no_road
 *     point 4: King Street
 *     matching 0: 4 points, 272 m
 *     trip: 11 -> 12 -> 34 -> 45, 211.9 s
 */
#include <macadam.h>
#include <math.h>
#include <stdio.h>

/* Says on which street each point of a trace is, and how long the way between them takes. */
static macadam_status follow(macadam_engine *engine, macadam_error *error)
{
    const macadam_trace_point point[] = {{.time_s = 0, .lon = 10.0010, .lat = 50.00003},
                                         {.time_s = 10, .lon = 10.0019, .lat = 50.0001},
                                         {.time_s = 20, .lon = 10.00205, .lat = 50.0009},
                                         {.time_s = NAN, .lon = 10.5, .lat = 50.5}, /* far from all roads */
                                         {.time_s = 30, .lon = 10.00195, .lat = 50.0018}};
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    request.point = point;
    request.point_count = sizeof point / sizeof *point;
    request.accuracy_m = 10;
    macadam_matches *matches;
    const macadam_status status = macadam_match_find(&matches, engine, NULL, &request, error);
    if (status != MACADAM_OK) return status;
    for (size_t i = 0; i < matches->point_count; ++i) {
        const macadam_match_point *const at = &matches->point[i];
        const bool matched = at->status == MACADAM_MATCH_OK;
        printf("point %zu: %s\n", i, matched ? at->snap.name : macadam_match_status_name(at->status));
    }
    for (size_t i = 0; i < matches->matching_count; ++i)
        printf("matching %zu: %zu points, %.0f m\n", i, matches->matching[i].waypoint_count,
               matches->matching[i].distance_m);
    macadam_matches_free(matches);
    return MACADAM_OK;
}

/* Puts four stops in order: a round trip from the first one. */
static macadam_status plan(macadam_engine *engine, macadam_error *error)
{
    const macadam_place stop[] = {macadam_node(11), macadam_node(45), macadam_node(12), macadam_node(34)};
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    request.stop = stop;
    request.stop_count = sizeof stop / sizeof *stop;
    request.from_first = true;
    macadam_trip *trip;
    const macadam_status status = macadam_trip_find(&trip, engine, NULL, &request, error);
    if (status != MACADAM_OK) return status;
    for (size_t i = 0; trip->found && i < trip->stop_count; ++i)
        printf("%s%lld", i == 0 ? "trip: " : " -> ", (long long)stop[trip->order[i]].id);
    printf(trip->found ? ", %.1f s\n" : "no trip\n", (double)trip->cost / 1000);
    macadam_trip_free(trip);
    return MACADAM_OK;
}

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: match FILE.mcd" : error.message);
        return 1;
    }
    macadam_status status = follow(engine, &error);
    if (status == MACADAM_OK) status = plan(engine, &error);
    if (status != MACADAM_OK) fprintf(stderr, "%s\n", error.message);
    macadam_engine_close(engine);
    return status == MACADAM_OK ? 0 : 1;
}
