/* call_route.c - route requests: one route with its path, in columns. */
#include "engine/call/columns.h"

/* Fills `out`, but not its alternatives. */
static macadam_status encode_route(mcd_call *call, const macadam_route *route, const char *language,
                                   Macadam__V1__RouteReply *out)
{
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_route, route, 1, out));
    if (route->step_count == 0) out->leg->n_first_step = out->leg->n_last_step = 0;
    if (route->segment_count == 0) out->segment = NULL;
    return mcd_call_encode_steps(call, route, language, out);
}

macadam_status mcd_call_encode_route(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply **out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, *out, 1, call->error));
    macadam__v1__route_reply__init(*out);
    return encode_route(call, route, language, *out);
}

static macadam_status send_route(mcd_call *call, const macadam_route *route, const char *language)
{
    Macadam__V1__RouteReply out = MACADAM__V1__ROUTE_REPLY__INIT;
    const size_t count = route->alternative_count;
    MCD_TRY(encode_route(call, route, language, &out));
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__route_reply__descriptor, count, &out.alternative));
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(encode_route(call, route->alternative[i], language, out.alternative[i]));
        out.alternative[i]->waypoint = NULL;
    }
    out.n_alternative = count;
    return mcd_call_send(call, &out.base);
}

macadam_status mcd_call_route(mcd_call *call, const Macadam__V1__RouteRequest *request)
{
    macadam_route_request typed = MACADAM_ROUTE_REQUEST_INIT;
    MCD_TRY(mcd_call_decode_places(call, "route.waypoint", request->waypoint, &typed.waypoint,
                                   &typed.waypoint_count));
    typed.steps = request->steps || *request->language;
    typed.segments = request->segments;
    typed.totals = request->totals;
    typed.costs_only = request->costs_only;
    typed.via_turn = (macadam_via_turn)request->via_turn;
    typed.alternative_count = request->alternatives;
    typed.alternative_stretch = request->alternative_stretch;
    typed.alternative_sharing = request->alternative_sharing;
    typed.alternative_optimality = request->alternative_optimality;
    macadam_route *route;
    MCD_TRY(macadam_route_find(call->engine, &call->query, &typed, &route, call->error));
    const macadam_status status = send_route(call, route, request->language);
    macadam_route_free(route);
    return status;
}
