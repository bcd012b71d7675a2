/* arc_index.h - finds arcs by the source data's arc numbers, or by the user's ids of both ends. */
#ifndef MCD_ENGINE_RUNTIME_ARC_INDEX_H
#define MCD_ENGINE_RUNTIME_ARC_INDEX_H

#include "engine/base/status.h"
#include "engine/map/road.h"

/* Made in parts, each when it is first needed; all zero = empty. A split junction repeats the arcs that leave
 * it, and its nodes share an id. */
typedef struct mcd_arc_index {
    /* arc[first[number] .. first[number + 1]], for number < number_count. Importers number arcs from 1 to at
     * most the number of arcs. */
    size_t number_count;
    uint32_t *first, *arc;
    uint32_t *first_node; /* [id_count + 1] */
    mcd_node *node;       /* those of id i are node[first_node[i] .. first_node[i + 1]) */
} mcd_arc_index;

/* Makes the part that finds arcs by number (or by ends), unless it exists. Returns E_MEMORY if there is no
 * memory for 8 bytes per arc (4 per node). */
macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const mcd_arc_facts *facts, uint32_t arc_count,
                                     macadam_error *error);
macadam_status mcd_arc_index_ends(mcd_arc_index *index, const mcd_place_index *places, macadam_error *error);
void mcd_arc_index_free(mcd_arc_index *index);

#endif
