/* test_rules_truck.c - roads that are too low, narrow or weak for a truck, or closed to it: drawn maps
 * (tests/support/drawn_map.h), one rule each. The truck: 4 m high, 2.55 m wide, 16.5 m long, 40 t. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_truck);

/* ---- dimensions ---- */

Test(rules_truck, low_bridge_is_gone_around)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "    |   |    \n"
                          "    e---f    \n"
                          "bc: maxheight=3.5\n"
                          "a>d: abefcd\n");
}

Test(rules_truck, cars_pass_under_it)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: maxheight=2.1, maxweight=3.5\n"
                        "a>d: abcd\n");
}

Test(rules_truck, bridge_of_ones_own_height_is_passed)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "bc: maxheight=4\n"
                          "cd: maxheight=4.0 m\n"
                          "a>d: abcd\n");
}

Test(rules_truck, height_in_feet_and_inches)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "ab: maxheight=13'6\"\n"
                          "bc: maxheight=13'1\"\n"
                          "a>b: ab\n"
                          "a>c: none\n");
}

Test(rules_truck, height_in_centimetres)
{
    drawn_expect("truck", "a---b---c\n"
                          "ab: maxheight=410 cm\n"
                          "bc: maxheight=390 cm\n"
                          "a>b: ab\n"
                          "a>c: none\n");
}

Test(rules_truck, height_that_is_no_number_is_passed_over)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "ab: maxheight=default\n"
                          "bc: maxheight=none\n"
                          "cd: maxheight=below_default\n"
                          "a>d: abcd\n");
}

Test(rules_truck, what_is_there_counts_beside_what_the_sign_says)
{
    drawn_expect("truck", "a---b---c\n"
                          "bc: maxheight=4.2, maxheight:physical=3.9\n"
                          "a>c: none\n");
}

Test(rules_truck, narrow_road_is_closed)
{
    drawn_expect("truck", "a---b---c\n"
                          "ab: maxwidth=2.6\n"
                          "bc: maxwidth=2.3\n"
                          "a>b: ab\n"
                          "a>c: none\n");
}

Test(rules_truck, length_counts)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "ab: maxlength=18\n"
                          "bc: maxlength=12\n"
                          "cd: maxlength:hgv_articulated=15.5\n"
                          "a>b: ab\n"
                          "b>c: none\n"
                          "c>d: none\n");
}

Test(rules_truck, weight_in_tonnes_kilograms_and_short_tons)
{
    drawn_expect("truck", "a---b---c---d---e---f\n"
                          "ab: maxweight=44\n"
                          "bc: maxweight=7.5 t\n"
                          "cd: maxweight=40000 kg\n"
                          "de: maxweight=12000 kg\n"
                          "ef: maxweight=20 st\n"
                          "a>b: ab\n"
                          "b>c: none\n"
                          "c>d: cd\n"
                          "d>e: none\n"
                          "e>f: none\n");
}

Test(rules_truck, rating_axles_and_the_weight_of_trucks_count)
{
    drawn_expect("truck", "a---b---c---d---e---f\n"
                          "ab: maxweightrating=3.5\n"
                          "bc: maxaxleload=8\n"
                          "cd: maxweight:hgv=18\n"
                          "de: maxweightrating:hgv=7.5\n"
                          "a>b: none\n"
                          "b>c: none\n"
                          "c>d: none\n"
                          "d>e: none\n");
}

Test(rules_truck, conditional_weight_is_ignored)
{
    drawn_expect("truck", "a---b\n"
                          "ab: maxweight:conditional=none @ (destination)\n"
                          "a>b: ab\n"
                          "told: ways with conditional tags, which count only for departures: 1\n");
}

Test(rules_truck, height_restrictor_stops_by_its_height)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "b: barrier=height_restrictor, maxheight=4.5\n"
                          "c: barrier=height_restrictor, maxheight=2.2\n"
                          "a>c: abc\n"
                          "a>d: none\n");
    drawn_expect("car", "a---b---c---d\n"
                        "c: barrier=height_restrictor, maxheight=2.2\n"
                        "a>d: abcd\n");
}

Test(rules_truck, low_place_on_a_road_needs_no_barrier)
{
    drawn_expect("truck", "a---b---c\n"
                          "b: maxheight=3.2\n"
                          "a>c: none\n");
}

Test(rules_truck, profile_may_have_limits_of_its_own)
{
    drawn_expect("truck; [limit t]; maxbogieweight 18", "a---b---c---d\n"
                                                        "    |   |    \n"
                                                        "    e---f    \n"
                                                        "bc: maxbogieweight=16\n"
                                                        "be: maxbogieweight=20\n"
                                                        "a>d: abefcd\n");
}

/* ---- access ---- */

Test(rules_truck, hgv_no_closes_to_trucks_alone)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "    |   |    \n"
                          "    e---f    \n"
                          "bc: hgv=no\n"
                          "a>d: abefcd\n");
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    e---f    \n"
                        "bc: hgv=no\n"
                        "a>d: abcd\n");
}

Test(rules_truck, motorcar_no_leaves_a_road_to_trucks)
{
    drawn_expect("truck", "a---b---c\n"
                          "bc: motorcar=no\n"
                          "a>c: abc\n");
}

Test(rules_truck, hgv_yes_opens_what_motor_vehicle_closes)
{
    drawn_expect("truck", "a---b---c\n"
                          "bc: motor_vehicle=no, hgv=designated\n"
                          "a>c: abc\n");
}

Test(rules_truck, trucks_deliver_at_the_end_of_a_route)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "    |   |    \n"
                          "    e---f    \n"
                          "bc: hgv=delivery\n"
                          "a>d: abefcd\n"
                          "a>c: abc\n");
}

Test(rules_truck, hgv_destination_is_no_way_through)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "    |   |    \n"
                          "    e---f    \n"
                          "bc: hgv=destination\n"
                          "a>d: abefcd\n"
                          "b>d: bcd\n");
}

Test(rules_truck, unsuitable_road_is_closed)
{
    drawn_expect("truck", "a---b---c\n"
                          "bc: hgv=unsuitable\n"
                          "a>c: none\n");
}

Test(rules_truck, oneway_of_trucks_binds_them_alone)
{
    drawn_expect("truck", "a---b\n"
                          "ab: oneway:hgv=yes\n"
                          "a>b: ab\n"
                          "b>a: none\n");
    drawn_expect("car", "a---b\n"
                        "ab: oneway:hgv=yes\n"
                        "b>a: ba\n");
}

Test(rules_truck, direction_may_be_closed_to_trucks)
{
    drawn_expect("truck", "a---b\n"
                          "ab: hgv:backward=no\n"
                          "a>b: ab\n"
                          "b>a: none\n");
}

Test(rules_truck, lanes_closed_to_trucks_leave_the_others)
{
    drawn_expect("truck", "a---b---c\n"
                          "ab: hgv:lanes=yes|no\n"
                          "bc: hgv:lanes=no|no\n"
                          "a>b: ab\n"
                          "b>c: none\n");
}

Test(rules_truck, gates_take_trucks_longer)
{
    drawn_expect("truck", "a---b\n"
                          "ab: highway=primary\n"
                          "b: barrier=gate\n"
                          "a>b: 100 s\n");
}

/* ---- dangerous goods ---- */

Test(rules_truck, road_without_dangerous_goods_is_open_to_others)
{
    drawn_expect("truck", "a---b---c---d\n"
                          "    |   |    \n"
                          "    e---f    \n"
                          "bc: hazmat=no\n"
                          "a>d: abcd\n");
}

Test(rules_truck, dangerous_goods_keep_out_of_it)
{
    drawn_expect("truck; [closed hazmat]; no", "a---b---c---d\n"
                                               "    |   |    \n"
                                               "    e---f    \n"
                                               "bc: hazmat=no\n"
                                               "a>d: abefcd\n");
}

Test(rules_truck, goods_that_harm_water_keep_to_other_roads)
{
    drawn_expect("truck; [closed hazmat:water]; no", "a---b---c---d\n"
                                                     "    |   |    \n"
                                                     "    e---f    \n"
                                                     "bc: hazmat:water=no\n"
                                                     "be: hazmat=no\n"
                                                     "a>d: abefcd\n");
}
