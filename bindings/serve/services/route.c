/* route.c - /route/v1: the fastest way through coordinates. */
#include "bindings/formats/scope.h"
#include "bindings/serve/services/route_object.h"
#include "bindings/serve/services/stops.h"

static bool write_answer(serve_job *job, const macadam_route *route)
{
    mcd_text *const text = &job->answer.body;
    if (!serve_stops_check_all(job, route->waypoint)) return false;
    if (!route->found) return serve_refuse(job, "NoRoute", "Impossible route between points");
    mcd_text_json(text, "{'code':'Ok','routes':[");
    for (size_t i = 0; i <= route->alternative_count; ++i) {
        mcd_text_json(text, "{");
        serve_route_object_write_members(job, i ? route->alternative[i - 1] : route);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
    if (!job->request.skip_waypoints)
        serve_stops_write_all(job, "waypoints", NULL, route->waypoint, route->waypoint_count);
    mcd_text_add(text, "}");
    return true;
}

bool serve_route(serve_job *job)
{
    MCD_SCOPED(route) route = NULL;
    macadam_route_request *const request = &job->request.library.route;
    bool *passes;
    if (!serve_route_object_check(job) || !serve_stops_passes(job, &passes)) return false;
    if (request->alternative_count > 0 && job->request.metric)
        return serve_refuse(job, "NotImplemented", "Alternatives by %s are not supported.",
                            job->query.metric);
    request->waypoint = serve_stops_places(job);
    request->waypoint_count = job->request.count;
    request->passes = passes;
    if (request->alternative_count > MACADAM_ALTERNATIVES_MAX)
        request->alternative_count = MACADAM_ALTERNATIVES_MAX;
    if (request->waypoint_count > 2) request->alternative_count = 0;
    return request->waypoint &&
           serve_call(job, macadam_route_find, &route, job->map->engine, &job->query, request) &&
           write_answer(job, route);
}
