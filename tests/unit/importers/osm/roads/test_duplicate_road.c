/* test_duplicate_road.c - roads drawn many times: small files that would make an import run for minutes. */
#include "tests/support/leak.h"
#include "tests/support/import_fixture.h"

#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 20, WAY_NODES = 1900, WAYS = 3000 };

static char text[TEXT_BYTES];
static size_t used;
static uint64_t told_count;

TestSuite(duplicate, .init = import_fixture_open, .fini = import_fixture_close);

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    cr_assert_lt(used, sizeof text);
}

/* Node i lies i times 0.001 degrees east of the first. */
static void begin(unsigned node_count)
{
    used = 0;
    add("<?xml version='1.0'?><osm version='0.6'>");
    for (unsigned i = 1; i <= node_count; ++i)
        add("<node id='%u' version='1' lat='0' lon='%.3f'/>", i, i * 0.001);
}

static void add_way(unsigned id, const char *nodes, const char *tags)
{
    add("<way id='%u' version='1'>%s<tag k='highway' v='residential'/>%s</way>", id, nodes, tags);
}

static void take_line(void *context, const char *line)
{
    (void)context;
    unsigned long long count;
    if (sscanf(line, "roads drawn twice, merged: %llu", &count) == 1) told_count = count;
}

static macadam_status read_map(const char *profile_name)
{
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const macadam_import_options options = {.report = take_line};
    mcd_profile profile;
    add("</osm>");
    told_count = 0;
    MCD_TRY(mcd_profile_read(&profile, profile_name, &import_error));
    const macadam_status status = osm_read(&import_map, (const char *const[]){import_write("map.osm", text)},
                                           1, &profile, &parallel, NULL, &options, &import_error);
    mcd_profile_free(&profile);
    return status;
}

static void expect_read(const char *profile)
{
    cr_assert_eq(read_map(profile), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

#define ND(id) "<nd ref='" #id "'/>"

Test(duplicate, way_to_and_fro_is_one_road)
{
    begin(2);
    add("<way id='7' version='1'>");
    for (unsigned i = 0; i < WAY_NODES; ++i) add("<nd ref='%u'/>", 1 + i % 2);
    add("<tag k='highway' v='residential'/></way>");
    expect_read("foot");
    cr_expect_eq(told_count, WAY_NODES - 2);
    cr_expect_eq(import_arc_count(1, 2), 1);
    cr_expect_eq(import_arc_count(2, 1), 1);
    cr_expect_eq(import_map.arc_number[0], 1);
}

Test(duplicate, way_drawn_often_is_one_road)
{
    begin(3);
    for (unsigned i = 0; i < WAYS; ++i) add_way(7 + i, i % 2 ? ND(1) ND(2) ND(3) : ND(3) ND(2) ND(1), "");
    expect_read("foot");
    cr_expect_eq(told_count, WAYS * 2 - 2, "every node is a junction");
    cr_expect_eq(import_map.id_count, 3);
    cr_expect_eq(import_map.arc_way[import_arc(3, 2)], 7, "the first of the file stays");
}

/* 1 === 2: equal but for what is said */
Test(duplicate, roads_that_differ_stay)
{
    begin(3);
    add_way(7, ND(1) ND(2), "");
    add_way(8, ND(1) ND(2), "<tag k='maxspeed' v='20'/>");
    add_way(9, ND(1) ND(2), "<tag k='oneway' v='yes'/>");
    add_way(10, ND(1) ND(2), "<tag k='access' v='destination'/>");
    add_way(11, ND(1) ND(3) ND(2), "");
    add_way(12, ND(1) ND(2), "");
    expect_read("foot");
    cr_expect_eq(told_count, 3, "on foot, the first, the second, the third and the last are alike: %llu",
                 (unsigned long long)told_count);
    mcd_map_free(&import_map);
    used -= strlen("</osm>");
    expect_read("car");
    cr_expect_eq(told_count, 1, "the first and the last");
}

Test(duplicate, road_that_a_restriction_names_stays)
{
    begin(3);
    add_way(7, ND(1) ND(2), "");
    add_way(8, ND(1) ND(2), "");
    add_way(9, ND(2) ND(3), "");
    add("<relation id='1' version='1'><member type='way' ref='7' role='from'/>"
        "<member type='node' ref='2' role='via'/><member type='way' ref='9' role='to'/>"
        "<tag k='type' v='restriction'/><tag k='restriction' v='no_straight_on'/></relation>");
    expect_read("car");
    cr_expect_eq(told_count, 0);
    cr_expect_lt(import_cost(1, 3), UINT32_MAX / 2, "over the other one");
}

Test(duplicate, junction_of_too_many_turns_is_an_error)
{
    begin(600);
    for (unsigned i = 2; i <= 600; ++i) {
        char nodes[64];
        snprintf(nodes, sizeof nodes, "<nd ref='1'/><nd ref='%u'/>", i);
        add_way(i, nodes, "");
    }
    cr_assert_eq(read_map("car"), MACADAM_E_FILE);
    cr_expect(strstr(import_error.message, "node 1, at way 2: 599 ways in and 599 ways out"), "%s",
              import_error.message);
    used -= strlen("</osm>");
    mcd_map_free(&import_map);
    expect_read("foot");
}
