/* test_import.c - the profiles of a file are made at the same time, and their bytes do not show it. */
#include "engine/include/macadam.h"
#include "engine/map/map.h"
#include "tests/support/allocator.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(import, .init = import_fixture_open, .fini = import_fixture_close);

enum { PROFILES = 3, REPORT_BYTES = 4096, TRIES_MAX = 20000 };
static const char *const profile[PROFILES] = {"car", "foot", "bike"};

/* 1 -- 2 -- 3 -- 1, and a road of some class from 3 to 4. */
static const char town[] =
    "<?xml version='1.0'?><osm version='0.6'>"
    "<node id='1' version='1' lat='0' lon='0'/><node id='2' version='1' lat='0' lon='0.01'/>"
    "<node id='3' version='1' lat='0.01' lon='0'/><node id='4' version='1' lat='0.01' lon='0.01'/>"
    "<way id='1' version='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='2' version='1'><nd ref='2'/><nd ref='3'/><tag k='highway' v='primary'/></way>"
    "<way id='3' version='1'><nd ref='3'/><nd ref='1'/><tag k='highway' v='residential'/>"
    "<tag k='oneway' v='yes'/></way>"
    "<way id='4' version='1'><nd ref='3'/><nd ref='4'/><tag k='highway' v='%s'/></way></osm>";

/* The calls of the callback during an import. */
typedef struct heard {
    char report[REPORT_BYTES];
    size_t calls, stop_at; /* 0: never */
} heard;

static void take_line(void *context, const char *line)
{
    heard *const all = context;
    const size_t length = strlen(all->report);
    cr_assert_lt(length + strlen(line) + 2, REPORT_BYTES);
    sprintf(all->report + length, "%s\n", line);
}

static bool take_call(void *context, const char *phase, uint64_t done, uint64_t total)
{
    heard *const all = context;
    (void)phase, (void)done, (void)total;
    return ++all->calls != all->stop_at;
}

static macadam_status import_town(const char *path, const char *out, unsigned threads, heard *all)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = out;
    options.threads = threads;
    options.report = take_line;
    options.progress = take_call;
    options.context = all;
    *all = (heard){.stop_at = all->stop_at};
    return macadam_import_osm_files(&path, 1, profile, PROFILES, &options, &import_error);
}

static const char *write_town(const char *road)
{
    char text[sizeof town + 32];
    snprintf(text, sizeof text, town, road);
    return import_write("town.osm", text);
}

Test(import, file_and_report_are_the_same_on_any_number_of_threads)
{
    char path[FILES_PATH_BYTES], out[FILES_PATH_BYTES], expected[REPORT_BYTES];
    static heard all;
    void *first = NULL;
    size_t first_bytes = 0, bytes;
    snprintf(path, sizeof path, "%s", write_town("steps"));
    snprintf(out, sizeof out, "%s", import_path("out.mcd"));
    for (unsigned threads = 1; threads <= 8; ++threads) {
        if (threads == 8) mcd_import_memory = 1; /* arrays wait on the disk */
        cr_assert_eq(import_town(path, out, threads, &all), MACADAM_OK, "%s", import_error.message);
        cr_assert_gt(all.calls, 0);
        void *const file = files_read(out, &bytes);
        if (threads > 1) {
            cr_assert_eq(bytes, first_bytes);
            cr_assert_eq(memcmp(file, first, bytes), 0);
            cr_assert_str_eq(all.report, expected);
            free(file);
            continue;
        }
        first = file, first_bytes = bytes;
        memcpy(expected, all.report, sizeof expected);
        cr_assert_not_null(strstr(expected, "profile foot\n"), "%s", expected);
    }
    free(first);
}

Test(import, profile_without_a_road_is_named)
{
    static heard all;
    char path[FILES_PATH_BYTES];
    snprintf(path, sizeof path, "%s",
             import_write("steps.osm", "<?xml version='1.0'?><osm version='0.6'>"
                                       "<node id='1' version='1' lat='0' lon='0'/>"
                                       "<node id='2' version='1' lat='0' lon='1'/><way id='1' version='1'>"
                                       "<nd ref='1'/><nd ref='2'/><tag k='highway' v='steps'/></way></osm>"));
    for (unsigned threads = 1; threads <= 3; ++threads)
        import_expect(import_town(path, import_path("out.mcd"), threads, &all), MACADAM_E_FILE, path,
                      ": no road is open to the profile car: 0 ways closed, 0 areas, 1 not roads, 0 with "
                      "fewer than two nodes; "
                      "0 nodes missing, 0 without valid coordinates");
}

Test(import, can_be_cancelled_at_any_call)
{
    static heard all;
    char path[FILES_PATH_BYTES], out[FILES_PATH_BYTES];
    snprintf(path, sizeof path, "%s", write_town("service"));
    snprintf(out, sizeof out, "%s", import_path("out.mcd"));
    mcd_watch_set_clock(test_clock_always_due);
    for (unsigned threads = 1; threads <= 3; ++threads) {
        macadam_status status = MACADAM_E_CANCELLED;
        for (all.stop_at = 1; status; ++all.stop_at) {
            status = import_town(path, out, threads, &all);
            if (status) cr_assert_eq(status, MACADAM_E_CANCELLED, "%s", import_error.message);
            if (status)
                cr_assert_eq(all.calls, all.stop_at, "the callback is not called again after it refused");
        }
        cr_assert_lt(all.calls, all.stop_at);
        all.stop_at = 0;
    }
    mcd_watch_set_clock(NULL);
}

Test(import, every_allocation_may_fail)
{
    static heard all;
    char path[FILES_PATH_BYTES], out[FILES_PATH_BYTES];
    snprintf(path, sizeof path, "%s", write_town("service"));
    snprintf(out, sizeof out, "%s", import_path("out.mcd"));
    const size_t alive = allocator_live_count();
    bool has_failed = true;
    for (size_t nth = 1; has_failed && nth < TRIES_MAX; ++nth) {
        allocator_fail(nth);
        const macadam_status status = import_town(path, out, 3, &all);
        has_failed = allocator_has_failed();
        allocator_fail(0);
        if (status) cr_assert(has_failed && status == MACADAM_E_MEMORY, "%s", import_error.message);
        cr_assert_eq(allocator_live_count(), alive, "allocation %zu", nth);
    }
    cr_assert_not(has_failed);
}

/* ---- outputs ---- */

/* Imports over an input: refused by name, and the file stays as it is. */
static void expect_refused(const char *kept, macadam_status status)
{
    cr_assert_eq(status, MACADAM_E_INVALID, "%s: %s", kept, import_error.message);
    cr_assert_not_null(strstr(import_error.message, "same file"), "%s", import_error.message);
    cr_assert_not_null(strstr(import_error.message, strrchr(kept, '/') + 1), "%s", import_error.message);
}

Test(import, dimacs_without_quantities_are_refused)
{
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    const macadam_import_options options = {.size = sizeof options, .output = import_path("none.mcd")};
    cr_assert_eq(macadam_import_dimacs(&input, &options, &import_error), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "no quantity is given");
    input.quantity = profile;
    input.quantity_count = 1;
    cr_assert_eq(macadam_import_dimacs(&input, &options, &import_error), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "no quantity is given");
}

Test(import, an_output_is_not_an_input)
{
    char path[FILES_PATH_BYTES], other[FILES_PATH_BYTES], file[FILES_PATH_BYTES];
    size_t bytes;
    snprintf(path, sizeof path, "%s", write_town("steps"));
    snprintf(file, sizeof file, "%s", import_write("other.osm", "<osm version='0.6'></osm>"));
    snprintf(other, sizeof other, "%s", import_path("link.mcd"));
    cr_assert_eq(symlink("other.osm", other), 0);
    const char *const input[] = {path, file}, *const own[] = {file};
    macadam_import_options options = {.size = sizeof options, .output = path};
    expect_refused(path, macadam_import_osm_files(input, 2, profile, 1, &options, &import_error));
    options.output = other;
    expect_refused(file, macadam_import_osm_files(input, 2, profile, 1, &options, &import_error));
    expect_refused(file, macadam_import_osm_files(input, 1, own, 1, &options, &import_error));
    options.order = file;
    expect_refused(file, macadam_import_osm_files(input, 1, profile, 1, &options, &import_error));
    options.order = NULL;
    macadam_dimacs_input dimacs = {
        .size = sizeof dimacs, .quantity = profile, .weight = input, .quantity_count = 2};
    expect_refused(file, macadam_import_dimacs(&dimacs, &options, &import_error));
    dimacs.quantity_count = 1;
    dimacs.coordinates = file;
    expect_refused(file, macadam_import_dimacs(&dimacs, &options, &import_error));
    free(files_read(file, &bytes));
    cr_assert_eq(bytes, strlen("<osm version='0.6'></osm>"));
}
