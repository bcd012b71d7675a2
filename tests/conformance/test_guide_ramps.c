/* test_guide_ramps.c - ramps, merges, links and carriageways: drawn maps (tests/support/drawn_map.h). */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(guide_ramps);

/* ---- motorways ---- */

Test(guide_ramps, off_ramp)
{
    drawn_expect_steps("car", "  d e\n"
                              "  |/\n"
                              "  c\n"
                              "  |\n"
                              "  a\n"
                              "acd: highway=motorway, ref=A 1, oneway=yes\n"
                              "ce: highway=motorway_link, oneway=yes, ref=X\n"
                              "a>d: nothing\n"
                              "a>e: off ramp slight right X\n");
}

Test(guide_ramps, on_ramp_and_merge)
{
    drawn_expect_steps("car", "      d\n"
                              "      |\n"
                              "      c\n"
                              "     /|\n"
                              "    / |\n"
                              "f--e  a\n"
                              "fe: highway=primary\n"
                              "ec: highway=motorway_link, oneway=yes, ref=X\n"
                              "acd: highway=motorway, ref=A 1, oneway=yes\n"
                              "f>d: on ramp left X, merge slight right A 1\n");
}

Test(guide_ramps, motorways_that_part_are_a_fork)
{
    drawn_expect_steps("car", "c   d\n"
                              " \\ /\n"
                              "  b\n"
                              "  |\n"
                              "  a\n"
                              "ab: highway=motorway, ref=A 1, oneway=yes\n"
                              "bc: highway=motorway, ref=A 1, oneway=yes\n"
                              "bd: highway=motorway, ref=A 2, oneway=yes\n"
                              "a>c: fork slight left A 1\n"
                              "a>d: fork slight right A 2\n");
}

/* ---- links and carriageways ---- */

Test(guide_ramps, slip_road_and_its_end_are_one_turn)
{
    drawn_expect_steps("car", "scale: 10\n"
                              "    e\n"
                              "    |\n"
                              "a-b-c---d\n"
                              "   \\|\n"
                              "    f\n"
                              "    |\n"
                              "    g\n"
                              "abcd: highway=primary, name=A\n"
                              "ecfg: highway=secondary, name=B\n"
                              "bf: highway=primary_link, oneway=yes, ref=L\n"
                              "a>g: turn right B\n");
}

Test(guide_ramps, other_carriageway_is_reached_by_one_u_turn)
{
    drawn_expect_steps("car", "scale: 10\n"
                              "    g\n"
                              "    |\n"
                              "f---e---d\n"
                              "    |\n"
                              "a---b---c\n"
                              "    |\n"
                              "    h\n"
                              "abc: highway=primary, name=A, oneway=yes\n"
                              "def: highway=primary, name=A, oneway=yes\n"
                              "gebh: name=B\n"
                              "a>f: continue uturn A\n"
                              "a>g: turn left B\n"
                              "a>c: nothing\n"
                              "h>f: turn left A\n"
                              "h>c: turn right A\n"
                              "h>g: nothing\n");
}

Test(guide_ramps, staggered_crossing_is_crossed)
{
    drawn_expect_steps("car", "scale: 5\n"
                              "    d\n"
                              "    |\n"
                              "a-b-c-e\n"
                              "  |\n"
                              "  f\n"
                              "abce: name=A\n"
                              "cd: name=B\n"
                              "bf: name=B\n"
                              "f>d: nothing\n"
                              "d>f: nothing\n"
                              "f>e: end of road right A\n");
}

Test(guide_ramps, ferry_is_announced)
{
    drawn_expect_steps("car", "a---b---c---d\n"
                              "ab: name=A\n"
                              "bc: route=ferry, name=Boat\n"
                              "cd: name=B\n"
                              "a>d: notification straight Boat, notification straight B\n");
}
