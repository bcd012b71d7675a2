/* call_engine.c - the requests about the engine and its map: snap, update, info, ids, verify, warm. */
#include "engine/call/call.h"
#include "engine/runtime/load.h"

static macadam_status snap_nearest(mcd_call *call, const macadam_place *place, size_t count,
                                   Macadam__V1__Snaps *out)
{
    macadam_snap *snap;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, snap, count, call->error));
    MCD_TRY(macadam_snap_places(call->engine, &call->query, place, count, snap, call->error));
    return mcd_call_encode_snaps(call, snap, count, out);
}

static macadam_status snap_candidates(mcd_call *call, const macadam_place *place, size_t count,
                                      size_t capacity, Macadam__V1__Snaps *out)
{
    macadam_snap *snap;
    uint32_t *candidates;
    size_t total = 0;
    if (capacity > MACADAM_SNAP_CANDIDATES_MAX)
        return mcd_fail(call->error, MACADAM_E_INVALID, "snap.candidates is %zu, more than %d", capacity,
                        MACADAM_SNAP_CANDIDATES_MAX);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, snap, count * capacity, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, candidates, count, call->error));
    for (size_t i = 0; i < count; ++i) {
        size_t found;
        MCD_TRY(macadam_snap_candidates(call->engine, &call->query, &place[i], capacity, &snap[total], &found,
                                        call->error));
        candidates[i] = found > 0 ? (uint32_t)found : 1; /* if none is found, one that says why */
        total += candidates[i];
    }
    MCD_TRY(mcd_call_encode_snaps(call, snap, total, out));
    out->n_candidates = count;
    out->candidates = candidates;
    return MACADAM_OK;
}

macadam_status mcd_call_snap(mcd_call *call, const Macadam__V1__SnapRequest *request)
{
    const macadam_place *place;
    size_t count;
    Macadam__V1__Snaps snaps;
    MCD_TRY(mcd_call_decode_places(call, "snap.place", request->place, &place, &count));
    MCD_TRY(request->candidates > 0 ? snap_candidates(call, place, count, request->candidates, &snaps)
                                    : snap_nearest(call, place, count, &snaps));

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_SNAP;
    reply.snap = &snaps;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_update(mcd_call *call, const Macadam__V1__UpdateRequest *request)
{
    macadam_update_request typed;
    MCD_TRY(mcd_call_decode_update(call, request, &typed));
    MCD_TRY(macadam_update(call->engine, &typed, call->error));

    Macadam__V1__UpdateReply update = MACADAM__V1__UPDATE_REPLY__INIT;
    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_UPDATE;
    reply.update = &update;
    return mcd_call_send(call, &reply);
}

static macadam_status encode_quantities(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    Macadam__V1__InfoReply__Quantity *quantity;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, quantity, info->quantity_count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->quantity, info->quantity_count, call->error));
    for (size_t q = 0; q < info->quantity_count; ++q) {
        quantity[q] = (Macadam__V1__InfoReply__Quantity)MACADAM__V1__INFO_REPLY__QUANTITY__INIT;
        MCD_TRY(mcd_call_encode_text(call, info->quantity[q], &quantity[q].name));
        MCD_TRY(mcd_call_encode_text(call, info->unit[q], &quantity[q].unit));
        quantity[q].is_signed = info->is_signed[q];
        out->quantity[q] = &quantity[q];
    }
    out->n_quantity = info->quantity_count;
    return MACADAM_OK;
}

static macadam_status encode_metrics(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    Macadam__V1__InfoReply__Metric *metric;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, metric, info->metric_count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->metric, info->metric_count, call->error));
    for (size_t m = 0; m < info->metric_count; ++m) {
        metric[m] = (Macadam__V1__InfoReply__Metric)MACADAM__V1__INFO_REPLY__METRIC__INIT;
        MCD_TRY(mcd_call_encode_text(call, info->metric[m], &metric[m].name));
        MCD_TRY(mcd_call_encode_text(call, info->companion[m], &metric[m].companion));
        out->metric[m] = &metric[m];
    }
    out->n_metric = info->metric_count;
    return MACADAM_OK;
}

static macadam_status encode_profiles(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->profiles, info->profile_count, call->error));
    for (size_t i = 0; i < info->profile_count; ++i)
        MCD_TRY(mcd_call_encode_text(call, info->profiles[i], &out->profiles[i]));
    out->n_profiles = info->profile_count;
    return MACADAM_OK;
}

static macadam_status encode_texts(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    MCD_TRY(mcd_call_encode_text(call, macadam_version(), &out->version));
    MCD_TRY(mcd_call_encode_text(call, info->source, &out->source));
    MCD_TRY(mcd_call_encode_text(call, info->profile, &out->profile));
    MCD_TRY(mcd_call_encode_text(call, info->build, &out->build));
    MCD_TRY(mcd_call_encode_text(call, info->device_reason, &out->device_reason));
    return mcd_call_encode_text(call, info->device, &out->device);
}

static void encode_numbers(const macadam_info *info, Macadam__V1__InfoReply *out)
{
    out->file_format = info->file_format;
    out->file_bytes = info->file_bytes;
    out->id_count = info->id_count;
    out->node_count = info->node_count;
    out->arc_count = info->arc_count;
    out->component_count = info->component_count;
    out->restriction_count = info->restriction_count;
    out->up_arc_count = info->up_arc_count;
    out->height = info->height;
    out->has_coordinates = info->has_coordinates;
    out->has_geometry = info->has_geometry;
    out->has_heights = info->has_heights;
    out->west = info->west;
    out->south = info->south;
    out->east = info->east;
    out->north = info->north;
    out->device_bytes = info->device_bytes;
    out->idle_device_bytes = info->idle_device_bytes;
    out->idle_host_bytes = info->idle_host_bytes;
    out->has_node_ids = info->has_node_ids;
}

macadam_status mcd_call_info(mcd_call *call)
{
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    Macadam__V1__InfoReply message = MACADAM__V1__INFO_REPLY__INIT;
    encode_numbers(&info, &message);
    MCD_TRY(encode_texts(call, &info, &message));
    MCD_TRY(encode_profiles(call, &info, &message));
    MCD_TRY(encode_quantities(call, &info, &message));
    MCD_TRY(encode_metrics(call, &info, &message));

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_INFO;
    reply.info = &message;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_ids(mcd_call *call, const Macadam__V1__IdsRequest *request)
{
    macadam_order order;
    MCD_TRY(mcd_call_decode_order(call, request->order, &order));
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    const bool by_id = order == MACADAM_ORDER_IDS;
    const int64_t *id;
    MCD_TRY(mcd_engine_find_ids(call->engine, !by_id, &id, call->error));
    Macadam__V1__IdsReply ids = MACADAM__V1__IDS_REPLY__INIT;
    ids.n_id = by_id ? info.id_count : info.node_count;
    ids.id = (int64_t *)id; /* packing only reads it */

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_IDS;
    reply.ids = &ids;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_verify(mcd_call *call)
{
    MCD_TRY(macadam_engine_verify(call->engine, call->error));
    Macadam__V1__VerifyReply verify = MACADAM__V1__VERIFY_REPLY__INIT;
    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_VERIFY;
    reply.verify = &verify;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_warm(mcd_call *call)
{
    MCD_TRY(macadam_conditions_warm(call->engine, &call->query, call->error));
    return mcd_call_send_end(call);
}
