/* call_rings.c - rings requests: areas as polygons, in columns. */
#include "engine/call/call.h"

static macadam_status copy_offsets(mcd_call *call, const size_t *from, size_t count, uint64_t **out,
                                   size_t *out_count)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, *out, count, call->error));
    for (size_t i = 0; i < count; ++i) (*out)[i] = from[i];
    *out_count = count;
    return MACADAM_OK;
}

static macadam_status send_rings(mcd_call *call, const macadam_rings *rings)
{
    Macadam__V1__RingsReply message = MACADAM__V1__RINGS_REPLY__INIT;
    Macadam__V1__Snaps source;
    const size_t area_count = rings->source_count * rings->limit_count;
    MCD_TRY(mcd_call_encode_snaps(call, rings->source, rings->source_count, &source));
    MCD_TRY(copy_offsets(call, rings->first_polygon, area_count + 1, &message.first_polygon,
                         &message.n_first_polygon));
    MCD_TRY(copy_offsets(call, rings->first_ring, rings->polygon_count + 1, &message.first_ring,
                         &message.n_first_ring));
    MCD_TRY(copy_offsets(call, rings->first_point, rings->ring_count + 1, &message.first_point,
                         &message.n_first_point));
    message.source = &source;
    message.width_m = (double *)rings->width_m, message.n_width_m = rings->source_count;
    message.area_m2 = (double *)rings->area_m2, message.n_area_m2 = area_count;
    message.lon = (double *)rings->lon, message.n_lon = rings->point_count;
    message.lat = (double *)rings->lat, message.n_lat = rings->point_count;

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_RINGS;
    reply.rings = &message;
    return mcd_call_send(call, &reply);
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
