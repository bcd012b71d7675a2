/* trip.c - /trip/v1: the order of stops whose way costs least. */
#include "bindings/serve/services/route_object.h"
#include "bindings/serve/services/stops.h"

/* The waypoints in the order of the request, each with its place in the trip. */
static void write_waypoints(serve_job *job, const macadam_trip *trip, const uint32_t *rank)
{
    mcd_text *const text = &job->answer.body;
    mcd_text_begin(text, "waypoints", "[");
    for (size_t i = 0; i < trip->stop_count; ++i) {
        mcd_text_begin(text, NULL, "{");
        serve_stops_write_members(job, i, &trip->stop[i]);
        mcd_text_put_integer(text, "trips_index", 0);
        mcd_text_put_integer(text, "waypoint_index", rank[i]);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}

static bool write_answer(serve_job *job, const macadam_trip *trip)
{
    mcd_text *const text = &job->answer.body;
    uint32_t *const rank = serve_job_allocate(job, trip->stop_count, sizeof *rank);
    if (!rank || !serve_stops_check_all(job, trip->stop)) return false;
    if (!trip->found || !trip->route)
        return serve_refuse(job, "NoTrips", "No trip visiting all destinations possible.");
    for (size_t i = 0; i < trip->stop_count; ++i) rank[trip->order[i]] = (uint32_t)i;
    mcd_text_add(text, "{\"code\":\"Ok\",\"trips\":[{");
    serve_route_object_write_members(job, trip->route);
    mcd_text_add(text, "}]");
    if (!job->request.skip_waypoints) write_waypoints(job, trip, rank);
    mcd_text_add(text, "}");
    return true;
}

static bool find(serve_job *job, const macadam_place *place)
{
    macadam_trip *trip = NULL;
    macadam_trip_request request = job->request.library.trip;
    request.stop = place;
    request.stop_count = job->request.count;
    request.steps = job->request.library.route.steps;
    request.segments = job->request.annotations != 0;
    request.totals = job->request.metric;
    const bool is_answered =
        serve_call(job, macadam_trip_find, &job->query, &request, &trip) && write_answer(job, trip);
    macadam_trip_free(trip);
    return is_answered;
}

bool serve_trip(serve_job *job)
{
    if (!serve_route_object_check(job)) return false;
    if (job->request.count > MACADAM_TRIP_STOPS_MAX)
        return serve_refuse(job, "TooBig", "Too many trip coordinates");
    const macadam_place *const place = serve_stops_places(job);
    return place && find(job, place);
}
