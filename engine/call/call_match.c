/* call_match.c - match requests: traces on roads, in columns. */
#include "engine/call/call.h"

#include <math.h>

static_assert((int)MACADAM__V1__MATCH_STATUS__MATCH_OMITTED == (int)MACADAM_MATCH_OMITTED,
              "a MatchStatus has the values of macadam_match_status");

/* ---- the request ---- */

static macadam_status check_columns(const mcd_call *call, const Macadam__V1__MatchRequest *request)
{
    const size_t count = request->n_lon;
    if (request->n_lat != count)
        return mcd_fail(call->error, MACADAM_E_INVALID, "match has %zu lon but %zu lat", count,
                        request->n_lat);
    MCD_TRY(mcd_call_check_column(call, "match", "time_s", request->n_time_s, count));
    MCD_TRY(mcd_call_check_column(call, "match", "accuracy_m", request->n_accuracy_m, count));
    MCD_TRY(mcd_call_check_column(call, "match", "heading", request->n_heading, count));
    MCD_TRY(mcd_call_check_column(call, "match", "heading_accuracy", request->n_heading_accuracy, count));
    return mcd_call_check_column(call, "match", "speed_ms", request->n_speed_ms, count);
}

static macadam_status decode_points(mcd_call *call, const Macadam__V1__MatchRequest *request,
                                    macadam_match_request *out)
{
    macadam_trace_point *point;
    MCD_TRY(check_columns(call, request));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, point, request->n_lon, call->error));
    for (size_t i = 0; i < request->n_lon; ++i)
        point[i] = (macadam_trace_point){
            .lon = request->lon[i],
            .lat = request->lat[i],
            .time_s = request->n_time_s ? request->time_s[i] : NAN,
            .accuracy_m = request->n_accuracy_m ? request->accuracy_m[i] : 0,
            .heading = request->n_heading ? request->heading[i] : 0,
            .heading_accuracy = request->n_heading_accuracy ? request->heading_accuracy[i] : 0,
            .speed_ms = request->n_speed_ms ? request->speed_ms[i] : 0,
        };
    out->point = point;
    out->point_count = request->n_lon;
    return MACADAM_OK;
}

static macadam_status decode_traces(mcd_call *call, const Macadam__V1__MatchRequest *request,
                                    macadam_match_request *out)
{
    size_t *first;
    if (request->n_first == 0) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, first, request->n_first, call->error));
    for (size_t i = 0; i < request->n_first; ++i) first[i] = request->first[i];
    out->first = first;
    out->trace_count = request->n_first - 1;
    return MACADAM_OK;
}

/* ---- the reply ---- */

static macadam_status encode_points(mcd_call *call, const macadam_matches *matches,
                                    Macadam__V1__MatchReply *out)
{
    const size_t count = matches->point_count;
    macadam_snap *snap;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, snap, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->status, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->matching, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->waypoint, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->alternatives, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->along, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->snap, 1, call->error));
    out->n_status = out->n_matching = out->n_waypoint = out->n_alternatives = out->n_along = count;
    for (size_t i = 0; i < count; ++i) {
        const macadam_match_point *const point = &matches->point[i];
        snap[i] = point->snap;
        out->status[i] = (Macadam__V1__MatchStatus)point->status;
        out->matching[i] = point->matching;
        out->waypoint[i] = point->waypoint;
        out->alternatives[i] = point->alternatives;
        out->along[i] = point->along;
    }
    return mcd_call_encode_snaps(call, snap, count, out->snap);
}

static macadam_status encode_matching(mcd_call *call, const macadam_matching *matching, const char *language,
                                      Macadam__V1__Matching **out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, *out, 1, call->error));
    **out = (Macadam__V1__Matching)MACADAM__V1__MATCHING__INIT;
    (*out)->trace = matching->trace;
    (*out)->waypoint_count = matching->waypoint_count;
    (*out)->confidence = matching->confidence;
    (*out)->distance_m = matching->distance_m;
    (*out)->duration_s = matching->duration_s;
    (*out)->first_arc = matching->first_arc;
    (*out)->last_arc = matching->last_arc;
    return matching->route ? mcd_call_encode_route(call, matching->route, language, &(*out)->route)
                           : MACADAM_OK;
}

static macadam_status send_matches(mcd_call *call, const macadam_matches *matches, const char *language)
{
    Macadam__V1__MatchReply out = MACADAM__V1__MATCH_REPLY__INIT;
    MCD_TRY(encode_points(call, matches, &out));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out.journey, matches->matching_count, call->error));
    for (size_t i = 0; i < matches->matching_count; ++i)
        MCD_TRY(encode_matching(call, &matches->matching[i], language, &out.journey[i]));
    out.n_journey = matches->matching_count;
    out.n_arc = matches->arc_count;
    out.arc = (uint64_t *)matches->arc; /* packing only reads it */

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_MATCH;
    reply.match = &out;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_match(mcd_call *call, const Macadam__V1__MatchRequest *request)
{
    macadam_match_request typed = MACADAM_MATCH_REQUEST_INIT;
    MCD_TRY(decode_points(call, request, &typed));
    MCD_TRY(decode_traces(call, request, &typed));
    typed.accuracy_m = request->default_accuracy_m;
    typed.gaps = request->ignore_gaps ? MACADAM_MATCH_GAPS_IGNORE : MACADAM_MATCH_GAPS_SPLIT;
    typed.tidy = request->tidy;
    typed.arcs = request->arcs;
    typed.routes = request->routes;
    typed.steps = request->steps || *request->language;
    typed.segments = request->segments;
    macadam_matches *matches;
    MCD_TRY(macadam_match(call->engine, &call->query, &typed, &matches, call->error));
    const macadam_status status = send_matches(call, matches, request->language);
    macadam_matches_free(matches);
    return status;
}
