/* test_speed_arcs.c - durations and patterns of arcs by their speeds.
 *
 *   node 1 --- 5 --- 6 --- node 2     way 10 along it, 30 m, in three equal pieces; and the arc back */
#include "tests/support/fixture.h"
#include "tests/support/leak.h"

#include "importers/speeds/speed_arcs.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MS = 3000, CM = 3000, MORNING = 7 * 12, MORNING_END = 8 * 12 };

static const int64_t way[] = {10, 10}, node[] = {1, 5, 6, 2, 2, 6, 5, 1};
static const double node_m[] = {0, 10, 20, 30, 0, 10, 20, 30};
static const uint8_t against[] = {0, 1};
static const uint64_t first_node[] = {0, 4, 8};
static const mcd_weight duration[] = {MS, MS}, distance[] = {CM, CM};
static mcd_speed_roads roads;
static mcd_speed_table table;
static mcd_speed_result result;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    roads = (mcd_speed_roads){2, way, against, first_node, node, node_m, duration, distance};
}

static void tear_down(void)
{
    mcd_speed_result_free(&result);
    mcd_speed_table_free(&table);
    leak_expect_none();
}

TestSuite(speed_arcs, .init = set_up, .fini = tear_down);

static void add(mcd_speed_kind kind, int64_t key0, int64_t key1, uint16_t first, uint16_t end,
                uint32_t kmh_e3)
{
    const mcd_speed_row row = {.key = {key0, key1}, .kmh_e3 = kmh_e3, .first = first, .end = end, .days = 1};
    FIXTURE_CALL(mcd_speed_table_add, &table, kind, &row);
}

static void apply(void)
{
    FIXTURE_CALL(mcd_speed_table_close, &table);
    FIXTURE_CALL(mcd_speed_arcs_apply, &result, &table, &roads, NULL);
}

/* The speed of an arc on Monday at 07:30, and at another time. */
static void expect_pattern(size_t arc, uint8_t morning, uint8_t otherwise)
{
    cr_assert_neq(result.pattern[arc], 0);
    const uint8_t *const pattern = result.set.value + (result.pattern[arc] - 1) * result.set.slot_count;
    cr_expect_eq(pattern[30], morning, "%u", pattern[30]);
    cr_expect_eq(pattern[27], otherwise, "%u", pattern[27]);
    cr_expect_eq(pattern[32], otherwise, "%u", pattern[32]);
    cr_expect_eq(pattern[96 + 30], otherwise);
}

Test(speed_arcs, slots_without_a_speed_keep_the_duration)
{
    add(MCD_SPEED_OF_WAY, 10, 1, MORNING, MORNING_END, 18000); /* 30 m at 5 m/s are 6 s */
    apply();
    cr_expect_eq(result.duration_ms[0], MS);
    expect_pattern(0, 128, 255);
    cr_expect_eq(result.duration_ms[1], MS);
    cr_expect_eq(result.pattern[1], 0);
    cr_expect_eq(result.arc_count, 1);
    cr_expect(result.applies[0] && !result.applies[1]);
}

Test(speed_arcs, the_duration_is_that_at_the_fastest_speed)
{
    add(MCD_SPEED_OF_WAY, 10, -1, MORNING, MORNING_END, 72000); /* 30 m at 20 m/s are 1.5 s */
    apply();
    cr_expect_eq(result.duration_ms[1], 1500);
    expect_pattern(1, 255, 128);
}

Test(speed_arcs, a_speed_for_all_of_the_week_needs_no_pattern)
{
    uint32_t week[MCD_PATTERN_SLOTS];
    for (size_t i = 0; i < MCD_PATTERN_SLOTS; ++i) week[i] = 54000;
    FIXTURE_CALL(mcd_speed_table_add_week, &table, MCD_SPEED_OF_WAY, &(mcd_speed_row){.key = {10, 1}}, week,
                 MCD_PATTERN_SLOTS);
    apply();
    cr_expect_eq(result.duration_ms[0], 2000);
    cr_expect_eq(result.pattern[0], 0);
    cr_expect_eq(result.set.count, 0);
}

Test(speed_arcs, speeds_between_nodes_change_their_piece)
{
    add(MCD_SPEED_OF_PAIR, 5, 6, MORNING, MORNING_END, 9000); /* 10 m at 2.5 m/s: 1 + 4 + 1 s, not 3 */
    add(MCD_SPEED_OF_PAIR, 6, 5, MORNING, MORNING_END, 0);
    apply();
    cr_expect_eq(result.duration_ms[0], MS);
    expect_pattern(0, 128, 255);
    expect_pattern(1, 0, 255);
}

Test(speed_arcs, speeds_between_nodes_come_before_those_of_the_way)
{
    add(MCD_SPEED_OF_WAY, 10, 1, MORNING, MORNING_END, 18000);
    add(MCD_SPEED_OF_PAIR, 1, 5, MORNING, MORNING_END, 36000); /* 1 + 2 + 2 s */
    apply();
    expect_pattern(0, 153, 255);
}

Test(speed_arcs, without_nodes_between_only_whole_arcs_have_pairs)
{
    static const int64_t end[] = {1, 2, 2, 1};
    static const double share[] = {0, 1, 0, 1};
    static const uint64_t first_end[] = {0, 2, 4};
    roads.node = end, roads.node_m = share, roads.first_node = first_end;
    add(MCD_SPEED_OF_PAIR, 5, 6, MORNING, MORNING_END, 9000);
    add(MCD_SPEED_OF_PAIR, 2, 1, MORNING, MORNING_END, 18000);
    apply();
    cr_expect_eq(result.pattern[0], 0);
    expect_pattern(1, 128, 255);
    cr_expect_eq(result.found[MCD_SPEED_OF_PAIR][0], 1);
    cr_expect_eq(result.found[MCD_SPEED_OF_PAIR][1], 0);
}

Test(speed_arcs, ways_that_never_move_stay_as_they_are)
{
    for (uint32_t day = 0; day < 7; ++day) {
        const mcd_speed_row row = {.key = {10, 1}, .end = MCD_SPEED_DAY_STEPS, .days = MCD_SPEED_ALL_DAYS};
        FIXTURE_CALL(mcd_speed_table_add, &table, MCD_SPEED_OF_WAY, &row);
    }
    add(MCD_SPEED_OF_WAY, 11, 1, MORNING, MORNING_END, 18000);
    apply();
    cr_expect_eq(result.duration_ms[0], MS);
    cr_expect_eq(result.pattern[0], 0);
    cr_expect_eq(result.still[0], 1);
    cr_expect_eq(result.found[MCD_SPEED_OF_WAY][0], 1);
    cr_expect_eq(result.found[MCD_SPEED_OF_WAY][7], 0);
}

/* Every arc has a pattern of its own, until they are coarse. */
Test(speed_arcs, near_patterns_become_one_where_they_are_too_many)
{
    enum { ARCS = 70000 };
    static int64_t ways[ARCS];
    static uint8_t along[ARCS];
    static mcd_weight weight[ARCS];
    for (size_t i = 0; i < ARCS; ++i) {
        ways[i] = (int64_t)i, weight[i] = 100000;
        for (uint16_t digit = 0; digit < 6; ++digit) {
            size_t rest = i;
            for (uint16_t d = 0; d < digit; ++d) rest /= 7;
            add(MCD_SPEED_OF_WAY, (int64_t)i, 1, (uint16_t)(12 * digit), (uint16_t)(12 * digit + 12),
                (uint32_t)(1000 + rest % 7 * 15));
        }
    }
    roads = (mcd_speed_roads){
        .count = ARCS, .way = ways, .against = along, .duration_ms = weight, .distance_cm = weight};
    for (size_t i = 0; i < ARCS; ++i) weight[i] = 3000000; /* 30 km: 1 km/h, 1.015 km/h, ... and 36 km/h */
    apply();
    cr_expect_leq(result.set.count, MCD_PATTERNS_MAX);
    cr_expect_gt(result.set.count, 0);
    cr_expect_gt(result.errors.worst_ppm, 0);
    for (size_t i = 0; i < ARCS; ++i) cr_assert_leq(result.pattern[i], result.set.count);
}

/* Of 24 parts of the day with two speeds each, half apart: steps of half a speed leave all patterns different. */
Test(speed_arcs, patterns_that_no_rounding_joins_are_averaged)
{
    enum { ARCS = 70000, PARTS = 24 };
    static int64_t ways[ARCS];
    static uint8_t along[ARCS];
    static mcd_weight weight[ARCS];
    for (size_t i = 0; i < ARCS; ++i) {
        ways[i] = (int64_t)i, weight[i] = 3000000;
        for (uint16_t part = 0; part < PARTS; ++part) {
            const mcd_speed_row row = {.key = {(int64_t)i, 1},
                                       .kmh_e3 = i * 48271 % 1048573 >> part % 20 & 1 ? 30000 : 60000,
                                       .first = (uint16_t)(12 * part),
                                       .end = (uint16_t)(12 * part + 12),
                                       .days = MCD_SPEED_ALL_DAYS};
            FIXTURE_CALL(mcd_speed_table_add, &table, MCD_SPEED_OF_WAY, &row);
        }
    }
    roads = (mcd_speed_roads){
        .count = ARCS, .way = ways, .against = along, .duration_ms = weight, .distance_cm = weight};
    apply();
    cr_expect_leq(result.set.count, MCD_PATTERNS_MAX);
    cr_expect_gt(result.set.count, 100);
    cr_expect_lt(result.errors.worst_ppm, 600000, "%zu", (size_t)result.errors.worst_ppm);
    cr_expect_lt(result.errors.sum_ppm / result.errors.slots, 250000, "%zu",
                 (size_t)(result.errors.sum_ppm / result.errors.slots));
}

Test(speed_arcs, applying_without_memory_fails_and_leaks_nothing)
{
    macadam_status status;
    size_t nth = 0;
    add(MCD_SPEED_OF_WAY, 10, 1, MORNING, MORNING_END, 18000);
    do {
        mcd_speed_result_free(&result);
        allocator_fail(++nth);
        status = mcd_speed_arcs_apply(&result, &table, &roads, NULL, &error);
        cr_assert_eq(status, allocator_has_failed() ? MACADAM_E_MEMORY : MACADAM_OK);
    } while (status);
    allocator_fail(0);
    cr_assert_gt(nth, 6);
}
