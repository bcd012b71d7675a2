/* condensation.h - a graph's strong components and the arcs between them, by level: what closures work on. */
#ifndef MCD_ENGINE_MAP_CONDENSATION_H
#define MCD_ENGINE_MAP_CONDENSATION_H

#include "engine/base/status.h"
#include "kernels/views.h"

/* Components are numbered by level. Components without arcs to others have level 0; every other one is one
 * level above the highest of its heads. */
typedef struct mcd_condensation {
    uint32_t component_count, level_count;
    uint32_t *component;   /* [node_count]: the component of each node */
    uint32_t *level_first; /* [level_count + 1]: the first component of each level; the last entry is
                            * component_count */
    mcd_arc *first_out;    /* [component_count + 1] */
    uint32_t *head;        /* per component: its heads, ascending, each once, without itself */
} mcd_condensation;

/* Uses all arcs, whatever their weights. Returns MACADAM_OK or E_MEMORY. Time: linear. */
macadam_status mcd_condensation_new(mcd_condensation *out, const mcd_graph *graph, macadam_error *error);
void mcd_condensation_free(mcd_condensation *condensation);

#endif
