/* test_rules_times.c - what conditional tags mean at departures: drawn maps (tests/support/drawn_map.h), one rule each.
 * A kilometre at 60 km/h takes 60 s. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_times);

Test(rules_times, speed_holds_in_its_slots)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=60, maxspeed:conditional=30 @ (22:00-06:00)\n"
                        "a>b: 60 s\n"
                        "a>b Mo2145: 60 s\n"
                        "a>b Mo2200: 120 s\n"
                        "a>b Tu0559: 120 s\n"
                        "a>b Tu0600: 60 s\n"
                        "told: conditions kept for departures: 1\n");
}

Test(rules_times, speed_may_be_higher_at_times)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=30, maxspeed:conditional=60 @ (Sa-Su)\n"
                        "a>b Fr1200: 120 s\n"
                        "b>a Su1200: 60 s\n");
}

Test(rules_times, speed_holds_in_its_direction)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=60, maxspeed:backward:conditional=30 @ (Mo-Fr)\n"
                        "a>b Mo0000: 60 s\n"
                        "b>a Mo0000: 120 s\n"
                        "b>a Sa0000: 60 s\n");
}

Test(rules_times, closed_road_is_closed_in_its_slots)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "bc: motor_vehicle:conditional=no @ (Mo-Fr 07:00-09:00)\n"
                        "a>c: abc\n"
                        "a>c Mo0815: adec\n"
                        "c>a Fr0845: ceda\n"
                        "a>c Mo0900: abc\n"
                        "a>c Sa0815: abc\n");
}

Test(rules_times, closed_road_has_no_way_around)
{
    drawn_expect("car", "a---b---c\n"
                        "bc: access:conditional=no @ (Su)\n"
                        "a>c Sa2345: abc\n"
                        "a>c Su0000: none\n");
}

Test(rules_times, road_is_one_way_at_times)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "bc: oneway:conditional=yes @ (06:00-10:00)\n"
                        "a>c We0700: abc\n"
                        "c>a We0700: ceda\n"
                        "c>a We1000: cba\n");
}

Test(rules_times, one_way_road_turns_round)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "bc: oneway:conditional=-1 @ (06:00-10:00)\n"
                        "a>c We0700: adec\n"
                        "c>a We0700: cba\n");
}

Test(rules_times, rules_of_other_modes_do_not_count)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: hgv:conditional=no @ (Mo-Su)\n"
                        "bc: maxspeed=60, maxspeed:hgv:conditional=30 @ (Mo-Su)\n"
                        "a>b We0700: ab\n"
                        "b>c We0700: 60 s\n");
    drawn_expect("truck", "a---b---c\n"
                          "ab: hgv:conditional=no @ (Mo-Su)\n"
                          "bc: maxspeed=60, maxspeed:hgv:conditional=30 @ (Mo-Su)\n"
                          "a>b: ab\n"
                          "a>b We0700: none\n"
                          "b>c We0700: 120 s\n");
}

Test(rules_times, most_specific_mode_decides)
{
    drawn_expect("car", "a---b\n"
                        "ab: access:conditional=no @ (Mo-Su), motorcar=yes\n"
                        "a>b We0700: ab\n");
}

Test(rules_times, last_clause_decides)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=60, maxspeed:conditional=30 @ (Mo-Su); 20 @ (Mo-Fr 07:00-08:00)\n"
                        "a>b Sa0700: 120 s\n"
                        "a>b Mo0700: 180 s\n"
                        "a>b Mo0800: 120 s\n"
                        "told: conditions kept for departures: 2\n");
}

Test(rules_times, rules_in_brackets_are_one_condition)
{
    drawn_expect("car", "a---b\n"
                        "ab: motor_vehicle:conditional=no @ (Mo-Fr 07:00-09:00; Sa 10:00-11:00)\n"
                        "a>b Mo0700: none\n"
                        "a>b Sa0700: ab\n"
                        "a>b Sa1030: none\n");
}

Test(rules_times, brackets_may_be_missing)
{
    drawn_expect("car", "a---b\n"
                        "ab: motor_vehicle:conditional=no @ Mo-Fr 07:00-09:00; Sa 10:00-11:00\n"
                        "a>b Mo0700: none\n"
                        "a>b Sa1030: none\n");
}

Test(rules_times, two_times_hold_together)
{
    drawn_expect("car", "a---b\n"
                        "ab: motor_vehicle:conditional=no @ (Mo-Fr AND 07:00-09:00)\n"
                        "a>b Mo0700: none\n"
                        "a>b Sa0700: ab\n"
                        "a>b Mo0900: ab\n");
}

Test(rules_times, what_is_no_time_is_told_and_ignored)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: maxspeed=60, maxspeed:conditional=30 @ wet; 20 @ (Mo)\n"
                        "bc: access:conditional=no @ (Nov-Mar)\n"
                        "cd: access:conditional=no @ (PH; Su)\n"
                        "a>b Tu0800: 60 s\n"
                        "a>b Mo0800: 180 s\n"
                        "b>c Tu0800: bc\n"
                        "c>d Su0800: none\n"
                        "told: conditions kept for departures: 2\n"
                        "told: conditions of other things than times of the week, ignored: 2\n"
                        "told: of these, about months, dates or weeks of the year: 1\n"
                        "told: conditions that name holidays, which are ignored: 1\n"
                        "told: of these, public holidays (PH): 1\n");
}

Test(rules_times, what_is_closed_opens_at_times)
{
    drawn_expect("car", "a---b---c\n"
                        "|   |   |\n"
                        "d---e---f\n"
                        "ab: motor_vehicle=no, motor_vehicle:conditional=yes @ (Mo)\n"
                        "bc: oneway=yes, oneway:conditional=no @ (Mo)\n"
                        "ef: motor_vehicle:conditional=destination @ (Mo)\n"
                        "c>b: cfeb\n"
                        "c>b Mo0800: cb\n"
                        "c>b Tu0800: cfeb\n"
                        "a>b: adeb\n"
                        "a>b Mo0800: ab\n"
                        "b>a Mo0800: ba\n"
                        "b>a Tu0800: beda\n"
                        "a>e Mo0800: ade\n"
                        "told: ways open only at times: 2\n"
                        "told: ways that only residents would use at times, open to all: 1\n");
}

Test(rules_times, road_that_opens_has_its_speed_then)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: access=no, access:conditional=yes @ (Mo-Fr 06:00-20:00), maxspeed=60, "
                        "maxspeed:conditional=30 @ (06:00-08:00)\n"
                        "ab: maxspeed=60\n"
                        "cd: maxspeed=60\n"
                        "a>d: none\n"
                        "a>d Su0700: none\n"
                        "a>d Mo0700: 240 s\n"
                        "a>d Mo0900: 180 s\n"
                        "d>a Mo0900: dcba\n");
}

Test(rules_times, one_turns_back_before_a_shut_road)
{
    drawn_expect("car", "d---a---b---c---e\n"
                        "    |            \n"
                        "    f            \n"
                        "bc: motor_vehicle=no, motor_vehicle:conditional=yes @ (Mo)\n"
                        "da (a) af: restriction=no_right_turn\n"
                        "d>f: dabaf\n"
                        "d>f Mo1200: dabaf\n"
                        "d>e Mo1200: dabce\n");
}

Test(rules_times, turn_is_banned_in_its_slots)
{
    drawn_expect(
        "car", "    b    \n"
               "    |    \n"
               "a---x---c\n"
               "ax (x) xb: restriction:conditional=no_left_turn @ (Mo-Fr 07:00-09:00); no_left_turn @ (Sa)\n"
               "a>b: axb\n"
               "a>b Mo0700: axcxb\n"
               "a>b Sa1200: axcxb\n"
               "a>b Mo0900: axb\n"
               "c>b Mo0700: cxb\n"
               "told: turn restrictions that hold only at times, applied to departures then: 1\n");
}

Test(rules_times, turn_is_the_only_one_in_its_slots)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "    |    \n"
                        "    d    \n"
                        "ax (x) xc: restriction:motorcar:conditional=only_straight_on @ (Mo)\n"
                        "a>b: axb\n"
                        "a>d: axd\n"
                        "a>b Mo0700: axcxb\n"
                        "a>d Mo0700: axcxd\n"
                        "a>b Tu0700: axb\n");
}

Test(rules_times, turn_over_ways_is_banned_in_its_slots)
{
    drawn_expect("car", "a---b---c\n"
                        "    |    \n"
                        "d---e---f\n"
                        "ab (be) ed: restriction:conditional=no_u_turn @ (Mo)\n"
                        "a>d: abed\n"
                        "a>d Mo0700: abefed\n"
                        "a>f Mo0700: abef\n"
                        "c>d Mo0700: cbed\n");
}

Test(rules_times, bans_of_one_turn_hold_at_either_time)
{
    drawn_expect("car", "    b    \n"
                        "    |    \n"
                        "a---x---c\n"
                        "ax (x) xb: restriction:conditional=no_left_turn @ (Mo)\n"
                        "ax (x) xb: restriction=no_left_turn @ (Tu)\n"
                        "ax (x) xb: restriction:conditional=no_left_turn @ (We)\n"
                        "a>b Mo0700: axcxb\n"
                        "a>b Tu0700: axcxb\n"
                        "a>b We0700: axcxb\n"
                        "a>b Th0700: axb\n");
}

Test(rules_times, gate_is_shut_in_its_slots)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "b: barrier=gate, access:conditional=no @ (22:00-06:00)\n"
                        "a>c: abc\n"
                        "a>c Mo2300: adec\n"
                        "a>b Mo2300: ab\n"
                        "a>c Mo0600: abc\n");
}

Test(rules_times, gate_opens_in_its_slots)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "b: barrier=gate, access=no, access:conditional=yes @ (Mo-Fr)\n"
                        "a>c: adec\n"
                        "c>a Mo2300: cba\n"
                        "a>c Sa0600: adec\n");
}

Test(rules_times, gate_has_opening_hours)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "b: barrier=lift_gate, opening_hours=Mo-Fr 06:00-20:00\n"
                        "a>c: abc\n"
                        "a>c Mo0600: abc\n"
                        "a>c Mo2000: adec\n"
                        "a>c Su1200: adec\n");
}

Test(rules_times, roads_between_junctions_change_alike)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |\n"
                        "    e   f\n"
                        "abcd: maxspeed=60, maxspeed:conditional=30 @ (Mo)\n"
                        "a>d Mo0800: 360 s\n"
                        "a>d Tu0800: 180 s\n");
}

Test(rules_times, roads_drawn_twice_change_once)
{
    drawn_expect("car", "a---b---c\n"
                        "abc: maxspeed=60\n"
                        "bc: maxspeed=60, maxspeed:conditional=30 @ (Mo)\n"
                        "ab: maxspeed=60\n"
                        "a>b Mo0800: 60 s\n");
}

/* ---- the vehicle ---- */

Test(rules_times, sign_at_a_point_holds_for_the_road)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e-----------f\n"
                        "abcd: highway=residential\n"
                        "c: barrier=height_restrictor, maxheight=3.5\n"
                        "a>d: abcd\n"
                        "a>d 3.5 m: abcd\n"
                        "a>d 3.6 m: aefd\n"
                        "d>a 3.6 m: dfea\n");
}

Test(rules_times, sign_where_ways_join_holds_for_both)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e-----------f\n"
                        "abc: highway=residential\n"
                        "cd: highway=service\n"
                        "c: maxheight=3.5\n"
                        "a>d 3.5 m: abcd\n"
                        "a>d 3.6 m: aefd\n");
}

Test(rules_times, sign_at_a_junction_holds_for_nothing)
{
    drawn_expect("car", "a---b---c\n"
                        "    |\n"
                        "    d\n"
                        "b: maxheight=2\n"
                        "a>c 3.6 m: abc\n");
}

Test(rules_times, profile_may_ignore_times)
{
    drawn_expect("car; times ignored", "a---b---c\n"
                                       "|       |\n"
                                       "d-------e\n"
                                       "ab: motor_vehicle=no, motor_vehicle:conditional=yes @ (Mo)\n"
                                       "b: barrier=gate, opening_hours=Mo\n"
                                       "bc: motor_vehicle:conditional=no @ (Mo)\n"
                                       "ad (d) de: restriction:conditional=no_left_turn @ (Mo)\n"
                                       "a>c Mo1200: adec\n"
                                       "told: turn restrictions skipped: they hold at times only: 1\n");
}
