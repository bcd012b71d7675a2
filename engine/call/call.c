/* call.c - macadam_call: any request, as serialized macadam.v1 messages. */
#include "engine/call/call.h"

static macadam_status dispatch(mcd_call *call, const Macadam__V1__Request *request)
{
    MCD_TRY(mcd_call_decode_query(call, request->query));
    switch (request->ask_case) {
    case MACADAM__V1__REQUEST__ASK_TREE:
        return mcd_call_tree(call, request->tree);
    case MACADAM__V1__REQUEST__ASK_ROUTE:
        return mcd_call_route(call, request->route);
    case MACADAM__V1__REQUEST__ASK_ROUTES:
        return mcd_call_routes(call, request->routes);
    case MACADAM__V1__REQUEST__ASK_MATRIX:
        return mcd_call_matrix(call, request->matrix);
    case MACADAM__V1__REQUEST__ASK_SNAP:
        return mcd_call_snap(call, request->snap);
    case MACADAM__V1__REQUEST__ASK_UPDATE:
        return mcd_call_update(call, request->update);
    case MACADAM__V1__REQUEST__ASK_INFO:
        return mcd_call_info(call);
    case MACADAM__V1__REQUEST__ASK_IDS:
        return mcd_call_ids(call, request->ids);
    case MACADAM__V1__REQUEST__ASK_VERIFY:
        return mcd_call_verify(call);
    case MACADAM__V1__REQUEST__ASK_REACH:
        return mcd_call_reach(call, request->reach);
    case MACADAM__V1__REQUEST__ASK_ISOCHRONE:
        return mcd_call_isochrone(call, request->isochrone);
    case MACADAM__V1__REQUEST__ASK_RINGS:
        return mcd_call_rings(call, request->rings);
    case MACADAM__V1__REQUEST__ASK_ROADS:
        return mcd_call_roads(call, request->roads);
    case MACADAM__V1__REQUEST__ASK_HOPS:
        return mcd_call_hops(call, request->hops);
    case MACADAM__V1__REQUEST__ASK_CONNECT:
        return mcd_call_connect(call, request->connect);
    case MACADAM__V1__REQUEST__ASK_ALL_PAIRS:
        return mcd_call_all_pairs(call, request->all_pairs);
    case MACADAM__V1__REQUEST__ASK_CLOSURE:
        return mcd_call_closure(call);
    case MACADAM__V1__REQUEST__ASK_WARM:
        return mcd_call_warm(call);
    case MACADAM__V1__REQUEST__ASK_MATCH:
        return mcd_call_match(call, request->match);
    case MACADAM__V1__REQUEST__ASK_TRIP:
        return mcd_call_trip(call, request->trip);
    default:
        return mcd_fail(call->error, MACADAM_E_INVALID,
                        "the request asks for nothing that this version knows");
    }
}

static macadam_status answer(mcd_call *call, const uint8_t *data, size_t size)
{
    Macadam__V1__Request *request;
    MCD_TRY(mcd_request_unpack(&request, data, size, call->error));
    const macadam_status status = dispatch(call, request);
    mcd_request_free(request);
    return status;
}

macadam_status macadam_call(macadam_engine *engine, const uint8_t *request, size_t request_size,
                            macadam_reply_callback part, void *context, macadam_bytes *reply,
                            macadam_error *error)
{
    macadam_error unasked; /* the Reply holds the message even if the caller passes no macadam_error */
    mcd_call call = {
        .engine = engine,
        .part = part,
        .part_context = context,
        .reply = reply,
        .error = error ? error : &unasked,
    };
    if (!reply) return mcd_fail(error, MACADAM_E_INVALID, "reply is NULL");
    *reply = (macadam_bytes){0};
    const macadam_status status = answer(&call, request, request_size);
    mcd_arena_free(&call.arena); /* first, so that memory is left to report a failure */
    mcd_free(call.part_buffer.data);
    if (status != MACADAM_OK) mcd_call_send_failure(&call, status);
    return status;
}

void macadam_bytes_free(macadam_bytes *bytes)
{
    if (!bytes) return;
    mcd_free(bytes->data);
    *bytes = (macadam_bytes){0};
}
