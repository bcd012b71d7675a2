/* test_osm.c - maps from small OpenStreetMap files. A node's longitude is given in units of 0.001 degrees on
 * the equator, 111.319 m; its latitude is 0 unless drawn otherwise. Rules of the road: tests/conformance/maps/rules. */
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
    const macadam_import_options options = {.report = take_line};
    report_text[0] = '\0';
    mcd_profile profile;
    MCD_TRY(read_car(&profile));
    const macadam_status status =
        osm_read(&import_map, &path, 1, &profile, &parallel, NULL, &options, &import_error);
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
#define VIA_WAY(id)                 "<member type='way' ref='" #id "' role='via'/>"
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

Test(osm, nodes_shared_with_other_ways_are_not_junctions)
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

/* ---- lengths and durations ---- */

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

/* ---- what is missing ---- */

Test(osm, way_is_cut_at_missing_nodes)
{
    read_text(OSM(ROW WAY(7, ND(98) ND(1) ND(2) ND(3) ND(99) ND(4) ND(5), STREET)));
    cr_assert_eq(import_map.node_count, 4);
    import_arc(1, 3);
    import_arc(4, 5);
    cr_expect_eq(import_arc_count(3, 4), 0);
    expect_told("ways cut because nodes are missing: 1 (way/7)\n");
    expect_told("missing nodes of ways: 2 (node/98, node/99)\n");
}

Test(osm, lone_node_of_a_cut_way_is_not_a_junction)
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
    expect_told("nodes of ways without valid coordinates: 2 (node/6, node/8)\n");
}

/* ---- turn restrictions ---- */

/* Ways 11, 12 and 13 from the nodes 1, 3 and 6 to the crossing 2. */
#define CROSSING                                                                                             \
    ROW NODE_AT(6, "0.001", "0.0010067") WAY(11, ND(1) ND(2), STREET) WAY(12, ND(3) ND(2), STREET)           \
        WAY(13, ND(6) ND(2), STREET)

/* 1 and 2 are members of each other, 3 of itself. */
Test(osm, relations_in_a_circle_are_skipped)
{
    read_text(OSM(CROSSING RESTRICTION(1, RELATION_MEMBER(2) FROM(11), "no_left_turn")
                      RESTRICTION(2, RELATION_MEMBER(1) FROM(11), "no_left_turn")
                          RESTRICTION(3, RELATION_MEMBER(3) FROM(11), "only_straight_on")));
    cr_expect_eq(import_cost(1, 6), 2 * 13358);
    expect_told(
        "turn restrictions skipped: not a from, a via and a to: 3 (relation/1, relation/2, relation/3)\n");
}

/* ---- failures ---- */

Test(osm, every_failed_allocation_is_an_error)
{
    char path[FILES_PATH_BYTES]; /* the profile is written again each time */
    settings = "u_turns dead_ends\nturn 180 5 5";
    snprintf(path, sizeof path, "%s",
             import_write("map.osm", OSM(CROSSING WAY(14, ND(3) ND(4), STREET)
                                             RESTRICTION(1, FROM(11) VIA_WAY(12) TO(14), "only_straight_on")
                                                 WAY(15, ND(1) ND(5), STREET TAG("access", "private")))));
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = read_path(path);
        mcd_map_free(&import_map);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* ---- what a road is ---- */

#define MOTORWAY TAG("highway", "motorway")
#define RAMP     TAG("highway", "motorway_link") TAG("oneway", "yes")

Test(osm, a_ramp_has_the_number_of_the_exit_where_it_begins)
{
    read_text(OSM(NODE(1, 0, "") NODE(2, 1, TAG("highway", "motorway_junction") TAG("ref", "12;12a")) NODE(
        3, 2, TAG("highway", "motorway_junction") TAG("ref", "13")) NODE(4, 3, "") NODE(5, 4, "")
                      NODE(6, 5, "") WAY(1, ND(1) ND(2) ND(3) ND(4), MOTORWAY) WAY(2, ND(2) ND(5), RAMP)
                          WAY(3, ND(3) ND(5), RAMP TAG("junction:ref", "13b")) WAY(4, ND(6) ND(2), RAMP)));
    cr_expect_str_eq(text_of(import_arc(2, 5), MCD_KIND_EXIT), "12; 12a");
    cr_expect_str_eq(text_of(import_arc(3, 5), MCD_KIND_EXIT), "13b");
    cr_expect_str_eq(text_of(import_arc(2, 3), MCD_KIND_EXIT), "", "the motorway goes on");
    cr_expect_str_eq(text_of(import_arc(6, 2), MCD_KIND_EXIT), "", "leads onto the motorway");
}

Test(osm, roads_keep_their_names_and_kinds)
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

/* Two bytes a character, so that 255 characters are more bytes than one text of ASCII has. */
#define LONG16                                                                                               \
    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
#define LONG LONG16 LONG16 LONG16 LONG16

Test(osm, lists_have_neither_empty_items_nor_parts_of_items)
{
    read_text(OSM(NODE(1, 0, "") NODE(2, 1, "") NODE(3, 2, "") NODE(4, 3, "") WAY(
        1, ND(1) ND(2), RAMP TAG("destination", "Ulm;; M\u00fcnchen ;") TAG("ref", " ;A 8 ;B 10"))
                      WAY(2, ND(2) ND(3), RAMP TAG("destination", LONG ";" LONG ";" LONG) TAG("ref", ";"))
                          WAY(3, ND(3) ND(4), RAMP TAG("destination", ";") TAG("destination:ref", "A 8"))));
    cr_expect_str_eq(text_of(import_arc(1, 2), MCD_KIND_DESTINATION), "Ulm, M\u00fcnchen");
    cr_expect_str_eq(text_of(import_arc(1, 2), MCD_KIND_REF), "A 8; B 10");
    cr_expect_str_eq(text_of(import_arc(2, 3), MCD_KIND_DESTINATION), LONG ", " LONG ", " LONG);
    cr_expect_str_eq(text_of(import_arc(2, 3), MCD_KIND_REF), "");
    cr_expect_str_eq(text_of(import_arc(3, 4), MCD_KIND_DESTINATION), "A 8");
}
