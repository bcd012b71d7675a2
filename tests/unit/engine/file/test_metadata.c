/* test_metadata.c - metadata is read as it was written, and metadata that no import writes is refused. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"
#include "tests/support/scoped.h"

#include "engine/map/map.h"
#include "engine/file/metadata.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

SCOPED_POINTER(mcd_edge_file, mcd_edge_file_close)

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static const mcd_parallel one_thread = {1, NULL};
static macadam_error error;

/* Good metadata; tests spoil it. */
static Macadam__V1__Metadata__Quantity quantity[MCD_QUANTITY_MAX + 1], *quantity_list[MCD_QUANTITY_MAX + 1];
static Macadam__V1__Metadata__Metric metric[3], *metric_list[3];
static mcd_metadata good;

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    static char name[MCD_QUANTITY_MAX + 1][3] = {"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8"};
    for (int i = 0; i < MCD_QUANTITY_MAX + 1; ++i) {
        macadam__v1__metadata__quantity__init(&quantity[i]);
        quantity[i].name = name[i];
        quantity[i].unit = "ms";
        quantity_list[i] = &quantity[i];
    }
    for (int i = 0; i < 3; ++i) {
        macadam__v1__metadata__metric__init(&metric[i]);
        metric[i].objective = i == 0 ? "q0" : "q1";
        metric_list[i] = &metric[i];
    }
    metric[0].companion = "q1";
    macadam__v1__metadata__init(&good);
    good.source = "malta.osm.pbf", good.profile = "car", good.build = "METIS 5.1";
    good.node_count = 10, good.arc_count = 30, good.id_count = 9;
    good.component_count = 2;
    good.has_hierarchy = true, good.up_arc_count = 20, good.height = 5, good.restriction_count = 3;
    good.west_e7 = -740000000, good.south_e7 = -1, good.east_e7 = 1800000000, good.north_e7 = 900000000;
    good.n_quantity = 2, good.quantity = quantity_list;
    good.n_metric = 2, good.metric = metric_list;
}

static void tear_down(void)
{
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(metadata, .init = set_up, .fini = tear_down);

static mcd_edge_writer *begin_file(void)
{
    mcd_edge_writer *writer;
    cr_assert_eq(mcd_edge_writer_new(&writer, path, &one_thread, &error), MACADAM_OK, "%s", error.message);
    return writer;
}

static mcd_edge_file *finish_file(mcd_edge_writer *writer)
{
    mcd_edge_file *file;
    cr_assert_eq(mcd_edge_writer_finish(writer, &error), MACADAM_OK, "%s", error.message);
    mcd_edge_writer_free(writer);
    cr_assert_eq(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &one_thread, &error),
                 MACADAM_OK, "%s", error.message);
    return file;
}

static mcd_edge_file *file_of(const mcd_metadata *metadata)
{
    mcd_edge_writer *writer = begin_file();
    cr_assert_eq(mcd_metadata_write(writer, metadata, &error), MACADAM_OK, "%s", error.message);
    return finish_file(writer);
}

static void expect_refused(const char *message)
{
    mcd_metadata *found;
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = file_of(&good);
    error.message[0] = '\0';
    cr_assert_eq(mcd_metadata_read(&found, file, &error), MACADAM_E_FILE, "expected: %s", message);
    cr_assert_not_null(strstr(error.message, "section 'meta'"), "%s", error.message);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
    cr_assert_null(found);
}

Test(metadata, comes_back_as_written)
{
    mcd_metadata *found;
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = file_of(&good);
    cr_assert_eq(mcd_metadata_read(&found, file, &error), MACADAM_OK, "%s", error.message);
    cr_assert_str_eq(found->source, "malta.osm.pbf");
    cr_assert_str_eq(found->profile, "car");
    cr_assert_str_eq(found->build, "METIS 5.1");
    cr_assert_eq(found->node_count, 10);
    cr_assert_eq(found->restriction_count, 3);
    cr_assert_eq(found->west_e7, -740000000);
    cr_assert_eq(found->n_quantity, 2);
    cr_assert_str_eq(found->quantity[1]->name, "q1");
    cr_assert_str_eq(found->quantity[1]->unit, "ms");
    cr_assert_eq(found->n_metric, 2);
    cr_assert_str_eq(found->metric[0]->companion, "q1");
    cr_assert_str_eq(found->metric[1]->companion, "");
    mcd_metadata_free(found);
}

Test(metadata, texts_must_be_utf_8)
{
    good.source = "M\xfcnchen.osm";
    expect_refused("text 0 is not UTF-8");
    good.source = "M\xc3\xbcnchen.osm", good.profile = "\xff";
    expect_refused("text 1 is not UTF-8");
}

Test(metadata, counts_must_fit_each_other)
{
    static const struct {
        size_t offset;
        const char *name;
        uint64_t bad;
    } count[] = {
        {offsetof(mcd_metadata, id_count), "id_count is 11, more than 10", 11},
        {offsetof(mcd_metadata, component_count), "component_count is 11, more than 10", 11},
        {offsetof(mcd_metadata, up_arc_count), "up_arc_count is 46, more than 45", 46},
        {offsetof(mcd_metadata, node_count), "node_count is 4294967295, more than 4294967294", UINT32_MAX},
        {offsetof(mcd_metadata, arc_count), "arc_count is 4294967295, more than 4294967294", UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof count / sizeof count[0]; ++i) {
        uint64_t *value = (uint64_t *)((char *)&good + count[i].offset);
        const uint64_t kept = *value;
        *value = count[i].bad;
        expect_refused(count[i].name);
        *value = kept;
    }
    good.node_count = good.id_count = 1 << 20,
    good.up_arc_count = UINT32_MAX; /* above it, indices would wrap */
    expect_refused("up_arc_count is 4294967295, more than 4294967294");
    good.node_count = 10, good.id_count = 9, good.up_arc_count = 20;
    good.has_hierarchy = false;
    expect_refused("height 5 without a hierarchy");
    good.has_hierarchy = true;
    good.height = 0;
    expect_refused("height 0 with a hierarchy");
    good.height = 11;
    expect_refused("height is 11, more than 10");
}

Test(metadata, weeks_have_slots_of_15_or_5_minutes)
{
    good.pattern_slots = 168;
    expect_refused(
        "patterns have 168 slots a week; this version of Macadam reads 672 (15 minutes each) and 2016");
    static const uint32_t known[] = {0, 672, 1344, 2016, 4032};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        mcd_metadata *found;
        good.pattern_slots = known[i];
        SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = file_of(&good);
        cr_assert_eq(mcd_metadata_read(&found, file, &error), MACADAM_OK, "%s", error.message);
        cr_expect_eq(found->pattern_slots, known[i]);
        mcd_metadata_free(found);
    }
}

Test(metadata, bounding_box_must_be_on_earth)
{
    good.north_e7 = 900000001;
    expect_refused("no bounding box");
    good.north_e7 = -2;
    expect_refused("no bounding box");
    good.north_e7 = 0;
    good.west_e7 = -1800000001;
    expect_refused("no bounding box: -1800000001");
}

Test(metadata, bounding_box_may_cross_the_antimeridian)
{
    mcd_metadata *found;
    good.west_e7 = 1700000000, good.east_e7 = -1700000000;
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = file_of(&good);
    cr_assert_eq(mcd_metadata_read(&found, file, &error), MACADAM_OK, "%s", error.message);
    mcd_metadata_free(found);
}

Test(metadata, quantities_must_be_one_to_eight_with_names_of_their_own)
{
    quantity[1].name = "q0";
    expect_refused("quantity 1 has the name of another");
    quantity[1].name = "";
    expect_refused("quantity 1 has no proper name");
    quantity[1].name = "0123456789abcdef0123456789abcdef";
    expect_refused("quantity 1 has no proper name");
    quantity[1].name = "two\nlines";
    expect_refused("quantity 1 has no proper name");
    quantity[1].name = "q1";
    quantity[0].unit = "0123456789abcdef0123456789abcdef";
    expect_refused("quantity 0 has too long a unit");
    quantity[0].unit = "\xb5m";
    expect_refused("quantity 0 has a unit that is not UTF-8");
    good.n_quantity = MCD_QUANTITY_MAX + 1;
    expect_refused("9 quantities");
    good.n_quantity = good.n_metric = 0;
    expect_refused("0 quantities");
}

Test(metadata, metrics_must_be_of_quantities)
{
    metric[0].companion = "q9";
    expect_refused("metric 0 has a companion that is not a quantity");
    metric[0].companion = "q0";
    expect_refused("metric 0 is its own companion");
    metric[0].objective = "q9";
    expect_refused("metric 0 is of no quantity");
    metric[0].objective = "q1", metric[0].companion = "";
    expect_refused("metric 1 has the name of another");
    good.n_metric = 3;
    expect_refused("3 metrics of 2 quantities");
}

static void expect_bytes_refused(const void *data, size_t bytes, const char *message)
{
    mcd_metadata *found;
    mcd_edge_writer *writer = begin_file();
    cr_assert_eq(mcd_edge_writer_section(writer, "meta", 1, data, bytes, false, &error), MACADAM_OK);
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = finish_file(writer);
    cr_assert_eq(mcd_metadata_read(&found, file, &error), MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

Test(metadata, bytes_that_are_not_a_message_are_refused)
{
    static unsigned char zeros[(1 << 20) + 1];
    expect_bytes_refused("\xff\xff\xff", 3, "not a protobuf message");
    expect_bytes_refused(zeros, sizeof zeros, "1048577 bytes");
}

Test(metadata, reading_without_memory_fails_and_leaks_nothing)
{
    mcd_metadata *found = NULL;
    SCOPED(mcd_edge_file_close_at) mcd_edge_file *file = file_of(&good);
    size_t nth = 0;
    do {
        allocator_fail(++nth);
        const macadam_status status = mcd_metadata_read(&found, file, &error);
        cr_assert_eq(status, allocator_has_failed() ? MACADAM_E_MEMORY : MACADAM_OK);
        cr_assert_eq(found != NULL, status == MACADAM_OK);
    } while (!found);
    allocator_fail(0);
    cr_assert_gt(nth, 10);
    mcd_metadata_free(found);
}
