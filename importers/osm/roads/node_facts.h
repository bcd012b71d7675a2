/* node_facts.h - the facts about points that a part of the file holds, until the points take them over in
 * order. */
#ifndef MCD_IMPORTERS_OSM_ROADS_NODE_FACTS_H
#define MCD_IMPORTERS_OSM_ROADS_NODE_FACTS_H

#include "importers/osm/roads/point.h"

/* The place of a node that is a point, and how one passes it. */
typedef struct mcd_node_fact {
    uint32_t point;
    int32_t lon_e7, lat_e7;
    uint32_t age; /* of the node; if it was deleted, the state is 0 */
    uint16_t wait_s;
    uint8_t state;
    bool is_limited; /* it has a limited point, in the order of the facts */
} mcd_node_fact;

/* The facts that a part of the file holds. */
typedef struct mcd_node_facts {
    mcd_node_fact *node_fact;
    size_t count, capacity;
    size_t near; /* points below it have smaller ids than the last node: most files ascend */
    mcd_limited_points limited;
} mcd_node_facts;

/* Appends the facts about a node if it is one of the points. `facts` begins zeroed. */
macadam_status mcd_node_facts_add(mcd_node_facts *node_facts, mcd_report *report, const mcd_points *points,
                                  const mcd_profile *profile, const mcd_osm_node *node, macadam_error *error);

/* Hands all of `facts` over to the points: where points have ages, only what is newer than what they know;
 * what a way says of a point only if they know nothing. `facts` is then empty, but keeps its memory. */
macadam_status mcd_node_facts_apply(mcd_node_facts *node_facts, mcd_points *points, macadam_error *error);

void mcd_node_facts_free(mcd_node_facts *node_facts);

#endif
