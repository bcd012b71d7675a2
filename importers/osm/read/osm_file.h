/* osm_file.h - reads OpenStreetMap files object by object: blobs by pbf.h, XML, OPL and o5m by osm_parser.h. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_FILE_H
#define MCD_IMPORTERS_OSM_READ_OSM_FILE_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"
#include "importers/osm/read/osm_object.h"

typedef struct mcd_osm_file mcd_osm_file;

/* A file to be read, more than once if need be: the next reading knows from the one before where which kinds
 * are. Its name says its format. The path "-" is standard input, which is read to its end; its first bytes say the
 * format. Any other file must not shrink while it is open: it is mapped. Returns E_IO, E_FILE, E_MEMORY,
 * E_CANCELLED. */
macadam_status mcd_osm_file_open(mcd_osm_file **out, const char *path, const mcd_progress *progress,
                                 macadam_error *error);

/* Reads file[count] one after another, from begin to end. Each node of a way whose coordinates the way has
 * is handed over too, with MCD_AGE_OF_WAY, once an earlier reading has handed over the way. Returns E_IO,
 * E_FILE, E_MEMORY, E_CANCELLED or the handler's status. */
macadam_status mcd_osm_file_read(mcd_osm_file *const *file, size_t count, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error);

/* Whether the ids of each kind ascend, as far as they were read: then no object comes twice. */
bool mcd_osm_file_ascends(const mcd_osm_file *file);

void mcd_osm_file_close(mcd_osm_file *file);

#endif
