/* test_rules_oneway.c - which way a road is open: drawn maps (tests/support/drawn_map.h), one rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_oneway);

/* ---- the tag ---- */

Test(rules_oneway, yes_is_along_the_way)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: oneway=yes\n"
                        "a>d: abcd\n"
                        "d>a: dcfeba\n");
}

Test(rules_oneway, yes_is_along_the_way_as_it_is_drawn)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "cb: oneway=yes\n"
                        "a>d: abefcd\n"
                        "d>a: dcba\n");
}

Test(rules_oneway, minus_one_is_against_the_way)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: oneway=-1\n"
                        "a>d: abefcd\n"
                        "d>a: dcba\n");
}

Test(rules_oneway, one_and_true_are_yes)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: oneway=1\n"
                        "bc: oneway=true\n"
                        "a>c: abc\n"
                        "c>b: none\n"
                        "b>a: none\n");
}

Test(rules_oneway, reverse_is_minus_one)
{
    drawn_expect("car", "a---b\n"
                        "ab: oneway=reverse\n"
                        "a>b: none\n"
                        "b>a: ba\n");
}

Test(rules_oneway, no_is_both_ways)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: oneway=no\n"
                        "a>c: abc\n"
                        "c>a: cba\n");
}

Test(rules_oneway, value_that_means_nothing_is_passed_over)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: oneway=perhaps\n"
                        "bc: oneway=perhaps, junction=roundabout\n"
                        "a>c: abc\n"
                        "b>a: ba\n"
                        "c>b: none\n");
}

Test(rules_oneway, reversible_road_is_nobodys_way)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: oneway=reversible\n"
                        "a>d: abefcd\n"
                        "d>a: dcfeba\n");
}

Test(rules_oneway, alternating_road_is_open_both_ways_after_a_wait)
{
    drawn_expect("car", "a---b\n"
                        "ab: oneway=alternating\n"
                        "a>b: ab, 240 s\n"
                        "b>a: ba, 240 s\n");
}

Test(rules_oneway, oneway_ring_is_gone_around)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---d\n"
                        "bcdeb: oneway=yes\n"
                        "a>e: abcde\n"
                        "e>a: eba\n"
                        "e>d: ebcd\n");
}

Test(rules_oneway, dual_carriageway_is_two_ways)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "h---g---f---e\n"
                        "abcd: highway=primary, oneway=yes\n"
                        "efgh: highway=primary, oneway=yes\n"
                        "a>d: abcd\n"
                        "a>h: abgh\n"
                        "e>d: efcd\n"
                        "d>a: none\n");
}

/* ---- what is implied ---- */

Test(rules_oneway, roundabout_is_gone_around_as_it_is_drawn)
{
    drawn_expect("car", "    b        \n"
                        "   / \\       \n"
                        "a-e   c-----f\n"
                        "   \\ /       \n"
                        "    d        \n"
                        "edcbe: junction=roundabout\n"
                        "a>f: aedcf\n"
                        "f>a: fcbea\n");
}

Test(rules_oneway, roundabout_of_left_hand_traffic)
{
    drawn_expect("car; traffic left", "    b        \n"
                                      "   / \\       \n"
                                      "a-e   c-----f\n"
                                      "   \\ /       \n"
                                      "    d        \n"
                                      "ebcde: junction=roundabout\n"
                                      "a>f: aebcf\n"
                                      "f>a: fcdea\n");
}

Test(rules_oneway, circular_junction_is_oneway_too)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---d\n"
                        "bcdeb: junction=circular\n"
                        "a>e: abcde\n");
}

Test(rules_oneway, roundabout_may_be_open_both_ways)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---d\n"
                        "bcdeb: junction=roundabout, oneway=no\n"
                        "a>e: abe\n");
}

Test(rules_oneway, motorway_is_oneway_and_its_links_where_they_say_so)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "abcd: highway=motorway\n"
                        "be: highway=motorway_link, oneway=yes\n"
                        "fc: highway=motorway_link\n"
                        "a>d: abcd\n"
                        "e>d: efcd\n"
                        "c>f: cf\n"
                        "d>a: none\n"
                        "e>b: none\n");
}

Test(rules_oneway, motorway_may_be_open_both_ways)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: highway=motorway, oneway=no\n"
                        "bc: highway=motorway_link, oneway=no\n"
                        "a>c: abc\n"
                        "c>a: cba\n");
}

Test(rules_oneway, trunk_roads_and_their_links_are_not_oneway)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: highway=trunk\n"
                        "bc: highway=trunk_link\n"
                        "c>a: cba\n");
}

/* ---- modes ---- */

Test(rules_oneway, oneway_of_motors_is_none_for_bikes)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: oneway:motor_vehicle=yes\n"
                        "c>b: none\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway:motor_vehicle=yes\n"
                         "c>b: cb\n");
}

Test(rules_oneway, bikes_keep_to_oneway_streets)
{
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway=yes\n"
                         "b>c: bc, 211.765 s\n"
                         "c>b: cb, 900 s\n");
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway=yes, foot=no\n"
                         "b>c: bc\n"
                         "c>b: none\n");
}

Test(rules_oneway, oneway_bicycle_no_opens_to_bikes_alone)
{
    drawn_expect("bike", "a---b---c\n"
                         "bc: oneway=yes, oneway:bicycle=no\n"
                         "c>b: cb\n");
    drawn_expect("car", "a---b---c\n"
                        "bc: oneway=yes, oneway:bicycle=no\n"
                        "c>b: none\n");
}

Test(rules_oneway, bikes_may_have_a_oneway_of_their_own)
{
    drawn_expect("bike", "a---b---c\n"
                         "ab: oneway:bicycle=yes\n"
                         "bc: oneway=yes, oneway:bicycle=-1\n"
                         "a>b: ab\n"
                         "b>a: ba, 900 s\n"
                         "b>c: bc, 900 s\n"
                         "c>b: cb, 211.765 s\n");
}

Test(rules_oneway, contraflow_lane_is_open_to_bikes)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "ab: oneway=yes, cycleway=opposite_lane\n"
                         "bc: oneway=yes, cycleway=opposite\n"
                         "cd: oneway=yes, cycleway=opposite_track\n"
                         "d>a: dcba\n");
    drawn_expect("car", "a---b---c---d\n"
                        "ab: oneway=yes, cycleway=opposite_lane\n"
                        "b>a: none\n"
                        "a>b: ab\n");
}

Test(rules_oneway, contraflow_lane_on_one_side_is_open_to_bikes)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "ab: oneway=yes, cycleway:left=opposite_lane\n"
                         "bc: oneway=yes, cycleway:right=opposite_track\n"
                         "cd: oneway=yes, cycleway:left=lane, cycleway:left:oneway=-1\n"
                         "d>a: dcba\n");
}

Test(rules_oneway, lane_along_the_street_is_no_contraflow)
{
    drawn_expect("bike", "a---b---c\n"
                         "ab: oneway=yes, cycleway=lane\n"
                         "bc: oneway=yes, cycleway:right=track, cycleway:right:oneway=yes\n"
                         "b>a: ba, 900 s\n"
                         "c>b: cb, 900 s\n");
}

Test(rules_oneway, lanes_open_both_ways_are_contraflow)
{
    drawn_expect("bike", "a---b---c\n"
                         "ab: oneway=yes, cycleway:both=lane, cycleway:both:oneway=no\n"
                         "bc: oneway=yes, cycleway:right=track, cycleway:right:oneway=no\n"
                         "c>a: cba\n");
}

Test(rules_oneway, lane_of_buses_that_bikes_share_is_contraflow)
{
    drawn_expect("bike", "a---b\n"
                         "ab: oneway=yes, cycleway=opposite_share_busway\n"
                         "b>a: ba\n");
}

Test(rules_oneway, bikes_go_around_roundabouts)
{
    drawn_expect("bike", "a---b---c\n"
                         "    |   |\n"
                         "    e---d\n"
                         "bcdeb: junction=roundabout\n"
                         "a>e: abcde\n");
}

Test(rules_oneway, walkers_go_against_the_traffic)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "    |   |    \n"
                         "    e---f    \n"
                         "ab: oneway=yes\n"
                         "bcfeb: junction=roundabout\n"
                         "b>a: ba\n"
                         "a>e: abe\n");
}

Test(rules_oneway, oneway_of_walkers_is_kept_by_them)
{
    drawn_expect("foot", "a---b---c\n"
                         "ab: highway=footway, oneway:foot=yes\n"
                         "a>b: ab\n"
                         "b>a: none\n");
}

Test(rules_oneway, oneway_that_spares_buses_binds_cars)
{
    drawn_expect("car", "a---b\n"
                        "ab: oneway=yes, oneway:psv=no\n"
                        "b>a: none\n");
}

Test(rules_oneway, oneway_that_spares_motors_spares_cars)
{
    drawn_expect("car", "a---b\n"
                        "ab: oneway=yes, oneway:motor_vehicle=no\n"
                        "b>a: ba\n");
}

Test(rules_oneway, direction_that_is_open_is_closed_to_the_mode)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: oneway=yes, motor_vehicle:forward=no\n"
                        "b>c: none\n"
                        "c>b: none\n");
}

Test(rules_oneway, ferry_may_go_one_way)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=ferry, oneway=yes\n"
                        "a>d: abcd\n"
                        "d>a: none\n");
}
