/* test_dimacs.c - the files that the DIMACS importer reads, and every error with its file and line. */
#include "tests/support/leak.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include "importers/dimacs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(dimacs, .init = import_fixture_open, .fini = import_fixture_close);

static macadam_status read_files(const char *duration, const char *distance, const char *coordinates)
{
    static const char *const quantity[] = {"duration", "distance"};
    const char *const weight[] = {duration, distance};
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    input.quantity = quantity;
    input.weight = weight;
    input.quantity_count = distance ? 2 : 1;
    input.coordinates = coordinates;
    return mcd_dimacs_read(&import_map, &input, NULL, &import_error);
}

static void expect_read(const char *duration, const char *distance, const char *coordinates)
{
    cr_assert_eq(read_files(duration, distance, coordinates), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

/* A single .gr file, refused with FILE + message. */
static void expect_bad_arcs(const char *text, const char *message)
{
    const char *const path = import_write("bad.gr", text);
    import_expect(read_files(path, NULL, NULL), MACADAM_E_FILE, path, message);
}

/* A .co file over two nodes. */
static void expect_bad_coordinates(const char *text, const char *message)
{
    const char *const arcs = import_write("good.gr", "p sp 2 1\na 1 2 3\n"), *const path =
                                                                                 import_write("bad.co", text);
    import_expect(read_files(arcs, NULL, path), MACADAM_E_FILE, path, message);
}

/* ---- what is read ---- */

Test(dimacs, arcs_weights_and_coordinates_are_read)
{
    expect_read(import_write("t.gr", "c a comment\np sp 3 2\n\na 1 2 5\nc\na 3 1 0\n"),
                import_write("d.gr", "p sp 3 2\na 1 2 50\na 3 1 2147483646\n"),
                import_write("c.co", "p aux sp co 3\nv 1 -180000000 90000000\nv 3 1 -2\nv 2 0 0\n"));
    cr_assert_eq(import_map.node_count, 3);
    cr_assert_eq(import_map.arc_count, 2);
    cr_assert_eq(import_map.node_id[2], 3);
    cr_assert_eq(import_map.tail[1], 2);
    cr_assert_eq(import_map.head[1], 0);
    cr_assert_eq(import_map.weight[0][0], 5);
    cr_assert_eq(import_map.weight[1][1], MCD_WEIGHT_MAX);
    cr_assert_eq(import_map.arc_number[1], 2);
    cr_assert_eq(import_map.lon_e7[0], -1800000000);
    cr_assert_eq(import_map.lat_e7[2], -20);
    cr_assert_str_eq(import_map.quantity[1], "distance");
    cr_assert_str_eq(import_map.unit[0], "");
}

Test(dimacs, loops_parallel_arcs_and_isolated_nodes_are_read)
{
    expect_read(import_write("t.gr", "p sp 3 3\na 1 1 5\na 1 2 5\na 1 2 7\n"), NULL, NULL);
    cr_assert_eq(import_map.node_count, 3);
    cr_assert_eq(import_map.arc_count, 3);
    cr_assert_null(import_map.lon_e7);
}

Test(dimacs, graphs_without_arcs_or_nodes_are_read)
{
    expect_read(import_write("t.gr", "p sp 0 0\n"), NULL, import_write("c.co", "p aux sp co 0\n"));
    cr_assert_eq(import_map.node_count, 0);
}

Test(dimacs, carriage_returns_and_a_last_line_without_end_are_read)
{
    expect_read(import_write("t.gr", "p sp 2 1\r\na 1 2 5"), NULL, NULL);
    cr_assert_eq(import_map.weight[0][0], 5);
}

Test(dimacs, gzip_is_read)
{
    expect_read(import_write_gzip("t.gr.gz", "p sp 2 1\na 1 2 5\n", 0), NULL, NULL);
    cr_assert_eq(import_map.weight[0][0], 5);
}

Test(dimacs, lines_across_the_buffers_end_are_read)
{
    enum { ARCS = 100000, LINE_BYTES = 32 };
    char *const text = malloc((ARCS + 1) * LINE_BYTES);
    char *at = text + sprintf(text, "p sp %d %d\n", ARCS, ARCS);
    for (unsigned arc = 1; arc <= ARCS; ++arc)
        at += sprintf(at, "a %u %u %u\n", arc, ARCS + 1 - arc, arc * 7);
    expect_read(import_write("t.gr", text), NULL, NULL);
    free(text);
    for (unsigned arc = 1; arc <= ARCS; ++arc) {
        cr_assert_eq(import_map.tail[arc - 1], arc - 1);
        cr_assert_eq(import_map.head[arc - 1], ARCS - arc);
        cr_assert_eq(import_map.weight[0][arc - 1], arc * 7);
    }
}

/* ---- arcs that are refused ---- */

Test(dimacs, bad_arcs_are_refused_by_line_and_reason)
{
    static const char *const bad[][2] = {
        {"", ":1: the file has no line 'p sp NODES ARCS': \"\""},
        {"p sp 1 0\np sp 1 0\n", ":2: a second line 'p sp NODES ARCS': \"p sp 1 0\""},
        {"p sp 4294967295 0\n", ":1: more than 4294967294 nodes: \"p sp 4294967295 0\""},
        {"p sp 100000000 1\na 1 2 3\n",
         ":1: more nodes than 16 for each arc and 1048576 besides: \"p sp 100000000 1\""},
        {"p sp 2 9000000000000000000\n",
         ":1: more arcs than a file of this size can hold: \"p sp 2 9000000000000000000\""},
        {"p sp 2 1\nb 1 2 3\n", ":2: neither an arc, a comment nor 'p sp NODES ARCS': \"b 1 2 3\""},
        {"p sp 2 3\na 1 2 3\n", ":2: the file ends after 1 of 3 arcs: \"a 1 2 3\""},
        {"p sp 2 1\na 1 2 3\na 2 1 3\n", ":3: more arcs than the 1 of the p line: \"a 2 1 3\""},
        {"\x01\xff\n", ":1: neither an arc, a comment nor 'p sp NODES ARCS': \"??\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) expect_bad_arcs(bad[i][0], bad[i][1]);
}

Test(dimacs, missing_counts_are_refused)
{
    expect_bad_arcs("c nothing\n", ":1: the file has no line 'p sp NODES ARCS': \"c nothing\"");
    expect_bad_arcs("a 1 2 3\n", ":1: an arc before the line 'p sp NODES ARCS': \"a 1 2 3\"");
}

Test(dimacs, malformed_counts_are_refused)
{
    static const char message[] = ":1: not a line 'p sp NODES ARCS': ";
    static const char *const line[] = {"p sp 1",     "p sp 1 x",     "p sp -1 2",
                                       "p sp 1 2 3", "p aux sp 1 2", "p sp 12"};
    for (size_t i = 0; i < sizeof line / sizeof line[0]; ++i) {
        char expected[128];
        snprintf(expected, sizeof expected, "%s\"%s\"", message, line[i]);
        expect_bad_arcs(line[i], expected);
    }
}

Test(dimacs, arc_without_its_ends_is_refused)
{
    expect_bad_arcs("p sp 2 1\na 1\n", ":2: not a line 'a TAIL HEAD WEIGHT': \"a 1\"");
    expect_bad_arcs("p sp 2 1\na1 2 3\n", ":2: not a line 'a TAIL HEAD WEIGHT': \"a1 2 3\"");
    expect_bad_arcs("p sp 2 1\na 1 -2 3\n", ":2: not a line 'a TAIL HEAD WEIGHT': \"a 1 -2 3\"");
}

Test(dimacs, node_out_of_range_is_refused)
{
    expect_bad_arcs("p sp 2 1\na 3 1 5\n", ":2: node 3 is not in 1..2: \"a 3 1 5\"");
    expect_bad_arcs("p sp 2 1\na 1 0 5\n", ":2: node 0 is not in 1..2: \"a 1 0 5\"");
    expect_bad_arcs("p sp 2 1\na 1 4294967297 5\n",
                    ":2: node 4294967297 is not in 1..2: \"a 1 4294967297 5\"");
}

Test(dimacs, weight_that_is_none_is_refused)
{
    static const char *const weight[] = {"",     " -5", " 5.5", " x", " 2147483647", " 99999999999999999999",
                                         " 1 2", " 1x"};
    for (size_t i = 0; i < sizeof weight / sizeof weight[0]; ++i) {
        char text[64], expected[160];
        snprintf(text, sizeof text, "p sp 2 1\nc\na 1 2%s", weight[i]);
        snprintf(expected, sizeof expected,
                 ":3: the weight is not one whole number from 0 to 2147483646: \"a 1 2%s\"", weight[i]);
        expect_bad_arcs(text, expected);
    }
}

Test(dimacs, absurdly_long_line_is_refused)
{
    enum { BYTES = 300000 };
    char *const text = malloc(BYTES + 1);
    memset(text, 'c', BYTES);
    text[BYTES] = '\0';
    expect_bad_arcs(text, ":1: a line of more than 262144 bytes");
    free(text);
}

Test(dimacs, cut_off_gzip_is_refused)
{
    static const char text[] = "p sp 2 2\na 1 2 3\na 2 1 4\n";
    for (size_t cut = 1; cut <= 20; ++cut) {
        const char *const path = import_write_gzip("t.gr.gz", text, cut);
        cr_expect_eq(read_files(path, NULL, NULL), MACADAM_E_FILE);
        cr_expect(strstr(import_error.message, "the gzip file is cut off"), "%zu: %s", cut,
                  import_error.message);
        cr_expect_eq(strncmp(import_error.message, path, strlen(path)), 0);
        mcd_map_free(&import_map);
    }
}

Test(dimacs, missing_file_is_an_input_error)
{
    const char *const path = import_path("nothing.gr");
    cr_assert_eq(read_files(path, NULL, NULL), MACADAM_E_IO);
    cr_assert(strstr(import_error.message, path) && strstr(import_error.message, "No such file"), "%s",
              import_error.message);
}

/* ---- several quantities ---- */

Test(dimacs, files_of_different_arcs_are_refused)
{
    const char *const first = import_write("t.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n");
    const char *const second = import_write("d.gr", "p sp 3 2\na 1 2 5\na 3 2 5\n");
    import_expect(read_files(first, second, NULL), MACADAM_E_FILE, second,
                  ":3: arc 2 goes from 2 to 3 in the file of duration: \"a 3 2 5\"");
}

Test(dimacs, files_of_different_counts_are_refused)
{
    const char *const first = import_write("t.gr", "p sp 3 1\na 1 2 5\n");
    const char *const second = import_write("d.gr", "p sp 3 2\na 1 2 5\na 3 2 5\n");
    import_expect(read_files(first, second, NULL), MACADAM_E_FILE, second,
                  ":1: duration has 3 nodes and 1 arcs, this file has not: \"p sp 3 2\"");
}

static void expect_bad_name(const char *first, const char *second, const char *message)
{
    const char *const quantity[] = {first, second};
    const char *const path = import_write("t.gr", "p sp 0 0\n");
    const char *const weight[] = {path, path};
    const macadam_dimacs_input input = {
        .size = sizeof input, .quantity = quantity, .weight = weight, .quantity_count = 2};
    import_expect(mcd_dimacs_read(&import_map, &input, NULL, &import_error), MACADAM_E_INVALID, NULL,
                  message);
}

Test(dimacs, bad_quantity_names_are_refused)
{
    expect_bad_name("", "b", "a quantity has no name");
    expect_bad_name("a", "a", "the quantity \"a\" is named twice");
    expect_bad_name("a b", "a",
                    "the quantity name \"a b\" has characters other than letters, digits, '_' and '-'");
    expect_bad_name("x23456789-123456789_1234567890123", "a",
                    "the quantity name \"x23456789-123456789_1234567890123\" is longer than 31 characters");
}

/* ---- coordinates ---- */

Test(dimacs, bad_coordinates_are_refused_by_line_and_reason)
{
    static const char *const bad[][2] = {
        {"p aux sp co 3\n", ":1: the arcs have 2 nodes: \"p aux sp co 3\""},
        {"p aux sp co 2\nv 2 5 5\n", ":2: the file ends without coordinates of node 1: \"v 2 5 5\""},
        {"p aux sp co 2\nv 2 5 5\nv 2 5 5\n", ":3: second coordinates of node 2: \"v 2 5 5\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) expect_bad_coordinates(bad[i][0], bad[i][1]);
}

Test(dimacs, coordinates_without_counts_are_refused)
{
    expect_bad_coordinates("", ":1: the file has no line 'p aux sp co NODES': \"\"");
    expect_bad_coordinates("v 1 2 3\n", ":1: a node before the line 'p aux sp co NODES': \"v 1 2 3\"");
    expect_bad_coordinates("p sp co 3\n", ":1: not a line 'p aux sp co NODES': \"p sp co 3\"");
    expect_bad_coordinates("p aux sp co 2\np aux sp co 2\n",
                           ":2: a second line 'p aux sp co NODES': \"p aux sp co 2\"");
}

Test(dimacs, malformed_coordinates_are_refused)
{
    expect_bad_coordinates("p aux sp co 2\nv 3 5 5\n", ":2: node 3 is not in 1..2: \"v 3 5 5\"");
    expect_bad_coordinates("p aux sp co 2\nv 1 5\n", ":2: not a line 'v NODE LON LAT': \"v 1 5\"");
    expect_bad_coordinates("p aux sp co 2\nv 1 5 5 5\n", ":2: not a line 'v NODE LON LAT': \"v 1 5 5 5\"");
    expect_bad_coordinates("p aux sp co 2\nv 1 180000001 5\n",
                           ":2: not within 180 and 90 degrees, counted in millionths: \"v 1 180000001 5\"");
    expect_bad_coordinates("p aux sp co 2\nv 1 5 -90000001\n",
                           ":2: not within 180 and 90 degrees, counted in millionths: \"v 1 5 -90000001\"");
    expect_bad_coordinates("p aux sp co 2\nw 1 5 5\n",
                           ":2: neither a node, a comment nor 'p aux sp co NODES': \"w 1 5 5\"");
}

/* ---- failures ---- */

Test(dimacs, every_failed_allocation_is_an_error)
{
    const char *const arcs = import_write("t.gr", "p sp 2 1\na 1 2 3\n");
    const char *const coordinates = import_write("c.co", "p aux sp co 2\nv 2 5 5\nv 1 5 5\n");
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = read_files(arcs, arcs, coordinates);
        mcd_map_free(&import_map);
        if (!leak_expect_failed(nth, status)) break;
    }
}

static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(dimacs, reading_can_be_cancelled)
{
    static const char *const quantity[] = {"duration"};
    const char *const weight[] = {import_write("t.gr", "p sp 2 1\na 1 2 3\n")};
    const mcd_progress progress = {refuse, NULL};
    const macadam_dimacs_input input = {
        .size = sizeof input, .quantity = quantity, .weight = weight, .quantity_count = 1};
    import_expect(mcd_dimacs_read(&import_map, &input, &progress, &import_error), MACADAM_E_CANCELLED, NULL,
                  "cancelled in the phase \"reading weights\"");
}

Test(dimacs, new_york_is_read)
{
    char duration[FILES_PATH_BYTES], distance[FILES_PATH_BYTES], coordinates[FILES_PATH_BYTES];
    if (!files_find_data(duration, "dimacs/USA-road-t.NY.gr.gz")) cr_skip_test();
    files_find_data(distance, "dimacs/USA-road-d.NY.gr.gz");
    files_find_data(coordinates, "dimacs/USA-road-d.NY.co.gz");
    expect_read(duration, distance, coordinates);
    cr_assert_eq(import_map.node_count, 264346);
    cr_assert_eq(import_map.arc_count, 733846);
}
