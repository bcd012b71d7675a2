/* test_order_file.c - an elimination order from a text file. */
#include "tests/support/import_fixture.h"

#include "engine/base/memory.h"
#include "importers/order/order_file.h"
#include "importers/osm/turns/turn.h"

#include <criterion/criterion.h>

TestSuite(order, .init = import_fixture_open, .fini = import_fixture_close);

/* 10 --> 20 --> 30, and back from 30 to 10 */
static void make_circle(void)
{
    static const uint32_t arc[][3] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}};
    import_map_of(3, arc, 3);
}

static void expect_order(const char *path, const mcd_node *expected, size_t count)
{
    mcd_node *order;
    cr_assert_eq(mcd_order_read(&order, &import_map, path, NULL, &import_error), MACADAM_OK, "%s",
                 import_error.message);
    for (size_t rank = 0; rank < count; ++rank) cr_assert_eq(order[rank], expected[rank], "rank %zu", rank);
    mcd_free(order);
}

static void expect_bad(const char *text, const char *message)
{
    mcd_node *order;
    make_circle();
    const char *const path = import_write("order.txt", text);
    import_expect(mcd_order_read(&order, &import_map, path, NULL, &import_error), MACADAM_E_FILE, path,
                  message);
    cr_assert_null(order);
}

Test(order, ids_stand_in_the_files_order)
{
    static const mcd_node expected[] = {1, 2, 0};
    make_circle();
    expect_order(import_write("order.txt", "20\n30\n10\n"), expected, 3);
}

Test(order, gzip_is_read)
{
    static const mcd_node expected[] = {2, 1, 0};
    make_circle();
    expect_order(import_write_gzip("order.txt.gz", "30\n20\n10\n", 0), expected, 3);
}

Test(order, copies_take_their_ids_place)
{
    static const mcd_node expected[] = {2, 1, 3, 4, 0}; /* 3 and 4 are 20's copy and arrival */
    const mcd_parallel parallel = {.thread_count = 2};
    mcd_turns turns = {0};
    make_circle();
    mcd_copier copier = mcd_copier_of(&import_map);
    cr_assert_eq(mcd_turns_forbid(&turns, (const mcd_arc[]){0, 1}, 2, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_turns_apply(&copier, &turns, &parallel, NULL, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_copier_arrivals(&copier, NULL, &import_error), MACADAM_OK);
    mcd_copier_free(&copier);
    mcd_turns_free(&turns);
    expect_order(import_write("order.txt", "30\n20\n10\n"), expected, 5);
}

Test(order, bad_files_are_refused_by_line_and_reason)
{
    static const char *const bad[][2] = {
        {"30\n10\n", ":2: the file ends after 2 of 3 ids, without 20: \"10\""},
        {"", ":1: the file ends after 0 of 3 ids, without 10: \"\""},
        {"30\n10\n30\n", ":3: this id comes a second time: \"30\""},
        {"30\n11\n", ":2: no node has this id: \"11\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) expect_bad(bad[i][0], bad[i][1]);
}

Test(order, line_that_is_not_an_id_is_refused)
{
    expect_bad("30 10\n", ":1: not one node id: \"30 10\"");
    expect_bad("x\n", ":1: not one node id: \"x\"");
    expect_bad("99999999999999999999\n", ":1: not one node id: \"99999999999999999999\"");
}

Test(order, missing_file_is_an_input_error)
{
    mcd_node *order;
    make_circle();
    cr_assert_eq(mcd_order_read(&order, &import_map, import_path("nothing.txt"), NULL, &import_error),
                 MACADAM_E_IO);
}
