/* test_call_into.c - macadam_call_into writes to the caller's arrays what macadam_call has in its Reply. */
#include "tests/support/allocator.h"
#include "tests/support/call_text.h"

#include "engine/runtime/engine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(call_into, .init = call_fixture_open, .fini = call_fixture_close);

enum { COSTS = 100 };

static const char *const answered[] = {
    "matrix { source { node: [10, 99, 30, 50] } target { node: [30, 50, 10] } }",
    "query { quantity: [distance, duration] } matrix { source { node: [10, 30] } target { node: 20 } }",
    "query { clock { depart: [0, 1000] } } matrix { source { node: [10, 99] } target { node: [30, 20] } }",
    "query { quantity: [distance, duration] } tree { source { node: [10, 99] } reverse: true }",
    "tree { source { node: 10 } parents: true method: near-far }",
    "routes { source { node: [10, 30, 50] } target { node: [30, 10, 10] } paths: true }",
    "all_pairs { method: floyd-warshall next: true }",
};

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes pack(const char *text)
{
    Macadam__V1__Request *const request = call_text_read(text);
    bytes packed = {.size = macadam__v1__request__get_packed_size(request)};
    packed.data = malloc(packed.size);
    cr_assert_not_null(packed.data);
    macadam__v1__request__pack(request, packed.data);
    macadam__v1__request__free_unpacked(request, NULL);
    return packed;
}

/* The costs of a tile or of routes. */
static Macadam__V1__Column **columns_of(const Macadam__V1__Reply *reply, size_t *count)
{
    const ProtobufCMessage *const answer = &reply->tree->base; /* a member of the union */
    const ProtobufCFieldDescriptor *const field =
        protobuf_c_message_descriptor_get_field_by_name(answer->descriptor, "value");
    memcpy(count, (const char *)answer + field->quantifier_offset, sizeof *count);
    Macadam__V1__Column **columns;
    memcpy(&columns, (const char *)answer + field->offset, sizeof columns);
    return columns;
}

/* Compares with the arrays, and empties the columns. */
static void take_columns(const Macadam__V1__Reply *reply, uint32_t *const *value, const char *text)
{
    size_t quantity_count;
    Macadam__V1__Column *const *const column = columns_of(reply, &quantity_count);
    for (size_t q = 0; q < quantity_count; ++q) {
        const size_t count = column[q]->n_value;
        cr_expect_gt(count, 0, "%s", text);
        cr_expect_arr_eq(value[q], column[q]->value, count * sizeof(uint32_t), "%s", text);
        cr_expect_eq(value[q][count], 7u, "%s: writes past the answer", text);
        column[q]->n_value = 0;
    }
}

Test(call_into, the_arrays_and_the_reply_hold_the_answer)
{
    for (size_t i = 0; i < sizeof answered / sizeof *answered; ++i) {
        const bytes request = pack(answered[i]);
        uint32_t costs[2][COSTS], *const value[] = {costs[0], costs[1]};
        for (size_t c = 0; c < COSTS; ++c) costs[0][c] = costs[1][c] = 7;
        macadam_bytes whole, rest;
        macadam_error error;
        cr_assert_eq(macadam_call(&whole, call_engine, request.data, request.size, NULL, NULL, &error),
                     MACADAM_OK);
        cr_assert_eq(
            macadam_call_into(value, 2, COSTS - 1, &rest, call_engine, request.data, request.size, &error),
            MACADAM_OK, "%s: %s", answered[i], error.message);
        Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, whole.size, whole.data);
        take_columns(reply, value, answered[i]);
        cr_assert_eq(macadam__v1__reply__pack(reply, whole.data), rest.size, "%s", answered[i]);
        cr_expect_arr_eq(whole.data, rest.data, rest.size, "%s", answered[i]);
        macadam__v1__reply__free_unpacked(reply, NULL);
        macadam_bytes_free(&whole);
        macadam_bytes_free(&rest);
        free(request.data);
    }
}

Test(call_into, a_route_comes_with_its_reply)
{
    const bytes request = pack("route { waypoint { node: [10, 30] } steps: true }");
    macadam_bytes whole, reply;
    macadam_route *route;
    cr_assert_eq(macadam_call(&whole, call_engine, request.data, request.size, NULL, NULL, NULL), MACADAM_OK);
    cr_assert_eq(macadam_call_route(&route, &reply, call_engine, request.data, request.size, NULL),
                 MACADAM_OK);
    cr_assert_eq(whole.size, reply.size);
    cr_expect_arr_eq(whole.data, reply.data, whole.size);
    cr_expect(route->found && route->value[0] == 5 && route->arc_count > 1);
    macadam_route_free(route);
    macadam_bytes_free(&whole);
    macadam_bytes_free(&reply);
    cr_expect_eq(macadam_call_route(&route, &reply, call_engine, request.data, request.size - 1, NULL),
                 MACADAM_E_INVALID);
    cr_expect_null(route);
    macadam_bytes_free(&reply);
    free(request.data);

    const bytes other = pack(answered[0]);
    macadam_error error;
    cr_expect_eq(macadam_call_route(&route, &reply, call_engine, other.data, other.size, &error),
                 MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "the request is not for a route");
    macadam_bytes_free(&reply);
    reply = (macadam_bytes){other.data, other.size}; /* of a call before */
    cr_expect_eq(macadam_call_route(NULL, &reply, call_engine, other.data, other.size, &error),
                 MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "out is NULL");
    cr_expect_neq(reply.data, other.data);
    cr_expect_gt(reply.size, 0);
    macadam_bytes_free(&reply);
    free(other.data);
}

static void refuse(const char *text, uint32_t *const *value, size_t value_count, size_t capacity,
                   const char *message)
{
    const bytes request = pack(text);
    macadam_bytes rest;
    macadam_error error;
    const macadam_status status = macadam_call_into(value, value_count, capacity, &rest, call_engine,
                                                    request.data, request.size, &error);
    cr_expect_eq(status, MACADAM_E_INVALID, "%s", text);
    cr_expect_not_null(strstr(error.message, message), "%s: %s", text, error.message);
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, rest.size, rest.data);
    cr_expect_str_eq(reply->message, error.message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_bytes_free(&rest);
    free(request.data);
}

Test(call_into, too_little_room_and_other_requests_are_invalid)
{
    uint32_t costs[COSTS], *const value[] = {costs, NULL};
    refuse(answered[0], value, 1, 11,
           "quantities of the answer: 1, costs of each: 12; arrays for them: 1, room of each: 11");
    refuse(answered[1], value, 1, COSTS, "quantities of the answer: 2, costs of each: 2; arrays for them: 1");
    refuse(answered[1], value, 2, COSTS, "value[1] is NULL");
    refuse(answered[0], NULL, 1, COSTS, "arrays for them: 0");
    refuse("route { waypoint { node: [10, 30] } }", value, 1, COSTS, "only trees");
    refuse("reach { source { node: 10 } limit: 5 }", value, 1, COSTS, "only trees");
    cr_expect_eq(macadam_call_into(value, 1, COSTS, NULL, call_engine, NULL, 0, NULL), MACADAM_E_INVALID);
}

Test(call_into, every_failed_allocation_is_reported_and_nothing_leaks)
{
    call_engine->dispatch.rates = (mcd_rates){0}; /* no thread beside the calls meets the failures */
    uint32_t costs[2][COSTS], *const value[] = {costs[0], costs[1]};
    for (size_t i = 0; i < sizeof answered / sizeof *answered; ++i) {
        const bytes request = pack(answered[i]);
        bool failed = true;
        size_t reported = 0; /* searches do without some memory */
        for (size_t nth = 1; failed; ++nth) {
            macadam_bytes rest;
            allocator_fail(nth);
            const macadam_status status =
                macadam_call_into(value, 2, COSTS, &rest, call_engine, request.data, request.size, NULL);
            failed = allocator_has_failed();
            allocator_fail(0);
            macadam_bytes_free(&rest);
            reported += status == MACADAM_E_MEMORY;
            cr_assert(status == MACADAM_OK || (failed && status == MACADAM_E_MEMORY), "%s: allocation %zu",
                      answered[i], nth);
        }
        cr_expect_gt(reported, 2, "%s", answered[i]);
        free(request.data);
    }
}
