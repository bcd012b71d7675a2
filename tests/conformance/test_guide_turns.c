/* test_guide_turns.c - where a driver is told to turn: drawn maps (tests/support/drawn_map.h), one rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(guide_turns);

Test(guide_turns, crossing_is_crossed_without_a_word)
{
    drawn_expect_steps("car", "    b\n"
                              "    |\n"
                              "a---x---c\n"
                              "    |\n"
                              "    d\n"
                              "axc: highway=primary\n"
                              "bxd: highway=primary\n"
                              "a>c: nothing\n"
                              "b>d: nothing\n"
                              "a>b: turn left bxd\n"
                              "a>d: turn right bxd\n"
                              "d>a: turn left axc\n");
}

Test(guide_turns, bend_is_no_turn)
{
    drawn_expect_steps("car", "a---b\n"
                              "    |\n"
                              "    c---d\n"
                              "abcd: highway=primary\n"
                              "a>d: nothing\n"
                              "d>a: nothing\n");
}

Test(guide_turns, tags_that_change_are_no_turn)
{
    drawn_expect_steps("car", "a---b---c---d\n"
                              "ab: name=R, maxspeed=50\n"
                              "bc: name=R, maxspeed=30, bridge=yes\n"
                              "cd: name=R, ref=B 1\n"
                              "a>d: nothing\n");
}

Test(guide_turns, name_that_changes_is_told)
{
    drawn_expect_steps("car", "    e\n"
                              "    |\n"
                              "a---b---c\n"
                              "ab: name=First\n"
                              "bc: name=Second\n"
                              "a>c: new name straight Second\n"
                              "c>a: new name straight First\n");
}

Test(guide_turns, ref_that_is_gained_is_no_new_name)
{
    drawn_expect_steps("car", "    e\n"
                              "    |\n"
                              "a---b---c\n"
                              "ab: name=First\n"
                              "bc: name=First, ref=B 7\n"
                              "a>c: nothing\n"
                              "c>a: nothing\n");
}

Test(guide_turns, suffix_is_no_new_name)
{
    drawn_expect_steps("car", "    e\n"
                              "    |\n"
                              "a---b---c\n"
                              "ab: name=Main Street\n"
                              "bc: name=Main Street North\n"
                              "a>c: nothing\n");
}

Test(guide_turns, end_of_a_road)
{
    drawn_expect_steps("car", "    b\n"
                              "    |\n"
                              "a---x\n"
                              "    |\n"
                              "    c\n"
                              "bxc: highway=primary\n"
                              "a>b: end of road left bxc\n"
                              "a>c: end of road right bxc\n"
                              "b>c: nothing\n"
                              "b>a: turn right ax\n");
}

Test(guide_turns, road_that_turns_off_keeps_its_name)
{
    drawn_expect_steps("car", "    d\n"
                              "    |\n"
                              "a---b---c\n"
                              "abd: name=High\n"
                              "bc: name=Low\n"
                              "a>d: continue left High\n"
                              "a>c: new name straight Low\n");
}

Test(guide_turns, fork)
{
    drawn_expect_steps("car", "c   d\n"
                              " \\ /\n"
                              "  b\n"
                              "  |\n"
                              "  a\n"
                              "ab: highway=primary\n"
                              "bc: highway=primary\n"
                              "bd: highway=primary\n"
                              "a>c: fork slight left bc\n"
                              "a>d: fork slight right bd\n");
}

Test(guide_turns, lesser_road_that_parts_is_no_fork)
{
    drawn_expect_steps("car", "    d\n"
                              "   /\n"
                              "  b---c\n"
                              "  |\n"
                              "  a\n"
                              "abd: highway=primary\n"
                              "bc: highway=residential\n"
                              "a>d: nothing\n"
                              "a>c: turn right bc\n");
}

Test(guide_turns, driveway_does_not_make_a_junction)
{
    drawn_expect_steps("car", "    d\n"
                              "   /\n"
                              "  b---c\n"
                              "  |\n"
                              "  a\n"
                              "abc: highway=primary\n"
                              "bd: highway=service\n"
                              "a>d: turn slight right bd\n");
}

Test(guide_turns, way_that_is_closed_is_no_choice)
{
    drawn_expect_steps("car", "    d\n"
                              "    |\n"
                              "a---b---c\n"
                              "db: oneway=yes\n"
                              "ab: name=A\n"
                              "bc: name=A\n"
                              "a>c: nothing\n"
                              "d>c: end of road left A\n");
}

Test(guide_turns, u_turn_at_a_dead_end_is_told)
{
    drawn_expect_steps("car", "    c\n"
                              "    |\n"
                              "a---x---b\n"
                              "ax (x) xc: restriction=no_left_turn\n"
                              "a>c: new name straight xb, continue uturn xb, turn right cx\n");
}
