/* call_trip.c - trip requests: stops in the order whose route costs least. */
#include "engine/call/columns.h"

static macadam_status send_trip(mcd_call *call, const macadam_trip *trip, const char *language)
{
    Macadam__V1__TripReply out = MACADAM__V1__TRIP_REPLY__INIT;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_trip, trip, 1, &out));
    if (!trip->found) out.n_order = 0;
    if (trip->route) MCD_TRY(mcd_call_encode_route(call, trip->route, language, &out.route));
    return mcd_call_send(call, &out.base);
}

macadam_status mcd_call_trip(mcd_call *call, const Macadam__V1__TripRequest *request)
{
    macadam_trip_request typed = MACADAM_TRIP_REQUEST_INIT;
    MCD_TRY(mcd_call_decode_places(call, "trip.stop", request->stop, &typed.stop, &typed.stop_count));
    typed.open = request->open;
    typed.from_first = request->from_first;
    typed.to_last = request->to_last;
    typed.steps = request->steps || *request->language;
    typed.segments = request->segments;
    macadam_trip *trip;
    MCD_TRY(macadam_trip_find(call->engine, &call->query, &typed, &trip, call->error));
    const macadam_status status = send_trip(call, trip, request->language);
    macadam_trip_free(trip);
    return status;
}
