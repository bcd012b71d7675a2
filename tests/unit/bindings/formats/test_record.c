/* test_record.c - records of structures of macadam.h, whose fields a list names. */
#include "bindings/formats/record.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const char *const quantity[] = {"duration", "dis\"tance"};
static const uint32_t per_unit[] = {1000, 1};
static const macadam_format_options costs = {
    .size = sizeof costs, .quantity_count = 2, .quantity = quantity, .per_unit = per_unit};
static const macadam_road_facts facts = {"", "primary", "", "", "", "", 0, 50, 2, ""};
static const macadam_route_arc arc[] = {
    {.tail = 1, .head = -2, .arc = 3, .name = "A, \"b\"", .value = {1500, 7}, .to = 0.5, .facts = &facts},
    {.tail = 4, .head = 5, .arc = 6, .way = 7, .name = "", .value = {MACADAM_UNREACHED, 8}, .to = 1}};

static void expect(const mcd_record_frame *frame, const char *list, const char *wanted)
{
    mcd_text text = {.options = costs};
    mcd_records records = mcd_records_of(&text, frame, MCD_STRUCTURE(route_arc), list);
    if (!frame) mcd_records_head(&records);
    for (size_t i = 0; i < sizeof arc / sizeof arc[0]; ++i) {
        mcd_record_members(&records, &arc[i]);
        mcd_record_end(&records);
    }
    mcd_records_finish(&records);
    mcd_text_bytes(&text, "", 1);
    cr_expect_str_eq(text.data, wanted);
    free(text.data);
}

Test(record, lines_of_csv_have_the_fields_of_the_list)
{
    expect(NULL, "tail,head,way?,class=road_class?,name?,*",
           "tail,head,way,class,name,duration,dis\"tance\n"
           "1,-2,,primary,\"A, \"\"b\"\"\",1.500,7\n4,5,7,,,,8\n");
}

Test(record, objects_omit_what_is_usual)
{
    static const mcd_record_frame lines = {"[", ",\n", "]", true};
    expect(&lines, "node=tail,from?,to?,way?,name?,speed=speed_kmh?,*",
           "[{\"node\":1,\"to\":0.5,\"name\":\"A, "
           "\\\"b\\\"\",\"speed\":50,\"duration\":1.5,\"dis\\\"tance\":7},\n"
           "{\"node\":4,\"way\":7,\"duration\":null,\"dis\\\"tance\":8}]");
}

/* Neither ranges of other arrays, nor arrays, nor structures. */
Test(record, members_that_the_list_does_not_name_follow)
{
    static const mcd_record_frame lines = {"[", ",\n", "]", true};
    expect(
        &lines, "arc,!tail,!from,...",
        "[{\"arc\":3,\"head\":-2,\"name\":\"A, \\\"b\\\"\",\"to\":0.5},\n{\"arc\":6,\"head\":5,\"way\":7}]");
}
