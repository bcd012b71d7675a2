/* call_hops.c - hops and connect requests, each answered by one reply. */
#include "engine/call/columns.h"

static macadam_status send_hops(mcd_call *call, const macadam_hops_request *request, size_t columns,
                                uint32_t *hops, uint32_t *parent, const macadam_place_status *status)
{
    Macadam__V1__HopsReply message = MACADAM__V1__HOPS_REPLY__INIT;
    const size_t cells = request->source_count * columns;
    Macadam__V1__Column hops_column = mcd_column(hops, cells), parent_column = mcd_column(parent, cells);
    message.hops = &hops_column;
    if (parent) message.parent = &parent_column;
    message.n_source_status = request->source_count;
    message.source_status = mcd_place_statuses(status);
    return mcd_call_send(call, &message.base);
}

macadam_status mcd_call_hops(mcd_call *call, const Macadam__V1__HopsRequest *request)
{
    macadam_hops_request own = MACADAM_HOPS_REQUEST_INIT;
    macadam_info info = MACADAM_INFO_INIT;
    macadam_place_status *status;
    uint32_t *hops, *parent = NULL;
    MCD_TRY(mcd_call_decode_places(call, "hops.source", request->source, &own.source, &own.source_count));
    own.reverse = request->reverse;
    own.limit = request->limit;
    own.method = (macadam_hops_method)request->method;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    const size_t cells = own.source_count * info.id_count;
    MCD_TRY(mcd_call_check_cells(call, own.source_count, info.id_count * (request->parents ? 2 : 1)));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, status, own.source_count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, hops, cells, call->error));
    if (request->parents) MCD_TRY(MCD_ARENA_NEW(&call->arena, parent, cells, call->error));
    MCD_TRY(macadam_hops(call->engine, &call->query, &own, hops, parent, status, call->error));
    return send_hops(call, &own, info.id_count, hops, parent, status);
}

static macadam_status send_connection(mcd_call *call, const macadam_connection *found)
{
    Macadam__V1__ConnectReply message = MACADAM__V1__CONNECT_REPLY__INIT;
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_connection, found, 1, &message));
    return mcd_call_send(call, &message.base);
}

/* Decodes a field that must hold one place. */
static macadam_status decode_place(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                   macadam_place *out)
{
    const macadam_place *place;
    size_t count;
    MCD_TRY(mcd_call_decode_places(call, name, places, &place, &count));
    if (count != 1)
        return mcd_fail(call->error, MACADAM_E_INVALID, "%s has %zu places instead of 1", name, count);
    *out = *place;
    return MACADAM_OK;
}

macadam_status mcd_call_connect(mcd_call *call, const Macadam__V1__ConnectRequest *request)
{
    macadam_connect_request own = MACADAM_CONNECT_REQUEST_INIT;
    macadam_connection *found;
    MCD_TRY(decode_place(call, "connect.source", request->source, &own.source));
    MCD_TRY(decode_place(call, "connect.target", request->target, &own.target));
    MCD_TRY(macadam_connect(call->engine, &call->query, &own, &found, call->error));
    const macadam_status status = send_connection(call, found);
    macadam_connection_free(found);
    return status;
}
