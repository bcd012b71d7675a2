/* test_numbered_route.c - the refs of roads with the points of the compass that their relations say. */
#include "importers/osm/rules/profile_file.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/osm_read.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(numbered_route, .init = import_fixture_open, .fini = import_fixture_close);

enum { TEXT_BYTES = 1 << 17, MEMBERS = 1000 };

/*   1---2   the way 7: a motorway, one-way or not, with refs */
#define MAP                                                                                                  \
    "<node id='1' version='1' lat='0' lon='0'/><node id='2' version='1' lat='0' lon='0.01'/>"                \
    "<way id='7' version='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='motorway'/>"                      \
    "<tag k='oneway' v='%s'/><tag k='ref' v='%s'/></way>"
#define TAG(key, value)        "<tag k='" key "' v='" value "'/>"
#define MEMBER(type, id, role) "<member type='" type "' ref='" #id "' role='" role "'/>"
#define RELATION(id, content)  "<relation id='" #id "' version='1'>" content "</relation>"
#define ROUTE(id, ref, role, tags)                                                                           \
    RELATION(id, MEMBER("way", 7, role) TAG("type", "route") TAG("route", "road") TAG("ref", ref) tags)
#define LEADS(point) TAG("direction", point)
#define PARENT(id, child, role, tags)                                                                        \
    RELATION(id, MEMBER("relation", child, role) TAG("type", "route") TAG("route", "road") tags)

static macadam_status import_text(const char *text)
{
    static const macadam_import_options options = {0};
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const char *const path = import_write("map.osm", text);
    mcd_profile car;
    MCD_TRY(mcd_profile_read(&car, "car", &import_error));
    const macadam_status status =
        osm_read(&import_map, &path, 1, &car, &parallel, NULL, &options, &import_error);
    mcd_profile_free(&car);
    return status;
}

static const char *ref_of(int64_t tail, int64_t head)
{
    size_t arc = 0; /* that of the way, not one by which routes arrive */
    while (import_map.node_id[import_map.tail[arc]] != tail ||
           import_map.node_id[import_map.head[arc]] != head || import_way(arc) != 7)
        cr_assert_lt(++arc, import_map.arc_count);
    return import_map.names +
           import_map.kind[import_map.arc_kind[import_map.arc_number[arc] - 1]].text[MCD_KIND_REF];
}

/* Imports the way with these refs, and relations before and after it. */
static void import_road(const char *oneway, const char *ref, const char *before, const char *after)
{
    static char text[TEXT_BYTES];
    mcd_map_free(&import_map);
    const int length =
        snprintf(text, sizeof text, "<?xml version='1.0'?><osm version='0.6'>%s" MAP "%s</osm>", before,
                 oneway, ref, after);
    cr_assert_lt((size_t)length, sizeof text);
    cr_assert_eq(import_text(text), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

/* The relations may come before the ways or after them. */
static void expect_one_way(const char *ref, const char *relations, const char *expected)
{
    import_road("yes", ref, "", relations);
    cr_expect_str_eq(ref_of(1, 2), expected, "%s", relations);
    import_road("yes", ref, relations, "");
    cr_expect_str_eq(ref_of(1, 2), expected, "before: %s", relations);
}

static void expect_two_way(const char *relations, const char *there, const char *back)
{
    import_road("no", "I 80", "", relations);
    cr_expect_str_eq(ref_of(1, 2), there, "%s", relations);
    cr_expect_str_eq(ref_of(2, 1), back, "%s", relations);
}

/* ---- which point ---- */

Test(numbered_route, tag_or_role_says_the_point)
{
    expect_one_way("I 80", ROUTE(1, "80", "", LEADS("west")), "I 80 West");
    expect_one_way("I 80", ROUTE(1, "80", "", LEADS("North")), "I 80 North");
    expect_one_way("I 80", ROUTE(1, "80", "forward", LEADS("south")), "I 80 South");
    expect_one_way("I 80", ROUTE(1, "80", "east", ""), "I 80 East");
    expect_one_way("I 80", ROUTE(1, "80", "east", LEADS("east")), "I 80 East");
    expect_one_way("I 80", ROUTE(1, "80", "", ""), "I 80");
}

Test(numbered_route, contradictions_say_nothing)
{
    expect_one_way("I 80", ROUTE(1, "80", "east", LEADS("west")), "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "east", "") ROUTE(2, "80", "west", ""), "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "east", "") ROUTE(2, "80", "", ""), "I 80 East");
}

Test(numbered_route, relation_that_has_it_as_a_member_speaks_for_it)
{
    expect_one_way("I 80", ROUTE(1, "80", "", "") PARENT(2, 1, "east", ""), "I 80 East");
    expect_one_way("I 80", PARENT(1, 2, "", LEADS("east")) ROUTE(2, "80", "forward", ""), "I 80 East");
    expect_one_way("I 80", ROUTE(1, "80", "east", "") PARENT(2, 1, "west", ""), "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "east", "") PARENT(2, 1, "", LEADS("west")), "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "", "") PARENT(2, 1, "", "") PARENT(3, 2, "east", ""), "I 80");
    expect_one_way("I 80", ROUTE(7, "80", "", "") PARENT(2, 9, "east", ""), "I 80");
}

Test(numbered_route, each_direction_of_a_road_has_its_own)
{
    expect_two_way(ROUTE(1, "80", "forward", LEADS("west")) ROUTE(2, "80", "backward", LEADS("east")),
                   "I 80 West", "I 80 East");
    expect_two_way(ROUTE(1, "80", "backward", LEADS("east")), "I 80", "I 80 East");
}

Test(numbered_route, two_way_road_needs_a_role_that_names_the_direction)
{
    expect_two_way(ROUTE(1, "80", "", LEADS("west")), "I 80", "I 80");
    expect_two_way(ROUTE(1, "80", "west", ""), "I 80", "I 80");
}

/* ---- which ref ---- */

Test(numbered_route, relation_is_about_its_own_number)
{
    static const char two[] = ROUTE(1, "80", "east", "") ROUTE(2, "93", "north", "");
    expect_one_way("I 80;CO 93", two, "I 80 East; CO 93 North");
    expect_one_way("CO 93;US 6; I 80", two, "CO 93 North; US 6; I 80 East");
    expect_one_way("I 180;I 80A;93", two, "I 180; I 80A; 93 North");
    expect_one_way("A80;E-93;I 80 Business", two, "A80 East; E-93 North; I 80 Business");
    expect_one_way("US 6", two, "US 6");
    expect_one_way("E 64;A4", ROUTE(1, "E 64", "east", "") ROUTE(2, "4", "west", ""), "E 64 East; A4 West");
    expect_one_way("BB;B", ROUTE(1, "B", "east", ""), "BB; B East");
    expect_one_way("US 50;CO 50", ROUTE(1, "50", "east", "") ROUTE(2, "50", "west", ""), "US 50; CO 50");
}

Test(numbered_route, other_relations_say_nothing)
{
    expect_one_way(
        "I 80",
        RELATION(1, MEMBER("way", 7, "east") TAG("type", "route") TAG("route", "bus") TAG("ref", "80"))
            RELATION(2, MEMBER("way", 7, "east") TAG("route", "road") TAG("ref", "80"))
                RELATION(7, MEMBER("node", 7, "east") MEMBER("relation", 7, "east") MEMBER("way", 6, "east")
                                TAG("type", "route") TAG("route", "road") TAG("ref", "80")),
        "I 80");
    expect_one_way("", ROUTE(1, "80", "east", ""), "");
}

/* ---- hostile data ---- */

Test(numbered_route, odd_values_change_no_ref)
{
    expect_one_way("I 80", ROUTE(1, "", "east", "") ROUTE(2, ";", "east", "") ROUTE(3, " ", "east", ""),
                   "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "eastbound", LEADS("")) ROUTE(2, "80", "East ", LEADS("5")),
                   "I 80");
    expect_one_way("I 80", ROUTE(1, "80", "", LEADS("forward")), "I 80");
    expect_one_way("; ;80;", ROUTE(1, "80", "east", ""), "80 East");
    expect_one_way("I 80", RELATION(1, TAG("type", "route") TAG("route", "road") LEADS("east")), "I 80");
    expect_one_way("A;;B", ROUTE(1, "80", "east", ""), "A; B");
    expect_one_way("Ünï 80", ROUTE(1, "80", "east", ""), "Ünï 80 East");
    expect_one_way("I 80",
                   RELATION(-9223372036854775807,
                            MEMBER("way", -9223372036854775801, "east")
                                MEMBER("relation", -9223372036854775807, "west") MEMBER("way", 7, "east")
                                    TAG("type", "route") TAG("route", "road") TAG("ref", "80")),
                   "I 80");
}

Test(numbered_route, long_lists_keep_within_bounds)
{
    static char refs[4 * MEMBERS], expected[16 * MEMBERS], relations[96 * MEMBERS];
    char *at = relations, *end = expected;
    for (int i = 0; i < 85; ++i) strcat(refs, i ? ";1" : "1");
    for (int i = 0; i < 84; ++i) end += sprintf(end, "%s1 North", i ? "; " : "");
    at += sprintf(at,
                  "<relation id='1' version='1'>" TAG("type", "route") TAG("route", "road") TAG("ref", "1"));
    for (int i = 0; i < MEMBERS; ++i) at += sprintf(at, MEMBER("way", 7, "north"));
    sprintf(at, "</relation>");
    import_road("yes", refs, relations, "");
    cr_expect_eq(strncmp(ref_of(1, 2), expected, strlen(expected)), 0, "%s", ref_of(1, 2));
    memset(refs, '1', 2 * MEMBERS);
    import_road("yes", refs, "", ROUTE(1, "1", "east", ""));
    cr_expect_eq(strspn(ref_of(1, 2), "1"), strlen(ref_of(1, 2)), "%s", ref_of(1, 2));
}

/* ---- versions ---- */

Test(numbered_route, newest_version_counts)
{
    expect_one_way("I 80",
                   "<relation id='1' version='2'>" MEMBER("way", 7, "west") TAG("type", "route")
                       TAG("route", "road") TAG("ref", "80") "</relation>" ROUTE(1, "80", "east", ""),
                   "I 80 West");
}

/* ---- memory ---- */

Test(numbered_route, import_without_memory_leaves_no_block)
{
    static char text[TEXT_BYTES];
    size_t nth = 0;
    bool failed = true;
    snprintf(text, sizeof text, "<?xml version='1.0'?><osm version='0.6'>" MAP "%s</osm>", "yes",
             "I 80;CO 93", ROUTE(1, "80", "east", "") ROUTE(2, "93", "", "") PARENT(3, 2, "north", ""));
    while (failed) {
        allocator_fail(++nth);
        const macadam_status status = import_text(text);
        mcd_map_free(&import_map);
        failed = leak_expect_failed(nth, status);
    }
    cr_expect_gt(nth, 20);
}
