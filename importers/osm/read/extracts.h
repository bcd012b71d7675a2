/* extracts.h - several OpenStreetMap files read as one: objects of the same id are one. */
#ifndef MCD_IMPORTERS_OSM_READ_EXTRACTS_H
#define MCD_IMPORTERS_OSM_READ_EXTRACTS_H

#include "importers/osm/read/osm_file.h"

typedef struct mcd_extract_list mcd_extract_list; /* the objects that several files have */

typedef struct mcd_extracts {
    mcd_osm_file **file; /* [count] */
    size_t count;
    mcd_extract_list *way, *relation;   /* NULL: there is one file */
    uint64_t way_count, relation_count; /* how many several files have */
} mcd_extracts;

/* Opens the files. If they are several, finds the ways and relations that more than one of them has: the newest
 * version counts, of equal versions that of the first file. Memory: 16 bytes a way or relation of the files
 * meanwhile. Returns E_INVALID (no file, or one twice), and what mcd_osm_file_open and mcd_osm_file_read return; on
 * failure nothing is left open. */
macadam_status mcd_extracts_open(mcd_extracts *out, const char *const *path, size_t count,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 macadam_error *error);

/* Reads file after file, as mcd_osm_file_read does. Ways and relations come once. So do not nodes, which have
 * their versions if there are several files: mcd_points_expect_versions. */
macadam_status mcd_extracts_read(const mcd_extracts *extracts, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error);

void mcd_extracts_close(mcd_extracts *extracts);

#endif
