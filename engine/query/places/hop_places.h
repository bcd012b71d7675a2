/* hop_places.h - places as searches without weights see them: the nodes from which each place is left, or where it
 * is reached. */
#ifndef MCD_ENGINE_QUERY_PLACES_HOP_PLACES_H
#define MCD_ENGINE_QUERY_PLACES_HOP_PLACES_H

#include "engine/query/places/lanes.h"

typedef struct mcd_hop_places {
    size_t count;
    mcd_node *node; /* [count]; a place that failed has one, MCD_NODE_NONE */
    /* [place_count + 1]: place i has the nodes first[i] <= n < first[i + 1]; NULL: each place has one node,
     * and no place is within a road. */
    size_t *first;
    size_t *inner; /* [place_count]: its nodes from here on are those of its second position; NULL likewise */
    bool *within;  /* [count]: the position is within a road; NULL likewise */
} mcd_hop_places;

/* Lists the seeds of the places' lanes. Free *out with mcd_hop_places_free, on failure too. */
macadam_status mcd_hop_places_new(mcd_hop_places *out, const mcd_lanes *lanes, macadam_error *error);
void mcd_hop_places_free(mcd_hop_places *ends);

#endif
