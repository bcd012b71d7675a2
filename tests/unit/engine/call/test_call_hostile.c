/* test_call_hostile.c - macadam_call refuses requests that it cannot read, with a message, and survives lack
 * of memory. */
#include "engine/include/macadam.h"
#include "tests/support/allocator.h"
#include "tests/support/call_fixture.h"
#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <string.h>

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

/* A snap request of `places` fails, and its message holds `text`. */
static void expect_places_invalid(Macadam__V1__Places *places, const char *text)
{
    Macadam__V1__SnapRequest snap = MACADAM__V1__SNAP_REQUEST__INIT;
    snap.place = places;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_SNAP;
    request.snap = &snap;
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_E_INVALID);
    cr_assert(strstr(reply->message, text), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

static int64_t nodes[] = {10, 30};
static double degrees[] = {1, 2};

Test(call_hostile, longitudes_without_latitudes_are_invalid)
{
    Macadam__V1__Places places = call_nodes(nodes, 0);
    places.n_lon = 2;
    places.lon = degrees;
    expect_places_invalid(&places, "2 lon but 0 lat");
}

Test(call_hostile, nodes_and_points_without_kinds_are_invalid)
{
    Macadam__V1__Places places = call_nodes(nodes, 2);
    places.n_lon = places.n_lat = 1;
    places.lon = places.lat = degrees;
    expect_places_invalid(&places, "2 nodes and 1 points but no kind");
}

Test(call_hostile, kinds_that_do_not_match_the_columns_are_invalid)
{
    Macadam__V1__Places__Kind kind[] = {0, 1};
    Macadam__V1__Places places = call_nodes(nodes, 2);
    places.n_kind = 2;
    places.kind = kind;
    expect_places_invalid(&places, "1 nodes and 1 points, but there are 2 and 0");
}

Test(call_hostile, unknown_kind_is_invalid)
{
    Macadam__V1__Places__Kind kind[] = {0, (Macadam__V1__Places__Kind)-7};
    Macadam__V1__Places places = call_nodes(nodes, 2);
    places.n_kind = 2;
    places.kind = kind;
    expect_places_invalid(&places, "kind[1] is -7");
}

/* A matrix from 10 and 30 to themselves. */
typedef struct square {
    Macadam__V1__Places places;
    Macadam__V1__Query query;
    Macadam__V1__MatrixRequest matrix;
    Macadam__V1__Request request;
} square;

static void make_square(square *out)
{
    out->places = call_nodes(nodes, 2);
    out->query = (Macadam__V1__Query)MACADAM__V1__QUERY__INIT;
    out->matrix = (Macadam__V1__MatrixRequest)MACADAM__V1__MATRIX_REQUEST__INIT;
    out->matrix.source = out->matrix.target = &out->places;
    out->request = (Macadam__V1__Request)MACADAM__V1__REQUEST__INIT;
    out->request.query = &out->query;
    out->request.ask_case = MACADAM__V1__REQUEST__ASK_MATRIX;
    out->request.matrix = &out->matrix;
}

static void expect_square(const square *ask, macadam_status status, const char *text)
{
    Macadam__V1__Reply *reply = call_expect(&ask->request, NULL, NULL, status);
    cr_assert(strstr(reply->message, text), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call_hostile, unknown_metric_is_not_found)
{
    square ask;
    make_square(&ask);
    ask.query.metric = "beauty";
    expect_square(&ask, MACADAM_E_NOT_FOUND, "beauty");
}

Test(call_hostile, message_is_utf8_whatever_the_request_holds)
{
    square ask;
    make_square(&ask);
    ask.query.metric = "a\xff"
                       "b";
    expect_square(&ask, MACADAM_E_NOT_FOUND, "a?b");
}

Test(call_hostile, more_quantities_than_are_answered_are_invalid)
{
    char *quantity[] = {"duration", "distance", "duration"};
    square ask;
    make_square(&ask);
    ask.query.n_quantity = 3;
    ask.query.quantity = quantity;
    expect_square(&ask, MACADAM_E_INVALID, "3");
}

Test(call_hostile, unknown_order_is_invalid)
{
    square ask;
    make_square(&ask);
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    tree.source = &ask.places;
    tree.order = (Macadam__V1__Order)2;
    ask.request.ask_case = MACADAM__V1__REQUEST__ASK_TREE;
    ask.request.tree = &tree;
    expect_square(&ask, MACADAM_E_INVALID, "order 2");
}

Test(call_hostile, tree_of_no_source_is_invalid)
{
    square ask;
    make_square(&ask);
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    ask.request.ask_case = MACADAM__V1__REQUEST__ASK_TREE;
    ask.request.tree = &tree;
    expect_square(&ask, MACADAM_E_INVALID, "");
    macadam__v1__reply__free_unpacked(call_expect(&ask.request, call_refuse_part, NULL, MACADAM_E_INVALID),
                                      NULL);
}

static void expect_reach(Macadam__V1__ReachRequest *reach, const char *text)
{
    square ask;
    make_square(&ask);
    reach->source = &ask.places;
    ask.request.ask_case = MACADAM__V1__REQUEST__ASK_REACH;
    ask.request.reach = reach;
    expect_square(&ask, MACADAM_E_INVALID, text);
}

Test(call_hostile, reach_of_bad_columns_is_invalid)
{
    uint32_t limit[17] = {1, 2, 0x7fffffff};
    Macadam__V1__Column value = MACADAM__V1__COLUMN__INIT;
    Macadam__V1__ReachRequest reach = MACADAM__V1__REACH_REQUEST__INIT;
    reach.limit = limit;
    reach.n_limit = 17;
    expect_reach(&reach, "17");
    reach.n_limit = 3;
    expect_reach(&reach, "2147483647");
    reach.n_limit = 2;
    value.n_value = 2;
    value.value = limit;
    reach.value = &value;
    expect_reach(&reach, "2 values for 5 ids");
    reach.value = NULL;
    reach.nearest = 3;
    expect_reach(&reach, "nearest 3 of 0");
    reach.nearest = UINT32_MAX;
    expect_reach(&reach, "4294967295");
}

Test(call_hostile, routes_of_unequal_columns_are_invalid)
{
    square ask;
    make_square(&ask);
    Macadam__V1__RoutesRequest routes = MACADAM__V1__ROUTES_REQUEST__INIT;
    routes.source = &ask.places;
    ask.request.ask_case = MACADAM__V1__REQUEST__ASK_ROUTES;
    ask.request.routes = &routes;
    expect_square(&ask, MACADAM_E_INVALID, "2 sources but 0 targets");
}

Test(call_hostile, update_with_a_short_column_is_invalid)
{
    uint64_t arc[] = {1, 2};
    uint32_t weight = 3;
    char *duration = "duration";
    Macadam__V1__Column column = MACADAM__V1__COLUMN__INIT, *value = &column;
    column.n_value = 1;
    column.value = &weight;
    Macadam__V1__UpdateRequest update = MACADAM__V1__UPDATE_REQUEST__INIT;
    update.n_arc = 2;
    update.arc = arc;
    update.n_quantity = update.n_value = 1;
    update.quantity = &duration;
    update.value = &value;
    square ask;
    make_square(&ask);
    ask.request.ask_case = MACADAM__V1__REQUEST__ASK_UPDATE;
    ask.request.update = &update;
    expect_square(&ask, MACADAM_E_INVALID, "value[0] has 1 weights for 2");
}

/* ---- damaged bytes, failing allocations ---- */

enum { KINDS = 11 };

static bool take_part(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    (void)data;
    return size > 0;
}

/* The serialized request of each kind; freed with free(). */
static uint8_t *make_bytes(size_t kind, size_t *size)
{
    square ask;
    make_square(&ask);
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    Macadam__V1__RouteRequest route = MACADAM__V1__ROUTE_REQUEST__INIT;
    Macadam__V1__RoutesRequest routes = MACADAM__V1__ROUTES_REQUEST__INIT;
    Macadam__V1__SnapRequest snap = MACADAM__V1__SNAP_REQUEST__INIT;
    Macadam__V1__InfoRequest info = MACADAM__V1__INFO_REQUEST__INIT;
    Macadam__V1__UpdateRequest update = MACADAM__V1__UPDATE_REQUEST__INIT;
    Macadam__V1__IdsRequest ids = MACADAM__V1__IDS_REQUEST__INIT;
    Macadam__V1__VerifyRequest verify = MACADAM__V1__VERIFY_REQUEST__INIT;
    Macadam__V1__ReachRequest reach = MACADAM__V1__REACH_REQUEST__INIT;
    Macadam__V1__TripRequest trip = MACADAM__V1__TRIP_REQUEST__INIT;
    uint64_t arc = 1;
    uint32_t weight = 5, limit[] = {7, 3}, values[CALL_FIXTURE_NODES] = {1, 2, 3};
    char *duration = "duration";
    Macadam__V1__Column column = MACADAM__V1__COLUMN__INIT, *value = &column, per_id = column;
    reach.source = reach.target = &ask.places;
    reach.n_limit = reach.nearest = 2;
    reach.limit = limit;
    per_id.n_value = CALL_FIXTURE_NODES;
    per_id.value = values;
    reach.value = &per_id;
    tree.source = route.waypoint = routes.source = routes.target = snap.place = trip.stop = &ask.places;
    routes.paths = true;
    column.n_value = update.n_arc = update.n_quantity = update.n_value = 1;
    column.value = &weight;
    update.arc = &arc;
    update.quantity = &duration;
    update.value = &value;
    const struct {
        Macadam__V1__Request__AskCase ask;
        void *message;
    } kinds[KINDS] = {
        /* first, because it takes the largest block of scratch: a smaller one kept from another kind would be
         * given up for it where an allocation fails, and the call succeed */
        {MACADAM__V1__REQUEST__ASK_REACH, &reach},   {MACADAM__V1__REQUEST__ASK_MATRIX, &ask.matrix},
        {MACADAM__V1__REQUEST__ASK_TREE, &tree},     {MACADAM__V1__REQUEST__ASK_ROUTE, &route},
        {MACADAM__V1__REQUEST__ASK_ROUTES, &routes}, {MACADAM__V1__REQUEST__ASK_SNAP, &snap},
        {MACADAM__V1__REQUEST__ASK_INFO, &info},     {MACADAM__V1__REQUEST__ASK_UPDATE, &update},
        {MACADAM__V1__REQUEST__ASK_IDS, &ids},       {MACADAM__V1__REQUEST__ASK_VERIFY, &verify},
        {MACADAM__V1__REQUEST__ASK_TRIP, &trip},
    };
    ask.request.ask_case = kinds[kind].ask;
    ask.request.matrix = kinds[kind].message; /* the pointers are a union */
    *size = macadam__v1__request__get_packed_size(&ask.request);
    uint8_t *data = checked_allocate(*size, 1);
    macadam__v1__request__pack(&ask.request, data);
    return data;
}

/* Whatever the bytes: a status, and a Reply that tells the same. */
static void expect_answer(const uint8_t *data, size_t size)
{
    macadam_bytes bytes;
    const macadam_status status = macadam_call(call_engine, data, size, take_part, NULL, &bytes, NULL);
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, bytes.size, bytes.data);
    cr_assert(reply && (int)reply->status == (int)status);
    cr_assert((status == MACADAM_OK) == (reply->message[0] == '\0'));
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_bytes_free(&bytes);
}

Test(call_hostile, truncated_request_is_answered)
{
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        uint8_t *data = make_bytes(kind, &size);
        for (size_t cut = 0; cut < size; ++cut) expect_answer(data, cut);
        free(data);
    }
}

Test(call_hostile, request_with_a_flipped_bit_is_answered)
{
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        uint8_t *data = make_bytes(kind, &size);
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            expect_answer(data, size);
            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        free(data);
    }
}

/* Every allocation of a call fails once; returns how many there were. */
static size_t fail_each(const uint8_t *data, size_t size, macadam_reply_callback part)
{
    for (size_t nth = 1;; ++nth) {
        macadam_bytes bytes;
        allocator_fail(nth);
        const macadam_status status = macadam_call(call_engine, data, size, part, NULL, &bytes, NULL);
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
    for (size_t kind = 0; kind < KINDS; ++kind) {
        size_t size;
        uint8_t *data = make_bytes(kind, &size);
        cr_assert_gt(fail_each(data, size, NULL), 2);
        cr_assert_gt(fail_each(data, size, take_part), 2);
        free(data);
    }
}
