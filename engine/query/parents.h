/* parents.h - parents of the file's nodes, told by the user's ids. */
#ifndef MCD_ENGINE_QUERY_PARENTS_H
#define MCD_ENGINE_QUERY_PARENTS_H

#include "engine/runtime/engine.h"

/* parent[row * id_count + i]: of the node where the i-th id arrives (backward: departs), the position of the
 * first other id that its ancestors in parent row[row * node_count + node] are of, MACADAM_UNREACHED if there
 * is none. */
void mcd_parents_by_id(const macadam_engine *engine, mcd_direction direction, const mcd_node *row,
                       size_t row_count, uint32_t *parent);

#endif
