/* osm_file.h - reads OpenStreetMap files (.osm, .osm.gz, .osm.bz2, .osm.pbf) object by object: blobs by
 * pbf.h, XML by xml.h. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_FILE_H
#define MCD_IMPORTERS_OSM_READ_OSM_FILE_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"
#include "importers/osm/read/osm_object.h"

typedef struct mcd_osm_file mcd_osm_file;

/* A file to be read, more than once if need be: the next reading knows from the one before where which kinds
 * are. The file must not shrink while it is open: it is mapped. Returns E_IO, E_FILE, E_MEMORY. */
macadam_status mcd_osm_file_open(mcd_osm_file **out, const char *path, macadam_error *error);

/* Reads it from begin to end. Deleted objects of history files are left out. Returns E_IO, E_FILE, E_MEMORY,
 * E_CANCELLED or the handler's status. */
macadam_status mcd_osm_file_read(mcd_osm_file *file, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error);

void mcd_osm_file_close(mcd_osm_file *file);

#endif
