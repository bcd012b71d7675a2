/* test_straight_lines.c - straight lines instead of cells without a path: their length by another formula, their cells and marks,
 * what is refused, and failed allocations. tests/metamorphic has tiles, threads and devices. */
#include "tests/support/allocator.h"
#include "tests/support/call_text.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { CELLS = 4, TRIES_MAX = 1000 };

/* 0 -> 1 takes 7, and nothing leads back. A thousandth of a degree of the equator is 111 metres. */
static const signed_graph pair = {.node_count = 2,
                                  .arc_count = 1,
                                  .id = {1000, 997},
                                  .tail = {0},
                                  .head = {1},
                                  .duration = {7},
                                  .energy = {4},
                                  .lon_e7 = {0, 10000}};

static char folder[FILES_PATH_BYTES];

static void set_up(void)
{
    char path[FILES_PATH_BYTES + 16];
    macadam_error error;
    allocator_install();
    files_new_path(folder, path, "graph.mcd");
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    call_engine = fixture_open_file(path, 1);
}

static void tear_down(void)
{
    macadam_engine_close(call_engine);
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0);
}

TestSuite(straight_lines, .init = set_up, .fini = tear_down);

static const macadam_place place[] = {{.kind = MACADAM_PLACE_NODE, .id = 1000},
                                      {.kind = MACADAM_PLACE_NODE, .id = 997},
                                      {.kind = MACADAM_PLACE_NODE, .id = 5}};
static const macadam_query durations = {.size = sizeof durations, .metric = "duration"};

static macadam_matrix_request request_of(double speed_ms, double factor)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = place, request.source_count = request.target_count = 2;
    request.fallback_speed_ms = speed_ms, request.scale_factor = factor;
    return request;
}

static macadam_status ask(uint32_t *cell, const macadam_query *query, const macadam_matrix_request *request,
                          macadam_error *error)
{
    return macadam_matrix_find_into(&cell, NULL, call_engine, query, request, error);
}

/* The angle between two vectors to the points of a sphere. */
static double metres_by_vectors(double lon_a, double lat_a, double lon_b, double lat_b)
{
    const double degree = acos(-1) / 180;
    const double a[] = {cos(lat_a * degree) * cos(lon_a * degree), cos(lat_a * degree) * sin(lon_a * degree),
                        sin(lat_a * degree)};
    const double b[] = {cos(lat_b * degree) * cos(lon_b * degree), cos(lat_b * degree) * sin(lon_b * degree),
                        sin(lat_b * degree)};
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    return 6371000 * atan2(sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

Test(straight_lines, lengths_are_those_of_vectors)
{
    static const double point[][2] = {{0, 0},     {9.19, 45.46}, {-74, 40.7}, {180, -90},
                                      {-180, 10}, {9.19, 45.47}, {171, -45.4}};
    for (size_t i = 0; i < sizeof point / sizeof *point; ++i)
        for (size_t k = 0; k < sizeof point / sizeof *point; ++k) {
            const double *const a = point[i], *const b = point[k];
            cr_assert_float_eq(macadam_straight_line_m(a[0], a[1], b[0], b[1]),
                               metres_by_vectors(a[0], a[1], b[0], b[1]), 0.2, "%zu to %zu", i, k);
        }
}

Test(straight_lines, fill_cells_without_a_path_and_mark_them)
{
    uint32_t cell[CELLS];
    uint8_t fallback[CELLS] = {2, 2, 2, 2};
    macadam_matrix_request request = request_of(0, 0);
    request.fallback = fallback;
    FIXTURE_CALL(ask, cell, &durations, &request);
    cr_assert_arr_eq(cell, ((uint32_t[]){0, 7, MACADAM_UNREACHED, 0}), sizeof cell);
    cr_assert_arr_eq(fallback, ((uint8_t[CELLS]){0}), CELLS,
                     "there is no speed, so no cell is a straight line");
    request.fallback_speed_ms = 10;
    FIXTURE_CALL(ask, cell, &durations, &request);
    cr_assert_arr_eq(cell, ((uint32_t[]){0, 7, 11, 0}), sizeof cell);
    cr_assert_arr_eq(fallback, ((uint8_t[]){0, 0, 1, 0}), CELLS);
    request.scale_factor = 1.5;
    FIXTURE_CALL(ask, cell, &durations, &request);
    cr_assert_arr_eq(cell, ((uint32_t[]){0, 11, 17, 0}), sizeof cell, "10.5 and 16.5, away from 0");
    request.fallback_speed_ms = 1e-9;
    FIXTURE_CALL(ask, cell, &durations, &request);
    cr_assert_eq(cell[2], MACADAM_WEIGHT_MAX);
    request.scale_factor = 1e9;
    FIXTURE_CALL(ask, cell, &durations, &request);
    cr_assert_arr_eq(cell, ((uint32_t[]){0, MACADAM_WEIGHT_MAX, MACADAM_WEIGHT_MAX, 0}), sizeof cell);
}

/* Row and column of a place that was not found. */
Test(straight_lines, join_only_places_that_were_found)
{
    uint32_t cell[9];
    macadam_matrix_request request = request_of(10, 0);
    request.source_count = request.target_count = 3;
    FIXTURE_CALL(ask, cell, &durations, &request);
    const uint32_t none = MACADAM_UNREACHED;
    cr_assert_arr_eq(cell, ((uint32_t[]){0, 7, none, 11, 0, none, none, none, none}), sizeof cell);
}

Test(straight_lines, come_in_messages)
{
#define PLACES "source { node: [1000, 997] } target { node: [1000, 997] } "
#define STATUS " source_status: [PLACE_OK, PLACE_OK] target_status: [PLACE_OK, PLACE_OK]"
    call_text_expect("query { metric: duration } matrix { " PLACES "fallback_speed_ms: 10 scale_factor: 2 }",
                     "matrix { rows: 2 columns: 2 value { value: [0, 14, 22, 0] }" STATUS
                     " fallback: 00000100 }");
    call_text_expect("query { metric: duration } matrix { " PLACES "}",
                     "matrix { rows: 2 columns: 2 value { value: [0, 7, -1, 0] }" STATUS " }");
}

static void expect_refused(const macadam_query *query, double speed_ms, double factor,
                           macadam_status expected, const char *named)
{
    uint32_t cell[CELLS];
    macadam_error error = {""};
    const macadam_matrix_request request = request_of(speed_ms, factor);
    const macadam_status status = ask(cell, query, &request, &error);
    cr_assert_eq(status, expected, "%g m/s, factor %g: %s: %s", speed_ms, factor, macadam_status_name(status),
                 error.message);
    cr_assert_not_null(strstr(error.message, named), "%s", error.message);
}

Test(straight_lines, are_refused_for_bad_numbers_and_signed_costs)
{
    const macadam_query energies = {.size = sizeof energies, .metric = "energy"};
    uint32_t cell[CELLS];
    const macadam_matrix_request scaled = request_of(0, 2);
    expect_refused(&durations, -1, 0, MACADAM_E_INVALID, "a fallback speed of -1: it must be positive");
    expect_refused(&durations, NAN, 0, MACADAM_E_INVALID, "fallback speed");
    expect_refused(&durations, INFINITY, 0, MACADAM_E_INVALID, "fallback speed");
    expect_refused(&durations, 1, -2, MACADAM_E_INVALID, "scale factor of -2");
    expect_refused(&energies, 1, 0, MACADAM_E_UNSUPPORTED, "\"energy\" has no straight-line cost");
    FIXTURE_CALL(ask, cell, &energies, &scaled);
    cr_assert_eq(cell[1], 4, "only durations are multiplied");
}

Test(straight_lines, need_coordinates)
{
    const test_graph graph = graphs_make_named("grid");
    fixture_engine fixture;
    uint32_t cell[1], *const value[] = {cell};
    macadam_error error = {""};
    fixture_open(&fixture, &graph, 1);
    const macadam_place node = fixture_place(0);
    macadam_matrix_request request = request_of(1, 0);
    request.source = request.target = &node, request.source_count = request.target_count = 1;
    cr_assert_eq(macadam_matrix_find_into(value, NULL, fixture.engine, NULL, &request, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert_not_null(strstr(error.message, "without coordinates"), "%s", error.message);
    fixture_close(&fixture);
    test_graph_free((test_graph *)&graph);
}

Test(straight_lines, without_memory_leave_nothing)
{
    const macadam_matrix_request request = request_of(10, 2);
    size_t nth = 0;
    uint32_t cell[CELLS];
    FIXTURE_CALL(ask, cell, &durations, &request);
    const size_t live = allocator_live_count();
    do {
        macadam_error error = {""};
        allocator_fail(++nth);
        const macadam_status status = ask(cell, &durations, &request, &error);
        const bool has_failed = allocator_has_failed();
        allocator_fail(0);
        cr_assert_eq(status, has_failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu", nth);
        cr_assert_eq(allocator_live_count(), live, "allocation %zu leaves blocks", nth);
        if (!has_failed) break;
    } while (nth < TRIES_MAX);
    cr_assert(nth > 2 && nth < TRIES_MAX, "%zu allocations", nth);
}
