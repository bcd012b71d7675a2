/* test_rules_junction.c - U-turns, and the time that turns take: drawn maps (tests/support/drawn_map.h), one
 * rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_junction);

/* ---- U-turns ---- */

Test(rules_junction, one_turns_back_at_a_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "      |  \n"
                        "      e  \n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "a>b: axycyxb\n");
}

Test(rules_junction, one_turns_back_anywhere_if_the_profile_says_so)
{
    drawn_expect("car; u_turns anywhere", "    b    \n"
                                          "    |    \n"
                                          "a---x-y-c\n"
                                          "      |  \n"
                                          "      e  \n"
                                          "ax (x) xb: restriction=no_left_turn\n"
                                          "a>b: axyxb\n");
}

Test(rules_junction, bikes_turn_back_anywhere)
{
    drawn_expect("bike", "    b    \n"
                         "    |    \n"
                         "a---x-y-c\n"
                         "      |  \n"
                         "      e  \n"
                         "ax (x) xb: restriction=no_left_turn\n"
                         "a>b: axyxb\n");
}

Test(rules_junction, road_that_goes_on_as_another_is_no_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc: name=Other Street\n"
                        "a>b: axycyxb\n");
}

Test(rules_junction, end_of_the_public_road_is_a_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc: access=private\n"
                        "a>b: axyxb\n"
                        "a>c: axyc\n");
}

Test(rules_junction, barrier_is_a_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "y: barrier=bollard\n"
                        "a>b: axyxb\n"
                        "a>c: none\n");
}

Test(rules_junction, mouth_of_oneway_streets_is_a_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "cy: oneway=yes\n"
                        "a>b: axyxb\n");
}

Test(rules_junction, turn_that_is_forbidden_is_no_way_on)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "xy (y) yc: restriction=no_straight_on\n"
                        "a>b: axyxb\n"
                        "a>c: none\n");
}

Test(rules_junction, oneway_road_that_leads_nowhere_is_no_way_on)
{
    drawn_expect("car", "    b        \n"
                        "    |        \n"
                        "a---x-y-c-d-e\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc: oneway=yes\n"
                        "cde: highway=residential, oneway=yes\n"
                        "a>b: axyxb\n"
                        "a>e: axycde\n");
}

Test(rules_junction, oneway_road_before_a_turn_that_is_forbidden_is_no_way_on)
{
    drawn_expect("car", "    b   f    \n"
                        "    |   |    \n"
                        "a---x-y-c-d-e\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc: oneway=yes\n"
                        "yc (c) cd: restriction=only_straight_on\n"
                        "yc (c) cd: restriction=no_entry\n"
                        "a>b: axyxb\n"
                        "f>e: fcde\n"
                        "a>e: none\n");
}

Test(rules_junction, oneway_road_that_leads_on_is_a_way_on)
{
    drawn_expect("car", "    b     f\n"
                        "    |     |\n"
                        "a---x-y-c-d\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "ycd: oneway=yes\n"
                        "a>b: none\n"
                        "a>f: axycdf\n");
}

Test(rules_junction, dead_end_without_a_turn_back_is_no_way_on)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc (c) yc: restriction=no_u_turn\n"
                        "yc: name=Blind Street\n"
                        "a>b: axyxb\n"
                        "a>c: axyc\n");
}

Test(rules_junction, no_u_turn_holds_at_a_dead_end)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x-y-c\n"
                        "      |  \n"
                        "      e  \n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "yc (c) yc: restriction=no_u_turn\n"
                        "a>b: axyeyxb\n");
}

Test(rules_junction, route_may_begin_either_way)
{
    drawn_expect("car", "a---x---c\n"
                        "    |    \n"
                        "    e    \n"
                        "x>a: xa\n"
                        "x>c: xc\n"
                        "x>e: xe\n");
}

Test(rules_junction, loop_road_is_driven_around_to_turn_back)
{
    drawn_expect("car", "    b          \n"
                        "    |          \n"
                        "a---x---y-c    \n"
                        "        | |    \n"
                        "        e-f    \n"
                        "ycfey: highway=residential, oneway=yes\n"
                        "ax (x) xb: restriction=no_left_turn\n"
                        "a>b: axycfeyxb\n");
}

/* ---- the time that turns take ---- */

Test(rules_junction, turn_takes_time_by_angle_and_side)
{
    drawn_expect("car; turn 45 0 0; turn 135 2 7; turn 180 20 20", "    b    \n"
                                                                   "    |    \n"
                                                                   "a---x---c\n"
                                                                   "    |    \n"
                                                                   "    d    \n"
                                                                   "a>c: axc, 240 s\n"
                                                                   "a>d: axd, 242 s\n"
                                                                   "a>b: axb, 247 s\n"
                                                                   "d>a: dxa, 247 s\n");
}

Test(rules_junction, traffic_that_keeps_left_crosses_to_the_right)
{
    drawn_expect("car; traffic left; turn 45 0 0; turn 180 2 7", "    b    \n"
                                                                 "    |    \n"
                                                                 "a---x---c\n"
                                                                 "    |    \n"
                                                                 "    d    \n"
                                                                 "a>c: axc, 240 s\n"
                                                                 "a>d: axd, 247 s\n"
                                                                 "a>b: axb, 242 s\n");
}

Test(rules_junction, boundary_of_the_map_says_which_side_traffic_keeps)
{
    drawn_expect("car; turn 45 0 0; turn 180 2 7", "    b    \n"
                                                   "    |    \n"
                                                   "a---x---c\n"
                                                   "    |    \n"
                                                   "    d    \n"
                                                   "map: driving_side=left\n"
                                                   "a>d: axd, 247 s\n"
                                                   "a>b: axb, 242 s\n");
}

Test(rules_junction, profile_decides_before_the_boundary)
{
    drawn_expect("car; traffic right; turn 45 0 0; turn 180 2 7", "    b    \n"
                                                                  "    |    \n"
                                                                  "a---x---c\n"
                                                                  "    |    \n"
                                                                  "    d    \n"
                                                                  "map: driving_side=left\n"
                                                                  "a>d: axd, 242 s\n"
                                                                  "a>b: axb, 247 s\n");
}

Test(rules_junction, countries_of_both_kinds_leave_it_to_the_profile)
{
    drawn_expect("car; turn 45 0 0; turn 180 2 7", "    b    \n"
                                                   "    |    \n"
                                                   "a---x---c\n"
                                                   "    |    \n"
                                                   "    d    \n"
                                                   "map: driving_side=left\n"
                                                   "map: driving_side=right\n"
                                                   "a>d: axd, 242 s\n");
}

Test(rules_junction, u_turn_takes_the_time_of_the_widest_angle)
{
    drawn_expect("car; turn 135 0 0; turn 180 20 20", "    b    \n"
                                                      "    |    \n"
                                                      "a---x-c  \n"
                                                      "    |    \n"
                                                      "    d    \n"
                                                      "ax (x) xb: restriction=no_left_turn\n"
                                                      "a>b: axcxb, 380 s\n");
}

Test(rules_junction, slight_turn_is_none)
{
    drawn_expect("car; turn 30 0 0; turn 180 5 5", "a       \n"
                                                   "|       \n"
                                                   "b---e   \n"
                                                   "|\\      \n"
                                                   "| \\     \n"
                                                   "d  c    \n"
                                                   "a>d: abd\n");
}

Test(rules_junction, departing_and_arriving_are_no_turns)
{
    drawn_expect("car; turn 180 5 5", "    b    \n"
                                      "    |    \n"
                                      "a---x---c\n"
                                      "x>b: xb, 120 s\n"
                                      "b>x: bx, 120 s\n");
}

Test(rules_junction, bend_of_a_road_is_no_turn)
{
    drawn_expect("car; turn 180 5 5", "a---b    \n"
                                      "    |    \n"
                                      "    c---d\n"
                                      "abc: highway=residential\n"
                                      "a>d: abcd, 360 s\n");
}

Test(rules_junction, turn_without_a_choice_takes_no_time)
{
    drawn_expect("car; turn 180 5 5", "    b    \n"
                                      "    |    \n"
                                      "a---x---c\n"
                                      "cx: oneway=yes\n"
                                      "a>b: axb, 240 s\n"
                                      "c>b: cxb, 245 s\n");
}

Test(rules_junction, turn_that_is_ordered_takes_no_time)
{
    drawn_expect("car; turn 180 5 5", "    b    \n"
                                      "    |    \n"
                                      "a---x---c\n"
                                      "ax (x) xb: restriction=only_left_turn\n"
                                      "a>b: axb, 240 s\n");
}

Test(rules_junction, private_road_is_no_choice)
{
    drawn_expect("car; turn 180 5 5", "    b    \n"
                                      "    |    \n"
                                      "a---x---c\n"
                                      "xc: access=private\n"
                                      "a>b: axb, 240 s\n");
}

Test(rules_junction, turn_that_takes_long_is_avoided)
{
    drawn_expect("car; turn 45 0 0; turn 180 0 300", "    b---g\n"
                                                     "    |   |\n"
                                                     "a---x---c\n"
                                                     "a>b: axcgb, 480 s\n"
                                                     "b>a: bxa, 240 s\n");
}

Test(rules_junction, turns_of_walkers_take_no_time)
{
    drawn_expect("foot", "    b    \n"
                         "    |    \n"
                         "a---x---c\n"
                         "a>b: axb, 1440 s\n");
}

Test(rules_junction, lesser_road_gives_way)
{
    drawn_expect("car; turn 30 0 0; turn 180 0 0; give_way 5", "    d    \n"
                                                               "    |    \n"
                                                               "a---b---c\n"
                                                               "    |    \n"
                                                               "    e    \n"
                                                               "abc: highway=secondary\n"
                                                               "dbe: highway=residential\n"
                                                               "a>c: 120 s\n"
                                                               "a>e: 180 s\n"
                                                               "d>e: 245 s\n"
                                                               "d>c: 185 s\n");
    drawn_expect("car; turn 180 0 0; give_way 5", "    d    \n"
                                                  "    |    \n"
                                                  "a---b---c\n"
                                                  "abc: highway=secondary\n"
                                                  "b: highway=traffic_signals\n"
                                                  "d>c: 185 s\n");
}

Test(rules_junction, who_merges_straight_on_does_not_give_way)
{
    drawn_expect("car; turn 30 0 0; turn 180 0 0; give_way 5", "a---b---c---d\n"
                                                               "    |        \n"
                                                               "    e        \n"
                                                               "ab: highway=residential\n"
                                                               "bcd: highway=secondary\n"
                                                               "be: highway=residential\n"
                                                               "a>d: 240 s\n"
                                                               "e>d: 245 s\n");
}
