/* parents.h - converts parents from the file's nodes to the user's ids. */
#ifndef MCD_ENGINE_QUERY_PLACES_PARENTS_H
#define MCD_ENGINE_QUERY_PLACES_PARENTS_H

#include "engine/runtime/engine.h"

/* Sets parent[row * id_count + i] for the node where the i-th id arrives (backward: departs). It is the index
 * of the first other id among the node's ancestors in the parent row row[row * node_count + node], or
 * MACADAM_UNREACHED if there is none. */
macadam_status mcd_parents_by_id(const macadam_engine *engine, mcd_direction direction, const mcd_node *row,
                                 size_t row_count, uint32_t *parent, macadam_error *error);

#endif
