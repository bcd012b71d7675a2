/* test_rules_barrier.c - which nodes let which travellers pass: drawn maps (tests/support/drawn_map.h), one
 * rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(rules_barrier);

Test(rules_barrier, bollard_stops_cars_alone)
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

Test(rules_barrier, bollard_within_a_way_stops_cars)
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

Test(rules_barrier, barrier_is_come_up_to_and_left_on_either_side)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=block\n"
                        "a>b: ab\n"
                        "c>b: cb\n"
                        "b>a: ba\n"
                        "b>c: bc\n");
}

Test(rules_barrier, barrier_at_a_junction_blocks_all_its_roads)
{
    drawn_expect("car", "    d    \n"
                        "    |    \n"
                        "a---b---c\n"
                        "b: barrier=bollard\n"
                        "a>c: none\n"
                        "a>d: none\n"
                        "a>b: ab\n");
}

Test(rules_barrier, barrier_with_access_tags_is_as_they_say)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=bollard, motor_vehicle=yes\n"
                        "d: barrier=gate, motor_vehicle=no\n"
                        "a>d: abcd\n"
                        "a>e: none\n");
}

Test(rules_barrier, barrier_that_nobody_knows_blocks)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=dragon\n"
                        "a>c: none\n");
}

Test(rules_barrier, gate_is_opened_in_its_time)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=gate\n"
                        "a>c: abc, 260 s\n"
                        "c>a: cba, 260 s\n");
}

Test(rules_barrier, lift_gate_toll_booth_and_border_take_their_time)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=lift_gate\n"
                        "c: barrier=toll_booth\n"
                        "d: barrier=border_control\n"
                        "a>e: abcde, 565 s\n");
}

Test(rules_barrier, cattle_grids_kerbs_and_entrances_take_none)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=cattle_grid\n"
                        "c: barrier=kerb\n"
                        "d: barrier=entrance\n"
                        "a>e: abcde, 480 s\n");
}

Test(rules_barrier, private_gate_is_no_way_through)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "e-------f\n"
                        "b: barrier=gate, access=private\n"
                        "a>c: aefc\n");
}

Test(rules_barrier, private_gate_leads_to_a_private_road)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=gate, access=private\n"
                        "bc: access=private\n"
                        "a>c: abc, 260 s\n"
                        "c>a: cba\n");
}

Test(rules_barrier, access_tag_of_a_bare_node_says_who_passes)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "b: motor_vehicle=yes, access=no\n"
                        "c: bicycle=no, foot=no\n"
                        "d: access=some_tag\n"
                        "e: motor_vehicle=no\n"
                        "a>e: abcde\n"
                        "a>f: none\n");
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "d-------e\n"
                        "b: access=private\n"
                        "a>c: adec\n");
}

Test(rules_barrier, access_tag_of_a_crossing_or_a_platform_is_for_those_who_use_it)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: highway=crossing, access=no\n"
                        "c: public_transport=stop_position, motor_vehicle=no\n"
                        "d: railway=crossing, vehicle=no\n"
                        "a>e: abcde\n");
}

Test(rules_barrier, locked_gate_is_for_those_who_have_the_key)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e-----------f\n"
                        "b: barrier=gate, locked=yes\n"
                        "a>c: aefdc\n"
                        "a>d: aefd\n");
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=lift_gate, locked=yes\n"
                        "a>c: abc\n");
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "e-------f\n"
                        "b: barrier=gate, locked=yes, motor_vehicle=yes\n"
                        "a>c: abc\n");
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "e-------f\n"
                        "b: barrier=gate, locked=no\n"
                        "a>c: abc\n");
}

Test(rules_barrier, rising_bollard_lets_cars_pass)
{
    drawn_expect("car", "a---b---c---d\n"
                        "b: barrier=bollard, bollard=rising\n"
                        "c: barrier=bollard, bollard=removable\n"
                        "a>c: abc\n"
                        "a>d: none\n");
    drawn_expect("bike", "a---b---c---d---e\n"
                         "b: barrier=bollard, bollard=rising\n"
                         "c: barrier=bollard, locked=yes\n"
                         "d: barrier=kerb, kerb=raised\n"
                         "a>e: abcde\n");
}

Test(rules_barrier, kissing_gate_is_for_walkers)
{
    drawn_expect("foot", "a---b---c\n"
                         "b: barrier=kissing_gate\n"
                         "a>c: abc, 1445 s\n");
    drawn_expect("bike", "a---b---c\n"
                         "b: barrier=kissing_gate\n"
                         "a>c: none\n");
}

Test(rules_barrier, bike_is_pushed_past_a_barrier_that_walkers_may_pass)
{
    drawn_expect("bike", "a---b---c---d---e---f\n"
                         "b: barrier=gate, bicycle=no, foot=yes\n"
                         "c: barrier=bollard, bicycle=dismount\n"
                         "d: vehicle=no\n"
                         "e: barrier=gate, access=no\n"
                         "a>e: abcde\n"
                         "a>f: none\n");
    drawn_expect("bike", "a---b---c\n"
                         "b: barrier=kissing_gate, bicycle=no\n"
                         "a>c: none\n");
}

Test(rules_barrier, barrier_of_an_unknown_kind_stops_motors)
{
    static const char map[] = "a---b---c\n"
                              "b: barrier=yes\n";
    char text[128];
    static const char *const traveller[] = {"car", "truck", "bike", "foot"};
    for (size_t i = 0; i < 4; ++i) {
        snprintf(text, sizeof text, "%sa>c: %s\na>b: ab\n", map, i < 2 ? "none" : "abc");
        drawn_expect(traveller[i], text);
    }
}

Test(rules_barrier, cycle_barrier_slows_bikes)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=cycleway\n"
                         "b: barrier=cycle_barrier\n"
                         "a>b: ab, 205 s\n");
}

/* Bus traps stop cars, not those who ride or walk through; what stops motorcycles slows bikes. */
Test(rules_barrier, traps_for_motors_let_bikes_and_walkers_pass)
{
    static const char map[] = "a---b---c---d---e\n"
                              "b: barrier=bus_trap\n"
                              "c: barrier=sump_buster\n"
                              "d: barrier=motorcycle_barrier\n";
    char text[160];
    snprintf(text, sizeof text, "%sa>b: ab\nb>e: none\na>c: none\n", map);
    drawn_expect("car", text);
    snprintf(text, sizeof text, "%sa>e: abcde\n", map);
    drawn_expect("foot", text);
    drawn_expect("bike", text);
}

Test(rules_barrier, stile_is_climbed_on_foot)
{
    drawn_expect("foot", "a---b---c\n"
                         "b: barrier=stile\n"
                         "a>c: abc, 1450 s\n");
}
