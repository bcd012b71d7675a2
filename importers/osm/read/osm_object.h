/* osm_object.h - the objects of OpenStreetMap files, and who receives them. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_OBJECT_H
#define MCD_IMPORTERS_OSM_READ_OSM_OBJECT_H

#include "engine/base/status.h"
#include "importers/osm/read/tags.h"

/* Of objects with one id, the one of the greatest age counts. Below MCD_AGE_MIN there is only the place that a way
 * gives for its node; from there on the age grows with the version, and is odd if the object was deleted. */
enum { MCD_AGE_OF_OLD_WAY, MCD_AGE_OF_WAY, MCD_AGE_MIN };
static inline bool mcd_age_is_deleted(uint32_t age)
{
    return age > MCD_AGE_MIN && age % 2 == 1;
}

typedef struct mcd_osm_node {
    int64_t id;
    int32_t lon_e7, lat_e7;
    bool valid; /* it has coordinates, and they are on the globe */
    mcd_tags tags;
    uint32_t age; /* below MCD_AGE_MIN: only a way says where it is */
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

/* Which version of a way or relation. */
typedef enum mcd_osm_kind { MCD_OSM_WAY, MCD_OSM_RELATION, MCD_OSM_KINDS } mcd_osm_kind;
typedef struct mcd_osm_version {
    int64_t id;
    uint64_t number; /* ascends in a file, whatever is skipped; the same each time that the file is read */
    uint32_t age, file;
} mcd_osm_version;

enum { MCD_OSM_PARTS = 128 }; /* of a file that are read concurrently, at most */

/* Receives nodes and ways of parts of the files, borrowed; kinds whose function is NULL are skipped.
 * Several threads hand over a part each, whose number is below MCD_OSM_PARTS, in the order of its objects.
 * Then `join` is called for it, by the thread that reads the files and in the order of the parts;
 * afterwards the number stands for a new part. Relations come last, on that thread: in the order of the
 * files or, if versions are chosen, of their ids. A status other than MACADAM_OK ends the reading and is
 * returned; of several that of the first part. */
typedef struct mcd_osm_handler {
    void *context;
    macadam_status (*node)(void *context, size_t part, const mcd_osm_node *node, macadam_error *error);
    macadam_status (*way)(void *context, size_t part, const mcd_osm_way *way, macadam_error *error);
    macadam_status (*relation)(void *context, const mcd_osm_relation *relation, macadam_error *error);
    macadam_status (*join)(void *context, size_t part, macadam_error *error);
    /* ages of nodes are wanted, and deleted ones; else ages only say whether they are below MCD_AGE_MIN */
    bool versions;
    /* Optional, called by several threads: whether a relation with these tags is wanted. */
    bool (*wants)(const void *context, const mcd_tags *tags);
    /* Optional: whether a version counts. */
    bool (*counts)(const void *chooser, mcd_osm_kind kind, const mcd_osm_version *version);
    const void *chooser;
    /* Optional: receives the versions of a part, deleted ones too, instead of ways and relations. */
    macadam_status (*version)(void *context, size_t part, mcd_osm_kind kind, const mcd_osm_version *version,
                              macadam_error *error);
} mcd_osm_handler;

#endif
