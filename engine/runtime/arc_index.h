/* arc_index.h - from the source data's arc numbers, or the user's ids of both ends, to arcs. */
#ifndef MCD_ENGINE_RUNTIME_ARC_INDEX_H
#define MCD_ENGINE_RUNTIME_ARC_INDEX_H

#include "engine/base/status.h"
#include "kernels/views.h"

/* Made in parts, each when it is first needed; empty: all zero. A split junction repeats the arcs that leave
 * it, and its nodes share an id. */
typedef struct mcd_arc_index {
    /* arc[first[number] .. first[number + 1]], for number < number_count. Importers number arcs from 1 to at
     * most the arcs that there are. */
    size_t number_count;
    uint32_t *first, *arc;
    const int64_t *node_id; /* [node_count], borrowed */
    size_t node_count;
    mcd_node *copy; /* [node_count]: nodes by id */
} mcd_arc_index;

/* Makes what arcs are found by number (or ends) with, if it is not there yet. Returns E_MEMORY if there is
 * none for 8 bytes an arc (4 a node). */
macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const uint64_t *arc_number, uint32_t arc_count,
                                     macadam_error *error);
macadam_status mcd_arc_index_ends(mcd_arc_index *index, const int64_t *node_id, size_t node_count,
                                  macadam_error *error);
/* Where the nodes with this id begin in `copy`, if there are any. */
size_t mcd_arc_index_first_copy(const mcd_arc_index *index, int64_t id);
void mcd_arc_index_free(mcd_arc_index *index);

#endif
