/* test_report.c - what an import counts, and the objects that it lists. */
#include "importers/osm/rules/report.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(report, .init = import_fixture_open, .fini = import_fixture_close);

static char told[1024];

static void take_line(void *context, const char *line)
{
    (void)context;
    strcat(strcat(told, line), "\n");
}

static void expect_told(const mcd_report *report, const char *lines)
{
    told[0] = '\0';
    mcd_report_tell(report, take_line, NULL);
    cr_expect_str_eq(told, lines);
}

/* Ways 1 to 7, of which the second and each second one after it has two odd conditions. */
static macadam_status fill(mcd_report *out, size_t ways_per_part)
{
    SCOPED(mcd_report_free) mcd_report part = {0};
    for (int64_t way = 1; way <= 7; ++way) {
        mcd_report_at(&part, 'w', way);
        mcd_report_count(&part, MCD_REPORT_WAYS_USED, 1);
        for (int i = 0; i < 2 && way % 2 == 0; ++i) {
            mcd_report_add(&part, MCD_REPORT_CONDITIONS_ODD);
            mcd_report_add(&part, MCD_REPORT_CONDITIONS_SEASON);
        }
        mcd_report_add(&part, MCD_REPORT_CUT_WAYS);
        if ((size_t)way % ways_per_part == 0) MCD_TRY(mcd_report_join(out, &part, &import_error));
    }
    return mcd_report_join(out, &part, &import_error);
}

Test(report, parts_make_the_same_lines)
{
    for (size_t ways_per_part = 1; ways_per_part <= 8; ++ways_per_part)
        for (int few = 0; few < 2; ++few) {
            SCOPED(mcd_report_free) mcd_report report = {.few = few};
            cr_assert_eq(fill(&report, ways_per_part), MACADAM_OK);
            cr_expect_eq(report.object_count, few ? 12 : 13);
            expect_told(&report,
                        "ways used: 7\n"
                        "ways cut because nodes are missing: 7 (way/1, way/2, way/3, way/4, way/5, ...)\n"
                        "conditions of other things than times of the week, ignored: 6 "
                        "(way/2, way/4, way/6)\n"
                        "of these, about months, dates or weeks of the year: 6 (way/2, way/4, way/6)\n");
        }
}

Test(report, objects_of_all_types_and_ids_are_named)
{
    SCOPED(mcd_report_free) mcd_report report = {0};
    static const char type[] = "nwr";
    static const int64_t id[] = {INT64_MIN, -1, INT64_MAX};
    for (int i = 0; i < 3; ++i) {
        mcd_report_at(&report, type[i], id[i]);
        mcd_report_add(&report, MCD_REPORT_HOLIDAYS);
    }
    expect_told(&report, "conditions that name holidays: 3 (node/-9223372036854775808, way/-1, "
                         "relation/9223372036854775807)\n");
}

/* Objects are sorted, and each is named once. */
Test(report, files_have_all_objects)
{
    char text[512];
    SCOPED(mcd_report_free) mcd_report report = {.profile = "a\"b"};
    mcd_report *const reports[] = {&report};
    static const int64_t id[] = {7, -3, 5, 7, 6, 4, 8, 5};
    for (int i = 0; i < 8; ++i) {
        mcd_report_at(&report, i % 2 ? 'n' : 'w', id[i]);
        mcd_report_add(&report, MCD_REPORT_HOLIDAYS);
    }
    mcd_report_count(&report, MCD_REPORT_ARCS, UINT64_MAX);
    cr_assert_eq(mcd_report_write(import_path("report.json"), reports, 1, &import_error), MACADAM_OK);
    FILE *const file = fopen(import_path("report.json"), "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(text, "{\"profiles\": [\n {\"profile\": \"a\\u0022b\", \"counts\": [\n"
                           "  {\"what\": \"conditions that name holidays\", \"count\": 8, "
                           "\"ids\": [\"node/-3\", \"node/4\", \"node/5\", \"node/7\", \"way/5\", \"way/6\", "
                           "\"way/7\", \"way/8\"]},\n"
                           "  {\"what\": \"arcs\", \"count\": 18446744073709551615, \"ids\": []}\n ]}\n]}\n");
}

Test(report, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        mcd_report report = {.profile = "car"}, *const reports[] = {&report};
        allocator_fail(nth);
        macadam_status status = fill(&report, 3);
        if (status == MACADAM_OK) status = mcd_report_check(&report, &import_error);
        if (status == MACADAM_OK)
            status = mcd_report_write(import_path("report.json"), reports, 1, &import_error);
        mcd_report_free(&report);
        if (!leak_expect_failed(nth, status)) break;
    }
}
