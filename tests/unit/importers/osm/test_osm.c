/* test_osm.c - maps from small OpenStreetMap files. A node's longitude is given in units of 0.001 degrees on
 * the equator, 111.319 m; its latitude is 0 unless drawn otherwise. */
#include "tests/support/leak.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/profiles.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_BYTES = 4096, PROFILE_BYTES = 16384 };

static char report_text[REPORT_BYTES];
static const char *settings; /* of the car, beside its own */

static void take_line(void *context, const char *line)
{
    (void)context;
    strncat(report_text, line, REPORT_BYTES - strlen(report_text) - 2);
    strcat(report_text, "\n");
}

static void set_up(void)
{
    import_fixture_open();
    settings = "u_turns anywhere";
}

static const char *text_of(size_t arc, mcd_kind_text text)
{
    return import_map.names + import_map.kind[import_map.arc_kind[import_map.arc_number[arc] - 1]].text[text];
}

static const char *name_of(size_t arc)
{
    return *text_of(arc, MCD_KIND_NAME) ? text_of(arc, MCD_KIND_NAME) : text_of(arc, MCD_KIND_REF);
}

TestSuite(osm, .init = set_up, .fini = import_fixture_close);

/* The car, without turn costs, with other settings: they stand before its sections. */
static macadam_status read_car(mcd_profile *out)
{
    char text[PROFILE_BYTES];
    const char *const car = mcd_profile_texts[0].text, *const sections = strchr(car, '[');
    snprintf(text, sizeof text, "%.*sturn 180 0 0\ngive_way 0\n%s\n%s", (int)(sections - car), car, settings,
             sections);
    return mcd_profile_read(out, import_write("car.profile", text), &import_error);
}

static macadam_status read_path(const char *path)
{
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const mcd_report report = {take_line, NULL};
    report_text[0] = '\0';
    mcd_profile profile;
    MCD_TRY(read_car(&profile));
    const macadam_status status =
        osm_read(&import_map, &path, 1, &profile, &parallel, NULL, &report, &import_error);
    mcd_profile_free(&profile);
    return status;
}

#define OSM(content)    "<?xml version='1.0'?><osm version='0.6'>" content "</osm>"
#define TAG(key, value) "<tag k='" key "' v='" value "'/>"
#define NODE(id, milli_lon, tags)                                                                            \
    "<node id='" #id "' version='1' lat='0' lon='0.00" #milli_lon "'>" tags "</node>"
#define NODE_AT(id, lon, lat)       "<node id='" #id "' version='1' lat='" lat "' lon='" lon "'/>"
#define ND(id)                      "<nd ref='" #id "'/>"
#define WAY(id, nodes, tags)        "<way id='" #id "' version='1'>" nodes tags "</way>"
#define STREET                      TAG("highway", "residential")
#define FROM(id)                    "<member type='way' ref='" #id "' role='from'/>"
#define TO(id)                      "<member type='way' ref='" #id "' role='to'/>"
#define VIA(id)                     "<member type='node' ref='" #id "' role='via'/>"
#define RELATION_MEMBER(id)         "<member type='relation' ref='" #id "' role='via'/>"
#define RELATION(id, members, tags) "<relation id='" #id "' version='1'>" members tags "</relation>"
#define RESTRICTION(id, members, kind)                                                                       \
    RELATION(id, members, TAG("type", "restriction") TAG("restriction", kind))

/* 1 -- 2 -- 3 -- 4 -- 5, a node every 0.001 degrees */
#define ROW NODE(1, 0, "") NODE(2, 1, "") NODE(3, 2, "") NODE(4, 3, "") NODE(5, 4, "")

static void read_text(const char *text)
{
    cr_assert_eq(read_path(import_write("map.osm", text)), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

static void expect_told(const char *line)
{
    cr_expect(strstr(report_text, line), "\"%s\" is not in\n%s", line, report_text);
}

static bool has_node(int64_t id)
{
    return mcd_map_find_id(&import_map, id) < import_map.id_count;
}

/* ---- junctions and shapes ---- */

Test(osm, way_becomes_an_arc_per_direction_with_its_shape)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(3) ND(4), STREET TAG("name", "Rue"))));
    cr_assert_eq(import_map.node_count, 2);
    cr_assert_eq(import_map.arc_count, 2);
    const size_t there = import_arc(1, 4), back = import_arc(4, 1);
    cr_expect_eq(import_map.weight[1][there], 33396, "3 x 111.3195 m");
    cr_expect_eq(import_map.weight[0][there], 40075, "at 30 km/h");
    cr_expect_eq(import_map.weight[0][back], 40075);
    cr_expect_eq(import_map.arc_way[there], 7);
    cr_expect_str_eq(name_of(back), "Rue");
    cr_assert_eq(import_map.first_shape[there + 1] - import_map.first_shape[there], 2);
    cr_expect_eq(import_map.shape_lon_e7[import_map.first_shape[there]], 10000);
    cr_expect_eq(import_map.shape_lon_e7[import_map.first_shape[back]], 20000);
    cr_expect_str_eq(import_map.quantity[0], "duration");
    cr_expect_str_eq(import_map.unit[0], "ms");
    cr_expect_str_eq(import_map.quantity[1], "distance");
    cr_expect_str_eq(import_map.unit[1], "cm");
}

Test(osm, shared_nodes_are_junctions)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(3), STREET) WAY(8, ND(4) ND(2) ND(5), STREET)));
    cr_assert_eq(import_map.node_count, 5);
    import_arc(1, 2);
    import_arc(2, 3);
    import_arc(4, 2);
    import_arc(2, 5);
}

Test(osm, nodes_shared_with_what_is_no_road_are_none)
{
    read_text(
        OSM(ROW WAY(7, ND(1) ND(2) ND(3), STREET) WAY(8, ND(4) ND(2) ND(5), TAG("highway", "footway"))));
    cr_assert_eq(import_map.node_count, 2);
}

Test(osm, way_that_crosses_itself_has_a_junction_there)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(3) ND(4) ND(2) ND(5), STREET)));
    cr_assert_eq(import_map.node_count, 3);
    cr_assert_eq(import_arc_count(2, 2), 2, "the loop, both ways");
    import_arc(1, 2);
    import_arc(2, 5);
}

Test(osm, closed_way_on_its_own_is_a_loop)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(3) ND(1), STREET TAG("oneway", "yes"))));
    cr_assert_eq(import_map.node_count, 1);
    cr_assert_eq(import_arc_count(1, 1), 1);
}

Test(osm, repeated_node_of_a_way_counts_once)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(2) ND(3), STREET)));
    cr_assert_eq(import_map.node_count, 2);
}

Test(osm, objects_may_come_in_any_order)
{
    read_text(OSM(WAY(7, ND(1) ND(2) ND(3), STREET) ROW));
    import_arc(1, 3);
}

Test(osm, road_without_a_name_has_its_number)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET TAG("ref", "D 1")) WAY(8, ND(2) ND(3), STREET)
                      WAY(9, ND(3) ND(4), STREET TAG("name", "Rue") TAG("ref", "D 1"))));
    cr_expect_str_eq(name_of(import_arc(1, 2)), "D 1");
    cr_expect_str_eq(name_of(import_arc(2, 3)), "");
    cr_expect_str_eq(name_of(import_arc(3, 4)), "Rue");
}

/* ---- directions, access, speed ---- */

Test(osm, oneway_has_one_arc)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET TAG("oneway", "yes"))
                      WAY(8, ND(2) ND(3), STREET TAG("oneway", "-1"))
                          WAY(9, ND(3) ND(4) ND(5) ND(3), STREET TAG("junction", "roundabout"))));
    cr_expect_eq(import_arc_count(1, 2), 1);
    cr_expect_eq(import_arc_count(2, 1), 0);
    cr_expect_eq(import_arc_count(2, 3), 0);
    cr_expect_eq(import_arc_count(3, 2), 1);
    cr_expect_eq(import_arc_count(3, 3), 1);
}

Test(osm, closed_ways_and_areas_are_left_out_and_told)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET) WAY(8, ND(2) ND(3), STREET TAG("access", "no"))
                      WAY(9, ND(3) ND(4), STREET TAG("area", "yes")) WAY(10, ND(3) ND(4), "")));
    cr_expect_eq(import_map.arc_count, 2);
    expect_told("ways used: 1\n");
    expect_told("ways closed to the profile: 1\n");
    expect_told("ways that are areas: 1\n");
    expect_told("ways that are no roads for the profile: 1\n");
}

Test(osm, maxspeed_gives_the_duration)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET TAG("maxspeed", "20 mph") TAG("maxspeed:backward", "10"))));
    cr_expect_eq(import_map.weight[0][import_arc(1, 2)], 12451, "111.3195 m at 32.18688 km/h");
    cr_expect_eq(import_map.weight[0][import_arc(2, 1)], 40075);
}

Test(osm, odd_and_conditional_tags_are_told)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET TAG("maxspeed", "fast"))
                      WAY(8, ND(2) ND(3), STREET TAG("access:conditional", "no @ (22:00-06:00)"))));
    expect_told("ways whose maxspeed means nothing: 1\n");
    expect_told("ways with conditional tags, which count only for departures: 1\n");
}

Test(osm, ferry_shares_its_duration_out)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(5), TAG("route", "ferry") TAG("duration", "00:40"))
                      WAY(8, ND(2) ND(3), STREET)));
    cr_expect_eq(import_map.weight[0][import_arc(1, 2)], 600000, "a quarter of 40 minutes");
    cr_expect_eq(import_map.weight[0][import_arc(5, 2)], 1800000);
    cr_expect_eq(import_cost(2, 1), 600000 + 300000, "boarded on land");
    cr_expect_eq(import_cost(5, 1), 1800000 + 600000, "who stays aboard does not board again");
    cr_expect_eq(import_cost(3, 1), 13358 + 300000 + 600000);
}

Test(osm, ferry_that_leaves_the_extract_goes_by_its_speed)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(99), TAG("route", "ferry") TAG("duration", "00:40"))));
    cr_expect_eq(import_map.weight[0][import_arc(1, 2)], 26717, "111.3195 m at 15 km/h");
}

Test(osm, distances_follow_the_ellipsoid)
{
    read_text(OSM(NODE_AT(1, "179.5", "60") NODE_AT(2, "-179.5", "60") WAY(7, ND(1) ND(2), STREET)));
    cr_expect_eq(import_map.weight[1][import_arc(1, 2)], 5579947,
                 "one degree across the date line at 60 north");
}

Test(osm, waits_are_at_nodes_between_arcs)
{
    read_text(OSM(NODE(1, 0, TAG("highway", "traffic_signals")) NODE(2, 1, TAG("barrier", "toll_booth")) NODE(
        3, 2, TAG("highway", "stop") TAG("direction", "forward")) WAY(7, ND(1) ND(2) ND(3), STREET)));
    cr_expect_eq(import_map.weight[0][0], 13358, "the road itself does not wait");
    cr_expect_eq(import_cost(1, 2), 13358 + 15000, "one arrives at the booth's window");
    cr_expect_eq(import_cost(2, 3), 13358 + 2000, "who departs from a node does not wait there");
    cr_expect_eq(import_cost(1, 3), 26716 + 15000 + 2000);
    cr_expect_eq(import_cost(3, 1), 26716 + 15000 + 5000);
    cr_expect_eq(import_map.weight[1][0], 11132, "the distance does not wait");
}

/* ---- roads for ends ---- */

#define PRIVATE TAG("highway", "residential") TAG("access", "private")
#define SLOW    TAG("highway", "service") TAG("maxspeed", "5")

/*   1 -- 2 == 3 -- 4     2 == 3 is private; so is 3 == 5. The slow way around: 2 -- 6 -- 3. */
#define PRIVATE_SHORTCUT                                                                                     \
    ROW NODE(6, 1, "") WAY(7, ND(1) ND(2), STREET) WAY(8, ND(2) ND(3), PRIVATE) WAY(9, ND(3) ND(4), STREET)  \
        WAY(10, ND(3) ND(5), PRIVATE) WAY(11, ND(2) ND(6), SLOW) WAY(12, ND(6) ND(3), SLOW)

enum { STREET_MS = 13358, FAR_MS = 26717, AROUND_MS = 80150 };

Test(osm, private_road_is_no_shortcut)
{
    read_text(OSM(PRIVATE_SHORTCUT));
    cr_expect_eq(import_cost(1, 4), 2 * STREET_MS + AROUND_MS);
    cr_expect_eq(import_cost(4, 1), 2 * STREET_MS + AROUND_MS);
    expect_told("ways open only to begin or end a route: 2\n");
}

Test(osm, private_road_begins_and_ends_a_route)
{
    read_text(OSM(PRIVATE_SHORTCUT));
    cr_expect_eq(import_cost(1, 5), 2 * STREET_MS + FAR_MS, "over both private ones");
    cr_expect_eq(import_cost(5, 1), 2 * STREET_MS + FAR_MS);
    cr_expect_eq(import_cost(2, 3), STREET_MS);
    cr_expect_eq(import_cost(5, 4), STREET_MS + FAR_MS);
}

/*   1 -- 2 -- 3     2 has a private gate */
#define PRIVATE_GATE(tags)                                                                                   \
    NODE(1, 0, "")                                                                                           \
    NODE(2, 1, TAG("barrier", "gate") TAG("access", "private"))                                              \
    NODE(3, 2, "") WAY(7, ND(1) ND(2), STREET) WAY(8, ND(2) ND(3), tags)

Test(osm, private_gate_is_passed_to_what_lies_behind_it)
{
    read_text(OSM(PRIVATE_GATE(STREET)));
    cr_expect_eq(import_cost(1, 3), 2 * STREET_MS + 20000, "what lies behind it belongs to it");
    mcd_map_free(&import_map);
    read_text(OSM(PRIVATE_GATE(PRIVATE)));
    cr_expect_eq(import_cost(1, 3), 2 * STREET_MS + 20000, "opening it takes time");
    cr_expect_eq(import_cost(3, 1), 2 * STREET_MS + 20000);
}

/* ---- what is missing ---- */

Test(osm, way_is_cut_at_missing_nodes)
{
    read_text(OSM(ROW WAY(7, ND(98) ND(1) ND(2) ND(3) ND(99) ND(4) ND(5), STREET)));
    cr_assert_eq(import_map.node_count, 4);
    import_arc(1, 3);
    import_arc(4, 5);
    cr_expect_eq(import_arc_count(3, 4), 0);
    expect_told("ways cut because nodes are missing: 1\n");
    expect_told("missing nodes of ways: 2\n");
}

Test(osm, lone_node_of_a_cut_way_is_no_junction)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2), STREET) WAY(8, ND(98) ND(4) ND(99), STREET)));
    cr_assert_eq(import_map.node_count, 2);
    cr_assert_not(has_node(4));
}

Test(osm, node_off_the_globe_is_missing)
{
    read_text(OSM(ROW NODE_AT(6, "0.006", "91") NODE_AT(8, "0.006", "200")
                      WAY(7, ND(1) ND(2) ND(6) ND(8) ND(3) ND(4), STREET)));
    cr_assert_eq(import_map.node_count, 4);
    expect_told("nodes of ways without valid coordinates: 2\n");
}

/* ---- barriers ---- */

Test(osm, bollard_keeps_cars_from_passing)
{
    read_text(OSM(NODE(1, 0, "") NODE(2, 1, TAG("barrier", "bollard")) NODE(3, 2, "")
                      WAY(7, ND(1) ND(2) ND(3), STREET)));
    cr_expect_eq(import_cost(1, 3), MACADAM_UNREACHED);
    cr_expect_eq(import_cost(1, 2), 13358, "but they come up to it");
    cr_expect_eq(import_cost(3, 2), 13358, "from either side");
    cr_expect_eq(import_cost(2, 3), 13358, "and leave to either side");
    cr_expect_eq(import_cost(1, 1), 0);
    expect_told("nodes blocked by barriers: 1\n");
}

Test(osm, gate_lets_cars_pass)
{
    read_text(OSM(NODE(1, 0, "") NODE(2, 1, TAG("barrier", "gate")) NODE(3, 2, "")
                      WAY(7, ND(1) ND(2) ND(3), STREET)));
    cr_expect_eq(import_cost(1, 3), 26716 + 20000);
}

/* ---- turn restrictions ---- */

/* Ways 11, 12, 13, 14 from the nodes 1, 2, 3, 4 to the crossing 9, each 111.3 m, that is 13,358 ms long:
 *
 *        2
 *        |
 *   1 -- 9 -- 3
 *        |
 *        4 */
/* clang-format off */
#define CROSSING_NODES                                                                            \
    NODE_AT(9, "0", "0")                                                                          \
    NODE_AT(1, "-0.001", "0") NODE_AT(2, "0", "0.0010067") NODE_AT(3, "0.001", "0") NODE_AT(4, "0", "-0.0010067")
#define CROSSING                                                                                  \
    CROSSING_NODES                                                                                \
    WAY(11, ND(1) ND(9), STREET) WAY(12, ND(2) ND(9), STREET)                                     \
    WAY(13, ND(3) ND(9), STREET) WAY(14, ND(4) ND(9), STREET)
/* clang-format on */

enum { LEG_MS = 13358 };

Test(osm, no_left_turn_is_not_made)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "into another arm and back");
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_cost(2, 1), 2 * LEG_MS);
    cr_expect_eq(import_cost(3, 2), 2 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 1);
    expect_told("turn restrictions applied: 1\n");
}

Test(osm, only_straight_on_leaves_one_way_on)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(13), "only_straight_on")));
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "by way of 3");
    cr_expect_eq(import_cost(1, 4), 4 * LEG_MS);
    cr_expect_eq(import_cost(2, 4), 2 * LEG_MS);
    cr_expect_eq(import_cost(1, 9), LEG_MS);
}

Test(osm, no_u_turn_closes_the_way_back_alone)
{
    read_text(OSM(CROSSING WAY(15, ND(9) ND(1), TAG("highway", "service")) /* beside 11, slower */
                  RESTRICTION(1, FROM(11) VIA(9) TO(11), "no_u_turn")));
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_cost(9, 1), LEG_MS);
    cr_expect_eq(import_map.node_count, 5 + 2);
    size_t copies_back = 0; /* out of the copy that 11 leads to, back along 11 */
    const mcd_node copy = import_map.head[import_map.arc_way[0] == 11 ? 0 : 1];
    for (size_t arc = 0; arc < import_map.arc_count; ++arc)
        copies_back += import_map.tail[arc] == copy && import_way(arc) == 11;
    cr_expect_eq(copies_back, 0);
}

Test(osm, ways_of_restrictions_come_in_any_order)
{
    read_text(OSM(CROSSING_NODES WAY(14, ND(4) ND(9), STREET) WAY(12, ND(2) ND(9), STREET)
                      WAY(13, ND(3) ND(9), STREET) WAY(11, ND(1) ND(9), STREET)
                          RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")
                              RESTRICTION(2, FROM(14) VIA(9) TO(11), "no_left_turn")));
    cr_expect_eq(import_map.restriction_count, 2);
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS);
    cr_expect_eq(import_cost(4, 1), 4 * LEG_MS);
}

Test(osm, several_restrictions_at_a_node_add_up)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn") RESTRICTION(
        2, FROM(11) VIA(9) TO(14), "no_right_turn") RESTRICTION(3, FROM(11) VIA(9) TO(11), "no_u_turn")));
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 3);
}

Test(osm, way_that_goes_on_beyond_the_node_is_restricted_from_the_side_that_turns_so)
{
    read_text(OSM(NODE_AT(9, "0", "0") NODE_AT(1, "-0.001", "0") NODE_AT(2, "0", "0.0010067")
                      NODE_AT(3, "0.001", "0") WAY(11, ND(1) ND(9) ND(3), STREET) WAY(12, ND(2) ND(9), STREET)
                          RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS);
    cr_expect_eq(import_cost(3, 2), 2 * LEG_MS);
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
}

Test(osm, restriction_on_a_shape_point_is_skipped)
{
    read_text(OSM(ROW WAY(7, ND(1) ND(2) ND(3), STREET) RESTRICTION(1, FROM(7) VIA(2) TO(7), "no_u_turn")));
    cr_expect_eq(import_map.node_count, 2);
    expect_told("turn restrictions skipped: their roads do not meet on the map: 1\n");
}

Test(osm, only_restriction_whose_way_on_is_closed_is_skipped)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(99), "only_straight_on")));
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS);
    expect_told("turn restrictions skipped: one of their roads is closed or missing: 1\n");
}

Test(osm, restrictions_that_are_not_for_cars_are_passed_over)
{
    read_text(OSM(CROSSING RELATION(1, FROM(11) VIA(9) TO(12),
                                    TAG("type", "restriction") TAG("restriction", "no_left_turn")
                                        TAG("except", "motorcar"))
                      RELATION(2, FROM(11) VIA(9) TO(12),
                               TAG("type", "restriction") TAG("restriction:hgv", "no_left_turn"))));
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS);
    expect_told("turn restrictions that do not concern the profile: 2\n");
}

Test(osm, malformed_restrictions_are_skipped_with_their_reason)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9), "no_left_turn") RESTRICTION(
        2, FROM(11) FROM(13) VIA(9) TO(12), "no_left_turn") RESTRICTION(3, FROM(11) VIA(9) TO(12), "give_way")
                      RELATION(4, FROM(11) VIA(9) TO(12),
                               TAG("type", "restriction")
                                   TAG("restriction:conditional", "no_left_turn @ (May-Sep)"))));
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 0);
    expect_told("turn restrictions skipped: not a from, a via and a to: 2\n");
    expect_told("turn restrictions skipped: of an unknown kind: 1\n");
    expect_told("turn restrictions skipped: they hold at times only: 1\n");
}

/* 1 and 2 are members of each other, 3 of itself. */
Test(osm, relations_in_a_circle_are_skipped)
{
    read_text(OSM(CROSSING RESTRICTION(1, RELATION_MEMBER(2) FROM(11), "no_left_turn")
                      RESTRICTION(2, RELATION_MEMBER(1) FROM(11), "no_left_turn")
                          RESTRICTION(3, RELATION_MEMBER(3) FROM(11), "only_straight_on")));
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS);
    expect_told("turn restrictions skipped: not a from, a via and a to: 3\n");
}

/* ---- several members, and restrictions over ways ---- */

Test(osm, no_entry_and_no_exit_have_several_members)
{
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) FROM(13) VIA(9) TO(12), "no_entry")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "by way of 4");
    cr_expect_eq(import_cost(3, 2), 4 * LEG_MS);
    cr_expect_eq(import_cost(4, 2), 2 * LEG_MS);
    mcd_map_free(&import_map);
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(12) TO(14), "no_exit")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "by way of 3");
    cr_expect_eq(import_cost(1, 4), 4 * LEG_MS);
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 1);
}

/* A dual carriageway, one-way east above and west below, with a link between and streets north and south:
 *
 *   1 -- 2 --> 3 --> 4       ways 21: 1-2, 22: 2>3, 23: 3>4; 31: 8>7, 32: 7>6, 33: 6>5; link 40: 3-7
 *              |              street 50: 7-9
 *   5 <- 6 <-- 7 <-- 8
 *              |
 *              9 */
/* clang-format off */
#define ONEWAY TAG("highway", "residential") TAG("oneway", "yes")
#define CARRIAGEWAYS                                                                              \
    NODE_AT(1, "-0.002", "0") NODE_AT(2, "-0.001", "0") NODE_AT(3, "0", "0") NODE_AT(4, "0.001", "0")     \
    NODE_AT(5, "-0.002", "-0.0010067") NODE_AT(6, "-0.001", "-0.0010067") NODE_AT(7, "0", "-0.0010067")               \
    NODE_AT(8, "0.001", "-0.0010067") NODE_AT(9, "0", "-0.0020134")                                       \
    WAY(21, ND(1) ND(2), STREET) WAY(22, ND(2) ND(3), ONEWAY) WAY(23, ND(3) ND(4), ONEWAY)        \
    WAY(31, ND(8) ND(7), ONEWAY) WAY(32, ND(7) ND(6), ONEWAY) WAY(33, ND(6) ND(5), ONEWAY)        \
    WAY(40, ND(3) ND(7), STREET) WAY(50, ND(7) ND(9), STREET)
/* clang-format on */
#define VIA_WAY(id) "<member type='way' ref='" #id "' role='via'/>"

Test(osm, no_u_turn_over_a_link_closes_that_alone)
{
    settings = "u_turns dead_ends";
    read_text(OSM(CARRIAGEWAYS RESTRICTION(1, FROM(22) VIA_WAY(40) TO(32), "no_u_turn")));
    cr_expect_eq(import_cost(2, 6), 5 * LEG_MS, "by way of 9");
    cr_expect_eq(import_cost(2, 9), 3 * LEG_MS);
    cr_expect_eq(import_cost(3, 6), 2 * LEG_MS, "who begins at the link has not come by 22");
    cr_expect_eq(import_cost(8, 6), 2 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 1);
    expect_told("turn restrictions applied: 1\n");
}

Test(osm, only_over_a_link_is_kept_to_its_end)
{
    settings = "u_turns dead_ends";
    read_text(OSM(CARRIAGEWAYS RESTRICTION(1, FROM(22) VIA_WAY(40) TO(50), "only_right_turn")));
    cr_expect_eq(import_cost(2, 9), 3 * LEG_MS);
    cr_expect_eq(import_cost(2, 4), 6 * LEG_MS, "not straight on at 3, but after 9 and the link again");
    cr_expect_eq(import_cost(2, 6), 5 * LEG_MS, "not into 32 at 7, but after 9");
    cr_expect_eq(import_cost(2, 7), 2 * LEG_MS);
    cr_expect_eq(import_cost(3, 4), LEG_MS);
}

/*   Ways 61: 1-2, 62: 2-3, 63: 3-4, 64: 4-5, in a row; 65: 3-6 */
#define LONG_ROAD                                                                                            \
    ROW NODE_AT(6, "0.002", "0.0010067") WAY(61, ND(1) ND(2), STREET) WAY(62, ND(2) ND(3), STREET)           \
        WAY(63, ND(3) ND(4), STREET) WAY(64, ND(4) ND(5), STREET) WAY(65, ND(3) ND(6), STREET)

Test(osm, several_via_ways_may_come_in_any_order)
{
    settings = "u_turns dead_ends";
    read_text(OSM(LONG_ROAD RESTRICTION(1, FROM(61) VIA_WAY(63) VIA_WAY(62) TO(64), "no_straight_on")));
    cr_expect_eq(import_cost(1, 5), 6 * LEG_MS, "by way of 6");
    cr_expect_eq(import_cost(2, 5), 3 * LEG_MS);
    cr_expect_eq(import_cost(1, 4), 3 * LEG_MS);
    cr_expect_eq(import_cost(5, 1), 4 * LEG_MS, "the other direction is another one");
}

Test(osm, overlapping_restrictions_hold_each_on_its_own)
{
    settings = "u_turns dead_ends";
    read_text(OSM(LONG_ROAD RESTRICTION(1, FROM(61) VIA_WAY(62) VIA_WAY(63) TO(64), "no_straight_on")
                      RESTRICTION(2, FROM(62) VIA(3) TO(65), "no_left_turn")
                          RESTRICTION(3, FROM(61) VIA_WAY(62) TO(65), "no_left_turn")));
    cr_expect_eq(import_cost(1, 5), MACADAM_UNREACHED, "6 is closed from there, and 4 no dead end");
    cr_expect_eq(import_cost(2, 6), 6 * LEG_MS, "by way of 5, and from the other side");
    cr_expect_eq(import_cost(2, 5), 3 * LEG_MS);
    cr_expect_eq(import_map.restriction_count, 3);
}

Test(osm, via_ways_that_do_not_lead_there_are_told)
{
    read_text(OSM(LONG_ROAD RESTRICTION(1, FROM(61) VIA_WAY(63) TO(64), "no_straight_on")
                      RESTRICTION(2, FROM(61) VIA_WAY(62) VIA(3) TO(64), "no_straight_on")));
    cr_expect_eq(import_cost(1, 5), 4 * LEG_MS);
    expect_told("turn restrictions skipped: their roads do not meet on the map: 1\n");
    expect_told("turn restrictions skipped: not a from, a via and a to: 1\n");
}

/* ---- U-turns, and the time that turns take ---- */

Test(osm, u_turns_are_made_at_dead_ends_alone)
{
    static const char long_arm[] = OSM(CROSSING NODE_AT(6, "0.002", "0") WAY(16, ND(3) ND(6), STREET)
                                           RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")
                                               RESTRICTION(2, FROM(11) VIA(9) TO(14), "no_right_turn"));
    read_text(long_arm);
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "turning at 3");
    mcd_map_free(&import_map);
    settings = "u_turns dead_ends";
    read_text(long_arm);
    cr_expect_eq(import_cost(1, 2), 6 * LEG_MS, "turning at 6");
    cr_expect_eq(import_cost(3, 2), 2 * LEG_MS);
    cr_expect_eq(import_cost(9, 1), LEG_MS);
}

Test(osm, end_of_the_public_road_is_a_dead_end)
{
    settings = "u_turns dead_ends";
    read_text(OSM(CROSSING NODE_AT(6, "0.002", "0") WAY(16, ND(3) ND(6), PRIVATE) RESTRICTION(
        1, FROM(11) VIA(9) TO(12), "no_left_turn") RESTRICTION(2, FROM(11) VIA(9) TO(14), "no_right_turn")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS, "turning at 3, for 6 is private");
    cr_expect_eq(import_cost(6, 3), LEG_MS);
}

Test(osm, barrier_is_a_dead_end)
{
    settings = "u_turns dead_ends";
    read_text(OSM(CROSSING "<node id='6' version='1' lat='0' lon='0.002'>" TAG(
        "barrier", "bollard") "</node>" NODE_AT(7, "0.003", "0") WAY(16, ND(3) ND(6) ND(7), STREET)
                      RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")
                          RESTRICTION(2, FROM(11) VIA(9) TO(14), "no_right_turn")));
    cr_expect_eq(import_cost(1, 2), 6 * LEG_MS, "turning at 6");
    cr_expect_eq(import_cost(1, 7), MACADAM_UNREACHED);
}

Test(osm, turns_take_time_by_angle_and_side)
{
    settings = "u_turns dead_ends\nturn 45 0 0\nturn 135 2 7\nturn 180 20 20";
    read_text(OSM(CROSSING));
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
    cr_expect_eq(import_cost(1, 4), 2 * LEG_MS + 2000, "to the right");
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS + 7000, "to the left, across");
    cr_expect_eq(import_cost(9, 2), LEG_MS);
    mcd_map_free(&import_map);
    settings = "u_turns dead_ends\ntraffic left\nturn 45 0 0\nturn 135 2 7\nturn 180 20 20";
    read_text(OSM(CROSSING));
    cr_expect_eq(import_cost(1, 4), 2 * LEG_MS + 7000);
    cr_expect_eq(import_cost(1, 2), 2 * LEG_MS + 2000);
}

Test(osm, u_turns_take_time_too)
{
    settings = "u_turns dead_ends\nturn 90 0 0\nturn 180 20 20";
    read_text(OSM(CROSSING RESTRICTION(1, FROM(11) VIA(9) TO(12), "no_left_turn")));
    cr_expect_eq(import_cost(1, 2), 4 * LEG_MS + 20000);
}

Test(osm, bend_without_a_choice_takes_no_time)
{
    settings = "turn 180 5 5";
    read_text(OSM(NODE_AT(1, "0", "0") NODE_AT(2, "0.001", "0") NODE_AT(3, "0.001", "0.0010067")
                      WAY(7, ND(1) ND(2), STREET) WAY(8, ND(2) ND(3), STREET TAG("name", "Rue"))));
    cr_expect_eq(import_cost(1, 3), 2 * LEG_MS);
}

/* ---- failures ---- */

Test(osm, every_failed_allocation_is_an_error)
{
    char path[FILES_PATH_BYTES]; /* the profile is written anew each time */
    settings = "u_turns dead_ends\nturn 180 5 5";
    snprintf(
        path, sizeof path, "%s",
        import_write("map.osm", OSM(LONG_ROAD RESTRICTION(1, FROM(61) VIA_WAY(62) TO(63), "only_straight_on")
                                        WAY(15, ND(1) ND(5), STREET TAG("access", "private")))));
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = read_path(path);
        mcd_map_free(&import_map);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* ---- what a road is ---- */

Test(osm, roads_keep_what_people_are_told_of_them)
{
    read_text(OSM(NODE(1, 0, "") NODE(2, 1, "") NODE(3, 2, "") WAY(
        1, ND(1) ND(2),
        TAG("highway", "motorway_link") TAG("oneway", "yes") TAG("destination", "Milano;Torino")
            TAG("destination:ref", "A 4") TAG("junction:ref", "12b") TAG("ref", "A 4;E 64")
                TAG("turn:lanes", "left|through;right") TAG("lanes", "2") TAG("maxspeed", "70")
                    TAG("toll", "yes"))
                      WAY(2, ND(2) ND(3),
                          TAG("highway", "residential") TAG("lanes", "3") TAG("maxspeed:backward", "30")
                              TAG("turn:lanes:forward", "through|right") TAG("tunnel", "yes")
                                  TAG("surface", "gravel"))));
    const size_t ramp = import_arc(1, 2), there = import_arc(2, 3), back = import_arc(3, 2);
    const mcd_kind *const kind = import_map.kind;
    cr_expect_str_eq(name_of(ramp), "A 4; E 64");
    cr_expect_str_eq(text_of(ramp, MCD_KIND_CLASS), "motorway_link");
    cr_expect_str_eq(text_of(ramp, MCD_KIND_REF), "A 4; E 64");
    cr_expect_str_eq(text_of(ramp, MCD_KIND_DESTINATION), "A 4: Milano, Torino");
    cr_expect_str_eq(text_of(ramp, MCD_KIND_EXIT), "12b");
    cr_expect_str_eq(text_of(ramp, MCD_KIND_TURN_LANES), "left|through;right");
    cr_expect_eq(kind[import_map.arc_kind[ramp]].flags,
                 MACADAM_ROAD_LINK | MACADAM_ROAD_MOTORWAY | MACADAM_ROAD_TOLL);
    cr_expect_eq(kind[import_map.arc_kind[ramp]].speed_kmh, 70);
    cr_expect_eq(kind[import_map.arc_kind[ramp]].lanes, 2);
    cr_expect_str_eq(text_of(there, MCD_KIND_TURN_LANES), "through|right");
    cr_expect_str_eq(text_of(back, MCD_KIND_TURN_LANES), "");
    cr_expect_eq(kind[import_map.arc_kind[there]].speed_kmh, 0);
    cr_expect_eq(kind[import_map.arc_kind[back]].speed_kmh, 30);
    cr_expect_eq(kind[import_map.arc_kind[back]].lanes, 2);
    cr_expect_eq(kind[import_map.arc_kind[there]].flags, MACADAM_ROAD_TUNNEL | MACADAM_ROAD_UNPAVED);
}
