/* test_segments.c - what a route is between each two points: the costs add up, and the nodes are those of the map. */
#include "tests/support/call_text.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

/* 1 --11--12-- 2 --21-- 3      a road with two bends, then one with one bend, at slanting angles; 12 lies
 *              |               where 11 lies: a segment without length
 *              4               */
static const char town[] =
    "<osm version=\"0.6\">"
    "<node id=\"1\" lon=\"0\" lat=\"0\"/><node id=\"11\" lon=\"0.0013\" lat=\"0.0004\"/>"
    "<node id=\"12\" lon=\"0.0013\" lat=\"0.0004\"/><node id=\"2\" lon=\"0.002\" lat=\"0\"/>"
    "<node id=\"21\" lon=\"0.0031\" lat=\"0.0007\"/><node id=\"3\" lon=\"0.004\" lat=\"0\"/>"
    "<node id=\"4\" lon=\"0.002\" lat=\"-0.001\"/>"
    "<way id=\"5\"><nd ref=\"1\"/><nd ref=\"11\"/><nd ref=\"12\"/><nd ref=\"2\"/>"
    "<tag k=\"highway\" v=\"primary\"/></way>"
    "<way id=\"6\"><nd ref=\"3\"/><nd ref=\"21\"/><nd ref=\"2\"/><tag k=\"highway\" v=\"residential\"/></way>"
    "<way id=\"7\"><nd ref=\"2\"/><nd ref=\"4\"/><tag k=\"highway\" v=\"residential\"/></way></osm>";

static char folder[FILES_PATH_BYTES];
static macadam_engine *engine;
static const char *const both[] = {"duration", "distance"};

static void open_town(bool node_ids)
{
    char osm[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    snprintf(osm, sizeof osm, "%s/town.osm", folder);
    snprintf(path, sizeof path, "%s/town%d.mcd", folder, node_ids);
    FILE *const file = fopen(osm, "w");
    cr_assert(file && fputs(town, file) >= 0 && fclose(file) == 0);
    const macadam_import_options options = {.size = sizeof options, .output = path, .node_ids = node_ids};
    FIXTURE_CALL(macadam_import_osm, osm, "car", &options);
    macadam_engine_close(engine);
    engine = fixture_open_file(path, 1);
    FIXTURE_CALL(macadam_engine_verify, engine);
}

static void set_up(void)
{
    files_new_folder(folder);
    engine = NULL;
    open_town(true);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(segments, .init = set_up, .fini = tear_down);

static macadam_route *find_past(const macadam_place *waypoint, size_t count, const bool *passes)
{
    macadam_route *route;
    const macadam_query query = {.size = sizeof query, .quantity = both, .quantity_count = 2};
    const macadam_route_request request = {.size = sizeof request,
                                           .waypoint = waypoint,
                                           .waypoint_count = count,
                                           .segments = true,
                                           .passes = passes};
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    cr_assert(route->found);
    return route;
}

static macadam_route *find(const macadam_place *waypoint, size_t count)
{
    return find_past(waypoint, count, NULL);
}

static macadam_place node(int64_t id)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id};
}

static macadam_place point(double lon, double lat)
{
    return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
}

/* Every arc has its segments, one for each two points, and they add up. */
static void expect_sums(const macadam_route *route)
{
    size_t next = 0;
    for (size_t a = 0; a < route->arc_count; ++a) {
        const macadam_route_arc *const arc = &route->arc[a];
        uint64_t sum[2] = {0};
        cr_assert_eq(arc->first_segment, next);
        next += arc->end_shape - arc->first_shape - 1;
        for (size_t i = arc->first_segment; i < next; ++i) {
            const macadam_segment *const segment = &route->segment[i];
            cr_expect_eq(segment->arc, a);
            for (size_t q = 0; q < 2; ++q) sum[q] += segment->value[q];
            cr_expect_leq(fabs(segment->length_m * 100 - segment->value[1]), 1.5, "%f m cost %u cm",
                          segment->length_m, segment->value[1]);
        }
        cr_expect_eq(sum[0], arc->value[0]);
        cr_expect_eq(sum[1], arc->value[1]);
    }
    cr_expect_eq(next, route->segment_count);
}

/* "1-11 11-12 ..." */
static const char *ids_of(const macadam_route *route)
{
    static char text[512];
    size_t used = 0;
    for (size_t i = 0; i < route->segment_count; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d-%d", i ? " " : "",
                                 (int)route->segment[i].from, (int)route->segment[i].to);
    return text;
}

Test(segments, nodes_are_those_of_the_map)
{
    const macadam_place there[] = {node(1), node(3)}, back[] = {node(3), node(1)},
                        via[] = {node(4), node(2), node(3)};
    macadam_route *route = find(there, 2);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "1-11 11-12 12-2 2-21 21-3");
    cr_expect_eq(route->segment[1].value[0], 0, "no length costs nothing");
    cr_expect_eq(route->segment[1].length_m, 0);
    cr_expect_str_eq(route->arc[route->segment[0].arc].facts->road_class, "primary");
    macadam_route_free(route);
    route = find(back, 2);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "3-21 21-2 2-12 12-11 11-1");
    macadam_route_free(route);
    route = find(via, 3);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "4-2 2-21 21-3");
    macadam_route_free(route);
}

Test(segments, parts_of_roads_name_the_ends_of_their_pieces)
{
    const macadam_place there[] = {point(0.0016, 0.0002), point(0.0034, 0.0004)},
                        within[] = {point(0.0006, 0.0002), point(0.0010, 0.0003)};
    macadam_route *route = find(there, 2);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "12-2 2-21 21-3");
    macadam_route_free(route);
    route = find(within, 2);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "1-11");
    macadam_route_free(route);
}

/* Each leg has the arcs between its stops, which cost what it costs. */
static void expect_legs(const macadam_route *route)
{
    size_t next = 0;
    for (size_t l = 0; l < route->leg_count; ++l) {
        const macadam_leg *const leg = &route->leg[l];
        uint64_t sum[2] = {0};
        cr_expect_eq(leg->first_arc, next);
        for (next = leg->first_arc; next < leg->end_arc; ++next)
            for (size_t q = 0; q < 2; ++q) sum[q] += route->arc[next].value[q];
        cr_expect_eq(sum[0], leg->value[0]);
        cr_expect_eq(sum[1], leg->value[1]);
    }
    cr_expect_eq(next, route->arc_count);
}

/* Several waypoints are one place, some are on one road, and one turns back. */
Test(segments, legs_of_passed_waypoints_join_up_to_the_stops)
{
    enum { COUNT = 8, BETWEEN = COUNT - 2 };
    const macadam_place way[COUNT] = {point(0.0003, 0.0001),
                                      point(0.0006, 0.0002),
                                      point(0.0006, 0.0002),
                                      point(0.0010, 0.0003),
                                      point(0.0034, 0.0004),
                                      node(2),
                                      node(2),
                                      point(0.002, -0.0005)};
    SCOPED(macadam_route_free_at) macadam_route *const whole = find(way, COUNT);
    for (unsigned set = 0; set < 1u << BETWEEN; ++set) {
        bool passes[COUNT] = {false};
        for (size_t i = 0; i < BETWEEN; ++i) passes[i + 1] = set >> i & 1;
        SCOPED(macadam_route_free_at) macadam_route *const route = find_past(way, COUNT, passes);
        cr_expect_eq(route->leg_count, COUNT - 1 - (size_t)__builtin_popcount(set));
        cr_expect_eq(route->value[0], whole->value[0]);
        expect_sums(route);
        expect_legs(route);
    }
}

/* Where three roads meet, by the direction of travel. */
Test(segments, a_snapped_point_is_between_nodes_of_its_own_road)
{
    static const struct {
        double heading;
        int64_t node[2];
    } row[] = {{180, {2, 4}}, {0, {2, 4}}, {60, {2, 21}}, {240, {2, 21}}, {120, {2, 12}}, {300, {2, 12}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        macadam_place place = point(0.002, 0.000001);
        place.heading = row[i].heading, place.heading_tolerance = 25;
        macadam_snap snap;
        FIXTURE_CALL(macadam_snap_find, &snap, engine, NULL, &place, 1);
        cr_expect_eq(snap.node[0] + snap.node[1], row[i].node[0] + row[i].node[1], "%g degrees: %d and %d",
                     row[i].heading, (int)snap.node[0], (int)snap.node[1]);
    }
    const macadam_place by_id = node(4);
    macadam_snap snap;
    FIXTURE_CALL(macadam_snap_find, &snap, engine, NULL, &by_id, 1);
    cr_expect(snap.node[0] == 4 && snap.node[1] == 4);
}

Test(segments, speed_is_that_of_the_road)
{
    const macadam_place there[] = {node(4), node(2)};
    SCOPED(macadam_route_free_at) macadam_route *const route = find(there, 2);
    cr_expect_eq(route->segment_count, 1);
    cr_expect_leq(fabs(route->segment[0].speed_kmh -
                       0.036 * route->segment[0].value[1] / (route->segment[0].value[0] / 1000.0)),
                  0.01);
}

Test(segments, ids_are_kept_only_on_request)
{
    const macadam_place there[] = {node(1), node(3)};
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_expect(info.has_node_ids);
    open_town(false);
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_expect_not(info.has_node_ids);
    SCOPED(macadam_route_free_at) macadam_route *const route = find(there, 2);
    expect_sums(route);
    cr_expect_str_eq(ids_of(route), "1-0 0-0 0-2 2-0 0-3");
}

/* ---- updates by way: in protobuf each has a direction ---- */

static uint32_t duration(int64_t from, int64_t to)
{
    char text[100];
    snprintf(text, sizeof text, "route { waypoint { node: [%lld, %lld] } }", (long long)from, (long long)to);
    Macadam__V1__Request *const request = call_text_read(text);
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_OK);
    const uint32_t out = reply->route->value[0];
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(request, NULL);
    return out;
}

#define UPDATE(way, direction, weight)                                                                       \
    "update { way: " way " direction: " direction " quantity: duration value { value: " weight " } }"

Test(segments, protobuf_updates_a_way_in_a_direction)
{
    call_engine = engine;
    const uint32_t back = duration(4, 2);
    call_text_expect(UPDATE("7", "1", "77777"), "update { }");
    cr_expect(duration(2, 4) == 77777 && duration(4, 2) == back);
    call_text_expect(UPDATE("7", "-1", "88888"), "update { }");
    cr_expect(duration(2, 4) == 77777 && duration(4, 2) == 88888);
    call_text_expect(UPDATE("7", "0", "66666"), "update { }");
    cr_expect(duration(2, 4) == 66666 && duration(4, 2) == 66666);
    call_text_refuse(UPDATE("7", "2", "1"), NULL, MACADAM_E_INVALID, "");
    call_text_refuse(UPDATE("99", "0", "1"), NULL, MACADAM_E_NOT_FOUND, "");
}
