/* test_point.c - the points that the nodes of ways become. */
#include "tests/support/import_fixture.h"
#include "tests/support/rng.h"

#include "importers/osm/roads/point.h"

#include <criterion/criterion.h>

TestSuite(point, .init = import_fixture_open, .fini = import_fixture_close);

enum { REFS = 100 };

/* Ids of both signs; some repeat. */
static void draw(int64_t *ref, size_t count, test_rng *rng)
{
    for (size_t i = 0; i < count; ++i) ref[i] = (int64_t)rng_below(rng, 3 * REFS) - REFS;
}

static void expect_found(const mcd_points *points, const int64_t *ref, size_t count)
{
    uint32_t point[REFS];
    for (size_t i = 1; i < points->count; ++i) cr_assert_lt(points->id[i - 1], points->id[i]);
    mcd_points_find(points, ref, count, point);
    for (size_t i = 0; i < count; ++i) {
        cr_assert_lt(point[i], points->count, "reference %zu of %zu", i, count);
        cr_assert_eq(points->id[point[i]], ref[i], "reference %zu of %zu", i, count);
    }
}

Test(point, all_references_find_their_points)
{
    test_rng rng = {1};
    int64_t ref[REFS];
    for (size_t count = 0; count <= REFS; ++count) {
        mcd_points points;
        draw(ref, count, &rng);
        cr_assert_eq(
            mcd_points_new(&points, ref, count, &(mcd_parallel){.thread_count = 2}, NULL, &import_error),
            MACADAM_OK);
        expect_found(&points, ref, count);
        mcd_points_free(&points);
    }
}
