/* test_rules_preference.c - a city by a profile that prefers nothing: the third quantity is the first. */
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static macadam_engine *import_city(const char *osm, const char *folder, const char *profile)
{
    char path[FILES_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/city.mcd", folder);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, osm, profile, &options);
    return fixture_open_file(path, 2);
}

/* Fills a row of `count` costs for each of the ids. */
static uint32_t *trees_of(macadam_engine *engine, const char *metric, const macadam_place *source,
                          size_t sources, size_t ids)
{
    uint32_t *const cost = checked_zeroed(sources * ids, sizeof *cost), *const value[] = {cost};
    macadam_error error;
    const macadam_query query = {.size = sizeof query, .metric = metric};
    const macadam_tree_request request = {.size = sizeof request, .source = source, .source_count = sources};
    fixture_expect_ok(macadam_tree_find(value, NULL, engine, &query, &request, &error), &error, metric);
    return cost;
}

Test(rules_preference, who_likes_all_roads_alike_prefers_what_is_fast)
{
    enum { SOURCES = 16 };
    char osm[FILES_PATH_BYTES], folder[FILES_PATH_BYTES], profile[FILES_PATH_BYTES + 16];
    macadam_place source[SOURCES];
    macadam_error error;
    macadam_info info = MACADAM_INFO_INIT;
    if (!files_find_data(osm, "osm/heidelberg.test.osm.pbf")) cr_skip_test("MACADAM_DATA is not set");
    files_new_path(folder, profile, "alike.profile");
    FILE *const file = fopen(profile, "w");
    cr_assert(file);
    fputs("like car\nname alike\n[preference highway]\n* 1\n", file);
    fclose(file);
    macadam_engine *const engine = import_city(osm, folder, profile);
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert_eq(info.quantity_count, 3);
    cr_assert_str_eq(info.quantity[2], "preference");
    cr_assert_str_eq(info.unit[2], "ms");
    cr_assert_str_eq(info.companion[2], "duration");
    const int64_t *const id = macadam_engine_ids(engine, &error);
    for (size_t i = 0; i < SOURCES; ++i) source[i] = (macadam_place){.id = id[i * (info.id_count / SOURCES)]};
    FREED uint32_t *const fast = trees_of(engine, "duration", source, SOURCES, info.id_count),
                          *const liked = trees_of(engine, "preference", source, SOURCES, info.id_count);
    cr_assert_eq(memcmp(fast, liked, SOURCES * info.id_count * sizeof *fast), 0);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}
