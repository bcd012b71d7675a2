/* call_match.c - match requests: traces on roads, in columns. */
#include "engine/call/columns.h"

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

/* ---- the reply ---- */

static macadam_status send_matches(mcd_call *call, const macadam_matches *matches, const char *language)
{
    Macadam__V1__MatchReply out = MACADAM__V1__MATCH_REPLY__INIT;
    const size_t count = matches->matching_count;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_matches, matches, 1, &out));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_match_point, matches->point, matches->point_count, &out));
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__matching__descriptor, count, &out.journey));
    out.n_journey = count;
    for (size_t i = 0; i < count; ++i) {
        const macadam_matching *const matching = &matches->matching[i];
        MCD_TRY(MCD_CALL_FILL(call, mcd_of_matching, matching, 1, out.journey[i]));
        if (matching->route)
            MCD_TRY(mcd_call_encode_route(call, matching->route, language, &out.journey[i]->route));
    }
    return mcd_call_send(call, &out.base);
}

macadam_status mcd_call_match(mcd_call *call, const Macadam__V1__MatchRequest *request)
{
    macadam_match_request typed = MACADAM_MATCH_REQUEST_INIT;
    MCD_TRY(decode_points(call, request, &typed));
    if (request->n_first > 0) {
        typed.first = (const size_t *)request->first; /* as wide: columns.c */
        typed.trace_count = request->n_first - 1;
    }
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
