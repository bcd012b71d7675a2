/* test_map.c - a map's index of user ids, and the maps that mcd_map_check refuses. */
#include "tests/support/allocator.h"
#include "tests/support/import_fixture.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(map, .init = import_fixture_open, .fini = import_fixture_close);

/* 10 --5--> 20 --0--> 30, and 10 on its own arc to itself */
static const uint32_t path[][3] = {{0, 1, 5}, {1, 2, 0}, {0, 0, 1}};

static void make_path(void)
{
    import_map_of(3, path, 3);
}

static void expect_bad(const char *message)
{
    cr_expect_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, message);
}

Test(map, zeroed_map_can_be_freed)
{
    mcd_map map = {0};
    mcd_map_free(&map);
    mcd_map_free(&map);
}

Test(map, ascending_ids_are_indexed_in_place)
{
    make_path();
    cr_assert_eq(import_map.id_count, 3);
    for (mcd_node node = 0; node < 3; ++node) {
        cr_assert_eq(import_map.id[node], import_map.node_id[node]);
        cr_assert_eq(import_map.depart[node], node);
        cr_assert_eq(import_map.arrive[node], node);
        cr_assert_eq(import_map.index[node], node);
    }
}

Test(map, unsorted_ids_are_sorted)
{
    static const int64_t id[] = {7, -3, INT64_MAX, INT64_MIN};
    static const mcd_node node[] = {3, 1, 0, 2};
    import_map.node_count = 4;
    import_map.node_id = mcd_allocate(4, sizeof *import_map.node_id);
    memcpy(import_map.node_id, id, sizeof id);
    cr_assert_eq(mcd_map_index_ids(&import_map, NULL, &import_error), MACADAM_OK);
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_eq(import_map.id[i], id[node[i]]);
        cr_assert_eq(import_map.depart[i], node[i]);
        cr_assert_eq(import_map.arrive[i], node[i]);
        cr_assert_eq(import_map.index[node[i]], i);
    }
}

Test(map, repeated_id_is_named)
{
    import_map.node_count = 3;
    import_map.node_id = mcd_allocate(3, sizeof *import_map.node_id);
    import_map.node_id[0] = 5;
    import_map.node_id[1] = 9;
    import_map.node_id[2] = 5;
    import_expect(mcd_map_index_ids(&import_map, NULL, &import_error), MACADAM_E_INVALID, NULL,
                  "two nodes have the id 5");
}

Test(map, ids_are_found_or_not)
{
    make_path();
    cr_assert_eq(mcd_map_find_id(&import_map, 10), 0);
    cr_assert_eq(mcd_map_find_id(&import_map, 30), 2);
    cr_assert_eq(mcd_map_find_id(&import_map, 15), 3);
    cr_assert_eq(mcd_map_find_id(&import_map, 31), 3);
}

Test(map, good_map_passes)
{
    make_path();
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

Test(map, empty_map_passes)
{
    import_map_of(0, path, 0);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

/* A path with one fault is refused. */
#define REFUSED(name, fault, message)                                                                        \
    Test(map, name)                                                                                          \
    {                                                                                                        \
        make_path();                                                                                         \
        import_map.fault;                                                                                    \
        expect_bad(message);                                                                                 \
    }
REFUSED(map_without_quantities_is_refused, quantity_count = 0, "0 quantities are not 1 to 8")

Test(map, unterminated_quantity_is_refused)
{
    make_path();
    memset(import_map.quantity[0], 'x', MCD_NAME_BYTES);
    expect_bad("the name of quantity 0 is empty or not terminated");
}

REFUSED(end_out_of_range_is_refused, head[1] = 3, "arc 1 goes from node 1 to 3 of 3")
REFUSED(weight_of_an_unreached_path_is_refused, weight[0][2] = MCD_UNREACHED,
        "the cost 2147483647 of arc 2 is more than 2147483646")

static void give_patterns(void)
{
    make_path();
    import_map.number_count = 3, import_map.pattern_count = 2, import_map.pattern_slots = MCD_PATTERN_SLOTS;
    import_map.arc_pattern = mcd_allocate_zeroed(3, sizeof *import_map.arc_pattern);
    import_map.pattern = mcd_allocate_zeroed(2, MCD_PATTERN_SLOTS);
    import_map.pattern[0] = import_map.pattern[2 * MCD_PATTERN_SLOTS - 1] = MCD_PATTERN_FASTEST;
    import_map.arc_pattern[2] = 2;
}

Test(map, patterns_pass)
{
    give_patterns();
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

Test(map, bad_patterns_are_refused)
{
    give_patterns();
    import_map.arc_pattern[1] = 3;
    expect_bad("arc number 2 has the pattern 3 of 2");
    import_map.pattern[0] = 254;
    expect_bad("pattern 0 of 2 never has the fastest speed, 255");
    import_map.pattern_slots = 96;
    expect_bad("2 patterns of 96 slots: the limit is 65535, and a week has 672 slots or 2016, or with "
               "holidays twice as many");
    mcd_free(import_map.pattern);
    import_map.pattern = NULL;
    expect_bad("patterns of speed without their arcs");
}

Test(map, largest_weight_passes)
{
    make_path();
    import_map.weight[0][2] = MCD_WEIGHT_MAX;
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

REFUSED(repeated_arc_number_is_refused, arc_number[1] = 1, "two arcs have the number 1")
REFUSED(arc_number_out_of_range_is_refused, arc_number[1] = 4, "arc 1 has the number 4, which is not in 1..3")
REFUSED(arc_without_a_number_must_be_an_arrival_arc, arc_number[0] = MCD_ARC_NONE,
        "arc 0 has no number but is not an arrival arc")

Test(map, arc_number_that_is_left_out_is_refused)
{
    make_path();
    import_map.arc_number[1] = 3;
    import_map.arc_number[2] = MCD_ARC_NONE;
    expect_bad("no arc has the number 2, but one has 3");
}

REFUSED(ids_that_do_not_ascend_are_refused, id[1] = 10, "id 10 follows 10: ids must ascend")
REFUSED(departing_from_another_id_is_refused, depart[1] = 2,
        "id 20 departs or arrives at a node that is not its own")
REFUSED(node_of_an_unlisted_id_is_refused, id_count = 2, "node 2 has the id 30, which is not in the index")
REFUSED(node_at_another_id_is_refused, index[1] = 2, "node 1 has the id 20, which is not in the index")

Test(map, coordinates_off_the_globe_are_refused)
{
    make_path();
    import_map.lon_e7 = mcd_allocate_zeroed(3, sizeof(int32_t));
    expect_bad("longitudes without latitudes");
    import_map.lat_e7 = mcd_allocate_zeroed(3, sizeof(int32_t));
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK);
    import_map.lat_e7[2] = 900000001;
    expect_bad("node 2 has the coordinates 0.0000000,90.0000001");
}

Test(map, road_names_must_be_terminated_and_in_range)
{
    make_path();
    import_map.number_count = 3;
    import_map.names = mcd_allocate_zeroed(4, 1);
    import_map.names_bytes = 4;
    import_map.arc_kind = mcd_allocate_zeroed(3, sizeof(uint32_t));
    import_map.kind = mcd_allocate_zeroed(1, sizeof(mcd_kind));
    import_map.kind_count = 1;
    import_map.names[3] = 'x';
    expect_bad("road names do not begin with an empty one or are not terminated");
    import_map.names[3] = '\0';
    import_map.arc_kind[2] = 1;
    expect_bad("arc number 3 is of kind 1 of 1");
    import_map.arc_kind[2] = 0;
    import_map.kind[0].text[MCD_KIND_REF] = 4;
    expect_bad("kind 0 has text 2 at byte 4 of 4");
}

Test(map, shape_points_must_begin_before_they_end)
{
    make_path();
    import_map.number_count = 3;
    import_map.first_shape = mcd_allocate_zeroed(4, sizeof(uint64_t));
    import_map.shape_lon_e7 = mcd_allocate_zeroed(2, sizeof(int32_t));
    import_map.shape_lat_e7 = mcd_allocate_zeroed(2, sizeof(int32_t));
    import_map.first_shape[1] = 2;
    expect_bad("arc number 2 has its shape points end before they begin");
}

Test(map, index_without_memory_is_an_error)
{
    static const int64_t id[] = {7, -3, 5};
    for (unsigned at = 1; at <= 6; ++at) {
        mcd_map_free(&import_map);
        import_map.node_count = 3;
        import_map.node_id = mcd_allocate(3, sizeof *import_map.node_id);
        memcpy(import_map.node_id, id, sizeof id);
        allocator_fail(at);
        cr_assert_eq(mcd_map_index_ids(&import_map, NULL, &import_error),
                     at < 6 ? MACADAM_E_MEMORY : MACADAM_OK);
    }
}
