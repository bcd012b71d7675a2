/* relation.h - maneuver relations: what mappers say of a maneuver, where what the map shows would mislead.
 * (https://wiki.openstreetmap.org/wiki/Relation:maneuver) */
#ifndef MCD_ENGINE_MAP_RELATION_H
#define MCD_ENGINE_MAP_RELATION_H

#include <stdint.h>

enum { MCD_RELATION_WAYS = 6, MCD_RELATION_SUPPRESS = -1 };

/* As an edge file holds it: eight numbers. */
typedef struct mcd_relation {
    int64_t way[MCD_RELATION_WAYS]; /* from, over these, to; 0: no more */
    int64_t node;                   /* where the maneuver is */
    int32_t type;                   /* macadam_maneuver_type, or MCD_RELATION_SUPPRESS: no instruction */
    int32_t modifier;               /* macadam_modifier; NONE: as found */
} mcd_relation;

#endif
