/* call_roads.c - isochrone and roads requests: arcs as lines, in columns. */
#include "engine/call/call.h"

static macadam_status encode_columns(mcd_call *call, const macadam_road *road, size_t count,
                                     Macadam__V1__Roads *out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->tail, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->head, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->number, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->way, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->first_shape, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->last_shape, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->name, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->names, count, call->error));
    out->n_tail = out->n_head = out->n_number = out->n_way = out->n_first_shape = out->n_last_shape = count;
    for (size_t i = 0; i < count; ++i) {
        out->tail[i] = road[i].tail;
        out->head[i] = road[i].head;
        out->number[i] = road[i].arc;
        out->way[i] = road[i].way;
        out->first_shape[i] = road[i].first_shape;
        out->last_shape[i] = road[i].last_shape;
    }
    return MACADAM_OK;
}

static macadam_status encode_roads(mcd_call *call, const macadam_roads *roads, Macadam__V1__Roads *out)
{
    *out = (Macadam__V1__Roads)MACADAM__V1__ROADS__INIT;
    MCD_TRY(encode_columns(call, roads->road, roads->road_count, out));
    for (size_t i = 0; i < roads->road_count; ++i)
        MCD_TRY(mcd_call_encode_name(call, roads->road[i].name, out->name, &out->n_name, out->names,
                                     &out->n_names));
    out->n_lon_e7 = out->n_lat_e7 = roads->shape_count;
    return mcd_call_encode_points(call, roads->lon, roads->lat, roads->shape_count, &out->lon_e7,
                                  &out->lat_e7);
}

/* ---- isochrone ---- */

static macadam_status encode_reached(mcd_call *call, const macadam_isochrone *isochrone,
                                     Macadam__V1__IsochroneReply *out, Macadam__V1__Roads *out_roads)
{
    const size_t count = isochrone->arc_count;
    macadam_road *road;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, road, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->cost, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->weight, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->from, count, call->error));
    out->n_cost = out->n_weight = out->n_from = count;
    for (size_t i = 0; i < count; ++i) {
        road[i] = isochrone->arc[i].road;
        out->cost[i] = isochrone->arc[i].cost;
        out->weight[i] = isochrone->arc[i].weight;
        out->from[i] = isochrone->arc[i].from;
    }
    const macadam_roads roads = {.road_count = count,
                                 .road = road,
                                 .shape_count = isochrone->shape_count,
                                 .lon = isochrone->lon,
                                 .lat = isochrone->lat};
    return encode_roads(call, &roads, out_roads);
}

static macadam_status send_isochrone(mcd_call *call, const macadam_isochrone *isochrone)
{
    Macadam__V1__IsochroneReply message = MACADAM__V1__ISOCHRONE_REPLY__INIT;
    Macadam__V1__Snaps source;
    Macadam__V1__Roads roads;
    MCD_TRY(mcd_call_encode_snaps(call, &isochrone->source, 1, &source));
    MCD_TRY(encode_reached(call, isochrone, &message, &roads));
    message.source = &source;
    message.road = &roads;

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_ISOCHRONE;
    reply.isochrone = &message;
    return mcd_call_send(call, &reply);
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
    Macadam__V1__Roads columns;
    MCD_TRY(encode_roads(call, roads, &columns));
    message.road = &columns;

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_ROADS;
    reply.roads = &message;
    return mcd_call_send(call, &reply);
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
