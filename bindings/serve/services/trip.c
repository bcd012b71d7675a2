/* trip.c - /trip/v1: the order of stops whose way costs least. */
#include "bindings/formats/scope.h"
#include "bindings/serve/services/route_object.h"
#include "bindings/serve/services/stops.h"

/* The waypoints in the order of the request, each with its place in the trip. */
static void write_waypoints(serve_job *job, const macadam_trip *trip, const uint32_t *rank)
{
    mcd_text *const text = &job->answer.body;
    mcd_text_json(text, "'waypoints':[");
    for (size_t i = 0; i < trip->stop_count; ++i)
        serve_stops_write(
            job, &(serve_stop){
                     .kind = SERVE_TRIP_STOP, .position = i, .snap = &trip->stop[i], .waypoint = rank[i]});
    mcd_text_add(text, "]");
}

/* Names the first or the last coordinate if it is left out, but has to be the first or the last one. */
static bool fail_no_trip(serve_job *job, const macadam_trip *trip)
{
    const size_t at = mcd_text_missing_end(&job->request.library.trip, trip);
    if (at == SIZE_MAX) return serve_refuse(job, "NoTrips", "No trip visiting all destinations possible.");
    return serve_refuse(job, "NoTrips", "No trip possible: no way leads to coordinate %zu and back", at);
}

static bool write_answer(serve_job *job, const macadam_trip *trip)
{
    mcd_text *const text = &job->answer.body;
    uint32_t *const rank = serve_job_allocate(job, trip->stop_count, sizeof *rank);
    if (!rank || !serve_stops_check_all(job, trip->stop)) return false;
    if (!trip->found || !trip->route) return fail_no_trip(job, trip);
    for (size_t i = 0; i < trip->stop_count; ++i) rank[i] = UINT32_MAX; /* left out */
    for (size_t i = 0; i < trip->order_count; ++i) rank[trip->order[i]] = (uint32_t)i;
    mcd_text_json(text, "{'code':'Ok','trips':[{");
    serve_route_object_write_members(job, trip->route);
    mcd_text_add(text, "}]");
    if (!job->request.skip_waypoints) write_waypoints(job, trip, rank);
    mcd_text_add(text, "}");
    return true;
}

bool serve_trip(serve_job *job)
{
    MCD_SCOPED(trip) trip = NULL;
    macadam_trip_request *const request = &job->request.library.trip;
    if (!serve_route_object_check(job)) return false;
    if (job->request.count > MACADAM_TRIP_STOPS_MAX)
        return serve_refuse(job, "TooBig", "Too many trip coordinates");
    request->stop = serve_stops_places(job);
    request->stop_count = job->request.count;
    return request->stop &&
           serve_call(job, macadam_trip_find, &trip, job->map->engine, &job->query, request) &&
           write_answer(job, trip);
}
