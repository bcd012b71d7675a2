/* test_rules_via.c - turn restrictions over ways: drawn maps (tests/support/drawn_map.h), one rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_via);

/* ---- a link between two carriageways ---- */

Test(rules_via, no_u_turn_over_a_link)
{
    drawn_expect("car", "a---b---c---d\n"
                        "        |    \n"
                        "e---f---g---h\n"
                        "        |    \n"
                        "        k    \n"
                        "bc: oneway=yes\n"
                        "cd: oneway=yes\n"
                        "hg: oneway=yes\n"
                        "gf: oneway=yes\n"
                        "bc (cg) gf: restriction=no_u_turn\n"
                        "a>e: abcgkgfe\n"
                        "a>k: abcgk\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_via, who_comes_otherwise_is_free)
{
    drawn_expect("car", "a---b---c---d\n"
                        "        |    \n"
                        "e---f---g---h\n"
                        "        |    \n"
                        "        k    \n"
                        "bc: oneway=yes\n"
                        "gf: oneway=yes\n"
                        "bc (cg) gf: restriction=no_u_turn\n"
                        "c>e: cgfe\n"
                        "d>e: dcgfe\n"
                        "h>e: hgfe\n"
                        "k>e: kgfe\n");
}

Test(rules_via, only_over_a_link_is_kept_to_its_end)
{
    drawn_expect("car", "a---b---c---d\n"
                        "        |    \n"
                        "e---f---g---h\n"
                        "        |    \n"
                        "        k    \n"
                        "bc: oneway=yes\n"
                        "cd: oneway=yes\n"
                        "hg: oneway=yes\n"
                        "gf: oneway=yes\n"
                        "bc (cg) gk: restriction=only_straight_on\n"
                        "a>k: abcgk\n"
                        "a>d: abcgkgcd\n"
                        "a>e: abcgkgfe\n"
                        "a>g: abcg\n"
                        "c>d: cd\n");
}

Test(rules_via, except_frees_the_mode)
{
    drawn_expect("car", "a---b---c---d\n"
                        "        |    \n"
                        "e---f---g---h\n"
                        "bc (cg) gf: restriction=no_u_turn, except=motorcar\n"
                        "a>e: abcgfe\n");
}

Test(rules_via, restriction_of_a_mode_binds_it_alone)
{
    drawn_expect("truck", "a---b---c-d\n"
                          "        |  \n"
                          "e---f---g-h\n"
                          "hg: oneway=yes\n"
                          "bc (cg) gf: restriction:hgv=no_u_turn\n"
                          "a>e: abcdcgfe\n");
    drawn_expect("car", "a---b---c-d\n"
                        "        |  \n"
                        "e---f---g-h\n"
                        "bc (cg) gf: restriction:hgv=no_u_turn\n"
                        "a>e: abcgfe\n");
}

/* ---- several ways ---- */

Test(rules_via, two_ways)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "ab (bc cd) de: restriction=no_straight_on\n"
                        "a>e: abcfcde\n"
                        "b>e: bcde\n"
                        "a>d: abcd\n"
                        "f>e: fcde\n");
}

Test(rules_via, ways_may_come_in_any_order)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "ab (cd bc) de: restriction=no_straight_on\n"
                        "a>e: abcfcde\n"
                        "told: turn restrictions applied: 1\n");
}

Test(rules_via, other_way_around_is_another_one)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "ab (bc cd) de: restriction=no_straight_on\n"
                        "e>a: edcba\n");
}

Test(rules_via, only_over_two_ways)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "    |   |   |    \n"
                        "    f   g   h    \n"
                        "ab (bc cd) de: restriction=only_straight_on\n"
                        "a>e: abcde\n"
                        "a>f: abcdedcbf\n"
                        "a>g: abcdedcg\n"
                        "a>h: abcdedh\n"
                        "b>f: bf\n"
                        "f>g: fbcg\n");
}

Test(rules_via, three_ways)
{
    drawn_expect("car", "a---b---c---d---e---g\n"
                        "        |            \n"
                        "        f            \n"
                        "ab (bc cd de) eg: restriction=no_straight_on\n"
                        "a>g: abcfcdeg\n"
                        "a>e: abcde\n");
}

Test(rules_via, several_from_ways)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    f   g    \n"
                        "ab fb (bc) cd: restriction=no_entry\n"
                        "a>d: abcgcd\n"
                        "f>d: fbcgcd\n"
                        "b>d: bcd\n");
}

Test(rules_via, several_to_ways)
{
    drawn_expect("car", "a---b---c-d\n"
                        "        |  \n"
                        "        g  \n"
                        "ab (bc) cd cg: restriction=no_exit\n"
                        "a>d: none\n"
                        "a>g: none\n"
                        "a>c: abc\n"
                        "b>g: bcg\n");
}

/* ---- ways that are longer, or cut by junctions ---- */

Test(rules_via, way_with_a_junction_within)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "bcd: highway=residential\n"
                        "ab (bcd) de: restriction=no_straight_on\n"
                        "a>e: abcfcde\n"
                        "a>f: abcf\n");
}

Test(rules_via, way_that_goes_on_beyond_the_turn)
{
    drawn_expect("car", "a---b---c-f\n"
                        "        |  \n"
                        "        d  \n"
                        "bcf: highway=residential\n"
                        "ab (bcf) cd: restriction=no_right_turn\n"
                        "a>d: abcfcd\n"
                        "b>d: bcd\n");
}

Test(rules_via, from_and_to_that_go_on_beyond_turn_back_on_both_sides)
{
    drawn_expect("car; turn 180 0 0", "h   g\n"
                                      "|   |\n"
                                      "b---c\n"
                                      "|   |\n"
                                      "a   d\n"
                                      "abh: highway=residential\n"
                                      "gcd: highway=residential\n"
                                      "abh (bc) gcd: restriction=no_u_turn\n"
                                      "a>d: abcgcd\n"
                                      "h>g: hbabcg\n"
                                      "a>g: abcg\n"
                                      "h>d: hbcd\n"
                                      "a>c: abc\n"
                                      "b>g: bcg\n");
}

Test(rules_via, angle_tells_which_side_of_a_way_is_meant)
{
    drawn_expect("car", "h   g\n"
                        "|   |\n"
                        "b---c\n"
                        "|    \n"
                        "a    \n"
                        "abh: highway=residential\n"
                        "abh (bc) cg: restriction=no_u_turn\n"
                        "a>g: abcg\n"
                        "h>g: hbabcg\n");
}

/* Around a block and back to where one came from. */
Test(rules_via, via_may_end_where_it_begins)
{
    drawn_expect("car; u_turns anywhere", "    d---e\n"
                                          "    |   |\n"
                                          "a---b---c\n"
                                          "    |    \n"
                                          "    f    \n"
                                          "bced: oneway=yes\n"
                                          "db: oneway=yes\n"
                                          "bf: oneway=yes\n"
                                          "ab (b) bf: restriction=no_right_turn\n"
                                          "ab (bced db) bf: restriction=no_straight_on\n"
                                          "a>f: abcedbcedbf\n"
                                          "told: turn restrictions applied: 2\n");
}

/* ---- one beside the other ---- */

Test(rules_via, two_with_the_same_beginning)
{
    drawn_expect("car", "a---b---c---d\n"
                        "        |    \n"
                        "        f    \n"
                        "ab (bc) cd: restriction=no_straight_on\n"
                        "ab (bc) cf: restriction=no_right_turn\n"
                        "a>d: none\n"
                        "a>f: none\n"
                        "a>c: abc\n"
                        "b>d: bcd\n");
}

Test(rules_via, one_within_the_other)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |   |    \n"
                        "        f   g    \n"
                        "ab (bc cd) de: restriction=no_straight_on\n"
                        "bc (cd) dg: restriction=no_right_turn\n"
                        "a>e: abcfcde\n"
                        "a>g: abcfcdg\n"
                        "b>e: bcde\n"
                        "b>g: bcdedg\n"
                        "told: turn restrictions applied: 2\n");
}

Test(rules_via, one_over_a_node_within_one_over_ways)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "ab (bc cd) de: restriction=no_straight_on\n"
                        "bc (c) cf: restriction=no_right_turn\n"
                        "a>e: none\n"
                        "b>f: bcdedcf\n"
                        "a>d: abcd\n");
}

Test(rules_via, only_over_ways_after_only_over_a_node)
{
    drawn_expect("car", "    h            \n"
                        "    |            \n"
                        "a---b---c---d---e\n"
                        "        |   |    \n"
                        "        f   g    \n"
                        "ab (b) bc: restriction=only_straight_on\n"
                        "bc (cd) dg: restriction=only_right_turn\n"
                        "a>e: abcdgde\n"
                        "a>f: abcdgdcf\n"
                        "f>e: fcde\n");
}

/* ---- malformed ---- */

Test(rules_via, ways_that_do_not_lead_there_are_skipped)
{
    drawn_expect("car", "a---b---c---d---e\n"
                        "        |        \n"
                        "        f        \n"
                        "ab (cd) de: restriction=no_straight_on\n"
                        "ab (bc) de: restriction=only_straight_on\n"
                        "a>e: abcde\n"
                        "told: turn restrictions skipped: their roads do not meet on the map: 2\n");
}

Test(rules_via, way_against_its_direction_is_skipped)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    f---g    \n"
                        "cb: oneway=yes\n"
                        "ab (bc) cd: restriction=no_straight_on\n"
                        "a>d: abfgcd\n"
                        "told: turn restrictions skipped: their roads do not meet on the map: 1\n");
}

Test(rules_via, node_and_way_at_once_are_skipped)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab (bc c) cd: restriction=no_straight_on\n"
                        "a>d: abcd\n"
                        "told: turn restrictions skipped: not a from, a via and a to: 1\n");
}

Test(rules_via, way_of_another_map_is_skipped)
{
    drawn_expect("car", "a---b---c---d\n"
                        "ab (xy) cd: restriction=no_straight_on\n"
                        "a>d: abcd\n"
                        "told: turn restrictions skipped: one of their roads is closed or missing: 1\n");
}

Test(rules_via, closed_way_is_skipped)
{
    drawn_expect("car", "a---b---c---d\n"
                        "    |   |    \n"
                        "    f---g    \n"
                        "bc: access=no\n"
                        "ab (bc) cd: restriction=only_straight_on\n"
                        "a>d: abfgcd\n"
                        "told: turn restrictions skipped: one of their roads is closed or missing: 1\n");
}
