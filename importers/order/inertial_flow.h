/* inertial_flow.h - bisects pieces of a graph so that few and light arcs are cut. */
#ifndef MCD_IMPORTERS_ORDER_INERTIAL_FLOW_H
#define MCD_IMPORTERS_ORDER_INERTIAL_FLOW_H

#include "engine/base/watch.h"
#include "importers/order/flow_graph.h"

typedef struct mcd_bisector mcd_bisector;

/* For graphs of up to `vertex_count` vertices and `arc_count` arcs. `by_nodes`: each vertex stands for one
 * node, and vertices are to be separated by vertices, not by arcs. Memory: 163 bytes per vertex and 8 per
 * arc; by nodes, 219 bytes per vertex. On failure too, free *out. */
macadam_status mcd_bisector_new(mcd_bisector **out, size_t vertex_count, size_t arc_count, bool by_nodes,
                                macadam_error *error);
void mcd_bisector_free(mcd_bisector *bisector);

/* Sets side[vertex] = 0 or 1 for the vertices of the pieces; neither side is empty. By nodes, side[vertex]
 * may be MCD_SEPARATES, and one side may be empty if some vertices separate. The bisector owns the array,
 * which stays valid until the next call with these vertices. The result is the same on any number of threads.
 * Threads: calls that overlap have different vertices. */
macadam_status mcd_bisect(const uint8_t **side, const mcd_bisector *bisector, const mcd_flow_graph *graph,
                          const mcd_flow_piece *piece, size_t piece_count, const mcd_parallel *parallel,
                          mcd_watch *watch, macadam_error *error);

#endif
