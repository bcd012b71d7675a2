/* test_arrays.c - a map from the caller's arrays. */
#include "tests/support/fixture.h"
#include "tests/support/leak.h"
#include "tests/support/import_fixture.h"

#include "importers/arrays.h"

#include <criterion/criterion.h>

static const int64_t id[] = {7, -3};
static const int32_t lon_e7[] = {1, 2}, lat_e7[] = {3, 4};
static const uint32_t tail[] = {0, 1, 1}, head[] = {1, 0, 1}, duration[] = {5, 6, 0};
static const char *const quantity[] = {"duration"}, *const unit[] = {"s"};
static const uint32_t *const weight[] = {duration};

static macadam_arrays_input input;

static void set_up(void)
{
    import_fixture_open();
    input = (macadam_arrays_input){.size = sizeof input,
                                   .node_count = 2,
                                   .arc_count = 3,
                                   .id = id,
                                   .lon_e7 = lon_e7,
                                   .lat_e7 = lat_e7,
                                   .tail = tail,
                                   .head = head,
                                   .quantity = quantity,
                                   .unit = unit,
                                   .weight = weight,
                                   .quantity_count = 1};
}

TestSuite(arrays, .init = set_up, .fini = import_fixture_close);

static void expect_bad(const char *message)
{
    import_expect(mcd_arrays_read(&import_map, &input, NULL, &import_error), MACADAM_E_INVALID, NULL,
                  message);
}

Test(arrays, everything_is_copied)
{
    FIXTURE_CALL(mcd_arrays_read, &import_map, &input, NULL);
    FIXTURE_CALL(mcd_map_check, &import_map, NULL);
    cr_assert_eq(import_map.node_id[1], -3);
    cr_assert_eq(import_map.lon_e7[1], 2);
    cr_assert_eq(import_map.lat_e7[0], 3);
    cr_assert_eq(import_map.tail[1], 1);
    cr_assert_eq(import_map.head[0], 1);
    cr_assert_eq(import_map.weight[0][1], 6);
    cr_assert_eq(import_map.arc_number[2], 3);
    cr_assert_str_eq(import_map.quantity[0], "duration");
    cr_assert_str_eq(import_map.unit[0], "s");
}

static uint8_t speed[2 * MCD_PATTERN_SLOTS];
static const uint16_t arc_pattern[] = {2, 0, 1};

static void give_patterns(void)
{
    speed[5] = speed[MCD_PATTERN_SLOTS] = MCD_PATTERN_FASTEST;
    input.arc_pattern = arc_pattern, input.pattern_speed = speed;
    input.pattern_count = 2, input.slot_count = MCD_PATTERN_SLOTS;
}

Test(arrays, patterns_are_copied)
{
    give_patterns();
    FIXTURE_CALL(mcd_arrays_read, &import_map, &input, NULL);
    FIXTURE_CALL(mcd_map_check, &import_map, NULL);
    cr_assert_arr_eq(import_map.pattern, speed, sizeof speed);
    cr_assert_arr_eq(import_map.arc_pattern, arc_pattern, sizeof arc_pattern);
    cr_assert_eq(import_map.pattern_count, 2);
    cr_assert_eq(import_map.pattern_slots, MCD_PATTERN_SLOTS);
}

Test(arrays, patterns_that_are_not_whole_are_refused)
{
    give_patterns();
    input.slot_count = 96;
    expect_bad("2 patterns of 96 slots: the limit is 65535, and a week has 672 slots or 2016, or with "
               "holidays twice as many");
    input.slot_count = MCD_PATTERN_SLOTS, input.pattern_count = MCD_PATTERNS_MAX + 1;
    expect_bad("65536 patterns of 672 slots: the limit is 65535, and a week has 672 slots or 2016, or with "
               "holidays twice as many");
    input.arc_pattern = NULL;
    expect_bad("patterns and the patterns of arcs come both or neither");
}

Test(arrays, nodes_without_ids_are_known_by_their_index)
{
    input.id = NULL;
    input.lon_e7 = input.lat_e7 = NULL;
    input.unit = NULL;
    FIXTURE_CALL(mcd_arrays_read, &import_map, &input, NULL);
    cr_assert_eq(import_map.node_id[1], 1);
    cr_assert_null(import_map.lon_e7);
    cr_assert_str_eq(import_map.unit[0], "");
}

Test(arrays, empty_map_needs_no_arrays)
{
    static const uint32_t *const none[] = {NULL};
    input = (macadam_arrays_input){
        .size = sizeof input, .quantity = quantity, .weight = none, .quantity_count = 1};
    FIXTURE_CALL(mcd_arrays_read, &import_map, &input, NULL);
    FIXTURE_CALL(mcd_map_check, &import_map, NULL);
}

Test(arrays, missing_arrays_are_refused)
{
    static const uint32_t *const none[] = {NULL};
    input.tail = NULL;
    expect_bad("3 arcs have no tails or heads");
    input.tail = tail;
    input.lat_e7 = NULL;
    expect_bad("longitudes and latitudes come both or neither");
    input.lat_e7 = lat_e7;
    input.weight = none;
    expect_bad("the quantity duration has no weights");
    input.weight = NULL;
    expect_bad("no quantity is given");
}

Test(arrays, quantities_are_one_to_eight)
{
    input.quantity_count = 0;
    expect_bad("no quantity is given");
    input.quantity_count = 9;
    expect_bad("9 quantities are more than 8");
}

Test(arrays, more_nodes_than_ids_are_refused)
{
    input.node_count = UINT32_MAX;
    expect_bad("4294967295 nodes are more than 4294967294");
}

Test(arrays, repeated_id_is_refused)
{
    static const int64_t same[] = {7, 7};
    input.id = same;
    expect_bad("two nodes have the id 7");
}

Test(arrays, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = mcd_arrays_read(&import_map, &input, NULL, &import_error);
        mcd_map_free(&import_map);
        if (!leak_expect_failed(nth, status)) break;
    }
}
