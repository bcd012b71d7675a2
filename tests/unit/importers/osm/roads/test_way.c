/* test_way.c - ways that were read in parts equal those that were read in one part. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/roads/way_merge.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/rng.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>

TestSuite(way, .init = import_fixture_open, .fini = import_fixture_close);

enum { WAYS = 500, PARTS = 20, REFS = 6 };

static macadam_status add(mcd_ways *ways, const mcd_profile *car, const mcd_osm_way *way, mcd_report *report)
{
    SCOPED(mcd_report_free) mcd_report own = {0};
    MCD_TRY(mcd_ways_add(ways, report ? report : &own, car, way, &import_error));
    return mcd_report_check(report ? report : &own, &import_error);
}

/* Some have a name, of which there are few; some are not roads, or closed to cars. */
static macadam_status add_way(mcd_ways *ways, const mcd_profile *car, int64_t id, test_rng *rng)
{
    static const char *const name[] = {"", "Rue", "Via", "A long road", "B 3"};
    static const char *const highway[] = {"residential", "footway", "service", "motorway"};
    static const char *const access[] = {"yes", "no", "private"};
    const mcd_tag tag[] = {{"highway", highway[rng_below(rng, 4)]},
                           {"access", access[rng_below(rng, 3)]},
                           {"maxspeed", rng_below(rng, 9) ? "50" : "fast"},
                           {rng_below(rng, 9) ? "lit" : "maxspeed:conditional", "no"},
                           {"name", name[rng_below(rng, 5)]}};
    int64_t ref[REFS];
    for (size_t i = 0; i < REFS; ++i) ref[i] = rng_below(rng, 3 * REFS);
    const mcd_osm_way way = {
        id, ref, 2 + rng_below(rng, REFS - 1), {.tag = tag, .count = 4 + rng_below(rng, 2)}};
    return add(ways, car, &way, NULL);
}

/* WAYS ways into `count` lists, the first ones into the first list; some lists stay empty. */
static macadam_status draw(mcd_ways *list, size_t count, unsigned seed)
{
    SCOPED(mcd_profile_free) mcd_profile car;
    test_rng rng = {seed}, cuts = {seed + 1};
    size_t at = 0;
    macadam_status status = mcd_profile_read(&car, "car", &import_error);
    for (int64_t id = 1; id <= WAYS && status == MACADAM_OK; ++id) {
        if (rng_below(&cuts, WAYS / PARTS) == 0 && at + 1 < count) at += 1 + (at + 2 < count);
        status = add_way(&list[at], &car, id, &rng);
    }
    return status;
}

static macadam_status join(mcd_ways *out, unsigned seed, bool by_id)
{
    mcd_ways part[PARTS] = {{0}};
    const macadam_status status = draw(part, PARTS, seed);
    if (status == MACADAM_OK)
        return mcd_ways_merge(out, part, PARTS, PARTS, by_id, false, NULL, &import_error);
    for (size_t i = 0; i < PARTS; ++i) mcd_ways_free(&part[i]);
    return status;
}

static void expect_equal_way(const mcd_ways *a, const mcd_ways *b, size_t way)
{
    const mcd_way *const x = &a->way[way], *const y = &b->way[way];
    cr_assert(x->id == y->id && x->first_ref == y->first_ref && memcmp(x->kind, y->kind, sizeof x->kind) == 0,
              "way %zu", way);
    cr_assert_eq(x->passage.speed_kmh[MCD_FORWARD], y->passage.speed_kmh[MCD_FORWARD], "way %zu", way);
    cr_assert_eq(x->passage.destination_only[MCD_BACKWARD], y->passage.destination_only[MCD_BACKWARD],
                 "way %zu", way);
}

static void expect_equal(const mcd_ways *a, const mcd_ways *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert_eq(a->ref_count, b->ref_count);
    cr_assert_eq(a->names.bytes, b->names.bytes);
    for (size_t i = 0; i < a->count; ++i) expect_equal_way(a, b, i);
    cr_expect_eq(a->way[a->count].first_ref, b->way[b->count].first_ref);
    cr_expect_arr_eq(a->ref, b->ref, a->ref_count * sizeof *a->ref);
    cr_expect_arr_eq(a->names.text, b->names.text, a->names.bytes);
    cr_assert_eq(a->kinds.count, b->kinds.count);
    cr_expect_arr_eq(a->kinds.kind, b->kinds.kind, a->kinds.count * sizeof *a->kinds.kind);
}

Test(way, parts_make_the_same_list)
{
    for (unsigned seed = 1; seed <= 9; ++seed) {
        mcd_ways whole = {0}, joined = {0};
        cr_assert_eq(draw(&whole, 1, seed), MACADAM_OK);
        cr_assert_eq(join(&joined, seed, seed % 2), MACADAM_OK);
        expect_equal(&joined, &whole);
        mcd_ways_free(&whole);
        mcd_ways_free(&joined);
    }
}

Test(way, no_parts_have_no_ways)
{
    SCOPED(mcd_ways_free) mcd_ways out = {0};
    cr_expect_eq(mcd_ways_merge(&out, NULL, 0, 0, false, false, NULL, &import_error), MACADAM_OK);
    cr_expect_eq(out.count, 0);
}

/* Two broken names that are repaired alike are one; the tag keeps its text. */
Test(way, names_that_are_not_utf8_are_repaired_once)
{
    static const char *const name[] = {"Caf\xe9", "Caf\xff", "Caf\xc3\xa9"};
    const int64_t ref[] = {1, 2};
    SCOPED(mcd_profile_free) mcd_profile car;
    SCOPED(mcd_ways_free) mcd_ways ways = {0};
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    for (int64_t id = 0; id < 3; ++id) {
        const mcd_tag tag[] = {{"highway", "residential"}, {"name", name[id]}};
        const mcd_osm_way way = {id, ref, 2, {.tag = tag, .count = 2}};
        cr_assert_eq(add(&ways, &car, &way, NULL), MACADAM_OK, "%s", import_error.message);
    }
    cr_assert_eq(ways.count, 3);
    cr_expect_str_eq(ways.names.text + ways.kinds.kind[ways.way[0].kind[0]].text[MCD_KIND_NAME], "Caf?");
    cr_expect_eq(ways.way[1].kind[0], ways.way[0].kind[0]);
    cr_expect_str_eq(ways.names.text + ways.kinds.kind[ways.way[2].kind[0]].text[MCD_KIND_NAME],
                     "Caf\xc3\xa9");
    cr_expect_eq(ways.names.bytes, sizeof "" + sizeof "Caf?" + sizeof "residential" + sizeof "Caf\xc3\xa9");
}

Test(way, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        mcd_ways out = {0};
        allocator_fail(nth);
        const macadam_status status = join(&out, 1, true);
        mcd_ways_free(&out);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* Hostile values end soon, and use little of the stack. */
Test(way, long_conditional_tags_are_counted_and_ignored)
{
    enum { BYTES = 4 << 20 };
    static const char *const pattern[] = {"Mo AND ", ";", "50 @ (Mo) ; ", "(", "50@"};
    static char value[BYTES + 1];
    static const int64_t ref[] = {1, 2};
    SCOPED(mcd_profile_free) mcd_profile car;
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    for (size_t p = 0; p < sizeof pattern / sizeof pattern[0]; ++p) {
        const size_t length = strlen(pattern[p]);
        strcpy(value, "50 @ (");
        for (size_t at = 6; at + length < BYTES; at += length) strcpy(value + at, pattern[p]);
        const mcd_tag tag[] = {{"highway", "residential"}, {"maxspeed:conditional", value}};
        const mcd_osm_way way = {1, ref, 2, {.tag = tag, .count = 2}};
        SCOPED(mcd_ways_free) mcd_ways ways = {0};
        SCOPED(mcd_report_free) mcd_report report = {0};
        cr_assert_eq(add(&ways, &car, &way, &report), MACADAM_OK);
        cr_expect_eq(report.count[MCD_REPORT_CONDITIONS_ODD], 1, "%s", pattern[p]);
        cr_expect_eq(ways.conditional_tags.count, 0);
    }
}
