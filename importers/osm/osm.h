/* osm.h - a road map from OpenStreetMap files, for one profile. */
#ifndef MCD_IMPORTERS_OSM_OSM_H
#define MCD_IMPORTERS_OSM_OSM_H

#include "engine/map/map.h"
#include "engine/base/parallel.h"
#include "engine/base/progress.h"
#include "importers/osm/profile.h"

/* Where an importer tells, one line a thing, what it read and what it skipped. */
typedef struct mcd_report {
    void (*line)(void *context, const char *line); /* may be NULL */
    void *context;
} mcd_report;

/* Fills the zeroed *out: nodes are junctions, known by their OSM ids; quantities are duration (ms) and
 * distance (cm). Several files make one map (extracts.h). They are read twice, ways first, so that the order of its objects does not matter. Turn
 * restrictions and barriers split their nodes. On failure the map is left for mcd_map_free. Returns E_IO,
 * E_FILE (unreadable, cut off, or without a road), E_MEMORY, E_CANCELLED.
 * Memory: for each node reference of the usable ways about 25 bytes, and the map. */
macadam_status mcd_osm_read(mcd_map *out, const char *const *path, size_t path_count,
                            const mcd_profile *profile, const mcd_parallel *parallel,
                            const mcd_progress *progress, const mcd_report *report, macadam_error *error);

#endif
