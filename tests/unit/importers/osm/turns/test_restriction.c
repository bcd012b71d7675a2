/* test_restriction.c - what of a relation makes a turn restriction. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/turns/restriction.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>

TestSuite(restriction, .init = import_fixture_open, .fini = import_fixture_close);

enum { RELATIONS = 24 };

/* From way 10 * id over some ways to way 10 * id + 9; every third one is for bicycles, every fourth lacks its
 * last member. */
static macadam_status add(mcd_restrictions *to, mcd_report *report, const mcd_profile *car, int64_t id)
{
    const mcd_tag tag[] = {
        {"type", "restriction"},
        {id % 3 ? "restriction" : "restriction:bicycle", id % 2 ? "no_u_turn" : "only_left_turn"}};
    mcd_osm_member member[5] = {{'w', 10 * id, "from"}};
    size_t count = 1;
    for (int64_t via = 0; via < 1 + id % 3; ++via) member[count++] = (mcd_osm_member){'w', id + via, "via"};
    member[count++] = (mcd_osm_member){'w', 10 * id + 9, "to"};
    const mcd_osm_relation relation = {id, member, count - (id % 4 == 0), {.tag = tag, .count = 2}};
    return mcd_restrictions_add(to, report, car, &relation, &import_error);
}

static macadam_status add_all(mcd_restrictions *out, mcd_report *report, const mcd_profile *car)
{
    macadam_status status = MACADAM_OK;
    for (int64_t id = 1; id <= RELATIONS && status == MACADAM_OK; ++id) status = add(out, report, car, id);
    return status;
}

Test(restriction, members_are_kept_of_those_that_have_all)
{
    SCOPED(mcd_profile_free) mcd_profile car;
    SCOPED(mcd_restrictions_free) mcd_restrictions all = {0};
    SCOPED(mcd_report_free) mcd_report report = {0};
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    cr_assert_eq(add_all(&all, &report, &car), MACADAM_OK);
    cr_expect_eq(report.count[MCD_RESTRICTION_EXCEPTED], RELATIONS / 3);
    cr_expect_eq(all.count + report.count[MCD_RESTRICTION_MEMBERS], RELATIONS - RELATIONS / 3);
    for (size_t i = 0, first = 0; i < all.count; ++i) {
        const mcd_restriction *const kept = &all.restriction[i];
        cr_expect(kept->first == first && kept->via_ways && kept->from_count == 1 && kept->to_count == 1);
        first += 2 + kept->via_count;
        cr_expect_eq(all.member[first - 1], all.member[kept->first] + 9);
    }
}

Test(restriction, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        mcd_profile car;
        mcd_restrictions out = {0};
        mcd_report report = {0};
        allocator_fail(nth);
        macadam_status status = mcd_profile_read(&car, "car", &import_error);
        if (status == MACADAM_OK) status = add_all(&out, &report, &car);
        if (status == MACADAM_OK) status = mcd_report_check(&report, &import_error);
        mcd_report_free(&report);
        mcd_restrictions_free(&out);
        mcd_profile_free(&car);
        if (!leak_expect_failed(nth, status)) break;
    }
}
