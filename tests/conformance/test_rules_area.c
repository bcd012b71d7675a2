/* test_rules_area.c - open areas, which walkers cross: drawn maps (tests/support/drawn_map.h), one rule each. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>

TestSuite(rules_area);

#define SQUARE                                                                                               \
    "e---a---b---f\n"                                                                                        \
    "    |   |    \n"                                                                                        \
    "h---d---c---g\n"

Test(rules_area, closed_area_is_crossed)
{
    static const char *const traveller[] = {"foot", "bike"};
    for (size_t i = 0; i < 2; ++i)
        drawn_expect(traveller[i], SQUARE "abcda: highway=pedestrian, area=yes\n"
                                          "e>g: eacg\n"
                                          "g>e: gcae\n"
                                          "h>f: hdbf\n"
                                          "e>h: eadh\n"
                                          "told: open areas crossed: 1\n");
}

Test(rules_area, road_around_a_block_is_not_crossed)
{
    drawn_expect("foot", SQUARE "abcda: highway=pedestrian\n"
                                "a>c: 1440 s\n"
                                "b>d: 1440 s\n");
}

Test(rules_area, cars_do_not_cross)
{
    drawn_expect("car", SQUARE "abcda: highway=pedestrian, area=yes\n"
                               "e>g: none\n");
}

Test(rules_area, profile_may_keep_to_the_outline)
{
    drawn_expect("foot; areas outline", SQUARE "abcda: highway=pedestrian, area=yes\n"
                                               "da: highway=residential\n"
                                               "e>h: eadh\n"
                                               "ea: highway=path\n"
                                               "dc: highway=path\n"
                                               "f>g: fbcg\n");
}

Test(rules_area, private_area_is_no_shortcut)
{
    drawn_expect("foot", "e---a---b---f\n"
                         "|   |   |   |\n"
                         "|   d---c   |\n"
                         "|           |\n"
                         "h-----------g\n"
                         "abcda: highway=pedestrian, area=yes, access=private\n"
                         "e>f: ehgf\n"
                         "e>d: ead\n"
                         "told: open areas crossed: 1\n");
}

Test(rules_area, closed_area_is_not_crossed_by_those_whom_it_is_closed_to)
{
    drawn_expect("foot", SQUARE "abcda: highway=pedestrian, area=yes, foot=no\n"
                                "e>g: none\n");
}

Test(rules_area, hole_of_a_multipolygon_is_walked_around)
{
    drawn_expect("foot", "e---a-----------b---f\n"
                         "    |           |    \n"
                         "    |   u---v   |    \n"
                         "    |   |   |   |    \n"
                         "    |   x---w   |    \n"
                         "    |           |    \n"
                         "h---d-----------c---g\n"
                         "abcda: landuse=paved\n"
                         "uvwxu: building=yes\n"
                         "abcda (uvwxu): type=multipolygon, highway=pedestrian\n"
                         "h>e: hdae\n"
                         "e>u: eau\n"
                         "h>x: hdx\n"
                         "told: open areas crossed: 1\n");
}

Test(rules_area, outline_may_consist_of_several_ways)
{
    drawn_expect("foot", SQUARE "abc: landuse=paved\n"
                                "adc: landuse=paved\n"
                                "abc adc (): type=multipolygon, highway=footway\n"
                                "e>g: eacg\n"
                                "h>f: hdbf\n"
                                "told: open areas crossed: 1\n");
}

Test(rules_area, outline_that_lacks_a_part_is_only_walked_along)
{
    drawn_expect("foot", SQUARE "abc: landuse=paved\n"
                                "ad: highway=construction\n"
                                "dc: highway=construction\n"
                                "abc (): type=multipolygon, highway=footway\n"
                                "e>g: eabcg\n"
                                "told: open areas whose outline lacks a part: 1\n");
}

Test(rules_area, corner_that_juts_into_the_area_is_walked_around)
{
    drawn_expect("foot", "e---a-------b---f\n"
                         "    |       |    \n"
                         "    |   y---z    \n"
                         "    |   |        \n"
                         "h---d---c---g    \n"
                         "abzycda: highway=pedestrian, area=yes\n"
                         "h>f: hdybf\n"
                         "g>f: gcybf\n"
                         "e>g: eacg\n");
}

Test(rules_area, areas_that_touch_are_entered_from_each_other)
{
    drawn_expect("foot", "e---a-------b---f    \n"
                         "    |       |   |    \n"
                         "    d-------c---g---h\n"
                         "abcda: highway=pedestrian, area=yes\n"
                         "bfgcb: highway=pedestrian, area=yes\n"
                         "e>h: eacgh\n"
                         "told: open areas crossed: 2\n");
}

Test(rules_area, areas_of_roads_and_rooms_are_no_roads)
{
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: area:highway=residential, building=no\n"
                         "cd: indoor=room, building=no\n"
                         "a>b: ab\n"
                         "a>c: none\n"
                         "c>d: none\n");
    drawn_expect("foot", "a---b---c---d\n"
                         "bc: highway=corridor, indoor=yes\n"
                         "cd: highway=footway, indoor=yes\n"
                         "a>d: abcd\n");
}
