/* test_snap.c - points snap to the nearest road, and say where on it.
 * The oracle looks at every piece of every arc, in long double.
 * One file, because all cases share its maps and its oracle. */
#include "engine/prepare/snap_build.h"
#include "tests/support/allocator.h"
#include "tests/support/rng.h"

#include "engine/map/graph.h"
#include "engine/map/locate.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 3000, ARCS_MAX = 6000, BENDS = 40 };

static const mcd_parallel two_threads = {2, NULL};
static test_rng rng;
static macadam_error error;

/* Node i has the id i; arc i of the list the number i + 1. Every third arc of a random map has bends. */
static size_t node_count, arc_count;
static int64_t id[NODES_MAX];
static mcd_node self[NODES_MAX], tail[ARCS_MAX], head[ARCS_MAX];
static int32_t lon_e7[NODES_MAX], lat_e7[NODES_MAX];
static mcd_point bend[ARCS_MAX][BENDS];
static size_t bend_count[ARCS_MAX];

/* As the engine has it, in the graph's order. */
static mcd_graph *graph;
static uint64_t number[ARCS_MAX], first_shape[ARCS_MAX + 1];
static int32_t shape_lon_e7[ARCS_MAX * BENDS], shape_lat_e7[ARCS_MAX * BENDS];
static mcd_place_index places;
static mcd_arc_facts facts;
static mcd_roads roads;
static mcd_components components;
static mcd_snap_index snap_index;
static mcd_locator locator;

static void set_up(void)
{
    allocator_install();
    rng.state = 1;
    node_count = arc_count = 0;
    memset(bend_count, 0, sizeof bend_count);
    for (size_t i = 0; i < NODES_MAX; ++i) id[i] = (int64_t)i, self[i] = (mcd_node)i;
}

static void tear_down(void)
{
    mcd_graph_free(graph);
    mcd_snap_index_free(&snap_index);
    mcd_components_free(&components);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(snap, .init = set_up, .fini = tear_down);

/* ---- maps ---- */

static mcd_node add_node(int32_t node_lon_e7, int32_t node_lat_e7)
{
    lon_e7[node_count] = node_lon_e7, lat_e7[node_count] = node_lat_e7;
    return (mcd_node)node_count++;
}

static void add_arc(mcd_node from, mcd_node to)
{
    tail[arc_count] = from, head[arc_count++] = to;
}

static void add_road(mcd_node a, mcd_node b)
{
    add_arc(a, b);
    add_arc(b, a);
}

static macadam_status build_index(mcd_snap_index *out)
{
    mcd_snap_pieces pieces;
    MCD_TRY(mcd_snap_pieces_new(&pieces, &roads, &components, &two_threads, NULL, &error));
    mcd_free(pieces.unindexed);
    return mcd_snap_index_sort(out, &pieces, &roads, &two_threads, NULL, &error);
}

static void build(void)
{
    uint32_t *map_arc;
    mcd_graph_free(graph);
    mcd_snap_index_free(&snap_index);
    cr_assert_eq(mcd_graph_new(&graph, &map_arc, (mcd_node)node_count, tail, head, arc_count, self, NULL,
                               NULL, &error),
                 MACADAM_OK);
    size_t shapes = 0;
    for (size_t arc = 0; arc < arc_count; ++arc) {
        number[arc] = map_arc[arc] + 1;
        first_shape[arc] = shapes;
        for (size_t i = 0; i < bend_count[map_arc[arc]]; ++i, ++shapes) {
            shape_lon_e7[shapes] = bend[map_arc[arc]][i].lon_e7;
            shape_lat_e7[shapes] = bend[map_arc[arc]][i].lat_e7;
        }
    }
    first_shape[arc_count] = shapes;
    mcd_free(map_arc);
    places = (mcd_place_index){node_count, node_count, id, self, self, self, lon_e7, lat_e7, NULL};
    facts = (mcd_arc_facts){.number = number,
                            .first_point = first_shape,
                            .shape_lon_e7 = shape_lon_e7,
                            .shape_lat_e7 = shape_lat_e7};
    roads = (mcd_roads){graph, &places, &facts, arc_count};
    mcd_components_free(&components);
    cr_assert_eq(mcd_components_new(&components, graph, NULL, NULL, &error), MACADAM_OK);
    cr_assert_eq(build_index(&snap_index), MACADAM_OK);
    locator = (mcd_locator){.places = &places, .roads = &roads, .snap = &snap_index, .any_component = true};
}

static macadam_place point(double lon, double lat)
{
    return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
}

static macadam_snap snap_place(macadam_place place, mcd_position *position)
{
    macadam_snap snap;
    mcd_locate(&locator, &two_threads, &(mcd_locate_list){&place, 1, position, {.snap = &snap}}, 1, NULL);
    return snap;
}

static macadam_snap snap_at(double lon, double lat)
{
    mcd_position position;
    return snap_place(point(lon, lat), &position);
}

/* ---- the nearest road ---- */

static const long double metres_per_degree = 6371008.8L * 3.14159265358979323846264L / 180;

/* In metres of the plane about the point. */
static long double oracle_piece(double lon, double lat, mcd_point a, mcd_point b)
{
    const long double shrink = cosl(lat * 3.14159265358979323846264L / 180);
    const long double x = remainderl(a.lon_e7 * 1e-7L - lon, 360) * shrink, y = a.lat_e7 * 1e-7L - lat;
    const long double dx = remainderl((b.lon_e7 - (long double)a.lon_e7) * 1e-7L, 360) * shrink,
                      dy = (b.lat_e7 - (long double)a.lat_e7) * 1e-7L, square = dx * dx + dy * dy;
    const long double along = square > 0 ? fminl(fmaxl(-(x * dx + y * dy) / square, 0), 1) : 0;
    return hypotl(x + along * dx, y + along * dy) * metres_per_degree;
}

static mcd_point node_point(mcd_node node)
{
    return (mcd_point){lon_e7[node], lat_e7[node]};
}

static long double oracle_arc(double lon, double lat, size_t arc)
{
    long double nearest = INFINITY;
    mcd_point from = node_point(tail[arc]);
    for (size_t i = 0; i <= bend_count[arc]; ++i) {
        const mcd_point to = i < bend_count[arc] ? bend[arc][i] : node_point(head[arc]);
        nearest = fminl(nearest, oracle_piece(lon, lat, from, to));
        nearest =
            fminl(nearest, oracle_piece(lon, lat, to, from)); /* on the other side of the Earth they differ */
        from = to;
    }
    return nearest;
}

static void expect_nearest(double lon, double lat)
{
    lon = rint(lon * 1e7) / 1e7, lat = rint(lat * 1e7) / 1e7;
    long double nearest = INFINITY;
    for (size_t arc = 0; arc < arc_count; ++arc) nearest = fminl(nearest, oracle_arc(lon, lat, arc));
    locator.radius_m = 1e9;
    const macadam_snap snap = snap_at(lon, lat);
    cr_assert_eq(snap.status, MACADAM_PLACE_OK);
    cr_assert_float_eq(snap.distance_m, (double)nearest, 1e-4, "%.7f %.7f: %.6f, not %.6f", lon, lat,
                       snap.distance_m, (double)nearest);
    cr_assert_float_eq((double)oracle_arc(lon, lat, snap.arc - 1), (double)nearest, 1e-4);
    const mcd_point there = {(int32_t)lrint(snap.lon * 1e7), (int32_t)lrint(snap.lat * 1e7)};
    cr_assert_float_eq((double)oracle_piece(lon, lat, there, there), (double)nearest, 0.02);
}

static int32_t random_e7(double low, double high)
{
    return (int32_t)lrint((low + (high - low) * (double)rng_next(&rng) / 0x1p64) * 1e7);
}

static int32_t wrap_lon(int64_t lon)
{
    return (int32_t)(lon > 1800000000 ? lon - 3600000000 : lon < -1800000000 ? lon + 3600000000 : lon);
}

static mcd_point random_point(double west, double east, double south, double north)
{
    return (mcd_point){wrap_lon(random_e7(west / 2, east / 2) * INT64_C(2)), random_e7(south, north)};
}

/* Roads in a rectangle, which may cross the antimeridian; some points lie on junctions, some far away. */
static void expect_nearest_in(size_t nodes, double west, double east, double south, double north)
{
    node_count = arc_count = 0;
    for (size_t i = 0; i < nodes; ++i) {
        const mcd_point at = random_point(west, east, south, north);
        add_node(at.lon_e7, at.lat_e7);
    }
    for (size_t i = 0; i < nodes; ++i) {
        bend_count[arc_count] = i % 3 == 0 ? 1 + i % 2 : 0;
        for (size_t k = 0; k < bend_count[arc_count]; ++k)
            bend[arc_count][k] = random_point(west, east, south, north);
        add_arc((mcd_node)i, (mcd_node)((i + 1) % nodes));
    }
    build();
    for (int i = 0; i < 60; ++i) {
        const mcd_node near = rng_below(&rng, (uint32_t)nodes);
        const mcd_point at = random_point(west, east, south, north);
        expect_nearest(at.lon_e7 * 1e-7, at.lat_e7 * 1e-7);
        expect_nearest(lon_e7[near] * 1e-7, lat_e7[near] * 1e-7);
        expect_nearest(random_e7(-180, 180) * 1e-7, random_e7(-89, 89) * 1e-7);
    }
}

/* Searches in an area find what each finds alone. */
static void expect_same_in_areas(double west, double east, double south, double north, double side)
{
    enum { HITS = 5 };
    size_t found = 0;
    for (int i = 0; i < 200; ++i) {
        const mcd_node near = rng_below(&rng, (uint32_t)node_count);
        const mcd_point centre =
            i % 2 ? random_point(west, east, south, north) : (mcd_point){lon_e7[near], lat_e7[near]};
        const int32_t half = (int32_t)(side / 2 * 1e7);
        const mcd_snap_box box = {centre.lon_e7 - half, centre.lat_e7 - half, centre.lon_e7 + half,
                                  centre.lat_e7 + half};
        const double radius = side * 111000 * rng_below(&rng, 100) / 50;
        mcd_snap_area area;
        if (!mcd_snap_area_find(&area, &snap_index, &box, radius)) continue;
        for (int k = 0; k < 8; ++k) {
            mcd_snap_search search = {.roads = &roads, .index = &snap_index};
            mcd_snap_hit alone[HITS], there[HITS];
            search.at = (mcd_point){k & 1 ? box.west_e7 : centre.lon_e7, k & 2 ? box.north_e7 : box.south_e7};
            search.radius_m = k & 4 ? radius : radius / 3;
            const size_t count = mcd_snap_find(&search, alone, HITS);
            search.area = &area;
            cr_assert_eq(mcd_snap_find(&search, there, HITS), count);
            for (size_t h = 0; h < count; ++h) {
                cr_assert_eq(there[h].entry, alone[h].entry);
                cr_assert_eq(there[h].square, alone[h].square);
                cr_assert_eq(there[h].along, alone[h].along);
            }
            found += count;
        }
    }
    cr_assert_gt(found, 100);
}

Test(snap, areas_have_what_searches_there_find)
{
    expect_nearest_in(2000, 8, 8.05, 47, 47.05);
    expect_same_in_areas(8, 8.05, 47, 47.05, 0.001);
    expect_nearest_in(1000, 179.9, 180.1, -10, -9.9);
    expect_same_in_areas(179.9, 180.1, -10, -9.9, 0.004);
    expect_nearest_in(1000, -180, 180, -90, 90);
    expect_same_in_areas(-180, 180, -90, 90, 1);
}

Test(snap, nearest_of_few_roads)
{
    for (size_t count = 1; count < 40; ++count) expect_nearest_in(count, 5, 6, 40, 41);
}

Test(snap, nearest_of_a_city)
{
    expect_nearest_in(NODES_MAX, -74.3, -73.7, 40.4, 41);
}

Test(snap, nearest_across_the_antimeridian)
{
    expect_nearest_in(NODES_MAX, 177, 183, -20, -15);
    expect_nearest_in(NODES_MAX, 179.999, 180.001, -0.001, 0.001);
}

Test(snap, nearest_all_over_the_globe)
{
    expect_nearest_in(NODES_MAX, -180, 180, -85, 85);
}

Test(snap, nearest_on_a_line_and_in_one_place)
{
    expect_nearest_in(300, 5, 5, -60, 60);
    expect_nearest_in(300, -60, 60, 0, 0);
    expect_nearest_in(300, 8, 8, 50, 50);
}

Test(snap, of_equally_near_roads_the_smallest_number_wins)
{
    for (int i = 0; i < 200; ++i) add_node((i - 100) * 1000, i % 2 * 2000 - 1000);
    for (mcd_node i = 0; i + 2 < 200; ++i)
        add_road(i, i + 2); /* two lines, at equal distances of the equator */
    build();
    for (int i = -90; i < 90; ++i) {
        const macadam_snap snap = snap_at(i * 1e-4 + 3e-5, 0);
        cr_assert_float_eq(snap.distance_m, 11.1195, 1e-3);
        const macadam_snap above = snap_at(i * 1e-4 + 3e-5, 1e-6), below = snap_at(i * 1e-4 + 3e-5, -1e-6);
        cr_assert_eq(snap.arc, above.arc < below.arc ? above.arc : below.arc);
        cr_assert_eq(snap.arc % 2, 1, "the way there has the smaller number");
    }
}

/* ---- where on the road ---- */

/*   0 ------ 1    two-way, 100 000 units of longitude on the equator; then north to 2, one way, 50 000
 *            |    of latitude with a bend half-way */
static void make_corner(void)
{
    add_node(0, 0);
    add_node(100000, 0);
    add_node(100000, 50000);
    add_road(0, 1);
    bend_count[arc_count] = 1;
    bend[arc_count][0] = (mcd_point){100000, 25000};
    add_arc(1, 2);
    build();
}

static uint32_t arc_of(uint64_t its_number)
{
    uint32_t arc = 0;
    while (number[arc] != its_number) ++arc;
    return arc;
}

Test(snap, position_is_a_share_of_the_arc_either_way)
{
    mcd_position position;
    make_corner();
    const macadam_snap snap = snap_place(point(0.0025, 0.0001), &position);
    cr_assert_eq(position.id, MCD_PLACE_NONE);
    cr_assert_eq(position.arc[0], arc_of(1));
    cr_assert_eq(position.arc[1], arc_of(2));
    cr_assert_eq(position.before[0], MCD_ROAD_WHOLE / 4);
    cr_assert_eq(position.before[1], MCD_ROAD_WHOLE / 4 * 3);
    cr_assert_float_eq(snap.lon, 0.0025, 1e-12);
    cr_assert_float_eq(snap.lat, 0, 1e-12);
    cr_assert_float_eq(snap.distance_m, 11.1195, 1e-3);
    cr_assert_eq(snap.id, 0);
    cr_assert_eq(snap_at(0.0075, 0.0001).id, 1);
}

Test(snap, one_way_road_has_no_arc_back)
{
    mcd_position position;
    make_corner();
    snap_place(point(0.0101, 0.00375), &position);
    cr_assert_eq(position.arc[0], arc_of(3));
    cr_assert_eq(position.arc[1], MCD_ROAD_NONE);
    cr_assert_float_eq((double)position.before[0], (double)(MCD_ROAD_WHOLE / 4 * 3), 1); /* rounded once */
}

Test(snap, place_nearest_to_the_end_of_a_road_is_at_the_junction)
{
    mcd_position position;
    make_corner();
    snap_place(point(-0.001, 0.0005), &position);
    cr_assert_eq(position.id, 0);
    cr_assert_eq(position.arc[0], MCD_ROAD_NONE);
    snap_place(point(0.01, -0.0005), &position);
    cr_assert_eq(position.id, 1);
    snap_place(point(0.011, 0.006), &position);
    cr_assert_eq(position.id, 2);
    snap_place(point(0.01, 0.005), &position);
    cr_assert_eq(position.id, 2);
}

/* One way, bent where it begins and where it ends. */
Test(snap, junction_is_a_junction_where_an_arc_repeats_its_point)
{
    mcd_position position;
    add_node(0, 0);
    add_node(100000, 0);
    bend_count[0] = 2;
    bend[0][0] = node_point(0), bend[0][1] = node_point(1);
    add_arc(0, 1);
    build();
    cr_assert_eq(snap_place(point(0.01, 0), &position).id, 1);
    cr_assert(position.id == 1 && position.arc[0] == MCD_ROAD_NONE);
    cr_assert_eq(snap_place(point(0, 0.0001), &position).id, 0);
    cr_assert(position.id == 0 && position.arc[0] == MCD_ROAD_NONE);
    snap_place(point(0.005, 0), &position);
    cr_assert_eq(position.before[0], MCD_ROAD_WHOLE / 2);
}

Test(snap, point_snapped_to_is_that_of_the_node_and_of_the_road)
{
    double lon[2], lat[2];
    mcd_road_lengths lengths = {.arc = MCD_ROAD_NONE};
    for (int i = 0; i < 50; ++i) add_node(123456789 + 1009 * i, -456789123 + 997 * i);
    for (mcd_node i = 0; i + 1 < 50; ++i) add_road(i, i + 1);
    build();
    for (mcd_node i = 0; i + 1 < 50; ++i) {
        const macadam_snap by_id = snap_place((macadam_place){.id = i}, NULL);
        const macadam_snap there = snap_at(lon_e7[i] / 1e7, lat_e7[i] / 1e7);
        mcd_road_cut(&roads, arc_of(2 * i + 1), 0, MCD_ROAD_WHOLE, lon, lat, NULL, &lengths);
        cr_assert(by_id.lon == lon[0] && by_id.lat == lat[0], "node %u", i);
        cr_assert(there.lon == lon[0] && there.lat == lat[0], "at node %u", i);
    }
}

/* Arcs of a single piece, of 41, and of two, cut with the lengths of an earlier cut and without any. */
Test(snap, cuts_share_the_lengths_of_an_arc)
{
    const size_t bends[] = {0, BENDS, 1};
    double lon[2][BENDS + 2], lat[2][BENDS + 2];
    mcd_road_lengths shared = {.arc = MCD_ROAD_NONE};
    for (int i = 0; i < 4; ++i) add_node(20000 * i, 10000 * (i % 2));
    for (mcd_node i = 0; i < 3; ++i) {
        bend_count[i] = bends[i];
        for (size_t k = 0; k < bends[i]; ++k) bend[i][k] = random_point(0, 0.006, 0, 0.001);
        add_arc(i, i + 1);
    }
    build();
    for (int i = 0; i < 200; ++i) {
        mcd_road_lengths own = {.arc = MCD_ROAD_NONE};
        const uint32_t arc = arc_of(1 + rng_below(&rng, 3));
        const uint64_t from = rng_below(&rng, UINT32_MAX),
                       to = from + rng_below(&rng, UINT32_MAX - (uint32_t)from);
        const size_t count = mcd_road_cut(&roads, arc, from, to, lon[0], lat[0], NULL, &own);
        cr_assert_eq(mcd_road_cut(&roads, arc, from, to, lon[1], lat[1], NULL, &shared), count);
        cr_assert(memcmp(lon[0], lon[1], count * sizeof lon[0][0]) == 0);
        cr_assert(memcmp(lat[0], lat[1], count * sizeof lat[0][0]) == 0);
    }
}

static uint32_t back_of(uint32_t arc)
{
    return mcd_road_back(&roads, mcd_road_tail(roads.graph, arc), arc);
}

Test(snap, arcs_back_pair_up)
{
    make_corner();
    add_road(0, 1); /* parallel to the first */
    add_arc(1, 0);
    add_arc(2, 2);
    build();
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        const uint32_t back = back_of(arc);
        if (back == MCD_ROAD_NONE) continue;
        cr_assert_neq(back, arc);
        cr_assert_eq(back_of(back), arc);
    }
    cr_assert_eq(back_of(arc_of(1)), arc_of(2));
    cr_assert_eq(back_of(arc_of(4)), arc_of(5));
    cr_assert_eq(back_of(arc_of(6)), MCD_ROAD_NONE);
    cr_assert_eq(back_of(arc_of(7)), MCD_ROAD_NONE);
}

/* Whether each arc is indexed if it has the smaller number of its road, and then once. */
static void expect_indexed_once(void)
{
    size_t *const count = calloc(arc_count, sizeof *count);
    cr_assert_not_null(count);
    for (size_t i = 0; i < snap_index.piece_count; ++i) ++count[snap_index.arc[i]];
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        const uint32_t back = back_of(arc);
        cr_assert(back == MCD_ROAD_NONE || back_of(back) == arc);
        cr_assert_eq(count[arc], back == MCD_ROAD_NONE || number[arc] < number[back], "arc %u", arc);
    }
    free(count);
}

Test(snap, of_very_many_parallel_arcs_some_have_an_arc_back)
{
    add_node(0, 0);
    add_node(100000, 0);
    for (size_t i = 0; i < ARCS_MAX / 2; ++i) add_road(0, 1);
    build();
    expect_indexed_once();
    size_t paired = 0;
    for (uint32_t arc = 0; arc < arc_count; ++arc) paired += back_of(arc) != MCD_ROAD_NONE;
    cr_assert_eq(paired, 2 * MCD_ROAD_PAIRED_MAX);
}

/* ---- questions ---- */

Test(snap, heading_chooses_the_direction_of_travel)
{
    mcd_position position;
    make_corner();
    macadam_place place = point(0.0025, 0.0001);
    place.heading = 100, place.heading_tolerance = 15;
    cr_assert_eq(snap_place(place, &position).arc, 1);
    cr_assert(position.arc[0] == arc_of(1) && position.arc[1] == MCD_ROAD_NONE);
    place.heading = -80;
    cr_assert_eq(snap_place(place, &position).arc, 2);
    cr_assert(position.arc[0] == MCD_ROAD_NONE && position.arc[1] == arc_of(2));
    place.heading = 350; /* northwards goes the one-way road alone, 800 m away */
    locator.radius_m = 900;
    cr_assert_eq(snap_place(place, &position).arc, 3);
    place.heading = 180;
    cr_assert_eq(snap_place(place, &position).status, MACADAM_PLACE_TOO_FAR);
    place.heading_tolerance = 180;
    cr_assert_eq(snap_place(place, &position).arc, 1);
}

Test(snap, place_with_a_heading_stays_on_its_road_at_the_junction)
{
    mcd_position position;
    make_corner();
    macadam_place place = point(0, 0);
    place.heading = 90, place.heading_tolerance = 10;
    snap_place(place, &position);
    cr_assert_eq(position.id, MCD_PLACE_NONE);
    cr_assert_eq(position.before[0], 0);
    place.heading_tolerance = 180;
    snap_place(place, &position);
    cr_assert_neq(position.id, MCD_PLACE_NONE, "any direction is allowed");
}

Test(snap, curb_is_the_side_where_the_place_lies)
{
    mcd_position position;
    make_corner();
    macadam_place place = point(0.0025, 0.0001); /* to the left of 0 > 1 */
    place.side = MACADAM_SIDE_CURB;
    snap_place(place, &position);
    cr_assert(position.arc[0] == MCD_ROAD_NONE && position.arc[1] == arc_of(2));
    locator.drives_left = true;
    snap_place(place, &position);
    cr_assert(position.arc[0] == arc_of(1) && position.arc[1] == MCD_ROAD_NONE);
    place.lat = 0; /* on the road */
    snap_place(place, &position);
    cr_assert(position.arc[0] == arc_of(1) && position.arc[1] == arc_of(2));
    place = point(0.0101, 0.00375); /* a one-way road has one side */
    place.side = MACADAM_SIDE_CURB;
    snap_place(place, &position);
    cr_assert_eq(position.arc[0], arc_of(3));
}

Test(snap, opposite_is_the_other_side)
{
    mcd_position position;
    make_corner();
    macadam_place place = point(0.0025, 0.0001); /* to the left of 0 > 1 */
    place.side = MACADAM_SIDE_OPPOSITE;
    snap_place(place, &position);
    cr_assert(position.arc[0] == arc_of(1) && position.arc[1] == MCD_ROAD_NONE);
    locator.drives_left = true;
    snap_place(place, &position);
    cr_assert(position.arc[0] == MCD_ROAD_NONE && position.arc[1] == arc_of(2));
}

Test(snap, radius_of_a_place_counts_before_that_of_the_query)
{
    mcd_position position;
    make_corner();
    macadam_place place = point(0.0025, 0.0009); /* 100 m from the road */
    place.radius_m = 90;
    cr_assert_eq(snap_place(place, &position).status, MACADAM_PLACE_TOO_FAR);
    place.radius_m = 110;
    locator.radius_m = 50;
    cr_assert_eq(snap_place(place, &position).status, MACADAM_PLACE_OK);
    place.radius_m = -1;
    cr_assert_eq(snap_place(place, &position).status, MACADAM_PLACE_INVALID);
}

/* A two-way road east from 0 to 1, by way of bends, and places about the last but one of its points. */
static void expect_side(const mcd_point *points, size_t count, double lon, double lat, double side)
{
    mcd_position position;
    node_count = arc_count = 0;
    add_node(0, 0);
    add_node(points[count - 1].lon_e7, points[count - 1].lat_e7);
    bend_count[0] = bend_count[1] = count - 1;
    for (size_t i = 0; i + 1 < count; ++i) bend[0][i] = bend[1][count - 2 - i] = points[i];
    add_road(0, 1);
    build();
    macadam_place place = point(lon, lat);
    place.side = MACADAM_SIDE_CURB;
    cr_assert_eq(snap_place(place, &position).status, MACADAM_PLACE_OK);
    cr_assert_eq(position.arc[0] != MCD_ROAD_NONE, side <= 0, "%.4f %.4f", lon, lat);
    cr_assert_eq(position.arc[1] != MCD_ROAD_NONE, side >= 0, "%.4f %.4f", lon, lat);
}

/* side: above 0 to the left of the way there, below to the right, 0: neither. */
Test(snap, outer_side_of_a_bend_is_one_side)
{
    static const mcd_point hairpin[] = {{100000, 0}, {0, 5000}}, back[] = {{100000, 0}, {0, 0}},
                           twice[] = {{100000, 0}, {100000, 0}, {0, 5000}},
                           straight[] = {{3333, 1111}, {9999, 3333}};
    for (int north = -8; north <= 8; ++north) expect_side(hairpin, 2, 0.0102, north * 1e-5, -1);
    for (int north = -8; north <= 8; ++north) expect_side(twice, 3, 0.0102, north * 1e-5, -1);
    expect_side(hairpin, 2, 0.0095, -1e-4, -1);
    expect_side(hairpin, 2, 0.005, 1e-5, 1);
    expect_side(hairpin, 2, 0.01, 0, 0);
    expect_side(back, 2, 0.0101, 0, 0);
    expect_side(straight, 2, 0.0003333 - 1e-4, 0.0001111 + 3e-4, 1);
    expect_side(straight, 2, 0.0003333 + 1e-4, 0.0001111 - 3e-4, -1);
}

/* A chain of 100 roads, and a lone road nearer to the point. */
static void make_island(void)
{
    for (int i = 0; i <= 100; ++i) add_node(i * 1000, 0);
    for (mcd_node i = 0; i < 100; ++i) add_road(i, i + 1);
    add_node(0, 20000);
    add_node(100000, 20000);
    add_road(101, 102);
    build();
}

Test(snap, roads_of_small_components_come_last_unless_any_will_do)
{
    make_island();
    locator.any_component = false;
    cr_assert_eq((snap_at(0.00515, 0.0019).arc + 1) / 2, 52);
    locator.any_component = true;
    cr_assert_eq(snap_at(0.00515, 0.0019).arc, 201);
    locator.any_component = false;
    locator.radius_m = 20;
    cr_assert_eq(snap_at(0.00515, 0.0019).arc, 201, "there is no other within the radius");
}

Test(snap, closed_roads_are_left_out)
{
    make_corner();
    mcd_weight weight[ARCS_MAX] = {0};
    const mcd_weights weights = {.graph = graph, .objective = weight};
    const macadam_snap open = snap_at(0.0005, 0.0001);
    mcd_position position;
    locator.weights = &weights;
    cr_assert_eq(snap_at(0.0005, 0.0001).arc, open.arc);
    size_t closed = 0; /* one arc of the road, then both */
    for (size_t arc = 0; arc < arc_count; ++arc) {
        if ((number[arc] + 1) / 2 != (open.arc + 1) / 2) continue;
        weight[arc] = MCD_UNREACHED;
        const macadam_snap snap = snap_place(point(0.0005, 0.0001), &position);
        if (++closed == 1)
            cr_assert_eq((snap.arc + 1) / 2, (open.arc + 1) / 2, "the way back is open");
        else
            cr_assert_neq((snap.arc + 1) / 2, (open.arc + 1) / 2);
    }
    cr_assert_eq(closed, 2);
}

Test(snap, a_direction_of_travel_that_is_closed_is_left_out)
{
    make_corner();
    mcd_weight weight[ARCS_MAX] = {0};
    const mcd_weights weights = {.graph = graph, .objective = weight};
    macadam_place east = point(0.0025, 0.0001), west = east;
    mcd_position position;
    east.heading = 100, east.heading_tolerance = 15;
    west.heading = -80, west.heading_tolerance = 15;
    locator.weights = &weights;
    weight[arc_of(2)] = MCD_UNREACHED;
    cr_assert_eq(snap_place(west, &position).status, MACADAM_PLACE_TOO_FAR);
    cr_assert_eq(snap_place(east, &position).arc, 1);
    weight[arc_of(2)] = 0, weight[arc_of(1)] = MCD_UNREACHED;
    cr_assert_eq(snap_place(west, &position).arc, 2);
    cr_assert_eq(snap_place(east, &position).status, MACADAM_PLACE_TOO_FAR);
}

Test(snap, a_street_in_pieces_is_one_candidate)
{
    macadam_snap snap[MACADAM_SNAP_CANDIDATES_MAX];
    make_island();
    locator.any_component = true;
    const macadam_place place = point(0.00515, 0.0009), far = point(0.00515, 0.5);
    cr_assert_eq(mcd_locate_candidates(&locator, &place, snap, 10), 2);
    cr_assert_eq((snap[0].arc + 1) / 2, 52);
    cr_assert_eq((snap[1].arc + 1) / 2, 101);
    cr_assert_eq(mcd_locate_candidates(&locator, &far, snap, 10), 0);
    cr_assert_eq(snap[0].status, MACADAM_PLACE_TOO_FAR);
}

/* Side streets lead north from a street in five pieces. */
Test(snap, candidates_are_distinct_roads_nearest_first)
{
    macadam_snap snap[MACADAM_SNAP_CANDIDATES_MAX];
    for (int i = 0; i <= 5; ++i) add_node(i * 1000, 0);
    for (int i = 1; i <= 4; ++i) add_node(i * 1000, 5000);
    for (mcd_node i = 0; i < 5; ++i) add_road(i, i + 1);
    for (mcd_node i = 1; i <= 4; ++i) add_road(i, 5 + i);
    build();
    const macadam_place place = point(0.00022, -0.0001);
    cr_assert_eq(mcd_locate_candidates(&locator, &place, snap, 7), 7);
    cr_assert_eq((snap[0].arc + 1) / 2, 3);
    for (size_t i = 1; i < 7; ++i) {
        cr_assert_geq(snap[i].distance_m, snap[i - 1].distance_m);
        for (size_t k = 0; k < i; ++k) cr_assert_neq((snap[i].arc + 1) / 2, (snap[k].arc + 1) / 2);
    }
}

/* A road ends where a further one begins, and the list of hits is full of equally far ones: the search compares no hits
 * before all that meet them are there. */
Test(snap, equally_far_hits_that_find_no_room_count_where_roads_meet)
{
    macadam_snap snap[2];
    const mcd_node east = add_node(10000, 0), west = add_node(-10000, 0);
    add_road(east, add_node(0, 5000));
    add_road(east, add_node(30000, 1000));
    for (int i = 0; i < 7; ++i) add_road(west, add_node(-30000, i * 4000));
    add_road(east, add_node(30000, -30000));
    for (int i = 0; i < 40; ++i)
        add_road(add_node(50000 + i * 1000, 50000), add_node(50000 + i * 1000, 60000));
    build();
    locator.any_component = true;
    const macadam_place place = point(0, 0);
    cr_assert_eq(mcd_locate_candidates(&locator, &place, snap, 2), 2);
    cr_expect_eq((snap[0].arc + 1) / 2, 1);
    cr_expect_eq((snap[1].arc + 1) / 2, 2, "%d", (int)(snap[1].arc + 1) / 2);
}

/* A third road leaves the junction to the north, and has the requested heading only after its bend. */
Test(snap, a_heading_does_not_hide_that_more_than_two_roads_meet)
{
    macadam_snap snap[2];
    for (int i = 0; i < 3; ++i) add_node(i * 10000, 0);
    for (mcd_node i = 0; i < 2; ++i) add_arc(i, i + 1);
    bend[arc_count][0] = (mcd_point){10000, 20000};
    bend_count[arc_count] = 1;
    add_arc(1, add_node(20000, 20000));
    for (int i = 1; i <= 4; ++i) {
        const mcd_node from = add_node(0, i * -1000);
        add_arc(from, add_node(20000, i * -1000));
    }
    build();
    macadam_place place = point(0.00099, 0.000001);
    place.heading = 90, place.heading_tolerance = 30;
    cr_assert_eq(mcd_locate_candidates(&locator, &place, snap, 2), 2);
    cr_assert_eq(snap[0].arc, 1);
    cr_assert_eq(snap[1].arc, 2);
}

/* ---- what does not snap ---- */

Test(snap, radius_is_in_metres_and_a_kilometre_unless_given)
{
    const double metre = 180 / (acos(-1) * 6371008.8);
    make_corner();
    cr_assert_eq(snap_at(0.005, -999 * metre).status, MACADAM_PLACE_OK);
    cr_assert_eq(snap_at(0.005, -1001 * metre).status, MACADAM_PLACE_TOO_FAR);
    cr_assert(isnan(snap_at(0.005, -1001 * metre).distance_m));
    locator.radius_m = 1002;
    cr_assert_eq(snap_at(0.005, -1001 * metre).status, MACADAM_PLACE_OK);
    cr_assert_float_eq(snap_at(0.005, -1001 * metre).distance_m, 1001, 0.01);
}

Test(snap, nothing_is_near_in_an_empty_map)
{
    build();
    cr_assert_eq(snap_at(0, 0).status, MACADAM_PLACE_TOO_FAR);
    add_node(0, 0);
    build();
    cr_assert_eq(snap_at(0, 0).status, MACADAM_PLACE_TOO_FAR, "a node without roads");
}

Test(snap, a_piece_of_a_damaged_index_that_is_not_there_is_left_out)
{
    make_corner();
    const uint64_t nearest = snap_at(0.005, 0.0001).arc;
    for (size_t i = 0; i < snap_index.piece_count; ++i) {
        uint32_t *const damaged[] = {(uint32_t *)&snap_index.arc[i], (uint32_t *)&snap_index.piece[i]};
        const uint32_t beyond[] = {(uint32_t)graph->arc_count, 2 * snap_index.piece[i] + 2};
        const bool was_nearest = number[snap_index.arc[i]] == nearest;
        for (size_t k = 0; k < 2; ++k) {
            const uint32_t before = *damaged[k];
            *damaged[k] = beyond[k];
            const macadam_snap found = snap_at(0.005, 0.0001);
            cr_expect_eq(found.status, MACADAM_PLACE_OK);
            cr_expect_eq(found.arc != nearest, was_nearest);
            *damaged[k] = before;
        }
    }
}

/* ---- many together ---- */

Test(snap, place_depends_on_itself_alone)
{
    enum { PLACES = 1000 };
    static macadam_place place[PLACES];
    static macadam_snap snap[PLACES];
    expect_nearest_in(NODES_MAX, 8, 9, 47, 48);
    for (size_t i = 0; i < PLACES; ++i)
        place[i] = i % 3 ? point(8 + i * 1e-3, 47.5) : (macadam_place){.id = (int64_t)i};
    mcd_locate(&locator, &two_threads, &(mcd_locate_list){place, PLACES, NULL, {.snap = snap}}, 1, NULL);
    for (size_t i = 0; i < PLACES; ++i) {
        const macadam_snap alone = snap_place(place[i], NULL);
        cr_assert(alone.arc == snap[i].arc && alone.id == snap[i].id && alone.lon == snap[i].lon &&
                  alone.distance_m == snap[i].distance_m);
    }
}

Test(snap, building_without_memory_fails)
{
    make_corner();
    mcd_snap_index index;
    for (size_t i = 1; i <= 10; ++i) {
        allocator_fail(i);
        cr_assert_eq(build_index(&index), MACADAM_E_MEMORY);
    }
    allocator_fail(0);
}

/* ---- several places ---- */

enum { TOGETHER = 300 };

/* Points near roads and far from all, with a heading or without, ids, and places that are invalid. */
static macadam_place any_place(size_t i)
{
    const mcd_point at = random_point(5, 6, 40, 41);
    macadam_place place = point(at.lon_e7 * 1e-7, at.lat_e7 * 1e-7);
    if (i % 5 == 0) place.heading = rng_below(&rng, 360), place.heading_tolerance = 60;
    if (i % 11 == 0) place.radius_m = 1 + rng_below(&rng, 1000);
    if (i % 13 == 0) place.kind = MACADAM_PLACE_NODE, place.id = rng_below(&rng, NODES_MAX + 9);
    if (i % 17 == 0) place.lat = 91;
    return place;
}

Test(snap, places_of_two_lists_are_where_each_is_by_itself)
{
    static macadam_place place[TOGETHER];
    static mcd_position position[TOGETHER];
    static macadam_place_status status[TOGETHER];
    size_t found = 0;
    expect_nearest_in(NODES_MAX, 5, 6, 40, 41);
    locator.radius_m = 3000;
    for (size_t i = 0; i < TOGETHER; ++i) place[i] = any_place(i);
    for (size_t first = 0; first < TOGETHER; first += 70) {
        const mcd_locate_list list[] = {
            {place, first, position, {.status = status}},
            {place + first, TOGETHER - first, position + first, {.status = status + first}}};
        memset(position, 1, sizeof position);
        cr_assert_eq(mcd_locate(&locator, &two_threads, list, 2, &error), MACADAM_OK);
        for (size_t i = 0; i < TOGETHER; ++i) {
            mcd_position by_itself;
            cr_assert_eq(status[i], snap_place(place[i], &by_itself).status, "place %zu", i);
            cr_assert_arr_eq(&position[i], &by_itself, sizeof by_itself, "place %zu", i);
            found += status[i] == MACADAM_PLACE_OK;
        }
    }
    cr_assert_gt(found, TOGETHER);
}
