/* test_places.c - places given by coordinates, and the coordinates of routes. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { SIDE = 20, QUERIES = 500 };

/* The strongly connected grid of 20 x 21 nodes, some 100 m apart near 47 degrees north, all moved a bit. */
static test_graph graph;
static int32_t lon_e7[SIDE * (SIDE + 1)], lat_e7[SIDE * (SIDE + 1)];
static char folder[FILES_PATH_BYTES];
static macadam_engine *engine;

static void set_up(void)
{
    char path[FILES_PATH_BYTES + 16];
    test_rng rng = {31};
    graph = graphs_make_named("grid");
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        lon_e7[node] = 85000000 + (int32_t)(node % SIDE * 13000 + rng_below(&rng, 6000));
        lat_e7[node] = 471000000 + (int32_t)(node / SIDE * 9000 + rng_below(&rng, 4000));
    }
    files_new_path(folder, path, "grid.mcd");
    FIXTURE_CALL(fixture_import, &graph, lon_e7, lat_e7, path, 1);
    engine = fixture_open_file(path, 1);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
    test_graph_free(&graph);
}

TestSuite(places, .init = set_up, .fini = tear_down);

static double metres_between(double lon, double lat, uint32_t node)
{
    const double degree = M_PI / 180, node_lat = lat_e7[node] * 1e-7 * degree,
                 east = (lon - lon_e7[node] * 1e-7) * degree;
    const double north = lat * degree - node_lat;
    const double half = pow(sin(north / 2), 2) + cos(node_lat) * cos(lat * degree) * pow(sin(east / 2), 2);
    return 2 * 6371008.8 * asin(sqrt(half));
}

static macadam_snap snap(macadam_place place, double radius_m)
{
    macadam_snap out;
    const macadam_query query = {.size = sizeof query, .snap_radius_m = radius_m};
    FIXTURE_CALL(macadam_snap_find, &out, engine, &query, &place, 1);
    return out;
}

Test(places, point_at_a_junction_is_that_junction)
{
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        const macadam_snap got = snap((macadam_place){.kind = MACADAM_PLACE_POINT,
                                                      .lon = lon_e7[node] * 1e-7,
                                                      .lat = lat_e7[node] * 1e-7},
                                      0);
        cr_assert_eq(got.status, MACADAM_PLACE_OK);
        cr_assert_eq(got.id, fixture_id(node));
        cr_assert_float_eq(got.lon, lon_e7[node] * 1e-7, 1e-9);
        cr_assert_float_eq(got.lat, lat_e7[node] * 1e-7, 1e-9);
        cr_assert_eq(got.distance_m, 0);
    }
}

Test(places, point_snaps_to_the_nearest_road_of_which_an_end_is_its_id)
{
    test_rng rng = {32};
    for (int i = 0; i < QUERIES; ++i) {
        const double lon = 8.49 + rng_below(&rng, 50000) * 1e-6, lat = 47.09 + rng_below(&rng, 40000) * 1e-6;
        uint32_t nearest = 0;
        for (uint32_t node = 1; node < graph.node_count; ++node)
            if (metres_between(lon, lat, node) < metres_between(lon, lat, nearest)) nearest = node;
        const macadam_snap got =
            snap((macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat}, 100000);
        cr_assert_eq(got.status, MACADAM_PLACE_OK);
        cr_assert_leq(got.distance_m, metres_between(lon, lat, nearest) * 1.005 + 0.01);
        cr_assert(got.id == fixture_id(graph.tail[got.arc - 1]) ||
                  got.id == fixture_id(graph.head[got.arc - 1]));
    }
}

Test(places, node_far_away_is_too_far_and_within_the_radius_is_not)
{
    const macadam_place point = {
        .kind = MACADAM_PLACE_POINT, .lon = lon_e7[0] * 1e-7, .lat = lat_e7[0] * 1e-7 - 0.01};
    const double metres = metres_between(point.lon, point.lat, 0);
    cr_assert_eq(snap(point, metres * 0.98).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_eq(snap(point, metres * 1.02).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap(point, 0).status, MACADAM_PLACE_TOO_FAR); /* 1112 m of the default 1000 */
}

Test(places, numbers_that_are_not_coordinates_are_invalid)
{
    const double bad[][2] = {{180.001, 0}, {-181, 0}, {0, 90.5},     {0, -91},
                             {NAN, 0},     {0, NAN},  {INFINITY, 0}, {1e300, 1e300}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        cr_assert_eq(
            snap((macadam_place){.kind = MACADAM_PLACE_POINT, .lon = bad[i][0], .lat = bad[i][1]}, 0).status,
            MACADAM_PLACE_INVALID, "%g, %g", bad[i][0], bad[i][1]);
    const double far[][2] = {{180, 90}, {-180, -90}, {180, 0}, {0, 90}};
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i)
        cr_assert_eq(
            snap((macadam_place){.kind = MACADAM_PLACE_POINT, .lon = far[i][0], .lat = far[i][1]}, 0).status,
            MACADAM_PLACE_TOO_FAR);
}

/* No road has the course, so that all are searched; the square of the radius is infinite. */
Test(places, search_within_the_largest_radius_ends)
{
    const macadam_place place = {.kind = MACADAM_PLACE_POINT,
                                 .lon = lon_e7[77] * 1e-7,
                                 .lat = lat_e7[77] * 1e-7,
                                 .heading = 10,
                                 .heading_tolerance = 1e-9};
    cr_assert_eq(snap(place, 1e200).status, MACADAM_PLACE_TOO_FAR);
}

/* A later version of the library may give these members a meaning; this one must not ignore it. */
Test(places, reserved_members_must_be_0)
{
    macadam_place id = fixture_place(77), point = {.kind = MACADAM_PLACE_POINT};
    point.lon = lon_e7[77] * 1e-7;
    point.lat = lat_e7[77] * 1e-7;
    for (size_t i = 0; i < sizeof id.reserved / sizeof *id.reserved; ++i) {
        id.reserved[i] = point.reserved[i] = 1;
        cr_assert_eq(snap(id, 0).status, MACADAM_PLACE_INVALID);
        cr_assert_eq(snap(point, 0).status, MACADAM_PLACE_INVALID);
        macadam_snap candidate;
        size_t count = 7;
        FIXTURE_CALL(macadam_snap_find_candidates, &candidate, &count, engine, NULL, &id, 1);
        cr_assert(count == 0 && candidate.status == MACADAM_PLACE_INVALID);
        uint32_t cost, *const value[] = {&cost};
        macadam_place_status status[2];
        const macadam_place target = fixture_place(5);
        const macadam_matrix_request request = {
            .size = sizeof request, .source = &id, .target = &target, .source_count = 1, .target_count = 1};
        FIXTURE_CALL(macadam_matrix_find_into, value, status, engine, NULL, &request);
        cr_assert(status[0] == MACADAM_PLACE_INVALID && status[1] == MACADAM_PLACE_OK);
        cr_assert_eq(cost, MACADAM_UNREACHED);
        id.reserved[i] = point.reserved[i] = 0;
    }
    cr_assert_eq(snap(id, 0).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap(point, 0).status, MACADAM_PLACE_OK);
}

Test(places, node_id_snaps_to_itself)
{
    const macadam_snap got = snap(fixture_place(77), 0);
    cr_assert_eq(got.status, MACADAM_PLACE_OK);
    cr_assert_eq(got.id, fixture_id(77));
    cr_assert_float_eq(got.lon, lon_e7[77] * 1e-7, 1e-9);
    cr_assert_eq(got.distance_m, 0);
    cr_assert_eq(snap((macadam_place){.id = 1}, 0).status, MACADAM_PLACE_UNKNOWN_ID);
}

Test(places, candidates_are_requested_with_room_for_them)
{
    macadam_snap found[MACADAM_SNAP_CANDIDATES_MAX];
    const macadam_place place = fixture_place(77);
    macadam_error error;
    size_t count = 7;
    cr_assert_eq(macadam_snap_find_candidates(found, &count, engine, NULL, &place, 0, &error),
                 MACADAM_E_INVALID);
    cr_assert_eq(count, 0);
    cr_assert_not_null(strstr(error.message, "0 candidates are requested, not 1 to 32"), "%s", error.message);
    cr_assert_eq(macadam_snap_find_candidates(found, &count, engine, NULL, &place,
                                              MACADAM_SNAP_CANDIDATES_MAX + 1, &error),
                 MACADAM_E_INVALID);
    cr_assert_not_null(strstr(error.message, "33 candidates"), "%s", error.message);
    cr_assert_eq(macadam_snap_find_candidates(found, &count, engine, NULL, NULL, 1, &error),
                 MACADAM_E_INVALID);
    cr_assert_eq(macadam_snap_find_candidates(NULL, &count, engine, NULL, &place, 1, &error),
                 MACADAM_E_INVALID);
    cr_assert_eq(macadam_snap_find_candidates(found, NULL, engine, NULL, &place, 1, &error),
                 MACADAM_E_INVALID);
    FIXTURE_CALL(macadam_snap_find_candidates, found, &count, engine, NULL, &place, 1);
    cr_assert(count == 1 && found[0].id == fixture_id(77));
}

Test(places, route_between_points_runs_through_the_coordinates_of_its_nodes)
{
    const macadam_place ends[] = {
        {.kind = MACADAM_PLACE_POINT, .lon = lon_e7[0] * 1e-7, .lat = lat_e7[0] * 1e-7},
        {.kind = MACADAM_PLACE_POINT, .lon = lon_e7[419] * 1e-7, .lat = lat_e7[419] * 1e-7}};
    const macadam_route_request request = {.size = sizeof request, .waypoint = ends, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    cr_assert(route->found);
    cr_assert_eq(route->waypoint[0].id, fixture_id(0));
    cr_assert_eq(route->waypoint[1].id, fixture_id(419));
    cr_assert_gt(route->arc_count, 0);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *arc = &route->arc[i];
        const uint32_t end[] = {graph.tail[arc->arc - 1], graph.head[arc->arc - 1]};
        cr_assert_eq(arc->end_shape - arc->first_shape, 2);
        cr_assert_leq(arc->end_shape, route->shape_count);
        for (size_t k = 0; k < 2; ++k) {
            cr_assert_float_eq(route->lon[arc->first_shape + k], lon_e7[end[k]] * 1e-7, 1e-9);
            cr_assert_float_eq(route->lat[arc->first_shape + k], lat_e7[end[k]] * 1e-7, 1e-9);
        }
    }
}

Test(places, bounding_box_is_that_of_the_nodes)
{
    macadam_info info = MACADAM_INFO_INIT;
    cr_assert_eq(macadam_engine_info(&info, engine, NULL), MACADAM_OK);
    int32_t west = lon_e7[0], north = lat_e7[0];
    for (uint32_t node = 1; node < graph.node_count; ++node) {
        west = lon_e7[node] < west ? lon_e7[node] : west;
        north = lat_e7[node] > north ? lat_e7[node] : north;
    }
    cr_assert(info.has_coordinates);
    cr_assert_float_eq(info.west, west * 1e-7, 1e-9);
    cr_assert_float_eq(info.north, north * 1e-7, 1e-9);
    cr_assert_eq(info.component_count, 1);
    cr_assert_eq(info.quantity_count, 2);
    cr_assert_str_eq(info.metric[1], "distance");
    cr_assert_str_eq(info.companion[1], "duration");
}
