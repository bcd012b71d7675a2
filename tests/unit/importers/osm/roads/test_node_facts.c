/* test_node_facts.c - the order of points, and the facts that nodes state about them. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/roads/node_facts.h"
#include "tests/support/import_fixture.h"
#include "tests/support/leak.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static mcd_profile car;
static mcd_points points;
static mcd_node_facts node_facts;
static mcd_report report;

static void set_up(void)
{
    import_fixture_open();
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
}

static void tear_down(void)
{
    mcd_profile_free(&car);
    mcd_points_free(&points);
    mcd_node_facts_free(&node_facts);
    mcd_report_free(&report);
    import_fixture_close();
}

TestSuite(points, .init = import_fixture_open, .fini = import_fixture_close);
TestSuite(node_fact, .init = set_up, .fini = tear_down);

/* ---- points ---- */

enum { REFS = 5000 };

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void expect_points(int64_t *ref, size_t count)
{
    cr_assert_eq(mcd_points_new(&points, ref, count, &(mcd_parallel){.thread_count = 2}, NULL, &import_error),
                 MACADAM_OK);
    qsort(ref, count, sizeof *ref, compare);
    size_t point = 0;
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || ref[i] != ref[i - 1]) cr_assert_eq(points.id[point++], ref[i], "%zu of %zu", i, count);
    cr_expect_eq(points.count, point);
    mcd_points_free(&points);
}

Test(points, they_ascend_whatever_the_width_of_their_ids)
{
    static int64_t ref[REFS];
    test_rng rng = {1};
    expect_points(ref, 0);
    for (unsigned bits = 0; bits < 64; ++bits) {
        for (size_t i = 0; i < REFS; ++i)
            ref[i] = (int64_t)((rng_next(&rng) >> (63 - bits)) - (UINT64_C(1) << bits >> 1));
        expect_points(ref, bits % 2 ? REFS : REFS / 100);
    }
    ref[0] = INT64_MAX, ref[1] = INT64_MIN, ref[2] = 0, ref[3] = INT64_MIN;
    expect_points(ref, 4);
}

Test(points, every_failed_allocation_is_an_error)
{
    static const int64_t ref[] = {1, 1 << 20};
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status =
            mcd_points_new(&points, ref, 2, &(mcd_parallel){.thread_count = 2}, NULL, &import_error);
        mcd_points_free(&points);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* ---- nodes ---- */

static void add(int64_t id, int32_t lon_e7, const char *key, const char *value)
{
    const mcd_tag tag = {key, value};
    const mcd_osm_node node = {id,         lon_e7, -lon_e7, lon_e7 >= 0, {.tag = &tag, .count = key != NULL},
                               MCD_AGE_MIN};
    cr_assert_eq(mcd_node_facts_add(&node_facts, &report, &points, &car, &node, &import_error), MACADAM_OK);
}

static void begin(void)
{
    static int64_t ref[100];
    for (size_t i = 0; i < 100; ++i) ref[i] = 10 * (int64_t)i;
    cr_assert_eq(mcd_points_new(&points, ref, 100, &(mcd_parallel){.thread_count = 2}, NULL, &import_error),
                 MACADAM_OK);
}

Test(node_fact, points_are_found_in_any_order_of_the_nodes)
{
    begin();
    test_rng rng = {2};
    for (int round = 0; round < 10000; ++round) {
        const int64_t id = (int64_t)rng_below(&rng, 1100) - 50;
        const bool is_point = id >= 0 && id < 1000 && id % 10 == 0;
        add(id, 1, NULL, NULL);
        cr_assert_eq(node_facts.count, is_point, "%lld", (long long)id);
        if (is_point) cr_assert_eq(node_facts.node_fact[0].point, id / 10);
        node_facts.count = 0;
    }
}

Test(node_fact, last_word_on_a_point_counts)
{
    begin();
    add(20, 1, "barrier", "block");
    add(20, 2, "highway", "stop");
    add(30, -1, NULL, NULL);
    add(30, 3, NULL, NULL);
    add(30, -1, NULL, NULL);
    cr_expect_eq(points.state[2], 0);
    cr_assert_eq(mcd_node_facts_apply(&node_facts, &points, &import_error), MACADAM_OK);
    cr_expect(points.state[2] & MCD_POINT_PRESENT && !(points.state[2] & MCD_POINT_BLOCKED));
    cr_expect(points.lon_e7[2] == 2 && points.lat_e7[2] == -2 && points.wait_s[2] == 2);
    cr_expect(points.lon_e7[3] == 3 && points.state[3] & MCD_POINT_PRESENT);
    cr_expect_eq(report.count[MCD_REPORT_INVALID_NODES], 2);
    cr_expect_eq(points.state[4], 0);
}

Test(node_fact, node_facts_are_applied_once)
{
    begin();
    add(20, 1, "maxheight:conditional", "2");
    cr_assert_eq(mcd_node_facts_apply(&node_facts, &points, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_node_facts_apply(&node_facts, &points, &import_error), MACADAM_OK);
    cr_expect_eq(node_facts.count, 0);
    cr_expect_eq(report.count[MCD_REPORT_CONDITIONAL_NODES], 1);
}
