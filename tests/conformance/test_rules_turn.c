/* test_rules_turn.c - turn restrictions at one node: drawn maps (tests/support/drawn_map.h), one rule each. A
 * traveller who may not turn continues to the nearest dead end, which is c. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_turn);

/* ---- kinds ---- */

Test(rules_turn, crossing_is_crossed_in_every_direction)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "a>b: axb\n"
                        "a>c: axc\n"
                        "b>d: bxd\n"
                        "d>c: dxc\n");
}

Test(rules_turn, no_left_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "a>b: axcxb, 384 s\n"
                        "a>c: axc\n"
                        "a>d: axd\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_turn, no_right_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xd: restriction=no_right_turn\n"
                        "a>d: axcxd\n"
                        "a>b: axb\n");
}

Test(rules_turn, no_straight_on)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "bx (x) xd: restriction=no_straight_on\n"
                        "b>d: bxcxd\n"
                        "d>b: dxb\n");
}

Test(rules_turn, no_u_turn)
{
    drawn_expect("car; u_turns anywhere", "    b    \n"
                                          "    |    \n"
                                          "a---x-y-c\n"
                                          "      |  \n"
                                          "      e  \n"
                                          "ax (x) xb: restriction=no_left_turn\n"
                                          "xy (y) xy: restriction=no_u_turn\n"
                                          "a>b: axycyxb\n"
                                          "e>c: eyc\n");
}

Test(rules_turn, only_left_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=only_left_turn\n"
                        "a>b: axb\n"
                        "a>c: axbxc\n"
                        "a>d: axbxd\n"
                        "d>c: dxc\n");
}

Test(rules_turn, only_right_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xd: restriction=only_right_turn\n"
                        "a>d: axd\n"
                        "a>c: axdxc\n");
}

Test(rules_turn, only_straight_on)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xc: restriction=only_straight_on\n"
                        "a>c: axc\n"
                        "a>b: axcxb\n"
                        "a>d: axcxd\n");
}

Test(rules_turn, only_u_turn)
{
    drawn_expect("car; u_turns anywhere", "    b  \n"
                                          "    |  \n"
                                          "a---x-c\n"
                                          "    |  \n"
                                          "    d  \n"
                                          "ax (x) ax: restriction=only_u_turn\n"
                                          "a>c: none\n"
                                          "a>x: ax\n"
                                          "b>c: bxc\n");
}

Test(rules_turn, no_entry_from_several_ways)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax xd (x) xb: restriction=no_entry\n"
                        "a>b: axcxb\n"
                        "d>b: dxcxb\n"
                        "c>b: cxb\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_turn, no_exit_to_several_ways)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb xd: restriction=no_exit\n"
                        "a>b: axcxb\n"
                        "a>d: axcxd\n"
                        "a>c: axc\n");
}

/* ---- what is meant, and what is not ---- */

Test(rules_turn, other_way_around_is_another_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "b>a: bxa\n");
}

Test(rules_turn, route_that_begins_at_the_junction_makes_no_turn)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "cx (x) xb: restriction=no_right_turn\n"
                        "x>b: xb\n"
                        "a>x: ax\n");
}

Test(rules_turn, same_ways_at_another_node_are_free)
{
    drawn_expect("car", "a---x---y---c\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "axyc: highway=primary\n"
                        "xefy: highway=residential\n"
                        "axyc (x) xefy: restriction=no_right_turn\n"
                        "a>e: axyfe\n"
                        "c>f: cyf\n");
}

Test(rules_turn, angle_tells_from_which_side_a_way_that_goes_on_is_meant)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "axc: highway=residential\n"
                        "axc (x) xb: restriction=no_left_turn\n"
                        "a>b: axcxb\n"
                        "c>b: cxb\n"
                        "a>c: axc\n"
                        "b>a: bxa\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_turn, angle_tells_to_which_side_a_way_that_goes_on_is_meant)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "axc: highway=residential\n"
                        "bx (x) axc: restriction=no_left_turn\n"
                        "b>a: bxa\n"
                        "b>c: bxaxc\n"
                        "a>b: axb\n");
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "axc: highway=residential\n"
                        "bx (x) axc: restriction=only_right_turn\n"
                        "b>a: bxa\n"
                        "b>c: bxaxc\n");
}

Test(rules_turn, straight_on_is_told_by_its_angle)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "    |    \n"
                        "    d    \n"
                        "bxd: highway=residential\n"
                        "axc: highway=residential\n"
                        "axc (x) bxd: restriction=no_straight_on\n"
                        "a>b: axb\n"
                        "a>d: axd\n"
                        "a>c: axc\n"
                        "told: turn restrictions skipped: a road goes on beyond the via to either side: 1\n");
}

Test(rules_turn, turn_between_two_ways_that_go_on_is_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "    |    \n"
                        "    d    \n"
                        "bxd: highway=residential\n"
                        "axc: highway=residential\n"
                        "axc (x) bxd: restriction=no_left_turn\n"
                        "a>b: axb\n"
                        "c>d: cxd\n"
                        "told: turn restrictions skipped: a road goes on beyond the via to either side: 1\n");
}

Test(rules_turn, one_way_street_that_goes_on_is_met_from_one_side)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "axc: oneway=yes\n"
                        "axc (x) xb: restriction=no_entry\n"
                        "a>b: none\n"
                        "a>c: axc\n");
}

Test(rules_turn, ban_on_red_is_none)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "cx (x) xb: restriction=no_right_turn_on_red\n"
                        "ax (x) xb: restriction=no_left_turn_on_red\n"
                        "c>b: cxb\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: they hold at red lights only: 2\n");
}

Test(rules_turn, list_of_bans_is_a_ban)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn; no_u_turn\n"
                        "cx (x) xb: restriction=no_left_turn;only_straight_on\n"
                        "a>b: axcxb\n"
                        "c>b: cxb\n"
                        "told: turn restrictions skipped: of an unknown kind: 1\n");
}

Test(rules_turn, restriction_of_none_frees_the_mode)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn, restriction:motorcar=none\n"
                        "a>b: axb\n"
                        "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, several_restrictions_of_one_way_add_up)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "ax (x) xd: restriction=no_right_turn\n"
                        "a>b: axcxb\n"
                        "a>d: axcxd\n"
                        "told: turn restrictions applied: 2\n");
}

Test(rules_turn, restrictions_of_several_ways_hold_side_by_side)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "bx (x) xa: restriction=no_right_turn\n"
                        "dx (x) xb: restriction=no_straight_on\n"
                        "a>b: axcxb\n"
                        "b>a: bxcxa\n"
                        "d>b: dxcxb\n");
}

Test(rules_turn, only_and_no_hold_both)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=only_left_turn\n"
                        "bx (x) xd: restriction=no_straight_on\n"
                        "a>d: axbxcxd\n");
}

Test(rules_turn, two_different_only_leave_nothing)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax (x) xb: restriction=only_left_turn\n"
                        "ax (x) xd: restriction=only_right_turn\n"
                        "a>b: none\n"
                        "a>c: none\n"
                        "a>d: none\n"
                        "a>x: ax\n");
}

Test(rules_turn, oneway_street_is_left_as_it_may)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "    |  \n"
                        "    d  \n"
                        "ax: oneway=yes\n"
                        "ax (x) xc: restriction=only_straight_on\n"
                        "a>b: axcxb\n"
                        "b>a: none\n");
}

/* ---- whom they concern ---- */

Test(rules_turn, except_frees_the_mode)
{
    drawn_expect("bike", "    b    \n"
                         "    |    \n"
                         "a---x---c\n"
                         "ax (x) xb: restriction=no_left_turn, except=bicycle\n"
                         "a>b: axb\n"
                         "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, except_binds_others)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: restriction=no_left_turn, except=bicycle\n"
                        "a>b: axcxb\n");
}

Test(rules_turn, except_lists_modes)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn, except=psv;motorcar;bicycle\n"
                        "a>b: axb\n");
}

Test(rules_turn, except_frees_a_wider_mode)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn, except=motor_vehicle\n"
                        "a>b: axb\n");
}

Test(rules_turn, restriction_of_a_mode_binds_it_alone)
{
    drawn_expect("truck", "    b  \n"
                          "    |  \n"
                          "a---x-c\n"
                          "ax (x) xb: restriction:hgv=no_left_turn\n"
                          "a>b: axcxb\n");
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: restriction:hgv=no_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, relation_whose_type_names_a_mode_binds_it_alone)
{
    drawn_expect("truck", "    b  \n"
                          "    |  \n"
                          "a---x-c\n"
                          "ax (x) xb: type=restriction:hgv, restriction=no_left_turn\n"
                          "a>b: axcxb\n");
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: type=restriction:hgv, restriction=no_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, restriction_of_motors_binds_cars)
{
    drawn_expect("car", "    b  \n"
                        "    |  \n"
                        "a---x-c\n"
                        "ax (x) xb: restriction:motor_vehicle=no_left_turn\n"
                        "a>b: axcxb\n");
}

Test(rules_turn, mode_may_have_another_restriction_than_the_rest)
{
    drawn_expect("truck", "    b  \n"
                          "    |  \n"
                          "a---x-c\n"
                          "ax (x) xb: restriction=no_left_turn, restriction:hgv=only_left_turn\n"
                          "a>b: axb\n"
                          "a>c: axbxc\n");
}

Test(rules_turn, bikes_keep_restrictions)
{
    drawn_expect("bike; u_turns dead_ends", "    b  \n"
                                            "    |  \n"
                                            "a---x-c\n"
                                            "ax (x) xb: restriction=no_left_turn\n"
                                            "a>b: axcxb\n");
}

Test(rules_turn, walkers_keep_those_that_name_them_alone)
{
    drawn_expect("foot; u_turns dead_ends", "    b  \n"
                                            "    |  \n"
                                            "a---x-c\n"
                                            "ax (x) xb: restriction=no_left_turn\n"
                                            "bx (x) xa: restriction:foot=no_right_turn\n"
                                            "a>b: axb\n"
                                            "b>a: bxcxa\n"
                                            "told: turn restrictions applied: 1\n"
                                            "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, restriction_at_times_is_skipped_and_told)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction:conditional=no_left_turn @ (07:00-09:00)\n"
                        "ax (x) xb: restriction:motorcar:conditional=no_left_turn @ (07:00-09:00)\n"
                        "ax (x) xb: restriction=no_left_turn @ (07:00-09:00)\n"
                        "ax (x) xb: restriction:conditional=no_left_turn @ (May-Sep)\n"
                        "ax (x) xb: restriction=no_left_turn, hour_on=07:00, hour_off=09:00\n"
                        "ax (x) xb: restriction=no_left_turn, hour_on=07:00\n"
                        "a>b: axb\n"
                        "told: turn restrictions that hold only at times, applied to departures then: 4\n"
                        "told: turn restrictions skipped: they hold at times only: 2\n");
}

Test(rules_turn, old_tags_of_hours_and_days_hold_then)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn, hour_on=07:00, hour_off=09:00, day_on=Monday, "
                        "day_off=Friday\n"
                        "bx (x) xc: restriction=no_left_turn, day_on=Saturday, day_off=Sunday\n"
                        "a>b: axb\n"
                        "a>b Tu0800: axcxb\n"
                        "a>b Tu0900: axb\n"
                        "a>b Sa0800: axb\n"
                        "b>c Tu0800: bxc\n"
                        "b>c Su0800: bxaxc\n");
}

Test(rules_turn, restriction_at_times_for_others_does_not_concern_cars)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction:hgv:conditional=no_left_turn @ (07:00-09:00)\n"
                        "a>b: axb\n"
                        "told: turn restrictions that do not concern the profile: 1\n");
}

Test(rules_turn, ban_holds_beside_its_condition)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=no_left_turn, restriction:conditional=no_u_turn @ (Mo-Fr)\n"
                        "a>b: axcxb\n");
}

/* ---- malformed ---- */

Test(rules_turn, relation_without_a_via_is_about_the_node_where_its_ways_meet)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax () xb: restriction=no_left_turn\n"
                        "a>b: axcxb\n"
                        "a>c: axc\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_turn, relation_without_a_via_may_say_what_is_the_only_way_on)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax () xb: restriction=only_left_turn\n"
                        "a>c: axbxc\n"
                        "a>b: axb\n");
}

Test(rules_turn, relation_without_a_via_is_skipped_if_its_ways_do_not_meet_once)
{
    drawn_expect("car", "a---b---c    \n"
                        "    |   |    \n"
                        "    e---f---g\n"
                        "ab () fg: restriction=no_left_turn\n"
                        "bef: highway=residential\n"
                        "bcf: highway=residential\n"
                        "bef () bcf: restriction=no_left_turn\n"
                        "ab () ab: restriction=no_u_turn\n"
                        "a>c: abc\n"
                        "e>c: ebc\n"
                        "told: turn restrictions skipped: their roads do not meet on the map: 3\n");
}

Test(rules_turn, relation_without_a_from_or_a_to_is_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "(x) xb: restriction=no_left_turn\n"
                        "ax (x): restriction=only_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: not a from, a via and a to: 2\n");
}

Test(rules_turn, several_from_ways_of_a_turn_are_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax cx (x) xb: restriction=no_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: not a from, a via and a to: 1\n");
}

Test(rules_turn, two_via_nodes_are_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x c) xb: restriction=no_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: not a from, a via and a to: 1\n");
}

Test(rules_turn, node_as_from_is_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "a (x) xb: restriction=no_left_turn\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: not a from, a via and a to: 1\n");
}

Test(rules_turn, kind_that_nobody_knows_is_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction=give_way\n"
                        "ax (x) xc: name=Main Street\n"
                        "ax (x) xb: restriction=no_weird_zigzags\n"
                        "ax (x) xc: restriction=only_straight\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: of an unknown kind: 4\n");
}

Test(rules_turn, ways_that_do_not_meet_at_the_via_are_skipped)
{
    drawn_expect("car", "    b        \n"
                        "    |        \n"
                        "a---x---c---d\n"
                        "ax (c) xb: restriction=no_left_turn\n"
                        "ax (x) cd: restriction=only_straight_on\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: their roads do not meet on the map: 2\n");
}

Test(rules_turn, way_of_another_map_is_skipped)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xz: restriction=only_straight_on\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: one of their roads is closed or missing: 1\n");
}

Test(rules_turn, only_into_a_closed_road_does_not_close_the_rest)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "xc: motor_vehicle=no\n"
                        "ax (x) xc: restriction=only_straight_on\n"
                        "a>b: axb\n"
                        "told: turn restrictions skipped: one of their roads is closed or missing: 1\n");
}

Test(rules_turn, turn_against_a_oneway_street_needs_no_restriction)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "bx: oneway=yes\n"
                        "ax (x) bx: restriction=no_left_turn\n"
                        "a>b: none\n"
                        "a>c: axc\n"
                        "told: turn restrictions skipped: the turn cannot be made anyway: 1\n");
}
