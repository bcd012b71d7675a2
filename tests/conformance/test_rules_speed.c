/* test_rules_speed.c - how fast one travels, and where one waits: drawn maps (tests/support/drawn_map.h), one
 * rule each. A kilometre at 60 km/h takes 60 s. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_speed);

/* ---- classes ---- */

Test(rules_speed, class_has_its_speed)
{
    drawn_expect("car", "a---b---c---d---e---f---g\n"
                        "ab: highway=motorway\n"
                        "bc: highway=trunk\n"
                        "cd: highway=secondary\n"
                        "de: highway=unclassified\n"
                        "ef: highway=residential\n"
                        "fg: highway=living_street\n"
                        "a>b: 32.727 s\n"
                        "b>c: 40 s\n"
                        "c>d: 60 s\n"
                        "d>e: 90 s\n"
                        "e>f: 120 s\n"
                        "f>g: 360 s\n");
}

Test(rules_speed, faster_road_is_worth_a_detour)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e-----------f\n"
                        "ef: highway=trunk\n"
                        "ae: highway=trunk\n"
                        "df: highway=trunk\n"
                        "a>d: aefd, 200 s\n");
}

Test(rules_speed, modes_have_speeds_of_their_own)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=cycleway\n"
                         "a>b: 200 s\n");
    drawn_expect("foot", "a---b\n"
                         "ab: highway=primary\n"
                         "a>b: 720 s\n");
    drawn_expect("truck", "a---b\n"
                          "ab: highway=primary\n"
                          "a>b: 60 s\n");
}

/* ---- maxspeed ---- */

Test(rules_speed, maxspeed_is_driven)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: maxspeed=60\n"
                        "bc: maxspeed=90 km/h\n"
                        "cd: highway=motorway, maxspeed=80\n"
                        "a>b: 60 s\n"
                        "b>c: 40 s\n"
                        "c>d: 45 s\n");
}

Test(rules_speed, miles_per_hour)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=50 mph\n"
                        "a>b: 44.739 s\n");
}

Test(rules_speed, knots)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=10 knots\n"
                        "a>b: 194.384 s\n");
}

Test(rules_speed, walking_speed)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=walk\n"
                        "a>b: 514.286 s\n");
}

Test(rules_speed, no_limit)
{
    drawn_expect("car", "a---b\n"
                        "ab: highway=motorway, maxspeed=none\n"
                        "a>b: 30 s\n");
}

Test(rules_speed, law_of_the_country)
{
    drawn_expect("car", "a---b---c---d---e---f---g---h\n"
                        "ab: maxspeed=DE:urban\n"
                        "bc: maxspeed=DE:rural\n"
                        "cd: maxspeed=IT:rural\n"
                        "de: maxspeed=GB:nsl_single\n"
                        "ef: maxspeed=RU:urban\n"
                        "fg: maxspeed=DE:zone:30\n"
                        "gh: maxspeed=AT:zone20\n"
                        "a>b: 72 s\n"
                        "b>c: 36 s\n"
                        "c>d: 40 s\n"
                        "d>e: 37.283 s\n"
                        "e>f: 60 s\n"
                        "f>g: 120 s\n"
                        "g>h: 180 s\n");
}

Test(rules_speed, kind_of_limit_counts_where_there_is_no_number)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: source:maxspeed=DE:rural\n"
                        "bc: maxspeed:type=DE:urban\n"
                        "cd: zone:maxspeed=DE:30, highway=primary\n"
                        "a>b: 36 s\n"
                        "b>c: 72 s\n"
                        "c>d: 120 s\n");
}

Test(rules_speed, number_comes_before_the_kind_of_limit)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=40, source:maxspeed=DE:rural\n"
                        "a>b: 90 s\n");
}

Test(rules_speed, sign_is_no_kind_of_limit_and_not_odd)
{
    drawn_expect("car", "a---b\n"
                        "ab: source:maxspeed=sign\n"
                        "a>b: 120 s\n"
                        "told: ways used: 1\n");
}

Test(rules_speed, limit_that_means_nothing_is_passed_over_and_told)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=fast\n"
                        "a>b: 120 s\n"
                        "told: ways whose maxspeed means nothing: 1\n");
}

Test(rules_speed, limit_of_nothing_is_a_mistake)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: maxspeed=0\n"
                        "bc: maxspeed=-30\n"
                        "a>c: 240 s\n"
                        "told: ways whose maxspeed means nothing: 2\n");
}

Test(rules_speed, limits_by_direction)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=90, maxspeed:forward=60, maxspeed:backward=30\n"
                        "a>b: 60 s\n"
                        "b>a: 120 s\n");
}

Test(rules_speed, limit_of_one_direction_leaves_the_other)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=90, maxspeed:backward=45\n"
                        "a>b: 40 s\n"
                        "b>a: 80 s\n");
}

Test(rules_speed, limit_of_the_mode_comes_first)
{
    drawn_expect("truck", "a---b\n"
                          "ab: highway=primary, maxspeed=80, maxspeed:hgv=40\n"
                          "a>b: 90 s\n");
    drawn_expect("car", "a---b\n"
                        "ab: highway=primary, maxspeed=80, maxspeed:hgv=40\n"
                        "a>b: 45 s\n");
}

Test(rules_speed, limit_of_mode_and_direction)
{
    drawn_expect("truck", "a---b\n"
                          "ab: highway=primary, maxspeed=80, maxspeed:hgv:forward=40\n"
                          "a>b: 90 s\n"
                          "b>a: 45 s\n");
}

Test(rules_speed, fastest_lane_counts)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: highway=primary, oneway=yes, maxspeed:lanes=80|60|60\n"
                        "bc: highway=primary, maxspeed:lanes:forward=45|90, maxspeed:lanes:backward=60\n"
                        "a>b: 45 s\n"
                        "b>c: 40 s\n"
                        "c>b: 60 s\n");
}

Test(rules_speed, conditional_limit_is_ignored)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=60, maxspeed:conditional=30 @ (22:00-06:00)\n"
                        "a>b: 60 s\n"
                        "told: ways with conditional tags, which count only for departures: 1\n");
}

Test(rules_speed, nobody_is_faster_than_the_vehicle)
{
    drawn_expect("car", "a---b\n"
                        "ab: highway=motorway, maxspeed=300\n"
                        "a>b: 25.714 s\n");
    drawn_expect("truck", "a---b\n"
                          "ab: highway=motorway, maxspeed=130\n"
                          "a>b: 42.353 s\n");
}

Test(rules_speed, limit_slows_bikes_but_makes_none_faster)
{
    drawn_expect("bike", "a---b---c\n"
                         "ab: highway=cycleway, maxspeed=10\n"
                         "bc: highway=cycleway, maxspeed=50\n"
                         "a>b: 360 s\n"
                         "b>c: 200 s\n");
}

Test(rules_speed, limit_is_nothing_to_walkers)
{
    drawn_expect("foot", "a---b---c\n"
                         "ab: maxspeed=3\n"
                         "bc: maxspeed=50\n"
                         "a>b: 720 s\n"
                         "b>c: 720 s\n");
}

/* ---- surface and tracks ---- */

Test(rules_speed, surface_slows)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: highway=primary, surface=gravel\n"
                        "bc: highway=primary, surface=asphalt, maxspeed=60\n"
                        "a>b: 90 s\n"
                        "b>c: 60 s\n");
}

Test(rules_speed, surface_makes_no_slow_road_faster)
{
    drawn_expect("car", "a---b\n"
                        "ab: highway=residential, surface=paving_stones\n"
                        "a>b: 120 s\n");
}

Test(rules_speed, surface_slows_below_the_limit)
{
    drawn_expect("car", "a---b\n"
                        "ab: maxspeed=100, surface=cobblestone\n"
                        "a>b: 120 s\n");
}

Test(rules_speed, worse_of_surface_and_tracktype_counts)
{
    drawn_expect("car", "a---b---c\n"
                        "ab: highway=tertiary, surface=gravel, tracktype=grade4\n"
                        "bc: highway=tertiary, surface=sand, tracktype=grade2\n"
                        "a>b: 180 s\n"
                        "b>c: 240 s\n");
}

Test(rules_speed, tracktype_slows_bikes)
{
    drawn_expect("bike", "a---b---c\n"
                         "ab: highway=track, tracktype=grade1\n"
                         "bc: highway=track, tracktype=grade5\n"
                         "a>b: 257.143 s\n"
                         "b>c: 600 s\n");
}

Test(rules_speed, mud_slows_bikes_and_walkers)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=path, surface=mud\n"
                         "a>b: 900 s\n");
    drawn_expect("foot", "a-b\n"
                         "ab: highway=path, surface=mud\n"
                         "a>b: 600 s\n");
}

/* ---- ferries ---- */

Test(rules_speed, ferry_takes_its_duration_and_boarding)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=ferry, duration=00:10\n"
                        "b>c: 900 s\n"
                        "a>d: 1140 s\n");
}

Test(rules_speed, duration_is_read_in_every_form)
{
    drawn_expect("car", "a---b---c---d---e---f---g\n"
                        "                |        \n"
                        "                h        \n"
                        "bc: route=ferry, duration=10\n"
                        "cd: highway=residential\n"
                        "de: route=ferry, duration=PT5M\n"
                        "ef: route=ferry, duration=00:02:30\n"
                        "b>c: 900 s\n"
                        "d>e: 600 s\n"
                        "f>e: 450 s\n");
}

Test(rules_speed, ferry_without_a_duration_has_a_speed)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=ferry\n"
                        "b>c: 540 s\n");
}

Test(rules_speed, duration_that_means_nothing_leaves_the_speed)
{
    drawn_expect("car", "a---b---c---d\n"
                        "bc: route=ferry, duration=a while\n"
                        "b>c: 540 s\n");
}

Test(rules_speed, ferry_is_boarded_once)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f---g    \n"
                        "bcd: route=ferry, duration=00:20\n"
                        "cf: route=ferry, duration=00:10\n"
                        "b>d: 1500 s\n"
                        "b>f: bcf, 1500 s\n");
}

Test(rules_speed, duration_is_shared_out_by_length)
{
    drawn_expect("car", "a---b---c-------d---e\n"
                        "        |            \n"
                        "        f            \n"
                        "bcd: route=ferry, duration=00:30\n"
                        "b>c: 900 s\n"
                        "c>d: 1500 s\n"
                        "d>c: 1500 s\n"
                        "c>b: 900 s\n");
}

Test(rules_speed, bikes_and_walkers_board_sooner)
{
    drawn_expect("bike", "a---b---c---d\n"
                         "bc: route=ferry, duration=00:10\n"
                         "b>c: 780 s\n");
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: route=ferry, duration=00:10\n"
                         "b>c: 780 s\n");
}

Test(rules_speed, ferry_that_saves_time_is_taken)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e           f\n"
                        "|           |\n"
                        "g-----------h\n"
                        "bc: route=ferry, duration=00:04\n"
                        "a>d: abcd, 780 s\n");
}

Test(rules_speed, ferry_that_takes_longer_is_not)
{
    drawn_expect("car", "a---b---c---d\n"
                        "|           |\n"
                        "e           f\n"
                        "|           |\n"
                        "g-----------h\n"
                        "bc: route=ferry, duration=00:06\n"
                        "a>d: aeghfd, 840 s\n");
}

/* ---- what one waits for ---- */

Test(rules_speed, traffic_signals_take_time)
{
    drawn_expect("car", "a---b---c\n"
                        "b: highway=traffic_signals\n"
                        "a>c: 245 s\n"
                        "c>a: 245 s\n"
                        "b>c: 120 s\n"
                        "a>b: 125 s\n");
}

Test(rules_speed, traffic_signals_take_bikes_walkers_and_trucks_longer)
{
    drawn_expect("bike", "a---b\n"
                         "ab: highway=cycleway\n"
                         "b: highway=traffic_signals\n"
                         "a>b: 210 s\n");
    drawn_expect("foot", "a---b\n"
                         "b: highway=traffic_signals\n"
                         "a>b: 735 s\n");
    drawn_expect("truck", "a---b\n"
                          "ab: highway=primary\n"
                          "b: highway=traffic_signals\n"
                          "a>b: 70 s\n");
}

Test(rules_speed, traffic_signals_may_be_for_one_direction)
{
    drawn_expect("car", "a---b---c\n"
                        "abc: highway=residential\n"
                        "b: highway=traffic_signals, traffic_signals:direction=forward\n"
                        "a>c: 245 s\n"
                        "c>a: 240 s\n");
}

Test(rules_speed, stop_sign_may_be_for_one_direction)
{
    drawn_expect("car", "a---b---c\n"
                        "abc: highway=residential\n"
                        "b: highway=stop, direction=backward\n"
                        "a>c: 240 s\n"
                        "c>a: 242 s\n");
}

Test(rules_speed, toll_booth_and_its_signals_take_both_their_times)
{
    drawn_expect("car", "a---b---c\n"
                        "b: barrier=toll_booth, highway=traffic_signals\n"
                        "a>c: 260 s\n");
}

Test(rules_speed, toll_road_is_a_road_like_another)
{
    drawn_expect("car", "a---b\n"
                        "ab: highway=trunk, toll=yes\n"
                        "a>b: 40 s\n");
}

Test(rules_speed, signals_are_a_reason_to_go_elsewhere)
{
    drawn_expect("car", "a---b---c\n"
                        "|       |\n"
                        "e-------f\n"
                        "ae: maxspeed=60\n"
                        "ef: maxspeed=59\n"
                        "fc: maxspeed=60\n"
                        "b: highway=traffic_signals\n"
                        "a>c: aefc\n");
}

Test(rules_speed, wait_is_for_those_who_pass_not_for_parts_of_the_road)
{
    drawn_expect("car", "a---p---b---q---c\n"
                        "apbqc: highway=residential\n"
                        "b: highway=traffic_signals\n"
                        "a>p: 120 s\n"
                        "p>b: 125 s\n"
                        "p>q: pbq, 245 s\n"
                        "q>p: 245 s\n"
                        "b>q: 120 s\n"
                        "q>c: 120 s\n"
                        "a>c: apbqc, 485 s\n");
    drawn_expect("bike", "a---p---b---q---c\n"
                         "apbqc: highway=cycleway\n"
                         "b: barrier=gate\n"
                         "a>p: 200 s\n"
                         "p>q: 410 s\n"
                         "q>c: 200 s\n");
}

Test(rules_speed, wait_at_a_junction_is_for_every_way_on)
{
    drawn_expect("car; u_turns anywhere", "    d   \n"
                                          "    |   \n"
                                          "a-p-b-q-c\n"
                                          "apb: highway=residential\n"
                                          "bqc: highway=residential\n"
                                          "b: highway=traffic_signals\n"
                                          "p>q: 125 s\n"
                                          "p>d: 193 s\n"
                                          "d>q: 193 s\n"
                                          "q>p: 125 s\n"
                                          "q>c: 60 s\n");
}

Test(rules_speed, sign_without_direction_is_for_those_who_approach_the_nearer_junction)
{
    drawn_expect("car", "a---p---s-b---c\n"
                        "          |    \n"
                        "          d    \n"
                        "apsb: highway=residential\n"
                        "s: highway=stop\n"
                        "a>b: 302 s\n"
                        "b>a: 300 s\n"
                        "p>s: 122 s\n"
                        "b>s: 60 s\n");
    drawn_expect("car", "a---s---b\n"
                        "asb: highway=residential\n"
                        "s: highway=stop\n"
                        "a>b: 242 s\n"
                        "b>a: 242 s\n");
    drawn_expect("car", "a-s---b\n"
                        "asb: highway=residential, oneway=yes\n"
                        "s: highway=stop\n"
                        "a>b: 182 s\n");
    drawn_expect("car", "a---s-b\n"
                        "asb: highway=residential\n"
                        "s: highway=stop, direction=both\n"
                        "a>b: 182 s\n"
                        "b>a: 182 s\n");
}

Test(rules_speed, stop_of_lesser_roads_lets_the_greater_one_pass)
{
    drawn_expect("car", "    d    \n"
                        "    |    \n"
                        "a---b---c\n"
                        "    |    \n"
                        "    e    \n"
                        "abc: highway=secondary\n"
                        "dbe: highway=residential\n"
                        "b: highway=stop, stop=minor\n"
                        "a>c: 120 s\n"
                        "d>e: 242 s\n");
    drawn_expect("car", "    d    \n"
                        "    |    \n"
                        "a---b---c\n"
                        "    |    \n"
                        "    e    \n"
                        "abc: highway=secondary\n"
                        "dbe: highway=residential\n"
                        "b: highway=stop, stop=all\n"
                        "a>c: 122 s\n"
                        "d>e: 242 s\n");
}

Test(rules_speed, ferry_has_its_own_speed_whoever_boards_it)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: route=ferry\n"
                         "a>d: 1860 s\n");
    drawn_expect("bike", "a---b---c---d\n"
                         "ab: highway=cycleway\n"
                         "bc: route=ferry, surface=mud, maxspeed=2\n"
                         "cd: highway=cycleway\n"
                         "a>d: 820 s\n");
}

Test(rules_speed, who_stays_aboard_boards_once)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "bcd: route=ferry\n"
                        "a>c: 660 s\n"
                        "a>e: 1020 s\n"
                        "f>e: 780 s\n"
                        "c>d: 540 s\n");
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "bc: route=ferry, name=North\n"
                        "cd: route=ferry, name=South\n"
                        "a>e: 1320 s\n");
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "bc: route=ferry, name=North\n"
                        "cd: route=ferry, name=North\n"
                        "a>e: 1020 s\n");
}

Test(rules_speed, places_are_on_land)
{
    drawn_expect("car", "a---b-p-c---d\n"
                        "bpc: route=ferry\n"
                        "a>p: none\n"
                        "a>d: 780 s\n");
    drawn_expect("car", "a---b-p-c---d\n"
                        "bpc: route=shuttle_train\n"
                        "p>d: none\n"
                        "a>d: 600 s\n");
}

Test(rules_speed, duration_of_a_line_is_shared_out_among_its_ferries)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "bc: route=ferry\n"
                        "cd: route=ferry, duration=00:20\n"
                        "bc () cd: type=route, route=ferry, duration=P1DT1H\n"
                        "b>c: 89100 s\n"
                        "c>d: 1500 s\n");
    drawn_expect("car", "a---b---c-------d---e\n"
                        "        |            \n"
                        "        f            \n"
                        "bc: route=ferry\n"
                        "cd: route=ferry\n"
                        "bc () cd: type=route, route=ferry, duration=00:30\n"
                        "b>c: 900 s\n"
                        "c>d: 1500 s\n");
    drawn_expect("car", "a---b---c---d---e\n"
                        "bc: route=ferry\n"
                        "bc () xy: type=route, route=ferry, duration=00:30\n"
                        "b>c: 540 s\n");
}

Test(rules_speed, recommended_speed_is_driven)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "ab: highway=primary, maxspeed=100, maxspeed:advisory=60\n"
                        "bc: maxspeed:advisory=60\n"
                        "cd: maxspeed=30, maxspeed:advisory=60\n"
                        "de: maxspeed:forward=90, maxspeed:advisory:forward=60\n"
                        "a>b: 60 s\n"
                        "b>c: 60 s\n"
                        "c>d: 120 s\n"
                        "d>e: 60 s\n"
                        "e>d: 120 s\n");
}

Test(rules_speed, limits_are_read_however_they_are_typed)
{
    drawn_expect("car", "a---b---c---d---e---f---g---h\n"
                        "ab: maxspeed=60km/h\n"
                        "bc: maxspeed=60 KM/H\n"
                        "cd: maxspeed=30mph\n"
                        "de: maxspeed=90;60\n"
                        "ef: maxspeed=de:Urban\n"
                        "fg: maxspeed=signals, highway=primary\n"
                        "gh: maxspeed=DE:Zone:30, highway=primary\n"
                        "a>b: 60 s\n"
                        "b>c: 60 s\n"
                        "c>d: 74.565 s\n"
                        "d>e: 60 s\n"
                        "e>f: 72 s\n"
                        "f>g: 51.429 s\n"
                        "g>h: 120 s\n");
}

Test(rules_speed, narrow_two_way_roads_are_slow_where_the_profile_says_so)
{
    drawn_expect("car; [slower width]; <3.5 2 two_way", "a---b---c---d---e\n"
                                                        "ab: width=3\n"
                                                        "bc: width=3 m, oneway=yes\n"
                                                        "cd: lanes=1\n"
                                                        "de: width=3.5, lanes=2\n"
                                                        "a>b: 240 s\n"
                                                        "b>c: 120 s\n"
                                                        "c>d: 144 s\n"
                                                        "d>e: 120 s\n");
}

/* ---- links, width and lanes ---- */

Test(rules_speed, links_bend_whatever_the_sign_says)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: highway=motorway_link, maxspeed=130, oneway=yes\n"
                        "bc: highway=primary_link, maxspeed=50\n"
                        "cd: highway=tertiary_link\n"
                        "a>b: 45 s\n"
                        "b>c: 72 s\n"
                        "c>d: 102.857 s\n");
}

Test(rules_speed, narrow_roads_are_driven_slowly)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "ab: highway=primary, width=2.4\n"
                        "bc: highway=primary, width=2.8 m\n"
                        "cd: highway=primary, width=3\n"
                        "de: highway=primary, width=6\n"
                        "a>b: 180 s\n"
                        "b>c: 120 s\n"
                        "c>d: 72 s\n"
                        "d>e: 51.429 s\n");
    drawn_expect("truck", "a---b---c\n"
                          "ab: highway=primary, width=2.8\n"
                          "bc: highway=primary, width=3.2\n"
                          "a>b: 360 s\n"
                          "b>c: 120 s\n");
}

Test(rules_speed, one_lane_for_both_directions_takes_longer)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab: highway=primary, lanes=1, maxspeed=60\n"
                        "bc: highway=primary, lanes=1, maxspeed=60, oneway=yes\n"
                        "cd: highway=primary, lanes=2, maxspeed=60\n"
                        "a>b: 72 s\n"
                        "b>c: 60 s\n"
                        "c>d: 60 s\n");
}
