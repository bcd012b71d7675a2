/* osm_read.h - OpenStreetMap files as the importer's map, for one profile. */
#ifndef MCD_TESTS_SUPPORT_OSM_READ_H
#define MCD_TESTS_SUPPORT_OSM_READ_H

#include "importers/osm/osm.h"

/* Fills the zeroed *out; mcd_map_free. */
static inline macadam_status osm_read(mcd_map *out, const char *const *path, size_t path_count,
                                      const mcd_profile *profile, const mcd_parallel *parallel,
                                      const mcd_progress *progress, const macadam_import_options *options,
                                      macadam_error *error)
{
    mcd_osm_roads *roads;
    mcd_checkpoints none = {0};
    mcd_checkpoint from = {.all = &none};
    macadam_status status = mcd_osm_roads_new(&roads, profile, 1, !options->report_file, error);
    if (status == MACADAM_OK) status = mcd_osm_read(roads, path, path_count, parallel, progress, error);
    if (status == MACADAM_OK)
        status = mcd_osm_make_map(out, roads, &from, NULL, options, parallel, progress, error);
    if (status == MACADAM_OK) mcd_osm_tell(roads, 0, options);
    mcd_osm_roads_free(roads);
    return status;
}

#endif
