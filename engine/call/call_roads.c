/* call_roads.c - isochrone and roads requests: arcs as lines, in columns. */
#include "engine/call/columns.h"

/* ---- isochrone ---- */

static macadam_status send_isochrone(mcd_call *call, const macadam_isochrone *isochrone)
{
    Macadam__V1__IsochroneReply message = MACADAM__V1__ISOCHRONE_REPLY__INIT;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_isochrone, isochrone, 1, &message));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_reached_arc, isochrone->arc, isochrone->arc_count, &message));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_isochrone_points, isochrone, 1, message.road));
    return mcd_call_send(call, &message.base);
}

macadam_status mcd_call_isochrone(mcd_call *call, const Macadam__V1__IsochroneRequest *request)
{
    macadam_isochrone_request typed = MACADAM_ISOCHRONE_REQUEST_INIT;
    const macadam_place *source;
    size_t count;
    MCD_TRY(mcd_call_decode_places(call, "isochrone.source", request->source, &source, &count));
    if (count != 1)
        return mcd_fail(call->error, MACADAM_E_INVALID, "isochrone.source has %zu places, not one", count);
    typed.source = *source;
    typed.reverse = request->reverse;
    typed.limit = request->limit;
    macadam_isochrone *isochrone;
    MCD_TRY(macadam_isochrone_find(call->engine, &call->query, &typed, &isochrone, call->error));
    const macadam_status status = send_isochrone(call, isochrone);
    macadam_isochrone_free(isochrone);
    return status;
}

/* ---- roads ---- */

static macadam_status send_roads(mcd_call *call, const macadam_roads *roads)
{
    Macadam__V1__RoadsReply message = MACADAM__V1__ROADS_REPLY__INIT;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_roads, roads, 1, &message));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_roads_points, roads, 1, message.road));
    return mcd_call_send(call, &message.base);
}

macadam_status mcd_call_roads(mcd_call *call, const Macadam__V1__RoadsRequest *request)
{
    const macadam_box box = {request->west, request->south, request->east, request->north};
    macadam_roads *roads;
    MCD_TRY(macadam_roads_find(call->engine, &box, &roads, call->error));
    const macadam_status status = send_roads(call, roads);
    macadam_roads_free(roads);
    return status;
}
