/* call_rings.c - rings requests: areas as polygons, in columns. */
#include "engine/call/columns.h"

static macadam_status send_rings(mcd_call *call, const macadam_rings *rings)
{
    Macadam__V1__RingsReply message = MACADAM__V1__RINGS_REPLY__INIT;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_rings, rings, 1, &message));
    message.n_area_m2 = rings->source_count * rings->limit_count;
    message.n_first_polygon = message.n_area_m2 + 1;
    message.n_first_ring = rings->polygon_count + 1;
    message.n_first_point = rings->ring_count + 1;
    message.area_m2 = (double *)rings->area_m2; /* packing only reads them */
    message.first_polygon = (uint64_t *)rings->first_polygon;
    message.first_ring = (uint64_t *)rings->first_ring;
    message.first_point = (uint64_t *)rings->first_point;
    return mcd_call_send(call, &message.base);
}

macadam_status mcd_call_rings(mcd_call *call, const Macadam__V1__RingsRequest *request)
{
    macadam_rings_request typed = MACADAM_RINGS_REQUEST_INIT;
    MCD_TRY(
        mcd_call_decode_places(call, "rings.source", request->source, &typed.source, &typed.source_count));
    typed.reverse = request->reverse;
    typed.limit = request->limit;
    typed.limit_count = request->n_limit;
    typed.disjoint = request->disjoint;
    typed.width_m = request->width_m;
    macadam_rings *rings;
    MCD_TRY(macadam_rings_find(call->engine, &call->query, &typed, &rings, call->error));
    const macadam_status status = send_rings(call, rings);
    macadam_rings_free(rings);
    return status;
}
