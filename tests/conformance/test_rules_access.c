/* test_rules_access.c - which ways are open to which travellers: drawn maps (tests/support/drawn_map.h), one
 * rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(rules_access);

/* ---- the hierarchy of access tags ---- */

Test(rules_access, road_without_tags_is_open)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "a>d: abcd, 360 s\n");
}

Test(rules_access, access_no_closes_to_all)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: access=no\n"
                        "a>d: abefcd\n"
                        "d>a: dcfeba\n");
}

Test(rules_access, vehicle_no_closes_to_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: vehicle=no\n"
                        "a>d: abefcd\n");
}

Test(rules_access, motor_vehicle_no_closes_to_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: motor_vehicle=no\n"
                        "a>d: abefcd\n");
}

Test(rules_access, motorcar_no_closes_to_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: motorcar=no\n"
                        "a>d: abefcd\n");
}

Test(rules_access, tags_of_others_do_not_close_to_cars)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "ab: bicycle=no\n"
                        "bc: hgv=no\n"
                        "cd: foot=no\n"
                        "de: motorcycle=no\n"
                        "a>f: abcdef\n");
}

Test(rules_access, vehicle_yes_opens_what_access_closes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: access=no, vehicle=yes\n"
                        "a>c: abc\n");
}

Test(rules_access, motor_vehicle_yes_opens_what_vehicle_closes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: vehicle=no, motor_vehicle=yes\n"
                        "a>c: abc\n");
}

Test(rules_access, motorcar_yes_opens_what_motor_vehicle_closes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: motor_vehicle=no, motorcar=yes\n"
                        "a>c: abc\n");
}

Test(rules_access, motorcar_no_closes_what_access_opens)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: access=yes, motor_vehicle=designated, motorcar=no\n"
                        "a>c: none\n");
}

Test(rules_access, vehicle_yes_does_not_open_what_motor_vehicle_closes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: motor_vehicle=no, vehicle=yes\n"
                        "a>c: none\n");
}

Test(rules_access, value_that_means_nothing_is_passed_over)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: motorcar=sometimes\n"
                        "bc: motorcar=sometimes, access=no\n"
                        "a>b: ab\n"
                        "a>c: none\n");
}

Test(rules_access, permissive_road_is_open_to_all)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: access=permissive\n"
                        "a>d: abcd\n");
}

Test(rules_access, agricultural_road_is_closed_to_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: motor_vehicle=agricultural;forestry\n"
                        "a>d: none\n");
}

Test(rules_access, road_for_buses_alone_is_closed_to_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: motor_vehicle=psv\n"
                        "a>d: none\n");
}

Test(rules_access, road_for_others_is_closed)
{
    static const char *const other[] = {"psv", "bus", "taxi", "motorcycle", "horse", "coach", "emergency"};
    static const char *const traveller[] = {"car", "bike", "foot", "truck"};
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        for (size_t k = 0; k < sizeof traveller / sizeof *traveller; ++k) {
            char map[256];
            snprintf(map, sizeof map,
                     "a---b---c\n"
                     "bc: access=%s\n"
                     "a>c: none\n"
                     "a>b: ab\n",
                     other[i]);
            drawn_expect(traveller[k], map);
        }
}

Test(rules_access, road_for_one_mode_is_closed_to_others)
{
    static const char map[] = "a---b---c---d---e\n"
                              "bc: access=hgv\n"
                              "cd: access=bicycle;foot\n";
    static const struct {
        const char *traveller, *c, *d;
    } expected[] = {
        {"car", "none", "none"}, {"truck", "abc", "none"}, {"bike", "none", "cd"}, {"foot", "none", "cd"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        char text[256];
        snprintf(text, sizeof text, "%sa>c: %s\nc>d: %s\nd>e: de\n", map, expected[i].c, expected[i].d);
        drawn_expect(expected[i].traveller, text);
    }
}

Test(rules_access, permission_for_all_does_not_let_bikes_ride_on_footways)
{
    drawn_expect("bike", "a---b---c\n"
                         "    |    \n"
                         "    d    \n"
                         "ab: highway=footway, access=permissive\n"
                         "bc: highway=pedestrian, access=yes\n"
                         "bd: highway=footway, bicycle=yes\n"
                         "a>b: ab, 900 s\n"
                         "b>c: bc, 900 s\n"
                         "b>d: bd, 450 s\n");
}

Test(rules_access, conditional_access_is_ignored_and_told)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: motor_vehicle:conditional=no @ (22:00-06:00)\n"
                        "a>c: abc\n"
                        "told: ways with conditional tags, which count only for departures: 1\n");
}

Test(rules_access, conditional_tags_are_told_by_kind)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: access:conditional=no @ (Su), hgv:forward:conditional=no @ (Mo)\n"
                        "bc: maxspeed:conditional=30 @ (22:00-06:00), oneway:conditional=yes @ (Sa)\n"
                        "cd: maxweight:conditional=none @ delivery, parking:lane:conditional=no @ (Mo)\n"
                        "b: motor_vehicle:conditional=no @ (Su)\n"
                        "a>d: abcd\n"
                        "told: ways with conditional tags, which count only for departures: 3\n"
                        "told: nodes with conditional tags, which count only for departures: 1\n"
                        "told: conditional tags about access: 3\n"
                        "told: conditional tags about one-way streets: 1\n"
                        "told: conditional tags about speed: 1\n"
                        "told: conditional tags about weights and sizes: 1\n"
                        "told: conditional tags about other things: 1\n");
}

Test(rules_access, one_direction_can_be_closed)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---f\n"
                        "bc: motor_vehicle:backward=no\n"
                        "a>c: abc\n"
                        "c>a: cfeba\n");
}

Test(rules_access, one_direction_can_be_open_alone)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---f\n"
                        "bc: access=no, vehicle:forward=yes\n"
                        "a>c: abc\n"
                        "c>a: cfeba\n");
}

Test(rules_access, lane_that_is_open_opens_the_road)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: vehicle:lanes=no|yes\n"
                        "cd: vehicle:lanes=no|no\n"
                        "a>c: abc\n"
                        "a>d: none\n");
}

/* ---- roads to begin and to end with ---- */

Test(rules_access, private_road_is_no_shortcut)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: access=private\n"
                        "a>d: abefcd, 600 s\n");
}

Test(rules_access, private_road_begins_and_ends_a_route)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: access=private\n"
                        "a>c: abc\n"
                        "c>a: cba\n");
}

Test(rules_access, private_road_at_each_end_of_a_route)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "ab: access=private\n"
                        "bc: access=private\n"
                        "de: access=private\n"
                        "ef: access=private\n"
                        "a>f: abcdef\n");
}

Test(rules_access, destination_road_is_no_shortcut)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: motor_vehicle=destination\n"
                        "a>d: abefcd\n"
                        "a>c: abc\n");
}

Test(rules_access, customers_and_deliveries_begin_and_end)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "ab: access=customers\n"
                        "de: vehicle=delivery\n"
                        "a>e: abcde\n"
                        "b>d: bcd\n");
}

Test(rules_access, private_road_is_open_where_the_mode_is)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: access=private, motorcar=yes\n"
                        "a>d: abcd\n");
}

Test(rules_access, two_private_roads_in_a_row_are_no_shortcut)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "    |       |    \n"
                        "    f-------g    \n"
                        "bc: access=private\n"
                        "cd: access=destination\n"
                        "a>e: abfgde\n"
                        "a>c: abc\n");
}

/* ---- what is a road ---- */

Test(rules_access, footways_tracks_and_building_sites_are_no_roads_for_cars)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "bc: highway=footway\n"
                        "cd: highway=track\n"
                        "de: highway=construction\n"
                        "a>b: ab\n"
                        "a>c: none\n"
                        "told: ways that are no roads for the profile: 1\n"
                        "told: ways closed to the profile: 2\n");
}

Test(rules_access, cycleway_is_for_bikes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: highway=cycleway\n"
                        "a>c: none\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: highway=cycleway\n"
                         "a>c: abc\n");
}

Test(rules_access, motorway_is_for_motors)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: highway=motorway\n"
                        "a>c: abc\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: highway=motorway\n"
                         "a>c: none\n");
    drawn_expect("foot", "a---b---c\n"
                         "bc: highway=motorway\n"
                         "a>c: none\n");
}

Test(rules_access, area_is_no_road_for_cars)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---d\n"
                        "bcdeb: highway=service, area=yes\n"
                        "a>c: none\n"
                        "told: ways that are areas: 1\n");
}

Test(rules_access, walkers_cross_an_area)
{
    drawn_expect("foot", "a---b---c\n"
                         "    |   |\n"
                         "    e---d---f\n"
                         "bcdeb: highway=pedestrian, area=yes\n"
                         "a>c: abc\n"
                         "f>b: fdb\n"
                         "a>d: abd\n");
}

Test(rules_access, profile_may_take_ways_of_any_value)
{
    drawn_expect("car; [way aerialway]; pylon 10; * 20", "a---b---c---d\n"
                                                         "bc: aerialway=gondola\n"
                                                         "cd: aerialway=pylon\n"
                                                         "b>c: 180 s\n"
                                                         "c>d: 360 s\n");
}

/* ---- lists of values ---- */

Test(rules_access, most_open_value_of_a_list_counts)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "    |       |    \n"
                        "    f-------g    \n"
                        "bc: motor_vehicle=forestry;destination\n"
                        "a>e: abfgde\n"
                        "a>c: abc\n");
    drawn_expect("car", "a---b---c\n"
                        "bc: access=no;permissive\n"
                        "a>c: abc\n");
}

Test(rules_access, list_of_closed_values_closes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: vehicle=forestry;agricultural\n"
                        "a>c: none\n");
    drawn_expect("car", "a---b---c\n"
                        "bc: vehicle=psv; bus;goods\n"
                        "a>c: none\n");
}

Test(rules_access, list_of_unknown_values_is_passed_over)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: vehicle=some;times\n"
                        "a>c: abc\n");
}

/* ---- explicit permission ---- */

Test(rules_access, permission_opens_what_is_closed_to_cars_by_itself)
{
    static const char *const tags[] = {
        "highway=track, motor_vehicle=yes",
        "highway=track, access=permissive",
        "highway=cycleway, motor_vehicle=designated",
        "highway=pedestrian, vehicle=yes",
        "highway=footway, motorcar=yes",
        "highway=path, motor_vehicle=permissive",
        "highway=busway, motorcar=yes",
        "highway=bridleway, vehicle=yes",
        "service=emergency_access, motor_vehicle=yes",
    };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        char map[256];
        snprintf(map, sizeof map, "a---b---c\nbc: %s\na>c: abc\n", tags[i]);
        drawn_expect("car", map);
    }
}

Test(rules_access, permission_for_all_does_not_open_footways_to_cars)
{
    static const char *const tags[] = {"highway=footway, access=yes",
                                       "highway=pedestrian, access=yes",
                                       "highway=cycleway, access=permissive",
                                       "highway=path, access=yes",
                                       "highway=track",
                                       "highway=track, motor_vehicle=agricultural"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        char map[256];
        snprintf(map, sizeof map, "a---b---c\nbc: %s\na>c: none\n", tags[i]);
        drawn_expect("car", map);
    }
}

Test(rules_access, permission_may_be_for_one_direction)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: highway=pedestrian, vehicle:forward=yes\n"
                        "a>c: abc\n"
                        "c>b: none\n");
}

Test(rules_access, bike_may_use_a_motorway_that_permits_it)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=motorway, bicycle=yes\n"
                         "cd: highway=trunk, motorroad=yes, bicycle=designated\n"
                         "a>d: abcd\n"
                         "d>c: dc\n"
                         "c>b: none\n");
}

Test(rules_access, walker_may_use_a_motorroad_that_permits_it)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: highway=trunk, motorroad=yes, foot=yes\n"
                         "cd: highway=trunk, motorroad=yes\n"
                         "a>c: abc\n"
                         "a>d: none\n");
}

/* ---- what nobody can drive on ---- */

Test(rules_access, impassable_roads_building_sites_and_emergency_access_are_closed)
{
    static const char *const tags[] = {"smoothness=impassable",
                                       "impassable=yes",
                                       "construction=yes",
                                       "service=emergency_access",
                                       "highway=proposed",
                                       "highway=raceway",
                                       "highway=construction, motor_vehicle=yes"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        char map[256];
        snprintf(map, sizeof map, "a---b---c\nbc: %s\na>c: none\n", tags[i]);
        drawn_expect("car", map);
    }
    drawn_expect("car", "a---b---c---d\n"
                        "bc: construction=no\n"
                        "cd: construction=minor, proposed=yes\n"
                        "a>d: abcd\n");
}

/* ---- bikes ---- */

Test(rules_access, bike_is_pushed_over_a_footway)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=footway\n"
                         "b>c: 900 s\n");
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=footway, foot=no\n"
                         "a>d: none\n");
}

Test(rules_access, bike_is_not_pushed_where_nobody_may_walk)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=busway\n"
                         "a>d: none\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway=yes, foot:backward=no\n"
                         "a>c: abc\n"
                         "c>a: none\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway=yes, oneway:foot=yes\n"
                         "a>c: abc\n"
                         "c>a: none\n");
}

Test(rules_access, surface_slows_down_who_pushes)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=footway, surface=mud\n"
                         "a>b: 900 s\n");
    drawn_expect("bike", "a---b\n"
                         "ab: highway=steps\n"
                         "a>b: 1799.999 s\n");
}

Test(rules_access, bicycle_yes_opens_a_footway)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=footway, bicycle=yes\n"
                         "a>d: abcd\n");
}

Test(rules_access, bicycle_no_means_that_it_is_pushed)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=cycleway, bicycle=no\n"
                         "b>c: 900 s\n");
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: highway=cycleway, bicycle=no, foot=no\n"
                         "a>d: none\n");
}

Test(rules_access, bike_that_is_pushed_is_as_fast_as_its_rider_walks)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=pedestrian, bicycle=dismount\n"
                         "a>b: ab, 900 s\n");
}

Test(rules_access, motor_vehicle_no_leaves_a_road_to_bikes)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: motor_vehicle=no\n"
                         "a>d: abcd\n");
}

Test(rules_access, vehicle_no_means_that_a_bike_is_pushed)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: vehicle=no\n"
                         "b>c: 900 s\n");
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: access=no\n"
                         "a>d: none\n");
}

Test(rules_access, bike_uses_the_path_beside_the_road)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "    |   |    \n"
                         "    e---f    \n"
                         "bc: highway=primary, bicycle=use_sidepath\n"
                         "befc: highway=cycleway\n"
                         "a>d: abefcd\n");
}

/* As the wiki tags them: who else may use them is said by access keys. */
Test(rules_access, bicycle_road_is_for_bikes_and_for_those_whom_its_tags_name)
{
    static const char map[] = "a---b---c---d\n"
                              "    |   |    \n"
                              "    e---f    \n"
                              "bc: highway=residential, bicycle_road=yes, vehicle=no, bicycle=designated\n";
    char text[200];
    snprintf(text, sizeof text, "%sa>d: abcd\n", map);
    drawn_expect("bike", text);
    snprintf(text, sizeof text, "%sa>d: abefcd\n", map);
    drawn_expect("car", text);
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: highway=residential, bicycle_road=yes, motor_vehicle=destination\n"
                        "a>c: abc\n"
                        "a>d: abefcd\n");
}

Test(rules_access, motorroad_is_closed_to_bikes_and_walkers)
{
    drawn_expect("bike", "a---b---c\n"
                         "bc: highway=trunk, motorroad=yes\n"
                         "a>c: none\n");
    drawn_expect("foot", "a---b---c\n"
                         "bc: highway=trunk, motorroad=yes\n"
                         "a>c: none\n");
    drawn_expect("car", "a---b---c\n"
                        "bc: highway=trunk, motorroad=yes\n"
                        "a>c: abc\n");
}

/* ---- on foot ---- */

Test(rules_access, steps_are_for_walkers_and_slow)
{
    drawn_expect("foot", "a---b-c\n"
                         "bc: highway=steps\n"
                         "a>c: abc, 1440 s\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: highway=steps, foot=no\n"
                         "a>c: none\n");
}

Test(rules_access, vehicle_no_leaves_a_road_to_walkers)
{
    drawn_expect("foot", "a---b---c\n"
                         "bc: vehicle=no\n"
                         "a>c: abc\n");
}

Test(rules_access, foot_no_closes_to_walkers)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "    |   |    \n"
                         "    e---f    \n"
                         "bc: foot=no\n"
                         "a>d: abefcd\n");
}

Test(rules_access, foot_yes_opens_what_access_closes)
{
    drawn_expect("foot", "a---b---c\n"
                         "bc: access=no, foot=yes\n"
                         "a>c: abc\n");
}

Test(rules_access, platforms_and_piers_are_walked_on)
{
    drawn_expect("foot", "a---b---c---d---e\n"
                         "bc: railway=platform\n"
                         "cd: public_transport=platform\n"
                         "de: man_made=pier\n"
                         "a>e: abcde\n");
}

Test(rules_access, busway_is_walked_on_where_it_is_allowed)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: highway=busway, foot=yes\n"
                         "cd: highway=busway\n"
                         "a>c: abc\n"
                         "a>d: none\n");
}

/* ---- ferries ---- */

Test(rules_access, ferry_is_taken_where_there_is_no_road)
{
    drawn_expect("car", "a---b       \n"
                        "    |       \n"
                        "    c---d   \n"
                        "bc: route=ferry\n"
                        "a>d: abcd\n");
}

Test(rules_access, island_without_a_ferry_is_not_reached)
{
    drawn_expect("car", "a---b       \n"
                        "            \n"
                        "    c---d   \n"
                        "a>d: none\n"
                        "c>d: cd\n");
}

Test(rules_access, ferry_for_passengers_leaves_cars_behind)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=ferry, motor_vehicle=no\n"
                        "a>d: none\n");
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: route=ferry, motor_vehicle=no\n"
                         "a>d: abcd\n");
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: route=ferry, bicycle=no\n"
                         "a>d: none\n");
}

Test(rules_access, cars_go_by_shuttle_train)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=shuttle_train\n"
                        "a>d: abcd\n");
}
