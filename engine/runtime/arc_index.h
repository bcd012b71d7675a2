/* arc_index.h - finds arcs by the source data's arc numbers. */
#ifndef MCD_ENGINE_RUNTIME_ARC_INDEX_H
#define MCD_ENGINE_RUNTIME_ARC_INDEX_H

#include "engine/map/road.h"

/* All zero = empty. A split junction repeats the arcs that leave it. */
typedef struct mcd_arc_index {
    /* arc[first[number] .. first[number + 1]], for number < number_count: the original, then its copies. Importers
     * number arcs from 1 to at most the number of arcs. */
    size_t number_count;
    uint32_t *first, *arc;
} mcd_arc_index;

/* Makes the index unless it exists. Returns E_MEMORY if there is no memory for 8 bytes per arc, or E_CANCELLED. */
macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, macadam_error *error);
void mcd_arc_index_free(mcd_arc_index *index);

#endif
