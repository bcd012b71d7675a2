/* condensation.h - a graph's strong components and the arcs between them, by level: what closures work on. */
#ifndef MCD_ENGINE_MAP_CONDENSATION_H
#define MCD_ENGINE_MAP_CONDENSATION_H

#include "engine/base/status.h"
#include "kernels/views.h"

/* Components are numbered by level: 0 for those without arcs to others, else one above the highest head. */
typedef struct mcd_condensation {
    uint32_t component_count, level_count;
    uint32_t *component;   /* [node_count]: of each node */
    uint32_t *level_first; /* [level_count + 1]: the first component of each level; then the count */
    mcd_arc *first_out;    /* [component_count + 1] */
    uint32_t *head;        /* ascending for each component, each once, without itself */
} mcd_condensation;

/* Over all arcs, whatever their weights. Returns E_MEMORY if there is too little. Time: linear. */
macadam_status mcd_condensation_new(mcd_condensation *out, const mcd_graph *graph, macadam_error *error);
void mcd_condensation_free(mcd_condensation *condensation);

#endif
