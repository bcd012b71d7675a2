/* test_call_hostile.c - macadam_call refuses requests that it cannot read, with a message, and survives lack
 * of memory. */
#include "engine/runtime/engine.h"
#include "tests/support/allocator.h"
#include "tests/support/call_text.h"
#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(call_hostile, .init = call_fixture_open, .fini = call_fixture_close);

static void expect_bytes_invalid(const void *data, size_t size)
{
    macadam__v1__reply__free_unpacked(call_expect_bytes(data, size, NULL, NULL, MACADAM_E_INVALID), NULL);
}

Test(call_hostile, malformed_bytes_are_invalid)
{
    expect_bytes_invalid("\xff\xff\xff\xff", 4);
    expect_bytes_invalid("\x12\x7f", 2); /* a tree request of 127 bytes that are not there */
}

Test(call_hostile, request_that_asks_nothing_is_invalid)
{
    expect_bytes_invalid(NULL, 0);
    expect_bytes_invalid("\xa2\x06\x00", 3); /* field 100, of a later version */
}

Test(call_hostile, places_whose_columns_do_not_fit_are_invalid)
{
    static const char *const bad[][2] = {
        {"lon: [1, 2]", "2 lon but 0 lat"},
        {"node: [10, 30] lon: 1 lat: 1", "2 nodes and 1 points but no kind"},
        {"node: [10, 30] kind: [0, 1]", "1 nodes and 1 points, but there are 2 and 0"},
        {"node: [10, 30] kind: [0, -7]", "kind[1] is -7"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char request[100];
        snprintf(request, sizeof request, "snap { place { %s } }", bad[i][0]);
        call_text_refuse(request, NULL, MACADAM_E_INVALID, bad[i][1]);
    }
}

#define NODES  "{ node: [10, 30] }"
#define SQUARE "matrix { source " NODES " target " NODES " }"

Test(call_hostile, queries_name_what_the_map_lacks)
{
    call_text_refuse("query { metric: beauty } " SQUARE, NULL, MACADAM_E_NOT_FOUND, "beauty");
    call_text_refuse("query { metric: a\xff"
                     "b } " SQUARE,
                     NULL, MACADAM_E_NOT_FOUND, "a?b"); /* the message is UTF-8 whatever the request holds */
    call_text_refuse("query { quantity: [duration, distance, duration] } " SQUARE, NULL, MACADAM_E_INVALID,
                     "3");
}

/* Each '_' of the request is sent as a NUL. */
static void refuse_nul(const char *text, const char *message)
{
    uint8_t bytes[200];
    Macadam__V1__Request *const request = call_text_read(text);
    const size_t size = macadam__v1__request__pack(request, bytes);
    macadam__v1__request__free_unpacked(request, NULL);
    for (size_t i = 0; i < size; ++i)
        if (bytes[i] == '_') bytes[i] = '\0';
    Macadam__V1__Reply *const reply = call_expect_bytes(bytes, size, NULL, NULL, MACADAM_E_INVALID);
    cr_expect_str_eq(reply->message, message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call_hostile, texts_with_a_nul_are_refused_by_the_name_of_the_field)
{
    refuse_nul("query { metric: duration_x } " SQUARE, "query.metric contains a NUL");
    refuse_nul("query { profile: _ } " SQUARE, "query.profile contains a NUL");
    refuse_nul("query { quantity: [duration, distance_] } " SQUARE, "query.quantity contains a NUL");
    refuse_nul("route { waypoint " NODES " language: en_ }", "route.language contains a NUL");
}

Test(call_hostile, unknown_languages_and_units_are_invalid_whether_there_are_steps_or_not)
{
    call_text_refuse("route { waypoint { node: [10, 11] } language: xx }", NULL, MACADAM_E_INVALID,
                     "language \"xx\"");
    call_text_refuse("route { waypoint " NODES " language: xx costs_only: true }", NULL, MACADAM_E_INVALID,
                     "language \"xx\"");
    call_text_refuse("trip { stop " NODES " units: 3 }", NULL, MACADAM_E_INVALID, "3 is not");
    call_text_refuse("match { lon: [1, 2] lat: [1, 2] language: xx }", NULL, MACADAM_E_INVALID,
                     "language \"xx\"");
}

Test(call_hostile, trees_of_unknown_order_or_no_source_are_invalid)
{
    call_text_refuse("tree { source " NODES " order: 2 }", NULL, MACADAM_E_INVALID, "order 2");
    call_text_refuse("tree { }", NULL, MACADAM_E_INVALID, "");
    call_text_refuse("tree { }", call_refuse_part, MACADAM_E_INVALID, "");
}

Test(call_hostile, reach_of_bad_columns_is_invalid)
{
    static const char *const bad[][2] = {
        {"limit: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]", "17"},
        {"limit: [1, 2, 2147483647]", "2147483647"},
        {"limit: [1, 2] value { value: [1, 2] }", "2 values for 5 ids"},
        {"limit: [1, 2] nearest: 3", "nearest 3 of 0"},
        {"limit: [1, 2] nearest: 4294967295", "4294967295"},
        {"target { node: 10 }", "nearest 0 of 1"},
        {"value { value: [1, 2, 3, 4, 5] }", "without a limit"},
        {"percentile: 50", "without opportunities"},
        {"decay { kind: 77 }", "without opportunities"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char request[200];
        snprintf(request, sizeof request, "reach { source %s %s }", NODES, bad[i][0]);
        call_text_refuse(request, NULL, MACADAM_E_INVALID, bad[i][1]);
    }
}

Test(call_hostile, routes_and_updates_of_unequal_columns_are_invalid)
{
    call_text_refuse("routes { source " NODES " }", NULL, MACADAM_E_INVALID, "2 sources but 0 targets");
    call_text_refuse("update { arc: [1, 2] quantity: duration value { value: 3 } }", NULL, MACADAM_E_INVALID,
                     "value[0] has 1 weights for 2");
    call_text_refuse("update { arc: [1, 2] pattern: 1 }", NULL, MACADAM_E_INVALID, "1 pattern for 2 arcs");
    call_text_refuse("update { arc: 1 pattern: 65536 }", NULL, MACADAM_E_INVALID,
                     "update.pattern[0] is 65536, more than 65535");
    call_text_refuse("update { arc: 1 pattern: 1 slot_count: 672 pattern_speed: minutes }", NULL,
                     MACADAM_E_INVALID, "update.pattern_speed has 7 bytes, not rows of 672");
    call_text_refuse("update { arc: 1 pattern: 1 pattern_speed: minutes }", NULL, MACADAM_E_INVALID,
                     "update.pattern_speed has 7 bytes, not rows of 0");
}

/* ---- damaged bytes, failing allocations ---- */

/* One of each kind. The first takes the largest block of scratch: a smaller one kept from another kind would be given up
 * for it where an allocation fails, and the call succeed. */
static const char *const kind_request[] = {
    "reach { source " NODES " target " NODES " limit: [7, 3] nearest: 2 value { value: [1, 2, 3, 0, 0] } }",
    SQUARE,
    "tree { source " NODES " }",
    "route { waypoint " NODES " }",
    "routes { source " NODES " target " NODES " paths: true }",
    "snap { place " NODES " }",
    "info { }",
    "update { arc: 1 quantity: duration value { value: 5 } }",
    "ids { }",
    "verify { }",
    "trip { stop " NODES " }",
};
enum { KINDS = sizeof kind_request / sizeof *kind_request };

static bool take_part(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    (void)data;
    return size > 0;
}

/* The serialized request of each kind; freed with free(). */
static uint8_t *make_bytes(size_t kind, size_t *size)
{
    Macadam__V1__Request *const request = call_text_read(kind_request[kind]);
    *size = macadam__v1__request__get_packed_size(request);
    uint8_t *const data = checked_allocate(*size, 1);
    macadam__v1__request__pack(request, data);
    macadam__v1__request__free_unpacked(request, NULL);
    return data;
}

/* Whatever the bytes: a status, and a Reply that reports the same. */
static void expect_answer(const uint8_t *data, size_t size)
{
    SCOPED(macadam_bytes_free) macadam_bytes bytes;
    const macadam_status status = macadam_call(&bytes, call_engine, data, size, take_part, NULL, NULL);
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, bytes.size, bytes.data);
    cr_assert(reply && (int)reply->status == (int)status);
    cr_assert((status == MACADAM_OK) == (reply->message[0] == '\0'));
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call_hostile, truncated_request_is_answered)
{
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        FREED uint8_t *data = make_bytes(kind, &size);
        for (size_t cut = 0; cut < size; ++cut) expect_answer(data, cut);
    }
}

Test(call_hostile, request_with_a_flipped_bit_is_answered)
{
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        FREED uint8_t *data = make_bytes(kind, &size);
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            expect_answer(data, size);
            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

/* Every allocation of a call fails once; returns how many there were. */
static size_t fail_each(const uint8_t *data, size_t size, macadam_reply_callback part)
{
    for (size_t nth = 1;; ++nth) {
        macadam_bytes bytes;
        allocator_fail(nth);
        const macadam_status status = macadam_call(&bytes, call_engine, data, size, part, NULL, NULL);
        const bool failed = allocator_has_failed();
        allocator_fail(0);
        macadam_bytes_free(&bytes);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu: %s", nth,
                     macadam_status_name(status));
        if (!failed) return nth - 1;
    }
}

Test(call_hostile, every_failed_allocation_is_reported_and_nothing_leaks)
{
    call_engine->dispatch.rates = (mcd_rates){0}; /* no thread beside the calls meets the failures */
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        FREED uint8_t *data = make_bytes(kind, &size);
        cr_assert_gt(fail_each(data, size, NULL), 2);
        cr_assert_gt(fail_each(data, size, take_part), 2);
    }
}
