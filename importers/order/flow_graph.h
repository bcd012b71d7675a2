/* flow_graph.h - the graph that is bisected, and pieces of it. */
#ifndef MCD_IMPORTERS_ORDER_FLOW_GRAPH_H
#define MCD_IMPORTERS_ORDER_FLOW_GRAPH_H

#include "engine/base/status.h"
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

/* Roles of vertices; all others have neither. */
enum { MCD_FLOW_SOURCE = 0, MCD_FLOW_SINK = 1 };

/* The vertices of a piece's source that have neighbours outside it, and those of its sink. */
typedef struct mcd_flow_rim {
    uint32_t *source, *sink;
    uint32_t source_count, sink_count;
} mcd_flow_rim;

/* On which side of a bisection a vertex is: 0, 1 or between the two. */
enum { MCD_SEPARATES = 2 };

#endif
