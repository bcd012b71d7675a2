/* osm_map.c - see osm_map.h. */
#include "tests/support/osm_map.h"
#include "tests/support/fixture.h"

#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"

void osm_map_read(mcd_map *out, const char *path, const char *profile_name)
{
    SCOPED(mcd_profile_free) mcd_profile profile;
    macadam_error error;
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const mcd_progress progress = {NULL, NULL};
    const macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    *out = (mcd_map){0};
    fixture_expect_ok(mcd_profile_read(&profile, profile_name, &error), &error, profile_name);
    fixture_expect_ok(osm_read(out, &path, 1, &profile, &parallel, &progress, &options, &error), &error,
                      path);
}
