/* call_closure.c - closure requests: all bits in one reply. */
#include "engine/call/call.h"

macadam_status mcd_call_closure(mcd_call *call, const Macadam__V1__ClosureRequest *request)
{
    (void)request; /* it has no fields */
    macadam_info info = MACADAM_INFO_INIT;
    macadam_closure_request own = MACADAM_CLOSURE_REQUEST_INIT;
    Macadam__V1__ClosureReply message = MACADAM__V1__CLOSURE_REPLY__INIT;
    own.memory_limit = call->query.memory_limit;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    const size_t words = ((info.id_count + 7) / 8 + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    MCD_TRY(mcd_call_check_cells(call, info.id_count, words));
    message.ids = info.id_count;
    message.bits.len = info.id_count * ((info.id_count + 7) / 8);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, message.bits.data, message.bits.len, call->error));
    MCD_TRY(macadam_closure_into(call->engine, &own, message.bits.data, call->error));
    return mcd_call_send(call, &message.base);
}
