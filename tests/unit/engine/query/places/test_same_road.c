/* test_same_road.c - the ways along roads of a rectangle. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/query/places/same_road.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROADS = 40, ARCS = 2 * ROADS, LENGTH = 1000, COLUMN = 3, TARGETS_MAX = 3000 };

static mcd_weight weight[ARCS];
static const mcd_weights weights = {.objective = weight};
static mcd_lanes source, target;
static macadam_error error;

/* Places on roads with an arc in each direction; every tenth is at a junction, and every third of the others on the busy road 0. */
static void put_places(mcd_lanes *lanes, size_t count, mcd_end end, test_rng *rng)
{
    *lanes = (mcd_lanes){.end = end, .weights = &weights, .place_count = count};
    lanes->position = checked_allocate(count, sizeof *lanes->position);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t road = i % 3 == 0 ? 0 : rng_below(rng, ROADS);
        const uint64_t before = 1 + rng_next(rng) % ((UINT64_C(1) << 32) - 1);
        lanes->position[i] = mcd_position_none;
        if (i % 10 == 9) continue;
        lanes->position[i].arc[0] = 2 * road, lanes->position[i].before[0] = before;
        if (road % 4 == 3) continue; /* one-way */
        lanes->position[i].arc[1] = 2 * road + 1, lanes->position[i].before[1] = MCD_ROAD_WHOLE - before;
    }
}

static void begin(size_t sources, size_t targets)
{
    test_rng rng = {sources + targets};
    for (size_t arc = 0; arc < ARCS; ++arc)
        weight[arc] = arc % 14 == 13 ? MCD_UNREACHED : LENGTH + (mcd_weight)arc;
    put_places(&source, sources, MCD_DEPART, &rng);
    put_places(&target, targets, MCD_ARRIVE, &rng);
}

static void end(void)
{
    free(source.position);
    free(target.position);
}

/* Checks the ways of some rows against every pair of places. */
static void check_rows(const mcd_way_list *ways, const mcd_cells *cells)
{
    static bool is_listed[TARGETS_MAX];
    size_t at = 0;
    for (size_t row = 0; row < ways->rows; ++row) {
        size_t of_row = 0, listed = at;
        for (; listed < ways->count && ways->way[listed].row == row; ++listed) {
            const mcd_road_way *const way = &ways->way[listed];
            const mcd_road_part part =
                mcd_lanes_same_road(&source, cells->row + row, &target, cells->column + way->column);
            cr_assert(part.arc != MCD_ROAD_NONE && part.objective == way->objective);
            is_listed[way->column] = true;
        }
        for (size_t t = 0; t < cells->columns; ++t) {
            const bool is_way =
                mcd_lanes_same_road(&source, cells->row + row, &target, cells->column + t).arc !=
                MCD_ROAD_NONE;
            cr_assert_eq(is_way, is_listed[t], "row %zu, column %zu", row, t);
            is_listed[t] = false, of_row += is_way;
        }
        cr_assert_eq(of_row, listed - at, "row %zu lists a way twice", row);
        at = listed;
    }
    cr_assert_eq(at, ways->count);
}

/* Lists the ways of a rectangle part by part. Returns how many parts there were. */
static size_t check(const mcd_same_road *direct, size_t row, bool all, unsigned threads)
{
    MCD_FREED_BY(mcd_way_list_free) mcd_way_list ways = {NULL};
    const mcd_parallel parallel = {threads, NULL};
    size_t parts = 0;
    for (; row < source.place_count; row += ways.rows, ++parts) {
        const mcd_cells cells = {.row = row,
                                 .rows = source.place_count - row,
                                 .column = COLUMN,
                                 .columns = target.place_count - COLUMN - 1};
        cr_assert_eq(mcd_same_road_list(&ways, direct, &cells, all, &parallel, &error), MACADAM_OK);
        cr_assert_gt(ways.rows, 0);
        check_rows(&ways, &cells);
    }
    return parts;
}

static void check_places(size_t sources, size_t targets, bool knows_sources, bool is_large)
{
    begin(sources, targets);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        MCD_FREED_BY(mcd_same_road_free) mcd_same_road direct = {NULL};
        const mcd_parallel parallel = {threads, NULL};
        cr_assert_eq(mcd_same_road_new(&direct, knows_sources ? &source : NULL, &target, &parallel, &error),
                     MACADAM_OK);
        direct.source = &source;
        cr_assert_eq(check(&direct, 0, true, threads), 1);
        cr_assert_eq(check(&direct, 0, false, threads) > 1, is_large);
        cr_assert_eq(check(&direct, 1, false, threads) > 1, is_large);
    }
    end();
}

TestSuite(same_road, .init = allocator_install);

Test(same_road, ways_of_few_rows_and_of_many)
{
    check_places(5, 7, true, false);
    check_places(1023, 90, false, false);
    check_places(1024, 90, true, false);
    check_places(2500, 300, true, false);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

/* About a million are listed at a time. */
Test(same_road, ways_that_are_listed_in_parts)
{
    check_places(5000, TARGETS_MAX, true, true);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

Test(same_road, allocations_may_fail)
{
    begin(2100, 300);
    const mcd_cells cells = {.rows = source.place_count, .columns = target.place_count};
    const mcd_parallel parallel = {1, NULL};
    size_t tried = 0;
    for (bool has_failed = true; has_failed;) {
        MCD_FREED_BY(mcd_way_list_free) mcd_way_list ways = {NULL};
        MCD_FREED_BY(mcd_same_road_free) mcd_same_road direct = {NULL};
        allocator_fail(++tried);
        macadam_status status = mcd_same_road_new(&direct, &source, &target, &parallel, &error);
        if (!status) status = mcd_same_road_list(&ways, &direct, &cells, true, &parallel, &error);
        has_failed = allocator_has_failed();
        cr_assert_eq(status, has_failed ? MACADAM_E_MEMORY : MACADAM_OK);
        allocator_fail(0);
    }
    cr_assert_gt(tried, 8);
    end();
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}
