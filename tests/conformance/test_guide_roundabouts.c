/* test_guide_roundabouts.c - roundabouts, rotaries and turns at small ones: drawn maps (tests/support/drawn_map.h). */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(guide_roundabouts);

#define SMALL                                                                                                \
    "scale: 3\n"                                                                                             \
    "    a\n"                                                                                                \
    "    |\n"                                                                                                \
    "    b\n"                                                                                                \
    "   / \\\n"                                                                                              \
    "h-g   c-d\n"                                                                                            \
    "   \\ /\n"                                                                                              \
    "    e\n"                                                                                                \
    "    |\n"                                                                                                \
    "    f\n"

Test(guide_roundabouts, small_one_is_a_turn)
{
    drawn_expect_steps("car", SMALL "bgecb: junction=roundabout\n"
                                    "a>d: roundabout turn 3 left cd\n"
                                    "a>f: roundabout turn 2 straight ef\n"
                                    "a>h: roundabout turn 1 right hg\n"
                                    "d>a: roundabout turn 1 right ab\n");
}

Test(guide_roundabouts, traffic_on_the_left_goes_around_the_other_way)
{
    drawn_expect_steps("car", SMALL "map: driving_side=left\n"
                                    "bcegb: junction=roundabout\n"
                                    "a>d: roundabout turn 1 left cd\n"
                                    "a>f: roundabout turn 2 straight ef\n");
}

#define LARGE                                                                                                \
    "scale: 15\n"                                                                                            \
    "    a\n"                                                                                                \
    "    |\n"                                                                                                \
    "    b\n"                                                                                                \
    "   / \\\n"                                                                                              \
    "h-g   c-d\n"                                                                                            \
    "   \\ /\n"                                                                                              \
    "    e\n"                                                                                                \
    "    |\n"                                                                                                \
    "    f\n"

Test(guide_roundabouts, exits_are_counted)
{
    drawn_expect_steps("car", LARGE "bgecb: junction=roundabout, ref=B 1\n"
                                    "a>h: roundabout 1 slight right hg, exit roundabout right hg\n"
                                    "a>f: roundabout 2 slight right ef, exit roundabout slight right ef\n"
                                    "a>d: roundabout 3 slight right cd, exit roundabout right cd\n"
                                    "a>g: roundabout slight right B 1\n");
}

Test(guide_roundabouts, large_one_with_a_name_is_a_rotary)
{
    drawn_expect_steps("car", LARGE "bgecb: junction=roundabout, name=Place\n"
                                    "a>f: rotary 2 slight right ef, exit rotary slight right ef\n");
}

Test(guide_roundabouts, footpath_is_no_exit)
{
    drawn_expect_steps("car", LARGE "bgecb: junction=roundabout, ref=B 1\n"
                                    "hg: highway=footway\n"
                                    "a>f: roundabout 1 slight right ef, exit roundabout slight right ef\n");
}
