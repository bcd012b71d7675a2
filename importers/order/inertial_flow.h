/* inertial_flow.h - bisects pieces of a graph so that few and light arcs are cut. */
#ifndef MCD_IMPORTERS_ORDER_INERTIAL_FLOW_H
#define MCD_IMPORTERS_ORDER_INERTIAL_FLOW_H

#include "engine/base/parallel.h"
#include "engine/base/types.h"

/* A graph that has each arc in both directions, with the same capacity. The arcs of a vertex are begin[v] ..
 * end[v]. */
typedef struct mcd_flow_graph {
    uint32_t *weight, *begin, *end;      /* [vertices] */
    uint32_t *head, *capacity, *reverse; /* [arcs] */
} mcd_flow_graph;

/* A part of the graph that no arc leaves. Its vertices stand for its nodes: the vertices' weights add up to
 * node_count. */
typedef struct mcd_flow_piece {
    uint32_t first_vertex, vertex_count; /* a piece is bisected if it has at least 2 */
    uint32_t first_arc;                  /* of its vertices' arcs, which are contiguous */
    uint32_t first_node, node_count;
} mcd_flow_piece;

typedef struct mcd_bisector mcd_bisector;

/* For graphs of up to `vertex_count` vertices and `arc_count` arcs. Memory: 163 bytes per vertex and 8 per
 * arc. */
macadam_status mcd_bisector_new(mcd_bisector **out, size_t vertex_count, size_t arc_count,
                                macadam_error *error);
void mcd_bisector_free(mcd_bisector *bisector);

/* Returns side[vertex] = 0 or 1 for the vertices of the pieces; neither side is empty. The bisector owns the
 * array, which stays valid until the next call with these vertices. The result is the same on any number of
 * threads. Threads: calls that overlap have different vertices. */
const uint8_t *mcd_bisect(const mcd_bisector *bisector, const mcd_flow_graph *graph,
                          const mcd_flow_piece *piece, size_t piece_count, const mcd_parallel *parallel);

#endif
