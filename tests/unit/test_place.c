/* test_place.c - ids are found, and points snap to the node that is nearest on the globe.
 * The oracle looks at every node, with chords in long double instead of haversines. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include "engine/place.h"

#include <criterion/criterion.h>
#include <math.h>

enum { NODES_MAX = 3000 };

static const mcd_parallel two_threads = {2, NULL};
static test_rng rng;
static macadam_error error;

/* One id a node; node i has the i-th smallest id unless a test says otherwise. */
static int64_t id[NODES_MAX], node_id[NODES_MAX];
static mcd_node depart[NODES_MAX], snap_node[NODES_MAX];
static int32_t lon_e7[NODES_MAX], lat_e7[NODES_MAX];
static mcd_place_index place_index;

static void set_up(void)
{
    allocator_install();
    rng.state = 1;
    for (size_t i = 0; i < NODES_MAX; ++i) id[i] = node_id[i] = 100 + 3 * (int64_t)i, depart[i] = (mcd_node)i;
    place_index = (mcd_place_index){.id = id, .depart = depart, .arrive = depart, .node_id = node_id};
}

static void tear_down(void)
{
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(place, .init = set_up, .fini = tear_down);

static void build(size_t count)
{
    place_index.node_count = place_index.id_count = count;
    place_index.lon_e7 = lon_e7, place_index.lat_e7 = lat_e7, place_index.snap_node = snap_node;
    cr_assert_eq(mcd_place_build(snap_node, depart, count, lon_e7, lat_e7, &two_threads, &error), MACADAM_OK);
}

static macadam_snap snap_at(double lon, double lat, double radius_m)
{
    const macadam_place place = {.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
    macadam_snap snap;
    mcd_node node;
    mcd_place_locate(&place_index, &two_threads, &place, 1, radius_m, &snap, &node, NULL);
    cr_assert_eq(node == MCD_NODE_NONE, snap.status != MACADAM_PLACE_OK);
    return snap;
}

/* ---- ids ---- */

static void expect_found(size_t count)
{
    place_index.id_count = count;
    for (size_t i = 0; i < count; ++i) cr_assert_eq(mcd_place_find_id(&place_index, id[i]), i);
}

Test(place, ids_without_gaps_are_found)
{
    for (size_t i = 0; i < 100; ++i) id[i] = (int64_t)i - 50;
    expect_found(100);
    cr_assert_eq(mcd_place_find_id(&place_index, -51), MCD_PLACE_NONE);
    cr_assert_eq(mcd_place_find_id(&place_index, 50), MCD_PLACE_NONE);
}

Test(place, ids_with_gaps_are_found_and_others_are_not)
{
    for (size_t count = 0; count < 70; ++count) expect_found(count);
    place_index.id_count = 70;
    for (int64_t other = 90; other < 400; ++other)
        if ((other - 100) % 3 != 0 || other < 100 || other >= 310)
            cr_assert_eq(mcd_place_find_id(&place_index, other), MCD_PLACE_NONE, "%lld", (long long)other);
}

Test(place, extreme_ids_are_found)
{
    id[0] = INT64_MIN, id[1] = -1, id[2] = 0, id[3] = INT64_MAX;
    expect_found(4);
    cr_assert_eq(mcd_place_find_id(&place_index, INT64_MAX - 1), MCD_PLACE_NONE);
    cr_assert_eq(mcd_place_find_id(&place_index, INT64_MIN + 1), MCD_PLACE_NONE);
}

Test(place, node_departs_and_arrives_where_its_id_says)
{
    static const mcd_node arrive[] = {2, 0, 1};
    const macadam_place place[] = {{.id = 100}, {.id = 106}, {.id = 101}};
    macadam_snap snap[3];
    mcd_node from[3], to[3];
    build(3);
    place_index.arrive = arrive;
    mcd_place_locate(&place_index, &two_threads, place, 3, 0, snap, from, to);
    cr_assert_eq(from[0], 0);
    cr_assert_eq(to[0], 2);
    cr_assert_eq(from[1], 2);
    cr_assert_eq(to[1], 1);
    cr_assert_eq(snap[1].status, MACADAM_PLACE_OK);
    cr_assert_eq(snap[1].id, 106);
    cr_assert_eq(snap[1].distance_m, 0);
    cr_assert_eq(from[2], MCD_NODE_NONE);
    cr_assert_eq(to[2], MCD_NODE_NONE);
    cr_assert_eq(snap[2].status, MACADAM_PLACE_UNKNOWN_ID);
    cr_assert_eq(snap[2].id, 101);
}

Test(place, node_without_coordinates_has_none)
{
    const macadam_place place = {.id = 100};
    macadam_snap snap;
    place_index.id_count = 1;
    mcd_place_locate(&place_index, &two_threads, &place, 1, 0, &snap, NULL, NULL);
    cr_assert_eq(snap.status, MACADAM_PLACE_OK);
    cr_assert(isnan(snap.lon) && isnan(snap.lat));
    cr_assert_eq(snap.distance_m, 0);
}

/* ---- the nearest node ---- */

typedef struct vector {
    long double x, y, z;
} vector;

static vector vector_of(double lon, double lat)
{
    const long double radians = acosl(-1) / 180;
    return (vector){cosl(lat * radians) * cosl(lon * radians), cosl(lat * radians) * sinl(lon * radians),
                    sinl(lat * radians)};
}

static double oracle_distance(double lon, double lat, mcd_node node)
{
    const vector a = vector_of(lon, lat), b = vector_of(lon_e7[node] * 1e-7, lat_e7[node] * 1e-7);
    const long double chord = hypotl(hypotl(a.x - b.x, a.y - b.y), a.z - b.z);
    return (double)(2 * 6371008.8L * asinl(fminl(chord / 2, 1)));
}

static double oracle_nearest(double lon, double lat)
{
    double nearest = INFINITY;
    for (mcd_node node = 0; node < place_index.node_count; ++node)
        nearest = fmin(nearest, oracle_distance(lon, lat, node));
    return nearest;
}

/* At distances in doubles two nodes whose distances differ by less than this are as good as each other: at
 * the antipode the haversine has only half of its digits. */
static double tolerance_of(double distance)
{
    return distance < 15e6 ? 1e-6 : 1;
}

static void expect_nearest(double lon, double lat)
{
    const macadam_snap snap = snap_at(lon, lat, 1e9);
    const double nearest = oracle_nearest(lon, lat), tolerance = tolerance_of(nearest);
    cr_assert_eq(snap.status, MACADAM_PLACE_OK);
    const size_t found = mcd_place_find_id(&place_index, snap.id);
    cr_assert_float_eq(snap.distance_m, nearest, tolerance, "%.9f %.9f: %.9f, not %.9f", lon, lat,
                       snap.distance_m, nearest);
    cr_assert_float_eq(oracle_distance(lon, lat, depart[found]), nearest, tolerance);
    cr_assert_eq(snap.lon, lon_e7[depart[found]] * 1e-7);
    cr_assert_eq(snap.lat, lat_e7[depart[found]] * 1e-7);
    for (mcd_node node = 0; node < depart[found]; ++node) /* equal places have their smallest id */
        cr_assert(lon_e7[node] != lon_e7[depart[found]] || lat_e7[node] != lat_e7[depart[found]]);
}

static int32_t random_e7(double low, double high)
{
    return (int32_t)lrint((low + (high - low) * (double)rng_next(&rng) / 0x1p64) * 1e7);
}

static int32_t wrap_lon(int64_t lon)
{
    return (int32_t)(lon > 1800000000 ? lon - 3600000000 : lon < -1800000000 ? lon + 3600000000 : lon);
}

/* Nodes and points in a rectangle, which may cross the antimeridian; some points lie on nodes, some far
 * away. */
static void expect_nearest_in(size_t count, double west, double east, double south, double north)
{
    for (size_t i = 0; i < count; ++i) {
        lon_e7[i] = wrap_lon(random_e7(west / 2, east / 2) * INT64_C(2));
        lat_e7[i] = random_e7(south, north);
    }
    build(count);
    for (int i = 0; i < 60; ++i) {
        const size_t near = rng_below(&rng, (uint32_t)count);
        expect_nearest(wrap_lon(random_e7(west / 2, east / 2) * INT64_C(2)) * 1e-7,
                       random_e7(south, north) * 1e-7);
        expect_nearest(lon_e7[near] * 1e-7, lat_e7[near] * 1e-7);
        expect_nearest(random_e7(-180, 180) * 1e-7, random_e7(-90, 90) * 1e-7);
    }
}

Test(place, nearest_of_nodes_all_over_the_globe)
{
    expect_nearest_in(NODES_MAX, -180, 180, -90, 90);
}

Test(place, nearest_of_few_nodes)
{
    for (size_t count = 1; count < 40; ++count) expect_nearest_in(count, -180, 180, -90, 90);
}

Test(place, nearest_of_a_city)
{
    expect_nearest_in(NODES_MAX, -74.3, -73.7, 40.4, 41);
}

Test(place, nearest_across_the_antimeridian)
{
    expect_nearest_in(NODES_MAX, 177, 183, -20, -15);
    expect_nearest_in(NODES_MAX, 179.999, 180.001, -0.001, 0.001);
}

Test(place, nearest_near_the_poles)
{
    expect_nearest_in(NODES_MAX, -180, 180, 89, 90);
    expect_nearest_in(NODES_MAX, -180, 180, -90, -89.9999);
}

Test(place, nearest_seen_from_the_poles_and_the_antimeridian)
{
    expect_nearest_in(NODES_MAX, -180, 180, 60, 90);
    expect_nearest(0, 90);
    expect_nearest(180, 90);
    expect_nearest(-77, -90);
    expect_nearest(180, 70);
    expect_nearest(-180, 70);
    expect_nearest(33.3, 89.99999999999);
    lon_e7[7] = 1234567890, lat_e7[7] = 900000000;
    build(NODES_MAX);
    expect_nearest(0, 90);
    expect_nearest(-10, 89.9999999);
}

Test(place, nearest_on_a_line_and_in_one_place)
{
    expect_nearest_in(NODES_MAX, 5, 5, -60, 60);
    expect_nearest_in(NODES_MAX, -60, 60, 0, 0);
    expect_nearest_in(NODES_MAX, 8, 8, 50, 50);
}

Test(place, nearest_of_nodes_of_which_many_share_a_place)
{
    for (size_t i = 0; i < NODES_MAX; ++i)
        lon_e7[i] = (int32_t)rng_below(&rng, 20) * 1000, lat_e7[i] = (int32_t)rng_below(&rng, 20) * 1000;
    build(NODES_MAX);
    for (int i = 0; i < 200; ++i)
        expect_nearest(random_e7(-0.001, 0.003) * 1e-7, random_e7(-0.001, 0.003) * 1e-7);
}

Test(place, of_two_equally_near_nodes_the_smaller_id_wins)
{
    lon_e7[0] = -10000, lon_e7[1] = 10000, lat_e7[0] = lat_e7[1] = 0;
    for (size_t i = 2; i < 100; ++i) lon_e7[i] = 20000, lat_e7[i] = (int32_t)i * 100;
    build(100);
    cr_assert_eq(snap_at(0, 0, 0).id, 100);
    lon_e7[0] = 10000, lon_e7[1] = -10000;
    build(100);
    cr_assert_eq(snap_at(0, 0, 0).id, 100);
    lat_e7[0] = 10000, lat_e7[1] = -10000, lon_e7[0] = lon_e7[1] = 0;
    build(100);
    cr_assert_eq(snap_at(0, 0, 0).id, 100);
}

Test(place, copies_from_which_no_id_departs_are_not_found)
{
    static mcd_node first_copy[] = {2};
    lon_e7[0] = lon_e7[1] = 0, lon_e7[2] = 50000;
    place_index = (mcd_place_index){3, 1, id, first_copy, first_copy, node_id, lon_e7, lat_e7, snap_node};
    node_id[0] = node_id[1] = node_id[2] = id[0];
    cr_assert_eq(mcd_place_build(snap_node, first_copy, 1, lon_e7, lat_e7, &two_threads, &error), MACADAM_OK);
    const macadam_snap snap = snap_at(0, 0, 0);
    cr_assert_eq(snap.status, MACADAM_PLACE_OK);
    cr_assert_float_eq(snap.distance_m, 555.97, 0.1);
}

/* ---- what does not snap ---- */

Test(place, radius_is_in_metres_and_a_kilometre_unless_given)
{
    lon_e7[0] = 0, lat_e7[0] = 0;
    build(1);
    const double metre = 180 / (acos(-1) * 6371008.8);
    cr_assert_eq(snap_at(0, 999 * metre, 0).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap_at(0, 1001 * metre, 0).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_eq(snap_at(0, 1001 * metre, 1002).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap_at(999 * metre, 0, 0).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap_at(1001 * metre, 0, 0).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_float_eq(snap_at(0, 999 * metre, 0).distance_m, 999, 1e-6);
    cr_assert_eq(snap_at(180, 0, 20e6).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_eq(snap_at(180, 0, 21e6).status, MACADAM_PLACE_OK);
    cr_assert(isnan(snap_at(180, 0, 1).distance_m));
}

Test(place, coordinates_that_are_nowhere_are_invalid)
{
    lon_e7[0] = 1800000000, lat_e7[0] = 900000000;
    build(1);
    cr_assert_eq(snap_at(180.0000001, 0, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(-181, 0, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(0, 90.0000001, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(NAN, 0, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(0, NAN, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(-INFINITY, 0, 1e9).status, MACADAM_PLACE_INVALID);
    cr_assert_eq(snap_at(-180, -90, 1e9).status, MACADAM_PLACE_OK);
}

Test(place, place_of_no_kind_is_invalid)
{
    const macadam_place place = {.kind = (macadam_place_kind)7};
    macadam_snap snap;
    build(1);
    mcd_place_locate(&place_index, &two_threads, &place, 1, 0, &snap, NULL, NULL);
    cr_assert_eq(snap.status, MACADAM_PLACE_INVALID);
}

Test(place, point_needs_coordinates)
{
    place_index.id_count = place_index.node_count = 3;
    cr_assert_eq(snap_at(0, 0, 0).status, MACADAM_PLACE_NO_COORDINATES);
}

Test(place, nothing_is_near_in_an_empty_map)
{
    build(0);
    cr_assert_eq(snap_at(0, 0, 1e9).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_eq(mcd_place_find_id(&place_index, 0), MCD_PLACE_NONE);
}

/* ---- many at once ---- */

Test(place, many_places_are_each_answered_in_their_order)
{
    enum { PLACES = 1000 };
    static macadam_place place[PLACES];
    static macadam_snap snap[PLACES];
    static mcd_node node[PLACES];
    for (size_t i = 0; i < NODES_MAX; ++i) lon_e7[i] = random_e7(0, 1), lat_e7[i] = random_e7(0, 1);
    build(NODES_MAX);
    for (size_t i = 0; i < PLACES; ++i) {
        place[i] = (macadam_place){.id = id[i * 2]};
        if (i % 3 == 0)
            place[i] = (macadam_place){
                .kind = MACADAM_PLACE_POINT, .lon = lon_e7[i] * 1e-7, .lat = lat_e7[i] * 1e-7};
    }
    mcd_place_locate(&place_index, &two_threads, place, PLACES, 0, snap, node, NULL);
    for (size_t i = 0; i < PLACES; ++i) {
        cr_assert_eq(snap[i].status, MACADAM_PLACE_OK);
        if (i % 3 != 0) cr_assert_eq(node[i], i * 2);
        if (i % 3 == 0) cr_assert_eq(lon_e7[node[i]], lon_e7[i]);
    }
}

Test(place, index_does_not_depend_on_threads)
{
    static mcd_node other[NODES_MAX];
    const mcd_parallel one_thread = {1, NULL};
    for (size_t i = 0; i < NODES_MAX; ++i) lon_e7[i] = random_e7(0, 0.0001), lat_e7[i] = random_e7(0, 0.0001);
    build(NODES_MAX);
    cr_assert_eq(mcd_place_build(other, depart, NODES_MAX, lon_e7, lat_e7, &one_thread, &error), MACADAM_OK);
    cr_assert_arr_eq(snap_node, other, sizeof other);
}

Test(place, building_without_memory_fails)
{
    allocator_fail(1);
    cr_assert_eq(mcd_place_build(snap_node, depart, 5, lon_e7, lat_e7, &two_threads, &error),
                 MACADAM_E_MEMORY);
    allocator_fail(0);
}
