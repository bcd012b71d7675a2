/* graph.h - the input arcs over the file's node ids: CSR by tail, and the reverse CSR by head. */
#ifndef MCD_ENGINE_MAP_GRAPH_H
#define MCD_ENGINE_MAP_GRAPH_H

#include "engine/map/map.h"
#include "kernels/views.h"

/* Renumbers the map's nodes by id_of[node] and sorts its arcs: map_arc[arc] is the index in the map of the
 * graph's arc `arc`. The caller frees both results (mcd_graph_free, mcd_free). `parallel` may be NULL: one thread. `watch` may be
 * NULL. */
macadam_status mcd_graph_new(mcd_graph **out, uint32_t **map_arc, mcd_node node_count, const mcd_node *tail,
                             const mcd_node *head, size_t arc_count, const mcd_node *id_of,
                             const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error);
void mcd_graph_free(mcd_graph *graph);

/* Makes first_in, tail and in_arc of a graph that has the rest. The caller frees the three with mcd_free. */
macadam_status mcd_graph_reverse(mcd_graph *graph, const mcd_parallel *parallel, macadam_error *error);

/* Each unordered couple of neighbours once, without loops: high > low, sorted by the segment of the higher
 * id, then by the lower id, then by the higher id. */
typedef struct mcd_couples {
    size_t count;
    mcd_node *high, *low; /* [count] */
} mcd_couples;

enum { MCD_COUPLE_SEGMENT = 1 << 14 }; /* ids per segment: their costs fit a multiprocessor's shared memory */

macadam_status mcd_couples_new(mcd_couples *out, const mcd_graph *graph, macadam_error *error);
void mcd_couples_free(mcd_couples *couples);

#endif
