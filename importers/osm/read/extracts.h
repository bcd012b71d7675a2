/* extracts.h - several OpenStreetMap files read as one: objects of the same id are one. */
#ifndef MCD_IMPORTERS_OSM_READ_EXTRACTS_H
#define MCD_IMPORTERS_OSM_READ_EXTRACTS_H

#include "importers/osm/read/osm_file.h"

typedef struct mcd_extract_list {
    mcd_osm_version
        *version; /* [count] of each id that comes more than once the one that counts, by ascending ids */
    size_t count, capacity;
} mcd_extract_list;

typedef struct mcd_extracts {
    mcd_osm_file **file; /* [count] */
    size_t count;
    const mcd_parallel *parallel;
    const mcd_progress *progress;
    bool compared; /* false: there is one file, and no object comes twice as far as it was read */
    mcd_extract_list list[MCD_OSM_KINDS];
} mcd_extracts;

/* Opens the files. If they are several, finds the ways and relations that come more than once: the newest version counts,
 * a deletion before an object of the same version, then what comes first. Memory: 24 bytes a way or relation of the files
 * meanwhile. `parallel` and `progress` are for all readings. Returns E_INVALID (no file, or one twice), and what mcd_osm_file_open and mcd_osm_file_read return.
 * On failure too, close `out`. */
macadam_status mcd_extracts_open(mcd_extracts *out, const char *const *path, size_t count,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 macadam_error *error);

/* After a reading: if the ids of a single file turned out not to ascend, finds its ways and relations that come more than
 * once. *repeat: there are some, so that ways and relations have to be read again. */
macadam_status mcd_extracts_compare(mcd_extracts *extracts, bool *repeat, macadam_error *error);

/* Reads file after file, as mcd_osm_file_read does. Ways and relations come once, and not if they were deleted. Nodes may
 * come more than once and deleted, with their ages, if extracts->compared is set: mcd_points_expect_ages. */
macadam_status mcd_extracts_read(const mcd_extracts *extracts, const mcd_osm_handler *handler,
                                 const char *phase, macadam_error *error);

void mcd_extracts_close(mcd_extracts *extracts);

#endif
