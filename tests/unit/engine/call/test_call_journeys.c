/* test_call_journeys.c - macadam_call matches traces and orders stops. */
#include "tests/support/allocator.h"
#include "tests/support/call_text.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A street of five nodes from west to east, 81.3 m from each to the next, with ids 10 to 50. */
enum { NODES = 5, ARCS = 2 * (NODES - 1), LENGTH_CM = 8130 };

static void import_street(const char *path)
{
    static const char *const quantity[] = {"duration", "distance"}, *const unit[] = {"ms", "cm"};
    int64_t id[NODES];
    int32_t lon_e7[NODES], lat_e7[NODES];
    uint32_t tail[ARCS], head[ARCS], duration[ARCS], distance[ARCS];
    for (uint32_t i = 0; i < NODES; ++i) {
        id[i] = 10 * (i + 1);
        lon_e7[i] = 70000000 + (int32_t)i * 10000;
        lat_e7[i] = 430000000;
    }
    for (uint32_t i = 0; i < ARCS; ++i) {
        tail[i] = i / 2 + i % 2;
        head[i] = i / 2 + (i + 1) % 2;
        distance[i] = LENGTH_CM;
        duration[i] = 6000 + i;
    }
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = ARCS;
    input.id = id, input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.unit = unit, input.quantity_count = 2;
    input.weight = (const uint32_t *const[]){duration, distance};
    const macadam_import_options options = {.size = sizeof options, .output = path, .threads = 1};
    macadam_error error;
    fixture_expect_ok(macadam_import_arrays(&input, &options, &error), &error, path);
}

static void open_street(void)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    import_street(path);
    call_engine = fixture_open_file(path, 1);
    files_remove_folder(folder);
}

TestSuite(call_journeys, .init = open_street, .fini = call_fixture_close);

/* One trace of four points along the street, of which one is far away; one of two points, and NaN. */
#define LON  "lon: [7.0003, 7.0012, 8, 7.0031, 7.0035, 7.0022, nan] "
#define LAT  "lat: [43.00001, 43.00002, 43, 42.99999, 43.00001, 43, 43] "
#define TIME "time_s: [0, 10, 15, 30, 0, 15, 30] "
#define WITH "default_accuracy_m: 8 arcs: true routes: true steps: true "

Test(call_journeys, matches_have_points_journeys_and_routes)
{
    call_text_expect(
        "match { " LON LAT TIME "first: [0, 4, 7] default_accuracy_m: 8 arcs: true }",
        "match { status: [MATCH_OK, MATCH_OK, MATCH_NO_ROAD, MATCH_OK, MATCH_OK, MATCH_OK, MATCH_INVALID] "
        "matching: [0, 0, -1, 0, 1, 1, -1] waypoint: [0, 1, -1, 2, 0, 1, -1] alternatives: [0, 0, 0, 3, 0, "
        "3, 0] snap { status: [PLACE_OK, PLACE_OK, PLACE_TOO_FAR, PLACE_OK, PLACE_OK, PLACE_OK, "
        "PLACE_TOO_FAR] id: [10, 20, 0, 40, 40, 30, 0] lon: [7.0003, 7.0012, nan, 7.0031, 7.0035, 7.0022, "
        "nan] lat: [43, 43, nan, 43, 43, 43, nan] distance_m: [1.112, 2.224, nan, 1.112, 1.112, 0, nan] arc: "
        "[1, 3, 0, 7, 8, 6, 0] way: [0, 0, 0, 0, 0, 0, 0] name: [, , , , , , ] nearest_m: [nan, nan, nan, "
        "nan, nan, nan, nan] } along: [0.3, 0.2, 0, 0.1, 0.5, 0.8, 0] journey { waypoint_count: 3 "
        "confidence: 0.987556 distance_m: 227.64 duration_s: 16.807 end_arc: 4 } journey { trace: 1 "
        "waypoint_count: 2 confidence: 0.987634 distance_m: 105.69 duration_s: 7.808 first_arc: 4 end_arc: "
        "6 } arc: [1, 3, 5, 7, 8, 6] }");
    call_text_expect(
        "match { lon: [7.0003, 7.0012] lat: [43, 43] routes: true steps: true }",
        "match { status: [MATCH_OK, MATCH_OK] matching: [0, 0] waypoint: [0, 1] alternatives: [0, 1] snap { "
        "status: [PLACE_OK, PLACE_OK] id: [10, 20] lon: [7.0003, 7.0012] lat: [43, 43] distance_m: [0, 0] "
        "arc: [1, 3] way: [0, 0] name: [, ] nearest_m: [nan, nan] } along: [0.3, 0.2] journey { "
        "waypoint_count: 2 confidence: 0.987646 distance_m: 73.17 duration_s: 5.401 route { found: 1 value: "
        "[5401] waypoint { status: [PLACE_OK, PLACE_OK] id: [10, 20] lon: [7.0003, 7.0012] lat: [43, 43] "
        "distance_m: [0, 0] arc: [1, 3] way: [0, 0] name: [, ] nearest_m: [nan, nan] } leg { value { value: "
        "[5401] } first_arc: [0] end_arc: [2] } arc { tail: [10, 20] head: [20, 30] number: [1, 3] way: [0, "
        "0] name: [0, 0] names: [] value { value: [4201, 1200] } first_shape: [0, 2] end_shape: [2, 4] "
        "from: [0.3, 0] to: [1, 0.2] price: [0, 0] } lon_e7: [70003000, 70010000, 70010000, 70012000] "
        "lat_e7: [430000000, 430000000, 430000000, 430000000] } } }");
}

Test(call_journeys, match_with_columns_that_do_not_fit_is_invalid)
{
    static const char *const bad[][2] = {
        {LON "lat: [43, 43, 43, 43, 43, 43]", "match has 7 lon but 6 lat"},
        {LON LAT "time_s: [0, 10]", "match has 2 time_s for 7 points"},
        {LON LAT "first: [0, 4, 8]", "the traces do not cover the 7 points"},
        {LON LAT "first: 0", "the traces do not cover the 7 points"},
        {LON LAT "passes: [true, true]", "match has 2 passes for 7 points"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char request[300];
        snprintf(request, sizeof request, "match { %s }", bad[i][0]);
        call_text_refuse(request, NULL, MACADAM_E_INVALID, bad[i][1]);
    }
}

Test(call_journeys, trips_have_an_order_and_a_route)
{
    call_text_expect(
        "trip { stop { node: [10, 40, 20, 50, 30] } open: true from_first: true }",
        "trip { found: 1 cost: 24012 order: [0, 2, 4, 1, 3] stop { status: [PLACE_OK, PLACE_OK, PLACE_OK, "
        "PLACE_OK, PLACE_OK] id: [10, 40, 20, 50, 30] lon: [7, 7.003, 7.001, 7.004, 7.002] lat: [43, 43, 43, "
        "43, 43] distance_m: [0, 0, 0, 0, 0] arc: [0, 0, 0, 0, 0] way: [0, 0, 0, 0, 0] name: [, , , , ] "
        "nearest_m: [nan, nan, nan, nan, nan] } route { found: 1 value: [24012] waypoint { status: "
        "[PLACE_OK, PLACE_OK, PLACE_OK, PLACE_OK, PLACE_OK] id: [10, 20, 30, 40, 50] lon: [7, 7.001, 7.002, "
        "7.003, 7.004] lat: [43, 43, 43, 43, 43] distance_m: [0, 0, 0, 0, 0] arc: [0, 0, 0, 0, 0] way: [0, "
        "0, 0, 0, 0] name: [, , , , ] nearest_m: [nan, nan, nan, nan, nan] } leg { value { value: [6000, "
        "6002, 6004, 6006] } first_arc: [0, 1, 2, 3] end_arc: [1, 2, 3, 4] } arc { tail: [10, 20, 30, 40] "
        "head: [20, 30, 40, 50] number: [1, 3, 5, 7] way: [0, 0, 0, 0] name: [0, 0, 0, 0] names: [] value { "
        "value: [6000, 6002, 6004, 6006] } first_shape: [0, 2, 4, 6] end_shape: [2, 4, 6, 8] from: [0, 0, "
        "0, 0] to: [1, 1, 1, 1] price: [0, 0, 0, 0] } lon_e7: [70000000, 70010000, 70010000, 70020000, "
        "70020000, 70030000, 70030000, 70040000] lat_e7: [430000000, 430000000, 430000000, 430000000, "
        "430000000, 430000000, 430000000, 430000000] } }");
    call_text_expect("trip { stop { node: 10 } open: true from_first: true }",
                     "trip { found: 1 order: [0] stop { status: [PLACE_OK] id: [10] lon: [7] lat: [43] "
                     "distance_m: [0] arc: [0] way: [0] name: [] nearest_m: [nan] } }");
    call_text_expect(
        "trip { stop { node: [10, 77] } open: true }",
        "trip { stop { status: [PLACE_OK, PLACE_UNKNOWN_ID] id: [10, 77] lon: [7, nan] lat: [43, "
        "nan] distance_m: [0, nan] arc: [0, 0] way: [0, 0] name: [, ] nearest_m: [nan, nan] } }");
}

Test(call_journeys, trips_leave_out_stops_that_were_not_found)
{
    call_text_expect(
        "trip { stop { node: [10, 77, 30, 20] } open: true from_first: true }",
        "trip { found: 1 cost: 12002 order: [0, 3, 2] stop { status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK, "
        "PLACE_OK] id: [10, 77, 30, 20] lon: [7, nan, 7.002, 7.001] lat: [43, nan, 43, 43] distance_m: [0, "
        "nan, 0, 0] arc: [0, 0, 0, 0] way: [0, 0, 0, 0] name: [, , , ] nearest_m: [nan, nan, nan, nan] } "
        "route { found: 1 value: [12002] waypoint { status: [PLACE_OK, PLACE_OK, PLACE_OK] id: [10, 20, 30] "
        "lon: [7, 7.001, 7.002] lat: [43, 43, 43] distance_m: [0, 0, 0] arc: [0, 0, 0] way: [0, 0, 0] name: "
        "[, , ] nearest_m: [nan, nan, nan] } leg { value { value: [6000, 6002] } first_arc: [0, 1] end_arc: "
        "[1, 2] } arc { tail: [10, 20] head: [20, 30] number: [1, 3] way: [0, 0] name: [0, 0] names: [] "
        "value "
        "{ value: [6000, 6002] } first_shape: [0, 2] end_shape: [2, 4] from: [0, 0] to: [1, 1] price: [0, 0] "
        "} lon_e7: [70000000, 70010000, 70010000, 70020000] lat_e7: [430000000, 430000000, 430000000, "
        "430000000] } }");
}

/* ---- failing allocations ---- */

Test(call_journeys, every_failed_allocation_is_reported_and_nothing_leaks)
{
    uint8_t data[1024];
    Macadam__V1__Request *const request = call_text_read("match { " LON LAT TIME WITH "first: [0, 4, 7] }");
    cr_assert_lt(macadam__v1__request__get_packed_size(request), sizeof data);
    const size_t size = macadam__v1__request__pack(request, data);
    macadam__v1__request__free_unpacked(request, NULL);
    bool failed = true;
    for (size_t nth = 1; failed; ++nth) {
        macadam_bytes bytes;
        allocator_fail(nth);
        const macadam_status status = macadam_call(&bytes, call_engine, data, size, NULL, NULL, NULL);
        failed = allocator_has_failed();
        allocator_fail(0);
        macadam_bytes_free(&bytes);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu: %s", nth,
                     macadam_status_name(status));
    }
}
