/* call.c - macadam_call: any request, as serialized macadam.v1 messages. */
#include "engine/call/call.h"

static macadam_status unpack(Macadam__V1__Request **out, const uint8_t *data, size_t size,
                             macadam_error *error)
{
    size_t failed_bytes = 0;
    ProtobufCAllocator allocator = {mcd_library_allocate, mcd_library_free, &failed_bytes};
    *out = NULL;
    if (size > PTRDIFF_MAX || (size && !data))
        return mcd_fail_invalid(error, "%zu bytes of a request are more than an array can hold", size);
    *out = macadam__v1__request__unpack(&allocator, size, data);
    if (*out) return MACADAM_OK;
    if (failed_bytes) return mcd_fail_memory(error, failed_bytes);
    return mcd_fail_invalid(error, "the %zu bytes of the request are not a macadam.v1.Request", size);
}

static void free_request(Macadam__V1__Request **request)
{
    ProtobufCAllocator allocator = {mcd_library_allocate, mcd_library_free, NULL};
    macadam__v1__request__free_unpacked(*request, &allocator);
}

#define DISPATCH(CASE, type, name)                                                                           \
    case MACADAM__V1__REQUEST__ASK_##CASE:                                                                   \
        return mcd_call_##name(call, request->name);

static macadam_status dispatch(mcd_call *call, const Macadam__V1__Request *request)
{
    MCD_TRY(mcd_call_decode_query(call, request->query));
    switch (request->ask_case) {
        MCD_CALL_ASKS(DISPATCH)
    default:
        return mcd_fail_invalid(call->error, "the request is none that this version knows");
    }
}

/* Whether the caller can take the answer to this request. */
static macadam_status check_ask(const mcd_call *call, Macadam__V1__Request__AskCase ask)
{
    const bool has_costs = ask == MACADAM__V1__REQUEST__ASK_TREE || ask == MACADAM__V1__REQUEST__ASK_ROUTES ||
                           ask == MACADAM__V1__REQUEST__ASK_MATRIX ||
                           ask == MACADAM__V1__REQUEST__ASK_ALL_PAIRS;
    if (call->into && !has_costs)
        return mcd_fail_invalid(call->error,
                                "only trees, routes, matrices and all pairs have costs for arrays");
    if (call->route && ask != MACADAM__V1__REQUEST__ASK_ROUTE)
        return mcd_fail_invalid(call->error, "the request is not for a route");
    return MACADAM_OK;
}

static macadam_status answer(mcd_call *call, bool has_out, const uint8_t *data, size_t size)
{
    MCD_FREED_BY(free_request) Macadam__V1__Request *request = NULL;
    if (!has_out) return mcd_fail_invalid(call->error, "out is NULL");
    MCD_TRY(unpack(&request, data, size, call->error));
    MCD_TRY(mcd_call_check_texts(call, data, size));
    MCD_TRY(check_ask(call, request->ask_case));
    return dispatch(call, request);
}

static macadam_status run(mcd_call *call, bool has_out, const uint8_t *request, size_t request_size)
{
    macadam_error unasked; /* the Reply holds the message even if the caller passes no macadam_error */
    call->text = (macadam_text_options)MACADAM_TEXT_OPTIONS_INIT;
    if (!call->error) call->error = &unasked;
    if (!call->reply) return mcd_fail_invalid(call->error, "reply is NULL");
    *call->reply = (macadam_bytes){0};
    const macadam_status status = answer(call, has_out, request, request_size);
    mcd_arena_free(&call->arena); /* first, so that memory is left to report a failure */
    mcd_free(call->part_buffer.data);
    if (status != MACADAM_OK) mcd_call_send_failure(call, status);
    return status;
}

macadam_status macadam_call(macadam_bytes *reply, macadam_engine *engine, const uint8_t *request,
                            size_t request_size, macadam_reply_callback part, void *context,
                            macadam_error *error)
{
    mcd_call call = {.engine = engine, .part = part, .part_context = context, .reply = reply, .error = error};
    return run(&call, true, request, request_size);
}

macadam_status macadam_call_into(uint32_t *const *value, size_t value_count, size_t capacity,
                                 macadam_bytes *reply, macadam_engine *engine, const uint8_t *request,
                                 size_t request_size, macadam_error *error)
{
    static uint32_t *const none[1];
    mcd_call call = {.engine = engine,
                     .into = value ? value : none,
                     .into_count = value ? value_count : 0,
                     .into_capacity = capacity,
                     .reply = reply,
                     .error = error};
    return run(&call, true, request, request_size);
}

macadam_status macadam_call_route(macadam_route **out, macadam_bytes *reply, macadam_engine *engine,
                                  const uint8_t *request, size_t request_size, macadam_error *error)
{
    if (out) *out = NULL;
    mcd_call call = {.engine = engine, .route = out, .reply = reply, .error = error};
    return run(&call, out, request, request_size);
}

void macadam_bytes_free(macadam_bytes *bytes)
{
    if (!bytes) return;
    mcd_free(bytes->data);
    *bytes = (macadam_bytes){0};
}
