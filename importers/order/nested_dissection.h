/* nested_dissection.h - a fill-reducing order of a road graph's nodes. */
#ifndef MCD_IMPORTERS_ORDER_NESTED_DISSECTION_H
#define MCD_IMPORTERS_ORDER_NESTED_DISSECTION_H

#include "engine/base/watch.h"
#include "importers/order/road_graph.h"

/* Sets (*order_out)[rank] = node, first eliminated first; free it with mcd_free. The same map gives the same
 * order on any number of threads. Returns E_MEMORY, E_CANCELLED, or E_INVALID for a map that is too large for
 * 32-bit indices. Memory: 16 bytes per arc and 48 per node, plus the memory that road_dissection.h and
 * road_contraction.h state, for half of the nodes if no junction is split. */
macadam_status mcd_nested_dissection(mcd_node **order_out, const mcd_road_graph *roads,
                                     const mcd_parallel *parallel, const mcd_progress *progress,
                                     macadam_error *error);

#endif
