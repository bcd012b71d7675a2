/* osm_object.h - the objects of OpenStreetMap files, and who receives them. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_OBJECT_H
#define MCD_IMPORTERS_OSM_READ_OSM_OBJECT_H

#include "engine/base/status.h"
#include "importers/osm/read/tags.h"

#include <stdint.h>

/* Of objects with one id, the one of the greatest age counts. Below MCD_AGE_MIN there is only the place that a way
 * gives for its node; from there on the age grows with the version, and is odd if the object was deleted. */
enum { MCD_AGE_OF_WAY = 0, MCD_AGE_MIN = 2 };
static inline bool mcd_age_is_deleted(uint32_t age)
{
    return age % 2 == 1;
}

typedef struct mcd_osm_node {
    int64_t id;
    int32_t lon_e7, lat_e7;
    bool valid; /* it has coordinates, and they are on the globe */
    mcd_tags tags;
    uint32_t age; /* MCD_AGE_OF_WAY: only a way says where it is */
} mcd_osm_node;

typedef struct mcd_osm_way {
    int64_t id;
    const int64_t *node; /* ids */
    size_t node_count;
    mcd_tags tags;
    uint32_t age;
    uint64_t number; /* ascends in a file, whatever is skipped; the same each time that the file is read */
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
    uint32_t age;
    uint64_t number; /* ascends in a file, whatever is skipped; the same each time that the file is read */
} mcd_osm_relation;

enum { MCD_OSM_PARTS = 128 }; /* of a file that are read concurrently, at most */

/* Receives the objects of parts of the file, borrowed; kinds whose function is NULL are skipped. Several
 * threads hand over a part each, whose number is below MCD_OSM_PARTS, in the order of its objects. Then
 * `join` is called for it, by the thread that reads the file and in the order of the parts; afterwards the
 * number stands for a new part. A status other than MACADAM_OK ends the reading and is returned; of several
 * that of the first part. */
typedef struct mcd_osm_handler {
    void *context;
    macadam_status (*node)(void *context, size_t part, const mcd_osm_node *node, macadam_error *error);
    macadam_status (*way)(void *context, size_t part, const mcd_osm_way *way, macadam_error *error);
    macadam_status (*relation)(void *context, size_t part, const mcd_osm_relation *relation,
                               macadam_error *error);
    macadam_status (*join)(void *context, size_t part, macadam_error *error);
    bool
        versions; /* ages are wanted, and so are deleted objects; else ages mean nothing but MCD_AGE_OF_WAY */
} mcd_osm_handler;

#endif
