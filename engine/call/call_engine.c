/* call_engine.c - the requests about the engine and its map: snap, update, info, ids, verify, warm. */
#include "engine/call/columns.h"
#include "engine/runtime/load.h"

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
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_snap, snap, total, out));
    out->n_candidates = count;
    out->candidates = candidates;
    return MACADAM_OK;
}

macadam_status mcd_call_snap(mcd_call *call, const Macadam__V1__SnapRequest *request)
{
    const macadam_place *place;
    size_t count;
    Macadam__V1__Snaps snaps = MACADAM__V1__SNAPS__INIT;
    MCD_TRY(mcd_call_decode_places(call, "snap.place", request->place, &place, &count));
    if (request->candidates > 0) {
        MCD_TRY(snap_candidates(call, place, count, request->candidates, &snaps));
    } else {
        macadam_snap *snap;
        MCD_TRY(MCD_ARENA_NEW(&call->arena, snap, count, call->error));
        MCD_TRY(macadam_snap_places(call->engine, &call->query, place, count, snap, call->error));
        MCD_TRY(MCD_CALL_FILL(call, mcd_of_snap, snap, count, &snaps));
    }
    return mcd_call_send(call, &snaps.base);
}

macadam_status mcd_call_update(mcd_call *call, const Macadam__V1__UpdateRequest *request)
{
    macadam_update_request typed;
    MCD_TRY(mcd_call_decode_update(call, request, &typed));
    MCD_TRY(macadam_update(call->engine, &typed, call->error));

    Macadam__V1__UpdateReply update = MACADAM__V1__UPDATE_REPLY__INIT;
    return mcd_call_send(call, &update.base);
}

static macadam_status encode_quantities(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    const size_t count = info->quantity_count;
    MCD_TRY(
        MCD_CALL_NEW_MESSAGES(call, macadam__v1__info_reply__quantity__descriptor, count, &out->quantity));
    for (size_t q = 0; q < count; ++q) {
        MCD_TRY(mcd_call_encode_text(call, info->quantity[q], &out->quantity[q]->name));
        MCD_TRY(mcd_call_encode_text(call, info->unit[q], &out->quantity[q]->unit));
        out->quantity[q]->is_signed = info->is_signed[q];
    }
    out->n_quantity = count;
    return MACADAM_OK;
}

static macadam_status encode_metrics(mcd_call *call, const macadam_info *info, Macadam__V1__InfoReply *out)
{
    const size_t count = info->metric_count;
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__info_reply__metric__descriptor, count, &out->metric));
    for (size_t m = 0; m < count; ++m) {
        MCD_TRY(mcd_call_encode_text(call, info->metric[m], &out->metric[m]->name));
        MCD_TRY(mcd_call_encode_text(call, info->companion[m], &out->metric[m]->companion));
    }
    out->n_metric = count;
    return MACADAM_OK;
}

macadam_status mcd_call_info(mcd_call *call, const Macadam__V1__InfoRequest *request)
{
    (void)request; /* it has no fields */
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    Macadam__V1__InfoReply message = MACADAM__V1__INFO_REPLY__INIT;
    message.version = (char *)macadam_version(); /* packing only reads it */
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_info, &info, 1, &message));
    MCD_TRY(encode_quantities(call, &info, &message));
    MCD_TRY(encode_metrics(call, &info, &message));
    return mcd_call_send(call, &message.base);
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
    return mcd_call_send(call, &ids.base);
}

macadam_status mcd_call_verify(mcd_call *call, const Macadam__V1__VerifyRequest *request)
{
    (void)request; /* it has no fields */
    MCD_TRY(macadam_engine_verify(call->engine, call->error));
    Macadam__V1__VerifyReply verify = MACADAM__V1__VERIFY_REPLY__INIT;
    return mcd_call_send(call, &verify.base);
}

macadam_status mcd_call_warm(mcd_call *call, const Macadam__V1__WarmRequest *request)
{
    (void)request; /* it has no fields */
    MCD_TRY(macadam_conditions_warm(call->engine, &call->query, call->error));
    return mcd_call_send_end(call);
}
