/* test_rules_destination.c - roads that only their residents and visitors may use, and the roads beyond them:
 * drawn maps (tests/support/drawn_map.h), one rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(rules_destination);

/* ---- pockets: roads without a tag behind such roads ---- */

Test(rules_destination, driveway_off_a_private_road_is_reached_and_left)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "cd: access=private\n"
                        "a>e: abcde\n"
                        "e>a: edcba\n"
                        "d>e: de\n"
                        "e>b: edcb\n");
}

Test(rules_destination, road_between_private_ones_belongs_to_them)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "ab: access=private\n"
                        "cd: access=private\n"
                        "ef: access=private\n"
                        "a>d: abcd\n"
                        "c>f: cdef\n"
                        "a>f: abcdef\n"
                        "f>a: fedcba\n");
}

Test(rules_destination, driveways_on_both_sides_are_joined)
{
    drawn_expect("car", "g---h---a---b---c---d---e\n"
                        "ha: motor_vehicle=destination\n"
                        "cd: vehicle=customers\n"
                        "g>e: ghabcde\n"
                        "e>g: edcbahg\n");
}

Test(rules_destination, pocket_is_no_shortcut)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "    |           |    \n"
                        "    g           h    \n"
                        "    |           |    \n"
                        "    i-----------j    \n"
                        "bc: access=private\n"
                        "de: access=private\n"
                        "a>f: abgijhef\n"
                        "a>d: abcd\n"
                        "f>c: fedc\n"
                        "c>f: cdef\n"
                        "d>c: dc\n");
}

Test(rules_destination, park_is_entered_by_a_public_road_and_left_by_a_private_one)
{
    drawn_expect("car", "a---b---c\n"
                        "    |   |\n"
                        "    e---f\n"
                        "be: oneway=yes\n"
                        "ef: oneway=yes\n"
                        "fc: oneway=yes, access=private\n"
                        "a>f: abef\n"
                        "e>a: efcba\n"
                        "f>a: fcba\n"
                        "a>c: abc\n");
}

Test(rules_destination, one_way_streets_stay_public)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "ab: oneway=yes\n"
                        "cd: oneway=yes\n"
                        "befc: oneway=yes\n"
                        "bc: access=private, oneway=yes\n"
                        "a>d: abefcd\n");
}

Test(rules_destination, one_way_streets_around_a_core_stay_public)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "ab: oneway=yes\n"
                        "cd: oneway=yes\n"
                        "bc: access=private\n"
                        "a>d: abefcd\n"
                        "a>c: abc\n");
}

Test(rules_destination, every_part_of_the_map_has_its_own_core)
{
    drawn_expect("car", "a---b---c       d---e---f---g\n"
                        "|       |           |   |    \n"
                        "h-------i           j---k    \n"
                        "bc: access=private\n"
                        "ef: access=private\n"
                        "a>c: abc\n"
                        "a>i: ahi\n"
                        "d>g: dejkfg\n"
                        "d>f: def\n");
}

/* Not the most roads: a way that is drawn in many pieces is no longer for that. */
Test(rules_destination, longest_roads_are_the_core)
{
    drawn_expect("car", "x---a---c-d-e---b---y\n"
                        "    |   | | |   |    \n"
                        "    |   f-g-h   |    \n"
                        "    |           |    \n"
                        "    i-----------j    \n"
                        "ac: access=private\n"
                        "eb: access=private\n"
                        "x>y: xaijby\n"
                        "c>y: cdeby\n"
                        "x>e: xacde\n");
}

Test(rules_destination, ferry_makes_no_core)
{
    drawn_expect("foot", "          k-----------------------l\n"
                         "          |\n"
                         "x---a---c-d-e---b---y\n"
                         "    |   | | |   |    \n"
                         "    |   f-g-h   |    \n"
                         "    |           |    \n"
                         "    i-----------j    \n"
                         "dkl: route=ferry\n"
                         "ac: access=private\n"
                         "eb: access=private\n"
                         "x>y: xaijby\n");
}

Test(rules_destination, bollard_does_not_join_parts)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "|   |       |   |    \n"
                        "g---h       i---j    \n"
                        "c: barrier=bollard\n"
                        "de: access=private\n"
                        "c>f: cdijef\n"
                        "c>e: cde\n"
                        "b>d: none\n");
}

Test(rules_destination, public_road_from_beyond_the_map_passes_a_private_one)
{
    drawn_expect("car", "z---y---c---d\n"
                        "    |   |   |\n"
                        "    p---q---r\n"
                        "zyc: oneway=yes\n"
                        "qpy: access=private\n"
                        "z>d: zycd\n"
                        "z>r: zycdr, 480 s\n"
                        "d>y: dcqpy\n"
                        "d>z: none\n");
}

Test(rules_destination, pocket_that_leads_to_a_road_of_no_return_is_left)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "|   |                \n"
                        "g---h                \n"
                        "bc: oneway=yes\n"
                        "ed: oneway=yes, access=private\n"
                        "f>c: fedc\n"
                        "e>d: ed\n"
                        "a>d: abcd\n"
                        "f>a: none\n"
                        "a>f: none\n");
}

Test(rules_destination, pocket_that_is_entered_from_a_road_without_entrance)
{
    drawn_expect("car", "a---b---c---d---e---f\n"
                        "|   |                \n"
                        "g---h                \n"
                        "cb: oneway=yes\n"
                        "de: oneway=yes, motor_vehicle=destination\n"
                        "c>f: cdef\n"
                        "d>a: dcba\n"
                        "f>a: none\n");
}

Test(rules_destination, one_way_pocket_before_a_gate_is_no_shortcut)
{
    drawn_expect("car", "a---b---q---p---c---d\n"
                        "    |           |    \n"
                        "    e-----------f    \n"
                        "bqp: oneway=yes\n"
                        "p: barrier=gate, access=private\n"
                        "a>d: abefcd\n"
                        "a>p: abqp\n"
                        "q>d: qpcd\n"
                        "p>a: pcfeba\n"
                        "d>q: dcfebq\n");
}

Test(rules_destination, private_road_is_no_shortcut_into_a_part_that_public_roads_lead_to)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|   |   |   |\n"
                        "e---f   g---h\n"
                        "    |   |    \n"
                        "    i---j    \n"
                        "bc: access=private\n"
                        "fijg: oneway=yes\n"
                        "a>h: abfijgh\n"
                        "d>a: dcba\n"
                        "b>c: bc\n");
}

/* ---- gates ---- */

Test(rules_destination, houses_behind_a_gate_for_some_are_reached)
{
    static const char *const access[] = {"private",  "destination", "customers",
                                         "delivery", "residents",   "permit"};
    static const char *const barrier[] = {"gate", "lift_gate", "swing_gate", "sliding_gate"};
    for (size_t i = 0; i < sizeof access / sizeof *access; ++i)
        for (size_t k = 0; k < sizeof barrier / sizeof *barrier; ++k) {
            char map[512];
            snprintf(map, sizeof map,
                     "a---b---c---d\n"
                     "        |    \n"
                     "        e    \n"
                     "b: barrier=%s, access=%s\n"
                     "a>d: abcd\n"
                     "e>a: ecba\n"
                     "e>d: ecd\n",
                     barrier[k], access[i]);
            drawn_expect("car", map);
        }
}

Test(rules_destination, gate_for_some_is_no_shortcut)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e-----------f\n"
                        "b: barrier=gate, access=customers\n"
                        "a>c: aefdc\n"
                        "c>a: cdfea\n"
                        "a>b: ab\n"
                        "c>b: cb\n");
}

Test(rules_destination, estate_with_two_gates_is_no_shortcut)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "|               |\n"
                        "f---------------g\n"
                        "b: barrier=lift_gate, access=private\n"
                        "d: barrier=lift_gate, access=private\n"
                        "a>e: afge\n"
                        "a>c: abc\n"
                        "c>e: cde\n");
}

Test(rules_destination, gates_in_a_row_are_all_opened)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "b: barrier=gate, access=private\n"
                        "c: barrier=lift_gate, motor_vehicle=customers\n"
                        "d: barrier=gate, access=delivery\n"
                        "a>e: abcde\n"
                        "e>a: edcba\n");
}

Test(rules_destination, pocket_is_one_for_bikes_and_walkers_too)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "c: barrier=gate, access=private\n"
                         "a>d: abcd\n"
                         "d>a: dcba\n");
    drawn_expect("foot", "a---b---c---d---e\n"
                         "bc: access=private\n"
                         "d: barrier=gate, foot=customers\n"
                         "a>e: abcde\n"
                         "e>a: edcba\n");
}

Test(rules_destination, profile_can_open_every_gate)
{
    drawn_expect("car; [barrier]; boom open 7 always; bar open always", "a---b---c---d\n"
                                                                        "|           |\n"
                                                                        "e-----------f\n"
                                                                        "b: barrier=boom, access=private\n"
                                                                        "c: barrier=bar, access=no\n"
                                                                        "a>d: abcd, 367 s\n");
}

Test(rules_destination, arcs_of_pockets_are_told)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: access=private\n"
                        "a>d: abcd\n"
                        "told: arcs reached or left only over such ways or their gates: 2\n");
}
