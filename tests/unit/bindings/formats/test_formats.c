/* test_formats.c - answers as text, from answers made by hand. */
#include "bindings/formats/macadam_formats.h"
#include "bindings/formats/cost_array.h"
#include "bindings/formats/polyline.h"
#include "bindings/formats/scan.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const quantity[] = {"duration", "dis\"tance"};
static const uint32_t per_unit[] = {1000, 1};
static const macadam_format_options costs = {
    .size = sizeof costs, .quantity_count = 2, .quantity = quantity, .per_unit = per_unit};

static void expect(macadam_status status, macadam_text *text, const char *wanted)
{
    cr_assert_eq(status, MACADAM_OK);
    cr_assert_str_eq(text->data, wanted);
    cr_assert_eq(text->size, strlen(wanted));
    macadam_text_free(text);
    cr_assert(text->data == NULL && text->size == 0);
}

/* The example of Google's description of the format. */
Test(formats, polylines_are_googles)
{
    static const double lon[] = {-120.2, -120.95, -126.453}, lat[] = {38.5, 40.7, 43.252};
    macadam_text text;
    macadam_status status = macadam_format_polyline(&text, lon, lat, 3, 5, NULL);
    expect(status, &text, "_p~iF~ps|U_ulLnnqC_mqNvxq`@");
    status = macadam_format_polyline(&text, lon, lat, 0, 6, NULL);
    expect(status, &text, "");
    macadam_error error;
    cr_assert_eq(macadam_format_polyline(&text, lon, lat, 3, 7, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "polylines have 5 or 6 decimals, not 7");
}

/* Two arcs, "A\n" and "A\n", then a waypoint, then half of a third one without a name. */
static macadam_route route_of(macadam_route_arc arc[3], macadam_leg leg[2], macadam_snap waypoint[3])
{
    static const double lon[] = {9, 9.1, 9.1, 9.25, 9.25, 9.3}, lat[] = {-45, -45, -45, 45, 45, 45.0000001};
    for (size_t i = 0; i < 3; ++i) {
        arc[i] = (macadam_route_arc){.tail = (int64_t)i + 1,
                                     .head = (int64_t)i + 2,
                                     .arc = 10 + i,
                                     .way = i ? 0 : 77,
                                     .name = i < 2 ? "A\n" : "",
                                     .to = i < 2 ? 1 : 0.5,
                                     .first_shape = 2 * i,
                                     .end_shape = 2 * i + 2,
                                     .value = {1500, (uint32_t)i}};
        waypoint[i] = (macadam_snap){
            .status = MACADAM_PLACE_OK, .id = -(int64_t)i, .lon = 9, .lat = 45, .name = "", .nearest_m = NAN};
        waypoint[1].status = MACADAM_PLACE_MOVED, waypoint[1].nearest_m = 11.5;
    }
    waypoint[2] = (macadam_snap){.status = MACADAM_PLACE_UNKNOWN_ID, .name = ""};
    leg[0] = (macadam_leg){.first_arc = 0, .end_arc = 2, .value = {3000, 1}};
    leg[1] = (macadam_leg){.first_arc = 2, .end_arc = 3, .value = {1500, 2}};
    return (macadam_route){.found = true,
                           .value = {4500, 3},
                           .waypoint_count = 3,
                           .waypoint = waypoint,
                           .leg_count = 2,
                           .leg = leg,
                           .arc_count = 3,
                           .arc = arc,
                           .shape_count = 6,
                           .lon = lon,
                           .lat = lat};
}

Test(formats, routes_are_features_and_objects)
{
    macadam_route_arc arc[3];
    macadam_leg leg[2];
    macadam_snap waypoint[3];
    const macadam_route route = route_of(arc, leg, waypoint);
    macadam_text text;
    macadam_status status = macadam_format_route_geojson(&text, &route, &costs, NULL);
    expect(status, &text,
           "{\"type\":\"Feature\",\"geometry\":{\"coordinates\":"
           "[[9,-45],[9.1,-45],[9.25,45],[9.3,45.0000001]],\"type\":\"LineString\"},\"properties\":{"
           "\"found\":true,\"duration\":4.5,"
           "\"dis\\\"tance\":3,\"legs\":[{\"duration\":3,\"dis\\\"tance\":1,\"first_arc\":0,\"end_arc\":2},"
           "{\"duration\":1.5,\"dis\\\"tance\":2,\"first_arc\":2,\"end_arc\":3}],\"summary\":["
           "{\"name\":\"A\\u000a\",\"duration\":3,\"dis\\\"tance\":1,\"first_arc\":0,\"end_arc\":2},"
           "{\"name\":\"\",\"duration\":1.5,\"dis\\\"tance\":2,\"first_arc\":2,\"end_arc\":3}]}}");
    status = macadam_format_route_json(&text, &route, NULL, NULL);
    cr_assert_eq(status, MACADAM_E_INVALID);
    const macadam_format_options none = MACADAM_FORMAT_OPTIONS_INIT;
    status = macadam_format_route_json(&text, &route, &none, NULL);
    cr_assert_eq(status, MACADAM_OK);
    cr_assert(
        strstr(text.data,
               "\"waypoints\":[{\"status\":\"ok\",\"node\":0,\"lon\":9,\"lat\":45,\"snapped_m\":0},"
               "{\"status\":\"moved\",\"node\":-1,\"lon\":9,\"lat\":45,\"snapped_m\":0,\"nearest_m\":11.5},"),
        "%s", text.data);
    cr_assert(strstr(text.data, "\"nodes\":[1,2,3]"), "%s", text.data);
    cr_assert(strstr(text.data, "{\"tail\":3,\"head\":4,\"arc\":12,\"to\":0.5}]}"), "%s", text.data);
    macadam_text_free(&text);
    status = macadam_format_route_polyline(&text, &route, 5, NULL);
    cr_assert_eq(status, MACADAM_OK);
    cr_assert_gt(text.size, 10);
    macadam_text_free(&text);
}

Test(formats, no_route_has_no_line)
{
    const macadam_route route = {.found = false, .value = {MACADAM_UNREACHED, MACADAM_UNREACHED}};
    macadam_text text;
    macadam_status status = macadam_format_route_geojson(&text, &route, &costs, NULL);
    cr_assert_eq(status, MACADAM_OK);
    cr_assert(strstr(text.data, "\"geometry\":null,\"properties\":{\"found\":false,\"reason\":\""), "%s",
              text.data);
    cr_assert(strstr(text.data, "\"duration\":null,"), "%s", text.data);
    macadam_text_free(&text);
    status = macadam_format_route_polyline(&text, &route, 6, NULL);
    expect(status, &text, "");
}

/* One source; within the first limit nothing, within the second a square with a hole. */
Test(formats, areas_are_multi_polygons_the_largest_first)
{
    static const double lon[] = {0, 4, 4, 0, 0, 1, 1, 2, 2, 1}, lat[] = {0, 0, 4, 4, 0, 1, 2, 2, 1, 1};
    static const size_t first_polygon[] = {0, 0, 1}, first_ring[] = {0, 2}, first_point[] = {0, 5, 10};
    static const double area_m2[] = {0, 1234567.4}, width_m[] = {100};
    static const uint32_t limit[] = {500, 60000};
    const macadam_snap source = {.status = MACADAM_PLACE_OK};
    const macadam_rings rings = {.source_count = 1,
                                 .limit_count = 2,
                                 .polygon_count = 1,
                                 .ring_count = 2,
                                 .point_count = 10,
                                 .source = &source,
                                 .width_m = width_m,
                                 .area_m2 = area_m2,
                                 .first_polygon = first_polygon,
                                 .first_ring = first_ring,
                                 .first_point = first_point,
                                 .lon = lon,
                                 .lat = lat};
    macadam_text text;
    const macadam_status status = macadam_format_rings_geojson(&text, &rings, limit, &costs, NULL);
    expect(status, &text,
           "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":"
           "\"MultiPolygon\",\"coordinates\":[[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]"
           "]]]},"
           "\"properties\":{\"source\":0,\"source_status\":\"ok\",\"metric\":\"duration\",\"limit\":60,"
           "\"km2\":1.234567}},{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":"
           "[]},"
           "\"properties\":{\"source\":0,\"source_status\":\"ok\",\"metric\":\"duration\",\"limit\":0.5,"
           "\"km2\":0}}]}");
}

Test(formats, reached_arcs_are_lines)
{
    static const double lon[] = {1, 2}, lat[] = {-1, -2}, to[] = {0.5};
    const macadam_reached_arc arc = {
        .road = {.tail = 1, .head = 2, .arc = 3, .way = 4, .name = "B", .end_shape = 2},
        .cost = (uint32_t)-2500,
        .weight = 100,
        .from = 0.25};
    const macadam_isochrone isochrone = {
        .arc_count = 1, .arc = &arc, .shape_count = 2, .lon = lon, .lat = lat, .to = to};
    macadam_text text;
    macadam_format_options options = costs;
    options.is_signed = (const bool[]){true};
    const macadam_status status = macadam_format_isochrone_geojson(&text, &isochrone, &options, NULL);
    expect(status, &text,
           "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{"
           "\"coordinates\":[[1,-1],[2,-2]],\"type\":\"LineString\"},\"properties\":{\"tail\":1,\"head\":2,"
           "\"arc\":3,\"way\":4,"
           "\"name\":\"B\","
           "\"duration\":-2.5,\"weight\":0.1,\"from\":0.25,\"to\":0.5}}]}");
}

/* ---- strings and numbers ---- */

static void expect_text(mcd_text *text, const char *wanted)
{
    cr_assert(mcd_text_reserve(text, 0));
    text->data[text->size] = 0;
    cr_assert_str_eq(text->data, wanted);
    text->size = 0;
}

Test(formats, strings_are_escaped_wherever_it_is_needed)
{
    static const struct {
        char character;
        const char *escaped;
    } row[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\u000a"}, {31, "\\u001f"},
               {' ', " "},    {'!', "!"},     {'\x80', "?"}};
    mcd_text text = {0};
    for (size_t r = 0; r < sizeof row / sizeof *row; ++r)
        for (size_t length = 1; length < 20; ++length)
            for (size_t i = 0; i < length; ++i) {
                char string[20] = "", wanted[64];
                memset(string, 'a', length);
                string[i] = row[r].character;
                snprintf(wanted, sizeof wanted, "\"%.*s%s%s\"", (int)i, string, row[r].escaped,
                         string + i + 1);
                mcd_text_string(&text, string);
                expect_text(&text, wanted);
            }
    free(text.data);
}

Test(formats, numbers_have_the_digits_that_they_need)
{
    static const struct {
        double degrees;
        const char *wanted;
    } row[] = {{0, "0"},
               {9, "9"},
               {-180, "-180"},
               {100.5, "100.5"},
               {-0.0000001, "-0.0000001"},
               {12.0000010, "12.000001"},
               {99.9999999, "99.9999999"},
               {429.4967296, "429.4967296"},
               {-12345.25, "-12345.25"}};
    mcd_text text = {0};
    for (size_t r = 0; r < sizeof row / sizeof *row; ++r) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "[%s,%s]", row[r].wanted, row[r].wanted);
        mcd_text_position(&text, row[r].degrees, row[r].degrees);
        expect_text(&text, wanted);
    }
    for (int64_t value = -1100; value <= 1100; ++value) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "%d", (int)value);
        mcd_text_integer(&text, value);
        expect_text(&text, wanted);
    }
    free(text.data);
}

/* -15 is a single backslash, and 464 ends with one. */
Test(formats, backslashes_of_polylines_are_doubled_in_json)
{
    mcd_text text = {0};
    mcd_polyline line = {.text = &text, .scale = 1e5, .in_string = true};
    mcd_polyline_add(&line, (const double[]){-15e-5, -15e-5}, (const double[]){0, 464e-5}, 2);
    expect_text(&text, "?\\\\_\\\\?");
    free(text.data);
}

/* Ids of users may be any bytes; JSON is UTF-8. Strings begin with enough letters that each byte of a word
 * is tried. */
Test(formats, strings_that_are_not_utf_8_get_question_marks)
{
    static const char *const strings[][2] = {
        {"\xff", "?"},
        {"a\xc3\xa9z", "a\xc3\xa9z"},
        {"\xc3", "?"},
        {"\xe2\x82\xac", "\xe2\x82\xac"},
        {"\xe2\x82", "??"},
        {"\xed\xa0\x80", "???"},
        {"\xf0\x9f\x9a\x80x", "\xf0\x9f\x9a\x80x"},
        {"\xc0\x80", "??"},
        {"\xf4\x90\x80\x80", "????"},
        {"\x80\"", "?\\\""},
        {"\xe0\x9f\xbf", "???"},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; ++i)
        for (int letters = 0; letters < 9; ++letters) {
            char string[64], expected[64];
            mcd_text text = {0};
            snprintf(string, sizeof string, "%.*s%s", letters, "abcdefghi", strings[i][0]);
            snprintf(expected, sizeof expected, "\"%.*s%s\"", letters, "abcdefghi", strings[i][1]);
            mcd_text_string(&text, string);
            expect_text(&text, expected);
            free(text.data);
        }
}

Test(formats, numbers_keep_their_decimals_if_they_are_fixed)
{
    static const struct {
        int64_t scaled;
        unsigned decimals;
        const char *fixed, *shortest;
    } row[] = {{0, 0, "0", "0"},
               {0, 3, "0.000", "0"},
               {1500, 3, "1.500", "1.5"},
               {-20, 2, "-0.20", "-0.2"},
               {7, 2, "0.07", "0.07"},
               {-1, 1, "-0.1", "-0.1"},
               {100000, 0, "100000", "100000"},
               {INT64_MIN, 3, "-9223372036854775.808", "-9223372036854775.808"}};
    mcd_text text = {0};
    for (size_t r = 0; r < sizeof row / sizeof *row; ++r) {
        mcd_text_fixed(&text, row[r].scaled, row[r].decimals);
        expect_text(&text, row[r].fixed);
        mcd_text_decimal(&text, row[r].scaled, row[r].decimals);
        expect_text(&text, row[r].shortest);
    }
    free(text.data);
}

Test(formats, formats_of_json_have_values_and_commas)
{
    const char *volatile nothing = NULL; /* which the compiler may not know: printf has no such text */
    mcd_text text = {0};
    mcd_text_json(&text, "{'name':%s,'none':%s,'is':%i", "a\"b", nothing, true);
    mcd_text_json(&text, "'list':[");
    for (int i = -1; i < 2; ++i) mcd_text_json(&text, "%d", i);
    mcd_text_json(&text, "]");
    mcd_text_json(&text, "'metres':%.2f,'size':%zu,%s:", 1.5, (size_t)12345678901, "of");
    mcd_text_json(&text, "{'u':%u}}", 7u);
    expect_text(&text, "{\"name\":\"a\\\"b\",\"none\":null,\"is\":true,\"list\":[-1,0,1],\"metres\":1.5,"
                       "\"size\":12345678901,\"of\":{\"u\":7}}");
}

Test(formats, numbers_are_read_as_strtod_reads_them)
{
    static const char *const text[] = {"9.1234567;",
                                       "-45.4642,",
                                       "-0",
                                       "5.",
                                       "-.5",
                                       "007.50&",
                                       "123456789012345",
                                       "999999999.999999",
                                       "1234567890.123456",
                                       "0.1e3",
                                       "1-2",
                                       "1..2",
                                       "1e",
                                       "2E+",
                                       ".",
                                       "-",
                                       "",
                                       "x",
                                       "0.30000000000000004"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        mcd_scan scan = {text[i], 0, strlen(text[i])};
        char *end;
        double value = 0;
        const double expected = strtod(text[i], &end);
        cr_assert_eq(mcd_scan_decimal(&scan, &value), end > text[i], "%s", text[i]);
        cr_assert_eq(scan.at, (size_t)(end - text[i]), "%s", text[i]);
        cr_assert_eq(memcmp(&value, &expected, sizeof value), 0, "%s", text[i]);
    }
}

Test(formats, numbers_end_before_the_dot_of_a_word)
{
    static const char *const text[] = {"50.json", "50.5.json", "50..json", "50.e3", "1e1.npy", "50.;"};
    static const double number[] = {50, 50.5, 50, 50000, 10, 50};
    static const size_t end[] = {2, 4, 3, 5, 3, 3};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
        mcd_scan scan = {text[i], 0, strlen(text[i])};
        double value;
        cr_assert(mcd_scan_decimal(&scan, &value), "%s", text[i]);
        cr_assert_eq(value, number[i], "%s", text[i]);
        cr_assert_eq(scan.at, end[i], "%s", text[i]);
    }
}

Test(formats, numbers_that_json_has_not_are_null_and_large_ones_stay)
{
    mcd_text text = {0};
    mcd_text_json(&text, "[%.6f,%.6f,%.6f,%.1f", (double)NAN, (double)INFINITY, 1e300, 4e17);
    mcd_text_json(&text, "%zu,%" PRIu64 ",%" PRId64 ",%u]", SIZE_MAX, UINT64_MAX, INT64_MIN, UINT32_MAX);
    expect_text(&text, "[null,null,null,400000000000000000,18446744073709551615,18446744073709551615,"
                       "-9223372036854775808,4294967295]");
}

Test(formats, control_characters_are_shown_by_their_codes)
{
    char shown[32], cut[16];
    mcd_text_show(shown, sizeof shown, "a\x1b\n\xc3\xbc\xc2\x9b\xff");
    cr_assert_str_eq(shown, "a\\x1b\\x0a\xc3\xbc\\xc2\\x9b\\xff");
    mcd_text_show(cut, sizeof cut, "0123456789abcdef");
    cr_assert_str_eq(cut, "0123456789");
}

Test(formats, numbers_of_npy_are_aligned)
{
    static const char header[] = "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3)}";
    mcd_text text = {0};
    mcd_text_add(&text, "before ");
    mcd_npy_header(&text, "<u4", "(2, 3)");
    const char *const npy = text.data + 7;
    const size_t bytes = text.size - 7;
    cr_assert_eq(bytes % 64, 0);
    cr_assert_arr_eq(npy, "\x93NUMPY\x01\x00", 8);
    cr_assert_eq((unsigned char)npy[8] + 256 * (unsigned char)npy[9], bytes - 10);
    cr_assert_arr_eq(npy + 10, header, sizeof header - 1);
    cr_assert_eq(npy[bytes - 1], '\n');
    free(text.data);
}

/* As RFC 7946, section 3.1.9, wants it. */
Test(formats, lines_are_cut_at_the_antimeridian)
{
#define LINE(points)  "{\"coordinates\":" points ",\"type\":\"LineString\"}"
#define LINES(pieces) "{\"coordinates\":" pieces ",\"type\":\"MultiLineString\"}"
    static const struct {
        size_t count;
        double at[6][2];
        const char *wanted;
    } cases[] = {
        {2, {{179, 0}, {-179, 2}}, LINES("[[[179,0],[180,1]],[[-180,1],[-179,2]]]")},
        {2, {{-179, 0}, {178, 3}}, LINES("[[[-179,0],[-180,1]],[[180,1],[178,3]]]")},
        {3, {{179, 0}, {180, 1}, {-179, 2}}, LINES("[[[179,0],[180,1]],[[-180,1],[-179,2]]]")},
        {3, {{179, 0}, {-180, 1}, {-179, 2}}, LINES("[[[179,0],[180,1]],[[-180,1],[-179,2]]]")},
        {4, {{179, 0}, {180, 1}, {-180, 1}, {-179, 2}}, LINES("[[[179,0],[180,1]],[[-180,1],[-179,2]]]")},
        {4, {{-179, 0}, {-180, 1}, {180, 1}, {179, 2}}, LINES("[[[-179,0],[-180,1]],[[180,1],[179,2]]]")},
        {2, {{179, 0}, {-180, 1}}, LINE("[[179,0],[180,1]]")},
        {2, {{180, 0}, {-179, 1}}, LINE("[[-180,0],[-179,1]]")},
        {3, {{180, 0}, {-180, 0}, {179, 1}}, LINE("[[180,0],[179,1]]")},
        {3, {{180, 0}, {-180, 1}, {-179, 1}}, LINE("[[-180,0],[-180,1],[-179,1]]")},
        {3, {{179, 0}, {180, 1}, {179, 2}}, LINE("[[179,0],[180,1],[179,2]]")},
        {2, {{180, 0}, {-180, 0}}, LINE("[[180,0],[180,0]]")},
        {1, {{-180, 0}}, LINE("[[-180,0],[-180,0]]")},
        {2, {{-90, 0}, {89, 1}}, LINE("[[-90,0],[89,1]]")},
        {4,
         {{179, 0}, {-179, 0}, {179, 0}, {178, 0}},
         LINES("[[[179,0],[180,0]],[[-180,0],[-179,0],[-180,0]],[[180,0],[179,0],[178,0]]]")},
        {6,
         {{100, 0}, {-100, 8}, {0, 9}, {100, 9}, {-100, 1}, {0, 1}},
         LINES("[[[100,0],[180,4]],[[-180,4],[-100,8],[0,9],[100,9],[180,5]],[[-180,5],[-100,1],[0,1]]]")},
    };
    mcd_text text = {0};
    mcd_line line = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        line.count = 0;
        for (size_t k = 0; k < cases[i].count; ++k)
            mcd_line_add(&line, &cases[i].at[k][0], &cases[i].at[k][1], NULL, 1);
        mcd_line_write_geometry(&text, &line);
        expect_text(&text, cases[i].wanted);
    }
    line.count = 0;
    mcd_line_add(&line, (const double[]){179, -179}, (const double[]){0, 2}, (const double[]){10, 20}, 2);
    mcd_line_write_geometry(&text, &line);
    expect_text(&text, LINES("[[[179,0,10],[180,1,15]],[[-180,1,15],[-179,2,20]]]"));
    mcd_line_free(&line);
    free(text.data);
}

/* a - a - b - b - a, of which only neighbours are one point, at seven decimals. */
Test(formats, lines_have_no_point_twice_in_a_row)
{
    static const double lon[] = {1, 1.00000004, 2, 2, 1}, lat[] = {3, 3, 4, 3.99999996, 3},
                        height_m[] = {5, 6, NAN, 7, 8};
    mcd_text text = {0};
    mcd_line line = {0};
    mcd_line_add(&line, lon, lat, height_m, 2);
    mcd_line_add(&line, lon + 2, lat + 2, height_m + 2, 3);
    mcd_line_double(&line);
    mcd_line_write(&text, &line);
    expect_text(&text, "[[1,3,5],[2,4],[1,3,8]]");
    line.count = 0;
    mcd_line_add(&line, lon, lat, NULL, 2);
    mcd_line_double(&line);
    mcd_line_write(&text, &line);
    expect_text(&text, "[[1,3],[1,3]]");
    mcd_line_free(&line);
    free(text.data);
}

Test(formats, missing_answers_and_texts_are_invalid)
{
    const double line[3] = {1, 2, 3};
    const uint32_t limit[1] = {5};
    const char *const named[] = {"duration"}, *const unnamed[] = {NULL};
    macadam_format_options options = MACADAM_FORMAT_OPTIONS_INIT;
    options.quantity = named, options.quantity_count = 1;
    const macadam_route route = {.found = false};
    const macadam_rings rings = {.source_count = 0};
    const macadam_isochrone isochrone = {.arc_count = 0};
    const macadam_matches matches = {.point_count = 0};
    const macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    macadam_text text;
    macadam_error error;
    for (int without = 0; without < 2; ++without) { /* without a place for the text, or without an answer */
        macadam_text *const out = without == 0 ? NULL : &text;
        const char *const says = without == 0 ? "no place for the text" : "no answer to write";
#define REFUSED(call)                                                                                        \
    cr_expect(                                                                                               \
        ((error = (macadam_error){""}), (call) == MACADAM_E_INVALID && strcmp(error.message, says) == 0),    \
        "%s: %s", #call, error.message)
        REFUSED(macadam_format_polyline(out, without ? NULL : line, line, 3, 5, &error));
        REFUSED(macadam_format_polyline(out, line, without ? NULL : line, 3, 5, &error));
        REFUSED(macadam_format_route_polyline(out, without ? NULL : &route, 5, &error));
        REFUSED(macadam_format_route_json(out, without ? NULL : &route, &options, &error));
        REFUSED(macadam_format_route_geojson(out, without ? NULL : &route, &options, &error));
        REFUSED(
            macadam_format_matches_json(out, without ? NULL : &matches, &request, NULL, &options, &error));
        REFUSED(
            macadam_format_matches_json(out, &matches, without ? NULL : &request, NULL, &options, &error));
        REFUSED(
            macadam_format_matches_geojson(out, without ? NULL : &matches, &request, NULL, &options, &error));
        REFUSED(macadam_format_rings_geojson(out, without ? NULL : &rings, limit, &options, &error));
        REFUSED(macadam_format_rings_geojson(out, &rings, without ? NULL : limit, &options, &error));
        REFUSED(macadam_format_isochrone_geojson(out, without ? NULL : &isochrone, &options, &error));
    }
    options.quantity = unnamed;
    cr_assert_eq(macadam_format_route_json(&text, &route, &options, &error), MACADAM_E_INVALID);
    macadam_text_free(NULL);
}
