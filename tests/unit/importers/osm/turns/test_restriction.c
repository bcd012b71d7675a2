/* test_restriction.c - turn restrictions that were read in parts equal those that were read at once. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/turns/restriction.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"

#include <criterion/criterion.h>

TestSuite(restriction, .init = import_fixture_open, .fini = import_fixture_close);

enum { RELATIONS = 24 };

/* From way 10 * id over some ways to way 10 * id + 9; every third one is for bicycles, every fourth lacks its
 * last member. */
static macadam_status add(mcd_restrictions *to, const mcd_profile *car, int64_t id)
{
    const mcd_tag tag[] = {
        {"type", "restriction"},
        {id % 3 ? "restriction" : "restriction:bicycle", id % 2 ? "no_u_turn" : "only_left_turn"}};
    mcd_osm_member member[5] = {{'w', 10 * id, "from"}};
    size_t count = 1;
    for (int64_t via = 0; via < 1 + id % 3; ++via) member[count++] = (mcd_osm_member){'w', id + via, "via"};
    member[count++] = (mcd_osm_member){'w', 10 * id + 9, "to"};
    const mcd_osm_relation relation = {id, member, count - (id % 4 == 0), {tag, 2}, 1, 0};
    return mcd_restrictions_add(to, car, &relation, &import_error);
}

/* By way of a part that is joined after every `part_count` relations; 0: without one. */
static macadam_status read_all(mcd_restrictions *out, const mcd_profile *car, int64_t part_count)
{
    mcd_restrictions part = {0};
    macadam_status status = MACADAM_OK;
    for (int64_t id = 1; id <= RELATIONS && status == MACADAM_OK; ++id) {
        status = add(part_count ? &part : out, car, id);
        if (status == MACADAM_OK && part_count && id % part_count == 0)
            status = mcd_restrictions_append(out, &part, &import_error);
    }
    mcd_restrictions_free(&part);
    return status;
}

static void expect_equal(const mcd_restrictions *a, const mcd_restrictions *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert_eq(a->member_count, b->member_count);
    cr_expect_arr_eq(a->member, b->member, a->member_count * sizeof *a->member);
    cr_expect_arr_eq(a->fate_count, b->fate_count, sizeof a->fate_count);
    for (size_t i = 0; i < a->count; ++i) {
        const mcd_restriction *const x = &a->restriction[i], *const y = &b->restriction[i];
        cr_expect(x->first == y->first && x->via_count == y->via_count && x->only == y->only &&
                      x->turn == y->turn && x->via_ways == y->via_ways,
                  "restriction %zu", i);
    }
}

Test(restriction, parts_make_the_same_list)
{
    mcd_profile car;
    mcd_restrictions whole = {0};
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    cr_assert_eq(read_all(&whole, &car, 0), MACADAM_OK);
    cr_expect(whole.count > 9 && whole.fate_count[MCD_RESTRICTION_MEMBERS]);
    for (int64_t part_count = 1; part_count <= RELATIONS; ++part_count) {
        if (RELATIONS % part_count) continue;
        mcd_restrictions joined = {0};
        cr_assert_eq(read_all(&joined, &car, part_count), MACADAM_OK);
        expect_equal(&joined, &whole);
        mcd_restrictions_free(&joined);
    }
    mcd_restrictions_free(&whole);
    mcd_profile_free(&car);
}

Test(restriction, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        mcd_profile car;
        mcd_restrictions out = {0};
        allocator_fail(nth);
        macadam_status status = mcd_profile_read(&car, "car", &import_error);
        if (status == MACADAM_OK) status = read_all(&out, &car, 6);
        mcd_restrictions_free(&out);
        mcd_profile_free(&car);
        if (!leak_expect_failed(nth, status)) break;
    }
}
