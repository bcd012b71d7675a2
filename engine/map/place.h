/* place.h - the places that a map knows by name: its ids, and the nodes from which they depart and at which
 * they arrive. */
#ifndef MCD_ENGINE_MAP_PLACE_H
#define MCD_ENGINE_MAP_PLACE_H

#include "engine/base/types.h"

/* Arrays that the engine or an import made, and the ids, which are a section of an edge file. */
typedef struct mcd_place_index {
    size_t node_count, id_count;
    const int64_t *id;               /* [id_count] ascending */
    const mcd_node *depart, *arrive; /* [id_count] */
    const uint32_t *node_place;      /* [node_count] the index of a node's id in `id` */
    const int32_t *lon_e7, *lat_e7;  /* [node_count], NULL without coordinates */
    const int32_t *height_dm;        /* [id_count], NULL without heights */
} mcd_place_index;

/* Returns the user's id of a node. */
static inline int64_t mcd_place_id_of(const mcd_place_index *index, mcd_node node)
{
    return index->id[index->node_place[node]];
}

#define MCD_PLACE_NONE SIZE_MAX
/* Returns the index of `id` among the ids, or MCD_PLACE_NONE. */
size_t mcd_place_find_id(const mcd_place_index *index, int64_t id);

#endif
