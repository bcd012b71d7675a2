/* component.h - strongly connected components. */
#ifndef MCD_ENGINE_MAP_COMPONENT_H
#define MCD_ENGINE_MAP_COMPONENT_H

#include "engine/map/graph.h"
#include "engine/map/place.h"

typedef struct mcd_components {
    mcd_node count;
    uint32_t *component; /* [node_count], numbered by the smallest node they hold */
    uint32_t *size;      /* [count] how many nodes each has */
} mcd_components;

/* Finds the components, the same whatever the number of threads. `parallel` may be NULL: one thread, and the graph needs no
 * reverse arcs. `watch` may be NULL. Time: linear. (Tarjan 1972, without recursion; Fleischer, Hendrickson and Pinar 2000) */
macadam_status mcd_components_new(mcd_components *out, const mcd_graph *graph, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error);
/* Sets *out to the number of components of the junctions, where all copies of a junction count as one
 * node. */
macadam_status mcd_components_of_junctions(size_t *out, const mcd_graph *graph, const mcd_place_index *places,
                                           mcd_watch *watch, macadam_error *error);
void mcd_components_free(mcd_components *components);

#endif
