/* arc_index.h - finds arcs by the source data's arc numbers, or by the user's ids of both ends. */
#ifndef MCD_ENGINE_RUNTIME_ARC_INDEX_H
#define MCD_ENGINE_RUNTIME_ARC_INDEX_H

#include "engine/base/status.h"
#include "kernels/views.h"

/* Made in parts, each when it is first needed; all zero = empty. A split junction repeats the arcs that leave
 * it, and its nodes share an id. */
typedef struct mcd_arc_index {
    /* arc[first[number] .. first[number + 1]], for number < number_count. Importers number arcs from 1 to at
     * most the number of arcs. */
    size_t number_count;
    uint32_t *first, *arc;
    const int64_t *node_id; /* [node_count], borrowed */
    size_t node_count;
    mcd_node *copy; /* [node_count]: nodes sorted by id */
} mcd_arc_index;

/* Makes the part that finds arcs by number (or by ends), unless it exists. Returns E_MEMORY if there is no
 * memory for 8 bytes per arc (4 per node). */
macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const uint64_t *arc_number, uint32_t arc_count,
                                     macadam_error *error);
macadam_status mcd_arc_index_ends(mcd_arc_index *index, const int64_t *node_id, size_t node_count,
                                  macadam_error *error);
/* Returns where the nodes with this id begin in `copy`, if there are any. */
size_t mcd_arc_index_first_copy(const mcd_arc_index *index, int64_t id);
void mcd_arc_index_free(mcd_arc_index *index);

#endif
