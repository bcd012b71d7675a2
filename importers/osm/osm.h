/* osm.h - road maps from OpenStreetMap files, one for each of several profiles. */
#ifndef MCD_IMPORTERS_OSM_OSM_H
#define MCD_IMPORTERS_OSM_OSM_H

#include "importers/base/checkpoint.h"
#include "importers/osm/rules/profile.h"
#include "importers/speeds/speed_table.h"

/* Reads the files' maps, one for each profile. */
typedef struct mcd_osm_roads mcd_osm_roads;

/* Makes *out for profile[profile_count], which it borrows. `few`: reports list only a few objects of each kind. Returns
 * E_MEMORY. */
macadam_status mcd_osm_roads_new(mcd_osm_roads **out, const mcd_profile *profile, size_t profile_count,
                                 bool few, macadam_error *error);
/* Reads the roads. Several files make one map (extracts.h).
 * They are read twice, ways first, so that the order of their objects does not matter, and for all profiles
 * together. Returns E_IO, E_FILE (unreadable, cut off, or without a road of some profile), E_MEMORY,
 * E_CANCELLED. Memory: for each profile and node reference of its usable ways about
 * 25 bytes. */
macadam_status mcd_osm_read(mcd_osm_roads *roads, const char *const *path, size_t path_count,
                            const mcd_parallel *parallel, const mcd_progress *progress, macadam_error *error);
void mcd_osm_roads_free(mcd_osm_roads *roads);

/* Returns whether an import failed because no road is open to a profile. `roads` may be NULL. */
bool mcd_osm_is_empty(const mcd_osm_roads *roads);

/* Writes the reports of all maps that were made as JSON (macadam_import_options::report_file). Returns E_IO, E_FULL,
 * E_MEMORY. */
macadam_status mcd_osm_write_report(mcd_osm_roads *roads, const char *path, macadam_error *error);

/* Returns about how many bytes it takes to make the maps of all profiles at the same time. */
uint64_t mcd_osm_maps_bytes(const mcd_osm_roads *roads);

/* Fills the zeroed *out from what was read for the profile from->profile, once, and frees that, but for its report: nodes
 * are junctions, known by their OSM ids; quantities are duration (ms) and distance (cm). Turn restrictions and barriers split
 * their nodes. `speeds` (NULL: none) are applied if the profile is that of a motor vehicle. If `from` is an open checkpoint
 * of MCD_IMPORT_STAGE_ROADS, nothing of the profile needs to have been read; otherwise one is written. On failure the map is
 * left for mcd_map_free. Returns E_FILE, E_MEMORY, E_CANCELLED; of checkpoints, E_IO, E_FULL. Threads: calls for different
 * profiles may overlap. */
macadam_status mcd_osm_make_map(mcd_map *out, mcd_osm_roads *roads, mcd_checkpoint *from,
                                const mcd_speed_table *speeds, const macadam_import_options *options,
                                const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error);

/* Writes the report of the checkpoint's profile into it, once its map was made, or reads it. */
macadam_status mcd_osm_keep_report(mcd_osm_roads *roads, mcd_checkpoint *at, macadam_error *error);

/* Passes the lines of a profile's report to options->report, once its map was made. */
void mcd_osm_tell(const mcd_osm_roads *roads, size_t profile, const macadam_import_options *options);

#endif
