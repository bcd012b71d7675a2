/* osm_file.h - reads OpenStreetMap files (.osm, .osm.gz, .osm.bz2, .osm.pbf) object by object. libosmium
 * behind C. */
#ifndef MCD_OSM_FILE_H
#define MCD_OSM_FILE_H

#include "engine/progress.h"
#include "importers/tags.h"

typedef struct mcd_osm_node {
    int64_t id;
    int32_t lon_e7, lat_e7;
    bool valid; /* it has coordinates, and they are on the globe */
    mcd_tags tags;
} mcd_osm_node;

typedef struct mcd_osm_way {
    int64_t id;
    const int64_t *node; /* ids */
    size_t node_count;
    mcd_tags tags;
} mcd_osm_way;

typedef struct mcd_osm_member {
    char type; /* 'n', 'w' or 'r' */
    int64_t id;
    const char *role;
} mcd_osm_member;

typedef struct mcd_osm_relation {
    int64_t id;
    const mcd_osm_member *member;
    size_t member_count;
    mcd_tags tags;
} mcd_osm_relation;

/* Receives the objects in the file's order, borrowed; kinds whose function is NULL are skipped. A status
 * other than MACADAM_OK ends the reading and is returned. */
typedef struct mcd_osm_handler {
    void *context;
    macadam_status (*node)(void *context, const mcd_osm_node *node, macadam_error *error);
    macadam_status (*way)(void *context, const mcd_osm_way *way, macadam_error *error);
    macadam_status (*relation)(void *context, const mcd_osm_relation *relation, macadam_error *error);
} mcd_osm_handler;

/* Reads `path` from begin to end with `thread_count` threads for decoding; the handler is called from the
 * calling thread. Deleted objects of history files are left out. Returns E_IO, E_FILE, E_MEMORY, E_CANCELLED
 * or the handler's status. */
macadam_status mcd_osm_file_read(const char *path, const mcd_osm_handler *handler, unsigned thread_count,
                                 const mcd_progress *progress, const char *phase, macadam_error *error);

#endif
