/* match.c - /match/v1: the roads along which a trace was made. */
#include "bindings/formats/scope.h"
#include "bindings/serve/services/route_object.h"
#include "bindings/serve/services/stops.h"

#include <math.h>

static macadam_trace_point point_of(const serve_request *request, size_t i)
{
    const serve_coordinate *const coordinate = &request->coordinate[i];
    return (macadam_trace_point){
        .lon = coordinate->lon,
        .lat = coordinate->lat,
        .time_s = coordinate->time_s,
        .accuracy_m = coordinate->radius_m >= SERVE_UNLIMITED_M
                          ? 0
                          : fmax(0, fmin(coordinate->radius_m, MACADAM_MATCH_ACCURACY_MAX)),
        .heading = coordinate->bearing,
        .heading_accuracy = coordinate->bearing_range,
    };
}

/* The points of a matching are numbered from 0, but for those that it passes between its ends. */
static void write_points(serve_job *job, const macadam_matches *matches, const bool *passes)
{
    uint32_t stops = 0;
    mcd_text_json(&job->answer.body, "'tracepoints':[");
    for (size_t i = 0; i < matches->point_count; ++i) {
        const macadam_match_point *const point = &matches->point[i];
        if (point->status != MACADAM_MATCH_OK) {
            mcd_text_comma(&job->answer.body);
            mcd_text_add(&job->answer.body, "null");
            continue;
        }
        const bool is_first = point->waypoint == 0,
                   is_last = point->waypoint + 1 == matches->matching[point->matching].waypoint_count;
        if (is_first) stops = 0;
        const bool is_stop = is_first || is_last || !passes || !passes[i];
        serve_stops_write(job, &(serve_stop){.kind = SERVE_TRACEPOINT,
                                             .position = i,
                                             .snap = &point->snap,
                                             .waypoint = is_stop ? stops++ : UINT32_MAX,
                                             .part = point->matching,
                                             .alternatives = point->alternatives});
    }
    mcd_text_add(&job->answer.body, "]");
}

static bool check_waypoints(serve_job *job, const macadam_matches *matches, const bool *passes)
{
    for (size_t i = 0; passes && i < matches->point_count; ++i)
        if (!passes[i] && matches->point[i].status != MACADAM_MATCH_OK)
            return serve_refuse(job, "NoMatch", "Requested waypoint parameter could not be matched.");
    return true;
}

static bool write_answer(serve_job *job, const macadam_matches *matches, const bool *passes)
{
    mcd_text *const text = &job->answer.body;
    const char *const advice = serve_stops_advice(job, 0);
    if (matches->matching_count == 0 && advice[0])
        return serve_refuse(job, "NoSegment", "Could not find a matching segment for coordinate 0%s", advice);
    if (matches->matching_count == 0) return serve_refuse(job, "NoMatch", "Could not match the trace.");
    if (!check_waypoints(job, matches, passes)) return false;
    mcd_text_json(text, "{'code':'Ok','matchings':[");
    for (size_t i = 0; i < matches->matching_count; ++i) {
        mcd_text_json(text, "{'confidence':%.6f", matches->matching[i].confidence);
        serve_route_object_write_members(job, matches->matching[i].route);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
    if (!job->request.skip_waypoints) write_points(job, matches, passes);
    mcd_text_add(text, "}");
    return true;
}

bool serve_match(serve_job *job)
{
    MCD_SCOPED(matches) matches = NULL;
    macadam_match_request *const request = &job->request.library.match;
    const size_t count = job->request.count;
    bool *passes;
    if (!serve_route_object_check(job) || !serve_stops_passes(job, &passes)) return false;
    macadam_trace_point *const point = serve_job_allocate(job, count, sizeof *point);
    if (!point) return false;
    double latest_s = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        point[i] = point_of(&job->request, i);
        if (point[i].time_s < latest_s)
            return serve_refuse(job, "InvalidValue", "Timestamps need to be monotonically increasing.");
        latest_s = fmax(latest_s, point[i].time_s);
    }
    request->point = point;
    request->point_count = count;
    request->routes = true;
    request->passes = passes;
    return serve_call(job, macadam_match_find, &matches, job->map->engine, &job->query, request) &&
           write_answer(job, matches, passes);
}
