/* test_drives.c - simulated drives on OpenStreetMap files: a session never takes a traveller for off the route whose positions
 * are within accuracy, finds within three positions that he has left it, says each instruction once and in order, and knows
 * when he has arrived. Needs MACADAM_DATA. */
#include "tests/support/fixture.h"
#include "tests/support/followed.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { DRIVES = 60 };

static macadam_engine *import(const char *name, const char *profile, const char *folder)
{
    char path[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    snprintf(output, sizeof output, "%s/map.mcd", folder);
    macadam_error error;
    const macadam_import_options options = {.size = sizeof options, .output = output};
    fixture_expect_ok(macadam_import_osm(path, profile, &options, &error), &error, name);
    return fixture_open_file(output, 1);
}

static void expect_followed(macadam_engine *engine, followed_kind kind, uint64_t seed)
{
    const followed_tally got = followed_run(engine, kind, DRIVES, seed);
    const char *const name = followed_name[kind];
    free(got.error);
    cr_expect_eq(got.drives, DRIVES);
    cr_expect_gt(got.steps, DRIVES, "%s", name);
    cr_expect_eq(got.false_off, 0, "%s: %zu positions are off the route", name, got.false_off);
    cr_expect_lt(got.unsure, got.positions / 1000 + 1, "%s: %zu positions are unsure", name, got.unsure);
    cr_expect_eq(got.missed, 0, "%s: %zu steps are missed", name, got.missed);
    cr_expect_eq(got.repeated + got.disordered + got.early, 0,
                 "%s: %zu steps are said twice, %zu out of order", name, got.repeated,
                 got.disordered + got.early);
    cr_expect_leq(got.hasty, got.steps / 1000, "%s: %zu steps are said too early", name, got.hasty);
    cr_expect_eq(got.not_arrived + got.arrived_early, 0, "%s: %zu drives do not arrive, %zu too early", name,
                 got.not_arrived, got.arrived_early);
    cr_expect_lt(got.astray, got.positions / 1000 + 1, "%s: %zu positions are astray", name, got.astray);
    if (kind < FOLLOWED_WRONG_TURN) return;
    cr_expect_geq(got.departures, DRIVES * 9 / 10, "%s: %zu departures", name, got.departures);
    cr_expect_eq(got.late, 0, "%s: %zu departures are late", name, got.late);
}

static void follow_all(const char *name, const char *profile)
{
    char folder[FILES_PATH_BYTES];
    files_new_folder(folder);
    macadam_engine *const engine = import(name, profile, folder);
    for (int kind = 0; kind < FOLLOWED_KINDS; ++kind)
        if (kind != FOLLOWED_UNLIMITED && kind != FOLLOWED_BACK_GAPS)
            expect_followed(engine, (followed_kind)kind, 1);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

Test(drives, by_car_in_milan)
{
    follow_all("osm/milan_italy_small.osm.pbf", "car");
}

Test(drives, by_bicycle_in_heidelberg)
{
    follow_all("osm/heidelberg.test.osm.pbf", "bike");
}
