/* test_call.c - macadam_call answers in one reply and in parts. The relation call_is_matrix of tests/metamorphic compares
 * random answers with the typed call's. */
#include "engine/runtime/engine.h"
#include "tests/support/checked.h"
#include "tests/support/call_text.h"
#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(call, .init = call_fixture_open, .fini = call_fixture_close);

/* The map is in call_fixture.h; no node has the id 99. */
#define BOTH    "query { quantity: [distance, duration] } "
#define ROWS    "{ node: [10, 99, 30, 50] }"
#define COLUMNS "{ node: [30, 50, 10] }"

static int64_t *repeat(int64_t node, size_t count)
{
    int64_t *const all = malloc(count * sizeof *all);
    cr_assert_not_null(all);
    for (size_t i = 0; i < count; ++i) all[i] = node;
    return all;
}

static void set_nodes(Macadam__V1__Places *places, size_t count)
{
    free(places->node);
    places->node = repeat(10, count);
    places->n_node = count;
}

Test(call, a_matrix_is_whole_or_in_parts)
{
    static const char request[] = BOTH "matrix { source " ROWS " target " COLUMNS " }";
    call_text_expect(
        request, "matrix { rows: 4 columns: 3 value { value: [3, -1, 0, -1, -1, -1, 0, -1, 0, -1, 0, -1] } "
                 "value { value: [5, -1, 0, -1, -1, -1, 0, -1, 7, -1, 0, -1] } source_status: [PLACE_OK, "
                 "PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] target_status: [PLACE_OK, PLACE_OK, PLACE_OK] }");
    call_text_refuse(request, call_refuse_part, MACADAM_E_CANCELLED, "");
}

/* The nodes of 30, 10 and 50 ascend. */
Test(call, a_matrix_comes_in_the_engines_order)
{
    static const char request[] = BOTH "matrix { source " ROWS " target " COLUMNS " engine_order: true }";
    call_text_expect(
        request, "matrix { rows: 4 columns: 3 value { value: [0, 0, -1, 3, 0, -1, -1, -1, 0, -1, -1, -1] } "
                 "value { value: [0, 7, -1, 5, 0, -1, -1, -1, 0, -1, -1, -1] } source_status: [PLACE_OK, "
                 "PLACE_OK, PLACE_OK, PLACE_UNKNOWN_ID] target_status: [PLACE_OK, PLACE_OK, PLACE_OK] "
                 "source_order: [2, 0, 3, 1] target_order: [0, 2, 1] }");
}

Test(call, answer_beyond_one_reply_fails_before_any_work_and_names_the_callback)
{
    enum { SIDE = 30000 }; /* 7.2 GB of costs */
    Macadam__V1__Request *const request = call_text_read(BOTH "matrix { source { } target { } }");
    set_nodes(request->matrix->source, SIDE);
    set_nodes(request->matrix->target, SIDE);
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_E_LIMIT);
    cr_assert(strstr(reply->message, "7200000000") && strstr(reply->message, "callback"), "%s",
              reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(request, NULL);
}

Test(call, routes_beyond_one_reply_fail_before_any_work)
{
    enum { SIDE = 30000 }; /* departures of as many pairs: 3.6 GB of costs */
    Macadam__V1__Request *const request =
        call_text_read("query { clock { } } routes { source { } target { } }");
    set_nodes(request->routes->source, SIDE);
    set_nodes(request->routes->target, SIDE);
    request->query->clock->n_depart = SIDE;
    request->query->clock->depart = checked_zeroed(SIDE, sizeof *request->query->clock->depart);
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_E_LIMIT);
    cr_assert(strstr(reply->message, "3600000000"), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(request, NULL);
}

Test(call, trees_are_whole_or_in_parts)
{
    static const char tree[] = BOTH "tree { source " ROWS " }",
                      nodes[] = BOTH "tree { source " ROWS " order: 1 }",
                      reverse[] = BOTH "tree { source " ROWS " reverse: true limit: 7 }";
    call_text_expect(
        tree, "tree { rows: 4 columns: 5 value { value: [0, 10, 3, 1, -1, -1, -1, -1, -1, -1, 0, 10, 0, 1, "
              "-1, -1, -1, -1, -1, 0] } value { value: [0, 5, 5, 2, -1, -1, -1, -1, -1, -1, 7, 12, 0, 9, -1, "
              "-1, -1, -1, -1, 0] } source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] }");
    call_text_expect(
        nodes, "tree { rows: 4 columns: 5 value { value: [3, 0, 1, 10, -1, -1, -1, -1, -1, -1, 0, 0, 1, 10, "
               "-1, -1, -1, -1, -1, 0] } value { value: [5, 0, 2, 5, -1, -1, -1, -1, -1, -1, 0, 7, 9, 12, "
               "-1, -1, -1, -1, -1, 0] } source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] }");
    call_text_expect(
        reverse,
        "tree { rows: 4 columns: 5 value { value: [0, -1, 0, -1, -1, -1, -1, -1, -1, -1, 3, 10, 0, 2, -1, "
        "-1, -1, -1, -1, 0] } value { value: [0, -1, 7, -1, -1, -1, -1, -1, -1, -1, 5, 1, 0, 3, -1, -1, -1, "
        "-1, -1, 0] } source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] }");
}

/* Two quantities of a row of five take 40 bytes, and a batch is half of the limit. */
Test(call, tree_that_no_batch_of_one_source_fits_says_so)
{
    call_text_refuse("query { quantity: [distance, duration] memory_limit: 79 } tree { source " ROWS " }",
                     call_refuse_part, MACADAM_E_LIMIT, "needs 80 bytes of memory, the limit is 79");
}

/* A host that gives what is missing is not refused with the same number again. */
Test(call, tree_that_does_not_fit_beside_a_batch_says_what_the_batch_holds)
{
    call_text_refuse("query { memory_limit: 100 } tree { source { node: [10, 30] } }", call_refuse_part,
                     MACADAM_E_LIMIT, "the limit is 60; the costs of a batch hold 40 of 100");
}

Test(call, a_batch_of_trees_keeps_the_limit_of_all_calls)
{
    call_engine->memory_limit = 79;
    call_text_refuse("query { quantity: [distance, duration] } tree { source " ROWS " }", call_refuse_part,
                     MACADAM_E_LIMIT, "needs 80 bytes of memory, the limit is 79");
    call_text_refuse("query { quantity: [distance, duration] memory_limit: 500 } tree { source " ROWS " }",
                     call_refuse_part, MACADAM_E_LIMIT, "the limit is 79");
}

typedef struct many_rows {
    uint64_t rows;
    size_t parts;
    uint32_t last; /* of the latest row */
} many_rows;

static bool take_many_rows(void *context, const uint8_t *data, size_t size)
{
    many_rows *const many = context;
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, size, data);
    cr_assert(reply && reply->tree->row == many->rows);
    many->rows += reply->tree->rows;
    many->last = reply->tree->value[0]->value[(reply->tree->rows - 1) * CALL_FIXTURE_NODES + 1];
    ++many->parts;
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call, tree_of_more_sources_than_the_memory_limit_holds_comes_in_batches)
{
    enum { SOURCES = 200001 };
    Macadam__V1__Request *const request = call_text_read(BOTH "tree { source { } }");
    set_nodes(request->tree->source, SOURCES);
    request->tree->source->node[SOURCES - 1] = 30;
    request->query->memory_limit = 8 << 20; /* half of it holds 104,857 rows */
    many_rows many = {0};
    macadam__v1__reply__free_unpacked(call_expect(request, take_many_rows, &many, MACADAM_OK), NULL);
    cr_assert(many.rows == SOURCES && many.parts == 2);
    cr_assert_eq(many.last, 10); /* distance from 30 to 20: 30 -> 10 -> 20 */
    macadam__v1__request__free_unpacked(request, NULL);
}

Test(call, reach_counts_sums_and_finds_the_nearest)
{
    call_text_expect("reach { source " ROWS " target " COLUMNS " limit: [5, 2] nearest: 2 "
                     "value { value: [1, 4294967295, 100, 1000, 4294967295] } }",
                     "reach { node_count: [4, 2, 0, 0, 1, 1, 1, 1] value_sum: [4294968396, 1001, 0, 0, 100, "
                     "100, 4294967295, 4294967295] reached: [4, 0, 4, 1] eccentricity: [5, -1, 12, 0] "
                     "nearest_found: [2, 0, 2, 1] nearest_position: [2, 0, 0, 2, 1] nearest_cost: [0, 5, 0, "
                     "7, 0] source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] target_status: "
                     "[PLACE_OK, PLACE_OK, PLACE_OK] cost_sum: [12, 0, 28, 0] }");
    call_text_expect("reach { source " ROWS " reverse: true }",
                     "reach { reached: [4, 0, 4, 1] eccentricity: [10, -1, 5, 0] source_status: [PLACE_OK, "
                     "PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] cost_sum: [25, 0, 9, 0] }");
}

Test(call, reach_sums_what_is_accessible)
{
    call_text_expect(
        "reach { source " ROWS " opportunity " COLUMNS
        " amount: [1, 2, 4, 10, 20, 40] percentile: [50] decay { kind: 5 cost: [0, 10] weight: [1, 0] } }",
        "reach { source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, PLACE_OK] opportunity_status: "
        "[PLACE_OK, PLACE_OK, PLACE_OK] access: [4.5, 45, 0, 0, 2.2, 22, 2, 20] mean_cost: [0.555556, "
        "0.555556, nan, nan, 3.81818, 3.81818, 0, 0] percentile_cost: [0, 0, -1, -1, 7, 7, 0, 0] }");
    call_text_expect(
        "reach { source { node: 30 } limit: 5 opportunity { node: 10 } amount: 3 }",
        "reach { node_count: [1] reached: [4] eccentricity: [12] source_status: [PLACE_OK] cost_sum: [28] "
        "opportunity_status: [PLACE_OK] access: [3] mean_cost: [7] }");
    call_text_refuse("reach { source " ROWS " opportunity " COLUMNS " amount: [1, 2, 4, 10] }", NULL,
                     MACADAM_E_INVALID, "reach.amount has 4 numbers for 3 opportunities");
    call_text_refuse("reach { source " ROWS " opportunity " COLUMNS
                     " amount: [1, 2, 4] decay { cost: [1] } }",
                     NULL, MACADAM_E_INVALID, "reach.decay has 1 cost but 0 weight");
    call_text_refuse("reach { source " ROWS " opportunity " COLUMNS " }", NULL, MACADAM_E_INVALID,
                     "without amounts");
    call_text_refuse("reach { source " ROWS " amount: 1 }", NULL, MACADAM_E_INVALID,
                     "reach.amount has 1 numbers for 0 opportunities");
}

Test(call, a_route_has_its_legs_arcs_points_and_totals)
{
    call_text_expect(
        BOTH "route { waypoint { node: [10, 30, 20] } totals: true }",
        "route { found: 1 value: [13, 17] waypoint { status: [PLACE_OK, PLACE_OK, PLACE_OK] id: [10, 30, 20] "
        "lon: [7, 7.002, 7.001] lat: [43, 43, 43] distance_m: [0, 0, 0] arc: [0, 0, 0] way: [0, 0, 0] name: "
        "[, , ] nearest_m: [nan, nan, nan] } leg { value { value: [3, 10] } value { value: [5, 12] } "
        "first_arc: [0, 2] end_arc: [2, 4] } arc { tail: [10, 40, 30, 10] head: [40, 30, 10, 20] number: "
        "[3, 4, 5, 1] way: [0, 0, 0, 0] name: [0, 0, 0, 0] names: [] value { value: [1, 2, 0, 10] } value { "
        "value: [2, 3, 7, 5] } first_shape: [0, 2, 4, 6] end_shape: [2, 4, 6, 8] from: [0, 0, 0, 0] to: [1, "
        "1, 1, 1] price: [0, 0, 0, 0, 0, 0, 0, 0] } lon_e7: [70000000, 70010000, 70010000, 70020000, "
        "70020000, 70000000, 70000000, 70010000] lat_e7: [430000000, 429990000, 429990000, 430000000, "
        "430000000, 430000000, 430000000, 430000000] total: [17, 13] }");
    call_text_expect(
        BOTH "route { waypoint { node: [10, 50] } totals: true }",
        "route { value: [-1, -1] waypoint { status: [PLACE_OK, PLACE_OK] id: [10, 50] lon: [7, 7.1] lat: "
        "[43, 43] distance_m: [0, 0] arc: [0, 0] way: [0, 0] name: [, ] nearest_m: [nan, nan] } leg { value "
        "{ value: [-1] } value { value: [-1] } first_arc: [0] end_arc: [0] } arc { value { } value { } } "
        "reason: ROUTE_END_BLOCKED reason_waypoint: 1 }");
    call_text_refuse(BOTH "route { waypoint { node: 10 } }", NULL, MACADAM_E_INVALID, "");
}

Test(call, a_route_passes_waypoints)
{
    call_text_expect(
        BOTH "route { waypoint { node: [10, 30, 20] } passes: [false, true, false] costs_only: true }",
        "route { found: 1 value: [13, 17] waypoint { status: [PLACE_OK, PLACE_OK, PLACE_OK] id: [10, 30, 20] "
        "lon: [7, 7.002, 7.001] lat: [43, 43, 43] distance_m: [0, 0, 0] arc: [0, 0, 0] way: [0, 0, 0] name: "
        "[, , ] nearest_m: [nan, nan, nan] } leg { value { value: [13] } value { value: [17] } first_arc: "
        "[0] end_arc: [0] } arc { value { } value { } } }");
    call_text_refuse(BOTH "route { waypoint { node: [10, 30, 20] } passes: [false, true] }", NULL,
                     MACADAM_E_INVALID, "route has 2 passes for 3 points");
    call_text_refuse(BOTH "route { waypoint { node: [10, 30] } passes: [false, true, false] }", NULL,
                     MACADAM_E_INVALID, "route has 3 passes for 2 points");
    call_text_refuse(BOTH "route { passes: [false, false] }", NULL, MACADAM_E_INVALID,
                     "route has 2 passes for 0 points");
}

Test(call, routes_come_with_paths_or_without)
{
    call_text_expect(
        BOTH "routes { source { node: [10, 99, 30] } target " COLUMNS " }",
        "routes { value { value: [3, -1, 0] } value { value: [5, -1, 7] } source_status: [PLACE_OK, "
        "PLACE_UNKNOWN_ID, PLACE_OK] target_status: [PLACE_OK, PLACE_OK, PLACE_OK] }");
    call_text_expect(BOTH "routes { source { node: [10, 99, 30] } target " COLUMNS " paths: true }",
                     "routes { value { value: [3, -1, 0] } value { value: [5, -1, 7] } source_status: "
                     "[PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] target_status: [PLACE_OK, PLACE_OK, PLACE_OK] "
                     "path_arcs: [2, 0, 1] arc: [3, 4, 5] }");
}

#define CLOCK(members) "query { metric: duration clock { " members " } } "

/* This map has no speeds that change. */
Test(call, each_instant_of_a_clock_has_rows_columns_or_entries)
{
    call_text_expect(
        CLOCK("depart: [0, 5]") "matrix { source { node: [10, 99] } target { node: [30, 40] } }",
        "matrix { rows: 4 columns: 2 value { value: [5, 2, 5, 2, -1, -1, -1, -1] } source_status: "
        "[PLACE_OK, PLACE_OK, PLACE_UNKNOWN_ID, PLACE_UNKNOWN_ID] target_status: [PLACE_OK, PLACE_OK] }");
    call_text_expect(CLOCK("arrive_by: [0, 5]") "matrix { source { node: 10 } target { node: [30, 99] } }",
                     "matrix { rows: 1 columns: 4 value { value: [5, 5, -1, -1] } source_status: [PLACE_OK] "
                     "target_status: [PLACE_OK, PLACE_OK, PLACE_UNKNOWN_ID, PLACE_UNKNOWN_ID] }");
    call_text_expect(
        CLOCK("depart: [0, 5] each: true") "matrix { source { node: [10, 30] } target { node: 40 } }",
        "matrix { rows: 2 columns: 1 value { value: [2, 9] } source_status: [PLACE_OK, PLACE_OK] "
        "target_status: [PLACE_OK] }");
    call_text_expect(
        CLOCK("depart: [0, 5]") "tree { source { node: [10, 99] } }",
        "tree { rows: 4 columns: 5 value { value: [0, 5, 5, 2, -1, 0, 5, 5, 2, -1, -1, -1, -1, -1, -1, "
        "-1, -1, -1, -1, -1] } source_status: [PLACE_OK, PLACE_OK, PLACE_UNKNOWN_ID, PLACE_UNKNOWN_ID] }");
    call_text_expect(
        CLOCK("depart: [0, 5]") "routes { source { node: [10, 30] } target { node: [30, 99] } paths: true }",
        "routes { value { value: [5, 5, -1, -1] } source_status: [PLACE_OK, PLACE_OK, PLACE_OK, PLACE_OK] "
        "target_status: [PLACE_OK, PLACE_OK, PLACE_UNKNOWN_ID, PLACE_UNKNOWN_ID] "
        "path_arcs: [2, 2, 0, 0] arc: [3, 4, 3, 4] }");
}

Test(call, a_clock_that_fits_no_question_is_refused)
{
    call_text_refuse(CLOCK("depart: 1 each: true") "tree { source { node: [10, 30] } }", NULL,
                     MACADAM_E_INVALID, "1 instants for 2 sources");
    call_text_refuse(CLOCK("depart: 1209600000") "tree { source { node: 10 } }", NULL, MACADAM_E_INVALID,
                     "1209600000");
    call_text_refuse(CLOCK("depart: 1") "hops { source { node: 10 } }", NULL, MACADAM_E_UNSUPPORTED,
                     "takes no clock");
}

/* A point, a node, and a point on no globe. */
#define THREE(lon, lat) "place { kind: [1, 0, 1] node: 30 lon: [" lon ", 400] lat: [" lat ", 0] }"

Test(call, snap_keeps_the_order_of_nodes_and_points)
{
    call_text_expect("snap { " THREE("7.001", "43") " }",
                     "snap { status: [PLACE_OK, PLACE_OK, PLACE_INVALID] id: [20, 30, 0] lon: [7.001, 7.002, "
                     "nan] lat: [43, 43, nan] distance_m: [0, 0, nan] arc: [1, 0, 0] way: [0, 0, 0] name: [, "
                     ", ] nearest_m: [nan, nan, nan] }");
    call_text_expect(
        "snap { " THREE("7.0012", "43.0001") " candidates: 4 }",
        "snap { status: [PLACE_OK, PLACE_OK, PLACE_OK, PLACE_OK, PLACE_OK, PLACE_INVALID] id: [20, 30, 30, "
        "10, 30, 0] lon: [7.0012, 7.0012, 7.00179, 7.00035, 7.002, nan] lat: [43, 43, 42.9998, 42.9996, 43, "
        "nan] distance_m: [11.1195, 11.1195, 59.077, 85.3334, 0, nan] arc: [2, 5, 4, 3, 0, 0] way: [0, 0, 0, "
        "0, 0, 0] name: [, , , , , ] candidates: [4, 1, 1] nearest_m: [nan, nan, nan, nan, nan, nan] }");
    call_text_refuse("snap { " THREE("7.0012", "43.0001") " candidates: 33 }", NULL, MACADAM_E_INVALID, "33");
}

Test(call, info_returns_what_the_typed_call_returns)
{
    macadam_info info = MACADAM_INFO_INIT;
    cr_assert_eq(macadam_engine_info(&info, call_engine, NULL), MACADAM_OK);
    Macadam__V1__Request *const request = call_text_read("info { }");
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_OK);
    const Macadam__V1__InfoReply *const told = reply->info;
    cr_assert_str_eq(told->version, macadam_version());
    cr_assert_str_eq(told->device, info.device);
    cr_assert(told->id_count == CALL_FIXTURE_NODES && told->node_count == info.node_count &&
              told->arc_count == info.arc_count);
    cr_assert(told->has_coordinates && told->west == info.west && told->north == info.north);
    cr_assert(told->n_quantity == 2 && told->n_metric == info.metric_count);
    cr_assert_str_eq(told->quantity[0]->name, "duration");
    cr_assert_str_eq(told->quantity[1]->unit, info.unit[1]);
    cr_assert_str_eq(told->metric[0]->companion, "distance");
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(request, NULL);
}

Test(call, ids_name_the_columns_of_both_orders)
{
    call_text_expect("ids { }", "ids { id: [10, 20, 30, 40, 50] }");
    call_text_expect("ids { order: 1 }", "ids { id: [30, 10, 40, 20, 50] }");
}

Test(call, verify_answers_for_a_good_file)
{
    call_text_expect("verify { }", "verify { }");
}

/* From 10 to 30 it is then 20 by distance, through 20. */
Test(call, update_by_ends_changes_the_next_answer)
{
    call_text_expect("update { tail: 40 head: 30 quantity: duration value { value: 4294967295 } }",
                     "update { }");
    call_text_expect(
        BOTH "matrix { source { node: [10, 30] } target { node: 30 } explain: true }",
        "matrix { rows: 2 columns: 1 value { value: [20, 0] } value { value: [6, 0] } source_status: "
        "[PLACE_OK, PLACE_OK] target_status: [PLACE_OK] plan { label_rows: 2 } }");
    call_text_expect(BOTH "matrix { source { node: 10 } target { node: 30 } }",
                     "matrix { rows: 1 columns: 1 value { value: [20] } value { value: [6] } source_status: "
                     "[PLACE_OK] target_status: [PLACE_OK] }");
}

/* In the first quarter of an hour of the week a third as fast. */
Test(call, update_of_patterns_changes_durations_by_the_clock)
{
    enum { WEEK_SLOTS = MACADAM_WEEK_MS / 900000 };
    uint8_t *const speed = checked_allocate(WEEK_SLOTS, 1);
#define BY_THE_CLOCK CLOCK("depart: [0, 900000]") "matrix { source { node: 40 } target { node: 30 } }"
#define STATUSES     "source_status: [PLACE_OK, PLACE_OK] target_status: [PLACE_OK] }"
    Macadam__V1__Request *const request =
        call_text_read("update { tail: 40 head: 30 pattern: 1 slot_count: 672 }");
    memset(speed, 255, WEEK_SLOTS);
    speed[0] = 85;
    request->update->pattern_speed = (ProtobufCBinaryData){WEEK_SLOTS, speed};
    call_text_expect(BY_THE_CLOCK, "matrix { rows: 2 columns: 1 value { value: [3, 3] } " STATUSES);
    (void)call_expect(request, NULL, NULL, MACADAM_OK);
    call_text_expect(BY_THE_CLOCK, "matrix { rows: 2 columns: 1 value { value: [9, 3] } " STATUSES);
}

Test(call, update_counts_what_is_not_on_the_map)
{
#define UNKNOWN "update { tail: [77, 40] head: [30, 30] quantity: duration value { value: [5, 6] } "
    call_text_refuse(UNKNOWN "}", NULL, MACADAM_E_NOT_FOUND, "77");
    call_text_expect(UNKNOWN "passes_unknown: true }", "update { unknown: 1 }");
}

/* Junctions of this map are not split: no turn can have a price. */
Test(call, update_of_turns_reports_what_the_library_does)
{
#define TURN "turn_from: 1 turn_to: 2 quantity: duration turn_price { value: 5 }"
    call_text_refuse("update { " TURN " }", NULL, MACADAM_E_UNSUPPORTED, "from arc 1 into arc 2");
    call_text_refuse("update { " TURN " turn_via: 20 }", NULL, MACADAM_E_INVALID, "1 turn_via");
}
