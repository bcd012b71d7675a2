/* route.c - /route/v1: the fastest way through coordinates. */
#include "bindings/serve/services/route_object.h"
#include "bindings/serve/services/stops.h"

static bool check(serve_job *job)
{
    if (!serve_route_object_check(job)) return false;
    if (job->request.library.route.alternative_count > 0 && job->request.metric)
        return serve_refuse(job, "NotImplemented", "Alternatives by %s are not supported.",
                            job->query.metric);
    return true;
}

static void write_waypoints(serve_job *job, const macadam_route *route)
{
    mcd_text_begin(&job->answer.body, "waypoints", "[");
    for (size_t i = 0; i < route->waypoint_count; ++i) serve_stops_write(job, i, &route->waypoint[i]);
    mcd_text_add(&job->answer.body, "]");
}

static bool write_answer(serve_job *job, const macadam_route *route)
{
    mcd_text *const text = &job->answer.body;
    if (!serve_stops_check_all(job, route->waypoint)) return false;
    if (!route->found) return serve_refuse(job, "NoRoute", "Impossible route between points");
    mcd_text_add(text, "{\"code\":\"Ok\",\"routes\":[{");
    serve_route_object_write_members(job, route);
    mcd_text_add(text, "}");
    for (size_t i = 0; i < route->alternative_count; ++i) {
        mcd_text_begin(text, NULL, "{");
        serve_route_object_write_members(job, route->alternative[i]);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
    if (!job->request.skip_waypoints) write_waypoints(job, route);
    mcd_text_add(text, "}");
    return true;
}

/* Whether the answer shows nothing of the roads. */
static bool wants_costs_only(const serve_request *request)
{
    return request->overview == SERVE_NO_OVERVIEW && !request->library.route.steps && !request->annotations &&
           request->library.route.alternative_count == 0 && !request->metric;
}

static bool find(serve_job *job, const macadam_place *place)
{
    macadam_route *route = NULL;
    macadam_route_request request = job->request.library.route;
    request.waypoint = place;
    request.waypoint_count = job->request.count;
    request.segments = job->request.annotations != 0;
    request.totals = job->request.metric;
    request.costs_only = wants_costs_only(&job->request);
    if (job->request.count > 2) request.alternative_count = 0;
    const bool is_answered =
        serve_call(job, macadam_route_find, &job->query, &request, &route) && write_answer(job, route);
    macadam_route_free(route);
    return is_answered;
}

bool serve_route(serve_job *job)
{
    const macadam_place *const place = check(job) ? serve_stops_places(job) : NULL;
    return place && find(job, place);
}
