/* call_reply.c - replies: how their columns are filled, and how they reach the caller. */
#include "engine/call/call.h"

#include <inttypes.h>

#include "engine/base/utf8.h"

static_assert((int)MACADAM__V1__STATUS__STATUS_FULL == (int)MACADAM_E_FULL,
              "a Status has the values of macadam_status");
static_assert((int)MACADAM__V1__PLACE_STATUS__PLACE_UNREACHED == (int)MACADAM_PLACE_UNREACHED,
              "a PlaceStatus has the values of macadam_place_status");
static_assert((int)MACADAM__V1__ROUTE_REASON__ROUTE_END_BLOCKED == (int)MACADAM_ROUTE_END_BLOCKED,
              "a RouteReason has the values of macadam_route_reason");
static_assert(sizeof(Macadam__V1__PlaceStatus) == sizeof(macadam_place_status),
              "an array of one is read as an array of the other");

static macadam_status check_bytes(const mcd_call *call, uint64_t bytes)
{
    if (bytes <= MCD_REPLY_BYTES_MAX) return MACADAM_OK;
    return mcd_fail(call->error, MACADAM_E_LIMIT,
                    "the answer has %" PRIu64 " bytes, one Reply at most %" PRIu64
                    ": take trees and matrices in parts by the callback, split other requests",
                    bytes, MCD_REPLY_BYTES_MAX);
}

macadam_status mcd_call_check_cells(mcd_call *call, size_t rows, size_t columns)
{
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)rows, (uint64_t)columns, &bytes) ||
        __builtin_mul_overflow(bytes, call->quantity_count * sizeof(uint32_t), &bytes))
        bytes = UINT64_MAX;
    if (call->into && bytes < SIZE_MAX) return MACADAM_OK; /* the Reply does not hold the cells */
    return check_bytes(call, bytes);
}

macadam_status mcd_call_new_values(mcd_call *call, size_t count, uint32_t *value[MACADAM_QUANTITIES_MAX])
{
    if (call->into && (call->quantity_count > call->into_count || count > call->into_capacity))
        return mcd_fail_invalid(
            call->error,
            "quantities of the answer: %zu, costs of each: %zu; arrays for them: %zu, room of each: %zu",
            call->quantity_count, count, call->into_count, call->into_capacity);
    for (size_t q = 0; q < call->quantity_count; ++q) {
        if (!call->into)
            MCD_TRY(MCD_ARENA_NEW(&call->arena, value[q], count, call->error));
        else if (!(value[q] = call->into[q]) && count)
            return mcd_fail_invalid(call->error, "value[%zu] is NULL", q);
    }
    return MACADAM_OK;
}

static macadam_status send_whole(mcd_call *call, const Macadam__V1__Reply *reply)
{
    const size_t bytes = macadam__v1__reply__get_packed_size(reply);
    MCD_TRY(check_bytes(call, bytes));
    MCD_TRY(MCD_NEW(call->reply->data, bytes, call->error));
    call->reply->size = macadam__v1__reply__pack(reply, call->reply->data);
    return MACADAM_OK;
}

static macadam_status send_part(mcd_call *call, const Macadam__V1__Reply *reply)
{
    const size_t bytes = macadam__v1__reply__get_packed_size(reply);
    MCD_TRY(check_bytes(call, bytes));
    if (bytes > call->part_buffer.size) {
        mcd_free(call->part_buffer.data);
        call->part_buffer.size = 0;
        MCD_TRY(MCD_NEW(call->part_buffer.data, bytes, call->error));
        call->part_buffer.size = bytes;
    }
    macadam__v1__reply__pack(reply, call->part_buffer.data);
    if (call->part(call->part_context, call->part_buffer.data, bytes)) return MACADAM_OK;
    return mcd_fail(call->error, MACADAM_E_CANCELLED, "cancelled by the callback that takes the replies");
}

/* Returns a Reply with this answer: each answer has a message type of its own. */
static Macadam__V1__Reply reply_of(const ProtobufCMessage *answer)
{
    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    const ProtobufCFieldDescriptor *field = macadam__v1__reply__descriptor.fields;
    while (field->descriptor != answer->descriptor) ++field;
    reply.answer_case = (Macadam__V1__Reply__AnswerCase)field->id;
    memcpy((char *)&reply + field->offset, &answer, sizeof answer);
    return reply;
}

macadam_status mcd_call_send(mcd_call *call, const ProtobufCMessage *answer)
{
    const Macadam__V1__Reply reply = reply_of(answer);
    return send_whole(call, &reply);
}

macadam_status mcd_call_send_tile(mcd_call *call, const ProtobufCMessage *tile)
{
    const Macadam__V1__Reply reply = reply_of(tile);
    return call->part ? send_part(call, &reply) : send_whole(call, &reply);
}

macadam_status mcd_call_send_end(mcd_call *call)
{
    const Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    return send_whole(call, &reply);
}

void mcd_call_send_failure(mcd_call *call, macadam_status status)
{
    macadam_error error = *call->error; /* a failure to send must not replace the message that is sent */
    mcd_utf8_repair(error.message);
    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.status = (Macadam__V1__Status)status;
    reply.message = error.message;
    const size_t bytes = macadam__v1__reply__get_packed_size(&reply);
    call->reply->data = mcd_allocate(bytes, 1);
    if (call->reply->data) call->reply->size = macadam__v1__reply__pack(&reply, call->reply->data);
}

Macadam__V1__Column *mcd_call_column(mcd_call *call, size_t number, const uint32_t *value, size_t count)
{
    Macadam__V1__Column *const column = &call->column[number];
    macadam__v1__column__init(column);
    MCD_BORROW(column, value, value, count);
    return value ? column : NULL;
}

Macadam__V1__Column **mcd_call_columns(mcd_call *call, const uint32_t *const *value, size_t count)
{
    for (size_t q = 0; q < call->quantity_count; ++q)
        call->columns[q] = mcd_call_column(call, q, value[q], call->into ? 0 : count);
    return call->columns;
}

macadam_status mcd_call_statuses(mcd_call *call, const macadam_place_status *status, size_t first,
                                 size_t count, size_t times, const macadam_place_status **out)
{
    macadam_place_status *repeated;
    *out = status + first;
    if (times == 1) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, repeated, count, call->error));
    for (size_t i = 0; i < count; ++i) repeated[i] = status[(first + i) / times];
    *out = repeated;
    return MACADAM_OK;
}

macadam_status mcd_call_encode_text(mcd_call *call, const char *text, char **out)
{
    *out = (char *)(text ? text : ""); /* packing only reads it */
    const size_t bytes = strlen(*out) + 1;
    if (mcd_utf8_length(*out, bytes) == bytes) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, *out, bytes, call->error));
    memcpy(*out, text, bytes);
    mcd_utf8_repair(*out);
    return MACADAM_OK;
}
