/* place.h - the places that a map knows by name: its ids, and the nodes from which they depart and at which
 * they arrive. */
#ifndef MCD_ENGINE_MAP_PLACE_H
#define MCD_ENGINE_MAP_PLACE_H

#include "engine/base/types.h"

/* The sections of an edge file that describe places, borrowed. */
typedef struct mcd_place_index {
    size_t node_count, id_count;
    const int64_t *id;               /* [id_count] ascending */
    const mcd_node *depart, *arrive; /* [id_count] */
    const int64_t *node_id;          /* [node_count] */
    const int32_t *lon_e7, *lat_e7;  /* [node_count], NULL without coordinates */
    const uint32_t *node_place;      /* [node_count] the index of a node's id in `id`; NULL: mcd_place
                                      * functions search for it */
} mcd_place_index;

#define MCD_PLACE_NONE SIZE_MAX
/* Returns the index of `id` among the ids, or MCD_PLACE_NONE. */
size_t mcd_place_find_id(const mcd_place_index *index, int64_t id);

#endif
