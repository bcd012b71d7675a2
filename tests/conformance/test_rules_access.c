/* test_rules_access.c - which ways are open to whom: drawn maps (tests/support/drawn_map.h), one rule
 * each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

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

Test(rules_access, conditional_access_is_ignored_and_told)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: motor_vehicle:conditional=no @ (22:00-06:00)\n"
                        "a>c: abc\n"
                        "told: ways with conditional tags, which are ignored: 1\n");
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
                        "told: ways that are no roads for the profile: 3\n");
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

Test(rules_access, walkers_go_around_an_area)
{
    drawn_expect("foot", "a---b---c\n"
                         "    |   |\n"
                         "    e---d---f\n"
                         "bcdeb: highway=pedestrian, area=yes\n"
                         "a>c: abc\n"
                         "f>b: fdcb\n");
}

Test(rules_access, profile_may_take_ways_of_any_value)
{
    drawn_expect("car; [way aerialway]; pylon 10; * 20", "a---b---c---d\n"
                                                         "bc: aerialway=gondola\n"
                                                         "cd: aerialway=pylon\n"
                                                         "b>c: 180 s\n"
                                                         "c>d: 360 s\n");
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

/* ---- barriers ---- */

Test(rules_access, bollard_stops_cars_alone)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=bollard\n"
                        "a>c: none\n"
                        "told: nodes blocked by barriers: 1\n");
    drawn_expect("bike", "a---b---c\n"
                         "b: barrier=bollard\n"
                         "a>c: abc\n");
    drawn_expect("foot", "a---b---c\n"
                         "b: barrier=bollard\n"
                         "a>c: abc\n");
}

Test(rules_access, bollard_within_a_way_stops_cars)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "abcd: highway=primary\n"
                        "c: barrier=bollard\n"
                        "a>c: abc\n"
                        "f>c: fc\n"
                        "a>f: abef\n"
                        "a>d: none\n");
}

Test(rules_access, barrier_is_come_up_to_and_left_on_either_side)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=block\n"
                        "a>b: ab\n"
                        "c>b: cb\n"
                        "b>a: ba\n"
                        "b>c: bc\n");
}

Test(rules_access, barrier_at_a_junction_blocks_all_its_roads)
{
    drawn_expect("car", "    d    \n"
                        "    |    \n"
                        "a---b---c\n"
                        "b: barrier=bollard\n"
                        "a>c: none\n"
                        "a>d: none\n"
                        "a>b: ab\n");
}

Test(rules_access, barrier_with_access_tags_is_as_they_say)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=bollard, motor_vehicle=yes\n"
                        "d: barrier=gate, motor_vehicle=no\n"
                        "a>d: abcd\n"
                        "a>e: none\n");
}

Test(rules_access, barrier_that_nobody_knows_blocks)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=dragon\n"
                        "a>c: none\n");
}

Test(rules_access, gate_is_opened_in_its_time)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=gate\n"
                        "a>c: abc, 260 s\n"
                        "c>a: cba, 260 s\n");
}

Test(rules_access, lift_gate_toll_booth_and_border_take_their_time)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=lift_gate\n"
                        "c: barrier=toll_booth\n"
                        "d: barrier=border_control\n"
                        "a>e: abcde, 565 s\n");
}

Test(rules_access, cattle_grids_kerbs_and_entrances_take_none)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=cattle_grid\n"
                        "c: barrier=kerb\n"
                        "d: barrier=entrance\n"
                        "a>e: abcde, 480 s\n");
}

Test(rules_access, private_gate_is_no_way_through)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "e-------f\n"
                        "b: barrier=gate, access=private\n"
                        "a>c: aefc\n");
}

Test(rules_access, private_gate_leads_to_a_private_road)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=gate, access=private\n"
                        "bc: access=private\n"
                        "a>c: abc, 260 s\n"
                        "c>a: cba\n");
}

Test(rules_access, access_tag_of_a_node_that_is_no_barrier_says_nothing)
{
    drawn_expect("car", "a---b---c\n"
                        "b: highway=crossing, access=no\n"
                        "a>c: abc\n");
}

Test(rules_access, kissing_gate_is_for_walkers)
{
    drawn_expect("foot", "a---b---c\n"
                         "b: barrier=kissing_gate\n"
                         "a>c: abc, 1445 s\n");
    drawn_expect("bike", "a---b---c\n"
                         "b: barrier=kissing_gate\n"
                         "a>c: none\n");
}

Test(rules_access, cycle_barrier_slows_bikes)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=cycleway\n"
                         "b: barrier=cycle_barrier\n"
                         "a>b: ab, 205 s\n");
}

Test(rules_access, stile_is_climbed_on_foot)
{
    drawn_expect("foot", "a---b---c\n"
                         "b: barrier=stile\n"
                         "a>c: abc, 1450 s\n");
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
