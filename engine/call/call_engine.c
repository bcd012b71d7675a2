/* call_engine.c - the requests about the engine and its map: snap, update, info, ids, verify, warm. */
#include "engine/call/call.h"
#include "engine/runtime/load.h"

static macadam_status snap_candidates(mcd_call *call, const macadam_place *place, size_t count,
                                      size_t capacity, Macadam__V1__Snaps *out)
{
    macadam_snap *snap;
    uint32_t *candidates;
    size_t total = 0;
    if (capacity > MACADAM_SNAP_CANDIDATES_MAX)
        return mcd_fail_invalid(call->error, "snap.candidates is %zu, more than %d", capacity,
                                MACADAM_SNAP_CANDIDATES_MAX);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, snap, count * capacity, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, candidates, count, call->error));
    for (size_t i = 0; i < count; ++i) {
        size_t found;
        MCD_TRY(macadam_snap_find_candidates(&snap[total], &found, call->engine, &call->query, &place[i],
                                             capacity, call->error));
        candidates[i] = found > 0 ? (uint32_t)found : 1; /* if none is found, one that says why */
        total += candidates[i];
    }
    MCD_TRY(MCD_CALL_FILL(call, snap, snap, total, out));
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
        MCD_TRY(macadam_snap_find(snap, call->engine, &call->query, place, count, call->error));
        MCD_TRY(MCD_CALL_FILL(call, snap, snap, count, &snaps));
    }
    return mcd_call_send(call, &snaps.base);
}

macadam_status mcd_call_update(mcd_call *call, const Macadam__V1__UpdateRequest *request)
{
    macadam_update_request typed;
    size_t unknown = 0;
    MCD_TRY(mcd_call_decode_update(call, request, &typed));
    if (request->passes_unknown) typed.unknown_count = &unknown;
    MCD_TRY(macadam_update(call->engine, &typed, call->error));

    Macadam__V1__UpdateReply update = MACADAM__V1__UPDATE_REPLY__INIT;
    update.unknown = unknown;
    return mcd_call_send(call, &update.base);
}

/* Makes messages whose first two fields are texts. */
static macadam_status encode_texts(mcd_call *call, const ProtobufCMessageDescriptor *of,
                                   const char *const *first, const char *const *second, size_t count,
                                   ProtobufCMessage ***list)
{
    MCD_TRY(mcd_call_new_messages(call, of, count, list));
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_call_encode_text(call, first[i], (char **)((char *)(*list)[i] + of->fields[0].offset)));
        MCD_TRY(mcd_call_encode_text(call, second[i], (char **)((char *)(*list)[i] + of->fields[1].offset)));
    }
    return MACADAM_OK;
}

macadam_status mcd_call_info(mcd_call *call, MCD_UNUSED const Macadam__V1__InfoRequest *request)
{
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(&info, call->engine, call->error));
    Macadam__V1__InfoReply message = MACADAM__V1__INFO_REPLY__INIT;
    message.version = (char *)macadam_version(); /* packing only reads it */
    MCD_TRY(MCD_CALL_FILL(call, info, &info, 1, &message));
    message.n_quantity = info.quantity_count;
    message.n_metric = info.metric_count;
    MCD_TRY(encode_texts(call, &macadam__v1__info_reply__quantity__descriptor, info.quantity, info.unit,
                         info.quantity_count, (ProtobufCMessage ***)&message.quantity));
    MCD_TRY(encode_texts(call, &macadam__v1__info_reply__metric__descriptor, info.metric, info.companion,
                         info.metric_count, (ProtobufCMessage ***)&message.metric));
    for (size_t q = 0; q < info.quantity_count; ++q) message.quantity[q]->is_signed = info.is_signed[q];
    return mcd_call_send(call, &message.base);
}

macadam_status mcd_call_count_order(mcd_call *call, macadam_order order, size_t *out)
{
    macadam_info info = MACADAM_INFO_INIT;
    *out = 0;
    if (order != MACADAM_ORDER_IDS && order != MACADAM_ORDER_NODES)
        return mcd_fail_invalid(call->error, "order %d is not known", (int)order);
    MCD_TRY(macadam_engine_info(&info, call->engine, call->error));
    *out = order == MACADAM_ORDER_IDS ? info.id_count : info.node_count;
    return MACADAM_OK;
}

macadam_status mcd_call_count_ids(mcd_call *call, size_t *out)
{
    return mcd_call_count_order(call, MACADAM_ORDER_IDS, out);
}

macadam_status mcd_call_ids(mcd_call *call, const Macadam__V1__IdsRequest *request)
{
    const int64_t *id;
    size_t count;
    MCD_TRY(mcd_call_count_order(call, (macadam_order)request->order, &count));
    MCD_TRY(mcd_engine_find_ids(call->engine, request->order == MACADAM__V1__ORDER__ORDER_NODES, &id,
                                call->error));
    Macadam__V1__IdsReply ids = MACADAM__V1__IDS_REPLY__INIT;
    MCD_BORROW(&ids, id, id, count);
    return mcd_call_send(call, &ids.base);
}

macadam_status mcd_call_verify(mcd_call *call, MCD_UNUSED const Macadam__V1__VerifyRequest *request)
{
    MCD_TRY(macadam_engine_verify(call->engine, call->error));
    Macadam__V1__VerifyReply verify = MACADAM__V1__VERIFY_REPLY__INIT;
    return mcd_call_send(call, &verify.base);
}

macadam_status mcd_call_warm(mcd_call *call, MCD_UNUSED const Macadam__V1__WarmRequest *request)
{
    MCD_TRY(macadam_conditions_warm(call->engine, &call->query, call->error));
    return mcd_call_send_end(call);
}
